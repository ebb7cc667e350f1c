// from_xml, to_xml and the xpath functions.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "base/text.h"
#include "base/xml_text.h"
#include "engine/document_text.h"
#include "engine/text.h"
#include "engine/xpath.h"

namespace millstream::engine {

using column::DataType;
using column::TypeKind;
using column::TypePtr;

namespace {

// --- xpath

// The document's root; nothing when there is no text to look at.
Result<std::optional<XmlNode>> document_of(const Values& a) {
  if (a[0].text.empty() || a[1].text.empty()) return std::optional<XmlNode>();
  auto root = parse_xml(a[0].text);
  if (!root) return Status::invalid("the XML document is malformed: {}", a[0].text);
  return root;
}

// Java's conversions from double: NaN is 0, what is too large is the limit.
template <typename T>
std::int64_t narrowed(double value) {
  if (std::isnan(value)) return 0;
  if (value >= 9223372036854775807.0) return std::numeric_limits<T>::max();
  if (value <= -9223372036854775808.0) return std::numeric_limits<T>::min();
  const auto whole = static_cast<std::int64_t>(value);
  if (sizeof(T) == 8) return whole;
  const auto clamped = std::clamp<std::int64_t>(whole, std::numeric_limits<std::int32_t>::min(),
                                                std::numeric_limits<std::int32_t>::max());
  return static_cast<T>(clamped);
}

Result<Value> xpath_number(const ValueKernel& kernel, const Values& a) {
  TRY_ASSIGN(const auto root, document_of(a));
  if (!root) return null_value();
  TRY_ASSIGN(const auto path, XPath::get(a[1].text));
  TRY_ASSIGN(const double number, path->number(*root));
  switch (kernel.result->kind()) {
    case TypeKind::short_:
      return integer_value(narrowed<std::int16_t>(number));
    case TypeKind::int_:
      return integer_value(narrowed<std::int32_t>(number));
    case TypeKind::long_:
      return integer_value(narrowed<std::int64_t>(number));
    case TypeKind::float_:
      return floating_value(static_cast<double>(static_cast<float>(number)));
    default:
      return floating_value(number);
  }
}

Result<Value> xpath_string(const ValueKernel&, const Values& a) {
  TRY_ASSIGN(const auto root, document_of(a));
  if (!root) return null_value();
  TRY_ASSIGN(const auto path, XPath::get(a[1].text));
  TRY_ASSIGN(std::string text, path->text(*root));
  return text_value(std::move(text));
}

Result<Value> xpath_boolean(const ValueKernel&, const Values& a) {
  TRY_ASSIGN(const auto root, document_of(a));
  if (!root) return null_value();
  TRY_ASSIGN(const auto path, XPath::get(a[1].text));
  TRY_ASSIGN(const bool value, path->boolean(*root));
  return boolean_value(value);
}

Result<Value> xpath_values(const ValueKernel&, const Values& a) {
  TRY_ASSIGN(const auto root, document_of(a));
  if (!root) return null_value();
  TRY_ASSIGN(const auto path, XPath::get(a[1].text));
  TRY_ASSIGN(const auto values, path->values(*root));
  Value out = list_value({});
  for (const auto& value : values) out.items.push_back(value ? text_value(*value) : null_value());
  return out;
}

// --- from_xml

enum class Fit : std::uint8_t { whole, part, wrong };

std::string option_or(const ValueKernel& kernel, std::string_view name, std::string_view standard) {
  const auto given = kernel.option(name);
  return std::string(given.empty() ? standard : given);
}

class XmlReader {
 public:
  explicit XmlReader(const ValueKernel& kernel)
      : kernel_(kernel),
        prefix_(option_or(kernel, "attributeprefix", "_")),
        value_tag_(option_or(kernel, "valuetag", "_VALUE")),
        corrupt_(option_or(kernel, "columnnameofcorruptrecord", "_corrupt_record")) {}

  const std::string& corrupt() const { return corrupt_; }

  Result<Fit> read_struct(const XmlNode& node, const DataType& type, Value* out) const {
    Value row = null_members(type);
    Fit fit = Fit::whole;
    const auto& fields = type.fields();
    for (std::size_t i = 0; i < fields.size(); ++i) {
      if (fields[i].name == corrupt_) continue;
      Value value;
      TRY_ASSIGN(const Fit one, read_field(node, fields[i].name, fields[i].type, &value));
      if (one != Fit::whole) fit = Fit::part;
      if (one != Fit::wrong) row.items[i] = std::move(value);
    }
    *out = std::move(row);
    return fit;
  }

 private:
  // A field is an attribute, the text beside elements, or the elements of its name.
  Result<Fit> read_field(const XmlNode& node, const std::string& name, const TypePtr& type,
                         Value* out) const {
    const bool attributes = !equals_ignore_case(kernel_.option("excludeattribute"), "true");
    for (const auto& [attribute, text] : node.attributes) {
      if (attributes && equals_ignore_case(prefix_ + attribute, name))
        return read_text(text, *type, out);
    }
    if (name == value_tag_) {
      std::string text;
      for (const auto& child : node.children) text += child.text;
      return trim(text).empty() ? Fit::whole : read_text(text, *type, out);
    }
    Fit fit = Fit::whole;
    const bool array = type->kind() == TypeKind::array;
    Value list = list_value({});
    for (const auto& child : node.children) {
      if (child.is_text() || !equals_ignore_case(child.name, name)) continue;
      Value value;
      TRY_ASSIGN(const Fit one, read_element(child, array ? *type->element() : *type, &value));
      if (one == Fit::wrong) return Fit::wrong;
      if (one == Fit::part) fit = Fit::part;
      if (array) {
        list.items.push_back(std::move(value));
      } else {
        *out = std::move(value);
      }
    }
    if (array && !list.items.empty()) *out = std::move(list);
    return fit;
  }

  Result<Fit> read_element(const XmlNode& node, const DataType& type, Value* out) const {
    if (type.kind() == TypeKind::struct_) return read_struct(node, type, out);
    if (type.kind() == TypeKind::map) {
      Fit fit = Fit::whole;
      Value entries = list_value({});
      const auto add = [&](const std::string& key, Value value) {
        entries.items.push_back(list_value({text_value(key), std::move(value)}));
      };
      for (const auto& [attribute, text] : node.attributes) {
        Value value;
        TRY_ASSIGN(const Fit one, read_text(text, *type.value(), &value));
        if (one != Fit::whole) return one;
        add(prefix_ + attribute, std::move(value));
      }
      for (const auto& child : node.children) {
        if (child.is_text()) continue;
        Value value;
        TRY_ASSIGN(const Fit one, read_element(child, *type.value(), &value));
        if (one == Fit::wrong) return one;
        if (one == Fit::part) fit = one;
        add(child.name, std::move(value));
      }
      *out = std::move(entries);
      return fit;
    }
    if (type.kind() == TypeKind::array) return Fit::wrong;
    if (node.has_elements())
      return Status::unsupported("from_xml of elements as {} is not supported", type.sql());
    return read_text(node.content(), type, out);
  }

  Result<Fit> read_text(std::string_view given, const DataType& type, Value* out) const {
    const std::string_view text = trim(given);
    const auto null = kernel_.option("nullvalue");
    if (kernel_.options.contains("nullvalue") && text == null) return Fit::whole;
    if (type.is_string()) {
      *out = text_value(std::string(text));
      return Fit::whole;
    }
    if (text.empty()) return Fit::whole;
    switch (type.kind()) {
      case TypeKind::boolean:
        if (text != "true" && text != "false" && text != "1" && text != "0") return Fit::wrong;
        *out = boolean_value(text == "true" || text == "1");
        return Fit::whole;
      case TypeKind::byte_:
        return read_integer(text, 8, out);
      case TypeKind::short_:
        return read_integer(text, 16, out);
      case TypeKind::int_:
        return read_integer(text, 32, out);
      case TypeKind::long_:
        return read_integer(text, 64, out);
      case TypeKind::float_:
      case TypeKind::double_: {
        const auto number = parse_double(text);
        if (!number) return Fit::wrong;
        *out = floating_value(type.kind() == TypeKind::float_
                                  ? static_cast<double>(static_cast<float>(*number))
                                  : *number);
        return Fit::whole;
      }
      case TypeKind::decimal: {
        const auto number = read_decimal(text, type.precision(), type.scale());
        if (!number) return Fit::wrong;
        out->kind = Value::Kind::decimal;
        out->decimal = *number;
        return Fit::whole;
      }
      case TypeKind::date:
      case TypeKind::timestamp:
      case TypeKind::timestamp_ntz:
      case TypeKind::time: {
        TRY_ASSIGN(const auto value, read_time(kernel_, type, text));
        if (!value) return Fit::wrong;
        *out = integer_value(*value);
        return Fit::whole;
      }
      default:
        return Status::unsupported("from_xml of {} is not supported", type.sql());
    }
  }

  static Fit read_integer(std::string_view text, int bits, Value* out) {
    if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
    const auto number = parse_int64(text);
    const std::int64_t high = bits == 64 ? INT64_MAX : (std::int64_t{1} << (bits - 1)) - 1;
    if (!number || *number > high || *number < -high - 1) return Fit::wrong;
    *out = integer_value(*number);
    return Fit::whole;
  }

  const ValueKernel& kernel_;
  std::string prefix_;
  std::string value_tag_;
  std::string corrupt_;
};

Result<Value> from_xml(const ValueKernel& kernel, const Values& a) {
  const DataType& type = *kernel.result;
  const XmlReader reader(kernel);
  const auto root = parse_xml(a[0].text);
  Value out = null_members(type);
  Fit fit = Fit::wrong;
  if (root) {
    TRY_ASSIGN(fit, reader.read_struct(*root, type, &out));
  }
  if (fit == Fit::whole) return out;
  if (equals_ignore_case(kernel.option("mode"), "FAILFAST")) return malformed_record(out, type);
  for (std::size_t i = 0; i < type.fields().size(); ++i) {
    if (type.fields()[i].name == reader.corrupt()) out.items[i] = a[0];
  }
  return out;
}

// --- to_xml

class XmlWriter {
 public:
  explicit XmlWriter(const ValueKernel& kernel)
      : kernel_(kernel),
        prefix_(option_or(kernel, "attributeprefix", "_")),
        value_tag_(option_or(kernel, "valuetag", "_VALUE")),
        item_(option_or(kernel, "arrayelementname", "item")),
        indent_(option_or(kernel, "indent", "    ")) {}

  Status write(const std::string& tag, const Value& value, const DataType& type, int depth) {
    if (value.is_null()) return Status::OK();
    if (type.kind() == TypeKind::array) {
      for (const Value& item : value.items) {
        const bool nested = type.element()->kind() == TypeKind::array;
        if (!nested) {
          TRY(write(tag, item, *type.element(), depth));
          continue;
        }
        open(tag, depth);
        out_ += '>';
        TRY(write(item_, item, *type.element(), depth + 1));
        new_line(depth);
        out_ += "</" + tag + ">";
      }
      return Status::OK();
    }
    open(tag, depth);
    if (type.kind() == TypeKind::struct_ || type.kind() == TypeKind::map)
      return write_members(tag, value, type, depth);
    TRY_ASSIGN(const std::string text, atom(value, type));
    out_ += '>';
    append_xml_escaped(text, false, &out_);
    out_ += "</" + tag + ">";
    return Status::OK();
  }

  std::string take() { return std::move(out_); }

 private:
  struct Member {
    std::string name;
    const Value* value;
    const DataType* type;
  };

  std::vector<Member> members_of(const Value& value, const DataType& type) const {
    std::vector<Member> out;
    for (std::size_t i = 0; i < value.items.size(); ++i) {
      if (type.kind() == TypeKind::map) {
        out.push_back({text_of(value.items[i].items[0], *type.key(), kernel_.time_zone),
                       &value.items[i].items[1], type.value().get()});
      } else {
        out.push_back({type.fields()[i].name, &value.items[i], type.fields()[i].type.get()});
      }
    }
    return out;
  }

  Status write_members(const std::string& tag, const Value& value, const DataType& type,
                       int depth) {
    const auto members = members_of(value, type);
    const auto is_attribute = [&](const Member& member) {
      return member.name.starts_with(prefix_) && member.name != value_tag_ &&
             !member.type->is_nested();
    };
    std::string text;
    bool elements = false;
    for (const Member& member : members) {
      if (member.value->is_null()) continue;
      if (is_attribute(member)) {
        TRY_ASSIGN(const std::string shown, atom(*member.value, *member.type));
        out_ += " " + member.name.substr(prefix_.size()) + "=\"";
        append_xml_escaped(shown, true, &out_);
        out_ += '"';
      } else if (member.name == value_tag_) {
        TRY_ASSIGN(text, atom(*member.value, *member.type));
      } else {
        elements = true;
      }
    }
    if (!elements && text.empty()) {
      out_ += "/>";
      return Status::OK();
    }
    out_ += '>';
    append_xml_escaped(text, false, &out_);
    for (const Member& member : members) {
      if (is_attribute(member) || member.name == value_tag_) continue;
      TRY(write(member.name, *member.value, *member.type, depth + 1));
    }
    if (elements) new_line(depth);
    out_ += "</" + tag + ">";
    return Status::OK();
  }

  Result<std::string> atom(const Value& value, const DataType& type) const {
    switch (type.kind()) {
      case TypeKind::date:
      case TypeKind::timestamp:
      case TypeKind::timestamp_ntz:
      case TypeKind::time:
        return write_time(kernel_, type, value.integer);
      case TypeKind::decimal:
        return java_decimal(value.decimal, type.scale());
      default:
        return text_of(value, type, kernel_.time_zone);
    }
  }

  void new_line(int depth) {
    out_ += '\n';
    for (int i = 0; i < depth; ++i) out_ += indent_;
  }
  void open(const std::string& tag, int depth) {
    if (depth > 0) new_line(depth);
    out_ += "<" + tag;
  }

  const ValueKernel& kernel_;
  std::string prefix_;
  std::string value_tag_;
  std::string item_;
  std::string indent_;
  std::string out_;
};

Result<Value> to_xml(const ValueKernel& kernel, const Values& a) {
  XmlWriter writer(kernel);
  TRY(writer.write(option_or(kernel, "rowtag", "ROW"), a[0], *kernel.arguments[0], 0));
  return text_value(writer.take());
}

constexpr ValueFunction functions[] = {
    {"xpath", xpath_values},        {"xpath_boolean", xpath_boolean},
    {"xpath_number", xpath_number}, {"xpath_string", xpath_string},
    {"from_xml", from_xml},         {"to_xml", to_xml},
};

}  // namespace

std::span<const ValueFunction> xml_functions() { return functions; }

}  // namespace millstream::engine
