// What may follow a call: FILTER and OVER.
#include "base/text.h"
#include "sql/expression_parser.h"

namespace millstream::sql {

Status ExpressionParser::after_call(sc::Expression& out) {
  if (is_word("WITHIN") && is_word("GROUP", 1)) {
    return Status::unsupported("WITHIN GROUP is not supported");
  }
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
    if (ignore) {
      out.mutable_unresolved_function()->add_arguments()->mutable_literal()->set_boolean(true);
    }
  }
  if (!is_word("OVER")) return Status::OK();
  take();
  if (!is_symbol("("))
    return Status::unsupported("named windows are not supported: OVER {}", peek().text);
  sc::Expression function;
  function.Swap(&out);
  return window(function, out);
}

Status ExpressionParser::window(sc::Expression& function, sc::Expression& out) {
  TRY(expect_symbol("("));
  auto* window = out.mutable_window();
  window->mutable_window_function()->Swap(&function);
  if (is_word("PARTITION") || is_word("DISTRIBUTE")) {
    take();
    TRY(expect_word("BY"));
    do {
      TRY(expression(*window->add_partition_spec()));
    } while (accept_symbol(","));
  }
  if (is_word("ORDER") || is_word("SORT")) {
    take();
    TRY(expect_word("BY"));
    do {
      TRY(sort_item(*window->add_order_spec()));
    } while (accept_symbol(","));
  }
  if (is_word("ROWS") || is_word("RANGE")) TRY(frame(*window));
  return expect_symbol(")");
}

Status ExpressionParser::sort_item(sc::Expression_SortOrder& order) {
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

Status ExpressionParser::frame(sc::Expression_Window& window) {
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

Status ExpressionParser::frame_bound(sc::Expression_Window_WindowFrame_FrameBoundary& bound) {
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
  TRY(binary(value, 0));
  const bool preceding = is_word("PRECEDING");
  if (!preceding && !is_word("FOLLOWING")) return unexpected();
  take();
  if (preceding) wrap(value, "negative");
  bound.mutable_value()->Swap(&value);
  return Status::OK();
}

}  // namespace millstream::sql
