// Writes Parquet files with Arrow's writer: streamed to a local file, or collected for another
// store.
#include <arrow/array.h>
#include <arrow/io/interfaces.h>
#include <arrow/record_batch.h>
#include <arrow/util/key_value_metadata.h>
#include <parquet/arrow/writer.h>
#include <parquet/file_writer.h>
#include <parquet/properties.h>

#include <algorithm>
#include <map>

#include "base/text.h"
#include "format/arrow_status.h"
#include "format/output_file.h"
#include "format/parquet.h"
#include "format/parquet_adapt.h"
#include "format/parquet_encoding.h"
#include "format/parquet_stats.h"
#include "format/parquet_time.h"

namespace millstream::format {
namespace {

constexpr const char* created_by = "Millstream version 0.1.0";
// Readers of Spark take a file of Spark 3 or later to hold proleptic Gregorian dates; ours does.
constexpr const char* spark_version = "4.2.0";
// Rows that Parquet's writer takes at a time; it looks at the size of the page between them.
constexpr std::int64_t write_batch_rows = 4096;

Result<parquet::Compression::type> codec_of(const std::string& name) {
  static const std::map<std::string, parquet::Compression::type> codecs = {
      {"none", parquet::Compression::UNCOMPRESSED},
      {"uncompressed", parquet::Compression::UNCOMPRESSED},
      {"snappy", parquet::Compression::SNAPPY},
      {"gzip", parquet::Compression::GZIP},
      {"zstd", parquet::Compression::ZSTD},
      {"lz4", parquet::Compression::LZ4},
      {"lz4_raw", parquet::Compression::LZ4},
      {"brotli", parquet::Compression::BROTLI},
  };
  const auto found = codecs.find(to_lower(name));
  if (found == codecs.end()) {
    return Status::error(
        "CODEC_NOT_AVAILABLE.WITH_AVAILABLE_CODECS_SUGGESTION",
        {{"codecName", name},
         {"availableCodecs", "brotli, uncompressed, lzo, snappy, lz4_raw, none, zstd, lz4, gzip"}});
  }
  return found->second;
}

std::shared_ptr<arrow::Field> with_field_id(const std::shared_ptr<arrow::Field>& field,
                                            const column::Field& noted);

// The type whose struct members have the ids that their notes say.
std::shared_ptr<arrow::DataType> with_field_ids(const std::shared_ptr<arrow::DataType>& type,
                                                const column::DataType& noted) {
  if (!noted.is_nested()) return type;
  arrow::FieldVector fields;
  for (std::size_t i = 0; i < noted.fields().size(); ++i) {
    const bool is_map = noted.kind() == column::TypeKind::map;
    const auto& holder = is_map ? type->field(0)->type() : type;  // of a map: its entries
    fields.push_back(with_field_id(holder->field(static_cast<int>(i)), noted.fields()[i]));
  }
  switch (noted.kind()) {
    case column::TypeKind::struct_:
      return arrow::struct_(std::move(fields));
    case column::TypeKind::array:
      return arrow::list(fields[0]);
    case column::TypeKind::map:
      return std::make_shared<arrow::MapType>(fields[0], fields[1]);
    default:
      return type;
  }
}

std::shared_ptr<arrow::Field> with_field_id(const std::shared_ptr<arrow::Field>& field,
                                            const column::Field& noted) {
  const auto out = field->WithType(with_field_ids(field->type(), *noted.type));
  const auto id = noted_field_id(noted);
  if (!id) return out;
  return out->WithMetadata(arrow::key_value_metadata({{"PARQUET:field_id", fmt::to_string(*id)}}));
}

std::shared_ptr<arrow::Schema> with_field_ids(const arrow::Schema& schema,
                                              const column::Schema& noted) {
  arrow::FieldVector fields;
  for (std::size_t i = 0; i < noted.size(); ++i)
    fields.push_back(with_field_id(schema.field(static_cast<int>(i)), noted[i]));
  return arrow::schema(std::move(fields));
}

class Writer final : public ParquetWriter {
 public:
  Writer(std::unique_ptr<OutputFile> file, column::Schema schema, ParquetWriteOptions options,
         parquet::Compression::type codec)
      : file_(std::move(file)),
        schema_(std::move(schema)),
        arrow_schema_(with_field_ids(*column::to_arrow(schema_), schema_)),
        file_schema_(parquet_form(arrow_schema_)),
        options_(std::move(options)),
        codec_(codec),
        stats_(schema_, options_) {}

  ~Writer() override {
    try {
      writer_.reset();
    } catch (...) {  // the file goes away in any case
    }
  }

  Status write(const connector::RecordBatchPtr& batch) override {
    if (batch->num_rows() == 0) return Status::OK();
    TRY_ASSIGN(const auto rows, conform(*batch));
    stats_.add(*rows);
    for (std::int64_t at = 0; at < rows->num_rows();) {
      const auto count = std::min(rows->num_rows() - at, options_.row_group_rows_max - group_rows_);
      TRY(add_to_group(count == rows->num_rows() ? rows : rows->Slice(at, count)));
      at += count;
    }
    return Status::OK();
  }

  std::int64_t bytes_so_far() const override {
    const auto flushed = file_->stream()->Tell();
    return (flushed.ok() ? *flushed : 0) +
           group_bytes_ / 3;  // encoding and codec save about so much
  }

  Result<ParquetFile> close() override {
    ParquetFile file;
    file.path = file_->path();
    const Status written = guarded([&]() -> Status {
      if (!group_.empty()) TRY(write_group());
      if (writer_ == nullptr) TRY(open_writer());
      TRY_ARROW(writer_->Close());
      const auto size = file_->stream()->Tell();
      TRY_ARROW(size.status());
      file.size = *size;
      file.rows = writer_->metadata()->num_rows();
      file.leaves = stats_.finish(*writer_->metadata());
      return Status::OK();
    });
    TRY(written);
    TRY(file_->close());
    return file;
  }

 private:
  // Arrow's and Parquet's exceptions end here, and every error names the file.
  template <typename Body>
  Status guarded(const Body& body) {
    Status status;
    try {
      status = body();
    } catch (const std::exception& error) {
      status = Status::io("{}", error.what());
    }
    return status.ok() ? status : status.at("writing " + file_->path());
  }

  // The batch with the writer's own types: the label of a time zone may differ.
  Result<connector::RecordBatchPtr> conform(const arrow::RecordBatch& batch) const {
    if (batch.num_columns() != arrow_schema_->num_fields()) {
      return Status::internal("a batch of {} columns for a Parquet file of {}", batch.num_columns(),
                              arrow_schema_->num_fields());
    }
    std::vector<std::shared_ptr<arrow::Array>> columns;
    for (int i = 0; i < batch.num_columns(); ++i) {
      auto column = batch.column(i);
      const auto& field = arrow_schema_->field(i);
      if (!column->type()->Equals(*field->type())) {
        auto viewed = column->View(field->type());
        if (!viewed.ok()) {
          return Status::internal("column {} of a Parquet file is {}, not {}", field->name(),
                                  column->type()->ToString(), field->type()->ToString());
        }
        column = *viewed;
      }
      if (!field->nullable() && column->null_count() > 0) {
        return Status::error("NOT_NULL_ASSERT_VIOLATION", {{"walkedTypePath", field->name()}});
      }
      columns.push_back(std::move(column));
    }
    return arrow::RecordBatch::Make(arrow_schema_, batch.num_rows(), std::move(columns));
  }

  Status add_to_group(connector::RecordBatchPtr rows) {
    group_rows_ += rows->num_rows();
    group_bytes_ += arrow_bytes(*rows);
    group_.push_back(std::move(rows));
    const bool full =
        group_bytes_ >= options_.row_group_bytes_max || group_rows_ >= options_.row_group_rows_max;
    return full ? guarded([&] { return write_group(); }) : Status::OK();
  }

  // A group is written column by column, each as a whole, so that no encoded page waits in memory
  // and a column's values can be looked at together.
  Status write_group() {
    if (writer_ == nullptr) TRY(open_writer());
    TRY_ARROW(writer_->NewRowGroup());
    std::vector<arrow::ArrayVector> columns;
    for (int i = 0; i < file_schema_->num_fields(); ++i) {
      auto& chunks = columns.emplace_back();
      for (const auto& rows : group_) {
        TRY_ASSIGN(auto chunk, in_parquet_form(rows->column(i), file_schema_->field(i)->type()));
        chunks.push_back(std::move(chunk));
      }
    }
    group_.clear();
    group_rows_ = 0;
    group_bytes_ = 0;
    for (int i = 0; i < file_schema_->num_fields(); ++i) {
      const auto& field = *file_schema_->field(i);
      arrow::ArrayVector chunks = std::move(columns[static_cast<std::size_t>(i)]);
      if (is_dictionary_text(field)) chunks = dictionary_chunks(chunks).value_or(chunks);
      TRY_ARROW(
          writer_->WriteColumnChunk(std::make_shared<arrow::ChunkedArray>(std::move(chunks))));
    }
    return Status::OK();
  }

  bool is_dictionary_text(const arrow::Field& field) const {
    const auto path = std::make_shared<parquet::schema::ColumnPath>(std::vector{field.name()});
    return field.type()->id() == arrow::Type::STRING && properties_->dictionary_enabled(path);
  }

  Status open_writer() {
    parquet::WriterProperties::Builder properties;
    properties.version(parquet::ParquetVersion::PARQUET_2_6)
        ->created_by(created_by)
        ->compression(codec_)
        ->max_row_group_length(options_.row_group_rows_max)
        ->data_pagesize(1 << 20)
        ->write_batch_size(write_batch_rows)
        ->disable_dictionary()
        ->enable_store_decimal_as_integer()
        ->set_size_statistics_level(parquet::SizeStatisticsLevel::None);
    const auto largest = std::max_element(
        group_.begin(), group_.end(),
        [](const auto& a, const auto& b) { return a->num_rows() < b->num_rows(); });
    if (largest != group_.end()) choose_encodings(**largest, codec_, properties);
    properties_ = properties.build();
    parquet::ArrowWriterProperties::Builder arrow_properties;
    arrow_properties.set_use_threads(false);
    auto writer =
        parquet::arrow::FileWriter::Open(*file_schema_, arrow::default_memory_pool(),
                                         file_->stream(), properties_, arrow_properties.build());
    TRY_ARROW(writer.status());
    writer_ = std::move(*writer);
    return to_status(writer_->AddKeyValueMetadata(arrow::key_value_metadata(
        {{"org.apache.spark.version", spark_version},
         {"org.apache.spark.sql.parquet.row.metadata", column::schema_to_json(schema_)}})));
  }

  const std::unique_ptr<OutputFile> file_;  // before writer_: goes last
  const column::Schema schema_;
  const std::shared_ptr<arrow::Schema> arrow_schema_;
  const std::shared_ptr<arrow::Schema> file_schema_;  // of what stands in the file
  const ParquetWriteOptions options_;
  const parquet::Compression::type codec_;
  std::unique_ptr<parquet::arrow::FileWriter> writer_;
  std::shared_ptr<parquet::WriterProperties> properties_;  // of writer_
  std::vector<connector::RecordBatchPtr> group_;           // rows of the group that is not full
  std::int64_t group_rows_ = 0;
  std::int64_t group_bytes_ = 0;
  StatsCollector stats_;
};

}  // namespace

Result<std::unique_ptr<ParquetWriter>> ParquetWriter::open(std::shared_ptr<io::Store> store,
                                                           std::string path, column::Schema schema,
                                                           const ParquetWriteOptions& options) {
  TRY_ASSIGN(const auto codec, codec_of(options.compression));
  TRY_ASSIGN(auto file, OutputFile::create(std::move(store), std::move(path)));
  return std::unique_ptr<ParquetWriter>(
      std::make_unique<Writer>(std::move(file), std::move(schema), options, codec));
}

}  // namespace millstream::format
