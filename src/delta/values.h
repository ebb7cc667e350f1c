// Single values and their texts in a Delta log: partition values and statistics. Pure functions.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/status.h"
#include "column/types.h"

namespace arrow {
struct Scalar;
}  // namespace arrow

namespace millstream::delta {

using ScalarPtr = std::shared_ptr<arrow::Scalar>;

std::string date_text(std::int32_t days);  // "2024-01-01"
std::string timestamp_text(std::int64_t micros, char separator,
                           int min_digits);            // without zone; fraction as needed
std::string decimal_text(const arrow::Scalar& value);  // plain digits, with its scale

// A date of "yyyy-MM-dd", in days.
std::optional<std::int32_t> parse_date(std::string_view text);
// "yyyy-MM-dd[ T]HH:mm:ss[.f…][Z|±hh:mm]" in micros; without a zone it is UTC. A date alone is its
// midnight.
std::optional<std::int64_t> parse_timestamp(std::string_view text);

// As partitionValues has it; nothing: NULL (also for the empty text, which the log cannot tell from
// it).
Result<std::optional<std::string>> partition_text(const column::Field& field,
                                                  const arrow::Scalar& value);
// The value as a scalar of the column's Arrow type. Nothing and "" are NULL. A timestamp that does
// not say its zone (some old writers) is of `time_zone`.
Result<ScalarPtr> parse_partition_value(const column::Field& field,
                                        const std::optional<std::string>& text,
                                        const std::string& time_zone = "UTC");
// Whether the text means an instant whatever the zone of the reader.
bool says_its_zone(std::string_view timestamp);

// A JSON token of statistics (strings without their quotes) as a scalar of the type; null pointer:
// it says nothing.
ScalarPtr parse_stats_value(const column::TypePtr& type, const std::string& token, bool is_string);

// -1, 0, 1 of two scalars of one Arrow type that are not NULL; nothing: the type has no order here.
// NaN is above all numbers.
std::optional<int> compare(const arrow::Scalar& a, const arrow::Scalar& b);

// "a/b" -> "a%2Fb": a value (or column) name as a directory, Hive's way. NULL is
// __HIVE_DEFAULT_PARTITION__.
std::string hive_escape(std::string_view text);
std::string partition_directory(const std::string& column,
                                const std::optional<std::string>& directory_text);

}  // namespace millstream::delta
