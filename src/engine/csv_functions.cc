// from_csv and to_csv, by the rules of Spark's UnivocityParser and UnivocityGenerator. A field that
// does not fit is NULL and makes the record a bad one, as a line of another length does.
#include "base/csv_text.h"

#include <cmath>
#include <cstdlib>
#include <limits>

#include "base/text.h"
#include "engine/document_text.h"
#include "engine/text.h"

namespace millstream::engine {

using column::DataType;
using column::TypeKind;

namespace {

struct Limits {
  std::int64_t low;
  std::int64_t high;
};

Limits limits_of(TypeKind kind) {
  switch (kind) {
    case TypeKind::byte_:
      return {-128, 127};
    case TypeKind::short_:
      return {-32768, 32767};
    case TypeKind::int_:
      return {-2147483648LL, 2147483647LL};
    default:
      return {std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()};
  }
}

bool read_integer(std::string_view text, TypeKind kind, Value* out) {
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  const auto number = parse_int64(text);
  const Limits limits = limits_of(kind);
  if (!number || *number < limits.low || *number > limits.high) return false;
  *out = integer_value(*number);
  return true;
}

bool read_floating(const ValueKernel& kernel, std::string_view text, TypeKind kind, Value* out) {
  const auto named = [&](std::string_view option, std::string_view standard) {
    const auto given = kernel.option(option);
    return text == (given.empty() ? standard : given);
  };
  const double infinity = std::numeric_limits<double>::infinity();
  std::optional<double> number;
  if (named("nanvalue", "NaN")) number = std::nan("");
  if (named("negativeinf", "-Inf")) number = -infinity;
  if (named("positiveinf", "Inf")) number = infinity;
  if (!number) {
    number = parse_double(text);
    // Java's own names of what is not finite are written out.
    const bool word =
        text.find("inf") != std::string_view::npos || text.find("INF") != std::string_view::npos;
    if (word) number.reset();
  }
  if (!number) return false;
  if (kind == TypeKind::float_ && std::isfinite(*number))
    number = static_cast<double>(std::strtof(std::string(trim_java(text)).c_str(), nullptr));
  *out = floating_value(*number);
  return true;
}

Result<bool> read_field(const ValueKernel& kernel, std::string_view text, const DataType& type,
                        Value* out) {
  switch (type.kind()) {
    case TypeKind::boolean:
      if (!equals_ignore_case(text, "true") && !equals_ignore_case(text, "false")) return false;
      *out = boolean_value(text.size() == 4);
      return true;
    case TypeKind::byte_:
    case TypeKind::short_:
    case TypeKind::int_:
    case TypeKind::long_:
      return read_integer(text, type.kind(), out);
    case TypeKind::float_:
    case TypeKind::double_:
      return read_floating(kernel, text, type.kind(), out);
    case TypeKind::decimal: {
      const auto number = read_decimal(text, type.precision(), type.scale());
      if (!number) return false;
      out->kind = Value::Kind::decimal;
      out->decimal = *number;
      return true;
    }
    case TypeKind::date:
    case TypeKind::timestamp:
    case TypeKind::timestamp_ntz:
    case TypeKind::time: {
      TRY_ASSIGN(const auto value, read_time(kernel, type, text));
      if (value) *out = integer_value(*value);
      return value.has_value();
    }
    default:
      *out = text_value(std::string(text));
      return true;
  }
}

Result<Value> from_csv(const ValueKernel& kernel, const Values& arguments) {
  const DataType& type = *kernel.result;
  const CsvDialect dialect = CsvDialect::of(kernel.options, false);
  const auto named = kernel.option("columnnameofcorruptrecord");
  const std::string_view corrupt = named.empty() ? "_corrupt_record" : named;
  const std::string& text = arguments[0].text;
  const auto fields = csv_fields(text, dialect);
  Value out = null_members(type);
  bool bad = fields.empty();
  std::size_t at = 0;
  std::optional<std::size_t> corrupt_place;
  for (std::size_t i = 0; i < type.fields().size(); ++i) {
    if (type.fields()[i].name == corrupt) {
      corrupt_place = i;
      continue;
    }
    const std::size_t place = at++;
    if (place >= fields.size() || fields[place] == dialect.null_value) continue;
    TRY_ASSIGN(const bool fits,
               read_field(kernel, fields[place], *type.fields()[i].type, &out.items[i]));
    bad = bad || !fits;
  }
  bad = bad || fields.size() != at;
  if (!bad) return out;
  if (equals_ignore_case(kernel.option("mode"), "FAILFAST")) return malformed_record(out, type);
  if (corrupt_place) out.items[*corrupt_place] = text_value(text);
  return out;
}

Result<std::string> field_text(const ValueKernel& kernel, const Value& value,
                               const DataType& type) {
  switch (type.kind()) {
    case TypeKind::date:
    case TypeKind::timestamp:
    case TypeKind::timestamp_ntz:
    case TypeKind::time:
      return write_time(kernel, type, value.integer);
    case TypeKind::decimal:
      return java_decimal(value.decimal, type.scale());
    case TypeKind::binary: {
      std::string bytes;
      for (const char c : value.text)
        bytes += fmt::format("{}{:02X}", bytes.empty() ? "" : " ", static_cast<unsigned char>(c));
      return "[" + bytes + "]";
    }
    default:
      return text_of(value, type, kernel.time_zone);
  }
}

Result<Value> to_csv(const ValueKernel& kernel, const Values& arguments) {
  const DataType& type = *kernel.arguments[0];
  const CsvDialect dialect = CsvDialect::of(kernel.options, true);
  const bool quote_all = equals_ignore_case(kernel.option("quoteall"), "true");
  std::string out;
  for (std::size_t i = 0; i < type.fields().size(); ++i) {
    if (i > 0) out += dialect.separator;
    const Value& value = arguments[0].items[i];
    if (value.is_null()) {
      out += dialect.null_value;
      continue;
    }
    TRY_ASSIGN(const std::string text, field_text(kernel, value, *type.fields()[i].type));
    const std::string written = csv_field(text, dialect);
    const bool bare = quote_all && !written.starts_with(dialect.quote);
    out += bare ? dialect.quote + written + dialect.quote : written;
  }
  return out.empty() ? null_value() : text_value(std::move(out));
}

constexpr ValueFunction functions[] = {
    {"from_csv", from_csv},
    {"to_csv", to_csv},
};

}  // namespace

std::span<const ValueFunction> csv_functions() { return functions; }

}  // namespace millstream::engine
