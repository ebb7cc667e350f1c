#include "millstream/data_frame.h"

#include "client/errors.h"
#include "client/expressions.h"
#include "client/relations.h"
#include "millstream/exceptions.h"
#include "millstream/read_write.h"
#include "millstream/streaming.h"

namespace millstream::api {
namespace {

namespace proto = spark::connect;

using client::derive;

proto::Join::JoinType join_type(const std::string& how) {
  std::string word;
  for (const char c : how)
    if (c != '_') word += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (word == "inner") return proto::Join::JOIN_TYPE_INNER;
  if (word == "cross") return proto::Join::JOIN_TYPE_CROSS;
  if (word == "outer" || word == "full" || word == "fullouter")
    return proto::Join::JOIN_TYPE_FULL_OUTER;
  if (word == "left" || word == "leftouter") return proto::Join::JOIN_TYPE_LEFT_OUTER;
  if (word == "right" || word == "rightouter") return proto::Join::JOIN_TYPE_RIGHT_OUTER;
  if (word == "semi" || word == "leftsemi") return proto::Join::JOIN_TYPE_LEFT_SEMI;
  if (word == "anti" || word == "leftanti") return proto::Join::JOIN_TYPE_LEFT_ANTI;
  throw SparkException("[UNSUPPORTED_JOIN_TYPE] '" + how +
                       "' is no kind of join: inner, cross, outer, left, right, left_semi, "
                       "left_anti");
}

DataFrame set_operation(const DataFrame& left, const DataFrame& right,
                        proto::SetOperation::SetOpType type, bool is_all) {
  return derive(left, [&](proto::Relation* out) {
    auto* operation = out->mutable_set_op();
    *operation->mutable_left_input() = left.relation();
    *operation->mutable_right_input() = right.relation();
    operation->set_set_op_type(type);
    operation->set_is_all(is_all);
  });
}

DataFrame repartitioned(const DataFrame& input, std::int32_t partitions, bool shuffle) {
  return derive(input, [&](proto::Relation* out) {
    auto* repartition = out->mutable_repartition();
    *repartition->mutable_input() = input.relation();
    repartition->set_num_partitions(partitions);
    repartition->set_shuffle(shuffle);
  });
}

DataFrame deduplicated(const DataFrame& input, const std::vector<std::string>& columns,
                       bool within_watermark) {
  return derive(input, [&](proto::Relation* out) {
    auto* deduplicate = out->mutable_deduplicate();
    *deduplicate->mutable_input() = input.relation();
    for (const std::string& name : columns) deduplicate->add_column_names(name);
    deduplicate->set_all_columns_as_keys(columns.empty());
    deduplicate->set_within_watermark(within_watermark);
  });
}

void fill_unpivot(const DataFrame& input, const std::vector<ColumnOrName>& ids,
                  const std::string& variable_name, const std::string& value_name,
                  proto::Unpivot* out) {
  *out->mutable_input() = input.relation();
  for (const ColumnOrName& one : ids) *out->add_ids() = one.column().expression();
  out->set_variable_column_name(variable_name);
  out->set_value_column_name(value_name);
}

}  // namespace

DataFrame::DataFrame(std::shared_ptr<client::Connection> connection,
                     std::shared_ptr<const proto::Relation> relation)
    : connection_(std::move(connection)), relation_(std::move(relation)) {}

DataFrame DataFrame::select(const std::vector<ColumnOrName>& columns) const {
  return derive(*this, [&](proto::Relation* out) {
    *out->mutable_project()->mutable_input() = relation();
    for (const ColumnOrName& one : columns)
      *out->mutable_project()->add_expressions() = one.column().expression();
  });
}

DataFrame DataFrame::select_expr(const std::vector<std::string>& expressions) const {
  std::vector<ColumnOrName> columns;
  for (const std::string& text : expressions) columns.emplace_back(expr(text));
  return select(columns);
}

DataFrame DataFrame::filter(const Column& condition) const {
  return derive(*this, [&](proto::Relation* out) {
    *out->mutable_filter()->mutable_input() = relation();
    *out->mutable_filter()->mutable_condition() = condition.expression();
  });
}
DataFrame DataFrame::filter(const std::string& condition) const { return filter(expr(condition)); }

DataFrame DataFrame::with_column(const std::string& name, const Column& value) const {
  return with_columns({{name, value}});
}
DataFrame DataFrame::with_columns(
    const std::vector<std::pair<std::string, Column>>& columns) const {
  return derive(*this, [&](proto::Relation* out) {
    *out->mutable_with_columns()->mutable_input() = relation();
    for (const auto& [name, value] : columns) {
      auto* alias = out->mutable_with_columns()->add_aliases();
      alias->add_name(name);
      *alias->mutable_expr() = value.expression();
    }
  });
}
DataFrame DataFrame::with_column_renamed(const std::string& existing,
                                         const std::string& name) const {
  return with_columns_renamed({{existing, name}});
}
DataFrame DataFrame::with_columns_renamed(
    const std::vector<std::pair<std::string, std::string>>& names) const {
  return derive(*this, [&](proto::Relation* out) {
    *out->mutable_with_columns_renamed()->mutable_input() = relation();
    for (const auto& [existing, name] : names) {
      auto* rename = out->mutable_with_columns_renamed()->add_renames();
      rename->set_col_name(existing);
      rename->set_new_col_name(name);
    }
  });
}
DataFrame DataFrame::drop(const std::vector<std::string>& names) const {
  return derive(*this, [&](proto::Relation* out) {
    *out->mutable_drop()->mutable_input() = relation();
    for (const std::string& name : names) out->mutable_drop()->add_column_names(name);
  });
}
DataFrame DataFrame::to_df(const std::vector<std::string>& names) const {
  return derive(*this, [&](proto::Relation* out) {
    *out->mutable_to_df()->mutable_input() = relation();
    for (const std::string& name : names) out->mutable_to_df()->add_column_names(name);
  });
}
DataFrame DataFrame::alias(const std::string& name) const {
  return derive(*this, [&](proto::Relation* out) {
    *out->mutable_subquery_alias()->mutable_input() = relation();
    out->mutable_subquery_alias()->set_alias(name);
  });
}

DataFrame DataFrame::join(const DataFrame& other, const std::vector<std::string>& using_columns,
                          const std::string& how) const {
  return derive(*this, [&](proto::Relation* out) {
    auto* join = out->mutable_join();
    *join->mutable_left() = relation();
    *join->mutable_right() = other.relation();
    join->set_join_type(join_type(how));
    for (const std::string& name : using_columns) join->add_using_columns(name);
  });
}
DataFrame DataFrame::join(const DataFrame& other, const Column& condition,
                          const std::string& how) const {
  return derive(*this, [&](proto::Relation* out) {
    auto* join = out->mutable_join();
    *join->mutable_left() = relation();
    *join->mutable_right() = other.relation();
    join->set_join_type(join_type(how));
    *join->mutable_join_condition() = condition.expression();
  });
}
DataFrame DataFrame::cross_join(const DataFrame& other) const {
  return join(other, std::vector<std::string>{}, "cross");
}

DataFrame DataFrame::union_all(const DataFrame& other) const {
  return set_operation(*this, other, proto::SetOperation::SET_OP_TYPE_UNION, true);
}
DataFrame DataFrame::union_by_name(const DataFrame& other, bool allow_missing_columns) const {
  return derive(*this, [&](proto::Relation* out) {
    auto* operation = out->mutable_set_op();
    *operation->mutable_left_input() = relation();
    *operation->mutable_right_input() = other.relation();
    operation->set_set_op_type(proto::SetOperation::SET_OP_TYPE_UNION);
    operation->set_is_all(true);
    operation->set_by_name(true);
    operation->set_allow_missing_columns(allow_missing_columns);
  });
}
DataFrame DataFrame::intersect(const DataFrame& other) const {
  return set_operation(*this, other, proto::SetOperation::SET_OP_TYPE_INTERSECT, false);
}
DataFrame DataFrame::intersect_all(const DataFrame& other) const {
  return set_operation(*this, other, proto::SetOperation::SET_OP_TYPE_INTERSECT, true);
}
DataFrame DataFrame::subtract(const DataFrame& other) const {
  return set_operation(*this, other, proto::SetOperation::SET_OP_TYPE_EXCEPT, false);
}
DataFrame DataFrame::except_all(const DataFrame& other) const {
  return set_operation(*this, other, proto::SetOperation::SET_OP_TYPE_EXCEPT, true);
}

DataFrame DataFrame::limit(std::int32_t rows) const {
  return derive(*this, [&](proto::Relation* out) {
    *out->mutable_limit()->mutable_input() = relation();
    out->mutable_limit()->set_limit(rows);
  });
}
DataFrame DataFrame::offset(std::int32_t rows) const {
  return derive(*this, [&](proto::Relation* out) {
    *out->mutable_offset()->mutable_input() = relation();
    out->mutable_offset()->set_offset(rows);
  });
}
DataFrame DataFrame::distinct() const { return deduplicated(*this, {}, false); }
DataFrame DataFrame::drop_duplicates(const std::vector<std::string>& columns) const {
  return deduplicated(*this, columns, false);
}
DataFrame DataFrame::drop_duplicates_within_watermark(
    const std::vector<std::string>& columns) const {
  return deduplicated(*this, columns, true);
}
DataFrame DataFrame::with_watermark(const std::string& event_time, const std::string& delay) const {
  return derive(*this, [&](proto::Relation* out) {
    *out->mutable_with_watermark()->mutable_input() = relation();
    out->mutable_with_watermark()->set_event_time(event_time);
    out->mutable_with_watermark()->set_delay_threshold(delay);
  });
}
DataFrame DataFrame::sample(double fraction, std::int64_t seed) const {
  return derive(*this, [&](proto::Relation* out) {
    *out->mutable_sample()->mutable_input() = relation();
    out->mutable_sample()->set_upper_bound(fraction);
    out->mutable_sample()->set_seed(seed);
  });
}
DataFrame DataFrame::drop_na(const std::vector<std::string>& columns) const {
  return derive(*this, [&](proto::Relation* out) {
    *out->mutable_drop_na()->mutable_input() = relation();
    for (const std::string& name : columns) out->mutable_drop_na()->add_cols(name);
  });
}
DataFrame DataFrame::fill_na(const Value& value, const std::vector<std::string>& columns) const {
  return derive(*this, [&](proto::Relation* out) {
    *out->mutable_fill_na()->mutable_input() = relation();
    for (const std::string& name : columns) out->mutable_fill_na()->add_cols(name);
    auto* literal = out->mutable_fill_na()->add_values();
    // na.fill knows no INT literal.
    if (const auto* number = std::get_if<std::int64_t>(&value.storage())) {
      literal->set_long_(*number);
    } else {
      client::to_literal(value, literal);
    }
  });
}
DataFrame DataFrame::unpivot(const std::vector<ColumnOrName>& ids,
                             const std::vector<ColumnOrName>& values,
                             const std::string& variable_name,
                             const std::string& value_name) const {
  return derive(*this, [&](proto::Relation* out) {
    fill_unpivot(*this, ids, variable_name, value_name, out->mutable_unpivot());
    auto* columns = out->mutable_unpivot()->mutable_values();
    for (const ColumnOrName& one : values) *columns->add_values() = one.column().expression();
  });
}
DataFrame DataFrame::unpivot(const std::vector<ColumnOrName>& ids, const std::string& variable_name,
                             const std::string& value_name) const {
  return derive(*this, [&](proto::Relation* out) {
    fill_unpivot(*this, ids, variable_name, value_name, out->mutable_unpivot());
  });
}
DataFrame DataFrame::hint(const std::string& name, const std::vector<Column>& parameters) const {
  return derive(*this, [&](proto::Relation* out) {
    *out->mutable_hint()->mutable_input() = relation();
    out->mutable_hint()->set_name(name);
    for (const Column& one : parameters) *out->mutable_hint()->add_parameters() = one.expression();
  });
}
DataFrame DataFrame::repartition(std::int32_t partitions) const {
  return repartitioned(*this, partitions, true);
}
DataFrame DataFrame::coalesce(std::int32_t partitions) const {
  return repartitioned(*this, partitions, false);
}

Column DataFrame::operator[](const std::string& name) const {
  auto expression = std::make_shared<proto::Expression>();
  auto* attribute = expression->mutable_unresolved_attribute();
  attribute->set_unparsed_identifier(name);
  attribute->set_plan_id(relation().common().plan_id());
  return Column(std::move(expression));
}

DataFrameWriter DataFrame::write() const { return DataFrameWriter(*this); }
DataStreamWriter DataFrame::write_stream() const { return DataStreamWriter(*this); }

}  // namespace millstream::api
