// What the texts of SQL are read with in a session: IDENTIFIER(…) of any constant, and the settings
// that `${name}` stands for. Any thread.
#pragma once

#include "session/session.h"
#include "sql/identifier_value.h"
#include "sql/substitution.h"

namespace millstream::session {

// While it lives, texts that this thread reads are read so.
class SessionTexts {
 public:
  explicit SessionTexts(Session& session);

 private:
  const sql::IdentifierValues identifiers_;
  const sql::Substitution settings_;
};

}  // namespace millstream::session
