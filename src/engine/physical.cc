#include "engine/physical.h"

#include <arrow/array/array_nested.h>
#include <arrow/array/array_primitive.h>
#include <arrow/array/builder_nested.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/array/builder_time.h>
#include <arrow/array/data.h>
#include <arrow/array/util.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include "base/text.h"
#include "engine/duck.h"

namespace millstream::engine {

using column::DataType;
using column::TypeKind;
using column::TypePtr;

Result<std::string> physical_sql(const TypePtr& type) {
  switch (type->kind()) {
    case TypeKind::null:
    case TypeKind::int_:
    case TypeKind::year_month_interval:
      return std::string("INTEGER");
    case TypeKind::boolean:
      return std::string("BOOLEAN");
    case TypeKind::byte_:
      return std::string("TINYINT");
    case TypeKind::short_:
      return std::string("SMALLINT");
    case TypeKind::long_:
    case TypeKind::time:
    case TypeKind::day_time_interval:
      return std::string("BIGINT");
    case TypeKind::float_:
      return std::string("FLOAT");
    case TypeKind::double_:
      return std::string("DOUBLE");
    case TypeKind::decimal:
      return fmt::format("DECIMAL({},{})", type->precision(), type->scale());
    case TypeKind::string:
    case TypeKind::char_:
    case TypeKind::varchar:
      return std::string("VARCHAR");
    case TypeKind::binary:
      return std::string("BLOB");
    case TypeKind::date:
      return std::string("DATE");
    case TypeKind::timestamp:
    case TypeKind::timestamp_ntz:
      return std::string("TIMESTAMP");
    case TypeKind::array: {
      TRY_ASSIGN(const std::string element, physical_sql(type->element()));
      return element + "[]";
    }
    case TypeKind::map: {
      TRY_ASSIGN(const std::string key, physical_sql(type->key()));
      TRY_ASSIGN(const std::string value, physical_sql(type->value()));
      return fmt::format("MAP({}, {})", key, value);
    }
    case TypeKind::struct_: {
      if (type->fields().empty())
        return Status::unsupported("expressions over empty structs are not supported");
      std::vector<std::string> members;
      for (std::size_t i = 0; i < type->fields().size(); ++i) {
        TRY_ASSIGN(const std::string member, physical_sql(type->fields()[i].type));
        members.push_back(fmt::format("f{} {}", i, member));
      }
      return "STRUCT(" + join(members, ", ") + ")";
    }
    case TypeKind::variant:
      return std::string("STRUCT(f0 BLOB, f1 BLOB)");
    case TypeKind::calendar_interval:
      return std::string("STRUCT(f0 INTEGER, f1 INTEGER, f2 BIGINT)");
  }
  return Status::unsupported("expressions over {} are not supported", type->sql());
}

namespace {

// A variant's value and metadata.
const column::TypePtr& variant_members() {
  static const column::TypePtr type = column::struct_type(
      {{"value", column::binary_type(), true, {}}, {"metadata", column::binary_type(), true, {}}});
  return type;
}

const column::TypePtr& interval_members() {
  static const column::TypePtr type =
      column::struct_type({{"months", column::int_type(), true, {}},
                           {"days", column::int_type(), true, {}},
                           {"micros", column::long_type(), true, {}}});
  return type;
}

duckdb_logical_type make_struct_type(const column::DataType& type) {
  std::vector<LogicalType> owners;
  std::vector<duckdb_logical_type> members;
  std::vector<std::string> names;
  std::vector<const char*> texts;
  for (std::size_t i = 0; i < type.fields().size(); ++i) {
    owners.emplace_back(physical_type(type.fields()[i].type));
    members.push_back(owners.back().get());
    names.push_back(fmt::format("f{}", i));
  }
  for (const auto& name : names) texts.push_back(name.c_str());
  return duckdb_create_struct_type(members.data(), texts.data(), members.size());
}

}  // namespace

duckdb_logical_type physical_type(const column::TypePtr& type) {
  switch (type->kind()) {
    case TypeKind::boolean:
      return duckdb_create_logical_type(DUCKDB_TYPE_BOOLEAN);
    case TypeKind::byte_:
      return duckdb_create_logical_type(DUCKDB_TYPE_TINYINT);
    case TypeKind::short_:
      return duckdb_create_logical_type(DUCKDB_TYPE_SMALLINT);
    case TypeKind::long_:
    case TypeKind::time:
    case TypeKind::day_time_interval:
      return duckdb_create_logical_type(DUCKDB_TYPE_BIGINT);
    case TypeKind::float_:
      return duckdb_create_logical_type(DUCKDB_TYPE_FLOAT);
    case TypeKind::double_:
      return duckdb_create_logical_type(DUCKDB_TYPE_DOUBLE);
    case TypeKind::decimal:
      return duckdb_create_decimal_type(static_cast<std::uint8_t>(type->precision()),
                                        static_cast<std::uint8_t>(type->scale()));
    case TypeKind::string:
    case TypeKind::char_:
    case TypeKind::varchar:
      return duckdb_create_logical_type(DUCKDB_TYPE_VARCHAR);
    case TypeKind::binary:
      return duckdb_create_logical_type(DUCKDB_TYPE_BLOB);
    case TypeKind::date:
      return duckdb_create_logical_type(DUCKDB_TYPE_DATE);
    case TypeKind::timestamp:
    case TypeKind::timestamp_ntz:
      return duckdb_create_logical_type(DUCKDB_TYPE_TIMESTAMP);
    case TypeKind::array: {
      LogicalType element(physical_type(type->element()));
      return duckdb_create_list_type(element.get());
    }
    case TypeKind::map: {
      LogicalType key(physical_type(type->key()));
      LogicalType value(physical_type(type->value()));
      return duckdb_create_map_type(key.get(), value.get());
    }
    case TypeKind::struct_:
      return make_struct_type(*type);
    case TypeKind::variant:
      return make_struct_type(*variant_members());
    case TypeKind::calendar_interval:
      return make_struct_type(*interval_members());
    default:
      return duckdb_create_logical_type(DUCKDB_TYPE_INTEGER);
  }
}

std::shared_ptr<arrow::DataType> physical_arrow(const TypePtr& type) {
  switch (type->kind()) {
    case TypeKind::null:
    case TypeKind::year_month_interval:
      return arrow::int32();
    case TypeKind::time:
    case TypeKind::day_time_interval:
      return arrow::int64();
    case TypeKind::timestamp:
    case TypeKind::timestamp_ntz:
      return arrow::timestamp(arrow::TimeUnit::MICRO);
    case TypeKind::array:
      return arrow::list(arrow::field("element", physical_arrow(type->element())));
    case TypeKind::map:
      return std::make_shared<arrow::MapType>(
          arrow::field("key", physical_arrow(type->key()), false),
          arrow::field("value", physical_arrow(type->value())));
    case TypeKind::variant:
      return physical_arrow(variant_members());
    case TypeKind::calendar_interval:
      return physical_arrow(interval_members());
    case TypeKind::struct_: {
      arrow::FieldVector fields;
      for (std::size_t i = 0; i < type->fields().size(); ++i) {
        fields.push_back(
            arrow::field(fmt::format("f{}", i), physical_arrow(type->fields()[i].type)));
      }
      return arrow::struct_(std::move(fields));
    }
    default:
      return column::to_arrow(type);
  }
}

namespace {

using ArrayDataPtr = std::shared_ptr<arrow::ArrayData>;

Result<ArrayDataPtr> typed_nulls(const std::shared_ptr<arrow::DataType>& type,
                                 std::int64_t length) {
  auto made = arrow::MakeArrayOfNull(type, length);
  if (!made.ok()) return Status::internal("{}", made.status().ToString());
  return (*made)->data();
}

Result<ArrayDataPtr> finished(arrow::ArrayBuilder& builder, const arrow::Status& built) {
  std::shared_ptr<arrow::Array> array;
  const arrow::Status status = built.ok() ? builder.Finish(&array) : built;
  if (!status.ok()) return Status::internal("{}", status.ToString());
  return array->data();
}

Result<ArrayDataPtr> intervals_of_structs(const ArrayDataPtr& data) {
  const arrow::StructArray structs(data);
  const auto& months = static_cast<const arrow::Int32Array&>(*structs.field(0));
  const auto& days = static_cast<const arrow::Int32Array&>(*structs.field(1));
  const auto& micros = static_cast<const arrow::Int64Array&>(*structs.field(2));
  arrow::MonthDayNanoIntervalBuilder builder;
  arrow::Status status = builder.Reserve(structs.length());
  for (std::int64_t i = 0; status.ok() && i < structs.length(); ++i) {
    std::int64_t nanos = 0;
    if (structs.IsNull(i)) {
      builder.UnsafeAppendNull();
    } else if (__builtin_mul_overflow(micros.Value(i), std::int64_t{1000}, &nanos)) {
      return Status::unsupported("an INTERVAL of more than 292 years of hours is not sent");
    } else {
      builder.UnsafeAppend({months.Value(i), days.Value(i), nanos});
    }
  }
  return finished(builder, status);
}

Result<ArrayDataPtr> structs_of_intervals(const ArrayDataPtr& data,
                                          const std::shared_ptr<arrow::DataType>& type) {
  const arrow::MonthDayNanoIntervalArray intervals(data);
  auto months = std::make_shared<arrow::Int32Builder>();
  auto days = std::make_shared<arrow::Int32Builder>();
  auto micros = std::make_shared<arrow::Int64Builder>();
  arrow::StructBuilder builder(type, arrow::default_memory_pool(), {months, days, micros});
  arrow::Status status;
  for (std::int64_t i = 0; status.ok() && i < intervals.length(); ++i) {
    if (intervals.IsNull(i)) {
      status = builder.AppendNull();
      continue;
    }
    const auto value = intervals.GetValue(i);
    status = builder.Append();
    if (status.ok()) status = months->Append(value.months);
    if (status.ok()) status = days->Append(value.days);
    if (status.ok()) status = micros->Append(value.nanoseconds / 1000);
  }
  return finished(builder, status);
}

// The same buffers under another type of the same layout; types without values become typed nulls
// and back, calendar intervals are made anew.
Result<ArrayDataPtr> retype(const ArrayDataPtr& data,
                            const std::shared_ptr<arrow::DataType>& type) {
  if (data->type->Equals(*type)) return data;
  if (data->type->id() == arrow::Type::NA || type->id() == arrow::Type::NA)
    return typed_nulls(type, data->length);
  if (type->id() == arrow::Type::INTERVAL_MONTH_DAY_NANO) return intervals_of_structs(data);
  if (data->type->id() == arrow::Type::INTERVAL_MONTH_DAY_NANO)
    return structs_of_intervals(data, type);
  auto copy = data->Copy();
  copy->type = type;
  if (data->type->id() == arrow::Type::DICTIONARY ||
      static_cast<int>(data->child_data.size()) != type->num_fields()) {
    return Status::internal("Arrow column of {} where {} was expected", data->type->ToString(),
                            type->ToString());
  }
  if (type->id() == arrow::Type::MAP) {
    const auto& map = static_cast<const arrow::MapType&>(*type);
    TRY_ASSIGN(copy->child_data[0], retype(data->child_data[0], map.value_type()));
    return copy;
  }
  for (int i = 0; i < type->num_fields(); ++i) {
    const auto at = static_cast<std::size_t>(i);
    TRY_ASSIGN(copy->child_data[at], retype(data->child_data[at], type->field(i)->type()));
  }
  return copy;
}

Result<connector::RecordBatchPtr> retyped(const connector::RecordBatchPtr& batch, int columns,
                                          const std::shared_ptr<arrow::Schema>& schema) {
  arrow::ArrayVector arrays;
  for (int i = 0; i < columns; ++i) {
    TRY_ASSIGN(auto data, retype(batch->column_data(i), schema->field(i)->type()));
    arrays.push_back(arrow::MakeArray(data));
  }
  return arrow::RecordBatch::Make(schema, batch->num_rows(), std::move(arrays));
}

}  // namespace

Result<connector::RecordBatchPtr> to_physical(const connector::RecordBatchPtr& batch,
                                              const column::Schema& schema,
                                              const std::shared_ptr<arrow::Schema>& physical) {
  if (batch->num_columns() != static_cast<int>(schema.size())) {
    return Status::internal("a source gave {} columns where {} were asked for",
                            batch->num_columns(), schema.size());
  }
  return retyped(batch, batch->num_columns(), physical);
}

Result<connector::RecordBatchPtr> to_logical(const connector::RecordBatchPtr& batch,
                                             const column::Schema& schema,
                                             const std::shared_ptr<arrow::Schema>& logical) {
  return retyped(batch, static_cast<int>(schema.size()), logical);
}

}  // namespace millstream::engine
