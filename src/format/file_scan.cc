#include "format/file_scan.h"

#include <arrow/array.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "base/log.h"
#include "base/text.h"
#include "conc/thread_pool.h"
#include "format/avro_file.h"
#include "format/binary_file.h"
#include "format/byte_input.h"
#include "format/csv_reader.h"
#include "format/json_reader.h"
#include "format/orc.h"
#include "format/parquet.h"
#include "format/text_lines.h"
#include "format/xml_reader.h"

namespace millstream::format {
namespace {

constexpr std::int64_t group_bytes_min = 4 << 20;

struct SkipRules {
  bool corrupt = false;
  bool missing = false;
};

class NoRows final : public connector::BatchReader {
 public:
  Result<connector::RecordBatchPtr> next() override { return connector::RecordBatchPtr(); }
};

// Reads one file after another and puts their own columns beside those that their place gives.
class GroupReader final : public connector::BatchReader {
 public:
  using Opener = std::function<Result<std::unique_ptr<connector::BatchReader>>(
      const FileSplit& file, const column::Schema& own)>;
  GroupReader(std::vector<FileSplit> files, column::Schema output, Opener opener, SkipRules skip)
      : files_(std::move(files)),
        output_(std::move(output)),
        arrow_schema_(column::to_arrow(output_)),
        opener_(std::move(opener)),
        skip_(skip) {}

  Result<connector::RecordBatchPtr> next() override {
    for (; file_ < files_.size(); ++file_, reader_.reset()) {
      if (reader_ == nullptr) {
        own_.clear();
        for (const auto& field : output_) {
          if (constant_of(field.name) == nullptr && field.name != metadata_column)
            own_.push_back(field);
        }
        auto opened = opener_(files_[file_], own_);
        if (!opened.ok()) {
          TRY(handle(opened.status()));
          continue;
        }
        reader_ = std::move(opened).value();
      }
      auto batch = reader_->next();
      if (!batch.ok()) {
        TRY(handle(batch.status()));
        continue;
      }
      if (*batch != nullptr) return assemble(**batch);
    }
    return connector::RecordBatchPtr();
  }

 private:
  const ConstantColumn* constant_of(const std::string& name) const {
    for (const auto& constant : files_[file_].constants) {
      if (constant.field.name == name) return &constant;
    }
    return nullptr;
  }

  Status handle(const Status& status) const {
    const auto& path = files_[file_].info.path;
    const bool read_failure = status.condition().starts_with("FAILED_READ_FILE");
    const bool missing =
        status.is(ErrorKind::file_not_found) || status.is("FAILED_READ_FILE.FILE_NOT_EXIST");
    const bool mismatch = status.is("FAILED_READ_FILE.PARQUET_COLUMN_DATA_TYPE_MISMATCH");
    if (status.is(ErrorKind::unsupported_operation)) return status;
    if (missing ? skip_.missing : skip_.corrupt && !mismatch && !is_denied(status)) {
      log_warn("{} is {}", path,
               missing ? "gone: it is left out" : "corrupt: its rest is left out");
      return Status::OK();
    }
    return read_failure ? status : failed_read(path, status);
  }

  static bool is_denied(const Status& status) {
    return status.message().find(std::strerror(EACCES)) != std::string::npos ||
           (status.info().cause &&
            status.info().cause->message.find(std::strerror(EACCES)) != std::string::npos);
  }

  Result<connector::RecordBatchPtr> assemble(const arrow::RecordBatch& batch) const {
    const std::int64_t rows = batch.num_rows();
    std::vector<std::shared_ptr<arrow::Array>> columns;
    int own = 0;
    for (const auto& field : output_) {
      std::shared_ptr<arrow::Array> array;
      if (const auto* constant = constant_of(field.name)) {
        TRY_ASSIGN(array, constant_array(*constant, rows));
      } else if (field.name == metadata_column) {
        TRY_ASSIGN(array, file_metadata_array(files_[file_].info, rows));
      } else {
        array = batch.column(own++);
      }
      columns.push_back(std::move(array));
    }
    return arrow::RecordBatch::Make(arrow_schema_, rows, std::move(columns));
  }

  const std::vector<FileSplit> files_;
  const column::Schema output_;
  const std::shared_ptr<arrow::Schema> arrow_schema_;
  const Opener opener_;
  const SkipRules skip_;
  std::size_t file_ = 0;
  std::unique_ptr<connector::BatchReader> reader_;
  column::Schema own_;
};

Result<column::Schema> output_schema(const FileScan& scan, const std::vector<FileSplit>& files) {
  JsonScan names;
  names.schema = scan.schema;
  names.columns = scan.columns;
  return json_output_schema(names, files);
}

Result<GroupReader::Opener> opener_of(FileFormat format, const std::shared_ptr<io::Store>& store,
                                      const FileScan& scan) {
  if (format == FileFormat::parquet) {
    ParquetReadOptions options;
    options.predicates = scan.predicates;
    return GroupReader::Opener([store, options](const FileSplit& file, const column::Schema& own)
                                   -> Result<std::unique_ptr<connector::BatchReader>> {
      if (file.info.size == 0)
        return std::unique_ptr<connector::BatchReader>(std::make_unique<NoRows>());
      TRY_ASSIGN(auto reader, ParquetReader::open(store, file.info.path, own, options));
      return std::unique_ptr<connector::BatchReader>(std::move(reader));
    });
  }
  if (format == FileFormat::csv) {
    if (scan.columns.size() == 1 &&
        scan.columns[0] == scan.options.get("columnNameOfCorruptRecord", "_corrupt_record")) {
      return Status::error("UNSUPPORTED_FEATURE.QUERY_ONLY_CORRUPT_RECORD_COLUMN");
    }
    TRY_ASSIGN(const CsvOptions options, parse_csv_options(scan.options, scan.time_zone));
    TRY(check_csv_schema(scan.schema, options));
    return GroupReader::Opener(
        [store, options, schema = scan.schema](const FileSplit& file, const column::Schema& own) {
          return open_csv(store, file.info, options, schema, own);
        });
  }
  if (format == FileFormat::xml) {
    TRY_ASSIGN(const XmlOptions options, parse_xml_options(scan.options, scan.time_zone));
    TRY(check_xml_schema(scan.schema, options));
    return GroupReader::Opener([store, options](const FileSplit& file, const column::Schema& own) {
      return open_xml(store, file.info, options, own);
    });
  }
  if (format == FileFormat::orc) {
    return GroupReader::Opener([store, zone = scan.time_zone, schema = scan.schema](
                                   const FileSplit& file, const column::Schema& own) {
      return open_orc(store, file.info, zone, schema, own);
    });
  }
  if (format == FileFormat::avro) {
    TRY_ASSIGN(const AvroOptions options, parse_avro_options(scan.options));
    return GroupReader::Opener(
        [store, options, schema = scan.schema](const FileSplit& file, const column::Schema& own) {
          return open_avro(store, file.info, options, schema, own);
        });
  }
  if (format == FileFormat::binary_file) {
    return GroupReader::Opener(
        [store](const FileSplit& file,
                const column::Schema& own) -> Result<std::unique_ptr<connector::BatchReader>> {
          if (file.info.size == 0)  // Spark has no row for it
            return std::unique_ptr<connector::BatchReader>(std::make_unique<NoRows>());
          return open_binary_file(store, file.info, own);
        });
  }
  TRY_ASSIGN(const TextOptions options, parse_text_options(scan.options));
  return GroupReader::Opener([store, options](const FileSplit& file, const column::Schema& own)
                                 -> Result<std::unique_ptr<connector::BatchReader>> {
    return open_text(store, file.info, options,
                     own.empty() ? std::string("value") : own.front().name);
  });
}

}  // namespace

Result<FileFormat> file_format(const std::string& name) {
  const std::string lower = to_lower(name);
  if (lower == "json" || lower == "org.apache.spark.sql.json") return FileFormat::json;
  if (lower == "parquet" || lower == "org.apache.spark.sql.parquet") return FileFormat::parquet;
  if (lower == "text") return FileFormat::text;
  if (lower == "csv" || lower == "org.apache.spark.sql.csv") return FileFormat::csv;
  if (lower == "binaryfile") return FileFormat::binary_file;
  if (lower == "xml" || lower == "com.databricks.spark.xml") return FileFormat::xml;
  if (lower == "orc" || lower == "org.apache.spark.sql.orc") return FileFormat::orc;
  if (lower == "avro" || lower == "com.databricks.spark.avro") return FileFormat::avro;
  return Status::unsupported(
      "files of the format '{}' are not supported by Millstream yet: json, parquet, orc, avro, "
      "csv, "
      "text, xml and binaryFile are",
      name);
}

const char* display_name(FileFormat format) {
  switch (format) {
    case FileFormat::json:
      return "JSON";
    case FileFormat::parquet:
      return "Parquet";
    case FileFormat::csv:
      return "CSV";
    case FileFormat::binary_file:
      return "BinaryFile";
    case FileFormat::xml:
      return "XML";
    case FileFormat::orc:
      return "ORC";
    case FileFormat::avro:
      return "Avro";
    default:
      return "Text";
  }
}

Status check_read_options(FileFormat format, const Options& options, const std::string& time_zone) {
  if (format == FileFormat::json) return parse_json_options(options, time_zone).status();
  if (format == FileFormat::text) return parse_text_options(options).status();
  if (format == FileFormat::csv) return parse_csv_options(options, time_zone).status();
  if (format == FileFormat::xml) return parse_xml_options(options, time_zone).status();
  if (format == FileFormat::orc) return check_orc_read_options(options);
  if (format == FileFormat::avro) return parse_avro_options(options).status();
  constexpr std::array<std::string_view, 7> known = {
      "mergeschema",        "datetimerebasemode", "int96rebasemode", "compression",
      "ignorecorruptfiles", "ignoremissingfiles", "timezone"};
  for (const auto& [name, entry] : options.entries()) {
    if (is_listing_option(name)) continue;
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      return Status::invalid("'{}' is not an option of the {} format", entry.name,
                             to_lower(display_name(format)));
    }
    if (name.ends_with("rebasemode") && equals_ignore_case(entry.value, "LEGACY")) {
      return Status::unsupported("the option '{}' takes CORRECTED or EXCEPTION, not LEGACY",
                                 entry.name);
    }
  }
  return Status::OK();
}

std::vector<std::vector<FileSplit>> group_files(std::vector<FileSplit> files) {
  std::int64_t total = 0;
  for (const auto& file : files) total += file.info.size;
  const auto parts = static_cast<std::int64_t>(shared_pool().size()) * 2;
  const std::int64_t share = std::max(group_bytes_min, total / parts + 1);
  std::vector<std::vector<FileSplit>> groups;
  std::int64_t taken = share;
  for (auto& file : files) {
    if (taken >= share) {
      groups.emplace_back();
      taken = 0;
    }
    taken += file.info.size;
    groups.back().push_back(std::move(file));
  }
  return groups;
}

Result<connector::Batches> scan_files(const std::shared_ptr<io::Store>& store, const FileScan& scan,
                                      std::vector<FileSplit> files) {
  TRY_ASSIGN(const FileFormat format, file_format(scan.format));
  TRY(check_read_options(format, scan.options, scan.time_zone));
  connector::Batches out;
  TRY_ASSIGN(out.schema, output_schema(scan, files));
  if (format == FileFormat::json) {
    auto json = std::make_shared<JsonScan>();
    json->schema = scan.schema;
    json->columns = scan.columns;
    TRY_ASSIGN(json->options, parse_json_options(scan.options, scan.time_zone));
    TRY(check_json_scan(*json));
    for (auto& group : group_files(std::move(files))) {
      out.partitions.push_back([store, json, group]() { return open_json(store, json, group); });
    }
    return out;
  }
  TRY_ASSIGN(const auto opener, opener_of(format, store, scan));
  SkipRules skip;
  TRY_ASSIGN(skip.corrupt, scan.options.get_bool("ignoreCorruptFiles", false));
  TRY_ASSIGN(skip.missing, scan.options.get_bool("ignoreMissingFiles", false));
  for (auto& group : group_files(std::move(files))) {
    out.partitions.push_back([group, schema = out.schema, opener,
                              skip]() -> Result<std::unique_ptr<connector::BatchReader>> {
      return std::unique_ptr<connector::BatchReader>(
          std::make_unique<GroupReader>(group, schema, opener, skip));
    });
  }
  return out;
}

}  // namespace millstream::format
