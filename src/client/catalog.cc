#include "millstream/catalog.h"

#include "client/errors.h"
#include "client/relations.h"
#include "column/types.h"
#include "plan/analyzer.h"
#include "spark/connect/catalog.pb.h"

namespace millstream::api {
namespace {

namespace proto = spark::connect;
using ConnectionPtr = std::shared_ptr<client::Connection>;

template <typename Fill>
DataFrame question(const ConnectionPtr& connection, const Fill& fill) {
  return client::new_frame(connection, [&](proto::Relation* out) { fill(out->mutable_catalog()); });
}

template <typename Fill>
std::vector<Row> ask(const ConnectionPtr& connection, const Fill& fill) {
  return question(connection, fill).collect();
}

// The one value of the answer.
template <typename Fill>
Value ask_value(const ConnectionPtr& connection, const Fill& fill) {
  const std::vector<Row> rows = ask(connection, fill);
  return rows.empty() || rows.front().size() == 0 ? Value() : rows.front()[0];
}

template <typename Fill>
bool ask_whether(const ConnectionPtr& connection, const Fill& fill) {
  const Value answer = ask_value(connection, fill);
  return !answer.is_null() && answer.as<bool>();
}

template <typename T, typename Fill>
std::vector<T> ask_list(const ConnectionPtr& connection, T (*one)(const Row&), const Fill& fill) {
  std::vector<T> list;
  for (const Row& row : ask(connection, fill)) list.push_back(one(row));
  return list;
}

template <typename T, typename Fill>
T ask_one(const ConnectionPtr& connection, T (*one)(const Row&), const Fill& fill) {
  return one(ask(connection, fill).at(0));
}

std::string text(const Value& value) { return value.is_null() ? std::string() : value.as_string(); }
bool truth(const Value& value) { return !value.is_null() && value.as<bool>(); }
std::vector<std::string> texts(const Value& value) {
  std::vector<std::string> out;
  if (value.is_null()) return out;
  for (const Value& one : value.as<Values>()) out.push_back(text(one));
  return out;
}

Catalog::CatalogMetadata catalog_of(const Row& row) {
  return {text(row["name"]), text(row["description"])};
}
Catalog::Database database_of(const Row& row) {
  return {text(row["name"]), text(row["catalog"]), text(row["description"]),
          text(row["locationUri"])};
}
Catalog::Table table_of(const Row& row) {
  return {text(row["name"]),        text(row["catalog"]),   texts(row["namespace"]),
          text(row["description"]), text(row["tableType"]), truth(row["isTemporary"])};
}
Catalog::Function function_of(const Row& row) {
  return {text(row["name"]),        text(row["catalog"]),   texts(row["namespace"]),
          text(row["description"]), text(row["className"]), truth(row["isTemporary"])};
}
Catalog::Column column_of(const Row& row) {
  return {text(row["name"]),      text(row["description"]),  text(row["dataType"]),
          truth(row["nullable"]), truth(row["isPartition"]), truth(row["isBucket"]),
          truth(row["isCluster"])};
}

// The fields that may be missing of the messages that list.
template <typename Message>
void set_scope(const std::string& database, const std::string& pattern, Message* out) {
  if (!database.empty()) out->set_db_name(database);
  if (!pattern.empty()) out->set_pattern(pattern);
}

}  // namespace

std::string Catalog::current_catalog() const {
  return text(ask_value(connection_, [](auto* out) { out->mutable_current_catalog(); }));
}
void Catalog::set_current_catalog(const std::string& name) const {
  ask(connection_, [&](auto* out) { out->mutable_set_current_catalog()->set_catalog_name(name); });
}
std::vector<Catalog::CatalogMetadata> Catalog::list_catalogs(const std::string& pattern) const {
  return ask_list(connection_, &catalog_of, [&](auto* out) {
    auto* list = out->mutable_list_catalogs();
    if (!pattern.empty()) list->set_pattern(pattern);
  });
}

std::string Catalog::current_database() const {
  return text(ask_value(connection_, [](auto* out) { out->mutable_current_database(); }));
}
void Catalog::set_current_database(const std::string& name) const {
  ask(connection_, [&](auto* out) { out->mutable_set_current_database()->set_db_name(name); });
}
std::vector<Catalog::Database> Catalog::list_databases(const std::string& pattern) const {
  return ask_list(connection_, &database_of, [&](auto* out) {
    auto* list = out->mutable_list_databases();
    if (!pattern.empty()) list->set_pattern(pattern);
  });
}
Catalog::Database Catalog::get_database(const std::string& name) const {
  return ask_one(connection_, &database_of,
                 [&](auto* out) { out->mutable_get_database()->set_db_name(name); });
}
bool Catalog::database_exists(const std::string& name) const {
  return ask_whether(connection_,
                     [&](auto* out) { out->mutable_database_exists()->set_db_name(name); });
}

std::vector<Catalog::Table> Catalog::list_tables(const std::string& database,
                                                 const std::string& pattern) const {
  return ask_list(connection_, &table_of,
                  [&](auto* out) { set_scope(database, pattern, out->mutable_list_tables()); });
}
Catalog::Table Catalog::get_table(const std::string& name) const {
  return ask_one(connection_, &table_of,
                 [&](auto* out) { out->mutable_get_table()->set_table_name(name); });
}
bool Catalog::table_exists(const std::string& name) const {
  return ask_whether(connection_,
                     [&](auto* out) { out->mutable_table_exists()->set_table_name(name); });
}
std::vector<Catalog::Column> Catalog::list_columns(const std::string& table) const {
  return ask_list(connection_, &column_of,
                  [&](auto* out) { out->mutable_list_columns()->set_table_name(table); });
}

DataFrame Catalog::create_table(const std::string& name, const Definition& definition) const {
  const DataFrame creation = question(connection_, [&](auto* out) {
    auto* create = out->mutable_create_table();
    create->set_table_name(name);
    if (!definition.source.empty()) create->set_source(definition.source);
    if (!definition.path.empty()) create->set_path(definition.path);
    if (!definition.description.empty()) create->set_description(definition.description);
    if (!definition.schema.empty()) {
      auto fields = client::value_or_throw(column::parse_schema(definition.schema));
      plan::type_to_proto(column::struct_type(std::move(fields)), create->mutable_schema());
    }
    client::set_options(definition.options, create->mutable_options());
  });
  creation.collect();
  return DataFrameReader(connection_).table(name);
}
void Catalog::recover_partitions(const std::string& table) const {
  ask(connection_, [&](auto* out) { out->mutable_recover_partitions()->set_table_name(table); });
}
void Catalog::refresh_table(const std::string& name) const {
  ask(connection_, [&](auto* out) { out->mutable_refresh_table()->set_table_name(name); });
}
void Catalog::refresh_by_path(const std::string& path) const {
  ask(connection_, [&](auto* out) { out->mutable_refresh_by_path()->set_path(path); });
}

std::vector<Catalog::Function> Catalog::list_functions(const std::string& database,
                                                       const std::string& pattern) const {
  return ask_list(connection_, &function_of,
                  [&](auto* out) { set_scope(database, pattern, out->mutable_list_functions()); });
}
Catalog::Function Catalog::get_function(const std::string& name) const {
  return ask_one(connection_, &function_of,
                 [&](auto* out) { out->mutable_get_function()->set_function_name(name); });
}
bool Catalog::function_exists(const std::string& name) const {
  return ask_whether(connection_,
                     [&](auto* out) { out->mutable_function_exists()->set_function_name(name); });
}

bool Catalog::drop_temp_view(const std::string& name) const {
  return ask_whether(connection_,
                     [&](auto* out) { out->mutable_drop_temp_view()->set_view_name(name); });
}
bool Catalog::drop_global_temp_view(const std::string& name) const {
  return ask_whether(connection_,
                     [&](auto* out) { out->mutable_drop_global_temp_view()->set_view_name(name); });
}

void Catalog::cache_table(const std::string& name) const {
  ask(connection_, [&](auto* out) { out->mutable_cache_table()->set_table_name(name); });
}
void Catalog::uncache_table(const std::string& name) const {
  ask(connection_, [&](auto* out) { out->mutable_uncache_table()->set_table_name(name); });
}
bool Catalog::is_cached(const std::string& name) const {
  return ask_whether(connection_,
                     [&](auto* out) { out->mutable_is_cached()->set_table_name(name); });
}
void Catalog::clear_cache() const {
  ask(connection_, [](auto* out) { out->mutable_clear_cache(); });
}

}  // namespace millstream::api
