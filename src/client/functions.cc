#include "millstream/functions.h"

namespace millstream::api::functions {
namespace {

Column call(const std::string& name, const std::vector<Column>& arguments) {
  return call_function(name, arguments);
}

std::vector<Column> with_first(const Column& first, const std::vector<ColumnOrName>& rest) {
  std::vector<Column> columns{first};
  for (const ColumnOrName& one : rest) columns.push_back(one.column());
  return columns;
}

// A call whose last argument, a format, is left out when it is empty.
Column with_format(const std::string& name, const ColumnOrName& argument,
                   const std::string& format) {
  if (format.empty()) return call(name, {argument.column()});
  return call(name, {argument.column(), lit(format)});
}

}  // namespace

Column when(const Column& condition, const Column& value) {
  return call("when", {condition, value});
}

Column count(const ColumnOrName& column) { return call("count", {column.column()}); }
Column count_distinct(const std::vector<ColumnOrName>& columns) {
  std::vector<Column> arguments;
  for (const ColumnOrName& one : columns) arguments.push_back(one.column());
  return call_function("count", arguments, true);
}
Column sum(const ColumnOrName& column) { return call("sum", {column.column()}); }
Column sum_distinct(const ColumnOrName& column) {
  return call_function("sum", {column.column()}, true);
}
Column avg(const ColumnOrName& column) { return call("avg", {column.column()}); }
Column first(const ColumnOrName& column, bool ignore_nulls) {
  return call("first", {column.column(), lit(ignore_nulls)});
}
Column last(const ColumnOrName& column, bool ignore_nulls) {
  return call("last", {column.column(), lit(ignore_nulls)});
}
Column approx_count_distinct(const ColumnOrName& column, double relative_error) {
  return call("approx_count_distinct", {column.column(), lit(relative_error)});
}
Column lag(const ColumnOrName& column, int offset, const Value& if_none) {
  return call("lag", {column.column(), lit(offset), lit(if_none)});
}
Column lead(const ColumnOrName& column, int offset, const Value& if_none) {
  return call("lead", {column.column(), lit(offset), lit(if_none)});
}

Column asc(const std::string& name) { return col(name).asc(); }
Column desc(const std::string& name) { return col(name).desc(); }

Column struct_of(const std::vector<ColumnOrName>& columns) {
  std::vector<Column> arguments;
  for (const ColumnOrName& one : columns) arguments.push_back(one.column());
  return call("struct", arguments);
}
Column type_of(const ColumnOrName& column) { return call("typeof", {column.column()}); }

Column window(const ColumnOrName& time, const std::string& duration, const std::string& slide,
              const std::string& start) {
  std::vector<Column> arguments{time.column(), lit(duration)};
  if (!slide.empty() || !start.empty()) arguments.push_back(lit(slide.empty() ? duration : slide));
  if (!start.empty()) arguments.push_back(lit(start));
  return call("window", arguments);
}

Column concat_ws(const std::string& separator, const std::vector<ColumnOrName>& columns) {
  return call("concat_ws", with_first(lit(separator), columns));
}
Column format_string(const std::string& format, const std::vector<ColumnOrName>& columns) {
  return call("format_string", with_first(lit(format), columns));
}
Column trim(const ColumnOrName& text) { return call("trim", {text.column()}); }
Column split(const ColumnOrName& text, const std::string& pattern, int limit) {
  return call("split", {text.column(), lit(pattern), lit(limit)});
}
Column regexp_replace(const ColumnOrName& text, const std::string& pattern,
                      const std::string& replacement) {
  return call("regexp_replace", {text.column(), lit(pattern), lit(replacement)});
}
Column regexp_extract(const ColumnOrName& text, const std::string& pattern, int group) {
  return call("regexp_extract", {text.column(), lit(pattern), lit(group)});
}
Column lpad(const ColumnOrName& text, int length, const std::string& pad) {
  return call("lpad", {text.column(), lit(length), lit(pad)});
}
Column rpad(const ColumnOrName& text, int length, const std::string& pad) {
  return call("rpad", {text.column(), lit(length), lit(pad)});
}
Column translate(const ColumnOrName& text, const std::string& from, const std::string& to) {
  return call("translate", {text.column(), lit(from), lit(to)});
}
Column instr(const ColumnOrName& text, const std::string& part) {
  return call("instr", {text.column(), lit(part)});
}
Column locate(const std::string& part, const ColumnOrName& text, int start) {
  return call("locate", {lit(part), text.column(), lit(start)});
}
Column substring_index(const ColumnOrName& text, const std::string& delimiter, int count) {
  return call("substring_index", {text.column(), lit(delimiter), lit(count)});
}
Column sha2(const ColumnOrName& data, int bits) { return call("sha2", {data.column(), lit(bits)}); }

Column from_json(const ColumnOrName& text, const std::string& schema) {
  return call("from_json", {text.column(), lit(schema)});
}
Column get_json_object(const ColumnOrName& text, const std::string& path) {
  return call("get_json_object", {text.column(), lit(path)});
}

Column date_format(const ColumnOrName& time, const std::string& format) {
  return call("date_format", {time.column(), lit(format)});
}
Column to_date(const ColumnOrName& text, const std::string& format) {
  return with_format("to_date", text, format);
}
Column to_timestamp(const ColumnOrName& text, const std::string& format) {
  return with_format("to_timestamp", text, format);
}
Column from_unixtime(const ColumnOrName& seconds, const std::string& format) {
  return with_format("from_unixtime", seconds, format);
}
Column unix_timestamp(const ColumnOrName& time, const std::string& format) {
  return with_format("unix_timestamp", time, format);
}
Column date_trunc(const std::string& unit, const ColumnOrName& time) {
  return call("date_trunc", {lit(unit), time.column()});
}
Column trunc(const ColumnOrName& date, const std::string& unit) {
  return call("trunc", {date.column(), lit(unit)});
}
Column date_part(const std::string& part, const ColumnOrName& time) {
  return call("date_part", {lit(part), time.column()});
}
Column from_utc_timestamp(const ColumnOrName& time, const std::string& zone) {
  return call("from_utc_timestamp", {time.column(), lit(zone)});
}
Column to_utc_timestamp(const ColumnOrName& time, const std::string& zone) {
  return call("to_utc_timestamp", {time.column(), lit(zone)});
}
Column datediff(const ColumnOrName& end, const ColumnOrName& start) {
  return call("datediff", {end.column(), start.column()});
}

}  // namespace millstream::api::functions
