// Which columns of a table have statistics in its files' adds. Pure functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "delta/snapshot.h"

namespace millstream::delta {

// "a.b, `c.d`" -> {{a, b}, {c.d}}.
std::vector<std::vector<std::string>> parse_column_list(std::string_view text);

// Whether the table's properties ask for statistics of the column, or of members of it.
bool has_statistics(const TableInfo& info, const std::vector<std::string>& path);

// How many UTF-16 units of a text its bounds keep: delta.dataSkippingStringPrefixLength.
inline constexpr int default_string_prefix = 32;
int string_prefix_length(const TableInfo& info);

}  // namespace millstream::delta
