// Numbers, typed literals (DATE '…') and intervals.
#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <limits>
#include <optional>

#include "base/text.h"
#include "base/time_of_day.h"
#include "sql/datetime.h"
#include "sql/grammar.h"

namespace millstream::sql {

namespace {

Status out_of_range(std::string_view digits, const char* type, const std::string& least,
                    const std::string& most) {
  return Status::error("INVALID_NUMERIC_LITERAL_RANGE",
                       {{"rawStrippedQualifier", std::string(digits)},
                        {"typeName", type},
                        {"minValue", least},
                        {"maxValue", most}});
}

// Digits of a decimal text before and after the point, without leading zeros.
void make_decimal(sc::Expression& out, const std::string& text) {
  std::string digits = text;
  const bool negative = digits.starts_with('-');
  if (negative) digits.erase(0, 1);
  const auto dot = digits.find('.');
  std::string whole = digits.substr(0, dot);
  const std::string fraction = dot == std::string::npos ? "" : digits.substr(dot + 1);
  whole.erase(0, std::min(whole.find_first_not_of('0'), whole.size()));
  const auto scale = static_cast<int>(fraction.size());
  // 0.001 counts its three digits.
  const int precision = std::max({static_cast<int>(whole.size()) + scale, scale, 1});
  auto* decimal = out.mutable_literal()->mutable_decimal();
  decimal->set_value((negative ? "-" : "") + (whole.empty() ? "0" : whole) +
                     (fraction.empty() ? "" : "." + fraction));
  decimal->set_precision(precision);
  decimal->set_scale(scale);
}

Status make_whole(sc::Expression& out, const std::string& text, const std::string& suffix) {
  const auto value = parse_int64(text);
  const auto check = [&](std::int64_t least, std::int64_t most, const char* type) -> Status {
    if (value && *value >= least && *value <= most) return Status::OK();
    return out_of_range(text, type, std::to_string(least), std::to_string(most));
  };
  if (suffix == "L") {
    TRY(check(INT64_MIN, INT64_MAX, "bigint"));
    out.mutable_literal()->set_long_(*value);
  } else if (suffix == "S") {
    TRY(check(-32768, 32767, "smallint"));
    out.mutable_literal()->set_short_(static_cast<int>(*value));
  } else if (suffix == "Y") {
    TRY(check(-128, 127, "tinyint"));
    out.mutable_literal()->set_byte(static_cast<int>(*value));
  } else if (value && *value >= INT32_MIN && *value <= INT32_MAX) {
    out.mutable_literal()->set_integer(static_cast<int>(*value));
  } else if (value) {
    out.mutable_literal()->set_long_(*value);
  } else {
    make_decimal(out, text);
  }
  return Status::OK();
}

std::optional<double> to_double(const std::string& text) {
  double value = 0;
  const char* begin = text.c_str();
  const auto [end, error] = std::from_chars(begin, begin + text.size(), value);
  if (error == std::errc::result_out_of_range) {
    return text.find("e-") != std::string::npos || text.find("E-") != std::string::npos
               ? 0.0
               : std::numeric_limits<double>::infinity();
  }
  if (error != std::errc() || end != begin + text.size()) return std::nullopt;
  return value;
}

// 1.5e3BD: a decimal whose point is moved.
std::optional<std::string> without_exponent(const std::string& text) {
  const auto e = text.find_first_of("eE");
  if (e == std::string::npos) return text;
  std::string mantissa = text.substr(0, e);
  std::string power = text.substr(e + 1);
  if (power.starts_with('+')) power.erase(0, 1);
  const auto exponent = parse_int64(power);
  if (!exponent || *exponent > 100 || *exponent < -100) return std::nullopt;
  const bool negative = mantissa.starts_with('-');
  if (negative) mantissa.erase(0, 1);
  const auto dot = mantissa.find('.');
  std::string digits = mantissa;
  std::int64_t point = static_cast<std::int64_t>(mantissa.size());
  if (dot != std::string::npos) {
    digits.erase(dot, 1);
    point = static_cast<std::int64_t>(dot);
  }
  point += *exponent;
  if (point <= 0) {
    digits.insert(0, static_cast<std::size_t>(-point) + 1, '0');
    point = 1;
  }
  if (point > static_cast<std::int64_t>(digits.size())) {
    digits.append(static_cast<std::size_t>(point) - digits.size(), '0');
  }
  if (point < static_cast<std::int64_t>(digits.size())) {
    digits.insert(static_cast<std::size_t>(point), ".");
  }
  return (negative ? "-" : "") + digits;
}

}  // namespace

Status Grammar::number(sc::Expression& out, bool negative) {
  const Token token = take();
  const std::string text = (negative ? "-" : "") + token.value;
  out.Clear();
  Status status;
  if (token.kind == TokenKind::integer) {
    status = make_whole(out, text, token.suffix);
  } else if (token.suffix == "F" || token.suffix == "D" ||
             (token.kind == TokenKind::exponent && token.suffix.empty())) {
    const auto value = to_double(text);
    if (!value) return syntax_error(text_, token, false);
    if (token.suffix == "F") {
      constexpr double most = std::numeric_limits<float>::max();
      if (*value > most || *value < -most) {
        status = out_of_range(text, "float", "-3.4028234663852886E+38", "3.4028234663852886E+38");
      }
      out.mutable_literal()->set_float_(static_cast<float>(*value));
    } else {
      constexpr double most = std::numeric_limits<double>::max();
      if (*value > most || *value < -most) {
        status =
            out_of_range(text, "double", "-1.7976931348623157E+308", "1.7976931348623157E+308");
      }
      out.mutable_literal()->set_double_(*value);
    }
  } else {
    const auto plain = without_exponent(text);
    if (!plain) return syntax_error(text_, token, false);
    make_decimal(out, *plain);
    const int precision = out.literal().decimal().precision();
    if (precision > 38) {
      status = Status::error("DECIMAL_PRECISION_EXCEEDS_MAX_PRECISION",
                             {{"precision", std::to_string(precision)}, {"maxPrecision", "38"}});
    }
  }
  return status.ok() ? status : parse_error(text_, token, token, status);
}

namespace {

bool is_region(std::string_view zone) {
  return std::all_of(zone.begin(), zone.end(), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '/' || c == '_' || c == '-' ||
           c == '+' || c == ':';
  });
}

// The one name of a day and moment that is the same whenever it is read.
bool is_epoch(const std::string& text) { return to_lower(trim(text)) == "epoch"; }

// Those that depend on the query's time.
bool is_named_time(const std::string& text) {
  const std::string name = to_lower(trim(text));
  return name == "now" || name == "today" || name == "tomorrow" || name == "yesterday";
}

// The day or moment of that name, as a value of the type.
void named_time(const std::string& name, const std::string& type, sc::Expression& out) {
  sc::Expression* value = &out;
  const bool moment = name == "now" && type != "DATE";
  if (type == "TIMESTAMP_NTZ" || (type != "DATE" && !moment)) {
    out.mutable_cast()->set_type_str(type);
    value = out.mutable_cast()->mutable_expr();
  }
  const int days = name == "tomorrow" ? 1 : name == "yesterday" ? -1 : 0;
  if (days != 0) {
    auto* added = value->mutable_unresolved_function();
    added->set_function_name("date_add");
    value = added->add_arguments();
    added->add_arguments()->mutable_literal()->set_integer(days);
  }
  value->mutable_unresolved_function()->set_function_name(moment ? "current_timestamp"
                                                                 : "current_date");
}

}  // namespace

Status Grammar::typed_literal(const Token& type, const Token& text, sc::Expression& out) {
  const std::string name = to_upper(type.text);
  const auto invalid = [&] {
    return parse_error(text_, type, text,
                       Status::error("INVALID_TYPED_LITERAL", {{"valueType", "\"" + name + "\""},
                                                               {"value", "'" + text.value + "'"}}));
  };
  out.Clear();
  if (name == "X") {
    std::string digits = text.value;
    if (digits.size() % 2 == 1) digits.insert(0, "0");
    std::string bytes;
    for (std::size_t i = 0; i < digits.size(); i += 2) {
      unsigned value = 0;
      const char* begin = digits.data() + i;
      const auto [end, error] = std::from_chars(begin, begin + 2, value, 16);
      if (error != std::errc() || end != begin + 2) return invalid();
      bytes += static_cast<char>(value);
    }
    out.mutable_literal()->set_binary(std::move(bytes));
    return Status::OK();
  }
  if (is_epoch(text.value) && (name == "DATE" || name.starts_with("TIMESTAMP"))) {
    auto* literal = out.mutable_literal();
    if (name == "DATE")
      literal->set_date(0);
    else if (name == "TIMESTAMP_NTZ")
      literal->set_timestamp_ntz(0);
    else
      literal->set_timestamp(0);
    return Status::OK();
  }
  if (is_named_time(text.value) && (name == "DATE" || name.starts_with("TIMESTAMP"))) {
    named_time(to_lower(trim(text.value)), name, out);
    return Status::OK();
  }
  if (name == "DATE") {
    const auto days = parse_date(text.value);
    if (!days) return invalid();
    out.mutable_literal()->set_date(*days);
    return Status::OK();
  }
  if (name == "TIME") {
    const auto nanos = parse_time_of_day(text.value);
    if (!nanos) return invalid();
    out.mutable_literal()->mutable_time()->set_nano(*nanos);
    out.mutable_literal()->mutable_time()->set_precision(time_precision_max);
    return Status::OK();
  }
  if (name == "TIMESTAMP" || name == "TIMESTAMP_LTZ" || name == "TIMESTAMP_NTZ") {
    const auto parsed = parse_timestamp(text.value);
    if (!parsed) return invalid();
    if (!parsed->region.empty()) {
      // Which zones there are is not known here.
      if (!is_region(parsed->region)) return invalid();
      if (name == "TIMESTAMP_NTZ") {
        out.mutable_literal()->set_timestamp_ntz(parsed->micros);
        return Status::OK();
      }
      auto* cast = out.mutable_cast();
      make_string(*cast->mutable_expr(), text.value);
      cast->set_type_str("timestamp_ltz");
      cast->set_eval_mode(sc::Expression_Cast::EVAL_MODE_ANSI);
      return Status::OK();
    }
    if (name == "TIMESTAMP_NTZ") {
      // A zone is read and left out.
      out.mutable_literal()->set_timestamp_ntz(parsed->micros);
    } else if (parsed->offset_us) {
      out.mutable_literal()->set_timestamp(parsed->micros - *parsed->offset_us);
    } else {
      auto* function = make_function(out, "ms_local_timestamp");
      function->add_arguments()->mutable_literal()->set_long_(parsed->micros);
      function->add_arguments()->mutable_literal()->set_boolean(name == "TIMESTAMP_LTZ");
    }
    return Status::OK();
  }
  if (name == "INTERVAL") {
    position_ -= 2;
    return interval(out);
  }
  return parse_error(
      text_, type, text,
      Status::error("UNSUPPORTED_TYPED_LITERAL",
                    {{"unsupportedType", "\"" + name + "\""},
                     {"supportedTypes",
                      "\"DATE\", \"TIMESTAMP_NTZ\", \"TIMESTAMP_LTZ\", \"TIMESTAMP\", "
                      "\"INTERVAL\", \"X\", \"TIME\""}}));
}

Status Grammar::interval(sc::Expression& out) {
  const Token first = take();
  IntervalBuilder builder;
  const auto sign = [&] {
    const bool negative = is_symbol("-");
    if (negative || is_symbol("+")) take();
    return negative ? std::string("-") : std::string();
  };
  std::string minus = sign();
  const bool text_value = peek().kind == TokenKind::string;
  bool good = true;
  if (text_value && !(is_name(1) && IntervalBuilder::is_unit(peek(1).text))) {
    good = builder.add_text(minus + take().value);
  } else if (text_value && is_word("TO", 2)) {
    const std::string value = minus + take().value;
    const std::string from(take().text);
    take();
    if (!is_name()) return unexpected();
    good = builder.add_range(value, from, take().text);
  } else {
    for (;;) {
      const TokenKind kind = peek().kind;
      const bool value =
          kind == TokenKind::string || kind == TokenKind::integer || kind == TokenKind::decimal;
      if (!value || !is_name(1) || !IntervalBuilder::is_unit(peek(1).text)) break;
      const std::string amount = minus + take().value;
      good = good && builder.add(amount, take().text);
      const bool more = is_symbol("-") || is_symbol("+");
      // A sign that does not lead to another unit is an operator.
      if (more && !(is_name(2) && IntervalBuilder::is_unit(peek(2).text))) break;
      minus = sign();
    }
    if (builder.empty()) return unexpected();
  }
  const Token last = tokens_[position_ - 1];
  const std::string_view fragment =
      text_.substr(first.offset, last.offset + last.text.size() - first.offset);
  if (!good || builder.mixed()) {
    return parse_error(text_, first, last,
                       Status::error("INVALID_TYPED_LITERAL", {{"valueType", "\"INTERVAL\""},
                                                               {"value", std::string(fragment)}}));
  }
  auto* literal = out.mutable_literal();
  if (builder.year_month()) {
    literal->set_year_month_interval(builder.months());
    auto* type = literal->mutable_data_type()->mutable_year_month_interval();
    type->set_start_field(builder.start_field());
    type->set_end_field(builder.end_field());
  } else {
    literal->set_day_time_interval(builder.micros());
    auto* type = literal->mutable_data_type()->mutable_day_time_interval();
    type->set_start_field(builder.start_field());
    type->set_end_field(builder.end_field());
  }
  return Status::OK();
}

}  // namespace millstream::sql
