// table_changes('name', start [, end]) and table_changes_by_path: a read of a Delta table's change
// data feed, as a table-valued function.
#include <arrow/array.h>
#include <arrow/record_batch.h>
#include <arrow/scalar.h>

#include "base/text.h"
#include "plan/expressions.h"
#include "plan/relations.h"
#include "plan/text.h"
#include "plan/tree.h"
#include "spark/connect/relations.pb.h"
#include "sql/parser.h"

namespace millstream::plan {

namespace sc = spark::connect;

namespace {

const char* bound_option(bool start, const column::DataType& type) {
  const bool version = type.is_integral();
  if (start) return version ? "startingVersion" : "startingTimestamp";
  return version ? "endingVersion" : "endingTimestamp";
}

}  // namespace

// The value of a constant, as text; nothing: NULL.
Result<std::optional<std::string>> RelationAnalyzer::constant_text(ExprPtr constant,
                                                                   ExpressionAnalyzer& analyzer) {
  if (!constant->type->is_string()) {
    TRY_ASSIGN(constant, analyzer.cast(constant, column::string_type(), true, false));
  }
  const auto row = make_project(nullptr, {make_alias(constant, "value", next_attribute_id())});
  TRY_ASSIGN(const auto batches, resolver_.rows_of(row));
  for (const auto& batch : batches) {
    if (batch->num_rows() == 0) continue;
    const auto& values = static_cast<const arrow::StringArray&>(*batch->column(0));
    if (values.IsNull(0)) return std::optional<std::string>();
    return std::optional<std::string>(values.GetString(0));
  }
  return std::optional<std::string>();
}

Result<NodePtr> RelationAnalyzer::table_changes(const sc::UnresolvedTableValuedFunction& proto,
                                                bool by_path, ExpressionAnalyzer& analyzer) {
  const int count = proto.arguments_size();
  if (count < 2 || count > 3) {
    return Status::error("INCORRECT_NUMBER_OF_ARGUMENTS",
                         {{"failure", count < 2 ? "not enough args" : "too many args"},
                          {"functionName", to_lower(proto.function_name())},
                          {"minArgs", "2"},
                          {"maxArgs", "3"}});
  }
  Options options;
  options.set("readChangeFeed", "true");
  std::string table;
  for (int i = 0; i < count; ++i) {
    TRY_ASSIGN(const ExprPtr argument, analyzer.resolve(proto.arguments(i)));
    const ExprPtr constant = strip_alias(argument);
    TRY_ASSIGN(const auto text, constant_text(constant, analyzer));
    if (!text) {
      if (i > 0) return Status::error("DELTA_CDC_READ_NULL_RANGE_BOUNDARY");
      return Status::invalid("{} needs the name of a table", proto.function_name());
    }
    if (i == 0) {
      table = *text;
    } else {
      options.set(bound_option(i == 1, *constant->type), *text);
    }
  }
  if (by_path) {
    TRY_ASSIGN(auto changes, resolver_.data_source("delta", "", options, {table}));
    return make_scan(std::move(changes));
  }
  TRY_ASSIGN(const auto parts, sql::parse_identifier(table));
  TRY_ASSIGN(auto changes, resolver_.named_table(parts, options, false));
  if (changes->kind != NodeKind::scan) {
    return Status::error("DELTA_UNSUPPORTED_TIME_TRAVEL_VIEWS");
  }
  return changes;
}

}  // namespace millstream::plan
