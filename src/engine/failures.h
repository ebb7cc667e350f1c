// The first error of a statement's kernels in a run: DuckDB ends its other threads by an interrupt,
// and may tell of that instead. Any thread.
#pragma once

#include "base/status.h"

namespace millstream::engine {

class Work;

void note_failure(const Work* work, const Status& status);
Status failure_of(const Work* work);  // OK: none
void forget_failure(const Work* work);

}  // namespace millstream::engine
