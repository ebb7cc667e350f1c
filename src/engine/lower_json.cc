// from_json and to_json, composed by type: a value is taken out of the text, or put into it, member
// by member.
#include "base/text.h"
#include "engine/lower.h"
#include "engine/physical.h"

namespace millstream::engine {

using column::DataType;
using column::TypeKind;
using column::TypePtr;

std::string ExprLowering::json_option(const std::string& name) const {
  const auto found = json_options_.find(name);
  return found == json_options_.end() ? "" : found->second;
}

// A date or timestamp by the pattern that the options give, or in Spark's lenient form.
Result<std::string> ExprLowering::parsed_time(const std::string& text, const DataType& type) {
  const bool date = type.kind() == TypeKind::date;
  const std::string pattern = json_option(date ? "dateformat" : "timestampformat");
  if (pattern.empty()) return cast_from_string(text, type, true);
  return fmt::format("ms_try_parse_{}({}, {}, {})", date ? "date" : "timestamp", text,
                     sql_quote(pattern), type.kind() == TypeKind::timestamp_ntz ? "'UTC'" : zone());
}

// `json`: SQL of a JSON value's text, NULL where there is none. The value as `type`, NULL where it
// does not fit.
Result<std::string> ExprLowering::json_read(const std::string& json, const TypePtr& type) {
  const auto integer = [&](std::int64_t low, std::string_view high, std::string_view sql_type) {
    return fmt::format("CAST(ms_json_long({}, CAST('{}' AS BIGINT), CAST('{}' AS BIGINT)) AS {})",
                       json, low, high, sql_type);
  };
  switch (type->kind()) {
    case TypeKind::boolean:
      return fmt::format("ms_json_boolean({})", json);
    case TypeKind::byte_:
      return integer(-128, "127", "TINYINT");
    case TypeKind::short_:
      return integer(-32768, "32767", "SMALLINT");
    case TypeKind::int_:
      return integer(-2147483648LL, "2147483647", "INTEGER");
    case TypeKind::long_:
      return integer(-9223372036854775807LL - 1, "9223372036854775807", "BIGINT");
    case TypeKind::float_:
      return fmt::format("ms_to_float(ms_json_double({}))", json);
    case TypeKind::double_:
      return fmt::format("ms_json_double({})", json);
    case TypeKind::decimal:
      return cast_from_string("ms_json_number(" + json + ")", *type, true);
    case TypeKind::string:
      return fmt::format("ms_json_text({})", json);
    case TypeKind::date:
    case TypeKind::timestamp:
    case TypeKind::timestamp_ntz:
      return parsed_time("ms_json_string(" + json + ")", *type);
    case TypeKind::array: {
      const std::string item = fresh_variable();
      TRY_ASSIGN(const std::string element, json_read(item, type->element()));
      return fmt::format("list_transform(ms_json_elements({}), lambda {}: {})", json, item,
                         element);
    }
    case TypeKind::map: {
      if (!type->key()->is_string()) break;
      const std::string item = fresh_variable();
      TRY_ASSIGN(const std::string value, json_read(item, type->value()));
      const std::string object = fmt::format("ms_json_of_kind({}, '{{')", json);
      return fmt::format(
          "CASE WHEN {0} IS NULL THEN NULL ELSE MAP(ms_json_names({0}), "
          "list_transform(ms_json_values({0}), lambda {1}: {2})) END",
          object, item, value);
    }
    case TypeKind::struct_: {
      const std::string object = fmt::format("ms_json_of_kind({}, '{{')", json);
      TRY_ASSIGN(const std::string members, json_members_of(object, *type));
      return fmt::format("CASE WHEN {} IS NULL THEN NULL ELSE {} END", object, members);
    }
    default:
      break;
  }
  return Status::unsupported("from_json of {} is not supported", type->sql());
}

Result<std::string> ExprLowering::json_members_of(const std::string& object, const DataType& type) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < type.fields().size(); ++i) {
    if (type.fields()[i].name == corrupt_column()) {
      parts.push_back(fmt::format("f{} := CAST(NULL AS VARCHAR)", i));
      continue;
    }
    TRY_ASSIGN(const std::string value, json_read(fmt::format("ms_json_field({}, {})", object,
                                                              sql_quote(type.fields()[i].name)),
                                                  type.fields()[i].type));
    parts.push_back(fmt::format("f{} := {}", i, value));
  }
  if (parts.empty()) return Status::unsupported("from_json of an empty struct is not supported");
  return "struct_pack(" + join(parts, ", ") + ")";
}

std::string ExprLowering::corrupt_column() const {
  const std::string given = json_option("columnnameofcorruptrecord");
  return given.empty() ? "_corrupt_record" : given;
}

// What a record is that is malformed or has a field of the wrong type: an error in FAILFAST mode,
// shown in the corrupt column when the schema has it.
Result<std::string> ExprLowering::strict_json(const std::string& object, const std::string& text,
                                              const DataType& type, const std::string& members) {
  const bool fail = equals_ignore_case(json_option("mode"), "FAILFAST");
  std::optional<std::size_t> corrupt;
  for (std::size_t i = 0; i < type.fields().size(); ++i) {
    if (type.fields()[i].name == corrupt_column()) corrupt = i;
  }
  if (!fail && !corrupt) return members;
  std::vector<std::string> bad = {object + " IS NULL"};
  std::vector<std::string> shown;
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < type.fields().size(); ++i) {
    const auto& field = type.fields()[i];
    const std::string value = fmt::format("struct_extract({}, 'f{}')", members, i);
    if (i == corrupt) continue;
    if (field.type->is_nested()) {
      return Status::unsupported("from_json of nested fields with {} is not supported",
                                 fail ? "FAILFAST" : "a column for corrupt records");
    }
    bad.push_back(fmt::format("(ms_json_field({}, {}) IS NOT NULL AND {} IS NULL)", object,
                              sql_quote(field.name), value));
    TRY_ASSIGN(const std::string field_text, cast_to_string(value, *field.type));
    shown.push_back("coalesce(" + field_text + ", 'null')");
  }
  const std::string condition = "(" + join(bad, " OR ") + ")";
  if (fail) {
    return fmt::format("CASE WHEN NOT {0} OR ms_bad_record('[' || {1} || ']') THEN {2} END",
                       condition, shown.empty() ? "''" : join(shown, " || ',' || "), members);
  }
  for (std::size_t i = 0; i < type.fields().size(); ++i) {
    parts.push_back(i == corrupt
                        ? fmt::format("f{} := CASE WHEN {} THEN {} END", i, condition, text)
                        : fmt::format("f{0} := struct_extract({1}, 'f{0}')", i, members));
  }
  return "struct_pack(" + join(parts, ", ") + ")";
}

// A malformed record is a struct of NULLs, or a NULL map or array; no record at all is NULL.
Result<std::string> ExprLowering::from_json(const std::string& text, const TypePtr& type) {
  TRY_ASSIGN(const std::string sql_type, physical_sql(type));
  if (type->kind() == TypeKind::struct_) {
    const std::string object = fmt::format("ms_json_document({}, '{{')", text);
    TRY_ASSIGN(std::string members, json_members_of(object, *type));
    TRY_ASSIGN(members, strict_json(object, text, *type, members));
    return fmt::format(
        "CAST(CASE WHEN {0} IS NULL OR trim({0}, chr(32) || chr(9) || chr(10) || chr(13)) = '' "
        "THEN NULL ELSE {1} END AS {2})",
        text, members, sql_type);
  }
  if (equals_ignore_case(json_option("mode"), "FAILFAST"))
    return Status::unsupported("from_json of {} in FAILFAST mode is not supported", type->sql());
  const char kind = type->kind() == TypeKind::array ? '[' : '{';
  TRY_ASSIGN(const std::string value,
             json_read(fmt::format("ms_json_document({}, '{}')", text, kind), type));
  return fmt::format("CAST({} AS {})", value, sql_type);
}

// The value's JSON text; NULL for NULL.
Result<std::string> ExprLowering::to_json(const std::string& value, const DataType& type) {
  switch (type.kind()) {
    case TypeKind::boolean:
    case TypeKind::byte_:
    case TypeKind::short_:
    case TypeKind::int_:
    case TypeKind::long_:
      return fmt::format("CAST({} AS VARCHAR)", value);
    case TypeKind::decimal:
      return decimal_to_varchar(value, type);
    case TypeKind::float_:
      return fmt::format("ms_float_json({})", value);
    case TypeKind::double_:
      return fmt::format("ms_double_json({})", value);
    case TypeKind::string:
    case TypeKind::char_:
    case TypeKind::varchar:
      return fmt::format("ms_json_quote({})", value);
    case TypeKind::binary:
      return fmt::format("'\"' || to_base64({}) || '\"'", value);
    case TypeKind::null:
      return std::string("CAST(NULL AS VARCHAR)");
    case TypeKind::date:
      if (const std::string pattern = json_option("dateformat"); !pattern.empty()) {
        return fmt::format("('\"' || ms_date_format(CAST({} AS TIMESTAMP), {}, 'UTC') || '\"')",
                           value, sql_quote(pattern));
      }
      return fmt::format("('\"' || ms_date_text({}) || '\"')", value);
    case TypeKind::timestamp: {
      std::string pattern = json_option("timestampformat");
      if (pattern.empty()) pattern = "yyyy-MM-dd'T'HH:mm:ss.SSSXXX";
      return fmt::format("('\"' || ms_date_format({}, {}, {}) || '\"')", value, sql_quote(pattern),
                         zone());
    }
    case TypeKind::timestamp_ntz:
      return fmt::format(
          "('\"' || ms_date_format({}, 'yyyy-MM-dd''T''HH:mm:ss.SSS', 'UTC') || '\"')", value);
    case TypeKind::array: {
      const std::string item = fresh_variable();
      TRY_ASSIGN(const std::string element, to_json(item, *type.element()));
      return fmt::format(
          "('[' || array_to_string(list_transform({}, lambda {}: coalesce({}, 'null')), ',') || "
          "']')",
          value, item, element);
    }
    case TypeKind::map: {
      const std::string item = fresh_variable();
      TRY_ASSIGN(const std::string key, cast_to_string(item + ".key", *type.key()));
      TRY_ASSIGN(const std::string mapped, to_json(item + ".value", *type.value()));
      return fmt::format(
          "('{{' || array_to_string(list_transform(map_entries({}), lambda {}: ms_json_quote({}) "
          "|| ':' || coalesce({}, 'null')), ',') || '}}')",
          value, item, key, mapped);
    }
    case TypeKind::struct_: {
      std::vector<std::string> parts;
      for (std::size_t i = 0; i < type.fields().size(); ++i) {
        TRY_ASSIGN(
            const std::string member,
            to_json(fmt::format("struct_extract({}, 'f{}')", value, i), *type.fields()[i].type));
        // NULL members are left out.
        const bool keep = equals_ignore_case(json_option("ignorenullfields"), "false");
        parts.push_back(fmt::format("ms_json_quote({}) || ':' || {}",
                                    sql_quote(type.fields()[i].name),
                                    keep ? "coalesce(" + member + ", 'null')" : member));
      }
      return fmt::format(
          "CASE WHEN {} IS NULL THEN NULL ELSE '{{' || concat_ws(',', {}) || '}}' END", value,
          join(parts, ", "));
    }
    default:
      break;
  }
  return Status::unsupported("to_json of {} is not supported", type.sql());
}

}  // namespace millstream::engine
