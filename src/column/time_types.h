// Whether this thread's plans may have the type TIME: spark.sql.timeType.enabled. Without it Spark
// knows the type but makes no rows and calls no functions of it. It may, unless something says
// otherwise.
#pragma once

#include "column/types.h"

namespace millstream::column {

// While it lives, TIME is a type to use on this thread, or not.
class TimeTypes {
 public:
  explicit TimeTypes(bool enabled);
  ~TimeTypes();
  TimeTypes(const TimeTypes&) = delete;
  TimeTypes& operator=(const TimeTypes&) = delete;

 private:
  const bool outer_;
};

bool has_time(const DataType& type);  // at any depth

// UNSUPPORTED_TIME_TYPE where it is not to be used.
Status check_time_types();
Status check_time_types(const DataType& type);  // that has one
Status check_time_types(const Schema& schema);

}  // namespace millstream::column
