#include "millstream/value.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <cstdlib>
#include <stdexcept>

namespace millstream::api {
namespace {

constexpr std::int64_t micros_per_second = 1'000'000;
constexpr std::int64_t seconds_per_day = 86'400;

std::int64_t floor_div(std::int64_t a, std::int64_t b) {
  return a / b - static_cast<std::int64_t>(a % b != 0 && (a < 0) != (b < 0));
}

std::string date_text(std::int64_t days) {
  const std::chrono::year_month_day date{std::chrono::sys_days{std::chrono::days{days}}};
  return fmt::format("{:04}-{:02}-{:02}", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()));
}

std::string time_text(std::int64_t micros) {
  const std::int64_t seconds = floor_div(micros, micros_per_second);
  const std::int64_t days = floor_div(seconds, seconds_per_day);
  const std::int64_t of_day = seconds - days * seconds_per_day;
  std::string text = fmt::format("{} {:02}:{:02}:{:02}", date_text(days), of_day / 3600,
                                 of_day / 60 % 60, of_day % 60);
  if (std::int64_t fraction = micros - seconds * micros_per_second; fraction != 0) {
    std::string digits = fmt::format(".{:06}", fraction);
    digits.erase(digits.find_last_not_of('0') + 1);
    text += digits;
  }
  return text;
}

std::string binary_text(const std::string& bytes) {
  std::string text = "[";
  for (const char byte : bytes) {
    if (text.size() > 1) text += ' ';
    text += fmt::format("{:02X}", static_cast<unsigned char>(byte));
  }
  return text + "]";
}

template <typename Items, typename Text>
std::string joined(const Items& items, const char* open, const char* close, const Text& text) {
  std::string out = open;
  for (const auto& item : items) {
    if (out.size() > 1) out += ", ";
    out += text(item);
  }
  return out + close;
}

struct ToText {
  std::string operator()(std::monostate) const { return "NULL"; }
  std::string operator()(bool value) const { return value ? "true" : "false"; }
  std::string operator()(std::int64_t value) const { return std::to_string(value); }
  std::string operator()(double value) const { return fmt::format("{}", value); }
  std::string operator()(const std::string& value) const { return value; }
  std::string operator()(const Binary& value) const { return binary_text(value.bytes); }
  std::string operator()(const Decimal& value) const { return value.text; }
  std::string operator()(Date value) const { return date_text(value.days); }
  std::string operator()(Timestamp value) const { return time_text(value.micros); }
  std::string operator()(TimestampNtz value) const { return time_text(value.micros); }
  std::string operator()(DayTimeInterval value) const {
    return fmt::format("{} microseconds", value.micros);
  }
  std::string operator()(YearMonthInterval value) const {
    return fmt::format("{} months", value.months);
  }
  std::string operator()(const std::shared_ptr<const Values>& values) const {
    return joined(*values, "[", "]", [](const Value& value) { return value.to_string(); });
  }
  std::string operator()(const std::shared_ptr<const Entries>& entries) const {
    return joined(*entries, "{", "}", [](const auto& entry) {
      return entry.first.to_string() + " -> " + entry.second.to_string();
    });
  }
  std::string operator()(const Row& row) const { return row.to_string(); }
};

}  // namespace

Row::Row(Names names, Values values)
    : names_(std::move(names)), values_(std::make_shared<const Values>(std::move(values))) {
  if (names_->size() != values_->size())
    throw std::invalid_argument(
        fmt::format("a row of {} names has {} values", names_->size(), values_->size()));
}

const Value& Row::operator[](std::size_t index) const { return values_->at(index); }

const Value& Row::operator[](const std::string& name) const {
  for (std::size_t i = 0; i < names_->size(); ++i)
    if ((*names_)[i] == name) return (*values_)[i];
  throw std::out_of_range("the row has no column " + name);
}

bool Row::operator==(const Row& other) const {
  return *names_ == *other.names_ && *values_ == *other.values_;
}

std::string Row::to_string() const {
  std::string text = "Row(";
  for (std::size_t i = 0; i < size(); ++i) {
    if (i > 0) text += ", ";
    text += (*names_)[i] + "=" + (*values_)[i].to_string();
  }
  return text + ")";
}

bool Value::operator==(const Value& other) const {
  if (storage_.index() != other.storage_.index()) return false;
  return std::visit(
      [&](const auto& mine) {
        using T = std::decay_t<decltype(mine)>;
        const T& theirs = std::get<T>(other.storage_);
        if constexpr (requires { mine.use_count(); }) {
          return *mine == *theirs;
        } else {
          return mine == theirs;
        }
      },
      storage_);
}

std::string Value::to_string() const { return std::visit(ToText{}, storage_); }

}  // namespace millstream::api
