#include "python/row_pickle.h"

#include <arrow/array.h>
#include <arrow/record_batch.h>
#include <arrow/util/decimal.h>

#include <bit>
#include <limits>
#include <string_view>

namespace millstream::python {
namespace {

using column::DataType;
using column::TypeKind;

bool has_python_values(const DataType& type) {
  switch (type.kind()) {
    case TypeKind::variant:
    case TypeKind::calendar_interval:
    case TypeKind::year_month_interval:
      return false;
    default:
      break;
  }
  for (const column::Field& field : type.fields()) {
    if (!has_python_values(*field.type)) return false;
  }
  return true;
}

// The opcodes of a pickle.
class Pickle {
 public:
  Pickle() { out_ = "\x80\x04"; }

  void none() { out_ += 'N'; }
  void boolean(bool value) { out_ += value ? '\x88' : '\x89'; }
  void integer(std::int64_t value) {
    if (value >= std::numeric_limits<std::int32_t>::min() &&
        value <= std::numeric_limits<std::int32_t>::max()) {
      out_ += 'J';
      little_endian(static_cast<std::uint64_t>(value), 4);
    } else {
      out_ += "\x8a\x08";
      little_endian(static_cast<std::uint64_t>(value), 8);
    }
  }
  void number(double value) {
    out_ += 'G';
    const auto bits = std::bit_cast<std::uint64_t>(value);
    for (int shift = 56; shift >= 0; shift -= 8) out_ += static_cast<char>(bits >> shift);
  }
  void text(std::string_view value) {
    out_ += '\x8d';
    little_endian(value.size(), 8);
    out_ += value;
  }
  void bytes(std::string_view value) {
    out_ += '\x8e';
    little_endian(value.size(), 8);
    out_ += value;
  }
  void global(std::string_view module, std::string_view name) {
    out_ += 'c';
    out_ += module;
    out_ += '\n';
    out_ += name;
    out_ += '\n';
  }
  void begin() { out_ += '('; }  // of a tuple, or of the members of a list or dict
  void end_tuple() { out_ += 't'; }
  void call() { out_ += 'R'; }  // the function below the tuple
  void list() { out_ += ']'; }  // then begin(), its elements, end_list()
  void end_list() { out_ += 'e'; }
  void dict() { out_ += '}'; }
  void end_dict() { out_ += 'u'; }
  void remember() { out_ += '\x94'; }  // the value on top, under the next number
  void drop() { out_ += '0'; }         // the value on top
  void recall(unsigned char number) { (out_ += 'h') += static_cast<char>(number); }
  std::string finish() && {
    out_ += '.';
    return std::move(out_);
  }

 private:
  void little_endian(std::uint64_t value, int size) {
    for (int i = 0; i < size; ++i) out_ += static_cast<char>(value >> 8 * i);
  }
  std::string out_;
};

template <typename Array>
const Array& as(const arrow::Array& array) {
  return static_cast<const Array&>(array);
}

void put(const arrow::Array& array, std::int64_t row, const DataType& type, Pickle& out);

void put_struct(const arrow::StructArray& array, std::int64_t row, const DataType& type,
                Pickle& out) {
  out.begin();
  for (std::size_t i = 0; i < type.fields().size(); ++i)
    put(*array.field(static_cast<int>(i)), row, *type.fields()[i].type, out);
  out.end_tuple();
}

void put_map(const arrow::MapArray& array, std::int64_t row, const DataType& type, Pickle& out) {
  out.dict();
  out.begin();
  for (std::int64_t i = array.value_offset(row); i < array.value_offset(row + 1); ++i) {
    put(*array.keys(), i, *type.key(), out);
    put(*array.items(), i, *type.value(), out);
  }
  out.end_dict();
}

void put_list(const arrow::ListArray& array, std::int64_t row, const DataType& type, Pickle& out) {
  out.list();
  out.begin();
  for (std::int64_t i = array.value_offset(row); i < array.value_offset(row + 1); ++i)
    put(*array.values(), i, *type.element(), out);
  out.end_list();
}

void put_decimal(const arrow::Decimal128Array& array, std::int64_t row, const DataType& type,
                 Pickle& out) {
  out.global("decimal", "Decimal");
  out.begin();
  out.text(arrow::Decimal128(array.GetValue(row)).ToString(type.scale()));
  out.end_tuple();
  out.call();
}

// In pyspark's internal form: dates are days, timestamps and intervals microseconds.
void put(const arrow::Array& array, std::int64_t row, const DataType& type, Pickle& out) {
  if (array.IsNull(row)) return out.none();
  switch (type.kind()) {
    case TypeKind::boolean:
      return out.boolean(as<arrow::BooleanArray>(array).Value(row));
    case TypeKind::byte_:
      return out.integer(as<arrow::Int8Array>(array).Value(row));
    case TypeKind::short_:
      return out.integer(as<arrow::Int16Array>(array).Value(row));
    case TypeKind::int_:
      return out.integer(as<arrow::Int32Array>(array).Value(row));
    case TypeKind::long_:
      return out.integer(as<arrow::Int64Array>(array).Value(row));
    case TypeKind::float_:
      return out.number(as<arrow::FloatArray>(array).Value(row));
    case TypeKind::double_:
      return out.number(as<arrow::DoubleArray>(array).Value(row));
    case TypeKind::decimal:
      return put_decimal(as<arrow::Decimal128Array>(array), row, type, out);
    case TypeKind::string:
    case TypeKind::char_:
    case TypeKind::varchar:
      return out.text(as<arrow::StringArray>(array).GetView(row));
    case TypeKind::binary:
      return out.bytes(as<arrow::BinaryArray>(array).GetView(row));
    case TypeKind::date:
      return out.integer(as<arrow::Date32Array>(array).Value(row));
    case TypeKind::timestamp:
    case TypeKind::timestamp_ntz:
      return out.integer(as<arrow::TimestampArray>(array).Value(row));
    case TypeKind::time:
      return out.integer(as<arrow::Time64Array>(array).Value(row));
    case TypeKind::day_time_interval:
      return out.integer(as<arrow::DurationArray>(array).Value(row));
    case TypeKind::array:
      return put_list(as<arrow::ListArray>(array), row, type, out);
    case TypeKind::map:
      return put_map(as<arrow::MapArray>(array), row, type, out);
    case TypeKind::struct_:
      return put_struct(as<arrow::StructArray>(array), row, type, out);
    default:  // void; the others are refused by create()
      return out.none();
  }
}

}  // namespace

RowPickler::RowPickler(column::Schema schema)
    : schema_(std::move(schema)), schema_json_(column::schema_to_json(schema_)) {}

Result<RowPickler> RowPickler::create(const column::Schema& schema) {
  for (const column::Field& field : schema) {
    if (!has_python_values(*field.type)) {
      return Status::unsupported(
          "the column {} of type {} cannot be given to a Python function: cast it", field.name,
          field.type->sql());
    }
  }
  return RowPickler(schema);
}

std::string RowPickler::pickle(const arrow::RecordBatch& batch, std::int64_t first,
                               std::int64_t count) const {
  Pickle out;
  // The function from a row's values to its Row.
  out.global("pyspark.sql.types", "_create_row_inbound_converter");
  out.begin();
  out.global("pyspark.sql.types", "_parse_datatype_json_string");
  out.begin();
  out.text(schema_json_);
  out.end_tuple();
  out.call();
  out.end_tuple();
  out.call();
  out.remember();
  constexpr unsigned char converter = 0;
  out.drop();
  out.list();
  out.begin();
  for (std::int64_t row = first; row < first + count; ++row) {
    out.recall(converter);
    out.begin();
    for (int i = 0; i < batch.num_columns(); ++i)
      put(*batch.column(i), row, *schema_[static_cast<std::size_t>(i)].type, out);
    out.end_tuple();
    out.call();
  }
  out.end_list();
  return std::move(out).finish();
}

}  // namespace millstream::python
