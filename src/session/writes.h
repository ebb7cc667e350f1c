// df.write and df.writeTo: batch results into Delta tables (by path or name) and into files. What
// Spark can write and Millstream cannot is refused by name. Functions; any thread.
#pragma once

#include "session/session.h"

namespace spark::connect {
class WriteOperation;
class WriteOperationV2;
}  // namespace spark::connect

namespace millstream::session {

Status run_write(Session& session, const spark::connect::WriteOperation& write,
                 const ActionContext& context);
Status run_write_v2(Session& session, const spark::connect::WriteOperationV2& write,
                    const ActionContext& context);

}  // namespace millstream::session
