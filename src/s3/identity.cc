#include "s3/identity.h"

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/clock.h"
#include "base/random.h"
#include "base/text.h"
#include "base/xml_text.h"
#include "s3/answers.h"
#include "s3/sign.h"

namespace millstream::s3 {
namespace {

constexpr std::int64_t answer_bytes_max = 64 << 10;
constexpr std::int64_t timeout_ms = 2'000;
constexpr std::int64_t early_ms = 5 * 60'000;  // leases are renewed so long before they end

Status none() {
  return Status::io(
      "there are no credentials for S3: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the "
      "server's environment, write them to ~/.aws/credentials, or start the server with --conf "
      "spark.hadoop.fs.s3a.access.key=… and --conf spark.hadoop.fs.s3a.secret.key=… (for public "
      "buckets: --conf spark.hadoop.fs.s3a.aws.credentials.provider="
      "org.apache.hadoop.fs.s3a.AnonymousAWSCredentialsProvider)");
}

Result<std::string> read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file) return Status::io("{} cannot be read", path);
  return std::string(trim(text.str()));
}

std::string text_below(const XmlNode& node, std::string_view name) {
  if (node.name == name) return node.content();
  for (const auto& child : node.children) {
    if (auto found = text_below(child, name); !found.empty()) return found;
  }
  return {};
}

}  // namespace

Result<LeaseTexts> parse_lease_json(const std::string& text) {
  const auto json = nlohmann::json::parse(text, nullptr, false);
  const auto member = [&](const char* name) {
    const bool there = json.is_object() && json.contains(name) && json[name].is_string();
    return there ? json[name].get<std::string>() : std::string();
  };
  LeaseTexts out{member("AccessKeyId"), member("SecretAccessKey"), member("Token"),
                 member("Expiration")};
  if (out.access_key.empty() || out.secret_key.empty())
    return Status::io("an answer without credentials");
  return out;
}

Result<LeaseTexts> parse_lease_xml(const std::string& text) {
  const auto root = parse_xml(text);
  if (!root) return Status::io("an answer without credentials");
  LeaseTexts out{text_below(*root, "AccessKeyId"), text_below(*root, "SecretAccessKey"),
                 text_below(*root, "SessionToken"), text_below(*root, "Expiration")};
  if (out.access_key.empty() || out.secret_key.empty())
    return Status::io("an answer without credentials");
  return out;
}

namespace {

std::int64_t end_ms(const LeaseTexts& texts) {
  const auto end = parse_iso_time_us(texts.expiration);
  return end ? *end / 1000 : SystemClock().now_ms() + 15 * 60'000;
}

}  // namespace

Identity::Identity(const Settings& settings) : settings_(settings), http_(timeout_ms, timeout_ms) {}

Result<Credentials> Identity::credentials() {
  const std::lock_guard lock(mutex_);
  const bool ending =
      known_ && lease_.ends_ms != 0 && SystemClock().now_ms() > lease_.ends_ms - early_ms;
  if (known_ && !ending) return lease_.credentials;
  auto asked = ask();
  if (!asked.ok()) {
    // The old ones may still do for some minutes.
    if (known_ && SystemClock().now_ms() < lease_.ends_ms) return lease_.credentials;
    return asked.status();
  }
  lease_ = *std::move(asked);
  known_ = true;
  return lease_.credentials;
}

bool Identity::renew(const Credentials& refused) {
  const std::lock_guard lock(mutex_);
  if (!known_ || settings_.credentials) return false;
  if (lease_.credentials.access_key != refused.access_key) return true;  // another thread was first
  auto asked = ask();
  if (!asked.ok() || asked->credentials.access_key == refused.access_key) return false;
  lease_ = *std::move(asked);
  return true;
}

Result<Identity::Lease> Identity::ask() {
  if (settings_.credentials) return Lease{*settings_.credentials, 0};
  if (const auto profile = profile_credentials(settings_.profile)) return Lease{*profile, 0};
  if (!settings_.web_identity_token_file.empty()) return ask_web_identity();
  if (!settings_.container_url.empty()) return ask_container();
  if (settings_.metadata_url.empty()) return none();
  auto machine = ask_machine();
  return machine.ok() ? std::move(machine) : none();
}

Result<std::string> Identity::fetch(const char* method, const std::string& url,
                                    std::map<std::string, std::string> headers,
                                    std::string_view body) {
  auto answer = http_.send({method, url, std::move(headers), body, answer_bytes_max});
  if (!answer.ok()) return answer.status().at("credentials from " + url);
  if (answer->status != 200) return Status::io("credentials from {}: {}", url, answer->status);
  return std::move(answer->body);
}

Result<Identity::Lease> Identity::ask_container() {
  std::map<std::string, std::string> headers;
  std::string token = settings_.container_token;
  if (!settings_.container_token_file.empty()) {
    TRY_ASSIGN(token, read_file(settings_.container_token_file));
  }
  if (token.find_first_of("\r\n") != std::string::npos)
    return Status::io("the token of the container's credentials has line breaks");
  if (!token.empty()) headers["authorization"] = token;
  TRY_ASSIGN(const auto text, fetch("GET", settings_.container_url, std::move(headers)));
  TRY_ASSIGN(const auto texts, parse_lease_json(text));
  return Lease{{texts.access_key, texts.secret_key, texts.session_token}, end_ms(texts)};
}

Result<Identity::Lease> Identity::ask_web_identity() {
  TRY_ASSIGN(const std::string token, read_file(settings_.web_identity_token_file));
  const std::string endpoint = settings_.sts_url.empty()
                                   ? "https://sts." + settings_.region + ".amazonaws.com"
                                   : settings_.sts_url;
  const std::string form = encode_query({{"Action", "AssumeRoleWithWebIdentity"},
                                         {"Version", "2011-06-15"},
                                         {"RoleArn", settings_.role_arn},
                                         {"RoleSessionName", "millstream-" + new_uuid()},
                                         {"WebIdentityToken", token}});
  TRY_ASSIGN(const auto text,
             fetch("POST", endpoint + "/",
                   {{"content-type", "application/x-www-form-urlencoded; charset=utf-8"}}, form));
  TRY_ASSIGN(const auto texts, parse_lease_xml(text));
  return Lease{{texts.access_key, texts.secret_key, texts.session_token}, end_ms(texts)};
}

// Amazon's instance metadata, version 2.
Result<Identity::Lease> Identity::ask_machine() {
  const std::string root = settings_.metadata_url + "/latest/";
  TRY_ASSIGN(const std::string token,
             fetch("PUT", root + "api/token", {{"x-aws-ec2-metadata-token-ttl-seconds", "21600"}}));
  const std::map<std::string, std::string> headers{{"x-aws-ec2-metadata-token", token}};
  if (token.find_first_of("\r\n") != std::string::npos) return none();
  const std::string roles = root + "meta-data/iam/security-credentials/";
  TRY_ASSIGN(const std::string names, fetch("GET", roles, headers));
  const std::string role(trim(names.substr(0, names.find('\n'))));
  TRY_ASSIGN(const auto text, fetch("GET", roles + uri_encode(role, false), headers));
  TRY_ASSIGN(const auto texts, parse_lease_json(text));
  return Lease{{texts.access_key, texts.secret_key, texts.session_token}, end_ms(texts)};
}

}  // namespace millstream::s3
