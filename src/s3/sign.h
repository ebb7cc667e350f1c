// AWS Signature Version 4 of a request: pure functions.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "s3/settings.h"

namespace millstream::s3 {

using Query = std::map<std::string, std::string>;    // neither is encoded
using Headers = std::map<std::string, std::string>;  // names in lower case

struct ToSign {
  std::string method;
  std::string path;  // encoded, from the first '/'
  Query query;
  Headers headers;  // host, and all others that are signed
  std::string payload_sha256;
  std::string time;  // "20130524T000000Z"
  std::string region;
  std::string service = "s3";
};

// The value of the header Authorization.
std::string authorization(const ToSign& request, const Credentials& credentials);

std::string sha256(std::string_view bytes);
std::string md5(std::string_view bytes);
std::string hex(std::string_view bytes);
std::string base64(std::string_view bytes);
// Every byte but A-Z a-z 0-9 - . _ ~ becomes %XX; '/' stays in paths.
std::string uri_encode(std::string_view text, bool is_path);
std::string encode_query(const Query& query);
std::string amz_time(std::int64_t epoch_ms);

}  // namespace millstream::s3
