#include "format/json_text.h"

#include <arrow/array.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include "base/text.h"
#include "base/time_of_day.h"
#include "format/base64.h"

namespace millstream::format {
namespace {

template <typename ArrayType>
auto value_of(const arrow::Array& array, std::int64_t row) {
  return static_cast<const ArrayType&>(array).Value(row);
}

Status check_type(const column::DataType& type, const std::string& name) {
  using column::TypeKind;
  switch (type.kind()) {
    case TypeKind::calendar_interval:
    case TypeKind::variant:
      return Status::error("UNSUPPORTED_DATA_TYPE_FOR_DATASOURCE",
                           {{"format", "JSON"},
                            {"columnName", "`" + name + "`"},
                            {"columnType", "\"" + type.sql() + "\""}});
    default:
      if (type.is_nested()) {
        for (const auto& field : type.fields()) TRY(check_type(*field.type, name));
      }
      return Status::OK();
  }
}

}  // namespace

Result<JsonWriterText> JsonWriterText::make(const Options& options,
                                            const std::string& session_time_zone) {
  TRY_ASSIGN(auto date, DateTimePattern::compile(options.get("dateFormat", "yyyy-MM-dd")));
  TRY_ASSIGN(auto timestamp, DateTimePattern::compile(options.get(
                                 "timestampFormat", "yyyy-MM-dd'T'HH:mm:ss[.SSS][XXX]")));
  TRY_ASSIGN(auto ntz, DateTimePattern::compile(
                           options.get("timestampNTZFormat", "yyyy-MM-dd'T'HH:mm:ss[.SSS]")));
  TRY_ASSIGN(auto zone, TimeZone::find(options.get("timeZone", session_time_zone)));
  TRY_ASSIGN(const bool ignore_nulls, options.get_bool("ignoreNullFields", true));
  return JsonWriterText(std::move(date), std::move(timestamp), std::move(ntz), std::move(zone),
                        !ignore_nulls);
}

Status JsonWriterText::check(const column::Schema& schema) {
  for (const auto& field : schema) TRY(check_type(*field.type, field.name));
  return Status::OK();
}

void JsonWriterText::append_row(const arrow::RecordBatch& batch, std::int64_t row,
                                std::string& out) const {
  out += '{';
  bool first = true;
  for (int i = 0; i < batch.num_columns(); ++i) {
    const auto& column = *batch.column(i);
    if (column.IsNull(row) && !keep_nulls_) continue;
    if (!first) out += ',';
    first = false;
    append_json_quoted(batch.schema()->field(i)->name(), &out);
    out += ':';
    append_value(column, row, out);
  }
  out += '}';
}

void JsonWriterText::append_value(const arrow::Array& array, std::int64_t row,
                                  std::string& out) const {
  if (array.IsNull(row)) {
    out += "null";
    return;
  }
  switch (array.type_id()) {
    case arrow::Type::BOOL:
      out += value_of<arrow::BooleanArray>(array, row) ? "true" : "false";
      return;
    case arrow::Type::INT8:
      out += std::to_string(value_of<arrow::Int8Array>(array, row));
      return;
    case arrow::Type::INT16:
      out += std::to_string(value_of<arrow::Int16Array>(array, row));
      return;
    case arrow::Type::INT32:
      out += std::to_string(value_of<arrow::Int32Array>(array, row));
      return;
    case arrow::Type::INT64:
      out += std::to_string(value_of<arrow::Int64Array>(array, row));
      return;
    case arrow::Type::FLOAT:
    case arrow::Type::DOUBLE: {
      const bool is_float = array.type_id() == arrow::Type::FLOAT;
      const std::string text = is_float ? java_text(value_of<arrow::FloatArray>(array, row))
                                        : java_text(value_of<arrow::DoubleArray>(array, row));
      const bool finite = text.find_first_of("Ny") == std::string::npos;
      out += finite ? text : "\"" + text + "\"";
      return;
    }
    case arrow::Type::DECIMAL128:
      out += static_cast<const arrow::Decimal128Array&>(array).FormatValue(row);
      return;
    case arrow::Type::STRING:
      append_json_quoted(static_cast<const arrow::StringArray&>(array).GetView(row), &out);
      return;
    case arrow::Type::BINARY:
      append_json_quoted(encode_base64(static_cast<const arrow::BinaryArray&>(array).GetView(row)),
                         &out);
      return;
    case arrow::Type::DATE32:
    case arrow::Type::TIMESTAMP:
      append_json_quoted(key_text(array, row), &out);
      return;
    case arrow::Type::TIME64:
      append_json_quoted(time_of_day_text(value_of<arrow::Time64Array>(array, row)), &out);
      return;
    case arrow::Type::STRUCT: {
      const auto& parent = static_cast<const arrow::StructArray&>(array);
      out += '{';
      bool first = true;
      for (int i = 0; i < parent.num_fields(); ++i) {
        const auto member = parent.field(i);
        if (member->IsNull(row) && !keep_nulls_) continue;
        if (!first) out += ',';
        first = false;
        append_json_quoted(parent.struct_type()->field(i)->name(), &out);
        out += ':';
        append_value(*member, row, out);
      }
      out += '}';
      return;
    }
    case arrow::Type::LIST: {
      const auto& list = static_cast<const arrow::ListArray&>(array);
      out += '[';
      for (auto i = list.value_offset(row); i < list.value_offset(row + 1); ++i) {
        if (i > list.value_offset(row)) out += ',';
        append_value(*list.values(), i, out);
      }
      out += ']';
      return;
    }
    case arrow::Type::MAP: {
      const auto& map = static_cast<const arrow::MapArray&>(array);
      out += '{';
      for (auto i = map.value_offset(row); i < map.value_offset(row + 1); ++i) {
        if (i > map.value_offset(row)) out += ',';
        append_json_quoted(key_text(*map.keys(), i), &out);
        out += ':';
        append_value(*map.items(), i, out);
      }
      out += '}';
      return;
    }
    default:
      out += "null";  // void; other types were refused
  }
}

// Of values that JSON writes as strings, and of map keys.
std::string JsonWriterText::key_text(const arrow::Array& array, std::int64_t row) const {
  switch (array.type_id()) {
    case arrow::Type::STRING:
      return std::string(static_cast<const arrow::StringArray&>(array).GetView(row));
    case arrow::Type::DATE32:
      return date_.format(value_of<arrow::Date32Array>(array, row) * std::int64_t{86'400'000'000},
                          0);
    case arrow::Type::TIMESTAMP: {
      const std::int64_t micros = value_of<arrow::TimestampArray>(array, row);
      if (static_cast<const arrow::TimestampType&>(*array.type()).timezone().empty())
        return ntz_.format(micros, 0);
      const std::int64_t seconds =
          micros >= 0 ? micros / 1'000'000 : (micros - 999'999) / 1'000'000;
      const std::int64_t offset = zone_.offset_at(seconds);
      return timestamp_.format(micros + offset * 1'000'000, offset);
    }
    case arrow::Type::TIME64:  // Spark writes a key's number as it is
      return std::to_string(value_of<arrow::Time64Array>(array, row));
    default: {
      std::string text;
      append_value(array, row, text);
      return text;
    }
  }
}

}  // namespace millstream::format
