#include <limits>

#include "client/errors.h"
#include "client/expressions.h"
#include "spark/connect/expressions.pb.h"

namespace millstream::client {
namespace {

namespace proto = spark::connect;
using Literal = proto::Expression_Literal;

class ToLiteral {
 public:
  explicit ToLiteral(Literal* literal) : literal_(literal) {}

  void operator()(std::monostate) const { literal_->mutable_null()->mutable_null(); }
  void operator()(bool value) const { literal_->set_boolean(value); }
  // As Python's client: the smaller type that holds the number.
  void operator()(std::int64_t value) const {
    const bool is_int = value >= std::numeric_limits<std::int32_t>::min() &&
                        value <= std::numeric_limits<std::int32_t>::max();
    if (is_int) {
      literal_->set_integer(static_cast<std::int32_t>(value));
    } else {
      literal_->set_long_(value);
    }
  }
  void operator()(double value) const { literal_->set_double_(value); }
  void operator()(const std::string& value) const { literal_->set_string(value); }
  void operator()(const api::Binary& value) const { literal_->set_binary(value.bytes); }
  void operator()(const api::Decimal& value) const {
    literal_->mutable_decimal()->set_value(value.text);
  }
  void operator()(api::Date value) const { literal_->set_date(value.days); }
  void operator()(api::Timestamp value) const { literal_->set_timestamp(value.micros); }
  void operator()(api::TimestampNtz value) const { literal_->set_timestamp_ntz(value.micros); }
  void operator()(api::DayTimeInterval value) const {
    literal_->set_day_time_interval(value.micros);
  }
  void operator()(api::YearMonthInterval value) const {
    literal_->set_year_month_interval(value.months);
  }
  template <typename Nested>
  void operator()(const Nested&) const {
    throw api::SparkException(
        "[UNSUPPORTED_FEATURE.LITERAL_TYPE] a constant is one value: make arrays, maps and structs "
        "by call_function(\"array\", …), \"map\" and \"struct\"");
  }

 private:
  Literal* literal_;
};

}  // namespace

void to_literal(const api::Value& value, Literal* literal) {
  std::visit(ToLiteral(literal), value.storage());
}

}  // namespace millstream::client
