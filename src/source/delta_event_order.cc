#include "source/delta_event_order.h"

#include <algorithm>
#include <limits>
#include <tuple>

#include "delta/stats.h"
#include "delta/values.h"

namespace millstream::source {
namespace {

using delta::FeedFile;
using Limits = std::numeric_limits<std::int64_t>;

struct Span {
  std::int64_t first_ms = Limits::min();
  std::int64_t last_ms = Limits::max();
};

std::int64_t floor_ms(std::int64_t micros) { return micros / 1000 - (micros % 1000 < 0 ? 1 : 0); }

Span span_of(const delta::AddFile& file, const delta::ColumnRef& column) {
  Span unknown;
  if (column.partition) {
    const auto found = file.partition_values.find(column.physical_path[0]);
    if (found == file.partition_values.end() || !found->second) return unknown;
    const auto micros = delta::parse_timestamp(*found->second);
    if (!micros || !delta::says_its_zone(*found->second)) return unknown;
    return {floor_ms(*micros), floor_ms(*micros)};
  }
  const auto stats = delta::parse_stats(file.stats);
  const auto found = stats.columns.find(column.physical_path);
  if (found == stats.columns.end()) return unknown;
  const auto& bounds = found->second;
  // Without an event time no row is late.
  if (bounds.null_count && stats.rows && *bounds.null_count == *stats.rows)
    return {Limits::min(), Limits::min()};
  if (!bounds.min || !bounds.max) return unknown;
  const auto first = delta::parse_timestamp(bounds.min->text);
  const auto last = delta::parse_timestamp(bounds.max->text);
  if (!first || !last) return unknown;
  return {floor_ms(*first), floor_ms(*last)};
}

}  // namespace

Status check_event_time(const delta::TableInfo& info, const connector::EventTime& event_time) {
  const auto column =
      event_time.column.empty() ? std::nullopt : delta::find_column(info, {event_time.column});
  if (column && column->field->type->kind() == column::TypeKind::timestamp) return Status::OK();
  return Status::invalid(
      "withEventTimeOrder needs withWatermark on a column of the Delta table of type TIMESTAMP, as "
      "the table has it: by it the initial snapshot is put in order");
}

std::vector<bool> order_by_event_time(std::vector<FeedFile>& files, const delta::TableInfo& info,
                                      const connector::EventTime& event_time) {
  const auto column = delta::find_column(info, {event_time.column});
  CHECK(column.has_value());
  std::vector<std::pair<Span, FeedFile>> spans;
  spans.reserve(files.size());
  for (auto& file : files) {
    const Span span = span_of(*file.file, *column);
    spans.emplace_back(span, std::move(file));
  }
  std::ranges::sort(spans, {}, [](const auto& at) {
    const auto& [span, file] = at;
    return std::tie(span.first_ms, span.last_ms, file.file->modification_time, file.file->path);
  });
  std::vector<bool> may_end(spans.size(), true);
  std::int64_t latest = Limits::min();
  for (std::size_t i = 0; i < spans.size(); ++i) {
    const Span& span = spans[i].first;
    latest = std::max(latest, span.last_ms);
    if (i + 1 == spans.size()) break;
    const bool bounded = latest > Limits::min() + event_time.delay_ms;
    const std::int64_t watermark = bounded ? latest - event_time.delay_ms : Limits::min();
    // Only rows without an event time so far move no watermark.
    may_end[i] = latest == Limits::min() || spans[i + 1].first.first_ms > watermark;
  }
  for (std::size_t i = 0; i < spans.size(); ++i) files[i] = std::move(spans[i].second);
  return may_end;
}

}  // namespace millstream::source
