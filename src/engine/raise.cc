#include "engine/raise.h"

namespace millstream::engine {
namespace {

constexpr const char* ansi_config = "\"spark.sql.ansi.enabled\"";

std::string quoted(std::string_view text) { return "\"" + std::string(text) + "\""; }

// A string as Spark's messages show it: 'it\'s'.
std::string sql_text(std::string_view value) {
  std::string out = "'";
  for (const char c : value) {
    if (c == '\\' || c == '\'') out += '\\';
    out += c;
  }
  return out + "'";
}

}  // namespace

Status divide_by_zero() { return Status::error("DIVIDE_BY_ZERO", {{"config", ansi_config}}); }
Status remainder_by_zero() { return Status::error("REMAINDER_BY_ZERO", {{"config", ansi_config}}); }

Status arithmetic_overflow(std::string_view message, std::string_view alternative) {
  return Status::error("ARITHMETIC_OVERFLOW", {{"message", std::string(message)},
                                               {"alternative", std::string(alternative)},
                                               {"config", ansi_config}});
}

Status with_kind(const Status& status, ErrorKind kind) {
  ErrorInfo info = status.info();
  info.kind = kind;
  return Status(std::move(info));
}

Status cast_invalid_input(std::string_view value, std::string_view type, std::string_view target) {
  const Status status = Status::error("CAST_INVALID_INPUT", {{"expression", sql_text(value)},
                                                             {"sourceType", quoted(type)},
                                                             {"targetType", quoted(target)},
                                                             {"ansiConfig", ansi_config}});
  if (target == "BOOLEAN") return with_kind(status, ErrorKind::runtime);
  if (target == "DATE" || target.starts_with("TIME"))
    return with_kind(status, ErrorKind::date_time);
  return with_kind(status, ErrorKind::number_format);
}

Status cast_overflow(std::string_view value, std::string_view type, std::string_view target) {
  return Status::error("CAST_OVERFLOW", {{"value", std::string(value)},
                                         {"sourceType", quoted(type)},
                                         {"targetType", quoted(target)},
                                         {"ansiConfig", ansi_config}});
}

Status decimal_out_of_range(std::string_view value, int precision, int scale) {
  return Status::error("NUMERIC_VALUE_OUT_OF_RANGE.WITH_SUGGESTION",
                       {{"value", std::string(value)},
                        {"precision", std::to_string(precision)},
                        {"scale", std::to_string(scale)},
                        {"config", ansi_config}});
}

}  // namespace millstream::engine
