// What a streaming query's plan asks for: its sources, and whether Millstream runs such a query at
// all. Pure.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "connector/sink.h"
#include "connector/source.h"
#include "connector/source_extras.h"
#include "plan/node.h"

namespace millstream::stream {

struct StreamPlan {
  struct Scan {
    const plan::StreamScan* node;
    std::size_t source;  // index in tables
  };
  plan::NodePtr root;
  column::Schema schema;
  std::vector<std::shared_ptr<const connector::StreamTable>>
      tables;  // one Source each, in plan order
  std::vector<Scan> scans;
};

StreamPlan inspect(plan::NodePtr root);

// The watermark over a source's rows; nothing: there is none.
std::optional<connector::EventTime> event_time_of(const StreamPlan& plan, std::size_t source);

// Refuses what Spark refuses, with Spark's error, unless `as_spark` is off (Spark's
// unsupportedOperationCheck: then a sort, say, is of each batch alone); and what keeps state, which
// only Spark runs so far.
Status check_supported(const plan::Node& root, connector::OutputMode mode, bool as_spark = true);

const char* mode_name(connector::OutputMode mode);  // "append", as in messages

}  // namespace millstream::stream
