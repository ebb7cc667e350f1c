#include <arrow/adapters/orc/adapter.h>
#include <arrow/array.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include "base/text.h"
#include "format/arrow_status.h"
#include "format/orc.h"
#include "format/orc_adapt.h"
#include "format/output_file.h"

namespace millstream::format {
namespace {

namespace orc = arrow::adapters::orc;

struct Codec {
  arrow::Compression::type type = arrow::Compression::UNCOMPRESSED;
  std::string name;  // as files have it; empty: none
};

Result<Codec> codec_of(const Options& options) {
  const std::string given = options.get("compression", options.get("orc.compress", "zstd"));
  const std::string name = to_lower(given);
  if (name == "none" || name == "uncompressed") return Codec{};
  if (name == "snappy") return Codec{arrow::Compression::SNAPPY, name};
  if (name == "zlib") return Codec{arrow::Compression::GZIP, name};
  if (name == "zstd") return Codec{arrow::Compression::ZSTD, name};
  if (name == "lz4") return Codec{arrow::Compression::LZ4, name};
  if (name == "lzo" || name == "brotli") {
    return Status::unsupported(
        "writing ORC files with compression '{}' is not supported by Millstream yet", name);
  }
  return Status::error(
      "CODEC_NOT_AVAILABLE.WITH_AVAILABLE_CODECS_SUGGESTION",
      {{"codecName", name},
       {"availableCodecs", "brotli, uncompressed, lz4, lzo, snappy, zlib, none, zstd"}});
}

class OrcSink final : public FileSink {
 public:
  OrcSink(std::unique_ptr<OutputFile> file, column::Schema schema, OrcRules rules)
      : file_(std::move(file)), schema_(std::move(schema)), rules_(std::move(rules)) {
    arrow::FieldVector fields;
    for (const auto& field : schema_) fields.push_back(orc_field(field));
    arrow_schema_ = arrow::schema(fields);
  }
  ~OrcSink() override {
    try {
      writer_.reset();
    } catch (...) {  // the file goes away in any case
    }
  }

  Status open(const Codec& codec) {
    orc::WriteOptions options;
    options.compression = codec.type;
    options.compression_block_size = 256 << 10;
    return guarded([&]() -> Status {
      TRY_ARROW_ASSIGN(writer_, orc::ORCFileWriter::Open(file_->stream().get(), options));
      return Status::OK();
    });
  }

  Status write(const connector::RecordBatchPtr& batch) override {
    std::vector<std::shared_ptr<arrow::Array>> columns;
    for (std::size_t i = 0; i < schema_.size(); ++i) {
      TRY_ASSIGN(auto column, to_orc(batch->column(static_cast<int>(i)), schema_[i].type, rules_));
      columns.push_back(std::move(column));
    }
    any_ = true;
    const auto rows =
        arrow::RecordBatch::Make(arrow_schema_, batch->num_rows(), std::move(columns));
    return guarded([&] { return to_status(writer_->Write(*rows)); });
  }

  Status close() override {
    if (!any_) {  // the schema is there to read without rows too
      TRY_ARROW_ASSIGN(const auto none, arrow::RecordBatch::MakeEmpty(arrow_schema_));
      TRY(guarded([&] { return to_status(writer_->Write(*none)); }));
    }
    TRY(guarded([&] { return to_status(writer_->Close()); }));
    return file_->close();
  }

 private:
  // The library's exceptions end here, and every error names the file.
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

  const std::unique_ptr<OutputFile> file_;  // before writer_: goes last
  const column::Schema schema_;
  const OrcRules rules_;
  std::shared_ptr<arrow::Schema> arrow_schema_;
  std::unique_ptr<orc::ORCFileWriter> writer_;
  bool any_ = false;
};

class OrcFactory final : public FileSinkFactory {
 public:
  OrcFactory(column::Schema schema, Codec codec, OrcRules rules)
      : schema_(std::move(schema)), codec_(std::move(codec)), rules_(std::move(rules)) {}

  std::string extension() const override {
    return codec_.name.empty() ? ".orc" : "." + codec_.name + ".orc";
  }

  Result<std::unique_ptr<FileSink>> open(const std::shared_ptr<io::Store>& store,
                                         const std::string& path) const override {
    TRY_ASSIGN(auto file, OutputFile::create(store, path));
    auto sink = std::make_unique<OrcSink>(std::move(file), schema_, rules_);
    TRY(sink->open(codec_));
    return std::unique_ptr<FileSink>(std::move(sink));
  }

 private:
  const column::Schema schema_;
  const Codec codec_;
  const OrcRules rules_;
};

Status check_type(const column::Field& column, const column::DataType& type) {
  using column::TypeKind;
  if (type.kind() == TypeKind::null || type.kind() == TypeKind::calendar_interval ||
      type.kind() == TypeKind::variant) {
    return Status::error("UNSUPPORTED_DATA_TYPE_FOR_DATASOURCE",
                         {{"format", "ORC"},
                          {"columnName", "`" + column.name + "`"},
                          {"columnType", "\"" + column.type->sql() + "\""}});
  }
  if (type.kind() == TypeKind::struct_ && type.fields().empty())
    return Status::error("EMPTY_SCHEMA_NOT_SUPPORTED_FOR_DATASOURCE", {{"format", "ORC"}});
  for (const auto& field : type.fields()) TRY(check_type(column, *field.type));
  return Status::OK();
}

}  // namespace

Result<std::shared_ptr<const FileSinkFactory>> make_orc_factory(const column::Schema& schema,
                                                                const Options& options,
                                                                const std::string& time_zone) {
  TRY(check_orc_read_options(options));
  TRY_ASSIGN(auto codec, codec_of(options));
  if (schema.empty())
    return Status::error("EMPTY_SCHEMA_NOT_SUPPORTED_FOR_DATASOURCE", {{"format", "ORC"}});
  for (const auto& column : schema) TRY(check_type(column, *column.type));
  OrcRules rules;
  TRY_ASSIGN(rules.zone, TimeZone::find(time_zone));
  return std::shared_ptr<const FileSinkFactory>(std::make_shared<OrcFactory>(
      column::as_nullable(schema), std::move(codec), std::move(rules)));
}

}  // namespace millstream::format
