#include "s3/answers.h"

#include <algorithm>
#include <chrono>
#include <cstdio>

#include "base/text.h"
#include "base/xml_text.h"

namespace millstream::s3 {
namespace {

constexpr std::size_t message_bytes_max = 300;

const XmlNode* child(const XmlNode& node, std::string_view name) {
  const auto found =
      std::ranges::find_if(node.children, [&](const XmlNode& one) { return one.name == name; });
  return found == node.children.end() ? nullptr : &*found;
}

std::string text_of(const XmlNode& node, std::string_view name) {
  const XmlNode* found = child(node, name);
  return found == nullptr ? std::string() : found->content();
}

Status malformed(const char* what) {
  return Status::io("the store's answer is no {} of S3's", what);
}

// With encoding-type=url a blank is a '+'.
std::string decode_key(std::string text, bool encoded) {
  if (!encoded) return text;
  std::ranges::replace(text, '+', ' ');
  return percent_decode(text);
}

void append_element(std::string_view name, std::string_view text, std::string& out) {
  out += '<';
  out += name;
  out += '>';
  append_xml_escaped(text, false, &out);
  out += "</";
  out += name;
  out += '>';
}

}  // namespace

std::optional<std::int64_t> parse_iso_time_us(std::string_view text) {
  int year = 0;
  unsigned month = 0;
  unsigned day = 0;
  int hour = 0;
  int minute = 0;
  double second = 0;
  if (text.size() < 20 || text.size() > 40 || text.back() != 'Z') return std::nullopt;
  if (std::sscanf(std::string(text).c_str(), "%4d-%2u-%2uT%2d:%2d:%lfZ", &year, &month, &day, &hour,
                  &minute, &second) != 6) {
    return std::nullopt;
  }
  const std::chrono::year_month_day date{std::chrono::year(year), std::chrono::month(month),
                                         std::chrono::day(day)};
  if (!date.ok() || hour < 0 || hour > 23 || minute < 0 || minute > 59 || !(second >= 0) ||
      second > 61) {
    return std::nullopt;
  }
  const std::int64_t days = std::chrono::sys_days(date).time_since_epoch().count();
  return ((days * 24 + hour) * 60 + minute) * 60'000'000 +
         static_cast<std::int64_t>(second * 1e6 + 0.5);
}

Result<ListPage> parse_list(std::string_view xml) {
  const auto root = parse_xml(xml);
  if (!root || root->name != "ListBucketResult") return malformed("list");
  const bool encoded = text_of(*root, "EncodingType") == "url";
  ListPage page;
  for (const auto& node : root->children) {
    if (node.name == "Contents") {
      const auto size = parse_int64(text_of(node, "Size"));
      const auto time = parse_iso_time_us(text_of(node, "LastModified"));
      if (child(node, "Key") == nullptr || !size || *size < 0 || !time) return malformed("list");
      page.objects.push_back({decode_key(text_of(node, "Key"), encoded), *size, *time});
    } else if (node.name == "CommonPrefixes") {
      page.prefixes.push_back(decode_key(text_of(node, "Prefix"), encoded));
    }
  }
  if (text_of(*root, "IsTruncated") != "true") return page;
  page.next = text_of(*root, "NextContinuationToken");
  if (page.next.empty()) return malformed("list");
  return page;
}

Fault parse_fault(std::string_view xml) {
  const auto root = parse_xml(xml);
  if (!root || root->name != "Error") return {};
  return {text_of(*root, "Code").substr(0, message_bytes_max),
          text_of(*root, "Message").substr(0, message_bytes_max)};
}

Result<std::optional<std::string>> parse_deleted(std::string_view xml) {
  const auto root = parse_xml(xml);
  if (!root || root->name != "DeleteResult") return malformed("answer about deleted objects");
  for (const auto& node : root->children) {
    if (node.name == "Error" && text_of(node, "Code") != "NoSuchKey")
      return std::optional(text_of(node, "Key") + ": " + text_of(node, "Code"));
  }
  return std::optional<std::string>();
}

std::string delete_request(const std::vector<std::string>& keys) {
  std::string out = "<Delete xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\"><Quiet>true</Quiet>";
  for (const auto& key : keys) {
    out += "<Object>";
    append_element("Key", key, out);
    out += "</Object>";
  }
  return out + "</Delete>";
}

Result<std::string> parse_upload_id(std::string_view xml) {
  const auto root = parse_xml(xml);
  if (!root || root->name != "InitiateMultipartUploadResult") return malformed("upload");
  std::string id = text_of(*root, "UploadId");
  if (id.empty()) return malformed("upload");
  return id;
}

std::string complete_request(const std::vector<std::string>& etags) {
  std::string out = "<CompleteMultipartUpload xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">";
  for (std::size_t i = 0; i < etags.size(); ++i) {
    out += "<Part>";
    append_element("PartNumber", std::to_string(i + 1), out);
    append_element("ETag", etags[i], out);
    out += "</Part>";
  }
  return out + "</CompleteMultipartUpload>";
}

bool is_sayable(std::string_view key) {
  return std::ranges::all_of(key, [](char c) { return static_cast<unsigned char>(c) >= 0x20; });
}

}  // namespace millstream::s3
