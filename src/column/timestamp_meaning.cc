#include "column/timestamp_meaning.h"

#include <utility>

namespace millstream::column {
namespace {

thread_local TimestampWord current = TimestampWord::with_zone;

}  // namespace

TimestampMeaning::TimestampMeaning(TimestampWord word) : outer_(std::exchange(current, word)) {}

TimestampMeaning::~TimestampMeaning() { current = outer_; }

bool timestamps_are_ntz() { return current == TimestampWord::without_zone; }

TypePtr plain_timestamp_type() {
  return timestamps_are_ntz() ? timestamp_ntz_type() : timestamp_type();
}

Result<TypePtr> parse_noted_type(std::string_view ddl) {
  const TimestampMeaning meaning(TimestampWord::with_zone);
  return parse_type(ddl);
}

Result<Schema> parse_noted_schema(std::string_view ddl) {
  const TimestampMeaning meaning(TimestampWord::with_zone);
  return parse_schema(ddl);
}

}  // namespace millstream::column
