#pragma once

#include <string>

namespace millstream::main_program {

inline std::string version_line() { return "millstream 0.1.0 (Spark Connect 4.2.0)"; }

}  // namespace millstream::main_program
