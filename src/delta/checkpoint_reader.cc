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

// The members of an action's struct column, by name. A member that is absent, NULL or of another
// type reads as nothing.
class Rows {
 public:
  Rows(const arrow::RecordBatch& batch, const char* column)
      : rows_(std::dynamic_pointer_cast<arrow::StructArray>(batch.GetColumnByName(column))) {}
  explicit Rows(std::shared_ptr<arrow::Array> array)
      : rows_(std::dynamic_pointer_cast<arrow::StructArray>(std::move(array))) {}

  bool has(std::int64_t row) const { return rows_ != nullptr && rows_->IsValid(row); }
  Rows member(const char* name) const {
    return Rows(rows_ == nullptr ? nullptr : rows_->GetFieldByName(name));
  }
  std::shared_ptr<arrow::Array> column(const char* name) const {
    return rows_ == nullptr ? nullptr : rows_->GetFieldByName(name);
  }

  std::optional<std::string> text(const char* name, std::int64_t row) const {
    return text_at(column(name).get(), row);
  }
  std::optional<std::int64_t> number(const char* name, std::int64_t row) const {
    const auto array = column(name);
    if (array == nullptr || array->IsNull(row)) return std::nullopt;
    if (array->type_id() == arrow::Type::INT64) {
      return static_cast<const arrow::Int64Array&>(*array).Value(row);
    }
    if (array->type_id() == arrow::Type::INT32) {
      return static_cast<const arrow::Int32Array&>(*array).Value(row);
    }
    return std::nullopt;
  }
  bool flag(const char* name, std::int64_t row, bool fallback) const {
    const auto array = column(name);
    if (array == nullptr || array->type_id() != arrow::Type::BOOL || array->IsNull(row))
      return fallback;
    return static_cast<const arrow::BooleanArray&>(*array).Value(row);
  }
  std::optional<std::vector<std::string>> texts(const char* name, std::int64_t row) const {
    const auto array = std::dynamic_pointer_cast<arrow::ListArray>(column(name));
    if (array == nullptr || array->IsNull(row)) return std::nullopt;
    std::vector<std::string> values;
    for (auto i = array->value_offset(row); i < array->value_offset(row + 1); ++i) {
      values.push_back(text_at(array->values().get(), i).value_or(""));
    }
    return values;
  }
  PartitionValues text_map(const char* name, std::int64_t row) const {
    PartitionValues values;
    const auto array = std::dynamic_pointer_cast<arrow::MapArray>(column(name));
    if (array == nullptr || array->IsNull(row)) return values;
    for (auto i = array->value_offset(row); i < array->value_offset(row + 1); ++i) {
      if (auto key = text_at(array->keys().get(), i)) {
        values[std::move(*key)] = text_at(array->items().get(), i);
      }
    }
    return values;
  }
  std::map<std::string, std::string> tags(const char* name, std::int64_t row) const {
    std::map<std::string, std::string> values;
    for (auto& [key, value] : text_map(name, row)) {
      if (value) values[key] = std::move(*value);
    }
    return values;
  }
  std::shared_ptr<const DeletionVector> deletion_vector(std::int64_t row) const {
    const Rows dv = member("deletionVector");
    if (!dv.has(row)) return nullptr;
    DeletionVector out;
    out.storage_type = dv.text("storageType", row).value_or("");
    out.path_or_inline = dv.text("pathOrInlineDv", row).value_or("");
    out.offset = dv.number("offset", row);
    out.size_in_bytes = dv.number("sizeInBytes", row).value_or(0);
    out.cardinality = dv.number("cardinality", row).value_or(0);
    return out.storage_type.empty() ? nullptr
                                    : std::make_shared<const DeletionVector>(std::move(out));
  }

 private:
  static std::optional<std::string> text_at(const arrow::Array* array, std::int64_t row) {
    if (array == nullptr || array->IsNull(row)) return std::nullopt;
    if (array->type_id() == arrow::Type::STRING || array->type_id() == arrow::Type::BINARY) {
      return std::string(static_cast<const arrow::BinaryArray&>(*array).GetView(row));
    }
    return std::nullopt;
  }

  std::shared_ptr<arrow::StructArray> rows_;
};

AddFilePtr read_add(const Rows& rows, const arrow::Array* stats_parsed, std::int64_t row) {
  AddFile add;
  add.path = rows.text("path", row).value_or("");
  add.partition_values = rows.text_map("partitionValues", row);
  add.size = rows.number("size", row).value_or(0);
  add.modification_time = rows.number("modificationTime", row).value_or(0);
  add.data_change = rows.flag("dataChange", row, false);
  add.stats = rows.text("stats", row).value_or("");
  if (add.stats.empty() && stats_parsed != nullptr && stats_parsed->IsValid(row)) {
    add.stats = stats_json_of(*stats_parsed, row);
  }
  add.tags = rows.tags("tags", row);
  add.deletion_vector = rows.deletion_vector(row);
  add.base_row_id = rows.number("baseRowId", row);
  add.default_row_commit_version = rows.number("defaultRowCommitVersion", row);
  add.clustering_provider = rows.text("clusteringProvider", row);
  return std::make_shared<const AddFile>(std::move(add));
}

RemoveFilePtr read_remove(const Rows& rows, std::int64_t row) {
  RemoveFile remove;
  remove.path = rows.text("path", row).value_or("");
  remove.deletion_timestamp = rows.number("deletionTimestamp", row);
  remove.data_change = rows.flag("dataChange", row, false);
  remove.extended_file_metadata = rows.flag("extendedFileMetadata", row, false);
  remove.partition_values = rows.text_map("partitionValues", row);
  remove.size = rows.number("size", row);
  remove.deletion_vector = rows.deletion_vector(row);
  remove.base_row_id = rows.number("baseRowId", row);
  remove.default_row_commit_version = rows.number("defaultRowCommitVersion", row);
  return std::make_shared<const RemoveFile>(std::move(remove));
}

Metadata read_metadata(const Rows& rows, std::int64_t row) {
  Metadata metadata;
  metadata.id = rows.text("id", row).value_or("");
  metadata.name = rows.text("name", row);
  metadata.description = rows.text("description", row);
  const Rows format = rows.member("format");
  metadata.provider = format.text("provider", row).value_or("parquet");
  metadata.format_options = format.tags("options", row);
  metadata.schema_string = rows.text("schemaString", row).value_or("");
  metadata.partition_columns =
      rows.texts("partitionColumns", row).value_or(std::vector<std::string>());
  metadata.configuration = rows.tags("configuration", row);
  metadata.created_time = rows.number("createdTime", row);
  return metadata;
}

Protocol read_protocol(const Rows& rows, std::int64_t row) {
  Protocol protocol;
  protocol.min_reader = static_cast<int>(rows.number("minReaderVersion", row).value_or(1));
  protocol.min_writer = static_cast<int>(rows.number("minWriterVersion", row).value_or(1));
  protocol.reader_features = rows.texts("readerFeatures", row);
  protocol.writer_features = rows.texts("writerFeatures", row);
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

Status check_row(const Rows& rows, const char* action, const char* member, std::int64_t row) {
  return rows.text(member, row) ? Status::OK()
                                : Status::io("it has an action {} without {}", action, member);
}

Status read_rows(const arrow::RecordBatch& batch, std::vector<Action>& actions) {
  const Rows adds(batch, "add");
  const Rows removes(batch, "remove");
  const Rows txns(batch, "txn");
  const Rows metadata(batch, "metaData");
  const Rows protocols(batch, "protocol");
  const Rows domains(batch, "domainMetadata");
  const Rows sidecars(batch, "sidecar");
  const auto stats_parsed = adds.column("stats_parsed");
  for (std::int64_t row = 0; row < batch.num_rows(); ++row) {
    if (adds.has(row)) {
      TRY(check_row(adds, "add", "path", row));
      actions.push_back(read_add(adds, stats_parsed.get(), row));
    }
    if (removes.has(row)) {
      TRY(check_row(removes, "remove", "path", row));
      actions.push_back(read_remove(removes, row));
    }
    if (txns.has(row)) {
      actions.push_back(Txn{txns.text("appId", row).value_or(""),
                            txns.number("version", row).value_or(0),
                            txns.number("lastUpdated", row)});
    }
    if (metadata.has(row)) actions.push_back(read_metadata(metadata, row));
    if (protocols.has(row)) actions.push_back(read_protocol(protocols, row));
    if (domains.has(row)) {
      actions.push_back(DomainMetadata{domains.text("domain", row).value_or(""),
                                       domains.text("configuration", row).value_or(""),
                                       domains.flag("removed", row, false)});
    }
    if (sidecars.has(row)) {
      TRY(check_row(sidecars, "sidecar", "path", row));
      actions.push_back(
          Sidecar{*sidecars.text("path", row), sidecars.number("sizeInBytes", row).value_or(0)});
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
    for (;;) {
      std::shared_ptr<arrow::RecordBatch> batch;
      TRY_ARROW(batches->ReadNext(&batch));
      if (batch == nullptr) return Status::OK();
      std::vector<Action> actions;
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
