#include "format/parquet_adapt.h"

#include <arrow/array.h>
#include <arrow/array/util.h>
#include <arrow/compute/cast.h>
#include <arrow/type.h>
#include <arrow/util/bitmap_ops.h>
#include <arrow/util/key_value_metadata.h>
#include <parquet/arrow/schema.h>

#include <algorithm>

#include "base/text.h"
#include "format/arrow_status.h"
#include "format/byte_input.h"

namespace millstream::format {

std::optional<std::int64_t> noted_field_id(const column::Field& field) {
  constexpr std::string_view key = "\"parquet.field.id\":";
  const auto at = field.metadata.find(key);
  if (at == std::string::npos) return std::nullopt;
  const auto digits = field.metadata.find_first_not_of(" ", at + key.size());
  return parse_int64(std::string_view(field.metadata)
                         .substr(digits, field.metadata.find_first_of(",}", digits) - digits));
}

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
    case arrow::Type::TIME64:
      return static_cast<const arrow::TimeType&>(from).unit() == arrow::TimeUnit::MICRO &&
             (to.kind() == TypeKind::time || to.kind() == TypeKind::long_);
    case arrow::Type::INT64:  // microseconds
      return to.kind() == TypeKind::time || to.kind() == TypeKind::day_time_interval;
    case arrow::Type::INT32:  // without a note of its width
      return to.kind() == TypeKind::byte_ || to.kind() == TypeKind::short_ ||
             to.kind() == TypeKind::year_month_interval;
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

std::optional<std::int64_t> field_id_of(const arrow::Field& field) {
  if (!field.HasMetadata()) return std::nullopt;
  const auto id = field.metadata()->Get("PARQUET:field_id");
  return id.ok() ? parse_int64(*id) : std::nullopt;
}

// Where the wanted field is in a list of fields; -1: nowhere.
template <typename FieldAt>
int find_field(int count, const FieldAt& field_at, const column::Field& wanted,
               const MatchRule& rule) {
  if (const auto id = rule.by_field_id ? noted_field_id(wanted) : std::nullopt) {
    for (int i = 0; i < count; ++i) {
      if (field_id_of(field_at(i)) == id) return i;
    }
    return -1;
  }
  for (int i = 0; i < count; ++i) {
    if (field_at(i).name() == wanted.name) return i;
  }
  for (int i = 0; !rule.case_sensitive && i < count; ++i) {
    if (equals_ignore_case(field_at(i).name(), wanted.name)) return i;
  }
  return -1;
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
                         {{"path", io::to_file_uri(rules_.path)},
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
      const int found = find_field(
          array.num_fields(),
          [&](int i) -> const arrow::Field& { return *array.struct_type()->field(i); }, field,
          rules_.match);
      if (found >= 0) member = array.field(found);
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
    if (wanted->kind() == TypeKind::day_time_interval ||
        wanted->kind() == TypeKind::year_month_interval) {
      TRY_ARROW_ASSIGN(auto viewed, array->View(type));
      return viewed;
    }
    const bool counts = array->type_id() == arrow::Type::INT64 && wanted->kind() == TypeKind::time;
    if (counts || (array->type_id() == arrow::Type::TIME64 && wanted->kind() == TypeKind::long_)) {
      TRY_ARROW_ASSIGN(const auto viewed,
                       array->View(counts ? arrow::time64(arrow::TimeUnit::MICRO) : type));
      return counts ? adapt_leaf(viewed, wanted, type) : viewed;
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

const SchemaField* find_member(const std::vector<SchemaField>& members, const column::Field& wanted,
                               const MatchRule& rule) {
  const auto field_at = [&](int i) -> const arrow::Field& {
    return *members[static_cast<std::size_t>(i)].field;
  };
  const int found = find_field(static_cast<int>(members.size()), field_at, wanted, rule);
  return found < 0 ? nullptr : &members[static_cast<std::size_t>(found)];
}

bool has_field_ids(const std::vector<SchemaField>& fields) {
  return std::any_of(fields.begin(), fields.end(), [](const SchemaField& field) {
    return field_id_of(*field.field).has_value() || has_field_ids(field.children);
  });
}

void collect_leaves(const SchemaField& field, const column::DataType& wanted, const MatchRule& rule,
                    std::vector<int>& leaves) {
  if (field.is_leaf()) {
    leaves.push_back(field.column_index);
    return;
  }
  const auto id = field.field->type()->id();
  if (wanted.kind() == TypeKind::struct_ && id == arrow::Type::STRUCT) {
    const std::size_t before = leaves.size();
    for (const auto& member : wanted.fields()) {
      const SchemaField* found = find_member(field.children, member, rule);
      if (found != nullptr) collect_leaves(*found, *member.type, rule, leaves);
    }
    // Some leaf must be read to know which of the structs are NULL.
    if (leaves.size() == before) leaves.push_back(first_leaf(field));
    return;
  }
  if (wanted.kind() == TypeKind::array && id == arrow::Type::LIST && field.children.size() == 1) {
    return collect_leaves(field.children[0], *wanted.element(), rule, leaves);
  }
  collect_all(field, leaves);
}

Result<std::shared_ptr<arrow::Array>> adapt(const std::shared_ptr<arrow::Array>& array,
                                            const column::TypePtr& wanted,
                                            const std::string& column, const AdaptRules& rules) {
  return Adapter(column, rules).adapt(array, wanted);
}

}  // namespace millstream::format
