// Maps that are made from other values: a key must not be NULL nor come twice.
#include <span>
#include <unordered_map>
#include <unordered_set>

#include "base/text.h"
#include "engine/java_regex.h"
#include "engine/value_kernel.h"

namespace millstream::engine {
namespace {

using column::DataType;

// As keys both zeros are one, which has no sign.
void drop_zero_sign(Value& key) {
  if (key.kind == Value::Kind::floating && key.floating == 0) key.floating = 0;
  for (Value& item : key.items) drop_zero_sign(item);
}

// Entries in, a checked map out. A key that comes again is an error, or takes the newer value.
Result<Value> checked_map(std::vector<Value> entries, const DataType& key,
                          const ValueKernel& kernel) {
  const bool last_wins = kernel.function.ends_with("_last_win");
  std::unordered_map<Value, std::size_t, ValueHash, ValueEqual> places;
  std::vector<Value> kept;
  for (Value& entry : entries) {
    if (entry.items[0].is_null()) return Status::error("NULL_MAP_KEY");
    const auto [place, is_new] = places.emplace(entry.items[0], kept.size());
    if (is_new) {
      drop_zero_sign(entry.items[0]);
      kept.push_back(std::move(entry));
    } else if (last_wins) {
      kept[place->second].items[1] = std::move(entry.items[1]);
    } else {
      return Status::error("DUPLICATED_MAP_KEY",
                           {{"key", text_of(entry.items[0], key, kernel.time_zone)},
                            {"mapKeyDedupPolicy", "\"spark.sql.mapKeyDedupPolicy\""}});
    }
  }
  return list_value(std::move(kept));
}

Result<Value> map_concat(const ValueKernel& kernel, const Values& a) {
  std::vector<Value> entries;
  for (const Value& map : a) entries.insert(entries.end(), map.items.begin(), map.items.end());
  return checked_map(std::move(entries), *kernel.result->key(), kernel);
}

Result<Value> map_from_entries(const ValueKernel& kernel, const Values& a) {
  if (holds_null(a[0])) return null_value();
  return checked_map(a[0].items, *kernel.result->key(), kernel);
}

Result<Value> map_from_arrays(const ValueKernel& kernel, const Values& a) {
  if (a[0].items.size() != a[1].items.size()) {
    return Status::error("_LEGACY_ERROR_TEMP_2128", {});
  }
  std::vector<Value> entries;
  for (std::size_t i = 0; i < a[0].items.size(); ++i)
    entries.push_back(list_value({a[0].items[i], a[1].items[i]}));
  return checked_map(std::move(entries), *kernel.result->key(), kernel);
}

// map(key, value, …)
Result<Value> make_map(const ValueKernel& kernel, const Values& a) {
  std::vector<Value> entries;
  for (std::size_t i = 0; i + 1 < a.size(); i += 2) entries.push_back(list_value({a[i], a[i + 1]}));
  return checked_map(std::move(entries), *kernel.result->key(), kernel);
}

// The keys of two maps, each once, those of the first in front: what map_zip_with walks over.
Result<Value> map_key_union(const ValueKernel&, const Values& a) {
  std::unordered_set<Value, ValueHash, ValueEqual> seen;
  std::vector<Value> keys;
  for (const Value& map : a) {
    for (const Value& entry : map.items) {
      if (seen.insert(entry.items[0]).second) keys.push_back(entry.items[0]);
    }
  }
  return list_value(std::move(keys));
}

Result<Value> map_contains_key(const ValueKernel&, const Values& a) {
  for (const Value& entry : a[0].items) {
    if (compare(entry.items[0], a[1]) == 0) return boolean_value(true);
  }
  return boolean_value(false);
}

// The parts of `text` between matches of `pattern`; `limit` as of String.split.
Result<std::vector<std::string>> split_text(const std::string& text, const std::string& pattern,
                                            std::size_t limit) {
  std::vector<std::string> out;
  TRY_ASSIGN(const auto regex, JavaRegex::get(pattern));
  std::size_t done = 0;
  for (std::size_t at = 0; at <= text.size() && (limit == 0 || out.size() + 1 < limit);) {
    TRY_ASSIGN(const auto match, regex->find(text, at));
    if (!match) break;
    if (match->end == match->begin) {
      at = match->end + 1;
      continue;
    }
    out.push_back(text.substr(done, match->begin - done));
    done = at = match->end;
  }
  out.push_back(text.substr(done));
  return out;
}

Result<Value> str_to_map(const ValueKernel& kernel, const Values& a) {
  TRY_ASSIGN(const auto pairs, split_text(a[0].text, a[1].text, 0));
  std::vector<Value> entries;
  for (const std::string& pair : pairs) {
    TRY_ASSIGN(const auto sides, split_text(pair, a[2].text, 2));
    entries.push_back(
        list_value({text_value(sides[0]), sides.size() > 1 ? text_value(sides[1]) : null_value()}));
  }
  return checked_map(std::move(entries), *kernel.result->key(), kernel);
}

constexpr ValueFunction functions[] = {
    {"map", make_map, true},
    {"map_last_win", make_map, true},
    {"map_concat", map_concat},
    {"map_concat_last_win", map_concat},
    {"map_from_entries", map_from_entries},
    {"map_from_entries_last_win", map_from_entries},
    {"map_from_arrays", map_from_arrays},
    {"map_from_arrays_last_win", map_from_arrays},
    {"map_key_union", map_key_union},
    {"map_contains_key", map_contains_key},
    {"str_to_map", str_to_map},
    {"str_to_map_last_win", str_to_map},
};

}  // namespace

std::span<const ValueFunction> map_functions() { return functions; }

}  // namespace millstream::engine
