// Arithmetic operators, of numbers and of times.
#include <algorithm>

#include "base/text.h"
#include "column/time_types.h"
#include "functions/lowering.h"
#include "functions/table.h"

namespace millstream::functions {

using column::DataType;
using column::TypeKind;
using column::TypePtr;

namespace {

bool is_day_time(const TypePtr& t) { return t->kind() == TypeKind::day_time_interval; }
bool is_year_month(const TypePtr& t) { return t->kind() == TypeKind::year_month_interval; }
bool is_interval(const TypePtr& t) { return is_day_time(t) || is_year_month(t); }
bool is_date(const TypePtr& t) { return t->kind() == TypeKind::date; }
bool is_timestamp(const TypePtr& t) {
  return t->kind() == TypeKind::timestamp || t->kind() == TypeKind::timestamp_ntz;
}
bool is_time(const TypePtr& t) { return t->kind() == TypeKind::time; }
bool is_null(const TypePtr& t) { return t->kind() == TypeKind::null; }
TypePtr full_day_time() { return column::day_time_interval_type(0, 3); }

std::string_view symbol_of(std::string_view canonical) {
  if (canonical == "add") return "+";
  if (canonical == "subtract") return "-";
  if (canonical == "multiply") return "*";
  if (canonical == "divide") return "/";
  if (canonical == "remainder") return "%";
  return "";
}

Status operand_mismatch(const Call& call, const TypePtr& wrong, std::string_view wanted) {
  return mismatch("BINARY_OP_WRONG_TYPE", call.pretty,
                  {{"inputType", std::string(wanted)}, {"actualDataType", quoted(wrong)}});
}

Status operands_differ(const Call& call, const TypePtr& a, const TypePtr& b) {
  return mismatch("BINARY_OP_DIFF_TYPES", call.pretty, {{"left", quoted(a)}, {"right", quoted(b)}});
}

// A time of day under + and -: nothing where that is none. What is added may have more digits.
std::optional<Result<Call>> time_of_day(const Request& request, const Call& begun) {
  const TypePtr& a = request.arguments[0].type;
  const TypePtr& b = request.arguments[1].type;
  const bool add = begun.name == "add";
  Call call = begun;
  call.nullable = true;
  const auto moves = [](const TypePtr& t) { return is_day_time(t) || is_null(t); };
  const bool swapped = add && is_time(b) && moves(a);
  if (!add && is_time(a) && is_time(b)) {
    call.name = "time_minus_time";
    call.argument_types = {a, b};
    call.type = column::day_time_interval_type(1, 3);
    call.pretty = pretty_from("{0} - {1}", request);
  } else if (swapped || (is_time(a) && moves(b))) {
    const TypePtr& time = swapped ? b : a;
    const TypePtr interval = is_null(swapped ? a : b) ? full_day_time() : swapped ? a : b;
    call.name = !add ? "time_add_interval_negated" : "time_add_interval";
    if (swapped) call.name += "_reversed";
    call.argument_types = {swapped ? interval : time, swapped ? time : interval};
    const bool of_seconds = interval->end_field() == full_day_time()->end_field();
    call.type = of_seconds ? column::type_of(TypeKind::time) : time;
    call.pretty = pretty_from(!add ? "{0} - {1}" : swapped ? "{1} + {0}" : "{0} + {1}", request);
  } else if ((is_date(a) && is_time(b)) || (is_time(a) && is_date(b))) {
    const std::size_t time = is_time(a) ? 0 : 1;
    const Argument& given = request.arguments[time];
    if (!add) {
      return mismatch("CAST_WITHOUT_SUGGESTION", given.sql,
                      {{"srcType", quoted(given.type)}, {"targetType", "\"DATE\""}});
    }
    return mismatch("UNEXPECTED_INPUT_TYPE",
                    pretty_from(time == 1 ? "date_add({0}, {1})" : "date_add({1}, {0})", request),
                    {{"paramIndex", "second"},
                     {"requiredType", "(\"INT\" or \"SMALLINT\" or \"TINYINT\")"},
                     {"inputSql", quoted(given.sql)},
                     {"inputType", quoted(given.type)}});
  } else {
    return std::nullopt;
  }
  const Status enabled = column::check_time_types();
  if (!enabled.ok()) return enabled;
  return call;
}

// Dates, times and intervals under + and -: which function it really is.
bool temporal(const Request& request, Call* call) {
  const TypePtr& a = request.arguments[0].type;
  const TypePtr& b = request.arguments[1].type;
  const bool add = call->name == "add";
  const auto set = [&](std::string_view name, TypePtr left, TypePtr right, TypePtr result) {
    call->name = name;
    call->argument_types = {std::move(left), std::move(right)};
    call->type = std::move(result);
    return true;
  };
  const bool small =
      b->kind() == TypeKind::byte_ || b->kind() == TypeKind::short_ || b->kind() == TypeKind::int_;
  const bool ansi = request.settings.ansi;
  // Without ANSI a text is a date where one is taken from it.
  if (!ansi && !add && a->is_string() && is_date(b))
    return set("date_minus_date", b, b, column::day_time_interval_type(0, 0));
  if (is_date(a) && small) {
    call->pretty = pretty_from(add ? "date_add({0}, {1})" : "date_sub({0}, {1})", request);
    return set(add ? "date_add" : "date_sub", a, column::int_type(), a);
  }
  if (add && is_date(b) &&
      (a->kind() == TypeKind::byte_ || a->kind() == TypeKind::short_ ||
       a->kind() == TypeKind::int_)) {
    call->pretty = pretty_from("date_add({1}, {0})", request);
    return set("date_add_reversed", column::int_type(), b, b);
  }
  if (!add && is_date(a) && is_date(b))
    return set("date_minus_date", a, b, column::day_time_interval_type(0, 0));
  if (!add && (is_timestamp(a) || is_timestamp(b)) && (is_timestamp(a) || is_date(a)) &&
      (is_timestamp(b) || is_date(b))) {
    // The difference of the wall clocks of the session's zone, which a change of the clock does not
    // shorten.
    const TypePtr clock = column::timestamp_ntz_type();
    return set("timestamp_minus_timestamp", clock, clock, full_day_time());
  }
  const auto plus_interval = [&](const TypePtr& time, const TypePtr& interval, bool swapped) {
    const std::string suffix = add ? (swapped ? "_reversed" : "") : "_negated";
    const std::string pretty(add ? (swapped ? "{1} + {0}" : "{0} + {1}") : "{0} - {1}");
    call->pretty = pretty_from(pretty, request);
    TypePtr moment = time;
    std::string name;
    if (is_year_month(interval)) {
      name = is_date(time) ? "date_add_months_interval" : "timestamp_add_months_interval";
    } else if (is_date(time) && interval->end_field() == 0) {
      name = "date_add_days_interval";
      call->pretty = pretty_from(add ? (swapped ? "date_add({1}, extractansiintervaldays({0}))"
                                                : "date_add({0}, extractansiintervaldays({1}))")
                                     : "date_add({0}, (- extractansiintervaldays({1})))",
                                 request);
    } else {
      name = "timestamp_add_interval";
      if (is_date(time)) moment = column::timestamp_type();
    }
    return swapped ? set(name + suffix, interval, moment, moment)
                   : set(name + suffix, moment, interval, moment);
  };
  if ((is_date(a) || is_timestamp(a)) && is_interval(b)) return plus_interval(a, b, false);
  if (add && (is_date(b) || is_timestamp(b)) && is_interval(a)) return plus_interval(b, a, true);
  if (is_interval(a) && is_interval(b) && a->kind() == b->kind()) {
    const TypePtr common = tightest_type(a, b, request.settings.ansi);
    const std::string name = add ? "interval_add" : "interval_subtract";
    return set(name + (is_year_month(a) ? "_months" : ""), common, common, common);
  }
  return false;
}

TypePtr decimal_result(std::string_view op, const DataType& a, const DataType& b) {
  const int p1 = a.precision();
  const int s1 = a.scale();
  const int p2 = b.precision();
  const int s2 = b.scale();
  if (op == "multiply") return adjusted_decimal(p1 + p2 + 1, s1 + s2);
  if (op == "divide") {
    const int scale = std::max(6, s1 + p2 + 1);
    return adjusted_decimal(p1 - s1 + s2 + scale, scale);
  }
  const int scale = std::max(s1, s2);
  if (op == "remainder" || op == "pmod")
    return adjusted_decimal(std::min(p1 - s1, p2 - s2) + scale, scale);
  return adjusted_decimal(scale + std::max(p1 - s1, p2 - s2) + 1, scale);
}

// The operands' types after promotion: equal numbers, or two decimals of their own precision.
// False: not numbers.
bool promote(const Request& request, Call* call) {
  Argument a = request.arguments[0];
  Argument b = request.arguments[1];
  if (!request.settings.ansi) {
    for (Argument* text : {&a, &b}) {
      if (!text->type->is_string()) continue;
      text->type = column::double_type();
      text->literal = nullptr;
    }
  }
  if (a.type->is_string() != b.type->is_string()) {
    Argument& text = a.type->is_string() ? a : b;
    const Argument& other = a.type->is_string() ? b : a;
    if (!other.type->is_numeric() && !is_null(other.type)) return false;
    text.type = other.type->is_integral() ? column::long_type() : column::double_type();
    text.literal = nullptr;
  }
  if (is_null(a.type)) a.type = is_null(b.type) ? column::double_type() : b.type;
  if (is_null(b.type)) b.type = a.type;
  if (!a.type->is_numeric() || !b.type->is_numeric()) return false;
  const bool decimals = a.type->kind() == TypeKind::decimal || b.type->kind() == TypeKind::decimal;
  const TypePtr left = decimals ? decimal_of(a) : nullptr;
  const TypePtr right = decimals ? decimal_of(b) : nullptr;
  if (left != nullptr && right != nullptr) {
    call->argument_types = {left, right};
  } else {
    const TypePtr common = tightest_type(a.type, b.type, request.settings.ansi);
    call->argument_types = {common, common};
  }
  return true;
}

// Without ANSI texts are numbers of days, which must be whole, but no times.
Status check_times(const Request& request, bool add) {
  const TypePtr& a = request.arguments[0].type;
  const TypePtr& b = request.arguments[1].type;
  if (is_date(a) && (b->is_string() || b->is_numeric() || (add && is_date(b)))) {
    const std::string sql = pretty_from(add ? "date_add({0}, {1})" : "date_sub({0}, {1})", request);
    const TypePtr given = b->is_string() ? column::double_type() : b;
    return mismatch("UNEXPECTED_INPUT_TYPE", sql,
                    {{"paramIndex", "second"},
                     {"requiredType", "(\"INT\" or \"SMALLINT\" or \"TINYINT\")"},
                     {"inputSql", quoted(request.arguments[1].sql)},
                     {"inputType", quoted(given)}});
  }
  if (!add && is_timestamp(a) && b->is_string())
    return unexpected_input(request, 1, "\"(TIMESTAMP OR TIMESTAMP WITHOUT TIME ZONE)\"");
  return Status::OK();
}

// With ANSI a text beside a date, a time, a boolean or bytes is taken for one of these; the place
// of the text, if there is one.
std::optional<std::size_t> text_beside_other(const Request& request) {
  if (!request.settings.ansi) return std::nullopt;
  for (const std::size_t at : {0U, 1U}) {
    const TypePtr& other = request.arguments[1 - at].type;
    const bool takes = is_date(other) || is_timestamp(other) || is_time(other) ||
                       other->kind() == TypeKind::boolean || other->kind() == TypeKind::binary;
    if (request.arguments[at].type->is_string() && takes) return at;
  }
  return std::nullopt;
}

Result<Call> arithmetic(const Request& request) {
  if (request.arguments.size() != 2) return wrong_arity(request, "2");
  if (const auto text = text_beside_other(request)) {
    std::vector<Argument> arguments = request.arguments;
    arguments[*text].type = arguments[1 - *text].type;
    arguments[*text].nullable = true;
    arguments[*text].literal = nullptr;
    return arithmetic({request.entry, request.name, arguments, request.distinct, request.settings});
  }
  Call call = begin_call(request);
  call.nullable = any_nullable(request);
  const TypePtr& a = request.arguments[0].type;
  const TypePtr& b = request.arguments[1].type;
  const bool sum = call.name == "add" || call.name == "subtract";
  if (is_calendar(a) || is_calendar(b)) return calendar_arithmetic(request, std::move(call));
  if (sum && (is_time(a) || is_time(b))) {
    if (auto of_day = time_of_day(request, call)) return std::move(*of_day);
  }
  if (sum && temporal(request, &call)) return call;
  if (sum && !request.settings.ansi) TRY(check_times(request, call.name == "add"));
  if (sum && is_date(a) && (b->is_numeric() || is_date(b)))
    TRY(check_times(request, call.name == "add"));
  // Spark takes the months for what the days are added to.
  if (call.name == "add" && is_interval(a) && is_interval(b) && a->kind() != b->kind()) {
    const Argument& months = request.arguments[is_year_month(a) ? 0 : 1];
    return mismatch("UNEXPECTED_INPUT_TYPE",
                    pretty_from(is_year_month(a) ? "{0} + {1}" : "{1} + {0}", request),
                    {{"paramIndex", "first"},
                     {"requiredType", "\"(TIMESTAMP OR TIMESTAMP WITHOUT TIME ZONE)\""},
                     {"inputSql", quoted(months.sql)},
                     {"inputType", quoted(months.type)}});
  }
  // Beside days and seconds Spark takes whatever it is for a time.
  const bool beside = is_day_time(a) != is_day_time(b);
  const std::size_t place = beside && is_day_time(a) ? 1 : 0;
  const TypePtr& other = request.arguments[place].type;
  const bool no_time = other->is_numeric() || other->kind() == TypeKind::boolean ||
                       other->kind() == TypeKind::binary;
  if (sum && beside && no_time && (place == 0 || call.name == "add")) {
    return mismatch("UNEXPECTED_INPUT_TYPE",
                    pretty_from(place == 1           ? "{1} + {0}"
                                : call.name == "add" ? "{0} + {1}"
                                                     : "{0} + (- {1})",
                                request),
                    {{"paramIndex", "first"},
                     {"requiredType", "\"(TIMESTAMP OR TIMESTAMP WITHOUT TIME ZONE)\""},
                     {"inputSql", quoted(request.arguments[place].sql)},
                     {"inputType", quoted(other)}});
  }
  if ((call.name == "multiply" && (is_interval(a) || is_interval(b))) ||
      (call.name == "divide" && is_interval(a))) {
    return scaled_interval(request, std::move(call));
  }
  if (call.name == "div" && is_interval(a) && a->kind() == b->kind()) {
    call.name = request.settings.ansi ? "interval_div" : "interval_div_lenient";
    call.argument_types = {a, b};
    call.type = column::long_type();
    call.nullable = true;
    return call;
  }
  if (!promote(request, &call)) {
    if (column::same_type(a, b)) {
      const std::string_view wanted = sum ? "(\"NUMERIC\" or \"INTERVAL DAY TO SECOND\" or "
                                            "\"INTERVAL YEAR TO MONTH\" or \"INTERVAL\")"
                                          : "\"NUMERIC\"";
      return operand_mismatch(call, a, wanted);
    }
    return operands_differ(call, a, b);
  }
  const TypePtr left = call.argument_types[0];
  const TypePtr right = call.argument_types[1];
  if (left->kind() == TypeKind::decimal) {
    call.type = call.name == "div" ? column::long_type() : decimal_result(call.name, *left, *right);
  } else if (call.name == "divide") {
    call.argument_types = {column::double_type(), column::double_type()};
    call.type = column::double_type();
  } else if (call.name == "div") {
    if (!left->is_integral()) {
      if (!request.settings.ansi && a->is_string() != b->is_string())
        return a->is_string() ? operands_differ(call, left, column::long_type())
                              : operands_differ(call, column::long_type(), left);
      return operand_mismatch(
          call, left,
          request.settings.ansi ? "(\"BIGINT\" or \"INTERVAL DAY TO SECOND\" or \"INTERVAL YEAR TO "
                                  "MONTH\")"
                                : "(\"BIGINT\" or \"DECIMAL\" or \"INTERVAL YEAR TO MONTH\" or "
                                  "\"INTERVAL DAY TO SECOND\")");
    }
    call.argument_types = {column::long_type(), column::long_type()};
    call.type = column::long_type();
  } else {
    call.type = left;
  }
  const bool divides = call.name == "divide" || call.name == "div" || call.name == "remainder" ||
                       call.name == "pmod";
  // A constant integer becomes a decimal of as many digits, which Spark takes for a cast that may
  // fail.
  const bool narrowed =
      left->kind() == TypeKind::decimal && ((a->is_integral() && request.arguments[0].literal) ||
                                            (b->is_integral() && request.arguments[1].literal));
  const bool may_overflow = left->kind() == TypeKind::decimal && !request.settings.ansi;
  call.nullable = call.nullable || divides || narrowed || may_overflow;
  return call;
}

// try_add and kin: NULL in place of the error.
Result<Call> try_arithmetic(const Request& request) {
  TRY_ASSIGN(Call call, arithmetic(request));
  call.pretty = pretty_call(request.name, request);
  const bool moves = call.name.starts_with("timestamp_add_") || call.name.starts_with("date_add") ||
                     call.name.starts_with("date_sub") || call.name.starts_with("time_add_");
  if (call.name.starts_with("calendar_")) {
    call.name = call.name.substr(0, call.name.find("_wrap")) + "_try";
  } else if (call.name.starts_with("interval_add") || call.name.starts_with("interval_subtract")) {
    call.name = call.name.starts_with("interval_add") ? "try_add" : "try_subtract";
  } else if (moves || call.name.starts_with("micros_") || call.name.starts_with("months_") ||
             (sql_template(call.name).value_or("x").empty() && !symbol_of(call.name).empty())) {
    call.name = "try_" + call.name;
  } else if (call.name != "time_minus_time" && call.name != "date_minus_date" &&
             call.name != "timestamp_minus_timestamp" && !is_interval(call.argument_types[0]) &&
             !is_interval(call.argument_types[1]) && call.name != "date_add" &&
             call.name != "date_sub") {
    return Status::unsupported("{} of {} is not supported", request.name,
                               call.argument_types[0]->sql());
  }
  call.nullable = true;
  return call;
}

// - x, + x, abs, sign: numbers and intervals stay what they are.
Result<Call> unary(const Request& request) {
  if (request.arguments.size() != 1) return wrong_arity(request, "1");
  Call call = begin_call(request);
  TypePtr type = request.arguments[0].type;
  if (is_null(type) || type->is_string()) type = column::double_type();
  if (is_calendar(type) && call.name == "negative") {
    call.name = request.settings.ansi ? "calendar_negate" : "calendar_negate_wrap";
  } else if (!type->is_numeric() && !is_interval(type) &&
             !(is_calendar(type) && call.name == "positive")) {
    const bool calendar = call.name == "negative" || call.name == "positive";
    return unexpected_input(
        request, 0,
        fmt::format("(\"NUMERIC\" or \"INTERVAL DAY TO SECOND\" or \"INTERVAL YEAR TO MONTH\"{})",
                    calendar ? " or \"INTERVAL\"" : ""));
  }
  call.argument_types = {type};
  call.type = type;
  call.nullable = any_nullable(request);
  return call;
}

Result<Call> sign(const Request& request) {
  const bool interval = request.arguments.size() == 1 && is_interval(request.arguments[0].type);
  if (!interval) return apply_signature(request);
  Call call = begin_call(request);
  call.name = "sign_interval";
  call.type = column::double_type();
  return call;
}

const Entry entries[] = {
    {.name = "+", .pretty = "({0} + {1})", .rule = arithmetic, .canonical = "add"},
    {.name = "add", .pretty = "({0} + {1})", .rule = arithmetic},
    {.name = "-", .pretty = "({0} - {1})", .rule = arithmetic, .canonical = "subtract"},
    {.name = "subtract", .pretty = "({0} - {1})", .rule = arithmetic},
    {.name = "*", .pretty = "({0} * {1})", .rule = arithmetic, .canonical = "multiply"},
    {.name = "multiply", .pretty = "({0} * {1})", .rule = arithmetic},
    {.name = "/", .pretty = "({0} / {1})", .rule = arithmetic, .canonical = "divide"},
    {.name = "divide", .pretty = "({0} / {1})", .rule = arithmetic},
    {.name = "%", .pretty = "({0} % {1})", .rule = arithmetic, .canonical = "remainder"},
    {.name = "mod", .pretty = "mod({0}, {1})", .rule = arithmetic, .canonical = "remainder"},
    {.name = "remainder", .pretty = "({0} % {1})", .rule = arithmetic},
    {.name = "div", .pretty = "({0} div {1})", .rule = arithmetic},
    {.name = "pmod", .pretty = "pmod({0}, {1})", .rule = arithmetic},
    {.name = "try_add", .rule = try_arithmetic, .canonical = "add"},
    {.name = "try_subtract", .rule = try_arithmetic, .canonical = "subtract"},
    {.name = "try_multiply", .rule = try_arithmetic, .canonical = "multiply"},
    {.name = "try_divide", .rule = try_arithmetic, .canonical = "divide"},
    {.name = "try_mod", .rule = try_arithmetic, .canonical = "remainder"},
    {.name = "try_remainder"},
    {.name = "negative", .pretty = "negative({0})", .rule = unary},
    {.name = "unary_minus", .pretty = "(- {0})", .rule = unary, .canonical = "negative"},
    {.name = "positive", .sql = "{0}", .pretty = "(+ {0})", .rule = unary},
    {.name = "abs", .rule = unary},
    {.name = "sign",
     .parameters = "d",
     .result = "d",
     .sql = "ms_signum({0})",
     .null = '~',
     .rule = sign},
    {.name = "signum",
     .parameters = "d",
     .result = "d",
     .sql = "ms_signum({0})",
     .null = '~',
     .pretty = "^",
     .rule = sign},
    {.name = "sign_interval", .sql = "CAST(sign({0}) AS DOUBLE)"},
    {.name = "interval_add", .sql = "ms_interval_add({0}, {1}, false)"},
    {.name = "interval_subtract", .sql = "ms_interval_subtract({0}, {1}, false)"},
    {.name = "interval_add_months",
     .sql = "CAST(ms_interval_add(CAST({0} AS BIGINT), CAST({1} AS BIGINT), true) AS INTEGER)"},
    {.name = "interval_subtract_months",
     .sql = "CAST(ms_interval_subtract(CAST({0} AS BIGINT), CAST({1} AS BIGINT), true) AS "
            "INTEGER)"},
    {.name = "date_minus_date", .sql = "(CAST({0} - {1} AS BIGINT) * 86400000000)"},
    {.name = "timestamp_minus_timestamp", .sql = "(epoch_us({0}) - epoch_us({1}))"},
};

}  // namespace

std::span<const Entry> arithmetic_entries() { return entries; }

}  // namespace millstream::functions
