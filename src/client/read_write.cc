#include "millstream/read_write.h"

#include "client/relations.h"
#include "millstream/exceptions.h"

namespace millstream::api {
namespace {

namespace proto = spark::connect;
using Mode = proto::WriteOperation;

Mode::SaveMode save_mode(const std::string& mode) {
  if (mode.empty() || mode == "error" || mode == "errorifexists" || mode == "default")
    return Mode::SAVE_MODE_ERROR_IF_EXISTS;
  if (mode == "append") return Mode::SAVE_MODE_APPEND;
  if (mode == "overwrite") return Mode::SAVE_MODE_OVERWRITE;
  if (mode == "ignore") return Mode::SAVE_MODE_IGNORE;
  throw SparkException("[INVALID_SAVE_MODE] '" + mode +
                       "' is no save mode: append, overwrite, ignore, errorifexists");
}

}  // namespace

DataFrameReader& DataFrameReader::format(const std::string& name) {
  format_ = name;
  return *this;
}
DataFrameReader& DataFrameReader::schema(const std::string& ddl) {
  schema_ = ddl;
  return *this;
}
DataFrameReader& DataFrameReader::option(const std::string& key, const std::string& value) {
  options_[key] = value;
  return *this;
}
DataFrameReader& DataFrameReader::options(const Options& options) {
  for (const auto& [key, value] : options) options_[key] = value;
  return *this;
}

DataFrame DataFrameReader::load(const std::vector<std::string>& paths) const {
  return client::new_frame(connection_, [&](proto::Relation* out) {
    auto* source = out->mutable_read()->mutable_data_source();
    if (!format_.empty()) source->set_format(format_);
    if (!schema_.empty()) source->set_schema(schema_);
    client::set_options(options_, source->mutable_options());
    for (const std::string& path : paths) source->add_paths(path);
  });
}

DataFrame DataFrameReader::table(const std::string& name) const {
  return client::new_frame(connection_, [&](proto::Relation* out) {
    auto* table = out->mutable_read()->mutable_named_table();
    table->set_unparsed_identifier(name);
    client::set_options(options_, table->mutable_options());
  });
}

DataFrameWriter& DataFrameWriter::format(const std::string& name) {
  format_ = name;
  return *this;
}
DataFrameWriter& DataFrameWriter::mode(const std::string& mode) {
  save_mode(mode);
  mode_ = mode;
  return *this;
}
DataFrameWriter& DataFrameWriter::option(const std::string& key, const std::string& value) {
  options_[key] = value;
  return *this;
}
DataFrameWriter& DataFrameWriter::options(const Options& options) {
  for (const auto& [key, value] : options) options_[key] = value;
  return *this;
}
DataFrameWriter& DataFrameWriter::partition_by(const std::vector<std::string>& columns) {
  partition_by_ = columns;
  return *this;
}

DataFrameWriter& DataFrameWriter::cluster_by(const std::vector<std::string>& columns) {
  cluster_by_ = columns;
  return *this;
}
DataFrameWriter& DataFrameWriter::bucket_by(std::int32_t buckets,
                                            const std::vector<std::string>& columns) {
  buckets_ = buckets;
  bucket_by_ = columns;
  return *this;
}
DataFrameWriter& DataFrameWriter::sort_by(const std::vector<std::string>& columns) {
  sort_by_ = columns;
  return *this;
}

spark::connect::Command DataFrameWriter::command() const {
  proto::Command command;
  auto* write = command.mutable_write_operation();
  *write->mutable_input() = input_.relation();
  if (!format_.empty()) write->set_source(format_);
  write->set_mode(save_mode(mode_));
  for (const std::string& name : partition_by_) write->add_partitioning_columns(name);
  for (const std::string& name : cluster_by_) write->add_clustering_columns(name);
  for (const std::string& name : sort_by_) write->add_sort_column_names(name);
  if (!bucket_by_.empty()) {
    write->mutable_bucket_by()->set_num_buckets(buckets_);
    for (const std::string& name : bucket_by_)
      write->mutable_bucket_by()->add_bucket_column_names(name);
  }
  client::set_options(options_, write->mutable_options());
  return command;
}

void DataFrameWriter::save(const std::string& path) const {
  proto::Command write = command();
  if (!path.empty()) write.mutable_write_operation()->set_path(path);
  input_.connection()->execute(write);
}

void DataFrameWriter::save_as_table(const std::string& name) const {
  proto::Command write = command();
  auto* table = write.mutable_write_operation()->mutable_table();
  table->set_table_name(name);
  table->set_save_method(Mode::SaveTable::TABLE_SAVE_METHOD_SAVE_AS_TABLE);
  input_.connection()->execute(write);
}

void DataFrameWriter::insert_into(const std::string& name) const {
  proto::Command write = command();
  auto* table = write.mutable_write_operation()->mutable_table();
  table->set_table_name(name);
  table->set_save_method(Mode::SaveTable::TABLE_SAVE_METHOD_INSERT_INTO);
  if (mode_.empty()) write.mutable_write_operation()->set_mode(Mode::SAVE_MODE_APPEND);
  input_.connection()->execute(write);
}

}  // namespace millstream::api
