// Writes Avro's container files.
#include <arrow/array.h>
#include <arrow/io/interfaces.h>
#include <arrow/record_batch.h>

#include "avro/bytes.h"
#include "avro/encode.h"
#include "base/random.h"
#include "format/arrow_status.h"
#include "format/avro_file.h"
#include "format/output_file.h"

namespace millstream::format {
namespace {

constexpr std::size_t block_bytes = 64'000;
// Readers of Spark take a file of Spark 3 or later to hold proleptic Gregorian dates; ours does.
constexpr const char* spark_version = "4.2.0";

Status failed_write(const std::string& path, const Status& cause) {
  ErrorInfo info = Status::error("TASK_WRITE_FAILED", {{"path", io::to_text(path)}}).info();
  info.message += "\nCaused by: " + cause.message();
  return Status(std::move(info)).with_cause(cause);
}

class AvroSink final : public FileSink {
 public:
  AvroSink(std::unique_ptr<OutputFile> file, std::unique_ptr<avro::Encoder> encoder,
           AvroCodec codec, std::string sync)
      : file_(std::move(file)),
        encoder_(std::move(encoder)),
        codec_(std::move(codec)),
        sync_(std::move(sync)) {}

  Status begin(const avro::Schema& schema) {
    std::string header("Obj\1", 4);
    avro::append_long(3, header);
    for (const auto& [key, value] :
         {std::pair<std::string_view, std::string_view>("avro.schema", schema.text()),
          {"org.apache.spark.version", spark_version},
          {"avro.codec", codec_.name}}) {
      avro::append_bytes(key, header);
      avro::append_bytes(value, header);
    }
    header += '\0';
    return put(header + sync_);
  }

  Status write(const connector::RecordBatchPtr& batch) override {
    TRY_ARROW_ASSIGN(const auto rows, batch->ToStructArray());
    for (std::int64_t row = 0; row < rows->length(); ++row) {
      const Status encoded = encoder_->encode(*rows, row, block_);
      if (!encoded.ok()) return failed_write(file_->path(), encoded);
      ++block_rows_;
      if (block_.size() >= block_bytes) TRY(flush());
    }
    return Status::OK();
  }

  Status close() override {
    TRY(flush());
    return file_->close();
  }

 private:
  Status flush() {
    if (block_rows_ == 0) return Status::OK();
    TRY_ASSIGN(const auto packed, avro_compress(codec_, block_));
    std::string head;
    avro::append_long(block_rows_, head);
    avro::append_long(static_cast<std::int64_t>(packed.size()), head);
    block_.clear();
    block_rows_ = 0;
    return put(head + packed + sync_);
  }

  Status put(const std::string& bytes) {
    return to_status(file_->stream()->Write(bytes.data(), static_cast<std::int64_t>(bytes.size())));
  }

  const std::unique_ptr<OutputFile> file_;
  const std::unique_ptr<avro::Encoder> encoder_;
  const AvroCodec codec_;
  const std::string sync_;
  std::string block_;
  std::int64_t block_rows_ = 0;
};

class AvroFactory final : public FileSinkFactory {
 public:
  AvroFactory(column::Schema columns, std::shared_ptr<const avro::Schema> schema,
              AvroOptions options)
      : columns_(std::move(columns)), schema_(std::move(schema)), options_(std::move(options)) {}

  std::string extension() const override {
    const auto& codec = options_.codec.name;
    return codec == "null" ? ".avro" : "." + codec + ".avro";
  }

  Result<std::unique_ptr<avro::Encoder>> encoder() const {
    avro::EncodeRules rules;
    rules.positional = options_.positional;
    return avro::Encoder::make(schema_, column::struct_type(columns_), rules);
  }

  Result<std::unique_ptr<FileSink>> open(const std::shared_ptr<io::Store>& store,
                                         const std::string& path) const override {
    auto planned = encoder();
    if (!planned.ok()) return failed_write(path, planned.status());
    TRY_ASSIGN(auto file, OutputFile::create(store, path));
    auto sink = std::make_unique<AvroSink>(std::move(file), std::move(*planned), options_.codec,
                                           new_uuid().substr(0, 16));
    TRY(sink->begin(*schema_));
    return std::unique_ptr<FileSink>(std::move(sink));
  }

 private:
  const column::Schema columns_;
  const std::shared_ptr<const avro::Schema> schema_;
  const AvroOptions options_;
};

Status check_type(const column::Field& column, const column::DataType& type) {
  using column::TypeKind;
  if (type.kind() == TypeKind::calendar_interval || type.kind() == TypeKind::variant) {
    return Status::error("UNSUPPORTED_DATA_TYPE_FOR_DATASOURCE",
                         {{"format", "Avro"},
                          {"columnName", "`" + column.name + "`"},
                          {"columnType", "\"" + column.type->sql() + "\""}});
  }
  if (type.kind() == TypeKind::struct_ && type.fields().empty())
    return Status::error("EMPTY_SCHEMA_NOT_SUPPORTED_FOR_DATASOURCE", {{"format", "Avro"}});
  for (const auto& field : type.fields()) TRY(check_type(column, *field.type));
  return Status::OK();
}

// What Avro takes for a name is no more than letters, digits and '_'.
Status check_name(const std::string& name) {
  const auto is_letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  bool fits = !name.empty() && is_letter(name[0]);
  for (const char c : name) fits = fits && (is_letter(c) || (c >= '0' && c <= '9'));
  if (fits) return Status::OK();
  return Status::error("INVALID_COLUMN_NAME_AS_PATH",
                       {{"datasource", "AvroFileFormat"}, {"columnName", "`" + name + "`"}});
}

}  // namespace

Result<std::shared_ptr<const FileSinkFactory>> make_avro_factory(const column::Schema& schema,
                                                                 const Options& options) {
  TRY_ASSIGN(auto avro, parse_avro_write_options(options));
  if (schema.empty())
    return Status::error("EMPTY_SCHEMA_NOT_SUPPORTED_FOR_DATASOURCE", {{"format", "Avro"}});
  for (const auto& column : schema) {
    TRY(check_name(column.name));
    TRY(check_type(column, *column.type));
  }
  auto written = avro.schema;
  if (written == nullptr) {
    TRY_ASSIGN(const auto text, avro::to_avro_schema(column::struct_type(schema), false,
                                                     avro.record_name, avro.record_namespace));
    TRY_ASSIGN(written, avro::Schema::parse(text));
  }
  return std::shared_ptr<const FileSinkFactory>(
      std::make_shared<AvroFactory>(schema, std::move(written), std::move(avro)));
}

}  // namespace millstream::format
