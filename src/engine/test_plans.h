// For tests: plans built by hand, run, and shown as text.
#pragma once

#include <arrow/api.h>

#include <memory>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "engine/value_text.h"
#include "functions/registry.h"
#include "plan/node.h"

namespace millstream::engine::testing {

inline plan::ExprPtr lit(std::int32_t v) {
  return plan::make_literal(std::make_shared<arrow::Int32Scalar>(v), column::int_type(),
                            std::to_string(v));
}
inline plan::ExprPtr lit(std::int64_t v) {
  return plan::make_literal(std::make_shared<arrow::Int64Scalar>(v), column::long_type(),
                            std::to_string(v));
}
inline plan::ExprPtr lit(double v) {
  return plan::make_literal(std::make_shared<arrow::DoubleScalar>(v), column::double_type(),
                            std::to_string(v));
}
inline plan::ExprPtr lit(bool v) {
  return plan::make_literal(std::make_shared<arrow::BooleanScalar>(v), column::boolean_type(),
                            v ? "true" : "false");
}
inline plan::ExprPtr lit(const char* v) {
  return plan::make_literal(std::make_shared<arrow::StringScalar>(std::string(v)),
                            column::string_type(), v);
}
inline plan::ExprPtr dec(const char* text, int precision, int scale) {
  auto type = arrow::decimal128(precision, scale);
  const auto value = arrow::Decimal128::FromString(text).ValueOrDie();
  return plan::make_literal(std::make_shared<arrow::Decimal128Scalar>(value, type),
                            column::decimal_type(precision, scale), text);
}
inline plan::ExprPtr null_of(const column::TypePtr& type) {
  return plan::make_literal(arrow::MakeNullScalar(column::to_arrow(type)), type, "NULL");
}
inline plan::ExprPtr cast(plan::ExprPtr e, const column::TypePtr& type, bool attempt = false) {
  return plan::make_cast(std::move(e), type, true, attempt);
}

// A call as the analyzer would write it: implicit casts and added arguments included. Fails the
// process on an error.
inline Result<plan::ExprPtr> try_fn(const std::string& name, std::vector<plan::ExprPtr> args,
                                    bool distinct = false) {
  std::vector<functions::Argument> arguments;
  for (const auto& a : args) {
    arguments.push_back(
        {a->type, a->nullable, a->kind == plan::ExprKind::literal ? a->value : nullptr, a->pretty});
  }
  TRY_ASSIGN(const functions::Call call, functions::resolve(name, arguments, distinct, {}));
  auto e = std::make_shared<plan::Expr>();
  switch (call.kind) {
    case functions::FunctionKind::scalar:
      e->kind = plan::ExprKind::call;
      break;
    case functions::FunctionKind::aggregate:
      e->kind = plan::ExprKind::aggregate;
      break;
    case functions::FunctionKind::window:
      e->kind = plan::ExprKind::call;
      break;
    case functions::FunctionKind::generator:
      e->kind = plan::ExprKind::generator;
      break;
  }
  e->name = call.name;
  e->pretty = call.pretty;
  e->type = call.type;
  e->nullable = call.nullable;
  e->distinct = distinct;
  for (std::size_t i = 0; i < args.size(); ++i) {
    auto child = args[i];
    if (i < call.argument_types.size() &&
        !column::same_type_ignoring_nullability(child->type, call.argument_types[i])) {
      child = cast(child, call.argument_types[i]);
    }
    e->children.push_back(child);
  }
  for (const auto& added : call.added_arguments) {
    e->children.push_back(
        plan::make_literal(added, column::from_arrow(*added->type).value(), added->ToString()));
  }
  return plan::ExprPtr(e);
}
inline plan::ExprPtr fn(const std::string& name, std::vector<plan::ExprPtr> args,
                        bool distinct = false) {
  auto made = try_fn(name, std::move(args), distinct);
  if (!made.ok()) throw std::runtime_error(made.status().to_string());
  return *made;
}

inline plan::NodePtr select(plan::NodePtr input, std::vector<plan::ExprPtr> exprs,
                            std::vector<std::string> names = {}) {
  auto project = std::make_shared<plan::Project>();
  if (input != nullptr) project->children = {std::move(input)};
  for (std::size_t i = 0; i < exprs.size(); ++i) {
    const std::string name = i < names.size() ? names[i] : exprs[i]->pretty;
    plan::Attribute attribute;
    attribute.id = plan::next_attribute_id();
    attribute.name = name;
    attribute.type = exprs[i]->type;
    attribute.nullable = exprs[i]->nullable;
    project->exprs.push_back(plan::make_alias(exprs[i], name, attribute.id));
    project->output.push_back(std::move(attribute));
  }
  return project;
}
inline plan::NodePtr filter(plan::NodePtr input, plan::ExprPtr condition) {
  auto node = std::make_shared<plan::Filter>();
  node->output = input->output;
  node->children = {std::move(input)};
  node->condition = std::move(condition);
  return node;
}
inline plan::NodePtr aggregate(plan::NodePtr input, std::vector<plan::ExprPtr> keys,
                               std::vector<plan::ExprPtr> aggregates) {
  auto node = std::make_shared<plan::Aggregate>();
  node->children = {std::move(input)};
  node->keys = keys;
  keys.insert(keys.end(), aggregates.begin(), aggregates.end());
  for (auto& e : keys) {
    plan::Attribute attribute;
    attribute.id = plan::next_attribute_id();
    attribute.name = e->pretty;
    attribute.type = e->type;
    attribute.nullable = e->nullable;
    node->exprs.push_back(plan::make_alias(e, attribute.name, attribute.id));
    node->output.push_back(std::move(attribute));
  }
  return node;
}
inline plan::NodePtr sort(plan::NodePtr input, plan::ExprPtr key, bool ascending = true) {
  auto node = std::make_shared<plan::Sort>();
  node->output = input->output;
  node->children = {std::move(input)};
  node->keys = {{std::move(key), ascending, ascending}};
  return node;
}
inline plan::NodePtr range(std::int64_t start, std::int64_t end, std::int64_t step = 1) {
  auto node = std::make_shared<plan::Range>();
  node->start = start;
  node->end = end;
  node->step = step;
  plan::Attribute id;
  id.id = plan::next_attribute_id();
  id.name = "id";
  id.type = column::long_type();
  id.nullable = false;
  node->output = {id};
  return node;
}
inline plan::ExprPtr col(const plan::NodePtr& node, std::size_t i) {
  return plan::make_attribute(node->output.at(i));
}
inline plan::NodePtr union_all(std::vector<plan::NodePtr> inputs) {
  auto node = std::make_shared<plan::SetOperation>();
  node->output = inputs[0]->output;
  for (auto& attribute : node->output) {
    attribute.id = plan::next_attribute_id();
    attribute.nullable = true;
  }
  node->children = std::move(inputs);
  return node;
}

// An engine that is never closed: at exit the thread's own state, which DuckDB needs to close a
// database, has gone before a static object goes.
inline Engine& lasting_engine(std::int64_t memory_bytes_max) {
  return *Engine::create(
              {.memory_bytes_max = memory_bytes_max, .threads = 2, .spill_directory = ""})
              .value()
              .release();
}

inline Engine& shared_engine() {
  static Engine& engine = lasting_engine(0);
  return engine;
}

// "1|a;2|b": the rows of a plan, or "!CONDITION" / "!message" for an error.
inline std::string rows_of(const plan::NodePtr& node, const ExecutionContext& context = {}) {
  const auto failed = [](const Status& status) {
    return "!" + (status.condition().empty() ? status.to_string() : status.condition());
  };
  const auto batches = shared_engine().execute(node, context);
  if (!batches.ok()) return failed(batches.status());
  const auto collected = connector::collect(*batches);
  if (!collected.ok()) return failed(collected.status());
  const auto schema = plan::schema_of(*node);
  const auto wanted = column::to_arrow(schema, context.time_zone);
  std::string out;
  for (const auto& batch : *collected) {
    if (!batch->schema()->Equals(*wanted, false)) return "!schema " + batch->schema()->ToString();
    if (const auto valid = batch->ValidateFull(); !valid.ok()) return "!" + valid.ToString();
    for (std::int64_t row = 0; row < batch->num_rows(); ++row) {
      if (!out.empty()) out += ";";
      for (std::size_t i = 0; i < schema.size(); ++i) {
        const auto text = value_text(*batch->column(static_cast<int>(i)), row, schema[i].type,
                                     {context.time_zone, true});
        out += (i > 0 ? "|" : "") + text.value();
      }
    }
  }
  return out;
}
// The value of an expression without columns.
inline std::string value_of(const plan::ExprPtr& e, const std::string& time_zone = "UTC") {
  ExecutionContext context;
  context.time_zone = time_zone;
  return rows_of(select(nullptr, {e}), context);
}

}  // namespace millstream::engine::testing
