// The sinks by their names: df.writeStream.format(f)…start(). Called by the session; the sink is
// then its query's alone.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/options.h"
#include "base/status.h"
#include "connector/sink.h"
#include "delta/constraints.h"
#include "delta/upkeep.h"
#include "io/store.h"
#include "sink/memory_table.h"

namespace millstream::sink {

// What a sink takes from the session that starts the query.
struct SinkEnv {
  std::string path;  // start(path) or option path, as given; empty: none
  std::vector<std::string> partition_columns;
  std::shared_ptr<io::Store> store;  // where tables are; null: the local store
  std::string time_zone = "UTC";

  delta::RowGuard guard;                                    // for Delta tables with constraints
  delta::Upkeep upkeep;                                     // of Delta tables
  std::map<std::string, std::string> new_table_properties;  // of a Delta table that is made

  // console: the text of show(rows, truncate) (truncate 0: whole values) and where it goes.
  std::function<Result<std::string>(const column::Schema& schema,
                                    const std::vector<connector::RecordBatchPtr>& batches, int rows,
                                    int truncate)>
      show;
  std::function<void(std::string_view text)> print;  // null: standard output

  // memory: the table that the session has made for the query's rows and registered as a view of
  // the query's name.
  std::shared_ptr<MemoryTable> memory_table;
};

// DATA_SOURCE_NOT_FOUND for an unknown format; one that Spark has and Millstream does not is
// refused by name.
Result<std::shared_ptr<connector::Sink>> make_sink(const std::string& format,
                                                   const Options& options, const SinkEnv& env);

// True when a query into this sink may run on a temporary checkpoint (console, memory, noop).
bool allows_temporary_checkpoint(std::string_view format);

}  // namespace millstream::sink
