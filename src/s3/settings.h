// What S3 is reached by: where it is, in whose name, how patiently.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "base/status.h"

namespace millstream::s3 {

struct Credentials {
  std::string access_key;
  std::string secret_key;
  std::string session_token;  // empty: they are nobody's for a time
};

// Where ~/.aws says what the profile's credentials are; looked at when they are needed.
struct Profile {
  std::string name;
  std::string credentials_file;
  std::string config_file;
};

struct Settings {
  std::string endpoint;  // "http://127.0.0.1:9000"; empty: Amazon's, by region
  std::string region = "us-east-1";
  bool path_style = false;  // endpoint/bucket/key, not bucket.endpoint/key
  bool anonymous = false;   // requests are not signed
  std::optional<Credentials>
      credentials;  // that were given; else those of the first that has some:
  Profile profile;
  std::string web_identity_token_file;  // of a Kubernetes account, for the role
  std::string role_arn;
  std::string sts_url;        // empty: Amazon's, by region
  std::string container_url;  // of a container's credentials
  std::string container_token;
  std::string container_token_file;
  std::string metadata_url;  // of the machine's role; empty: it is not asked
  int attempts_max = 7;      // of one request
  std::int64_t connect_timeout_ms = 10'000;
  std::int64_t stall_timeout_ms = 30'000;  // without a byte
};

using Environment = std::function<std::optional<std::string>(const std::string& name)>;
std::optional<std::string> process_environment(const std::string& name);

// Spark's settings (spark.hadoop.fs.s3a.*) first, then the environment (AWS_*), then the profile in
// ~/.aws. A setting of S3A that is not built is refused by name.
Result<Settings> read_settings(const std::map<std::string, std::string>& conf,
                               const Environment& environment);

std::optional<Credentials> profile_credentials(const Profile& profile);

bool is_setting(const std::string& key);  // of S3A
// Settings that no session may show.
bool is_secret(const std::string& key);

}  // namespace millstream::s3
