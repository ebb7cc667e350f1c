// What S3 answers, out of its XML. Pure functions; whatever is malformed is an error.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace millstream::s3 {

struct Object {
  std::string key;
  std::int64_t size = 0;
  std::int64_t modified_us = 0;
};

// ListObjectsV2.
struct ListPage {
  std::vector<Object> objects;
  std::vector<std::string> prefixes;  // what ends at the delimiter, with it
  std::string next;                   // the token of the next page; empty: there is none
};
Result<ListPage> parse_list(std::string_view xml);

struct Fault {
  std::string code;  // "NoSuchKey"; empty: the answer says nothing
  std::string message;
};
Fault parse_fault(std::string_view xml);

// DeleteObjects: the first key that is still there, and why; nothing: all are gone.
Result<std::optional<std::string>> parse_deleted(std::string_view xml);
std::string delete_request(const std::vector<std::string>& keys);

// CreateMultipartUpload.
Result<std::string> parse_upload_id(std::string_view xml);
std::string complete_request(const std::vector<std::string>& etags);

// Whether XML can say the key.
bool is_sayable(std::string_view key);

std::optional<std::int64_t> parse_iso_time_us(std::string_view text);  // 2009-10-12T17:50:30.000Z

}  // namespace millstream::s3
