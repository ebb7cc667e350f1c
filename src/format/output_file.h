// OutputFile: a new file as a stream of Arrow's, durable once closed. Internal to this room; one
// thread.
#pragma once

#include <memory>
#include <string>

#include "base/status.h"
#include "io/store.h"

namespace arrow::io {
class FileOutputStream;
class OutputStream;
}  // namespace arrow::io

namespace millstream::format {

class OutputFile {
 public:
  // Makes the file, and its directory. On a disk bytes go to it as they come; another store's file
  // is there when it is closed.
  static Result<std::unique_ptr<OutputFile>> create(std::shared_ptr<io::Store> store,
                                                    std::string path);
  ~OutputFile();  // without close(): the unfinished file is removed
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  const std::shared_ptr<arrow::io::OutputStream>& stream() const { return stream_; }
  const std::string& path() const { return path_; }
  // fsync of the file and of its directory.
  Status close();

 private:
  OutputFile(std::shared_ptr<io::Store> store, std::string path);
  Status open();

  const std::shared_ptr<io::Store> store_;
  const std::string path_;
  bool closed_ = false;
  std::shared_ptr<arrow::io::FileOutputStream> file_;  // on a disk
  std::unique_ptr<io::Upload> upload_;                 // elsewhere
  std::shared_ptr<arrow::io::OutputStream> stream_;
};

}  // namespace millstream::format
