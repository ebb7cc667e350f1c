#include "format/json_index.h"

#include <dlfcn.h>
#include <simdjson.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <vector>

#include "base/check.h"

// gcc defines macros; clang is asked.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define MILLSTREAM_SANITIZED 1
#elif defined(__has_feature)
#define MILLSTREAM_SANITIZED (__has_feature(address_sanitizer) || __has_feature(thread_sanitizer))
#else
#define MILLSTREAM_SANITIZED 0
#endif

namespace millstream::format {
namespace {

using Parser = simdjson::internal::dom_parser_implementation;
using ActiveImplementation = simdjson::internal::atomic_ptr<const simdjson::implementation>& (*)();
using ValidateUtf8 = bool (*)(const char*, std::size_t) noexcept;

// simdjson's functions, found by name at run time. Arrow's libraries carry another version of
// simdjson with the same symbols, which the linker would give us, and the two do not fit together;
// a library opened with RTLD_DEEPBIND keeps to itself. Sanitizers refuse that flag, and then the
// first one found has to do: it differs only in calls that are not made here.
struct Library {
  ActiveImplementation active_implementation;
  ValidateUtf8 validate_utf8;
};

const Library& library() {
  static const Library loaded = [] {
#if MILLSTREAM_SANITIZED
    void* handle = RTLD_DEFAULT;
    if (dlsym(handle, "_ZN8simdjson13validate_utf8EPKcm") == nullptr)
      handle = dlopen("libsimdjson.so.14", RTLD_NOW);
#else
    void* handle = dlopen("libsimdjson.so.14", RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
#endif
    Library out{};
    out.active_implementation = reinterpret_cast<ActiveImplementation>(
        dlsym(handle, "_ZN8simdjson25get_active_implementationEv"));
    out.validate_utf8 =
        reinterpret_cast<ValidateUtf8>(dlsym(handle, "_ZN8simdjson13validate_utf8EPKcm"));
    if (out.active_implementation == nullptr || out.validate_utf8 == nullptr) {
      std::fprintf(stderr, "libsimdjson.so.14 cannot be loaded: %s\n", dlerror());
      std::abort();
    }
    return out;
  }();
  return loaded;
}

struct Sized {
  std::unique_ptr<Parser> parser;
  std::size_t capacity = 0;
};

// Parsers are used again and never destroyed, so that a small file does not pay for their tables.
class ParserPool {
 public:
  // One for at least so many bytes.
  Sized take(std::size_t size) {
    {
      const std::lock_guard lock(mutex_);
      for (auto& parser : free_) {
        if (parser.capacity < size) continue;
        std::swap(parser, free_.back());
        Sized out = std::move(free_.back());
        free_.pop_back();
        return out;
      }
    }
    Sized out;
    out.capacity = std::max(size, std::size_t{320} << 10);
    const auto failed = (*library().active_implementation())
                            .create_dom_parser_implementation(out.capacity, 1, out.parser);
    CHECK(!failed);
    return out;
  }
  void give_back(Sized parser) {
    const std::lock_guard lock(mutex_);
    free_.push_back(std::move(parser));
  }

 private:
  std::mutex mutex_;
  std::vector<Sized> free_;
};

ParserPool& pool() {
  static auto* const parsers = new ParserPool;
  return *parsers;
}

}  // namespace

struct JsonIndex::Impl {
  Sized sized;
  std::uint32_t nothing[3] = {0, 0, 0};
};

JsonIndex::JsonIndex() : impl_(std::make_unique<Impl>()) {}

JsonIndex::~JsonIndex() {
  if (impl_->sized.parser != nullptr) pool().give_back(std::move(impl_->sized));
}

bool JsonIndex::build(const char* text, std::size_t size) {
  CHECK(size <= text_max);
  count_ = 0;
  positions_ = impl_->nothing;
  std::fill_n(impl_->nothing, 3, static_cast<std::uint32_t>(size));
  if (size == 0) return true;
  Sized& sized = impl_->sized;
  if (sized.capacity < size) {
    if (sized.parser != nullptr) pool().give_back(std::move(sized));
    sized = pool().take(size);
  }
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(text);
  const auto error = sized.parser->stage1(bytes, size, simdjson::stage1_mode::regular);
  if (error == simdjson::EMPTY) return true;
  if (error != simdjson::SUCCESS) return false;
  count_ = sized.parser->n_structural_indexes;
  positions_ = sized.parser->structural_indexes.get();
  return true;
}

bool is_utf8(const char* text, std::size_t size) { return library().validate_utf8(text, size); }

}  // namespace millstream::format
