// SELECT with GROUP BY, HAVING or QUALIFY, as SQL means it: the list alone is the output, keys may
// be places in it or its aliases, and windows are computed over what HAVING leaves.
#include <arrow/record_batch.h>
#include <arrow/scalar.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "base/text.h"
#include "functions/registry.h"
#include "plan/literal.h"
#include "plan/relations.h"
#include "plan/text.h"
#include "plan/tree.h"
#include "spark/connect/relations.pb.h"

namespace millstream::plan {

namespace sc = spark::connect;
using column::TypeKind;

namespace {

// A call with that name, nullptr: something else.
const sc::Expression_UnresolvedFunction* call_of(const sc::Expression& e, const char* name) {
  const bool same = e.has_unresolved_function() && e.unresolved_function().function_name() == name;
  return same ? &e.unresolved_function() : nullptr;
}

// `expr` with the aliases of the list replaced by what they stand for.
ExprPtr over_definitions(const ExprPtr& expr, const std::vector<ExprPtr>& list) {
  return transform(expr, [&](const ExprPtr& e) -> ExprPtr {
    if (e->kind != ExprKind::attribute) return e;
    for (const ExprPtr& item : list) {
      if (item->kind != ExprKind::alias || item->id != e->id) continue;
      auto out = std::make_shared<Expr>(*item->children[0]);
      out->pretty = e->pretty;
      return out;
    }
    return e;
  });
}

// The columns that the list will have.
std::vector<Attribute> outputs_of(const std::vector<ExprPtr>& list) {
  std::vector<Attribute> out;
  for (const ExprPtr& item : list) out.push_back(attribute_of(*item));
  return out;
}

Result<ExprPtr> boolean_condition(const ExprPtr& condition, bool ansi) {
  const TypeKind kind = condition->type->kind();
  if (kind != TypeKind::boolean && kind != TypeKind::null) {
    return Status::error("DATATYPE_MISMATCH.FILTER_NOT_BOOLEAN",
                         {{"sqlExpr", sql_expr(condition->pretty)},
                          {"filter", sql_expr(condition->pretty)},
                          {"type", sql_type(condition->type)}});
  }
  return implicit_cast(condition, column::boolean_type(), ansi);
}

Status aggregate_in_group_by(const Expr& item, std::int64_t place) {
  return Status::error("GROUP_BY_POS_AGGREGATE",
                       {{"index", std::to_string(place)},
                        {"aggExpr", strip_alias(std::make_shared<Expr>(item))->pretty}});
}

}  // namespace

bool is_sql_select(const sc::Aggregate& proto) {
  return proto.aggregate_expressions_size() > 0 &&
         call_of(proto.aggregate_expressions(0), "ms_select") != nullptr;
}

// What one SELECT is made of while it is analysed.
class RelationAnalyzer::SelectAnalyzer {
 public:
  SelectAnalyzer(RelationAnalyzer& relations, NodePtr input)
      : relations_(relations),
        input_(std::move(input)),
        scope_(relations.scope_of({input_})),
        analyzer_(relations.settings_, scope_),
        aliases_(list_, relations.settings_.case_sensitive) {}

  Result<NodePtr> run(const sc::Aggregate& proto);

 private:
  Status resolve_list(const sc::Expression_UnresolvedFunction& call);
  Result<std::optional<ExprPtr>> window_key(const NameParts& parts);
  Result<std::vector<ExprPtr>> key_of_group(const sc::Expression& proto);
  Status resolve_keys(const sc::Aggregate& proto);
  Status add_all_keys();
  int add_key(const ExprPtr& key);
  Result<ExprPtr> condition(const sc::Expression& proto, bool over_windows);
  Result<NodePtr> aggregated(std::vector<ExprPtr> list, const ExprPtr& having);

  RelationAnalyzer& relations_;
  NodePtr input_;
  Scope scope_;
  ExpressionAnalyzer analyzer_;
  std::vector<ExprPtr> list_;
  LateralAliases aliases_;
  GeneratorsAbove above_;
  std::vector<ExprPtr> keys_;
  std::vector<std::vector<int>> sets_;
  std::vector<sc::Expression> keys_of_query_;  // as they are written
};

Status RelationAnalyzer::SelectAnalyzer::resolve_list(
    const sc::Expression_UnresolvedFunction& call) {
  scope_.add_fallback(
      [this](const NameParts& parts,
             std::optional<std::int64_t> plan_id) -> Result<std::optional<ExprPtr>> {
        if (plan_id) return std::optional<ExprPtr>();
        TRY_ASSIGN(auto window, window_key(parts));
        if (window) return window;
        return aliases_.find(parts);
      });
  for (const auto& item : call.arguments()) {
    TRY_ASSIGN(auto expanded, analyzer_.expand(item));
    for (const ExprPtr& one : expanded) {
      const ExprPtr bare = strip_alias(one);
      if (bare->kind == ExprKind::generator) {
        TRY_ASSIGN(auto names, generator_names(one, analyzer_));
        above_.add(bare, std::move(names), list_);
        continue;
      }
      if (contains(*one, ExprKind::generator)) {
        return Status::error("UNSUPPORTED_GENERATOR.NESTED_IN_EXPRESSIONS",
                             {{"expression", sql_expr(bare->pretty)}});
      }
      above_.add(with_name(one), {}, list_);
    }
  }
  return Status::OK();
}

// window and session_window name the column that the key of that name makes; so do their members.
Result<std::optional<ExprPtr>> RelationAnalyzer::SelectAnalyzer::window_key(
    const NameParts& parts) {
  const std::string name = to_lower(parts[0]);
  if (name != "window" && name != "session_window") return std::optional<ExprPtr>();
  for (const auto& key : keys_of_query_) {
    if (to_lower(key.unresolved_function().function_name()) != name) continue;
    TRY_ASSIGN(ExprPtr value, analyzer_.resolve(key));
    if (parts.size() == 1)
      return std::optional<ExprPtr>(make_alias(value, name, next_attribute_id()));
    for (std::size_t i = 1; i < parts.size(); ++i) {
      TRY_ASSIGN(value, extract_value(value, string_literal(parts[i]),
                                      relations_.settings_.case_sensitive, analyzer_.ansi()));
    }
    return std::optional<ExprPtr>(make_alias(value, parts.back(), next_attribute_id()));
  }
  return std::optional<ExprPtr>();
}

// A key: a place in the list, an expression over the input, or an alias of the list.
Result<std::vector<ExprPtr>> RelationAnalyzer::SelectAnalyzer::key_of_group(
    const sc::Expression& proto) {
  if (relations_.settings_.group_by_ordinal && proto.has_literal() &&
      proto.literal().has_integer()) {
    const std::int64_t place = proto.literal().integer();
    if (place < 1 || place > static_cast<std::int64_t>(above_.size())) {
      return analyzer_.placed_at(
          Status::error("GROUP_BY_POS_OUT_OF_RANGE", {{"index", std::to_string(place)},
                                                      {"size", std::to_string(above_.size())}}),
          proto);
    }
    const std::size_t at = above_.place_of(static_cast<std::size_t>(place - 1));
    if (at >= list_.size()) return Status::unsupported("GROUP BY a generator is not supported");
    const ExprPtr& item = list_[at];
    if (has_aggregate_function(*item)) return aggregate_in_group_by(*item, place);
    return std::vector<ExprPtr>{item};
  }
  return analyzer_.expand(proto);
}

// The place of the key among the keys.
int RelationAnalyzer::SelectAnalyzer::add_key(const ExprPtr& key) {
  const ExprPtr bare = strip_alias(key);
  for (std::size_t i = 0; i < keys_.size(); ++i) {
    if (same_expr(*strip_alias(keys_[i]), *bare)) return static_cast<int>(i);
  }
  // The key's column is not the list's, which may hold it once more.
  keys_.push_back(key->kind == ExprKind::attribute
                      ? key
                      : make_alias(bare, key->kind == ExprKind::alias ? key->name : bare->pretty,
                                   next_attribute_id()));
  return static_cast<int>(keys_.size() - 1);
}

// GROUP BY ALL: what holds no aggregate function is a key.
Status RelationAnalyzer::SelectAnalyzer::add_all_keys() {
  for (const ExprPtr& item : list_) {
    if (!has_aggregate_function(*item) && !contains(*item, ExprKind::window)) add_key(item);
  }
  return Status::OK();
}

Status RelationAnalyzer::SelectAnalyzer::resolve_keys(const sc::Aggregate& proto) {
  if (proto.grouping_expressions_size() == 1 &&
      call_of(proto.grouping_expressions(0), "ms_all") != nullptr) {
    return add_all_keys();
  }
  for (const auto& one : proto.grouping_expressions()) {
    TRY_ASSIGN(auto expanded, key_of_group(one));
    for (const ExprPtr& key : expanded) add_key(key);
  }
  for (const auto& set : proto.grouping_sets()) {
    auto& places = sets_.emplace_back();
    for (const auto& one : set.grouping_set()) {
      TRY_ASSIGN(auto expanded, key_of_group(one));
      for (const ExprPtr& key : expanded) {
        const int place = add_key(key);
        const bool known = std::find(places.begin(), places.end(), place) != places.end();
        if (!known) places.push_back(place);
      }
    }
  }
  return Status::OK();
}

namespace {

// Names of HAVING that both the list and the input have. Within aggregate functions and keys they
// are the input's, elsewhere the list's.
class NamesOfBoth {
 public:
  // The input's column, to be decided upon later.
  ExprPtr add(const ExprPtr& of_input, ExprPtr of_list) {
    auto open = std::make_shared<Expr>(*of_input);
    open_.emplace(open.get(), std::move(of_list));
    kept_.push_back(open);
    return open;
  }

  ExprPtr decide(const ExprPtr& condition, const std::vector<ExprPtr>& keys) const {
    std::unordered_set<const Expr*> of_list;
    visit(*condition, [&](const Expr& e) {
      if (e.kind == ExprKind::aggregate) return false;
      for (const ExprPtr& key : keys) {
        if (same_expr(*strip_alias(key), e)) return false;
      }
      if (open_.contains(&e)) of_list.insert(&e);
      return true;
    });
    return transform(condition, [&](const ExprPtr& e) {
      return of_list.contains(e.get()) ? open_.at(e.get()) : e;
    });
  }

 private:
  std::unordered_map<const Expr*, ExprPtr> open_;
  std::vector<ExprPtr> kept_;
};

// Nothing: there is no such column, or more than one.
std::optional<ExprPtr> only_column(const std::vector<Attribute>& attributes, const NameParts& parts,
                                   bool case_sensitive) {
  const auto found = find_name(attributes, parts, case_sensitive);
  return found.ok() && *found ? std::optional<ExprPtr>((*found)->expr) : std::nullopt;
}

}  // namespace

// QUALIFY sees the columns of the list first, then those of the input; HAVING by NamesOfBoth.
Result<ExprPtr> RelationAnalyzer::SelectAnalyzer::condition(const sc::Expression& proto,
                                                            bool over_windows) {
  auto outputs = std::make_shared<Project>();
  outputs->output = outputs_of(list_);
  Scope scope = relations_.scope_of({outputs});
  scope.add_fallback(
      [this](const NameParts& parts,
             std::optional<std::int64_t> plan_id) -> Result<std::optional<ExprPtr>> {
        if (plan_id) return std::optional<ExprPtr>();
        TRY_ASSIGN(auto found,
                   find_name(scope_.attributes(), parts, relations_.settings_.case_sensitive));
        if (!found) return std::optional<ExprPtr>();
        return std::optional<ExprPtr>(found->expr);
      },
      true);
  NamesOfBoth of_both;
  if (!over_windows) {
    scope.set_preference([&](const NameParts& parts, std::optional<std::int64_t>) {
      const bool case_sensitive = relations_.settings_.case_sensitive;
      const auto of_input = only_column(scope_.attributes(), parts, case_sensitive);
      if (!of_input || (*of_input)->kind != ExprKind::attribute) return std::optional<ExprPtr>();
      const auto of_list = only_column(outputs->output, parts, case_sensitive);
      if (of_list) return std::optional<ExprPtr>(of_both.add(*of_input, *of_list));
      // Where the list has it twice it can only be a key.
      const bool key = std::any_of(keys_.begin(), keys_.end(), [&](const ExprPtr& k) {
        return same_expr(*strip_alias(k), **of_input);
      });
      return key ? of_input : std::nullopt;
    });
  }
  ExpressionAnalyzer analyzer(relations_.settings_, scope);
  auto resolved = analyzer.condition(proto);
  if (resolved.ok()) resolved = of_both.decide(*resolved, keys_);
  const auto over_input = [&]() -> Result<ExprPtr> { return analyzer_.condition(proto); };
  // sum(v) of a list that names another sum v is that of the input.
  if (resolved.status().is("AMBIGUOUS_REFERENCE")) return resolved.status();
  if (!resolved.ok() || has_nested_aggregate(*over_definitions(*resolved, list_))) {
    const auto again = over_input();
    if (again.ok()) resolved = again;
  }
  TRY_ASSIGN(ExprPtr condition, std::move(resolved));
  condition = over_definitions(condition, list_);
  if (!over_windows && has_nested_aggregate(*condition))
    return Status::error("NESTED_AGGREGATE_FUNCTION");
  if (over_windows) return boolean_condition(condition, analyzer.ansi());
  if (contains(*condition, ExprKind::window)) {
    return Status::error("WINDOW_FUNCTION_NOT_ALLOWED_IN_CLAUSE", {{"clauseName", "HAVING"}});
  }
  // Spark casts what HAVING is given.
  if (condition->type->kind() == TypeKind::boolean) return condition;
  return analyzer.cast(condition, column::boolean_type(), analyzer.ansi(), false);
}

Result<NodePtr> RelationAnalyzer::SelectAnalyzer::run(const sc::Aggregate& proto) {
  keys_of_query_ = {proto.grouping_expressions().begin(), proto.grouping_expressions().end()};
  TRY(resolve_list(*call_of(proto.aggregate_expressions(0), "ms_select")));
  const bool grouped = proto.group_type() != sc::Aggregate::GROUP_TYPE_UNSPECIFIED;
  const bool having_too =
      std::any_of(proto.aggregate_expressions().begin(), proto.aggregate_expressions().end(),
                  [](const sc::Expression& e) { return call_of(e, "ms_having") != nullptr; });
  input_ = aliases_.settle(input_, grouped || having_too);
  if (grouped) TRY(resolve_keys(proto));
  ExprPtr having;
  ExprPtr qualify;
  for (const auto& e : proto.aggregate_expressions()) {
    if (const auto* call = call_of(e, "ms_having")) {
      TRY_ASSIGN(having, condition(call->arguments(0), false));
    } else if (const auto* rows = call_of(e, "ms_qualify")) {
      TRY_ASSIGN(qualify, condition(rows->arguments(0), true));
    }
  }
  if (qualify != nullptr && !contains(*qualify, ExprKind::window) &&
      std::none_of(list_.begin(), list_.end(),
                   [](const ExprPtr& e) { return contains(*e, ExprKind::window); })) {
    return Status::error("QUALIFY_REQUIRES_WINDOW_FUNCTION");
  }
  Exprs list = list_;
  const std::size_t width = list.size();
  if (qualify != nullptr) list.push_back(make_alias(qualify, "qualify", next_attribute_id()));
  const bool aggregates = grouped || having != nullptr ||
                          std::any_of(list.begin(), list.end(),
                                      [](const ExprPtr& e) { return has_aggregate_function(*e); });
  NodePtr node;
  if (aggregates) {
    TRY_ASSIGN(node, aggregated(std::move(list), having));
  } else {
    input_ = separate_windows(input_, list);
    node = make_project(input_, std::move(list));
  }
  if (qualify != nullptr) {
    const ExprPtr passes = make_attribute(node->output[width]);
    Exprs columns;
    for (std::size_t i = 0; i < width; ++i) columns.push_back(make_attribute(node->output[i]));
    node = make_project(make_filter(node, passes), std::move(columns));
  }
  if (!above_.any()) return node;
  return relations_.select(above_.over(*node), above_.names(), node);
}

namespace {

// A correlated scalar subquery is a key itself or stands in an aggregate function.
Status check_subqueries(const Expr& item, const std::vector<ExprPtr>& keys) {
  Status status;
  visit_outside_aggregates(item, [&](const Expr& e) {
    if (e.kind != ExprKind::subquery || e.name != "scalarsubquery" || e.parameters.empty()) return;
    for (const ExprPtr& key : keys) {
      if (same_expr(*strip_alias(key), e)) return;
    }
    status = Status::error("SCALAR_SUBQUERY_IS_IN_GROUP_BY_OR_AGGREGATE_FUNCTION",
                           {{"sqlExpr", sql_expr(e.pretty)}});
  });
  return status;
}

}  // namespace

Result<NodePtr> RelationAnalyzer::SelectAnalyzer::aggregated(std::vector<ExprPtr> list,
                                                             const ExprPtr& having) {
  for (const ExprPtr& item : list) TRY(check_subqueries(*item, keys_));
  Exprs all = keys_;
  all.insert(all.end(), list.begin(), list.end());
  if (having != nullptr) all.push_back(having);
  const std::size_t width = list.size();
  TRY_ASSIGN(input_, relations_.expand_time_windows(input_, all));
  TRY_ASSIGN(input_, relations_.expand_session_windows(input_, all, keys_.size(), true));
  const auto first = all.begin() + static_cast<std::ptrdiff_t>(keys_.size());
  return make_aggregate(input_, {all.begin(), first},
                        {first, first + static_cast<std::ptrdiff_t>(width)}, sets_,
                        having == nullptr ? nullptr : all.back());
}

// PIVOT: the columns that neither it nor its aggregates name are the keys; the values may have
// names.
// A constant of PIVOT, computed, with its text as its name.
Result<ExprPtr> RelationAnalyzer::pivot_value(const sc::Expression& proto, const ExprPtr& column) {
  Scope nothing({}, settings_.case_sensitive);
  nothing.set_surroundings(this, nullptr);
  ExpressionAnalyzer analyzer(settings_, nothing);
  const auto resolved = analyzer.resolve(proto);
  if (!resolved.ok()) {
    if (!resolved.status().condition().starts_with("UNRESOLVED_COLUMN")) return resolved.status();
    const auto& name = proto.unresolved_attribute().unparsed_identifier();
    return Status::error(
        "NON_LITERAL_PIVOT_VALUES",
        {{"expression", "\"" + (name.size() > 2 ? name.substr(1, name.size() - 2) : name) + "\""}});
  }
  ExprPtr value = strip_alias(*resolved);
  const ExprPtr bare = strip_alias(column);
  const bool row = value->type->kind() == column::TypeKind::struct_;
  if (value->kind == ExprKind::literal && !row) return value;
  if (row && !functions::can_cast(value->type, bare->type, true)) {
    return Status::error("PIVOT_VALUE_DATA_TYPE_MISMATCH",
                         {{"value", value->pretty},
                          {"valueType", value->type->simple_string()},
                          {"pivotType", bare->type->simple_string()}});
  }
  TRY_ASSIGN(const ExprPtr text, analyzer.cast(value, column::string_type(), true, false));
  if (row) {
    TRY_ASSIGN(value, analyzer.cast(value, bare->type, true, false));
  }
  const auto one = std::make_shared<Project>();
  TRY_ASSIGN(const auto rows,
             resolver_.rows_of(make_project(one, {make_alias(value, "value", next_attribute_id()),
                                                  make_alias(text, "text", next_attribute_id())})));
  for (const auto& batch : rows) {
    if (batch->num_rows() == 0) continue;
    const auto scalar = batch->column(0)->GetScalar(0);
    const auto shown = batch->column(1)->GetScalar(0);
    if (!scalar.ok() || !shown.ok()) return Status::internal("PIVOT: a value that is no value");
    auto out = std::make_shared<Expr>((*scalar)->is_valid ? *literal_of(*scalar, value->type)
                                                          : *null_literal(value->type));
    out->pretty = (*shown)->is_valid ? (*shown)->ToString() : "null";
    return ExprPtr(out);
  }
  return Status::internal("PIVOT: a value without a row");
}

Result<NodePtr> RelationAnalyzer::pivot_query(const sc::Aggregate& proto, NodePtr input) {
  Scope scope = scope_of({input});
  ExpressionAnalyzer analyzer(settings_, scope);
  const int count = proto.aggregate_expressions_size() - 1;
  Exprs aggregates;
  for (int i = 0; i < count; ++i) {
    TRY_ASSIGN(ExprPtr aggregate, analyzer.resolve(proto.aggregate_expressions(i)));
    aggregates.push_back(with_name(aggregate));
  }
  TRY_ASSIGN(ExprPtr column, analyzer.resolve(proto.pivot().col()));
  column = with_name(column);
  IdSet used;
  add_references(*column, used);
  for (const ExprPtr& aggregate : aggregates) add_references(*aggregate, used);
  Exprs keys;
  for (const ExprPtr& one : visible_columns(*input)) {
    if (!used.contains(key_of(one->id))) keys.push_back(one);
  }
  const std::size_t width = keys.size();
  const auto& list = proto.aggregate_expressions(count).unresolved_function();
  Exprs values;
  for (int i = 1; i < list.arguments_size(); i += 2) {
    TRY_ASSIGN(ExprPtr value, pivot_value(list.arguments(i), column));
    values.push_back(std::move(value));
  }
  TRY_ASSIGN(NodePtr pivoted, pivot(values, std::move(input), std::move(keys), aggregates, column));
  Exprs columns = visible_columns(*pivoted);
  for (std::size_t i = width; i < columns.size(); ++i) {
    const std::size_t value = (i - width) / aggregates.size();
    const std::string& alias = list.arguments(static_cast<int>(2 * value)).literal().string();
    if (alias.empty()) continue;
    const std::string name = aggregates.size() == 1
                                 ? alias
                                 : alias + "_" + aggregates[(i - width) % aggregates.size()]->name;
    columns[i] = make_alias(columns[i], name, next_attribute_id());
  }
  return make_project(std::move(pivoted), std::move(columns));
}

bool is_sql_pivot(const sc::Aggregate& proto) {
  const int count = proto.aggregate_expressions_size();
  return count > 1 && call_of(proto.aggregate_expressions(count - 1), "ms_pivot_values") != nullptr;
}

Result<NodePtr> RelationAnalyzer::select_query(const sc::Aggregate& proto, NodePtr input) {
  return SelectAnalyzer(*this, std::move(input)).run(proto);
}

}  // namespace millstream::plan
