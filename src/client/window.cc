#include "client/expressions.h"
#include "spark/connect/expressions.pb.h"

namespace millstream::api {
namespace {

using Boundary = spark::connect::Expression_Window_WindowFrame_FrameBoundary;

void set_boundary(std::int64_t value, bool is_rows, Boundary* boundary) {
  if (value == WindowSpec::unbounded_preceding || value == WindowSpec::unbounded_following) {
    boundary->set_unbounded(true);
  } else if (value == WindowSpec::current_row) {
    boundary->set_current_row(true);
  } else if (is_rows) {
    boundary->mutable_value()->mutable_literal()->set_integer(static_cast<std::int32_t>(value));
  } else {
    boundary->mutable_value()->mutable_literal()->set_long_(value);
  }
}

std::vector<Column> columns_of(const std::vector<ColumnOrName>& given) {
  std::vector<Column> columns;
  for (const ColumnOrName& one : given) columns.push_back(one.column());
  return columns;
}

}  // namespace

WindowSpec WindowSpec::partition_by(const std::vector<ColumnOrName>& columns) const {
  WindowSpec spec = *this;
  spec.partition_by_ = columns_of(columns);
  return spec;
}
WindowSpec WindowSpec::order_by(const std::vector<ColumnOrName>& columns) const {
  WindowSpec spec = *this;
  spec.order_by_ = columns_of(columns);
  return spec;
}
WindowSpec WindowSpec::rows_between(std::int64_t start, std::int64_t end) const {
  WindowSpec spec = *this;
  spec.frame_ = Frame::rows;
  spec.start_ = start;
  spec.end_ = end;
  return spec;
}
WindowSpec WindowSpec::range_between(std::int64_t start, std::int64_t end) const {
  WindowSpec spec = rows_between(start, end);
  spec.frame_ = Frame::range;
  return spec;
}

Column Column::over(const WindowSpec& window) const {
  auto expression = std::make_shared<spark::connect::Expression>();
  auto* out = expression->mutable_window();
  *out->mutable_window_function() = this->expression();
  for (const Column& column : window.partition_by_)
    *out->add_partition_spec() = column.expression();
  for (const Column& column : window.order_by_)
    client::to_sort_order(column, out->add_order_spec());
  if (window.frame_ != WindowSpec::Frame::none) {
    using Frame = spark::connect::Expression_Window_WindowFrame;
    const bool is_rows = window.frame_ == WindowSpec::Frame::rows;
    auto* frame = out->mutable_frame_spec();
    frame->set_frame_type(is_rows ? Frame::FRAME_TYPE_ROW : Frame::FRAME_TYPE_RANGE);
    set_boundary(window.start_, is_rows, frame->mutable_lower());
    set_boundary(window.end_, is_rows, frame->mutable_upper());
  }
  return Column(std::move(expression));
}

}  // namespace millstream::api
