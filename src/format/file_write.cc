// write_files: df.write of file formats.
#include <arrow/array.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/compute/api_vector.h>
#include <arrow/record_batch.h>
#include <arrow/scalar.h>
#include <arrow/type.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <map>
#include <mutex>
#include <set>

#include "base/random.h"
#include "base/text.h"
#include "conc/thread_pool.h"
#include "format/arrow_status.h"
#include "format/file_scan.h"
#include "format/file_sink.h"
#include "format/file_table.h"
#include "format/json_text.h"

namespace millstream::format {
namespace {

constexpr std::string_view null_directory = "__HIVE_DEFAULT_PARTITION__";

// ExternalCatalogUtils.escapePathName.
std::string escape_path_name(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f ||
        std::string_view("\"#%'*/:=?\\{[]^").find(c) != std::string_view::npos) {
      out += fmt::format("%{:02X}", byte);
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace

std::string partition_folder(std::string_view column, const std::optional<std::string>& value) {
  const bool none = !value || value->empty();
  return escape_path_name(column) + "=" +
         (none ? std::string(null_directory) : escape_path_name(*value));
}

namespace {

// A partition value as it stands in a directory's name; nothing: NULL or "".
std::optional<std::string> partition_text(const arrow::Array& array, std::int64_t row,
                                          const TimeZone& zone) {
  if (array.IsNull(row)) return std::nullopt;
  switch (array.type_id()) {
    case arrow::Type::STRING: {
      const auto text = static_cast<const arrow::StringArray&>(array).GetView(row);
      return text.empty() ? std::nullopt : std::optional(std::string(text));
    }
    case arrow::Type::DATE32:
      return date_text(static_cast<const arrow::Date32Array&>(array).Value(row));
    case arrow::Type::TIMESTAMP: {
      const std::int64_t micros = static_cast<const arrow::TimestampArray&>(array).Value(row);
      const bool ntz = static_cast<const arrow::TimestampType&>(*array.type()).timezone().empty();
      const std::int64_t seconds =
          micros >= 0 ? micros / 1'000'000 : (micros - 999'999) / 1'000'000;
      return timestamp_text(micros + (ntz ? 0 : zone.offset_at(seconds)) * 1'000'000);
    }
    case arrow::Type::FLOAT:
      return java_text(static_cast<const arrow::FloatArray&>(array).Value(row));
    case arrow::Type::DOUBLE:
      return java_text(static_cast<const arrow::DoubleArray&>(array).Value(row));
    default: {
      const auto scalar = array.GetScalar(row);
      return scalar.ok() ? std::optional((*scalar)->ToString()) : std::nullopt;
    }
  }
}

struct Job {
  std::shared_ptr<io::Store> store;
  std::string directory;  // where the files are written
  std::string uuid;
  std::shared_ptr<const FileSinkFactory> factory;
  std::vector<int> data_columns;
  std::vector<int> partition_columns;
  std::vector<std::string> partition_names;
  int bucket_column = -1;
  std::shared_ptr<arrow::Schema> data_schema;
  TimeZone zone = TimeZone::fixed(0);
  std::int64_t records_max = 0;  // of a file; 0: any number

  std::mutex mutex;
  std::vector<std::string> written;  // below the directory
  std::set<std::string> folders;
  std::atomic<std::int64_t> rows{0};
};

// One partition of the rows; its files are part-<task>-….
class Task {
 public:
  Task(Job& job, std::size_t number) : job_(job), number_(number) {}

  Status run(connector::BatchReader& reader) {
    for (;;) {
      TRY_ASSIGN(const auto batch, reader.next());
      if (batch == nullptr) break;
      if (batch->num_rows() == 0) continue;
      job_.rows += batch->num_rows();
      TRY(is_split() ? write_split(*batch) : write_to({}, data_of(*batch)));
    }
    // The first task leaves a file even without rows, so that the schema is there to read.
    if (sinks_.empty() && number_ == 0 && job_.partition_columns.empty()) TRY(sink_of({}).status());
    for (auto& [place, open] : sinks_) {
      if (open.sink != nullptr) TRY(open.sink->close());
    }
    return Status::OK();
  }

 private:
  // Where a row goes.
  struct Place {
    std::string directory;  // empty: the job's own
    int bucket = -1;        // -1: none
    auto operator<=>(const Place&) const = default;
  };

  bool is_split() const { return !job_.partition_columns.empty() || job_.bucket_column >= 0; }

  Place place_of(const arrow::RecordBatch& batch, std::int64_t row) const {
    Place place{directory_of(batch, row), -1};
    if (job_.bucket_column >= 0) {
      place.bucket =
          static_cast<const arrow::Int32Array&>(*batch.column(job_.bucket_column)).Value(row);
    }
    return place;
  }

  connector::RecordBatchPtr data_of(const arrow::RecordBatch& batch) const {
    std::vector<std::shared_ptr<arrow::Array>> columns;
    for (const int i : job_.data_columns) columns.push_back(batch.column(i));
    return arrow::RecordBatch::Make(job_.data_schema, batch.num_rows(), std::move(columns));
  }

  std::string directory_of(const arrow::RecordBatch& batch, std::int64_t row) const {
    std::string directory;
    for (std::size_t i = 0; i < job_.partition_columns.size(); ++i) {
      const auto text = partition_text(*batch.column(job_.partition_columns[i]), row, job_.zone);
      directory += (directory.empty() ? "" : "/") + partition_folder(job_.partition_names[i], text);
    }
    return directory;
  }

  Status write_split(const arrow::RecordBatch& batch) {
    std::map<Place, std::vector<std::int64_t>> rows_of;
    for (std::int64_t row = 0; row < batch.num_rows(); ++row)
      rows_of[place_of(batch, row)].push_back(row);
    const auto data = data_of(batch);
    for (const auto& [place, rows] : rows_of) {
      arrow::Int64Builder builder;
      TRY_ARROW(builder.AppendValues(rows));
      TRY_ARROW_ASSIGN(const auto indices, builder.Finish());
      std::vector<std::shared_ptr<arrow::Array>> columns;
      for (const auto& column : data->columns()) {
        TRY_ARROW_ASSIGN(auto taken, arrow::compute::Take(*column, *indices));
        columns.push_back(std::move(taken));
      }
      TRY(write_to(place, arrow::RecordBatch::Make(job_.data_schema, indices->length(),
                                                   std::move(columns))));
    }
    return Status::OK();
  }

  Status write_to(const Place& place, const connector::RecordBatchPtr& batch) {
    std::int64_t from = 0;
    while (from < batch->num_rows()) {
      TRY_ASSIGN(Open* const open, sink_of(place));
      std::int64_t rows = batch->num_rows() - from;
      if (job_.records_max > 0) rows = std::min(rows, job_.records_max - open->rows);
      TRY(open->sink->write(rows == batch->num_rows() ? batch : batch->Slice(from, rows)));
      open->rows += rows;
      from += rows;
      if (job_.records_max > 0 && open->rows == job_.records_max) {
        TRY(open->sink->close());
        open->sink.reset();
      }
    }
    return Status::OK();
  }

  struct Open {
    std::unique_ptr<FileSink> sink;
    std::int64_t rows = 0;
    int files = 0;
  };

  Result<Open*> sink_of(const Place& place) {
    Open& open = sinks_[place];
    if (open.sink == nullptr) {
      const std::string bucket = place.bucket < 0 ? "" : fmt::format("_{:05}", place.bucket);
      const std::string name =
          fmt::format("part-{:05}-{}{}{}c{:03}{}", number_, job_.uuid, bucket,
                      is_split() ? "." : "-", open.files++, job_.factory->extension());
      const std::string path =
          place.directory.empty() ? name : io::join_path(place.directory, name);
      {
        const std::lock_guard lock(job_.mutex);
        job_.written.push_back(path);
        if (!place.directory.empty()) job_.folders.insert(place.directory);
      }
      TRY_ASSIGN(open.sink, job_.factory->open(job_.store, io::join_path(job_.directory, path)));
      open.rows = 0;
    }
    return &open;
  }

  Job& job_;
  const std::size_t number_;
  std::map<Place, Open> sinks_;
};

// Files are written aside, where no reader looks, and moved to their places when all are whole. An
// object in an object store is not there before it is whole.
constexpr std::string_view aside = "_temporary";

// Where a file of a write belongs.
std::string place_of(const std::string& path, const FileWriteRequest& request) {
  const auto placed = request.placed.find(std::string(io::parent_path(path)));
  if (placed == request.placed.end()) return io::join_path(request.directory, path);
  return io::join_path(placed->second, std::string(io::base_name(path)));
}

Status move_to_places(Job& job, const FileWriteRequest& request) {
  for (const auto& path : job.written) {
    const std::string from = io::join_path(job.directory, path);
    const std::string place = place_of(path, request);
    TRY(job.store->make_directories(std::string(io::parent_path(place))));
    std::error_code error;
    std::filesystem::rename(from, place, error);
    // Another disk may hold what lies elsewhere.
    if (error == std::errc::cross_device_link) std::filesystem::copy_file(from, place, error);
    if (error) return Status::io("{}: {}", place, error.message());
  }
  return Status::OK();
}

// What was written aside, and the folder for it unless others write too.
void clear_aside(Job& job, const std::string& directory) {
  (void)job.store->remove_tree(job.directory);
  std::error_code error;
  std::filesystem::remove(io::join_path(directory, aside), error);
}

Status split_columns(const column::Schema& schema, const std::vector<std::string>& partition_by,
                     Job& job, column::Schema& data) {
  for (const auto& name : partition_by) {
    const int index = column::find_field_ignore_case(schema, name);
    if (index < 0) {
      return Status::error("PARTITION_COLUMN_NOT_FOUND_IN_SCHEMA",
                           {{"column", "`" + name + "`"}, {"schema", column::to_ddl(schema)}});
    }
    const auto& field = schema[static_cast<std::size_t>(index)];
    if (field.type->is_nested() || field.type->kind() == column::TypeKind::variant) {
      return Status::error("INVALID_PARTITION_COLUMN_DATA_TYPE",
                           {{"type", "\"" + field.type->sql() + "\""}});
    }
    job.partition_columns.push_back(index);
    job.partition_names.push_back(field.name);
  }
  for (std::size_t i = 0; i < schema.size(); ++i) {
    const int index = static_cast<int>(i);
    const auto& partitions = job.partition_columns;
    if (std::find(partitions.begin(), partitions.end(), index) != partitions.end()) continue;
    if (index == job.bucket_column) continue;
    job.data_columns.push_back(index);
    data.push_back(schema[i]);
  }
  if (data.empty() && !schema.empty()) return Status::error("ALL_PARTITION_COLUMNS_NOT_ALLOWED");
  return Status::OK();
}

}  // namespace

Result<FilesWritten> write_files(const FileWriteRequest& request, const connector::Batches& rows) {
  TRY_ASSIGN(const FileFormat format, file_format(request.format));
  Job job;
  job.store = request.store ? request.store : io::local_store();
  job.uuid = new_uuid();
  TRY_ASSIGN(job.records_max, request.options.get_int("maxRecordsPerFile", 0));
  TRY_ASSIGN(job.zone, TimeZone::find(request.time_zone));
  column::Schema data;
  if (!request.bucket_column.empty()) {
    job.bucket_column = column::find_field(rows.schema, request.bucket_column);
  }
  TRY(split_columns(rows.schema, request.partition_by, job, data));
  job.data_schema = column::to_arrow(data);
  Options options;  // the format's own
  for (const auto& [name, entry] : request.options.entries()) {
    if (name != "maxrecordsperfile") options.set(entry.name, entry.value);
  }
  TRY_ASSIGN(job.factory, FileSinkFactory::make(format, data, options, request.time_zone));
  TRY(job.store->make_directories(request.directory));
  const bool moves = job.store->is_local(request.directory);
  if (!moves && !request.placed.empty())
    return Status::unsupported("partitions that lie elsewhere than {}", request.directory);
  job.directory =
      moves ? io::join_path(io::join_path(request.directory, aside), job.uuid) : request.directory;
  // Once more where another write has just cleared the folder between.
  if (moves && !job.store->make_directories(job.directory).ok())
    TRY(job.store->make_directories(job.directory));
  const auto run = [&](std::size_t i) -> Status {
    TRY_ASSIGN(const auto reader, rows.partitions[i]());
    return Task(job, i).run(*reader);
  };
  Status status = shared_pool().run_all(rows.partitions.size(), run);
  if (status.ok() && rows.partitions.empty()) {
    const auto nothing = connector::batches_of(rows.schema, {}).partitions.front()();
    status = Task(job, 0).run(**nothing);
  }
  if (status.ok() && moves) status = move_to_places(job, request);
  if (!status.ok()) {
    for (const auto& path : job.written) (void)job.store->remove(place_of(path, request));
  }
  if (moves) clear_aside(job, request.directory);
  TRY(status);
  TRY(job.store->put(io::join_path(request.directory, "_SUCCESS"), ""));
  return FilesWritten{job.rows.load(), {job.folders.begin(), job.folders.end()}};
}

}  // namespace millstream::format
