// The schema of a document, as Spark infers it for schema_of_json and schema_of_csv. Pure.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "column/types.h"

namespace millstream::functions {

using DocumentOptions = std::map<std::string, std::string>;  // names in lower case

Result<column::TypePtr> schema_of_json(std::string_view text, const DocumentOptions& options);
Result<column::TypePtr> schema_of_xml(std::string_view text, const DocumentOptions& options);
// Columns _c0, _c1, …
Result<column::TypePtr> schema_of_csv(std::string_view text, const DocumentOptions& options);

}  // namespace millstream::functions
