// Observation: aggregates of a batch DataFrame that come beside its rows, without a second query.
//
//   Observation seen("seen");
//   frame.observe(seen, {F::count(lit(1)).alias("rows"), F::max("at").alias("newest")})
//       .write().format("delta").save(path);
//   seen.get()["rows"].as_long();
#pragma once

#include <memory>
#include <string>

#include "millstream/data_frame.h"

namespace millstream::client {
class Observed;
}  // namespace millstream::client

namespace millstream::api {

// Of one DataFrame, and of the first action of it; copies are the same observation. Thread-safe.
class Observation {
 public:
  Observation();  // of a name that no other has
  explicit Observation(const std::string& name);

  const std::string& name() const { return name_; }
  // The aggregates by their names; a row without columns before an action has ended. Throws
  // SparkException when they could not be computed.
  Row get() const;

 private:
  friend class DataFrame;
  std::string name_;
  std::shared_ptr<client::Observed> observed_;
};

}  // namespace millstream::api
