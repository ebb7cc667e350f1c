#include "millstream/write_to.h"

#include "client/relations.h"

namespace millstream::api {
namespace {

namespace proto = spark::connect;
using Write = proto::WriteOperationV2;

Write of_mode(Write::Mode mode) {
  Write write;
  write.set_mode(mode);
  return write;
}

}  // namespace

DataFrameWriterV2& DataFrameWriterV2::using_provider(const std::string& provider) {
  provider_ = provider;
  return *this;
}
DataFrameWriterV2& DataFrameWriterV2::option(const std::string& key, const std::string& value) {
  options_[key] = value;
  return *this;
}
DataFrameWriterV2& DataFrameWriterV2::options(const Options& options) {
  for (const auto& [key, value] : options) options_[key] = value;
  return *this;
}
DataFrameWriterV2& DataFrameWriterV2::table_property(const std::string& name,
                                                     const std::string& value) {
  table_properties_[name] = value;
  return *this;
}
DataFrameWriterV2& DataFrameWriterV2::partitioned_by(const std::vector<ColumnOrName>& columns) {
  partitioned_by_.clear();
  for (const ColumnOrName& one : columns) partitioned_by_.push_back(one.column());
  return *this;
}
DataFrameWriterV2& DataFrameWriterV2::cluster_by(const std::vector<std::string>& columns) {
  cluster_by_ = columns;
  return *this;
}

void DataFrameWriterV2::create() const { run(of_mode(Write::MODE_CREATE)); }
void DataFrameWriterV2::replace() const { run(of_mode(Write::MODE_REPLACE)); }
void DataFrameWriterV2::create_or_replace() const { run(of_mode(Write::MODE_CREATE_OR_REPLACE)); }
void DataFrameWriterV2::append() const { run(of_mode(Write::MODE_APPEND)); }
void DataFrameWriterV2::overwrite(const Column& condition) const {
  Write write = of_mode(Write::MODE_OVERWRITE);
  *write.mutable_overwrite_condition() = condition.expression();
  run(write);
}
void DataFrameWriterV2::overwrite_partitions() const {
  run(of_mode(Write::MODE_OVERWRITE_PARTITIONS));
}

void DataFrameWriterV2::run(const Write& how) const {
  proto::Command command;
  auto* write = command.mutable_write_operation_v2();
  *write = how;
  *write->mutable_input() = input_.relation();
  write->set_table_name(table_);
  if (!provider_.empty()) write->set_provider(provider_);
  client::set_options(options_, write->mutable_options());
  client::set_options(table_properties_, write->mutable_table_properties());
  for (const Column& one : partitioned_by_) *write->add_partitioning_columns() = one.expression();
  for (const std::string& name : cluster_by_) write->add_clustering_columns(name);
  input_.connection()->execute(command);
}

DataFrameWriterV2 DataFrame::write_to(const std::string& table) const { return {*this, table}; }

}  // namespace millstream::api
