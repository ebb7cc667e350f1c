#include "base/status.h"

#include "base/error_conditions.h"

namespace millstream {
namespace {

// The sentence with each <name> replaced by its parameter..
std::string fill(std::string_view sentence, const ErrorParameters& parameters) {
  std::string out;
  std::size_t at = 0;
  while (at < sentence.size()) {
    const auto open = sentence.find('<', at);
    const auto close = open == std::string_view::npos ? open : sentence.find('>', open);
    if (close == std::string_view::npos) break;
    out += sentence.substr(at, open - at);
    const std::string name(sentence.substr(open + 1, close - open - 1));
    const auto found = parameters.find(name);
    if (found == parameters.end()) {
      out += sentence.substr(open, close - open + 1);
    } else {
      out += found->second;
    }
    at = close + 1;
  }
  out += sentence.substr(at);
  return out;
}

}  // namespace

Status Status::error(std::string_view condition, ErrorParameters parameters) {
  const ErrorCondition* known = find_error_condition(condition);
  if (known == nullptr) {
    return internal("error condition {} is not in the catalogue", condition);
  }
  ErrorInfo info;
  info.kind = known->kind;
  info.condition = condition;
  info.sql_state = known->sql_state;
  // Conditions that Spark has given no name yet have a sentence only.
  info.message = fill(known->sentence, parameters);
  if (!info.sql_state.empty())
    info.message = fmt::format("[{}] {} SQLSTATE: {}", condition, info.message, info.sql_state);
  info.parameters = std::move(parameters);
  return Status(std::move(info));
}

Status Status::cancelled() { return error("OPERATION_CANCELED"); }

Status Status::plain(ErrorKind kind, std::string message) {
  // What Spark has no refusal for: a client still sees that it is one, whatever the sentence is.
  if (kind == ErrorKind::unsupported_operation) {
    return error("UNSUPPORTED_FEATURE.MILLSTREAM", {{"feature", std::move(message)}});
  }
  ErrorInfo info;
  info.kind = kind;
  info.message = std::move(message);
  return Status(std::move(info));
}

Status Status::with_context(QueryContext context) const {
  CHECK(!ok());
  ErrorInfo info = *error_;
  info.contexts.push_back(std::move(context));
  return Status(std::move(info));
}

Status Status::with_cause(const Status& cause) const {
  CHECK(!ok());
  ErrorInfo info = *error_;
  info.cause = cause.error_;
  return Status(std::move(info));
}

Status Status::at(std::string_view where) const {
  CHECK(!ok());
  ErrorInfo info = *error_;
  info.message = fmt::format("{}: {}", where, info.message);
  return Status(std::move(info));
}

}  // namespace millstream
