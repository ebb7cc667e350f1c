// Bytes and text: character sets, SHA-2, URLs, binary formats.
#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "base/text.h"
#include "engine/java_regex.h"
#include "engine/kernels.h"
#include "engine/utf8.h"

namespace millstream::engine {
namespace {

bool is_valid_utf8(std::string_view bytes) { return valid_utf8(bytes) == bytes; }

// --- character sets

enum class Charset { utf8, ascii, latin1, utf16, utf16be, utf16le, utf32 };

std::optional<Charset> charset_of(std::string_view name) {
  static constexpr std::pair<std::string_view, Charset> names[] = {
      {"utf-8", Charset::utf8},   {"us-ascii", Charset::ascii},   {"iso-8859-1", Charset::latin1},
      {"utf-16", Charset::utf16}, {"utf-16be", Charset::utf16be}, {"utf-16le", Charset::utf16le},
      {"utf-32", Charset::utf32}};
  for (const auto& [text, charset] : names) {
    if (equals_ignore_case(name, text)) return charset;
  }
  return std::nullopt;
}

Status unknown_charset(std::string_view function, std::string_view name) {
  return Status::error(
      "INVALID_PARAMETER_VALUE.CHARSET",
      {{"functionName", "`" + std::string(function) + "`"},
       {"parameter", "`charset`"},
       {"charset", std::string(name)},
       {"charsets", "iso-8859-1, us-ascii, utf-16, utf-16be, utf-16le, utf-32, utf-8"}});
}

Status malformed(std::string_view function, std::string_view name) {
  return Status::error(
      "MALFORMED_CHARACTER_CODING",
      {{"function", "`" + std::string(function) + "`"}, {"charset", std::string(name)}});
}

void append_unit(std::string* out, std::uint32_t unit, bool little) {
  const char high = static_cast<char>(unit >> 8);
  const char low = static_cast<char>(unit & 0xFFU);
  *out += little ? low : high;
  *out += little ? high : low;
}

// False: the charset has no such character.
bool append_encoded(std::string* out, std::uint32_t point, Charset charset) {
  if (charset == Charset::ascii || charset == Charset::latin1) {
    if (point > (charset == Charset::ascii ? 0x7FU : 0xFFU)) return false;
    *out += static_cast<char>(point);
    return true;
  }
  if (charset == Charset::utf32) {
    append_unit(out, point >> 16, false);
    append_unit(out, point & 0xFFFFU, false);
    return true;
  }
  const bool little = charset == Charset::utf16le;
  if (point < 0x10000) {
    append_unit(out, point, little);
  } else {
    append_unit(out, 0xD800U + ((point - 0x10000U) >> 10), little);
    append_unit(out, 0xDC00U + ((point - 0x10000U) & 0x3FFU), little);
  }
  return true;
}

std::optional<OwnedBlob> encode(Failure& fail, std::string_view text, std::string_view name) {
  const auto charset = charset_of(name);
  if (!charset) return fail(unknown_charset("encode", name));
  OwnedBlob out;
  if (*charset == Charset::utf8) return OwnedBlob{std::string(text)};
  if (*charset == Charset::utf16 && !text.empty()) out.bytes = "\xFE\xFF";
  bool fits = true;
  for_each_character(text, [&](std::int32_t point, std::string_view) {
    fits = fits && point >= 0 &&
           append_encoded(&out.bytes, static_cast<std::uint32_t>(point), *charset);
  });
  if (!fits) return fail(malformed("encode", name));
  return out;
}

std::optional<std::string> decode_utf16(std::string_view bytes, bool little) {
  std::string out;
  const auto unit = [&](std::size_t at) {
    const auto a = static_cast<unsigned char>(bytes[at]);
    const auto b = static_cast<unsigned char>(bytes[at + 1]);
    return static_cast<std::int32_t>(little ? b << 8 | a : a << 8 | b);
  };
  if (bytes.size() % 2 != 0) return std::nullopt;
  for (std::size_t at = 0; at < bytes.size(); at += 2) {
    std::int32_t point = unit(at);
    if (point >= 0xDC00 && point < 0xE000) return std::nullopt;
    if (point >= 0xD800 && point < 0xDC00) {
      if (at + 4 > bytes.size()) return std::nullopt;
      const std::int32_t low = unit(at + 2);
      if (low < 0xDC00 || low >= 0xE000) return std::nullopt;
      point = 0x10000 + ((point - 0xD800) << 10) + (low - 0xDC00);
      at += 2;
    }
    append_character(&out, point);
  }
  return out;
}

std::optional<std::string> decode_bytes(std::string_view bytes, Charset charset) {
  if (charset == Charset::utf8) {
    if (!is_valid_utf8(bytes)) return std::nullopt;
    return std::string(bytes);
  }
  if (charset == Charset::utf16le || charset == Charset::utf16be)
    return decode_utf16(bytes, charset == Charset::utf16le);
  if (charset == Charset::utf16) {
    const bool little = bytes.starts_with("\xFF\xFE");
    if (little || bytes.starts_with("\xFE\xFF")) bytes.remove_prefix(2);
    return decode_utf16(bytes, little);
  }
  std::string out;
  if (charset == Charset::utf32) {
    if (bytes.size() % 4 != 0) return std::nullopt;
    for (std::size_t at = 0; at < bytes.size(); at += 4) {
      std::uint32_t point = 0;
      for (std::size_t i = 0; i < 4; ++i)
        point = point << 8 | static_cast<unsigned char>(bytes[at + i]);
      if (point > 0x10FFFF) return std::nullopt;
      append_character(&out, static_cast<std::int32_t>(point));
    }
    return out;
  }
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    if (charset == Charset::ascii && byte > 0x7F) return std::nullopt;
    append_character(&out, byte);
  }
  return out;
}

std::optional<std::string> decode(Failure& fail, Blob blob, std::string_view name) {
  const auto charset = charset_of(name);
  if (!charset) return fail(unknown_charset("decode", name));
  auto out = decode_bytes(blob.bytes, *charset);
  if (!out) return fail(malformed("decode", name));
  return out;
}

std::optional<bool> is_valid(Failure&, Blob blob) { return is_valid_utf8(blob.bytes); }

std::optional<std::string> make_valid(Failure&, Blob blob) { return valid_utf8(blob.bytes); }

std::optional<std::string> validate(Failure& fail, Blob blob) {
  if (is_valid_utf8(blob.bytes)) return std::string(blob.bytes);
  std::string shown;
  for (const char c : blob.bytes) shown += fmt::format("\\x{:02X}", static_cast<unsigned char>(c));
  return fail(Status::error("INVALID_UTF8_STRING", {{"str", shown}}));
}

std::optional<OwnedBlob> reverse_bytes(Failure&, Blob text) {
  return OwnedBlob{std::string(text.bytes.rbegin(), text.bytes.rend())};
}

std::optional<bool> contains_bytes(Failure&, Blob text, Blob part) {
  return text.bytes.find(part.bytes) != std::string_view::npos;
}
std::optional<bool> starts_with_bytes(Failure&, Blob text, Blob part) {
  return text.bytes.starts_with(part.bytes);
}
std::optional<bool> ends_with_bytes(Failure&, Blob text, Blob part) {
  return text.bytes.ends_with(part.bytes);
}

// --- SHA-2

// The constants are the first bits of the roots of the first primes; 64 bits hold those of both
// widths.
constexpr std::array<std::uint64_t, 80> round_constants = {
    0x428a2f98d728ae22, 0x7137449123ef65cd, 0xb5c0fbcfec4d3b2f, 0xe9b5dba58189dbbc,
    0x3956c25bf348b538, 0x59f111f1b605d019, 0x923f82a4af194f9b, 0xab1c5ed5da6d8118,
    0xd807aa98a3030242, 0x12835b0145706fbe, 0x243185be4ee4b28c, 0x550c7dc3d5ffb4e2,
    0x72be5d74f27b896f, 0x80deb1fe3b1696b1, 0x9bdc06a725c71235, 0xc19bf174cf692694,
    0xe49b69c19ef14ad2, 0xefbe4786384f25e3, 0x0fc19dc68b8cd5b5, 0x240ca1cc77ac9c65,
    0x2de92c6f592b0275, 0x4a7484aa6ea6e483, 0x5cb0a9dcbd41fbd4, 0x76f988da831153b5,
    0x983e5152ee66dfab, 0xa831c66d2db43210, 0xb00327c898fb213f, 0xbf597fc7beef0ee4,
    0xc6e00bf33da88fc2, 0xd5a79147930aa725, 0x06ca6351e003826f, 0x142929670a0e6e70,
    0x27b70a8546d22ffc, 0x2e1b21385c26c926, 0x4d2c6dfc5ac42aed, 0x53380d139d95b3df,
    0x650a73548baf63de, 0x766a0abb3c77b2a8, 0x81c2c92e47edaee6, 0x92722c851482353b,
    0xa2bfe8a14cf10364, 0xa81a664bbc423001, 0xc24b8b70d0f89791, 0xc76c51a30654be30,
    0xd192e819d6ef5218, 0xd69906245565a910, 0xf40e35855771202a, 0x106aa07032bbd1b8,
    0x19a4c116b8d2d0c8, 0x1e376c085141ab53, 0x2748774cdf8eeb99, 0x34b0bcb5e19b48a8,
    0x391c0cb3c5c95a63, 0x4ed8aa4ae3418acb, 0x5b9cca4f7763e373, 0x682e6ff3d6b2b8a3,
    0x748f82ee5defb2fc, 0x78a5636f43172f60, 0x84c87814a1f0ab72, 0x8cc702081a6439ec,
    0x90befffa23631e28, 0xa4506cebde82bde9, 0xbef9a3f7b2c67915, 0xc67178f2e372532b,
    0xca273eceea26619c, 0xd186b8c721c0c207, 0xeada7dd6cde0eb1e, 0xf57d4f7fee6ed178,
    0x06f067aa72176fba, 0x0a637dc5a2c898a6, 0x113f9804bef90dae, 0x1b710b35131c471b,
    0x28db77f523047d84, 0x32caab7b40c72493, 0x3c9ebe0a15c9bebc, 0x431d67c49c100d4c,
    0x4cc5d4becb3e42b6, 0x597f299cfc657e2a, 0x5fcb6fab3ad6faec, 0x6c44198c4a475817};

// One SHA-2: words of 32 bits and 64 rounds, or of 64 bits and 80.
template <typename Word, int Rounds>
class Sha2 {
 public:
  explicit Sha2(const std::array<Word, 8>& start) : state_(start) {}

  std::string hex(std::string_view message, std::size_t digits) {
    std::string padded(message);
    padded += '\x80';
    while (padded.size() % block_bytes != block_bytes - 2 * sizeof(Word)) padded += '\0';
    padded.append(2 * sizeof(Word) - 8, '\0');
    const std::uint64_t bits = static_cast<std::uint64_t>(message.size()) * 8;
    for (int shift = 56; shift >= 0; shift -= 8) padded += static_cast<char>(bits >> shift);
    for (std::size_t at = 0; at < padded.size(); at += block_bytes) block(padded.data() + at);
    std::string out;
    for (const Word word : state_)
      out += fmt::format("{:0{}x}", word, static_cast<int>(2 * sizeof(Word)));
    return out.substr(0, digits);
  }

 private:
  static constexpr std::size_t block_bytes = 16 * sizeof(Word);
  static constexpr bool wide = sizeof(Word) == 8;

  static Word mix(Word x, int a, int b, int c) {
    return std::rotr(x, a) ^ std::rotr(x, b) ^ std::rotr(x, c);
  }
  static Word spread(Word x, int a, int b, int shift) {
    return std::rotr(x, a) ^ std::rotr(x, b) ^ (x >> shift);
  }

  void block(const char* bytes) {
    std::array<Word, Rounds> w{};
    for (std::size_t i = 0; i < 16; ++i) {
      for (std::size_t k = 0; k < sizeof(Word); ++k)
        w[i] =
            static_cast<Word>(w[i] << 8) | static_cast<unsigned char>(bytes[i * sizeof(Word) + k]);
    }
    for (std::size_t i = 16; i < Rounds; ++i) {
      const Word s0 = wide ? spread(w[i - 15], 1, 8, 7) : spread(w[i - 15], 7, 18, 3);
      const Word s1 = wide ? spread(w[i - 2], 19, 61, 6) : spread(w[i - 2], 17, 19, 10);
      w[i] = w[i - 16] + s0 + w[i - 7] + s1;
    }
    std::array<Word, 8> s = state_;
    for (std::size_t i = 0; i < Rounds; ++i) {
      const Word s1 = wide ? mix(s[4], 14, 18, 41) : mix(s[4], 6, 11, 25);
      const Word choice = (s[4] & s[5]) ^ (~s[4] & s[6]);
      const auto constant = static_cast<Word>(round_constants[i] >> (wide ? 0 : 32));
      const Word first = s[7] + s1 + choice + constant + w[i];
      const Word s0 = wide ? mix(s[0], 28, 34, 39) : mix(s[0], 2, 13, 22);
      const Word second = s0 + ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
      s = {static_cast<Word>(first + second), s[0], s[1], s[2],
           static_cast<Word>(s[3] + first),   s[4], s[5], s[6]};
    }
    for (std::size_t i = 0; i < 8; ++i) state_[i] += s[i];
  }

  std::array<Word, 8> state_;
};

std::optional<std::string> sha2(Failure&, Blob blob, std::int32_t bits) {
  using Short = Sha2<std::uint32_t, 64>;
  using Long = Sha2<std::uint64_t, 80>;
  switch (bits) {
    case 224:
      return Short({0xc1059ed8, 0x367cd507, 0x3070dd17, 0xf70e5939, 0xffc00b31, 0x68581511,
                    0x64f98fa7, 0xbefa4fa4})
          .hex(blob.bytes, 56);
    case 0:
    case 256:
      return Short({0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c,
                    0x1f83d9ab, 0x5be0cd19})
          .hex(blob.bytes, 64);
    case 384:
      return Long({0xcbbb9d5dc1059ed8, 0x629a292a367cd507, 0x9159015a3070dd17, 0x152fecd8f70e5939,
                   0x67332667ffc00b31, 0x8eb44a8768581511, 0xdb0c2e0d64f98fa7, 0x47b5481dbefa4fa4})
          .hex(blob.bytes, 96);
    case 512:
      return Long({0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1,
                   0x510e527fade682d1, 0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b, 0x5be0cd19137e2179})
          .hex(blob.bytes, 128);
    default:
      return std::nullopt;
  }
}

// --- URLs

bool is_hex(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

std::optional<std::string> url_encode(Failure&, std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                       std::string_view(".-*_").find(c) != std::string_view::npos;
    if (plain) {
      out += c;
    } else if (c == ' ') {
      out += '+';
    } else {
      out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return out;
}

std::optional<std::string> url_decode(Failure& fail, std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '%') {
      out += text[at] == '+' ? ' ' : text[at];
      continue;
    }
    if (at + 2 >= text.size() || !is_hex(text[at + 1]) || !is_hex(text[at + 2]))
      return fail(Status::error("CANNOT_DECODE_URL", {{"url", std::string(text)}}));
    out += static_cast<char>(std::stoi(std::string(text.substr(at + 1, 2)), nullptr, 16));
    at += 2;
  }
  return valid_utf8(out);
}

// The parts of a URI by RFC 2396; nothing in a part that is not there.
struct Uri {
  std::optional<std::string> scheme, authority, userinfo, host, query, fragment;
  std::string path;

  static std::optional<Uri> parse(std::string_view text);
};

std::optional<Uri> Uri::parse(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (c <= 0x20 || c == 0x7F ||
        std::string_view("<>\"{}|\\^`").find(text[i]) != std::string_view::npos)
      return std::nullopt;
    if (c == '%' && (i + 2 >= text.size() || !is_hex(text[i + 1]) || !is_hex(text[i + 2])))
      return std::nullopt;
  }
  Uri out;
  if (const auto hash = text.find('#'); hash != std::string_view::npos) {
    out.fragment = std::string(text.substr(hash + 1));
    text = text.substr(0, hash);
  }
  const auto colon = text.find_first_of(":/?");
  if (colon != std::string_view::npos && colon > 0 && text[colon] == ':') {
    out.scheme = std::string(text.substr(0, colon));
    text.remove_prefix(colon + 1);
    if (text.empty()) return std::nullopt;
    if (text[0] != '/') return out;  // opaque: mailto:someone
  }
  if (const auto mark = text.find('?'); mark != std::string_view::npos) {
    out.query = std::string(text.substr(mark + 1));
    text = text.substr(0, mark);
  }
  if (text.starts_with("//")) {
    text.remove_prefix(2);
    const auto slash = text.find('/');
    std::string_view authority = text.substr(0, slash);
    text = slash == std::string_view::npos ? std::string_view() : text.substr(slash);
    if (!authority.empty()) out.authority = std::string(authority);
    if (const auto at = authority.rfind('@'); at != std::string_view::npos) {
      out.userinfo = std::string(authority.substr(0, at));
      authority.remove_prefix(at + 1);
    }
    if (const auto port = authority.rfind(':');
        port != std::string_view::npos && authority.find(']', port) == std::string_view::npos)
      authority = authority.substr(0, port);
    const bool named = authority.find_first_not_of(
                           "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                           "0123456789.-[]:") == std::string_view::npos;
    if (named && !authority.empty()) out.host = std::string(authority);
  }
  out.path = std::string(text);
  return out;
}

std::optional<std::string> parse_url(Failure& fail, std::string_view url, std::string_view part) {
  const auto uri = Uri::parse(url);
  if (!uri) return fail(Status::error("INVALID_URL", {{"url", std::string(url)}}));
  if (part == "HOST") return uri->host;
  if (part == "PATH") return uri->path;
  if (part == "QUERY") return uri->query;
  if (part == "REF") return uri->fragment;
  if (part == "PROTOCOL") return uri->scheme;
  if (part == "FILE") return uri->path + (uri->query ? "?" + *uri->query : "");
  if (part == "AUTHORITY") return uri->authority;
  if (part == "USERINFO") return uri->userinfo;
  return std::nullopt;
}

std::optional<std::string> parse_url_key(Failure& fail, std::string_view url, std::string_view part,
                                         std::string_view key) {
  if (part != "QUERY") return std::nullopt;
  const auto query = parse_url(fail, url, part);
  if (!query) return std::nullopt;
  const auto regex = JavaRegex::get("(&|^)" + std::string(key) + "=([^&]*)");
  if (!regex.ok()) return fail(regex.status());
  const auto match = (*regex)->find(*query, 0);
  if (!match.ok()) return fail(match.status());
  if (!match->has_value() || !(*match)->groups[2]) return std::nullopt;
  return std::string(*(*match)->groups[2]);
}

}  // namespace

Status register_encoding_kernels(duckdb_connection c) {
  TRY(add_kernel<encode>(c, "ms_encode"));
  TRY(add_kernel<decode>(c, "ms_charset_decode"));
  TRY(add_kernel<is_valid>(c, "ms_is_valid_utf8"));
  TRY(add_kernel<make_valid>(c, "ms_make_valid_utf8"));
  TRY(add_kernel<validate>(c, "ms_validate_utf8"));
  TRY((add_kernel<validate, true>(c, "ms_try_validate_utf8")));
  TRY(add_kernel<reverse_bytes>(c, "ms_reverse_bytes"));
  TRY(add_kernel<contains_bytes>(c, "ms_contains_bytes"));
  TRY(add_kernel<starts_with_bytes>(c, "ms_starts_with_bytes"));
  TRY(add_kernel<ends_with_bytes>(c, "ms_ends_with_bytes"));
  TRY(add_kernel<sha2>(c, "ms_sha2"));
  TRY(add_kernel<url_encode>(c, "ms_url_encode"));
  TRY(add_kernel<url_decode>(c, "ms_url_decode"));
  TRY((add_kernel<url_decode, true>(c, "ms_try_url_decode")));
  TRY(add_kernel<parse_url>(c, "ms_parse_url"));
  TRY((add_kernel<parse_url, true>(c, "ms_try_parse_url")));
  TRY(add_kernel<parse_url_key>(c, "ms_parse_url_key"));
  return add_kernel<parse_url_key, true>(c, "ms_try_parse_url_key");
}

}  // namespace millstream::engine
