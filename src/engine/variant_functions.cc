// parse_json, variant_get and kin. A variant is a value of two texts: value and metadata.
#include <cmath>
#include <cstdlib>
#include <limits>
#include <set>

#include "base/json_text.h"
#include "base/text.h"
#include "base/time_of_day.h"
#include "engine/document_text.h"
#include "engine/raise.h"
#include "engine/text.h"
#include "engine/variant.h"
#include "engine/zone.h"

namespace millstream::engine {

using column::DataType;
using column::TypeKind;
using column::TypePtr;
using Kind = VariantView::Kind;

namespace {

Value value_of(const Variant& variant) {
  return list_value({text_value(variant.value), text_value(variant.metadata)});
}

VariantView view_of(const Value& value) { return {value.items[0].text, value.items[1].text}; }

// --- From JSON

std::string parsed_number(std::string_view text) {
  if (json_is_whole(text)) {
    if (const auto number = parse_int64(text)) return VariantBuilder::integer(*number);
  }
  if (text.find_first_of("eE") == std::string_view::npos) {
    const auto point = text.find('.');
    const int scale =
        point == std::string_view::npos ? 0 : static_cast<int>(text.size() - point - 1);
    const auto number = scale <= 38 ? read_decimal(text, 38, scale) : std::nullopt;
    if (number) return VariantBuilder::decimal(*number, scale);
  }
  return VariantBuilder::real(std::strtod(std::string(text).c_str(), nullptr));
}

std::optional<std::string> parsed_value(std::string_view json, const JsonDialect& dialect,
                                        VariantBuilder* builder) {
  switch (json_kind(json)) {
    case '{': {
      std::vector<std::pair<std::string, std::string>> fields;
      for (const auto& [key, item] : json_members(json, dialect)) {
        builder->add_key(key);
        auto value = parsed_value(item, dialect, builder);
        if (!value) return std::nullopt;
        fields.emplace_back(key, std::move(*value));
      }
      return builder->object(fields);
    }
    case '[': {
      std::vector<std::string> items;
      for (const auto item : json_elements(json, dialect)) {
        auto value = parsed_value(item, dialect, builder);
        if (!value) return std::nullopt;
        items.push_back(std::move(*value));
      }
      return VariantBuilder::array(items);
    }
    case '"':
      return VariantBuilder::text(json_unescape(json));
    case 't':
    case 'f':
      return VariantBuilder::boolean(json[0] == 't');
    case 'n':
      return VariantBuilder::null();
    default:
      return parsed_number(json);
  }
}

template <bool Try>
Result<Value> parse_json(const ValueKernel&, const Values& a) {
  JsonDialect strict;
  strict.single_quotes = false;
  strict.not_a_number = false;
  const auto document = json_document(a[0].text, strict);
  VariantBuilder builder;
  const auto value = document ? parsed_value(*document, strict, &builder) : std::nullopt;
  if (value) return value_of(builder.finish(*value));
  if (Try) return null_value();
  const Status status = Status::error("MALFORMED_RECORD_IN_PARSING.WITHOUT_SUGGESTION",
                                      {{"badRecord", a[0].text}, {"failFastMode", "FAILFAST"}});
  return with_kind(status, ErrorKind::spark);
}

// --- From values

// The value with its keys in the builder's dictionary.
Result<std::string> copied(const VariantView& view, VariantBuilder* builder) {
  switch (view.kind()) {
    case Kind::array: {
      std::vector<std::string> items;
      for (const auto& item : view.items()) {
        TRY_ASSIGN(std::string one, copied(item, builder));
        items.push_back(std::move(one));
      }
      return VariantBuilder::array(items);
    }
    case Kind::object: {
      std::vector<std::pair<std::string, std::string>> fields;
      for (const auto& [key, item] : view.fields()) {
        builder->add_key(std::string(key));
        TRY_ASSIGN(std::string one, copied(item, builder));
        fields.emplace_back(std::string(key), std::move(one));
      }
      if (auto object = builder->object(fields)) return std::move(*object);
      break;
    }
    case Kind::unknown:
      break;
    default:
      return std::string(view.bytes());
  }
  return Status::invalid("a variant value is malformed");
}

Result<std::string> built(const Value& value, const DataType& type, VariantBuilder* builder) {
  if (value.is_null()) return VariantBuilder::null();
  switch (type.kind()) {
    case TypeKind::boolean:
      return VariantBuilder::boolean(value.integer != 0);
    case TypeKind::byte_:
    case TypeKind::short_:
    case TypeKind::int_:
    case TypeKind::long_:
      return VariantBuilder::integer(value.integer);
    case TypeKind::float_:
      return VariantBuilder::single(static_cast<float>(value.floating));
    case TypeKind::double_:
      return VariantBuilder::real(value.floating);
    case TypeKind::decimal:
      return VariantBuilder::decimal(value.decimal, type.scale());
    case TypeKind::string:
    case TypeKind::char_:
    case TypeKind::varchar:
      return VariantBuilder::text(value.text);
    case TypeKind::binary:
      return VariantBuilder::binary(value.text);
    case TypeKind::date:
      return VariantBuilder::date(value.integer);
    case TypeKind::timestamp:
    case TypeKind::timestamp_ntz:
      return VariantBuilder::timestamp(value.integer, type.kind() == TypeKind::timestamp);
    case TypeKind::array: {
      std::vector<std::string> items;
      for (const Value& item : value.items) {
        TRY_ASSIGN(std::string one, built(item, *type.element(), builder));
        items.push_back(std::move(one));
      }
      return VariantBuilder::array(items);
    }
    case TypeKind::map:
    case TypeKind::struct_: {
      const bool map = type.kind() == TypeKind::map;
      std::vector<std::pair<std::string, std::string>> fields;
      for (std::size_t i = 0; i < value.items.size(); ++i) {
        const Value& item = map ? value.items[i].items[1] : value.items[i];
        const std::string& key = map ? value.items[i].items[0].text : type.fields()[i].name;
        builder->add_key(key);
        TRY_ASSIGN(std::string one,
                   built(item, map ? *type.value() : *type.fields()[i].type, builder));
        fields.emplace_back(key, std::move(one));
      }
      auto object = builder->object(fields);
      if (!object) return Status::invalid("a variant cannot hold an object with a key twice");
      return std::move(*object);
    }
    case TypeKind::variant:
      return copied(view_of(value), builder);
    default:
      return Status::unsupported("a variant of {} is not supported", type.sql());
  }
}

Result<Value> to_variant(const ValueKernel& kernel, const Values& a) {
  VariantBuilder builder;
  TRY_ASSIGN(std::string value, built(a[0], *kernel.arguments[0], &builder));
  return value_of(builder.finish(std::move(value)));
}

// --- To values

// A scalar's text, as a cast to STRING gives it.
std::string scalar_text(const VariantView& view, const std::string& zone) {
  switch (view.kind()) {
    case Kind::text:
      return std::string(view.text());
    case Kind::date:
      return date_text(view.integer());
    case Kind::timestamp: {
      const auto found = Zone::find(zone);
      return timestamp_text(found.ok() ? (*found)->to_local(view.integer()) : view.integer());
    }
    case Kind::timestamp_ntz:
      return timestamp_text(view.integer());
    case Kind::binary:
      return std::string(view.text());
    default:
      return view.json(zone);
  }
}

class VariantReader {
 public:
  VariantReader(std::string zone) : zone_(std::move(zone)) {}

  // Nothing when the value is not of that type, which a variant's own NULL always is.
  std::optional<Value> read(const VariantView& view, const TypePtr& type) const {
    const Kind kind = view.kind();
    if (kind == Kind::unknown) return std::nullopt;
    if (type->kind() == TypeKind::variant) {
      VariantBuilder builder;
      auto copy = copied(view, &builder);
      if (!copy.ok()) return std::nullopt;
      return value_of(builder.finish(std::move(copy).value()));
    }
    if (kind == Kind::null) return null_value();
    if (type->is_nested()) return read_nested(view, *type);
    if (type->is_string()) return text_value(scalar_text(view, zone_));
    if (kind == Kind::object || kind == Kind::array) return std::nullopt;
    switch (type->kind()) {
      case TypeKind::boolean:
        return read_boolean(view);
      case TypeKind::byte_:
        return read_integer(view, -128, 127);
      case TypeKind::short_:
        return read_integer(view, -32768, 32767);
      case TypeKind::int_:
        return read_integer(view, -2147483648LL, 2147483647LL);
      case TypeKind::long_:
        return read_integer(view, std::numeric_limits<std::int64_t>::min(),
                            std::numeric_limits<std::int64_t>::max());
      case TypeKind::float_:
      case TypeKind::double_:
        return read_floating(view, type->kind() == TypeKind::float_);
      case TypeKind::decimal:
        return read_as_decimal(view, *type);
      case TypeKind::binary:
        if (kind != Kind::binary && kind != Kind::text) return std::nullopt;
        return text_value(std::string(view.text()));
      case TypeKind::date:
      case TypeKind::timestamp:
      case TypeKind::timestamp_ntz:
        return read_moment(view, type->kind());
      case TypeKind::time: {
        const auto nanos =
            kind == Kind::text ? parse_time_of_day(view.text()) : std::optional<std::int64_t>();
        return nanos ? std::optional(integer_value(*nanos)) : std::nullopt;
      }
      default:
        return std::nullopt;
    }
  }

 private:
  static bool is_number(Kind kind) {
    return kind == Kind::integer || kind == Kind::real || kind == Kind::single ||
           kind == Kind::decimal || kind == Kind::boolean;
  }

  std::optional<Value> read_nested(const VariantView& view, const DataType& type) const {
    Value out = list_value({});
    if (type.kind() == TypeKind::array) {
      if (view.kind() != Kind::array) return std::nullopt;
      for (const auto& item : view.items()) {
        auto one = read(item, type.element());
        if (!one) return std::nullopt;
        out.items.push_back(std::move(*one));
      }
      return out;
    }
    if (view.kind() != Kind::object) return std::nullopt;
    if (type.kind() == TypeKind::map) {
      for (const auto& [key, item] : view.fields()) {
        auto one = read(item, type.value());
        if (!one) return std::nullopt;
        out.items.push_back(list_value({text_value(std::string(key)), std::move(*one)}));
      }
      return out;
    }
    for (const auto& field : type.fields()) {
      const auto item = view.field(field.name);
      auto one = item ? read(*item, field.type) : std::optional(null_value());
      if (!one) return std::nullopt;
      out.items.push_back(std::move(*one));
    }
    return out;
  }

  static std::optional<double> as_double(const VariantView& view) {
    switch (view.kind()) {
      case Kind::boolean:
      case Kind::integer:
        return static_cast<double>(view.integer());
      case Kind::real:
      case Kind::single:
        return view.real();
      case Kind::decimal: {
        const auto number = view.decimal();
        return std::strtod(plain_decimal(number.unscaled, number.scale).c_str(), nullptr);
      }
      case Kind::text:
        return parse_double(view.text());
      default:
        return std::nullopt;
    }
  }

  static std::optional<Value> read_boolean(const VariantView& view) {
    if (view.kind() == Kind::text) {
      const auto value = parse_boolean(view.text());
      return value ? std::optional(boolean_value(*value)) : std::nullopt;
    }
    if (!is_number(view.kind())) return std::nullopt;
    return boolean_value(*as_double(view) != 0);
  }

  static std::optional<Value> read_integer(const VariantView& view, std::int64_t low,
                                           std::int64_t high) {
    std::optional<std::int64_t> number;
    switch (view.kind()) {
      case Kind::boolean:
      case Kind::integer:
        number = view.integer();
        break;
      case Kind::text:
        number = parse_long(view.text());
        break;
      case Kind::real:
      case Kind::single:
        if (std::fabs(view.real()) < 9.2e18) number = static_cast<std::int64_t>(view.real());
        break;
      case Kind::decimal: {
        auto value = view.decimal();
        for (; value.scale > 0; --value.scale) value.unscaled /= 10;
        if (value.unscaled >= low && value.unscaled <= high)
          number = static_cast<std::int64_t>(value.unscaled);
        break;
      }
      case Kind::timestamp:
        number = view.integer() / 1000000 - (view.integer() % 1000000 < 0 ? 1 : 0);
        break;
      default:
        break;
    }
    if (!number || *number < low || *number > high) return std::nullopt;
    return integer_value(*number);
  }

  static std::optional<Value> read_floating(const VariantView& view, bool single) {
    const auto number = as_double(view);
    if (!number) return std::nullopt;
    return floating_value(single ? static_cast<double>(static_cast<float>(*number)) : *number);
  }

  std::optional<Value> read_as_decimal(const VariantView& view, const DataType& type) const {
    if (!is_number(view.kind()) && view.kind() != Kind::text) return std::nullopt;
    const std::string text =
        view.kind() == Kind::boolean ? std::to_string(view.integer()) : scalar_text(view, zone_);
    const auto number = read_decimal(trim_java(text), type.precision(), type.scale());
    if (!number) return std::nullopt;
    Value out;
    out.kind = Value::Kind::decimal;
    out.decimal = *number;
    return out;
  }

  std::optional<Value> read_moment(const VariantView& view, TypeKind wanted) const {
    constexpr std::int64_t day = 86400LL * 1000000;
    const auto zone = Zone::find(zone_);
    if (!zone.ok()) return std::nullopt;
    std::int64_t local = 0;
    switch (view.kind()) {
      case Kind::text: {
        if (wanted == TypeKind::date) {
          const auto days = parse_date(view.text());
          return days ? std::optional(integer_value(*days)) : std::nullopt;
        }
        const auto parts = parse_timestamp(view.text());
        if (!parts || !parts->has_date) return std::nullopt;
        if (wanted == TypeKind::timestamp && !parts->zone.empty()) {
          const auto named = Zone::find(parts->zone);
          if (!named.ok()) return std::nullopt;
          return integer_value((*named)->from_local(parts->local_micros));
        }
        local = parts->local_micros;
        break;
      }
      case Kind::date:
        local = view.integer() * day;
        break;
      case Kind::timestamp:
        if (wanted == TypeKind::timestamp) return integer_value(view.integer());
        local = (*zone)->to_local(view.integer());
        break;
      case Kind::timestamp_ntz:
        local = view.integer();
        break;
      default:
        return std::nullopt;
    }
    if (wanted == TypeKind::date) return integer_value((local - (local % day + day) % day) / day);
    return integer_value(wanted == TypeKind::timestamp ? (*zone)->from_local(local) : local);
  }

  std::string zone_;
};

Result<Value> cast_to(const ValueKernel& kernel, const VariantView& view, bool attempt) {
  auto value = VariantReader(kernel.time_zone).read(view, kernel.result);
  if (value) return std::move(*value);
  if (attempt) return null_value();
  return Status::error("INVALID_VARIANT_CAST", {{"value", view.json(kernel.time_zone)},
                                                {"dataType", "\"" + kernel.result->sql() + "\""}});
}

template <bool Try>
Result<Value> variant_cast(const ValueKernel& kernel, const Values& a) {
  return cast_to(kernel, view_of(a[0]), Try);
}

// --- Paths

struct Step {
  std::optional<std::size_t> index;
  std::string key;
};

// $.a[0]['b']["c"]
std::optional<std::vector<Step>> parse_path(std::string_view path) {
  if (!path.starts_with('$')) return std::nullopt;
  path.remove_prefix(1);
  std::vector<Step> out;
  while (!path.empty()) {
    if (path[0] == '.') {
      const auto end = std::min(path.find_first_of(".[", 1), path.size());
      if (end == 1) return std::nullopt;
      out.push_back({std::nullopt, std::string(path.substr(1, end - 1))});
      path.remove_prefix(end);
      continue;
    }
    if (path[0] != '[' || path.size() < 3) return std::nullopt;
    const char quote = path[1];
    if (quote == '\'' || quote == '"') {
      const auto end = path.find(quote, 2);
      if (end == std::string_view::npos || end + 1 >= path.size() || path[end + 1] != ']')
        return std::nullopt;
      out.push_back({std::nullopt, std::string(path.substr(2, end - 2))});
      path.remove_prefix(end + 2);
      continue;
    }
    const auto end = path.find(']');
    const auto index = parse_int64(path.substr(1, end == std::string_view::npos ? 0 : end - 1));
    if (!index || *index < 0 || *index > 2147483647) return std::nullopt;
    out.push_back({static_cast<std::size_t>(*index), {}});
    path.remove_prefix(end + 1);
  }
  return out;
}

std::optional<VariantView> follow(VariantView view, const std::vector<Step>& steps) {
  for (const Step& step : steps) {
    if (step.index) {
      if (view.kind() != Kind::array) return std::nullopt;
      const auto items = view.items();
      if (*step.index >= items.size()) return std::nullopt;
      view = items[*step.index];
    } else {
      if (view.kind() != Kind::object) return std::nullopt;
      const auto field = view.field(step.key);
      if (!field) return std::nullopt;
      view = *field;
    }
  }
  return view;
}

template <bool Try>
Result<Value> variant_get(const ValueKernel& kernel, const Values& a) {
  const auto steps = parse_path(a[1].text);
  if (!steps) {
    return Status::error(
        "INVALID_VARIANT_GET_PATH",
        {{"path", a[1].text}, {"functionName", Try ? "`try_variant_get`" : "`variant_get`"}});
  }
  const auto found = follow(view_of(a[0]), *steps);
  return found ? cast_to(kernel, *found, Try) : null_value();
}

Result<Value> is_variant_null(const ValueKernel&, const Values& a) {
  return boolean_value(!a[0].is_null() && view_of(a[0]).kind() == Kind::null);
}

// The members of an object or the items of an array, as rows of place, key and value.
Result<Value> variant_entries(const ValueKernel&, const Values& a) {
  const VariantView view = view_of(a[0]);
  Value out = list_value({});
  const auto add = [&](Value key, const VariantView& item) {
    const auto place = static_cast<std::int64_t>(out.items.size());
    Value value = list_value({text_value(std::string(item.bytes())), a[0].items[1]});
    out.items.push_back(list_value({integer_value(place), std::move(key), std::move(value)}));
  };
  if (view.kind() == Kind::object) {
    for (const auto& [key, item] : view.fields()) add(text_value(std::string(key)), item);
  } else if (view.kind() == Kind::array) {
    for (const auto& item : view.items()) add(null_value(), item);
  }
  return out;
}

// --- Schemas

std::string quoted_key(const std::string& key) {
  const bool plain = !key.empty() && key.find_first_not_of(
                                         "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                         "0123456789_") == std::string::npos;
  if (plain && (key[0] < '0' || key[0] > '9')) return key;
  std::string out = "`";
  for (const char c : key) out += c == '`' ? std::string("``") : std::string(1, c);
  return out + "`";
}

// The type of a variant's value: a Spark type, or one of variants' own.
struct Shape {
  Kind kind = Kind::null;
  bool mixed = false;  // VARIANT
  int precision = 0;   // of decimals
  int scale = 0;
  std::map<std::string, Shape> fields;
  std::vector<Shape> element;  // of arrays: one

  std::string text() const;
};

std::string Shape::text() const {
  if (mixed) return "VARIANT";
  switch (kind) {
    case Kind::null:
      return "VOID";
    case Kind::boolean:
      return "BOOLEAN";
    case Kind::integer:
      return "BIGINT";
    case Kind::real:
      return "DOUBLE";
    case Kind::single:
      return "FLOAT";
    case Kind::decimal:
      return fmt::format("DECIMAL({},{})", precision, scale);
    case Kind::date:
      return "DATE";
    case Kind::timestamp:
      return "TIMESTAMP";
    case Kind::timestamp_ntz:
      return "TIMESTAMP_NTZ";
    case Kind::text:
      return "STRING";
    case Kind::binary:
      return "BINARY";
    case Kind::array:
      return "ARRAY<" + element[0].text() + ">";
    case Kind::object: {
      std::vector<std::string> parts;
      for (const auto& [key, shape] : fields)
        parts.push_back(quoted_key(key) + ": " + shape.text());
      return "OBJECT<" + join(parts, ", ") + ">";
    }
    case Kind::unknown:
      break;
  }
  return "VARIANT";
}

Shape merged(Shape a, const Shape& b) {
  if (a.kind == Kind::null && !a.mixed) return b;
  if (b.kind == Kind::null && !b.mixed) return a;
  Shape mixed;
  mixed.mixed = true;
  if (a.mixed || b.mixed) return mixed;
  const auto is_exact = [](const Shape& s) {
    return s.kind == Kind::integer || s.kind == Kind::decimal;
  };
  const auto is_floating = [](const Shape& s) {
    return s.kind == Kind::real || s.kind == Kind::single;
  };
  if (a.kind == b.kind && a.kind == Kind::object) {
    for (const auto& [key, shape] : b.fields) {
      const auto [place, added] = a.fields.emplace(key, shape);
      if (!added) place->second = merged(place->second, shape);
    }
    return a;
  }
  if (a.kind == b.kind && a.kind == Kind::array) {
    a.element[0] = merged(a.element[0], b.element[0]);
    return a;
  }
  if (a.kind == b.kind && a.kind != Kind::decimal) return a;
  if (is_exact(a) && is_exact(b)) {
    const int whole = std::max(a.precision - a.scale, b.precision - b.scale);
    a.scale = std::max(a.scale, b.scale);
    a.precision = whole + a.scale;
    a.kind = a.precision > 38 ? Kind::real : Kind::decimal;
    return a;
  }
  if ((is_exact(a) || is_floating(a)) && (is_exact(b) || is_floating(b))) {
    a.kind = Kind::real;
    return a;
  }
  return mixed;
}

Shape shape_of(const VariantView& view) {
  Shape out;
  out.kind = view.kind();
  if (out.kind == Kind::integer) out.precision = 20;
  if (out.kind == Kind::decimal) {
    const auto number = view.decimal();
    const std::string digits =
        plain_decimal(number.unscaled < 0 ? -number.unscaled : number.unscaled, 0);
    out.scale = number.scale;
    out.precision = std::max(static_cast<int>(digits.size()), number.scale);
  }
  if (out.kind == Kind::object) {
    for (const auto& [key, item] : view.fields()) out.fields[std::string(key)] = shape_of(item);
  }
  if (out.kind == Kind::array) {
    Shape element;
    for (const auto& item : view.items()) element = merged(std::move(element), shape_of(item));
    out.element.push_back(std::move(element));
  }
  return out;
}

Result<Value> schema_of_variant(const ValueKernel&, const Values& a) {
  return text_value(shape_of(view_of(a[0])).text());
}

// Of all variants of a group.
Result<Value> schema_of_variants(const ValueKernel&, const Values& a) {
  Shape shape;
  for (const Value& item : a[0].items) {
    if (!item.is_null()) shape = merged(std::move(shape), shape_of(view_of(item)));
  }
  return text_value(shape.text());
}

constexpr ValueFunction functions[] = {
    {"parse_json", parse_json<false>},
    {"try_parse_json", parse_json<true>},
    {"to_variant", to_variant},
    {"variant_cast", variant_cast<false>},
    {"try_variant_cast", variant_cast<true>},
    {"variant_entries", variant_entries},
    {"variant_get", variant_get<false>},
    {"try_variant_get", variant_get<true>},
    {"is_variant_null", is_variant_null, true},
    {"schema_of_variant", schema_of_variant},
    {"schema_of_variant_agg", schema_of_variants},
};

}  // namespace

std::span<const ValueFunction> variant_functions() { return functions; }

}  // namespace millstream::engine
