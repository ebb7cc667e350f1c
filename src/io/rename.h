// Moving a whole directory of the machine's own file system.
#pragma once

#include <string>

#include "base/status.h"

namespace millstream::io {

// Durable when it returns. AlreadyExists when there is something at `to` (an empty directory is
// nothing).
Status rename_directory(const std::string& from, const std::string& to);

}  // namespace millstream::io
