#include "connect/failure_log.h"

#include <nlohmann/json.hpp>

#include "base/log.h"
#include "base/text.h"
#include "connect/errors.h"
#include "connect/server_session.h"

namespace millstream::connect {
namespace {

constexpr std::size_t message_bytes_max = 300;

std::string first_line(const std::string& message) {
  std::string line = message.substr(0, message.find('\n'));
  if (line.size() > message_bytes_max) line = line.substr(0, message_bytes_max) + "...";
  return line;
}

// The first line, and the reason where a later line tells one.
std::string quoted_summary(const std::string& message) {
  std::string summary = first_line(message);
  const std::size_t cause = message.find("\nCaused by: ");
  if (cause != std::string::npos) summary += " " + first_line(message.substr(cause + 1));
  return json_quote(summary);
}

std::string or_dash(const std::string& text) { return text.empty() ? "-" : text; }

}  // namespace

void log_failure(const char* call, const ServerSession& session, const std::string& operation_id,
                 const Status& error) {
  if (error.is("OPERATION_CANCELED") || error.is("STREAM_FAILED")) return;
  const ErrorInfo& info = error.info();
  log_warn("{} failed class={} condition={} sqlstate={} session={} operation={} message={}", call,
           class_hierarchy(info).front(), or_dash(info.condition), or_dash(info.sql_state),
           session.id(), or_dash(operation_id), quoted_summary(info.message));
}

FailedQueries::FailedQueries(stream::QueryManager& queries, const ServerSession& session)
    : queries_(queries), session_id_(session.id()) {
  queries_.add_listener(session.key(), this);
}

FailedQueries::~FailedQueries() { queries_.remove_listener(this); }

void FailedQueries::on_event(const stream::QueryEvent& event) {
  if (event.kind != stream::QueryEvent::Kind::terminated) return;
  const auto ended = nlohmann::json::parse(event.json, nullptr, false);
  if (!ended.is_object() || !ended.value("exception", nlohmann::json()).is_string()) return;
  const auto text = [&](const char* key) {
    const auto found = ended.value(key, nlohmann::json());
    return found.is_string() ? found.get<std::string>() : std::string();
  };
  log_warn("streaming query failed condition={} session={} query={} run={} message={}",
           or_dash(text("errorClassOnException")), session_id_, text("id"), text("runId"),
           quoted_summary(text("exception")));
}

}  // namespace millstream::connect
