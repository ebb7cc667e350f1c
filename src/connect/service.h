// The gRPC service of Spark Connect. Thin: each method finds its session and hands on. Calls that
// hold plans come as raw bytes, because plans nest deeper than generated parsers accept. Nothing
// here blocks gRPC's own threads: plans are parsed, analysed and run on worker threads.
#pragma once

#include <memory>

#include "connect/core.h"

namespace grpc {
class Service;
}  // namespace grpc

namespace millstream::connect {

std::unique_ptr<grpc::Service> make_service(Core& core);

}  // namespace millstream::connect
