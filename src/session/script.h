// Scripts: BEGIN … END carried out statement by statement, on one thread. Inside of the room.
#pragma once

#include <arrow/type_fwd.h>

#include <map>
#include <string>
#include <vector>

#include "session/script_scopes.h"
#include "session/statements.h"
#include "spark/connect/relations.pb.h"
#include "sql/script.h"

namespace millstream::session {

// The rows of a query, all of them, as a script or EXECUTE IMMEDIATE answers them.
Result<CatalogResult> query_rows(Session& session, const spark::connect::Relation& query,
                                 const ActionContext& context);

class ScriptRun {
 public:
  // `arguments`: a text with the values of the parameters that the script's statements name.
  ScriptRun(Session& session, const ActionContext& context, const ExplainText& explain_text,
            spark::connect::SQL arguments);

  // What the last query gave; no columns when there was none.
  Result<CatalogResult> run(const sql::ScriptNode& root);

 private:
  using Nodes = std::vector<sql::ScriptNode>;

  // Where it goes on after a statement.
  enum class Flow : std::uint8_t {
    next,
    leave,    // behind what is called `label_`
    iterate,  // with the next round of it
    exit,     // behind the block of depth `exit_depth_`, whose handler has run
  };
  struct Block {
    const sql::ScriptNode* node;
    std::map<std::string, std::string> conditions;  // upper case -> SQLSTATE
    std::vector<const sql::ScriptNode*> handlers;
    std::size_t scopes;  // of ScriptScopes, its own included
  };

  Result<Flow> body(const Nodes& nodes);
  Result<Flow> statement(const sql::ScriptNode& node);
  Result<Flow> attempt(const sql::ScriptNode& node);
  Result<Flow> block(const sql::ScriptNode& node);
  Result<Flow> branches(const sql::ScriptNode& node);
  Result<Flow> loop(const sql::ScriptNode& node);
  Result<Flow> for_each(const sql::ScriptNode& node);
  Result<Flow> row_of_for(const sql::ScriptNode& node, const arrow::RecordBatch& batch,
                          std::int64_t row, const column::Schema& schema, bool* ends);
  Result<Flow> handled(const Status& error);
  Status leaf(const sql::ScriptNode& node);
  Status declare(const sql::ScriptNode& node);
  Result<bool> is_true(const std::string& text);
  bool ends_loop(const sql::ScriptNode& node, Flow& flow) const;
  const sql::ScriptNode* handler_for(const Status& error, std::size_t* depth) const;
  int precedence(const Block& block, const std::string& name, const Status& error) const;
  spark::connect::Relation relation_of(const std::string& text) const;

  Session& session_;
  const ActionContext& context_;
  const ExplainText& explain_text_;
  const spark::connect::SQL arguments_;
  ScriptScopes scopes_;
  std::vector<Block> blocks_;
  std::string label_;
  std::size_t exit_depth_ = 0;
  CatalogResult result_;
  // Of a condition that could not be computed: a handler decides, not the blocks around.
  bool raised_ = false;
};

}  // namespace millstream::session
