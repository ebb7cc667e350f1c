#include "connect/errors.h"

#include <google/rpc/error_details.pb.h>
#include <google/rpc/status.pb.h>

#include <nlohmann/json.hpp>

#include "base/random.h"
#include "spark/connect/base.pb.h"

namespace millstream::connect {
namespace {

namespace proto = spark::connect;

constexpr std::size_t message_chars_max =
    2048;  // beyond ~7 kB of metadata the Python client loses the error
constexpr std::size_t parameters_bytes_max = 1024;
constexpr std::size_t entries_max = 20;
constexpr std::chrono::seconds keep_time{60};
constexpr int causes_max = 5;

// Classes below java.lang.Exception or RuntimeException, most derived first.
std::vector<std::string> specific_classes(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::analysis:
      return {"org.apache.spark.sql.AnalysisException"};
    case ErrorKind::parse:
      return {"org.apache.spark.sql.catalyst.parser.ParseException",
              "org.apache.spark.sql.AnalysisException"};
    case ErrorKind::illegal_argument:
      return {"org.apache.spark.SparkIllegalArgumentException",
              "java.lang.IllegalArgumentException"};
    case ErrorKind::arithmetic:
      return {"org.apache.spark.SparkArithmeticException", "java.lang.ArithmeticException"};
    case ErrorKind::number_format:
      return {"org.apache.spark.SparkNumberFormatException", "java.lang.NumberFormatException",
              "java.lang.IllegalArgumentException"};
    case ErrorKind::date_time:
      return {"org.apache.spark.SparkDateTimeException", "java.time.DateTimeException"};
    case ErrorKind::array_index:
      return {"org.apache.spark.SparkArrayIndexOutOfBoundsException",
              "java.lang.ArrayIndexOutOfBoundsException", "java.lang.IndexOutOfBoundsException"};
    case ErrorKind::unsupported_operation:
      return {"org.apache.spark.SparkUnsupportedOperationException",
              "java.lang.UnsupportedOperationException"};
    case ErrorKind::no_such_element:
      return {"org.apache.spark.SparkNoSuchElementException", "java.util.NoSuchElementException"};
    case ErrorKind::runtime:
      return {"org.apache.spark.SparkRuntimeException"};
    case ErrorKind::spark:
      return {"org.apache.spark.SparkException"};
    case ErrorKind::query_execution:
      return {"org.apache.spark.sql.execution.QueryExecutionException"};
    case ErrorKind::upgrade:
      return {"org.apache.spark.SparkUpgradeException"};
    case ErrorKind::streaming_query:
      return {"org.apache.spark.sql.streaming.StreamingQueryException"};
    case ErrorKind::illegal_state:
      return {"org.apache.spark.SparkIllegalStateException", "java.lang.IllegalStateException"};
    case ErrorKind::file_not_found:
      return {"java.io.FileNotFoundException", "java.io.IOException"};
    case ErrorKind::already_exists:
      return {"java.nio.file.FileAlreadyExistsException", "java.io.IOException"};
    case ErrorKind::io:
      return {"java.io.IOException"};
    case ErrorKind::concurrent_modification:
      return {"io.delta.exceptions.DeltaConcurrentModificationException",
              "java.util.ConcurrentModificationException"};
    case ErrorKind::connect_sql:
      return {"org.apache.spark.SparkSQLException", "java.sql.SQLException"};
    case ErrorKind::invalid_plan:
      return {"org.apache.spark.sql.connect.common.InvalidPlanInput"};
    case ErrorKind::internal:
      return {"org.apache.spark.SparkException"};
  }
  return {"org.apache.spark.SparkException"};
}

bool is_runtime_exception(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::illegal_argument:
    case ErrorKind::arithmetic:
    case ErrorKind::number_format:
    case ErrorKind::date_time:
    case ErrorKind::array_index:
    case ErrorKind::unsupported_operation:
    case ErrorKind::no_such_element:
    case ErrorKind::runtime:
    case ErrorKind::upgrade:
    case ErrorKind::illegal_state:
    case ErrorKind::concurrent_modification:
      return true;
    default:
      return false;
  }
}

std::string dump(const nlohmann::json& json) {
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

// At most `count` bytes, ending between two UTF-8 characters.
std::string cut(const std::string& text, std::size_t count) {
  if (text.size() <= count) return text;
  std::size_t end = count - 3;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return text.substr(0, end) + "...";
}

// gRPC's status message and protobuf's string fields must be UTF-8.
std::string valid_utf8(const std::string& text) {
  const std::string quoted = dump(nlohmann::json(text));
  return nlohmann::json::parse(quoted).get<std::string>();
}

// Spark's own class comes with a condition; without one it is Java's beneath it. The conditions of
// Delta have classes of their own.
std::vector<std::string> root_classes(const ErrorInfo& error) {
  std::vector<std::string> classes = specific_classes(error.kind);
  std::string name = classes[0].substr(classes[0].rfind('.') + 1);
  const bool over_java = classes.size() > 1 && name.starts_with("Spark");
  if (error.condition.empty() && over_java) classes.erase(classes.begin());
  if (!error.condition.starts_with("DELTA_") || name.starts_with("Delta")) return classes;
  if (over_java) {
    classes.erase(classes.begin());
    name.erase(0, std::string_view("Spark").size());
  }
  classes.insert(classes.begin(), "org.apache.spark.sql.delta.Delta" + name);
  return classes;
}

}  // namespace

std::vector<std::string> class_hierarchy(const ErrorInfo& error) {
  std::vector<std::string> classes = root_classes(error);
  if (error.condition == "DATA_SOURCE_NOT_FOUND") {
    classes = {"org.apache.spark.SparkClassNotFoundException", "java.lang.ClassNotFoundException",
               "java.lang.ReflectiveOperationException"};
  }
  // A plain Exception of Java's, which is no error of Spark's hierarchy.
  if (error.java_class == "org.apache.spark.sql.exceptions.SqlScriptingException") classes.clear();
  if (!error.java_class.empty() && (classes.empty() || error.java_class != classes.front())) {
    classes.insert(classes.begin(), error.java_class);
  }
  if (is_runtime_exception(error.kind)) classes.emplace_back("java.lang.RuntimeException");
  for (const char* name : {"java.lang.Exception", "java.lang.Throwable", "java.lang.Object"}) {
    classes.emplace_back(name);
  }
  return classes;
}

std::string full_message(const ErrorInfo& error) {
  std::string message = error.message;
  for (const QueryContext& context : error.contexts) {
    // What is wrong with a query says its place in the sentence.
    if (context.is_sql && error.kind == ErrorKind::analysis) continue;
    if (!context.summary.empty()) {
      message += "\n" + context.summary;
    } else if (!context.is_sql && !context.fragment.empty()) {
      message += "\n== DataFrame ==\n\"" + context.fragment + "\" was called from\n" +
                 context.call_site + "\n";
    }
  }
  return valid_utf8(message);
}

std::vector<proto::FetchErrorDetailsResponse_Error> error_chain(const Status& error) {
  std::vector<proto::FetchErrorDetailsResponse_Error> chain;
  const ErrorInfo* info = &error.info();
  for (int i = 0; info != nullptr && i < causes_max; ++i, info = info->cause.get()) {
    proto::FetchErrorDetailsResponse_Error one;
    for (const std::string& name : class_hierarchy(*info)) one.add_error_type_hierarchy(name);
    one.set_message(full_message(*info));
    if (info->cause != nullptr && i + 1 < causes_max) one.set_cause_idx(i + 1);
    if (!info->condition.empty()) {
      auto* throwable = one.mutable_spark_throwable();
      throwable->set_error_class(info->condition);
      if (!info->sql_state.empty()) throwable->set_sql_state(info->sql_state);
      for (const auto& [name, value] : info->parameters) {
        (*throwable->mutable_message_parameters())[name] = valid_utf8(value);
      }
      for (const QueryContext& context : info->contexts) {
        auto* out = throwable->add_query_contexts();
        out->set_context_type(context.is_sql
                                  ? proto::FetchErrorDetailsResponse_QueryContext::SQL
                                  : proto::FetchErrorDetailsResponse_QueryContext::DATAFRAME);
        out->set_fragment(valid_utf8(context.fragment));
        out->set_call_site(valid_utf8(context.call_site));
        out->set_start_index(context.start_index);
        out->set_stop_index(context.stop_index);
        out->set_summary(valid_utf8(context.summary));
      }
    }
    chain.push_back(std::move(one));
  }
  return chain;
}

std::string ErrorLog::add(const Status& error) {
  const auto now = std::chrono::steady_clock::now();
  const std::lock_guard lock(mutex_);
  while (!entries_.empty() &&
         (entries_.size() >= entries_max || now - entries_.front().at > keep_time)) {
    entries_.pop_front();
  }
  entries_.push_back({new_uuid(), error, now});
  return entries_.back().id;
}

void ErrorLog::take(const std::string& id, proto::FetchErrorDetailsResponse* response) {
  Status error;
  {
    const std::lock_guard lock(mutex_);
    for (auto entry = entries_.begin(); entry != entries_.end(); ++entry) {
      if (entry->id != id) continue;
      error = entry->error;
      entries_.erase(entry);
      break;
    }
  }
  if (error.ok()) return;
  response->set_root_error_idx(0);
  for (auto& one : error_chain(error)) *response->add_errors() = std::move(one);
}

grpc::Status to_grpc(const Status& error, ErrorLog* log) {
  const ErrorInfo& info = error.info();
  const std::string message = cut(full_message(info), message_chars_max);
  const std::vector<std::string> classes = class_hierarchy(info);

  google::rpc::ErrorInfo details;
  details.set_reason(classes.front());
  details.set_domain("org.apache.spark");
  auto& metadata = *details.mutable_metadata();
  metadata["classes"] = dump(nlohmann::json(classes));
  if (!info.condition.empty()) {
    const std::string parameters = dump(nlohmann::json(info.parameters));
    if (parameters.size() <= parameters_bytes_max) {
      metadata["errorClass"] = info.condition;
      metadata["messageParameters"] = parameters;
    }
  }
  if (!info.sql_state.empty()) metadata["sqlState"] = info.sql_state;
  if (log != nullptr) metadata["errorId"] = log->add(error);

  google::rpc::Status status;
  status.set_code(static_cast<int>(grpc::StatusCode::INTERNAL));
  status.set_message(message);
  status.add_details()->PackFrom(details);
  return {grpc::StatusCode::INTERNAL, message, status.SerializeAsString()};
}

}  // namespace millstream::connect
