#include "plan/char_comparison.h"

#include <arrow/scalar.h>

#include <algorithm>

#include "base/text.h"
#include "column/char_varchar.h"
#include "plan/literal.h"

namespace millstream::plan {
namespace {

bool compares(const std::string& name) {
  for (const char* one : {"equal", "not_equal", "null_safe_equal", "less", "greater", "less_equal",
                          "greater_equal", "in"}) {
    if (name == one) return true;
  }
  return false;
}

// Of a column of CHAR(n) the n; 0: it is none.
int length_of(const Expr& expr) {
  if (expr.kind != ExprKind::attribute) return 0;
  const auto declared = column::declared_type(expr.metadata);
  if (declared == nullptr || declared->kind() != column::TypeKind::char_) return 0;
  return declared->length();
}

bool is_text(const Expr& expr) {
  return expr.kind == ExprKind::literal && expr.type->is_string() && expr.value != nullptr &&
         expr.value->is_valid;
}

int characters_of(const Expr& literal) {
  return static_cast<int>(utf8_length(literal.value->ToString()));
}

ExprPtr filled(const ExprPtr& expr, int length) {
  if (is_text(*expr)) {
    std::string text = expr->value->ToString();
    text.append(static_cast<std::size_t>(length - characters_of(*expr)), ' ');
    auto out = std::make_shared<Expr>(*string_literal(text));
    out->pretty = expr->pretty;
    return out;
  }
  auto out = std::make_shared<Expr>();
  out->kind = ExprKind::call;
  out->name = "ms_fill_char";
  out->type = expr->type;
  out->nullable = expr->nullable;
  out->pretty = expr->pretty;
  out->children = {expr, int_literal(length)};
  return out;
}

}  // namespace

NodePtr with_filled_chars(NodePtr rows) {
  bool any = false;
  auto project = std::make_shared<Project>();
  for (const Attribute& column : rows->output) {
    Attribute out = column;
    ExprPtr value = make_attribute(column);
    if (const int length = length_of(*value); length > 0) {
      any = true;
      out.id = next_attribute_id();
      value = make_alias(filled(value, length), column.name, out.id, column.metadata);
    }
    project->exprs.push_back(std::move(value));
    project->output.push_back(std::move(out));
  }
  if (!any) return rows;
  project->children.push_back(std::move(rows));
  return project;
}

void fill_up_chars(const std::string& name, std::vector<ExprPtr>& arguments) {
  if (!compares(name) || arguments.size() < 2) return;
  const auto known = [](const ExprPtr& one) { return length_of(*one) > 0 || is_text(*one); };
  const bool any = std::any_of(arguments.begin(), arguments.end(),
                               [](const ExprPtr& one) { return length_of(*one) > 0; });
  if (!any || !std::all_of(arguments.begin(), arguments.end(), known)) return;
  int longest = 0;
  const auto size_of = [](const ExprPtr& one) {
    const int length = length_of(*one);
    return length > 0 ? length : characters_of(*one);
  };
  for (const auto& one : arguments) longest = std::max(longest, size_of(one));
  for (auto& one : arguments) {
    if (size_of(one) < longest) one = filled(one, longest);
  }
}

}  // namespace millstream::plan
