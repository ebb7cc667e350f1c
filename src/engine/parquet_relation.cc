#include "engine/parquet_relation.h"

#include "base/text.h"
#include "engine/physical.h"

namespace millstream::engine {
namespace {

using column::TypeKind;

std::string identifier(const std::string& name) {
  std::string out = "\"";
  for (const char c : name) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

// Statistics of floating columns leave NaN out, which is above all numbers here: DuckDB must not
// conclude from them, so it gets an expression.
std::string file_column(const std::string& name, const column::DataType& type) {
  if (type.kind() == TypeKind::float_) return identifier(name) + " * 1::FLOAT";
  if (type.kind() == TypeKind::double_) return identifier(name) + " * 1::DOUBLE";
  return identifier(name);
}

Result<std::string> group_select(const connector::ParquetFiles::Group& group,
                                 const std::vector<std::string>& names,
                                 const column::Schema& schema, ExprLowering& exprs) {
  std::vector<std::string> columns;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto& column = group.columns[i];
    std::string sql;
    if (column.constant == nullptr) {
      sql = file_column(column.name, *schema[i].type);
    } else {
      TRY_ASSIGN(const std::string type, physical_sql(schema[i].type));
      TRY_ASSIGN(const std::string value, exprs.literal(*column.constant, schema[i].type));
      sql = fmt::format("CAST({} AS {})", value, type);
    }
    columns.push_back(sql + " AS " + names[i]);
  }
  std::vector<std::string> paths;
  for (const auto& path : group.paths) paths.push_back(sql_quote(path));
  return fmt::format("SELECT {} FROM read_parquet([{}], hive_partitioning = false)",
                     columns.empty() ? "0::TINYINT AS c_none" : join(columns, ", "),
                     join(paths, ", "));
}

// The table of no files.
Result<std::string> no_rows(const std::vector<std::string>& names, const column::Schema& schema) {
  std::vector<std::string> columns;
  for (std::size_t i = 0; i < names.size(); ++i) {
    TRY_ASSIGN(const std::string type, physical_sql(schema[i].type));
    columns.push_back(fmt::format("CAST(NULL AS {}) AS {}", type, names[i]));
  }
  return fmt::format("SELECT {} WHERE false",
                     columns.empty() ? "0::TINYINT AS c_none" : join(columns, ", "));
}

}  // namespace

Result<std::string> parquet_relation(const connector::ParquetFiles& files,
                                     const std::vector<std::string>& names,
                                     const column::Schema& schema, ExprLowering& exprs) {
  std::vector<std::string> selects;
  for (const auto& group : files.groups) {
    TRY_ASSIGN(std::string select, group_select(group, names, schema, exprs));
    selects.push_back(std::move(select));
  }
  if (selects.empty()) {
    TRY_ASSIGN(std::string select, no_rows(names, schema));
    selects.push_back(std::move(select));
  }
  return "(" + join(selects, " UNION ALL ") + ")";
}

}  // namespace millstream::engine
