#include "format/json_infer_tree.h"

#include <algorithm>

#include "base/text.h"
#include "format/json_numbers.h"

namespace millstream::format {
namespace {

using Seen = InferNode::Seen;

struct DecimalShape {
  int precision = 0;
  int scale = 0;
};

// Precision and scale that java.math.BigDecimal would give, its scale not below 0; nothing when it
// is no number.
std::optional<DecimalShape> decimal_shape(std::string_view text) {
  std::size_t at = !text.empty() && (text[0] == '-' || text[0] == '+') ? 1 : 0;
  std::int64_t digits = 0;
  std::int64_t scale = 0;
  bool point = false;
  bool any = false;
  for (; at < text.size() && (is_digit(text[at]) || (text[at] == '.' && !point)); ++at) {
    if (text[at] == '.') {
      point = true;
      continue;
    }
    any = true;
    if (digits > 0 || text[at] != '0') ++digits;
    if (point) ++scale;
  }
  if (!any) return std::nullopt;
  if (at < text.size()) {
    std::int64_t exponent;
    std::string_view rest = text.substr(at + 1);
    if (!rest.empty() && rest.front() == '+') rest.remove_prefix(1);
    if ((text[at] != 'e' && text[at] != 'E') || !parse_integer(rest, exponent)) return std::nullopt;
    if (exponent > 1000 || exponent < -1000) return DecimalShape{1000, 0};
    scale -= exponent;
  }
  digits = std::max<std::int64_t>(digits, 1);
  if (scale < 0) {
    digits -= scale;
    scale = 0;
  }
  return DecimalShape{static_cast<int>(std::max(digits, scale)), static_cast<int>(scale)};
}

// Order of UTF-16 code units, on UTF-8: only characters beyond the basic plane differ from byte
// order.
bool less_utf16(const std::string& a, const std::string& b) {
  const auto [x, y] = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  if (x == a.end() || y == b.end()) return x == a.end() && y != b.end();
  const auto first = static_cast<unsigned char>(*x);
  const auto second = static_cast<unsigned char>(*y);
  if (first >= 0xf0 && second >= 0xee && second < 0xf0) return true;
  if (second >= 0xf0 && first >= 0xee && first < 0xf0) return false;
  return first < second;
}

}  // namespace

InferTree::InferTree(const JsonOptions& options)
    : JsonLines(options), options_(options), zone_(TimeZone::fixed(0)) {}

Status InferTree::prepare() {
  TRY_ASSIGN(zone_, TimeZone::find(options_.time_zone));
  if (options_.timestamp_format) {
    TRY_ASSIGN(timestamp_format_, DateTimePattern::compile(*options_.timestamp_format));
  }
  if (options_.timestamp_ntz_format) {
    TRY_ASSIGN(ntz_format_, DateTimePattern::compile(*options_.timestamp_ntz_format));
  }
  return Status::OK();
}

Status InferTree::end_record(Outcome outcome, std::string_view record, bool) {
  if (outcome != Outcome::malformed) {
    ++records_;
    return Status::OK();
  }
  take_back();
  if (options_.mode == ParseMode::fail_fast) {
    return Status::error(
        "MALFORMED_RECORD_IN_PARSING.WITHOUT_SUGGESTION",
        {{"badRecord", std::string(record.substr(0, 4096))}, {"failFastMode", "FAILFAST"}});
  }
  if (options_.mode == ParseMode::permissive) {
    ++records_;
    malformed_ = true;
  }
  return Status::OK();
}

Status InferTree::read_leniently(std::string_view record) {
  take_back();
  LenientScanner scanner(record, options_);
  if (scanner.at_end()) return Status::OK();
  Outcome outcome = read_root(scanner);
  const auto used = static_cast<std::size_t>(scanner.last_end() - record.data());
  if (outcome != Outcome::malformed && !is_utf8(record.data(), used)) outcome = Outcome::malformed;
  return end_record(outcome, record, false);
}

void InferTree::take_back() {
  for (; !changes_.empty(); changes_.pop_back()) {
    const Change& change = changes_.back();
    change.node->seen = change.seen;
    change.node->integer_digits = change.integer_digits;
    change.node->scale = change.scale;
    for (auto& children = change.node->children; children.size() > change.children;
         children.pop_back()) {
      change.node->index.erase(children.back()->name);
    }
    change.node->expected = 0;
    if (!change.had_element) change.node->element.reset();
  }
}

template <typename Scanner>
Outcome InferTree::read_root(Scanner& scanner) {
  switch (scanner.peek()) {
    case Token::object:
      return read_object(scanner, root_) ? Outcome::ok : Outcome::malformed;
    case Token::array: {
      bool empty;
      if (!scanner.open_array(empty)) return Outcome::malformed;
      for (bool more = !empty; more;) {
        if (scanner.peek() != Token::object || !read_object(scanner, root_) ||
            !scanner.more_elements(more)) {
          return Outcome::malformed;
        }
      }
      return Outcome::ok;
    }
    case Token::null:
      return scanner.take_literal("null") ? Outcome::ok : Outcome::malformed;
    default:
      return Outcome::malformed;
  }
}

template <typename Scanner>
bool InferTree::read_object(Scanner& scanner, InferNode& node) {
  mark(node, Seen::object);
  bool empty;
  if (!scanner.open_object(empty)) return false;
  node.expected = 0;
  for (bool more = !empty; more;) {
    std::size_t at = node.expected;
    if (at >= node.children.size() || !scanner.take_key(node.children[at]->key)) {
      std::string_view key;
      if (!scanner.read_key(key)) return false;
      const auto found = node.index.find(std::string(key));
      if (found != node.index.end()) {
        at = found->second;
      } else {
        remember(node);
        at = node.children.size();
        node.index.emplace(std::string(key), at);
        node.children.push_back(std::make_unique<InferNode::Child>(key));
      }
    }
    node.expected = at + 1;
    if (!read_value(scanner, node.children[at]->node) || !scanner.more_members(more)) return false;
  }
  return true;
}

template <typename Scanner>
bool InferTree::read_value(Scanner& scanner, InferNode& node) {
  std::string_view text;
  switch (scanner.peek()) {
    case Token::object:
      return read_object(scanner, node);
    case Token::array: {
      mark(node, Seen::array);
      if (node.element == nullptr) {
        remember(node);
        node.element = std::make_unique<InferNode>();
      }
      InferNode& element = *node.element;
      bool empty;
      if (!scanner.open_array(empty)) return false;
      for (bool more = !empty; more;) {
        if (!read_value(scanner, element) || !scanner.more_elements(more)) return false;
      }
      return true;
    }
    case Token::string:
      return read_string(scanner, node);
    case Token::number:
      return read_number(scanner, node);
    case Token::true_:
    case Token::false_:
      mark(node, options_.primitives_as_string ? Seen::string : Seen::boolean);
      return scanner.take_literal(scanner.peek() == Token::true_ ? "true" : "false");
    case Token::null:
      return scanner.take_literal("null");
    case Token::non_finite:
      mark(node, options_.primitives_as_string ? Seen::string : Seen::double_);
      return scanner.read_non_finite(text);
    case Token::bad:
      return false;
  }
  return false;
}

template <typename Scanner>
bool InferTree::read_number(Scanner& scanner, InferNode& node) {
  std::string_view text;
  NumberKind kind;
  if (!scanner.read_number(text, kind)) return false;
  std::int64_t value;
  if (options_.primitives_as_string) {
    mark(node, Seen::string);
  } else if (kind == NumberKind::integer && (text.size() < 19 || parse_integer(text, value))) {
    mark(node, Seen::long_);
  } else if (kind == NumberKind::integer || options_.prefers_decimal) {
    mark_decimal(node, text);
  } else {
    mark(node, Seen::double_);
  }
  return true;
}

void InferTree::mark_decimal(InferNode& node, std::string_view text) {
  const auto shape = decimal_shape(text);
  if (!shape || shape->precision > 38) {
    mark(node, Seen::double_);
    return;
  }
  mark(node, Seen::decimal);
  const int digits = shape->precision - shape->scale;
  if (digits <= node.integer_digits && shape->scale <= node.scale) return;
  remember(node);
  node.integer_digits = static_cast<std::int16_t>(std::max<int>(node.integer_digits, digits));
  node.scale = static_cast<std::int16_t>(std::max<int>(node.scale, shape->scale));
}

InferNode::Seen InferTree::time_or_string(std::string_view text) const {
  std::int64_t micros;
  DateTimePattern::Fields fields;
  const bool local = ntz_format_ ? ntz_format_->parse(text, fields) && !fields.has_zone
                                 : parse_timestamp_ntz_lenient(text, micros);
  if (local) return options_.infer_ntz ? Seen::timestamp_ntz : Seen::timestamp;
  const bool zoned = timestamp_format_ ? timestamp_format_->parse(text, fields)
                                       : parse_timestamp_lenient(text, zone_, micros);
  return zoned ? Seen::timestamp : Seen::string;
}

template <typename Scanner>
bool InferTree::read_string(Scanner& scanner, InferNode& node) {
  if (!options_.prefers_decimal && !options_.infer_timestamp && (node.seen & Seen::string) != 0) {
    return scanner.skip_value();
  }
  std::string_view text;
  if (!scanner.read_string(text)) return false;
  if (text.empty()) return true;
  if (options_.prefers_decimal && decimal_shape(text)) {
    mark_decimal(node, text);
    return true;
  }
  mark(node, options_.infer_timestamp ? time_or_string(text) : Seen::string);
  return true;
}

void merge_into(InferNode& to, InferNode&& from) {
  to.seen = static_cast<std::uint16_t>(to.seen | from.seen);
  to.integer_digits = std::max(to.integer_digits, from.integer_digits);
  to.scale = std::max(to.scale, from.scale);
  if (from.element != nullptr) {
    if (to.element == nullptr) {
      to.element = std::move(from.element);
    } else {
      merge_into(*to.element, std::move(*from.element));
    }
  }
  for (auto& child : from.children) {
    const auto [found, added] = to.index.emplace(child->name, to.children.size());
    if (added) {
      to.children.push_back(std::move(child));
    } else {
      merge_into(to.children[found->second]->node, std::move(child->node));
    }
  }
}

namespace {

using column::TypePtr;

// A null pointer: nothing to be kept ({}, or only NULLs with dropFieldIfAllNull).
class SchemaMaker {
 public:
  SchemaMaker(const JsonOptions& options, bool merge_case_variants)
      : options_(options), merge_case_variants_(merge_case_variants) {}

  Result<TypePtr> type_of(const InferNode& node) const {
    constexpr int numeric = Seen::long_ | Seen::double_ | Seen::decimal;
    const int kinds = (node.seen & numeric) != 0 ? (node.seen & ~numeric) | Seen::long_ : node.seen;
    if (kinds == (Seen::timestamp | Seen::timestamp_ntz)) return column::timestamp_type();
    if (kinds == 0) return options_.drop_field_if_all_null ? TypePtr() : column::string_type();
    if ((kinds & (kinds - 1)) != 0) return column::string_type();
    if (kinds == Seen::long_) return numeric_type(node);
    switch (kinds) {
      case Seen::boolean:
        return column::boolean_type();
      case Seen::timestamp:
        return column::timestamp_type();
      case Seen::timestamp_ntz:
        return column::timestamp_ntz_type();
      case Seen::object: {
        TRY_ASSIGN(auto fields, fields_of(node));
        return fields.empty() ? TypePtr() : column::struct_type(std::move(fields));
      }
      case Seen::array: {
        TRY_ASSIGN(auto element, type_of(*node.element));
        return element == nullptr ? TypePtr() : column::array_type(std::move(element));
      }
      default:
        return column::string_type();
    }
  }

  Result<column::Schema> fields_of(const InferNode& node) const {
    std::vector<const InferNode::Child*> sorted;
    for (const auto& child : node.children) {
      if (!child->name.empty()) sorted.push_back(child.get());
    }
    std::sort(sorted.begin(), sorted.end(),
              [](auto* a, auto* b) { return less_utf16(a->name, b->name); });
    std::unordered_map<std::string, std::size_t> by_lower;
    column::Schema fields;
    for (const auto* child : sorted) {
      TRY_ASSIGN(auto type, type_of(child->node));
      if (type == nullptr) continue;
      const auto [found, added] = by_lower.emplace(to_lower(child->name), fields.size());
      if (added) {
        fields.push_back({child->name, std::move(type), true, {}});
      } else if (!merge_case_variants_) {
        return Status::error("COLUMN_ALREADY_EXISTS", {{"columnName", "`" + found->first + "`"}});
      }
    }
    return fields;
  }

 private:
  static TypePtr numeric_type(const InferNode& node) {
    if ((node.seen & Seen::double_) != 0) return column::double_type();
    if ((node.seen & Seen::decimal) == 0) return column::long_type();
    const int whole = std::max<int>(node.integer_digits, (node.seen & Seen::long_) != 0 ? 20 : 0);
    const int precision = whole + node.scale;
    return precision > 38 ? column::double_type()
                          : column::decimal_type(std::max(precision, 1), node.scale);
  }

  const JsonOptions& options_;
  const bool merge_case_variants_;
};

// The spelling of each name that was met first takes over what was seen under the others.
void merge_variants(InferNode& node) {
  std::unordered_map<std::string, std::size_t> by_lower;
  std::vector<std::unique_ptr<InferNode::Child>> kept;
  for (auto& child : node.children) {
    const auto [found, added] = by_lower.emplace(to_lower(child->name), kept.size());
    if (added) {
      kept.push_back(std::move(child));
    } else {
      merge_into(kept[found->second]->node, std::move(child->node));
    }
  }
  node.children = std::move(kept);
  node.index.clear();
  for (std::size_t i = 0; i < node.children.size(); ++i) {
    node.index.emplace(node.children[i]->name, i);
    merge_variants(node.children[i]->node);
  }
  if (node.element != nullptr) merge_variants(*node.element);
}

InferNode copy_of(const InferNode& node) {
  InferNode copy;
  copy.seen = node.seen;
  copy.integer_digits = node.integer_digits;
  copy.scale = node.scale;
  if (node.element != nullptr) copy.element = std::make_unique<InferNode>(copy_of(*node.element));
  for (const auto& child : node.children) {
    copy.index.emplace(child->name, copy.children.size());
    copy.children.push_back(std::make_unique<InferNode::Child>(child->name));
    copy.children.back()->node = copy_of(child->node);
  }
  return copy;
}

}  // namespace

Result<column::Schema> schema_of(const InferNode& root, const JsonOptions& options,
                                 bool merge_case_variants) {
  const SchemaMaker maker(options, merge_case_variants);
  if (!merge_case_variants) return maker.fields_of(root);
  InferNode merged = copy_of(root);
  merge_variants(merged);
  return maker.fields_of(merged);
}

}  // namespace millstream::format
