// Source: where a streaming query's rows come from. Its offsets are one line of JSON each, compared
// as text by the loop and kept in Spark's checkpoint: a source must print the same offset the same
// way, always. A StreamTable is what a plan holds (schema known, nothing opened); each run of a
// query opens its own Source from it. A Source is used by its query's thread alone; the partitions
// of a batch may be read by many.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "base/clock.h"
#include "connector/batches.h"
#include "connector/table.h"
#include "io/store.h"

namespace millstream::connector {

struct SourceContext {
  std::shared_ptr<io::Store> store;  // of the checkpoint
  std::string metadata_path;         // "<checkpoint>/sources/<i>": the source's private files
  Clock* clock = nullptr;
  // The end offset of the newest logged batch of this source, when the query has run before.
  std::optional<std::string> last_logged_offset;
};

using Offset = std::string;

class Source {
 public:
  virtual ~Source() = default;
  virtual std::string description()
      const = 0;  // "FileStreamSource[file:/in]": progress, error blocks

  // The offset up to which the next batch may read, beginning after `start` (nothing: the very
  // beginning), within the source's own rate limit unless `all`. Nothing: there is no data at all
  // yet. Equal text to `start`: nothing new. What the offset promises is durable in metadata_path
  // when this returns.
  virtual Result<std::optional<Offset>> latest_offset(const std::optional<Offset>& start,
                                                      bool all) = 0;

  // The rows of (start, end]. Called again after a crash with the same offsets, it gives the same
  // rows.
  virtual Result<Batches> batch(const std::optional<Offset>& start, const Offset& end,
                                const ScanRequest& request) = 0;

  // All up to `end` is in the sink and in the commit log.
  virtual Status commit(const Offset& end) = 0;

  // Trigger.AvailableNow: fixes the end of the run at what exists now. A source that cannot returns
  // false here and the query runs one batch of everything.
  virtual bool supports_available_now() const { return false; }
  virtual Status prepare_for_available_now() { return Status::OK(); }

  // For progress: `latestOffset` when the source reports it, and `metrics`; looked at after each
  // trigger.
  virtual std::optional<Offset> reported_latest_offset() const { return std::nullopt; }
  virtual std::map<std::string, std::string> metrics() const { return {}; }
};

class StreamTable {
 public:
  virtual ~StreamTable() = default;
  virtual const column::Schema& schema() const = 0;
  virtual const column::Schema& metadata_fields() const = 0;
  virtual std::string describe() const = 0;
  virtual Result<std::unique_ptr<Source>> open(const SourceContext& context) const = 0;
};

}  // namespace millstream::connector
