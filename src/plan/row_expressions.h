// Expressions over the rows of plans that are analysed already: the conditions and values of
// UPDATE, DELETE and MERGE, and what a table's columns take. What they resolve to refers to the
// columns of `inputs`. Made for one statement; used by one thread.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "plan/analyzer.h"

namespace millstream::plan {

class RelationAnalyzer;

class RowExpressions {
 public:
  // `text`: of the SQL that places are in; may be empty. All three outlive the object.
  RowExpressions(Resolver& resolver, const AnalyzerSettings& settings, const std::string& text);
  ~RowExpressions();

  Result<ExprPtr> value(const std::vector<NodePtr>& inputs,
                        const spark::connect::Expression& proto);
  // A boolean.
  Result<ExprPtr> condition(const std::vector<NodePtr>& inputs,
                            const spark::connect::Expression& proto);
  Result<ExprPtr> call(const std::string& name, std::vector<ExprPtr> arguments);

  // The value in the column's type, as an assignment casts it: members of structs by their names.
  Result<ExprPtr> stored(const ExprPtr& value, const column::Field& column);
  // The struct with the member at `path` replaced.
  Result<ExprPtr> with_member(const ExprPtr& base, const std::vector<std::string>& path,
                              const ExprPtr& value);

 private:
  Result<ExprPtr> stored_struct(const ExprPtr& value, const column::Field& column);
  Result<ExprPtr> stored_array(const ExprPtr& value, const column::Field& column);
  Result<ExprPtr> stored_map(const ExprPtr& value, const column::Field& column);

  const AnalyzerSettings& settings_;
  const std::string& text_;
  std::unique_ptr<RelationAnalyzer> analyzer_;
};

// A struct's member by its place; NULL where the struct is.
ExprPtr member_of(const ExprPtr& base, std::size_t ordinal);
// As ExpressionAnalyzer::call.
using MakeCall = std::function<Result<ExprPtr>(const std::string&, std::vector<ExprPtr>)>;
using ElementMap = std::function<Result<ExprPtr>(const ExprPtr&)>;
// The array with `f` of each element.
Result<ExprPtr> with_each_element(const ExprPtr& array, const ElementMap& f);
// The map with `f` of each key (0) and of each value (1).
Result<ExprPtr> with_each_entry(
    const ExprPtr& map, const MakeCall& call,
    const std::function<Result<ExprPtr>(const ExprPtr&, std::size_t)>& f);
// CASE WHEN c THEN v … [ELSE e] END; all values are of one type. No condition: the last value
// alone.
ExprPtr make_case(const std::vector<std::pair<ExprPtr, ExprPtr>>& branches,
                  const ExprPtr& otherwise);
// A conjunction's terms.
std::vector<ExprPtr> conjuncts_of(const ExprPtr& condition);

}  // namespace millstream::plan
