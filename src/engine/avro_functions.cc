// from_avro and to_avro. What is decided by the schemas and types alone is decided once a thread.
#include <arrow/array.h>
#include <arrow/builder.h>
#include <arrow/type.h>
#include <arrow/util/decimal.h>

#include <memory>
#include <vector>

#include "avro/decode.h"
#include "avro/encode.h"
#include "base/text.h"
#include "engine/document_text.h"
#include "engine/value_kernel.h"

namespace millstream::engine {

using column::DataType;
using column::TypeKind;

namespace {

constexpr std::size_t remembered_max = 64;  // plans of a thread

// What a plan was made for. The types are held, so that none of another query has their place.
struct PlanKey {
  std::string schema;
  std::string reader;
  column::TypePtr argument;
  column::TypePtr result;

  bool is_of(const ValueKernel& kernel) const {
    return argument == kernel.arguments[0] && result == kernel.result &&
           schema == kernel.option("jsonformatschema") && reader == kernel.option("avroschema");
  }
};

// The plan of a kernel, made at its first value.
template <typename Plan, typename Make>
Result<Plan*> remembered(const ValueKernel& kernel, const Make& make) {
  struct Entry {
    PlanKey key;
    std::unique_ptr<Plan> plan;
  };
  thread_local std::vector<Entry> plans;
  for (const auto& entry : plans) {
    if (entry.key.is_of(kernel)) return entry.plan.get();
  }
  if (plans.size() >= remembered_max) plans.clear();
  TRY_ASSIGN(auto made, make());
  plans.push_back({{std::string(kernel.option("jsonformatschema")),
                    std::string(kernel.option("avroschema")), kernel.arguments[0], kernel.result},
                   std::move(made)});
  return plans.back().plan.get();
}

Result<std::unique_ptr<avro::Decoder>> make_decoder(const ValueKernel& kernel) {
  TRY_ASSIGN(const auto writer, avro::Schema::parse(kernel.option("jsonformatschema")));
  auto reader = writer;
  if (const auto given = kernel.option("avroschema"); !given.empty()) {
    TRY_ASSIGN(reader, avro::Schema::parse(given));
  }
  return avro::Decoder::make(writer, reader, kernel.result, {});
}

Result<Value> from_avro(const ValueKernel& kernel, const Values& arguments) {
  TRY_ASSIGN(avro::Decoder* const decoder,
             remembered<avro::Decoder>(kernel, [&] { return make_decoder(kernel); }));
  avro::Input in(arguments[0].text);
  const Status read = decoder->decode(in);
  if (read.ok()) {
    TRY_ASSIGN(const auto array, decoder->finish());
    return read_value(*array, 0, *kernel.result);
  }
  decoder->reset();
  const bool record = kernel.result->kind() == TypeKind::struct_;
  const auto mode = kernel.option("mode");
  if (!mode.empty() && !equals_ignore_case(mode, "FAILFAST"))
    return record ? null_members(*kernel.result) : null_value();
  return Status::plain(ErrorKind::spark,
                       "Malformed records are detected in record parsing. Current parse Mode: "
                       "FAILFAST. To process malformed records as null result, try setting the "
                       "option 'mode' as 'PERMISSIVE'.")
      .with_cause(read);
}

Status append(const Value& value, const DataType& type, arrow::ArrayBuilder& to);

template <typename Builder, typename Number>
arrow::Status append_number(Number value, arrow::ArrayBuilder& to) {
  return static_cast<Builder&>(to).Append(static_cast<typename Builder::value_type>(value));
}

arrow::Status append_leaf(const Value& value, const DataType& type, arrow::ArrayBuilder& to) {
  switch (type.kind()) {
    case TypeKind::boolean:
      return append_number<arrow::BooleanBuilder>(value.integer != 0, to);
    case TypeKind::byte_:
      return append_number<arrow::Int8Builder>(value.integer, to);
    case TypeKind::short_:
      return append_number<arrow::Int16Builder>(value.integer, to);
    case TypeKind::int_:
      return append_number<arrow::Int32Builder>(value.integer, to);
    case TypeKind::long_:
      return append_number<arrow::Int64Builder>(value.integer, to);
    case TypeKind::float_:
      return append_number<arrow::FloatBuilder>(value.floating, to);
    case TypeKind::double_:
      return append_number<arrow::DoubleBuilder>(value.floating, to);
    case TypeKind::date:
      return append_number<arrow::Date32Builder>(value.integer, to);
    case TypeKind::timestamp:
    case TypeKind::timestamp_ntz:
      return append_number<arrow::TimestampBuilder>(value.integer, to);
    case TypeKind::time:
      return append_number<arrow::Time64Builder>(value.integer, to);
    case TypeKind::day_time_interval:
      return append_number<arrow::DurationBuilder>(value.integer, to);
    case TypeKind::year_month_interval:
      return append_number<arrow::MonthIntervalBuilder>(value.integer, to);
    case TypeKind::decimal:
      return static_cast<arrow::Decimal128Builder&>(to).Append(
          arrow::Decimal128(static_cast<std::int64_t>(value.decimal >> 64),
                            static_cast<std::uint64_t>(value.decimal)));
    case TypeKind::binary:
      return static_cast<arrow::BinaryBuilder&>(to).Append(value.text);
    default:
      if (type.is_string()) return static_cast<arrow::StringBuilder&>(to).Append(value.text);
      return arrow::Status::NotImplemented("to_avro of ", type.sql());
  }
}

Status of_arrow(const arrow::Status& status) {
  return status.ok() ? Status::OK() : Status::internal("Arrow: {}", status.ToString());
}

Status append(const Value& value, const DataType& type, arrow::ArrayBuilder& to) {
  if (value.is_null()) return of_arrow(to.AppendNull());
  switch (type.kind()) {
    case TypeKind::struct_: {
      auto& builder = static_cast<arrow::StructBuilder&>(to);
      TRY(of_arrow(builder.Append()));
      for (std::size_t i = 0; i < value.items.size(); ++i)
        TRY(append(value.items[i], *type.fields()[i].type,
                   *builder.field_builder(static_cast<int>(i))));
      return Status::OK();
    }
    case TypeKind::array: {
      auto& builder = static_cast<arrow::ListBuilder&>(to);
      TRY(of_arrow(builder.Append()));
      for (const auto& item : value.items)
        TRY(append(item, *type.element(), *builder.value_builder()));
      return Status::OK();
    }
    case TypeKind::map: {
      auto& builder = static_cast<arrow::MapBuilder&>(to);
      TRY(of_arrow(builder.Append()));
      for (const auto& entry : value.items) {
        TRY(append(entry.items[0], *type.key(), *builder.key_builder()));
        TRY(append(entry.items[1], *type.value(), *builder.item_builder()));
      }
      return Status::OK();
    }
    default:
      return of_arrow(append_leaf(value, type, to));
  }
}

struct Writer {
  std::unique_ptr<avro::Encoder> encoder;
  std::unique_ptr<arrow::ArrayBuilder> builder;
};

Result<std::unique_ptr<Writer>> make_writer(const ValueKernel& kernel) {
  auto writer = std::make_unique<Writer>();
  TRY_ASSIGN(auto schema, avro::Schema::parse(kernel.option("jsonformatschema")));
  TRY_ASSIGN(writer->encoder, avro::Encoder::make(std::move(schema), kernel.arguments[0], {}));
  TRY(of_arrow(arrow::MakeBuilder(arrow::default_memory_pool(),
                                  column::to_arrow(kernel.arguments[0]), &writer->builder)));
  return writer;
}

Result<Value> to_avro(const ValueKernel& kernel, const Values& arguments) {
  TRY_ASSIGN(Writer* const writer, remembered<Writer>(kernel, [&] { return make_writer(kernel); }));
  writer->builder->Reset();
  TRY(append(arguments[0], *kernel.arguments[0], *writer->builder));
  auto array = writer->builder->Finish();
  TRY(of_arrow(array.status()));
  std::string out;
  TRY(writer->encoder->encode(**array, 0, out));
  return text_value(std::move(out));
}

constexpr ValueFunction functions[] = {
    {"from_avro", from_avro},
    {"to_avro", to_avro},
};

}  // namespace

std::span<const ValueFunction> avro_functions() { return functions; }

}  // namespace millstream::engine
