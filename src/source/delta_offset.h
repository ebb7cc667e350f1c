// The offset of a Delta source, as Delta prints it into a checkpoint. Pure values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/status.h"

namespace millstream::source {

// Everything up to and including file `index` of `version` has been delivered. `initial`: the files
// are those of the snapshot `version`, in its order; else those that commit `version` added. Below
// 0 no file of the version has been.
struct DeltaOffset {
  static constexpr std::int64_t base_index = -100;  // nothing of the version yet
  // The version changes how the table is read: the stream stops here, and starts again behind.
  static constexpr std::int64_t change_index = -20;
  static constexpr std::int64_t behind_change_index = -19;

  std::string table_id;
  std::int64_t version = 0;
  std::int64_t index = base_index;
  bool initial = false;

  // How many files of the version have been delivered.
  std::size_t files() const { return index < 0 ? 0 : static_cast<std::size_t>(index) + 1; }
  bool is_at_change() const { return index == change_index || index == behind_change_index; }
  // Position only: the table is another matter.
  bool is_before(const DeltaOffset& other) const;
  bool operator==(const DeltaOffset& other) const = default;
};

std::string print_delta_offset(const DeltaOffset& offset);
// DELTA_INVALID_SOURCE_OFFSET_FORMAT, DELTA_INVALID_SOURCE_VERSION,
// DELTA_INVALID_FORMAT_FROM_SOURCE_VERSION.
Result<DeltaOffset> parse_delta_offset(std::string_view json);

}  // namespace millstream::source
