#include "format/json_reader.h"

#include <arrow/array.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include <algorithm>
#include <cstring>
#include <optional>

#include "base/text.h"
#include "format/byte_input.h"
#include "format/json_blocks.h"
#include "format/json_rows.h"

namespace millstream::format {
namespace {

bool is_special(const JsonScan& scan, std::string_view name) {
  return name == scan.options.corrupt_column ||
         (!scan.options.rescued_column.empty() && name == scan.options.rescued_column);
}

Status check_type(const column::DataType& type, std::string_view column) {
  using column::TypeKind;
  switch (type.kind()) {
    case TypeKind::calendar_interval:
      return Status::error("UNSUPPORTED_DATA_TYPE_FOR_DATASOURCE",
                           {{"format", "JSON"},
                            {"columnName", "`" + std::string(column) + "`"},
                            {"columnType", "\"" + type.sql() + "\""}});
    case TypeKind::variant:
      return Status::unsupported(
          "reading the type {} of column '{}' from json is not supported by Millstream yet",
          type.sql(), column);
    case TypeKind::map:
      if (!type.key()->is_string()) {
        return Status::unsupported("json has no maps with keys of type {} (column '{}')",
                                   type.key()->sql(), column);
      }
      [[fallthrough]];
    case TypeKind::array:
    case TypeKind::struct_:
      for (const auto& field : type.fields()) TRY(check_type(*field.type, column));
      return Status::OK();
    default:
      return Status::OK();
  }
}

// Where a column of the batches comes from.
struct OutputColumn {
  enum class From : std::uint8_t {
    record,
    corrupt,
    rescued,
    metadata,
    constant
  } from = From::record;
  std::size_t index =
      0;  // of the record's fields; of a constant: where it comes from in files that do not have it
};

constexpr std::size_t nowhere = static_cast<std::size_t>(-1);

const ConstantColumn* find_constant(const FileSplit& file, std::string_view name) {
  for (const auto& constant : file.constants) {
    if (constant.field.name == name) return &constant;
  }
  return nullptr;
}

const ConstantColumn* find_constant(const std::vector<FileSplit>& files, std::string_view name) {
  for (const auto& file : files) {
    if (const auto* constant = find_constant(file, name)) return constant;
  }
  return nullptr;
}

class JsonReader final : public connector::BatchReader {
 public:
  JsonReader(std::shared_ptr<io::Store> store, std::shared_ptr<const JsonScan> scan,
             std::vector<FileSplit> files)
      : store_(std::move(store)), scan_(std::move(scan)), files_(std::move(files)) {}

  Status prepare() {
    TRY_ASSIGN(schema_, json_output_schema(*scan_, files_));
    arrow_schema_ = column::to_arrow(schema_);
    JsonRowSettings settings;
    settings.options = scan_->options;
    for (const auto& field : scan_->schema) {
      if (field.name == scan_->options.corrupt_column) settings.has_corrupt_column = true;
      if (is_special(*scan_, field.name)) continue;
      settings.fields.push_back(field);
      settings.wanted.push_back(false);
    }
    for (const auto& name : scan_->columns) {
      OutputColumn column;
      TRY_ASSIGN(column, find_output(name, settings));
      output_.push_back(column);
      per_file_ = per_file_ || column.from == OutputColumn::From::metadata ||
                  column.from == OutputColumn::From::constant;
    }
    if (settings.fill_corrupt || settings.fill_rescued)
      settings.wanted.assign(settings.wanted.size(), true);
    if (scan_->on_unknown_fields) {
      // Unknown members of structs are seen only where the structs are read.
      for (std::size_t i = 0; i < settings.fields.size(); ++i) {
        if (settings.fields[i].type->is_nested()) settings.wanted[i] = true;
      }
      settings.on_unknown = [this](const std::string& rescued) -> Status {
        Status status = scan_->on_unknown_fields({files_[file_].info.path, rescued});
        stopped_by_caller_ = !status.ok();
        return status;
      };
    }
    TRY_ASSIGN(rows_, JsonRows::make(std::move(settings)));
    return Status::OK();
  }

  Result<connector::RecordBatchPtr> next() override {
    for (;;) {
      if (input_ == nullptr) {
        if (file_ == files_.size())
          return rows_->rows() > 0 ? emit() : Result<connector::RecordBatchPtr>(nullptr);
        TRY(open_file());
        continue;
      }
      bool ended = false;
      Status status = blocks_.read(*input_, scan_->options, *rows_, ended);
      if (!status.ok()) {
        TRY(handle(status));
        ended = true;
      }
      const bool full =
          rows_->rows() >= scan_->batch_rows_max || rows_->data_bytes() >= scan_->batch_bytes_max;
      connector::RecordBatchPtr batch;
      if (rows_->rows() > 0 && (full || (ended && per_file_))) {
        TRY_ASSIGN(batch, emit());
      }
      if (ended) close_file();
      if (batch != nullptr) return batch;
    }
  }

 private:
  Result<OutputColumn> find_output(const std::string& name, JsonRowSettings& settings) const {
    using From = OutputColumn::From;
    const int field = column::find_field(settings.fields, name);
    const auto index = field < 0 ? nowhere : static_cast<std::size_t>(field);
    if (find_constant(files_, name) != nullptr) {
      const auto lacks_it = [&](const FileSplit& file) {
        return find_constant(file, name) == nullptr;
      };
      if (field >= 0 && std::any_of(files_.begin(), files_.end(), lacks_it))
        settings.wanted[index] = true;
      return OutputColumn{From::constant, index};
    }
    if (column::find_field(scan_->schema, name) >= 0) {
      if (name == scan_->options.corrupt_column) {
        settings.fill_corrupt = true;
        return OutputColumn{From::corrupt, 0};
      }
      if (is_special(*scan_, name)) {
        settings.fill_rescued = true;
        return OutputColumn{From::rescued, 0};
      }
      settings.wanted[index] = true;
      return OutputColumn{From::record, index};
    }
    CHECK(name == metadata_column);
    return OutputColumn{From::metadata, 0};
  }

  Status open_file() {
    const auto& path = files_[file_].info.path;
    auto opened = open_bytes(store_, path);
    if (!opened.ok()) {
      TRY(handle(opened.status()));
      close_file();
      return Status::OK();
    }
    input_ = std::move(opened).value();
    rows_->begin_file(path);
    blocks_.begin(files_[file_].info);
    return Status::OK();
  }

  void close_file() {
    input_.reset();
    ++file_;
  }

  // A failure of the current file: nothing when the options say that the file is to be left there,
  // or the error.
  Status handle(const Status& status) {
    if (stopped_by_caller_) return status;
    const auto& path = files_[file_].info.path;
    const bool missing = status.is(ErrorKind::file_not_found);
    if (status.is(ErrorKind::unsupported_operation)) return status;
    // A record that FAILFAST refuses does not make the file a corrupt one.
    const bool refused = status.is("MALFORMED_RECORD_IN_PARSING.WITHOUT_SUGGESTION");
    const bool ignored =
        missing ? scan_->options.ignore_missing_files
                : scan_->options.ignore_corrupt_files && !refused && !is_denied(status);
    if (!ignored) return failed_read(path, status);
    if (scan_->on_skipped_file) scan_->on_skipped_file(path, missing);
    return Status::OK();
  }

  static bool is_denied(const Status& status) {
    return status.message().find(std::strerror(EACCES)) != std::string::npos;
  }

  Result<connector::RecordBatchPtr> emit() {
    using From = OutputColumn::From;
    const std::int64_t count = rows_->rows();
    const auto columns = rows_->finish();
    const std::size_t fields = columns.size() - 2;
    std::vector<std::shared_ptr<arrow::Array>> arrays;
    for (std::size_t i = 0; i < output_.size(); ++i) {
      const OutputColumn& column = output_[i];
      std::shared_ptr<arrow::Array> array;
      switch (column.from) {
        case From::record:
          array = columns[column.index];
          break;
        case From::corrupt:
          array = columns[fields];
          break;
        case From::rescued:
          array = columns[fields + 1];
          break;
        case From::metadata: {
          TRY_ASSIGN(array, file_metadata_array(files_[file_].info, count));
          break;
        }
        case From::constant: {
          const ConstantColumn null_column{schema_[i], nullptr};
          const auto* constant = find_constant(files_[file_], schema_[i].name);
          const bool from_record =
              constant == nullptr && column.index != nowhere && columns[column.index] != nullptr;
          if (from_record) {
            array = columns[column.index];
          } else {
            TRY_ASSIGN(array, constant_array(constant != nullptr ? *constant : null_column, count));
          }
          break;
        }
      }
      arrays.push_back(std::move(array));
    }
    return arrow::RecordBatch::Make(arrow_schema_, count, std::move(arrays));
  }

  const std::shared_ptr<io::Store> store_;
  const std::shared_ptr<const JsonScan> scan_;
  const std::vector<FileSplit> files_;
  column::Schema schema_;
  std::shared_ptr<arrow::Schema> arrow_schema_;
  std::vector<OutputColumn> output_;
  bool per_file_ = false;
  std::unique_ptr<JsonRows> rows_;

  std::size_t file_ = 0;
  std::unique_ptr<ByteInput> input_;  // of files_[file_]
  JsonBlocks blocks_;
  bool stopped_by_caller_ = false;
};

}  // namespace

Result<column::Schema> json_output_schema(const JsonScan& scan,
                                          const std::vector<FileSplit>& files) {
  column::Schema out;
  for (const auto& name : scan.columns) {
    const ConstantColumn* constant = find_constant(files, name);
    const int index = column::find_field(scan.schema, name);
    if (constant != nullptr) {
      out.push_back(constant->field);
    } else if (index >= 0) {
      const auto& field = scan.schema[static_cast<std::size_t>(index)];
      out.push_back({field.name, column::as_nullable(field.type), true, field.metadata});
    } else if (name == metadata_column) {
      out.push_back(file_metadata_field());
    } else {
      return Status::internal("the json reader was asked for the column '{}' that it does not have",
                              name);
    }
  }
  return out;
}

Status check_json_scan(const JsonScan& scan) {
  for (const auto& field : scan.schema) {
    TRY(check_type(*field.type, field.name));
    if (!is_special(scan, field.name)) continue;
    if (field.type->kind() != column::TypeKind::string || !field.nullable) {
      return Status::error("INVALID_CORRUPT_RECORD_TYPE",
                           {{"columnName", "`" + field.name + "`"},
                            {"actualType", "\"" + field.type->sql() + "\""}});
    }
  }
  return Status::OK();
}

Result<std::unique_ptr<connector::BatchReader>> open_json(std::shared_ptr<io::Store> store,
                                                          std::shared_ptr<const JsonScan> scan,
                                                          std::vector<FileSplit> files) {
  TRY(check_json_scan(*scan));
  auto reader = std::make_unique<JsonReader>(std::move(store), std::move(scan), std::move(files));
  TRY(reader->prepare());
  return std::unique_ptr<connector::BatchReader>(std::move(reader));
}

}  // namespace millstream::format
