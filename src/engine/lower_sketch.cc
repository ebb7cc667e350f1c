// Aggregates of sketches, and what tells sketches apart.
#include "base/text.h"
#include "engine/lower.h"
#include "engine/sketches.h"

namespace millstream::engine {

using column::TypeKind;

bool is_sketch_aggregate(std::string_view function) {
  if (function.starts_with("kll_sketch_agg_") || function.starts_with("kll_merge_agg_"))
    return true;
  const bool tuple = function.starts_with("tuple_");
  if (!tuple && !function.starts_with("hll_") && !function.starts_with("theta_")) return false;
  const std::string_view name = tuple ? function.substr(0, function.rfind('_')) : function;
  return name.ends_with("_agg");
}

Status check_family(std::string_view bytes, SketchFamily wanted, const std::string& function) {
  static constexpr std::string_view names[] = {"",
                                               "ALPHA",
                                               "QUICKSELECT",
                                               "COMPACT",
                                               "UNION",
                                               "INTERSECTION",
                                               "A_NOT_B",
                                               "HLL",
                                               "QUANTILES",
                                               "TUPLE",
                                               "FREQUENCY",
                                               "RESERVOIR",
                                               "RESERVOIR_UNION",
                                               "VAROPT",
                                               "VAROPT_UNION",
                                               "KLL",
                                               "CPC",
                                               "REQ",
                                               "COUNTMIN",
                                               "EBPPS",
                                               "TDIGEST",
                                               "BLOOMFILTER"};
  if (bytes.size() < 8) return Status::OK();
  const auto found = static_cast<std::size_t>(static_cast<unsigned char>(bytes[2]));
  const auto expected = static_cast<std::size_t>(wanted);
  if (found == expected || found == 0 || found >= std::size(names)) return Status::OK();
  return Status::error(wanted == SketchFamily::theta ? "THETA_INVALID_INPUT_SKETCH_BUFFER_FAMILY"
                                                     : "TUPLE_INVALID_INPUT_SKETCH_BUFFER_FAMILY",
                       {{"function", "`" + function + "`"},
                        {"expectedFamily", std::string(names[expected])},
                        {"actualFamily", std::string(names[found])}});
}

namespace {

// The sketch of a group without values; `size` is the constant that it is made with.
std::string empty_sketch(std::string_view function, const std::string& size) {
  if (function == "hll_sketch_agg") return "ms_hll_empty(" + size + ")";
  if (function == "hll_union_agg") return "ms_hll_empty(12)";
  if (function.find("intersection") != std::string_view::npos) return "ms_no_intersection(0)";
  if (function.starts_with("theta_")) return "ms_theta_empty(12)";
  const std::string type(function.substr(function.rfind('_') + 1));
  if (function.starts_with("tuple_")) return fmt::format("ms_tuple_empty_{}(12)", type);
  return fmt::format("ms_kll_empty_{}({})", type, size);
}

bool counts_keys(std::string_view function) {
  return function == "hll_sketch_agg" || function == "theta_sketch_agg" ||
         function.starts_with("tuple_sketch_agg_");
}

}  // namespace

Result<std::string> ExprLowering::sketch_aggregate(const plan::Expr& expr, Arguments a,
                                                   const std::string& filter) {
  const std::string& name = expr.name;
  const column::TypePtr& type = expr.children[0]->type;
  if (counts_keys(name)) {
    if (type->kind() == TypeKind::long_) {
      a[0] = "ms_sketch_key_long(" + a[0] + ")";
    } else if (type->kind() == TypeKind::double_) {
      a[0] = "ms_sketch_key_double(" + a[0] + ")";
    } else if (type->kind() == TypeKind::array) {
      a[0] = use("sketch_key", {type}, column::binary_type(), {a[0]});
    } else if (type->is_string()) {
      a[0] = "encode(" + a[0] + ")";
    }
  }
  const std::string tail = filter.empty() ? "" : " FILTER (WHERE " + filter + ")";
  const std::string size = a.size() > 1 ? a[1] : "";
  std::string call;
  if (window_over_.empty()) {
    call =
        fmt::format("ms_{}({}{}){}", name, expr.distinct ? "DISTINCT " : "", join(a, ", "), tail);
  } else {
    for (std::string& part : a)
      part = fmt::format("coalesce(list({}){}{}, [])", part, tail, window_over_);
    call = fmt::format("ms_{}_of_lists({})", name, join(a, ", "));
  }
  return fmt::format("coalesce({}, {})", call, empty_sketch(name, size));
}

}  // namespace millstream::engine
