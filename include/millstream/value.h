// Values and rows that a query has computed, and values that become literals.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace millstream::api {

class Value;

// Types that C++ has no type of its own for. Equal when their fields are.
struct Binary {
  std::string bytes;
  bool operator==(const Binary&) const = default;
};
struct Decimal {
  std::string text;  // "-12.50": all digits of the scale
  bool operator==(const Decimal&) const = default;
};
struct Date {
  std::int32_t days = 0;  // since 1970-01-01
  bool operator==(const Date&) const = default;
};
struct Timestamp {
  std::int64_t micros = 0;  // since 1970-01-01T00:00:00Z
  bool operator==(const Timestamp&) const = default;
};
struct TimestampNtz {
  std::int64_t micros = 0;  // since 1970-01-01 00:00:00 of a wall clock
  bool operator==(const TimestampNtz&) const = default;
};
struct DayTimeInterval {
  std::int64_t micros = 0;
  bool operator==(const DayTimeInterval&) const = default;
};
struct YearMonthInterval {
  std::int32_t months = 0;
  bool operator==(const YearMonthInterval&) const = default;
};

using Values = std::vector<Value>;
using Entries = std::vector<std::pair<Value, Value>>;

// One row: the values of its columns, by position or by name. Cheap to copy.
class Row {
 public:
  using Names = std::shared_ptr<const std::vector<std::string>>;
  Row() = default;
  Row(Names names, Values values);

  std::size_t size() const;
  const std::vector<std::string>& names() const { return *names_; }
  // std::out_of_range when there is no such column; of equal names the first.
  const Value& operator[](std::size_t index) const;
  const Value& operator[](const std::string& name) const;
  bool operator==(const Row& other) const;
  // "Row(a=1, b=NULL)"
  std::string to_string() const;

 private:
  Names names_ = std::make_shared<const std::vector<std::string>>();
  std::shared_ptr<const Values> values_ = std::make_shared<const Values>();
};

// A value of any of Spark's types. TINYINT to BIGINT are std::int64_t, FLOAT and DOUBLE double;
// ARRAY is Values, MAP Entries in their order, STRUCT Row. Immutable and cheap to copy.
class Value {
 public:
  using Storage =
      std::variant<std::monostate, bool, std::int64_t, double, std::string, Binary, Decimal, Date,
                   Timestamp, TimestampNtz, DayTimeInterval, YearMonthInterval,
                   std::shared_ptr<const Values>, std::shared_ptr<const Entries>, Row>;

  Value() = default;  // NULL
  Value(std::nullptr_t) {}
  Value(bool value) : storage_(value) {}
  Value(int value) : storage_(std::int64_t{value}) {}
  Value(long value) : storage_(std::int64_t{value}) {}
  Value(long long value) : storage_(std::int64_t{value}) {}
  Value(double value) : storage_(value) {}
  Value(const char* value) : storage_(std::string(value)) {}
  Value(std::string value) : storage_(std::move(value)) {}
  Value(Binary value) : storage_(std::move(value)) {}
  Value(Decimal value) : storage_(std::move(value)) {}
  Value(Date value) : storage_(value) {}
  Value(Timestamp value) : storage_(value) {}
  Value(TimestampNtz value) : storage_(value) {}
  Value(DayTimeInterval value) : storage_(value) {}
  Value(YearMonthInterval value) : storage_(value) {}
  Value(Values value) : storage_(std::make_shared<const Values>(std::move(value))) {}
  Value(Entries value) : storage_(std::make_shared<const Entries>(std::move(value))) {}
  Value(Row value) : storage_(std::move(value)) {}

  bool is_null() const { return std::holds_alternative<std::monostate>(storage_); }

  // The value as one of the types above; std::bad_variant_access when it is of another.
  template <typename T>
  const T& as() const {
    if constexpr (std::is_same_v<T, Values> || std::is_same_v<T, Entries>) {
      return *std::get<std::shared_ptr<const T>>(storage_);
    } else {
      return std::get<T>(storage_);
    }
  }
  std::int64_t as_long() const { return as<std::int64_t>(); }
  double as_double() const { return as<double>(); }
  const std::string& as_string() const { return as<std::string>(); }

  const Storage& storage() const { return storage_; }
  bool operator==(const Value& other) const;
  // For people: NULL, true, 12, 1.5, text, [1, 2], {a -> 1}; times in UTC.
  std::string to_string() const;

 private:
  Storage storage_;
};

inline std::size_t Row::size() const { return values_->size(); }

}  // namespace millstream::api
