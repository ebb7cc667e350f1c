#include "session/row_guard.h"

#include <arrow/array.h>
#include <arrow/record_batch.h>
#include <arrow/scalar.h>

#include <algorithm>

#include "base/text.h"
#include "column/char_varchar.h"
#include "delta/column_mapping.h"
#include "plan/literal.h"
#include "plan/row_expressions.h"
#include "plan/tree.h"
#include "session/char_columns.h"
#include "session/column_rules.h"
#include "session/table_change.h"
#include "spark/connect/expressions.pb.h"

namespace millstream::session {
namespace {

// Rows that come from somewhere else, as a table of a plan.
class GivenRows final : public connector::Table {
 public:
  explicit GivenRows(connector::Batches rows) : rows_(std::move(rows)) {}
  const column::Schema& schema() const override { return rows_.schema; }
  const column::Schema& metadata_fields() const override { return no_metadata_; }
  std::string describe() const override { return "rows"; }

  Result<connector::Batches> scan(const connector::ScanRequest& request) const override {
    std::vector<int> columns;
    column::Schema schema;
    for (const auto& name : request.columns) {
      columns.push_back(column::find_field(rows_.schema, name));
      schema.push_back(rows_.schema[static_cast<std::size_t>(columns.back())]);
    }
    return mapped(
        rows_, std::move(schema),
        [columns](const connector::RecordBatchPtr& batch) -> Result<connector::RecordBatchPtr> {
          const auto chosen = batch->SelectColumns(columns);
          if (!chosen.ok()) return Status::internal("{}", chosen.status().ToString());
          return *chosen;
        });
  }

 private:
  const connector::Batches rows_;
  const column::Schema no_metadata_;
};

// Constraints name columns and functions, nothing of a session.
class NoNames final : public plan::Resolver {
 public:
  Result<plan::NodePtr> named_table(const std::vector<std::string>& parts, const Options&,
                                    bool) override {
    return none(join(parts, "."));
  }
  Result<std::shared_ptr<const connector::Table>> data_source(
      const std::string& format, const std::string&, const Options&,
      const std::vector<std::string>&) override {
    return none(format);
  }
  Result<std::shared_ptr<const connector::StreamTable>> stream_source(
      const std::string& format, const std::string&, const Options&,
      const std::vector<std::string>&) override {
    return none(format);
  }
  Result<plan::NodePtr> cached_relation(const std::string& id) override { return none(id); }
  Result<std::string> cached_artifact(const std::string& hash) override { return none(hash); }

 private:
  static Status none(const std::string& name) {
    return Status::unsupported("a constraint that reads {} is not supported", name);
  }
};

struct Check {
  delta::Constraint constraint;
  std::vector<int> columns;  // that it refers to
};

Status violated(const Check& check, const arrow::RecordBatch& rows, std::int64_t row) {
  std::vector<std::string> values;
  for (const int column : check.columns) {
    const auto scalar = rows.column(column)->GetScalar(row);
    const bool known = scalar.ok() && (*scalar)->is_valid;
    values.push_back(fmt::format(" - {} : {}", rows.schema()->field(column)->name(),
                                 known ? (*scalar)->ToString() : "null"));
  }
  return Status::error("DELTA_VIOLATE_CONSTRAINT_WITH_VALUES",
                       {{"constraintName", check.constraint.name},
                        {"expression", "(" + check.constraint.expression + ")"},
                        {"values", join(values, "\n")}});
}

// The rows without the columns that say whether they fit, when all do.
Result<connector::RecordBatchPtr> without_flags(const connector::RecordBatchPtr& batch,
                                                const std::vector<Check>& checks) {
  const int width = batch->num_columns() - static_cast<int>(checks.size());
  for (std::size_t k = 0; k < checks.size(); ++k) {
    const auto& fits =
        static_cast<const arrow::BooleanArray&>(*batch->column(width + static_cast<int>(k)));
    if (fits.true_count() == fits.length()) continue;
    for (std::int64_t i = 0; i < fits.length(); ++i) {
      if (fits.IsNull(i) || !fits.Value(i)) return violated(checks[k], *batch, i);
    }
  }
  std::vector<int> columns;
  for (int i = 0; i < width; ++i) columns.push_back(i);
  const auto rows = batch->SelectColumns(columns);
  if (!rows.ok()) return Status::internal("{}", rows.status().ToString());
  return *rows;
}

class Guarding {
 public:
  Guarding(Runtime& runtime, const plan::AnalyzerSettings& settings, Completion completion)
      : runtime_(runtime),
        settings_(settings),
        completes_(completion == Completion::of_missing),
        expressions_(resolver_, settings_, no_text_) {}

  Result<connector::Batches> run(const delta::TableInfo& table, connector::Batches rows) {
    const auto schema = delta::without_delta_notes(table.schema);
    const column::Schema given = rows.schema;
    TRY_ASSIGN(plan::NodePtr node, as_table_rows(schema, std::move(rows)));
    std::vector<delta::Constraint> rules;
    if (completes_) {
      TRY_ASSIGN(node, with_generated_columns(table.schema, given, node, rules));
    }
    TRY_ASSIGN(node, with_fitted_columns(schema, node));
    std::vector<NamedExpr> columns;
    for (const auto& attribute : node->output)
      columns.push_back({attribute.name, plan::make_attribute(attribute)});
    std::vector<Check> checks;
    for (auto& constraint : delta::constraints_of(table)) rules.push_back(std::move(constraint));
    for (auto& constraint : rules) {
      TRY_ASSIGN(auto condition,
                 expressions_.condition({node}, expression_of(constraint.expression)));
      checks.push_back({std::move(constraint), columns_of(*condition, *node)});
      columns.push_back({fmt::format("fits{}", checks.size()), std::move(condition)});
    }
    engine::ExecutionContext context;
    context.time_zone = settings_.functions.time_zone;
    context.timestamp_us = runtime_.clock->now_us();
    TRY_ASSIGN(auto looked_at,
               runtime_.engine->execute(plan::optimize(project(node, columns)), context));
    return mapped(std::move(looked_at), schema, [checks](const connector::RecordBatchPtr& batch) {
      return without_flags(batch, checks);
    });
  }

 private:
  Result<plan::NodePtr> as_table_rows(const column::Schema& schema, connector::Batches rows) {
    const auto given = plan::make_scan(
        std::shared_ptr<const connector::Table>(std::make_shared<GivenRows>(std::move(rows))));
    std::vector<NamedExpr> columns;
    for (const auto& field : schema) {
      plan::ExprPtr value = plan::null_literal(field.type);
      if (const std::string text = completes_ ? default_of(field) : ""; !text.empty()) {
        TRY_ASSIGN(value, expressions_.value({}, expression_of(text)));
        TRY_ASSIGN(value, expressions_.stored(value, field));
      }
      for (const auto& attribute : given->output) {
        if (!equals_ignore_case(attribute.name, field.name)) continue;
        TRY_ASSIGN(value, expressions_.stored(plan::make_attribute(attribute), field));
      }
      columns.push_back({field.name, std::move(value)});
    }
    return project(given, columns);
  }

  // Generated columns that the rows have not are computed from the others; those that they have
  // become rules.
  Result<plan::NodePtr> with_generated_columns(const column::Schema& table,
                                               const column::Schema& given,
                                               const plan::NodePtr& node,
                                               std::vector<delta::Constraint>& rules) {
    std::vector<NamedExpr> columns;
    bool any = false;
    for (std::size_t i = 0; i < table.size(); ++i) {
      plan::ExprPtr value = plan::make_attribute(node->output[i]);
      const std::string text = generation_of(table[i]);
      if (!text.empty() && column::find_field_ignore_case(given, table[i].name) >= 0) {
        rules.push_back({"Generated Column",
                         fmt::format("{} <=> CAST(({}) AS {})", quote_identifier(table[i].name),
                                     text, table[i].type->sql())});
      } else if (!text.empty()) {
        TRY_ASSIGN(value, expressions_.value({node}, expression_of(text)));
        TRY_ASSIGN(value, expressions_.stored(value, table[i]));
        any = true;
      }
      columns.push_back({table[i].name, std::move(value)});
    }
    return any ? project(node, columns) : node;
  }

  static spark::connect::Expression expression_of(const std::string& text) {
    spark::connect::Expression proto;
    proto.mutable_expression_string()->set_expression(text);
    return proto;
  }

  // CHAR and VARCHAR.
  Result<plan::NodePtr> with_fitted_columns(const column::Schema& schema,
                                            const plan::NodePtr& node) {
    std::vector<NamedExpr> columns;
    bool any = false;
    for (std::size_t i = 0; i < schema.size(); ++i) {
      plan::ExprPtr value = plan::make_attribute(node->output[i]);
      if (const auto declared = column::declared_type(schema[i])) {
        spark::connect::Expression proto;
        proto.mutable_expression_string()->set_expression(checked_text(schema[i].name, declared));
        TRY_ASSIGN(value, expressions_.value({node}, proto));
        TRY_ASSIGN(value, expressions_.stored(value, schema[i]));
        any = true;
      }
      columns.push_back({schema[i].name, std::move(value)});
    }
    return any ? project(node, columns) : node;
  }

  static std::vector<int> columns_of(const plan::Expr& condition, const plan::Node& node) {
    plan::IdSet used;
    plan::add_references(condition, used);
    std::vector<int> out;
    for (std::size_t i = 0; i < node.output.size(); ++i) {
      if (used.contains(plan::key_of(node.output[i].id))) out.push_back(static_cast<int>(i));
    }
    return out;
  }

  Runtime& runtime_;
  const plan::AnalyzerSettings& settings_;
  const bool completes_;
  const std::string no_text_;
  NoNames resolver_;
  plan::RowExpressions expressions_;
};

}  // namespace

delta::RowGuard make_row_guard(Runtime& runtime, const plan::AnalyzerSettings& settings,
                               Completion completion) {
  return [&runtime, settings, completion](const delta::TableInfo& table, connector::Batches rows) {
    return Guarding(runtime, settings, completion).run(table, std::move(rows));
  };
}

}  // namespace millstream::session
