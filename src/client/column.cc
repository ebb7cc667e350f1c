#include "millstream/column.h"

#include "client/expressions.h"
#include "spark/connect/expressions.pb.h"

namespace millstream::api {
namespace {

namespace proto = spark::connect;

template <typename Fill>
Column make(const Fill& fill) {
  auto expression = std::make_shared<proto::Expression>();
  fill(expression.get());
  return Column(std::move(expression));
}

Column call(const std::string& name, const std::vector<Column>& arguments) {
  return call_function(name, arguments);
}

Column sorted(const Column& column, proto::Expression_SortOrder_SortDirection direction,
              proto::Expression_SortOrder_NullOrdering nulls) {
  return make([&](proto::Expression* out) {
    auto* order = out->mutable_sort_order();
    *order->mutable_child() = column.expression();
    order->set_direction(direction);
    order->set_null_ordering(nulls);
  });
}

using Order = proto::Expression_SortOrder;

Column cast_as(const Column& column, const std::string& type, bool is_try) {
  return make([&](proto::Expression* out) {
    auto* cast = out->mutable_cast();
    *cast->mutable_expr() = column.expression();
    cast->set_type_str(type);
    if (is_try) cast->set_eval_mode(proto::Expression_Cast_EvalMode_EVAL_MODE_TRY);
  });
}

}  // namespace

Column col(const std::string& name) {
  return make([&](proto::Expression* out) {
    if (name == "*") {
      out->mutable_unresolved_star();
    } else if (name.ends_with(".*")) {
      out->mutable_unresolved_star()->set_unparsed_target(name);
    } else {
      out->mutable_unresolved_attribute()->set_unparsed_identifier(name);
    }
  });
}

Column lit(const Value& value) {
  return make([&](proto::Expression* out) { client::to_literal(value, out->mutable_literal()); });
}

Column expr(const std::string& sql) {
  return make(
      [&](proto::Expression* out) { out->mutable_expression_string()->set_expression(sql); });
}

Column call_function(const std::string& name, const std::vector<Column>& arguments,
                     bool is_distinct) {
  return make([&](proto::Expression* out) {
    auto* function = out->mutable_unresolved_function();
    function->set_function_name(name);
    function->set_is_distinct(is_distinct);
    for (const Column& argument : arguments) *function->add_arguments() = argument.expression();
  });
}

Column Column::alias(const std::string& name) const {
  return make([&](proto::Expression* out) {
    auto* alias = out->mutable_alias();
    *alias->mutable_expr() = expression();
    alias->add_name(name);
  });
}

Column Column::cast(const std::string& type) const { return cast_as(*this, type, false); }
Column Column::try_cast(const std::string& type) const { return cast_as(*this, type, true); }

Column Column::asc() const { return asc_nulls_first(); }
Column Column::asc_nulls_first() const {
  return sorted(*this, Order::SORT_DIRECTION_ASCENDING, Order::SORT_NULLS_FIRST);
}
Column Column::asc_nulls_last() const {
  return sorted(*this, Order::SORT_DIRECTION_ASCENDING, Order::SORT_NULLS_LAST);
}
Column Column::desc() const { return desc_nulls_last(); }
Column Column::desc_nulls_first() const {
  return sorted(*this, Order::SORT_DIRECTION_DESCENDING, Order::SORT_NULLS_FIRST);
}
Column Column::desc_nulls_last() const {
  return sorted(*this, Order::SORT_DIRECTION_DESCENDING, Order::SORT_NULLS_LAST);
}

Column Column::is_null() const { return call("isNull", {*this}); }
Column Column::is_not_null() const { return call("isNotNull", {*this}); }
Column Column::is_nan() const { return call("isNaN", {*this}); }
Column Column::eq_null_safe(const Column& other) const { return call("<=>", {*this, other}); }
Column Column::between(const Column& low, const Column& high) const {
  return (*this >= low) && (*this <= high);
}
Column Column::is_in(const std::vector<Value>& values) const {
  std::vector<Column> arguments{*this};
  for (const Value& value : values) arguments.push_back(lit(value));
  return call("in", arguments);
}
Column Column::like(const std::string& pattern) const {
  return call("like", {*this, lit(pattern)});
}
Column Column::ilike(const std::string& pattern) const {
  return call("ilike", {*this, lit(pattern)});
}
Column Column::rlike(const std::string& pattern) const {
  return call("rlike", {*this, lit(pattern)});
}
Column Column::starts_with(const Column& prefix) const {
  return call("startswith", {*this, prefix});
}
Column Column::ends_with(const Column& suffix) const { return call("endswith", {*this, suffix}); }
Column Column::contains(const Column& part) const { return call("contains", {*this, part}); }
Column Column::substr(const Column& start, const Column& length) const {
  return call("substr", {*this, start, length});
}

Column Column::get_item(const Value& key) const {
  return make([&](proto::Expression* out) {
    auto* extract = out->mutable_unresolved_extract_value();
    *extract->mutable_child() = expression();
    client::to_literal(key, extract->mutable_extraction()->mutable_literal());
  });
}
Column Column::get_field(const std::string& name) const { return get_item(name); }

Column Column::with_field(const std::string& name, const Column& value) const {
  return make([&](proto::Expression* out) {
    auto* update = out->mutable_update_fields();
    *update->mutable_struct_expression() = expression();
    update->set_field_name(name);
    *update->mutable_value_expression() = value.expression();
  });
}
Column Column::drop_field(const std::string& name) const {
  return make([&](proto::Expression* out) {
    auto* update = out->mutable_update_fields();
    *update->mutable_struct_expression() = expression();
    update->set_field_name(name);
  });
}

// CASE is the function `when` with pairs, and at its end the value of ELSE.
Column Column::when(const Column& condition, const Column& value) const {
  return make([&](proto::Expression* out) {
    *out = expression();
    *out->mutable_unresolved_function()->add_arguments() = condition.expression();
    *out->mutable_unresolved_function()->add_arguments() = value.expression();
  });
}
Column Column::otherwise(const Column& value) const {
  return make([&](proto::Expression* out) {
    *out = expression();
    *out->mutable_unresolved_function()->add_arguments() = value.expression();
  });
}

Column operator+(const Column& left, const Operand& right) {
  return call("+", {left, right.column()});
}
Column operator-(const Column& left, const Operand& right) {
  return call("-", {left, right.column()});
}
Column operator*(const Column& left, const Operand& right) {
  return call("*", {left, right.column()});
}
Column operator/(const Column& left, const Operand& right) {
  return call("/", {left, right.column()});
}
Column operator%(const Column& left, const Operand& right) {
  return call("%", {left, right.column()});
}
Column operator==(const Column& left, const Operand& right) {
  return call("==", {left, right.column()});
}
Column operator!=(const Column& left, const Operand& right) { return !(left == right); }
Column operator<(const Column& left, const Operand& right) {
  return call("<", {left, right.column()});
}
Column operator<=(const Column& left, const Operand& right) {
  return call("<=", {left, right.column()});
}
Column operator>(const Column& left, const Operand& right) {
  return call(">", {left, right.column()});
}
Column operator>=(const Column& left, const Operand& right) {
  return call(">=", {left, right.column()});
}
Column operator&&(const Column& left, const Column& right) { return call("and", {left, right}); }
Column operator||(const Column& left, const Column& right) { return call("or", {left, right}); }
Column operator!(const Column& operand) { return call("not", {operand}); }
Column operator-(const Column& operand) { return call("negative", {operand}); }

}  // namespace millstream::api

namespace millstream::client {

void to_sort_order(const api::Column& column, spark::connect::Expression_SortOrder* order) {
  *order = column.expression().has_sort_order() ? column.expression().sort_order()
                                                : column.asc().expression().sort_order();
}

}  // namespace millstream::client
