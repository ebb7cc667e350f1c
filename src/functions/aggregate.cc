// Aggregate functions. Their SQL is the engine's where DISTINCT, FILTER or decimals matter.
#include <arrow/scalar.h>

#include <algorithm>
#include <cstdlib>

#include "base/text.h"
#include "functions/table.h"

namespace millstream::functions {

using column::TypeKind;
using column::TypePtr;

namespace {

Result<Call> count(const Request& request) {
  if (request.arguments.empty()) return wrong_arity(request, "> 0");
  Call call = begin_call(request);
  call.type = column::long_type();
  call.nullable = false;
  return call;
}

TypePtr number_or_double(const Request& request) {
  const TypePtr& type = request.arguments[0].type;
  if (type->kind() == TypeKind::null || type->is_string()) return column::double_type();
  return type->is_numeric() ? type : nullptr;
}

Result<Call> sum(const Request& request) {
  if (request.arguments.size() != 1) return wrong_arity(request, "1");
  Call call = begin_call(request);
  const TypePtr type = number_or_double(request);
  if (type == nullptr) {
    const TypePtr& given = request.arguments[0].type;
    if (given->kind() == TypeKind::day_time_interval ||
        given->kind() == TypeKind::year_month_interval) {
      call.type = given;
      return call;
    }
    return unexpected_input(request, 0, "\"NUMERIC\" or \"ANSI INTERVAL\"");
  }
  call.argument_types = {type};
  if (type->kind() == TypeKind::decimal) {
    call.type = bounded_decimal(type->precision() + 10, type->scale());
  } else {
    call.type = type->is_integral() ? column::long_type() : column::double_type();
  }
  return call;
}

Result<Call> average(const Request& request) {
  TRY_ASSIGN(Call call, sum(request));
  const TypePtr& type = call.argument_types[0];
  if (type->kind() == TypeKind::day_time_interval) {
    call.type = column::day_time_interval_type(0, 3);
    return call;
  }
  if (type->kind() == TypeKind::year_month_interval) {
    call.type = column::year_month_interval_type(0, 1);
    return call;
  }
  call.type = type->kind() == TypeKind::decimal
                  ? bounded_decimal(type->precision() + 4, type->scale() + 4)
                  : column::double_type();
  return call;
}

Result<Call> extreme(const Request& request) {
  if (request.arguments.size() != 1) return wrong_arity(request, "1");
  Call call = begin_call(request);
  if (!is_orderable(*request.arguments[0].type)) {
    return mismatch("INVALID_ORDERING_TYPE", call.pretty,
                    {{"functionName", "`" + request.name + "`"},
                     {"dataType", quoted(request.arguments[0].type)}});
  }
  call.type = request.arguments[0].type;
  return call;
}

Result<Call> by_order(const Request& request) {
  const std::size_t given = request.arguments.size();
  if (given != 2 && given != 3) return wrong_arity(request, "[2, 3]");
  Call call = begin_call(request);
  if (!is_orderable(*request.arguments[1].type)) {
    return mismatch("INVALID_ORDERING_TYPE", call.pretty,
                    {{"functionName", "`" + request.name + "`"},
                     {"dataType", quoted(request.arguments[1].type)}});
  }
  call.type = request.arguments[0].type;
  if (given == 2) return call;
  // max_by(x, y, k): the first k.
  const auto count = literal_int(request.arguments[2]);
  if (!count || *count < 1 || *count > 100'000)
    return Status::unsupported("{} of a number that is no constant between 1 and 100000",
                               request.name);
  call.name += "_several";
  call.argument_types[2] = column::int_type();
  call.type = column::array_type(call.type, true);
  return call;
}

Result<Call> collect(const Request& request) {
  if (request.arguments.size() != 1) return wrong_arity(request, "1");
  Call call = begin_call(request);
  if (call.name == "collect_set" && !is_orderable(*request.arguments[0].type)) {
    return mismatch("UNSUPPORTED_INPUT_TYPE", call.pretty,
                    {{"functionName", "`collect_set`"}, {"dataType", "\"MAP\""}});
  }
  call.type = column::array_type(request.arguments[0].type, false);
  call.nullable = false;
  return call;
}

// first(x[, ignoreNulls]) and last: the flag is a constant and becomes part of the name.
Result<Call> first_last(const Request& request) {
  if (request.arguments.empty() || request.arguments.size() > 2)
    return wrong_arity(request, "[1, 2]");
  Call call = begin_call(request);
  call.type = request.arguments[0].type;
  if (request.arguments.size() == 2) {
    if (request.arguments[1].type->kind() != TypeKind::boolean ||
        request.arguments[1].literal == nullptr) {
      return unexpected_input(request, 1, "\"BOOLEAN\"");
    }
    const bool ignore = request.arguments[1].sql == "true";
    call.pretty = fmt::format("{}({})", request.name, request.arguments[0].sql);
    if (ignore) call.name += "_ignore_nulls";
  }
  return call;
}

Result<Call> boolean_aggregate(const Request& request) {
  if (request.arguments.size() != 1) return wrong_arity(request, "1");
  const TypeKind kind = request.arguments[0].type->kind();
  const bool text = request.arguments[0].type->is_string() && request.settings.ansi;
  if (kind != TypeKind::boolean && kind != TypeKind::null && !text)
    return unexpected_input(request, 0, "\"BOOLEAN\"");
  Call call = begin_call(request);
  call.argument_types = {column::boolean_type()};
  call.type = column::boolean_type();
  if (call.name == "count_if") {
    call.type = column::long_type();
    call.nullable = false;
  }
  return call;
}

Status check_percentage(const Request& request, const Call& call) {
  const Argument& argument = request.arguments[1];
  if (argument.literal == nullptr || !argument.type->is_numeric()) return Status::OK();
  const double value = std::strtod(argument.literal->ToString().c_str(), nullptr);
  if (value >= 0 && value <= 1) return Status::OK();
  return mismatch("VALUE_OUT_OF_RANGE", call.pretty,
                  {{"exprName", "percentage"},
                   {"valueRange", "[0.0, 1.0]"},
                   {"currentValue", fmt::format("{}D", argument.literal->ToString())}});
}

// Whether a percentage, or each of an array of them, is a number.
bool is_percentage(const column::DataType& type) {
  if (type.kind() == TypeKind::array) return is_percentage(*type.element());
  return type.is_numeric() || type.is_string() || type.kind() == TypeKind::null;
}

// The type of one percentage or of an array of them, and of as many results.
TypePtr percentage_type(const Argument& argument) {
  return argument.type->kind() == TypeKind::array
             ? column::array_type(column::double_type(), argument.type->contains_null())
             : column::double_type();
}
TypePtr result_per_percentage(const Argument& argument, const TypePtr& one) {
  return argument.type->kind() == TypeKind::array ? column::array_type(one, false) : one;
}

Result<Call> percentile(const Request& request) {
  const std::size_t given = request.arguments.size();
  if (given < 2 || given > 3) return wrong_arity(request, "[2, 3]");
  Call call = begin_call(request);
  if (given == 2) call.pretty.insert(call.pretty.rfind(')'), ", 1");
  const TypePtr& type = request.arguments[0].type;
  if (type->kind() == TypeKind::time) {
    return unexpected_input(
        request, 0, "(\"NUMERIC\" or \"INTERVAL DAY TO SECOND\" or \"INTERVAL YEAR TO MONTH\")",
        call.pretty);
  }
  if (!type->is_numeric() && !type->is_string() && type->kind() != TypeKind::null)
    return Status::unsupported("{} of {} is not supported", request.name, type->sql());
  if (!is_percentage(*request.arguments[1].type)) return unexpected_input(request, 1, "\"DOUBLE\"");
  TRY(check_percentage(request, call));
  call.argument_types = {column::double_type(), percentage_type(request.arguments[1])};
  call.type = result_per_percentage(request.arguments[1], column::double_type());
  if (given == 3) {
    call.name = "percentile_weighted";
    call.argument_types.push_back(column::long_type());
  } else if (call.type->is_nested()) {
    call.name = "percentile_weighted";
  }
  return call;
}

Result<Call> percentile_approx(const Request& request) {
  if (request.arguments.size() < 2 || request.arguments.size() > 3)
    return wrong_arity(request, "[2, 3]");
  Call call = begin_call(request);
  if (request.arguments[0].type->is_string()) call.argument_types[0] = column::double_type();
  const TypeKind kind = call.argument_types[0]->kind();
  const bool time =
      kind == TypeKind::date || kind == TypeKind::timestamp || kind == TypeKind::timestamp_ntz;
  if (kind == TypeKind::time) {
    return mismatch("CAST_WITHOUT_SUGGESTION", request.arguments[0].sql,
                    {{"srcType", quoted(request.arguments[0].type)}, {"targetType", "\"DATE\""}});
  }
  if (!time && !call.argument_types[0]->is_numeric())
    return Status::unsupported("{} of {} is not supported", request.name,
                               request.arguments[0].type->sql());
  if (request.arguments.size() == 2) call.pretty.insert(call.pretty.rfind(')'), ", 10000");
  if (!is_percentage(*request.arguments[1].type)) return unexpected_input(request, 1, "\"DOUBLE\"");
  TRY(check_percentage(request, call));
  if (request.arguments.size() == 3) {
    const auto accuracy = literal_int(request.arguments[2]);
    if (accuracy && (*accuracy <= 0 || *accuracy > 2147483647)) {
      return mismatch("VALUE_OUT_OF_RANGE", call.pretty,
                      {{"exprName", "accuracy"},
                       {"valueRange", "(0, 2147483647]"},
                       {"currentValue", fmt::format("{}L", *accuracy)}});
    }
    call.argument_types[2] = column::double_type();
  }
  call.argument_types[1] = percentage_type(request.arguments[1]);
  call.type = result_per_percentage(request.arguments[1], call.argument_types[0]);
  return call;
}

Result<Call> bit_aggregate(const Request& request) {
  if (request.arguments.size() != 1) return wrong_arity(request, "1");
  if (!request.arguments[0].type->is_integral())
    return unexpected_input(request, 0, "\"INTEGRAL\"");
  Call call = begin_call(request);
  call.type = request.arguments[0].type;
  return call;
}

Result<Call> list_aggregate(const Request& request) {
  if (request.arguments.empty() || request.arguments.size() > 2)
    return wrong_arity(request, "[1, 2]");
  Call call = begin_call(request);
  const TypePtr& type = request.arguments[0].type;
  const bool binary = type->kind() == TypeKind::binary;
  if (type->is_nested() || type->kind() == TypeKind::variant)
    return unexpected_input(request, 0, "(\"STRING\" or \"BINARY\")");
  if (request.arguments.size() == 1) call.pretty.insert(call.pretty.rfind(')'), ", NULL");
  call.type = binary ? column::binary_type() : column::string_type();
  call.argument_types.assign(request.arguments.size(), call.type);
  if (request.arguments.size() == 1) return call;
  const TypePtr& delimiter = request.arguments[1].type;
  if (binary && delimiter->kind() != TypeKind::binary && delimiter->kind() != TypeKind::null)
    return mismatch(
        "DATA_DIFF_TYPES", call.pretty,
        {{"functionName", "`listagg`"},
         {"dataType", fmt::format("(\"{}\" or \"{}\")", type->sql(), delimiter->sql())}});
  return call;
}

Result<Call> approximate_count(const Request& request) {
  if (request.arguments.empty() || request.arguments.size() > 2)
    return wrong_arity(request, "[1, 2]");
  Call call = begin_call(request);
  if (request.arguments.size() == 2) {
    call.pretty = pretty_from(request.name + "({0})", request);
    call.argument_types[1] = column::double_type();
    const Argument& deviation = request.arguments[1];
    const TypeKind kind = deviation.type->kind();
    if (deviation.literal == nullptr || (kind != TypeKind::double_ && kind != TypeKind::decimal)) {
      ErrorInfo info;
      info.kind = ErrorKind::analysis;
      info.condition = "_LEGACY_ERROR_TEMP_1104";
      info.message = "The second argument should be a double literal.";
      return Status(std::move(info));
    }
    const double value = deviation.literal == nullptr || !deviation.literal->is_valid
                             ? 0
                             : std::strtod(deviation.literal->ToString().c_str(), nullptr);
    // HLL++ takes 2^4 to 2^14 registers here.
    if (!(value >= 0.0087 && value <= 0.39))
      return Status::unsupported("{} with a deviation that is no constant between 0.0087 and 0.39",
                                 request.name);
  }
  call.type = column::long_type();
  call.nullable = false;
  return call;
}

Result<Call> try_total(const Request& request) {
  TRY_ASSIGN(Call call, request.name == "try_avg" ? average(request) : sum(request));
  if (request.name == "try_avg" && call.argument_types[0]->kind() == TypeKind::decimal &&
      call.argument_types[0]->precision() > 28) {
    call.name = request.name;  // which cannot fail otherwise
  }
  return call;
}

Result<Call> mode(const Request& request) {
  if (request.arguments.size() == 1) return extreme(request);
  // mode(x, deterministic): of several that are as frequent the least, if it must be one of them.
  if (request.arguments.size() != 2) return wrong_arity(request, "[1, 2]");
  const Argument& flag = request.arguments[1];
  if (flag.type->kind() != TypeKind::boolean || flag.literal == nullptr)
    return unexpected_input(request, 1, "\"BOOLEAN\"");
  Call call = begin_call(request);
  call.pretty = pretty_from(request.name + "({0})", request);
  call.type = request.arguments[0].type;
  if (flag.sql == "true") {
    call.name = "mode_lowest";
    call.pretty = pretty_from("mode() WITHIN GROUP (ORDER BY {0} DESC)", request);
  }
  return call;
}

Result<Call> histogram(const Request& request) {
  if (request.arguments.size() != 2) return wrong_arity(request, "2");
  Call call = begin_call(request);
  const TypePtr& type = request.arguments[0].type;
  if (type->kind() == TypeKind::time) {
    return mismatch("CAST_WITHOUT_SUGGESTION", request.arguments[0].sql,
                    {{"srcType", quoted(type)}, {"targetType", "\"DATE\""}});
  }
  if (type->kind() == TypeKind::decimal || !type->is_numeric())
    return Status::unsupported("{} of {} is not supported", request.name, type->sql());
  const auto bins = literal_int(request.arguments[1]);
  if (!bins || *bins < 2) return Status::unsupported("{} needs two bins or more", request.name);
  call.argument_types[1] = column::int_type();
  call.type = column::array_type(
      column::struct_type({{"x", type, true, {}}, {"y", column::double_type(), true, {}}}), true);
  return call;
}

// count_min_sketch(x, relative error, confidence, seed)
Result<Call> count_min_sketch(const Request& request) {
  if (request.arguments.size() != 4) return wrong_arity(request, "4");
  Call call = begin_call(request);
  const TypePtr& type = request.arguments[0].type;
  if (!type->is_integral() && !type->is_string() && type->kind() != TypeKind::binary)
    return unexpected_input(request, 0, "(\"INTEGRAL\" or \"STRING\" or \"BINARY\")");
  for (std::size_t i = 1; i < 3; ++i) {
    if (request.arguments[i].type->kind() != TypeKind::double_)
      return unexpected_input(request, i, "\"DOUBLE\"");
  }
  const TypeKind seed = request.arguments[3].type->kind();
  if (seed != TypeKind::int_ && seed != TypeKind::long_)
    return unexpected_input(request, 3, "(\"INT\" or \"BIGINT\")");
  for (std::size_t i = 1; i < 4; ++i) {
    if (request.arguments[i].literal == nullptr || !request.arguments[i].literal->is_valid)
      return Status::unsupported("{} wants constants after the first argument", request.name);
  }
  call.argument_types[1] = column::double_type();
  call.argument_types[2] = column::double_type();
  call.argument_types[3] = column::long_type();
  call.type = column::binary_type();
  call.nullable = false;
  return call;
}

// What df.stat.freqItems computes for a column: ms_freq_items(x, number of counters).
Result<Call> frequent_items(const Request& request) {
  if (request.arguments.size() != 2 || !literal_int(request.arguments[1]))
    return wrong_arity(request, "2");
  Call call = begin_call(request);
  call.type = column::array_type(request.arguments[0].type, request.arguments[0].nullable);
  call.nullable = false;
  return call;
}

Result<Call> bitmap(const Request& request) {
  if (request.arguments.size() != 1) return wrong_arity(request, "1");
  Call call = begin_call(request);
  const TypePtr& type = request.arguments[0].type;
  if (request.name == "bitmap_construct_agg") {
    if (!can_cast_implicitly(*type, *column::long_type()))
      return unexpected_input(request, 0, "\"BIGINT\"");
    call.argument_types[0] = column::long_type();
  } else if (type->kind() != TypeKind::binary) {
    return unexpected_input(request, 0, "\"BINARY\"");
  }
  call.type = column::binary_type();
  call.nullable = false;
  return call;
}

constexpr FunctionKind aggregate = FunctionKind::aggregate;

Entry row(std::string_view name, Rule rule, std::string_view sql = {},
          std::string_view canonical = {}) {
  Entry entry;
  entry.name = name;
  entry.rule = rule;
  entry.sql = sql;
  entry.canonical = canonical;
  entry.kind = aggregate;
  return entry;
}

// One that Spark shows under another name.
Entry shown_row(std::string_view name, std::string_view pretty, Rule rule,
                std::string_view canonical) {
  Entry entry = row(name, rule, {}, canonical);
  entry.pretty = pretty;
  return entry;
}

Entry of_doubles(std::string_view name, std::string_view parameters, std::string_view sql,
                 std::string_view canonical = {}) {
  Entry entry;
  entry.name = name;
  entry.parameters = parameters;
  entry.result = "d";
  entry.sql = sql;
  entry.null = '~';
  entry.canonical = canonical;
  entry.kind = aggregate;
  return entry;
}

const Entry entries[] = {
    row("count", count),
    row("sum", sum),
    row("try_sum", try_total),
    row("try_avg", try_total, {}, "avg"),
    row("avg", average),
    row("mean", average, {}, "avg"),
    row("min", extreme, "min({0})"),
    row("max", extreme, "max({0})"),
    row("max_by", by_order, "arg_max_null({0}, {1})"),
    row("min_by", by_order, "arg_min_null({0}, {1})"),
    row("max_by_several", nullptr, "@first_by"),
    row("min_by_several", nullptr, "@last_by"),
    row("first", first_last, "first({0})"),
    row("first_value", first_last, "first({0})", "first"),
    row("any_value", first_last, "first({0})", "first"),
    row("first_ignore_nulls", nullptr, "any_value({0})"),
    row("last", first_last, "last({0})"),
    row("last_value", first_last, "last({0})", "last"),
    row("last_ignore_nulls", nullptr),
    row("collect_list", collect),
    shown_row("array_agg", "collect_list({0})", collect, "collect_list"),
    row("collect_set", collect),
    row("approx_count_distinct", approximate_count),
    row("bool_and", boolean_aggregate, "bool_and({0})"),
    row("every", boolean_aggregate, {}, "bool_and"),
    row("bool_or", boolean_aggregate, "bool_or({0})"),
    row("some", boolean_aggregate, {}, "bool_or"),
    row("any", boolean_aggregate, {}, "bool_or"),
    row("count_if", boolean_aggregate),
    row("bit_and", bit_aggregate, "bit_and({0})"),
    row("bit_or", bit_aggregate, "bit_or({0})"),
    row("bit_xor", bit_aggregate, "bit_xor({0})"),
    row("percentile", percentile, "quantile_cont({0}, {1})"),
    row("percentile_weighted", nullptr, "@percentile"),
    row("percentile_approx", percentile_approx, "@percentile_approx"),
    row("mode", mode, "@mode"),
    row("mode_lowest", nullptr, "@mode_lowest"),
    row("histogram_numeric", histogram, "@histogram_numeric"),
    row("ms_freq_items", frequent_items, "@freq_items"),
    row("count_min_sketch", count_min_sketch, "@count_min"),
    row("bitmap_construct_agg", bitmap, "@bitmap_construct"),
    row("bitmap_or_agg", bitmap, "@bitmap_or"),
    row("bitmap_and_agg", bitmap, "@bitmap_and"),
    row("approx_percentile", percentile_approx, {}, "percentile_approx"),
    row("listagg", list_aggregate),
    row("string_agg", list_aggregate, {}, "listagg"),
    of_doubles("median", "d", "quantile_cont({0}, 0.5)"),
    of_doubles("stddev", "d", "ms_stddev_samp({0})"),
    of_doubles("std", "d", "ms_stddev_samp({0})"),
    of_doubles("stddev_samp", "d", "ms_stddev_samp({0})"),
    of_doubles("stddev_pop", "d", "ms_stddev_pop({0})"),
    of_doubles("variance", "d", "ms_var_samp({0})"),
    of_doubles("var_samp", "d", "ms_var_samp({0})"),
    of_doubles("var_pop", "d", "ms_var_pop({0})"),
    of_doubles("covar_pop", "dd", "ms_covar_pop({0}, {1})"),
    of_doubles("covar_samp", "dd", "ms_covar_samp({0}, {1})"),
    of_doubles("corr", "dd", ""),
    of_doubles("product", "d", "product({0})"),
    of_doubles("kurtosis", "d", "ms_kurtosis({0})"),
    of_doubles("skewness", "d", "ms_skewness({0})"),
    of_doubles("regr_avgx", "dd", "regr_avgx({0}, {1})"),
    of_doubles("regr_avgy", "dd", "regr_avgy({0}, {1})"),
    of_doubles("regr_slope", "dd", "ms_regr_slope({0}, {1})"),
    of_doubles("regr_intercept", "dd", "ms_regr_intercept({0}, {1})"),
    of_doubles("regr_r2", "dd", "ms_regr_r2({0}, {1})"),
    of_doubles("regr_sxx", "dd", "ms_regr_sxx({0}, {1})"),
    of_doubles("regr_sxy", "dd", "ms_regr_sxy({0}, {1})"),
    of_doubles("regr_syy", "dd", "ms_regr_syy({0}, {1})"),
    row(
        "regr_count",
        [](const Request& request) -> Result<Call> {
          if (request.arguments.size() != 2) return wrong_arity(request, "2");
          TRY_ASSIGN(Call call, count(request));
          for (TypePtr& type : call.argument_types) {
            if (type->is_string()) type = column::double_type();
          }
          return call;
        },
        "", "count"),
};

}  // namespace

std::span<const Entry> aggregate_entries() { return entries; }

}  // namespace millstream::functions
