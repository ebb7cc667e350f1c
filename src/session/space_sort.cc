#include "session/space_sort.h"

#include <arrow/builder.h>
#include <arrow/record_batch.h>

#include <algorithm>

#include "base/text.h"
#include "conc/thread_pool.h"
#include "connector/chained.h"
#include "delta/file_scan.h"
#include "delta/row_tracking.h"
#include "delta/space_order.h"
#include "plan/analyzer.h"
#include "session/table_change.h"

namespace millstream::session {
namespace {

constexpr std::string_view key_column = "{key}";  // no table's column has such a name

// Files of a table and the columns that their rows are ordered by.
struct Files {
  std::shared_ptr<io::Store> store;
  std::string table;
  delta::TableInfoPtr info;
  std::vector<delta::AddFilePtr> files;
  std::vector<ColumnPath> columns;
  std::string time_zone;
  column::Schema schema;  // of the rows as they are rewritten

  Result<connector::Batches> scan(std::vector<std::string> wanted) const {
    connector::ScanRequest request;
    request.columns = std::move(wanted);
    return delta::scan_files(store, table, info, files, request, true, time_zone);
  }
};

std::vector<std::string> first_parts(const std::vector<ColumnPath>& columns) {
  std::vector<std::string> out;
  for (const auto& path : columns) {
    if (std::ranges::find(out, path[0]) == out.end()) out.push_back(path[0]);
  }
  return out;
}

using Ranges = std::vector<delta::ValueRanges>;

// How the columns' values lie, by a first look at them all.
Result<std::shared_ptr<const Ranges>> ranges_of(const Files& files, const CancelToken* cancel) {
  std::vector<delta::ValueSample> samples(files.columns.size());
  TRY_ASSIGN(const auto rows, files.scan(first_parts(files.columns)));
  const auto look_at = [&](std::size_t i) -> Status {
    TRY_ASSIGN(const auto reader, rows.partitions[i]());
    for (;;) {
      if (cancel != nullptr) TRY(cancel->check());
      TRY_ASSIGN(const auto batch, reader->next());
      if (batch == nullptr) return Status::OK();
      for (std::size_t k = 0; k < samples.size(); ++k) {
        TRY_ASSIGN(const auto column, delta::column_at(batch, files.columns[k]));
        samples[k].add(*column);
      }
    }
  };
  TRY(shared_pool().run_all(rows.partitions.size(), look_at));
  auto ranges = std::make_shared<Ranges>();
  for (auto& sample : samples)
    ranges->emplace_back(sample, delta::bits_per_column(files.columns.size()));
  return std::shared_ptr<const Ranges>(std::move(ranges));
}

// The files' rows with the key that they are sorted by.
class KeyedRows final : public connector::Table {
 public:
  KeyedRows(Files files, std::shared_ptr<const Ranges> ranges)
      : files_(std::move(files)), ranges_(std::move(ranges)), schema_(files_.schema) {
    schema_.push_back({std::string(key_column), column::long_type(), false, ""});
  }

  const column::Schema& schema() const override { return schema_; }
  const column::Schema& metadata_fields() const override { return no_fields_; }
  std::string describe() const override { return "files in order"; }

  Result<connector::Batches> scan(const connector::ScanRequest& request) const override {
    std::vector<std::string> read = first_parts(files_.columns);
    for (const auto& name : request.columns) {
      if (name != key_column && std::ranges::find(read, name) == read.end()) read.push_back(name);
    }
    TRY_ASSIGN(auto rows, files_.scan(std::move(read)));
    column::Schema out;
    for (const auto& name : request.columns)
      out.push_back(schema_[static_cast<std::size_t>(column::find_field(schema_, name))]);
    const auto form = column::to_arrow(out);
    return mapped(
        std::move(rows), std::move(out),
        [columns = files_.columns, ranges = ranges_, form](const connector::RecordBatchPtr& batch) {
          return with_key(batch, columns, *ranges, form);
        });
  }

 private:
  static Result<connector::RecordBatchPtr> with_key(const connector::RecordBatchPtr& batch,
                                                    const std::vector<ColumnPath>& columns,
                                                    const Ranges& ranges,
                                                    const std::shared_ptr<arrow::Schema>& form) {
    std::vector<std::vector<std::uint64_t>> places;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      TRY_ASSIGN(const auto column, delta::column_at(batch, columns[i]));
      places.push_back(ranges[i].places(*column));
    }
    const auto keys = delta::interleaved(places, delta::bits_per_column(columns.size()));
    arrow::ArrayVector out;
    for (const auto& field : form->fields()) {
      if (field->name() != key_column) {
        out.push_back(batch->GetColumnByName(field->name()));
        continue;
      }
      arrow::Int64Builder builder;
      if (!builder.AppendValues(keys).ok() || !builder.Finish(&out.emplace_back()).ok())
        return Status::internal("Arrow: out of memory");
    }
    return arrow::RecordBatch::Make(form, batch->num_rows(), std::move(out));
  }

  const Files files_;
  const std::shared_ptr<const Ranges> ranges_;
  column::Schema schema_;
  const column::Schema no_fields_;
};

plan::NodePtr sorted(const std::shared_ptr<const connector::Table>& table) {
  const auto scan = plan::make_scan(table);
  auto sort = std::make_shared<plan::Sort>();
  sort->output = scan->output;
  sort->children.push_back(scan);
  std::vector<NamedExpr> columns;
  for (const auto& attribute : scan->output) {
    const auto value = plan::make_attribute(attribute);
    if (attribute.name == key_column) {
      sort->keys.push_back({value, true, true});
    } else {
      columns.push_back({attribute.name, value});
    }
  }
  return project(sort, columns);
}

}  // namespace

Result<connector::Batches::Partition> sorted_in_space(Session& session,
                                                      const ActionContext& context,
                                                      const delta::Log& log,
                                                      const delta::TableInfoPtr& info,
                                                      const std::vector<delta::AddFilePtr>& files,
                                                      const std::vector<ColumnPath>& columns) {
  TRY_ASSIGN(const auto rewritten, delta::as_rewritten(info));
  Files of{log.store(),      log.table(), info, files, columns, session.conf().time_zone(),
           rewritten->schema};
  TRY_ASSIGN(auto ranges, ranges_of(of, context.cancel));
  const auto table = std::make_shared<KeyedRows>(std::move(of), std::move(ranges));
  TRY_ASSIGN(auto rows, session.execute(sorted(table), context));
  return connector::chained(std::move(rows.partitions));
}

}  // namespace millstream::session
