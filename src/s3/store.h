// S3 as a Store. put_if_absent is a conditional PUT (If-None-Match): before the first in a bucket a
// probe tells whether the store keeps to it, and refuses to go on where it does not. What the
// answer of a PUT that was sent twice leaves open is settled by a mark of the writer's on the
// object.
#pragma once

#include <memory>

#include "io/store.h"
#include "s3/settings.h"

namespace millstream::s3 {

std::shared_ptr<io::Store> s3_store(Settings settings);

// Paths of S3, and the rest on this machine's own file system.
std::shared_ptr<io::Store> store_of_all_paths(Settings settings);

}  // namespace millstream::s3
