// from_json and to_json, composed by type: a value is taken out of the text, or put into it, member
// by member.
#include "base/text.h"
#include "engine/lower.h"
#include "engine/physical.h"

namespace millstream::engine {

using column::DataType;
using column::TypeKind;
using column::TypePtr;

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
      return cast_from_string("ms_json_string(" + json + ")", *type, true);
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
    if (type.fields()[i].name == "_corrupt_record")
      return Status::unsupported("from_json with the column _corrupt_record is not supported");
    TRY_ASSIGN(const std::string value, json_read(fmt::format("ms_json_field({}, {})", object,
                                                              sql_quote(type.fields()[i].name)),
                                                  type.fields()[i].type));
    parts.push_back(fmt::format("f{} := {}", i, value));
  }
  if (parts.empty()) return Status::unsupported("from_json of an empty struct is not supported");
  return "struct_pack(" + join(parts, ", ") + ")";
}

// A malformed record is a struct of NULLs, or a NULL map or array; no record at all is NULL.
Result<std::string> ExprLowering::from_json(const std::string& text, const TypePtr& type) {
  TRY_ASSIGN(const std::string sql_type, physical_sql(type));
  if (type->kind() == TypeKind::struct_) {
    const std::string object = fmt::format("ms_json_document({}, '{{')", text);
    TRY_ASSIGN(const std::string members, json_members_of(object, *type));
    return fmt::format(
        "CAST(CASE WHEN {0} IS NULL OR trim({0}, chr(32) || chr(9) || chr(10) || chr(13)) = '' "
        "THEN NULL ELSE {1} END AS {2})",
        text, members, sql_type);
  }
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
      return fmt::format("('\"' || ms_date_text({}) || '\"')", value);
    case TypeKind::timestamp:
      return fmt::format(
          "('\"' || ms_date_format({}, 'yyyy-MM-dd''T''HH:mm:ss.SSSXXX', {}) || '\"')", value,
          zone());
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
        parts.push_back(fmt::format("ms_json_quote({}) || ':' || {}",
                                    sql_quote(type.fields()[i].name), member));
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
