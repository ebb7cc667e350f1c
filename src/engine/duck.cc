#include "engine/duck.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <mutex>
#include <regex>

#include "base/text.h"

namespace millstream::engine {
namespace {

constexpr std::string_view mark = "@@millstream:";

// The last errors raised inside DuckDB, by number: only the number passes through the message, so
// that nothing of the Status is lost. An error that DuckDB swallows is simply overwritten later.
class RaisedErrors {
 public:
  std::uint64_t add(const Status& status) {
    const std::lock_guard lock(mutex_);
    const std::uint64_t id = next_++;
    slots_[id % slots_.size()] = {id, status};
    return id;
  }
  Status find(std::uint64_t id) {
    const std::lock_guard lock(mutex_);
    const auto& [held, status] = slots_[id % slots_.size()];
    return held == id && !status.ok()
               ? status
               : Status::internal("the error of a failed query is no longer known");
  }

 private:
  std::mutex mutex_;
  std::uint64_t next_ = 1;
  std::array<std::pair<std::uint64_t, Status>, 1024> slots_;
};

RaisedErrors& raised() {
  static auto* all = new RaisedErrors();
  return *all;
}

constexpr std::string_view ansi_config = "\"spark.sql.ansi.enabled\"";

Status overflow(const std::string& operation) {
  std::string alternative;
  if (operation == "addition")
    alternative = " Use 'try_add' to tolerate overflow and return NULL instead.";
  if (operation == "subtraction")
    alternative = " Use 'try_subtract' to tolerate overflow and return NULL instead.";
  if (operation == "multiplication")
    alternative = " Use 'try_multiply' to tolerate overflow and return NULL instead.";
  return Status::error("ARITHMETIC_OVERFLOW", {{"message", "overflow"},
                                               {"alternative", alternative},
                                               {"config", std::string(ansi_config)}});
}

Status small_overflow(const std::string& operation, const std::string& a, const std::string& b) {
  const std::string suffix = "S";  // Spark adds bytes as shorts
  const bool add = operation == "addition";
  const bool subtract = operation == "subtraction";
  return Status::error("BINARY_ARITHMETIC_OVERFLOW",
                       {{"value1", a + suffix},
                        {"value2", b + suffix},
                        {"symbol", add        ? "+"
                                   : subtract ? "-"
                                              : "*"},
                        {"functionName", add        ? "`try_add`"
                                         : subtract ? "`try_subtract`"
                                                    : "`try_multiply`"}});
}

Status decimal_range(const std::string& value, const std::string& precision,
                     const std::string& scale) {
  return Status::error("NUMERIC_VALUE_OUT_OF_RANGE.WITH_SUGGESTION",
                       {{"value", value},
                        {"precision", precision},
                        {"scale", scale},
                        {"config", std::string(ansi_config)}});
}

Status from_arithmetic(const std::string& text) {
  static const std::regex binary(
      R"(Overflow in (addition|subtraction|multiplication) of (\w+) \((-?\d+) [-+*] (-?\d+)\))");
  static const std::regex decimal_value(
      R"((?:Casting|Could not cast) value \"?([-0-9.]+)\"? to (?:type )?DECIMAL\((\d+),(\d+)\))");
  static const std::regex decimal_binary(R"(Overflow in \w+ of DECIMAL\((\d+)\))");
  std::smatch found;
  if (std::regex_search(text, found, binary)) {
    if (found[2] == "INT8" || found[2] == "INT16")
      return small_overflow(found[1], found[3], found[4]);
    return overflow(found[1]);
  }
  if (std::regex_search(text, found, decimal_value))
    return decimal_range(found[1], found[2], found[3]);
  if (std::regex_search(text, found, decimal_binary)) return decimal_range("the result", "38", "0");
  const auto has = [&](std::string_view part) { return text.find(part) != std::string::npos; };
  if (has("Map keys must be unique")) {
    return Status::error(
        "DUPLICATED_MAP_KEY",
        {{"key", "(in the input)"}, {"mapKeyDedupPolicy", "\"spark.sql.mapKeyDedupPolicy\""}});
  }
  if (has("Map keys can not be NULL") || has("Map keys cannot be NULL"))
    return Status::error("NULL_MAP_KEY");
  if (has("Overflow") || has("out of range")) return overflow("");
  return Status::OK();
}

// "256.0 KiB" as bytes.
std::int64_t bytes_of(const std::string& number, const std::string& unit) {
  const std::string_view units = "KMGT";
  const auto power = unit.empty() ? std::string_view::npos : units.find(unit[0]);
  double bytes = std::strtod(number.c_str(), nullptr);
  for (std::size_t i = 0; power != std::string_view::npos && i <= power; ++i) bytes *= 1024;
  return static_cast<std::int64_t>(bytes);
}

// "… could not allocate block of size 256.0 KiB (60.0 MiB/64.0 MiB used)"
Status out_of_memory(const std::string& text) {
  static const std::regex sizes(
      R"(of size ([0-9.]+) (\w+).*\(([0-9.]+) (\w+)/([0-9.]+) (\w+) used\))");
  std::smatch found;
  std::int64_t requested = 0;
  std::int64_t received = 0;
  if (std::regex_search(text, found, sizes)) {
    requested = bytes_of(found[1], found[2]);
    received =
        std::max<std::int64_t>(0, bytes_of(found[5], found[6]) - bytes_of(found[3], found[4]));
  }
  return Status::error("UNABLE_TO_ACQUIRE_MEMORY", {{"requestedBytes", std::to_string(requested)},
                                                    {"receivedBytes", std::to_string(received)}});
}

// What no query should come to: the statement was not understood, or DuckDB is at fault.
Status refused(const std::string& text) {
  std::string reason = text.substr(0, text.find('\n'));
  if (const auto colon = reason.find("Error: "); colon != std::string::npos)
    reason = reason.substr(colon + 7);
  return Status::error(
      "INTERNAL_ERROR",
      {{"message", "The engine cannot run this query, which is a bug in Millstream: " + reason}});
}

}  // namespace

std::string wrap_error(const Status& status) {
  return fmt::format("{}{}@@", mark, raised().add(status));
}

Status unwrap_error(const char* message) {
  const std::string text = message == nullptr ? "unknown error" : message;
  const auto at = text.find(mark);
  if (at != std::string::npos) {
    const auto digits =
        text.substr(at + mark.size(), text.find("@@", at + mark.size()) - at - mark.size());
    return raised().find(static_cast<std::uint64_t>(parse_int64(digits).value_or(0)));
  }
  if (text.starts_with("INTERRUPT Error")) return Status::cancelled();
  if (Status status = from_arithmetic(text); !status.ok()) return status;
  if (text.starts_with("Out of Memory Error")) return out_of_memory(text);
  if (text.find("More than one row returned by a subquery") != std::string::npos) {
    return Status::error("SCALAR_SUBQUERY_TOO_MANY_ROWS");
  }
  if (text.starts_with("Not implemented Error")) return Status::unsupported("{}", text.substr(23));
  if (text.starts_with("IO Error")) return Status::io("{}", text.substr(10));
  if (text.find("Max expression depth") != std::string::npos ||
      text.find("stack overflow") != std::string::npos ||
      text.find("memory exhausted") != std::string::npos) {
    return Status::error("FAILED_TO_PARSE_TOO_COMPLEX");
  }
  return refused(text);
}

Status run_sql(duckdb_connection connection, const std::string& sql) {
  duckdb_result result;
  const auto state = duckdb_query(connection, sql.c_str(), &result);
  Status status = state == DuckDBError ? unwrap_error(duckdb_result_error(&result)) : Status::OK();
  duckdb_destroy_result(&result);
  return status;
}

}  // namespace millstream::engine
