// Reads Avro's container files: a header with the schema, then blocks of rows, each followed by the
// file's sync marker.
#include <arrow/array.h>
#include <arrow/buffer.h>
#include <arrow/io/interfaces.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include <algorithm>
#include <limits>
#include <map>

#include "avro/bytes.h"
#include "avro/decode.h"
#include "base/text.h"
#include "format/arrow_status.h"
#include "format/avro_file.h"
#include "format/byte_input.h"
#include "format/input_file.h"

namespace millstream::format {
namespace {

constexpr std::string_view magic("Obj\1", 4);
constexpr std::size_t sync_bytes = 16;
constexpr std::size_t buffer_bytes = 256 << 10;
constexpr std::int64_t batch_rows_max = 32 << 10;
constexpr std::size_t batch_bytes_max = 32 << 20;  // of Avro's bytes
constexpr std::int64_t header_entries_max = 10'000;

Status damaged(std::string_view why) { return Status::io("not a valid Avro file: {}", why); }

// The bytes of a file front to back; knows how many are left.
class FileCursor {
 public:
  static Result<FileCursor> open(const std::shared_ptr<io::Store>& store, const std::string& path) {
    TRY_ASSIGN(auto file, open_input_file(store, path));
    TRY_ARROW_ASSIGN(const auto size, file->GetSize());
    return FileCursor(std::move(file), size);
  }

  bool at_end() const { return read_to_ == size_ && begin_ == buffer_.size(); }

  Result<std::int64_t> read_long() {
    TRY(fill(10));
    avro::Input input(std::string_view(buffer_).substr(begin_));
    std::int64_t value = 0;
    const std::size_t before = input.left();
    if (!input.read_long(value)) return damaged("it is cut off, or has a number that is none");
    begin_ += before - input.left();
    return value;
  }

  // Valid until the next call.
  Result<std::string_view> read_raw(std::int64_t size) {
    const auto here = static_cast<std::int64_t>(buffer_.size() - begin_);
    if (size < 0 || size > here + (size_ - read_to_)) return damaged("it is cut off");
    TRY(fill(static_cast<std::size_t>(size)));
    const auto out = std::string_view(buffer_).substr(begin_, static_cast<std::size_t>(size));
    begin_ += out.size();
    return out;
  }

  Result<std::string> read_bytes() {
    TRY_ASSIGN(const auto size, read_long());
    TRY_ASSIGN(const auto bytes, read_raw(size));
    return std::string(bytes);
  }

 private:
  FileCursor(std::shared_ptr<arrow::io::RandomAccessFile> file, std::int64_t size)
      : file_(std::move(file)), size_(size) {}

  // At least so many bytes ahead, or all that there are.
  Status fill(std::size_t wanted) {
    const std::size_t here = buffer_.size() - begin_;
    if (here >= wanted || read_to_ == size_) return Status::OK();
    buffer_.erase(0, begin_);
    begin_ = 0;
    const auto count = std::min(size_ - read_to_,
                                static_cast<std::int64_t>(std::max(wanted - here, buffer_bytes)));
    buffer_.resize(here + static_cast<std::size_t>(count));
    TRY_ARROW_ASSIGN(const auto got, file_->ReadAt(read_to_, count, buffer_.data() + here));
    if (got != count) return damaged("it became shorter");
    read_to_ += got;
    return Status::OK();
  }

  std::shared_ptr<arrow::io::RandomAccessFile> file_;
  std::int64_t size_;
  std::int64_t read_to_ = 0;
  std::string buffer_;
  std::size_t begin_ = 0;
};

struct Header {
  std::shared_ptr<const avro::Schema> schema;
  std::string codec = "null";
  std::string sync;
  bool legacy_dates = false;
};

Result<std::map<std::string, std::string>> read_notes(FileCursor& file) {
  std::map<std::string, std::string> notes;
  for (;;) {
    TRY_ASSIGN(std::int64_t count, file.read_long());
    if (count == 0) return notes;
    if (count < 0) {
      TRY(file.read_long().status());
      count = count < -header_entries_max ? header_entries_max + 1 : -count;
    }
    if (count + static_cast<std::int64_t>(notes.size()) > header_entries_max)
      return damaged("its header has too many entries");
    for (std::int64_t i = 0; i < count; ++i) {
      TRY_ASSIGN(std::string key, file.read_bytes());
      TRY_ASSIGN(notes[std::move(key)], file.read_bytes());
    }
  }
}

Result<Header> read_header(FileCursor& file) {
  TRY_ASSIGN(const auto begin, file.read_raw(magic.size()));
  if (begin != magic) return damaged("it does not begin as one");
  TRY_ASSIGN(auto notes, read_notes(file));
  Header header;
  const auto schema = notes.find("avro.schema");
  if (schema == notes.end()) return damaged("it has no schema");
  auto parsed = avro::Schema::parse(schema->second);
  if (!parsed.ok()) return damaged(parsed.status().message());
  header.schema = *parsed;
  if (const auto codec = notes.find("avro.codec"); codec != notes.end())
    header.codec = codec->second;
  TRY_ASSIGN(const auto sync, file.read_raw(sync_bytes));
  header.sync = std::string(sync);
  const auto version = notes.find("org.apache.spark.version");
  header.legacy_dates = notes.count("org.apache.spark.legacyDateTime") > 0 ||
                        (version != notes.end() && version->second < "3.0.0");
  return header;
}

bool has_dates(const column::DataType& type) {
  using column::TypeKind;
  if (type.kind() == TypeKind::date || type.kind() == TypeKind::timestamp) return true;
  return std::any_of(type.fields().begin(), type.fields().end(),
                     [](const column::Field& field) { return has_dates(*field.type); });
}

class Reader final : public connector::BatchReader {
 public:
  Reader(FileCursor file, Header header, std::unique_ptr<avro::Decoder> decoder,
         const column::Schema& own)
      : file_(std::move(file)),
        header_(std::move(header)),
        decoder_(std::move(decoder)),
        schema_(column::to_arrow(own)) {}

  Result<connector::RecordBatchPtr> next() override {
    std::int64_t rows = 0;
    for (std::size_t bytes = 0; rows < batch_rows_max && bytes < batch_bytes_max;) {
      if (left_ == 0) {
        TRY_ASSIGN(const bool more, next_block());
        if (!more) break;
        continue;
      }
      const std::size_t before = input_.left();
      TRY(decoder_->decode(input_));
      bytes += before - input_.left();
      --left_;
      ++rows;
    }
    if (rows == 0) return connector::RecordBatchPtr();
    TRY_ASSIGN(const auto array, decoder_->finish());
    const auto& record = static_cast<const arrow::StructArray&>(*array);
    return arrow::RecordBatch::Make(schema_, rows, record.fields());
  }

 private:
  Result<bool> next_block() {
    if (!input_.at_end()) return damaged("a block has more bytes than its rows");
    if (file_.at_end()) return false;
    TRY_ASSIGN(left_, file_.read_long());
    TRY_ASSIGN(const auto size, file_.read_long());
    if (left_ < 0 || left_ > std::numeric_limits<std::int32_t>::max())
      return damaged("a block's number of rows");
    TRY_ASSIGN(const auto bytes, file_.read_raw(size));
    TRY_ASSIGN(block_, avro_decompress(header_.codec, bytes));
    input_ = avro::Input(block_);
    TRY_ASSIGN(const auto sync, file_.read_raw(sync_bytes));
    if (sync != header_.sync) return damaged("Invalid sync!");
    return true;
  }

  FileCursor file_;
  const Header header_;
  const std::unique_ptr<avro::Decoder> decoder_;
  const std::shared_ptr<arrow::Schema> schema_;
  std::string block_;
  avro::Input input_{std::string_view()};  // of block_
  std::int64_t left_ = 0;                  // rows of the block
};

class NoRows final : public connector::BatchReader {
 public:
  Result<connector::RecordBatchPtr> next() override { return connector::RecordBatchPtr(); }
};

bool is_left_out(const std::string& path, const AvroOptions& options) {
  return !options.ignore_extension && !path.ends_with(".avro");
}

avro::DecodeRules rules_of(const AvroOptions& options, const column::Schema& schema,
                           const column::Schema& own) {
  avro::DecodeRules rules;
  rules.positional = options.positional;
  for (const auto& field : own) rules.places.push_back(column::find_field(schema, field.name));
  return rules;
}

}  // namespace

Result<std::unique_ptr<connector::BatchReader>> open_avro(const std::shared_ptr<io::Store>& store,
                                                          const io::FileInfo& file,
                                                          const AvroOptions& options,
                                                          const column::Schema& schema,
                                                          const column::Schema& own) {
  if (file.size == 0 || is_left_out(file.path, options))
    return std::unique_ptr<connector::BatchReader>(std::make_unique<NoRows>());
  TRY_ASSIGN(auto cursor, FileCursor::open(store, file.path));
  TRY_ASSIGN(auto header, read_header(cursor));
  TRY(check_avro_codec(header.codec));
  const auto wanted = column::struct_type(own);
  if (header.legacy_dates && has_dates(*wanted)) {
    return Status::unsupported(
        "dates and timestamps of Avro files with the calendar of Spark 2 are not supported by "
        "Millstream yet: {}",
        file.path);
  }
  const auto reader = options.schema ? options.schema : header.schema;
  TRY_ASSIGN(auto decoder,
             avro::Decoder::make(header.schema, reader, wanted, rules_of(options, schema, own)));
  return std::unique_ptr<connector::BatchReader>(
      std::make_unique<Reader>(std::move(cursor), std::move(header), std::move(decoder), own));
}

Result<column::Schema> infer_avro_schema(const std::shared_ptr<io::Store>& store,
                                         const std::vector<io::FileInfo>& files,
                                         const AvroOptions& options, bool ignore_corrupt) {
  auto schema = options.schema;
  for (const auto& file : files) {
    if (schema != nullptr) break;
    if (is_left_out(file.path, options)) continue;
    const auto read = [&]() -> Result<Header> {
      TRY_ASSIGN(auto cursor, FileCursor::open(store, file.path));
      return read_header(cursor);
    };
    auto header = read();
    if (header.ok()) {
      schema = header->schema;
    } else if (!ignore_corrupt) {
      return Status::plain(ErrorKind::spark, "Could not read file: file:" + file.path)
          .with_cause(header.status());
    }
  }
  if (schema == nullptr) {
    return Status::plain(ErrorKind::file_not_found,
                         "No Avro files found. If files don't have .avro extension, set "
                         "ignoreExtension to true");
  }
  TRY_ASSIGN(const auto converted, avro::to_spark(schema->root(), options.types));
  if (converted.type->kind() != column::TypeKind::struct_) {
    ErrorInfo info;
    info.kind = ErrorKind::io;
    info.java_class = "java.lang.RuntimeException";
    info.message =
        "Avro schema cannot be converted to a Spark SQL StructType:\n\n" + schema->text() + "\n";
    return Status(std::move(info));
  }
  return converted.type->fields();
}

}  // namespace millstream::format
