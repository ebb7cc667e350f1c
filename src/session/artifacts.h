// Artifacts: what a client has uploaded for its session: cached local relations (cache/<sha256>)
// and files for its Python workers (pyfiles/, archives/, files/). Kept on disk in a folder of the
// session that goes with it. Thread-safe.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "base/status.h"

namespace millstream::session {

class Artifacts {
 public:
  Artifacts() = default;
  ~Artifacts();  // removes the folder
  Artifacts(const Artifacts&) = delete;
  Artifacts& operator=(const Artifacts&) = delete;

  // INVALID_ARTIFACT_PATH; ARTIFACT_ALREADY_EXISTS when the name has other bytes. The same bytes
  // again are fine.
  Status add(const std::string& name, std::string_view bytes);
  bool has_cached(const std::string& name) const;  // only names below cache/ can be there
  Result<std::string> cached(const std::string& hash) const;
  // Where Python looks for uploaded modules, those that come later too: a PYTHONPATH.
  Result<std::string> python_path();
  // All artifacts of `other` are this one's too (a cloned session).
  Status copy_from(const Artifacts& other);

 private:
  Result<std::string> folder();

  mutable std::mutex mutex_;
  std::string folder_;                        // empty: nothing uploaded yet
  std::map<std::string, std::string> paths_;  // name -> file
};

}  // namespace millstream::session
