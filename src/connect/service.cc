#include "connect/service.h"

#include "base/random.h"
#include "connect/analyze.h"
#include "connect/artifact_upload.h"
#include "connect/config.h"
#include "connect/execute.h"
#include "connect/failure_log.h"
#include "connect/plan_decode.h"
#include "connect/response_stream.h"
#include "plan/well_formed.h"
#include "spark/connect/base.grpc.pb.h"

namespace millstream::connect {
namespace {

namespace proto = spark::connect;
using Rpc = proto::SparkConnectService;
using Context = grpc::CallbackServerContext;
using grpc::ServerUnaryReactor;

// Plans as raw bytes; the others as messages.
template <typename Base>
using Raw = Rpc::WithRawCallbackMethod_ExecutePlan<
    Rpc::WithRawCallbackMethod_AnalyzePlan<Rpc::WithRawCallbackMethod_ReattachExecute<Base>>>;
template <typename Base>
using Small = Rpc::WithCallbackMethod_Config<Rpc::WithCallbackMethod_AddArtifacts<
    Rpc::WithCallbackMethod_ArtifactStatus<Rpc::WithCallbackMethod_Interrupt<
        Rpc::WithCallbackMethod_ReleaseExecute<Rpc::WithCallbackMethod_ReleaseSession<
            Rpc::WithCallbackMethod_FetchErrorDetails<Rpc::WithCallbackMethod_CloneSession<
                Rpc::WithCallbackMethod_GetStatus<Base>>>>>>>>>;
using ServiceBase = Raw<Small<Rpc::Service>>;

template <typename Response>
void stamp(const SessionPtr& session, Response* response) {
  response->set_session_id(session->id());
  response->set_server_side_session_id(session->server_id());
}

std::string fingerprint(const proto::Plan& plan) {
  const std::string bytes = plan.SerializeAsString();
  return std::to_string(bytes.size()) + ":" + std::to_string(std::hash<std::string>()(bytes));
}

bool computes(const proto::Plan& plan) {
  return plan.has_root() || plan.command().has_write_operation() ||
         plan.command().has_write_operation_v2() || plan.command().has_checkpoint_command();
}

// How often a session wants to hear of a running query; nothing: never.
std::optional<Milliseconds> report_interval(const session::RuntimeConf& conf) {
  const auto interval = parse_duration(conf.value("spark.connect.progress.reportInterval"));
  return interval && *interval > Milliseconds(0) ? interval : std::nullopt;
}

class Service final : public ServiceBase {
 public:
  explicit Service(Core& core) : core_(core) {}

  grpc::ServerWriteReactor<grpc::ByteBuffer>* ExecutePlan(Context*,
                                                          const grpc::ByteBuffer* bytes) override {
    auto stream = ResponseStream::create();
    core_.workers().submit([this, stream, request = *bytes] { execute(stream, request); });
    return stream.get();
  }

  grpc::ServerWriteReactor<grpc::ByteBuffer>* ReattachExecute(
      Context*, const grpc::ByteBuffer* bytes) override {
    auto stream = ResponseStream::create();
    SessionPtr session;
    const Status status = reattach(stream, *bytes, &session);
    if (!status.ok())
      stream->fail(to_grpc(status, session == nullptr ? nullptr : &session->errors()));
    return stream.get();
  }

  ServerUnaryReactor* AnalyzePlan(Context* context, const grpc::ByteBuffer* bytes,
                                  grpc::ByteBuffer* answer) override {
    auto* reactor = context->DefaultReactor();
    core_.workers().submit([this, reactor, request = *bytes, answer] {
      reactor->Finish(analyze_plan(request, answer));
    });
    return reactor;
  }

  ServerUnaryReactor* Config(Context* context, const proto::ConfigRequest* request,
                             proto::ConfigResponse* response) override {
    return answer(context, true, *request, response, [&](const SessionPtr& session) {
      return run_config(session->session().conf(), *request, response);
    });
  }

  grpc::ServerReadReactor<proto::AddArtifactsRequest>* AddArtifacts(
      Context*, proto::AddArtifactsResponse* response) override {
    return new ArtifactUpload(core_, response);
  }

  ServerUnaryReactor* ArtifactStatus(Context* context,
                                     const proto::ArtifactStatusesRequest* request,
                                     proto::ArtifactStatusesResponse* response) override {
    return answer(context, true, *request, response, [&](const SessionPtr& session) {
      for (const auto& name : request->names()) {
        (*response->mutable_statuses())[name].set_exists(
            session->session().artifacts().has_cached(name));
      }
      return Status::OK();
    });
  }

  ServerUnaryReactor* Interrupt(Context* context, const proto::InterruptRequest* request,
                                proto::InterruptResponse* response) override {
    return answer(context, true, *request, response, [&](const SessionPtr& session) {
      return interrupt(session, *request, response);
    });
  }

  ServerUnaryReactor* ReleaseExecute(Context* context, const proto::ReleaseExecuteRequest* request,
                                     proto::ReleaseExecuteResponse* response) override {
    return answer(context, false, *request, response, [&](const SessionPtr& session) {
      const auto operation = core_.operations().find(session->key(), request->operation_id());
      if (!operation.ok()) return Status::OK();  // gone already
      response->set_operation_id(request->operation_id());
      if (request->has_release_until())
        return (*operation)->release_until(request->release_until().response_id());
      (*operation)->release_all();
      core_.sweep(*operation);
      return Status::OK();
    });
  }

  ServerUnaryReactor* ReleaseSession(Context* context, const proto::ReleaseSessionRequest* request,
                                     proto::ReleaseSessionResponse* response) override {
    auto* reactor = context->DefaultReactor();
    // Stopping its queries may take a while.
    core_.workers().submit([this, reactor, request, response] {
      const auto session = core_.sessions().close(
          request->user_context().user_id(), request->session_id(), request->allow_reconnect());
      response->set_session_id(request->session_id());
      if (session != nullptr) {
        response->set_server_side_session_id(session->server_id());
        core_.end_session(session);
      }
      reactor->Finish(grpc::Status::OK);
    });
    return reactor;
  }

  ServerUnaryReactor* FetchErrorDetails(Context* context,
                                        const proto::FetchErrorDetailsRequest* request,
                                        proto::FetchErrorDetailsResponse* response) override {
    return answer(context, true, *request, response, [&](const SessionPtr& session) {
      session->errors().take(request->error_id(), response);
      return Status::OK();
    });
  }

  ServerUnaryReactor* CloneSession(Context* context, const proto::CloneSessionRequest* request,
                                   proto::CloneSessionResponse* response) override {
    return answer(context, false, *request, response, [&](const SessionPtr& session) {
      const std::string id = request->has_new_session_id() ? request->new_session_id() : new_uuid();
      TRY_ASSIGN(const auto copy, core_.clone_session(session, id));
      response->set_new_session_id(copy->id());
      response->set_new_server_side_session_id(copy->server_id());
      return Status::OK();
    });
  }

  ServerUnaryReactor* GetStatus(Context* context, const proto::GetStatusRequest* request,
                                proto::GetStatusResponse* response) override {
    return answer(context, false, *request, response, [&](const SessionPtr& session) {
      status(session, *request, response);
      return Status::OK();
    });
  }

 private:
  // A short call of a session: found (or opened), stamped on the answer, errors in the session's
  // log.
  template <typename Request, typename Response, typename Handler>
  ServerUnaryReactor* answer(Context* context, bool may_open, const Request& request,
                             Response* response, const Handler& handler) {
    auto* reactor = context->DefaultReactor();
    auto session = find(may_open, request);
    if (!session.ok()) {
      reactor->Finish(to_grpc(session.status(), nullptr));
      return reactor;
    }
    stamp(*session, response);
    const Status status = handler(*session);
    reactor->Finish(status.ok() ? grpc::Status::OK : to_grpc(status, &(*session)->errors()));
    return reactor;
  }

  template <typename Request>
  Result<SessionPtr> find(bool may_open, const Request& request) {
    std::string observed;
    if constexpr (requires { request.client_observed_server_side_session_id(); }) {
      observed = request.client_observed_server_side_session_id();
    }
    const std::string& user = request.user_context().user_id();
    return may_open ? core_.open_session(user, request.session_id(), observed)
                    : core_.sessions().find(user, request.session_id(), observed);
  }

  void note_failure(const char* call, const ServerSession& session, const std::string& operation_id,
                    const Status& status) {
    if (!status.ok() && core_.logs_failures()) log_failure(call, session, operation_id, status);
  }
  void execute(const std::shared_ptr<ResponseStream>& stream, const grpc::ByteBuffer& bytes);
  Status begin(const std::shared_ptr<ResponseStream>& stream, proto::ExecutePlanRequest& request,
               const SessionPtr& session, OperationPtr* operation, ExecuteOptions* options);
  Status reattach(const std::shared_ptr<ResponseStream>& stream, const grpc::ByteBuffer& bytes,
                  SessionPtr* session);
  grpc::Status analyze_plan(const grpc::ByteBuffer& bytes, grpc::ByteBuffer* answer);
  Status interrupt(const SessionPtr& session, const proto::InterruptRequest& request,
                   proto::InterruptResponse* response);
  void status(const SessionPtr& session, const proto::GetStatusRequest& request,
              proto::GetStatusResponse* response);

  Core& core_;
};

void Service::execute(const std::shared_ptr<ResponseStream>& stream,
                      const grpc::ByteBuffer& bytes) {
  proto::ExecutePlanRequest request;
  if (const Status parsed = decode(bytes, &request); !parsed.ok()) {
    stream->fail(to_grpc(parsed, nullptr));
    return;
  }
  const auto session = find(true, request);
  if (!session.ok()) {
    stream->fail(to_grpc(session.status(), nullptr));
    return;
  }
  OperationPtr operation;
  ExecuteOptions options;
  const Status begun = begin(stream, request, *session, &operation, &options);
  if (!begun.ok()) {
    note_failure("execute", **session, request.operation_id(), begun);
    stream->fail(to_grpc(begun, &(*session)->errors()));
    return;
  }
  if (operation == nullptr) return;  // it runs already; the stream is attached to it
  const Status done = execute_plan(operation, request.plan(), options);
  const bool interrupted = operation->cancel_token().cancelled();
  if (!interrupted) note_failure("execute", **session, operation->id(), done);
  operation->finish(done);
  core_.sweep(operation);
}

// Makes the operation and attaches the stream to it. `operation` stays empty when the same request
// runs already.
Status Service::begin(const std::shared_ptr<ResponseStream>& stream,
                      proto::ExecutePlanRequest& request, const SessionPtr& session,
                      OperationPtr* operation, ExecuteOptions* options) {
  if (request.has_operation_id() && !is_uuid(request.operation_id())) {
    return Status::error("INVALID_HANDLE.FORMAT", {{"handle", request.operation_id()}});
  }
  Operation::Spec spec;
  spec.session = session;
  spec.id = request.has_operation_id() ? request.operation_id() : new_uuid();
  spec.plan = fingerprint(request.plan());
  spec.tags = {request.tags().begin(), request.tags().end()};
  for (const auto& option : request.request_options()) {
    if (option.has_reattach_options()) spec.reattachable = option.reattach_options().reattachable();
    if (option.has_result_chunking_options()) {
      options->chunked_batches = option.result_chunking_options().allow_arrow_batch_chunking();
    }
  }
  TRY(decompress(request.mutable_plan()));
  TRY(plan::check_well_formed(request.plan()));
  spec.settings = core_.settings();
  if (computes(request.plan())) spec.report_interval = report_interval(session->session().conf());
  TRY_ASSIGN(const auto added, core_.operations().add(std::move(spec)));
  const auto position = added.operation->attach(stream, std::nullopt);
  if (!position.ok()) {
    if (added.is_new) core_.operations().remove(added.operation);
    return position.status();
  }
  stream->start(added.operation, *position);
  if (added.is_new) *operation = added.operation;
  return Status::OK();
}

Status Service::reattach(const std::shared_ptr<ResponseStream>& stream,
                         const grpc::ByteBuffer& bytes, SessionPtr* session) {
  proto::ReattachExecuteRequest request;
  TRY(decode(bytes, &request));
  TRY_ASSIGN(*session, find(false, request));
  TRY_ASSIGN(const auto operation,
             core_.operations().find((*session)->key(), request.operation_id()));
  if (!operation->spec().reattachable) return Status::error("INVALID_CURSOR.NOT_REATTACHABLE");
  std::optional<std::string> after;
  if (request.has_last_response_id()) after = request.last_response_id();
  TRY_ASSIGN(const std::int64_t position, operation->attach(stream, after));
  stream->start(operation, position);
  return Status::OK();
}

grpc::Status Service::analyze_plan(const grpc::ByteBuffer& bytes, grpc::ByteBuffer* answer) {
  proto::AnalyzePlanRequest request;
  if (const Status parsed = decode(bytes, &request); !parsed.ok()) return to_grpc(parsed, nullptr);
  const auto session = find(true, request);
  if (!session.ok()) return to_grpc(session.status(), nullptr);
  proto::AnalyzePlanResponse response;
  stamp(*session, &response);
  Status status = plan::check_well_formed(request);
  if (status.ok()) status = analyze(**session, request, &response);
  note_failure("analyze", **session, "", status);
  if (!status.ok()) return to_grpc(status, &(*session)->errors());
  const grpc::Slice slice(response.SerializeAsString());
  *answer = grpc::ByteBuffer(&slice, 1);
  return grpc::Status::OK;
}

Status Service::interrupt(const SessionPtr& session, const proto::InterruptRequest& request,
                          proto::InterruptResponse* response) {
  std::vector<std::string> ids;
  switch (request.interrupt_type()) {
    case proto::InterruptRequest::INTERRUPT_TYPE_ALL:
      ids = core_.interrupt_all(session);
      break;
    case proto::InterruptRequest::INTERRUPT_TYPE_TAG:
      if (request.operation_tag().empty()) {
        return Status::error("INVALID_PARAMETER_VALUE.INTERRUPT_TYPE_TAG_REQUIRES_TAG",
                             {{"parameter", "`operation_tag`"}, {"functionName", "`interrupt`"}});
      }
      ids = core_.interrupt_tag(session, request.operation_tag());
      break;
    case proto::InterruptRequest::INTERRUPT_TYPE_OPERATION_ID: {
      if (request.operation_id().empty()) {
        return Status::error("INVALID_PARAMETER_VALUE.INTERRUPT_TYPE_OPERATION_ID_REQUIRES_ID",
                             {{"parameter", "`operation_id`"}, {"functionName", "`interrupt`"}});
      }
      const auto operation = core_.operations().find(session->key(), request.operation_id());
      if (operation.ok() && (*operation)->interrupt()) ids.push_back((*operation)->id());
      break;
    }
    default:
      return Status::error("UNSUPPORTED_FEATURE.INTERRUPT_TYPE",
                           {{"interruptType", std::to_string(request.interrupt_type())}});
  }
  for (const auto& id : ids) response->add_interrupted_ids(id);
  return Status::OK();
}

void Service::status(const SessionPtr& session, const proto::GetStatusRequest& request,
                     proto::GetStatusResponse* response) {
  using Answer = proto::GetStatusResponse::OperationStatus;
  std::map<std::string, OperationState> states = core_.operations().ended(session->key());
  for (const auto& operation : core_.operations().of_session(session->key())) {
    states[operation->id()] = operation->state();
  }
  const auto add = [&](const std::string& id) {
    auto* out = response->add_operation_statuses();
    out->set_operation_id(id);
    const auto found = states.find(id);
    if (found == states.end()) {
      out->set_state(Answer::OPERATION_STATE_UNKNOWN);
      return;
    }
    switch (found->second) {
      case OperationState::running:
        out->set_state(Answer::OPERATION_STATE_RUNNING);
        break;
      case OperationState::succeeded:
        out->set_state(Answer::OPERATION_STATE_SUCCEEDED);
        break;
      case OperationState::failed:
        out->set_state(Answer::OPERATION_STATE_FAILED);
        break;
      case OperationState::cancelled:
        out->set_state(Answer::OPERATION_STATE_CANCELLED);
        break;
    }
  };
  if (!request.has_operation_status()) return;
  if (request.operation_status().operation_ids().empty()) {
    for (const auto& [id, state] : states) add(id);
  } else {
    for (const auto& id : request.operation_status().operation_ids()) add(id);
  }
}

}  // namespace

std::unique_ptr<grpc::Service> make_service(Core& core) { return std::make_unique<Service>(core); }

}  // namespace millstream::connect
