// Checksum files ("%020d.crc"): what the state of one version adds up to, beside its commit. They
// are hints: written after a commit from the state that is in memory, never replaced, not durable;
// read to notice a log that was damaged. Pure functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "delta/snapshot.h"

namespace millstream::delta {

namespace limits {
// What a checksum file may list; with more of a kind it has none of that kind.
inline constexpr std::size_t checksum_files_max = 50;
inline constexpr std::size_t checksum_txns_max = 100;
inline constexpr std::size_t checksum_domains_max = 10;
}  // namespace limits

// `before`: the version before; null: there was none. One line.
std::string print_checksum(const Snapshot& snapshot, const Snapshot* before,
                           const std::string& txn_id);

// In what the state is not what the file says: "numFiles is 3, not 2". Nothing for a file that
// cannot be read: it is to be ignored.
std::vector<std::string> checksum_mismatches(std::string_view file, const Snapshot& snapshot);

}  // namespace millstream::delta
