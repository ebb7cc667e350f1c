#include "format/json_index.h"

#include <simdjson.h>

#include <algorithm>

#include "base/check.h"

namespace millstream::format {

struct JsonIndex::Impl {
  std::unique_ptr<simdjson::internal::dom_parser_implementation> parser;
  std::size_t capacity = 0;
  std::uint32_t nothing[3] = {0, 0, 0};
};

JsonIndex::JsonIndex() : impl_(std::make_unique<Impl>()) {}
JsonIndex::~JsonIndex() = default;

bool JsonIndex::build(const char* text, std::size_t size) {
  CHECK(size <= text_max);
  count_ = 0;
  positions_ = impl_->nothing;
  std::fill_n(impl_->nothing, 3, static_cast<std::uint32_t>(size));
  if (size == 0) return true;
  if (impl_->parser == nullptr || impl_->capacity < size) {
    impl_->capacity = std::max(size + size / 2, std::size_t{64} << 10);
    const auto failed = simdjson::get_active_implementation()->create_dom_parser_implementation(
        impl_->capacity, 1, impl_->parser);
    CHECK(!failed);
  }
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(text);
  const auto error = impl_->parser->stage1(bytes, size, simdjson::stage1_mode::regular);
  if (error == simdjson::EMPTY) return true;
  if (error != simdjson::SUCCESS) return false;
  count_ = impl_->parser->n_structural_indexes;
  positions_ = impl_->parser->structural_indexes.get();
  return true;
}

bool is_utf8(const char* text, std::size_t size) { return simdjson::validate_utf8(text, size); }

}  // namespace millstream::format
