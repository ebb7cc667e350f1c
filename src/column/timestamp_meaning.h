// What the word TIMESTAMP means in the schemas, casts and literals that this thread reads:
// spark.sql.timestampType. With zone, unless something says otherwise.
#pragma once

#include "column/types.h"

namespace millstream::column {

enum class TimestampWord : std::uint8_t {
  with_zone,
  without_zone,
};

// While it lives, the word has that meaning on this thread.
class TimestampMeaning {
 public:
  explicit TimestampMeaning(TimestampWord word);
  ~TimestampMeaning();
  TimestampMeaning(const TimestampMeaning&) = delete;
  TimestampMeaning& operator=(const TimestampMeaning&) = delete;

 private:
  const TimestampWord outer_;
};

bool timestamps_are_ntz();
TypePtr plain_timestamp_type();  // TIMESTAMP

// A type as files and logs note it, where a timestamp always has a zone.
Result<TypePtr> parse_noted_type(std::string_view ddl);
Result<Schema> parse_noted_schema(std::string_view ddl);

}  // namespace millstream::column
