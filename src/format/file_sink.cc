#include "format/file_sink.h"

#include <arrow/array.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <fcntl.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "base/text.h"
#include "format/avro_file.h"
#include "format/csv_reader.h"
#include "format/csv_text.h"
#include "format/interval_text.h"
#include "format/json_options.h"
#include "format/json_text.h"
#include "format/orc.h"
#include "format/parquet.h"
#include "format/xml_reader.h"
#include "format/xml_text.h"

namespace millstream::format {
namespace {

constexpr std::size_t flush_bytes = 1 << 20;

Status refuse_unknown(const char* format, const Options& options, const auto& known) {
  for (const auto& [name, entry] : options.entries()) {
    if (name == "path" || std::find(known.begin(), known.end(), name) != known.end()) continue;
    return Status::invalid("'{}' is not an option that the {} writer takes", entry.name, format);
  }
  return Status::OK();
}

// Text, compressed or not, streamed into a file.
class TextOutput {
 public:
  TextOutput(std::shared_ptr<io::Store> store, std::string path, bool gzip)
      : store_(std::move(store)), path_(std::move(path)), gzip_(gzip) {}
  ~TextOutput() {
    if (gzip_started_) deflateEnd(&stream_);
    if (fd_ >= 0) ::close(fd_);
  }

  Status open() {
    if (gzip_) {
      CHECK(deflateInit2(&stream_, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 15 + 16, 8,
                         Z_DEFAULT_STRATEGY) == Z_OK);
      gzip_started_ = true;
    }
    if (!store_->is_local(path_)) {
      TRY_ASSIGN(upload_, store_->upload(path_));
      return Status::OK();
    }
    TRY(store_->make_directories(std::string(io::parent_path(path_))));
    fd_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    return fd_ < 0 ? failed("creating") : Status::OK();
  }

  Status append(std::string_view text) {
    return gzip_ ? deflate_into(text, Z_NO_FLUSH) : write(text);
  }

  Status close() {
    if (gzip_) TRY(deflate_into({}, Z_FINISH));
    if (upload_ != nullptr) return upload_->close();
    if (::fsync(fd_) != 0) return failed("syncing");
    ::close(fd_);
    fd_ = -1;
    return Status::OK();
  }

 private:
  Status failed(const char* doing) const {
    return Status::io("{} {}: {}", doing, path_, std::strerror(errno));
  }

  Status write(std::string_view text) {
    if (upload_ != nullptr) return upload_->write(text);
    while (!text.empty()) {
      const ssize_t done = ::write(fd_, text.data(), text.size());
      if (done < 0) {
        if (errno == EINTR) continue;
        return failed("writing");
      }
      text.remove_prefix(static_cast<std::size_t>(done));
    }
    return Status::OK();
  }

  Status deflate_into(std::string_view text, int flush) {
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
    stream_.avail_in = static_cast<uInt>(text.size());
    std::array<char, 64 << 10> buffer;
    do {
      stream_.next_out = reinterpret_cast<Bytef*>(buffer.data());
      stream_.avail_out = static_cast<uInt>(buffer.size());
      CHECK(deflate(&stream_, flush) != Z_STREAM_ERROR);
      TRY(write({buffer.data(), buffer.size() - stream_.avail_out}));
    } while (stream_.avail_out == 0);
    return Status::OK();
  }

  const std::shared_ptr<io::Store> store_;
  const std::string path_;
  const bool gzip_;
  bool gzip_started_ = false;
  z_stream stream_{};
  int fd_ = -1;
  std::unique_ptr<io::Upload> upload_;  // where the store is not this machine's disk
};

class LineSink : public FileSink {
 public:
  LineSink(std::unique_ptr<TextOutput> output, std::string separator)
      : output_(std::move(output)), separator_(std::move(separator)) {}

  Status write(const connector::RecordBatchPtr& batch) override {
    for (std::int64_t row = 0; row < batch->num_rows(); ++row) {
      append_row(*batch, row, text_);
      text_ += separator_;
      if (text_.size() >= flush_bytes) TRY(flush());
    }
    return Status::OK();
  }
  Status close() override {
    TRY(flush());
    return output_->close();
  }

 protected:
  virtual void append_row(const arrow::RecordBatch& batch, std::int64_t row,
                          std::string& out) const = 0;

  void begin(std::string_view text) { text_ += text; }
  void end(std::string_view text) { text_ += text; }

 private:
  Status flush() {
    TRY(output_->append(text_));
    text_.clear();
    return Status::OK();
  }

  std::unique_ptr<TextOutput> output_;
  const std::string separator_;
  std::string text_;
};

class JsonSink final : public LineSink {
 public:
  JsonSink(std::unique_ptr<TextOutput> output, std::string separator, const JsonWriterText& writer)
      : LineSink(std::move(output), std::move(separator)), writer_(writer) {}

 private:
  void append_row(const arrow::RecordBatch& batch, std::int64_t row,
                  std::string& out) const override {
    writer_.append_row(batch, row, out);
  }
  const JsonWriterText writer_;
};

class CsvSink final : public LineSink {
 public:
  CsvSink(std::unique_ptr<TextOutput> output, const CsvWriterText& writer,
          const column::Schema& schema)
      : LineSink(std::move(output), writer.options().line_sep), writer_(writer) {
    if (!writer.options().header) return;
    std::string header;
    writer.append_header(schema, header);
    begin(header + writer.options().line_sep);
  }

 private:
  void append_row(const arrow::RecordBatch& batch, std::int64_t row,
                  std::string& out) const override {
    writer_.append_row(batch, row, out);
  }
  const CsvWriterText writer_;
};

// The rows are elements of one root, which is there without rows too.
class XmlSink final : public LineSink {
 public:
  XmlSink(std::unique_ptr<TextOutput> output, const XmlWriterText& writer)
      : LineSink(std::move(output), ""), writer_(writer) {
    std::string start;
    writer_.append_start(start);
    begin(start);
  }
  Status write(const connector::RecordBatchPtr& batch) override {
    any_ = any_ || batch->num_rows() > 0;
    return LineSink::write(batch);
  }
  Status close() override {
    std::string text;
    writer_.append_end(any_, text);
    end(text);
    return LineSink::close();
  }

 private:
  void append_row(const arrow::RecordBatch& batch, std::int64_t row,
                  std::string& out) const override {
    writer_.append_row(batch, row, out);
  }
  const XmlWriterText writer_;
  bool any_ = false;
};

class TextSink final : public LineSink {
 public:
  using LineSink::LineSink;

 private:
  void append_row(const arrow::RecordBatch& batch, std::int64_t row,
                  std::string& out) const override {
    const auto& column = static_cast<const arrow::StringArray&>(*batch.column(0));
    if (column.IsValid(row)) out += column.GetView(row);
  }
};

class ParquetSink final : public FileSink {
 public:
  explicit ParquetSink(std::unique_ptr<ParquetWriter> writer) : writer_(std::move(writer)) {}
  Status write(const connector::RecordBatchPtr& batch) override { return writer_->write(batch); }
  Status close() override { return writer_->close().status(); }

 private:
  std::unique_ptr<ParquetWriter> writer_;
};

class ParquetFactory final : public FileSinkFactory {
 public:
  ParquetFactory(column::Schema schema, ParquetWriteOptions options)
      : schema_(std::move(schema)), options_(std::move(options)) {}
  std::string extension() const override {
    const std::string codec = to_lower(options_.compression);
    if (codec == "none" || codec == "uncompressed") return ".parquet";
    if (codec == "lz4_raw" || codec == "lz4") return ".lz4raw.parquet";
    return codec == "gzip"     ? ".gz.parquet"
           : codec == "brotli" ? ".br.parquet"
                               : "." + codec + ".parquet";
  }
  Result<std::unique_ptr<FileSink>> open(const std::shared_ptr<io::Store>& store,
                                         const std::string& path) const override {
    TRY_ASSIGN(auto writer, ParquetWriter::open(store, path, schema_, options_));
    return std::unique_ptr<FileSink>(std::make_unique<ParquetSink>(std::move(writer)));
  }

 private:
  const column::Schema schema_;
  const ParquetWriteOptions options_;
};

class TextFactory final : public FileSinkFactory {
 public:
  TextFactory(std::string suffix, bool gzip, std::string separator,
              std::optional<JsonWriterText> json)
      : suffix_(std::move(suffix)),
        gzip_(gzip),
        separator_(std::move(separator)),
        json_(std::move(json)) {}
  std::string extension() const override { return suffix_ + (gzip_ ? ".gz" : ""); }
  Result<std::unique_ptr<FileSink>> open(const std::shared_ptr<io::Store>& store,
                                         const std::string& path) const override {
    auto output = std::make_unique<TextOutput>(store, path, gzip_);
    TRY(output->open());
    if (json_)
      return std::unique_ptr<FileSink>(
          std::make_unique<JsonSink>(std::move(output), separator_, *json_));
    return std::unique_ptr<FileSink>(std::make_unique<TextSink>(std::move(output), separator_));
  }

 private:
  const std::string suffix_;
  const bool gzip_;
  const std::string separator_;
  const std::optional<JsonWriterText> json_;
};

class CsvFactory final : public FileSinkFactory {
 public:
  CsvFactory(column::Schema schema, const CsvWriterText& writer, bool gzip)
      : schema_(std::move(schema)), writer_(writer), gzip_(gzip) {}
  std::string extension() const override { return gzip_ ? ".csv.gz" : ".csv"; }
  Result<std::unique_ptr<FileSink>> open(const std::shared_ptr<io::Store>& store,
                                         const std::string& path) const override {
    auto output = std::make_unique<TextOutput>(store, path, gzip_);
    TRY(output->open());
    return std::unique_ptr<FileSink>(
        std::make_unique<CsvSink>(std::move(output), writer_, schema_));
  }

 private:
  const column::Schema schema_;
  const CsvWriterText writer_;
  const bool gzip_;
};

class IntervalTextSink final : public FileSink {
 public:
  IntervalTextSink(std::unique_ptr<FileSink> sink, const column::Schema& schema)
      : sink_(std::move(sink)), schema_(schema) {}
  Status write(const connector::RecordBatchPtr& batch) override {
    TRY_ASSIGN(const auto texts, with_interval_texts(batch, schema_));
    return sink_->write(texts);
  }
  Status close() override { return sink_->close(); }

 private:
  const std::unique_ptr<FileSink> sink_;
  const column::Schema schema_;
};

class IntervalTextFactory final : public FileSinkFactory {
 public:
  IntervalTextFactory(std::shared_ptr<const FileSinkFactory> factory, column::Schema schema)
      : factory_(std::move(factory)), schema_(std::move(schema)) {}
  std::string extension() const override { return factory_->extension(); }
  Result<std::unique_ptr<FileSink>> open(const std::shared_ptr<io::Store>& store,
                                         const std::string& path) const override {
    TRY_ASSIGN(auto sink, factory_->open(store, path));
    return std::unique_ptr<FileSink>(std::make_unique<IntervalTextSink>(std::move(sink), schema_));
  }

 private:
  const std::shared_ptr<const FileSinkFactory> factory_;
  const column::Schema schema_;
};

class XmlFactory final : public FileSinkFactory {
 public:
  XmlFactory(const XmlWriterText& writer, bool gzip) : writer_(writer), gzip_(gzip) {}
  std::string extension() const override { return gzip_ ? ".xml.gz" : ".xml"; }
  Result<std::unique_ptr<FileSink>> open(const std::shared_ptr<io::Store>& store,
                                         const std::string& path) const override {
    auto output = std::make_unique<TextOutput>(store, path, gzip_);
    TRY(output->open());
    return std::unique_ptr<FileSink>(std::make_unique<XmlSink>(std::move(output), writer_));
  }

 private:
  const XmlWriterText writer_;
  const bool gzip_;
};

Result<bool> wants_gzip(const Options& options) {
  const std::string codec = to_lower(options.get("compression", "none"));
  if (codec == "none" || codec == "uncompressed") return false;
  if (codec == "gzip") return true;
  for (const std::string_view known : {"bzip2", "lz4", "snappy", "deflate"}) {
    if (codec == known) {
      return Status::unsupported(
          "writing text files with compression '{}' is not supported by Millstream yet", codec);
    }
  }
  return Status::error(
      "CODEC_NOT_AVAILABLE.WITH_AVAILABLE_CODECS_SUGGESTION",
      {{"codecName", codec},
       {"availableCodecs", "bzip2, deflate, uncompressed, snappy, none, lz4, gzip"}});
}

bool fits_parquet(const column::DataType& type) {
  if (type.kind() == column::TypeKind::calendar_interval ||
      type.kind() == column::TypeKind::variant)
    return false;
  return std::all_of(type.fields().begin(), type.fields().end(),
                     [](const column::Field& field) { return fits_parquet(*field.type); });
}

// Intervals go into lines as texts.
std::shared_ptr<const FileSinkFactory> with_texts(std::shared_ptr<const FileSinkFactory> factory,
                                                  const column::Schema& schema) {
  if (!has_interval(schema)) return factory;
  return std::make_shared<IntervalTextFactory>(std::move(factory), schema);
}

Result<std::shared_ptr<const FileSinkFactory>> make_parquet(const column::Schema& schema,
                                                            const Options& options) {
  constexpr std::array<std::string_view, 4> known = {"compression", "parquet.compression",
                                                     "timezone", "mergeschema"};
  TRY(refuse_unknown("parquet", options, known));
  ParquetWriteOptions write;
  write.compression = options.get("compression", options.get("parquet.compression", "snappy"));
  write.stats_leaves_max = 0;
  if (schema.empty())
    return Status::error("EMPTY_SCHEMA_NOT_SUPPORTED_FOR_DATASOURCE", {{"format", "Parquet"}});
  for (const auto& field : schema) {
    if (!fits_parquet(*field.type)) {
      return Status::error("UNSUPPORTED_DATA_TYPE_FOR_DATASOURCE",
                           {{"format", "Parquet"},
                            {"columnName", "`" + field.name + "`"},
                            {"columnType", "\"" + field.type->sql() + "\""}});
    }
  }
  return std::shared_ptr<const FileSinkFactory>(
      std::make_shared<ParquetFactory>(column::as_nullable(schema), write));
}

Result<std::shared_ptr<const FileSinkFactory>> make_json(const column::Schema& schema,
                                                         const Options& options,
                                                         const std::string& time_zone) {
  constexpr std::array<std::string_view, 10> known = {
      "compression",      "dateformat", "timestampformat", "timestampntzformat",
      "ignorenullfields", "timezone",   "linesep",         "encoding",
      "charset",          "locale"};
  TRY(refuse_unknown("json", options, known));
  TRY(parse_json_options(options, time_zone).status());
  TRY(JsonWriterText::check(schema));
  TRY_ASSIGN(auto writer, JsonWriterText::make(options, time_zone));
  TRY_ASSIGN(const bool gzip, wants_gzip(options));
  return with_texts(
      std::make_shared<TextFactory>(".json", gzip, options.get("lineSep", "\n"), std::move(writer)),
      schema);
}

Result<std::shared_ptr<const FileSinkFactory>> make_text(const column::Schema& schema,
                                                         const Options& options) {
  constexpr std::array<std::string_view, 5> known = {"compression", "linesep", "encoding",
                                                     "charset", "timezone"};
  TRY(refuse_unknown("text", options, known));
  for (const auto& field : schema) {
    if (field.type->is_string()) continue;
    return Status::error("UNSUPPORTED_DATA_TYPE_FOR_DATASOURCE",
                         {{"format", "Text"},
                          {"columnName", "`" + field.name + "`"},
                          {"columnType", "\"" + field.type->sql() + "\""}});
  }
  if (schema.size() != 1) {
    return Status::plain(
        ErrorKind::analysis,
        fmt::format("Text data source supports only a single column, and you have {} columns.",
                    schema.size()));
  }
  TRY_ASSIGN(const bool gzip, wants_gzip(options));
  return std::shared_ptr<const FileSinkFactory>(
      std::make_shared<TextFactory>(".txt", gzip, options.get("lineSep", "\n"), std::nullopt));
}

Result<std::shared_ptr<const FileSinkFactory>> make_csv(const column::Schema& schema,
                                                        const Options& options,
                                                        const std::string& time_zone) {
  TRY_ASSIGN(const CsvOptions csv, parse_csv_write_options(options, time_zone));
  TRY(check_csv_types(schema));
  for (const auto& field : schema) {
    using column::TypeKind;
    const TypeKind kind = field.type->kind();
    if (kind == TypeKind::binary) {
      return Status::unsupported("writing the type {} of column '{}' to csv is not supported",
                                 field.type->sql(), field.name);
    }
  }
  TRY_ASSIGN(const auto writer, CsvWriterText::make(csv));
  TRY_ASSIGN(const bool gzip, wants_gzip(options));
  return with_texts(std::make_shared<CsvFactory>(schema, writer, gzip), schema);
}

Result<std::shared_ptr<const FileSinkFactory>> make_xml(const column::Schema& schema,
                                                        const Options& options,
                                                        const std::string& time_zone) {
  TRY_ASSIGN(const XmlOptions xml, parse_xml_write_options(options, time_zone));
  TRY(check_xml_schema(schema, xml));
  TRY_ASSIGN(const auto writer, XmlWriterText::make(xml, schema));
  TRY_ASSIGN(const bool gzip, wants_gzip(options));
  return std::shared_ptr<const FileSinkFactory>(std::make_shared<XmlFactory>(writer, gzip));
}

}  // namespace

Result<std::shared_ptr<const FileSinkFactory>> FileSinkFactory::make(FileFormat format,
                                                                     const column::Schema& schema,
                                                                     const Options& options,
                                                                     const std::string& time_zone) {
  switch (format) {
    case FileFormat::parquet:
      return make_parquet(schema, options);
    case FileFormat::json:
      return make_json(schema, options, time_zone);
    case FileFormat::csv:
      return make_csv(schema, options, time_zone);
    case FileFormat::xml:
      return make_xml(schema, options, time_zone);
    case FileFormat::orc:
      return make_orc_factory(schema, options, time_zone);
    case FileFormat::avro:
      return make_avro_factory(schema, options);
    case FileFormat::binary_file:
      return Status::error("UNSUPPORTED_FEATURE.WRITE_FOR_BINARY_SOURCE");
    default:
      return make_text(schema, options);
  }
}

}  // namespace millstream::format
