#include "delta/constraints.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "column/char_varchar.h"

namespace millstream::delta {
namespace {

constexpr std::string_view prefix = "delta.constraints.";

// {"delta.invariants":"{\"expression\":{\"expression\":\"a > 3\"}}"}
std::string invariant_of(const column::Field& field) {
  const auto metadata = nlohmann::json::parse(field.metadata, nullptr, false);
  if (!metadata.is_object() || !metadata.contains("delta.invariants")) return "";
  const auto& text = metadata["delta.invariants"];
  const auto rule =
      nlohmann::json::parse(text.is_string() ? text.get<std::string>() : "", nullptr, false);
  if (!rule.is_object() || !rule.contains("expression")) return "";
  const auto& inner = rule["expression"];
  if (!inner.is_object() || !inner.contains("expression")) return "";
  return inner["expression"].is_string() ? inner["expression"].get<std::string>() : "";
}

void add_invariants(const column::Schema& schema, std::vector<Constraint>& out) {
  for (const auto& field : schema) {
    if (const std::string rule = invariant_of(field); !rule.empty())
      out.push_back({fmt::format("EXPRESSION({})", rule), rule});
    if (field.type->kind() == column::TypeKind::struct_) add_invariants(field.type->fields(), out);
  }
}

}  // namespace

std::vector<Constraint> constraints_of(const TableInfo& table) {
  std::vector<Constraint> out;
  for (const auto& [key, value] : table.metadata.configuration) {
    if (to_lower(key).starts_with(prefix)) out.push_back({key.substr(prefix.size()), value});
  }
  add_invariants(table.schema, out);
  return out;
}

bool computes_columns(const TableInfo& table) {
  return std::any_of(table.schema.begin(), table.schema.end(), [](const auto& field) {
    return field.metadata.find("\"CURRENT_DEFAULT\"") != std::string::npos ||
           field.metadata.find("\"delta.generationExpression\"") != std::string::npos;
  });
}

Result<connector::Batches> guarded(const RowGuard& guard, const TableInfo& table,
                                   connector::Batches rows) {
  const bool limited = std::any_of(table.schema.begin(), table.schema.end(), [](const auto& field) {
    return column::declared_type(field) != nullptr;
  });
  if (!limited && constraints_of(table).empty()) return rows;
  if (guard == nullptr) return Status::internal("nobody checks the constraints of the rows");
  return guard(table, std::move(rows));
}

}  // namespace millstream::delta
