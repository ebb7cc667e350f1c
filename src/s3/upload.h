// An io::Upload to S3: in parts, as they come; there once it is closed.
#pragma once

#include <memory>

#include "io/store.h"
#include "s3/client.h"

namespace millstream::s3 {

std::unique_ptr<io::Upload> make_upload(std::shared_ptr<Client> client, std::string bucket,
                                        std::string key);

}  // namespace millstream::s3
