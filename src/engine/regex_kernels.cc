// Functions of regular expressions.
#include <limits>

#include "base/text.h"
#include "base/utf16.h"
#include "engine/java_regex.h"
#include "engine/kernels.h"
#include "engine/text.h"
#include "engine/utf8.h"

namespace millstream::engine {
namespace {

// The place to look from after a match: one character on when it was empty.
std::size_t after(std::string_view text, const JavaRegex::Match& match) {
  if (match.end > match.begin) return match.end;
  return match.end < text.size() ? match.end + character_size(text, match.end) : text.size() + 1;
}

// What Java does not take for a pattern either.
Status no_pattern(const char* function, std::string_view pattern) {
  return Status::error("INVALID_PARAMETER_VALUE.PATTERN",
                       {{"parameter", "`regexp`"},
                        {"functionName", "`" + std::string(function) + "`"},
                        {"value", "'" + std::string(pattern) + "'"}});
}

// Calls f(match) for each match from `from` on until f says false.
template <typename F>
Status each_match(const char* function, std::string_view text, std::string_view pattern,
                  std::size_t from, const F& f) {
  const auto found = JavaRegex::get(pattern);
  if (!found.ok())
    return found.status().is(ErrorKind::parse) ? no_pattern(function, pattern) : found.status();
  const auto& regex = *found;
  for (std::size_t at = from; at <= text.size();) {
    const auto searched = regex->find(text, at);
    if (!searched.ok() && searched.status().is(ErrorKind::parse))
      return no_pattern(function, pattern);
    TRY_ASSIGN(const auto match, searched);
    if (!match.has_value()) break;
    TRY_ASSIGN(const bool more, f(*match));
    if (!more) break;
    at = after(text, *match);
  }
  return Status::OK();
}

std::optional<bool> rlike(Failure& fail, std::string_view text, std::string_view pattern) {
  bool found = false;
  const auto status =
      each_match("rlike", text, pattern, 0, [&](const JavaRegex::Match&) -> Result<bool> {
        found = true;
        return false;
      });
  if (!status.ok()) return fail(status);
  return found;
}

Status check_group(std::string_view function, std::int32_t group, int count) {
  if (group >= 0 && group <= count) return Status::OK();
  return Status::error("INVALID_PARAMETER_VALUE.REGEX_GROUP_INDEX",
                       {{"parameter", "`idx`"},
                        {"functionName", "`" + std::string(function) + "`"},
                        {"groupCount", std::to_string(count)},
                        {"groupIndex", std::to_string(group)}});
}

std::optional<std::string> extract(Failure& fail, std::string_view text, std::string_view pattern,
                                   std::int32_t group) {
  std::string out;
  const auto status = each_match(
      "regexp_extract", text, pattern, 0, [&](const JavaRegex::Match& match) -> Result<bool> {
        TRY(check_group("regexp_extract", group, static_cast<int>(match.groups.size()) - 1));
        out = match.groups[static_cast<std::size_t>(group)].value_or("");
        return false;
      });
  if (!status.ok()) return fail(status);
  return out;
}

std::optional<Strings> extract_all(Failure& fail, std::string_view text, std::string_view pattern,
                                   std::int32_t group) {
  Strings out;
  const auto status = each_match(
      "regexp_extract_all", text, pattern, 0, [&](const JavaRegex::Match& match) -> Result<bool> {
        TRY(check_group("regexp_extract_all", group, static_cast<int>(match.groups.size()) - 1));
        out.items.emplace_back(
            std::string(match.groups[static_cast<std::size_t>(group)].value_or("")));
        return true;
      });
  if (!status.ok()) return fail(status);
  return out;
}

std::optional<std::string> replace_all(Failure& fail, std::string_view text,
                                       std::string_view pattern, std::string_view by,
                                       std::int32_t position) {
  if (position < 1)
    return fail(
        Status::invalid("The position of regexp_replace must be positive, got {}", position));
  std::size_t done = 0;
  const std::size_t from = byte_of_character(text, static_cast<std::size_t>(position - 1));
  if (position > 1 && from >= text.size()) return std::string(text);
  std::string out;
  const auto status = each_match(
      "regexp_replace", text, pattern, from, [&](const JavaRegex::Match& match) -> Result<bool> {
        out += text.substr(done, match.begin - done);
        TRY_ASSIGN(const std::string replacement, expand_replacement(by, match));
        out += replacement;
        done = match.end;
        return true;
      });
  if (!status.ok()) return fail(status);
  out += text.substr(done);
  return out;
}

std::optional<std::int32_t> count(Failure& fail, std::string_view text, std::string_view pattern) {
  std::int32_t found = 0;
  const auto status =
      each_match("regexp_count", text, pattern, 0, [&](const JavaRegex::Match&) -> Result<bool> {
        ++found;
        return true;
      });
  if (!status.ok()) return fail(status);
  return found;
}

std::optional<std::string> substr(Failure& fail, std::string_view text, std::string_view pattern) {
  std::optional<std::string> out;
  const auto status = each_match("regexp_substr", text, pattern, 0,
                                 [&](const JavaRegex::Match& match) -> Result<bool> {
                                   out = std::string(*match.groups[0]);
                                   return false;
                                 });
  if (!status.ok()) return fail(status);
  return out;
}

std::optional<std::int32_t> instr(Failure& fail, std::string_view text, std::string_view pattern,
                                  std::int32_t) {
  std::int32_t place = 0;
  const auto status = each_match(
      "regexp_instr", text, pattern, 0, [&](const JavaRegex::Match& match) -> Result<bool> {
        place = static_cast<std::int32_t>(utf16_length(text.substr(0, match.begin))) + 1;
        return false;
      });
  if (!status.ok()) return fail(status);
  return place;
}

// String.split with a limit, as Spark calls it: trailing empty parts stay unless the limit is 0,
// which counts as -1.
std::optional<Strings> split(Failure& fail, std::string_view text, std::string_view pattern,
                             std::int32_t limit) {
  Strings out;
  if (pattern.empty()) {
    // Every character of its own, and the rest in the last of so many.
    std::size_t at = 0;
    while (at < text.size()) {
      const bool last = limit > 0 && static_cast<std::int32_t>(out.items.size()) == limit - 1;
      const auto size = last ? text.size() - at : character_size(text, at);
      out.items.emplace_back(std::string(text.substr(at, size)));
      at += size;
    }
    if (text.empty()) out.items.emplace_back("");
    return out;
  }
  std::size_t done = 0;
  const auto status =
      each_match("split", text, pattern, 0, [&](const JavaRegex::Match& match) -> Result<bool> {
        if (limit > 0 && static_cast<std::int32_t>(out.items.size()) == limit - 1) return false;
        // An empty match at the very beginning never makes a part.
        if (match.end == 0) return true;
        out.items.emplace_back(std::string(text.substr(done, match.begin - done)));
        done = match.end;
        return true;
      });
  if (!status.ok()) return fail(status);
  out.items.emplace_back(std::string(text.substr(done)));
  return out;
}

}  // namespace

Status register_regex_kernels(duckdb_connection c) {
  TRY(add_kernel<rlike>(c, "ms_rlike"));
  TRY(add_kernel<extract>(c, "ms_regexp_extract"));
  TRY(add_kernel<extract_all>(c, "ms_regexp_extract_all"));
  TRY(add_kernel<replace_all>(c, "ms_regexp_replace"));
  TRY(add_kernel<count>(c, "ms_regexp_count"));
  TRY(add_kernel<substr>(c, "ms_regexp_substr"));
  TRY(add_kernel<instr>(c, "ms_regexp_instr"));
  return add_kernel<split>(c, "ms_split");
}

}  // namespace millstream::engine
