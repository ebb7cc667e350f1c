#include "format/csv_reader.h"

#include <arrow/array.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include <algorithm>

#include "base/text.h"
#include "format/byte_input.h"
#include "format/csv_records.h"
#include "format/csv_values.h"

namespace millstream::format {
namespace {

constexpr std::int64_t batch_rows_max = 16 << 10;
constexpr std::int64_t batch_bytes_max = 16 << 20;

class CsvReader final : public connector::BatchReader {
 public:
  CsvReader(std::unique_ptr<ByteInput> input, const CsvOptions& options, CsvValues values,
            const column::Schema& schema, const column::Schema& own)
      : options_(options), records_(std::move(input), options), values_(std::move(values)) {
    for (const auto& field : schema) {
      if (field.name == options.corrupt_column) continue;
      const int wanted = column::find_field(own, field.name);
      fields_.push_back({field.name, wanted});
    }
    for (const auto& field : own) {
      columns_.emplace_back(field.name, field.type);
      if (field.name == options.corrupt_column) corrupt_ = static_cast<int>(columns_.size()) - 1;
    }
    const auto data = columns_.size() - (corrupt_ < 0 ? 0 : 1);
    checks_count_ = corrupt_ >= 0 || data == fields_.size();
    schema_ = column::to_arrow(column::as_nullable(own));
  }

  Result<connector::RecordBatchPtr> next() override {
    std::int64_t bytes = 0;
    while (!ended_ && row_ < batch_rows_max && bytes < batch_bytes_max) {
      TRY_ASSIGN(const bool found, records_.next());
      if (!found) {
        ended_ = true;
        break;
      }
      if (options_.header && !header_seen_) {
        header_seen_ = true;
        TRY(check_header());
        continue;
      }
      bytes += static_cast<std::int64_t>(records_.text().size());
      TRY(add_record());
    }
    if (row_ == 0) return connector::RecordBatchPtr();
    std::vector<std::shared_ptr<arrow::Array>> arrays;
    for (JsonColumn& column : columns_) arrays.push_back(column.finish(row_));
    auto batch = arrow::RecordBatch::Make(schema_, row_, std::move(arrays));
    row_ = 0;
    return batch;
  }

 private:
  struct Place {
    std::string name;
    int column;  // of columns_; -1: not wanted
  };

  Status check_header() const {
    if (options_.enforce_schema) return Status::OK();
    const auto& names = records_.tokens();
    bool same = names.size() == fields_.size();
    for (std::size_t i = 0; same && i < names.size(); ++i)
      same = equals_ignore_case(names[i].text, fields_[i].name);
    if (same) return Status::OK();
    return Status::invalid("CSV header does not conform to the schema: {}", records_.text());
  }

  Status add_record() {
    const auto& tokens = records_.tokens();
    bool bad = checks_count_ && tokens.size() != fields_.size();
    const std::size_t count = std::min(tokens.size(), fields_.size());
    for (std::size_t i = 0; i < count; ++i) {
      if (fields_[i].column < 0 || tokens[i].is_null) continue;
      JsonColumn& column = columns_[static_cast<std::size_t>(fields_[i].column)];
      bad = !values_.set(column, row_, tokens[i].text) || bad;
    }
    if (!bad) {
      ++row_;
      return Status::OK();
    }
    if (options_.mode == ParseMode::fail_fast) {
      return Status::error("MALFORMED_RECORD_IN_PARSING.WITHOUT_SUGGESTION",
                           {{"badRecord", std::string(records_.text().substr(0, 4096))},
                            {"failFastMode", "FAILFAST"}});
    }
    if (options_.mode == ParseMode::drop_malformed) {
      for (JsonColumn& column : columns_) column.forget_from(row_);
      return Status::OK();
    }
    if (corrupt_ >= 0)
      columns_[static_cast<std::size_t>(corrupt_)].set_string(row_, records_.text());
    ++row_;
    return Status::OK();
  }

  const CsvOptions options_;
  CsvRecords records_;
  const CsvValues values_;
  std::vector<Place> fields_;  // of the file
  std::vector<JsonColumn> columns_;
  int corrupt_ = -1;
  bool checks_count_ = false;
  std::shared_ptr<arrow::Schema> schema_;
  std::int64_t row_ = 0;
  bool header_seen_ = false;
  bool ended_ = false;
};

}  // namespace

Status check_csv_types(const column::Schema& schema) {
  using column::TypeKind;
  for (const auto& field : schema) {
    const TypeKind kind = field.type->kind();
    if (!field.type->is_nested() && kind != TypeKind::variant && kind != TypeKind::null &&
        kind != TypeKind::calendar_interval)
      continue;
    return Status::error("UNSUPPORTED_DATA_TYPE_FOR_DATASOURCE",
                         {{"format", "CSV"},
                          {"columnName", "`" + field.name + "`"},
                          {"columnType", "\"" + field.type->sql() + "\""}});
  }
  return Status::OK();
}

Status check_csv_schema(const column::Schema& schema, const CsvOptions& options) {
  TRY(check_csv_types(schema));
  for (const auto& field : schema) {
    if (field.name == options.corrupt_column && (!field.type->is_string() || !field.nullable)) {
      return Status::error("INVALID_CORRUPT_RECORD_TYPE",
                           {{"columnName", "`" + field.name + "`"},
                            {"actualType", "\"" + field.type->sql() + "\""}});
    }
  }
  return Status::OK();
}

Result<std::unique_ptr<connector::BatchReader>> open_csv(const std::shared_ptr<io::Store>& store,
                                                         const io::FileInfo& file,
                                                         const CsvOptions& options,
                                                         const column::Schema& schema,
                                                         const column::Schema& own) {
  TRY_ASSIGN(auto input, open_bytes(store, file.path));
  TRY_ASSIGN(auto values, CsvValues::make(options));
  return std::unique_ptr<connector::BatchReader>(
      std::make_unique<CsvReader>(std::move(input), options, std::move(values), schema, own));
}

}  // namespace millstream::format
