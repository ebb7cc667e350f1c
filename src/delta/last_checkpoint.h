// _last_checkpoint: the hint where the newest checkpoint may be. Never trusted beyond that. Pure
// functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace millstream::delta {

struct LastCheckpoint {
  std::int64_t version = 0;
  std::int64_t size = 0;  // rows
  std::int64_t size_in_bytes = 0;
  std::int64_t add_files = 0;
  std::string v2 = {};  // of a V2 checkpoint: what it consists of, as a JSON object; written only
};

// Nothing: not whole JSON, no version, a key twice, or a checksum that does not fit.
std::optional<LastCheckpoint> parse_last_checkpoint(std::string_view json);
std::string print_last_checkpoint(const LastCheckpoint& pointer);

// The text of which `checksum` is the MD5; nothing for JSON that is broken or has a key twice.
std::optional<std::string> canonical_form(std::string_view json);

}  // namespace millstream::delta
