// What may follow a call: FILTER and OVER.
#include <algorithm>
#include <cctype>
#include <set>

#include "base/text.h"
#include "sql/grammar.h"

namespace millstream::sql {

// first_value and last_value lose their own names by it, as in Spark.
void ignore_nulls(sc::Expression_UnresolvedFunction& call) {
  if (equals_ignore_case(call.function_name(), "first_value")) call.set_function_name("first");
  if (equals_ignore_case(call.function_name(), "last_value")) call.set_function_name("last");
  // All of lag's arguments, so that the last is no default.
  const bool shifts = equals_ignore_case(call.function_name(), "lag") ||
                      equals_ignore_case(call.function_name(), "lead");
  if (shifts && call.arguments_size() == 1) call.add_arguments()->mutable_literal()->set_integer(1);
  if (shifts && call.arguments_size() == 2)
    call.add_arguments()->mutable_literal()->mutable_null()->mutable_null();
  call.add_arguments()->mutable_literal()->set_boolean(true);
}

Status Grammar::after_call(sc::Expression& out) {
  if (is_word("WITHIN") && is_word("GROUP", 1)) TRY(within_group(out));
  if (is_word("FILTER") && is_symbol("(", 1)) {
    take();
    take();
    TRY(expect_word("WHERE"));
    sc::Expression condition;
    TRY(expression(condition));
    TRY(expect_symbol(")"));
    wrap(out, "ms_filter", condition);
  }
  const bool ignore = is_word("IGNORE") && is_word("NULLS", 1);
  if (ignore || (is_word("RESPECT") && is_word("NULLS", 1))) {
    take();
    take();
    if (ignore) ignore_nulls(*out.mutable_unresolved_function());
  }
  if (!is_word("OVER")) return Status::OK();
  take();
  sc::Expression function;
  function.Swap(&out);
  TRY(window_specification(*out.mutable_window()));
  out.mutable_window()->mutable_window_function()->Swap(&function);
  return Status::OK();
}

// f(a) WITHIN GROUP (ORDER BY b): the call and its order.
Status Grammar::within_group(sc::Expression& out) {
  take();
  take();
  wrap(out, "ms_within_group");
  TRY(expect_symbol("("));
  TRY(expect_word("ORDER"));
  TRY(expect_word("BY"));
  do {
    TRY(sort_item(*out.mutable_unresolved_function()->add_arguments()->mutable_sort_order()));
  } while (accept_symbol(","));
  return expect_symbol(")");
}

// name, (name), or ([PARTITION BY …] [ORDER BY …] [frame])
Status Grammar::window_specification(sc::Expression_Window& window) {
  const bool named = is_name() || (is_symbol("(") && is_name(1) && is_symbol(")", 2));
  if (named) {
    const bool bracket = accept_symbol("(");
    const Token name = take();
    if (bracket) take();
    const auto found = windows_.find(to_lower(name.value));
    if (found == windows_.end()) {
      return Status::error(
          "MISSING_WINDOW_SPECIFICATION",
          {{"windowName", name.value}, {"docroot", "https://spark.apache.org/docs/latest"}});
    }
    window = found->second;
    return Status::OK();
  }
  TRY(expect_symbol("("));
  if (is_word("CLUSTER")) {
    take();
    TRY(expect_word("BY"));
    do {
      TRY(expression(*window.add_partition_spec()));
    } while (accept_symbol(","));
    return expect_symbol(")");
  }
  if (is_word("PARTITION") || is_word("DISTRIBUTE")) {
    take();
    TRY(expect_word("BY"));
    do {
      TRY(expression(*window.add_partition_spec()));
    } while (accept_symbol(","));
  }
  if (is_word("ORDER") || is_word("SORT")) {
    take();
    TRY(expect_word("BY"));
    do {
      TRY(sort_item(*window.add_order_spec()));
    } while (accept_symbol(","));
  }
  if (is_word("ROWS") || is_word("RANGE")) TRY(frame(window));
  return expect_symbol(")");
}

Status Grammar::sort_item(sc::Expression_SortOrder& order) {
  using Order = sc::Expression_SortOrder;
  TRY(expression(*order.mutable_child()));
  const bool descending = accept_word("DESC");
  if (!descending) accept_word("ASC");
  order.set_direction(descending ? Order::SORT_DIRECTION_DESCENDING
                                 : Order::SORT_DIRECTION_ASCENDING);
  bool nulls_first = !descending;
  if (accept_word("NULLS")) {
    nulls_first = is_word("FIRST");
    if (!nulls_first && !is_word("LAST")) return unexpected();
    take();
  }
  order.set_null_ordering(nulls_first ? Order::SORT_NULLS_FIRST : Order::SORT_NULLS_LAST);
  return Status::OK();
}

Status Grammar::frame(sc::Expression_Window& window) {
  using Frame = sc::Expression_Window_WindowFrame;
  auto* spec = window.mutable_frame_spec();
  spec->set_frame_type(accept_word("ROWS") ? Frame::FRAME_TYPE_ROW : Frame::FRAME_TYPE_RANGE);
  accept_word("RANGE");
  if (accept_word("BETWEEN")) {
    TRY(frame_bound(*spec->mutable_lower()));
    TRY(expect_word("AND"));
    return frame_bound(*spec->mutable_upper());
  }
  TRY(frame_bound(*spec->mutable_lower()));
  spec->mutable_upper()->set_current_row(true);
  return Status::OK();
}

namespace {

// What Spark finds constant before it knows of functions: literals, casts and operators.
bool is_constant(const sc::Expression& e) {
  if (e.has_cast()) return is_constant(e.cast().expr());
  if (!e.has_unresolved_function()) return e.has_literal();
  const auto& call = e.unresolved_function();
  const std::string& name = call.function_name();
  const bool word = !name.empty() && (std::isalpha(static_cast<unsigned char>(name[0])) != 0);
  static const std::set<std::string> operators = {
      "and", "or", "not", "div", "when", "negative", "positive", "ms_local_timestamp"};
  if (word && !operators.contains(name)) return false;
  return std::all_of(call.arguments().begin(), call.arguments().end(), is_constant);
}

}  // namespace

Status Grammar::frame_bound(sc::Expression_Window_WindowFrame_FrameBoundary& bound) {
  if (accept_word("UNBOUNDED")) {
    if (!is_word("PRECEDING") && !is_word("FOLLOWING")) return unexpected();
    take();
    bound.set_unbounded(true);
    return Status::OK();
  }
  if (accept_word("CURRENT")) {
    TRY(expect_word("ROW"));
    bound.set_current_row(true);
    return Status::OK();
  }
  sc::Expression value;
  const Token& first = peek();
  TRY(binary(value, 0));
  if (!is_constant(value)) {
    return legacy_error(first, "Frame bound value must be a literal.");
  }
  const bool preceding = is_word("PRECEDING");
  if (!preceding && !is_word("FOLLOWING")) return unexpected();
  take();
  if (preceding) wrap(value, "-");
  bound.mutable_value()->Swap(&value);
  return Status::OK();
}

}  // namespace millstream::sql
