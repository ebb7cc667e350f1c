#include "format/csv_tokens.h"

#include "base/text.h"

namespace millstream::format {
namespace {

bool is_blank(char c) { return static_cast<unsigned char>(c) <= ' '; }

}  // namespace

struct CsvTokens::Cursor {
  std::string_view text;
  std::size_t place = 0;
  bool lines = false;  // a line end ends the record

  bool done() const { return place >= text.size(); }
  bool at(std::string_view what) const { return text.substr(place, what.size()) == what; }
  bool at_line_end() const {
    return lines && !done() && (text[place] == '\n' || text[place] == '\r');
  }
};

bool CsvTokens::ends_value(const Cursor& at) const {
  return at.done() || at.at_line_end() || at.at(options_.separator);
}

bool CsvTokens::is_skipped(std::string_view line) const {
  if (options_.comment != 0 && !line.empty() && line[0] == options_.comment) return true;
  for (const char c : line) {
    if (!is_blank(c)) return false;
  }
  return true;
}

Status CsvTokens::add(std::string_view text, bool quoted) {
  if (options_.value_chars_max >= 0 &&
      static_cast<std::int64_t>(utf8_length(text)) > options_.value_chars_max) {
    return Status::invalid("a value of more than {} characters (maxCharsPerColumn)",
                           options_.value_chars_max);
  }
  if (static_cast<std::int64_t>(values_.size()) >= options_.columns_max) {
    return Status::invalid("a record of more than {} values (maxColumns)", options_.columns_max);
  }
  Value value;
  value.text = quoted && text.empty() ? std::string_view(options_.empty_value) : text;
  value.is_null = (!quoted && text.empty()) || value.text == options_.null_value;
  values_.push_back(value);
  return Status::OK();
}

void CsvTokens::skip_to_end(Cursor& at) const {
  const char first = options_.separator[0];
  while (!at.done()) {
    const char c = at.text[at.place];
    if ((c == first && at.at(options_.separator)) || (at.lines && (c == '\n' || c == '\r'))) break;
    ++at.place;
  }
}

Status CsvTokens::add_unquoted(std::string_view value) {
  if (options_.trim_end) {
    while (!value.empty() && is_blank(value.back())) value.remove_suffix(1);
  }
  return add(value, false);
}

Status CsvTokens::unquoted(Cursor& at, std::size_t begin) {
  skip_to_end(at);
  return add_unquoted(at.text.substr(begin, at.place - begin));
}

// `begin`: where the quote is.
Status CsvTokens::quoted(Cursor& at, std::size_t begin) {
  using Handling = CsvOptions::UnescapedQuote;
  std::string content;
  for (at.place = begin + 1; !at.done();) {
    const char c = at.text[at.place];
    const bool more = at.place + 1 < at.text.size();
    const char next = more ? at.text[at.place + 1] : '\0';
    if (options_.escape != 0 && c == options_.escape && options_.escape != options_.quote) {
      if (more && next == options_.quote) {
        content += next;
        at.place += 2;
        continue;
      }
      if (more && next == options_.escape && options_.escape_of_escape == options_.escape) {
        content += c;
        at.place += 2;
        continue;
      }
      if (more) content += c;  // at the very end it is lost
      ++at.place;
      continue;
    }
    if (at.lines && c == '\r' && next == '\n') {
      content += next;  // line ends within a value are read as one
      at.place += 2;
      continue;
    }
    if (c != options_.quote) {
      content += c;
      ++at.place;
      continue;
    }
    if (options_.escape == options_.quote && more && next == options_.quote) {
      content += c;
      at.place += 2;
      continue;
    }
    // Of several quotes in a row the last one may close the value; the others are content.
    std::size_t quotes = 1;
    if (options_.escape != options_.quote) {
      while (at.place + quotes < at.text.size() && at.text[at.place + quotes] == options_.quote)
        ++quotes;
    }
    Cursor after = at;
    after.place += quotes;
    while (!ends_value(after) && is_blank(after.text[after.place])) ++after.place;
    if (ends_value(after)) {
      at.place = after.place;
      content.append(quotes - 1, options_.quote);
      owned_.push_back(std::move(content));
      return add(owned_.back(), true);
    }
    switch (options_.unescaped_quote) {
      case Handling::stop_at_delimiter: {
        // What was read stays, delimiters too; from here on the value goes on without quotes.
        const std::size_t from = at.place;
        at.place += quotes;
        skip_to_end(at);
        content.insert(0, 1, options_.quote);
        content += at.text.substr(from, at.place - from);
        owned_.push_back(std::move(content));
        return add_unquoted(owned_.back());
      }
      case Handling::stop_at_closing_quote:
        content.append(quotes, options_.quote);
        at.place += quotes;
        continue;
      case Handling::skip_value:
        while (!ends_value(at)) ++at.place;
        values_.push_back({{}, true});
        return Status::OK();
      case Handling::raise_error:
        return Status::invalid("Unescaped quote character '{}' inside quoted value of CSV field",
                               options_.quote);
    }
  }
  owned_.push_back(std::move(content));
  return add(owned_.back(), true);
}

Result<std::size_t> CsvTokens::take(std::string_view text, bool at_end) {
  values_.clear();
  owned_.clear();
  Cursor at{text, 0, true};
  for (;;) {
    std::size_t begin = at.place;
    if (options_.trim_start) {
      while (!ends_value(at) && is_blank(at.text[at.place])) ++at.place;
      begin = at.place;
    }
    const bool quote = options_.quote != 0 && !at.done() && at.text[at.place] == options_.quote;
    TRY(quote ? quoted(at, begin) : unquoted(at, begin));
    if (at.done()) {
      if (!at_end) return std::size_t{0};
      return text.size();
    }
    if (at.at_line_end()) break;
    at.place += options_.separator.size();
  }
  const bool pair =
      at.text[at.place] == '\r' && at.place + 1 < text.size() && at.text[at.place + 1] == '\n';
  if (at.text[at.place] == '\r' && at.place + 1 == text.size() && !at_end) return std::size_t{0};
  return at.place + (pair ? 2 : 1);
}

Status CsvTokens::split(std::string_view record) {
  values_.clear();
  owned_.clear();
  Cursor at{record, 0, false};
  for (;;) {
    std::size_t begin = at.place;
    if (options_.trim_start) {
      while (!ends_value(at) && is_blank(at.text[at.place])) ++at.place;
      begin = at.place;
    }
    const bool quote = options_.quote != 0 && !at.done() && at.text[at.place] == options_.quote;
    TRY(quote ? quoted(at, begin) : unquoted(at, begin));
    if (at.done()) return Status::OK();
    at.place += options_.separator.size();
  }
}

}  // namespace millstream::format
