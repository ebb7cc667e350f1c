// SHOW TABLE EXTENDED: what is known of tables and views, as text.
#include <algorithm>
#include <ctime>

#include "base/text.h"
#include "delta/schema_rules.h"
#include "delta/snapshot.h"
#include "delta/table.h"
#include "session/statement_run.h"

namespace millstream::session {

namespace {

class Lines {
 public:
  void add(const std::string& name, const std::string& value) {
    if (!value.empty()) text_ += name + ": " + value + "\n";
  }
  const std::string& alone() const { return text_; }
  std::string with_schema(const column::Schema& schema) const {
    return text_ + "Schema: " + delta::tree_string(schema) + "\n";
  }

 private:
  std::string text_;
};

// As java.util.Date prints it.
std::string date_text(std::int64_t millis) {
  const std::time_t seconds = millis / 1000;
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  char text[64];
  const std::size_t size = std::strftime(text, sizeof(text), "%a %b %d %H:%M:%S UTC %Y", &parts);
  return {text, size};
}

std::string bracketed_names(const std::vector<std::string>& names) {
  std::vector<std::string> quoted;
  for (const auto& name : names) quoted.push_back(quote_identifier(name));
  return names.empty() ? std::string() : "[" + join(quoted, ", ") + "]";
}

std::string bracketed_pairs(const std::map<std::string, std::string>& pairs) {
  std::vector<std::string> out;
  for (const auto& [key, value] : pairs) out.push_back(key + "=" + value);
  return out.empty() ? std::string() : "[" + join(out, ", ") + "]";
}

}  // namespace

// Of a table or stored view of the warehouse.
Result<std::string> StatementRun::extended_information(const TableName& name) const {
  TRY_ASSIGN(const auto entry, warehouse_.entry(name));
  Lines lines;
  lines.add("Catalog", "spark_catalog");
  lines.add("Database", name.database);
  lines.add(entry && entry->view ? "View" : "Table", name.table);
  const bool delta_table = !entry || (!entry->view && entry->provider == "delta");
  if (delta_table) {
    TRY_ASSIGN(const auto delta,
               delta::DeltaTable::open(warehouse_.store(), warehouse_.table_directory(name)));
    lines.add("Created Time", date_text(delta->snapshot().metadata().created_time.value_or(0)));
  }
  lines.add("Last Access", "UNKNOWN");
  lines.add("Created By", "Spark 4.2.0");
  SessionResolver resolver(session_);
  TRY_ASSIGN(const auto node, resolver.named_table({name.database, name.table}, Options(), false));
  const column::Schema schema = plan::schema_of(*node);
  if (entry && entry->view) {
    lines.add("Type", "VIEW");
    lines.add("Comment", entry->comment);
    lines.add("View Text", entry->text);
    lines.add("View Catalog and Namespace", "spark_catalog." + entry->database);
    lines.add("Table Properties", bracketed_pairs(entry->properties));
    return lines.with_schema(schema);
  }
  const bool files = entry && entry->provider != "delta";
  std::vector<std::string> partition_by = files ? entry->partition_by : std::vector<std::string>();
  std::string comment = files ? entry->comment : "";
  auto properties = files ? entry->properties : std::map<std::string, std::string>();
  const std::string directory = warehouse_.table_directory(name);
  if (!files) {
    TRY_ASSIGN(const auto delta, delta::DeltaTable::open(warehouse_.store(), directory));
    partition_by = delta->partition_columns();
    comment = delta->snapshot().metadata().description.value_or("");
    properties = delta->snapshot().metadata().configuration;
  }
  lines.add("Type", entry && entry->external ? "EXTERNAL" : "MANAGED");
  lines.add("Provider", files ? entry->provider : "delta");
  lines.add("Comment", comment);
  lines.add("Table Properties", bracketed_pairs(properties));
  lines.add("Location", io::to_uri(directory));
  lines.add("Partition Provider", "Catalog");
  // Of Delta's tables the catalog knows neither.
  if (!files) return lines.alone();
  lines.add("Partition Columns", bracketed_names(partition_by));
  return lines.with_schema(schema);
}

StatementRun::Outcome StatementRun::show_table_extended(const sql::Show& show) {
  ResultTable table;
  table.column("namespace", CellType::text, false).column("tableName", CellType::text, false);
  table.column("isTemporary", CellType::flag, false).column("information", CellType::text, false);
  const auto shown = [&](const std::string& name) {
    return !show.filtered || matches_pattern(show.pattern, name);
  };
  TRY_ASSIGN(const std::string database, database_of(show.in));
  TRY(require_database(database));
  TRY_ASSIGN(auto names, warehouse_.views(database));
  TRY_ASSIGN(const auto tables, warehouse_.tables(database));
  names.insert(names.end(), tables.begin(), tables.end());
  std::sort(names.begin(), names.end());
  for (const auto& name : names) {
    if (!shown(name)) continue;
    TRY_ASSIGN(const std::string information, extended_information({database, name}));
    table.row({text(database), text(name), flag(false), text(information)});
  }
  for (const auto& name : session_.views().names()) {
    if (!shown(name)) continue;
    SessionResolver resolver(session_);
    TRY_ASSIGN(const auto node, resolver.named_table({name}, Options(), false));
    Lines lines;
    lines.add("Table", name);
    lines.add("Created By", "Spark 4.2.0");
    lines.add("Type", "VIEW");
    table.row({text(""), text(name), flag(true), text(lines.with_schema(plan::schema_of(*node)))});
  }
  return finish(table);
}

}  // namespace millstream::session
