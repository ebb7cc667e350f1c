// from_json: JSON text into a value of the schema's type, by the rules of Spark's JacksonParser. A
// member that does not fit is NULL and makes the record a bad one; an element that does not fit
// takes its whole array with it.
#include <cstdlib>

#include "base/json_text.h"
#include "base/text.h"
#include "engine/document_text.h"
#include "engine/json_functions.h"

namespace millstream::engine {

using column::DataType;
using column::TypeKind;

namespace {

// How a value fits its type.
enum class Fit : std::uint8_t {
  whole,
  part,   // something inside it is NULL that should not be
  wrong,  // not at all
};

Fit worse(Fit a, Fit b) { return a == Fit::whole ? b : a; }

class JsonReader {
 public:
  JsonReader(const ValueKernel& kernel, std::string corrupt)
      : kernel_(kernel), dialect_(JsonDialect::of(kernel.options)), corrupt_(std::move(corrupt)) {}

  const JsonDialect& dialect() const { return dialect_; }
  const std::string& corrupt() const { return corrupt_; }

  Result<Fit> read(std::string_view json, const DataType& type, Value* out) const {
    const char kind = json_kind(json);
    if (kind == 'n') return Fit::whole;
    switch (type.kind()) {
      case TypeKind::boolean:
        if (kind != 't' && kind != 'f') return Fit::wrong;
        *out = boolean_value(kind == 't');
        return Fit::whole;
      case TypeKind::byte_:
        return integer(json, -128, 255, type, out);
      case TypeKind::short_:
        return integer(json, -32768, 32767, type, out);
      case TypeKind::int_:
        return integer(json, -2147483648LL, 2147483647LL, type, out);
      case TypeKind::long_:
        return integer(json, INT64_MIN, INT64_MAX, type, out);
      case TypeKind::float_:
      case TypeKind::double_:
        return floating(json, type, out);
      case TypeKind::decimal:
        return decimal(json, type, out);
      case TypeKind::string:
      case TypeKind::char_:
      case TypeKind::varchar:
        *out = text_value(json_as_text(json, dialect_));
        return Fit::whole;
      case TypeKind::binary: {
        const auto bytes = kind == '"' ? read_base64(json_unescape(json)) : std::nullopt;
        if (!bytes || json.size() <= 2) return Fit::wrong;
        *out = text_value(*bytes);
        return Fit::whole;
      }
      case TypeKind::date:
      case TypeKind::timestamp:
      case TypeKind::timestamp_ntz:
      case TypeKind::time:
        return time(json, type, out);
      case TypeKind::array:
        return array(json, type, out);
      case TypeKind::map:
        return map(json, type, out);
      case TypeKind::struct_:
        return members(json, type, out);
      default:
        return Status::unsupported("from_json of {} is not supported", type.sql());
    }
  }

 private:
  // A date that is told as the number of its day. Days of the Julian calendar are not known.
  static std::optional<std::int64_t> day_number(std::string_view text) {
    constexpr std::int64_t gregorian_from = -141427;
    const auto days = parse_int64(text);
    const bool fits = days && *days >= gregorian_from && *days <= INT32_MAX;
    return fits ? days : std::nullopt;
  }

  // One byte more than fits is taken as its bits, as Jackson does.
  static Fit integer(std::string_view json, std::int64_t low, std::int64_t high,
                     const DataType& type, Value* out) {
    if (json_kind(json) != '0' || !json_is_whole(json)) return Fit::wrong;
    const auto number = parse_int64(json);
    if (!number || *number < low || *number > high) return Fit::wrong;
    const bool byte = type.kind() == TypeKind::byte_;
    *out = integer_value(byte ? static_cast<std::int8_t>(*number) : *number);
    return Fit::whole;
  }

  static Fit floating(std::string_view json, const DataType& type, Value* out) {
    std::string text(json);
    if (json_kind(json) == '"') {
      text = json_unescape(json);
      bool special = false;
      for (const std::string_view name :
           {"NaN", "Infinity", "+Infinity", "-Infinity", "+INF", "-INF"})
        special = special || text == name;
      if (!special) return Fit::wrong;
    } else if (json_kind(json) != '0') {
      return Fit::wrong;
    }
    *out = floating_value(type.kind() == TypeKind::float_
                              ? static_cast<double>(std::strtof(text.c_str(), nullptr))
                              : std::strtod(text.c_str(), nullptr));
    return Fit::whole;
  }

  static Fit decimal(std::string_view json, const DataType& type, Value* out) {
    const char kind = json_kind(json);
    if (kind != '"' && kind != '0') return Fit::wrong;
    const auto number = read_decimal(kind == '"' ? json_unescape(json) : std::string(json),
                                     type.precision(), type.scale());
    if (!number) return Fit::wrong;
    out->kind = Value::Kind::decimal;
    out->decimal = *number;
    return Fit::whole;
  }

  Result<Fit> time(std::string_view json, const DataType& type, Value* out) const {
    const char kind = json_kind(json);
    if (kind == '0' && type.kind() == TypeKind::timestamp && json_is_whole(json)) {
      const auto seconds = parse_int64(json);
      std::int64_t micros = 0;
      if (!seconds || __builtin_mul_overflow(*seconds, 1000000, &micros)) return Fit::wrong;
      *out = integer_value(micros);
      return Fit::whole;
    }
    if (kind != '"') return Fit::wrong;
    const std::string text = json_unescape(json);
    TRY_ASSIGN(auto value, read_time(kernel_, type, text));
    if (!value && type.kind() == TypeKind::date && kernel_.option("dateformat").empty())
      value = day_number(text);
    if (!value) return Fit::wrong;
    *out = integer_value(*value);
    return Fit::whole;
  }

  Result<Fit> array(std::string_view json, const DataType& type, Value* out) const {
    if (json_kind(json) != '[') return Fit::wrong;
    Fit fit = Fit::whole;
    Value list = list_value({});
    for (const auto item : json_elements(json, dialect_)) {
      Value element;
      TRY_ASSIGN(const Fit one, read(item, *type.element(), &element));
      if (one == Fit::wrong) return Fit::wrong;
      fit = worse(fit, one);
      list.items.push_back(std::move(element));
    }
    *out = std::move(list);
    return fit;
  }

  // Of a name that comes twice the last value counts.
  Result<Fit> map(std::string_view json, const DataType& type, Value* out) const {
    if (json_kind(json) != '{') return Fit::wrong;
    Fit fit = Fit::whole;
    Value entries = list_value({});
    std::map<std::string, std::size_t> places;
    for (const auto& [name, item] : json_members(json, dialect_)) {
      Value value;
      TRY_ASSIGN(const Fit one, read(item, *type.value(), &value));
      if (one == Fit::wrong) return Fit::wrong;
      fit = worse(fit, one);
      const auto [place, added] = places.emplace(name, entries.items.size());
      Value entry = list_value({text_value(name), std::move(value)});
      if (added) {
        entries.items.push_back(std::move(entry));
      } else {
        entries.items[place->second] = std::move(entry);
      }
    }
    *out = std::move(entries);
    return fit;
  }

  Result<Fit> members(std::string_view json, const DataType& type, Value* out) const {
    if (json_kind(json) != '{') return Fit::wrong;
    Fit fit = Fit::whole;
    Value row = null_members(type);
    const auto& fields = type.fields();
    for (const auto& [name, item] : json_members(json, dialect_)) {
      for (std::size_t i = 0; i < fields.size(); ++i) {
        if (fields[i].name != name || name == corrupt_) continue;
        Value value;
        TRY_ASSIGN(const Fit one, read(item, *fields[i].type, &value));
        if (one != Fit::whole) fit = Fit::part;
        if (one != Fit::wrong) row.items[i] = std::move(value);
        break;
      }
    }
    *out = std::move(row);
    return fit;
  }

  const ValueKernel& kernel_;
  JsonDialect dialect_;
  std::string corrupt_;
};

// The record, and whether it is a bad one.
Result<Fit> read_record(const JsonReader& reader, std::string_view text, const DataType& type,
                        Value* out) {
  const auto document = json_document(text, reader.dialect());
  if (!document || json_kind(*document) == 'n') return Fit::wrong;
  const bool single = type.kind() == TypeKind::array && json_kind(*document) == '{' &&
                      type.element()->kind() == TypeKind::struct_;
  if (!single) return reader.read(*document, type, out);
  // One object where an array of them is asked for.
  Value one;
  TRY_ASSIGN(const Fit fit, reader.read(*document, *type.element(), &one));
  *out = list_value({std::move(one)});
  return fit;
}

}  // namespace

// A malformed record is a struct of NULLs, or a NULL map or array; no record at all is NULL.
Result<Value> from_json(const ValueKernel& kernel, const Values& arguments) {
  const DataType& type = *kernel.result;
  const auto named = kernel.option("columnnameofcorruptrecord");
  const JsonReader reader(kernel, named.empty() ? "_corrupt_record" : std::string(named));
  const std::string& text = arguments[0].text;
  if (json_is_blank(text, reader.dialect())) return null_value();
  Value out;
  const bool record = type.kind() == TypeKind::struct_;
  TRY_ASSIGN(const Fit fit, read_record(reader, text, type, &out));
  if (fit == Fit::whole) return out;
  if (fit == Fit::wrong) out = record ? null_members(type) : null_value();
  if (equals_ignore_case(kernel.option("mode"), "FAILFAST")) return malformed_record(out, type);
  if (!record) return out;
  for (std::size_t i = 0; i < type.fields().size(); ++i) {
    if (type.fields()[i].name == reader.corrupt()) out.items[i] = text_value(text);
  }
  return out;
}

}  // namespace millstream::engine
