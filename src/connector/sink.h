// Sink: where a streaming query's rows go. add_batch(N) may come again after a crash, with the same
// rows: the sink decides whether that doubles them (Delta and memory: never). Used by its query's
// thread alone.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "conc/cancel.h"
#include "connector/batches.h"

namespace millstream::connector {

enum class OutputMode : std::uint8_t { append, update, complete };

struct SinkBatch {
  std::int64_t batch_id = 0;
  std::string query_id;  // the checkpoint's id: the same for every run
  OutputMode mode = OutputMode::append;
  const CancelToken* cancel = nullptr;  // may be null
};

class Sink {
 public:
  virtual ~Sink() = default;
  virtual std::string description() const = 0;  // "DeltaSink[/out]"
  // Checked once before the first batch of a run: the mode and the rows' schema fit this sink.
  virtual Status prepare(const column::Schema& schema, OutputMode mode) = 0;
  // Rows written, or -1 where Spark's sink of this kind does not tell.
  virtual Result<std::int64_t> add_batch(const SinkBatch& batch, const Batches& rows) = 0;
};

}  // namespace millstream::connector
