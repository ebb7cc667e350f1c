// Grammar: recursive descent with precedence climbing over the tokens of one text. Writes Connect
// messages. Made for one text. What Connect has no message for is written as calls of functions
// that only plan knows; README.md lists them. Subqueries of expressions are set apart with a plan
// id of their own, as the client does it; whoever takes the result puts them into a WithRelations.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "spark/connect/expressions.pb.h"
#include "spark/connect/relations.pb.h"
#include "sql/lexer.h"
#include "sql/parser.h"
#include "sql/script.h"
#include "sql/statement.h"

namespace millstream::sql {

namespace sc = spark::connect;

namespace limits {
// Nesting of one expression, and terms of one chain of operators: what walks the tree recurses.
inline constexpr int nesting_max = 400;
inline constexpr int chain_max = 2000;
// Subqueries of expressions inside each other: the engine's work doubles with each level.
inline constexpr int subquery_nesting_max = 16;
// SELECTs and INSERTs after one FROM, of which each has a copy.
inline constexpr int bodies_max = 100;
}  // namespace limits

class Grammar {
 public:
  Grammar(std::string_view text, std::vector<Token> tokens, const Parameters* parameters = nullptr);

  // expression [[AS] name | [AS] (name, …)] and nothing more.
  Status parse_all(sc::Expression& out);
  // A statement and nothing more but semicolons.
  Status parse_statement(Statement& out);
  // A dotted name and nothing more.
  Result<std::vector<std::string>> parse_name();
  // The subqueries of the expressions that were parsed; each has a plan id below zero.
  std::vector<sc::Relation> take_subqueries() { return std::move(subqueries_); }

 private:
  // statement.cc
  Status statement(Statement& out);
  Status hive_statement() const;
  Status empty_statement() const;
  Status check_words() const;
  Status whole_query(std::shared_ptr<sc::Relation>* out);
  std::string rest_of_text();
  Status create_statement(Statement& out);
  bool is_database_word() const;
  bool accept_if_not_exists();
  bool accept_if_exists();
  Status create_view(Statement& out, bool replace, bool global, bool temporary);
  Status view_using(CreateView& create);
  Status create_database(Statement& out);
  std::string text_between(std::size_t first, std::size_t end) const;
  Status create_table(Statement& out, bool replace, bool must_exist);
  Status string_value(std::string* out);
  Status column_definitions(CreateTable& create);
  Status column_definition(CreateTable& create, std::size_t end, std::string* out);
  Status column_clause(CreateTable& create, ColumnClause& clause, std::string* rest);
  Status generated_clause(ColumnClause& clause);
  Status identity_options(ColumnClause& clause);
  bool starts_constraint() const;
  void skip_constraint(std::size_t end);
  Status bucket_clause(CreateTable& create);
  Status cluster_clause(std::vector<std::string>* columns);
  bool is_word_at(std::size_t token, std::string_view keyword) const;
  Status table_clauses(CreateTable& create);
  Status property_list(std::map<std::string, std::string>* out);
  Status drop_statement(Statement& out);
  Status insert_statement(Statement& out);
  Status show_statement(Statement& out);
  Status describe_statement(Statement& out);
  Status set_statement(Statement& out);
  Status use_statement(Statement& out);
  Status explain_statement(Statement& out);
  Status cache_statement(Statement& out);
  Status from_insert(Statement& out);
  Status constant(sc::Expression& out);
  Status partition_spec(PartitionSpec* spec);
  Status named_partition(PartitionSpec* spec);  // with a constant for each column
  Status repair_statement(Statement& out);
  Status list_statement(Statement& out);
  Status insert_directory(Statement& out);
  Status change_statement(Statement& out);
  std::size_t after_with() const;
  bool changes_after_with() const;
  Status with_change(Statement& out);
  void wrap_definitions(spark::connect::Relation& out);

  // execute.cc
  Status execute_immediate(Statement& out);

  // script.cc
  bool starts_script() const;
  Status script_statement(Statement& out);
  Status script_item(ScriptNode& out);
  Status script_node(ScriptNode& out);
  Status script_compound(ScriptNode& out, const Token& first);
  Status script_body(std::vector<ScriptNode>& out);
  Status script_end(const ScriptNode& node, const char* word);
  Status script_label(const ScriptNode& node);
  Status script_block(ScriptNode& out);
  Status script_declaration(ScriptNode& out, int& stage);
  Status script_variable(ScriptNode& out, std::size_t first, int stage);
  Status script_sqlstate(std::string* out);
  Status script_condition(ScriptNode& out);
  Status script_handler(ScriptNode& out);
  Status script_expression(std::string* text);
  Status script_if(ScriptNode& out);
  Status script_case(ScriptNode& out);
  Status script_while(ScriptNode& out);
  Status script_repeat(ScriptNode& out);
  Status script_loop(ScriptNode& out);
  Status script_for(ScriptNode& out);
  Status script_jump(ScriptNode& out);
  Status script_leaf(ScriptNode& out);
  Status check_leaf(std::size_t end) const;

  // merge.cc
  Status merge_statement(Statement& out);
  Status restore_statement(Statement& out);
  Status as_of(std::optional<std::int64_t>* version, std::string* timestamp);
  Status clone_clauses(CreateTable& create);
  Status table_or_path(Name* out);
  Status optimize_statement(Statement& out);
  Status reorg_statement(Statement& out);
  Status inventory(sc::Relation& out);
  Status vacuum_statement(Statement& out);
  Status convert_statement(Statement& out);
  Status generate_statement(Statement& out);
  Status merge_source(Merge& merge);
  Status merge_clause(Merge& merge);
  Status merge_action(MergeClause& clause);
  Status merge_insert(MergeClause& clause);
  Status assignments(std::vector<std::pair<Name, MergeClause::ExpressionPtr>>* out);
  Status text_expression(MergeClause::ExpressionPtr* out, std::string* text);
  void note_subquery(Merge& merge, const std::string& text, const std::string& place) const;

  // alter.cc
  Status alter_statement(Statement& out);
  Status alter_database(Statement& out);
  Status alter_table(Statement& out, bool view);
  Status alter_constraint(AlterTable& alter);
  Status alter_partitions(AlterTable& alter);
  Status add_columns(AlterTable& alter);
  Status alter_column(AlterTable& alter);
  Status column_change(ColumnChange& change);
  Status column_position(ColumnPosition& position);
  Status comment_statement(Statement& out);

  // describe.cc
  Status describe_relation(Describe& describe);
  Status show_of_table(Show& show);

  // routine.cc: functions and variables.
  Status create_function(Statement& out, bool replace, bool temporary);
  Status function_parameters(CreateFunction& create);
  Status function_clauses(CreateFunction& create);
  Status declare_variable(Statement& out);
  Status set_variable(Statement& out);

  // query.cc: WITH, set operations, ORDER BY and LIMIT.
  Status query(sc::Relation& out);
  void gather_subqueries(sc::Relation& out);
  Status query_body(sc::Relation& out);
  Status with_clause(std::vector<sc::Relation>& definitions);
  Status recursion_limit(sc::Relation& definition);
  Status set_operations(sc::Relation& out, bool intersect_only);
  Status set_operators(sc::Relation& out, bool intersect_only, std::size_t first);
  bool set_operator(bool intersect_only) const;
  Status query_primary(sc::Relation& out);
  Status inline_table(sc::Relation& out);
  Status check_row_width(int expected, const sc::UnresolvedTableValuedFunction& rows,
                         const Token& first, const Token& last) const;
  Status organization(sc::Relation& out);
  Status order_by(sc::Relation& out, bool global);
  Status distribute_by(sc::Relation& out);
  Status limit_clause(sc::Relation& out);
  static void wrap_filter(sc::Relation& out, std::string_view function, sc::Expression& argument);
  Status name_list(std::vector<std::string>* names);
  static void name_columns(sc::Relation& out, const std::vector<std::string>& columns);
  bool starts_query(std::size_t ahead = 0) const;
  bool is_set_word(std::size_t ahead) const;
  std::size_t matching_bracket(std::size_t open) const;
  Status subquery(sc::Expression& out, sc::SubqueryExpression::SubqueryType type);
  void set_apart(sc::Expression& out, sc::SubqueryExpression::SubqueryType type,
                 sc::Relation& relation);

  // pipe.cc: what follows |>.
  Status pipe_operators(sc::Relation& out);
  Status pipe_operator(sc::Relation& out);
  Status pipe_list(sc::Relation& out, bool keep);
  Status pipe_set(sc::Relation& out);
  Status pipe_drop(sc::Relation& out);
  Status pipe_aggregate(sc::Relation& out);

  // select.cc: the SELECT itself.
  struct SelectParts;
  Status select(sc::Relation& out);
  Status from_statement(sc::Relation& out);
  Status from_body(const sc::Relation& from, std::size_t first, sc::Relation& out);
  Status select_list(SelectParts& parts);
  Status select_clauses(SelectParts& parts);
  Status finish_select(SelectParts& parts, sc::Relation& out);
  Status group_by(sc::Aggregate& aggregate);
  bool starts_grouping_analytics() const;
  Status grouping_analytics(std::vector<std::vector<sc::Expression>>& sets);
  Status grouping_tuple(std::vector<sc::Expression>& out);
  Status named_windows();
  Status window_definitions();
  bool starts_clause() const;

  // from.cc: relations after FROM.
  Status from_clause(sc::Relation& out);
  bool is_lateral() const;
  Status relation(sc::Relation& out);
  Status relation_extensions(sc::Relation& out);
  Status relation_primary(sc::Relation& out);
  Status parenthesized_relation(sc::Relation& out);
  Status table_or_function(sc::Relation& out);
  Status time_travel(sc::Read_NamedTable& table);
  Status table_function(const std::vector<std::string>& name, sc::Relation& out);
  Status table_argument(sc::Expression& out);
  Status table_argument_order();
  Status sample_clause(sc::Relation& out);
  Status legacy_error(const Token& first, const std::string& message) const;
  Status pivot_clause(sc::Relation& out);
  Status pivot_column(sc::Expression& out);
  Status pivot_values(sc::Aggregate& aggregate);
  Status unpivot_clause(sc::Relation& out);
  Status unpivot_column(const std::string& name, const std::vector<std::string>& values,
                        sc::Expression& out);
  Status unpivot_names(std::vector<std::string>* names);
  Status table_alias(sc::Relation& out, bool of_query);
  Status lateral_view(sc::Relation& out);
  struct JoinWords;
  bool join_words(JoinWords* words) const;
  bool join_words_ahead(std::size_t ahead) const;
  Status join_clause(const JoinWords& words, sc::Relation& left);
  Status join_criteria(sc::Join& join, const JoinWords& words);
  Status dotted_name(std::vector<std::string>* parts);
  Status table_name_part(std::string* out);
  Status identifier_clause(std::vector<std::string>* parts);  // identifier_value.cc

  // parser.cc: operators, loosest first.
  Status named(sc::Expression& out);
  Status expression(sc::Expression& out);  // OR
  Status conjunction(sc::Expression& out);
  Status negation(sc::Expression& out);
  Status predicate(sc::Expression& out);
  Status predicate_tail(sc::Expression& value, bool* applied);
  Status in_tail(sc::Expression& value);
  Status like_tail(sc::Expression& value, const std::string& name, bool negated);
  Status is_tail(sc::Expression& value);
  Status binary(sc::Expression& out, int level);
  Status unary(sc::Expression& out);
  Status postfix(sc::Expression& out);
  Status variant_path(sc::Expression& out);
  Status counted(sc::Expression& out);

  // primary.cc
  Status primary(sc::Expression& out);
  Status parenthesized(sc::Expression& out);
  Status word(sc::Expression& out);
  Status name_or_call(sc::Expression& out);
  Status call(const std::string& name, sc::Expression& out);
  Status call_arguments(const std::string& name, sc::Expression_UnresolvedFunction& function);
  Status argument(sc::Expression& out);
  Status hints(SelectParts& parts);
  Status within_group(sc::Expression& out);
  Status lambda(sc::Expression& out);
  Status case_expression(sc::Expression& out);
  Status parameter(sc::Expression& out);
  Status star(sc::Expression& out);
  Status cast(sc::Expression& out, bool try_cast);
  Status cast_type(std::string* type, bool in_call);
  Status special_call(const std::string& name, sc::Expression& out, bool* done);
  Status extract(sc::Expression& out);
  Status substring(const std::string& name, sc::Expression& out);
  bool has_from_within() const;
  Status trim_call(sc::Expression& out, bool* done);
  Status position(sc::Expression& out);
  Status overlay(sc::Expression& out);
  Status rest_of_call(sc::Expression& out);
  Status row(std::vector<sc::Expression> members, sc::Expression& out);

  // literals.cc
  Status number(sc::Expression& out, bool negative);
  Status typed_literal(const Token& type, const Token& text, sc::Expression& out);
  Status interval(sc::Expression& out);

  // window.cc
  Status after_call(sc::Expression& out);
  Status window_specification(sc::Expression_Window& window);
  Status frame(sc::Expression_Window& window);
  Status frame_bound(sc::Expression_Window_WindowFrame_FrameBoundary& bound);
  Status sort_item(sc::Expression_SortOrder& order);

  const Token& peek(std::size_t ahead = 0) const {
    const std::size_t i = position_ + ahead;
    return i < tokens_.size() ? tokens_[i] : tokens_.back();
  }
  // The end is never passed.
  const Token& take() {
    return position_ < tokens_.size() - 1 ? tokens_[position_++] : tokens_.back();
  }
  bool is_symbol(std::string_view symbol, std::size_t ahead = 0) const {
    return peek(ahead).kind == TokenKind::symbol && peek(ahead).text == symbol;
  }
  bool is_word(std::string_view keyword, std::size_t ahead = 0) const;
  bool is_name(std::size_t ahead = 0) const {
    return peek(ahead).kind == TokenKind::word || peek(ahead).kind == TokenKind::quoted;
  }
  bool accept_symbol(std::string_view symbol);
  bool accept_word(std::string_view keyword);
  Status expect_symbol(std::string_view symbol);
  Status expect_word(std::string_view keyword);
  Status name(std::string* out);
  Status unexpected() const { return syntax_error(text_, peek(), false); }
  Status unexpected_end() const;  // what follows a complete text
  Status too_complex() const;
  // `out` is what was read from token `first` on; what has a place already keeps it.
  void mark(sc::Expression& out, std::size_t first) const;
  void mark(sc::Relation& out, std::size_t first) const;

  std::string_view text_;
  std::vector<Token> tokens_;
  const Parameters* parameters_;
  bool has_window_clause_ = false;            // the word WINDOW is there
  mutable std::vector<std::size_t> closing_;  // of each opening bracket; made when first asked
  std::vector<sc::Relation> subqueries_;
  std::map<std::string, sc::Expression_Window> windows_;  // of the SELECT at hand, by lower case
  std::size_t position_ = 0;
  std::size_t positional_ = 0;  // how many `?` were met
  bool named_markers_ = false;
  bool positional_markers_ = false;
  int nesting_ = 0;
  int subquery_nesting_ = 0;
  std::vector<sc::Relation> definitions_;  // of a WITH before INSERT or MERGE
  const sc::Relation* from_ = nullptr;     // what stands before INSERT: FROM t INSERT …
  bool in_script_ = false;                 // a statement between BEGIN and END
  std::vector<std::string> labels_;        // of what is open around it
};

// Message builders.
sc::Expression_UnresolvedFunction* make_function(sc::Expression& out, std::string_view name);
void make_string(sc::Expression& out, std::string_view value);
void make_int(sc::Expression& out, int value);
// `out` becomes name(out).
void wrap(sc::Expression& out, std::string_view name);
// `out` becomes name(out, right); right is consumed.
void wrap(sc::Expression& out, std::string_view name, sc::Expression& right);
// What IGNORE NULLS makes of a call.
void ignore_nulls(sc::Expression_UnresolvedFunction& call);
std::string quoted_name(const std::vector<std::string>& parts);
std::vector<sc::Expression> members_of(sc::Expression& value);
// `out` becomes the input of a relation around it, which is returned in its place.
sc::Relation take_relation(sc::Relation& out);
void make_named_table(sc::Relation& out, const std::vector<std::string>& name);
void wrap_alias(sc::Relation& out, const std::string& alias);
void wrap_distinct(sc::Relation& out);

}  // namespace millstream::sql
