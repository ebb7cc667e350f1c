#include "format/input_file.h"

#include <arrow/io/file.h>
#include <arrow/io/memory.h>

#include "format/arrow_status.h"
#include "format/byte_input.h"

namespace millstream::format {

Result<std::shared_ptr<arrow::io::RandomAccessFile>> open_input_file(
    const std::shared_ptr<io::Store>& store, const std::string& path) {
  if (store.get() != io::local_store().get()) {
    auto bytes = store->get(path);
    if (!bytes.ok()) return failed_read(path, bytes.status());
    return std::shared_ptr<arrow::io::RandomAccessFile>(
        arrow::io::BufferReader::FromString(std::move(bytes).value()));
  }
  auto opened = arrow::io::ReadableFile::Open(path);
  if (!opened.ok()) {
    const auto known = store->stat(path);  // tells apart what Arrow does not
    return failed_read(path, known.ok() ? to_status(opened.status()) : known.status());
  }
  return std::shared_ptr<arrow::io::RandomAccessFile>(*opened);
}

}  // namespace millstream::format
