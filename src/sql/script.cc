// BEGIN … END: declarations, conditions, loops and handlers around single statements.
#include "sql/script.h"

#include <algorithm>

#include "base/text.h"
#include "sql/grammar.h"

namespace millstream::sql {

namespace {

Status script_error(const char* condition, ErrorParameters parameters) {
  ErrorInfo info = Status::error(condition, std::move(parameters)).info();
  info.java_class = "org.apache.spark.sql.exceptions.SqlScriptingException";
  return Status(std::move(info));
}

}  // namespace

// BEGIN [NOT ATOMIC]; the outermost block has no label.
bool Grammar::starts_script() const { return is_word("BEGIN") && peek(1).kind != TokenKind::end; }

Status Grammar::script_statement(Statement& out) {
  Script script;
  auto root = std::make_shared<ScriptNode>();
  TRY(script_block(*root));
  script.root = std::move(root);
  if (peek().kind != TokenKind::end && !is_symbol(";")) return syntax_error(text_, peek(), true);
  out = std::move(script);
  return Status::OK();
}

// One statement of a body, with the semicolon behind it.
Status Grammar::script_item(ScriptNode& out) {
  TRY(script_node(out));
  if (accept_symbol(";")) return Status::OK();
  return unexpected();
}

Status Grammar::script_node(ScriptNode& out) {
  if (++nesting_ > limits::nesting_max) return too_complex();
  const Token first = peek();
  if (is_name() && is_symbol(":", 1)) {
    out.label = to_lower(take().value);
    take();
    if (std::find(labels_.begin(), labels_.end(), out.label) != labels_.end()) {
      return script_error("LABEL_OR_FOR_VARIABLE_ALREADY_EXISTS",
                          {{"label", quoted_name({out.label})}});
    }
  }
  labels_.push_back(out.label);
  TRY(script_compound(out, first));
  labels_.pop_back();
  --nesting_;
  return Status::OK();
}

Status Grammar::script_compound(ScriptNode& out, const Token& first) {
  if (is_word("BEGIN")) {
    TRY(script_block(out));
    return script_label(out);
  }
  if (is_word("WHILE")) return script_while(out);
  if (is_word("REPEAT")) return script_repeat(out);
  if (is_word("LOOP")) return script_loop(out);
  if (is_word("FOR")) return script_for(out);
  if (!out.label.empty()) return syntax_error(text_, first, false);
  if (is_word("IF")) return script_if(out);
  if (is_word("CASE")) return script_case(out);
  if ((is_word("LEAVE") || is_word("ITERATE")) && is_name(1)) return script_jump(out);
  return script_leaf(out);
}

// Statements up to END, ELSE, ELSEIF, WHEN or UNTIL.
Status Grammar::script_body(std::vector<ScriptNode>& out) {
  while (!is_word("END") && !is_word("ELSE") && !is_word("ELSEIF") && !is_word("WHEN") &&
         !is_word("UNTIL")) {
    if (peek().kind == TokenKind::end) return unexpected();
    TRY(script_item(out.emplace_back()));
  }
  return Status::OK();
}

// END [WHILE] [label]
Status Grammar::script_end(const ScriptNode& node, const char* word) {
  TRY(expect_word("END"));
  TRY(expect_word(word));
  return script_label(node);
}

// What a block or loop is called, once more.
Status Grammar::script_label(const ScriptNode& node) {
  if (!is_name() || peek().kind == TokenKind::end) return Status::OK();
  const std::string end = to_lower(take().value);
  if (node.label.empty()) {
    return script_error("END_LABEL_WITHOUT_BEGIN_LABEL", {{"endLabel", quoted_name({end})}});
  }
  if (end == node.label) return Status::OK();
  return script_error("LABELS_MISMATCH", {{"beginLabel", quoted_name({node.label})},
                                          {"endLabel", quoted_name({end})}});
}

Status Grammar::script_block(ScriptNode& out) {
  take();
  out.kind = ScriptKind::block;
  if (is_word("NOT") && is_word("ATOMIC", 1)) position_ += 2;
  auto& body = out.bodies.emplace_back();
  // Variables and conditions come first, then handlers, then what is done.
  int stage = 0;
  while (!is_word("END")) {
    if (peek().kind == TokenKind::end) {
      return syntax_error(text_, peek(),
                          Status::error("PARSE_SYNTAX_ERROR",
                                        {{"error", "end of input"}, {"hint", ": missing 'END'"}}));
    }
    ScriptNode& node = body.emplace_back();
    if (is_word("DECLARE") && is_name(1)) {
      TRY(script_declaration(node, stage));
    } else {
      stage = 2;
      TRY(script_item(node));
    }
  }
  return expect_word("END");
}

// DECLARE a, b INT DEFAULT 1; DECLARE c CONDITION FOR SQLSTATE '…'; DECLARE EXIT HANDLER FOR …
Status Grammar::script_declaration(ScriptNode& out, int& stage) {
  const std::size_t first = position_;
  take();
  if ((is_word("EXIT") || is_word("CONTINUE")) && is_word("HANDLER", 1)) {
    if (stage > 1)
      return script_error("INVALID_HANDLER_DECLARATION.WRONG_PLACE_OF_DECLARATION", {});
    stage = 1;
    TRY(script_handler(out));
  } else if (is_name() && is_word("CONDITION", 1)) {
    if (stage > 0)
      return script_error("INVALID_ERROR_CONDITION_DECLARATION.NOT_AT_START_OF_COMPOUND_STATEMENT",
                          {{"conditionName", quoted_name({peek().value})}});
    TRY(script_condition(out));
  } else {
    TRY(script_variable(out, first, stage));
  }
  if (accept_symbol(";")) return Status::OK();
  return unexpected();
}

Status Grammar::script_variable(ScriptNode& out, std::size_t first, int stage) {
  out.kind = ScriptKind::declare;
  const bool replace = is_word("OR") && is_word("REPLACE", 1);
  if (replace) position_ += 2;
  if ((is_word("VARIABLE") || is_word("VAR")) && is_name(1)) take();
  do {
    std::vector<std::string> parts;
    TRY(dotted_name(&parts));
    if (parts.size() > 1) {
      return script_error("INVALID_VARIABLE_DECLARATION.QUALIFIED_LOCAL_VARIABLE",
                          {{"varName", quoted_name(parts)}});
    }
    out.names.push_back(to_lower(parts.back()));
  } while (accept_symbol(","));
  const std::string shown = quoted_name({out.names[0]});
  if (replace) {
    return Status::error("INVALID_VARIABLE_DECLARATION.REPLACE_LOCAL_VARIABLE",
                         {{"varName", shown}});
  }
  if (stage > 0) {
    return script_error("INVALID_VARIABLE_DECLARATION.ONLY_AT_BEGINNING", {{"varName", shown}});
  }
  if (is_name() && !is_word("DEFAULT")) TRY(cast_type(&out.type, false));
  if (accept_word("DEFAULT") || accept_symbol("=")) TRY(script_expression(&out.text));
  if (!out.type.empty() || !out.text.empty()) return Status::OK();
  return parse_error(text_, tokens_[first], tokens_[position_ - 1],
                     Status::error("INVALID_SQL_SYNTAX.VARIABLE_TYPE_OR_DEFAULT_REQUIRED"));
}

// SQLSTATE [VALUE] '45000'
Status Grammar::script_sqlstate(std::string* out) {
  TRY(expect_word("SQLSTATE"));
  accept_word("VALUE");
  if (peek().kind != TokenKind::string) return unexpected();
  *out = to_upper(take().value);
  const bool valid = out->size() == 5 && out->substr(0, 2) != "00" &&
                     std::all_of(out->begin(), out->end(), [](char c) {
                       return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z');
                     });
  if (valid) return Status::OK();
  return script_error("INVALID_SQLSTATE", {{"sqlState", *out}});
}

Status Grammar::script_condition(ScriptNode& out) {
  out.kind = ScriptKind::condition;
  out.names.push_back(to_lower(take().value));
  take();
  out.text = "45000";
  if (accept_word("FOR")) TRY(script_sqlstate(&out.text));
  return Status::OK();
}

// What a handler is for: "SQLSTATE:22012", "SQLEXCEPTION", "NOT FOUND", or a condition's name.
Status Grammar::script_handler(ScriptNode& out) {
  out.kind = ScriptKind::handler;
  if (is_word("CONTINUE")) {
    return script_error("UNSUPPORTED_FEATURE.CONTINUE_EXCEPTION_HANDLER", {});
  }
  position_ += 2;
  TRY(expect_word("FOR"));
  do {
    std::string& name = out.names.emplace_back();
    if (is_word("SQLSTATE") && (is_word("VALUE", 1) || peek(1).kind == TokenKind::string)) {
      TRY(script_sqlstate(&name));
      name = "SQLSTATE:" + name;
    } else if (is_word("NOT") && is_word("FOUND", 1)) {
      position_ += 2;
      name = "NOT FOUND";
    } else {
      std::vector<std::string> parts;
      TRY(dotted_name(&parts));
      name = to_upper(join(parts, "."));
    }
  } while (accept_symbol(","));
  return script_node(out.bodies.emplace_back().emplace_back());
}

Status Grammar::script_expression(std::string* text) {
  const std::size_t first = position_;
  sc::Expression ignored;
  TRY(expression(ignored));
  subqueries_.clear();
  *text = text_between(first, position_);
  return Status::OK();
}

Status Grammar::script_if(ScriptNode& out) {
  take();
  out.kind = ScriptKind::branches;
  do {
    TRY(script_expression(&out.conditions.emplace_back()));
    TRY(expect_word("THEN"));
    TRY(script_body(out.bodies.emplace_back()));
  } while (accept_word("ELSEIF"));
  if (accept_word("ELSE")) TRY(script_body(out.bodies.emplace_back()));
  TRY(expect_word("END"));
  return expect_word("IF");
}

Status Grammar::script_case(ScriptNode& out) {
  take();
  out.kind = ScriptKind::branches;
  out.is_case = true;
  if (!is_word("WHEN")) TRY(script_expression(&out.subject));
  if (!is_word("WHEN")) return unexpected();
  while (accept_word("WHEN")) {
    TRY(script_expression(&out.conditions.emplace_back()));
    TRY(expect_word("THEN"));
    TRY(script_body(out.bodies.emplace_back()));
  }
  if (accept_word("ELSE")) TRY(script_body(out.bodies.emplace_back()));
  TRY(expect_word("END"));
  return expect_word("CASE");
}

Status Grammar::script_while(ScriptNode& out) {
  take();
  out.kind = ScriptKind::while_;
  TRY(script_expression(&out.conditions.emplace_back()));
  TRY(expect_word("DO"));
  TRY(script_body(out.bodies.emplace_back()));
  return script_end(out, "WHILE");
}

Status Grammar::script_repeat(ScriptNode& out) {
  take();
  out.kind = ScriptKind::repeat;
  TRY(script_body(out.bodies.emplace_back()));
  TRY(expect_word("UNTIL"));
  TRY(script_expression(&out.conditions.emplace_back()));
  return script_end(out, "REPEAT");
}

Status Grammar::script_loop(ScriptNode& out) {
  take();
  out.kind = ScriptKind::loop;
  TRY(script_body(out.bodies.emplace_back()));
  return script_end(out, "LOOP");
}

// FOR [row AS] query DO … END FOR. DO could be a table's alias: the first one ends the query.
Status Grammar::script_for(ScriptNode& out) {
  take();
  out.kind = ScriptKind::for_;
  if (is_name() && is_word("AS", 1)) {
    out.names.push_back(to_lower(take().value));
    take();
  }
  std::size_t end = position_;
  for (int depth = 0; end < tokens_.size() && (depth > 0 || !is_word_at(end, "DO")); ++end) {
    if (tokens_[end].text == "(") ++depth;
    if (tokens_[end].text == ")") --depth;
    if (tokens_[end].text == ";" || tokens_[end].kind == TokenKind::end) break;
  }
  if (end >= tokens_.size() || !is_word_at(end, "DO")) {
    position_ = std::min(end, tokens_.size() - 1);
    return unexpected();
  }
  TRY(check_leaf(end));
  out.text = text_between(position_, end);
  position_ = end + 1;
  TRY(script_body(out.bodies.emplace_back()));
  return script_end(out, "FOR");
}

Status Grammar::script_jump(ScriptNode& out) {
  const bool leaves = is_word("LEAVE");
  take();
  out.kind = leaves ? ScriptKind::leave : ScriptKind::iterate;
  out.label = to_lower(take().value);
  const bool known = std::find(labels_.begin(), labels_.end(), out.label) != labels_.end();
  if (known) return Status::OK();
  return script_error("INVALID_LABEL_USAGE.DOES_NOT_EXIST",
                      {{"labelName", quoted_name({to_upper(out.label)})},
                       {"statementType", leaves ? "LEAVE" : "ITERATE"}});
}

// The tokens [position_, end) are a statement: what is wrong in any of them is said before the
// first one runs. Positions stay those of the whole text.
Status Grammar::check_leaf(std::size_t end) const {
  std::vector<Token> tokens(tokens_.begin() + static_cast<std::ptrdiff_t>(position_),
                            tokens_.begin() + static_cast<std::ptrdiff_t>(end));
  Token last;
  last.offset = tokens_[end].offset;
  tokens.push_back(last);
  Grammar leaf(text_, std::move(tokens), parameters_);
  leaf.in_script_ = true;
  Statement ignored;
  return leaf.parse_statement(ignored);
}

Status Grammar::script_leaf(ScriptNode& out) {
  std::size_t end = position_;
  while (end < tokens_.size() && tokens_[end].kind != TokenKind::end && tokens_[end].text != ";") {
    ++end;
  }
  if (end == position_ || end >= tokens_.size()) return unexpected();
  TRY(check_leaf(end));
  out.text = text_between(position_, end);
  // SET is of variables there.
  if (is_word("SET")) out.text = "SET VAR " + text_between(position_ + 1, end);
  position_ = end;
  return Status::OK();
}

}  // namespace millstream::sql
