// The offset of a Delta source, as Delta prints it into a checkpoint. Pure values.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/status.h"

namespace millstream::source {

// Everything up to and including file `index` of `version` has been delivered. `initial`: the files
// are those of the snapshot `version`, in its order; else those that commit `version` added.
struct DeltaOffset {
  static constexpr std::int64_t base_index = -1;  // nothing of the version yet

  std::string table_id;
  std::int64_t version = 0;
  std::int64_t index = base_index;
  bool initial = false;

  // Position only: the table is another matter.
  bool is_before(const DeltaOffset& other) const;
  bool operator==(const DeltaOffset& other) const = default;
};

std::string print_delta_offset(const DeltaOffset& offset);
// DELTA_INVALID_SOURCE_OFFSET_FORMAT, DELTA_INVALID_SOURCE_VERSION,
// DELTA_INVALID_FORMAT_FROM_SOURCE_VERSION.
Result<DeltaOffset> parse_delta_offset(std::string_view json);

}  // namespace millstream::source
