// spark.catalog: its calls as relations whose columns, in order, are what the client reads. Calls
// that Millstream does not have are refused by name. Functions; any thread.
#pragma once

#include "session/result_table.h"
#include "session/session.h"

namespace spark::connect {
class Catalog;
}  // namespace spark::connect

namespace millstream::session {

Result<CatalogResult> run_catalog(Session& session, const spark::connect::Catalog& call);

}  // namespace millstream::session
