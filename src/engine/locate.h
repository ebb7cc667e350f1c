// Puts the place in the user's program to an error that happened in a row. Pure; any thread.
#pragma once

#include "plan/node.h"

namespace millstream::engine {

// `status` with the origin of the one expression in `node` that can have raised it; unchanged when
// that is not known.
Status locate_error(const Status& status, const plan::Node& node);

}  // namespace millstream::engine
