#include "delta/plain_files.h"

#include <arrow/scalar.h>

#include "delta/file_scan.h"
#include "delta/values.h"
#include "format/plain_parquet.h"

namespace millstream::delta {
namespace {

// Each requested column's place in the table's schema; nothing: one is not a column of the table.
std::optional<std::vector<std::size_t>> places_of(const std::vector<std::string>& columns,
                                                  const TableInfo& info) {
  std::vector<std::size_t> out;
  for (const auto& name : columns) {
    const int index = column::find_field(info.schema, name);
    if (index < 0) return std::nullopt;
    out.push_back(static_cast<std::size_t>(index));
  }
  return out;
}

// What the log says of a column's values in a file; null: they are in the file.
Result<ScalarPtr> constant_of(const TableInfo& info, std::size_t place, const AddFile& file,
                              const std::string& time_zone) {
  const auto& field = info.schema[place];
  if (field.type->kind() == column::TypeKind::null)
    return ScalarPtr(arrow::MakeNullScalar(column::to_arrow(field.type)));
  if (!info.is_partition_column(place)) return ScalarPtr();
  const auto found = file.partition_values.find(info.physical[place].name);
  return parse_partition_value(
      field, found == file.partition_values.end() ? std::nullopt : found->second, time_zone);
}

}  // namespace

Result<std::optional<connector::ParquetFiles>> plain_files(
    const std::string& table, const TableInfo& info, std::vector<AddFilePtr> files,
    const connector::ScanRequest& request, bool case_sensitive, const std::string& time_zone) {
  const std::optional<connector::ParquetFiles> none;
  const auto places = places_of(request.columns, info);
  if (!places || info.mapping == MappingMode::id) return none;
  choose_files(files, info, request);
  column::Schema wanted;
  for (const std::size_t place : *places) wanted.push_back(info.physical[place]);
  format::PlainFiles plain(std::move(wanted), case_sensitive);
  for (const auto& file : files) {
    const std::string path = resolve_path(table, file->path);
    if (file->deletion_vector != nullptr || !path.starts_with('/')) return none;
    std::vector<ScalarPtr> constants;
    for (const std::size_t place : *places) {
      TRY_ASSIGN(ScalarPtr constant, constant_of(info, place, *file, time_zone));
      constants.push_back(std::move(constant));
    }
    if (!plain.add(path, constants)) return none;
  }
  return std::optional<connector::ParquetFiles>(std::move(plain).finish());
}

}  // namespace millstream::delta
