#include "session/conf.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <unordered_map>

#include "base/text.h"

namespace millstream::session {
namespace {

enum class Type : std::uint8_t { text, flag, integer, bytes, duration, zone };
enum class Mutability : std::uint8_t {
  runtime,
  fixed,  // Spark's static settings
  core,   // not a SQL setting: cannot change while a session lives
  free,   // a core setting that Spark exempts
};

struct Key {
  const char* name;
  Type type;
  Mutability mutability;
  const char* fallback;  // nullptr: no default
};

using enum Type;
using enum Mutability;

constexpr Key keys[] = {
#include "session/conf_keys.inc"
};

const Key* find_key(const std::string& name) {
  static const auto index = [] {
    std::unordered_map<std::string, const Key*> by_name;
    for (const Key& key : keys) CHECK(by_name.emplace(key.name, &key).second);
    return by_name;
  }();
  const auto found = index.find(name);
  return found == index.end() ? nullptr : found->second;
}

std::optional<std::string> default_of(const Key& key) {
  if (key.type == Type::zone) return machine_time_zone();
  if (key.fallback == nullptr) return std::nullopt;
  return std::string(key.fallback);
}

// "+1:00", "-08:30", "+0100", "GMT+1", "UTC-01:00": java.time's offset forms.
bool is_offset(std::string_view id) {
  if (id.starts_with("UTC") || id.starts_with("GMT")) id.remove_prefix(3);
  if (id.starts_with("UT")) id.remove_prefix(2);
  if (id.size() < 2 || (id[0] != '+' && id[0] != '-')) return false;
  int digits = 0;
  for (const char c : id.substr(1)) {
    if (c == ':') continue;
    if (c < '0' || c > '9') return false;
    ++digits;
  }
  return digits <= 6;
}

bool is_time_zone(const std::string& id) {
  if (id == "UTC" || id == "GMT" || id == "UT" || id == "Z" || is_offset(id)) return true;
  if (id.empty() || id.find("..") != std::string::npos || id[0] == '/') return false;
  std::error_code error;
  return std::filesystem::is_regular_file("/usr/share/zoneinfo/" + id, error);
}

Status mismatch(const std::string& key, const std::string& value, const char* type) {
  return Status::error("INVALID_CONF_VALUE.TYPE_MISMATCH",
                       {{"confName", key}, {"confValue", value}, {"confType", type}});
}

// Settings of a few words. Those that would change what is computed in a way that is not built are
// refused where they are set.
struct Choice {
  const char* key;
  std::vector<std::string> options;
  std::vector<std::string> refused;
  const char* remedy;
};

const std::vector<Choice>& choices() {
  static const std::vector<Choice> all = {
      {"spark.sql.timestampType", {"TIMESTAMP_NTZ", "TIMESTAMP_LTZ"}, {}, ""},
      // The patterns and the lenience of SimpleDateFormat.
      {"spark.sql.legacy.timeParserPolicy",
       {"EXCEPTION", "LEGACY", "CORRECTED"},
       {"LEGACY"},
       "write the pattern that the texts have"},
      {"spark.sql.storeAssignmentPolicy", {"ANSI", "LEGACY", "STRICT"}, {}, ""},
      {"spark.sql.mapKeyDedupPolicy", {"EXCEPTION", "LAST_WIN"}, {}, ""},
  };
  return all;
}

Status check_choice(const Choice& choice, const std::string& name, const std::string& value) {
  const std::string chosen = to_upper(trim(value));
  const auto is_chosen = [&](const std::string& one) { return one == chosen; };
  if (std::none_of(choice.options.begin(), choice.options.end(), is_chosen)) {
    return Status::error(
        "INVALID_CONF_VALUE.OUT_OF_RANGE_OF_OPTIONS",
        {{"confName", name}, {"confValue", value}, {"confOptions", join(choice.options, ", ")}});
  }
  if (std::none_of(choice.refused.begin(), choice.refused.end(), is_chosen)) return Status::OK();
  return Status::unsupported("{}={} is not supported by Millstream yet: {}", name, value,
                             choice.remedy);
}

Status check_value(const Key& key, const std::string& name, const std::string& value) {
  for (const Choice& choice : choices()) {
    if (name == choice.key) return check_choice(choice, name, value);
  }
  switch (key.type) {
    case Type::flag:
      if (!parse_bool(trim(value))) return mismatch(name, value, "boolean");
      break;
    case Type::integer:
      if (!parse_int64(trim(value))) return mismatch(name, value, "int");
      if (name == "spark.sql.shuffle.partitions" && *parse_int64(trim(value)) <= 0) {
        return Status::error("INVALID_CONF_VALUE.REQUIREMENT",
                             {{"confName", name},
                              {"confValue", value},
                              {"confRequirement", "The value of " + name + " must be positive"}});
      }
      break;
    case Type::zone:
      if (!is_time_zone(value)) {
        return Status::error("INVALID_CONF_VALUE.TIME_ZONE",
                             {{"confName", name}, {"confValue", value}});
      }
      break;
    default:
      break;
  }
  return Status::OK();
}

// The stores are the server's, which all sessions share.
Status check_no_store_setting(const std::string& name) {
  constexpr std::string_view hadoop = "spark.hadoop.";
  std::string_view rest = name;
  if (rest.starts_with(hadoop)) rest.remove_prefix(hadoop.size());
  if (!rest.starts_with("fs.s3a.")) return Status::OK();
  return Status::unsupported(
      "{} cannot be set in a session of Millstream: start the server with --conf {}{}=…", name,
      hadoop, rest);
}

// The protocol of a new table is the lowest that has what it uses.
Status check_no_protocol_version(const std::string& name) {
  constexpr std::string_view defaults = "spark.databricks.delta.properties.defaults.";
  if (!name.starts_with(defaults)) return Status::OK();
  const std::string_view property = std::string_view(name).substr(defaults.size());
  if (property != "minReaderVersion" && property != "minWriterVersion") return Status::OK();
  return Status::unsupported(
      "{}, which Millstream does not apply: say {}feature.<name>=supported for what new tables "
      "are to have",
      name, defaults);
}

Status check_modifiable(const std::string& name) {
  TRY(check_no_store_setting(name));
  TRY(check_no_protocol_version(name));
  const Key* key = find_key(name);
  if (key == nullptr) return Status::OK();
  if (key->mutability == Mutability::fixed) {
    return Status::error("CANNOT_MODIFY_STATIC_CONFIG", {{"key", "\"" + name + "\""}});
  }
  if (key->mutability == Mutability::core) {
    return Status::error(
        "CANNOT_MODIFY_CONFIG",
        {{"key", "\"" + name + "\""}, {"docroot", "https://spark.apache.org/docs/latest"}});
  }
  return Status::OK();
}

}  // namespace

const std::string& machine_time_zone() {
  static const std::string zone = []() -> std::string {
    if (const char* tz = std::getenv("TZ"); tz != nullptr && is_time_zone(tz)) return tz;
    std::error_code error;
    const auto target = std::filesystem::read_symlink("/etc/localtime", error).string();
    const auto at = target.find("zoneinfo/");
    if (!error && at != std::string::npos && is_time_zone(target.substr(at + 9)))
      return target.substr(at + 9);
    return "UTC";
  }();
  return zone;
}

void RuntimeConf::copy_from(const RuntimeConf& other) {
  auto set = other.explicitly_set();
  const std::lock_guard lock(mutex_);
  set_ = std::move(set);
}

Result<std::optional<std::string>> RuntimeConf::get(const std::string& key) const {
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = set_.find(key); found != set_.end()) return std::optional(found->second);
  }
  const Key* known = find_key(key);
  if (known == nullptr)
    return Status::error("SQL_CONF_NOT_FOUND", {{"sqlConf", "\"" + key + "\""}});
  return default_of(*known);
}

std::optional<std::string> RuntimeConf::find(const std::string& key) const {
  auto value = get(key);
  return value.ok() ? std::move(value).value() : std::nullopt;
}

std::string RuntimeConf::value(const std::string& key) const { return find(key).value_or(""); }

std::int64_t RuntimeConf::number(const std::string& key, std::int64_t fallback) const {
  return parse_int64(value(key)).value_or(fallback);
}

namespace {

// Settings of Spark's that change what queries answer, and are not built: only with their defaults.
Status refuse_unbuilt(const std::string& key, const std::string& value) {
  static constexpr std::pair<std::string_view, std::string_view> unbuilt[] = {
      {"spark.sql.decimalOperations.allowPrecisionLoss", "true"},
      {"spark.sql.ansi.doubleQuotedIdentifiers", "false"},
      {"spark.sql.parser.escapedStringLiterals", "false"},
      {"spark.sql.parser.quotedRegexColumnNames", "false"},
      {"spark.sql.jsonGenerator.ignoreNullFields", "true"},
      {"spark.sql.columnNameOfCorruptRecord", "_corrupt_record"},
      {"spark.sql.sources.partitionColumnTypeInference.enabled", "true"},
      {"spark.sql.function.concatBinaryAsString", "false"},
      {"spark.sql.function.eltOutputAsString", "false"},
      {"spark.sql.legacy.setopsPrecedence.enabled", "false"},
      {"spark.sql.legacy.literal.pickMinimumPrecision", "true"},
      {"spark.sql.legacy.exponentLiteralAsDecimal.enabled", "false"},
      {"spark.sql.legacy.interval.enabled", "false"},
      {"spark.sql.legacy.allowHashOnMapType", "false"},
      {"spark.sql.legacy.nullInEmptyListBehavior", "false"},
      {"spark.sql.parquet.mergeSchema", "false"},
      {"spark.sql.orc.mergeSchema", "false"},
      {"spark.sql.legacy.sizeOfNull", "true"},
      {"spark.sql.legacy.nullValueWrittenAsQuotedEmptyStringCsv", "false"},
      {"spark.sql.legacy.storeAnalyzedPlanForView", "false"},
      {"spark.sql.legacy.castComplexTypesToString.enabled", "false"},
      {"spark.sql.legacy.ctePrecedencePolicy", "corrected"},
      {"spark.sql.legacy.statisticalAggregate", "false"},
      {"spark.sql.legacy.percentileDiscCalculation", "false"},
      {"spark.sql.legacy.integerGroupingId", "false"},
      {"spark.sql.legacy.followThreeValuedLogicInArrayExists", "true"},
      {"spark.sql.legacy.negativeIndexInArrayInsert", "false"},
      {"spark.sql.legacy.lpadRpadAlwaysReturnString", "false"},
      {"spark.sql.legacy.allowParameterlessCount", "false"},
      {"spark.sql.legacy.fromDayTimeString.enabled", "false"},
      {"spark.sql.legacy.allowNullComparisonResultInArraySort", "false"},
      {"spark.sql.legacy.bangEqualsNot", "false"}};
  for (const auto& [name, fallback] : unbuilt) {
    if (name != key || to_lower(trim(value)) == fallback) continue;
    return Status::unsupported("{} = {}, only {} is built", key, value, fallback);
  }
  return Status::OK();
}

}  // namespace

Status RuntimeConf::set(const std::string& key, const std::string& value) {
  TRY(check_modifiable(key));
  TRY(refuse_unbuilt(key, value));
  std::string stored = value;
  if (const Key* known = find_key(key)) {
    TRY(check_value(*known, key, value));
    if (known->type == Type::flag) stored = to_lower(trim(value));
  }
  const std::lock_guard lock(mutex_);
  set_[key] = std::move(stored);
  return Status::OK();
}

Status RuntimeConf::unset(const std::string& key) {
  TRY(check_modifiable(key));
  const std::lock_guard lock(mutex_);
  set_.erase(key);
  return Status::OK();
}

bool RuntimeConf::is_modifiable(const std::string& key) const {
  const Key* known = find_key(key);
  return known != nullptr && known->mutability == Mutability::runtime;
}

std::map<std::string, std::string> RuntimeConf::explicitly_set() const {
  const std::lock_guard lock(mutex_);
  return set_;
}

std::map<std::string, std::string> RuntimeConf::effective() const {
  std::map<std::string, std::string> all;
  for (const Key& key : keys) {
    if (auto value = default_of(key)) all.emplace(key.name, *std::move(value));
  }
  for (auto& [key, value] : explicitly_set()) all[key] = value;
  return all;
}

}  // namespace millstream::session
