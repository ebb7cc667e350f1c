#include "delta/identity.h"

#include <arrow/array.h>
#include <arrow/buffer.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "format/arrow_status.h"

namespace millstream::delta {

namespace {

using nlohmann::json;

constexpr const char* start_key = "delta.identity.start";
constexpr const char* step_key = "delta.identity.step";
constexpr const char* mark_key = "delta.identity.highWaterMark";
constexpr const char* explicit_key = "delta.identity.allowExplicitInsert";

json notes_of(const column::Field& field) {
  json notes = json::parse(field.metadata, nullptr, /*exceptions=*/false);
  return notes.is_object() ? notes : json::object();
}

std::optional<std::int64_t> number_in(const json& notes, const char* key) {
  const auto found = notes.find(key);
  if (found == notes.end() || !found->is_number_integer()) return std::nullopt;
  return found->get<std::int64_t>();
}

Status out_of_numbers(const IdentityColumn& column) {
  return Status::error("ARITHMETIC_OVERFLOW", {{"message", "the numbers of the identity column " +
                                                               column.name + " are used up"},
                                               {"alternative", ""},
                                               {"config", "spark.sql.ansi.enabled"}});
}

std::string without_marks(const std::string& schema_string) {
  json schema = json::parse(schema_string, nullptr, /*exceptions=*/false);
  if (!schema.is_object() || !schema.contains("fields")) return schema_string;
  for (auto& field : schema["fields"]) {
    if (field.is_object() && field.contains("metadata") && field["metadata"].is_object())
      field["metadata"].erase(mark_key);
  }
  return schema.dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace

// Puts numbers into the rows of one reader.
class NumberedReader final : public connector::BatchReader {
 public:
  NumberedReader(std::unique_ptr<connector::BatchReader> rows,
                 std::shared_ptr<IdentityNumbers> numbers, std::vector<std::size_t> places)
      : rows_(std::move(rows)), numbers_(std::move(numbers)), places_(std::move(places)) {}

  Result<connector::RecordBatchPtr> next() override {
    TRY_ASSIGN(auto batch, rows_->next());
    if (batch == nullptr || batch->num_rows() == 0) return batch;
    const std::int64_t first = numbers_->taken_.fetch_add(batch->num_rows());
    for (std::size_t i = 0; i < places_.size(); ++i) {
      const auto& column = numbers_->columns_[numbers_->numbered_[i]];
      TRY_ASSIGN(const auto values, numbers_of(column, first, batch->num_rows()));
      const auto field = arrow::field(column.name, arrow::int64());
      const int place = static_cast<int>(places_[i]);
      auto with = place < batch->num_columns() ? batch->SetColumn(place, field, values)
                                               : batch->AddColumn(place, field, values);
      if (!with.ok()) return Status::internal("Arrow: {}", with.status().ToString());
      batch = std::move(*with);
    }
    return batch;
  }

 private:
  Result<std::shared_ptr<arrow::Array>> numbers_of(const IdentityColumn& column, std::int64_t first,
                                                   std::int64_t rows) const {
    TRY_ARROW_ASSIGN(std::shared_ptr<arrow::Buffer> buffer,
                     arrow::AllocateBuffer(rows * static_cast<std::int64_t>(sizeof(std::int64_t))));
    auto* at = reinterpret_cast<std::int64_t*>(buffer->mutable_data());
    for (std::int64_t i = 0; i < rows; ++i) {
      TRY_ASSIGN(at[i], numbers_->number(column, first + i));
    }
    return std::shared_ptr<arrow::Array>(
        std::make_shared<arrow::Int64Array>(rows, std::move(buffer)));
  }

  const std::unique_ptr<connector::BatchReader> rows_;
  const std::shared_ptr<IdentityNumbers> numbers_;
  const std::vector<std::size_t> places_;
};

namespace {

connector::Batches numbered(connector::Batches rows, std::shared_ptr<IdentityNumbers> numbers,
                            const std::vector<std::size_t>& places) {
  for (auto& partition : rows.partitions) {
    partition = [inner = std::move(partition), numbers,
                 places]() -> Result<std::unique_ptr<connector::BatchReader>> {
      TRY_ASSIGN(auto reader, inner());
      return std::unique_ptr<connector::BatchReader>(
          std::make_unique<NumberedReader>(std::move(reader), numbers, places));
    };
  }
  return rows;
}

}  // namespace

bool is_identity(const column::Field& field) {
  return field.metadata.find("\"delta.identity.") != std::string::npos;
}

bool takes_explicit_numbers(const column::Field& field) {
  const json notes = notes_of(field);
  const auto found = notes.find(explicit_key);
  return found != notes.end() && found->is_boolean() && found->get<bool>();
}

Result<std::vector<IdentityColumn>> identity_columns(const column::Schema& schema) {
  std::vector<IdentityColumn> out;
  for (std::size_t i = 0; i < schema.size(); ++i) {
    if (!is_identity(schema[i])) continue;
    const json notes = notes_of(schema[i]);
    const auto start = number_in(notes, start_key);
    const auto step = number_in(notes, step_key);
    const bool says = notes.contains(explicit_key) && notes[explicit_key].is_boolean();
    const bool is_long = schema[i].type->kind() == column::TypeKind::long_;
    if (!start || !step || *step == 0 || !says || !is_long) {
      return Status::error("DELTA_IDENTITY_COLUMN_INCONSISTENT_METADATA",
                           {{"colName", schema[i].name},
                            {"hasStart", start ? "true" : "false"},
                            {"hasStep", step && *step != 0 ? "true" : "false"},
                            {"hasInsert", says ? "true" : "false"}});
    }
    out.push_back({i, schema[i].name, *start, *step, number_in(notes, mark_key),
                   notes[explicit_key].get<bool>()});
  }
  return out;
}

void set_mark(column::Field& field, std::int64_t mark) {
  json notes = notes_of(field);
  notes[mark_key] = mark;
  field.metadata = notes.dump(-1, ' ', false, json::error_handler_t::replace);
}

Result<Metadata> with_mark(const Metadata& metadata, const std::string& column, std::int64_t mark) {
  TRY_ASSIGN(column::Schema schema, column::schema_from_json(metadata.schema_string));
  const int index = column::find_field_ignore_case(schema, column);
  if (index < 0) return Status::internal("there is no identity column {}", column);
  set_mark(schema[static_cast<std::size_t>(index)], mark);
  Metadata out = metadata;
  out.schema_string = column::schema_to_json(schema);
  return out;
}

Status keep_marks(const column::Schema& known, Metadata& restored) {
  TRY_ASSIGN(const column::Schema schema, column::schema_from_json(restored.schema_string));
  TRY_ASSIGN(const auto before, identity_columns(schema));
  TRY_ASSIGN(const auto now, identity_columns(known));
  for (const auto& column : before) {
    const auto same = std::ranges::find(now, column.name, &IdentityColumn::name);
    if (same == now.end() || !same->mark) continue;
    const bool further =
        !column.mark || (column.step > 0 ? *same->mark > *column.mark : *same->mark < *column.mark);
    if (!further) continue;
    TRY_ASSIGN(restored, with_mark(restored, column.name, *same->mark));
  }
  return Status::OK();
}

Result<std::int64_t> mark_at(const IdentityColumn& column, std::int64_t value) {
  const bool rises = column.step > 0;
  if (rises ? value <= column.start : value >= column.start) return column.start;
  std::int64_t distance = 0;
  std::int64_t out = 0;
  if (__builtin_sub_overflow(value, column.start, &distance)) return out_of_numbers(column);
  std::int64_t steps = distance / column.step;
  if (distance % column.step != 0) ++steps;
  if (__builtin_mul_overflow(steps, column.step, &out) ||
      __builtin_add_overflow(column.start, out, &out)) {
    return out_of_numbers(column);
  }
  return out;
}

bool same_but_marks(const Metadata& a, const Metadata& b) {
  Metadata x = a;
  Metadata y = b;
  x.schema_string = without_marks(x.schema_string);
  y.schema_string = without_marks(y.schema_string);
  return x == y;
}

Result<std::shared_ptr<IdentityNumbers>> IdentityNumbers::of(const TableInfo& table) {
  auto out = std::make_shared<IdentityNumbers>();
  TRY_ASSIGN(out->columns_, identity_columns(table.schema));
  return out;
}

Result<std::int64_t> IdentityNumbers::number(const IdentityColumn& column,
                                             std::int64_t index) const {
  std::int64_t steps = index;
  if (column.mark && __builtin_add_overflow(index, 1, &steps)) return out_of_numbers(column);
  std::int64_t out = 0;
  if (__builtin_mul_overflow(steps, column.step, &out) ||
      __builtin_add_overflow(column.mark.value_or(column.start), out, &out)) {
    return out_of_numbers(column);
  }
  return out;
}

Result<connector::Batches> IdentityNumbers::complete(connector::Batches rows) {
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (column::find_field_ignore_case(rows.schema, columns_[i].name) >= 0) {
      if (columns_[i].explicit_allowed) continue;
      return Status::error("DELTA_IDENTITY_COLUMNS_EXPLICIT_INSERT_NOT_SUPPORTED",
                           {{"colName", columns_[i].name}});
    }
    numbered_.push_back(i);
    places.push_back(rows.schema.size());
    rows.schema.push_back({columns_[i].name, column::long_type(), true, {}});
  }
  if (places.empty()) return rows;
  return numbered(std::move(rows), shared_from_this(), places);
}

connector::Batches IdentityNumbers::replace(connector::Batches rows,
                                            const std::vector<std::size_t>& columns) {
  numbered_.clear();
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (std::ranges::find(columns, columns_[i].column) != columns.end()) numbered_.push_back(i);
  }
  std::vector<std::size_t> places;
  for (const std::size_t i : numbered_) places.push_back(columns_[i].column);
  if (places.empty()) return rows;
  return numbered(std::move(rows), shared_from_this(), places);
}

Result<Metadata> IdentityNumbers::noted(Metadata metadata) const {
  for (const std::size_t i : numbered_) {
    TRY_ASSIGN(const std::int64_t last, number(columns_[i], taken_ - 1));
    TRY_ASSIGN(metadata, with_mark(metadata, columns_[i].name, last));
  }
  return metadata;
}

}  // namespace millstream::delta
