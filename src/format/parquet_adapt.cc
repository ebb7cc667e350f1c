#include "format/parquet_adapt.h"

#include <arrow/array.h>
#include <arrow/array/util.h>
#include <arrow/compute/cast.h>
#include <arrow/type.h>
#include <arrow/util/bitmap_ops.h>
#include <parquet/arrow/schema.h>

#include <algorithm>

#include "base/text.h"
#include "format/arrow_status.h"
#include "format/byte_input.h"

namespace millstream::format {
namespace {

using column::TypeKind;
using parquet::arrow::SchemaField;

void collect_all(const SchemaField& field, std::vector<int>& leaves) {
  if (field.is_leaf()) leaves.push_back(field.column_index);
  for (const auto& child : field.children) collect_all(child, leaves);
}

int first_leaf(const SchemaField& field) {
  const SchemaField* at = &field;
  while (!at->is_leaf()) at = &at->children.front();
  return at->column_index;
}

// Decimal digits that an integer type needs.
int integer_digits(arrow::Type::type id) {
  switch (id) {
    case arrow::Type::INT8:
    case arrow::Type::UINT8:
      return 3;
    case arrow::Type::INT16:
    case arrow::Type::UINT16:
      return 5;
    case arrow::Type::INT32:
    case arrow::Type::UINT32:
      return 10;
    case arrow::Type::INT64:
      return 19;
    case arrow::Type::UINT64:
      return 20;
    default:
      return 0;
  }
}

// What is the same thing to Spark, only in another Arrow dress.
bool is_same_kind(const arrow::DataType& from, const column::DataType& to) {
  switch (from.id()) {
    case arrow::Type::LARGE_STRING:
    case arrow::Type::STRING_VIEW:
    case arrow::Type::STRING:
      return to.is_string();
    case arrow::Type::LARGE_BINARY:
    case arrow::Type::BINARY_VIEW:
    case arrow::Type::FIXED_SIZE_BINARY:
    case arrow::Type::BINARY:
      return to.kind() == TypeKind::binary || to.is_string();
    case arrow::Type::TIMESTAMP: {
      const bool has_zone = !static_cast<const arrow::TimestampType&>(from).timezone().empty();
      return to.kind() == TypeKind::timestamp ||
             (!has_zone && to.kind() == TypeKind::timestamp_ntz);
    }
    case arrow::Type::UINT8:
      return to.kind() == TypeKind::short_;
    case arrow::Type::UINT16:
      return to.kind() == TypeKind::int_;
    case arrow::Type::UINT32:
      return to.kind() == TypeKind::long_;
    case arrow::Type::UINT64:
      return to.kind() == TypeKind::decimal && to.precision() == 20 && to.scale() == 0;
    case arrow::Type::NA:
      return true;
    case arrow::Type::DICTIONARY:
      return is_same_kind(*static_cast<const arrow::DictionaryType&>(from).value_type(), to);
    case arrow::Type::INT32:  // without a note of its width
      return to.kind() == TypeKind::byte_ || to.kind() == TypeKind::short_;
    default:
      return false;
  }
}

bool is_promotion(const arrow::DataType& from, const column::DataType& to) {
  const auto id = from.id();
  const int digits = integer_digits(id);
  const bool small =
      id == arrow::Type::INT8 || id == arrow::Type::INT16 || id == arrow::Type::INT32;
  switch (to.kind()) {
    case TypeKind::short_:
      return id == arrow::Type::INT8;
    case TypeKind::int_:
      return id == arrow::Type::INT8 || id == arrow::Type::INT16;
    case TypeKind::long_:
      return small;
    case TypeKind::double_:
      return small || id == arrow::Type::FLOAT;
    case TypeKind::timestamp_ntz:
      return id == arrow::Type::DATE32;
    case TypeKind::decimal:
      if (digits > 0) return to.precision() - to.scale() >= (digits == 19 ? 20 : digits);
      if (const auto* decimal = dynamic_cast<const arrow::DecimalType*>(&from)) {
        return to.scale() >= decimal->scale() &&
               to.precision() - to.scale() >= decimal->precision() - decimal->scale();
      }
      return false;
    default:
      return false;
  }
}

class Adapter {
 public:
  Adapter(const std::string& column, const AdaptRules& rules) : column_(column), rules_(rules) {}

  Result<std::shared_ptr<arrow::Array>> adapt(const std::shared_ptr<arrow::Array>& array,
                                              const column::TypePtr& wanted) const {
    const auto type = column::to_arrow(wanted);
    if (array->type()->Equals(*type)) return array;
    switch (wanted->kind()) {
      case TypeKind::struct_:
        if (array->type_id() != arrow::Type::STRUCT) return mismatch(*array, *wanted);
        return adapt_struct(static_cast<const arrow::StructArray&>(*array), wanted, type);
      case TypeKind::array:
        if (array->type_id() == arrow::Type::LARGE_LIST ||
            array->type_id() == arrow::Type::FIXED_SIZE_LIST) {
          TRY_ARROW_ASSIGN(const auto list,
                           arrow::compute::Cast(*array, arrow::list(array->type()->field(0))));
          return adapt(list, wanted);
        }
        if (array->type_id() != arrow::Type::LIST) return mismatch(*array, *wanted);
        return adapt_list(static_cast<const arrow::ListArray&>(*array), wanted, type);
      case TypeKind::map:
        if (array->type_id() != arrow::Type::MAP) return mismatch(*array, *wanted);
        return adapt_map(static_cast<const arrow::MapArray&>(*array), wanted, type);
      case TypeKind::variant:
        return mismatch(*array, *wanted);
      default:
        return adapt_leaf(array, wanted, type);
    }
  }

 private:
  Status mismatch(const arrow::Array& array, const column::DataType& wanted) const {
    return Status::error("FAILED_READ_FILE.PARQUET_COLUMN_DATA_TYPE_MISMATCH",
                         {{"path", error_path(rules_.path)},
                          {"column", "[" + column_ + "]"},
                          {"expectedType", wanted.simple_string()},
                          {"actualType", array.type()->ToString()}});
  }

  Result<std::shared_ptr<arrow::Array>> adapt_struct(
      const arrow::StructArray& array, const column::TypePtr& wanted,
      const std::shared_ptr<arrow::DataType>& type) const {
    std::vector<std::shared_ptr<arrow::ArrayData>> children;
    for (const auto& field : wanted->fields()) {
      std::shared_ptr<arrow::Array> member;
      for (int i = 0; i < array.num_fields() && member == nullptr; ++i) {
        const auto& name = array.struct_type()->field(i)->name();
        const bool same =
            rules_.case_sensitive ? name == field.name : equals_ignore_case(name, field.name);
        if (same) member = array.field(i);
      }
      if (member == nullptr) {
        TRY_ARROW_ASSIGN(member,
                         arrow::MakeArrayOfNull(column::to_arrow(field.type), array.length()));
      } else {
        TRY_ASSIGN(member, adapt(member, field.type));
      }
      children.push_back(member->data());
    }
    // field(i) is sliced already, so the validity is given a fresh start too.
    std::shared_ptr<arrow::Buffer> validity = array.null_bitmap();
    if (validity != nullptr && array.offset() != 0) {
      TRY_ARROW_ASSIGN(validity,
                       arrow::internal::CopyBitmap(arrow::default_memory_pool(), validity->data(),
                                                   array.offset(), array.length()));
    }
    return arrow::MakeArray(arrow::ArrayData::Make(type, array.length(), {std::move(validity)},
                                                   std::move(children), array.null_count()));
  }

  Result<std::shared_ptr<arrow::Array>> adapt_list(
      const arrow::ListArray& array, const column::TypePtr& wanted,
      const std::shared_ptr<arrow::DataType>& type) const {
    TRY_ASSIGN(const auto values, adapt(array.values(), wanted->element()));
    auto data = array.data()->Copy();
    data->type = type;
    data->child_data = {values->data()};
    return arrow::MakeArray(data);
  }

  Result<std::shared_ptr<arrow::Array>> adapt_map(
      const arrow::MapArray& array, const column::TypePtr& wanted,
      const std::shared_ptr<arrow::DataType>& type) const {
    TRY_ASSIGN(const auto keys, adapt(array.keys(), wanted->key()));
    TRY_ASSIGN(const auto values, adapt(array.items(), wanted->value()));
    auto data = array.data()->Copy();
    data->type = type;
    data->child_data = {arrow::ArrayData::Make(type->field(0)->type(), keys->length(), {nullptr},
                                               {keys->data(), values->data()}, 0)};
    return arrow::MakeArray(data);
  }

  Result<std::shared_ptr<arrow::Array>> adapt_leaf(
      const std::shared_ptr<arrow::Array>& array, const column::TypePtr& wanted,
      const std::shared_ptr<arrow::DataType>& type) const {
    const bool same = is_same_kind(*array->type(), *wanted);
    if (!same && !(rules_.promote && is_promotion(*array->type(), *wanted)))
      return mismatch(*array, *wanted);
    if (array->type_id() == arrow::Type::TIMESTAMP) {
      const auto& from = static_cast<const arrow::TimestampType&>(*array->type());
      if (from.unit() == arrow::TimeUnit::MICRO) {
        TRY_ARROW_ASSIGN(auto viewed, array->View(type));
        return viewed;
      }
    }
    arrow::compute::CastOptions options = arrow::compute::CastOptions::Safe(type);
    options.allow_time_truncate = true;
    options.allow_invalid_utf8 = true;
    options.allow_int_overflow = true;  // BYTE and SHORT are the low bits, as in Spark
    std::shared_ptr<arrow::Array> from = array;
    if (from->type_id() == arrow::Type::DATE32) {  // a day as a wall-clock time
      TRY_ARROW_ASSIGN(from,
                       arrow::compute::Cast(*from, arrow::timestamp(arrow::TimeUnit::SECOND)));
    }
    if (from->type_id() == arrow::Type::TIMESTAMP) {  // the label of a zone changes nothing
      const auto unit = static_cast<const arrow::TimestampType&>(*from->type()).unit();
      TRY_ARROW_ASSIGN(from, from->View(arrow::timestamp(unit)));
      options.to_type = arrow::timestamp(arrow::TimeUnit::MICRO);
      TRY_ARROW_ASSIGN(const auto micros, arrow::compute::Cast(*from, options.to_type, options));
      TRY_ARROW_ASSIGN(auto viewed, micros->View(type));
      return viewed;
    }
    auto cast = arrow::compute::Cast(*from, type, options);
    if (!cast.ok()) return mismatch(*array, *wanted);
    return *cast;
  }

  const std::string& column_;
  const AdaptRules& rules_;
};

}  // namespace

const SchemaField* find_member(const std::vector<SchemaField>& members, const std::string& name,
                               bool case_sensitive) {
  for (const auto& member : members) {
    if (member.field->name() == name) return &member;
  }
  if (case_sensitive) return nullptr;
  for (const auto& member : members) {
    if (equals_ignore_case(member.field->name(), name)) return &member;
  }
  return nullptr;
}

void collect_leaves(const SchemaField& field, const column::DataType& wanted, bool case_sensitive,
                    std::vector<int>& leaves) {
  if (field.is_leaf()) {
    leaves.push_back(field.column_index);
    return;
  }
  const auto id = field.field->type()->id();
  if (wanted.kind() == TypeKind::struct_ && id == arrow::Type::STRUCT) {
    const std::size_t before = leaves.size();
    for (const auto& member : wanted.fields()) {
      const SchemaField* found = find_member(field.children, member.name, case_sensitive);
      if (found != nullptr) collect_leaves(*found, *member.type, case_sensitive, leaves);
    }
    // Some leaf must be read to know which of the structs are NULL.
    if (leaves.size() == before) leaves.push_back(first_leaf(field));
    return;
  }
  if (wanted.kind() == TypeKind::array && id == arrow::Type::LIST && field.children.size() == 1) {
    return collect_leaves(field.children[0], *wanted.element(), case_sensitive, leaves);
  }
  collect_all(field, leaves);
}

Result<std::shared_ptr<arrow::Array>> adapt(const std::shared_ptr<arrow::Array>& array,
                                            const column::TypePtr& wanted,
                                            const std::string& column, const AdaptRules& rules) {
  return Adapter(column, rules).adapt(array, wanted);
}

}  // namespace millstream::format
