// Server: a whole Millstream process behind one port, or behind none for the program that it is
// embedded in: engine, query manager, warehouse and the Spark Connect service. start() returns when
// calls are accepted; stop() (and the destructor) end everything in order.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "base/status.h"

namespace grpc {
class ChannelInterface;
}  // namespace grpc

namespace millstream::stream {
class Listener;
}  // namespace millstream::stream

namespace millstream::connect {

struct ServerOptions {
  std::string host = "127.0.0.1";
  int port = 15002;                         // 0: any free port
  bool embedded = false;                    // no port: in_process_channel() alone
  std::string warehouse;                    // absolute path
  std::int64_t memory_bytes_max = 0;        // of the engine; 0: its default
  std::map<std::string, std::string> conf;  // Spark's names; see settings.h
  bool log_failures = false;  // a line on standard error for each call and query that fails
  // Sees the events of the streaming queries of all sessions; may be null. Outlives the server.
  stream::Listener* listener = nullptr;
};

class Server {
 public:
  static Result<std::unique_ptr<Server>> start(const ServerOptions& options);
  virtual ~Server() = default;
  virtual int port() const = 0;
  // For clients in this process. Ends with the server.
  virtual std::shared_ptr<grpc::ChannelInterface> in_process_channel() = 0;
  // A function of this process for foreachBatch, called with the id of the batch's relation and the
  // batch's id. Returns the name by which a stream of this server takes it when it starts.
  using BatchFunction =
      std::function<Status(const std::string& relation_id, std::int64_t batch_id)>;
  virtual std::string keep_batch_function(BatchFunction function) = 0;
  virtual void forget_batch_function(const std::string& name) = 0;
  virtual void stop() = 0;
};

}  // namespace millstream::connect
