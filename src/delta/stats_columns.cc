#include "delta/stats_columns.h"

#include <algorithm>
#include <limits>

#include "base/text.h"

namespace millstream::delta {
namespace {

using Path = std::vector<std::string>;

bool begins_with(const Path& path, const Path& start) {
  if (path.size() < start.size()) return false;
  for (std::size_t i = 0; i < start.size(); ++i) {
    if (!equals_ignore_case(path[i], start[i])) return false;
  }
  return true;
}

void add_leaves(const column::Field& field, Path path, std::vector<Path>& out) {
  path.push_back(field.name);
  if (field.type->kind() != column::TypeKind::struct_) {
    out.push_back(std::move(path));
    return;
  }
  for (const auto& member : field.type->fields()) add_leaves(member, path, out);
}

}  // namespace

// "a.b, `c.d`" -> {{a, b}, {c.d}}.
std::vector<std::vector<std::string>> parse_column_list(std::string_view text) {
  std::vector<std::vector<std::string>> columns;
  std::vector<std::string> path(1);
  bool quoted = false;
  const auto finish = [&] {
    if (!path.back().empty()) columns.push_back(path);
    path.assign(1, "");
  };
  for (const char c : text) {
    if (c == '`') {
      quoted = !quoted;
    } else if (!quoted && c == ',') {
      finish();
    } else if (!quoted && c == '.') {
      path.emplace_back();
    } else if (quoted || c != ' ') {
      path.back() += c;
    }
  }
  finish();
  return columns;
}

bool has_statistics(const TableInfo& info, const std::vector<std::string>& path) {
  if (const std::string* columns = info.property("delta.dataSkippingStatsColumns")) {
    return std::ranges::any_of(parse_column_list(*columns), [&](const auto& listed) {
      return begins_with(path, listed) || begins_with(listed, path);
    });
  }
  std::vector<Path> leaves;
  for (std::size_t i = 0; i < info.schema.size(); ++i) {
    if (!info.is_partition_column(i)) add_leaves(info.schema[i], {}, leaves);
  }
  const std::int64_t count = info.number("delta.dataSkippingNumIndexedCols", 32);
  if (count >= 0) leaves.resize(std::min(leaves.size(), static_cast<std::size_t>(count)));
  return std::ranges::any_of(leaves, [&](const auto& leaf) { return begins_with(leaf, path); });
}

int string_prefix_length(const TableInfo& info) {
  const std::int64_t length =
      info.number("delta.dataSkippingStringPrefixLength", default_string_prefix);
  return static_cast<int>(std::clamp<std::int64_t>(length, 0, std::numeric_limits<int>::max()));
}

}  // namespace millstream::delta
