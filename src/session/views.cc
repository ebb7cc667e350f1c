#include "session/views.h"

#include "base/text.h"
#include "column/time_types.h"

namespace millstream::session {

Meaning Meaning::of(const RuntimeConf& conf) {
  return {conf.flag("spark.sql.ansi.enabled"), conf.flag("spark.sql.caseSensitive"),
          conf.time_zone(), timestamp_word(conf)};
}

column::TimestampWord timestamp_word(const RuntimeConf& conf) {
  const bool local = to_upper(trim(conf.value("spark.sql.timestampType"))) == "TIMESTAMP_NTZ";
  return local ? column::TimestampWord::without_zone : column::TimestampWord::with_zone;
}

bool time_types_enabled(const RuntimeConf& conf) { return conf.flag("spark.sql.timeType.enabled"); }

Status check_time_types(const RuntimeConf& conf, const column::Schema& schema) {
  const column::TimeTypes times(time_types_enabled(conf));
  return column::check_time_types(schema);
}

bool Views::put(View view, bool replace) {
  const std::lock_guard lock(mutex_);
  const std::string key = to_lower(view.name);
  if (!replace && by_name_.contains(key)) return false;
  by_name_[key] = std::move(view);
  return true;
}

std::optional<View> Views::find(const std::string& name) const {
  const std::lock_guard lock(mutex_);
  const auto found = by_name_.find(to_lower(name));
  if (found == by_name_.end()) return std::nullopt;
  return found->second;
}

bool Views::drop(const std::string& name) {
  const std::lock_guard lock(mutex_);
  return by_name_.erase(to_lower(name)) > 0;
}

std::vector<std::string> Views::names() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> names;
  for (const auto& [key, view] : by_name_) names.push_back(key);
  return names;
}

void Views::copy_from(const Views& other) {
  std::map<std::string, View> theirs;
  {
    const std::lock_guard lock(other.mutex_);
    theirs = other.by_name_;
  }
  const std::lock_guard lock(mutex_);
  by_name_ = std::move(theirs);
}

}  // namespace millstream::session
