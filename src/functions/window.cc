// Window functions that are not aggregates.
#include "functions/table.h"

namespace millstream::functions {

using column::TypePtr;

namespace {

Result<Call> shifted(const Request& request);

Result<Call> ignoring_nulls(const Request& request) {
  const bool ignore = request.arguments.back().sql == "true";
  const std::vector<Argument> arguments(request.arguments.begin(), request.arguments.end() - 1);
  const Request plain{request.entry, request.name, arguments, request.distinct, request.settings};
  TRY_ASSIGN(Call call, shifted(plain));
  call.argument_types.resize(arguments.size());
  call.argument_types.push_back(column::boolean_type());
  if (!ignore) return Status::unsupported("{} with false for IGNORE NULLS", request.name);
  call.name += "_ignore_nulls_" + std::to_string(arguments.size());
  return call;
}

// lag(x[, n[, default]]), lead.
Result<Call> shifted(const Request& request) {
  const std::size_t given = request.arguments.size();
  if (given == 0 || given > 4) return wrong_arity(request, "[1, 3]");
  // lag(x[, n[, default]]) IGNORE NULLS, as the parser writes it: true comes last.
  const Argument& last = request.arguments.back();
  const bool flag = last.literal != nullptr && last.type->kind() == column::TypeKind::boolean;
  if (flag && given == 4) return ignoring_nulls(request);
  if (given > 3) return wrong_arity(request, "[1, 3]");
  Call call = begin_call(request);
  if (request.arguments.size() >= 2 && !literal_int(request.arguments[1])) {
    return unexpected_input(request, 1, "\"INT\"");
  }
  call.type = request.arguments[0].type;
  if (request.arguments.size() >= 2) call.argument_types[1] = column::int_type();
  if (request.arguments.size() == 3) {
    // The default is made what the column is.
    const TypePtr& type = request.arguments[0].type;
    const TypePtr& fallback = request.arguments[2].type;
    const bool cast_one = type->is_nested() && can_cast(fallback, type, request.settings.ansi);
    if (!fits_parameter(*fallback, *type) && !cast_one)
      return unexpected_input(request, 2, "(" + quoted(type) + " or \"VOID\")");
    call.argument_types[2] = type;
  }
  if (request.arguments.size() == 1)
    call.pretty = pretty_from(request.name + "({0}, 1, NULL)", request);
  if (request.arguments.size() == 2)
    call.pretty = pretty_from(request.name + "({0}, {1}, NULL)", request);
  call.nullable = true;
  return call;
}

Result<Call> nth_value(const Request& request) {
  const std::size_t given = request.arguments.size();
  if (given != 2 && given != 3) return wrong_arity(request, "[2, 3]");
  Call call = begin_call(request);
  if (given == 3) {
    if (request.arguments[2].literal == nullptr) return unexpected_input(request, 2, "\"BOOLEAN\"");
    call.pretty = pretty_from(request.name + "({0}, {1})", request);
    if (request.arguments[2].sql == "true") {
      call.name = "nth_value_ignore_nulls";
      call.pretty += " ignore nulls";
    }
  }
  const auto offset = literal_int(request.arguments[1]);
  if (!offset) return unexpected_input(request, 1, "\"INT\"");
  if (*offset <= 0) {
    return mismatch("VALUE_OUT_OF_RANGE", call.pretty,
                    {{"exprName", "offset"},
                     {"valueRange", "(0, 9223372036854775807]"},
                     {"currentValue", fmt::format("{}L", *offset)}});
  }
  call.argument_types[1] = column::int_type();
  call.type = request.arguments[0].type;
  return call;
}

Result<Call> ntile(const Request& request) {
  TRY_ASSIGN(Call call, apply_signature(request));
  const auto buckets = literal_int(request.arguments[0]);
  if (!buckets || *buckets > 0) return call;
  return mismatch("VALUE_OUT_OF_RANGE", call.pretty,
                  {{"exprName", "buckets"},
                   {"valueRange", "(0, 2147483647]"},
                   {"currentValue", std::to_string(*buckets)}});
}

Entry row(std::string_view name, std::string_view parameters, std::string_view result,
          std::string_view sql, Rule rule = nullptr) {
  Entry entry;
  entry.name = name;
  entry.parameters = parameters;
  entry.result = result;
  entry.sql = sql;
  entry.null = '!';
  entry.rule = rule;
  entry.kind = FunctionKind::window;
  return entry;
}

// One whose name Spark shows in capitals.
Entry upper_row(std::string_view name, std::string_view parameters, std::string_view result,
                std::string_view sql) {
  Entry entry = row(name, parameters, result, sql);
  entry.pretty = "^";
  return entry;
}

const Entry entries[] = {
    row("row_number", "", "i", "row_number()"),
    upper_row("rank", "", "i", "rank()"),
    upper_row("dense_rank", "", "i", "dense_rank()"),
    upper_row("percent_rank", "", "d", "percent_rank()"),
    row("cume_dist", "", "d", "cume_dist()"),
    row("ntile", "i", "i", "ntile({0})", ntile),
    row("lag", "", "", "lag({*})", shifted),
    row("lead", "", "", "lead({*})", shifted),
    row("lag_ignore_nulls_1", "", "", "lag({0} IGNORE NULLS)"),
    row("lag_ignore_nulls_2", "", "", "lag({0}, {1} IGNORE NULLS)"),
    row("lag_ignore_nulls_3", "", "", "lag({0}, {1}, {2} IGNORE NULLS)"),
    row("lead_ignore_nulls_1", "", "", "lead({0} IGNORE NULLS)"),
    row("lead_ignore_nulls_2", "", "", "lead({0}, {1} IGNORE NULLS)"),
    row("lead_ignore_nulls_3", "", "", "lead({0}, {1}, {2} IGNORE NULLS)"),
    row("nth_value", "", "", "nth_value({0}, {1})", nth_value),
    row("nth_value_ignore_nulls", "", "", "nth_value({0}, {1} IGNORE NULLS)"),
};

}  // namespace

std::span<const Entry> window_entries() { return entries; }

}  // namespace millstream::functions
