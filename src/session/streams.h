// Starting streaming queries: df.writeStream…start() / toTable() as a QuerySpec for the
// QueryManager: sink, trigger, output mode, checkpoint location. Functions; any thread.
#pragma once

#include <string>
#include <vector>

#include "session/session.h"

namespace spark::connect {
class WriteStreamOperationStart;
}  // namespace spark::connect

namespace millstream::session {

struct StartedQuery {
  stream::QueryPtr query;
  std::string started_event_json;  // QueryStartedEvent, for the client's listeners
};

Result<StartedQuery> start_stream(Session& session,
                                  const spark::connect::WriteStreamOperationStart& start,
                                  std::vector<std::string> tags);

}  // namespace millstream::session
