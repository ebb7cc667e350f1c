// Readers and writers of batch DataFrames. Formats and options are Spark's.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "millstream/data_frame.h"

namespace spark::connect {
class Command;
}  // namespace spark::connect

namespace millstream::api {

using Options = std::map<std::string, std::string>;

class DataFrameReader {
 public:
  explicit DataFrameReader(std::shared_ptr<client::Connection> connection)
      : connection_(std::move(connection)) {}

  DataFrameReader& format(const std::string& name);
  // DDL: "a bigint, b array<string>"
  DataFrameReader& schema(const std::string& ddl);
  DataFrameReader& option(const std::string& key, const std::string& value);
  DataFrameReader& options(const Options& options);
  // Without paths: of a format that needs none.
  DataFrame load(const std::vector<std::string>& paths = {}) const;
  DataFrame load(const std::string& path) const { return load(std::vector{path}); }
  DataFrame table(const std::string& name) const;

  DataFrame json(const std::string& path) { return format("json").load(path); }
  DataFrame parquet(const std::string& path) { return format("parquet").load(path); }
  DataFrame csv(const std::string& path) { return format("csv").load(path); }
  DataFrame orc(const std::string& path) { return format("orc").load(path); }
  DataFrame text(const std::string& path) { return format("text").load(path); }

 private:
  std::shared_ptr<client::Connection> connection_;
  std::string format_;
  std::string schema_;
  Options options_;
};

class DataFrameWriter {
 public:
  explicit DataFrameWriter(DataFrame input) : input_(std::move(input)) {}

  DataFrameWriter& format(const std::string& name);
  // append, overwrite, errorifexists (the default) or ignore.
  DataFrameWriter& mode(const std::string& mode);
  DataFrameWriter& option(const std::string& key, const std::string& value);
  DataFrameWriter& options(const Options& options);
  DataFrameWriter& partition_by(const std::vector<std::string>& columns);
  // Of tables: clustered by the columns (Delta); a number of buckets by the values of columns, and
  // sorted within (tables of files).
  DataFrameWriter& cluster_by(const std::vector<std::string>& columns);
  DataFrameWriter& bucket_by(std::int32_t buckets, const std::vector<std::string>& columns);
  DataFrameWriter& sort_by(const std::vector<std::string>& columns);
  // Empty: a format that needs no place.
  void save(const std::string& path = {}) const;
  void save_as_table(const std::string& name) const;
  void insert_into(const std::string& name) const;

  void json(const std::string& path) { format("json").save(path); }
  void parquet(const std::string& path) { format("parquet").save(path); }
  void csv(const std::string& path) { format("csv").save(path); }
  void orc(const std::string& path) { format("orc").save(path); }
  void text(const std::string& path) { format("text").save(path); }

 private:
  spark::connect::Command command() const;

  DataFrame input_;
  std::string format_;
  std::string mode_;
  Options options_;
  std::vector<std::string> partition_by_;
  std::vector<std::string> cluster_by_;
  std::int32_t buckets_ = 0;  // 0: none
  std::vector<std::string> bucket_by_;
  std::vector<std::string> sort_by_;
};

}  // namespace millstream::api
