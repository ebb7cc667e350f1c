// BatchLines: one line on standard error for each batch of a streaming query, for who runs a
// program in a terminal. Called on the queries' threads.
#pragma once

#include <mutex>
#include <optional>
#include <string>

#include "stream/manager.h"

namespace millstream::main_program {

class BatchLines final : public stream::Listener {
 public:
  void on_event(const stream::QueryEvent& event) override;

 private:
  std::mutex mutex_;
};

// "batch 3: 27,004 rows in 0.41 s -> DeltaSink[/out]"; nothing for a trigger without a batch.
// Pure.
std::optional<std::string> batch_line(const std::string& progress_event_json);

}  // namespace millstream::main_program
