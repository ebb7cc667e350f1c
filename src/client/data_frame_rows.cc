// Which rows of a DataFrame, in which order and partitions.
#include "client/expressions.h"
#include "client/relations.h"
#include "millstream/exceptions.h"

namespace millstream::api {
namespace {

namespace proto = spark::connect;

using client::derive;

DataFrame sorted(const DataFrame& input, const std::vector<ColumnOrName>& columns, bool is_global) {
  return derive(input, [&](proto::Relation* out) {
    *out->mutable_sort()->mutable_input() = input.relation();
    out->mutable_sort()->set_is_global(is_global);
    for (const ColumnOrName& one : columns)
      client::to_sort_order(one.column(), out->mutable_sort()->add_order());
  });
}

// By expressions; a sort order among them asks for ranges. 0: as many as the session's setting
// says.
DataFrame repartitioned(const DataFrame& input, std::int32_t partitions,
                        const std::vector<proto::Expression>& by) {
  return derive(input, [&](proto::Relation* out) {
    auto* repartition = out->mutable_repartition_by_expression();
    *repartition->mutable_input() = input.relation();
    for (const proto::Expression& one : by) *repartition->add_partition_exprs() = one;
    if (partitions > 0) repartition->set_num_partitions(partitions);
  });
}

}  // namespace

DataFrame DataFrame::sort(const std::vector<ColumnOrName>& columns) const {
  return sorted(*this, columns, true);
}
DataFrame DataFrame::sort_within_partitions(const std::vector<ColumnOrName>& columns) const {
  return sorted(*this, columns, false);
}

DataFrame DataFrame::repartition(std::int32_t partitions,
                                 const std::vector<ColumnOrName>& columns) const {
  std::vector<proto::Expression> by;
  for (const ColumnOrName& one : columns) by.push_back(one.column().expression());
  return repartitioned(*this, partitions, by);
}
DataFrame DataFrame::repartition_by_range(std::int32_t partitions,
                                          const std::vector<ColumnOrName>& columns) const {
  std::vector<proto::Expression> by(columns.size());
  for (std::size_t i = 0; i < columns.size(); ++i)
    client::to_sort_order(columns[i].column(), by[i].mutable_sort_order());
  return repartitioned(*this, partitions, by);
}

std::vector<Row> DataFrame::tail(std::int32_t rows) const {
  return derive(*this,
                [&](proto::Relation* out) {
                  *out->mutable_tail()->mutable_input() = relation();
                  out->mutable_tail()->set_limit(rows);
                })
      .collect();
}

std::vector<DataFrame> DataFrame::random_split(const std::vector<double>& weights,
                                               std::int64_t seed) const {
  double total = 0;
  for (const double weight : weights) {
    if (!(weight >= 0)) throw SparkException("random_split takes weights that are not negative");
    total += weight;
  }
  if (!(total > 0)) throw SparkException("random_split takes weights whose sum is above 0");
  std::vector<DataFrame> splits;
  double lower = 0;
  for (const double weight : weights) {
    const double upper = lower + weight / total;
    splits.push_back(derive(*this, [&](proto::Relation* out) {
      auto* sample = out->mutable_sample();
      *sample->mutable_input() = relation();
      sample->set_lower_bound(lower);
      sample->set_upper_bound(upper);
      sample->set_with_replacement(false);
      sample->set_seed(seed);
      sample->set_deterministic_order(true);
    }));
    lower = upper;
  }
  return splits;
}

DataFrame DataFrame::transpose() const {
  return derive(*this, [&](proto::Relation* out) {
    *out->mutable_transpose()->mutable_input() = relation();
  });
}
DataFrame DataFrame::transpose(const ColumnOrName& index) const {
  return derive(*this, [&](proto::Relation* out) {
    *out->mutable_transpose()->mutable_input() = relation();
    *out->mutable_transpose()->add_index_columns() = index.column().expression();
  });
}

}  // namespace millstream::api
