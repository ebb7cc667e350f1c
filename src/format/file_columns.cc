#include "format/file_columns.h"

#include <arrow/array.h>
#include <arrow/array/util.h>
#include <arrow/scalar.h>
#include <arrow/type.h>

#include "base/text.h"
#include "format/arrow_status.h"

namespace millstream::format {
namespace {

Result<std::shared_ptr<arrow::Array>> repeat(const arrow::Scalar& value, std::int64_t rows) {
  TRY_ARROW_ASSIGN(auto array, arrow::MakeArrayFromScalar(value, rows));
  return array;
}

}  // namespace

const column::Schema& file_metadata_fields() {
  static const column::Schema fields = {
      {"file_path", column::string_type(), false, {}},
      {"file_name", column::string_type(), false, {}},
      {"file_size", column::long_type(), false, {}},
      {"file_block_start", column::long_type(), false, {}},
      {"file_block_length", column::long_type(), false, {}},
      {"file_modification_time", column::timestamp_type(), false, {}},
  };
  return fields;
}

column::Field file_metadata_field() {
  return {std::string(metadata_column), column::struct_type(file_metadata_fields()), false, {}};
}

Result<std::shared_ptr<arrow::Array>> file_metadata_array(const io::FileInfo& info,
                                                          std::int64_t rows) {
  const std::string uri = io::to_uri(info.path);
  const std::int64_t modified_us = info.modified_us / 1000 * 1000;  // milliseconds, as Hadoop tells
  const arrow::ScalarVector values = {
      std::make_shared<arrow::StringScalar>(uri),
      std::make_shared<arrow::StringScalar>(std::string(io::base_name(uri))),
      std::make_shared<arrow::Int64Scalar>(info.size),
      std::make_shared<arrow::Int64Scalar>(0),
      std::make_shared<arrow::Int64Scalar>(info.size),
      std::make_shared<arrow::TimestampScalar>(modified_us,
                                               arrow::timestamp(arrow::TimeUnit::MICRO, "UTC")),
  };
  const auto type = column::to_arrow(file_metadata_field().type);
  std::vector<std::shared_ptr<arrow::Array>> members;
  for (const auto& value : values) {
    TRY_ASSIGN(auto member, repeat(*value, rows));
    members.push_back(std::move(member));
  }
  return std::shared_ptr<arrow::Array>(
      std::make_shared<arrow::StructArray>(type, rows, std::move(members)));
}

Result<std::shared_ptr<arrow::Array>> constant_array(const ConstantColumn& column,
                                                     std::int64_t rows) {
  if (column.value != nullptr) return repeat(*column.value, rows);
  TRY_ARROW_ASSIGN(auto array, arrow::MakeArrayOfNull(column::to_arrow(column.field.type), rows));
  return array;
}

}  // namespace millstream::format
