// The guard of a table's rows (delta::RowGuard), by the engine: CHECK constraints and column
// invariants are expressions over the row as it is to be. Thread-safe.
#pragma once

#include "delta/constraints.h"
#include "plan/analyzer.h"
#include "session/session.h"

namespace millstream::session {

// `runtime` outlives the guard; settings are those of now.
delta::RowGuard make_row_guard(Runtime& runtime, const plan::AnalyzerSettings& settings);

}  // namespace millstream::session
