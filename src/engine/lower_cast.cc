// CAST with Spark's meaning. Conversions that DuckDB does alike are its own; the others are kernels
// (cast_kernels.cc).
#include "base/text.h"
#include "engine/lower.h"
#include "engine/physical.h"
#include "functions/registry.h"

namespace millstream::engine {

using column::DataType;
using column::TypeKind;
using column::TypePtr;

namespace {

bool is_floating(const DataType& type) {
  return type.kind() == TypeKind::float_ || type.kind() == TypeKind::double_;
}

std::string_view short_name(TypeKind kind) {
  switch (kind) {
    case TypeKind::byte_:
      return "i8";
    case TypeKind::short_:
      return "i16";
    case TypeKind::int_:
      return "i32";
    case TypeKind::long_:
      return "i64";
    case TypeKind::float_:
      return "f32";
    default:
      return "f64";
  }
}

// So many days, hours, …; the number of units in the lowest of them is a matter of the field.
std::string interval_of_units(const std::string& count, const DataType& from, const DataType& type,
                              bool attempt) {
  static constexpr std::int64_t micros_of[] = {86'400'000'000, 3'600'000'000, 60'000'000,
                                               1'000'000};
  const bool months = type.kind() == TypeKind::year_month_interval;
  const std::int64_t unit = months ? (type.end_field() == 0 ? 12 : 1)
                                   : micros_of[static_cast<std::size_t>(type.end_field())];
  const std::string product = fmt::format(
      "ms_{}interval_of_number(CAST({} AS VARCHAR), {}::BIGINT, {}, {}, {})", attempt ? "try_" : "",
      count, unit, months, sql_quote(from.sql()), sql_quote(type.sql()));
  return months ? "CAST(" + product + " AS INTEGER)" : product;
}

std::string null_guard(const std::string& value, const std::string& sql) {
  return fmt::format("CASE WHEN {} IS NULL THEN NULL ELSE {} END", value, sql);
}

}  // namespace

Result<std::string> ExprLowering::cast(const std::string& value, const TypePtr& from,
                                       const TypePtr& to, bool ansi, bool attempt) {
  TRY_ASSIGN(const std::string type, physical_sql(to));
  if (from->kind() == TypeKind::null) return fmt::format("CAST({} AS {})", value, type);
  if (column::same_type_ignoring_nullability(from, to)) return value;
  if (from->is_string() && to->is_string()) return value;
  if (!functions::can_cast(from, column::as_nullable(to), ansi)) {
    return Status::unsupported("CAST from {} to {} is not supported", from->sql(), to->sql());
  }
  if (from->kind() == TypeKind::variant)
    return use(attempt ? "try_variant_cast" : "variant_cast", {from}, to, {value});
  if (to->kind() == TypeKind::variant) {
    if (from->kind() == TypeKind::map || from->kind() == TypeKind::struct_)
      return Status::unsupported("CAST from {} to VARIANT is not supported", from->sql());
    return use("to_variant", {from}, to, {value});
  }
  if (to->is_string()) {
    TRY_ASSIGN(const std::string text, cast_to_string(value, *from));
    // Without ANSI small decimals are shown with an exponent.
    constexpr int plain_scale_max = 6;
    const bool small = from->kind() == TypeKind::decimal && from->scale() > plain_scale_max;
    return small && !ansi && !attempt ? "ms_decimal_java_text(" + text + ")" : text;
  }
  if (from->is_nested()) return cast_nested(value, *from, to, ansi, attempt);
  if (from->is_string()) {
    if (!attempt && !ansi && to->is_integral())
      return fmt::format("ms_wrap_parse_{}({})", short_name(to->kind()), value);
    // A text that is no interval is an error without ANSI too.
    const bool interval =
        to->kind() == TypeKind::day_time_interval || to->kind() == TypeKind::year_month_interval;
    return cast_from_string(value, *to, attempt || (!ansi && !interval));
  }
  // Days are no numbers, which makes them NULL where that is no error.
  if (from->kind() == TypeKind::date && (to->is_numeric() || to->kind() == TypeKind::boolean))
    return fmt::format("CAST(NULL AS {})", type);
  switch (to->kind()) {
    case TypeKind::boolean:
      if (from->is_numeric()) return fmt::format("({} <> 0)", value);
      if (from->kind() == TypeKind::timestamp) return fmt::format("(epoch_us({}) <> 0)", value);
      break;
    case TypeKind::binary:
      if (from->is_integral())
        return fmt::format("ms_bytes_of_{}({})", short_name(from->kind()), value);
      break;
    case TypeKind::time:
      return cast_time_to_time(value, *from, *to);
    case TypeKind::date:
    case TypeKind::timestamp:
    case TypeKind::timestamp_ntz:
      return cast_to_time(value, *from, *to, attempt ? "try_" : ansi ? "" : "wrap_");
    default:
      if (to->is_numeric()) return cast_to_number(value, *from, *to, ansi, attempt);
      if (from->kind() == to->kind() && to->kind() == TypeKind::day_time_interval) return value;
      if (from->kind() == to->kind() && to->kind() == TypeKind::year_month_interval) return value;
      if (from->is_integral() || from->kind() == TypeKind::decimal)
        return interval_of_units(value, *from, *to, attempt);
      break;
  }
  return Status::unsupported("CAST from {} to {} is not supported", from->sql(), to->sql());
}

// DuckDB prints a decimal without digits before the point as ".5"; Spark as "0.5".
std::string decimal_to_varchar(const std::string& value, const DataType& type) {
  if (type.precision() > type.scale()) return fmt::format("CAST({} AS VARCHAR)", value);
  if (type.precision() < 38) {
    return fmt::format("CAST(CAST({} AS DECIMAL({},{})) AS VARCHAR)", value, type.precision() + 1,
                       type.scale());
  }
  return fmt::format("regexp_replace(CAST({} AS VARCHAR), '^(-?)[.]', '\\10.')", value);
}

Result<std::string> ExprLowering::cast_to_string(const std::string& value, const DataType& from) {
  switch (from.kind()) {
    case TypeKind::string:
    case TypeKind::char_:
    case TypeKind::varchar:
      return value;
    case TypeKind::boolean:
    case TypeKind::byte_:
    case TypeKind::short_:
    case TypeKind::int_:
    case TypeKind::long_:
    case TypeKind::null:
      return fmt::format("CAST({} AS VARCHAR)", value);
    case TypeKind::decimal:
      return decimal_to_varchar(value, from);
    case TypeKind::float_:
      return fmt::format("ms_float_text({})", value);
    case TypeKind::double_:
      return fmt::format("ms_double_text({})", value);
    case TypeKind::binary:
      return fmt::format("ms_decode({})", value);
    case TypeKind::date:
      return fmt::format("ms_date_text({})", value);
    case TypeKind::timestamp:
      return fmt::format("ms_timestamp_text({}, {})", value, zone());
    case TypeKind::timestamp_ntz:
      return fmt::format("ms_timestamp_text({}, 'UTC')", value);
    case TypeKind::time:
      return fmt::format("ms_time_text({})", value);
    case TypeKind::day_time_interval:
      return fmt::format("ms_day_time_text({}, {}, {})", value, from.start_field(),
                         from.end_field());
    case TypeKind::year_month_interval:
      return fmt::format("ms_year_month_text({}, {}, {})", value, from.start_field(),
                         from.end_field());
    case TypeKind::array: {
      const std::string item = fresh_variable();
      TRY_ASSIGN(const std::string text, cast_to_string(item, *from.element()));
      return null_guard(value, fmt::format("'[' || array_to_string(list_transform({}, lambda {}: "
                                           "coalesce({}, 'null')), ', ') || ']'",
                                           value, item, text));
    }
    case TypeKind::map: {
      const std::string item = fresh_variable();
      TRY_ASSIGN(const std::string key, cast_to_string(item + ".key", *from.key()));
      TRY_ASSIGN(const std::string val, cast_to_string(item + ".value", *from.value()));
      return null_guard(
          value,
          fmt::format(
              "'{{' || array_to_string(list_transform(map_entries({}), lambda {}: {} || ' -> ' || "
              "coalesce({}, 'null')), ', ') || '}}'",
              value, item, key, val));
    }
    case TypeKind::struct_: {
      std::vector<std::string> parts;
      for (std::size_t i = 0; i < from.fields().size(); ++i) {
        TRY_ASSIGN(const std::string part,
                   cast_to_string(fmt::format("struct_extract({}, 'f{}')", value, i),
                                  *from.fields()[i].type));
        parts.push_back("coalesce(" + part + ", 'null')");
      }
      return null_guard(value, "'{' || " + join(parts, " || ', ' || ") + " || '}'");
    }
    case TypeKind::calendar_interval:
      return use("calendar_text", {column::type_of(from.kind())}, column::string_type(), {value});
    case TypeKind::variant:
      break;
  }
  return Status::unsupported("CAST from {} to STRING is not supported", from.sql());
}

Result<std::string> ExprLowering::cast_from_string(const std::string& value, const DataType& to,
                                                   bool attempt) {
  const std::string prefix = attempt ? "ms_try_parse_" : "ms_parse_";
  switch (to.kind()) {
    case TypeKind::byte_:
    case TypeKind::short_:
    case TypeKind::int_:
    case TypeKind::long_:
    case TypeKind::float_:
    case TypeKind::double_:
      return fmt::format("{}{}({})", prefix, short_name(to.kind()), value);
    case TypeKind::boolean:
      return fmt::format("{}boolean({})", prefix, value);
    case TypeKind::date:
      return fmt::format("{}date_text({})", prefix, value);
    case TypeKind::timestamp:
      return fmt::format("{}timestamp_text({}, {}, {})", prefix, value, zone(), now());
    case TypeKind::timestamp_ntz:
      return fmt::format("{}timestamp_ntz_text({})", prefix, value);
    case TypeKind::time:
      return fmt::format("{}time({}, {})", prefix, value, sql_quote(to.sql()));
    case TypeKind::binary:
      return fmt::format("encode({})", value);
    case TypeKind::decimal: {
      const std::string name = use({DecimalKernel::Op::from_string, 0, 0, to.precision(),
                                    to.scale(), DecimalKernel::Rounding::half_up, attempt});
      return fmt::format("CAST({}({}) AS DECIMAL({},{}))", name, value, to.precision(), to.scale());
    }
    case TypeKind::day_time_interval:
    case TypeKind::year_month_interval: {
      const bool months = to.kind() == TypeKind::year_month_interval;
      return fmt::format("{}{}({}, {}, {})", prefix, months ? "year_month" : "day_time", value,
                         to.start_field(), to.end_field());
    }
    case TypeKind::calendar_interval:
      return use("calendar_parse", {column::string_type()}, column::type_of(to.kind()), {value});
    default:
      return Status::unsupported("CAST from STRING to {} is not supported", to.sql());
  }
}

Result<std::string> ExprLowering::cast_to_number(const std::string& value, const DataType& from,
                                                 const DataType& to, bool ansi, bool attempt) {
  if (from.kind() == TypeKind::time) return cast_time_to_number(value, from, to, ansi, attempt);
  const std::string mode = attempt ? "try_" : ansi ? "" : "wrap_";
  if (from.kind() == TypeKind::day_time_interval || from.kind() == TypeKind::year_month_interval) {
    static constexpr std::int64_t micros_of[] = {86'400'000'000, 3'600'000'000, 60'000'000,
                                                 1'000'000};
    const auto field = static_cast<std::size_t>(from.end_field());
    const std::int64_t unit = from.kind() == TypeKind::day_time_interval ? micros_of[field]
                              : field == 0                               ? 12
                                                                         : 1;
    if (!to.is_integral())
      return Status::unsupported("CAST from {} to {} is not supported", from.sql(), to.sql());
    const std::string count = fmt::format("(CAST({} AS BIGINT) // {})", value, unit);
    if (to.kind() == TypeKind::long_) return count;
    return cast_to_number(count, *column::long_type(), to, true, attempt);
  }
  if (from.kind() == TypeKind::timestamp) {
    if (to.kind() == TypeKind::double_)
      return fmt::format("(CAST(epoch_us({}) AS DOUBLE) / 1000000)", value);
    if (to.kind() == TypeKind::long_) return fmt::format("ms_epoch_seconds({})", value);
    if (!to.is_integral()) {
      TRY_ASSIGN(const std::string seconds,
                 cast_to_number(value, from, *column::double_type(), ansi, attempt));
      return cast_to_number(seconds, *column::double_type(), to, ansi, attempt);
    }
    // Seconds that do not fit are NULL where they are no error.
    return cast_to_number("ms_epoch_seconds(" + value + ")", *column::long_type(), to, ansi,
                          attempt || !ansi);
  }
  if (to.kind() == TypeKind::decimal) {
    const std::string type = fmt::format("DECIMAL({},{})", to.precision(), to.scale());
    if (is_floating(from)) {
      const std::string name =
          use({DecimalKernel::Op::from_double, 0, 0, to.precision(), to.scale(),
               DecimalKernel::Rounding::half_up, attempt || !ansi});
      return fmt::format("CAST({}(CAST({} AS DOUBLE)) AS {})", name, value, type);
    }
    const std::string number =
        from.kind() == TypeKind::boolean ? "CAST(" + value + " AS TINYINT)" : value;
    return fmt::format("{}({} AS {})", attempt || !ansi ? "TRY_CAST" : "CAST", number, type);
  }
  if (from.kind() == TypeKind::boolean) {
    TRY_ASSIGN(const std::string type, physical_sql(column::type_of(to.kind())));
    return fmt::format("CAST({} AS {})", value, type);
  }
  if (from.kind() == TypeKind::decimal) {
    if (is_floating(to)) {
      const std::string type = to.kind() == TypeKind::float_ ? "FLOAT" : "DOUBLE";
      // Beyond 15 digits a quotient of doubles is not the nearest double, its text is.
      if (from.precision() > 15) return fmt::format("CAST(CAST({} AS VARCHAR) AS {})", value, type);
      return fmt::format("CAST({} AS {})", value, type);
    }
    return fmt::format("ms_{}decimal_to_{}(CAST(trunc({}) AS DECIMAL(38,0))::HUGEINT, {})", mode,
                       short_name(to.kind()), value, sql_quote(from.sql()));
  }
  if (is_floating(to)) {
    if (from.kind() == TypeKind::double_ && to.kind() == TypeKind::float_)
      return fmt::format("ms_to_float({})", value);
    return fmt::format("CAST({} AS {})", value, to.kind() == TypeKind::float_ ? "FLOAT" : "DOUBLE");
  }
  if (from.is_integral() && from.kind() < to.kind()) {
    TRY_ASSIGN(const std::string type, physical_sql(column::type_of(to.kind())));
    return fmt::format("CAST({} AS {})", value, type);
  }
  return fmt::format("ms_{}{}_to_{}({})", mode, short_name(from.kind()), short_name(to.kind()),
                     value);
}

// `mode` is the beginning of a kernel's name that says what becomes of a time that does not fit.
Result<std::string> ExprLowering::cast_to_time(const std::string& value, const DataType& from,
                                               const DataType& to, std::string_view mode) {
  const TypeKind f = from.kind();
  if (to.kind() == TypeKind::date) {
    if (f == TypeKind::timestamp)
      return fmt::format("CAST(ms_to_local({}, {}) AS DATE)", value, zone());
    if (f == TypeKind::timestamp_ntz) return fmt::format("CAST({} AS DATE)", value);
  }
  if (to.kind() == TypeKind::timestamp_ntz) {
    if (f == TypeKind::timestamp) return fmt::format("ms_to_local({}, {})", value, zone());
    if (f == TypeKind::date) return fmt::format("CAST({} AS TIMESTAMP)", value);
  }
  if (to.kind() == TypeKind::timestamp) {
    if (f == TypeKind::timestamp_ntz) return fmt::format("ms_from_local({}, {})", value, zone());
    if (f == TypeKind::date)
      return fmt::format("ms_from_local(CAST({} AS TIMESTAMP), {})", value, zone());
    if (f == TypeKind::boolean) return fmt::format("make_timestamp(CAST({} AS BIGINT))", value);
    if (from.is_integral()) return fmt::format("ms_timestamp_of_seconds({})", value);
    if (is_floating(from)) return fmt::format("ms_{}timestamp_of_double({})", mode, value);
    if (from.kind() == TypeKind::decimal && from.scale() <= 6) {
      return fmt::format(
          "make_timestamp(ms_decimal_to_i64(CAST(CAST({} AS DECIMAL(38,6)) * 1000000 AS HUGEINT), "
          "{}))",
          value, sql_quote(from.sql()));
    }
  }
  return Status::unsupported("CAST from {} to {} is not supported", from.sql(), to.sql());
}

Result<std::string> ExprLowering::cast_nested(const std::string& value, const DataType& from,
                                              const TypePtr& to, bool ansi, bool attempt) {
  TRY_ASSIGN(const std::string type, physical_sql(to));
  const std::string item = fresh_variable();
  if (to->kind() == TypeKind::array) {
    TRY_ASSIGN(const std::string element, cast(item, from.element(), to->element(), ansi, attempt));
    return fmt::format("CAST(list_transform({}, lambda {}: {}) AS {})", value, item, element, type);
  }
  if (to->kind() == TypeKind::map) {
    TRY_ASSIGN(const std::string key, cast(item + ".key", from.key(), to->key(), ansi, attempt));
    TRY_ASSIGN(const std::string mapped,
               cast(item + ".value", from.value(), to->value(), ansi, attempt));
    return null_guard(
        value,
        fmt::format(
            "CAST(map_from_entries(list_transform(map_entries({}), lambda {}: row({}, {}))) AS {})",
            value, item, key, mapped, type));
  }
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < from.fields().size(); ++i) {
    TRY_ASSIGN(const std::string part,
               cast(fmt::format("struct_extract({}, 'f{}')", value, i), from.fields()[i].type,
                    to->fields()[i].type, ansi, attempt));
    parts.push_back(fmt::format("f{} := {}", i, part));
  }
  return null_guard(value, fmt::format("CAST(struct_pack({}) AS {})", join(parts, ", "), type));
}

}  // namespace millstream::engine
