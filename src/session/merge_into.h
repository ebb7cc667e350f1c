// df.mergeInto(...).merge(): the client's command as the MERGE that it is. Functions; any thread.
#pragma once

#include "session/session.h"

namespace spark::connect {
class MergeIntoTableCommand;
}  // namespace spark::connect

namespace millstream::session {

Status run_merge_into(Session& session, const spark::connect::MergeIntoTableCommand& command,
                      const ActionContext& context);

}  // namespace millstream::session
