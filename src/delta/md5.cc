#include "delta/md5.h"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>

namespace millstream::delta {
namespace {

// RFC 1321.
constexpr std::array<int, 16> shifts = {7, 12, 17, 22, 5, 9, 14, 20, 4, 11, 16, 23, 6, 10, 15, 21};

std::array<std::uint32_t, 64> sine_table() {
  std::array<std::uint32_t, 64> table{};
  for (std::size_t i = 0; i < 64; ++i) {
    table[i] =
        static_cast<std::uint32_t>(std::fabs(std::sin(static_cast<double>(i + 1))) * 4294967296.0);
  }
  return table;
}

void mix(std::array<std::uint32_t, 4>& state, const unsigned char* block) {
  static const auto sines = sine_table();
  std::array<std::uint32_t, 16> words;
  std::memcpy(words.data(), block, 64);  // little-endian machines only, as all of Millstream
  auto [a, b, c, d] = state;
  for (std::size_t i = 0; i < 64; ++i) {
    std::uint32_t f;
    std::size_t word;
    if (i < 16) {
      f = (b & c) | (~b & d);
      word = i;
    } else if (i < 32) {
      f = (d & b) | (~d & c);
      word = (5 * i + 1) % 16;
    } else if (i < 48) {
      f = b ^ c ^ d;
      word = (3 * i + 5) % 16;
    } else {
      f = c ^ (b | ~d);
      word = (7 * i) % 16;
    }
    const std::uint32_t turned =
        std::rotl(a + f + sines[i] + words[word], shifts[i / 16 * 4 + i % 4]);
    a = d;
    d = c;
    c = b;
    b += turned;
  }
  state[0] += a;
  state[1] += b;
  state[2] += c;
  state[3] += d;
}

}  // namespace

std::string md5_hex(std::string_view bytes) {
  std::array<std::uint32_t, 4> state = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};
  std::string padded(bytes);
  padded += '\x80';
  while (padded.size() % 64 != 56) padded += '\0';
  const std::uint64_t bits = bytes.size() * 8;
  padded.append(reinterpret_cast<const char*>(&bits), 8);
  for (std::size_t at = 0; at < padded.size(); at += 64) {
    mix(state, reinterpret_cast<const unsigned char*>(padded.data()) + at);
  }
  std::string hex;
  for (const std::uint32_t word : state) {
    for (int byte = 0; byte < 4; ++byte) hex += fmt::format("{:02x}", word >> (8 * byte) & 0xff);
  }
  return hex;
}

}  // namespace millstream::delta
