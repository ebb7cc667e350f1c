// f(b => 2, a => 1): the arguments in the places that the function's parameters have.
#include <algorithm>
#include <optional>

#include "base/text.h"
#include "plan/expressions.h"
#include "plan/text.h"
#include "spark/connect/expressions.pb.h"

namespace millstream::plan {

namespace sc = spark::connect;

namespace {

struct Parameter {
  const char* name;
  const char* fallback = nullptr;  // a text; "": NULL; null: it must be given
};

struct Signature {
  const char* function;
  std::vector<Parameter> parameters;
};

const Signature* signature_of(const std::string& function) {
  static const std::vector<Signature> known{
      {"mask",
       {{"str"}, {"upperChar", "X"}, {"lowerChar", "x"}, {"digitChar", "n"}, {"otherChar", ""}}},
      {"count_min_sketch", {{"column"}, {"epsilon"}, {"confidence"}, {"seed"}}},
      {"explode", {{"collection"}}},
      {"explode_outer", {{"collection"}}},
      {"tuple_sketch_agg_double", {{"key"}, {"summary"}, {"lgNomEntries", "12"}, {"mode", "sum"}}},
      {"tuple_union_agg_double", {{"child"}, {"lgNomEntries", "12"}, {"mode", "sum"}}},
      {"tuple_union_double", {{"first"}, {"second"}, {"lgNomEntries", "12"}, {"mode", "sum"}}},
      {"tuple_union_theta_double",
       {{"first"}, {"second"}, {"lgNomEntries", "12"}, {"mode", "sum"}}},
      {"tuple_sketch_agg_integer", {{"key"}, {"summary"}, {"lgNomEntries", "12"}, {"mode", "sum"}}},
      {"tuple_union_agg_integer", {{"child"}, {"lgNomEntries", "12"}, {"mode", "sum"}}},
      {"tuple_union_integer", {{"first"}, {"second"}, {"lgNomEntries", "12"}, {"mode", "sum"}}},
      {"tuple_union_theta_integer",
       {{"first"}, {"second"}, {"lgNomEntries", "12"}, {"mode", "sum"}}},
  };
  for (const Signature& one : known) {
    if (function == one.function) return &one;
  }
  return nullptr;
}

std::string proposal(const std::string& wrong, const Signature& signature) {
  std::vector<std::pair<std::size_t, std::string>> names;
  for (const Parameter& parameter : signature.parameters) {
    names.emplace_back(edit_distance(parameter.name, wrong), parameter.name);
  }
  std::stable_sort(names.begin(), names.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::string> shown;
  for (std::size_t i = 0; i < names.size() && i < 3; ++i) shown.push_back(sql_id(names[i].second));
  return join(shown, " ");
}

}  // namespace

Result<sc::Expression_UnresolvedFunction> ExpressionAnalyzer::by_position(
    const sc::Expression_UnresolvedFunction& proto) {
  const std::string name = to_lower(proto.function_name());
  const Signature* signature = signature_of(name);
  if (signature == nullptr) {
    return Status::error("NAMED_PARAMETERS_NOT_SUPPORTED", {{"functionName", sql_id(name)}});
  }
  const auto& parameters = signature->parameters;
  std::vector<const sc::Expression*> given(parameters.size());
  std::string last_named;
  const ErrorParameters routine{{"routineName", sql_id(name)}};
  const auto wrong = [&](const char* condition, ErrorParameters more) {
    more.insert(routine.begin(), routine.end());
    return Status::error(condition, std::move(more));
  };
  std::size_t positional = 0;
  for (const auto& argument : proto.arguments()) {
    if (!argument.has_named_argument_expression()) {
      if (!last_named.empty()) {
        return wrong("UNEXPECTED_POSITIONAL_ARGUMENT", {{"parameterName", sql_id(last_named)}});
      }
      if (positional >= given.size()) return proto;  // the function itself says how many it takes
      given[positional++] = &argument;
      continue;
    }
    const auto& named = argument.named_argument_expression();
    last_named = named.key();
    const auto found = std::find_if(parameters.begin(), parameters.end(), [&](const Parameter& p) {
      return equals_ignore_case(p.name, named.key());
    });
    if (found == parameters.end()) {
      return wrong(
          "UNRECOGNIZED_PARAMETER_NAME",
          {{"argumentName", sql_id(named.key())}, {"proposal", proposal(named.key(), *signature)}});
    }
    const auto at = static_cast<std::size_t>(found - parameters.begin());
    if (given[at] != nullptr) {
      return wrong(at < positional
                       ? "DUPLICATE_ROUTINE_PARAMETER_ASSIGNMENT.BOTH_POSITIONAL_AND_NAMED"
                       : "DUPLICATE_ROUTINE_PARAMETER_ASSIGNMENT.DOUBLE_NAMED_ARGUMENT_REFERENCE",
                   {{"parameterName", sql_id(found->name)}});
    }
    given[at] = &named.value();
  }
  sc::Expression_UnresolvedFunction out = proto;
  out.clear_arguments();
  for (std::size_t i = 0; i < given.size(); ++i) {
    if (given[i] != nullptr) {
      *out.add_arguments() = *given[i];
    } else if (parameters[i].fallback == nullptr) {
      return wrong("REQUIRED_PARAMETER_NOT_FOUND",
                   {{"parameterName", sql_id(parameters[i].name)}, {"index", std::to_string(i)}});
    } else if (*parameters[i].fallback == '\0') {
      out.add_arguments()->mutable_literal()->mutable_null()->mutable_null();
    } else {
      auto* literal = out.add_arguments()->mutable_literal();
      if (const auto number = parse_int64(parameters[i].fallback)) {
        literal->set_integer(static_cast<std::int32_t>(*number));
      } else {
        literal->set_string(parameters[i].fallback);
      }
    }
  }
  return out;
}

}  // namespace millstream::plan
