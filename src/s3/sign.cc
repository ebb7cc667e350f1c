#include "s3/sign.h"

#include <fmt/chrono.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <array>
#include <ctime>

#include "base/check.h"
#include "base/text.h"

namespace millstream::s3 {
namespace {

std::string digest(const EVP_MD* algorithm, std::string_view bytes) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> out;
  unsigned size = 0;
  CHECK(EVP_Digest(bytes.data(), bytes.size(), out.data(), &size, algorithm, nullptr) == 1);
  return {reinterpret_cast<const char*>(out.data()), size};
}

std::string hmac(std::string_view key, std::string_view text) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> out;
  unsigned size = 0;
  CHECK(HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()),
             reinterpret_cast<const unsigned char*>(text.data()), text.size(), out.data(),
             &size) != nullptr);
  return {reinterpret_cast<const char*>(out.data()), size};
}

std::string signed_names(const Headers& headers) {
  std::string out;
  for (const auto& [name, value] : headers) out += (out.empty() ? "" : ";") + name;
  return out;
}

std::string canonical_request(const ToSign& request) {
  std::string out =
      request.method + '\n' + request.path + '\n' + encode_query(request.query) + '\n';
  for (const auto& [name, value] : request.headers)
    out += name + ':' + std::string(trim(value)) + '\n';
  return out + '\n' + signed_names(request.headers) + '\n' + request.payload_sha256;
}

}  // namespace

std::string sha256(std::string_view bytes) { return digest(EVP_sha256(), bytes); }
std::string md5(std::string_view bytes) { return digest(EVP_md5(), bytes); }

std::string hex(std::string_view bytes) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string out;
  out.reserve(bytes.size() * 2);
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    out += digits[byte >> 4];
    out += digits[byte & 15];
  }
  return out;
}

std::string base64(std::string_view bytes) {
  std::string out((bytes.size() + 2) / 3 * 4 + 1, '\0');
  const int size = EVP_EncodeBlock(reinterpret_cast<unsigned char*>(out.data()),
                                   reinterpret_cast<const unsigned char*>(bytes.data()),
                                   static_cast<int>(bytes.size()));
  out.resize(static_cast<std::size_t>(size));
  return out;
}

std::string uri_encode(std::string_view text, bool is_path) {
  std::string out;
  for (const char c : text) {
    const bool kept = (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
                      c == '-' || c == '.' || c == '_' || c == '~' || (is_path && c == '/');
    if (kept) {
      out += c;
    } else {
      out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return out;
}

std::string encode_query(const Query& query) {
  std::string out;
  for (const auto& [name, value] : query) {
    if (!out.empty()) out += '&';
    out += uri_encode(name, false) + '=' + uri_encode(value, false);
  }
  return out;
}

std::string amz_time(std::int64_t epoch_ms) {
  return fmt::format("{:%Y%m%dT%H%M%SZ}", fmt::gmtime(static_cast<std::time_t>(epoch_ms / 1000)));
}

std::string authorization(const ToSign& request, const Credentials& credentials) {
  const std::string date = request.time.substr(0, 8);
  const std::string scope = date + '/' + request.region + '/' + request.service + "/aws4_request";
  const std::string text = "AWS4-HMAC-SHA256\n" + request.time + '\n' + scope + '\n' +
                           hex(sha256(canonical_request(request)));
  std::string key = hmac("AWS4" + credentials.secret_key, date);
  key = hmac(key, request.region);
  key = hmac(key, request.service);
  key = hmac(key, "aws4_request");
  return "AWS4-HMAC-SHA256 Credential=" + credentials.access_key + '/' + scope +
         ",SignedHeaders=" + signed_names(request.headers) + ",Signature=" + hex(hmac(key, text));
}

}  // namespace millstream::s3
