// What a client's message must be before anything looks into it: the parts that every message of
// its kind has are there, and nothing in it is the parser's own. The analyzer relies on that. Pure.
#pragma once

#include "base/status.h"

namespace google::protobuf {
class Message;
}  // namespace google::protobuf

namespace millstream::plan {

// Of a request, plan or relation, with all that it holds. CONNECT_INVALID_PLAN, UNRESOLVED_ROUTINE.
Status check_well_formed(const google::protobuf::Message& message);

}  // namespace millstream::plan
