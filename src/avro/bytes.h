// Avro's binary encoding of single values: Input reads within its bounds, the append functions
// write.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace millstream::avro {

// Zig-zag variable-length: small numbers of either sign are short.
inline void append_long(std::int64_t value, std::string& out) {
  auto bits = (static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63);
  while (bits >= 0x80) {
    out += static_cast<char>(bits | 0x80);
    bits >>= 7;
  }
  out += static_cast<char>(bits);
}

template <typename Bits>
void append_little(Bits bits, std::string& out) {
  for (std::size_t i = 0; i < sizeof(bits); ++i) out += static_cast<char>(bits >> (8 * i));
}

inline void append_float(float value, std::string& out) {
  append_little(std::bit_cast<std::uint32_t>(value), out);
}

inline void append_double(double value, std::string& out) {
  append_little(std::bit_cast<std::uint64_t>(value), out);
}

inline void append_bytes(std::string_view bytes, std::string& out) {
  append_long(static_cast<std::int64_t>(bytes.size()), out);
  out += bytes;
}

// Bytes to be read from the front. Each read tells whether there was enough; a failed one leaves
// the rest as it is.
class Input {
 public:
  explicit Input(std::string_view bytes) : at_(bytes.data()), end_(bytes.data() + bytes.size()) {}

  std::size_t left() const { return static_cast<std::size_t>(end_ - at_); }
  bool at_end() const { return at_ == end_; }

  bool read_byte(std::uint8_t& out) {
    if (at_ == end_) return false;
    out = static_cast<std::uint8_t>(*at_++);
    return true;
  }

  bool read_long(std::int64_t& out) {
    std::uint64_t bits = 0;
    const char* at = at_;
    for (int shift = 0; shift < 70; shift += 7) {
      if (at == end_) return false;
      const auto byte = static_cast<std::uint8_t>(*at++);
      bits |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) {
        at_ = at;
        out = static_cast<std::int64_t>(bits >> 1) ^ -static_cast<std::int64_t>(bits & 1);
        return true;
      }
    }
    return false;  // longer than a number can be
  }

  bool read_raw(std::size_t size, std::string_view& out) {
    if (size > left()) return false;
    out = {at_, size};
    at_ += size;
    return true;
  }

  bool read_bytes(std::string_view& out) {
    std::int64_t size = 0;
    const char* const before = at_;
    if (read_long(size) && size >= 0 && read_raw(static_cast<std::size_t>(size), out)) return true;
    at_ = before;
    return false;
  }

  template <typename Value>
  bool read_little(Value& out) {
    std::string_view raw;
    if (!read_raw(sizeof(Value), raw)) return false;
    static_assert(std::endian::native == std::endian::little);
    std::memcpy(&out, raw.data(), sizeof(Value));
    return true;
  }

 private:
  const char* at_;
  const char* end_;
};

}  // namespace millstream::avro
