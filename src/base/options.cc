#include "base/options.h"

#include "base/text.h"

namespace millstream {

void Options::set(std::string_view name, std::string value) {
  entries_[to_lower(name)] = {std::string(name), std::move(value)};
}

const std::string* Options::find(std::string_view name) const {
  const auto found = entries_.find(to_lower(name));
  return found == entries_.end() ? nullptr : &found->second.value;
}

std::string Options::get(std::string_view name, std::string_view fallback) const {
  const std::string* value = find(name);
  return value ? *value : std::string(fallback);
}

Result<bool> Options::get_bool(std::string_view name, bool fallback) const {
  const std::string* value = find(name);
  if (!value) return fallback;
  const auto parsed = parse_bool(*value);
  if (!parsed) return Status::invalid("option '{}' takes true or false, not '{}'", name, *value);
  return *parsed;
}

Result<std::int64_t> Options::get_int(std::string_view name, std::int64_t fallback) const {
  const std::string* value = find(name);
  if (!value) return fallback;
  const auto parsed = parse_int64(trim(*value));
  if (!parsed) return Status::invalid("option '{}' takes a whole number, not '{}'", name, *value);
  return *parsed;
}

Result<std::int64_t> Options::get_bytes(std::string_view name, std::int64_t fallback) const {
  const std::string* value = find(name);
  if (!value) return fallback;
  const auto parsed = parse_bytes(*value);
  if (!parsed) {
    return Status::invalid("option '{}' takes a size such as '10g' or '512m', not '{}'", name,
                           *value);
  }
  return *parsed;
}

}  // namespace millstream
