// Which files a write makes: what repartition and coalesce mean here.
#pragma once

#include "plan/node.h"
#include "session/session.h"

namespace millstream::session {

struct OutputRows {
  connector::Batches rows;
  bool file_per_partition = false;  // each partition of the rows is to have files of its own
};

// Computes the rows of a plan that is to be written. After repartition(n) they come in n partitions
// of as many rows each; a row more or less. By keys and by ranges the partitions hold the rows that
// Spark's hold; those without rows are left out, and where no number is given, small ones are put
// together as Spark's adaptive execution does. The rows are kept on the way, since where a
// partition ends is known at the end only.
Result<OutputRows> execute_for_files(Session& session, const plan::NodePtr& node,
                                     const ActionContext& context);

}  // namespace millstream::session
