// How names, types and expressions are written in Spark's messages and column names. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "plan/expr.h"

namespace millstream::plan {

using NameParts = std::vector<std::string>;

std::size_t edit_distance(std::string_view a, std::string_view b);
std::string sql_id(const std::string& name);                // `a`
std::string sql_id(const std::vector<std::string>& parts);  // `a`.`b`
std::string sql_expr(const std::string& pretty);            // "(a + 1)"
std::string sql_type(const column::TypePtr& type);          // "BIGINT"
std::string ordinal_word(std::size_t n);                    // first, second, third, 4th

// A double as Java prints it: 1.0, 1.0E7, NaN.
std::string java_double(double value);
std::string java_float(float value);

// Candidates by growing edit distance to the name, the first five, quoted: "`a`, `b`".
std::string suggestions(const NameParts& wanted, const std::vector<Attribute>& candidates);
Status unresolved_column(const NameParts& parts, const std::vector<Attribute>& candidates);

std::string format_date(std::int64_t days);
std::string format_timestamp_utc(std::int64_t micros);  // 2024-01-01 00:00:00[.ffffff]
// INTERVAL '1 02:03:04' DAY TO SECOND; the fields are those of the type.
std::string format_day_time_interval(std::int64_t micros, int start_field, int end_field);
std::string format_year_month_interval(std::int32_t months, int start_field, int end_field);

// The error of an analysis with the place, in its message too.
Status placed_in_text(const Status& status, const QueryContext& place);

}  // namespace millstream::plan
