// JsonIndex: where the structure of a JSON text lies. Wraps the first stage of simdjson (chosen for
// the machine's vector instructions at run time), so that its large header stays in one translation
// unit. One per reader; one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace millstream::format {

class JsonIndex {
 public:
  JsonIndex();
  ~JsonIndex();
  JsonIndex(const JsonIndex&) = delete;
  JsonIndex& operator=(const JsonIndex&) = delete;

  // Finds every { } [ ] : , outside strings, every opening quote, and the first character of every
  // other token. False when the text is not UTF-8, has a control character within a string, or ends
  // within one.
  bool build(const char* text, std::size_t size);

  // Ascending; positions()[count()] and the next are `size`.
  const std::uint32_t* positions() const { return positions_; }
  std::uint32_t count() const { return count_; }

  static constexpr std::size_t text_max = 1u << 30;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
  const std::uint32_t* positions_ = nullptr;
  std::uint32_t count_ = 0;
};

bool is_utf8(const char* text, std::size_t size);

}  // namespace millstream::format
