#include "delta/file_scan.h"

#include <arrow/array.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/array/util.h>
#include <arrow/compute/api_vector.h>
#include <arrow/datum.h>
#include <arrow/record_batch.h>
#include <arrow/scalar.h>
#include <arrow/type.h>
#include <arrow/util/bit_util.h>

#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "base/text.h"
#include "conc/thread_pool.h"
#include "delta/deletion_vector.h"
#include "delta/row_tracking.h"
#include "delta/stats.h"
#include "delta/values.h"
#include "format/arrow_status.h"
#include "format/file_columns.h"
#include "format/parquet.h"

namespace millstream::delta {
namespace {

constexpr std::int64_t empty_batch_rows = 64 << 10;
constexpr std::int64_t batch_rows = 16 << 10;  // a column of it stays in the processor's cache
constexpr std::int64_t open_cost_bytes =
    64 << 10;  // what opening a file is worth, when files are put together
constexpr std::int64_t partition_bytes_min = 1 << 20;
constexpr std::int64_t partition_bytes_max = 64 << 20;

// Where an output column comes from.
struct OutputColumn {
  enum class From : std::uint8_t { file, partition, metadata, null, place, row_id, row_version };
  From from;
  int index = -1;  // file: place in the read batch; partition: place in the table's schema
};

// What all files of a scan share. Immutable.
struct ScanPlan {
  std::shared_ptr<io::Store> store;
  std::string table;
  TableInfoPtr info;
  std::string time_zone;
  column::Schema output;
  std::shared_ptr<arrow::Schema> arrow_output;
  std::vector<OutputColumn> columns;
  column::Schema wanted;  // of the file, by its own names
  format::ParquetReadOptions parquet;
  // Of a scan of chosen rows.
  std::shared_ptr<const RowChoice> choice;
  std::unordered_map<const AddFile*, std::size_t> numbers;
  bool places = false;  // are a column of the output
  // Where row tracking's columns are among the wanted ones; -1: they are not read.
  int row_id = -1;
  int row_version = -1;
  bool row_index = false;  // is a member of `_metadata`, with them
};

Status want_row_ids(ScanPlan& plan) {
  if (plan.row_id >= 0) return Status::OK();
  TRY_ASSIGN(const auto tracked, with_row_ids(plan.info));
  plan.row_id = static_cast<int>(plan.wanted.size());
  plan.row_version = plan.row_id + 1;
  plan.wanted.insert(plan.wanted.end(), tracked->physical.end() - 2, tracked->physical.end());
  return Status::OK();
}

// A column that is not one of the table's.
Status want_other_column(const std::string& name, ScanPlan& plan) {
  using From = OutputColumn::From;
  if (name == places::column) {
    plan.places = true;
    plan.output.push_back({name, column::long_type(), false, {}});
    plan.columns.push_back({From::place, -1});
    return Status::OK();
  }
  if (name == row_ids::id || name == row_ids::version) {
    plan.output.push_back({name, column::long_type(), true, {}});
    plan.columns.push_back({name == row_ids::id ? From::row_id : From::row_version, -1});
    return want_row_ids(plan);
  }
  if (name != format::metadata_column)
    return Status::internal("{} has no column {}", plan.table, name);
  plan.row_index = keeps_row_ids(*plan.info);
  plan.output.push_back({name, column::struct_type(metadata_fields(*plan.info)), false, {}});
  plan.columns.push_back({From::metadata, -1});
  return plan.row_index ? want_row_ids(plan) : Status::OK();
}

Result<std::shared_ptr<ScanPlan>> make_plan(const std::shared_ptr<io::Store>& store,
                                            const std::string& table, const TableInfoPtr& info,
                                            const connector::ScanRequest& request,
                                            bool case_sensitive, const std::string& time_zone) {
  auto plan = std::make_shared<ScanPlan>();
  plan->parquet.batch_rows = batch_rows;
  plan->store = store;
  plan->table = table;
  plan->info = info;
  plan->time_zone = time_zone;
  for (const auto& name : request.columns) {
    const int index = column::find_field(info->schema, name);
    if (index < 0) {
      TRY(want_other_column(name, *plan));
      continue;
    }
    const auto& field = info->schema[static_cast<std::size_t>(index)];
    plan->output.push_back(field);
    if (info->is_partition_column(static_cast<std::size_t>(index))) {
      plan->columns.push_back({OutputColumn::From::partition, index});
    } else if (field.type->kind() == column::TypeKind::null) {
      plan->columns.push_back({OutputColumn::From::null, -1});
    } else {
      plan->columns.push_back({OutputColumn::From::file, static_cast<int>(plan->wanted.size())});
      plan->wanted.push_back(info->physical[static_cast<std::size_t>(index)]);
    }
  }
  plan->arrow_output = column::to_arrow(plan->output);
  plan->parquet.case_sensitive = case_sensitive;
  plan->parquet.by_field_id = info->mapping == MappingMode::id;
  for (const auto& predicate : request.predicates) {
    const auto column = find_column(*info, predicate.path);
    // Values of partition columns that a file happens to hold mean nothing.
    if (!column || column->partition) continue;
    plan->parquet.predicates.push_back(predicate);
    plan->parquet.predicates.back().path = column->physical_path;
  }
  return plan;
}

// Some files, one after the other.
class FilesReader final : public connector::BatchReader {
 public:
  FilesReader(std::shared_ptr<const ScanPlan> plan, std::vector<AddFilePtr> files)
      : plan_(std::move(plan)), files_(std::move(files)) {}

  Result<connector::RecordBatchPtr> next() override {
    for (;;) {
      if (!open_) {
        if (next_ == files_.size()) return connector::RecordBatchPtr();
        TRY(open(*files_[next_++]));
      }
      TRY_ASSIGN(auto batch, next_of_file());
      if (batch != nullptr) return batch;
      open_ = false;
      reader_.reset();
    }
  }

 private:
  Status open(const AddFile& add) {
    file_.path = resolve_path(plan_->table, add.path);
    file_.size = add.size;
    file_.modified_us =
        std::clamp(add.modification_time, INT64_MIN / 1000, INT64_MAX / 1000) * 1000;
    if (!file_.path.starts_with('/') && !io::is_s3_path(file_.path)) {
      return Status::unsupported("the Delta table {} has a data file on another file system: {}",
                                 plan_->table, add.path);
    }
    partition_.clear();
    for (const auto& column : plan_->columns) {
      if (column.from != OutputColumn::From::partition) continue;
      const auto& field = plan_->info->schema[static_cast<std::size_t>(column.index)];
      const auto& physical = plan_->info->physical[static_cast<std::size_t>(column.index)];
      const auto found = add.partition_values.find(physical.name);
      TRY_ASSIGN(auto value,
                 parse_partition_value(
                     field, found == add.partition_values.end() ? std::nullopt : found->second,
                     plan_->time_zone));
      partition_.push_back({field, std::move(value)});
    }
    TRY(open_rows(add));
    open_ = true;
    return Status::OK();
  }

  Status open_rows(const AddFile& add) {
    deleted_.reset();
    left_out_ = nullptr;
    row_ = 0;
    base_row_id_ = add.base_row_id;
    default_row_version_ = add.default_row_commit_version;
    if (plan_->choice != nullptr) {
      number_ = plan_->numbers.at(&add);
      const auto& left_out = plan_->choice->left_out;
      if (number_ < left_out.size()) left_out_ = left_out[number_].get();
    }
    if (add.deletion_vector != nullptr) {
      TRY_ASSIGN(deleted_, read_deletion_vector(*plan_->store, plan_->table, *add.deletion_vector));
    }
    std::int64_t rows = 0;
    if (plan_->wanted.empty()) {
      TRY_ASSIGN(const auto footer, format::read_parquet_footer(plan_->store, file_.path));
      rows = footer.rows;
      rows_left_ = rows;
    } else {
      format::ParquetReadOptions options = plan_->parquet;
      // A row group left out would move the positions.
      const bool by_position = deleted_ || left_out_ != nullptr || plan_->places;
      if (by_position || plan_->row_id >= 0) options.predicates.clear();
      TRY_ASSIGN(reader_,
                 format::ParquetReader::open(plan_->store, file_.path, plan_->wanted, options));
      rows = reader_->rows();
    }
    if (deleted_ && deleted_->last() >= rows) {
      return Status::error("DELTA_DELETION_VECTOR_INVALID_ROW_INDEX")
          .with_cause(
              Status::io("{} has {} rows, row {} is deleted", file_.path, rows, deleted_->last()));
    }
    return Status::OK();
  }

  Result<connector::RecordBatchPtr> next_of_file() {
    for (;;) {
      connector::RecordBatchPtr batch;  // null: no column of the file is read
      std::int64_t rows = std::min(rows_left_, empty_batch_rows);
      if (reader_ != nullptr) {
        TRY_ASSIGN(batch, reader_->next());
        if (batch == nullptr) return batch;
        rows = batch->num_rows();
      } else {
        if (rows == 0) return batch;
        rows_left_ -= rows;
      }
      place_.reset();
      index_.reset();
      if (plan_->places) {
        TRY_ASSIGN(place_, numbers_from(places::first_of(number_) + row_, rows));
      }
      if (plan_->row_index) {
        TRY_ASSIGN(index_, numbers_from(row_, rows));
      }
      const std::int64_t first = row_;
      row_ += rows;
      if (plan_->row_id >= 0) TRY(complete_row_ids(first, batch));
      if (deleted_ || left_out_ != nullptr) TRY(keep_chosen(first, batch, rows));
      if (rows > 0) return complete(batch.get(), rows);
    }
  }

  static Result<std::shared_ptr<arrow::Array>> numbers_from(std::int64_t first, std::int64_t rows) {
    TRY_ARROW_ASSIGN(std::shared_ptr<arrow::Buffer> values,
                     arrow::AllocateBuffer(rows * static_cast<std::int64_t>(sizeof(std::int64_t))));
    auto* at = reinterpret_cast<std::int64_t*>(values->mutable_data());
    std::iota(at, at + rows, first);
    return std::shared_ptr<arrow::Array>(
        std::make_shared<arrow::Int64Array>(rows, std::move(values)));
  }

  // Rows that have no ids of their own have the file's.
  Status complete_row_ids(std::int64_t first, connector::RecordBatchPtr& batch) const {
    for (const int at : {plan_->row_id, plan_->row_version}) {
      const bool counts = at == plan_->row_id;
      const auto& of_file = counts ? base_row_id_ : default_row_version_;
      const auto& own = static_cast<const arrow::Int64Array&>(*batch->column(at));
      if (own.null_count() == 0 || !of_file) continue;
      arrow::Int64Builder builder;
      TRY_ARROW(builder.Reserve(own.length()));
      for (std::int64_t i = 0; i < own.length(); ++i) {
        const std::int64_t other = *of_file + (counts ? first + i : 0);
        builder.UnsafeAppend(own.IsValid(i) ? own.Value(i) : other);
      }
      TRY_ARROW_ASSIGN(auto array, builder.Finish());
      TRY_ARROW_ASSIGN(batch, batch->SetColumn(at, batch->schema()->field(at), std::move(array)));
    }
    return Status::OK();
  }

  // `_metadata`, with the rows' ids where the table keeps them.
  Result<std::shared_ptr<arrow::Array>> metadata_of(const arrow::RecordBatch* read,
                                                    std::int64_t rows) const {
    TRY_ASSIGN(auto files, format::file_metadata_array(file_, rows));
    if (!plan_->row_index) return files;
    const auto constant = [rows](const std::optional<std::int64_t>& value)
        -> arrow::Result<std::shared_ptr<arrow::Array>> {
      if (!value) return arrow::MakeArrayOfNull(arrow::int64(), rows);
      return arrow::MakeArrayFromScalar(arrow::Int64Scalar(*value), rows);
    };
    auto members = static_cast<const arrow::StructArray&>(*files).fields();
    TRY_ARROW_ASSIGN(auto base, constant(base_row_id_));
    TRY_ARROW_ASSIGN(auto version, constant(default_row_version_));
    members.push_back(index_);
    members.push_back(read->column(plan_->row_id));
    members.push_back(std::move(base));
    members.push_back(std::move(version));
    members.push_back(read->column(plan_->row_version));
    const auto type = column::to_arrow(column::struct_type(metadata_fields(*plan_->info)));
    return std::shared_ptr<arrow::Array>(
        std::make_shared<arrow::StructArray>(type, rows, std::move(members)));
  }

  // Leaves of the batch, which begins at row `first` of the file, the rows that are not deleted and
  // not left out.
  Status keep_chosen(std::int64_t first, connector::RecordBatchPtr& batch, std::int64_t& rows) {
    TRY_ARROW_ASSIGN(std::shared_ptr<arrow::Buffer> keep,
                     arrow::AllocateBitmap(rows, arrow::default_memory_pool()));
    arrow::bit_util::SetBitsTo(keep->mutable_data(), 0, rows, true);
    if (deleted_) deleted_->clear(first, rows, keep->mutable_data());
    if (left_out_ != nullptr) TRY(leave_out_rows(first, rows, *keep));
    const auto mask = std::make_shared<arrow::BooleanArray>(rows, std::move(keep));
    const std::int64_t kept_rows = mask->true_count();
    if (kept_rows == rows) return Status::OK();
    rows = kept_rows;
    if (batch != nullptr) {
      TRY_ARROW_ASSIGN(const arrow::Datum kept,
                       arrow::compute::Filter(arrow::Datum(batch), arrow::Datum(mask)));
      batch = kept.record_batch();
    }
    for (auto* numbers : {&place_, &index_}) {
      if (*numbers == nullptr) continue;
      TRY_ARROW_ASSIGN(const arrow::Datum kept,
                       arrow::compute::Filter(arrow::Datum(*numbers), arrow::Datum(mask)));
      *numbers = kept.make_array();
    }
    return Status::OK();
  }

  Status leave_out_rows(std::int64_t first, std::int64_t rows, arrow::Buffer& keep) const {
    if (!plan_->choice->others_left_out) {
      left_out_->clear(first, rows, keep.mutable_data());
      return Status::OK();
    }
    TRY_ARROW_ASSIGN(const std::shared_ptr<arrow::Buffer> others,
                     arrow::AllocateBitmap(rows, arrow::default_memory_pool()));
    arrow::bit_util::SetBitsTo(others->mutable_data(), 0, rows, true);
    left_out_->clear(first, rows, others->mutable_data());
    for (std::int64_t i = 0; i < others->size() && i < keep.size(); ++i) {
      keep.mutable_data()[i] &= static_cast<std::uint8_t>(~others->data()[i]);
    }
    return Status::OK();
  }

  Result<connector::RecordBatchPtr> complete(const arrow::RecordBatch* read, std::int64_t rows) {
    std::vector<std::shared_ptr<arrow::Array>> arrays;
    std::size_t partition = 0;
    for (std::size_t i = 0; i < plan_->columns.size(); ++i) {
      std::shared_ptr<arrow::Array> array;
      switch (plan_->columns[i].from) {
        case OutputColumn::From::file:
          array = read->column(plan_->columns[i].index);
          if (plan_->info->mapping != MappingMode::none) {
            array = arrow::MakeArray(
                renamed(array->data(), plan_->arrow_output->field(static_cast<int>(i))->type()));
          }
          break;
        case OutputColumn::From::partition: {
          const auto& constant = partition_[partition++];
          TRY_ARROW_ASSIGN(array, arrow::MakeArrayFromScalar(*constant.value, rows));
          break;
        }
        case OutputColumn::From::metadata: {
          TRY_ASSIGN(array, metadata_of(read, rows));
          break;
        }
        case OutputColumn::From::row_id:
          array = read->column(plan_->row_id);
          break;
        case OutputColumn::From::row_version:
          array = read->column(plan_->row_version);
          break;
        case OutputColumn::From::place:
          array = place_;
          break;
        case OutputColumn::From::null: {
          TRY_ARROW_ASSIGN(
              array, arrow::MakeArrayOfNull(plan_->arrow_output->field(static_cast<int>(i))->type(),
                                            rows));
          break;
        }
      }
      arrays.push_back(std::move(array));
    }
    return connector::RecordBatchPtr(
        arrow::RecordBatch::Make(plan_->arrow_output, rows, std::move(arrays)));
  }

  const std::shared_ptr<const ScanPlan> plan_;
  const std::vector<AddFilePtr> files_;
  std::size_t next_ = 0;
  bool open_ = false;
  io::FileInfo file_;
  std::vector<format::ConstantColumn> partition_;
  std::unique_ptr<format::ParquetReader> reader_;
  std::optional<DeletedRows> deleted_;
  std::optional<std::int64_t> base_row_id_;  // of the file, as the next
  std::optional<std::int64_t> default_row_version_;
  const RowSet* left_out_ = nullptr;
  std::size_t number_ = 0;  // of the file, in a scan of chosen rows
  std::shared_ptr<arrow::Array> place_;
  std::shared_ptr<arrow::Array> index_;  // of the rows in the file
  std::int64_t row_ = 0;                 // of the file, where the next batch begins
  std::int64_t rows_left_ = 0;           // when no column of the file is read
};

std::vector<std::vector<AddFilePtr>> put_together(std::vector<AddFilePtr> files) {
  const auto cost = [](const AddFile& file) {  // the size is only a claim of the log
    return std::clamp<std::int64_t>(file.size, 0, partition_bytes_max) + open_cost_bytes;
  };
  std::int64_t total = 0;
  for (const auto& file : files) total += cost(*file);
  const std::int64_t target =
      std::clamp(total / (shared_pool().size() * 4), partition_bytes_min, partition_bytes_max);
  std::vector<std::vector<AddFilePtr>> groups;
  std::int64_t filled = 0;
  for (auto& file : files) {
    if (groups.empty() || filled >= target) {
      groups.emplace_back();
      filled = 0;
    }
    filled += cost(*file);
    groups.back().push_back(std::move(file));
  }
  return groups;
}

}  // namespace

namespace {

connector::Batches batches_of_files(const std::shared_ptr<const ScanPlan>& plan,
                                    std::vector<AddFilePtr> files) {
  connector::Batches batches;
  batches.schema = plan->output;
  for (auto& group : put_together(std::move(files))) {
    batches.partitions.push_back(
        [plan, group = std::move(group)]() -> Result<std::unique_ptr<connector::BatchReader>> {
          return std::unique_ptr<connector::BatchReader>(
              std::make_unique<FilesReader>(plan, group));
        });
  }
  return batches;
}

void leave_out(std::vector<AddFilePtr>& files, const TableInfo& info,
               const std::vector<connector::Predicate>& predicates) {
  if (predicates.empty()) return;
  std::erase_if(files, [&](const auto& file) { return !may_match(*file, info, predicates); });
}

}  // namespace

void choose_files(std::vector<AddFilePtr>& files, const TableInfo& info,
                  const connector::ScanRequest& request) {
  if (request.predicates.empty() && request.limit) {
    std::int64_t rows = 0;
    std::size_t needed = 0;
    while (needed < files.size() && rows < *request.limit) {
      const auto& file = *files[needed++];
      rows += file.stats.empty() ? 0 : parse_stats(file.stats).rows.value_or(0);
      if (file.deletion_vector != nullptr) rows -= file.deletion_vector->cardinality;
    }
    files.resize(needed);
  }
  leave_out(files, info, request.predicates);
}

Result<connector::Batches> scan_files(const std::shared_ptr<io::Store>& store,
                                      const std::string& table, const TableInfoPtr& info,
                                      std::vector<AddFilePtr> files,
                                      const connector::ScanRequest& request, bool case_sensitive,
                                      const std::string& time_zone) {
  TRY_ASSIGN(const std::shared_ptr<const ScanPlan> plan,
             make_plan(store, table, info, request, case_sensitive, time_zone));
  choose_files(files, *info, request);
  return batches_of_files(plan, std::move(files));
}

Result<connector::Batches> scan_rows(const std::shared_ptr<io::Store>& store,
                                     const std::string& table, const TableInfoPtr& info,
                                     const std::shared_ptr<const RowChoice>& choice,
                                     const connector::ScanRequest& request, bool case_sensitive,
                                     const std::string& time_zone) {
  TRY_ASSIGN(const auto plan, make_plan(store, table, info, request, case_sensitive, time_zone));
  plan->choice = choice;
  for (std::size_t i = 0; i < choice->files.size(); ++i) {
    plan->numbers.emplace(choice->files[i].get(), i);
  }
  std::vector<AddFilePtr> files = choice->files;
  leave_out(files, *info, request.predicates);
  return batches_of_files(plan, std::move(files));
}

}  // namespace millstream::delta
