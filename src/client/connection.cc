#include "client/connection.h"

#include <grpcpp/create_channel.h>
#include <grpcpp/security/credentials.h>
#include <pwd.h>
#include <unistd.h>

#include <limits>
#include <thread>

#include "base/random.h"
#include "client/errors.h"
#include "connect/server.h"
#include "spark/connect/base.grpc.pb.h"

namespace millstream::client {
namespace {

namespace proto = spark::connect;
using namespace std::chrono_literals;

constexpr const char* client_type = "millstream-cpp/0.1.0 (C++)";
constexpr int attempts_max = 8;  // of a call that finds no server, some 13 s in all
constexpr std::int64_t unreleased_bytes_max = 16 << 20;

std::string user_of_process() {
  if (const char* user = std::getenv("USER"); user != nullptr && *user != '\0') return user;
  const passwd* entry = ::getpwuid(::getuid());
  return entry != nullptr ? entry->pw_name : "millstream";
}

std::shared_ptr<grpc::ChannelInterface> make_channel(const Target& target) {
  ::setenv("GRPC_VERBOSITY", "NONE", 0);
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(-1);
  arguments.SetMaxSendMessageSize(-1);
  // Programs of one process are different users of one address.
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  const auto credentials =
      target.use_ssl ? grpc::SslCredentials({}) : grpc::InsecureChannelCredentials();
  return grpc::CreateCustomChannel(target.address(), credentials, arguments);
}

bool is_transient(const grpc::Status& status) {
  return status.error_code() == grpc::StatusCode::UNAVAILABLE;
}

void wait_before_retry(int attempt) {
  std::this_thread::sleep_for(std::min<std::chrono::milliseconds>(50ms * (1 << attempt), 5'000ms));
}

}  // namespace

struct Connection::Stub {
  std::unique_ptr<proto::SparkConnectService::Stub> service;

  // A call with one answer, again while no server answers.
  template <typename Call>
  static grpc::Status with_retries(const Call& call) {
    grpc::Status status;
    for (int attempt = 0; attempt < attempts_max; ++attempt) {
      status = call();
      if (!is_transient(status)) return status;
      wait_before_retry(attempt);
    }
    return status;
  }
};

template <typename Request>
void Connection::identify(Request* request) {
  request->set_session_id(session_id_);
  request->set_client_type(client_type);
  request->mutable_user_context()->set_user_id(target_.user_id);
  const std::lock_guard lock(mutex_);
  if constexpr (requires { request->client_observed_server_side_session_id(); }) {
    if (!observed_server_id_.empty())
      request->set_client_observed_server_side_session_id(observed_server_id_);
  }
}

// One operation, from its first call to its release.
class Connection::Execution {
 public:
  Execution(Connection& connection, const proto::Plan& plan)
      : connection_(connection), operation_id_(new_uuid()) {
    connection.identify(&request_);
    request_.set_operation_id(operation_id_);
    *request_.mutable_plan() = plan;
    request_.add_request_options()->mutable_reattach_options()->set_reattachable(true);
  }
  ~Execution() { release_all(); }

  void run(const OnResponse& on_response) {
    for (int attempt = 0;;) {
      const std::string last = last_response_id_;
      const grpc::Status status = read_stream(on_response);
      if (complete_) return;
      if (status.ok() || last != last_response_id_) attempt = 0;
      if (!status.ok() && !is_transient(status)) {
        // The server that took the operation is not the one that was asked to go on with it.
        if (last_response_id_.empty() && reattaching_ && is_unknown_operation(status)) {
          reattaching_ = false;
        } else {
          connection_.fail(status);
        }
      }
      if (!status.ok() && ++attempt >= attempts_max) connection_.fail(status);
      if (!status.ok()) wait_before_retry(attempt);
    }
  }

 private:
  static bool is_unknown_operation(const grpc::Status& status) {
    return to_exception(status, nullptr).condition() == "INVALID_HANDLE.OPERATION_NOT_FOUND";
  }

  grpc::Status read_stream(const OnResponse& on_response) {
    grpc::ClientContext context;
    connection_.prepare(&context);
    const auto reader = open_stream(&context);
    reattaching_ = true;
    proto::ExecutePlanResponse response;
    try {
      while (reader->Read(&response)) take(response, on_response);
    } catch (...) {
      context.TryCancel();
      throw;
    }
    return reader->Finish();
  }

  std::unique_ptr<grpc::ClientReader<proto::ExecutePlanResponse>> open_stream(
      grpc::ClientContext* context) {
    auto& service = *connection_.stub_->service;
    if (!reattaching_) return service.ExecutePlan(context, request_);
    proto::ReattachExecuteRequest reattach;
    connection_.identify(&reattach);
    reattach.set_operation_id(operation_id_);
    if (!last_response_id_.empty()) reattach.set_last_response_id(last_response_id_);
    return service.ReattachExecute(context, reattach);
  }

  void take(const proto::ExecutePlanResponse& response, const OnResponse& on_response) {
    last_response_id_ = response.response_id();
    connection_.observe(response.server_side_session_id());
    if (response.has_result_complete()) {
      complete_ = true;
    } else if (response.has_execution_progress()) {
      if (connection_.on_progress_) connection_.on_progress_(response.execution_progress());
    } else if (on_response) {
      on_response(response);
    }
    unreleased_bytes_ += response.arrow_batch().data().size();
    if (unreleased_bytes_ > static_cast<std::size_t>(unreleased_bytes_max)) release_until();
  }

  // The server keeps answers until it hears that they have come. A call that fails does no harm:
  // the next one says the same and more.
  void release_until() {
    proto::ReleaseExecuteRequest release;
    release.mutable_release_until()->set_response_id(last_response_id_);
    send(&release);
    unreleased_bytes_ = 0;
  }
  void release_all() {
    proto::ReleaseExecuteRequest release;
    release.mutable_release_all();
    send(&release);
  }
  void send(proto::ReleaseExecuteRequest* release) {
    connection_.identify(release);
    release->set_operation_id(operation_id_);
    grpc::ClientContext context;
    connection_.prepare(&context);
    context.set_deadline(std::chrono::system_clock::now() + 5s);
    proto::ReleaseExecuteResponse response;
    connection_.stub_->service->ReleaseExecute(&context, *release, &response);
  }

  Connection& connection_;
  const std::string operation_id_;
  proto::ExecutePlanRequest request_;
  std::string last_response_id_;
  std::size_t unreleased_bytes_ = 0;
  bool reattaching_ = false;
  bool complete_ = false;
};

std::shared_ptr<Connection> Connection::open(const Target& target) {
  return std::shared_ptr<Connection>(new Connection(target, make_channel(target), nullptr));
}

std::shared_ptr<Connection> Connection::embed(std::unique_ptr<connect::Server> server) {
  auto channel = server->in_process_channel();
  return std::shared_ptr<Connection>(
      new Connection(Target{}, std::move(channel), std::move(server)));
}

connect::Server& Connection::embedded_server(const char* asked) const {
  if (server_ == nullptr) {
    throw api::SparkException(
        std::string(asked) +
        " needs an embedded session: a function of this process cannot be sent to another server");
  }
  return *server_;
}

Connection::Connection(const Target& target, std::shared_ptr<grpc::ChannelInterface> channel,
                       std::unique_ptr<connect::Server> server)
    : target_([&] {
        Target filled = target;
        if (filled.user_id.empty()) filled.user_id = user_of_process();
        return filled;
      }()),
      session_id_(target.session_id.empty() ? new_uuid() : target.session_id),
      server_(std::move(server)),
      stub_(std::make_unique<Stub>()) {
  stub_->service = proto::SparkConnectService::NewStub(channel);
}

Connection::~Connection() {
  // A session of another server that was given by its id is somebody else's too.
  if (target_.session_id.empty()) release();
  stub_.reset();
  server_.reset();
}

void Connection::prepare(grpc::ClientContext* context) const {
  for (const auto& [key, value] : target_.headers) context->AddMetadata(key, value);
  if (!target_.token.empty()) context->AddMetadata("authorization", "Bearer " + target_.token);
}

void Connection::observe(const std::string& server_id) {
  const std::lock_guard lock(mutex_);
  observed_server_id_ = server_id;
}

void Connection::fail(const grpc::Status& status) {
  std::string error_id;
  const api::SparkException brief = to_exception(status, &error_id);
  if (error_id.empty()) throw brief;
  proto::FetchErrorDetailsRequest request;
  identify(&request);
  request.set_error_id(error_id);
  grpc::ClientContext context;
  prepare(&context);
  proto::FetchErrorDetailsResponse response;
  const grpc::Status fetched = stub_->service->FetchErrorDetails(&context, request, &response);
  if (!fetched.ok() || response.errors_size() == 0) throw brief;
  throw to_exception(response);
}

void Connection::execute(const proto::Plan& plan, const OnResponse& on_response) {
  Execution(*this, plan).run(on_response);
}

void Connection::execute(const proto::Relation& relation, const OnResponse& on_response) {
  proto::Plan plan;
  *plan.mutable_root() = relation;
  execute(plan, on_response);
}

void Connection::execute(const proto::Command& command, const OnResponse& on_response) {
  proto::Plan plan;
  *plan.mutable_command() = command;
  execute(plan, on_response);
}

proto::AnalyzePlanResponse Connection::analyze(proto::AnalyzePlanRequest request) {
  identify(&request);
  proto::AnalyzePlanResponse response;
  const grpc::Status status = Stub::with_retries([&] {
    grpc::ClientContext context;
    prepare(&context);
    return stub_->service->AnalyzePlan(&context, request, &response);
  });
  if (!status.ok()) fail(status);
  observe(response.server_side_session_id());
  return response;
}

proto::ConfigResponse Connection::config(const proto::ConfigRequest_Operation& operation) {
  proto::ConfigRequest request;
  identify(&request);
  *request.mutable_operation() = operation;
  proto::ConfigResponse response;
  const grpc::Status status = Stub::with_retries([&] {
    grpc::ClientContext context;
    prepare(&context);
    return stub_->service->Config(&context, request, &response);
  });
  if (!status.ok()) fail(status);
  observe(response.server_side_session_id());
  return response;
}

std::vector<std::string> Connection::interrupt_all() {
  proto::InterruptRequest request;
  identify(&request);
  request.set_interrupt_type(proto::InterruptRequest::INTERRUPT_TYPE_ALL);
  grpc::ClientContext context;
  prepare(&context);
  proto::InterruptResponse response;
  const grpc::Status status = stub_->service->Interrupt(&context, request, &response);
  if (!status.ok()) fail(status);
  return {response.interrupted_ids().begin(), response.interrupted_ids().end()};
}

void Connection::release() {
  if (released_.exchange(true)) return;
  proto::ReleaseSessionRequest request;
  identify(&request);
  grpc::ClientContext context;
  prepare(&context);
  context.set_deadline(std::chrono::system_clock::now() + 10s);
  proto::ReleaseSessionResponse response;
  stub_->service->ReleaseSession(&context, request, &response);
}

}  // namespace millstream::client
