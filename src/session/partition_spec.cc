#include "session/partition_spec.h"

#include <arrow/scalar.h>

#include <algorithm>
#include <mutex>

#include "base/text.h"
#include "column/char_varchar.h"
#include "format/file_table.h"
#include "plan/analyzer.h"
#include "session/variables.h"
#include "spark/connect/relations.pb.h"

namespace millstream::session {
namespace {

// The constant as the text of the column's type; it is a text before it is of that type.
Result<std::optional<std::string>> text_of(Session& session,
                                           const spark::connect::Expression& value,
                                           const column::TypePtr& type,
                                           const ActionContext& context) {
  spark::connect::Relation relation;
  auto* cast = relation.mutable_project()->add_expressions()->mutable_cast();
  auto* text = cast->mutable_expr()->mutable_cast();
  *text->mutable_expr() = value;
  plan::type_to_proto(column::string_type(), text->mutable_type());
  plan::type_to_proto(type, cast->mutable_type());
  TRY_ASSIGN(const auto row, first_row(session, relation, {column::string_type()}, context));
  if (row[0]->value == nullptr || !row[0]->value->is_valid) return std::optional<std::string>();
  return std::optional<std::string>(row[0]->value->ToString());
}

// As the rows' values of a CHAR(n) column are.
void fill_char(const column::Field& field, std::string& value) {
  const column::TypePtr declared = column::declared_type(field);
  if (declared == nullptr || declared->kind() != column::TypeKind::char_) return;
  const auto length = static_cast<std::size_t>(declared->length());
  const std::size_t there = utf8_length(value);
  if (there < length) value.append(length - there, ' ');
}

// What is known of a folder of some partitions: its name, and that with the columns' names.
struct FolderBelow {
  std::string partition;
  std::string name;
};

Status list_below(io::Store& store, const std::string& directory, const FolderBelow& above,
                  const std::vector<std::string>& columns, std::size_t depth,
                  std::map<std::string, std::string>* out) {
  const auto below = [](const std::string& folder, const std::string& name) {
    return folder.empty() ? name : folder + "/" + name;
  };
  TRY_ASSIGN(const auto children, store.list(directory));
  for (const io::FileInfo& child : children) {
    const std::string name(io::base_name(child.path));
    const auto equals = name.find('=');
    // A folder of another column is none of the table's.
    if (!child.is_directory || equals == std::string::npos ||
        !equals_ignore_case(name.substr(0, equals), columns[depth]))
      continue;
    const FolderBelow found{below(above.partition, columns[depth] + name.substr(equals)),
                            below(above.name, name)};
    if (depth + 1 == columns.size()) {
      out->emplace(found.partition, found.name);
    } else {
      TRY(list_below(store, child.path, found, columns, depth + 1, out));
    }
  }
  return Status::OK();
}

}  // namespace

Result<std::vector<std::string>> partition_folders(Session& session, const sql::PartitionSpec& spec,
                                                   const column::Schema& table,
                                                   const std::vector<std::string>& partition_by,
                                                   const ActionContext& context) {
  std::vector<std::string> folders;
  for (const auto& column : partition_by) {
    const auto given = std::find_if(spec.begin(), spec.end(), [&](const auto& one) {
      return equals_ignore_case(one.first, column);
    });
    if (given == spec.end() || given->second == nullptr) continue;
    const int index = column::find_field_ignore_case(table, column);
    CHECK(index >= 0);
    const column::Field& field = table[static_cast<std::size_t>(index)];
    TRY_ASSIGN(auto value, text_of(session, *given->second, field.type, context));
    if (value) fill_char(field, *value);
    folders.push_back(format::partition_folder(column, value));
  }
  return folders;
}

Result<sql::PartitionSpec> as_texts(Session& session, const sql::PartitionSpec& spec,
                                    const column::Schema& table, const ActionContext& context) {
  sql::PartitionSpec out = spec;
  for (auto& [column, value] : out) {
    if (value == nullptr) continue;
    const int index = column::find_field_ignore_case(table, column);
    const bool number = index >= 0 && table[static_cast<std::size_t>(index)].type->is_numeric();
    const auto& literal = value->literal();
    if (literal.has_string() || literal.has_null() || (number && literal.has_integer())) continue;
    spark::connect::Relation relation;
    auto* cast = relation.mutable_project()->add_expressions()->mutable_cast();
    *cast->mutable_expr() = *value;
    plan::type_to_proto(column::string_type(), cast->mutable_type());
    TRY_ASSIGN(const auto row, first_row(session, relation, {column::string_type()}, context));
    auto text = std::make_shared<spark::connect::Expression>();
    text->mutable_literal()->set_string(row[0]->value->ToString());
    value = std::move(text);
  }
  return out;
}

Result<std::map<std::string, std::string>> partitions_of(io::Store& store,
                                                         const std::string& directory,
                                                         const std::vector<std::string>& columns) {
  std::map<std::string, std::string> out;
  TRY_ASSIGN(const bool exists, store.exists(directory));
  if (exists && !columns.empty()) TRY(list_below(store, directory, {}, columns, 0, &out));
  return out;
}

Status note_partitions(Warehouse& warehouse, const TableName& name,
                       const std::vector<std::string>& written, bool replaced,
                       const std::vector<std::string>& below) {
  static std::mutex one_at_a_time;
  const std::lock_guard lock(one_at_a_time);
  TRY_ASSIGN(auto entry, warehouse.entry(name));
  if (!entry || !entry->partitions) return Status::OK();
  const auto before = *entry->partitions;
  const auto placed_before = entry->placed;
  if (replaced) {
    std::erase_if(*entry->partitions,
                  [&](const std::string& partition) { return lies_in(partition, below); });
  }
  entry->partitions->insert(written.begin(), written.end());
  std::erase_if(entry->placed,
                [&](const auto& one) { return !entry->partitions->contains(one.first); });
  const bool same = *entry->partitions == before && entry->placed == placed_before;
  return same ? Status::OK() : warehouse.put_entry(name, *entry);
}

bool lies_in(const std::string& partition, const std::vector<std::string>& folders) {
  return std::all_of(folders.begin(), folders.end(), [&](const auto& folder) {
    return ("/" + partition + "/").find("/" + folder + "/") != std::string::npos;
  });
}

}  // namespace millstream::session
