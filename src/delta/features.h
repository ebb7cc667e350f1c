// Table features: what a table's protocol asks of readers and writers, and what of that Millstream
// can do. Refusals name the feature. A listed feature that the table does not use is no reason to
// refuse. Pure functions.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/status.h"
#include "delta/snapshot.h"

namespace millstream::delta {

// DELTA_UNSUPPORTED_FEATURES_FOR_READ, DELTA_INVALID_PROTOCOL_VERSION,
// DELTA_UNSUPPORTED_TYPE_CHANGE_IN_SCHEMA,
// DELTA_PATH_BASED_ACCESS_TO_CATALOG_MANAGED_TABLE_BLOCKED.
Status check_readable(const Protocol& protocol, const TableInfo& info, const std::string& table);
// Also what appends and overwrites would have to keep. Constraints, unless the writer enforces
// them; default and generated columns, unless it computes them.
Status check_writable(const Protocol& protocol, const TableInfo& info, const std::string& table,
                      bool enforces_constraints = false, bool columns_computed = false);

// Properties of a new table: canonical names, known values. DELTA_UNKNOWN_CONFIGURATION;
// unsupported ones by name. The pseudo-properties (delta.minReaderVersion, delta.feature.…) are not
// in the result.
Result<std::map<std::string, std::string>> check_properties(
    const std::map<std::string, std::string>& given);

// `given`, and of `defaults` what it does not say: only properties that Delta has, spelled as Delta
// spells them, and features.
std::map<std::string, std::string> with_defaults(
    std::map<std::string, std::string> given, const std::map<std::string, std::string>& defaults);

// The least protocol that a table of this schema and these properties needs; `delta.feature.…`
// among them count.
Protocol protocol_for(const column::Schema& schema,
                      const std::map<std::string, std::string>& properties);
// `current` raised to what these ask for; the same value when they ask nothing new.
Protocol upgraded(const Protocol& current, const column::Schema& schema,
                  const std::map<std::string, std::string>& properties);
// What writers must know: the list, or what the version stands for.
std::vector<std::string> features_of(const Protocol& protocol);
// Whether readers must know it too.
bool needed_by_readers(const std::string& feature);
Protocol with_feature(const Protocol& protocol, const std::string& feature);
// Without it; by version again, where that says it.
Protocol without_feature(const Protocol& protocol, const std::string& feature);
// The least protocol that asks for all that the two ask for.
Protocol joined(const Protocol& a, const Protocol& b);

}  // namespace millstream::delta
