// Connection: one session of a Spark Connect server, and the calls of it. Executions are
// reattachable: when the stream of answers breaks or the server ends it in time, the next one goes
// on after the last answer that came.
//
// Thread-safe. Throws api::SparkException. The session ends with release() or the destructor.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "client/remote_url.h"

namespace grpc {
class ChannelInterface;
class ClientContext;
class Status;
}  // namespace grpc

namespace spark::connect {
class AnalyzePlanRequest;
class AnalyzePlanResponse;
class Command;
class ConfigRequest_Operation;
class ConfigResponse;
class ExecutePlanRequest;
class ExecutePlanResponse;
class ExecutePlanResponse_ExecutionProgress;
class InterruptRequest;
class Plan;
class Relation;
}  // namespace spark::connect

namespace millstream::connect {
class Server;
}  // namespace millstream::connect

namespace millstream::client {

class ListenerBus;
class Observed;
class RemoteRelation;

class Connection : public std::enable_shared_from_this<Connection> {
 public:
  using OnResponse = std::function<void(const spark::connect::ExecutePlanResponse&)>;
  using OnProgress =
      std::function<void(const spark::connect::ExecutePlanResponse_ExecutionProgress&)>;

  // The server is asked for nothing yet.
  static std::shared_ptr<Connection> open(const Target& target);
  // A server of this process, which lives as long as the connection.
  static std::shared_ptr<Connection> embed(std::unique_ptr<connect::Server> server);
  ~Connection();

  // Runs the plan to its end; answers that carry no more than a sign of life are kept back. What
  // `on_response` throws ends the operation and comes out here.
  void execute(const spark::connect::Plan& plan, const OnResponse& on_response);
  void execute(const spark::connect::Relation& relation, const OnResponse& on_response);
  void execute(const spark::connect::Command& command, const OnResponse& on_response = {});

  // A command that ends something, where nobody waits for more; false: it failed.
  bool try_execute(const spark::connect::Command& command);

  // The same as execute, answer by answer: each call waits for the next; false: there is no more.
  // The operation ends with the last copy of the function.
  using Answers = std::function<bool(spark::connect::ExecutePlanResponse*)>;
  Answers start(const spark::connect::Plan& plan);

  // From now on `observed` is told what the server observes under the name, while it lives.
  void watch(const std::string& name, const std::shared_ptr<Observed>& observed);

  ListenerBus& listeners() { return *listeners_; }

  // What the server keeps under the id, until the last holder lets it go; null: not this program's.
  std::shared_ptr<RemoteRelation> keep_remote_relation(const std::string& id);
  std::shared_ptr<RemoteRelation> remote_relation(const std::string& id) const;
  bool has_remote_relations() const;

  // Fills in the session of `request`.
  spark::connect::AnalyzePlanResponse analyze(spark::connect::AnalyzePlanRequest request);
  spark::connect::ConfigResponse config(const spark::connect::ConfigRequest_Operation& operation);
  std::vector<std::string> interrupt_all();
  std::vector<std::string> interrupt_tag(const std::string& tag);
  std::vector<std::string> interrupt_operation(const std::string& id);
  // Of the operations that start from now on.
  void add_tag(const std::string& tag);
  void remove_tag(const std::string& tag);
  std::vector<std::string> tags() const;
  void release();

  // Sees the progress that the server tells of, on the thread of execute(). Set it before use.
  void set_on_progress(OnProgress on_progress) { on_progress_ = std::move(on_progress); }

  // Throws where the server is of another process; `asked` names what needs it.
  connect::Server& embedded_server(const char* asked) const;

  std::int64_t next_plan_id() { return ++last_plan_id_; }
  const std::string& session_id() const { return session_id_; }

 private:
  class Execution;
  struct Stub;
  Connection(const Target& target, std::shared_ptr<grpc::ChannelInterface> channel,
             std::unique_ptr<connect::Server> server);

  template <typename Request>
  void identify(Request* request);
  void prepare(grpc::ClientContext* context) const;
  void tell_observed(const spark::connect::ExecutePlanResponse& response);
  // Keeps the server's name of the session, so that a server that was started anew is noticed.
  void observe(const std::string& server_id);
  std::vector<std::string> interrupt(spark::connect::InterruptRequest request);
  // Throws what the status says, after having asked the server for the rest of it.
  [[noreturn]] void fail(const grpc::Status& status);

  const Target target_;
  const std::string session_id_;
  std::unique_ptr<connect::Server> server_;  // null: elsewhere
  std::unique_ptr<Stub> stub_;
  std::unique_ptr<ListenerBus> listeners_;
  OnProgress on_progress_;
  std::atomic<std::int64_t> last_plan_id_{0};
  std::atomic<bool> released_{false};
  mutable std::mutex mutex_;
  std::string observed_server_id_;  // as the server named its session; guarded by mutex_
  std::set<std::string> tags_;      // guarded by mutex_
  std::map<std::string, std::weak_ptr<Observed>> watched_;        // guarded by mutex_
  std::map<std::string, std::weak_ptr<RemoteRelation>> remotes_;  // by id; guarded by mutex_
};

}  // namespace millstream::client
