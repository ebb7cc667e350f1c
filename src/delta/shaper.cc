#include "delta/shaper.h"

#include <arrow/array.h>
#include <arrow/array/concatenate.h>
#include <arrow/array/util.h>
#include <arrow/builder.h>
#include <arrow/compute/cast.h>
#include <arrow/record_batch.h>
#include <arrow/scalar.h>
#include <arrow/type.h>
#include <arrow/util/decimal.h>

#include <algorithm>

#include "base/text.h"
#include "delta/values.h"
#include "format/arrow_status.h"

namespace millstream::delta {
namespace {

using column::Field;
using column::TypeKind;
using column::TypePtr;
using ArrayPtr = std::shared_ptr<arrow::Array>;

// What a cast needs to say where it failed.
struct Place {
  const Field& from;
  const Field& to;
};

Status overflow(const Place& place, const std::string& value) {
  return Status::error("CAST_OVERFLOW_IN_TABLE_INSERT",
                       {{"sourceType", '"' + place.from.type->sql() + '"'},
                        {"targetType", '"' + place.to.type->sql() + '"'},
                        {"columnName", '`' + place.to.name + '`'},
                        {"value", value}});
}

// The text of a value, as a cast to STRING gives it.
Result<std::string> cast_text(const TypePtr& type, const arrow::Scalar& value) {
  switch (type->kind()) {
    case TypeKind::float_:
      return java_text(static_cast<const arrow::FloatScalar&>(value).value);
    case TypeKind::double_:
      return java_text(static_cast<const arrow::DoubleScalar&>(value).value);
    case TypeKind::decimal:
      return decimal_text(value);
    case TypeKind::date:
      return date_text(static_cast<const arrow::Date32Scalar&>(value).value);
    case TypeKind::timestamp_ntz:
      return timestamp_text(static_cast<const arrow::TimestampScalar&>(value).value, ' ', 0);
    default:
      return value.ToString();
  }
}

// A decimal number's text with `scale` digits after the point, the rest rounded half up. Exponents
// are resolved.
std::optional<arrow::Decimal128> parse_decimal_rounded(const std::string& text, int scale) {
  arrow::Decimal256 value;
  std::int32_t precision = 0;
  std::int32_t parsed_scale = 0;
  if (!arrow::Decimal256::FromString(text, &value, &precision, &parsed_scale).ok())
    return std::nullopt;
  if (parsed_scale > scale) {
    value = value.ReduceScaleBy(parsed_scale - scale, /*round=*/true);
  } else if (parsed_scale < scale) {
    if (scale - parsed_scale > 76) return std::nullopt;
    const auto rescaled = value.Rescale(parsed_scale, scale);
    if (!rescaled.ok()) return std::nullopt;
    value = *rescaled;
  }
  if (!value.FitsInPrecision(38)) return std::nullopt;
  arrow::Decimal128 narrow;
  std::int32_t ignored = 0;
  if (!arrow::Decimal128::FromString(value.ToIntegerString(), &narrow, &ignored, &ignored).ok())
    return std::nullopt;
  return narrow;
}

Result<ScalarPtr> parse_cast(const Place& place, const std::string& given) {
  const std::string text(trim(given));
  const TypePtr& to = place.to.type;
  if (to->is_string()) return ScalarPtr(std::make_shared<arrow::StringScalar>(given));
  const auto bad = [&] {
    return Status::error("CAST_INVALID_INPUT", {{"expression", '\'' + given + '\''},
                                                {"sourceType", '"' + place.from.type->sql() + '"'},
                                                {"targetType", '"' + to->sql() + '"'},
                                                {"ansiConfig", "\"spark.sql.ansi.enabled\""}});
  };
  if (to->kind() == TypeKind::decimal) {
    const auto value = parse_decimal_rounded(text, to->scale());
    if (!value) return bad();
    if (!value->FitsInPrecision(to->precision())) return overflow(place, given);
    return ScalarPtr(std::make_shared<arrow::Decimal128Scalar>(*value, column::to_arrow(to)));
  }
  if (to->is_integral() && place.from.type->kind() != TypeKind::string) {
    // Numbers lose their fraction on the way to an integer.
    const auto value = parse_decimal_rounded(text, 20);
    if (!value) return overflow(place, given);
    const arrow::Decimal128 whole(value->ReduceScaleBy(20, /*round=*/false));
    auto parsed = parse_partition_value({place.to.name, to, true, {}}, whole.ToIntegerString());
    return parsed.ok() ? std::move(parsed) : Result<ScalarPtr>(overflow(place, given));
  }
  if (text.empty()) return bad();
  auto parsed = parse_partition_value({place.to.name, to, true, {}}, text);
  return parsed.ok() ? std::move(parsed) : Result<ScalarPtr>(bad());
}

bool instant_and_other(const TypePtr& a, const TypePtr& b) {
  return (a->kind() == TypeKind::timestamp) != (b->kind() == TypeKind::timestamp);
}

Status not_cast(const Place& place) {
  return Status::error("DELTA_FAILED_TO_MERGE_FIELDS",
                       {{"currentField", place.to.name}, {"updateField", place.from.name}})
      .with_cause(Status::error("DELTA_MERGE_INCOMPATIBLE_DATATYPE",
                                {{"currentDataType", place.to.type->simple_string()},
                                 {"updateDataType", place.from.type->simple_string()}}));
}

// Value by value, by way of texts: right for every pair of plain types, and fast enough for the
// pairs that are rare.
Result<ArrayPtr> cast_by_text(const ArrayPtr& array, const Place& place) {
  TRY_ARROW_ASSIGN(auto builder, arrow::MakeBuilder(column::to_arrow(place.to.type)));
  TRY_ARROW(builder->Reserve(array->length()));
  for (std::int64_t i = 0; i < array->length(); ++i) {
    if (array->IsNull(i)) {
      TRY_ARROW(builder->AppendNull());
      continue;
    }
    TRY_ARROW_ASSIGN(const auto value, array->GetScalar(i));
    TRY_ASSIGN(const std::string text, cast_text(place.from.type, *value));
    TRY_ASSIGN(const ScalarPtr cast, parse_cast(place, text));
    TRY_ARROW(builder->AppendScalar(*cast));
  }
  TRY_ARROW_ASSIGN(auto built, builder->Finish());
  return built;
}

Result<ArrayPtr> cast_plain(const ArrayPtr& array, const Place& place) {
  const TypePtr& from = place.from.type;
  const TypePtr& to = place.to.type;
  const bool binary = from->kind() == TypeKind::binary || to->kind() == TypeKind::binary;
  const bool dates = from->kind() == TypeKind::date || to->kind() == TypeKind::date;
  if (instant_and_other(from, to) || binary || (dates && !from->is_string() && !to->is_string())) {
    return not_cast(place);
  }
  const bool floats_up = from->kind() == TypeKind::float_ && to->kind() == TypeKind::double_;
  if ((from->is_integral() &&
       (to->is_integral() || to->kind() == TypeKind::float_ || to->kind() == TypeKind::double_)) ||
      floats_up) {
    arrow::compute::CastOptions options = arrow::compute::CastOptions::Safe(column::to_arrow(to));
    options.allow_float_truncate = true;  // a long's last digits, as Spark's cast
    auto cast = arrow::compute::Cast(*array, options.to_type, options);
    if (!cast.ok()) return overflow(place, cast.status().message());
    return std::move(cast).ValueOrDie();
  }
  return cast_by_text(array, place);
}

// Whether anything inside a value of the type must not be NULL (keys of maps never are).
bool has_not_null_inside(const TypePtr& type) {
  if (!type->is_nested()) return false;
  const bool is_struct = type->kind() == TypeKind::struct_;
  return std::any_of(type->fields().begin(), type->fields().end(), [&](const Field& field) {
    return (is_struct && !field.nullable) || has_not_null_inside(field.type);
  });
}

// Arrays are all nullable in form: NOT NULL is checked here, and a member of a NULL struct may be
// NULL.
std::shared_ptr<arrow::DataType> arrow_form(const TypePtr& type) {
  return column::to_arrow(column::as_nullable(type));
}

Status check_no_nulls(const arrow::Array& array, const Field& field, const arrow::Array* parent) {
  if (field.nullable || array.null_count() == 0) return Status::OK();
  for (std::int64_t i = 0; i < array.length(); ++i) {
    if (array.IsNull(i) && (parent == nullptr || parent->IsValid(i))) {
      return Status::error("DELTA_NOT_NULL_CONSTRAINT_VIOLATED", {{"columnName", field.name}});
    }
  }
  return Status::OK();
}

Result<ArrayPtr> convert(ArrayPtr array, const Place& place);

Result<ArrayPtr> convert_struct(const ArrayPtr& array, const Place& place) {
  const auto& rows = static_cast<const arrow::StructArray&>(*array);
  const auto& from = place.from.type->fields();
  std::vector<ArrayPtr> members;
  arrow::FieldVector fields;
  for (const auto& field : place.to.type->fields()) {
    const int source = column::find_field_ignore_case(from, field.name);
    ArrayPtr member;
    if (source < 0) {
      TRY_ARROW_ASSIGN(member, arrow::MakeArrayOfNull(arrow_form(field.type), rows.length()));
    } else {
      TRY_ASSIGN(member,
                 convert(rows.field(source), {from[static_cast<std::size_t>(source)], field}));
    }
    TRY(check_no_nulls(*member, field, array.get()));
    members.push_back(std::move(member));
    fields.push_back(arrow::field(field.name, members.back()->type()));
  }
  // field() of a sliced struct is sliced; the validity bits start at the array's own offset.
  const auto validity = rows.null_count() == 0 ? nullptr : rows.null_bitmap();
  return ArrayPtr(std::make_shared<arrow::StructArray>(
      arrow::struct_(fields), rows.length(), members, validity, arrow::kUnknownNullCount, 0));
}

Result<ArrayPtr> convert(ArrayPtr array, const Place& place) {
  const TypePtr& from = place.from.type;
  const TypePtr& to = place.to.type;
  const auto wanted = arrow_form(to);
  if (array->type()->Equals(*wanted) && !has_not_null_inside(to)) return array;
  if (from->kind() == TypeKind::null || array->type_id() == arrow::Type::NA) {
    TRY_ARROW_ASSIGN(auto nulls, arrow::MakeArrayOfNull(wanted, array->length()));
    return nulls;
  }
  if (from->kind() != to->kind() && !(from->is_string() && to->is_string()))
    return cast_plain(array, place);
  switch (to->kind()) {
    case TypeKind::struct_: {
      // A validity bitmap with an offset would have to be copied: start from zero.
      if (array->offset() != 0) {
        TRY_ARROW_ASSIGN(array, arrow::Concatenate({array}));
      }
      return convert_struct(array, place);
    }
    case TypeKind::array: {
      const auto& lists = static_cast<const arrow::ListArray&>(*array);
      const Field element_from{place.from.name, from->element(), true, {}};
      const Field element_to{place.to.name, to->element(), true, {}};
      TRY_ASSIGN(auto values, convert(lists.values(), {element_from, element_to}));
      return ArrayPtr(std::make_shared<arrow::ListArray>(
          wanted, lists.length(), lists.value_offsets(), values, lists.null_bitmap(),
          arrow::kUnknownNullCount, lists.offset()));
    }
    case TypeKind::map: {
      const auto& maps = static_cast<const arrow::MapArray&>(*array);
      const Field key_from{place.from.name, from->key(), false, {}};
      const Field key_to{place.to.name, to->key(), false, {}};
      const Field value_from{place.from.name, from->value(), true, {}};
      const Field value_to{place.to.name, to->value(), true, {}};
      TRY_ASSIGN(auto keys, convert(maps.keys(), {key_from, key_to}));
      TRY_ASSIGN(auto values, convert(maps.items(), {value_from, value_to}));
      return ArrayPtr(std::make_shared<arrow::MapArray>(wanted, maps.length(), maps.value_offsets(),
                                                        keys, values, maps.null_bitmap(),
                                                        arrow::kUnknownNullCount, maps.offset()));
    }
    case TypeKind::decimal:
      return cast_by_text(array, place);
    default: {
      // The same type under another label of the time zone, or another width of text.
      const auto viewed = array->View(wanted);
      if (viewed.ok()) return *viewed;
      auto cast = arrow::compute::Cast(*array, wanted);
      if (!cast.ok()) return not_cast(place);
      return std::move(cast).ValueOrDie();
    }
  }
}

}  // namespace

Shaper::Shaper(column::Schema from, column::Schema to)
    : from_(std::move(from)),
      to_(std::move(to)),
      arrow_schema_(column::to_arrow(column::as_nullable(to_))) {
  for (const auto& field : to_)
    source_.push_back(column::find_field_ignore_case(from_, field.name));
}

Result<connector::RecordBatchPtr> Shaper::shape(const connector::RecordBatchPtr& batch) const {
  std::vector<ArrayPtr> columns;
  columns.reserve(to_.size());
  for (std::size_t i = 0; i < to_.size(); ++i) {
    ArrayPtr array;
    if (source_[i] < 0) {
      TRY_ARROW_ASSIGN(array, arrow::MakeArrayOfNull(arrow_form(to_[i].type), batch->num_rows()));
    } else {
      TRY_ASSIGN(array, convert(batch->column(source_[i]),
                                {from_[static_cast<std::size_t>(source_[i])], to_[i]}));
    }
    TRY(check_no_nulls(*array, to_[i], nullptr));
    columns.push_back(std::move(array));
  }
  return arrow::RecordBatch::Make(arrow_schema_, batch->num_rows(), std::move(columns));
}

}  // namespace millstream::delta
