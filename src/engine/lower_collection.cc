// Functions of arrays, maps and structs, and those whose SQL depends on the argument types.
#include <arrow/scalar.h>

#include <optional>

#include "base/text.h"
#include "engine/chain.h"
#include "engine/lower.h"
#include "engine/physical.h"
#include "functions/lowering.h"

namespace millstream::engine {

using column::TypeKind;
using plan::Expr;
using plan::ExprKind;

namespace {

// What ms_format knows of a value: the class that it is of in Java.
char format_kind(const column::DataType& type) {
  switch (type.kind()) {
    case TypeKind::byte_:
      return '1';
    case TypeKind::short_:
      return '2';
    case TypeKind::int_:
    case TypeKind::date:
      return '4';
    case TypeKind::long_:
    case TypeKind::time:
    case TypeKind::timestamp:
    case TypeKind::timestamp_ntz:
      return '8';
    case TypeKind::float_:
      return 'r';
    case TypeKind::double_:
      return 'f';
    case TypeKind::decimal:
      return 'm';
    case TypeKind::boolean:
      return 'b';
    default:
      return 's';
  }
}

// Spark's own number of a date or a time, which is what it formats.
std::optional<std::string> number_of_time(const std::string& value, const column::DataType& type) {
  switch (type.kind()) {
    case TypeKind::date:
      return "(" + value + " - DATE '1970-01-01')";
    case TypeKind::timestamp:
    case TypeKind::timestamp_ntz:
      return "epoch_us(" + value + ")";
    case TypeKind::time:
      return value;
    default:
      return std::nullopt;
  }
}

}  // namespace

std::string ExprLowering::use(std::string_view function, const std::vector<column::TypePtr>& types,
                              const column::TypePtr& result, const Arguments& arguments,
                              std::map<std::string, std::string> options) {
  ValueKernel kernel{std::string(function), types, result, time_zone_, std::move(options)};
  const std::string name = kernel.name();
  value_kernels_.emplace(name, std::move(kernel));
  return name + "(" + join(arguments, ", ") + ")";
}

std::optional<Result<std::string>> ExprLowering::collection_call(const Expr& expr,
                                                                 const std::string& name,
                                                                 const Arguments& a) {
  const auto text = functions::sql_template(name);
  if (text.has_value() && text->starts_with('@') && !a.empty()) {
    std::vector<column::TypePtr> types;
    for (const auto& child : expr.children) types.push_back(child->type);
    return use(text->substr(1), types, expr.type, a);
  }
  const auto typed = [&](const std::string& sql) -> Result<std::string> {
    TRY_ASSIGN(const std::string type, physical_sql(expr.type));
    return fmt::format("CAST({} AS {})", sql, type);
  };
  if (name == "array") return typed("[" + join(a, ", ") + "]");
  if (name == "named_struct" || name == "struct") {
    std::vector<std::string> parts;
    const std::size_t step = name == "struct" ? 1 : 2;
    for (std::size_t i = step - 1; i < a.size(); i += step)
      parts.push_back(fmt::format("f{} := {}", i / step, a[i]));
    if (parts.empty())
      return Status::unsupported("expressions over empty structs are not supported");
    return "struct_pack(" + join(parts, ", ") + ")";
  }
  if (name == "map" || name == "map_last_win" || name == "map_concat") return typed("MAP([], [])");
  if (name == "arrays_zip") return typed("[]");
  if (name == "concat_arrays") {
    std::vector<std::string> tests;
    for (const auto& argument : a) tests.push_back(argument + " IS NULL");
    return fmt::format("CASE WHEN {} THEN NULL ELSE list_concat({}) END", join(tests, " OR "),
                       join(a, ", "));
  }
  if (name == "get_map_value") return fmt::format("map_extract_value({}, {})", a[0], a[1]);
  if (name == "get_item" && !expr.ansi)
    return from_template(expr, "CASE WHEN {1} < 0 THEN NULL ELSE {0}[{1} + 1] END", a, "");
  if (name == "get_item")
    return from_template(expr, "{0}[ms_array_index({1}, len({0})) + 1]", a, "");
  if (name == "element_at" && expr.ansi)
    return from_template(expr, "{0}[ms_element_index({1}, len({0}))]", a, "");
  if (name == "try_element_at" || name == "element_at")
    return from_template(expr, "{0}[ms_try_element_index({1}, len({0}))]", a, "");
  if (name == "slice") {
    return from_template(
        expr,
        "CASE WHEN {0} IS NOT NULL THEN list_slice({0}, ms_slice_begin({1}, len({0})), "
        "ms_slice_begin({1}, len({0})) + ms_slice_length({2}) - 1) END",
        a, "");
  }
  if (name == "get_array_struct_fields") {
    const std::string item = fresh_variable();
    return fmt::format("list_transform({}, lambda {}: struct_extract({}, 'f{}'))", a[0], item, item,
                       expr.ordinal);
  }
  if (name == "map_entries") {
    const std::string item = fresh_variable();
    return typed(fmt::format(
        "list_transform(map_entries({}), lambda {}: struct_pack(f0 := {}.key, f1 := {}.value))",
        a[0], item, item, item));
  }
  return std::nullopt;
}

namespace {

std::string negated_interval(const std::string& sql, bool months) {
  if (!months) return "ms_interval_negate(" + sql + ", false)";
  return "CAST(ms_interval_negate(CAST(" + sql + " AS BIGINT), true) AS INTEGER)";
}

// A constant pattern of LIKE without an escape, which DuckDB matches alike and faster.
std::optional<std::string> plain_pattern(const Expr& like) {
  const auto text_of = [](const Expr& e) -> std::optional<std::string> {
    if (e.kind != ExprKind::literal || !e.value->is_valid) return std::nullopt;
    return e.value->ToString();
  };
  const auto pattern = text_of(*like.children[1]);
  if (!pattern || pattern->find('\\') != std::string::npos) return std::nullopt;
  if (like.children.size() < 3) return pattern;
  const auto escape = text_of(*like.children[2]);
  if (!escape || pattern->find(*escape) != std::string::npos) return std::nullopt;
  return pattern;
}

}  // namespace

// The texts of a list with a separator between them. DuckDB's function takes a constant one only.
std::string ExprLowering::joined_texts(const std::string& list, const Expr& separator,
                                       const std::string& separator_sql) {
  if (separator.kind == ExprKind::literal && separator.value->is_valid)
    return fmt::format("array_to_string({}, {})", list, separator_sql);
  const column::TypePtr text = column::string_type();
  return use("array_join", {column::array_type(text, true), text}, text, {list, separator_sql});
}

std::optional<Result<std::string>> ExprLowering::other_call(const Expr& expr,
                                                            const std::string& name,
                                                            const Arguments& a) {
  if (name == "like") {
    if (const auto pattern = plain_pattern(expr))
      return fmt::format("({} LIKE {})", a[0], sql_quote(*pattern));
  }
  if (name == "between") return from_template(expr, "({0} >= {1} AND {0} <= {2})", a, "");
  if (name == "concat") return "(" + chained(a, 0, a.size(), " || ") + ")";
  if (name == "concat_ws") {
    std::vector<std::string> parts;
    for (std::size_t i = 1; i < a.size(); ++i) {
      parts.push_back(expr.children[i]->type->kind() == TypeKind::array
                          ? "coalesce(" + a[i] + ", [])"
                          : "[" + a[i] + "]");
    }
    if (parts.empty()) return fmt::format("CASE WHEN {} IS NOT NULL THEN '' END", a[0]);
    return fmt::format(
        "CASE WHEN {0} IS NOT NULL THEN coalesce({1}, '') END", a[0],
        joined_texts("list_concat(" + join(parts, ", ") + ")", *expr.children[0], a[0]));
  }
  if (name == "array_join") return joined_texts(a[0], *expr.children[1], a[1]);
  if (name == "array_join_nulls") {
    const std::string item = fresh_variable();
    const std::string filled =
        fmt::format("list_transform({}, lambda {}: coalesce({}, {}))", a[0], item, item, a[2]);
    return fmt::format("CASE WHEN {} IS NOT NULL THEN {} END", a[2],
                       joined_texts(filled, *expr.children[1], a[1]));
  }
  if (name == "elt") {
    std::string choices;
    for (std::size_t i = 1; i < a.size(); ++i) choices += fmt::format(" WHEN {} THEN {}", i, a[i]);
    if (!expr.ansi) return fmt::format("CASE {0}{1} END", a[0], choices);
    return fmt::format("CASE {0}{1} ELSE CAST(ms_missing_index({0}, {2}) AS {3}) END", a[0],
                       choices, a.size() - 1, expr.type->is_string() ? "VARCHAR" : "BLOB");
  }
  if (name == "decode_choice") {
    std::string out = "CASE";
    std::size_t i = 1;
    for (; i + 1 < a.size(); i += 2)
      out += fmt::format(" WHEN {} IS NOT DISTINCT FROM {} THEN {}", a[0], a[i], a[i + 1]);
    return out + " ELSE " + (i < a.size() ? a[i] : "NULL") + " END";
  }
  if (name.starts_with("format_number")) {
    const auto& type = *expr.children[0]->type;
    std::string text = "ms_plain_double(" + a[0] + ")";
    if (type.kind() != TypeKind::double_) {
      auto plain = cast_to_string(a[0], type);
      if (!plain.ok()) return plain;
      text = *plain;
    }
    return fmt::format("{}({}, {})",
                       name == "format_number" ? "ms_format_number" : "ms_format_by_pattern", text,
                       a[1]);
  }
  if (name == "current_timestamp") return now();
  if (name == "current_date")
    return fmt::format("CAST(ms_to_local({}, {}) AS DATE)", now(), zone());
  if (name == "unix_now") return fmt::format("ms_epoch_seconds({})", now());
  if (name == "localtimestamp") return fmt::format("ms_to_local({}, {})", now(), zone());
  if (name == "try_cast_timestamp" || name == "try_cast_date")
    return cast_from_string(a[0], *expr.type, true);
  if (name == "distributed_sequence_id") return std::string("(row_number() OVER () - 1)");
  if (name == "monotonically_increasing_id" || name == "spark_partition_id") {
    const bool id = name == "spark_partition_id";
    if (!partitions_) return std::string(id ? "CAST(0 AS INTEGER)" : "(row_number() OVER () - 1)");
    const std::string partition = fmt::format("((row_number() OVER () * {} - 1) // {})",
                                              partitions_->count, partitions_->rows);
    if (id) return "CAST(" + partition + " AS INTEGER)";
    return fmt::format("({0} * 8589934592 + row_number() OVER () - 1 - {0} * {1} // {2})",
                       partition, partitions_->rows, partitions_->count);
  }
  if (name.starts_with("second_argument_")) return call(expr, name.substr(16), {a[1]});
  if (name == "hash" || name == "xxhash64") return hash_call(expr, a);
  if (functions::takes_options(name)) return document_call(expr, name, a);
  if (name == "format_string") {
    std::vector<std::string> parts;
    std::string kinds;
    for (std::size_t i = 1; i < a.size(); ++i) {
      const auto& type = *expr.children[i]->type;
      kinds += format_kind(type);
      const auto number = number_of_time(a[i], type);
      auto text =
          number ? cast_to_string(*number, *column::long_type()) : cast_to_string(a[i], type);
      if (!text.ok()) return text;
      // The values travel as one text, unit separators between; a record separator stands for NULL.
      parts.push_back("coalesce(" + *text + ", chr(30))");
    }
    return fmt::format("ms_format({}, {}, {})", a[0], sql_quote(kinds),
                       parts.empty() ? "''" : join(parts, " || chr(31) || "));
  }
  if (name.starts_with("timestamp_add_") || name.starts_with("try_timestamp_add_")) {
    const bool attempt = name.starts_with("try_");
    const bool months = name.find("timestamp_add_months") != std::string::npos;
    const bool reversed = name.ends_with("_reversed");
    const std::string time = reversed ? a[1] : a[0];
    const std::string step = reversed                     ? a[0]
                             : name.ends_with("_negated") ? negated_interval(a[1], months)
                                                          : a[1];
    const std::string zone_sql = expr.type->kind() == TypeKind::timestamp ? zone() : "'UTC'";
    return fmt::format("ms_{}timestamp_add_{}({}, {}, {})", attempt ? "try_" : "",
                       months ? "months" : "interval", time, step, zone_sql);
  }
  return std::nullopt;
}

// Types that a document's value can have here.
namespace {

bool is_document_type(const column::DataType& type) {
  switch (type.kind()) {
    case TypeKind::array:
      return is_document_type(*type.element());
    case TypeKind::map:
      return is_document_type(*type.key()) && is_document_type(*type.value());
    case TypeKind::struct_:
      for (const auto& field : type.fields()) {
        if (!is_document_type(*field.type)) return false;
      }
      return true;
    case TypeKind::calendar_interval:
      return false;
    default:
      return true;
  }
}

bool holds_variant(const column::DataType& type) {
  if (type.kind() == TypeKind::variant) return true;
  for (const auto& field : type.fields()) {
    if (holds_variant(*field.type)) return true;
  }
  return false;
}

}  // namespace

Result<std::string> ExprLowering::document_call(const Expr& expr, const std::string& name,
                                                const Arguments& a) {
  const bool reads = name.starts_with("from_");
  const auto& type = *(reads ? expr.type : expr.children[0]->type);
  if (!is_document_type(type) || (reads && holds_variant(type)))
    return Status::unsupported("{} of {} is not supported", name, type.sql());
  const bool is_avro = name.ends_with("_avro");
  const std::size_t plain = reads || is_avro ? 2 : 1;
  std::map<std::string, std::string> options;
  if (expr.children.size() > plain && (reads || !is_avro))
    options = functions::function_options(expr.children.back()->value->ToString());
  if (is_avro)
    options["jsonformatschema"] =
        expr.children[reads ? 1 : expr.children.size() - 1]->value->ToString();
  return use(name, {expr.children[0]->type}, expr.type, {a[0]}, std::move(options));
}

bool can_fail(std::string_view sql) {
  static constexpr std::string_view parts[] = {
      "ms_parse_",     "ms_divide",       "ms_remainder_", "ms_div_",
      "ms_pmod_",      "_index(",         "_to_",          "ms_dec_",
      "ms_raise",      "ms_map",          "ms_str_to_map", "ms_make_",
      "ms_url_decode", "ms_conv",         "ms_encode",     "ms_charset_",
      "ms_binary_of_", "ms_validate_",    "ms_array_",     "ms_bit_get",
      "ms_from_",      "ms_comes_before", "ms_timestamp_", "ms_lpad",
      "ms_rpad",       "ms_repeat",       "ms_regexp_",    "ms_split_part",
      "ms_format",     "ms_parse_json",   "ms_variant_",   "ms_to_number",
      "ms_aes_",       "ms_hll_",         "ms_theta_",     "ms_tuple_",
      "ms_kll_",       "ms_calendar_",    "ms_interval_"};
  for (const auto part : parts) {
    if (sql.find(part) != std::string_view::npos) return true;
  }
  return false;
}

// Each value is hashed with the hash of those before it as seed; NULL leaves the seed as it is.
Result<std::string> ExprLowering::hash_call(const Expr& expr, const Arguments& a) {
  const bool wide = expr.name == "xxhash64";
  std::vector<column::TypePtr> types;
  bool simple = true;
  for (const auto& child : expr.children) {
    types.push_back(child->type);
    simple = simple && !child->type->is_nested() && child->type->kind() != TypeKind::decimal &&
             child->type->kind() != TypeKind::calendar_interval;
  }
  if (!simple) return use(expr.name, types, expr.type, a);
  const std::string function = wide ? "ms_xxhash" : "ms_murmur";
  std::string seed = wide ? "42::BIGINT" : "42::INTEGER";
  for (std::size_t i = 0; i < a.size(); ++i) {
    const auto& type = *expr.children[i]->type;
    std::string value = a[i];
    std::string kind;
    std::string filler = "0";
    switch (type.kind()) {
      case TypeKind::boolean:
      case TypeKind::byte_:
      case TypeKind::short_:
      case TypeKind::int_:
        kind = "int";
        value = "CAST(" + value + " AS INTEGER)";
        break;
      case TypeKind::date:
        kind = "int";
        value = "CAST(" + value + " - DATE '1970-01-01' AS INTEGER)";
        break;
      case TypeKind::year_month_interval:
      case TypeKind::null:
        kind = "int";
        break;
      case TypeKind::long_:
      case TypeKind::time:
      case TypeKind::day_time_interval:
        kind = "long";
        break;
      case TypeKind::timestamp:
      case TypeKind::timestamp_ntz:
        kind = "long";
        value = "epoch_us(" + value + ")";
        break;
      case TypeKind::float_:
        kind = "float";
        break;
      case TypeKind::double_:
        kind = "double";
        break;
      case TypeKind::string:
      case TypeKind::char_:
      case TypeKind::varchar:
        kind = "text";
        filler = "''";
        break;
      case TypeKind::binary:
        kind = "bytes";
        filler = "''::BLOB";
        break;
      default:
        return Status::unsupported("{} of {} is not supported", expr.name, type.sql());
    }
    seed = fmt::format("{}_{}(coalesce({}, {}), {} IS NOT NULL, {})", function, kind, value, filler,
                       a[i], seed);
  }
  return seed;
}

}  // namespace millstream::engine
