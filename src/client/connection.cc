#include "client/connection.h"

#include <grpcpp/create_channel.h>
#include <grpcpp/security/credentials.h>
#include <pwd.h>
#include <unistd.h>

#include <limits>
#include <thread>

#include "base/random.h"
#include "client/errors.h"
#include "client/listener_bus.h"
#include "client/observed.h"
#include "client/remote_relation.h"
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
    for (const std::string& tag : connection.tags()) request_.add_tags(tag);
    request_.add_request_options()->mutable_reattach_options()->set_reattachable(true);
  }
  ~Execution() {
    if (reader_ != nullptr) context_->TryCancel();
    reader_.reset();
    release_all();
  }

  // The next answer that carries something; false at the end. Not after it has thrown.
  bool next(proto::ExecutePlanResponse* response) {
    while (!complete_ || reader_ != nullptr) {
      if (reader_ == nullptr) open_stream();
      while (reader_->Read(response)) {
        if (take(*response)) return true;
      }
      end_stream();
    }
    return false;
  }

 private:
  static bool is_unknown_operation(const grpc::Status& status) {
    return to_exception(status, nullptr).condition() == "INVALID_HANDLE.OPERATION_NOT_FOUND";
  }

  void open_stream() {
    context_ = std::make_unique<grpc::ClientContext>();
    connection_.prepare(context_.get());
    last_before_ = last_response_id_;
    auto& service = *connection_.stub_->service;
    if (!reattaching_) {
      reader_ = service.ExecutePlan(context_.get(), request_);
    } else {
      proto::ReattachExecuteRequest reattach;
      connection_.identify(&reattach);
      reattach.set_operation_id(operation_id_);
      if (!last_response_id_.empty()) reattach.set_last_response_id(last_response_id_);
      reader_ = service.ReattachExecute(context_.get(), reattach);
    }
    reattaching_ = true;
  }

  // The stream has no more: it goes on in another, after a pause when this one broke, or throws.
  void end_stream() {
    const grpc::Status status = reader_->Finish();
    reader_.reset();
    if (complete_) return;
    if (status.ok() || last_before_ != last_response_id_) attempt_ = 0;
    if (status.ok()) return;
    if (!is_transient(status)) {
      // The server that took the operation is not the one that was asked to go on with it.
      if (!last_response_id_.empty() || !is_unknown_operation(status)) connection_.fail(status);
      reattaching_ = false;
    }
    if (++attempt_ >= attempts_max) connection_.fail(status);
    wait_before_retry(attempt_);
  }

  // False: a sign of life.
  bool take(const proto::ExecutePlanResponse& response) {
    last_response_id_ = response.response_id();
    connection_.observe(response.server_side_session_id());
    if (response.observed_metrics_size() > 0) connection_.tell_observed(response);
    unreleased_bytes_ += response.ByteSizeLong();
    if (unreleased_bytes_ > static_cast<std::size_t>(unreleased_bytes_max)) release_until();
    if (response.has_result_complete()) {
      complete_ = true;
      return false;
    }
    if (response.has_execution_progress()) {
      if (connection_.on_progress_) connection_.on_progress_(response.execution_progress());
      return false;
    }
    return true;
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
  std::string last_before_;  // the last answer that came before the stream
  std::size_t unreleased_bytes_ = 0;
  int attempt_ = 0;  // of streams that brought nothing
  std::unique_ptr<grpc::ClientContext> context_;
  std::unique_ptr<grpc::ClientReader<proto::ExecutePlanResponse>> reader_;  // null: none is open
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
      stub_(std::make_unique<Stub>()),
      listeners_(std::make_unique<ListenerBus>(*this)) {
  stub_->service = proto::SparkConnectService::NewStub(channel);
}

Connection::~Connection() {
  listeners_->close();
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
  Execution execution(*this, plan);
  proto::ExecutePlanResponse response;
  while (execution.next(&response)) {
    if (on_response) on_response(response);
  }
}

bool Connection::try_execute(const proto::Command& command) {
  try {
    execute(command);
    return true;
  } catch (const std::exception&) {
    return false;
  }
}

Connection::Answers Connection::start(const proto::Plan& plan) {
  return [self = shared_from_this(), execution = std::make_shared<Execution>(*this, plan)](
             proto::ExecutePlanResponse* response) { return execution->next(response); };
}

void Connection::watch(const std::string& name, const std::shared_ptr<Observed>& observed) {
  const std::lock_guard lock(mutex_);
  std::erase_if(watched_, [](const auto& one) { return one.second.expired(); });
  watched_[name] = observed;
}

void Connection::tell_observed(const proto::ExecutePlanResponse& response) {
  for (const auto& metrics : response.observed_metrics()) {
    std::shared_ptr<Observed> observed;
    {
      const std::lock_guard lock(mutex_);
      const auto found = watched_.find(metrics.name());
      if (found != watched_.end()) observed = found->second.lock();
    }
    if (observed != nullptr) observed->take(metrics);
  }
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

std::shared_ptr<RemoteRelation> Connection::keep_remote_relation(const std::string& id) {
  auto kept = std::make_shared<RemoteRelation>(shared_from_this(), id);
  const std::lock_guard lock(mutex_);
  std::erase_if(remotes_, [](const auto& one) { return one.second.expired(); });
  remotes_[id] = kept;
  return kept;
}

std::shared_ptr<RemoteRelation> Connection::remote_relation(const std::string& id) const {
  const std::lock_guard lock(mutex_);
  const auto found = remotes_.find(id);
  return found == remotes_.end() ? nullptr : found->second.lock();
}

bool Connection::has_remote_relations() const {
  const std::lock_guard lock(mutex_);
  return !remotes_.empty();
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
  request.set_interrupt_type(proto::InterruptRequest::INTERRUPT_TYPE_ALL);
  return interrupt(std::move(request));
}

std::vector<std::string> Connection::interrupt_tag(const std::string& tag) {
  proto::InterruptRequest request;
  request.set_interrupt_type(proto::InterruptRequest::INTERRUPT_TYPE_TAG);
  request.set_operation_tag(tag);
  return interrupt(std::move(request));
}

std::vector<std::string> Connection::interrupt_operation(const std::string& id) {
  proto::InterruptRequest request;
  request.set_interrupt_type(proto::InterruptRequest::INTERRUPT_TYPE_OPERATION_ID);
  request.set_operation_id(id);
  return interrupt(std::move(request));
}

std::vector<std::string> Connection::interrupt(proto::InterruptRequest request) {
  identify(&request);
  grpc::ClientContext context;
  prepare(&context);
  proto::InterruptResponse response;
  const grpc::Status status = stub_->service->Interrupt(&context, request, &response);
  if (!status.ok()) fail(status);
  return {response.interrupted_ids().begin(), response.interrupted_ids().end()};
}

void Connection::add_tag(const std::string& tag) {
  const std::lock_guard lock(mutex_);
  tags_.insert(tag);
}
void Connection::remove_tag(const std::string& tag) {
  const std::lock_guard lock(mutex_);
  tags_.erase(tag);
}
std::vector<std::string> Connection::tags() const {
  const std::lock_guard lock(mutex_);
  return {tags_.begin(), tags_.end()};
}

void Connection::release() {
  if (released_.exchange(true)) return;
  listeners_->close();
  proto::ReleaseSessionRequest request;
  identify(&request);
  grpc::ClientContext context;
  prepare(&context);
  context.set_deadline(std::chrono::system_clock::now() + 10s);
  proto::ReleaseSessionResponse response;
  stub_->service->ReleaseSession(&context, request, &response);
}

}  // namespace millstream::client
