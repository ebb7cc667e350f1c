// Functions of arrays whose meaning depends on equality and order of any type, NULLs included.
#include <algorithm>
#include <numeric>
#include <span>
#include <unordered_set>

#include "base/text.h"
#include "engine/value_kernel.h"
#include "engine/work.h"

namespace millstream::engine {
namespace {

using ValueSet = std::unordered_set<Value, ValueHash, ValueEqual>;

// More elements than this Spark's arrays do not have either.
constexpr std::int64_t elements_max = 2147483632;
// One array of a function whose size is a number in the query: an error, before memory ends.
constexpr std::int64_t made_elements_max = 1 << 27;

ValueSet set_of(const Value& list) { return {list.items.begin(), list.items.end()}; }

// The first of equal elements each, of -0.0 and 0.0 the latter, where `keep` says yes.
template <typename Keep>
Value distinct_where(const std::vector<Value>& items, const Keep& keep) {
  ValueSet seen;
  std::vector<Value> out;
  for (const Value& item : items) {
    if (!keep(item) || !seen.insert(item).second) continue;
    out.push_back(item);
    if (item.kind == Value::Kind::floating && item.floating == 0) out.back().floating = 0;
  }
  return list_value(std::move(out));
}

Result<Value> array_distinct(const ValueKernel&, const Values& a) {
  return distinct_where(a[0].items, [](const Value&) { return true; });
}

Result<Value> array_union(const ValueKernel&, const Values& a) {
  std::vector<Value> all = a[0].items;
  all.insert(all.end(), a[1].items.begin(), a[1].items.end());
  return distinct_where(all, [](const Value&) { return true; });
}

Result<Value> array_intersect(const ValueKernel&, const Values& a) {
  const ValueSet other = set_of(a[1]);
  return distinct_where(a[0].items, [&](const Value& item) { return other.contains(item); });
}

Result<Value> array_except(const ValueKernel&, const Values& a) {
  const ValueSet other = set_of(a[1]);
  return distinct_where(a[0].items, [&](const Value& item) { return !other.contains(item); });
}

// True when a value other than NULL is in both; NULL when one that is unknown might be.
Result<Value> arrays_overlap(const ValueKernel&, const Values& a) {
  const ValueSet other = set_of(a[1]);
  for (const Value& item : a[0].items) {
    if (!item.is_null() && other.contains(item)) return boolean_value(true);
  }
  const bool unknown =
      !a[0].items.empty() && !a[1].items.empty() && (holds_null(a[0]) || holds_null(a[1]));
  return unknown ? null_value() : boolean_value(false);
}

Result<Value> array_contains(const ValueKernel&, const Values& a) {
  for (const Value& item : a[0].items) {
    if (!item.is_null() && compare(item, a[1]) == 0) return boolean_value(true);
  }
  return holds_null(a[0]) ? null_value() : boolean_value(false);
}

Result<Value> array_position(const ValueKernel&, const Values& a) {
  for (std::size_t i = 0; i < a[0].items.size(); ++i) {
    if (!a[0].items[i].is_null() && compare(a[0].items[i], a[1]) == 0)
      return integer_value(static_cast<std::int64_t>(i) + 1);
  }
  return integer_value(0);
}

Result<Value> array_remove(const ValueKernel&, const Values& a) {
  std::vector<Value> out;
  for (const Value& item : a[0].items) {
    if (item.is_null() || compare(item, a[1]) != 0) out.push_back(item);
  }
  return list_value(std::move(out));
}

Status too_many_elements(std::string_view function, std::int64_t count) {
  return Status::error("COLLECTION_SIZE_LIMIT_EXCEEDED.PARAMETER",
                       {{"functionName", "`" + std::string(function) + "`"},
                        {"numberOfElements", std::to_string(count)},
                        {"maxRoundedArrayLength", std::to_string(elements_max)},
                        {"parameter", "`count`"}});
}

// array_insert(array, position, element): positions from 1, or from the end when negative; NULLs
// fill what lies between.
Result<Value> array_insert(const ValueKernel&, const Values& a) {
  if (a[0].is_null() || a[1].is_null()) return null_value();
  const std::int64_t position = a[1].integer;
  if (position == 0) return Status::error("INVALID_INDEX_OF_ZERO");
  const auto size = static_cast<std::int64_t>(a[0].items.size());
  const std::int64_t wanted = std::abs(position);
  if (std::max(wanted, size + 1) > made_elements_max)
    return too_many_elements("array_insert", std::max(wanted, size + 1));
  std::vector<Value> out = a[0].items;
  if (position > 0) {
    if (position > size + 1) out.resize(static_cast<std::size_t>(position - 1));
    out.insert(out.begin() + (position - 1), a[2]);
    return list_value(std::move(out));
  }
  if (wanted > size + 1) out.insert(out.begin(), static_cast<std::size_t>(wanted - size - 1), {});
  out.insert(out.end() - (wanted - 1), a[2]);
  return list_value(std::move(out));
}

Result<Value> array_repeat(const ValueKernel&, const Values& a) {
  if (a[1].is_null()) return null_value();
  const std::int64_t count = std::max<std::int64_t>(0, a[1].integer);
  if (count > made_elements_max) return too_many_elements("array_repeat", count);
  return list_value(std::vector<Value>(static_cast<std::size_t>(count), a[0]));
}

// Sorting a long list allocates nothing: what compares asks whether to go on.
template <bool Ascending>
Result<Value> sort_array(const ValueKernel&, const Values& a) {
  std::vector<Value> out = a[0].items;
  std::stable_sort(out.begin(), out.end(), [](const Value& x, const Value& y) {
    proceed(1);
    return Ascending ? compare(x, y) < 0 : compare(y, x) < 0;
  });
  return list_value(std::move(out));
}

// NULLs at the end.
Result<Value> array_sort(const ValueKernel&, const Values& a) {
  std::vector<Value> out = a[0].items;
  std::stable_sort(out.begin(), out.end(), [](const Value& x, const Value& y) {
    proceed(1);
    if (x.is_null() || y.is_null()) return !x.is_null() && y.is_null();
    return compare(x, y) < 0;
  });
  return list_value(std::move(out));
}

// The greatest element (Sign 1) or the least (-1); NULLs do not count.
template <int Sign>
Result<Value> array_extreme(const ValueKernel&, const Values& a) {
  const Value* best = nullptr;
  for (const Value& item : a[0].items) {
    if (item.is_null()) continue;
    if (best == nullptr || compare(item, *best) * Sign > 0) best = &item;
  }
  return best == nullptr ? null_value() : *best;
}

Result<Value> flatten(const ValueKernel&, const Values& a) {
  std::vector<Value> out;
  for (const Value& list : a[0].items) {
    if (list.is_null()) return null_value();
    out.insert(out.end(), list.items.begin(), list.items.end());
  }
  return list_value(std::move(out));
}

Result<Value> arrays_zip(const ValueKernel&, const Values& a) {
  std::size_t longest = 0;
  for (const Value& list : a) longest = std::max(longest, list.items.size());
  std::vector<Value> out;
  for (std::size_t i = 0; i < longest; ++i) {
    std::vector<Value> members;
    for (const Value& list : a)
      members.push_back(i < list.items.size() ? list.items[i] : null_value());
    out.push_back(list_value(std::move(members)));
  }
  return list_value(std::move(out));
}

// array_sort with a comparator: of each element how many come before it. One that contradicts
// itself gives several the same number.
Result<Value> by_rank(const ValueKernel&, const Values& a) {
  std::vector<std::size_t> places(a[0].items.size());
  std::iota(places.begin(), places.end(), 0);
  std::stable_sort(places.begin(), places.end(), [&](std::size_t x, std::size_t y) {
    return a[1].items[x].integer < a[1].items[y].integer;
  });
  std::vector<Value> out;
  for (const std::size_t place : places) out.push_back(a[0].items[place]);
  return list_value(std::move(out));
}

Result<Value> key_of(const ValueKernel&, const Values& a) { return text_value(order_key(a[0])); }

// greatest(…) and least(…) of a row; NULLs do not count.
template <int Sign>
Result<Value> row_extreme(const ValueKernel&, const Values& a) {
  const Value* best = nullptr;
  for (const Value& value : a) {
    if (value.is_null()) continue;
    if (best == nullptr || compare(value, *best) * Sign > 0) best = &value;
  }
  return best == nullptr ? null_value() : *best;
}

// array_join: NULLs are left out.
Result<Value> array_join(const ValueKernel&, const Values& a) {
  std::string out;
  bool first = true;
  for (const Value& item : a[0].items) {
    if (item.is_null()) continue;
    if (!first) out += a[1].text;
    first = false;
    out += item.text;
  }
  return text_value(std::move(out));
}

constexpr ValueFunction functions[] = {
    {"array_join", array_join},
    {"array_distinct", array_distinct},
    {"array_union", array_union},
    {"array_intersect", array_intersect},
    {"array_except", array_except},
    {"arrays_overlap", arrays_overlap},
    {"array_contains", array_contains},
    {"array_position", array_position},
    {"array_remove", array_remove},
    {"array_insert", array_insert, true},
    {"array_repeat", array_repeat, true},
    {"sort_array", sort_array<true>},
    {"sort_array_descending", sort_array<false>},
    {"array_sort", array_sort},
    {"array_max", array_extreme<1>},
    {"array_min", array_extreme<-1>},
    {"flatten", flatten},
    {"arrays_zip", arrays_zip},
    {"by_rank", by_rank},
    {"order_key", key_of},
    {"row_greatest", row_extreme<1>, true},
    {"row_least", row_extreme<-1>, true},
};

}  // namespace

std::span<const ValueFunction> array_functions() { return functions; }

}  // namespace millstream::engine
