// IDENTIFIER(…) of any constant: its value in a session. Any thread.
#pragma once

#include "session/session.h"
#include "sql/identifier_value.h"

namespace millstream::session {

// While it lives, texts that this thread reads may name things by constants of the session.
class SessionIdentifiers {
 public:
  explicit SessionIdentifiers(Session& session);

 private:
  const sql::IdentifierValues values_;
};

}  // namespace millstream::session
