#include "python/interpreter.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "base/text.h"
#include "python/descriptor.h"
#include "python/process.h"

namespace millstream::python {
namespace {

namespace fs = std::filesystem;

// Without importing pyspark, which takes a while.
constexpr const char* version_program =
    "import importlib.util, os\n"
    "spec = importlib.util.find_spec('pyspark')\n"
    "folder = spec.submodule_search_locations[0]\n"
    "names = {}\n"
    "exec(open(os.path.join(folder, 'version.py')).read(), names)\n"
    "print(names['__version__'], end='')\n";

std::string read_to_end(int descriptor) {
  std::string text;
  char buffer[256];
  for (;;) {
    const ssize_t count = ::read(descriptor, buffer, sizeof buffer);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return text;
    text.append(buffer, static_cast<std::size_t>(count));
  }
}

}  // namespace

std::string find_interpreter() {
  for (const char* name : {"PYSPARK_PYTHON", "PYSPARK_DRIVER_PYTHON", "MILLSTREAM_PYTHON"}) {
    if (const char* given = std::getenv(name); given != nullptr && *given != '\0') return given;
  }
  std::error_code error;
  fs::path folder = fs::read_symlink("/proc/self/exe", error).parent_path();
  while (!error && folder.has_relative_path()) {
    const fs::path python = folder / ".venv/bin/python";
    if (fs::exists(python, error)) return python.string();
    folder = folder.parent_path();
  }
  return "python3";
}

std::string python_path(const std::string& search_path) {
  const char* given = std::getenv("PYTHONPATH");
  std::string path = search_path;
  if (given != nullptr && *given != '\0') path += (path.empty() ? "" : ":") + std::string(given);
  return "PYTHONPATH=" + path;
}

Result<std::string> pyspark_version(const std::string& interpreter,
                                    const std::string& search_path) {
  TRY_ASSIGN(Pipe output, Pipe::open());
  ProcessSpec spec;
  spec.words = {interpreter, "-c", version_program};
  spec.environment = {python_path(search_path)};
  spec.output = output.write_end.get();
  const auto process = Process::start(spec);
  output.write_end.close();
  const std::string version = process.ok() ? read_to_end(output.read_end.get()) : "";
  if (!process.ok() || version.empty()) {
    return Status::io(
        "{} has no pyspark (the server's log says more): functions of a Python program run in that "
        "interpreter; set PYSPARK_PYTHON, before the server starts, to one with pyspark-client",
        interpreter);
  }
  return version;
}

bool is_at_least_4_3(const std::string& version) {
  const auto parts = split(version, '.');
  const int major = std::atoi(parts[0].c_str());
  const int minor = parts.size() > 1 ? std::atoi(parts[1].c_str()) : 0;
  return major > 4 || (major == 4 && minor >= 3);
}

}  // namespace millstream::python
