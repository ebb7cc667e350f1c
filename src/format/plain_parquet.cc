#include "format/plain_parquet.h"

#include <arrow/scalar.h>
#include <parquet/file_reader.h>
#include <parquet/metadata.h>
#include <parquet/schema.h>
#include <parquet/statistics.h>
#include <sys/stat.h>

#include <algorithm>
#include <mutex>
#include <set>
#include <unordered_map>

#include "base/text.h"

namespace millstream::format {
namespace {

using column::TypeKind;
using column::TypePtr;
using parquet::LogicalType;
using parquet::Type;

// What is remembered of so many files.
constexpr std::size_t footers_max = 4096;
// Each file is opened twice, and is a name in a statement: with more of them, nothing is won.
constexpr std::size_t files_max = 1000;
// Groups are parts of a statement too: partitions, mostly.
constexpr std::size_t groups_max = 64;

TypePtr integer_type(const LogicalType& logical, Type::type physical) {
  if (logical.is_none()) return physical == Type::INT32 ? column::int_type() : column::long_type();
  const auto& integer = static_cast<const parquet::IntLogicalType&>(logical);
  if (!integer.is_signed()) return nullptr;
  switch (integer.bit_width()) {
    case 8:
      return column::byte_type();
    case 16:
      return column::short_type();
    case 32:
      return physical == Type::INT32 ? column::int_type() : nullptr;
    default:
      return physical == Type::INT64 ? column::long_type() : nullptr;
  }
}

// Of integers as wide as the digits need; readers differ in others.
TypePtr decimal_type(const LogicalType& logical, Type::type physical) {
  const auto& decimal = static_cast<const parquet::DecimalLogicalType&>(logical);
  const int precision = decimal.precision();
  const bool fits = physical == Type::INT32   ? precision <= 9
                    : physical == Type::INT64 ? precision > 9 && precision <= 18
                                              : physical == Type::FIXED_LEN_BYTE_ARRAY;
  if (!fits || precision > 38 || decimal.scale() < 0 || decimal.scale() > precision) return nullptr;
  return column::decimal_type(precision, decimal.scale());
}

TypePtr plain_type(const parquet::ColumnDescriptor& column) {
  const Type::type physical = column.physical_type();
  const LogicalType& logical = *column.logical_type();
  if (logical.is_decimal()) return decimal_type(logical, physical);
  switch (physical) {
    case Type::BOOLEAN:
      return logical.is_none() ? column::boolean_type() : nullptr;
    case Type::INT32:
      if (logical.is_date()) return column::date_type();
      [[fallthrough]];
    case Type::INT64:
      return logical.is_none() || logical.is_int() ? integer_type(logical, physical) : nullptr;
    case Type::FLOAT:
      return logical.is_none() ? column::float_type() : nullptr;
    case Type::DOUBLE:
      return logical.is_none() ? column::double_type() : nullptr;
    case Type::BYTE_ARRAY:
      if (logical.is_string()) return column::string_type();
      return logical.is_none() ? column::binary_type() : nullptr;
    default:
      return nullptr;
  }
}

// Nothing: some values are not told of.
std::optional<std::int64_t> magnitude_of(const parquet::FileMetaData& footer, int leaf) {
  std::int64_t max = 0;
  const auto take = [&](std::int64_t value) {
    max = std::max(max, value == INT64_MIN ? INT64_MAX : std::abs(value));
  };
  for (int group = 0; group < footer.num_row_groups(); ++group) {
    const auto chunk = footer.RowGroup(group)->ColumnChunk(leaf);
    const auto stats = chunk->is_stats_set() ? chunk->statistics() : nullptr;
    if (stats == nullptr) return std::nullopt;
    if (stats->HasNullCount() && stats->null_count() == chunk->num_values()) continue;
    if (!stats->HasMinMax()) return std::nullopt;
    if (stats->physical_type() == Type::INT32) {
      const auto& typed = static_cast<const parquet::Int32Statistics&>(*stats);
      take(typed.min());
      take(typed.max());
    } else {
      const auto& typed = static_cast<const parquet::Int64Statistics&>(*stats);
      take(typed.min());
      take(typed.max());
    }
  }
  return max;
}

PlainColumn plain_column(const parquet::FileMetaData& footer, const parquet::schema::Node& node) {
  PlainColumn out{node.name(), nullptr, {}};
  if (!node.is_primitive() || node.is_repeated()) return out;
  const int leaf = footer.schema()->ColumnIndex(node);
  const auto& column = *footer.schema()->Column(leaf);
  out.type = plain_type(column);
  const bool counted =
      column.physical_type() == Type::INT32 || column.physical_type() == Type::INT64;
  if (out.type != nullptr && counted) out.magnitude_max = magnitude_of(footer, leaf);
  return out;
}

// Parquet's first writer had wrong statistics of texts and of decimals as bytes.
bool has_old_statistics(const parquet::ApplicationVersion& writer) {
  static const parquet::ApplicationVersion sound("parquet-mr", 1, 10, 0);
  return writer.application_ == "parquet-mr" && writer.VersionLt(sound);
}

std::shared_ptr<const PlainFooter> read_footer(const std::string& path) {
  try {
    const auto file = parquet::ParquetFileReader::OpenFile(path, /*memory_map=*/false);
    const auto footer = file->metadata();
    if (has_old_statistics(footer->writer_version())) return nullptr;
    const auto& root = *footer->schema()->group_node();
    auto out = std::make_shared<PlainFooter>();
    std::set<std::string> names;
    for (int i = 0; i < root.field_count(); ++i) {
      out->columns.push_back(plain_column(*footer, *root.field(i)));
      // Readers differ in which of two names is meant.
      if (!names.insert(to_lower(out->columns.back().name)).second) return nullptr;
    }
    return out;
  } catch (const std::exception&) {
    return nullptr;
  }
}

class Footers {
 public:
  std::shared_ptr<const PlainFooter> of(const std::string& path) {
    const auto now = stamp(path);
    if (!now) return nullptr;
    {
      const std::lock_guard lock(mutex_);
      const auto found = kept_.find(path);
      if (found != kept_.end() && found->second.stamp == *now) return found->second.footer;
    }
    auto footer = read_footer(path);
    keep(path, *now, footer);
    return footer;
  }

  void distrust(const std::string& path) {
    if (const auto now = stamp(path)) keep(path, *now, nullptr);
  }

 private:
  struct Stamp {
    std::int64_t size;
    std::int64_t seconds;
    std::int64_t nanoseconds;
    bool operator==(const Stamp&) const = default;
  };
  struct Kept {
    Stamp stamp;
    std::shared_ptr<const PlainFooter> footer;
  };

  static std::optional<Stamp> stamp(const std::string& path) {
    struct stat at {};
    if (::stat(path.c_str(), &at) != 0) return std::nullopt;
    return Stamp{at.st_size, at.st_mtim.tv_sec, at.st_mtim.tv_nsec};
  }

  void keep(const std::string& path, const Stamp& now, std::shared_ptr<const PlainFooter> footer) {
    const std::lock_guard lock(mutex_);
    if (kept_.size() >= footers_max) kept_.clear();
    kept_[path] = {now, std::move(footer)};
  }

  std::mutex mutex_;
  std::unordered_map<std::string, Kept> kept_;
};

Footers& footers() {
  static auto* all = new Footers();
  return *all;
}

const PlainColumn* find_column(const PlainFooter& footer, const std::string& name,
                               bool case_sensitive) {
  for (const auto& column : footer.columns) {
    if (case_sensitive ? column.name == name : equals_ignore_case(column.name, name))
      return &column;
  }
  return nullptr;
}

bool is_plainly(const PlainColumn& column, const TypePtr& wanted) {
  if (column.type == nullptr) return false;
  return wanted->is_string() ? column.type->is_string() : *column.type == *wanted;
}

// Where DuckDB would see a pattern.
bool has_wildcard(const std::string& path) {
  return path.find_first_of("*?[{") != std::string::npos;
}

}  // namespace

std::shared_ptr<const PlainFooter> plain_footer(const std::string& path) {
  return footers().of(path);
}

void distrust_plain_file(const std::string& path) { footers().distrust(path); }

bool PlainFiles::add(const std::string& path,
                     const std::vector<std::shared_ptr<arrow::Scalar>>& constants) {
  if (++count_ > files_max || has_wildcard(path)) return false;
  const auto footer = plain_footer(path);
  if (footer == nullptr) return false;
  std::vector<Column> columns;
  std::vector<std::optional<std::int64_t>> magnitudes(wanted_.size());
  for (std::size_t i = 0; i < wanted_.size(); ++i) {
    if (constants[i] != nullptr) {
      columns.push_back({"", constants[i]});
      continue;
    }
    const auto* column = find_column(*footer, wanted_[i].name, case_sensitive_);
    if (column == nullptr) {
      columns.push_back({"", arrow::MakeNullScalar(column::to_arrow(wanted_[i].type))});
      magnitudes[i] = 0;
      continue;
    }
    if (!is_plainly(*column, wanted_[i].type)) return false;
    columns.push_back({column->name, nullptr});
    magnitudes[i] = column->magnitude_max;
  }
  for (std::size_t i = 0; i < magnitudes.size(); ++i) widen(i, magnitudes[i]);
  group_of(std::move(columns)).paths.push_back(path);
  return files_.groups.size() <= groups_max;
}

void PlainFiles::widen(std::size_t column, std::optional<std::int64_t> magnitude) {
  auto& all = files_.magnitude_max;
  if (all.empty()) all.assign(wanted_.size(), 0);
  if (!magnitude) all[column] = std::nullopt;
  if (all[column]) all[column] = std::max(*all[column], *magnitude);
}

connector::ParquetFiles::Group& PlainFiles::group_of(std::vector<Column> columns) {
  // A zero with a sign is another one.
  const auto to_the_bit = arrow::EqualOptions().signed_zeros_equal(false).nans_equal(true);
  const auto same = [&](const Column& a, const Column& b) {
    if ((a.constant == nullptr) != (b.constant == nullptr)) return false;
    return a.constant == nullptr ? a.name == b.name : a.constant->Equals(*b.constant, to_the_bit);
  };
  for (auto& group : files_.groups) {
    if (std::equal(columns.begin(), columns.end(), group.columns.begin(), same)) return group;
  }
  return files_.groups.emplace_back(connector::ParquetFiles::Group{std::move(columns), {}});
}

connector::ParquetFiles PlainFiles::finish() && {
  if (files_.magnitude_max.empty()) files_.magnitude_max.assign(wanted_.size(), 0);
  return std::move(files_);
}

}  // namespace millstream::format
