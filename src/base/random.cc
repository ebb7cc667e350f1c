#include "base/random.h"

#include <fmt/format.h>

#include <string_view>

#include "base/check.h"

namespace millstream {

Random Random::from_device() {
  std::random_device device;
  return Random((static_cast<std::uint64_t>(device()) << 32) | device());
}

std::uint64_t Random::next() {
  const std::lock_guard lock(mutex_);
  return engine_();
}

std::uint64_t Random::below(std::uint64_t bound) {
  CHECK(bound > 0);
  return next() % bound;
}

std::string Random::uuid() {
  const std::uint64_t high = (next() & ~0xf000ULL) | 0x4000ULL;
  const std::uint64_t low = (next() & ~(3ULL << 62)) | (2ULL << 62);
  return fmt::format("{:08x}-{:04x}-{:04x}-{:04x}-{:012x}", high >> 32, (high >> 16) & 0xffff,
                     high & 0xffff, low >> 48, low & 0xffff'ffff'ffffULL);
}

std::string new_uuid() {
  static Random random = Random::from_device();
  return random.uuid();
}

bool is_uuid(std::string_view text) {
  if (text.size() != 36) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool dash = i == 8 || i == 13 || i == 18 || i == 23;
    const char c = text[i];
    const bool hex = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
    if (dash ? c != '-' : !hex) return false;
  }
  return true;
}

}  // namespace millstream
