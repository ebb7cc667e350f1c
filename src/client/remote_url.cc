#include "client/remote_url.h"

#include <charconv>

#include "base/random.h"

namespace millstream::client {
namespace {

Status wrong(const std::string& url, const std::string& why) {
  return Status::invalid("[INVALID_CONNECT_URL] {}: {}; write sc://host:port/;key=value;key=value",
                         url, why);
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

bool is_loopback(const std::string& host) {
  return host == "localhost" || host == "127.0.0.1" || host == "::1";
}

std::string percent_decode(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size()) {
      const int high = hex_digit(text[i + 1]);
      const int low = hex_digit(text[i + 2]);
      if (high >= 0 && low >= 0) {
        out += static_cast<char>(high * 16 + low);
        i += 2;
        continue;
      }
    }
    out += text[i];
  }
  return out;
}

Status take_parameter(const std::string& url, const std::string& key, const std::string& value,
                      Target* target) {
  if (key == "use_ssl") {
    if (value != "true" && value != "false") return wrong(url, "use_ssl is true or false");
    target->use_ssl = value == "true";
  } else if (key == "token") {
    target->token = value;
  } else if (key == "user_id") {
    target->user_id = value;
  } else if (key == "session_id") {
    if (!is_uuid(value)) return wrong(url, "session_id must be a UUID");
    target->session_id = value;
  } else if (key != "user_agent") {
    target->headers[key] = value;
  }
  return Status::OK();
}

Status take_parameters(const std::string& url, std::string_view text, Target* target) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(';'), text.size());
    const std::string_view pair = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (pair.empty()) continue;
    const std::size_t equal = pair.find('=');
    if (equal == std::string_view::npos || equal == 0)
      return wrong(url, "'" + std::string(pair) + "' is no key=value");
    TRY(take_parameter(url, std::string(pair.substr(0, equal)),
                       percent_decode(pair.substr(equal + 1)), target));
  }
  return Status::OK();
}

}  // namespace

std::string Target::address() const {
  const bool is_v6 = host.find(':') != std::string::npos;
  return (is_v6 ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

Result<Target> parse_remote_url(const std::string& url) {
  constexpr std::string_view scheme = "sc://";
  if (!url.starts_with(scheme)) return wrong(url, "it does not begin with sc://");
  std::string_view rest = std::string_view(url).substr(scheme.size());
  const std::size_t slash = std::min(rest.find('/'), rest.size());
  std::string_view place = rest.substr(0, slash);
  rest.remove_prefix(slash);
  if (rest.starts_with('/')) rest.remove_prefix(1);
  if (!rest.empty() && rest.front() != ';') return wrong(url, "a path has no meaning here");

  Target target;
  std::size_t colon = place.rfind(':');
  if (place.starts_with('[')) {
    const std::size_t close = place.find(']');
    if (close == std::string_view::npos) return wrong(url, "the bracket is not closed");
    target.host = place.substr(1, close - 1);
    colon = close + 1 < place.size() ? close + 1 : std::string_view::npos;
    if (colon != std::string_view::npos && place[colon] != ':')
      return wrong(url, "a port follows the bracket");
  } else {
    target.host = place.substr(0, colon);
  }
  if (target.host.empty()) return wrong(url, "there is no host");
  if (colon != std::string_view::npos) {
    const std::string_view port = place.substr(colon + 1);
    const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), target.port);
    if (error != std::errc() || end != port.data() + port.size() || target.port < 1 ||
        target.port > 65535)
      return wrong(url, "the port is a number from 1 to 65535");
  }
  TRY(take_parameters(url, rest, &target));
  // A token must not travel in the clear, unless it stays on this machine: the Python client's
  // rule.
  if (!target.token.empty() && !is_loopback(target.host)) target.use_ssl = true;
  return target;
}

}  // namespace millstream::client
