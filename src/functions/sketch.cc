// Sketches of Apache DataSketches. A signature has a letter for each parameter; what follows a '?'
// may be left out:
//   h a value that HLL counts   t a value that theta and tuple sketches count   x a sketch
//   I integral   F float   f float or double   d double or an array of them: ranks
//   v the type of the sketch's values or an array of them   D the summary of a key: double   i: int
//   H lgConfigK   G lgNomEntries   g the same, no constant   k K   K that of the first sketch
//   B may lgConfigK differ   m how summaries become one
// H, G, k, K and m are constants.
#include <arrow/scalar.h>
#include <algorithm>

#include "base/text.h"
#include "functions/table.h"

namespace millstream::functions {

using column::TypeKind;
using column::TypePtr;

namespace {

struct Signature {
  std::string_view function;
  std::string_view parameters;
};

constexpr Signature signatures[] = {
    {"hll_sketch_agg", "h?H"},
    {"hll_union_agg", "x?B"},
    {"hll_sketch_estimate", "x"},
    {"hll_union", "xx?B"},
    {"theta_sketch_agg", "t?G"},
    {"theta_union_agg", "x?G"},
    {"theta_intersection_agg", "x"},
    {"theta_sketch_estimate", "x"},
    {"theta_union", "xx?g"},
    {"theta_intersection", "xx"},
    {"theta_difference", "xx"},
    {"tuple_sketch_agg_double", "tD?Gm"},
    {"tuple_sketch_agg_integer", "ti?Gm"},
    {"tuple_union_agg", "x?Gm"},
    {"tuple_intersection_agg", "x?m"},
    {"tuple_sketch_estimate", "x"},
    {"tuple_sketch_theta", "x"},
    {"tuple_sketch_summary", "x?m"},
    {"tuple_union", "xx?Gm"},
    {"tuple_union_theta", "xx?Gm"},
    {"tuple_intersection", "xx?m"},
    {"tuple_intersection_theta", "xx?m"},
    {"tuple_difference", "xx"},
    {"tuple_difference_theta", "xx"},
    {"kll_sketch_agg_bigint", "I?k"},
    {"kll_sketch_agg_float", "F?k"},
    {"kll_sketch_agg_double", "f?k"},
    {"kll_merge_agg", "x?K"},
    {"kll_sketch_to_string", "x"},
    {"kll_sketch_get_n", "x"},
    {"kll_sketch_merge", "xx"},
    {"kll_sketch_get_quantile", "xd"},
    {"kll_sketch_get_rank", "xv"},
};

// By the whole name, or by that without the type at its end.
std::string_view parameters_of(std::string_view name) {
  const std::string_view without_type = name.substr(0, name.rfind('_'));
  for (const Signature& signature : signatures) {
    if (signature.function == name || signature.function == without_type)
      return signature.parameters;
  }
  return {};
}

TypePtr value_type(std::string_view name) {
  if (name.ends_with("_bigint")) return column::long_type();
  return name.ends_with("_float") ? column::float_type() : column::double_type();
}

bool is_tuple(std::string_view name) { return name.starts_with("tuple_"); }

// --- Constants

std::string quoted_name(const Request& request) { return "`" + request.name + "`"; }

std::string_view constant_name(char letter) {
  switch (letter) {
    case 'm':
      return "mode";
    case 'G':
      return "lgNomEntries";
    default:
      return "k";
  }
}

Status check_failure(const Status& reason, const Call& call) {
  return mismatch("TYPE_CHECK_FAILURE_WITH_HINT", call.pretty,
                  {{"msg", reason.message()}, {"hint", ""}});
}

Status out_of_range(const Request& request, const char* condition, std::int64_t value, int least,
                    int most) {
  return Status::error(condition, {{"function", quoted_name(request)},
                                   {"min", std::to_string(least)},
                                   {"max", std::to_string(most)},
                                   {"value", std::to_string(value)}});
}

// HLL and theta sketches look at theirs when rows come, tuple and KLL sketches before.
Status not_constant(const Request& request, const Call& call, char letter,
                    const Argument& argument) {
  if (letter == 'H')
    return Status::error("HLL_K_MUST_BE_CONSTANT", {{"function", quoted_name(request)}});
  if (letter == 'G' && !is_tuple(request.name)) {
    return Status::error("THETA_LG_NOM_ENTRIES_MUST_BE_CONSTANT",
                         {{"function", quoted_name(request)}});
  }
  const std::string name(constant_name(letter));
  if (argument.literal != nullptr)
    return mismatch("UNEXPECTED_NULL", call.pretty, {{"exprName", name}});
  return mismatch("NON_FOLDABLE_INPUT", call.pretty,
                  {{"inputName", name},
                   {"inputType", letter == 'm' ? "string" : "int"},
                   {"inputExpr", argument.sql}});
}

Status check_mode(const Request& request, const Call& call, const std::string& mode) {
  static constexpr std::string_view modes[] = {"sum", "min", "max", "alwaysone"};
  if (std::find(std::begin(modes), std::end(modes), to_lower(mode)) != std::end(modes))
    return Status::OK();
  return check_failure(
      Status::error("TUPLE_INVALID_SKETCH_MODE", {{"function", quoted_name(request)},
                                                  {"mode", mode},
                                                  {"validModes", "sum, min, max, alwaysone"}}),
      call);
}

Status check_size(const Request& request, const Call& call, char letter, std::int64_t value) {
  if (letter == 'H')
    return value >= 4 && value <= 21 ? Status::OK()
                                     : out_of_range(request, "HLL_INVALID_LG_K", value, 4, 21);
  if (letter == 'G') {
    if (value >= 4 && value <= 26) return Status::OK();
    const Status reason = out_of_range(request, "SKETCH_INVALID_LG_NOM_ENTRIES", value, 4, 26);
    return is_tuple(request.name) ? check_failure(reason, call) : reason;
  }
  if (value >= 8 && value <= 65535) return Status::OK();
  return check_failure(
      Status::error("KLL_SKETCH_K_OUT_OF_RANGE",
                    {{"functionName", quoted_name(request)}, {"k", std::to_string(value)}}),
      call);
}

Status check_constant(const Request& request, const Call& call, char letter,
                      const Argument& argument) {
  if (letter == 'm') {
    const auto mode = literal_text(argument);
    return mode ? check_mode(request, call, *mode) : not_constant(request, call, letter, argument);
  }
  const auto value = literal_int(argument);
  return value ? check_size(request, call, letter, *value)
               : not_constant(request, call, letter, argument);
}

// --- Types

bool is_array_of(const column::DataType& type, TypeKind kind) {
  return type.kind() == TypeKind::array && type.element()->kind() == kind;
}

// What a sketch hashes: a long, a double, bytes or an array of integers.
TypePtr key_type(const TypePtr& type, bool hll) {
  switch (type->kind()) {
    case TypeKind::null:
    case TypeKind::int_:
    case TypeKind::long_:
      return column::long_type();
    case TypeKind::float_:
    case TypeKind::double_:
      return hll ? nullptr : column::double_type();
    case TypeKind::array: {
      const bool fits = is_array_of(*type, TypeKind::int_) || is_array_of(*type, TypeKind::long_);
      return hll || !fits ? nullptr : type;
    }
    default:
      return type->is_string() || type->kind() == TypeKind::binary ? type : nullptr;
  }
}

// One value, or an array of them.
TypePtr one_or_array(const TypePtr& type, const TypePtr& wanted) {
  if (type->kind() == TypeKind::array) {
    return fits_parameter(*type->element(), *wanted)
               ? column::array_type(wanted, type->contains_null())
               : nullptr;
  }
  return fits_parameter(*type, *wanted) ? wanted : nullptr;
}

TypePtr accepted(const Request& request, char letter, const TypePtr& type) {
  const TypeKind kind = type->kind();
  const bool null = kind == TypeKind::null;
  switch (letter) {
    case 'h':
    case 't':
      return key_type(type, letter == 'h');
    case 'x':
      return null || kind == TypeKind::binary ? column::binary_type() : nullptr;
    case 'I':
      return null || type->is_integral() ? column::long_type() : nullptr;
    case 'F':
      return null || kind == TypeKind::float_ ? column::float_type() : nullptr;
    case 'f':
      return null || kind == TypeKind::float_ || kind == TypeKind::double_ ? column::double_type()
                                                                           : nullptr;
    case 'd':
      return one_or_array(type, column::double_type());
    case 'v':
      return one_or_array(type, value_type(request.name));
    case 'D':
      return fits_parameter(*type, *column::double_type()) ? column::double_type() : nullptr;
    case 'B':
      return null || kind == TypeKind::boolean ? column::boolean_type() : nullptr;
    case 'm':
      return null || type->is_string() ? column::string_type() : nullptr;
    case 'i':
      return fits_parameter(*type, *column::int_type()) ? column::int_type() : nullptr;
    default:
      return null || kind == TypeKind::int_ ? column::int_type() : nullptr;
  }
}

std::string required(const Request& request, char letter) {
  switch (letter) {
    case 'h':
      return "(\"INT\" or \"BIGINT\" or \"STRING\" or \"BINARY\")";
    case 't':
      return "(\"ARRAY<INT>\" or \"ARRAY<BIGINT>\" or \"BINARY\" or \"DOUBLE\" or \"FLOAT\" or "
             "\"INT\" or \"BIGINT\" or \"STRING\")";
    case 'x':
      return "\"BINARY\"";
    case 'I':
      return "(\"TINYINT\" or \"INT\" or \"BIGINT\" or \"SMALLINT\")";
    case 'F':
      return "\"FLOAT\"";
    case 'f':
      return "(\"FLOAT\" or \"DOUBLE\")";
    case 'd':
      return "(\"DOUBLE\" or \"ARRAY<DOUBLE>\")";
    case 'v': {
      const std::string type = value_type(request.name)->sql();
      return fmt::format("(\"{0}\" or \"ARRAY<{0}>\")", type);
    }
    case 'D':
      return "\"DOUBLE\"";
    case 'B':
      return "\"BOOLEAN\"";
    case 'm':
      return "\"STRING\"";
    default:
      return "\"INT\"";
  }
}

// --- The call

// What a parameter that was left out is. The k of KLL sketches is not shown.
void add_default(Call* call, char letter) {
  std::string shown = "12";
  if (letter == 'B') {
    shown = "false";
    call->added_arguments.push_back(std::make_shared<arrow::BooleanScalar>(false));
  } else if (letter == 'm') {
    shown = "sum";
    call->added_arguments.push_back(string_literal(shown));
  } else if (letter == 'k' || letter == 'K') {
    call->added_arguments.push_back(int_literal(letter == 'k' ? 200 : 0));
    return;
  } else {
    call->added_arguments.push_back(int_literal(12));
  }
  call->pretty.insert(call->pretty.rfind(')'), ", " + shown);
}

Status check_arguments(const Request& request, const std::string& letters, Call* call) {
  const std::size_t given = request.arguments.size();
  for (std::size_t i = given; i < letters.size(); ++i) add_default(call, letters[i]);
  for (std::size_t i = 0; i < given; ++i) {
    const TypePtr type = accepted(request, letters[i], request.arguments[i].type);
    if (type == nullptr) {
      const std::string wanted = required(request, letters[i]);
      Status wrong = unexpected_input(request, i, wanted);
      auto parameters = wrong.info().parameters;
      parameters["sqlExpr"] = "\"" + call->pretty + "\"";
      return Status::error(wrong.condition(), std::move(parameters));
    }
    call->argument_types[i] = type;
  }
  for (std::size_t i = 0; i < given; ++i) {
    if (std::string_view("HGkKm").find(letters[i]) != std::string_view::npos)
      TRY(check_constant(request, *call, letters[i], request.arguments[i]));
  }
  return Status::OK();
}

Result<Call> sketch_call(const Request& request) {
  std::string letters(parameters_of(request.name));
  const auto optional = letters.find('?');
  const std::size_t least = optional == std::string::npos ? letters.size() : optional;
  std::erase(letters, '?');
  const std::size_t given = request.arguments.size();
  if (given < least || given > letters.size()) {
    std::vector<std::string> counts;
    for (std::size_t n = least; n <= letters.size(); ++n) counts.push_back(std::to_string(n));
    return wrong_arity(request, counts.size() == 1 ? counts[0] : "[" + join(counts, ", ") + "]");
  }
  Call call = begin_call(request);
  TRY(check_arguments(request, letters, &call));
  const char result = request.entry.result[0];
  call.type = result == 'l'   ? column::long_type()
              : result == 's' ? column::string_type()
              : result == 'd' ? column::double_type()
              : result == 'v' ? value_type(request.name)
                              : column::binary_type();
  call.nullable = call.kind == FunctionKind::scalar && any_nullable(request);
  // Quantiles of ranks, ranks of values.
  const bool several = given == 2 && call.argument_types[1]->kind() == TypeKind::array;
  if (several) {
    call.type = column::array_type(call.type, false);
    call.name += "_array";
  }
  return call;
}

constexpr Entry scalar(std::string_view name, std::string_view result, std::string_view sql) {
  Entry entry;
  entry.name = name;
  entry.result = result;
  entry.sql = sql;
  entry.rule = sketch_call;
  return entry;
}

constexpr Entry aggregate(std::string_view name) {
  Entry entry = scalar(name, "x", "");
  entry.null = '!';
  entry.kind = FunctionKind::aggregate;
  return entry;
}

// The target of another row's rule.
constexpr Entry of_array(std::string_view name, std::string_view sql) {
  Entry entry;
  entry.name = name;
  entry.sql = sql;
  return entry;
}

const Entry entries[] = {
    aggregate("hll_sketch_agg"),
    aggregate("hll_union_agg"),
    scalar("hll_sketch_estimate", "l", "ms_hll_sketch_estimate({0})"),
    scalar("hll_union", "x", "ms_hll_union({0}, {1}, {2})"),
    aggregate("theta_sketch_agg"),
    aggregate("theta_union_agg"),
    aggregate("theta_intersection_agg"),
    scalar("theta_sketch_estimate", "l", "ms_theta_sketch_estimate({0})"),
    scalar("theta_union", "x", "ms_theta_union({0}, {1}, {2})"),
    scalar("theta_intersection", "x", "ms_theta_intersection({0}, {1})"),
    scalar("theta_difference", "x", "ms_theta_difference({0}, {1})"),
#define MS_TUPLE_FUNCTIONS(kind, sum)                                                             \
  aggregate("tuple_sketch_agg_" kind), aggregate("tuple_union_agg_" kind),                        \
      aggregate("tuple_intersection_agg_" kind),                                                  \
      scalar("tuple_sketch_estimate_" kind, "d", "ms_tuple_sketch_estimate_" kind "({0})"),       \
      scalar("tuple_sketch_theta_" kind, "d", "ms_tuple_sketch_theta_" kind "({0})"),             \
      scalar("tuple_sketch_summary_" kind, sum, "ms_tuple_sketch_summary_" kind "({0}, {1})"),    \
      scalar("tuple_union_" kind, "x", "ms_tuple_union_" kind "({*})"),                           \
      scalar("tuple_union_theta_" kind, "x", "ms_tuple_union_theta_" kind "({*})"),               \
      scalar("tuple_intersection_" kind, "x", "ms_tuple_intersection_" kind "({*})"),             \
      scalar("tuple_intersection_theta_" kind, "x", "ms_tuple_intersection_theta_" kind "({*})"), \
      scalar("tuple_difference_" kind, "x", "ms_tuple_difference_" kind "({*})"),                 \
      scalar("tuple_difference_theta_" kind, "x", "ms_tuple_difference_theta_" kind "({*})")
    MS_TUPLE_FUNCTIONS("double", "d"),
    MS_TUPLE_FUNCTIONS("integer", "l"),
#undef MS_TUPLE_FUNCTIONS
#define MS_KLL_FUNCTIONS(kind)                                                                \
  aggregate("kll_sketch_agg_" kind), aggregate("kll_merge_agg_" kind),                        \
      scalar("kll_sketch_to_string_" kind, "s", "ms_kll_sketch_to_string_" kind "({0})"),     \
      scalar("kll_sketch_get_n_" kind, "l", "ms_kll_sketch_get_n_" kind "({0})"),             \
      scalar("kll_sketch_merge_" kind, "x", "ms_kll_sketch_merge_" kind "({0}, {1})"),        \
      scalar("kll_sketch_get_quantile_" kind, "v",                                            \
             "ms_kll_sketch_get_quantile_" kind "({0}, {1})"),                                \
      scalar("kll_sketch_get_rank_" kind, "d", "ms_kll_sketch_get_rank_" kind "({0}, {1})"),  \
      of_array("kll_sketch_get_quantile_" kind "_array",                                      \
               "list_transform({1}, lambda v: ms_kll_sketch_get_quantile_" kind "({0}, v))"), \
      of_array("kll_sketch_get_rank_" kind "_array",                                          \
               "list_transform({1}, lambda v: ms_kll_sketch_get_rank_" kind "({0}, v))")
    MS_KLL_FUNCTIONS("bigint"),
    MS_KLL_FUNCTIONS("float"),
    MS_KLL_FUNCTIONS("double"),
#undef MS_KLL_FUNCTIONS
};

}  // namespace

std::span<const Entry> sketch_entries() { return entries; }

}  // namespace millstream::functions
