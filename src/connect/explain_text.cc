#include "connect/explain_text.h"

#include "base/text.h"
#include "engine/engine.h"
#include "plan/analyzer.h"

namespace millstream::connect {
namespace {

std::string section(const char* title, const std::string& text) {
  return fmt::format("== {} ==\n{}", title, text);
}

std::string column_list(const plan::Node& node) {
  std::vector<std::string> columns;
  for (const auto& field : plan::schema_of(node))
    columns.push_back(field.name + ": " + field.type->simple_string());
  return join(columns, ", ");
}

// The physical plan; of a cached DataFrame as it is, the scan of its rows.
std::string physical_text(const plan::Node& optimized) {
  if (optimized.kind != plan::NodeKind::scan) return engine::explain_physical(optimized);
  const std::string table = plan::as<plan::Scan>(optimized).table->describe();
  if (table != "InMemoryTableScan") return engine::explain_physical(optimized);
  std::vector<std::string> columns;
  for (const auto& a : optimized.output)
    columns.push_back(fmt::format("{}#{}", a.name, static_cast<std::int64_t>(a.id)));
  return table + " [" + join(columns, ", ") + "]\n";
}

}  // namespace

Result<std::string> explain_text(const plan::NodePtr& analyzed,
                                 spark::connect::AnalyzePlanRequest::Explain::ExplainMode mode,
                                 const std::string& time_zone) {
  using Explain = spark::connect::AnalyzePlanRequest::Explain;
  const plan::NodePtr optimized = plan::optimize(plan::with_kept_rows(analyzed));
  const std::string physical = section("Physical Plan", physical_text(*optimized));
  const std::string logical = section("Optimized Logical Plan", plan::explain_tree(*optimized));
  switch (mode) {
    case Explain::EXPLAIN_MODE_EXTENDED: {
      // The plan as it came has no tree of its own here: it is analyzed as it is read.
      const std::string tree = plan::explain_tree(*analyzed);
      return section("Parsed Logical Plan", tree) + "\n" +
             section("Analyzed Logical Plan", column_list(*analyzed) + "\n" + tree) + "\n" +
             logical + "\n" + physical;
    }
    case Explain::EXPLAIN_MODE_COST:
      return logical + "\n" + physical + "\n";
    case Explain::EXPLAIN_MODE_FORMATTED:
      return section("Physical Plan", engine::explain_formatted(*optimized)) + "\n";
    case Explain::EXPLAIN_MODE_CODEGEN: {
      TRY_ASSIGN(const std::string statement, engine::explain_statement(optimized, time_zone));
      if (statement.empty()) return std::string("Found 0 WholeStageCodegen subtrees.\n");
      return "Found 1 WholeStageCodegen subtrees.\n== Subtree 1 / 1 ==\n" +
             engine::explain_physical(*optimized) + "\nGenerated code:\n" + statement + "\n";
    }
    default:
      return physical + "\n";
  }
}

}  // namespace millstream::connect
