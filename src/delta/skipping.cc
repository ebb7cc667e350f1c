// Which files a scan can leave out, by partition values and statistics.
#include <arrow/scalar.h>
#include <arrow/type.h>

#include <nlohmann/json.hpp>

#include "base/text.h"
#include "delta/stats.h"

namespace millstream::delta {
namespace {

using column::TypeKind;
using connector::Predicate;
using nlohmann::json;

// Collects the tokens of a statistics text by section and path, numbers by their own text.
class StatsReader final : public nlohmann::json_sax<json> {
 public:
  FileStats stats;

  bool null() override { return true; }
  bool boolean(bool value) override {
    if (path_.size() == 1 && path_[0] == "tightBounds") stats.tight = value;
    return true;
  }
  bool number_integer(std::int64_t value) override { return token(fmt::to_string(value), false); }
  bool number_unsigned(std::uint64_t value) override { return token(fmt::to_string(value), false); }
  bool number_float(double, const std::string& text) override { return token(text, false); }
  bool string(std::string& value) override { return token(value, true); }
  bool binary(json::binary_t&) override { return false; }
  bool start_object(std::size_t) override { return ++depth_ < 200; }
  bool end_object() override {
    path_.resize(static_cast<std::size_t>(--depth_));
    return true;
  }
  bool start_array(std::size_t) override { return false; }
  bool end_array() override { return false; }
  bool key(std::string& name) override {
    path_.resize(static_cast<std::size_t>(depth_ - 1));
    path_.push_back(name);
    return true;
  }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override {
    return false;
  }

 private:
  bool token(const std::string& text, bool is_string) {
    if (path_.empty()) return false;
    if (path_.size() == 1) {
      if (path_[0] == "numRecords" && !is_string) stats.rows = parse_int64(text);
      return true;
    }
    const std::string& section = path_[0];
    if (section != "minValues" && section != "maxValues" && section != "nullCount") return true;
    ColumnStats& column = stats.columns[std::vector<std::string>(path_.begin() + 1, path_.end())];
    if (section == "minValues") column.min = {text, is_string};
    if (section == "maxValues") column.max = {text, is_string};
    if (section == "nullCount") column.null_count = parse_int64(text);
    return true;
  }

  int depth_ = 0;
  std::vector<std::string> path_;
};

// What is known of one column in one file. Null bounds: unknown.
struct Range {
  ScalarPtr min;
  ScalarPtr max;
  bool exact = false;  // every value that is not NULL lies at min = max, if those are equal
  bool may_be_null = true;
  bool all_null = false;
};

// The bounds of `low <= some value <= high` can be true of.
bool may_lie_between(const Range& range, const arrow::Scalar* low, const arrow::Scalar* high) {
  if (low != nullptr && range.max != nullptr) {
    const auto order = compare(*range.max, *low);
    if (order && *order < 0) return false;
  }
  if (high != nullptr && range.min != nullptr) {
    const auto order = compare(*range.min, *high);
    if (order && *order > 0) return false;
  }
  return true;
}

bool starts_possible(const Range& range, const arrow::Scalar& prefix) {
  const std::string_view text = static_cast<const arrow::BaseBinaryScalar&>(prefix).view();
  const auto view = [](const ScalarPtr& s) {
    return static_cast<const arrow::BaseBinaryScalar&>(*s).view();
  };
  if (range.max != nullptr && view(range.max) < text) return false;
  // Everything from min on is past the texts that begin with the prefix.
  return range.min == nullptr || view(range.min).substr(0, text.size()) <= text;
}

bool is_text(const arrow::Scalar& scalar) {
  return scalar.type->id() == arrow::Type::STRING || scalar.type->id() == arrow::Type::BINARY;
}

bool matches(const Predicate& predicate, const Range& range) {
  using enum Predicate::Op;
  if (predicate.op == is_null) return range.may_be_null;
  if (predicate.op == is_not_null) return !range.all_null;
  if (range.all_null) return false;
  const auto& values = predicate.values;
  if (values.empty() || values[0] == nullptr) return true;
  for (const auto& value : values) {
    if (value == nullptr) return true;
  }
  const arrow::Scalar& value = *values[0];
  if (predicate.op != in && !value.is_valid) return false;  // a comparison with NULL is never true
  switch (predicate.op) {
    case equal:
      return may_lie_between(range, &value, &value);
    case less:
    case less_equal: {
      if (!may_lie_between(range, nullptr, &value)) return false;
      const auto order = range.min != nullptr ? compare(*range.min, value) : std::nullopt;
      return !(predicate.op == less && order && *order == 0);
    }
    case greater:
    case greater_equal: {
      if (!may_lie_between(range, &value, nullptr)) return false;
      const auto order =
          range.max != nullptr && range.exact ? compare(*range.max, value) : std::nullopt;
      return !(predicate.op == greater && order && *order == 0);
    }
    case in:
      for (const auto& each : values) {
        if (each->is_valid && may_lie_between(range, each.get(), each.get())) return true;
      }
      return false;
    case not_equal: {
      if (!range.exact || range.min == nullptr || range.max == nullptr) return true;
      const auto low = compare(*range.min, value);
      const auto high = compare(*range.max, value);
      return !(low && high && *low == 0 && *high == 0);
    }
    case starts_with:
      if (!is_text(value) || (range.min && !is_text(*range.min)) ||
          (range.max && !is_text(*range.max)))
        return true;
      return starts_possible(range, value);
    default:
      return true;
  }
}

// A maximum that was floored to milliseconds covers the microseconds above it.
ScalarPtr widened(const ScalarPtr& max, TypeKind kind) {
  if (max == nullptr || (kind != TypeKind::timestamp && kind != TypeKind::timestamp_ntz))
    return max;
  const auto& time = static_cast<const arrow::TimestampScalar&>(*max);
  return std::make_shared<arrow::TimestampScalar>(time.value + 999, time.type);
}

std::optional<Range> stats_range(const FileStats& stats, const std::vector<std::string>& path,
                                 const column::TypePtr& type) {
  const auto found = stats.columns.find(path);
  if (found == stats.columns.end()) return std::nullopt;
  const ColumnStats& column = found->second;
  Range range;
  const TypeKind kind = type->kind();
  const bool is_float = kind == TypeKind::float_ || kind == TypeKind::double_;
  if (column.min) range.min = parse_stats_value(type, column.min->text, column.min->is_string);
  if (column.max) range.max = parse_stats_value(type, column.max->text, column.max->is_string);
  range.max = widened(range.max, kind);
  // Some writers leave NaN, the greatest value, out of the maximum; and a minimum of NaN has been
  // seen beside numbers.
  if (is_float) range.max = nullptr;
  if (is_float && column.min && column.min->is_string) range.min = nullptr;
  range.exact =
      stats.tight && (type->is_integral() || kind == TypeKind::date || kind == TypeKind::decimal);
  if (column.null_count && stats.rows) {
    const bool none = *column.null_count == 0;
    const bool all = *column.null_count == *stats.rows;
    range.may_be_null = stats.tight ? !none : true;
    range.all_null = all;
    if (!stats.tight && none) range.may_be_null = false;
  }
  return range;
}

// Whether a column's bounds may have been written in another type whose texts round differently: a
// REAL that is a DOUBLE now.
bool has_rounded_bounds(const column::Field& field) {
  return field.type->kind() == TypeKind::double_ &&
         field.metadata.find("delta.typeChanges") != std::string::npos;
}

}  // namespace

std::optional<ColumnRef> find_column(const TableInfo& table, const std::vector<std::string>& path) {
  ColumnRef column;
  const column::Schema* fields = &table.schema;
  const column::Schema* physical = &table.physical;
  for (const auto& name : path) {
    const int index = fields == nullptr ? -1 : column::find_field_ignore_case(*fields, name);
    if (index < 0) return std::nullopt;
    const auto at = static_cast<std::size_t>(index);
    column.field = &(*fields)[at];
    if (column.physical_path.empty()) column.partition = table.is_partition_column(at);
    column.physical_path.push_back((*physical)[at].name);
    const bool is_struct = column.field->type->kind() == TypeKind::struct_;
    physical = is_struct ? &(*physical)[at].type->fields() : nullptr;
    fields = is_struct ? &column.field->type->fields() : nullptr;
  }
  return column.field == nullptr ? std::nullopt : std::optional(column);
}

FileStats parse_stats(std::string_view text) {
  StatsReader reader;
  try {
    if (json::sax_parse(text, &reader)) return std::move(reader.stats);
  } catch (const json::exception&) {
    // as with any statistics that do not parse: nothing is known
  }
  return {};
}

bool may_match(const AddFile& file, const TableInfo& table,
               const std::vector<Predicate>& predicates) {
  std::optional<FileStats> stats;
  for (const auto& predicate : predicates) {
    const auto column = find_column(table, predicate.path);
    if (!column) continue;
    const column::Field& field = *column->field;
    if (column->partition) {
      const auto found = file.partition_values.find(column->physical_path[0]);
      const auto value = parse_partition_value(
          field, found == file.partition_values.end() ? std::nullopt : found->second);
      if (!value.ok()) continue;  // the scan itself reports it
      if (field.type->kind() == TypeKind::timestamp && (*value)->is_valid &&
          !says_its_zone(*found->second))
        continue;
      const bool null = !(*value)->is_valid;
      const Range range{null ? nullptr : *value, null ? nullptr : *value, true, null, null};
      if (!matches(predicate, range)) return false;
      continue;
    }
    if (file.stats.empty()) continue;
    if (!stats) stats = parse_stats(file.stats);
    auto range = stats_range(*stats, column->physical_path, field.type);
    if (range && has_rounded_bounds(field)) range->min = range->max = nullptr;
    if (range && !matches(predicate, *range)) return false;
  }
  return true;
}

}  // namespace millstream::delta
