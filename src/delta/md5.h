// MD5, for the checksum of _last_checkpoint only (the format asks for it). Pure.
#pragma once

#include <string>
#include <string_view>

namespace millstream::delta {

std::string md5_hex(std::string_view bytes);  // lower case

}  // namespace millstream::delta
