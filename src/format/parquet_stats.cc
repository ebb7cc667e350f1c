#include "format/parquet_stats.h"

#include <arrow/array.h>
#include <arrow/record_batch.h>
#include <arrow/scalar.h>
#include <arrow/util/decimal.h>
#include <parquet/metadata.h>
#include <parquet/statistics.h>

#include <algorithm>
#include <cmath>

namespace millstream::format {
namespace {

using column::TypeKind;

int parquet_leaves(const column::TypePtr& type) {
  if (!type->is_nested() && type->kind() != TypeKind::variant) return 1;
  if (type->kind() == TypeKind::variant) return 2;
  int count = 0;
  for (const auto& field : type->fields()) count += parquet_leaves(field.type);
  return count;
}

bool starts_with(const std::vector<std::string>& path, const std::vector<std::string>& prefix) {
  return prefix.size() <= path.size() && std::equal(prefix.begin(), prefix.end(), path.begin());
}

// The array at the end of a path of struct members, with the NULLs of the structs around it
// applied.
std::shared_ptr<arrow::Array> descend(const arrow::RecordBatch& batch,
                                      const std::vector<int>& indexes) {
  std::shared_ptr<arrow::Array> array = batch.column(indexes[0]);
  for (std::size_t i = 1; i < indexes.size(); ++i) {
    const auto& parent = static_cast<const arrow::StructArray&>(*array);
    auto flat = parent.GetFlattenedField(indexes[i]);
    if (!flat.ok()) return nullptr;
    array = *flat;
  }
  return array;
}

template <typename ArrayType>
bool contains_nan(const arrow::Array& array) {
  const auto& values = static_cast<const ArrayType&>(array);
  const auto* raw = values.raw_values();
  bool any = false;
  for (std::int64_t i = 0; i < values.length(); ++i) any |= raw[i] != raw[i];
  if (!any || values.null_count() == 0) return any;
  for (std::int64_t i = 0; i < values.length(); ++i) {
    if (raw[i] != raw[i] && values.IsValid(i)) return true;
  }
  return false;
}

// A value of the Parquet physical type as a scalar of the column's own type; null for types without
// order here.
std::shared_ptr<arrow::Scalar> scalar_of(const column::DataType& type, std::int64_t value) {
  switch (type.kind()) {
    case TypeKind::byte_:
      return std::make_shared<arrow::Int8Scalar>(static_cast<std::int8_t>(value));
    case TypeKind::short_:
      return std::make_shared<arrow::Int16Scalar>(static_cast<std::int16_t>(value));
    case TypeKind::int_:
      return std::make_shared<arrow::Int32Scalar>(static_cast<std::int32_t>(value));
    case TypeKind::long_:
      return std::make_shared<arrow::Int64Scalar>(value);
    case TypeKind::date:
      return std::make_shared<arrow::Date32Scalar>(static_cast<std::int32_t>(value));
    case TypeKind::timestamp:
      return std::make_shared<arrow::TimestampScalar>(
          value, arrow::timestamp(arrow::TimeUnit::MICRO, "UTC"));
    case TypeKind::timestamp_ntz:
      return std::make_shared<arrow::TimestampScalar>(value,
                                                      arrow::timestamp(arrow::TimeUnit::MICRO));
    case TypeKind::decimal:
      return std::make_shared<arrow::Decimal128Scalar>(
          arrow::Decimal128(value), arrow::decimal128(type.precision(), type.scale()));
    default:
      return nullptr;
  }
}

std::shared_ptr<arrow::Scalar> scalar_of_bytes(const column::DataType& type,
                                               const std::uint8_t* bytes, std::uint32_t size) {
  if (type.is_string()) {
    return std::make_shared<arrow::StringScalar>(
        std::string(reinterpret_cast<const char*>(bytes), size));
  }
  if (type.kind() == TypeKind::decimal) {
    const auto value = arrow::Decimal128::FromBigEndian(bytes, static_cast<std::int32_t>(size));
    if (!value.ok()) return nullptr;
    return std::make_shared<arrow::Decimal128Scalar>(
        *value, arrow::decimal128(type.precision(), type.scale()));
  }
  return nullptr;
}

// Keeps the smaller of minima and the larger of maxima over row groups, in the physical type.
template <typename ParquetType, typename Less, typename Make>
void merge_range(const std::vector<std::shared_ptr<parquet::Statistics>>& parts, LeafStats& out,
                 const Less& less, const Make& make) {
  using Value = typename ParquetType::c_type;
  const Value* min = nullptr;
  const Value* max = nullptr;
  for (const auto& part : parts) {
    const auto& typed = static_cast<const parquet::TypedStatistics<ParquetType>&>(*part);
    if (min == nullptr || less(typed.min(), *min)) min = &typed.min();
    if (max == nullptr || less(*max, typed.max())) max = &typed.max();
  }
  if (min == nullptr) return;
  out.min = make(*min);
  out.max = make(*max);
}

void set_range(const std::vector<std::shared_ptr<parquet::Statistics>>& parts, int fixed_length,
               LeafStats& out) {
  const auto& type = *out.type;
  const auto plain_less = [](const auto& a, const auto& b) { return a < b; };
  const auto from_int = [&](auto v) { return scalar_of(type, static_cast<std::int64_t>(v)); };
  switch (parts.front()->physical_type()) {
    case parquet::Type::INT32:
      return merge_range<parquet::Int32Type>(parts, out, plain_less, from_int);
    case parquet::Type::INT64:
      return merge_range<parquet::Int64Type>(parts, out, plain_less, from_int);
    case parquet::Type::FLOAT:
      return merge_range<parquet::FloatType>(parts, out, plain_less, [](float v) {
        return std::static_pointer_cast<arrow::Scalar>(std::make_shared<arrow::FloatScalar>(v));
      });
    case parquet::Type::DOUBLE:
      return merge_range<parquet::DoubleType>(parts, out, plain_less, [](double v) {
        return std::static_pointer_cast<arrow::Scalar>(std::make_shared<arrow::DoubleScalar>(v));
      });
    case parquet::Type::BYTE_ARRAY:
      if (!type.is_string()) return;
      return merge_range<parquet::ByteArrayType>(
          parts, out,
          [](const parquet::ByteArray& a, const parquet::ByteArray& b) {
            return std::string_view(a) < std::string_view(b);
          },
          [&](const parquet::ByteArray& v) { return scalar_of_bytes(type, v.ptr, v.len); });
    case parquet::Type::FIXED_LEN_BYTE_ARRAY: {
      if (type.kind() != TypeKind::decimal) return;
      const auto value = [&](const parquet::FixedLenByteArray& v) {
        return *arrow::Decimal128::FromBigEndian(v.ptr, fixed_length);
      };
      return merge_range<parquet::FLBAType>(
          parts, out, [&](const auto& a, const auto& b) { return value(a) < value(b); },
          [&](const parquet::FixedLenByteArray& v) {
            return scalar_of_bytes(type, v.ptr, static_cast<std::uint32_t>(fixed_length));
          });
    }
    default:
      return;
  }
}

std::int64_t data_bytes(const arrow::ArrayData& data) {
  std::int64_t bytes = 0;
  switch (data.type->id()) {
    case arrow::Type::STRING:
    case arrow::Type::BINARY: {
      const auto* offsets = data.GetValues<std::int32_t>(1);
      return data.length * 4 + (data.length > 0 ? offsets[data.length] - offsets[0] : 0);
    }
    case arrow::Type::STRUCT:
    case arrow::Type::LIST:
    case arrow::Type::MAP:
      for (const auto& child : data.child_data) bytes += data_bytes(*child);
      return bytes + data.length * 4;
    case arrow::Type::NA:
      return 0;
    default:
      return data.length * std::max(1, data.type->byte_width());
  }
}

}  // namespace

StatsCollector::StatsCollector(const column::Schema& schema, const ParquetWriteOptions& options) {
  std::vector<std::string> path;
  std::vector<int> indexes;
  int parquet_column = 0;
  find_leaves(schema, path, indexes, parquet_column);
  if (options.stats_paths) {
    std::erase_if(leaves_, [&](const Leaf& leaf) {
      return std::none_of(options.stats_paths->begin(), options.stats_paths->end(),
                          [&](const auto& prefix) { return starts_with(leaf.stats.path, prefix); });
    });
  } else if (options.stats_leaves_max >= 0 &&
             leaves_.size() > static_cast<std::size_t>(options.stats_leaves_max)) {
    leaves_.resize(static_cast<std::size_t>(options.stats_leaves_max));
  }
}

void StatsCollector::find_leaves(const column::Schema& fields, std::vector<std::string>& path,
                                 std::vector<int>& indexes, int& parquet_column) {
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const auto& field = fields[i];
    path.push_back(field.name);
    indexes.push_back(static_cast<int>(i));
    if (field.type->kind() == TypeKind::struct_) {
      find_leaves(field.type->fields(), path, indexes, parquet_column);
    } else {
      Leaf leaf;
      leaf.stats.path = path;
      leaf.stats.type = field.type;
      leaf.indexes = indexes;
      const int leaves = parquet_leaves(field.type);
      if (!field.type->is_nested() && leaves == 1) leaf.parquet_column = parquet_column;
      parquet_column += leaves;
      leaves_.push_back(std::move(leaf));
    }
    path.pop_back();
    indexes.pop_back();
  }
}

void StatsCollector::add(const arrow::RecordBatch& batch) {
  for (auto& leaf : leaves_) {
    const auto kind = leaf.stats.type->kind();
    const bool floating = kind == TypeKind::float_ || kind == TypeKind::double_;
    if (leaf.parquet_column >= 0 && (!floating || leaf.stats.has_nan)) continue;
    const auto array = descend(batch, leaf.indexes);
    if (array == nullptr) continue;
    if (leaf.parquet_column < 0) leaf.stats.null_count += array->null_count();
    if (kind == TypeKind::float_) leaf.stats.has_nan = contains_nan<arrow::FloatArray>(*array);
    if (kind == TypeKind::double_) leaf.stats.has_nan = contains_nan<arrow::DoubleArray>(*array);
  }
}

std::vector<LeafStats> StatsCollector::finish(const parquet::FileMetaData& footer) {
  std::vector<LeafStats> out;
  for (auto& leaf : leaves_) {
    std::vector<std::shared_ptr<parquet::Statistics>> parts;
    bool complete = leaf.parquet_column >= 0;
    for (int group = 0; leaf.parquet_column >= 0 && group < footer.num_row_groups(); ++group) {
      const auto chunk = footer.RowGroup(group)->ColumnChunk(leaf.parquet_column);
      const auto stats = chunk->statistics();
      if (stats == nullptr) {
        complete = false;
        continue;
      }
      leaf.stats.null_count += stats->null_count();
      const bool all_null = stats->null_count() == chunk->num_values();
      if (stats->HasMinMax()) {
        parts.push_back(stats);
      } else if (!all_null && !leaf.stats.has_nan) {
        complete = false;  // a value too long for the footer: its order is not known
      }
    }
    if (complete && !parts.empty()) {
      set_range(parts, footer.schema()->Column(leaf.parquet_column)->type_length(), leaf.stats);
    }
    out.push_back(std::move(leaf.stats));
  }
  return out;
}

bool range_of_chunk(const parquet::ColumnChunkMetaData& chunk, const column::TypePtr& type,
                    std::shared_ptr<arrow::Scalar>& min, std::shared_ptr<arrow::Scalar>& max) {
  const auto stats = chunk.statistics();
  if (stats == nullptr || !stats->HasMinMax()) return false;
  LeafStats leaf;
  leaf.type = type;
  set_range({stats}, stats->descr()->type_length(), leaf);
  min = std::move(leaf.min);
  max = std::move(leaf.max);
  return min != nullptr && max != nullptr;
}

std::int64_t arrow_bytes(const arrow::RecordBatch& batch) {
  std::int64_t bytes = 0;
  for (int i = 0; i < batch.num_columns(); ++i) bytes += data_bytes(*batch.column(i)->data());
  return bytes;
}

}  // namespace millstream::format
