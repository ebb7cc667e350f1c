#include <arrow/array.h>
#include <arrow/array/builder_binary.h>
#include <arrow/array/builder_nested.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/array/util.h>
#include <arrow/buffer.h>
#include <arrow/io/memory.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <parquet/arrow/writer.h>
#include <parquet/exception.h>
#include <parquet/properties.h>

#include <algorithm>
#include <array>

#include "base/failpoint.h"
#include "base/text.h"
#include "delta/checkpoint.h"
#include "delta/checkpoint_typed.h"
#include "delta/last_checkpoint.h"
#include "format/arrow_status.h"

namespace millstream::delta {
namespace {

constexpr std::int64_t batch_rows = 32 << 10;

std::shared_ptr<arrow::Field> text_field(const char* name) {
  return arrow::field(name, arrow::utf8());
}
std::shared_ptr<arrow::Field> long_field(const char* name) {
  return arrow::field(name, arrow::int64());
}
std::shared_ptr<arrow::Field> flag_field(const char* name) {
  return arrow::field(name, arrow::boolean());
}
std::shared_ptr<arrow::Field> map_field(const char* name) {
  return arrow::field(name, arrow::map(arrow::utf8(), arrow::utf8()));
}
std::shared_ptr<arrow::Field> list_field(const char* name) {
  return arrow::field(name, arrow::list(arrow::field("element", arrow::utf8())));
}

// How a table's checkpoints have the statistics of its files.
struct StatsForm {
  bool as_text = true;
  std::optional<TypedColumns> typed;
};

StatsForm stats_form(const TableInfo& info) {
  StatsForm form;
  form.as_text = info.flag("delta.checkpoint.writeStatsAsJson", true);
  if (info.flag("delta.checkpoint.writeStatsAsStruct", false)) form.typed.emplace(info);
  return form;
}

// The reference's columns in its order.
std::shared_ptr<arrow::Schema> checkpoint_schema(const StatsForm& stats) {
  const auto dv = arrow::field(
      "deletionVector",
      arrow::struct_({text_field("storageType"), text_field("pathOrInlineDv"),
                      arrow::field("offset", arrow::int32()),
                      arrow::field("sizeInBytes", arrow::int32()), long_field("cardinality")}));
  const auto format =
      arrow::field("format", arrow::struct_({text_field("provider"), map_field("options")}));
  arrow::FieldVector add = {text_field("path"),
                            map_field("partitionValues"),
                            long_field("size"),
                            long_field("modificationTime"),
                            flag_field("dataChange"),
                            map_field("tags"),
                            dv,
                            long_field("baseRowId"),
                            long_field("defaultRowCommitVersion"),
                            text_field("clusteringProvider")};
  if (stats.as_text) add.push_back(text_field("stats"));
  if (stats.typed) {
    if (stats.typed->partition_values() != nullptr) add.push_back(stats.typed->partition_values());
    add.push_back(stats.typed->stats());
  }
  return arrow::schema({
      arrow::field("txn", arrow::struct_({text_field("appId"), long_field("version"),
                                          long_field("lastUpdated")})),
      arrow::field("add", arrow::struct_(std::move(add))),
      arrow::field("remove", arrow::struct_(
                                 {text_field("path"), long_field("deletionTimestamp"),
                                  flag_field("dataChange"), flag_field("extendedFileMetadata"),
                                  map_field("partitionValues"), long_field("size"), dv,
                                  long_field("baseRowId"), long_field("defaultRowCommitVersion")})),
      arrow::field(
          "metaData",
          arrow::struct_({text_field("id"), text_field("name"), text_field("description"), format,
                          text_field("schemaString"), list_field("partitionColumns"),
                          map_field("configuration"), long_field("createdTime")})),
      arrow::field("protocol",
                   arrow::struct_({arrow::field("minReaderVersion", arrow::int32()),
                                   arrow::field("minWriterVersion", arrow::int32()),
                                   list_field("readerFeatures"), list_field("writerFeatures")})),
      arrow::field("domainMetadata",
                   arrow::struct_(
                       {text_field("domain"), text_field("configuration"), flag_field("removed")})),
  });
}

// Fills the members of one struct row from left to right.
class Row {
 public:
  explicit Row(arrow::ArrayBuilder* builder)
      : builder_(static_cast<arrow::StructBuilder*>(builder)) {}
  arrow::Status begin() {
    next_ = 0;
    return builder_->Append();
  }
  arrow::Status text(std::string_view value) {
    return static_cast<arrow::StringBuilder*>(member())->Append(value);
  }
  arrow::Status text(const std::optional<std::string>& value) {
    return value ? text(std::string_view(*value)) : null();
  }
  arrow::Status number(const std::optional<std::int64_t>& value) {
    if (!value) return null();
    arrow::ArrayBuilder* target = member();
    if (target->type()->id() == arrow::Type::INT32) {
      return static_cast<arrow::Int32Builder*>(target)->Append(static_cast<std::int32_t>(*value));
    }
    return static_cast<arrow::Int64Builder*>(target)->Append(*value);
  }
  arrow::Status flag(bool value) {
    return static_cast<arrow::BooleanBuilder*>(member())->Append(value);
  }
  template <typename Map>
  arrow::Status map(const Map& values) {
    auto* target = static_cast<arrow::MapBuilder*>(member());
    ARROW_RETURN_NOT_OK(target->Append());
    auto* keys = static_cast<arrow::StringBuilder*>(target->key_builder());
    auto* items = static_cast<arrow::StringBuilder*>(target->item_builder());
    for (const auto& [key, value] : values) {
      ARROW_RETURN_NOT_OK(keys->Append(key));
      ARROW_RETURN_NOT_OK(append_item(items, value));
    }
    return arrow::Status::OK();
  }
  arrow::Status list(const std::optional<std::vector<std::string>>& values) {
    if (!values) return null();
    auto* target = static_cast<arrow::ListBuilder*>(member());
    ARROW_RETURN_NOT_OK(target->Append());
    auto* texts = static_cast<arrow::StringBuilder*>(target->value_builder());
    for (const auto& value : *values) ARROW_RETURN_NOT_OK(texts->Append(value));
    return arrow::Status::OK();
  }
  arrow::Status deletion_vector(const std::shared_ptr<const DeletionVector>& dv) {
    if (dv == nullptr) return null();
    Row row(member());
    ARROW_RETURN_NOT_OK(row.begin());
    ARROW_RETURN_NOT_OK(row.text(std::string_view(dv->storage_type)));
    ARROW_RETURN_NOT_OK(row.text(std::string_view(dv->path_or_inline)));
    ARROW_RETURN_NOT_OK(row.number(dv->offset));
    ARROW_RETURN_NOT_OK(row.number(dv->size_in_bytes));
    return row.number(dv->cardinality);
  }
  arrow::Status null() { return member()->AppendNull(); }
  arrow::ArrayBuilder* member() { return builder_->field_builder(next_++); }

 private:
  static arrow::Status append_item(arrow::StringBuilder* items, const std::string& value) {
    return items->Append(value);
  }
  static arrow::Status append_item(arrow::StringBuilder* items,
                                   const std::optional<std::string>& value) {
    return value ? items->Append(*value) : items->AppendNull();
  }

  arrow::StructBuilder* builder_;
  int next_ = 0;
};

enum Column : std::uint8_t { txn, add, remove, metadata, protocol, domain, column_count };

class Encoder {
 public:
  // `columns`: those that the file has, of the schema's.
  arrow::Status open(const TableInfo& info,
                     std::vector<Column> columns = {txn, add, remove, metadata, protocol, domain}) {
    columns_ = std::move(columns);
    stats_ = stats_form(info);
    const auto whole = checkpoint_schema(stats_);
    arrow::FieldVector fields;
    for (const Column column : columns_) fields.push_back(whole->field(column));
    schema_ = arrow::schema(std::move(fields));
    ARROW_ASSIGN_OR_RAISE(out_, arrow::io::BufferOutputStream::Create());
    parquet::WriterProperties::Builder properties;
    properties.compression(parquet::Compression::SNAPPY)
        ->disable_statistics();  // nobody looks for a row in here
    for (const char* unique : {"add.path", "add.stats", "remove.path"})
      properties.disable_dictionary(unique);
    ARROW_ASSIGN_OR_RAISE(
        writer_, parquet::arrow::FileWriter::Open(*schema_, arrow::default_memory_pool(), out_,
                                                  properties.build()));
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      ARROW_ASSIGN_OR_RAISE(builders_[columns_[i]],
                            arrow::MakeBuilder(schema_->field(static_cast<int>(i))->type()));
    }
    return arrow::Status::OK();
  }

  arrow::Status append(const Protocol& value) {
    ARROW_ASSIGN_OR_RAISE(Row row, begin(protocol));
    ARROW_RETURN_NOT_OK(row.number(value.min_reader));
    ARROW_RETURN_NOT_OK(row.number(value.min_writer));
    ARROW_RETURN_NOT_OK(row.list(value.reader_features));
    return row.list(value.writer_features);
  }
  arrow::Status append(const Metadata& value) {
    ARROW_ASSIGN_OR_RAISE(Row row, begin(metadata));
    ARROW_RETURN_NOT_OK(row.text(std::string_view(value.id)));
    ARROW_RETURN_NOT_OK(row.text(value.name));
    ARROW_RETURN_NOT_OK(row.text(value.description));
    Row format(row.member());
    ARROW_RETURN_NOT_OK(format.begin());
    ARROW_RETURN_NOT_OK(format.text(std::string_view(value.provider)));
    ARROW_RETURN_NOT_OK(format.map(value.format_options));
    ARROW_RETURN_NOT_OK(row.text(std::string_view(value.schema_string)));
    ARROW_RETURN_NOT_OK(row.list(value.partition_columns));
    ARROW_RETURN_NOT_OK(row.map(value.configuration));
    return row.number(value.created_time);
  }
  arrow::Status append(const Txn& value) {
    ARROW_ASSIGN_OR_RAISE(Row row, begin(txn));
    ARROW_RETURN_NOT_OK(row.text(std::string_view(value.app_id)));
    ARROW_RETURN_NOT_OK(row.number(value.version));
    return row.number(value.last_updated);
  }
  arrow::Status append(const DomainMetadata& value) {
    ARROW_ASSIGN_OR_RAISE(Row row, begin(domain));
    ARROW_RETURN_NOT_OK(row.text(std::string_view(value.domain)));
    ARROW_RETURN_NOT_OK(row.text(std::string_view(value.configuration)));
    return row.flag(value.removed);
  }
  arrow::Status append(const AddFile& value) {
    ARROW_ASSIGN_OR_RAISE(Row row, begin(add));
    ARROW_RETURN_NOT_OK(row.text(std::string_view(value.path)));
    ARROW_RETURN_NOT_OK(row.map(value.partition_values));
    ARROW_RETURN_NOT_OK(row.number(value.size));
    ARROW_RETURN_NOT_OK(row.number(value.modification_time));
    ARROW_RETURN_NOT_OK(row.flag(false));
    ARROW_RETURN_NOT_OK(value.tags.empty() ? row.null() : row.map(value.tags));
    ARROW_RETURN_NOT_OK(row.deletion_vector(value.deletion_vector));
    ARROW_RETURN_NOT_OK(row.number(value.base_row_id));
    ARROW_RETURN_NOT_OK(row.number(value.default_row_commit_version));
    ARROW_RETURN_NOT_OK(row.text(value.clustering_provider));
    if (stats_.as_text) {
      ARROW_RETURN_NOT_OK(value.stats.empty() ? row.null()
                                              : row.text(std::string_view(value.stats)));
    }
    if (!stats_.typed) return arrow::Status::OK();
    if (stats_.typed->partition_values() != nullptr)
      ARROW_RETURN_NOT_OK(stats_.typed->append_partition_values(value, row.member()));
    return stats_.typed->append_stats(value, row.member());
  }
  arrow::Status append(const RemoveFile& value) {
    ARROW_ASSIGN_OR_RAISE(Row row, begin(remove));
    ARROW_RETURN_NOT_OK(row.text(std::string_view(value.path)));
    ARROW_RETURN_NOT_OK(row.number(value.deletion_timestamp));
    ARROW_RETURN_NOT_OK(row.flag(false));
    ARROW_RETURN_NOT_OK(row.flag(value.extended_file_metadata));
    ARROW_RETURN_NOT_OK(value.extended_file_metadata ? row.map(value.partition_values)
                                                     : row.null());
    ARROW_RETURN_NOT_OK(row.number(value.size));
    ARROW_RETURN_NOT_OK(row.deletion_vector(value.deletion_vector));
    ARROW_RETURN_NOT_OK(row.number(value.base_row_id));
    return row.number(value.default_row_commit_version);
  }

  arrow::Result<std::string> finish() {
    ARROW_RETURN_NOT_OK(flush());
    ARROW_RETURN_NOT_OK(writer_->Close());
    ARROW_ASSIGN_OR_RAISE(const auto buffer, out_->Finish());
    return buffer->ToString();
  }
  std::int64_t rows() const { return rows_; }

 private:
  // A row of which `column` is about to be filled; the others are NULL: a batch holds rows of one
  // kind, so that the NULLs of its forty other leaves are made at once.
  arrow::Result<Row> begin(Column column) {
    if (pending_ == batch_rows || (pending_ > 0 && column != filling_))
      ARROW_RETURN_NOT_OK(flush());
    filling_ = column;
    ++pending_;
    ++rows_;
    Row row(builders_[column].get());
    ARROW_RETURN_NOT_OK(row.begin());
    return row;
  }
  arrow::Status flush() {
    if (pending_ == 0) return arrow::Status::OK();
    std::vector<std::shared_ptr<arrow::Array>> columns;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      auto array =
          columns_[i] == filling_
              ? builders_[columns_[i]]->Finish()
              : arrow::MakeArrayOfNull(schema_->field(static_cast<int>(i))->type(), pending_);
      ARROW_RETURN_NOT_OK(array.status());
      columns.push_back(std::move(array).ValueOrDie());
    }
    const auto batch = arrow::RecordBatch::Make(schema_, pending_, std::move(columns));
    pending_ = 0;
    return writer_->WriteRecordBatch(*batch);
  }

  std::vector<Column> columns_;
  StatsForm stats_;
  std::shared_ptr<arrow::Schema> schema_;
  std::shared_ptr<arrow::io::BufferOutputStream> out_;
  std::unique_ptr<parquet::arrow::FileWriter> writer_;
  std::array<std::unique_ptr<arrow::ArrayBuilder>, column_count> builders_;
  Column filling_ = add;  // what the pending rows are
  std::int64_t pending_ = 0;
  std::int64_t rows_ = 0;
};

std::optional<std::int64_t> retention_of(const Snapshot& snapshot, const char* property) {
  const std::string* text = snapshot.info().property(property);
  return text == nullptr ? std::nullopt : parse_interval_ms(*text);
}

std::vector<Txn> kept_txns(const Snapshot& snapshot, std::int64_t now_ms) {
  const auto retention = retention_of(snapshot, "delta.setTransactionRetentionDuration");
  std::vector<Txn> out;
  for (const auto& [app, value] : snapshot.txns()) {
    const bool expired =
        retention && value.last_updated && *value.last_updated < now_ms - *retention;
    if (!expired) out.push_back(value);
  }
  return out;
}

// Tombstones that were made before it are expired.
std::int64_t oldest_tombstone_ms(const Snapshot& snapshot, std::int64_t now_ms) {
  constexpr std::int64_t week_ms = 7LL * 24 * 3600 * 1000;
  return now_ms - retention_of(snapshot, "delta.deletedFileRetentionDuration").value_or(week_ms);
}

// Each file that a checkpoint holds, live ones first.
template <typename Take>
arrow::Status each_file(const Snapshot& snapshot, std::int64_t now_ms, const Take& take) {
  arrow::Status status;
  snapshot.files().for_each([&](const AddFilePtr& file) {
    if (status.ok()) status = take(*file);
  });
  const std::int64_t oldest = oldest_tombstone_ms(snapshot, now_ms);
  snapshot.tombstones().for_each([&](const RemoveFilePtr& file) {
    if (status.ok() && file->deletion_timestamp.value_or(0) >= oldest) status = take(*file);
  });
  return status;
}

arrow::Status append_all(const Snapshot& snapshot, std::int64_t now_ms, Encoder& encoder) {
  ARROW_RETURN_NOT_OK(encoder.append(snapshot.protocol()));
  ARROW_RETURN_NOT_OK(encoder.append(snapshot.metadata()));
  for (const auto& value : kept_txns(snapshot, now_ms)) ARROW_RETURN_NOT_OK(encoder.append(value));
  for (const auto& [name, value] : snapshot.domains()) ARROW_RETURN_NOT_OK(encoder.append(value));
  return each_file(snapshot, now_ms, [&](const auto& file) { return encoder.append(file); });
}

bool is_v2(const Snapshot& snapshot) {
  const std::string* policy = snapshot.info().property("delta.checkpointPolicy");
  const auto& features = snapshot.protocol().reader_features;
  return policy != nullptr && *policy == "v2" && features &&
         std::find(features->begin(), features->end(), "v2Checkpoint") != features->end();
}

// A V2 checkpoint on its way: sidecars as they are full, then the file that names them.
class V2Writer {
 public:
  V2Writer(io::Store& store, const std::string& log_directory, const Snapshot& snapshot,
           std::int64_t now_ms, std::int64_t sidecar_rows_max)
      : store_(store),
        log_directory_(log_directory),
        snapshot_(snapshot),
        now_ms_(now_ms),
        sidecar_rows_max_(sidecar_rows_max) {}

  Status write() {
    TRY(write_sidecars());
    const std::string name = v2_checkpoint_name(snapshot_.version());
    const std::string tags = fmt::format(
        R"("tags":{{"sidecarNumActions":"{}","sidecarSizeInBytes":"{}","numOfAddFiles":"{}"}})",
        rows_, bytes_, adds_);
    std::vector<std::string> state = {to_json(snapshot_.protocol()), to_json(snapshot_.metadata())};
    for (const auto& txn : kept_txns(snapshot_, now_ms_)) state.push_back(to_json(txn));
    for (const auto& [domain, value] : snapshot_.domains()) state.push_back(to_json(value));
    state.push_back(
        fmt::format(R"({{"checkpointMetadata":{{"version":{},{}}}}})", snapshot_.version(), tags));
    std::vector<std::string> lines = state;
    std::rotate(lines.begin(), lines.end() - 1, lines.end());  // what it is comes first
    for (const auto& sidecar : sidecars_) lines.push_back(to_json(sidecar));
    const std::string text = join(lines, "\n") + '\n';
    const std::string path = io::join_path(log_directory_, name);
    TRY(store_.put_if_absent(path, text));
    TRY_ASSIGN(const auto there, store_.stat(path));
    const auto size = static_cast<std::int64_t>(text.size());
    LastCheckpoint pointer{snapshot_.version(),
                           rows_ + static_cast<std::int64_t>(lines.size()),
                           bytes_ + size,
                           adds_,
                           {}};
    pointer.v2 = fmt::format(
        R"({{"path":{},"sizeInBytes":{},"modificationTime":{},"nonFileActions":[{}],"sidecarFiles":[{}]}})",
        json_quote(name), size, there.modified_us / 1000, join(state, ","), sidecar_files());
    return store_.put(io::join_path(log_directory_, "_last_checkpoint"),
                      print_last_checkpoint(pointer));
  }

 private:
  Status write_sidecars() {
    const auto files = static_cast<std::int64_t>(snapshot_.files().size());
    const auto tombstones = static_cast<std::int64_t>(snapshot_.tombstones().size());
    parts_ = static_cast<std::size_t>(std::max<std::int64_t>(
        1, (files + tombstones + sidecar_rows_max_ - 1) / sidecar_rows_max_));
    TRY_ARROW(open());  // a table without files has an empty one
    Status status;
    TRY_ARROW(each_file(snapshot_, now_ms_, [&](const auto& file) {
      if (encoder_ == nullptr) ARROW_RETURN_NOT_OK(open());
      ARROW_RETURN_NOT_OK(encoder_->append(file));
      if (encoder_->rows() == sidecar_rows_max_) status = publish();
      return status.ok() ? arrow::Status::OK() : arrow::Status::IOError(status.message());
    }));
    return encoder_ == nullptr ? Status::OK() : publish();
  }

  arrow::Status open() {
    encoder_ = std::make_unique<Encoder>();
    return encoder_->open(snapshot_.info(), {add, remove});
  }

  Status publish() {
    TRY_ARROW_ASSIGN(const std::string bytes, encoder_->finish());
    Sidecar sidecar;
    sidecar.path = sidecar_name(snapshot_.version(), sidecars_.size() + 1, parts_);
    sidecar.size_in_bytes = static_cast<std::int64_t>(bytes.size());
    const std::string directory = io::join_path(log_directory_, sidecar_directory);
    const std::string path = io::join_path(directory, sidecar.path);
    TRY(store_.make_directories(directory));
    TRY(store_.put_if_absent(path, bytes));
    TRY_ASSIGN(const auto there, store_.stat(path));
    sidecar.modification_time = there.modified_us / 1000;
    rows_ += encoder_->rows();
    bytes_ += sidecar.size_in_bytes;
    sidecars_.push_back(std::move(sidecar));
    encoder_.reset();
    return failpoints::pass("delta.sidecar");
  }

  std::string sidecar_files() const {
    std::vector<std::string> out;
    for (const auto& sidecar : sidecars_) {
      const std::string action = to_json(sidecar);  // {"sidecar":{…}}
      const std::size_t inner = action.find(':') + 1;
      out.push_back(action.substr(inner, action.size() - inner - 1));
    }
    return join(out, ",");
  }

  io::Store& store_;
  const std::string& log_directory_;
  const Snapshot& snapshot_;
  const std::int64_t now_ms_;
  const std::int64_t sidecar_rows_max_;
  const std::int64_t adds_ = static_cast<std::int64_t>(snapshot_.files().size());
  std::size_t parts_ = 1;
  std::unique_ptr<Encoder> encoder_;  // of the sidecar that is being filled
  std::vector<Sidecar> sidecars_;
  std::int64_t rows_ = 0;
  std::int64_t bytes_ = 0;
};

}  // namespace

Result<EncodedCheckpoint> encode_checkpoint(const Snapshot& snapshot, std::int64_t now_ms) {
  try {
    Encoder encoder;
    TRY_ARROW(encoder.open(snapshot.info()));
    TRY_ARROW(append_all(snapshot, now_ms, encoder));
    TRY_ARROW_ASSIGN(std::string bytes, encoder.finish());
    return EncodedCheckpoint{std::move(bytes), encoder.rows(),
                             static_cast<std::int64_t>(snapshot.files().size())};
  } catch (const parquet::ParquetException& problem) {
    return Status::io("encoding a Delta checkpoint: {}", problem.what());
  }
}

Status write_v2_checkpoint(io::Store& store, const std::string& log_directory,
                           const Snapshot& snapshot, std::int64_t now_ms,
                           std::int64_t sidecar_rows_max) {
  try {
    return V2Writer(store, log_directory, snapshot, now_ms, sidecar_rows_max).write();
  } catch (const parquet::ParquetException& problem) {
    return Status::io("encoding a Delta checkpoint: {}", problem.what());
  }
}

Status write_checkpoint(io::Store& store, const std::string& log_directory,
                        const Snapshot& snapshot, std::int64_t now_ms) {
  if (is_v2(snapshot)) return write_v2_checkpoint(store, log_directory, snapshot, now_ms);
  TRY_ASSIGN(const EncodedCheckpoint encoded, encode_checkpoint(snapshot, now_ms));
  const std::string path = io::join_path(log_directory, checkpoint_name(snapshot.version()));
  const Status published = store.put_if_absent(path, encoded.bytes);
  if (!published.ok() && !published.is(ErrorKind::already_exists)) return published;
  return store.put(io::join_path(log_directory, "_last_checkpoint"),
                   print_last_checkpoint({snapshot.version(),
                                          encoded.rows,
                                          static_cast<std::int64_t>(encoded.bytes.size()),
                                          encoded.adds,
                                          {}}));
}

std::optional<std::int64_t> parse_interval_ms(std::string_view text) {
  std::string_view rest = trim(text);
  if (rest.size() > 8 && equals_ignore_case(rest.substr(0, 8), "interval")) rest.remove_prefix(8);
  std::int64_t total = 0;
  bool any = false;
  std::vector<std::string> words;
  for (auto& word : split(trim(rest), ' ')) {
    if (!word.empty()) words.push_back(to_lower(word));
  }
  for (std::size_t i = 0; i + 1 < words.size(); i += 2) {
    const auto count = parse_int64(words[i]);
    std::string unit = words[i + 1];
    if (unit.ends_with('s')) unit.pop_back();
    constexpr std::array<std::pair<std::string_view, std::int64_t>, 6> units = {
        {{"week", 604'800'000},
         {"day", 86'400'000},
         {"hour", 3'600'000},
         {"minute", 60'000},
         {"second", 1000},
         {"millisecond", 1}}};
    std::int64_t ms = 0;
    for (const auto& [name, value] : units) {
      if (unit == name) ms = value;
    }
    if (!count || ms == 0) return std::nullopt;
    total += *count * ms;
    any = true;
  }
  return any && words.size() % 2 == 0 ? std::optional(total) : std::nullopt;
}

}  // namespace millstream::delta
