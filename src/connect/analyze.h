// AnalyzePlan: schemas, explain, and the other questions about a plan that run nothing. Functions;
// on a worker thread.
#pragma once

#include "base/status.h"
#include "connect/server_session.h"

namespace spark::connect {
class AnalyzePlanRequest;
class AnalyzePlanResponse;
}  // namespace spark::connect

namespace millstream::connect {

Status analyze(ServerSession& session, spark::connect::AnalyzePlanRequest& request,
               spark::connect::AnalyzePlanResponse* response);

}  // namespace millstream::connect
