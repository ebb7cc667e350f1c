#include "client/expressions.h"
#include "client/relations.h"
#include "millstream/data_frame.h"

namespace millstream::api {
namespace {

namespace proto = spark::connect;

std::vector<Column> columns_of(const std::vector<ColumnOrName>& given) {
  std::vector<Column> columns;
  for (const ColumnOrName& one : given) columns.push_back(one.column());
  return columns;
}

proto::Aggregate::GroupType group_type(GroupedData::Kind kind) {
  switch (kind) {
    case GroupedData::Kind::group_by:
      return proto::Aggregate::GROUP_TYPE_GROUPBY;
    case GroupedData::Kind::rollup:
      return proto::Aggregate::GROUP_TYPE_ROLLUP;
    case GroupedData::Kind::cube:
      return proto::Aggregate::GROUP_TYPE_CUBE;
    case GroupedData::Kind::pivot:
      return proto::Aggregate::GROUP_TYPE_PIVOT;
  }
  return proto::Aggregate::GROUP_TYPE_GROUPBY;
}

}  // namespace

GroupedData DataFrame::group_by(const std::vector<ColumnOrName>& columns) const {
  return {*this, GroupedData::Kind::group_by, columns_of(columns)};
}
GroupedData DataFrame::rollup(const std::vector<ColumnOrName>& columns) const {
  return {*this, GroupedData::Kind::rollup, columns_of(columns)};
}
GroupedData DataFrame::cube(const std::vector<ColumnOrName>& columns) const {
  return {*this, GroupedData::Kind::cube, columns_of(columns)};
}
DataFrame DataFrame::agg(const std::vector<Column>& aggregates) const {
  return group_by({}).agg(aggregates);
}

DataFrame GroupedData::agg(const std::vector<Column>& aggregates) const {
  return client::new_frame(input_.connection(), [&](proto::Relation* out) {
    auto* aggregate = out->mutable_aggregate();
    *aggregate->mutable_input() = input_.relation();
    aggregate->set_group_type(group_type(kind_));
    for (const Column& column : columns_)
      *aggregate->add_grouping_expressions() = column.expression();
    for (const Column& one : aggregates) *aggregate->add_aggregate_expressions() = one.expression();
    if (kind_ != Kind::pivot) return;
    *aggregate->mutable_pivot()->mutable_col() = col(pivot_column_).expression();
    for (const Value& value : pivot_values_)
      client::to_literal(value, aggregate->mutable_pivot()->add_values());
  });
}

DataFrame GroupedData::of_each(const std::string& function,
                               const std::vector<std::string>& columns) const {
  std::vector<Column> aggregates;
  for (const std::string& name : columns)
    aggregates.push_back(call_function(function, {col(name)}));
  return agg(aggregates);
}

DataFrame GroupedData::count() const {
  return agg({call_function("count", {lit(1)}).alias("count")});
}
DataFrame GroupedData::sum(const std::vector<std::string>& columns) const {
  return of_each("sum", columns);
}
DataFrame GroupedData::avg(const std::vector<std::string>& columns) const {
  return of_each("avg", columns);
}
DataFrame GroupedData::min(const std::vector<std::string>& columns) const {
  return of_each("min", columns);
}
DataFrame GroupedData::max(const std::vector<std::string>& columns) const {
  return of_each("max", columns);
}

GroupedData GroupedData::pivot(const std::string& column) const { return pivot(column, {}); }
GroupedData GroupedData::pivot(const std::string& column, const std::vector<Value>& values) const {
  GroupedData pivoted = *this;
  pivoted.kind_ = Kind::pivot;
  pivoted.pivot_column_ = column;
  pivoted.pivot_values_ = values;
  return pivoted;
}

}  // namespace millstream::api
