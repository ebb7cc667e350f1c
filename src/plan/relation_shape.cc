// dropDuplicates, withWatermark, alias, toDF, to, limit, sample.
#include <algorithm>

#include "base/text.h"
#include "functions/store.h"
#include "plan/interval_text.h"
#include "plan/literal.h"
#include "plan/relations.h"
#include "plan/text.h"
#include "plan/tree.h"
#include "spark/connect/relations.pb.h"
#include "sql/parser.h"

namespace millstream::plan {

namespace sc = spark::connect;
using column::TypeKind;

namespace {

// What Spark takes for a time: also the struct that window() makes.
bool is_event_time(const column::DataType& type) {
  if (type.kind() != TypeKind::struct_) return type.kind() == TypeKind::timestamp;
  const int end = column::find_field(type.fields(), "end");
  return end >= 0 &&
         type.fields()[static_cast<std::size_t>(end)].type->kind() == TypeKind::timestamp;
}

}  // namespace

Result<NodePtr> RelationAnalyzer::deduplicate(const sc::Deduplicate& proto, NodePtr input) {
  if (proto.all_columns_as_keys() && proto.column_names_size() > 0) {
    return Status::error("CONNECT_INVALID_PLAN.DEDUPLICATE_ALL_COLUMNS_AND_SUBSET");
  }
  if (!proto.all_columns_as_keys() && proto.column_names_size() == 0) {
    return Status::error("CONNECT_INVALID_PLAN.DEDUPLICATE_REQUIRES_COLUMNS_OR_ALL");
  }
  if (proto.within_watermark() && !is_streaming(*input)) {
    ErrorInfo error;
    error.kind = ErrorKind::analysis;
    error.condition = "_LEGACY_ERROR_TEMP_3102";
    error.message = "dropDuplicatesWithinWatermark is not supported with batch DataFrames/DataSets";
    error.parameters = {{"msg", error.message}};
    return Status(std::move(error));
  }
  auto node = std::make_shared<Deduplicate>();
  node->within_watermark = proto.within_watermark();
  const Exprs columns = visible_columns(*input);
  if (proto.all_columns_as_keys()) {
    node->keys = columns;
  } else {
    for (const std::string& name : proto.column_names()) {
      bool found = false;
      for (const ExprPtr& column : columns) {
        if (!same_name(column->name, name, settings_.case_sensitive)) continue;
        node->keys.push_back(column);
        found = true;
      }
      if (!found) {
        std::vector<std::string> names;
        for (const ExprPtr& column : columns) names.push_back(column->name);
        return Status::error("CONNECT_INVALID_PLAN.UNRESOLVED_COLUMN_AMONG_FIELD_NAMES",
                             {{"colName", name}, {"fieldNames", join(names, ", ")}});
      }
    }
  }
  for (const ExprPtr& key : node->keys) {
    if (key->type->kind() == TypeKind::map) {
      return Status::error("UNSUPPORTED_FEATURE.SET_OPERATION_ON_MAP_TYPE",
                           {{"colName", sql_id(key->name)}, {"dataType", sql_type(key->type)}});
    }
    if (key->type->kind() == TypeKind::variant) {
      return Status::error("UNSUPPORTED_FEATURE.SET_OPERATION_ON_VARIANT_TYPE",
                           {{"colName", sql_id(key->name)}, {"dataType", sql_type(key->type)}});
    }
  }
  node->output = input->output;
  node->children.push_back(std::move(input));
  return NodePtr(node);
}

Result<NodePtr> RelationAnalyzer::watermark(const sc::WithWatermark& proto, NodePtr input) {
  const auto delay = parse_delay_ms(proto.delay_threshold());
  if (!delay.ok()) {
    ErrorInfo info = delay.status().info();
    info.kind = ErrorKind::analysis;
    return Status(std::move(info));
  }
  const std::int64_t delay_ms = delay.value();
  if (delay_ms < 0) {
    return Status::invalid("requirement failed: delay threshold ({}) should not be negative.",
                           proto.delay_threshold());
  }
  // Spark drops the operator from batch plans before it looks at the column.
  if (!is_streaming(*input)) return input;
  Scope scope = scope_of({input});
  TRY_ASSIGN(const NameParts name, sql::parse_identifier(proto.event_time()));
  TRY_ASSIGN(ExprPtr time, scope.resolve(name));
  time = strip_alias(time);
  if (time->kind != ExprKind::attribute) {
    return Status::error("EVENT_TIME_MUST_BE_TOP_LEVEL_COLUMN", {{"eventExpr", join(name, ".")}});
  }
  if (!is_event_time(*time->type)) {
    return Status::error(
        "EVENT_TIME_IS_NOT_ON_TIMESTAMP_TYPE",
        {{"eventName", sql_id(proto.event_time())}, {"eventType", sql_type(time->type)}});
  }
  auto node = std::make_shared<Watermark>();
  node->event_time = time->id;
  node->delay_ms = delay_ms;
  node->output = input->output;
  for (Attribute& a : node->output) {
    if (a.id == time->id) a.metadata = fmt::format("{{\"spark.watermarkDelayMs\":{}}}", delay_ms);
  }
  node->children.push_back(std::move(input));
  return NodePtr(node);
}

Result<NodePtr> RelationAnalyzer::subquery_alias(const sc::SubqueryAlias& proto, NodePtr input) {
  if (proto.alias().empty()) {
    return Status::error(
        "CONNECT_INVALID_PLAN.FIELD_CANNOT_BE_EMPTY",
        {{"fieldName", "alias"}, {"fullName", "spark.connect.SubqueryAlias.alias"}});
  }
  auto node = std::make_shared<Project>();
  node->alias = true;
  std::vector<std::string> qualifier(proto.qualifier().begin(), proto.qualifier().end());
  qualifier.push_back(proto.alias());
  for (Attribute a : input->output) {
    node->exprs.push_back(make_attribute(a));
    a.qualifier = qualifier;
    node->output.push_back(std::move(a));
  }
  node->children.push_back(std::move(input));
  return NodePtr(node);
}

Result<NodePtr> RelationAnalyzer::to_df(const sc::ToDF& proto, NodePtr input) {
  Exprs columns = visible_columns(*input);
  if (columns.size() != static_cast<std::size_t>(proto.column_names_size())) {
    return Status::error("ASSIGNMENT_ARITY_MISMATCH",
                         {{"numTarget", std::to_string(columns.size())},
                          {"numExpr", std::to_string(proto.column_names_size())}});
  }
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const std::string& name = proto.column_names(static_cast<int>(i));
    if (columns[i]->name != name) {
      columns[i] = make_alias(columns[i], name, next_attribute_id());
    }
  }
  return make_project(std::move(input), std::move(columns));
}

namespace {

// DataFrame.to: a value made to fit a type by reordering members and by safe casts.
class Fit {
 public:
  Fit(bool case_sensitive, ExpressionAnalyzer& analyzer)
      : case_sensitive_(case_sensitive), ansi_(analyzer.ansi()), analyzer_(analyzer) {}

  Result<ExprPtr> column(const ExprPtr& from, const column::Field& to,
                         const std::vector<std::string>& path) const {
    if (from->nullable && !to.nullable) {
      return Status::error("NULLABLE_COLUMN_OR_FIELD", {{"name", sql_id(path)}});
    }
    if (column::same_type_ignoring_nullability(from->type, to.type)) return from;
    if (from->type->is_nested() || to.type->is_nested()) {
      if (from->type->kind() != to.type->kind()) return wrong_type(from, to, path);
      return nested(from, to, path);
    }
    if (!functions::ansi_stores(from->type, to.type)) return wrong_type(from, to, path);
    return make_cast(from, to.type, ansi_);
  }

 private:
  // Members by their names; elements of arrays and maps are cast when that is safe.
  Result<ExprPtr> nested(const ExprPtr& from, const column::Field& to,
                         const std::vector<std::string>& path) const {
    if (to.type->kind() != TypeKind::struct_) {
      for (const auto& part : to.type->fields()) {
        if (part.type->kind() == TypeKind::struct_) {
          return Status::unsupported("DataFrame.to of structs within the column {}", sql_id(path));
        }
      }
      if (!functions::ansi_stores(from->type, to.type)) return wrong_type(from, to, path);
      return make_cast(from, to.type, ansi_);
    }
    std::vector<ExprPtr> pairs;
    for (const column::Field& member : to.type->fields()) {
      int place = -1;
      const column::Schema& given = from->type->fields();
      for (std::size_t i = 0; i < given.size(); ++i) {
        if (same_name(given[i].name, member.name, case_sensitive_)) place = static_cast<int>(i);
      }
      std::vector<std::string> inner = path;
      inner.push_back(member.name);
      pairs.push_back(string_literal(member.name));
      if (place < 0) {
        if (!member.nullable)
          return Status::error("NULLABLE_COLUMN_OR_FIELD", {{"name", sql_id(inner)}});
        pairs.push_back(null_literal(member.type));
        continue;
      }
      TRY_ASSIGN(const ExprPtr value,
                 extract_value(from, string_literal(given[static_cast<std::size_t>(place)].name),
                               true, ansi_));
      TRY_ASSIGN(ExprPtr fitted, column(strip_alias(value), member, inner));
      pairs.push_back(std::move(fitted));
    }
    TRY_ASSIGN(ExprPtr made, analyzer_.call("named_struct", std::move(pairs)));
    if (!from->nullable) return made;
    TRY_ASSIGN(ExprPtr none, analyzer_.call("isnull", {from}));
    return analyzer_.call("if", {none, null_literal(made->type), made});
  }

  static Status wrong_type(const ExprPtr& from, const column::Field& to,
                           const std::vector<std::string>& path) {
    return Status::error("INVALID_COLUMN_OR_FIELD_DATA_TYPE",
                         {{"name", sql_id(path)},
                          {"type", sql_type(from->type)},
                          {"expectedType", sql_type(to.type)}});
  }

  bool case_sensitive_;
  bool ansi_;
  ExpressionAnalyzer& analyzer_;
};

}  // namespace

Result<NodePtr> RelationAnalyzer::to_schema(const sc::ToSchema& proto, NodePtr input) {
  TRY_ASSIGN(auto type, type_from_proto(proto.schema()));
  if (type->kind() != TypeKind::struct_) {
    return Status::error("CONNECT_INVALID_PLAN.INVALID_SCHEMA_NON_STRUCT_TYPE",
                         {{"inputSchema", "schema"}, {"dataType", sql_type(type)}});
  }
  const Exprs columns = visible_columns(*input);
  Scope scope = scope_of({input});
  ExpressionAnalyzer analyzer(settings_, scope);
  const Fit fit(settings_.case_sensitive, analyzer);
  Exprs out;
  for (const column::Field& field : type->fields()) {
    ExprPtr found;
    for (const ExprPtr& column : columns) {
      if (!same_name(column->name, field.name, settings_.case_sensitive)) continue;
      if (found != nullptr) {
        return Status::error("AMBIGUOUS_COLUMN_OR_FIELD",
                             {{"name", sql_id(field.name)}, {"n", "2"}});
      }
      found = column;
    }
    if (found == nullptr) {
      if (!field.nullable) return unresolved_column({field.name}, input->output);
      out.push_back(
          make_alias(null_literal(field.type), field.name, next_attribute_id(), field.metadata));
      continue;
    }
    TRY_ASSIGN(ExprPtr value, fit.column(found, field, {field.name}));
    const bool same = value == found && found->name == field.name && field.metadata.empty();
    out.push_back(same ? value
                       : make_alias(value, field.name, next_attribute_id(), field.metadata));
  }
  return make_project(std::move(input), std::move(out));
}

Result<NodePtr> RelationAnalyzer::limit(NodePtr input, std::optional<std::int64_t> count,
                                        std::int64_t offset, bool tail) {
  const auto negative = [](std::int64_t n, const char* name) {
    return Status::error(
        "INVALID_LIMIT_LIKE_EXPRESSION.IS_NEGATIVE",
        {{"expr", fmt::format("\"{}\"", n)}, {"name", name}, {"v", std::to_string(n)}});
  };
  if (count && *count < 0) return negative(*count, tail ? "tail" : "limit");
  if (offset < 0) return negative(offset, "offset");
  auto node = std::make_shared<Limit>();
  node->count = count;
  node->offset = offset;
  node->tail = tail;
  node->output = input->output;
  node->children.push_back(std::move(input));
  return NodePtr(node);
}

Result<NodePtr> RelationAnalyzer::sample(const sc::Sample& proto, NodePtr input) {
  auto node = std::make_shared<Sample>();
  node->lower = proto.lower_bound();
  node->upper = proto.upper_bound();
  node->with_replacement = proto.with_replacement();
  const double fraction = node->upper - node->lower;
  if (node->with_replacement && !(fraction >= 0)) {
    return Status::invalid(
        "requirement failed: Sampling fraction ({}) must be nonnegative with replacement",
        fraction);
  }
  if (!node->with_replacement && (fraction < 0 || fraction > 1.0 + 1e-6)) {
    return Status::invalid(
        "requirement failed: Sampling fraction ({}) must be on interval [0, 1] {}", fraction,
        "without replacement");
  }
  node->seed = proto.seed();
  node->output = input->output;
  if (proto.deterministic_order()) {
    auto sort = std::make_shared<Sort>();
    for (const ExprPtr& column : visible_columns(*input)) {
      if (column->type->kind() != TypeKind::map) sort->keys.push_back({column, true, true});
    }
    sort->output = input->output;
    sort->children.push_back(std::move(input));
    input = std::move(sort);
  }
  node->children.push_back(std::move(input));
  return NodePtr(node);
}

}  // namespace millstream::plan
