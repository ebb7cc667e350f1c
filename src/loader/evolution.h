// The decisions about an Auto Loader schema, as functions of values: what inference without column
// types gives, and what a tracked schema becomes when new fields turn up. Pure.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "column/types.h"
#include "loader/hints.h"

namespace millstream::loader {

enum class EvolutionMode : std::uint8_t { add_new_columns, rescue, fail_on_new_columns, none };

// cloudFiles.inferColumnTypes=false: every column is STRING, a nested one holds the JSON text.
// Columns into which a hint reaches keep their shape, with STRING leaves.
column::Schema as_strings(const column::Schema& inferred, const std::vector<Hint>& hints);

// `tracked` with the fields of `inferred` that it does not have (ignoring letter case) at its end,
// in the order of `inferred`; new members of structs at the end of theirs. Types that are there
// stay. `ignored`: names that are no new columns (partition columns, the rescued and the corrupt
// one), lower case. `strings`: new columns are STRING.
column::Schema with_new_fields(const column::Schema& tracked, const column::Schema& inferred,
                               bool strings, const std::set<std::string>& ignored);

}  // namespace millstream::loader
