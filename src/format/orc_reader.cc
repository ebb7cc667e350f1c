#include <arrow/adapters/orc/adapter.h>
#include <arrow/array.h>
#include <arrow/array/util.h>
#include <arrow/io/interfaces.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include <algorithm>
#include <array>
#include <functional>

#include "base/text.h"
#include "format/arrow_status.h"
#include "format/byte_input.h"
#include "format/input_file.h"
#include "format/json_options.h"
#include "format/orc.h"
#include "format/orc_adapt.h"
#include "format/orc_footer.h"

namespace millstream::format {
namespace {

namespace orc = arrow::adapters::orc;

constexpr std::int64_t batch_rows = 32 << 10;

// Runs what calls ORC's library, whose exceptions end here.
template <typename Body>
auto guarded(const Body& body) -> decltype(body()) {
  try {
    return body();
  } catch (const std::exception& error) {
    return Status::io("{}", error.what());
  }
}

// A time that Arrow's nanoseconds do not hold is no damage of the file, which may not be left out
// for it.
Status read_status(const arrow::Status& status) {
  if (status.message().find("out of range for nanosecond resolution") == std::string::npos)
    return to_status(status);
  return Status::unsupported(
      "reading timestamps of ORC files outside the years 1677 to 2262 is not supported by "
      "Millstream yet: {}",
      status.message());
}

struct OpenFile {
  OrcFooter footer;
  std::unique_ptr<orc::ORCFileReader> reader;
  std::shared_ptr<arrow::Schema> schema;
};

Result<OpenFile> open_file(const std::shared_ptr<io::Store>& store, const std::string& path) {
  TRY_ASSIGN(const auto source, open_input_file(store, path));
  return guarded([&]() -> Result<OpenFile> {
    OpenFile file;
    TRY_ASSIGN(file.footer, check_orc_footer(*source));
    TRY_ARROW_ASSIGN(file.reader, orc::ORCFileReader::Open(source, arrow::default_memory_pool()));
    TRY_ARROW_ASSIGN(file.schema, file.reader->ReadSchema());
    return file;
  });
}

class Reader final : public connector::BatchReader {
 public:
  Reader(OpenFile file, column::Schema own, OrcRules rules)
      : file_(std::move(file)),
        own_(std::move(own)),
        arrow_schema_(column::to_arrow(own_)),
        rules_(std::move(rules)) {}

  void prepare(const column::Schema& schema) {
    rules_.julian = file_.footer.julian;
    for (const auto& field : own_) columns_.push_back(place_of(field.name, schema));
    for (const int column : columns_) {
      if (column >= 0) read_.push_back(column);
    }
    std::sort(read_.begin(), read_.end());
    read_.erase(std::unique(read_.begin(), read_.end()), read_.end());
    if (read_.empty()) bare_rows_ = file_.footer.rows;
  }

  Result<connector::RecordBatchPtr> next() override {
    if (read_.empty()) return next_bare();
    return guarded([&]() -> Result<connector::RecordBatchPtr> {
      if (batches_ == nullptr) {
        // Not stripe by stripe: that goes by the row index, on whose damages the library crashes.
        std::vector<std::string> names;
        for (const int column : read_) names.push_back(file_.schema->field(column)->name());
        TRY_ARROW_ASSIGN(batches_, file_.reader->GetRecordBatchReader(batch_rows, names));
      }
      connector::RecordBatchPtr batch;
      TRY(read_status(batches_->ReadNext(&batch)));
      if (batch == nullptr) return connector::RecordBatchPtr();
      if (batch->num_columns() != static_cast<int>(read_.size()))
        return Status::io("columns of one name");
      return fit(*batch);
    });
  }

 private:
  // Files of old Hive have no names but _col0, _col1, …: the places count.
  bool has_no_names() const {
    const auto& fields = file_.schema->fields();
    return !fields.empty() && std::all_of(fields.begin(), fields.end(), [](const auto& field) {
      return field->name().starts_with("_col");
    });
  }

  int place_of(const std::string& name, const column::Schema& schema) const {
    if (has_no_names()) {
      const int place = column::find_field(schema, name);
      return place < file_.schema->num_fields() ? place : -1;
    }
    int found = -1;
    for (int i = 0; i < file_.schema->num_fields(); ++i) {
      const auto& other = file_.schema->field(i)->name();
      if (other == name) return i;
      if (found < 0 && equals_ignore_case(other, name)) found = i;
    }
    return found;
  }

  // Rows of a file of which no column is wanted that it has.
  Result<connector::RecordBatchPtr> next_bare() {
    if (bare_rows_ == 0) return connector::RecordBatchPtr();
    const std::int64_t count = std::min(bare_rows_, batch_rows);
    bare_rows_ -= count;
    return assemble(count, [](int) { return nullptr; });
  }

  Result<connector::RecordBatchPtr> fit(const arrow::RecordBatch& batch) const {
    return assemble(batch.num_rows(), [&](int column) {
      const auto at = std::lower_bound(read_.begin(), read_.end(), column) - read_.begin();
      return batch.column(static_cast<int>(at));
    });
  }

  Result<connector::RecordBatchPtr> assemble(
      std::int64_t rows, const std::function<std::shared_ptr<arrow::Array>(int)>& column_at) const {
    std::vector<std::shared_ptr<arrow::Array>> columns;
    for (std::size_t i = 0; i < own_.size(); ++i) {
      std::shared_ptr<arrow::Array> column;
      if (columns_[i] < 0) {
        TRY_ARROW_ASSIGN(column, arrow::MakeArrayOfNull(column::to_arrow(own_[i].type), rows));
      } else {
        TRY_ASSIGN(column, from_orc(column_at(columns_[i]), own_[i].type, own_[i].name, rules_));
      }
      columns.push_back(std::move(column));
    }
    return arrow::RecordBatch::Make(arrow_schema_, rows, std::move(columns));
  }

  OpenFile file_;
  const column::Schema own_;
  const std::shared_ptr<arrow::Schema> arrow_schema_;
  OrcRules rules_;
  std::vector<int> columns_;                           // of the file, for each of own_; -1: none
  std::vector<int> read_;                              // of the file, in order
  std::shared_ptr<arrow::RecordBatchReader> batches_;  // after file_: goes first
  std::int64_t bare_rows_ = 0;
};

class NoRows final : public connector::BatchReader {
 public:
  Result<connector::RecordBatchPtr> next() override { return connector::RecordBatchPtr(); }
};

}  // namespace

Result<std::unique_ptr<connector::BatchReader>> open_orc(const std::shared_ptr<io::Store>& store,
                                                         const io::FileInfo& file,
                                                         const std::string& time_zone,
                                                         const column::Schema& schema,
                                                         const column::Schema& own) {
  if (file.size == 0) return std::unique_ptr<connector::BatchReader>(std::make_unique<NoRows>());
  TRY_ASSIGN(auto opened, open_file(store, file.path));
  OrcRules rules;
  TRY_ASSIGN(rules.zone, TimeZone::find(time_zone));
  auto reader = std::make_unique<Reader>(std::move(opened), own, std::move(rules));
  reader->prepare(schema);
  return std::unique_ptr<connector::BatchReader>(std::move(reader));
}

Result<column::Schema> read_orc_schema(const std::shared_ptr<io::Store>& store,
                                       const std::string& path) {
  const auto opened = open_file(store, path);
  if (!opened.ok()) {
    if (opened.status().condition().starts_with("FAILED_READ_FILE") ||
        opened.status().is(ErrorKind::unsupported_operation)) {
      return opened.status();
    }
    return Status::error("FAILED_READ_FILE.CANNOT_READ_FILE_FOOTER", {{"path", io::to_text(path)}})
        .with_cause(opened.status());
  }
  column::Schema schema;
  for (const auto& field : opened->schema->fields()) {
    TRY_ASSIGN(auto type, spark_type_of_orc(*field));
    schema.push_back({field->name(), column::as_nullable(type), true, {}});
  }
  return schema;
}

Status check_orc_read_options(const Options& options) {
  constexpr std::array<std::string_view, 6> known = {"mergeschema",        "compression",
                                                     "orc.compress",       "ignorecorruptfiles",
                                                     "ignoremissingfiles", "timezone"};
  for (const auto& [name, entry] : options.entries()) {
    if (is_listing_option(name)) continue;
    if (std::find(known.begin(), known.end(), name) == known.end())
      return Status::invalid("'{}' is not an option of the orc format", entry.name);
  }
  return Status::OK();
}

}  // namespace millstream::format
