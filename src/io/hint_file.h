// Small files that others may find useful and nobody needs: a checksum beside a commit. Visible
// entirely or not at all, but not durable: a power cut may lose or empty it, and nobody waits for
// the disk.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"
#include "io/store.h"

namespace millstream::io {

// AlreadyExists when the name is taken: nothing is replaced. The directory is there. A store that
// is not the machine's own file system writes it as any other file.
Status put_hint(Store& store, const std::string& path, std::string_view bytes);

}  // namespace millstream::io
