// What the operator sees of what failed: one line each on standard error, at WARN, with the names
// that find it again (condition, SQLSTATE, session, operation or query) and the first line of the
// message, never a plan or a row.
#pragma once

#include <string>

#include "base/status.h"
#include "stream/manager.h"

namespace millstream::connect {

class ServerSession;

// `call`: "execute", "analyze". Interruptions are no failures; a streaming query's own failure has
// been told by FailedQueries.
void log_failure(const char* call, const ServerSession& session, const std::string& operation_id,
                 const Status& error);

// The streaming queries of one session that end by an error. Owned by the session.
class FailedQueries final : public stream::Listener {
 public:
  FailedQueries(stream::QueryManager& queries, const ServerSession& session);
  ~FailedQueries() override;
  void on_event(const stream::QueryEvent& event) override;

 private:
  stream::QueryManager& queries_;
  const std::string session_id_;
};

}  // namespace millstream::connect
