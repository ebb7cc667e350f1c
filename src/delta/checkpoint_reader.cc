#include <arrow/array.h>
#include <arrow/buffer.h>
#include <arrow/io/memory.h>
#include <arrow/record_batch.h>
#include <arrow/table.h>
#include <parquet/arrow/reader.h>
#include <parquet/exception.h>
#include <parquet/file_reader.h>
#include <parquet/metadata.h>
#include <parquet/schema.h>

#include <array>

#include "delta/checkpoint.h"
#include "delta/stats.h"
#include "format/arrow_status.h"

namespace millstream::delta {
namespace {

// The members of an action's struct column, bound to their arrays once for a batch. One that is
// absent or of another type reads as nothing, as a NULL does.
class TextColumn {
 public:
  explicit TextColumn(std::shared_ptr<arrow::Array> array)
      : texts_(array != nullptr && (array->type_id() == arrow::Type::STRING ||
                                    array->type_id() == arrow::Type::BINARY)
                   ? std::static_pointer_cast<arrow::BinaryArray>(std::move(array))
                   : nullptr) {}

  bool has(std::int64_t row) const { return texts_ != nullptr && texts_->IsValid(row); }
  std::string text(std::int64_t row) const {  // empty: nothing
    return has(row) ? std::string(texts_->GetView(row)) : std::string();
  }
  std::optional<std::string> at(std::int64_t row) const {
    return has(row) ? std::optional<std::string>(texts_->GetView(row)) : std::nullopt;
  }

 private:
  std::shared_ptr<arrow::BinaryArray> texts_;
};

class NumberColumn {
 public:
  explicit NumberColumn(std::shared_ptr<arrow::Array> array)
      : longs_(std::dynamic_pointer_cast<arrow::Int64Array>(array)),
        ints_(std::dynamic_pointer_cast<arrow::Int32Array>(array)) {}

  std::optional<std::int64_t> at(std::int64_t row) const {
    if (longs_ != nullptr && longs_->IsValid(row)) return longs_->Value(row);
    if (ints_ != nullptr && ints_->IsValid(row)) return ints_->Value(row);
    return std::nullopt;
  }

 private:
  std::shared_ptr<arrow::Int64Array> longs_;
  std::shared_ptr<arrow::Int32Array> ints_;
};

class FlagColumn {
 public:
  explicit FlagColumn(std::shared_ptr<arrow::Array> array)
      : flags_(std::dynamic_pointer_cast<arrow::BooleanArray>(std::move(array))) {}

  bool at(std::int64_t row) const {  // nothing counts as false
    return flags_ != nullptr && flags_->IsValid(row) && flags_->Value(row);
  }

 private:
  std::shared_ptr<arrow::BooleanArray> flags_;
};

class TextListColumn {
 public:
  explicit TextListColumn(const std::shared_ptr<arrow::Array>& array)
      : lists_(std::dynamic_pointer_cast<arrow::ListArray>(array)),
        items_(lists_ == nullptr ? nullptr : lists_->values()) {}

  std::optional<std::vector<std::string>> at(std::int64_t row) const {
    if (lists_ == nullptr || lists_->IsNull(row)) return std::nullopt;
    std::vector<std::string> values;
    for (auto i = lists_->value_offset(row); i < lists_->value_offset(row + 1); ++i) {
      values.push_back(items_.text(i));
    }
    return values;
  }

 private:
  std::shared_ptr<arrow::ListArray> lists_;
  TextColumn items_;
};

class TextMapColumn {
 public:
  explicit TextMapColumn(const std::shared_ptr<arrow::Array>& array)
      : maps_(std::dynamic_pointer_cast<arrow::MapArray>(array)),
        keys_(maps_ == nullptr ? nullptr : maps_->keys()),
        items_(maps_ == nullptr ? nullptr : maps_->items()) {}

  PartitionValues at(std::int64_t row) const {
    PartitionValues values;
    if (maps_ == nullptr || maps_->IsNull(row)) return values;
    for (auto i = maps_->value_offset(row); i < maps_->value_offset(row + 1); ++i) {
      if (keys_.has(i)) values[keys_.text(i)] = items_.at(i);
    }
    return values;
  }
  std::map<std::string, std::string> without_nulls(std::int64_t row) const {
    std::map<std::string, std::string> values;
    for (auto& [key, value] : at(row)) {
      if (value) values[key] = std::move(*value);
    }
    return values;
  }

 private:
  std::shared_ptr<arrow::MapArray> maps_;
  TextColumn keys_;
  TextColumn items_;
};

// The rows of an action, or of a struct in one.
class Rows {
 public:
  Rows(const arrow::RecordBatch& batch, const char* column) : Rows(batch.GetColumnByName(column)) {}
  explicit Rows(const std::shared_ptr<arrow::Array>& array)
      : rows_(std::dynamic_pointer_cast<arrow::StructArray>(array)) {}

  bool has(std::int64_t row) const { return rows_ != nullptr && rows_->IsValid(row); }
  std::shared_ptr<arrow::Array> array(const char* name) const {
    return rows_ == nullptr ? nullptr : rows_->GetFieldByName(name);
  }
  Rows member(const char* name) const { return Rows(array(name)); }
  TextColumn text(const char* name) const { return TextColumn(array(name)); }
  NumberColumn number(const char* name) const { return NumberColumn(array(name)); }
  FlagColumn flag(const char* name) const { return FlagColumn(array(name)); }
  TextListColumn texts(const char* name) const { return TextListColumn(array(name)); }
  TextMapColumn text_map(const char* name) const { return TextMapColumn(array(name)); }

 private:
  std::shared_ptr<arrow::StructArray> rows_;
};

struct DeletionVectorColumns {
  explicit DeletionVectorColumns(const Rows& of) : rows(of) {}

  std::shared_ptr<const DeletionVector> at(std::int64_t row) const {
    if (!rows.has(row) || storage_type.text(row).empty()) return nullptr;
    DeletionVector out;
    out.storage_type = storage_type.text(row);
    out.path_or_inline = path_or_inline.text(row);
    out.offset = offset.at(row);
    out.size_in_bytes = size_in_bytes.at(row).value_or(0);
    out.cardinality = cardinality.at(row).value_or(0);
    return std::make_shared<const DeletionVector>(std::move(out));
  }

  Rows rows;
  TextColumn storage_type = rows.text("storageType");
  TextColumn path_or_inline = rows.text("pathOrInlineDv");
  NumberColumn offset = rows.number("offset");
  NumberColumn size_in_bytes = rows.number("sizeInBytes");
  NumberColumn cardinality = rows.number("cardinality");
};

struct AddColumns {
  explicit AddColumns(const arrow::RecordBatch& batch) : rows(batch, "add") {}

  AddFilePtr at(std::int64_t row) const {
    auto add = std::make_shared<AddFile>();
    add->path = path.text(row);
    add->partition_values = partition_values.at(row);
    add->size = size.at(row).value_or(0);
    add->modification_time = modification_time.at(row).value_or(0);
    add->data_change = data_change.at(row);
    add->stats = stats.text(row);
    if (add->stats.empty() && stats_parsed != nullptr && stats_parsed->IsValid(row)) {
      add->stats = stats_json_of(*stats_parsed, row);
    }
    add->tags = tags.without_nulls(row);
    add->deletion_vector = deletion_vector.at(row);
    add->base_row_id = base_row_id.at(row);
    add->default_row_commit_version = default_row_commit_version.at(row);
    add->clustering_provider = clustering_provider.at(row);
    return add;
  }

  Rows rows;
  TextColumn path = rows.text("path");
  TextMapColumn partition_values = rows.text_map("partitionValues");
  NumberColumn size = rows.number("size");
  NumberColumn modification_time = rows.number("modificationTime");
  FlagColumn data_change = rows.flag("dataChange");
  TextColumn stats = rows.text("stats");
  std::shared_ptr<arrow::Array> stats_parsed = rows.array("stats_parsed");
  TextMapColumn tags = rows.text_map("tags");
  DeletionVectorColumns deletion_vector{rows.member("deletionVector")};
  NumberColumn base_row_id = rows.number("baseRowId");
  NumberColumn default_row_commit_version = rows.number("defaultRowCommitVersion");
  TextColumn clustering_provider = rows.text("clusteringProvider");
};

struct RemoveColumns {
  explicit RemoveColumns(const arrow::RecordBatch& batch) : rows(batch, "remove") {}

  RemoveFilePtr at(std::int64_t row) const {
    auto remove = std::make_shared<RemoveFile>();
    remove->path = path.text(row);
    remove->deletion_timestamp = deletion_timestamp.at(row);
    remove->data_change = data_change.at(row);
    remove->extended_file_metadata = extended_file_metadata.at(row);
    remove->partition_values = partition_values.at(row);
    remove->size = size.at(row);
    remove->deletion_vector = deletion_vector.at(row);
    remove->base_row_id = base_row_id.at(row);
    remove->default_row_commit_version = default_row_commit_version.at(row);
    return remove;
  }

  Rows rows;
  TextColumn path = rows.text("path");
  NumberColumn deletion_timestamp = rows.number("deletionTimestamp");
  FlagColumn data_change = rows.flag("dataChange");
  FlagColumn extended_file_metadata = rows.flag("extendedFileMetadata");
  TextMapColumn partition_values = rows.text_map("partitionValues");
  NumberColumn size = rows.number("size");
  DeletionVectorColumns deletion_vector{rows.member("deletionVector")};
  NumberColumn base_row_id = rows.number("baseRowId");
  NumberColumn default_row_commit_version = rows.number("defaultRowCommitVersion");
};

Metadata read_metadata(const Rows& rows, std::int64_t row) {
  Metadata metadata;
  metadata.id = rows.text("id").text(row);
  metadata.name = rows.text("name").at(row);
  metadata.description = rows.text("description").at(row);
  const Rows format = rows.member("format");
  metadata.provider = format.text("provider").at(row).value_or("parquet");
  metadata.format_options = format.text_map("options").without_nulls(row);
  metadata.schema_string = rows.text("schemaString").text(row);
  metadata.partition_columns =
      rows.texts("partitionColumns").at(row).value_or(std::vector<std::string>());
  metadata.configuration = rows.text_map("configuration").without_nulls(row);
  metadata.created_time = rows.number("createdTime").at(row);
  return metadata;
}

Protocol read_protocol(const Rows& rows, std::int64_t row) {
  Protocol protocol;
  protocol.min_reader = static_cast<int>(rows.number("minReaderVersion").at(row).value_or(1));
  protocol.min_writer = static_cast<int>(rows.number("minWriterVersion").at(row).value_or(1));
  protocol.reader_features = rows.texts("readerFeatures").at(row);
  protocol.writer_features = rows.texts("writerFeatures").at(row);
  // An empty list stands for none in a file whose version has none.
  if (protocol.min_reader < 3) protocol.reader_features.reset();
  if (protocol.min_writer < 7) protocol.writer_features.reset();
  return protocol;
}

// What a column of a checkpoint must be, where it is there: another type would read as nothing.
enum class Kind : std::uint8_t { action, text, number, flag, texts, map };

bool is_of(const arrow::DataType& type, Kind kind) {
  switch (kind) {
    case Kind::action:
      return type.id() == arrow::Type::STRUCT;
    case Kind::text:
      return type.id() == arrow::Type::STRING || type.id() == arrow::Type::BINARY;
    case Kind::number:
      return type.id() == arrow::Type::INT64 || type.id() == arrow::Type::INT32;
    case Kind::flag:
      return type.id() == arrow::Type::BOOL;
    case Kind::texts:
      return type.id() == arrow::Type::LIST;
    case Kind::map:
      return type.id() == arrow::Type::MAP;
  }
  return false;
}

struct ExpectedColumn {
  const char* action;
  const char* member;  // null: the action itself
  Kind kind;
};
// Those without which a table is read wrongly.
constexpr std::array expected_columns = {
    ExpectedColumn{"add", nullptr, Kind::action},
    ExpectedColumn{"add", "path", Kind::text},
    ExpectedColumn{"add", "partitionValues", Kind::map},
    ExpectedColumn{"add", "deletionVector", Kind::action},
    ExpectedColumn{"remove", nullptr, Kind::action},
    ExpectedColumn{"remove", "path", Kind::text},
    ExpectedColumn{"remove", "deletionVector", Kind::action},
    ExpectedColumn{"remove", "deletionTimestamp", Kind::number},
    ExpectedColumn{"txn", nullptr, Kind::action},
    ExpectedColumn{"txn", "appId", Kind::text},
    ExpectedColumn{"txn", "version", Kind::number},
    ExpectedColumn{"metaData", nullptr, Kind::action},
    ExpectedColumn{"metaData", "schemaString", Kind::text},
    ExpectedColumn{"metaData", "partitionColumns", Kind::texts},
    ExpectedColumn{"metaData", "configuration", Kind::map},
    ExpectedColumn{"protocol", nullptr, Kind::action},
    ExpectedColumn{"protocol", "minReaderVersion", Kind::number},
    ExpectedColumn{"protocol", "minWriterVersion", Kind::number},
    ExpectedColumn{"protocol", "readerFeatures", Kind::texts},
    ExpectedColumn{"protocol", "writerFeatures", Kind::texts},
    ExpectedColumn{"domainMetadata", nullptr, Kind::action},
    ExpectedColumn{"sidecar", nullptr, Kind::action},
    ExpectedColumn{"sidecar", "path", Kind::text},
};

Status check_columns(const arrow::Schema& schema) {
  for (const auto& expected : expected_columns) {
    auto field = schema.GetFieldByName(expected.action);
    std::string name = expected.action;
    if (field != nullptr && expected.member != nullptr) {
      name = name + '.' + expected.member;
      const auto* members = dynamic_cast<const arrow::StructType*>(field->type().get());
      field = members == nullptr ? nullptr : members->GetFieldByName(expected.member);
    }
    if (field != nullptr && !is_of(*field->type(), expected.kind))
      return Status::io("its column {} is {}", name, field->type()->ToString());
  }
  return Status::OK();
}

Status check_named(bool named, const char* action, const char* member) {
  return named ? Status::OK() : Status::io("it has an action {} without {}", action, member);
}

Status read_rows(const arrow::RecordBatch& batch, std::vector<Action>& actions) {
  const AddColumns adds(batch);
  const RemoveColumns removes(batch);
  const Rows txns(batch, "txn");
  const Rows metadata(batch, "metaData");
  const Rows protocols(batch, "protocol");
  const Rows domains(batch, "domainMetadata");
  const Rows sidecars(batch, "sidecar");
  const TextColumn app_ids = txns.text("appId");
  const NumberColumn txn_versions = txns.number("version");
  const NumberColumn txn_times = txns.number("lastUpdated");
  const TextColumn sidecar_paths = sidecars.text("path");
  const NumberColumn sidecar_sizes = sidecars.number("sizeInBytes");
  for (std::int64_t row = 0; row < batch.num_rows(); ++row) {
    if (adds.rows.has(row)) {
      TRY(check_named(adds.path.has(row), "add", "path"));
      actions.push_back(adds.at(row));
    }
    if (removes.rows.has(row)) {
      TRY(check_named(removes.path.has(row), "remove", "path"));
      actions.push_back(removes.at(row));
    }
    if (txns.has(row)) {
      actions.push_back(
          Txn{app_ids.text(row), txn_versions.at(row).value_or(0), txn_times.at(row)});
    }
    if (metadata.has(row)) actions.push_back(read_metadata(metadata, row));
    if (protocols.has(row)) actions.push_back(read_protocol(protocols, row));
    if (domains.has(row)) {
      actions.push_back(DomainMetadata{domains.text("domain").text(row),
                                       domains.text("configuration").text(row),
                                       domains.flag("removed").at(row)});
    }
    if (sidecars.has(row)) {
      TRY(check_named(sidecar_paths.has(row), "sidecar", "path"));
      actions.push_back(Sidecar{sidecar_paths.text(row), sidecar_sizes.at(row).value_or(0)});
    }
  }
  return Status::OK();
}

// The leaves that are read: all but the typed copies of statistics (when the text is there) and of
// partition values.
std::vector<int> wanted_leaves(const parquet::SchemaDescriptor& schema) {
  std::vector<int> plain;
  std::vector<int> typed_stats;
  bool has_text = false;
  for (int i = 0; i < schema.num_columns(); ++i) {
    const auto path = schema.Column(i)->path()->ToDotVector();
    const bool of_add = path.size() > 1 && path[0] == "add";
    if (of_add && path[1] == "partitionValues_parsed") continue;
    if (of_add && path[1] == "stats_parsed") {
      typed_stats.push_back(i);
      continue;
    }
    has_text = has_text || (of_add && path[1] == "stats");
    plain.push_back(i);
  }
  if (!has_text) plain.insert(plain.end(), typed_stats.begin(), typed_stats.end());
  return plain;
}

// Few enough for a batch's arrays and actions to stay in the processor's cache.
constexpr std::int64_t rows_at_a_time = 4096;

enum class Wanted : std::uint8_t { all, sidecars };

std::vector<int> leaves_of_sidecars(const parquet::SchemaDescriptor& schema) {
  std::vector<int> out;
  for (int i = 0; i < schema.num_columns(); ++i) {
    if (schema.Column(i)->path()->ToDotVector()[0] == "sidecar") out.push_back(i);
  }
  return out;
}

Status read_parquet(std::string bytes, Wanted wanted, const TakeActions& take) {
  try {
    auto source =
        std::make_shared<arrow::io::BufferReader>(arrow::Buffer::FromString(std::move(bytes)));
    parquet::arrow::FileReaderBuilder builder;
    TRY_ARROW(builder.Open(std::move(source)));
    parquet::ArrowReaderProperties properties;
    properties.set_batch_size(rows_at_a_time);
    builder.properties(properties);
    std::unique_ptr<parquet::arrow::FileReader> reader;
    TRY_ARROW(builder.Build(&reader));
    const auto metadata = reader->parquet_reader()->metadata();
    const auto leaves = wanted == Wanted::all ? wanted_leaves(*metadata->schema())
                                              : leaves_of_sidecars(*metadata->schema());
    if (leaves.empty()) return Status::OK();
    std::vector<int> groups;
    for (int i = 0; i < metadata->num_row_groups(); ++i) groups.push_back(i);
    TRY_ARROW_ASSIGN(const auto batches, reader->GetRecordBatchReader(groups, leaves));
    TRY(check_columns(*batches->schema()));
    std::vector<Action> actions;
    for (;;) {
      std::shared_ptr<arrow::RecordBatch> batch;
      TRY_ARROW(batches->ReadNext(&batch));
      if (batch == nullptr) return Status::OK();
      actions.clear();
      TRY(read_rows(*batch, actions));
      TRY(take(actions));
    }
  } catch (const parquet::ParquetException& problem) {
    return Status::io("{}", problem.what());
  }
}

Status read_file(io::Store& store, const std::string& path, const TakeActions& take,
                 Wanted wanted = Wanted::all) {
  Status taken;  // the taker's own error
  const auto watched = [&](const std::vector<Action>& actions) {
    taken = take(actions);
    return taken;
  };
  const auto read = [&]() -> Status {
    TRY_ASSIGN(auto bytes, store.get(path));
    if (bytes.empty()) return Status::io("it is empty");
    if (!path.ends_with(".json")) return read_parquet(std::move(bytes), wanted, watched);
    TRY_ASSIGN(const auto actions, parse_actions(bytes, path));
    return watched(actions);
  };
  const Status status = read();
  if (status.ok() || !taken.ok()) return status;
  return Status::io("the Delta checkpoint {} cannot be read: {}", path, status.message());
}

Status check_sidecar(const std::vector<Action>& actions) {
  for (const auto& action : actions) {
    if (!std::holds_alternative<AddFilePtr>(action) &&
        !std::holds_alternative<RemoveFilePtr>(action))
      return Status::io("a sidecar has adds and removes only");
  }
  return Status::OK();
}

void note_sidecars(const std::vector<Action>& actions, std::vector<std::string>& sidecars) {
  for (const auto& action : actions) {
    if (const auto* sidecar = std::get_if<Sidecar>(&action)) sidecars.push_back(sidecar->path);
  }
}

}  // namespace

Result<std::vector<std::string>> sidecars_of(io::Store& store, const std::string& log_directory,
                                             const CheckpointFiles& files) {
  std::vector<std::string> sidecars;
  const auto take = [&](const std::vector<Action>& actions) {
    note_sidecars(actions, sidecars);
    return Status::OK();
  };
  for (const auto& name : files.names) {
    TRY(read_file(store, io::join_path(log_directory, name), take, Wanted::sidecars));
  }
  return sidecars;
}

Status read_checkpoint(const std::shared_ptr<io::Store>& store, const std::string& log_directory,
                       const CheckpointFiles& files, const TakeActions& take) {
  std::vector<std::string> sidecars;
  const auto take_top = [&](const std::vector<Action>& actions) {
    note_sidecars(actions, sidecars);
    return take(actions);
  };
  for (const auto& name : files.names)
    TRY(read_file(*store, io::join_path(log_directory, name), take_top));
  for (const auto& name : sidecars) {
    const std::string path =
        name.find('/') == std::string::npos
            ? io::join_path(io::join_path(log_directory, sidecar_directory), name)
            : resolve_path(log_directory, name);
    Status wrong;
    const auto take_files = [&](const std::vector<Action>& actions) -> Status {
      wrong = check_sidecar(actions);
      return wrong.ok() ? take(actions) : wrong;
    };
    const Status status = read_file(*store, path, take_files);
    if (!wrong.ok())
      return Status::io("the Delta checkpoint {} cannot be read: {}", path, wrong.message());
    TRY(status);
  }
  return Status::OK();
}

}  // namespace millstream::delta
