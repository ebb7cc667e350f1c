#include "stream/failure.h"

namespace millstream::stream {

std::string exception_class(const ErrorInfo& error) {
  if (!error.java_class.empty()) return error.java_class;
  switch (error.kind) {
    case ErrorKind::analysis:
      return "org.apache.spark.sql.AnalysisException";
    case ErrorKind::parse:
      return "org.apache.spark.sql.catalyst.parser.ParseException";
    case ErrorKind::illegal_argument:
      return error.condition.empty() ? "java.lang.IllegalArgumentException"
                                     : "org.apache.spark.SparkIllegalArgumentException";
    case ErrorKind::arithmetic:
      return "org.apache.spark.SparkArithmeticException";
    case ErrorKind::number_format:
      return "org.apache.spark.SparkNumberFormatException";
    case ErrorKind::date_time:
      return "org.apache.spark.SparkDateTimeException";
    case ErrorKind::array_index:
      return "org.apache.spark.SparkArrayIndexOutOfBoundsException";
    case ErrorKind::unsupported_operation:
      return error.condition.empty() ? "java.lang.UnsupportedOperationException"
                                     : "org.apache.spark.SparkUnsupportedOperationException";
    case ErrorKind::no_such_element:
      return "org.apache.spark.SparkNoSuchElementException";
    case ErrorKind::runtime:
      return "org.apache.spark.SparkRuntimeException";
    case ErrorKind::query_execution:
      return "org.apache.spark.sql.execution.QueryExecutionException";
    case ErrorKind::upgrade:
      return "org.apache.spark.SparkUpgradeException";
    case ErrorKind::streaming_query:
      return "org.apache.spark.sql.streaming.StreamingQueryException";
    case ErrorKind::illegal_state:
      return "java.lang.IllegalStateException";
    case ErrorKind::file_not_found:
      return "java.io.FileNotFoundException";
    case ErrorKind::already_exists:
      return "org.apache.hadoop.fs.FileAlreadyExistsException";
    case ErrorKind::io:
      return "java.io.IOException";
    case ErrorKind::concurrent_modification:
      return "io.delta.exceptions.DeltaConcurrentModificationException";
    case ErrorKind::connect_sql:
      return "org.apache.spark.SparkSQLException";
    case ErrorKind::invalid_plan:
      return "org.apache.spark.sql.connect.common.InvalidPlanInput";
    case ErrorKind::spark:
    case ErrorKind::internal:
      return "org.apache.spark.SparkException";
  }
  return "org.apache.spark.SparkException";
}

Status query_failure(const std::string& id, const std::string& run_id, const Status& cause,
                     const std::string& debug_block) {
  const Status failed =
      Status::error("STREAM_FAILED", {{"id", id}, {"runId", run_id}, {"message", cause.message()}});
  ErrorInfo info = failed.info();
  info.message += "\n" + debug_block;
  return Status(std::move(info)).with_cause(cause);
}

}  // namespace millstream::stream
