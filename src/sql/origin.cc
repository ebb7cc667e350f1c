// Where in a text an error is, as Spark shows it.
#include <algorithm>
#include <memory>
#include <vector>

#include "base/text.h"
#include "base/utf16.h"
#include "sql/parser.h"

namespace millstream::sql {
namespace {

// Characters shown beside the fragment on its first and last line.
constexpr std::size_t extra_shown_max = 32;

bool inside_character(std::string_view text, std::size_t at) {
  return at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80;
}

struct Place {
  std::size_t line = 1;
  std::size_t line_start = 0;
  std::size_t column = 0;  // characters before it in its line
};

// Where each stretch of a text begins, so that a place in it costs no walk from its start: each
// expression of a long text has one.
class Stretches {
 public:
  explicit Stretches(std::string_view text) : text_(text) {
    Start at;
    for (std::size_t offset = 0; offset < text.size(); ++offset) {
      if (offset % stretch_bytes == 0) starts_.push_back(at);
      step(text[offset], offset, at);
    }
    if (text.size() % stretch_bytes == 0) starts_.push_back(at);
  }

  std::string_view text() const { return text_; }

  Place place_of(std::size_t offset) const {
    const Start at = start_of(offset);
    return {at.line, at.line_start, at.utf16 - at.line_utf16};
  }
  std::size_t utf16_before(std::size_t offset) const { return start_of(offset).utf16; }

 private:
  static constexpr std::size_t stretch_bytes = 512;

  struct Start {
    std::size_t line = 1;
    std::size_t line_start = 0;
    std::size_t utf16 = 0;       // characters before it, as Java counts
    std::size_t line_utf16 = 0;  // and before its line
  };

  static void step(char c, std::size_t offset, Start& at) {
    at.utf16 += utf16_length({&c, 1});
    if (c != '\n') return;
    ++at.line;
    at.line_start = offset + 1;
    at.line_utf16 = at.utf16;
  }

  Start start_of(std::size_t offset) const {
    Start at = starts_[offset / stretch_bytes];
    for (std::size_t i = offset / stretch_bytes * stretch_bytes; i < offset; ++i)
      step(text_[i], i, at);
    return at;
  }

  const std::string_view text_;
  std::vector<Start> starts_;
};

// The text that the thread's analysis is in (TextScope), and its stretches once they are asked for.
struct KnownText {
  std::string_view text;
  std::unique_ptr<const Stretches> stretches;
};
thread_local KnownText known_text;

// Calls f with the stretches of any text.
template <typename F>
auto with_stretches(std::string_view text, const F& f) {
  if (text.data() != known_text.text.data() || text.size() != known_text.text.size())
    return f(Stretches(text));
  if (known_text.stretches == nullptr)
    known_text.stretches = std::make_unique<const Stretches>(text);
  return f(*known_text.stretches);
}

// The lines of the fragment [start, end), each with marks beneath.
std::string marked(std::string_view text, const Place& place, std::size_t start, std::size_t end) {
  std::size_t from = place.line_start;
  const bool left_cut = start - from > extra_shown_max;
  if (left_cut) from = start - extra_shown_max;
  while (inside_character(text, from)) --from;
  // A line may be the whole of a long text: no more of it is looked at than is shown.
  text = text.substr(0, end + extra_shown_max + 4);
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

TextScope::TextScope(std::string_view text) : outer_(known_text.text) { known_text = {text, {}}; }
TextScope::~TextScope() { known_text = {outer_, {}}; }

QueryContext query_context(std::string_view text, std::size_t start, std::size_t end) {
  end = std::min(end, text.size());
  start = std::min(start, end);
  const auto [place, before] = with_stretches(text, [&](const Stretches& known) {
    return std::pair(known.place_of(start), known.utf16_before(start));
  });
  QueryContext context;
  context.is_sql = true;
  context.fragment = std::string(text.substr(start, end - start));
  context.start_index = static_cast<int>(before);
  context.stop_index = context.start_index + static_cast<int>(utf16_length(context.fragment)) - 1;
  context.summary = fmt::format("== SQL (line {}, position {}) ==\n{}", place.line,
                                place.column + 1, marked(text, place, start, end));
  return context;
}

Status with_place(const Status& status, std::string_view text, std::size_t start, std::size_t end) {
  ErrorInfo info = status.info();
  info.contexts.push_back(query_context(text, start, end));
  if (info.kind == ErrorKind::analysis) {
    const Place place = with_stretches(
        text, [&](const Stretches& known) { return known.place_of(std::min(start, text.size())); });
    info.message += fmt::format("; line {} pos {}", place.line, place.column);
  }
  return Status(std::move(info));
}

}  // namespace millstream::sql
