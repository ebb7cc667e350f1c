// The commands of StreamingQuery, StreamingQueryManager and the listener bus. Some block for as
// long as the query runs; the operation's interruption ends them.
#pragma once

#include <memory>

#include "base/status.h"
#include "connect/operation.h"

namespace spark::connect {
class StreamingQueryCommand;
class StreamingQueryManagerCommand;
class StreamingQueryListenerBusCommand;
}  // namespace spark::connect

namespace millstream::connect {

Status run_query_command(const std::shared_ptr<Operation>& operation,
                         const spark::connect::StreamingQueryCommand& command);
Status run_manager_command(const std::shared_ptr<Operation>& operation,
                           const spark::connect::StreamingQueryManagerCommand& command);
Status run_listener_bus_command(const std::shared_ptr<Operation>& operation,
                                const spark::connect::StreamingQueryListenerBusCommand& command);

}  // namespace millstream::connect
