// Warnings of what a stream and its surroundings do to each other, by stable codes: each is a way
// to lose rows that no error tells of. Functions; thread-safe.
#pragma once

#include <cstdint>
#include <string>

#include "session/session.h"
#include "stream/query.h"

namespace millstream::session {

// CHECKPOINT_IN_DATA: the checkpoint lies in `target`, the folder that the query writes to (empty:
// none), or in one that it reads, where its files are taken for data.
void warn_of_checkpoint(const stream::QuerySpec& spec, const std::string& target);

// VACUUM_BEHIND_STREAM: a running stream of this process has yet to read versions of `table` that
// are older than `cutoff_ms`, so that files which they name may be gone.
void warn_of_vacuum(const Runtime& runtime, const std::string& table, std::int64_t cutoff_ms);

}  // namespace millstream::session
