#include "format/parquet_prune.h"

#include <arrow/scalar.h>
#include <arrow/type.h>
#include <parquet/arrow/schema.h>
#include <parquet/metadata.h>
#include <parquet/statistics.h>

#include <cmath>

#include "format/parquet_adapt.h"
#include "format/parquet_stats.h"

namespace millstream::format {
namespace {

using connector::Predicate;
using Op = Predicate::Op;

template <typename T>
int sign(const T& a, const T& b) {
  return a < b ? -1 : b < a ? 1 : 0;
}

template <typename ScalarType>
int compare_as(const arrow::Scalar& a, const arrow::Scalar& b) {
  return sign(static_cast<const ScalarType&>(a).value, static_cast<const ScalarType&>(b).value);
}

bool is_nan(const arrow::Scalar& value) {
  if (value.type->id() == arrow::Type::DOUBLE)
    return std::isnan(static_cast<const arrow::DoubleScalar&>(value).value);
  if (value.type->id() == arrow::Type::FLOAT)
    return std::isnan(static_cast<const arrow::FloatScalar&>(value).value);
  return false;
}

bool is_floating(const arrow::Scalar& value) {
  return value.type->id() == arrow::Type::DOUBLE || value.type->id() == arrow::Type::FLOAT;
}

struct Range {
  std::shared_ptr<arrow::Scalar> min;
  std::shared_ptr<arrow::Scalar> max;
};

bool can_equal(const Range& range, const arrow::Scalar& value) {
  if (!value.is_valid) return false;
  if (is_nan(value)) return true;
  const auto low = compare_scalars(*range.min, value);
  const auto high = compare_scalars(*range.max, value);
  return !low || !high || (*low <= 0 && *high >= 0);
}

bool can_start_with(const Range& range, const arrow::Scalar& value) {
  if (value.type->id() != arrow::Type::STRING || range.min->type->id() != arrow::Type::STRING)
    return true;
  const auto text = [](const arrow::Scalar& scalar) {
    return std::string_view(*static_cast<const arrow::StringScalar&>(scalar).value);
  };
  const auto prefix = text(value);
  return text(*range.max) >= prefix && text(*range.min).substr(0, prefix.size()) <= prefix;
}

// Can a value within the range match? NaN is above every number for Spark, and ranges do not tell
// of it.
bool can_match(const Predicate& predicate, const Range& range) {
  if (predicate.op == Op::in) {
    for (const auto& value : predicate.values) {
      if (can_equal(range, *value)) return true;
    }
    return false;
  }
  if (predicate.values.empty()) return true;
  const arrow::Scalar& value = *predicate.values.front();
  if (!value.is_valid) return false;
  const auto low = compare_scalars(*range.min, value);
  const auto high = compare_scalars(*range.max, value);
  switch (predicate.op) {
    case Op::equal:
      return can_equal(range, value);
    case Op::not_equal:
      return is_floating(value) || !low || !high || *low != 0 || *high != 0;
    case Op::less:
      return is_nan(value) || !low || *low < 0;
    case Op::less_equal:
      return is_nan(value) || !low || *low <= 0;
    case Op::greater:
      return is_floating(value) || !high || *high > 0;
    case Op::greater_equal:
      return is_floating(value) || !high || *high >= 0;
    case Op::starts_with:
      return can_start_with(range, value);
    default:
      return true;
  }
}

struct Leaf {
  const Predicate* predicate;
  int column = -1;  // -1: the file has it not
  column::TypePtr type;
};

// The leaf that a predicate is about; false: it is about something else.
bool find_leaf(const Predicate& predicate, const parquet::arrow::SchemaManifest& manifest,
               const column::Schema& wanted, const MatchRule& rule, Leaf& leaf) {
  const auto* members = &manifest.schema_fields;
  const column::Schema* fields = &wanted;
  for (std::size_t i = 0; i < predicate.path.size(); ++i) {
    const auto& name = predicate.path[i];
    int index = column::find_field(*fields, name);
    if (index < 0 && !rule.case_sensitive) index = column::find_field_ignore_case(*fields, name);
    if (index < 0) return false;
    const column::Field& field = (*fields)[static_cast<std::size_t>(index)];
    leaf.type = field.type;
    const auto* member = find_member(*members, field, rule);
    if (member == nullptr) {
      leaf.column = -1;
      return true;
    }
    if (i + 1 == predicate.path.size()) {
      if (!member->is_leaf() || member->level_info.rep_level > 0) return false;
      const auto type = column::from_arrow(*member->field->type());
      if (!type.ok() || !column::same_type(*type, leaf.type)) return false;
      leaf.column = member->column_index;
      return true;
    }
    if (leaf.type->kind() != column::TypeKind::struct_ ||
        member->field->type()->id() != arrow::Type::STRUCT)
      return false;
    members = &member->children;
    fields = &leaf.type->fields();
  }
  return false;
}

bool group_can_match(const parquet::RowGroupMetaData& group, const Leaf& leaf) {
  const Op op = leaf.predicate->op;
  if (leaf.column < 0) return op == Op::is_null;
  const auto chunk = group.ColumnChunk(leaf.column);
  const auto stats = chunk->statistics();
  if (stats != nullptr && stats->HasNullCount()) {
    if (op == Op::is_null) return stats->null_count() > 0;
    if (stats->null_count() == chunk->num_values()) return false;
  }
  if (op == Op::is_null || op == Op::is_not_null) return true;
  Range range;
  return !range_of_chunk(*chunk, leaf.type, range.min, range.max) ||
         can_match(*leaf.predicate, range);
}

}  // namespace

std::optional<int> compare_scalars(const arrow::Scalar& a, const arrow::Scalar& b) {
  if (a.type->id() != b.type->id() || !a.is_valid || !b.is_valid) return std::nullopt;
  switch (a.type->id()) {
    case arrow::Type::INT8:
      return compare_as<arrow::Int8Scalar>(a, b);
    case arrow::Type::INT16:
      return compare_as<arrow::Int16Scalar>(a, b);
    case arrow::Type::INT32:
      return compare_as<arrow::Int32Scalar>(a, b);
    case arrow::Type::INT64:
      return compare_as<arrow::Int64Scalar>(a, b);
    case arrow::Type::DATE32:
      return compare_as<arrow::Date32Scalar>(a, b);
    case arrow::Type::FLOAT:
      return compare_as<arrow::FloatScalar>(a, b);
    case arrow::Type::DOUBLE:
      return compare_as<arrow::DoubleScalar>(a, b);
    case arrow::Type::TIMESTAMP: {
      const auto unit = [](const arrow::Scalar& s) {
        return static_cast<const arrow::TimestampType&>(*s.type).unit();
      };
      if (unit(a) != unit(b)) return std::nullopt;
      return compare_as<arrow::TimestampScalar>(a, b);
    }
    case arrow::Type::DECIMAL128:
      if (!a.type->Equals(*b.type)) return std::nullopt;
      return compare_as<arrow::Decimal128Scalar>(a, b);
    case arrow::Type::STRING: {
      const auto text = [](const arrow::Scalar& s) {
        return std::string_view(*static_cast<const arrow::StringScalar&>(s).value);
      };
      return sign(text(a), text(b));
    }
    default:
      return std::nullopt;
  }
}

std::vector<int> matching_row_groups(const parquet::FileMetaData& footer,
                                     const parquet::arrow::SchemaManifest& manifest,
                                     const column::Schema& wanted, const MatchRule& rule,
                                     const std::vector<Predicate>& predicates) {
  std::vector<Leaf> leaves;
  for (const auto& predicate : predicates) {
    Leaf leaf{&predicate, -1, nullptr};
    if (find_leaf(predicate, manifest, wanted, rule, leaf)) leaves.push_back(std::move(leaf));
  }
  std::vector<int> groups;
  for (int i = 0; i < footer.num_row_groups(); ++i) {
    const auto group = footer.RowGroup(i);
    bool matches = true;
    for (const auto& leaf : leaves) matches = matches && group_can_match(*group, leaf);
    if (matches) groups.push_back(i);
  }
  return groups;
}

}  // namespace millstream::format
