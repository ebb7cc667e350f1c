// Errors are values. A Status is either OK (a null pointer: free to pass) or one error in Spark's
// own terms: the condition name, SQLSTATE and message parameters that Spark would report, so that
// the edge (connect, main) can raise the exception that a PySpark program expects. No exception
// crosses a room; those of libraries are caught at the wrapper and become a Status. Immutable once
// made, so safe to share between threads.
#pragma once

#include <fmt/format.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/check.h"

namespace millstream {

// Which exception Spark throws; selects the Java class list that a client maps to a Python class.
enum class ErrorKind : std::uint8_t {
  analysis,                 // AnalysisException: the query is wrong
  parse,                    // ParseException: the text of the query is wrong
  illegal_argument,         // IllegalArgumentException: an option or argument is wrong
  arithmetic,               // ArithmeticException: overflow, division by zero
  number_format,            // NumberFormatException: text that is not a number
  date_time,                // DateTimeException
  array_index,              // ArrayIndexOutOfBoundsException
  unsupported_operation,    // UnsupportedOperationException: Spark or Millstream does not do that
  no_such_element,          // NoSuchElementException: an unknown configuration key
  runtime,                  // SparkRuntimeException: a row made the query fail
  spark,                    // SparkException: everything else that happens while running
  query_execution,          // QueryExecutionException
  upgrade,                  // SparkUpgradeException
  streaming_query,          // StreamingQueryException: a streaming query ended by an error
  illegal_state,            // IllegalStateException: a log or checkpoint that contradicts itself
  file_not_found,           // FileNotFoundException
  already_exists,           // FileAlreadyExistsException: put-if-absent lost
  io,                       // IOException: the world failed (disk full, no permission)
  concurrent_modification,  // Delta: another transaction won
  connect_sql,              // SparkSQLException: handles, cursors, cancellation
  invalid_plan,             // InvalidPlanInput: a malformed Connect message
  internal,                 // our bug
};

// A piece of the query text or of the program that an error points at.
struct QueryContext {
  bool is_sql = false;
  std::string fragment;   // SQL: the text; DataFrame: the method name
  std::string call_site;  // DataFrame only: "file.py:12"
  int start_index = -1;   // SQL only, 0-based, inclusive
  int stop_index = -1;
  std::string summary;
};

struct ErrorInfo {
  ErrorKind kind = ErrorKind::internal;
  std::string condition;  // "DIVIDE_BY_ZERO", "UNRESOLVED_COLUMN.WITH_SUGGESTION"; empty: none
  std::string sql_state;
  std::map<std::string, std::string> parameters;
  std::string message;  // "[CONDITION] sentence SQLSTATE: 22012", as Spark prints it
  std::vector<QueryContext> contexts;
  std::string java_class;  // overrides the class that `kind` implies; empty: none
  std::shared_ptr<const ErrorInfo> cause;
};

using ErrorParameters = std::map<std::string, std::string>;

class [[nodiscard]] Status {
 public:
  Status() = default;  // OK
  explicit Status(ErrorInfo info) : error_(std::make_shared<const ErrorInfo>(std::move(info))) {}

  static Status OK() { return {}; }

  // An error of the catalogue (base/conditions/*.inc): kind, SQLSTATE and sentence come from there.
  // An unknown condition becomes an internal error that names it.
  static Status error(std::string_view condition, ErrorParameters parameters = {});

  // Errors for which Spark has no condition. `...` is a fmt format string with its arguments.
  template <typename... Args>
  static Status invalid(fmt::format_string<Args...> f, Args&&... args) {
    return plain(ErrorKind::illegal_argument, fmt::format(f, std::forward<Args>(args)...));
  }
  template <typename... Args>
  static Status unsupported(fmt::format_string<Args...> f, Args&&... args) {
    return plain(ErrorKind::unsupported_operation, fmt::format(f, std::forward<Args>(args)...));
  }
  template <typename... Args>
  static Status io(fmt::format_string<Args...> f, Args&&... args) {
    return plain(ErrorKind::io, fmt::format(f, std::forward<Args>(args)...));
  }
  template <typename... Args>
  static Status not_found(fmt::format_string<Args...> f, Args&&... args) {
    return plain(ErrorKind::file_not_found, fmt::format(f, std::forward<Args>(args)...));
  }
  template <typename... Args>
  static Status already_exists(fmt::format_string<Args...> f, Args&&... args) {
    return plain(ErrorKind::already_exists, fmt::format(f, std::forward<Args>(args)...));
  }
  template <typename... Args>
  static Status illegal_state(fmt::format_string<Args...> f, Args&&... args) {
    return plain(ErrorKind::illegal_state, fmt::format(f, std::forward<Args>(args)...));
  }
  template <typename... Args>
  static Status internal(fmt::format_string<Args...> f, Args&&... args) {
    return plain(ErrorKind::internal, fmt::format(f, std::forward<Args>(args)...));
  }
  static Status cancelled();  // OPERATION_CANCELED
  static Status plain(ErrorKind kind, std::string message);

  bool ok() const { return error_ == nullptr; }
  explicit operator bool() const = delete;  // say .ok()

  // Only for errors.
  const ErrorInfo& info() const {
    CHECK(error_ != nullptr);
    return *error_;
  }
  const std::string& message() const { return info().message; }
  const std::string& condition() const { return info().condition; }
  ErrorKind kind() const { return info().kind; }
  bool is(std::string_view condition) const { return error_ && error_->condition == condition; }
  bool is(ErrorKind kind) const { return error_ && error_->kind == kind; }

  // The same error with a place in the query, or with a cause, added.
  Status with_context(QueryContext context) const;
  Status with_cause(const Status& cause) const;
  // The same error, its message preceded by `where` (a file, a row): "where: message".
  Status at(std::string_view where) const;

  std::string to_string() const { return ok() ? "OK" : message(); }

 private:
  std::shared_ptr<const ErrorInfo> error_;
};

template <typename T>
class [[nodiscard]] Result {
 public:
  using value_type = T;
  Result(Status status) : state_(std::move(status)) {  // NOLINT: implicit by design
    CHECK(!std::get<Status>(state_).ok());
  }
  Result(T value) : state_(std::move(value)) {}  // NOLINT: implicit by design
  template <typename U, typename = std::enable_if_t<std::is_convertible_v<U, T> &&
                                                    !std::is_same_v<std::decay_t<U>, T> &&
                                                    !std::is_same_v<std::decay_t<U>, Status> &&
                                                    !std::is_same_v<std::decay_t<U>, Result>>>
  Result(U&& value) : state_(T(std::forward<U>(value))) {}  // NOLINT: implicit by design

  bool ok() const { return std::holds_alternative<T>(state_); }
  Status status() const { return ok() ? Status::OK() : std::get<Status>(state_); }
  const T& value() const& {
    CHECK(ok());
    return std::get<T>(state_);
  }
  T& value() & {
    CHECK(ok());
    return std::get<T>(state_);
  }
  T value() && {
    CHECK(ok());
    return std::move(std::get<T>(state_));
  }
  const T& operator*() const& { return value(); }
  T& operator*() & { return value(); }
  const T* operator->() const { return &value(); }
  T* operator->() { return &value(); }

 private:
  std::variant<T, Status> state_;
};

}  // namespace millstream

#define MS_CONCAT_INNER(a, b) a##b
#define MS_CONCAT(a, b) MS_CONCAT_INNER(a, b)

// Leaves the function with the error, if there is one.
#define TRY(expression)                                \
  do {                                                 \
    ::millstream::Status ms_try_status = (expression); \
    if (!ms_try_status.ok()) return ms_try_status;     \
  } while (false)

// TRY_ASSIGN(auto x, f()): declares or assigns the value, or leaves with the error.
#define TRY_ASSIGN(target, expression) \
  TRY_ASSIGN_NAMED(MS_CONCAT(ms_try_, __LINE__), target, expression)
#define TRY_ASSIGN_NAMED(name, target, expression) \
  auto name = (expression);                        \
  if (!name.ok()) return name.status();            \
  target = std::move(name).value()
