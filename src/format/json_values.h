// The templates of JsonRows: how each type takes a value from a scanner. Included by json_rows.cc
// alone.
#pragma once

#include <limits>
#include <unordered_map>

#include "base/text.h"
#include "format/json_lenient.h"
#include "format/json_rows.h"

namespace millstream::format {

template <typename Scanner>
Outcome JsonRows::read_root(Scanner& scanner) {
  if (scanner.peek() == Token::object) return read_row(scanner);
  if (scanner.peek() != Token::array) return Outcome::malformed;
  bool empty;
  if (!scanner.open_array(empty)) return Outcome::malformed;
  Outcome worst = Outcome::ok;
  for (bool more = !empty; more;) {
    if (scanner.peek() != Token::object) return Outcome::malformed;
    worst = worse_of(worst, read_row(scanner));
    if (worst == Outcome::malformed || !scanner.more_elements(more)) return Outcome::malformed;
  }
  return worst;
}

template <typename Scanner>
Outcome JsonRows::read_row(Scanner& scanner) {
  const Outcome outcome = read_object(scanner, root_, row_);
  if (outcome == Outcome::malformed) return outcome;
  if (!rescued_text_.empty()) {
    rescued_.set_string(row_, rescued_text_.object(file_path_member_));
    rescued_text_.clear();
  }
  ++row_;
  return outcome;
}

template <typename Scanner>
Outcome JsonRows::read_object(Scanner& scanner, JsonColumn& column, std::int64_t row) {
  bool empty;
  if (!scanner.open_object(empty)) return Outcome::malformed;
  auto& children = column.children();
  Outcome worst = Outcome::ok;
  int previous = -1;
  std::string spelling;
  for (bool more = !empty; more;) {
    int index = column.successor(previous);
    bool other_spelling = false;
    if (children.empty() || !scanner.take_key(children[static_cast<std::size_t>(index)].key())) {
      std::string_view key;
      if (!scanner.read_key(key)) return Outcome::malformed;
      index = column.find_child(key);
      if (index < 0 && !settings_.options.case_sensitive) {
        index = column.find_child_ignore_case(key);
        other_spelling = index >= 0;
        if (other_spelling) spelling = json_quote(key);
      }
      if (index < 0) {
        if (read_unknown(scanner, column, key) == Outcome::malformed) return Outcome::malformed;
        if (!scanner.more_members(more)) return Outcome::malformed;
        continue;
      }
      column.successor(previous) = index;
    }
    auto& child = children[static_cast<std::size_t>(index)];
    const Outcome outcome =
        keeps_text()
            ? read_member_keeping_text(scanner, child, row, other_spelling ? &spelling : nullptr)
            : read_value(scanner, child, row);
    if (outcome != Outcome::ok) {
      if (outcome == Outcome::malformed) return outcome;
      worst = Outcome::partial;
    }
    previous = index;
    if (!scanner.more_members(more)) return Outcome::malformed;
  }
  return worst;
}

template <typename Scanner>
Outcome JsonRows::read_unknown(Scanner& scanner, const JsonColumn& column, std::string_view key) {
  if (!keeps_text()) return scanner.skip_value() ? Outcome::ok : Outcome::malformed;
  const bool is_variant_of_known = column.find_child_ignore_case(key) >= 0;
  const std::string source(scanner.key_source());
  const char* begin = scanner.next_begin();
  if (!scanner.skip_value()) return Outcome::malformed;
  const std::string_view value(begin, static_cast<std::size_t>(scanner.last_end() - begin));
  if (settings_.fill_rescued) rescued_text_.add(source, value);
  if (tracks_unknown_ && !is_variant_of_known) unknown_text_.add(source, value);
  return Outcome::ok;
}

template <typename Scanner>
Outcome JsonRows::read_member_keeping_text(Scanner& scanner, JsonColumn& column, std::int64_t row,
                                           const std::string* spelling) {
  const auto rescued_mark = rescued_text_.mark();
  const auto unknown_mark = unknown_text_.mark();
  const char* begin = scanner.next_begin();
  const Outcome outcome = read_value(scanner, column, row);
  if (outcome == Outcome::malformed) return outcome;
  const bool rescued_within = rescued_text_.grew(rescued_mark);
  const bool unknown_within = unknown_text_.grew(unknown_mark);
  if (outcome == Outcome::ok && !rescued_within && !unknown_within) return outcome;
  const std::string key = spelling != nullptr ? *spelling : json_quote(column.name());
  const std::string_view value(begin, static_cast<std::size_t>(scanner.last_end() - begin));
  const bool is_list =
      column.kind() == JsonColumn::Kind::array || column.kind() == JsonColumn::Kind::map;
  if (outcome == Outcome::bad || is_list) {
    rescued_text_.forget_from(rescued_mark);
    if (settings_.fill_rescued) rescued_text_.add(key, value);
    if (unknown_within) {
      unknown_text_.forget_from(unknown_mark);
      unknown_text_.add(key, value);
    }
    return outcome;
  }
  if (rescued_within) rescued_text_.wrap(rescued_mark, key);
  if (unknown_within) unknown_text_.wrap(unknown_mark, key);
  return outcome;
}

template <typename Scanner>
Outcome JsonRows::read_value(Scanner& scanner, JsonColumn& column, std::int64_t row) {
  using Kind = JsonColumn::Kind;
  switch (column.kind()) {
    case Kind::skipped:
      return scanner.skip_value() ? Outcome::ok : Outcome::malformed;
    case Kind::string:
      return read_text(scanner, column, row);
    case Kind::int64:
      return read_integer<Scanner, std::int64_t>(scanner, column, row);
    case Kind::int32:
      return read_integer<Scanner, std::int32_t>(scanner, column, row);
    case Kind::int16:
      return read_integer<Scanner, std::int16_t>(scanner, column, row);
    case Kind::int8:
      return read_integer<Scanner, std::int8_t>(scanner, column, row);
    case Kind::float64:
      return read_floating<Scanner, double>(scanner, column, row);
    case Kind::float32:
      return read_floating<Scanner, float>(scanner, column, row);
    case Kind::boolean: {
      const Token token = scanner.peek();
      if (token != Token::true_ && token != Token::false_) return read_other(scanner, column, row);
      const bool value = token == Token::true_;
      if (!scanner.take_literal(value ? "true" : "false")) return Outcome::malformed;
      column.set<std::uint8_t>(row, value ? 1 : 0);
      return Outcome::ok;
    }
    case Kind::decimal:
    case Kind::date:
    case Kind::timestamp:
    case Kind::timestamp_ntz:
    case Kind::time:
    case Kind::day_time:
    case Kind::year_month:
    case Kind::binary:
      return read_from_text(scanner, column, row);
    case Kind::struct_: {
      if (scanner.peek() != Token::object) return read_other(scanner, column, row);
      column.set_struct(row);
      return read_object(scanner, column, row);
    }
    case Kind::array:
      return read_array(scanner, column, row);
    case Kind::map:
      return read_map(scanner, column, row);
    case Kind::null:
      return read_other(scanner, column, row);
  }
  return Outcome::malformed;
}

// A token that the column's type does not take: NULL, which is fine when it is the literal null.
template <typename Scanner>
Outcome JsonRows::read_other(Scanner& scanner, JsonColumn& column, std::int64_t row) {
  column.set_null(row);
  if (scanner.peek() == Token::null) {
    return scanner.take_literal("null") ? Outcome::ok : Outcome::malformed;
  }
  return scanner.skip_value() ? Outcome::bad : Outcome::malformed;
}

template <typename Scanner, typename T>
Outcome JsonRows::read_integer(Scanner& scanner, JsonColumn& column, std::int64_t row) {
  if (scanner.peek() != Token::number) return read_other(scanner, column, row);
  std::int64_t value;
  Outcome outcome = scanner.read_integer(value);
  // Jackson takes a byte to be signed or unsigned, so Spark reads 128 … 255 as negative numbers.
  if (sizeof(T) == 1 && outcome == Outcome::ok && value > 127 && value <= 255) value -= 256;
  if (outcome == Outcome::ok && (sizeof(T) == 8 || (value >= std::numeric_limits<T>::min() &&
                                                    value <= std::numeric_limits<T>::max()))) {
    column.set<T>(row, static_cast<T>(value));
    return Outcome::ok;
  }
  if (outcome == Outcome::malformed) return outcome;
  column.set_null(row);
  return Outcome::bad;
}

template <typename Scanner, typename T>
Outcome JsonRows::read_floating(Scanner& scanner, JsonColumn& column, std::int64_t row) {
  std::string_view text;
  double special;
  switch (scanner.peek()) {
    case Token::number: {
      NumberKind kind;
      if (!scanner.read_number(text, kind)) return Outcome::malformed;
      if constexpr (sizeof(T) == 8) {
        column.set<double>(row, parse_double(text));
      } else {
        column.set<float>(row, parse_float(text));
      }
      return Outcome::ok;
    }
    case Token::non_finite:
      if (!scanner.read_non_finite(text)) return Outcome::malformed;
      parse_non_finite(text, true, special);
      column.set<T>(row, static_cast<T>(special));
      return Outcome::ok;
    case Token::string:
      if (!scanner.read_string(text)) return Outcome::malformed;
      if (parse_non_finite(text, false, special)) {
        column.set<T>(row, static_cast<T>(special));
        return Outcome::ok;
      }
      column.set_null(row);
      return Outcome::bad;
    default:
      return read_other(scanner, column, row);
  }
}

template <typename Scanner>
Outcome JsonRows::read_text(Scanner& scanner, JsonColumn& column, std::int64_t row) {
  const Token token = scanner.peek();
  if (token == Token::string) {
    return scanner.read_string_into(column, row) ? Outcome::ok : Outcome::malformed;
  }
  if (token == Token::null) return read_other(scanner, column, row);
  const char* begin = scanner.next_begin();
  if (!scanner.skip_value()) return Outcome::malformed;
  column.set_string(row, {begin, static_cast<std::size_t>(scanner.last_end() - begin)});
  return Outcome::ok;
}

template <typename Scanner>
Outcome JsonRows::read_from_text(Scanner& scanner, JsonColumn& column, std::int64_t row) {
  const Token token = scanner.peek();
  std::string_view text;
  NumberKind kind = NumberKind::none;
  if (token == Token::string) {
    if (!scanner.read_string(text)) return Outcome::malformed;
  } else if (token == Token::number && column.kind() == JsonColumn::Kind::decimal) {
    if (!scanner.read_number(text, kind)) return Outcome::malformed;
  } else if (token == Token::number && column.kind() == JsonColumn::Kind::timestamp) {
    std::int64_t seconds;
    const Outcome outcome = scanner.read_integer(seconds);
    if (outcome == Outcome::malformed) return outcome;
    std::int64_t micros;
    if (outcome == Outcome::ok &&
        !__builtin_mul_overflow(seconds, std::int64_t{1'000'000}, &micros)) {
      column.set<std::int64_t>(row, micros);
      return Outcome::ok;
    }
    column.set_null(row);
    return Outcome::bad;
  } else {
    return read_other(scanner, column, row);
  }
  if (set_from_text(column, row, text, token == Token::string)) return Outcome::ok;
  column.set_null(row);
  return Outcome::bad;
}

template <typename Scanner>
Outcome JsonRows::read_array(Scanner& scanner, JsonColumn& column, std::int64_t row) {
  if (scanner.peek() != Token::array) return read_other(scanner, column, row);
  std::int64_t end = column.begin_list(row);
  JsonColumn& element = column.child(0);
  bool empty;
  if (!scanner.open_array(empty)) return Outcome::malformed;
  Outcome worst = Outcome::ok;
  for (bool more = !empty; more; ++end) {
    worst = worse_of(worst, read_value(scanner, element, end));
    if (worst == Outcome::malformed || !scanner.more_elements(more)) return Outcome::malformed;
  }
  if (worst == Outcome::bad) {
    column.set_null(row);
  } else {
    column.end_list(end);
  }
  return worst;
}

template <typename Scanner>
Outcome JsonRows::read_map(Scanner& scanner, JsonColumn& column, std::int64_t row) {
  if (scanner.peek() != Token::object) return read_other(scanner, column, row);
  const auto place = scanner.save();
  // Which members stay: of equal keys the last. Found in a pass of its own, so that each entry is
  // written once.
  std::unordered_map<std::string, std::size_t> last;
  std::size_t count = 0;
  bool empty;
  if (!scanner.open_object(empty)) return Outcome::malformed;
  std::string_view key;
  for (bool more = !empty; more; ++count) {
    if (!scanner.read_key(key)) return Outcome::malformed;
    last[std::string(key)] = count;
    if (!scanner.skip_value() || !scanner.more_members(more)) return Outcome::malformed;
  }
  scanner.restore(place);
  std::int64_t end = column.begin_list(row);
  if (!scanner.open_object(empty)) return Outcome::malformed;
  Outcome worst = Outcome::ok;
  std::size_t at = 0;
  for (bool more = !empty; more; ++at) {
    if (!scanner.read_key(key)) return Outcome::malformed;
    const bool stays = last.size() == count || last[std::string(key)] == at;
    if (stays) {
      column.child(0).set_string(end, key);
      worst = worse_of(worst, read_value(scanner, column.child(1), end));
      ++end;
    } else if (!scanner.skip_value()) {
      return Outcome::malformed;
    }
    if (worst == Outcome::malformed || !scanner.more_members(more)) return Outcome::malformed;
  }
  if (worst == Outcome::bad) {
    column.set_null(row);
  } else {
    column.end_list(end);
  }
  return worst;
}

}  // namespace millstream::format
