#include <arrow/array/util.h>
#include <arrow/io/interfaces.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <arrow/util/key_value_metadata.h>
#include <parquet/arrow/reader.h>
#include <parquet/arrow/schema.h>
#include <parquet/file_reader.h>
#include <parquet/metadata.h>
#include <parquet/properties.h>

#include <algorithm>

#include "format/arrow_status.h"
#include "format/byte_input.h"
#include "format/input_file.h"
#include "format/parquet.h"
#include "format/parquet_adapt.h"
#include "format/parquet_prune.h"
#include "format/parquet_time.h"

namespace millstream::format {
namespace {

Status bad_footer(const std::string& path, const std::string& why) {
  return Status::error("FAILED_READ_FILE.CANNOT_READ_FILE_FOOTER",
                       {{"path", io::to_file_uri(path)}})
      .with_cause(Status::io("{}", why));
}

Result<std::unique_ptr<parquet::ParquetFileReader>> open_file(
    const std::shared_ptr<io::Store>& store, const std::string& path) {
  TRY_ASSIGN(auto source, open_input_file(store, path));
  try {
    return parquet::ParquetFileReader::Open(std::move(source));
  } catch (const std::exception& error) {
    return bad_footer(path, error.what());
  }
}

parquet::ArrowReaderProperties reader_properties(std::int64_t batch_rows) {
  parquet::ArrowReaderProperties properties(/*use_threads=*/false);
  properties.set_batch_size(batch_rows);
  properties.set_coerce_int96_timestamp_unit(arrow::TimeUnit::MICRO);
  return properties;
}

class Reader final : public ParquetReader {
 public:
  Reader(std::string path, column::Schema wanted, ParquetReadOptions options)
      : wanted_(column::as_nullable(wanted)),
        arrow_schema_(column::to_arrow(wanted_)),
        options_(std::move(options)),
        rules_{{options_.case_sensitive, options_.by_field_id}, options_.promote, std::move(path)} {
  }

  Status prepare(std::unique_ptr<parquet::ParquetFileReader> file) {
    const auto footer = file->metadata();
    rows_ = footer->num_rows();
    auto made = parquet::arrow::FileReader::Make(arrow::default_memory_pool(), std::move(file),
                                                 reader_properties(options_.batch_rows));
    if (!made.ok()) return bad_footer(rules_.path, made.status().message());
    reader_ = std::move(*made);
    const auto& manifest = reader_->manifest();
    if (options_.by_field_id && !has_field_ids(manifest.schema_fields)) {
      return failed_read(rules_.path,
                         Status::io("its columns are wanted by field id, but it has no field ids"));
    }
    const auto groups =
        matching_row_groups(*footer, manifest, wanted_, rules_.match, options_.predicates);
    std::vector<int> leaves;
    for (const auto& field : wanted_) {
      const auto* found = find_member(manifest.schema_fields, field, rules_.match);
      if (found != nullptr) collect_leaves(*found, *field.type, rules_.match, leaves);
    }
    if (leaves.empty()) {
      for (const int group : groups) bare_rows_ += footer->RowGroup(group)->num_rows();
      return Status::OK();
    }
    std::sort(leaves.begin(), leaves.end());
    leaves.erase(std::unique(leaves.begin(), leaves.end()), leaves.end());
    auto batches = reader_->GetRecordBatchReader(groups, leaves);
    if (!batches.ok()) return failed_read(rules_.path, to_status(batches.status()));
    batches_ = std::move(*batches);
    return Status::OK();
  }

  std::int64_t rows() const override { return rows_; }

  Result<connector::RecordBatchPtr> next() override {
    if (batches_ == nullptr) return next_bare();
    try {
      auto read = batches_->Next();
      if (!read.ok()) return failed_read(rules_.path, to_status(read.status()));
      if (*read == nullptr) return connector::RecordBatchPtr();
      return fit(**read);
    } catch (const std::exception& error) {
      return failed_read(rules_.path, Status::io("{}", error.what()));
    }
  }

 private:
  // Rows of a file that has none of the wanted columns.
  Result<connector::RecordBatchPtr> next_bare() {
    if (bare_rows_ == 0) return connector::RecordBatchPtr();
    const std::int64_t count = std::min(bare_rows_, options_.batch_rows);
    bare_rows_ -= count;
    std::vector<std::shared_ptr<arrow::Array>> columns;
    for (const auto& field : arrow_schema_->fields()) {
      TRY_ARROW_ASSIGN(auto nulls, arrow::MakeArrayOfNull(field->type(), count));
      columns.push_back(std::move(nulls));
    }
    return arrow::RecordBatch::Make(arrow_schema_, count, std::move(columns));
  }

  Result<connector::RecordBatchPtr> fit(const arrow::RecordBatch& batch) const {
    std::vector<std::shared_ptr<arrow::Array>> columns;
    for (const auto& field : wanted_) {
      const auto* found = find_member(reader_->manifest().schema_fields, field, rules_.match);
      if (found == nullptr) {
        TRY_ARROW_ASSIGN(auto nulls,
                         arrow::MakeArrayOfNull(column::to_arrow(field.type), batch.num_rows()));
        columns.push_back(std::move(nulls));
        continue;
      }
      const auto array = batch.GetColumnByName(found->field->name());
      CHECK(array != nullptr);
      TRY_ASSIGN(auto fitted, adapt(array, field.type, field.name, rules_));
      columns.push_back(std::move(fitted));
    }
    return arrow::RecordBatch::Make(arrow_schema_, batch.num_rows(), std::move(columns));
  }

  const column::Schema wanted_;
  const std::shared_ptr<arrow::Schema> arrow_schema_;
  const ParquetReadOptions options_;
  const AdaptRules rules_;
  std::int64_t rows_ = 0;
  std::int64_t bare_rows_ = 0;
  std::unique_ptr<parquet::arrow::FileReader> reader_;
  std::shared_ptr<arrow::RecordBatchReader> batches_;  // after reader_: goes first
};

}  // namespace

Result<std::unique_ptr<ParquetReader>> ParquetReader::open(std::shared_ptr<io::Store> store,
                                                           std::string path, column::Schema wanted,
                                                           const ParquetReadOptions& options) {
  TRY_ASSIGN(auto file, open_file(store, path));
  auto reader = std::make_unique<Reader>(path, std::move(wanted), options);
  try {
    TRY(reader->prepare(std::move(file)));
  } catch (const std::exception& error) {
    return failed_read(path, Status::io("{}", error.what()));
  }
  return std::unique_ptr<ParquetReader>(std::move(reader));
}

Result<ParquetFooter> read_parquet_footer(const std::shared_ptr<io::Store>& store,
                                          const std::string& path) {
  TRY_ASSIGN(const auto file, open_file(store, path));
  try {
    const auto metadata = file->metadata();
    ParquetFooter footer;
    footer.rows = metadata->num_rows();
    if (const auto& notes = metadata->key_value_metadata(); notes != nullptr) {
      const auto spark = notes->Get("org.apache.spark.sql.parquet.row.metadata");
      if (spark.ok()) {
        auto schema = column::schema_from_json(*spark);
        if (schema.ok()) {
          footer.schema = column::as_nullable(*schema);
          return footer;
        }
      }
    }
    std::shared_ptr<arrow::Schema> schema;
    const auto status = parquet::arrow::FromParquetSchema(metadata->schema(), reader_properties(1),
                                                          nullptr, &schema);
    if (!status.ok()) return bad_footer(path, status.message());
    TRY(check_parquet_times(*metadata->schema()));
    auto converted = column::from_arrow(*spark_form(schema));
    if (!converted.ok()) return converted.status().at(io::to_file_uri(path));
    footer.schema = column::as_nullable(*converted);
    return footer;
  } catch (const std::exception& error) {
    return bad_footer(path, error.what());
  }
}

}  // namespace millstream::format
