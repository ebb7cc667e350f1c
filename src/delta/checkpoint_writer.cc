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

#include <array>

#include "base/text.h"
#include "delta/checkpoint.h"
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

// The reference's columns in its order.
std::shared_ptr<arrow::Schema> checkpoint_schema() {
  const auto dv = arrow::field(
      "deletionVector",
      arrow::struct_({text_field("storageType"), text_field("pathOrInlineDv"),
                      arrow::field("offset", arrow::int32()),
                      arrow::field("sizeInBytes", arrow::int32()), long_field("cardinality")}));
  const auto format =
      arrow::field("format", arrow::struct_({text_field("provider"), map_field("options")}));
  return arrow::schema({
      arrow::field("txn", arrow::struct_({text_field("appId"), long_field("version"),
                                          long_field("lastUpdated")})),
      arrow::field("add",
                   arrow::struct_({text_field("path"), map_field("partitionValues"),
                                   long_field("size"), long_field("modificationTime"),
                                   flag_field("dataChange"), map_field("tags"), dv,
                                   long_field("baseRowId"), long_field("defaultRowCommitVersion"),
                                   text_field("clusteringProvider"), text_field("stats")})),
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

enum Column : int { txn, add, remove, metadata, protocol, domain, column_count };

class Encoder {
 public:
  arrow::Status open() {
    schema_ = checkpoint_schema();
    ARROW_ASSIGN_OR_RAISE(out_, arrow::io::BufferOutputStream::Create());
    parquet::WriterProperties::Builder properties;
    properties.compression(parquet::Compression::SNAPPY)
        ->disable_statistics();  // nobody looks for a row in here
    for (const char* unique : {"add.path", "add.stats", "remove.path"})
      properties.disable_dictionary(unique);
    ARROW_ASSIGN_OR_RAISE(
        writer_, parquet::arrow::FileWriter::Open(*schema_, arrow::default_memory_pool(), out_,
                                                  properties.build()));
    for (int i = 0; i < column_count; ++i) {
      ARROW_ASSIGN_OR_RAISE(builders_[static_cast<std::size_t>(i)],
                            arrow::MakeBuilder(schema_->field(i)->type()));
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
    return value.stats.empty() ? row.null() : row.text(std::string_view(value.stats));
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
    Row row(builders_[static_cast<std::size_t>(column)].get());
    ARROW_RETURN_NOT_OK(row.begin());
    return row;
  }
  arrow::Status flush() {
    if (pending_ == 0) return arrow::Status::OK();
    std::vector<std::shared_ptr<arrow::Array>> columns;
    for (int i = 0; i < column_count; ++i) {
      auto array = i == filling_ ? builders_[static_cast<std::size_t>(i)]->Finish()
                                 : arrow::MakeArrayOfNull(schema_->field(i)->type(), pending_);
      ARROW_RETURN_NOT_OK(array.status());
      columns.push_back(std::move(array).ValueOrDie());
    }
    const auto batch = arrow::RecordBatch::Make(schema_, pending_, std::move(columns));
    pending_ = 0;
    return writer_->WriteRecordBatch(*batch);
  }

  std::shared_ptr<arrow::Schema> schema_;
  std::shared_ptr<arrow::io::BufferOutputStream> out_;
  std::unique_ptr<parquet::arrow::FileWriter> writer_;
  std::array<std::unique_ptr<arrow::ArrayBuilder>, column_count> builders_;
  Column filling_ = add;  // what the pending rows are
  std::int64_t pending_ = 0;
  std::int64_t rows_ = 0;
};

arrow::Status append_all(const Snapshot& snapshot, std::int64_t now_ms, Encoder& encoder) {
  ARROW_RETURN_NOT_OK(encoder.append(snapshot.protocol()));
  ARROW_RETURN_NOT_OK(encoder.append(snapshot.metadata()));
  const auto retention = [&](const char* property) -> std::optional<std::int64_t> {
    const std::string* text = snapshot.info().property(property);
    return text == nullptr ? std::nullopt : parse_interval_ms(*text);
  };
  const auto txn_retention = retention("delta.setTransactionRetentionDuration");
  for (const auto& [app, value] : snapshot.txns()) {
    const bool expired =
        txn_retention && value.last_updated && *value.last_updated < now_ms - *txn_retention;
    if (!expired) ARROW_RETURN_NOT_OK(encoder.append(value));
  }
  for (const auto& [name, value] : snapshot.domains()) ARROW_RETURN_NOT_OK(encoder.append(value));
  arrow::Status status;
  snapshot.files().for_each([&](const AddFilePtr& file) {
    if (status.ok()) status = encoder.append(*file);
  });
  constexpr std::int64_t week_ms = 7LL * 24 * 3600 * 1000;
  const std::int64_t oldest =
      now_ms - retention("delta.deletedFileRetentionDuration").value_or(week_ms);
  snapshot.tombstones().for_each([&](const RemoveFilePtr& file) {
    if (status.ok() && file->deletion_timestamp.value_or(0) >= oldest)
      status = encoder.append(*file);
  });
  return status;
}

}  // namespace

Result<EncodedCheckpoint> encode_checkpoint(const Snapshot& snapshot, std::int64_t now_ms) {
  try {
    Encoder encoder;
    TRY_ARROW(encoder.open());
    TRY_ARROW(append_all(snapshot, now_ms, encoder));
    TRY_ARROW_ASSIGN(std::string bytes, encoder.finish());
    return EncodedCheckpoint{std::move(bytes), encoder.rows(),
                             static_cast<std::int64_t>(snapshot.files().size())};
  } catch (const parquet::ParquetException& problem) {
    return Status::io("encoding a Delta checkpoint: {}", problem.what());
  }
}

Status write_checkpoint(io::Store& store, const std::string& log_directory,
                        const Snapshot& snapshot, std::int64_t now_ms) {
  TRY_ASSIGN(const EncodedCheckpoint encoded, encode_checkpoint(snapshot, now_ms));
  const std::string path = io::join_path(log_directory, checkpoint_name(snapshot.version()));
  const Status published = store.put_if_absent(path, encoded.bytes);
  if (!published.ok() && !published.is(ErrorKind::already_exists)) return published;
  return store.put(
      io::join_path(log_directory, "_last_checkpoint"),
      print_last_checkpoint({snapshot.version(), encoded.rows,
                             static_cast<std::int64_t>(encoded.bytes.size()), encoded.adds}));
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
