// Requests that hold plans, from bytes: with a nesting limit that plans need (protobuf's own is
// 100), and compressed plans unpacked. Functions; to be called on a thread with a large stack.
#pragma once

#include <grpcpp/support/byte_buffer.h>

#include "base/status.h"

namespace google::protobuf {
class MessageLite;
}  // namespace google::protobuf

namespace spark::connect {
class Plan;
}  // namespace spark::connect

namespace millstream::connect {

Status decode(const grpc::ByteBuffer& bytes, google::protobuf::MessageLite* message);

// A compressed_operation becomes the root or command that it holds.
Status decompress(spark::connect::Plan* plan);

}  // namespace millstream::connect
