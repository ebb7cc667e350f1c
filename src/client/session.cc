#include "millstream/session.h"

#include <cstdlib>
#include <filesystem>
#include <map>

#include "base/text.h"
#include "client/arrow_values.h"
#include "client/errors.h"
#include "client/expressions.h"
#include "client/relations.h"
#include "column/types.h"
#include "connect/server.h"
#include "spark/connect/base.pb.h"

namespace millstream::api {
namespace {

namespace proto = spark::connect;

// How S3 is reached is a setting of the server's, which an embedded session brings along.
bool is_of_server(const std::string& key) { return key.starts_with("spark.hadoop.fs.s3a."); }

std::shared_ptr<client::Connection> embed(const std::string& warehouse, const std::string& memory,
                                          const std::map<std::string, std::string>& config) {
  connect::ServerOptions options;
  options.embedded = true;
  for (const auto& [key, value] : config) {
    if (is_of_server(key)) options.conf[key] = value;
  }
  const bool is_path = warehouse.find("://") == std::string::npos;  // others the server refuses
  options.warehouse =
      is_path ? std::filesystem::absolute(warehouse).lexically_normal().string() : warehouse;
  if (!memory.empty()) {
    const auto bytes = parse_bytes(memory);
    if (!bytes) throw SparkException("memory takes a size as 2g or 512m, not " + memory);
    options.memory_bytes_max = *bytes;
  }
  return client::Connection::embed(client::value_or_throw(connect::Server::start(options)));
}

// A statement is carried out at once; what it gives, or the query, is the DataFrame.
DataFrame run_sql(const std::shared_ptr<client::Connection>& connection,
                  const proto::Command& command) {
  proto::Relation result = command.sql_command().input();
  connection->execute(command, [&](const proto::ExecutePlanResponse& response) {
    if (response.has_sql_command_result()) result = response.sql_command_result().relation();
  });
  return client::new_frame(connection, [&](proto::Relation* out) {
    const std::int64_t id = out->common().plan_id();
    *out = std::move(result);
    out->mutable_common()->set_plan_id(id);
  });
}

}  // namespace

SparkSession::Builder& SparkSession::Builder::remote(const std::string& url) {
  remote_ = url;
  return *this;
}
SparkSession::Builder& SparkSession::Builder::warehouse(const std::string& folder) {
  warehouse_ = folder;
  return *this;
}
SparkSession::Builder& SparkSession::Builder::memory(const std::string& size) {
  memory_ = size;
  return *this;
}
SparkSession::Builder& SparkSession::Builder::config(const std::string& key,
                                                     const std::string& value) {
  config_[key] = value;
  return *this;
}

SparkSession SparkSession::Builder::get_or_create() const {
  std::string url = remote_;
  const char* from_environment = std::getenv("SPARK_REMOTE");
  if (url.empty() && warehouse_.empty() && from_environment != nullptr) url = from_environment;
  if (!url.empty() && !(warehouse_.empty() && memory_.empty()))
    throw SparkException("warehouse and memory are of an embedded session, " + url + " is none");
  auto connection =
      url.empty() ? embed(warehouse_.empty() ? "spark-warehouse" : warehouse_, memory_, config_)
                  : client::Connection::open(client::value_or_throw(client::parse_remote_url(url)));
  SparkSession session(std::move(connection));
  for (const auto& [key, value] : config_) {
    if (!url.empty() || !is_of_server(key)) session.conf().set(key, value);
  }
  return session;
}

DataFrame SparkSession::sql(const std::string& text, const std::vector<Value>& arguments) const {
  proto::Command command;
  auto* sql = command.mutable_sql_command()->mutable_input()->mutable_sql();
  sql->set_query(text);
  for (const Value& value : arguments)
    client::to_literal(value, sql->add_pos_arguments()->mutable_literal());
  return run_sql(connection_, command);
}

DataFrame SparkSession::sql_named(const std::string& text,
                                  const std::map<std::string, Value>& arguments) const {
  proto::Command command;
  auto* sql = command.mutable_sql_command()->mutable_input()->mutable_sql();
  sql->set_query(text);
  for (const auto& [name, value] : arguments)
    client::to_literal(value, (*sql->mutable_named_arguments())[name].mutable_literal());
  return run_sql(connection_, command);
}

DataFrame SparkSession::table(const std::string& name) const { return read().table(name); }

DataFrame SparkSession::range(std::int64_t start, std::int64_t end, std::int64_t step) const {
  return client::new_frame(connection_, [&](proto::Relation* out) {
    out->mutable_range()->set_start(start);
    out->mutable_range()->set_end(end);
    out->mutable_range()->set_step(step);
  });
}

DataFrame SparkSession::create_data_frame(const std::vector<Values>& rows,
                                          const std::string& schema) const {
  const column::Schema columns = client::value_or_throw(column::parse_schema(schema));
  const std::string data = client::value_or_throw(client::write_ipc(rows, columns));
  return client::new_frame(connection_, [&](proto::Relation* out) {
    out->mutable_local_relation()->set_data(data);
    out->mutable_local_relation()->set_schema(schema);
  });
}

std::string SparkSession::version() const {
  proto::AnalyzePlanRequest request;
  request.mutable_spark_version();
  return connection_->analyze(std::move(request)).spark_version().version();
}

const std::string& SparkSession::session_id() const { return connection_->session_id(); }

std::vector<std::string> SparkSession::interrupt_all() const {
  return connection_->interrupt_all();
}

std::vector<std::string> SparkSession::interrupt_tag(const std::string& tag) const {
  return connection_->interrupt_tag(tag);
}
std::vector<std::string> SparkSession::interrupt_operation(const std::string& id) const {
  return connection_->interrupt_operation(id);
}

void SparkSession::add_tag(const std::string& tag) const {
  if (tag.empty() || tag.find(',') != std::string::npos)
    throw SparkException("a tag is not empty and has no comma: '" + tag + "'");
  connection_->add_tag(tag);
}
void SparkSession::remove_tag(const std::string& tag) const { connection_->remove_tag(tag); }
std::vector<std::string> SparkSession::tags() const { return connection_->tags(); }
void SparkSession::clear_tags() const {
  for (const std::string& tag : tags()) remove_tag(tag);
}

void SparkSession::stop() const { connection_->release(); }

void RuntimeConfig::set(const std::string& key, const std::string& value) const {
  proto::ConfigRequest_Operation operation;
  auto* pair = operation.mutable_set()->add_pairs();
  pair->set_key(key);
  pair->set_value(value);
  connection_->config(operation);
}

std::string RuntimeConfig::get(const std::string& key) const {
  proto::ConfigRequest_Operation operation;
  operation.mutable_get()->add_keys(key);
  const auto response = connection_->config(operation);
  return response.pairs_size() > 0 ? response.pairs(0).value() : std::string();
}

std::string RuntimeConfig::get(const std::string& key, const std::string& if_not_set) const {
  proto::ConfigRequest_Operation operation;
  auto* pair = operation.mutable_get_with_default()->add_pairs();
  pair->set_key(key);
  pair->set_value(if_not_set);
  const auto response = connection_->config(operation);
  return response.pairs_size() > 0 ? response.pairs(0).value() : if_not_set;
}

void RuntimeConfig::unset(const std::string& key) const {
  proto::ConfigRequest_Operation operation;
  operation.mutable_unset()->add_keys(key);
  connection_->config(operation);
}

std::map<std::string, std::string> RuntimeConfig::get_all(const std::string& prefix) const {
  proto::ConfigRequest_Operation operation;
  operation.mutable_get_all();
  if (!prefix.empty()) operation.mutable_get_all()->set_prefix(prefix);
  std::map<std::string, std::string> all;
  const auto response = connection_->config(operation);
  for (const auto& pair : response.pairs()) all[pair.key()] = pair.value();
  return all;
}

bool RuntimeConfig::is_modifiable(const std::string& key) const {
  proto::ConfigRequest_Operation operation;
  operation.mutable_is_modifiable()->add_keys(key);
  const auto response = connection_->config(operation);
  return response.pairs_size() > 0 && response.pairs(0).value() == "true";
}

}  // namespace millstream::api
