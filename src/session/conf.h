// RuntimeConf: a session's settings (spark.conf): what was set, over the defaults that Spark 4.2
// answers. Keys that Spark fixes at start (static) or that are not SQL settings (core) are refused
// as Spark does; unknown keys may be set freely. Owned by a Session; thread-safe.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace millstream::session {

class RuntimeConf {
 public:
  RuntimeConf() = default;
  explicit RuntimeConf(std::map<std::string, std::string> set) : set_(std::move(set)) {}
  void copy_from(const RuntimeConf& other);

  // The value in force: set, or the default. Nothing: neither. SQL_CONF_NOT_FOUND when the key is
  // unknown.
  Result<std::optional<std::string>> get(const std::string& key) const;
  std::optional<std::string> find(
      const std::string& key) const;                // as get, unknown keys are nothing
  std::string value(const std::string& key) const;  // empty: nothing

  Status set(const std::string& key, const std::string& value);
  Status unset(const std::string& key);
  bool is_modifiable(const std::string& key) const;

  std::map<std::string, std::string> explicitly_set() const;
  std::map<std::string, std::string> effective() const;  // defaults filled in

  std::string time_zone() const { return value("spark.sql.session.timeZone"); }
  bool flag(const std::string& key) const { return value(key) == "true"; }
  std::int64_t number(const std::string& key, std::int64_t fallback) const;

 private:
  mutable std::mutex mutex_;
  std::map<std::string, std::string> set_;
};

// The zone id of this machine: $TZ, else /etc/localtime, else UTC.
const std::string& machine_time_zone();

}  // namespace millstream::session
