// How a canonical function name is computed: a DuckDB SQL template (table.h says its language).
// Static; any thread.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace millstream::functions {

// The template, empty where the engine has code of its own for that name. Nothing: no such
// function.
std::optional<std::string_view> sql_template(std::string_view canonical);

// {0}, {*}, {1*}, {tz}, {type} replaced. `time_zone` and `type` are SQL text already.
std::string expand_template(std::string_view text, const std::vector<std::string>& arguments,
                            std::string_view time_zone, std::string_view type);

// from_json and kin, whose last argument may be a map of options.
bool takes_options(std::string_view name);
// The options of a call such as from_json(text, schema, map('mode', 'FAILFAST')), names in lower
// case, from the constant that the analyzer makes of them.
std::map<std::string, std::string> function_options(std::string_view text);

}  // namespace millstream::functions
