// Checkpoints: the state of one version as a file, or as one file that names others. Read in every
// form (classic, multi-part, V2 with sidecars), written as delta.checkpointPolicy says: in one
// Parquet file, or as a V2 checkpoint in JSON whose sidecars hold the files of the table. The
// functions hold no state; several threads may read and write different versions.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "delta/actions.h"
#include "delta/log_names.h"
#include "delta/snapshot.h"
#include "io/store.h"

namespace millstream::delta {

// Gives all actions of the checkpoint to `take`, some at a time: those of a large table are never
// all in memory. An error names the file; one of `take` ends the reading and comes back as it is.
using TakeActions = std::function<Status(const std::vector<Action>& actions)>;
Status read_checkpoint(const std::shared_ptr<io::Store>& store, const std::string& log_directory,
                       const CheckpointFiles& files, const TakeActions& take);

// The sidecars that a checkpoint names, as it does: names, or URIs.
Result<std::vector<std::string>> sidecars_of(io::Store& store, const std::string& log_directory,
                                             const CheckpointFiles& files);

namespace limits {
inline constexpr std::int64_t sidecar_rows_max = 500'000;
}

struct EncodedCheckpoint {
  std::string bytes;  // a Parquet file
  std::int64_t rows = 0;
  std::int64_t adds = 0;
};
// Expired tombstones and transactions are left out, as of `now_ms`.
Result<EncodedCheckpoint> encode_checkpoint(const Snapshot& snapshot, std::int64_t now_ms);

// Encodes, publishes (an existing one is as good), and moves _last_checkpoint.
Status write_checkpoint(io::Store& store, const std::string& log_directory,
                        const Snapshot& snapshot, std::int64_t now_ms);
// The same as a V2 checkpoint: its sidecars are durable before the file that names them.
Status write_v2_checkpoint(io::Store& store, const std::string& log_directory,
                           const Snapshot& snapshot, std::int64_t now_ms,
                           std::int64_t sidecar_rows_max = limits::sidecar_rows_max);

// "interval 1 week" -> milliseconds. Nothing: not such a text.
std::optional<std::int64_t> parse_interval_ms(std::string_view text);

}  // namespace millstream::delta
