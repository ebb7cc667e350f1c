// Where in a text an error is, as Spark shows it.
#include <algorithm>

#include "base/text.h"
#include "sql/parser.h"

namespace millstream::sql {
namespace {

// Characters shown beside the fragment on its first and last line.
constexpr std::size_t extra_shown_max = 32;

// As Java counts: characters beyond the basic plane are two.
std::size_t utf16_length(std::string_view text) {
  std::size_t length = 0;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte & 0xC0) != 0x80) length += byte >= 0xF0 ? 2 : 1;
  }
  return length;
}

bool inside_character(std::string_view text, std::size_t at) {
  return at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80;
}

struct Place {
  std::size_t line = 1;
  std::size_t line_start = 0;
  std::size_t column = 0;  // characters before it in its line
};

Place place_of(std::string_view text, std::size_t offset) {
  Place place;
  const std::string_view before = text.substr(0, offset);
  place.line += static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n'));
  const std::size_t line_end = before.rfind('\n');
  place.line_start = line_end == std::string_view::npos ? 0 : line_end + 1;
  place.column = utf16_length(before.substr(place.line_start));
  return place;
}

// The lines of the fragment [start, end), each with marks beneath.
std::string marked(std::string_view text, const Place& place, std::size_t start, std::size_t end) {
  std::size_t from = place.line_start;
  const bool left_cut = start - from > extra_shown_max;
  if (left_cut) from = start - extra_shown_max;
  while (inside_character(text, from)) --from;
  std::size_t to = std::min(text.find('\n', end), text.size());
  const bool right_cut = to - end > extra_shown_max;
  if (right_cut) to = end + extra_shown_max;
  while (inside_character(text, to)) --to;
  std::string out;
  for (std::size_t at = from; at <= to;) {
    const std::size_t stop = std::min(text.find('\n', at), to);
    const std::string_view line = text.substr(at, stop - at);
    const bool first = at == from;
    const bool last = stop == to;
    out += (first && left_cut ? "..." : "") + std::string(line) + (last && right_cut ? "..." : "");
    out += '\n';
    if (first && left_cut) out += "   ";
    const std::size_t mark_from = std::clamp(start, at, stop);
    const std::size_t mark_to = std::clamp(end, at, stop);
    out.append(utf16_length(text.substr(at, mark_from - at)), ' ');
    out.append(utf16_length(text.substr(mark_from, mark_to - mark_from)), '^');
    out += '\n';
    at = stop + 1;
  }
  return out;
}

}  // namespace

QueryContext query_context(std::string_view text, std::size_t start, std::size_t end) {
  end = std::min(end, text.size());
  start = std::min(start, end);
  const Place place = place_of(text, start);
  QueryContext context;
  context.is_sql = true;
  context.fragment = std::string(text.substr(start, end - start));
  context.start_index = static_cast<int>(utf16_length(text.substr(0, start)));
  context.stop_index = context.start_index + static_cast<int>(utf16_length(context.fragment)) - 1;
  context.summary = fmt::format("== SQL (line {}, position {}) ==\n{}", place.line,
                                place.column + 1, marked(text, place, start, end));
  return context;
}

Status with_place(const Status& status, std::string_view text, std::size_t start, std::size_t end) {
  ErrorInfo info = status.info();
  info.contexts.push_back(query_context(text, start, end));
  if (info.kind == ErrorKind::analysis) {
    const Place place = place_of(text, std::min(start, text.size()));
    info.message += fmt::format("; line {} pos {}", place.line, place.column);
  }
  return Status(std::move(info));
}

}  // namespace millstream::sql
