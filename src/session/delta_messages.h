// The messages of Delta's Python package (delta.tables.DeltaTable over Spark Connect), which come
// as extensions of relations and commands. What they ask is what the session knows: the read of a
// table, or a statement, whose rows take the message's place. Functions; any thread.
#pragma once

#include "session/session.h"

namespace spark::connect {
class Relation;
}  // namespace spark::connect

namespace google::protobuf {
class Any;
class Message;
}  // namespace google::protobuf

namespace millstream::session {

// Whether one is in the message, at any depth.
bool has_delta_messages(const google::protobuf::Message& message);

// Carries out what the relations in `message` ask, and puts the rows in their place. `run` false:
// nothing is changed, and a statement's rows are none: for the analysis of a plan.
Status expand_delta_messages(Session& session, google::protobuf::Message* message, bool run,
                             const ActionContext& context);

// A command of the package.
Status run_delta_command(Session& session, const google::protobuf::Any& command,
                         const ActionContext& context);

}  // namespace millstream::session
