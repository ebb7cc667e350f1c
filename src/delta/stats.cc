#include "delta/stats.h"

#include <arrow/array.h>
#include <arrow/scalar.h>
#include <arrow/type.h>

#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/text.h"

namespace millstream::delta {
namespace {

using column::TypeKind;

bool has_bounds(TypeKind kind) {
  switch (kind) {
    case TypeKind::byte_:
    case TypeKind::short_:
    case TypeKind::int_:
    case TypeKind::long_:
    case TypeKind::float_:
    case TypeKind::double_:
    case TypeKind::decimal:
    case TypeKind::date:
    case TypeKind::timestamp:
    case TypeKind::timestamp_ntz:
    case TypeKind::string:
    case TypeKind::char_:
    case TypeKind::varchar:
      return true;
    default:
      return false;
  }
}

std::int64_t floor_ms(std::int64_t micros) {
  return micros >= 0 ? micros / 1000 : -((-micros + 999) / 1000);
}

// UTF-16 units of UTF-8 text; malformed bytes count as one each.
struct Utf16 {
  std::size_t units = 0;
  std::vector<std::size_t>
      offsets;  // byte offset before each unit; both halves of a pair have their character's

  explicit Utf16(std::string_view text, std::size_t limit) {
    for (std::size_t i = 0; i < text.size() && units <= limit;) {
      const auto byte = static_cast<unsigned char>(text[i]);
      const std::size_t width = byte < 0xc0 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
      const std::size_t count = width == 4 ? 2 : 1;
      for (std::size_t k = 0; k < count; ++k) offsets.push_back(i);
      units += count;
      i += std::min(width, text.size() - i);
    }
  }
};

// The bytes of the first `prefix` units, of one more where that would split a pair; and how many
// units that are.
std::pair<std::string_view, std::size_t> cut(std::string_view text, const Utf16& utf16,
                                             std::size_t prefix) {
  if (utf16.units <= prefix) return {text, utf16.units};
  if (prefix > 0 && utf16.offsets[prefix] == utf16.offsets[prefix - 1]) ++prefix;
  if (prefix >= utf16.offsets.size()) return {text, utf16.units};
  return {text.substr(0, utf16.offsets[prefix]), prefix};
}

// A value as JSON; nothing: no bound can be written.
std::optional<std::string> bound_json(const column::DataType& type, const arrow::Scalar& value,
                                      bool is_max, int string_prefix) {
  switch (type.kind()) {
    case TypeKind::byte_:
    case TypeKind::short_:
    case TypeKind::int_:
    case TypeKind::long_:
      return value.ToString();
    case TypeKind::float_:
    case TypeKind::double_: {
      const bool narrow = type.kind() == TypeKind::float_;
      // Parquet's footers turn a smallest 0.0 into -0.0 and a greatest -0.0 into 0.0; the two are
      // equal.
      const double wide =
          narrow ? static_cast<double>(static_cast<const arrow::FloatScalar&>(value).value)
                 : static_cast<const arrow::DoubleScalar&>(value).value;
      if (wide == 0) return "0.0";
      const std::string text =
          narrow ? java_text(static_cast<const arrow::FloatScalar&>(value).value) : java_text(wide);
      return std::isfinite(wide) ? text : json_quote(text);
    }
    case TypeKind::decimal:
      return decimal_text(value);
    case TypeKind::date:
      return json_quote(date_text(static_cast<const arrow::Date32Scalar&>(value).value));
    case TypeKind::timestamp:
    case TypeKind::timestamp_ntz: {
      const std::string text =
          iso_utc_ms(floor_ms(static_cast<const arrow::TimestampScalar&>(value).value));
      return json_quote(type.kind() == TypeKind::timestamp ? text
                                                           : text.substr(0, text.size() - 1));
    }
    default: {
      if (string_prefix <= 0) return std::nullopt;
      const std::string_view text = static_cast<const arrow::BaseBinaryScalar&>(value).view();
      if (!is_max) return json_quote(truncated_min(text, string_prefix));
      const auto max = truncated_max(text, string_prefix);
      return max ? std::optional(json_quote(*max)) : std::nullopt;
    }
  }
}

enum class Part : std::uint8_t { min, max, nulls };

std::optional<std::string> leaf_json(const format::LeafStats& leaf, Part part, int string_prefix) {
  if (part == Part::nulls) return fmt::to_string(leaf.null_count);
  const bool is_max = part == Part::max;
  // NaN is the greatest value: the maximum where there is one, the minimum where there is nothing
  // else.
  if (leaf.has_nan && (is_max || leaf.min == nullptr)) return "\"NaN\"";
  const auto& value = is_max ? leaf.max : leaf.min;
  if (value == nullptr || !value->is_valid) return std::nullopt;
  return bound_json(*leaf.type, *value, is_max, string_prefix);
}

// The object of leaves [begin, end), which share the first `depth` names.
std::string object_json(const std::vector<format::LeafStats>& leaves, std::size_t begin,
                        std::size_t end, std::size_t depth, Part part, int string_prefix) {
  std::string out = "{";
  for (std::size_t i = begin; i < end;) {
    const std::string& name = leaves[i].path[depth];
    std::size_t after = i + 1;
    const bool is_leaf = leaves[i].path.size() == depth + 1;
    while (!is_leaf && after < end && leaves[after].path.size() > depth + 1 &&
           leaves[after].path[depth] == name) {
      ++after;
    }
    std::optional<std::string> value;
    if (is_leaf) {
      if (part == Part::nulls || has_bounds(leaves[i].type->kind()))
        value = leaf_json(leaves[i], part, string_prefix);
    } else {
      bool any = part == Part::nulls;
      for (std::size_t k = i; k < after; ++k) any = any || has_bounds(leaves[k].type->kind());
      if (any) value = object_json(leaves, i, after, depth + 1, part, string_prefix);
    }
    if (value) {
      if (out.size() > 1) out += ',';
      out += json_quote(name) + ':' + *value;
    }
    i = after;
  }
  return out + '}';
}

}  // namespace

std::string truncated_min(std::string_view text, int prefix) {
  const Utf16 utf16(text, static_cast<std::size_t>(prefix) * 2 + 4);
  return std::string(cut(text, utf16, static_cast<std::size_t>(prefix)).first);
}

std::optional<std::string> truncated_max(std::string_view text, int prefix) {
  const auto limit = static_cast<std::size_t>(prefix) * 2;
  const Utf16 utf16(text, limit + 4);
  if (utf16.units <= static_cast<std::size_t>(prefix)) return std::string(text);
  constexpr std::string_view last_character = "\xf4\x8f\xbf\xbf";  // U+10FFFF
  auto [head, units] = cut(text, utf16, static_cast<std::size_t>(prefix));
  while (units <= limit) {
    if (head.size() >= text.size()) return std::string(text);
    const std::string_view rest = text.substr(head.size());
    if (rest.starts_with(last_character)) {
      head = text.substr(0, head.size() + last_character.size());
      units += 2;
      continue;
    }
    return std::string(head) + (static_cast<unsigned char>(rest.front()) < 0x7f
                                    ? std::string("\x7f")
                                    : std::string(last_character));
  }
  return std::nullopt;
}

std::string stats_json(std::int64_t rows, const std::vector<format::LeafStats>& leaves,
                       int string_prefix) {
  return fmt::format("{{\"numRecords\":{},\"minValues\":{},\"maxValues\":{},\"nullCount\":{}}}",
                     rows, object_json(leaves, 0, leaves.size(), 0, Part::min, string_prefix),
                     object_json(leaves, 0, leaves.size(), 0, Part::max, string_prefix),
                     object_json(leaves, 0, leaves.size(), 0, Part::nulls, string_prefix));
}

namespace {

constexpr std::string_view tight_member = "\"tightBounds\"";

// Where the object's own member tightBounds is, with the comma that parts it from others; numbers
// and bounds stay the texts that they are.
std::optional<std::pair<std::size_t, std::size_t>> tight_bounds_of(std::string_view stats) {
  int depth = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < stats.size(); ++i) {
    const char c = stats[i];
    if (quoted) {
      if (c == '\\') ++i;
      if (c == '"') quoted = false;
      continue;
    }
    if (depth == 1 && stats.substr(i).starts_with(tight_member)) {
      std::size_t end = stats.find_first_of(",}", i);
      if (end == std::string_view::npos) return std::nullopt;
      std::size_t begin = i;
      const std::size_t before = stats.find_last_not_of(" \t\n", i - 1);
      if (stats[end] == ',') {
        ++end;
      } else if (before != std::string_view::npos && stats[before] == ',') {
        begin = before;
      }
      return std::pair(begin, end);
    }
    if (c == '"') quoted = true;
    if (c == '{' || c == '[') ++depth;
    if (c == '}' || c == ']') --depth;
  }
  return std::nullopt;
}

std::string with_tight_member(std::string stats, bool tight) {
  stats.insert(stats.rfind('}'), fmt::format(",{}:{}", tight_member, tight));
  return stats;
}

}  // namespace

std::string with_wide_bounds(const std::string& stats, std::int64_t rows) {
  if (parse_stats(stats).rows != rows)
    return with_tight_member(fmt::format(R"({{"numRecords":{}}})", rows), false);
  std::string out = stats;
  if (const auto at = tight_bounds_of(out)) out.erase(at->first, at->second - at->first);
  return with_tight_member(std::move(out), false);
}

std::string with_tight_bounds(std::string stats) {
  return with_tight_member(std::move(stats), true);
}

std::string stats_json_of(const arrow::Array& array, std::int64_t row) {
  switch (array.type_id()) {
    case arrow::Type::STRUCT: {
      const auto& rows = static_cast<const arrow::StructArray&>(array);
      std::string out = "{";
      for (int i = 0; i < rows.num_fields(); ++i) {
        const auto member = rows.field(i);
        if (member->IsNull(row)) continue;
        if (out.size() > 1) out += ',';
        out += json_quote(rows.type()->field(i)->name()) + ':' + stats_json_of(*member, row);
      }
      return out + '}';
    }
    case arrow::Type::STRING:
      return json_quote(static_cast<const arrow::StringArray&>(array).GetView(row));
    case arrow::Type::DATE32:
      return json_quote(date_text(static_cast<const arrow::Date32Array&>(array).Value(row)));
    case arrow::Type::TIMESTAMP: {
      const auto& type = static_cast<const arrow::TimestampType&>(*array.type());
      std::int64_t value = static_cast<const arrow::TimestampArray&>(array).Value(row);
      if (type.unit() == arrow::TimeUnit::MILLI) value *= 1000;
      if (type.unit() == arrow::TimeUnit::SECOND) value *= 1'000'000;
      if (type.unit() == arrow::TimeUnit::NANO) value = value / 1000 - (value % 1000 < 0 ? 1 : 0);
      return json_quote(timestamp_text(value, 'T', 3) + (type.timezone().empty() ? "" : "Z"));
    }
    case arrow::Type::BOOL:
      return static_cast<const arrow::BooleanArray&>(array).Value(row) ? "true" : "false";
    case arrow::Type::FLOAT:
    case arrow::Type::DOUBLE: {
      const double value =
          array.type_id() == arrow::Type::FLOAT
              ? static_cast<double>(static_cast<const arrow::FloatArray&>(array).Value(row))
              : static_cast<const arrow::DoubleArray&>(array).Value(row);
      return std::isfinite(value) ? java_text(value) : json_quote(java_text(value));
    }
    case arrow::Type::DECIMAL128: {
      const auto scalar = array.GetScalar(row);
      return scalar.ok() ? decimal_text(**scalar) : "null";
    }
    default: {
      const auto scalar = array.GetScalar(row);
      const bool number = scalar.ok() && arrow::is_integer(array.type_id());
      return number ? (*scalar)->ToString() : "null";
    }
  }
}

}  // namespace millstream::delta
