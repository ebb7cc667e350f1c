// explain(): what runs a plan, as text.
#include "plan/explain.h"

#include <arrow/scalar.h>

#include "base/text.h"
#include "engine/engine.h"
#include "engine/lower.h"
#include "engine/passthrough.h"

namespace millstream::engine {
namespace {

using connector::Predicate;

// An operator of the physical plan.
struct Step {
  std::string name;                                          // "Scan parquet [/data/x]"
  std::string line;                                          // name and arguments on one line
  std::vector<std::pair<std::string, std::string>> details;  // Output, Input, …, by label
  std::vector<Step> inputs;
  int number = 0;
};

std::string operator_of(Predicate::Op op) {
  switch (op) {
    case Predicate::Op::equal:
      return "EqualTo";
    case Predicate::Op::not_equal:
      return "Not(EqualTo)";
    case Predicate::Op::less:
      return "LessThan";
    case Predicate::Op::less_equal:
      return "LessThanOrEqual";
    case Predicate::Op::greater:
      return "GreaterThan";
    case Predicate::Op::greater_equal:
      return "GreaterThanOrEqual";
    case Predicate::Op::in:
      return "In";
    case Predicate::Op::is_null:
      return "IsNull";
    case Predicate::Op::is_not_null:
      return "IsNotNull";
    case Predicate::Op::starts_with:
      return "StringStartsWith";
  }
  return "";
}

std::string pushed_text(const std::vector<Predicate>& predicates) {
  std::vector<std::string> filters;
  for (const Predicate& predicate : predicates) {
    std::vector<std::string> arguments{join(predicate.path, ".")};
    for (const auto& value : predicate.values) arguments.push_back(value->ToString());
    filters.push_back(operator_of(predicate.op) + "(" + join(arguments, ",") + ")");
  }
  return "[" + join(filters, ", ") + "]";
}

std::string read_schema(const std::vector<plan::Attribute>& output) {
  std::vector<std::string> fields;
  for (const auto& column : output)
    fields.push_back(column.name + ":" + column.type->simple_string());
  return "struct<" + join(fields, ",") + ">";
}

template <typename ScanNode>
Step scan_step(const char* name, const ScanNode& scan) {
  Step step;
  step.name = fmt::format("{} {}", name, scan.table->describe());
  step.details = {{"Output", plan::explained(scan.output)},
                  {"PushedFilters", pushed_text(scan.predicates)},
                  {"ReadSchema", read_schema(scan.output)}};
  if constexpr (requires { scan.limit; }) {
    if (scan.limit) step.details.emplace_back("PushedLimit", std::to_string(*scan.limit));
  }
  step.line = fmt::format("{} {}", step.name, step.details[0].second);
  for (std::size_t i = 1; i < step.details.size(); ++i) {
    step.line +=
        fmt::format("{}{}: {}", i == 1 ? " " : ", ", step.details[i].first, step.details[i].second);
  }
  return step;
}

Step step_of(const plan::Node& node) {
  if (node.kind == plan::NodeKind::scan) return scan_step("Scan", plan::as<plan::Scan>(node));
  if (node.kind == plan::NodeKind::stream_scan)
    return scan_step("StreamScan", plan::as<plan::StreamScan>(node));
  Step step;
  step.line = plan::explained_operator(node);
  const std::size_t blank = step.line.find(' ');
  step.name = step.line.substr(0, blank);
  if (!node.output.empty()) step.details.emplace_back("Output", plan::explained(node.output));
  for (const auto& child : node.children) {
    step.details.emplace_back("Input", plan::explained(child->output));
    step.inputs.push_back(step_of(*child));
  }
  if (blank != std::string::npos)
    step.details.emplace_back("Arguments", step.line.substr(blank + 1));
  return step;
}

Step physical_plan(const plan::Node& node) {
  const plan::NodePtr borrowed(plan::NodePtr(), &node);
  const auto pass = Passthrough::of(borrowed);
  Step root;
  root.name = pass ? "Passthrough" : "DuckDBStatement";
  root.line = root.name + " " + plan::explained(node.output);
  root.details = {{"Output", plan::explained(node.output)}};
  root.inputs.push_back(step_of(pass ? *pass->leaf() : node));
  return root;
}

void draw(const Step& step, bool formatted, const std::string& indent, const std::string& mark,
          std::string& out) {
  out += indent + mark;
  out += formatted ? fmt::format("{} ({})\n", step.name, step.number) : step.line + "\n";
  const std::string inner = indent + (mark.empty() ? "" : mark == "+- " ? "   " : ":  ");
  for (std::size_t i = 0; i < step.inputs.size(); ++i) {
    draw(step.inputs[i], formatted, inner, i + 1 == step.inputs.size() ? "+- " : ":- ", out);
  }
}

// Inputs before what reads them, from 1, as Spark counts.
void number(Step& step, int& next) {
  for (Step& input : step.inputs) number(input, next);
  step.number = next++;
}

void list_details(const Step& step, std::string& out) {
  for (const Step& input : step.inputs) list_details(input, out);
  out += fmt::format("\n({}) {}\n", step.number, step.name);
  for (const auto& [label, text] : step.details) out += fmt::format("{}: {}\n", label, text);
}

// Leaves by a name that a reader understands.
class NamedLeaves final : public NodeLowering::Leaves {
 public:
  Result<std::string> leaf(const plan::NodePtr&) override {
    return fmt::format("scan_{}", ++count_);
  }

 private:
  int count_ = 0;
};

}  // namespace

std::string explain_physical(const plan::Node& node) {
  std::string out;
  draw(physical_plan(node), false, "", "", out);
  return out;
}

std::string explain_formatted(const plan::Node& node) {
  Step root = physical_plan(node);
  int next = 1;
  number(root, next);
  std::string out;
  draw(root, true, "", "", out);
  out += "\n";
  list_details(root, out);
  return out;
}

Result<std::string> explain_statement(const plan::NodePtr& node, const std::string& time_zone) {
  if (Passthrough::of(node)) return std::string();
  ExprLowering exprs(time_zone);
  NamedLeaves leaves;
  NodeLowering nodes(exprs, leaves);
  return nodes.statement(node);
}

}  // namespace millstream::engine
