// Executes what an ExecutePlan holds: a relation whose rows go to the client, or a command. Runs on
// the operation's thread; everything it answers goes through the Operation, errors are returned.
#pragma once

#include <memory>

#include "base/status.h"
#include "connect/operation.h"

namespace spark::connect {
class Plan;
}  // namespace spark::connect

namespace millstream::connect {

struct ExecuteOptions {
  bool chunked_batches = false;  // the client takes one batch in several messages
};

Status execute_plan(const std::shared_ptr<Operation>& operation, const spark::connect::Plan& plan,
                    const ExecuteOptions& options);

}  // namespace millstream::connect
