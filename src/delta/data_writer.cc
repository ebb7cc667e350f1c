#include "delta/data_writer.h"

#include <arrow/array.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/compute/api_vector.h>
#include <arrow/record_batch.h>
#include <arrow/scalar.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>

#include "base/clock.h"
#include "base/failpoint.h"
#include "base/random.h"
#include "base/text.h"
#include "conc/thread_pool.h"
#include "delta/column_mapping.h"
#include "delta/partitioner.h"
#include "delta/row_tracking.h"
#include "delta/shaper.h"
#include "delta/stats.h"
#include "delta/stats_columns.h"
#include "delta/waiting_rows.h"
#include "format/arrow_status.h"
#include "format/parquet.h"
#include "format/parquet_stats.h"

namespace millstream::delta {
namespace {

// Open files of one thread at most; the rows of further partitions wait until these are finished.
constexpr std::size_t open_files_max = 64;
constexpr std::int64_t waiting_bytes_max = 64 << 20;
// Batches that fall apart into groups of fewer rows than this are split some at a time.
constexpr std::int64_t thin_group_rows = 256;
constexpr std::int64_t rows_split_at_once = 512 << 10;
constexpr std::int64_t bytes_split_at_once = 16 << 20;
// Arrow bytes of a row group: each open file holds one. A thread has many files open only where the
// table is partitioned.
constexpr std::int64_t row_group_bytes_max = 32 << 20;
constexpr std::int64_t row_group_bytes_max_partitioned = 8 << 20;

// Statistics have the files' names. Columns that are not there say nothing.
std::vector<std::vector<std::string>> physical_paths(
    const TableInfo& info, const std::vector<std::vector<std::string>>& columns) {
  std::vector<std::vector<std::string>> out;
  for (const auto& path : columns) {
    if (const auto found = find_column(info, path)) out.push_back(found->physical_path);
  }
  return out;
}

// What is the same for all threads of one write.
struct Plan {
  std::shared_ptr<io::Store> store;
  std::string table;
  const TableInfo& info;
  column::Schema file_schema;  // without partition columns and columns of type void
  std::vector<int> file_columns;
  std::vector<int> partition_columns;
  format::ParquetWriteOptions parquet;
  int string_prefix = default_string_prefix;
  std::int64_t max_records = 0;
  std::int64_t max_bytes = 0;
  std::string directory;
  std::string prefix;
  std::string suffix;  // ".c000.snappy.parquet"
  const CancelToken* cancel = nullptr;
  std::vector<std::string> without_stats;  // the files' columns of row tracking
  // The files' columns where these have other names than the table's; null: they have not.
  std::shared_ptr<arrow::Schema> renamed = nullptr;
};

Plan make_plan(const std::shared_ptr<io::Store>& store, const std::string& table,
               const TableInfo& info, const DataWriteOptions& options, const CancelToken* cancel) {
  Plan plan{store,
            table,
            info,
            {},
            {},
            info.partition_index,
            {},
            32,
            options.max_records_per_file,
            options.max_bytes_per_file,
            options.directory,
            options.prefix,
            {},
            cancel,
            {}};
  for (std::size_t i = 0; i < info.schema.size(); ++i) {
    if (info.is_partition_column(i) || info.schema[i].type->kind() == column::TypeKind::null)
      continue;
    plan.file_schema.push_back(info.physical[i]);
    plan.file_columns.push_back(static_cast<int>(i));
    if (info.schema[i].name == row_ids::id || info.schema[i].name == row_ids::version)
      plan.without_stats.push_back(info.physical[i].name);
  }
  plan.file_schema = column::as_nullable(plan.file_schema);  // the shaper has enforced NOT NULL
  const bool renames = info.mapping != MappingMode::none || !plan.without_stats.empty();
  if (renames) plan.renamed = column::to_arrow(plan.file_schema);
  plan.parquet.compression = options.compression;
  plan.parquet.row_group_bytes_max =
      info.partition_index.empty() ? row_group_bytes_max : row_group_bytes_max_partitioned;
  plan.parquet.stats_leaves_max =
      static_cast<int>(info.number("delta.dataSkippingNumIndexedCols", 32));
  if (const std::string* columns = info.property("delta.dataSkippingStatsColumns")) {
    plan.parquet.stats_paths = physical_paths(info, parse_column_list(*columns));
  }
  plan.string_prefix = string_prefix_length(info);
  const std::string codec = to_lower(options.compression);
  plan.suffix = codec == "none" || codec == "uncompressed" ? ".parquet" : "." + codec + ".parquet";
  plan.suffix = (info.partition_index.empty() ? "-c000" : ".c000") + plan.suffix;
  return plan;
}

// The files of one thread: one open file for each combination of partition values.
class FileWriter {
 public:
  FileWriter(const Plan& plan, std::size_t task)
      : plan_(plan), task_(task), waiting_(waiting_bytes_max) {}

  Status write(const connector::RecordBatchPtr& batch) {
    if (batch->num_rows() == 0) return Status::OK();
    unsplit_.push_back(batch);
    if (!thin_) return split();
    unsplit_rows_ += batch->num_rows();
    unsplit_bytes_ += format::arrow_bytes(*batch);
    const bool few = unsplit_rows_ < rows_split_at_once && unsplit_bytes_ < bytes_split_at_once;
    return few ? Status::OK() : split();
  }

  // Closes all files.
  Status finish() {
    TRY(split());
    while (!open_.empty()) TRY(close(open_.begin()));
    return waiting_.give([&](PartitionGroup group) { return write_group(std::move(group)); },
                         [&](const std::string& directory) {
                           const auto file = open_.find(directory);
                           return file == open_.end() ? Status::OK() : close(file);
                         });
  }

  // Of the files that are finished; after a failure those before it. Open files are removed by
  // their writers.
  void hand_over(DataFiles& files) {
    for (auto& add : done_.adds) files.adds.push_back(std::move(add));
    files.rows += done_.rows;
    files.bytes += done_.bytes;
  }

 private:
  struct Open {
    std::unique_ptr<format::ParquetWriter> writer;
    std::string directory;  // "" or "p=x/q=y/"
    std::string path;       // relative to the table, as on disk
    PartitionValues values;
    std::int64_t rows = 0;
  };
  using OpenFiles = std::map<std::string, Open>;

  // The rows that have come, to the files of their partitions.
  Status split() {
    if (unsplit_.empty()) return Status::OK();
    connector::RecordBatchPtr rows = unsplit_.front();
    if (unsplit_.size() > 1) {
      TRY_ARROW_ASSIGN(rows, arrow::ConcatenateRecordBatches(unsplit_));
    }
    unsplit_.clear();
    unsplit_rows_ = unsplit_bytes_ = 0;
    TRY_ASSIGN(auto groups, partition_rows(rows, plan_.info.physical, plan_.partition_columns));
    thin_ = rows->num_rows() < static_cast<std::int64_t>(groups.size() - 1) * thin_group_rows;
    for (auto& group : groups) {
      const bool has_file = open_.contains(group.directory);
      if (has_file || open_.size() < open_files_max) {
        TRY(write_group(std::move(group)));
      } else {
        TRY(waiting_.add(std::move(group)));
      }
    }
    return Status::OK();
  }

  Status write_group(PartitionGroup group) {
    if (plan_.cancel != nullptr) TRY(plan_.cancel->check());
    connector::RecordBatchPtr rows = project(*group.rows);
    const std::int64_t step = rows_at_once(*rows);
    for (std::int64_t at = 0; at < rows->num_rows();) {
      TRY_ASSIGN(const auto file, open_file(group));
      std::int64_t count = std::min(rows->num_rows() - at, step);
      if (plan_.max_records > 0) count = std::min(count, plan_.max_records - file->second.rows);
      TRY(file->second.writer->write(count == rows->num_rows() ? rows : rows->Slice(at, count)));
      file->second.rows += count;
      at += count;
      const bool full =
          (plan_.max_records > 0 && file->second.rows >= plan_.max_records) ||
          (plan_.max_bytes > 0 && file->second.writer->bytes_so_far() >= plan_.max_bytes);
      if (full) TRY(close(file));
    }
    return Status::OK();
  }

  // So few that a file is not much larger than it may be.
  std::int64_t rows_at_once(const arrow::RecordBatch& rows) const {
    const std::int64_t bytes = format::arrow_bytes(rows);
    if (plan_.max_bytes <= 0 || bytes <= plan_.max_bytes) return rows.num_rows();
    const double share = static_cast<double>(plan_.max_bytes) / static_cast<double>(bytes);
    return std::max<std::int64_t>(
        1, static_cast<std::int64_t>(share * static_cast<double>(rows.num_rows()) / 2));
  }

  connector::RecordBatchPtr project(const arrow::RecordBatch& batch) const {
    std::vector<std::shared_ptr<arrow::Array>> columns;
    arrow::FieldVector fields;
    for (const int index : plan_.file_columns) {
      columns.push_back(batch.column(index));
      fields.push_back(batch.schema()->field(index));
    }
    if (plan_.renamed != nullptr) {
      for (std::size_t i = 0; i < columns.size(); ++i) {
        const auto& field = plan_.renamed->field(static_cast<int>(i));
        columns[i] = arrow::MakeArray(renamed(columns[i]->data(), field->type()));
      }
      return arrow::RecordBatch::Make(plan_.renamed, batch.num_rows(), std::move(columns));
    }
    return arrow::RecordBatch::Make(arrow::schema(std::move(fields)), batch.num_rows(),
                                    std::move(columns));
  }

  Result<OpenFiles::iterator> open_file(const PartitionGroup& group) {
    const auto found = open_.find(group.directory);
    if (found != open_.end()) return found;
    Open file;
    file.values = group.values;
    // Folders that say values would say them by names that nobody knows.
    const std::string folder =
        plan_.info.mapping == MappingMode::none ? group.directory : new_uuid().substr(0, 2) + '/';
    file.path = fmt::format("{}{}{}-{:05}-{}{}", plan_.directory, folder, plan_.prefix, task_,
                            new_uuid(), plan_.suffix);
    TRY_ASSIGN(file.writer,
               format::ParquetWriter::open(plan_.store, io::join_path(plan_.table, file.path),
                                           plan_.file_schema, plan_.parquet));
    return open_.emplace(group.directory, std::move(file)).first;
  }

  Status close(OpenFiles::iterator at) {
    if (plan_.cancel != nullptr) TRY(plan_.cancel->check());
    Open file = std::move(at->second);
    open_.erase(at);
    TRY_ASSIGN(format::ParquetFile written, file.writer->close());
    std::erase_if(written.leaves, [&](const auto& leaf) {
      return std::ranges::find(plan_.without_stats, leaf.path[0]) != plan_.without_stats.end();
    });
    AddFile add;
    add.path = percent_encode_path(file.path);
    add.partition_values = std::move(file.values);
    add.size = written.size;
    add.modification_time = SystemClock().now_ms();
    add.stats = stats_json(written.rows, written.leaves, plan_.string_prefix);
    if (marks_deleted_rows(plan_.info)) add.stats = with_tight_bounds(std::move(add.stats));
    done_.rows += written.rows;
    done_.bytes += written.size;
    done_.adds.push_back(std::make_shared<const AddFile>(std::move(add)));
    return failpoints::pass("delta.data_file");
  }

  const Plan& plan_;
  const std::size_t task_;
  OpenFiles open_;  // by directory
  WaitingRows waiting_;
  std::vector<connector::RecordBatchPtr> unsplit_;
  std::int64_t unsplit_rows_ = 0;
  std::int64_t unsplit_bytes_ = 0;
  bool thin_ = false;  // the last split gave groups of few rows
  DataFiles done_;
};

}  // namespace

Result<DataFiles> write_data_files(const std::shared_ptr<io::Store>& store,
                                   const std::string& table, const TableInfo& info,
                                   const connector::Batches& rows, const DataWriteOptions& options,
                                   const CancelToken* cancel) {
  const Plan plan = make_plan(store, table, info, options, cancel);
  const Shaper shaper(rows.schema, info.schema);
  DataFiles files;
  std::mutex mutex;
  std::atomic<std::size_t> next{0};

  // One task writes partition after partition, or its own alone.
  const bool alone = options.file_per_partition;
  const auto work = [&](std::size_t task) -> Status {
    FileWriter writer(plan, task);
    const auto run = [&]() -> Status {
      for (std::size_t i = alone ? task : next++; i < rows.partitions.size();
           i = alone ? rows.partitions.size() : next++) {
        TRY_ASSIGN(const auto reader, rows.partitions[i]());
        for (;;) {
          if (plan.cancel != nullptr) TRY(plan.cancel->check());
          TRY_ASSIGN(const auto batch, reader->next());
          if (batch == nullptr) break;
          TRY_ASSIGN(const auto shaped, shaper.shape(batch));
          TRY(writer.write(shaped));
        }
      }
      return writer.finish();
    };
    const Status status = run();
    if (!status.ok()) next = rows.partitions.size();
    const std::lock_guard lock(mutex);
    writer.hand_over(files);
    return status;
  };
  const auto threads = static_cast<std::size_t>(shared_pool().size());
  const std::size_t tasks = rows.partitions.size();
  const Status status = shared_pool().run_all(alone ? tasks : std::min(tasks, threads), work);
  if (!status.ok()) {
    remove_data_files(*store, table, files);
    return status;
  }
  return files;
}

void remove_data_files(io::Store& store, const std::string& table, const DataFiles& files) {
  for (const auto& add : files.adds) (void)store.remove(resolve_path(table, add->path));
  for (const auto& path : files.others) (void)store.remove(path);
}

}  // namespace millstream::delta
