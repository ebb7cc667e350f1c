#include "s3/settings.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>

#include "base/text.h"

namespace millstream::s3 {
namespace {

constexpr std::string_view hadoop = "spark.hadoop.";
constexpr std::string_view s3a = "fs.s3a.";
constexpr const char* implementation = "org.apache.hadoop.fs.s3a.S3AFileSystem";

using Conf = std::map<std::string, std::string>;  // by what follows "fs.s3a."

// "200s", "500ms", "5m"; a bare number is milliseconds.
std::optional<std::int64_t> parse_duration_ms(std::string_view text) {
  text = trim(text);
  const auto digits = std::min(text.find_first_not_of("0123456789"), text.size());
  const auto number = parse_int64(text.substr(0, digits));
  const std::string unit = to_lower(trim(text.substr(digits)));
  if (!number || *number > 1'000'000'000) return std::nullopt;
  if (unit.empty() || unit == "ms") return *number;
  if (unit == "s") return *number * 1000;
  if (unit == "m") return *number * 60'000;
  if (unit == "h") return *number * 3'600'000;
  return std::nullopt;
}

Status bad_value(const std::string& name, const std::string& value) {
  return Status::invalid("{}{}{} does not take '{}'", hadoop, s3a, name, value);
}

// The sources of credentials that S3A's settings may name.
Status read_providers(const std::string& value, Settings& out) {
  for (const auto& given : split(value, ',')) {
    const std::string name(trim(given));
    const std::string simple = name.substr(name.rfind('.') + 1);
    if (simple == "AnonymousAWSCredentialsProvider" || simple == "AnonymousCredentialsProvider") {
      out.anonymous = true;
    } else if (simple != "SimpleAWSCredentialsProvider" &&
               simple != "TemporaryAWSCredentialsProvider" &&
               simple != "EnvironmentVariableCredentialsProvider" &&
               simple != "ProfileCredentialsProvider" &&
               simple != "ProfileAWSCredentialsProvider" &&
               simple != "IAMInstanceCredentialsProvider" &&
               simple != "InstanceProfileCredentialsProvider" &&
               simple != "EC2ContainerCredentialsProviderWrapper" &&
               simple != "WebIdentityTokenCredentialsProvider" &&
               simple != "WebIdentityTokenFileCredentialsProvider" &&
               simple != "DefaultAWSCredentialsProviderChain" &&
               simple != "DefaultCredentialsProvider") {
      return Status::unsupported(
          "the credentials provider {} is not supported by Millstream: give the keys by "
          "spark.hadoop.fs.s3a.access.key and secret.key, by AWS_ACCESS_KEY_ID and "
          "AWS_SECRET_ACCESS_KEY, or in ~/.aws/credentials",
          name);
    }
  }
  return Status::OK();
}

Status read_flag(const Conf& conf, const char* name, bool& out) {
  const auto found = conf.find(name);
  if (found == conf.end()) return Status::OK();
  const auto flag = parse_bool(trim(found->second));
  if (!flag) return bad_value(name, found->second);
  out = *flag;
  return Status::OK();
}

Status read_timeout(const Conf& conf, const char* name, std::int64_t& out) {
  const auto found = conf.find(name);
  if (found == conf.end()) return Status::OK();
  const auto time = parse_duration_ms(found->second);
  if (!time || *time == 0) return bad_value(name, found->second);
  out = *time;
  return Status::OK();
}

Status check_known(const std::string& name, const std::string& value) {
  constexpr std::string_view known[] = {"access.key",
                                        "secret.key",
                                        "session.token",
                                        "endpoint",
                                        "endpoint.region",
                                        "path.style.access",
                                        "attempts.maximum",
                                        "connection.ssl.enabled",
                                        "connection.timeout",
                                        "connection.establish.timeout",
                                        "aws.credentials.provider"};
  if (name == "impl") return value == implementation ? Status::OK() : bad_value(name, value);
  if (std::ranges::find(known, name) != std::end(known)) return Status::OK();
  return Status::unsupported("the setting {}{}{} is not supported by Millstream: leave it out",
                             hadoop, s3a, name);
}

Result<Conf> own_settings(const std::map<std::string, std::string>& conf) {
  Conf out;
  for (const auto& [key, value] : conf) {
    if (!is_setting(key)) continue;
    const std::string name = key.substr(hadoop.size() + s3a.size());
    TRY(check_known(name, value));
    out[name] = value;
  }
  return out;
}

// The entries of one section of an INI file of AWS's tools.
Conf read_section(const std::string& path, const std::vector<std::string>& names) {
  Conf out;
  std::ifstream file(path);
  std::string line;
  bool wanted = false;
  while (std::getline(file, line)) {
    const std::string_view text = trim(line);
    if (text.empty() || text.front() == '#' || text.front() == ';') continue;
    if (text.front() == '[') {
      const std::string section(trim(text.substr(1, text.find(']') - 1)));
      wanted = std::ranges::find(names, section) != names.end();
      continue;
    }
    const auto equal = text.find('=');
    if (!wanted || equal == std::string_view::npos) continue;
    out[std::string(trim(text.substr(0, equal)))] = trim(text.substr(equal + 1));
  }
  return out;
}

Profile profile_of(const Environment& environment) {
  const std::string home = environment("HOME").value_or("/root");
  return {environment("AWS_PROFILE").value_or("default"),
          environment("AWS_SHARED_CREDENTIALS_FILE").value_or(home + "/.aws/credentials"),
          environment("AWS_CONFIG_FILE").value_or(home + "/.aws/config")};
}

// What ~/.aws says under the profile's name.
Conf read_profile(const Profile& profile) {
  Conf out = read_section(profile.config_file, {profile.name, "profile " + profile.name});
  for (auto& [key, value] : read_section(profile.credentials_file, {profile.name}))
    out[key] = value;
  return out;
}

// The first that is there.
std::optional<std::string> first_of(std::initializer_list<std::optional<std::string>> candidates) {
  for (const auto& candidate : candidates) {
    if (candidate && !candidate->empty()) return candidate;
  }
  return std::nullopt;
}

std::optional<std::string> entry(const Conf& conf, const std::string& name) {
  const auto found = conf.find(name);
  return found == conf.end() ? std::nullopt : std::optional(found->second);
}

// Keys belong together: they are all of one place.
std::optional<Credentials> made_of(const std::optional<std::string>& access,
                                   const std::optional<std::string>& secret,
                                   const std::optional<std::string>& token) {
  if (!access || access->empty() || !secret || secret->empty()) return std::nullopt;
  return Credentials{*access, *secret, token.value_or("")};
}

std::optional<Credentials> given_credentials(const Conf& conf, const Environment& environment) {
  if (auto own = made_of(entry(conf, "access.key"), entry(conf, "secret.key"),
                         entry(conf, "session.token")))
    return own;
  return made_of(environment("AWS_ACCESS_KEY_ID"), environment("AWS_SECRET_ACCESS_KEY"),
                 environment("AWS_SESSION_TOKEN"));
}

// Where roles are asked for: the variables that Amazon's services set.
void read_roles(const Environment& environment, Settings& out) {
  const auto text = [&](const char* name) { return environment(name).value_or(""); };
  out.web_identity_token_file = text("AWS_WEB_IDENTITY_TOKEN_FILE");
  out.role_arn = text("AWS_ROLE_ARN");
  out.sts_url = text("AWS_ENDPOINT_URL_STS");
  out.container_url = text("AWS_CONTAINER_CREDENTIALS_FULL_URI");
  if (const auto relative = text("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI"); !relative.empty())
    out.container_url = "http://169.254.170.2" + relative;
  out.container_token = text("AWS_CONTAINER_AUTHORIZATION_TOKEN");
  out.container_token_file = text("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE");
  if (equals_ignore_case(text("AWS_EC2_METADATA_DISABLED"), "true")) return;
  out.metadata_url =
      environment("AWS_EC2_METADATA_SERVICE_ENDPOINT").value_or("http://169.254.169.254");
  while (out.metadata_url.ends_with('/')) out.metadata_url.pop_back();
}

Status read_endpoint(const Conf& conf, const Environment& environment, const Conf& profile,
                     Settings& out) {
  bool secure = true;
  TRY(read_flag(conf, "connection.ssl.enabled", secure));
  const auto given = first_of({entry(conf, "endpoint"), environment("AWS_ENDPOINT_URL_S3"),
                               environment("AWS_ENDPOINT_URL"), entry(profile, "endpoint_url")});
  if (!given) return Status::OK();
  std::string endpoint(trim(*given));
  if (endpoint.find("://") == std::string::npos)
    endpoint = (secure ? "https://" : "http://") + endpoint;
  while (endpoint.ends_with('/')) endpoint.pop_back();
  const auto host = endpoint.find("://") + 3;
  const bool http = endpoint.starts_with("http://") || endpoint.starts_with("https://");
  if (!http || host >= endpoint.size() ||
      endpoint.find_first_of("/?#@ \r\n\t", host) != std::string::npos) {
    return Status::invalid("the endpoint of S3 is a URL as https://host:port, not {}", *given);
  }
  // Amazon's own general name is that of a region.
  if (endpoint.substr(host) == "s3.amazonaws.com") return Status::OK();
  out.endpoint = endpoint;
  out.path_style = true;  // most other stores know their buckets by paths only
  return Status::OK();
}

}  // namespace

std::optional<std::string> process_environment(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

std::optional<Credentials> profile_credentials(const Profile& profile) {
  const Conf conf = read_profile(profile);
  return made_of(entry(conf, "aws_access_key_id"), entry(conf, "aws_secret_access_key"),
                 entry(conf, "aws_session_token"));
}

bool is_setting(const std::string& key) {
  return key.starts_with(hadoop) && std::string_view(key).substr(hadoop.size()).starts_with(s3a);
}

bool is_secret(const std::string& key) {
  const std::string_view name = std::string_view(key).substr(is_setting(key) ? hadoop.size() : 0);
  return name == "fs.s3a.access.key" || name == "fs.s3a.secret.key" ||
         name == "fs.s3a.session.token";
}

Result<Settings> read_settings(const std::map<std::string, std::string>& given,
                               const Environment& environment) {
  TRY_ASSIGN(const Conf conf, own_settings(given));
  Settings out;
  out.profile = profile_of(environment);
  const Conf profile = read_profile(out.profile);
  TRY(read_endpoint(conf, environment, profile, out));
  TRY(read_flag(conf, "path.style.access", out.path_style));
  out.region = first_of({entry(conf, "endpoint.region"), environment("AWS_REGION"),
                         environment("AWS_DEFAULT_REGION"), entry(profile, "region")})
                   .value_or("us-east-1");
  const auto named = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
  };
  if (!std::ranges::all_of(out.region, named)) return bad_value("endpoint.region", out.region);
  if (const auto providers = entry(conf, "aws.credentials.provider"))
    TRY(read_providers(*providers, out));
  if (!out.anonymous) out.credentials = given_credentials(conf, environment);
  read_roles(environment, out);
  if (const auto attempts = entry(conf, "attempts.maximum")) {
    const auto number = parse_int64(trim(*attempts));
    if (!number || *number < 1 || *number > 100) return bad_value("attempts.maximum", *attempts);
    out.attempts_max = static_cast<int>(*number);
  }
  TRY(read_timeout(conf, "connection.establish.timeout", out.connect_timeout_ms));
  TRY(read_timeout(conf, "connection.timeout", out.stall_timeout_ms));
  return out;
}

}  // namespace millstream::s3
