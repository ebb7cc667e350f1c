#include "format/csv_text.h"

#include <arrow/array.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include "base/text.h"
#include "base/time_of_day.h"

namespace millstream::format {
namespace {

bool is_blank(char c) { return static_cast<unsigned char>(c) <= ' '; }

// java.math.BigDecimal.toString of a decimal's digits ("-0.0000001" as "-1E-7").
std::string decimal_text(const std::string& plain, int scale) {
  if (scale == 0) return plain;
  const bool negative = plain.starts_with('-');
  std::string digits;
  for (const char c : plain) {
    if (c >= '0' && c <= '9') digits += c;
  }
  const auto first = digits.find_first_not_of('0');
  digits = first == std::string::npos ? "0" : digits.substr(first);
  const int exponent = static_cast<int>(digits.size()) - 1 - scale;
  if (exponent >= -6) return plain;
  std::string out = negative ? "-" : "";
  out += digits[0];
  if (digits.size() > 1) out += "." + digits.substr(1);
  return out + "E" + std::to_string(exponent);
}

}  // namespace

Result<CsvWriterText> CsvWriterText::make(const CsvOptions& options) {
  TRY_ASSIGN(auto date, DateTimePattern::compile(options.date_format.value_or("yyyy-MM-dd")));
  TRY_ASSIGN(auto timestamp, DateTimePattern::compile(options.timestamp_format.value_or(
                                 "yyyy-MM-dd'T'HH:mm:ss[.SSS][XXX]")));
  TRY_ASSIGN(auto ntz, DateTimePattern::compile(
                           options.timestamp_ntz_format.value_or("yyyy-MM-dd'T'HH:mm:ss[.SSS]")));
  TRY_ASSIGN(auto zone, TimeZone::find(options.time_zone));
  return CsvWriterText(options, std::move(date), std::move(timestamp), std::move(ntz),
                       std::move(zone));
}

void CsvWriterText::append_quoted(std::string_view text, std::string& out) const {
  out += options_.quote;
  for (const char c : text) {
    if (c == options_.quote) {
      if (options_.escape != 0 && (options_.escape_quotes || options_.quote_all))
        out += options_.escape;
    } else if (c == options_.escape && options_.escape_of_escape != 0) {
      out += options_.escape_of_escape;
    }
    if (c == '\n' && options_.line_sep != "\n") {
      out += options_.line_sep;
    } else {
      out += c;
    }
  }
  out += options_.quote;
}

void CsvWriterText::append_value(std::string_view text, std::string& out) const {
  if (text.empty()) {
    if (options_.quote_all) {
      append_quoted("", out);
    } else {
      out += options_.empty_value;
    }
    return;
  }
  if (options_.trim_start) {
    while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  }
  if (options_.trim_end) {
    while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  }
  if (text.empty() && !options_.quote_all) {
    out += options_.null_value;
    return;
  }
  const bool special = text.find(options_.separator) != std::string_view::npos ||
                       text.find_first_of("\r\n") != std::string_view::npos ||
                       (options_.escape_quotes && options_.quote != 0 &&
                        text.find(options_.quote) != std::string_view::npos);
  if (options_.quote != 0 && (options_.quote_all || special)) {
    append_quoted(text, out);
  } else {
    out += text;
  }
}

std::string CsvWriterText::text_of(const arrow::Array& array, std::int64_t row) const {
  switch (array.type_id()) {
    case arrow::Type::BOOL:
      return static_cast<const arrow::BooleanArray&>(array).Value(row) ? "true" : "false";
    case arrow::Type::INT8:
      return std::to_string(static_cast<const arrow::Int8Array&>(array).Value(row));
    case arrow::Type::INT16:
      return std::to_string(static_cast<const arrow::Int16Array&>(array).Value(row));
    case arrow::Type::INT32:
      return std::to_string(static_cast<const arrow::Int32Array&>(array).Value(row));
    case arrow::Type::INT64:
      return std::to_string(static_cast<const arrow::Int64Array&>(array).Value(row));
    case arrow::Type::FLOAT:
      return java_text(static_cast<const arrow::FloatArray&>(array).Value(row));
    case arrow::Type::DOUBLE:
      return java_text(static_cast<const arrow::DoubleArray&>(array).Value(row));
    case arrow::Type::DECIMAL128:
      return decimal_text(static_cast<const arrow::Decimal128Array&>(array).FormatValue(row),
                          static_cast<const arrow::Decimal128Type&>(*array.type()).scale());
    case arrow::Type::STRING:
      return std::string(static_cast<const arrow::StringArray&>(array).GetView(row));
    case arrow::Type::DATE32:
      return date_.format(
          static_cast<const arrow::Date32Array&>(array).Value(row) * std::int64_t{86'400'000'000},
          0);
    case arrow::Type::TIMESTAMP: {
      const std::int64_t micros = static_cast<const arrow::TimestampArray&>(array).Value(row);
      if (static_cast<const arrow::TimestampType&>(*array.type()).timezone().empty())
        return ntz_.format(micros, 0);
      const std::int64_t seconds =
          micros >= 0 ? micros / 1'000'000 : (micros - 999'999) / 1'000'000;
      const std::int64_t offset = zone_.offset_at(seconds);
      return timestamp_.format(micros + offset * 1'000'000, offset);
    }
    case arrow::Type::TIME64:
      return time_of_day_text(static_cast<const arrow::Time64Array&>(array).Value(row));
    default:
      return {};  // refused when the sink was made
  }
}

void CsvWriterText::append_header(const column::Schema& schema, std::string& out) const {
  for (std::size_t i = 0; i < schema.size(); ++i) {
    if (i > 0) out += options_.separator;
    append_value(schema[i].name, out);
  }
}

void CsvWriterText::append_row(const arrow::RecordBatch& batch, std::int64_t row,
                               std::string& out) const {
  for (int i = 0; i < batch.num_columns(); ++i) {
    if (i > 0) out += options_.separator;
    const arrow::Array& column = *batch.column(i);
    if (column.IsValid(row)) {
      append_value(text_of(column, row), out);
    } else if (options_.quote_all) {
      append_quoted(options_.null_value, out);
    } else {
      out += options_.null_value;
    }
  }
}

}  // namespace millstream::format
