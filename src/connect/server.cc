#include "connect/server.h"

#include <google/protobuf/stubs/logging.h>
#include <grpcpp/impl/service_type.h>
#include <grpcpp/server.h>
#include <grpcpp/server_builder.h>

#include <cstdlib>
#include <filesystem>
#include <limits>
#include <map>
#include <mutex>

#include "base/log.h"
#include "base/random.h"
#include "connect/core.h"
#include "connect/service.h"
#include "s3/store.h"

namespace millstream::connect {
namespace {

constexpr std::chrono::milliseconds shutdown_time{1000};

// 4.3 clients ping every minute, also without calls; gRPC's default takes that for abuse and hangs
// up.
void set_keepalive(grpc::ServerBuilder& builder) {
  builder.AddChannelArgument(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS, 1'000);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1);
}

// What sessions see of the server's settings.
std::map<std::string, std::string> shown_conf(std::map<std::string, std::string> conf) {
  std::erase_if(conf, [](const auto& setting) { return s3::is_secret(setting.first); });
  return conf;
}

class RunningServer final : public Server {
 public:
  explicit RunningServer(const ServerOptions& options) : options_(options) {}
  ~RunningServer() override { stop(); }

  Status open();
  int port() const override { return port_; }
  std::shared_ptr<grpc::ChannelInterface> in_process_channel() override;
  std::string keep_batch_function(BatchFunction function) override;
  void forget_batch_function(const std::string& name) override;
  void stop() override;

 private:
  const ServerOptions options_;
  SystemClock clock_;
  std::shared_ptr<io::Store> store_;
  std::unique_ptr<engine::Engine> engine_;
  std::unique_ptr<session::Warehouse> warehouse_;
  session::Views global_views_;
  std::string temporary_directory_;
  std::unique_ptr<stream::QueryManager> queries_;
  session::Runtime runtime_;
  std::unique_ptr<Core> core_;
  std::unique_ptr<grpc::Service> service_;
  std::unique_ptr<grpc::Server> server_;
  int port_ = 0;
  std::mutex functions_mutex_;
  std::map<std::string, BatchFunction> batch_functions_;  // guarded by functions_mutex_
};

Status RunningServer::open() {
  auto own_conf = options_.conf;
  std::erase_if(own_conf, [](const auto& setting) { return s3::is_setting(setting.first); });
  TRY_ASSIGN(const Settings settings, parse_settings(own_conf));
  TRY_ASSIGN(s3::Settings s3_settings, s3::read_settings(options_.conf, s3::process_environment));
  store_ = s3::store_of_all_paths(std::move(s3_settings));
  if (io::is_s3_path(options_.warehouse)) {
    return Status::unsupported(
        "a warehouse in S3 is not supported by Millstream: give a local folder, and tables in S3 a "
        "LOCATION");
  }
  // gRPC's own log tells of what the returned errors tell better.
  ::setenv("GRPC_VERBOSITY", "NONE", 0);
  // And protobuf's of texts that are not UTF-8, for which the client has its error.
  google::protobuf::SetLogHandler(nullptr);
  std::error_code error;
  std::string pattern =
      (std::filesystem::temp_directory_path(error) / "millstream-XXXXXX").string();
  if (error || ::mkdtemp(pattern.data()) == nullptr) {
    return Status::io(
        "there is no folder for temporary files ({}): set TMPDIR to one that can be written",
        pattern);
  }
  temporary_directory_ = pattern;

  engine::EngineSettings engine_settings;
  engine_settings.memory_bytes_max = options_.memory_bytes_max;
  engine_settings.spill_directory = temporary_directory_ + "/spill";
  TRY_ASSIGN(engine_, engine::Engine::create(engine_settings));
  warehouse_ = std::make_unique<session::Warehouse>(store_, options_.warehouse);
  queries_ = stream::QueryManager::create(*engine_, store_, clock_);
  runtime_ = {store_,           engine_.get(),  queries_.get(),       &clock_,
              warehouse_.get(), &global_views_, temporary_directory_, shown_conf(options_.conf)};
  runtime_.connect_url = [this] {
    // Whatever the address that it listens on, this machine reaches it by its loopback.
    return port_ == 0 ? std::string() : "sc://localhost:" + std::to_string(port_) + "/";
  };

  runtime_.batch_function = [this](const std::string& name) -> session::BatchFunction {
    const std::lock_guard lock(functions_mutex_);
    const auto found = batch_functions_.find(name);
    return found == batch_functions_.end() ? nullptr : found->second;
  };

  CoreOptions core_options;
  core_options.settings = settings;
  core_options.log_failures = options_.log_failures;
  if (options_.listener != nullptr) {
    core_options.on_session = [this](const std::string& key) {
      queries_->add_listener(key, options_.listener);
    };
  }
  core_ = std::make_unique<Core>(runtime_, std::move(core_options));
  service_ = make_service(*core_);

  grpc::ServerBuilder builder;
  builder.SetMaxReceiveMessageSize(static_cast<int>(
      std::min<std::int64_t>(settings.message_bytes_max, std::numeric_limits<int>::max())));
  builder.SetMaxSendMessageSize(-1);
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT,
                             0);  // a port in use is an error, not a shared port
  set_keepalive(builder);
  if (!options_.embedded) {
    const bool is_v6 = options_.host.find(':') != std::string::npos;
    const std::string host =
        is_v6 ? "[" + options_.host + "]" : options_.host;  // localhost: both loopbacks
    builder.AddListeningPort(host + ":" + std::to_string(options_.port),
                             grpc::InsecureServerCredentials(), &port_);
  }
  builder.RegisterService(service_.get());
  server_ = builder.BuildAndStart();
  if (server_ == nullptr || (port_ == 0 && !options_.embedded)) {
    return Status::io(
        "cannot listen on {}:{}: the port is in use or the address is not this machine's; choose "
        "another with --port (0: "
        "any free one) or --host",
        options_.host, options_.port);
  }
  return Status::OK();
}

std::string RunningServer::keep_batch_function(BatchFunction function) {
  const std::string name = new_uuid();
  const std::lock_guard lock(functions_mutex_);
  batch_functions_[name] = std::move(function);
  return name;
}

void RunningServer::forget_batch_function(const std::string& name) {
  const std::lock_guard lock(functions_mutex_);
  batch_functions_.erase(name);
}

std::shared_ptr<grpc::ChannelInterface> RunningServer::in_process_channel() {
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(-1);
  arguments.SetMaxSendMessageSize(-1);
  return server_->InProcessChannel(arguments);
}

void RunningServer::stop() {
  if (core_ != nullptr) {
    // Queries first: what their functions run in a session is ended with them, not failed.
    for (const auto& session : core_->sessions().all()) queries_->stop_all(session->key());
    core_->interrupt_everything();
    if (server_ != nullptr) server_->Shutdown(std::chrono::system_clock::now() + shutdown_time);
    for (const auto& session : core_->sessions().all()) core_->end_session(session);
    if (server_ != nullptr) server_->Wait();
    server_.reset();
    core_->interrupt_everything();  // what began meanwhile
    core_.reset();
  }
  service_.reset();
  if (options_.listener != nullptr && queries_ != nullptr)
    queries_->remove_listener(options_.listener);
  queries_.reset();
  engine_.reset();
  if (temporary_directory_.empty()) return;
  std::error_code ignored;
  std::filesystem::remove_all(temporary_directory_, ignored);
  temporary_directory_.clear();
}

}  // namespace

Result<std::unique_ptr<Server>> Server::start(const ServerOptions& options) {
  auto server = std::make_unique<RunningServer>(options);
  TRY(server->open());
  return std::unique_ptr<Server>(std::move(server));
}

}  // namespace millstream::connect
