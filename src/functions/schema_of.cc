#include "functions/schema_of.h"

#include <algorithm>
#include <cctype>

#include "base/csv_text.h"
#include "base/json_text.h"
#include "base/text.h"
#include "base/xml_text.h"
#include "functions/coerce.h"

namespace millstream::functions {

using column::DataType;
using column::TypeKind;
using column::TypePtr;

namespace {

bool is_on(const DocumentOptions& options, const char* name) {
  const auto found = options.find(name);
  return found != options.end() && equals_ignore_case(found->second, "true");
}

bool is_null(const TypePtr& type) { return type->kind() == TypeKind::null; }
bool is_decimal(const TypePtr& type) { return type->kind() == TypeKind::decimal; }

class JsonInference {
 public:
  explicit JsonInference(const DocumentOptions& options)
      : dialect_(JsonDialect::of(options)),
        as_string_(is_on(options, "primitivesasstring")),
        decimals_(is_on(options, "prefersdecimal")),
        drop_null_(is_on(options, "dropfieldifallnull")) {}

  const JsonDialect& dialect() const { return dialect_; }

  TypePtr infer(std::string_view json) const {
    switch (json_kind(json)) {
      case '{':
        return infer_object(json);
      case '[': {
        TypePtr element = column::null_type();
        for (const auto item : json_elements(json, dialect_))
          element = compatible(element, infer(item));
        return column::array_type(element, true);
      }
      case '"':
        return json.size() <= 2 ? column::null_type() : column::string_type();
      case 't':
      case 'f':
        return as_string_ ? column::string_type() : column::boolean_type();
      case 'n':
        return column::null_type();
      default:
        return as_string_ ? column::string_type() : infer_number(json);
    }
  }

  // Without the null type and without structs that have no fields; nothing when nothing is left.
  TypePtr canonical(const TypePtr& type) const {
    switch (type->kind()) {
      case TypeKind::null:
        return drop_null_ ? nullptr : column::string_type();
      case TypeKind::array: {
        const TypePtr element = canonical(type->element());
        return element == nullptr ? nullptr : column::array_type(element, true);
      }
      case TypeKind::struct_: {
        column::Schema fields;
        for (const auto& field : type->fields()) {
          const TypePtr kept = field.name.empty() ? nullptr : canonical(field.type);
          if (kept != nullptr) fields.push_back({field.name, kept, true, {}});
        }
        return fields.empty() ? nullptr : column::struct_type(std::move(fields));
      }
      default:
        return type;
    }
  }

 private:
  TypePtr infer_object(std::string_view json) const {
    column::Schema fields;
    for (const auto& [name, value] : json_members(json, dialect_))
      fields.push_back({name, infer(value), true, {}});
    std::stable_sort(fields.begin(), fields.end(),
                     [](const auto& a, const auto& b) { return a.name < b.name; });
    return column::struct_type(std::move(fields));
  }

  TypePtr infer_number(std::string_view json) const {
    if (json_is_whole(json)) {
      if (parse_int64(json)) return column::long_type();
      const auto digits = static_cast<int>(json.size() - (json[0] == '-' ? 1 : 0));
      return digits <= 38 ? column::decimal_type(digits, 0) : column::double_type();
    }
    const bool plain = json.find_first_of("eEIN") == std::string_view::npos;
    if (!decimals_ || !plain) return column::double_type();
    std::string_view digits = json.substr(json[0] == '-' ? 1 : 0);
    const auto point = digits.find('.');
    const auto scale = static_cast<int>(digits.size() - point - 1);
    while (!digits.empty() && (digits[0] == '0' || digits[0] == '.')) digits.remove_prefix(1);
    const auto kept =
        static_cast<int>(digits.size()) - (digits.find('.') == std::string_view::npos ? 0 : 1);
    const int precision = std::max(kept, scale);
    return precision <= 38 ? column::decimal_type(precision, scale) : column::double_type();
  }

  TypePtr compatible(const TypePtr& a, const TypePtr& b) const {
    if (is_null(a)) return b;
    if (is_null(b) || column::same_type(a, b)) return a;
    if (a->kind() == TypeKind::struct_ && b->kind() == TypeKind::struct_) return merged(*a, *b);
    if (a->kind() == TypeKind::array && b->kind() == TypeKind::array)
      return column::array_type(compatible(a->element(), b->element()), true);
    if (!a->is_numeric() || !b->is_numeric()) return column::string_type();
    if (a->kind() == TypeKind::double_ || b->kind() == TypeKind::double_)
      return column::double_type();
    const TypePtr left = is_decimal(a) ? a : column::decimal_type(20, 0);
    const TypePtr right = is_decimal(b) ? b : column::decimal_type(20, 0);
    const int scale = std::max(left->scale(), right->scale());
    const int whole =
        std::max(left->precision() - left->scale(), right->precision() - right->scale());
    return whole + scale > 38 ? column::double_type() : column::decimal_type(whole + scale, scale);
  }

  // The fields of both, by name.
  TypePtr merged(const DataType& a, const DataType& b) const {
    column::Schema fields = a.fields();
    for (const auto& field : b.fields()) {
      const auto same = std::find_if(fields.begin(), fields.end(),
                                     [&](const auto& f) { return f.name == field.name; });
      if (same == fields.end()) {
        fields.push_back(field);
      } else {
        same->type = compatible(same->type, field.type);
      }
    }
    std::stable_sort(fields.begin(), fields.end(),
                     [](const auto& x, const auto& y) { return x.name < y.name; });
    return column::struct_type(std::move(fields));
  }

  JsonDialect dialect_;
  bool as_string_;
  bool decimals_;
  bool drop_null_;
};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// "9" stands for one or two digits, "Y" for four, "+" for one or more; all other characters for
// themselves.
bool has_shape(std::string_view* text, std::string_view shape) {
  std::size_t at = 0;
  const std::string_view whole = *text;
  for (const char c : shape) {
    std::size_t digits = 0;
    const std::size_t most = c == 'Y' ? 4 : c == '9' ? 2 : c == '+' ? 9 : 0;
    while (digits < most && at < whole.size() && is_digit(whole[at])) ++digits, ++at;
    if (most > 0) {
      if (digits == 0 || (c == 'Y' && digits < 4)) return false;
    } else if (at >= whole.size() || whole[at++] != c) {
      return false;
    }
  }
  text->remove_prefix(at);
  return true;
}

bool is_date(std::string_view text) {
  return text.size() == 10 && has_shape(&text, "Y-9-9") && text.empty();
}

bool is_timestamp(std::string_view text) {
  if (has_shape(&text, "Y-9-9")) {
    if (text.empty()) return true;
    if (text[0] != ' ' && text[0] != 'T') return false;
    text.remove_prefix(1);
  }
  if (!has_shape(&text, "9:9")) return false;
  if (text.starts_with(":") && !has_shape(&text, ":9")) return false;
  if (text.starts_with(".") && !has_shape(&text, ".+")) return false;
  if (text.empty() || text == "Z" || text == "UTC") return true;
  return (text[0] == '+' || text[0] == '-') && text.size() > 1 && is_digit(text[1]);
}

// The tightest of INT, BIGINT, DECIMAL, DOUBLE, DATE, TIMESTAMP, BOOLEAN, STRING.
TypePtr infer_field(std::string_view text) {
  std::string_view number = text;
  if (number.size() > 1 && number[0] == '+') number.remove_prefix(1);
  if (const auto value = parse_int64(number)) {
    const bool small = *value >= -2147483648LL && *value <= 2147483647LL;
    return small ? column::int_type() : column::long_type();
  }
  const bool whole = !number.empty() && std::all_of(number.begin() + (number[0] == '-' ? 1 : 0),
                                                    number.end(), is_digit);
  if (whole && number.size() > 1) {
    const auto digits = static_cast<int>(number.size() - (number[0] == '-' ? 1 : 0));
    return digits <= 38 ? column::decimal_type(digits, 0) : column::double_type();
  }
  if (number == "NaN" || number == "Inf" || number == "-Inf") return column::double_type();
  std::string_view rest = number;
  if (rest.starts_with("-")) rest.remove_prefix(1);
  std::size_t digits = 0;
  bool point = false;
  while (!rest.empty() && (is_digit(rest[0]) || (rest[0] == '.' && !point))) {
    point = point || rest[0] == '.';
    digits += is_digit(rest[0]) ? 1 : 0;
    rest.remove_prefix(1);
  }
  if (digits > 0 && !rest.empty() && (rest[0] | 0x20) == 'e') {
    rest.remove_prefix(1);
    if (!rest.empty() && (rest[0] == '-' || rest[0] == '+')) rest.remove_prefix(1);
    if (!rest.empty() && std::all_of(rest.begin(), rest.end(), is_digit)) rest = {};
  }
  if (digits > 0 && rest.empty()) return column::double_type();
  if (is_date(text)) return column::date_type();
  if (is_timestamp(text)) return column::timestamp_type();
  if (equals_ignore_case(text, "true") || equals_ignore_case(text, "false"))
    return column::boolean_type();
  return column::string_type();
}

}  // namespace

Result<TypePtr> schema_of_json(std::string_view text, const DocumentOptions& options) {
  const JsonInference inference(options);
  if (json_is_blank(text, inference.dialect())) return column::string_type();
  const auto document = json_document(text, inference.dialect());
  if (!document) return Status::invalid("schema_of_json: the JSON text is malformed: {}", text);
  const TypePtr type = inference.infer(*document);
  if (const TypePtr kept = inference.canonical(type)) return kept;
  const TypePtr nothing = column::struct_type({});
  if (type->kind() == TypeKind::struct_) return nothing;
  const bool records =
      type->kind() == TypeKind::array && type->element()->kind() == TypeKind::struct_;
  return records ? column::array_type(nothing, true) : column::string_type();
}

namespace {

// XML: attributes and elements are fields by name, an element that comes again is an array.
class XmlInference {
 public:
  explicit XmlInference(const DocumentOptions& options) {
    if (const auto given = options.find("attributeprefix"); given != options.end())
      prefix_ = given->second;
    if (const auto given = options.find("valuetag"); given != options.end())
      value_tag_ = given->second;
    attributes_ = !is_on(options, "excludeattribute");
  }

  TypePtr infer_object(const XmlNode& node) const {
    std::map<std::string, TypePtr> fields;
    for (const auto& [name, text] : node.attributes) {
      if (attributes_) fields[prefix_ + name] = infer_text(text);
    }
    std::string text;
    std::map<std::string, int> times;
    for (const auto& child : node.children) {
      text += child.text;
      if (child.is_text()) continue;
      const TypePtr type = infer_element(child);
      auto& known = fields[child.name];
      known = known == nullptr ? type : compatible(known, type);
      ++times[child.name];
    }
    for (const auto& [name, count] : times) {
      if (count > 1) fields[name] = column::array_type(fields[name], true);
    }
    if (!trim(text).empty()) fields[value_tag_] = infer_text(text);
    column::Schema schema;
    for (const auto& [name, type] : fields) schema.push_back({name, type, true, {}});
    return column::struct_type(std::move(schema));
  }

 private:
  TypePtr infer_element(const XmlNode& node) const {
    const bool attributes = attributes_ && !node.attributes.empty();
    if (!attributes && !node.has_elements()) return infer_text(node.content());
    return infer_object(node);
  }

  static TypePtr infer_text(std::string_view text) {
    text = trim(text);
    if (text.empty()) return column::null_type();
    const TypePtr type = infer_field(text);
    if (type->kind() == TypeKind::int_) return column::long_type();
    return type->kind() == TypeKind::decimal ? column::double_type() : type;
  }

  TypePtr compatible(const TypePtr& a, const TypePtr& b) const {
    if (a->kind() == TypeKind::null) return b;
    if (b->kind() == TypeKind::null || column::same_type(a, b)) return a;
    const bool left = a->kind() == TypeKind::struct_;
    const bool right = b->kind() == TypeKind::struct_;
    if (left && right) return merged(*a, *b);
    // Text beside an element that has members is its value.
    if (left || right) {
      const TypePtr value = column::struct_type({{value_tag_, left ? b : a, true, {}}});
      return merged(left ? *a : *b, *value);
    }
    const TypePtr common = tightest_type(a, b, true);
    return common != nullptr ? common : column::string_type();
  }

  TypePtr merged(const DataType& a, const DataType& b) const {
    std::map<std::string, TypePtr> fields;
    for (const auto& field : a.fields()) fields[field.name] = field.type;
    for (const auto& field : b.fields()) {
      auto& known = fields[field.name];
      known = known == nullptr ? field.type : compatible(known, field.type);
    }
    column::Schema schema;
    for (const auto& [name, type] : fields) schema.push_back({name, type, true, {}});
    return column::struct_type(std::move(schema));
  }

  std::string prefix_ = "_";
  std::string value_tag_ = "_VALUE";
  bool attributes_ = true;
};

TypePtr without_nulls(const TypePtr& type) {
  switch (type->kind()) {
    case TypeKind::null:
      return column::string_type();
    case TypeKind::array:
      return column::array_type(without_nulls(type->element()), true);
    case TypeKind::struct_: {
      column::Schema fields;
      for (const auto& field : type->fields())
        fields.push_back({field.name, without_nulls(field.type), true, {}});
      return column::struct_type(std::move(fields));
    }
    default:
      return type;
  }
}

}  // namespace

Result<TypePtr> schema_of_xml(std::string_view text, const DocumentOptions& options) {
  const auto root = parse_xml(text);
  if (!root) return Status::invalid("schema_of_xml: the XML text is malformed: {}", text);
  return without_nulls(XmlInference(options).infer_object(*root));
}

Result<TypePtr> schema_of_csv(std::string_view text, const DocumentOptions& options) {
  const CsvDialect dialect = CsvDialect::of(options, false);
  const auto fields = csv_fields(text, dialect);
  if (fields.empty()) return Status::invalid("schema_of_csv: the CSV text is empty");
  column::Schema schema;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const bool null = fields[i].empty() || fields[i] == dialect.null_value;
    schema.push_back(
        {fmt::format("_c{}", i), null ? column::string_type() : infer_field(fields[i]), true, {}});
  }
  return column::struct_type(std::move(schema));
}

}  // namespace millstream::functions
