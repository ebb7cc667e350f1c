// TextLines: a file as a column of lines (or one value). Used by one thread.
#pragma once

#include <memory>
#include <string>

#include "base/options.h"
#include "base/status.h"
#include "connector/batches.h"
#include "io/store.h"

namespace millstream::format {

struct TextOptions {
  bool whole_text = false;
  std::string line_sep;  // empty: \n, \r\n, \r
};

// Refuses the options that the text source does not have, by name.
Result<TextOptions> parse_text_options(const Options& options);

// Batches of one STRING column of that name. An empty file has no rows; bytes that are not UTF-8
// become U+FFFD.
Result<std::unique_ptr<connector::BatchReader>> open_text(const std::shared_ptr<io::Store>& store,
                                                          const io::FileInfo& file,
                                                          const TextOptions& options,
                                                          const std::string& column);

}  // namespace millstream::format
