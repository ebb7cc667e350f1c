// What a plan holds that the analyzer does not do, said in the words of the API that made it. Pure.
#pragma once

#include <string>

#include "base/status.h"

namespace google::protobuf {
class Message;
}  // namespace google::protobuf
namespace spark::connect {
class Relation;
}  // namespace spark::connect

namespace millstream::plan {

Status refused_relation(const spark::connect::Relation& relation);

// The oneof `name` of a message is not set: the message is empty, or its member is one of a newer
// client's that this server does not know; its number is told then.
Status oneof_not_set(const google::protobuf::Message& message, const char* name);
// ", but field 48, of a newer client" when a message holds fields that this server does not know.
std::string unknown_fields(const google::protobuf::Message& message);

}  // namespace millstream::plan
