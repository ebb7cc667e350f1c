// SparkSession: where every program begins.
//
//   In this process:
//     auto spark = SparkSession::builder().warehouse("lake").get_or_create();
//   Of a server:
//     auto spark = SparkSession::builder().remote("sc://host:15002").get_or_create();
//
// The server may be Millstream or Apache Spark: the protocol is the same.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "millstream/catalog.h"
#include "millstream/data_frame.h"
#include "millstream/read_write.h"
#include "millstream/streaming.h"

namespace millstream::api {

// Settings of the session, under Spark's names.
class RuntimeConfig {
 public:
  explicit RuntimeConfig(std::shared_ptr<client::Connection> connection)
      : connection_(std::move(connection)) {}
  void set(const std::string& key, const std::string& value) const;
  // Throws SQL_CONF_NOT_FOUND for a key that is not set and has no default.
  std::string get(const std::string& key) const;
  std::string get(const std::string& key, const std::string& if_not_set) const;
  void unset(const std::string& key) const;
  // All that are set, or have a default the server tells of; those whose keys begin with `prefix`
  // come without it.
  std::map<std::string, std::string> get_all(const std::string& prefix = {}) const;
  // Whether a session may set the key: one of the server's, or of none, is not.
  bool is_modifiable(const std::string& key) const;

 private:
  std::shared_ptr<client::Connection> connection_;
};

// Cheap to copy; copies are the same session, which ends with the last of them. Thread-safe.
class SparkSession {
 public:
  class Builder {
   public:
    // "sc://host:port/;user_id=…;token=…;use_ssl=true"
    Builder& remote(const std::string& url);
    // Embedded: the folder of the tables that have names; "spark-warehouse" if not said.
    Builder& warehouse(const std::string& folder);
    // Embedded: memory of the engine, as "2g"; Millstream's default if not said.
    Builder& memory(const std::string& size);
    Builder& config(const std::string& key, const std::string& value);
    // With neither `remote` nor `warehouse`, SPARK_REMOTE says where the server is.
    SparkSession get_or_create() const;

   private:
    std::string remote_;
    std::string warehouse_;
    std::string memory_;
    Options config_;
  };
  static Builder builder() { return {}; }

  // A query, or a statement, which is carried out at once. `?` stands for positional arguments.
  DataFrame sql(const std::string& text, const std::vector<Value>& arguments = {}) const;
  // The same with `:name` for arguments that have names.
  DataFrame sql_named(const std::string& text, const std::map<std::string, Value>& arguments) const;
  DataFrame table(const std::string& name) const;
  DataFrame range(std::int64_t end) const { return range(0, end); }
  DataFrame range(std::int64_t start, std::int64_t end, std::int64_t step = 1) const;
  // Rows from here; `schema` is DDL. Each row has a value for each column.
  DataFrame create_data_frame(const std::vector<Values>& rows, const std::string& schema) const;

  DataFrameReader read() const { return DataFrameReader(connection_); }
  DataStreamReader read_stream() const { return DataStreamReader(connection_); }
  StreamingQueryManager streams() const { return StreamingQueryManager(connection_); }
  RuntimeConfig conf() const { return RuntimeConfig(connection_); }
  Catalog catalog() const { return Catalog(connection_); }
  std::string version() const;
  const std::string& session_id() const;

  // Ends what runs in this session; from any thread. The ids of the operations.
  std::vector<std::string> interrupt_all() const;
  std::vector<std::string> interrupt_tag(const std::string& tag) const;
  std::vector<std::string> interrupt_operation(const std::string& id) const;
  // What this session starts from now on carries the tag, on any thread. Not empty, without commas.
  void add_tag(const std::string& tag) const;
  void remove_tag(const std::string& tag) const;
  std::vector<std::string> tags() const;
  void clear_tags() const;
  // Ends the session: its streaming queries too.
  void stop() const;

  const std::shared_ptr<client::Connection>& connection() const { return connection_; }

 private:
  explicit SparkSession(std::shared_ptr<client::Connection> connection)
      : connection_(std::move(connection)) {}
  std::shared_ptr<client::Connection> connection_;
};

}  // namespace millstream::api
