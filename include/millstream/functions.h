// Spark's functions. An argument is a column or the name of one, as in Python; numbers and truth
// values are constants; a text that is a constant where Python takes one too (a pattern, a format)
// is marked by its type below, and elsewhere written lit("…").
//
//   using namespace millstream::api;
//   namespace F = millstream::api::functions;
//   flights.group_by({"carrier"}).agg({F::count("*").alias("flights"), F::avg("delay")})
//
// What has no name here is had by call_function(name, arguments).
#pragma once

#include <string>
#include <vector>

#include "millstream/column.h"

namespace millstream::api::functions {

using api::call_function;
using api::col;
using api::expr;
using api::lit;

// A column, the name of one, or a number.
class Argument {
 public:
  Argument(const Column& column) : column_(column) {}
  Argument(const char* name) : column_(col(name)) {}
  Argument(const std::string& name) : column_(col(name)) {}
  template <typename T>
  requires std::is_arithmetic_v<T> Argument(T number) : column_(lit(Value(number))) {}
  const Column& column() const { return column_; }

 private:
  Column column_;
};

#define MILLSTREAM_FUNCTION(name)                                   \
  template <typename... Arguments>                                  \
  Column name(const Arguments&... arguments) {                      \
    return call_function(#name, {Argument(arguments).column()...}); \
  }

// Arithmetic.
MILLSTREAM_FUNCTION(abs)
MILLSTREAM_FUNCTION(negative)
MILLSTREAM_FUNCTION(pmod)
MILLSTREAM_FUNCTION(positive)
MILLSTREAM_FUNCTION(sign)
MILLSTREAM_FUNCTION(signum)
MILLSTREAM_FUNCTION(try_add)
MILLSTREAM_FUNCTION(try_divide)
MILLSTREAM_FUNCTION(try_mod)
MILLSTREAM_FUNCTION(try_multiply)
MILLSTREAM_FUNCTION(try_subtract)
MILLSTREAM_FUNCTION(unary_minus)

// Mathematics.
MILLSTREAM_FUNCTION(acos)
MILLSTREAM_FUNCTION(acosh)
MILLSTREAM_FUNCTION(asin)
MILLSTREAM_FUNCTION(asinh)
MILLSTREAM_FUNCTION(atan)
MILLSTREAM_FUNCTION(atan2)
MILLSTREAM_FUNCTION(atanh)
MILLSTREAM_FUNCTION(bin)
MILLSTREAM_FUNCTION(bit_count)
MILLSTREAM_FUNCTION(bit_get)
MILLSTREAM_FUNCTION(bitmap_bit_position)
MILLSTREAM_FUNCTION(bitmap_bucket_number)
MILLSTREAM_FUNCTION(bitmap_count)
MILLSTREAM_FUNCTION(bitwise_not)
MILLSTREAM_FUNCTION(bround)
MILLSTREAM_FUNCTION(cbrt)
MILLSTREAM_FUNCTION(ceil)
MILLSTREAM_FUNCTION(ceiling)
MILLSTREAM_FUNCTION(cos)
MILLSTREAM_FUNCTION(cosh)
MILLSTREAM_FUNCTION(cot)
MILLSTREAM_FUNCTION(csc)
MILLSTREAM_FUNCTION(degrees)
MILLSTREAM_FUNCTION(e)
MILLSTREAM_FUNCTION(exp)
MILLSTREAM_FUNCTION(expm1)
MILLSTREAM_FUNCTION(factorial)
MILLSTREAM_FUNCTION(floor)
MILLSTREAM_FUNCTION(getbit)
MILLSTREAM_FUNCTION(hex)
MILLSTREAM_FUNCTION(hypot)
MILLSTREAM_FUNCTION(ln)
MILLSTREAM_FUNCTION(log)
MILLSTREAM_FUNCTION(log10)
MILLSTREAM_FUNCTION(log1p)
MILLSTREAM_FUNCTION(log2)
MILLSTREAM_FUNCTION(pi)
MILLSTREAM_FUNCTION(pow)
MILLSTREAM_FUNCTION(power)
MILLSTREAM_FUNCTION(radians)
MILLSTREAM_FUNCTION(rand)
MILLSTREAM_FUNCTION(rint)
MILLSTREAM_FUNCTION(round)
MILLSTREAM_FUNCTION(sec)
MILLSTREAM_FUNCTION(shiftleft)
MILLSTREAM_FUNCTION(shiftright)
MILLSTREAM_FUNCTION(shiftrightunsigned)
MILLSTREAM_FUNCTION(sin)
MILLSTREAM_FUNCTION(sinh)
MILLSTREAM_FUNCTION(sqrt)
MILLSTREAM_FUNCTION(tan)
MILLSTREAM_FUNCTION(tanh)
MILLSTREAM_FUNCTION(unhex)
MILLSTREAM_FUNCTION(width_bucket)

// Comparison.
MILLSTREAM_FUNCTION(isnan)
MILLSTREAM_FUNCTION(isnotnull)
MILLSTREAM_FUNCTION(isnull)

// Choice.
MILLSTREAM_FUNCTION(coalesce)
MILLSTREAM_FUNCTION(greatest)
MILLSTREAM_FUNCTION(ifnull)
MILLSTREAM_FUNCTION(least)
MILLSTREAM_FUNCTION(nanvl)
MILLSTREAM_FUNCTION(nullif)
MILLSTREAM_FUNCTION(nullifzero)
MILLSTREAM_FUNCTION(nvl)
MILLSTREAM_FUNCTION(nvl2)
MILLSTREAM_FUNCTION(zeroifnull)

// Strings.
MILLSTREAM_FUNCTION(ascii)
MILLSTREAM_FUNCTION(base64)
MILLSTREAM_FUNCTION(bit_length)
MILLSTREAM_FUNCTION(btrim)
MILLSTREAM_FUNCTION(char_length)
MILLSTREAM_FUNCTION(character_length)
MILLSTREAM_FUNCTION(chr)
MILLSTREAM_FUNCTION(collation)
MILLSTREAM_FUNCTION(concat)
MILLSTREAM_FUNCTION(contains)
MILLSTREAM_FUNCTION(conv)
MILLSTREAM_FUNCTION(crc32)
MILLSTREAM_FUNCTION(decode)
MILLSTREAM_FUNCTION(elt)
MILLSTREAM_FUNCTION(encode)
MILLSTREAM_FUNCTION(endswith)
MILLSTREAM_FUNCTION(find_in_set)
MILLSTREAM_FUNCTION(format_number)
MILLSTREAM_FUNCTION(initcap)
MILLSTREAM_FUNCTION(is_valid_utf8)
MILLSTREAM_FUNCTION(lcase)
MILLSTREAM_FUNCTION(left)
MILLSTREAM_FUNCTION(len)
MILLSTREAM_FUNCTION(length)
MILLSTREAM_FUNCTION(levenshtein)
MILLSTREAM_FUNCTION(lower)
MILLSTREAM_FUNCTION(ltrim)
MILLSTREAM_FUNCTION(luhn_check)
MILLSTREAM_FUNCTION(make_valid_utf8)
MILLSTREAM_FUNCTION(mask)
MILLSTREAM_FUNCTION(md5)
MILLSTREAM_FUNCTION(octet_length)
MILLSTREAM_FUNCTION(overlay)
MILLSTREAM_FUNCTION(parse_url)
MILLSTREAM_FUNCTION(quote)
MILLSTREAM_FUNCTION(regexp)
MILLSTREAM_FUNCTION(regexp_count)
MILLSTREAM_FUNCTION(regexp_extract_all)
MILLSTREAM_FUNCTION(regexp_instr)
MILLSTREAM_FUNCTION(regexp_like)
MILLSTREAM_FUNCTION(regexp_substr)
MILLSTREAM_FUNCTION(repeat)
MILLSTREAM_FUNCTION(replace)
MILLSTREAM_FUNCTION(right)
MILLSTREAM_FUNCTION(rtrim)
MILLSTREAM_FUNCTION(sha)
MILLSTREAM_FUNCTION(sha1)
MILLSTREAM_FUNCTION(soundex)
MILLSTREAM_FUNCTION(space)
MILLSTREAM_FUNCTION(split_part)
MILLSTREAM_FUNCTION(startswith)
MILLSTREAM_FUNCTION(substr)
MILLSTREAM_FUNCTION(substring)
MILLSTREAM_FUNCTION(to_binary)
MILLSTREAM_FUNCTION(to_char)
MILLSTREAM_FUNCTION(to_varchar)
MILLSTREAM_FUNCTION(try_parse_url)
MILLSTREAM_FUNCTION(try_to_binary)
MILLSTREAM_FUNCTION(try_url_decode)
MILLSTREAM_FUNCTION(try_validate_utf8)
MILLSTREAM_FUNCTION(ucase)
MILLSTREAM_FUNCTION(unbase64)
MILLSTREAM_FUNCTION(upper)
MILLSTREAM_FUNCTION(url_decode)
MILLSTREAM_FUNCTION(url_encode)
MILLSTREAM_FUNCTION(validate_utf8)

// Dates and times.
MILLSTREAM_FUNCTION(add_months)
MILLSTREAM_FUNCTION(convert_timezone)
MILLSTREAM_FUNCTION(curdate)
MILLSTREAM_FUNCTION(current_date)
MILLSTREAM_FUNCTION(current_timestamp)
MILLSTREAM_FUNCTION(current_timezone)
MILLSTREAM_FUNCTION(date_add)
MILLSTREAM_FUNCTION(date_diff)
MILLSTREAM_FUNCTION(date_from_unix_date)
MILLSTREAM_FUNCTION(date_sub)
MILLSTREAM_FUNCTION(day)
MILLSTREAM_FUNCTION(dayname)
MILLSTREAM_FUNCTION(dayofmonth)
MILLSTREAM_FUNCTION(dayofweek)
MILLSTREAM_FUNCTION(dayofyear)
MILLSTREAM_FUNCTION(hour)
MILLSTREAM_FUNCTION(last_day)
MILLSTREAM_FUNCTION(localtimestamp)
MILLSTREAM_FUNCTION(make_date)
MILLSTREAM_FUNCTION(make_dt_interval)
MILLSTREAM_FUNCTION(make_timestamp)
MILLSTREAM_FUNCTION(make_timestamp_ltz)
MILLSTREAM_FUNCTION(make_timestamp_ntz)
MILLSTREAM_FUNCTION(make_ym_interval)
MILLSTREAM_FUNCTION(minute)
MILLSTREAM_FUNCTION(month)
MILLSTREAM_FUNCTION(monthname)
MILLSTREAM_FUNCTION(months_between)
MILLSTREAM_FUNCTION(next_day)
MILLSTREAM_FUNCTION(now)
MILLSTREAM_FUNCTION(quarter)
MILLSTREAM_FUNCTION(second)
MILLSTREAM_FUNCTION(timestamp_micros)
MILLSTREAM_FUNCTION(timestamp_millis)
MILLSTREAM_FUNCTION(timestamp_seconds)
MILLSTREAM_FUNCTION(to_timestamp_ltz)
MILLSTREAM_FUNCTION(to_timestamp_ntz)
MILLSTREAM_FUNCTION(to_unix_timestamp)
MILLSTREAM_FUNCTION(try_make_timestamp)
MILLSTREAM_FUNCTION(try_make_timestamp_ltz)
MILLSTREAM_FUNCTION(try_make_timestamp_ntz)
MILLSTREAM_FUNCTION(unix_date)
MILLSTREAM_FUNCTION(unix_micros)
MILLSTREAM_FUNCTION(unix_millis)
MILLSTREAM_FUNCTION(unix_seconds)
MILLSTREAM_FUNCTION(weekday)
MILLSTREAM_FUNCTION(weekofyear)
MILLSTREAM_FUNCTION(year)
MILLSTREAM_FUNCTION(year_of_week)

// Arrays, maps and structs.
MILLSTREAM_FUNCTION(array)
MILLSTREAM_FUNCTION(array_append)
MILLSTREAM_FUNCTION(array_compact)
MILLSTREAM_FUNCTION(array_contains)
MILLSTREAM_FUNCTION(array_distinct)
MILLSTREAM_FUNCTION(array_except)
MILLSTREAM_FUNCTION(array_insert)
MILLSTREAM_FUNCTION(array_intersect)
MILLSTREAM_FUNCTION(array_join)
MILLSTREAM_FUNCTION(array_max)
MILLSTREAM_FUNCTION(array_min)
MILLSTREAM_FUNCTION(array_position)
MILLSTREAM_FUNCTION(array_prepend)
MILLSTREAM_FUNCTION(array_remove)
MILLSTREAM_FUNCTION(array_repeat)
MILLSTREAM_FUNCTION(array_size)
MILLSTREAM_FUNCTION(array_sort)
MILLSTREAM_FUNCTION(array_union)
MILLSTREAM_FUNCTION(arrays_overlap)
MILLSTREAM_FUNCTION(arrays_zip)
MILLSTREAM_FUNCTION(cardinality)
MILLSTREAM_FUNCTION(element_at)
MILLSTREAM_FUNCTION(flatten)
MILLSTREAM_FUNCTION(get)
MILLSTREAM_FUNCTION(map)
MILLSTREAM_FUNCTION(map_concat)
MILLSTREAM_FUNCTION(map_contains_key)
MILLSTREAM_FUNCTION(map_entries)
MILLSTREAM_FUNCTION(map_from_arrays)
MILLSTREAM_FUNCTION(map_from_entries)
MILLSTREAM_FUNCTION(map_keys)
MILLSTREAM_FUNCTION(map_values)
MILLSTREAM_FUNCTION(reverse)
MILLSTREAM_FUNCTION(sequence)
MILLSTREAM_FUNCTION(size)
MILLSTREAM_FUNCTION(slice)
MILLSTREAM_FUNCTION(sort_array)
MILLSTREAM_FUNCTION(str_to_map)
MILLSTREAM_FUNCTION(try_element_at)

// JSON.
MILLSTREAM_FUNCTION(json_array_length)
MILLSTREAM_FUNCTION(json_object_keys)
MILLSTREAM_FUNCTION(to_json)

// Hashes and the query.
MILLSTREAM_FUNCTION(assert_true)
MILLSTREAM_FUNCTION(current_catalog)
MILLSTREAM_FUNCTION(hash)
MILLSTREAM_FUNCTION(monotonically_increasing_id)
MILLSTREAM_FUNCTION(raise_error)
MILLSTREAM_FUNCTION(spark_partition_id)
MILLSTREAM_FUNCTION(uuid)
MILLSTREAM_FUNCTION(version)
MILLSTREAM_FUNCTION(xxhash64)

// Aggregates.
MILLSTREAM_FUNCTION(any_value)
MILLSTREAM_FUNCTION(approx_percentile)
MILLSTREAM_FUNCTION(array_agg)
MILLSTREAM_FUNCTION(bit_and)
MILLSTREAM_FUNCTION(bit_or)
MILLSTREAM_FUNCTION(bit_xor)
MILLSTREAM_FUNCTION(bitmap_and_agg)
MILLSTREAM_FUNCTION(bitmap_construct_agg)
MILLSTREAM_FUNCTION(bitmap_or_agg)
MILLSTREAM_FUNCTION(bool_and)
MILLSTREAM_FUNCTION(bool_or)
MILLSTREAM_FUNCTION(collect_list)
MILLSTREAM_FUNCTION(collect_set)
MILLSTREAM_FUNCTION(corr)
MILLSTREAM_FUNCTION(count_if)
MILLSTREAM_FUNCTION(covar_pop)
MILLSTREAM_FUNCTION(covar_samp)
MILLSTREAM_FUNCTION(every)
MILLSTREAM_FUNCTION(first_value)
MILLSTREAM_FUNCTION(histogram_numeric)
MILLSTREAM_FUNCTION(kurtosis)
MILLSTREAM_FUNCTION(last_value)
MILLSTREAM_FUNCTION(listagg)
MILLSTREAM_FUNCTION(max)
MILLSTREAM_FUNCTION(max_by)
MILLSTREAM_FUNCTION(mean)
MILLSTREAM_FUNCTION(median)
MILLSTREAM_FUNCTION(min)
MILLSTREAM_FUNCTION(min_by)
MILLSTREAM_FUNCTION(mode)
MILLSTREAM_FUNCTION(percentile)
MILLSTREAM_FUNCTION(percentile_approx)
MILLSTREAM_FUNCTION(product)
MILLSTREAM_FUNCTION(regr_avgx)
MILLSTREAM_FUNCTION(regr_avgy)
MILLSTREAM_FUNCTION(regr_count)
MILLSTREAM_FUNCTION(regr_intercept)
MILLSTREAM_FUNCTION(regr_r2)
MILLSTREAM_FUNCTION(regr_slope)
MILLSTREAM_FUNCTION(regr_sxx)
MILLSTREAM_FUNCTION(regr_sxy)
MILLSTREAM_FUNCTION(regr_syy)
MILLSTREAM_FUNCTION(skewness)
MILLSTREAM_FUNCTION(some)
MILLSTREAM_FUNCTION(stddev)
MILLSTREAM_FUNCTION(stddev_pop)
MILLSTREAM_FUNCTION(stddev_samp)
MILLSTREAM_FUNCTION(string_agg)
MILLSTREAM_FUNCTION(try_avg)
MILLSTREAM_FUNCTION(try_sum)
MILLSTREAM_FUNCTION(var_pop)
MILLSTREAM_FUNCTION(var_samp)
MILLSTREAM_FUNCTION(variance)

// Window functions.
MILLSTREAM_FUNCTION(cume_dist)
MILLSTREAM_FUNCTION(dense_rank)
MILLSTREAM_FUNCTION(nth_value)
MILLSTREAM_FUNCTION(ntile)
MILLSTREAM_FUNCTION(percent_rank)
MILLSTREAM_FUNCTION(rank)
MILLSTREAM_FUNCTION(row_number)

// Generators.
MILLSTREAM_FUNCTION(explode)
MILLSTREAM_FUNCTION(explode_outer)
MILLSTREAM_FUNCTION(inline_outer)
MILLSTREAM_FUNCTION(posexplode)
MILLSTREAM_FUNCTION(posexplode_outer)
#undef MILLSTREAM_FUNCTION

// CASE WHEN condition THEN value; goes on by Column::when and ends by Column::otherwise.
Column when(const Column& condition, const Column& value);

// Aggregates with DISTINCT.
Column count(const ColumnOrName& column);  // "*": rows
Column count_distinct(const std::vector<ColumnOrName>& columns);
Column sum(const ColumnOrName& column);
Column sum_distinct(const ColumnOrName& column);
Column avg(const ColumnOrName& column);
Column first(const ColumnOrName& column, bool ignore_nulls = false);
Column last(const ColumnOrName& column, bool ignore_nulls = false);
Column approx_count_distinct(const ColumnOrName& column, double relative_error = 0.05);
Column lag(const ColumnOrName& column, int offset = 1, const Value& if_none = {});
Column lead(const ColumnOrName& column, int offset = 1, const Value& if_none = {});

Column asc(const std::string& name);
Column desc(const std::string& name);
Column struct_of(const std::vector<ColumnOrName>& columns);
// Spark's typeof, which is a word of GNU's C++.
Column type_of(const ColumnOrName& column);
// Groups times into windows: "10 minutes"; `slide` empty: windows that do not overlap.
Column window(const ColumnOrName& time, const std::string& duration, const std::string& slide = {},
              const std::string& start = {});

// Texts.
Column concat_ws(const std::string& separator, const std::vector<ColumnOrName>& columns);
Column format_string(const std::string& format, const std::vector<ColumnOrName>& columns);
Column trim(const ColumnOrName& text);
Column split(const ColumnOrName& text, const std::string& pattern, int limit = -1);
Column regexp_replace(const ColumnOrName& text, const std::string& pattern,
                      const std::string& replacement);
Column regexp_extract(const ColumnOrName& text, const std::string& pattern, int group);
Column lpad(const ColumnOrName& text, int length, const std::string& pad);
Column rpad(const ColumnOrName& text, int length, const std::string& pad);
Column translate(const ColumnOrName& text, const std::string& from, const std::string& to);
Column instr(const ColumnOrName& text, const std::string& part);
Column locate(const std::string& part, const ColumnOrName& text, int start = 1);
Column substring_index(const ColumnOrName& text, const std::string& delimiter, int count);
Column sha2(const ColumnOrName& data, int bits);

// JSON. `schema` is DDL.
Column from_json(const ColumnOrName& text, const std::string& schema);
Column get_json_object(const ColumnOrName& text, const std::string& path);

// Times. Formats are Spark's date patterns; an empty one is the default.
Column date_format(const ColumnOrName& time, const std::string& format);
Column to_date(const ColumnOrName& text, const std::string& format = {});
Column to_timestamp(const ColumnOrName& text, const std::string& format = {});
Column from_unixtime(const ColumnOrName& seconds, const std::string& format = {});
Column unix_timestamp(const ColumnOrName& time, const std::string& format = {});
Column date_trunc(const std::string& unit, const ColumnOrName& time);
Column trunc(const ColumnOrName& date, const std::string& unit);
Column date_part(const std::string& part, const ColumnOrName& time);
Column from_utc_timestamp(const ColumnOrName& time, const std::string& zone);
Column to_utc_timestamp(const ColumnOrName& time, const std::string& zone);
Column datediff(const ColumnOrName& end, const ColumnOrName& start);

}  // namespace millstream::api::functions
