// The guard of a table's rows (delta::RowGuard), by the engine: CHECK constraints and column
// invariants are expressions over the row as it is to be. Thread-safe.
#pragma once

#include "delta/constraints.h"
#include "plan/analyzer.h"
#include "session/session.h"

namespace millstream::session {

// What of a row's columns the guard gives.
enum class Completion : std::uint8_t {
  none,       // they are there
  of_missing  // defaults and generated columns; what is given for these is held against their rules
};

// `runtime` outlives the guard; settings are those of now.
delta::RowGuard make_row_guard(Runtime& runtime, const plan::AnalyzerSettings& settings,
                               Completion completion = Completion::none);

}  // namespace millstream::session
