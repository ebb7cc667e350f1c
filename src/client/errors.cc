#include "client/errors.h"

#include <google/rpc/error_details.pb.h>
#include <google/rpc/status.pb.h>
#include <grpcpp/support/status.h>

#include <nlohmann/json.hpp>

#include "spark/connect/base.pb.h"

namespace millstream::client {
namespace {

using api::SparkException;

nlohmann::json parse_lenient(const std::string& text) {
  return nlohmann::json::parse(text, nullptr, false);
}

void take_metadata(const google::rpc::ErrorInfo& info, SparkException::Details* details,
                   std::string* error_id) {
  const auto& metadata = info.metadata();
  const auto text = [&](const char* key) {
    const auto found = metadata.find(key);
    return found == metadata.end() ? std::string() : found->second;
  };
  details->condition = text("errorClass");
  details->sql_state = text("sqlState");
  if (const auto classes = parse_lenient(text("classes")); classes.is_array()) {
    for (const auto& name : classes)
      if (name.is_string()) details->classes.push_back(name.get<std::string>());
  }
  if (const auto parameters = parse_lenient(text("messageParameters")); parameters.is_object()) {
    for (const auto& [name, value] : parameters.items())
      if (value.is_string()) details->parameters[name] = value.get<std::string>();
  }
  if (error_id != nullptr) *error_id = text("errorId");
}

}  // namespace

SparkException to_exception(const grpc::Status& status, std::string* error_id) {
  SparkException::Details details;
  std::string message = status.error_message();
  google::rpc::Status rpc;
  if (rpc.ParseFromString(status.error_details())) {
    for (const auto& any : rpc.details()) {
      google::rpc::ErrorInfo info;
      if (any.Is<google::rpc::ErrorInfo>() && any.UnpackTo(&info))
        take_metadata(info, &details, error_id);
    }
  }
  if (status.error_code() == grpc::StatusCode::UNAVAILABLE)
    message = "the Spark Connect server cannot be reached: " + message;
  return {message, std::move(details)};
}

SparkException to_exception(const spark::connect::FetchErrorDetailsResponse& response) {
  const int root = response.root_error_idx();
  if (root < 0 || root >= response.errors_size()) return SparkException("the server gave no error");
  const auto& error = response.errors(root);
  SparkException::Details details;
  const auto& throwable = error.spark_throwable();
  details.condition = throwable.error_class();
  details.sql_state = throwable.sql_state();
  details.parameters = {throwable.message_parameters().begin(),
                        throwable.message_parameters().end()};
  details.classes = {error.error_type_hierarchy().begin(), error.error_type_hierarchy().end()};
  return {error.message(), std::move(details)};
}

SparkException to_exception(const Status& error) {
  const ErrorInfo& info = error.info();
  return {info.message, {info.condition, info.sql_state, info.parameters, {}}};
}

void throw_if_error(const Status& status) {
  if (!status.ok()) throw to_exception(status);
}

}  // namespace millstream::client
