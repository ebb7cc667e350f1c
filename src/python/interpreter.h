// The Python interpreter that programs and workers run in, and its pyspark.
#pragma once

#include <string>

#include "base/status.h"

namespace millstream::python {

// $PYSPARK_PYTHON, $PYSPARK_DRIVER_PYTHON (Spark's own names), $MILLSTREAM_PYTHON; the .venv of the
// project that the binary lies in; python3 of the PATH.
std::string find_interpreter();

// "PYTHONPATH=…": `search_path` before what this process's own says.
std::string python_path(const std::string& search_path);

// The version of the pyspark that `interpreter` imports, "4.2.0", with `search_path` before its own
// path. An error says which variable names another interpreter.
Result<std::string> pyspark_version(const std::string& interpreter, const std::string& search_path);

// Workers of pyspark 4.3 speak another dialect than those of 4.2.
bool is_at_least_4_3(const std::string& version);

}  // namespace millstream::python
