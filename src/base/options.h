// Reader, writer and stream options: names are case-insensitive, the spelling that the user gave is
// kept for messages.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/status.h"

namespace millstream {

class Options {
 public:
  Options() = default;
  explicit Options(const std::map<std::string, std::string>& values) {
    for (const auto& [name, value] : values) set(name, value);
  }

  void set(std::string_view name, std::string value);
  bool has(std::string_view name) const { return find(name) != nullptr; }
  const std::string* find(std::string_view name) const;  // nullptr: not given

  std::string get(std::string_view name, std::string_view fallback) const;
  // The typed readers fail with an IllegalArgumentException that names the option and what it
  // takes.
  Result<bool> get_bool(std::string_view name, bool fallback) const;
  Result<std::int64_t> get_int(std::string_view name, std::int64_t fallback) const;
  Result<std::int64_t> get_bytes(std::string_view name, std::int64_t fallback) const;

  struct Entry {
    std::string name;  // as given
    std::string value;
  };
  const std::map<std::string, Entry>& entries() const { return entries_; }  // by lower-case name
  bool empty() const { return entries_.empty(); }

 private:
  std::map<std::string, Entry> entries_;
};

}  // namespace millstream
