// DELETE and UPDATE of Delta tables: the rows as they are to be replace the table in one commit.
#include <arrow/api.h>

#include <nlohmann/json.hpp>

#include "base/text.h"
#include "delta/table.h"
#include "delta/write.h"
#include "functions/registry.h"
#include "plan/analyzer.h"
#include "plan/text.h"
#include "session/statement_run.h"
#include "spark/connect/relations.pb.h"

namespace millstream::session {

namespace {

namespace proto = spark::connect;

// Another commit between the reading and the writing: from the beginning, some times.
constexpr int attempts_max = 5;

proto::Expression call(const char* name, std::vector<proto::Expression> arguments) {
  proto::Expression out;
  out.mutable_unresolved_function()->set_function_name(name);
  for (auto& argument : arguments)
    *out.mutable_unresolved_function()->add_arguments() = std::move(argument);
  return out;
}

proto::Expression boolean(bool value) {
  proto::Expression out;
  out.mutable_literal()->set_boolean(value);
  return out;
}

proto::Expression column(const std::string& qualifier, const std::string& name) {
  proto::Expression out;
  out.mutable_unresolved_attribute()->set_unparsed_identifier(quote_identifiers({qualifier, name}));
  return out;
}

// What the rows are after an UPDATE, column by column.
Result<proto::Relation> updated(const sql::Change& change, const column::Schema& schema,
                                const std::string& alias, const proto::Expression& matched,
                                proto::Relation table) {
  std::vector<const proto::Expression*> values(schema.size(), nullptr);
  for (const auto& [path, value] : change.values) {
    const int index = column::find_field_ignore_case(schema, path.back());
    const bool plain = path.size() == 1 || (path.size() == 2 && equals_ignore_case(path[0], alias));
    if (!plain) return Status::unsupported("UPDATE of {} is not supported", join(path, "."));
    if (index < 0) {
      std::vector<plan::Attribute> known;
      for (const auto& field : schema) known.emplace_back().name = field.name;
      return plan::unresolved_column(path, known);
    }
    if (values[static_cast<std::size_t>(index)] != nullptr) {
      return Status::error("DELTA_CONFLICT_SET_COLUMN",
                           {{"columnList", "[" + quote_identifier(path.back()) + ", " +
                                               quote_identifier(path.back()) + "]"}});
    }
    values[static_cast<std::size_t>(index)] = value.get();
  }
  proto::Relation out;
  *out.mutable_project()->mutable_input() = std::move(table);
  for (std::size_t i = 0; i < schema.size(); ++i) {
    proto::Expression value = column(alias, schema[i].name);
    if (values[i] != nullptr) {
      // The type's text may have no form for the parser: the cast is of the wire's type.
      proto::Expression converted;
      *converted.mutable_cast()->mutable_expr() = *values[i];
      plan::type_to_proto(schema[i].type, converted.mutable_cast()->mutable_type());
      converted.mutable_cast()->set_eval_mode(proto::Expression_Cast::EVAL_MODE_ANSI);
      value = call("when", {matched, std::move(converted), std::move(value)});
    }
    auto* named = out.mutable_project()->add_expressions()->mutable_alias();
    named->add_name(schema[i].name);
    *named->mutable_expr() = std::move(value);
  }
  return out;
}

}  // namespace

// The number of rows that the statement met.
Result<std::int64_t> StatementRun::change_once(const sql::Change& change, const Target& target) {
  const auto& store = warehouse_.store();
  TRY_ASSIGN(const auto table, delta::DeltaTable::open(store, target.directory));
  const std::string alias = change.alias.empty() ? change.table.back() : change.alias;
  proto::Relation input;
  input.mutable_subquery_alias()->set_alias(alias);
  auto* named =
      input.mutable_subquery_alias()->mutable_input()->mutable_read()->mutable_named_table();
  named->set_unparsed_identifier(quote_identifiers({"delta", target.directory}));
  (*named->mutable_options())["versionAsOf"] = std::to_string(table->version());
  const proto::Expression matched =
      change.where == nullptr ? boolean(true) : call("coalesce", {*change.where, boolean(false)});

  proto::Relation met;
  auto* counted = met.mutable_aggregate();
  counted->set_group_type(proto::Aggregate::GROUP_TYPE_GROUPBY);
  *counted->mutable_input()->mutable_filter()->mutable_input() = input;
  *counted->mutable_input()->mutable_filter()->mutable_condition() = matched;
  proto::Expression one;
  one.mutable_literal()->set_integer(1);
  *counted->add_aggregate_expressions() = call("count", {one});
  TRY_ASSIGN(const auto count_plan, session_.analyze(met));
  bool deterministic = true;
  const auto check = [&](const auto& self, const plan::Node& node) -> void {
    if (node.kind == plan::NodeKind::filter) {
      deterministic =
          deterministic && plan::is_deterministic(*plan::as<plan::Filter>(node).condition);
    }
    for (const auto& child : node.children) self(self, *child);
  };
  check(check, *count_plan);
  if (!deterministic) {
    return Status::unsupported("{} by a condition that is not deterministic is not supported",
                               change.update ? "UPDATE" : "DELETE");
  }
  TRY_ASSIGN(const auto count_rows, session_.execute(count_plan, context_));
  TRY_ASSIGN(const auto counts, connector::collect(count_rows));
  std::int64_t count = 0;
  for (const auto& batch : counts) {
    for (std::int64_t i = 0; i < batch->num_rows(); ++i) {
      count += static_cast<const arrow::Int64Array&>(*batch->column(0)).Value(i);
    }
  }
  if (count == 0) return count;

  proto::Relation result;
  if (change.update) {
    TRY_ASSIGN(result, updated(change, table->schema(), alias, matched, std::move(input)));
  } else {
    *result.mutable_filter()->mutable_input() = std::move(input);
    *result.mutable_filter()->mutable_condition() = call("not", {matched});
  }
  TRY_ASSIGN(const auto plan, session_.analyze(result));
  TRY_ASSIGN(const auto rows, session_.execute(plan, context_));
  TRY_ASSIGN(auto options, delta::parse_write_options(Options(), delta::SaveMode::overwrite, {}));
  options.read_version = table->version();
  options.operation = change.update ? "UPDATE" : "DELETE";
  const std::string predicate = change.where == nullptr ? "true" : "(" + change.where_text + ")";
  options.parameters =
      change.update
          ? nlohmann::json{{"predicate", predicate}}.dump(-1, ' ', false,
                                                          nlohmann::json::error_handler_t::replace)
          : nlohmann::json{{"predicate",
                            nlohmann::json::array({predicate})
                                .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)}}
                .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  TRY(delta::write_table(store, target.directory, rows, options, context_.cancel).status());
  return count;
}

StatementRun::Outcome StatementRun::operator()(const sql::Change& change) {
  const char* operation = change.update ? "UPDATE" : "DELETE";
  TRY_ASSIGN(const Target target, target_of(change.table, operation));
  if (change.subqueries) {
    return Status::error("DELTA_UNSUPPORTED_SUBQUERY",
                         {{"operation", operation}, {"cond", "(" + change.where_text + ")"}});
  }
  if (!target.is_delta) {
    return Status::unsupported("{} of a table of format {} is not supported", operation,
                               target.entry->provider);
  }
  Result<std::int64_t> count = Status::internal("no attempt");
  for (int attempt = 0; attempt < attempts_max; ++attempt) {
    count = change_once(change, target);
    if (count.ok() || count.status().kind() != ErrorKind::concurrent_modification) break;
  }
  TRY(count.status());
  ResultTable table;
  table.column("num_affected_rows", CellType::number);
  table.row({number(*count)});
  return finish(table);
}

}  // namespace millstream::session
