// The pieces of FileTable: what formats there are, their options, and reading groups of files.
// Internal to this room.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/options.h"
#include "base/status.h"
#include "format/file_columns.h"
#include "format/file_table.h"

namespace millstream::format {

enum class FileFormat : std::uint8_t { json, parquet, text, csv, binary_file, xml, orc, avro };

// By Spark's names, in any case; others are refused by name.
Result<FileFormat> file_format(const std::string& name);
const char* display_name(FileFormat format);  // "JSON", as Spark's errors say

// Refuses options that the format does not have.
Status check_read_options(FileFormat format, const Options& options, const std::string& time_zone);

// Contiguous groups of files, of about the same number of bytes, that can be read in parallel.
std::vector<std::vector<FileSplit>> group_files(std::vector<FileSplit> files);

}  // namespace millstream::format
