// to_json: a value as Spark's JacksonGenerator writes it.
#include "base/text.h"
#include "engine/document_text.h"
#include "engine/json_functions.h"
#include "engine/text.h"
#include "engine/variant.h"

namespace millstream::engine {

using column::DataType;
using column::TypeKind;

namespace {

std::string quoted_unless_number(const std::string& text) {
  return text.find_first_of("IN") == std::string::npos ? text : "\"" + text + "\"";
}

class JsonWriter {
 public:
  explicit JsonWriter(const ValueKernel& kernel)
      : kernel_(kernel),
        pretty_(equals_ignore_case(kernel.option("pretty"), "true")),
        keep_nulls_(equals_ignore_case(kernel.option("ignorenullfields"), "false")) {}

  Status write(const Value& value, const DataType& type) {
    if (value.is_null()) {
      out_ += "null";
      return Status::OK();
    }
    switch (type.kind()) {
      case TypeKind::array:
        return write_array(value, type);
      case TypeKind::map:
      case TypeKind::struct_:
        return write_object(value, type);
      case TypeKind::date:
      case TypeKind::timestamp:
      case TypeKind::timestamp_ntz:
      case TypeKind::time: {
        TRY_ASSIGN(const std::string text, write_time(kernel_, type, value.integer));
        append_json_quoted(text, &out_);
        return Status::OK();
      }
      case TypeKind::variant:
        out_ += VariantView(value.items[0].text, value.items[1].text).json(kernel_.time_zone);
        return Status::OK();
      default:
        out_ += atom(value, type);
        return Status::OK();
    }
  }

  std::string take() { return std::move(out_); }

 private:
  static std::string atom(const Value& value, const DataType& type) {
    switch (type.kind()) {
      case TypeKind::boolean:
        return value.integer != 0 ? "true" : "false";
      case TypeKind::float_:
        return quoted_unless_number(float_text(static_cast<float>(value.floating)));
      case TypeKind::double_:
        return quoted_unless_number(double_text(value.floating));
      case TypeKind::decimal:
        return java_decimal(value.decimal, type.scale());
      case TypeKind::binary:
        return "\"" + write_base64(value.text) + "\"";
      case TypeKind::string:
      case TypeKind::char_:
      case TypeKind::varchar:
        return json_quote(value.text);
      case TypeKind::day_time_interval:
        return "\"" + day_time_text(value.integer, type.start_field(), type.end_field()) + "\"";
      case TypeKind::year_month_interval:
        return "\"" + year_month_text(value.integer, type.start_field(), type.end_field()) + "\"";
      default:
        return std::to_string(value.integer);
    }
  }

  Status write_array(const Value& value, const DataType& type) {
    out_ += pretty_ ? "[ " : "[";
    for (std::size_t i = 0; i < value.items.size(); ++i) {
      if (i > 0) out_ += pretty_ ? ", " : ",";
      TRY(write(value.items[i], *type.element()));
    }
    out_ += pretty_ && !value.items.empty() ? " ]" : "]";
    return Status::OK();
  }

  // A key is what Java's toString makes of Spark's internal value.
  static std::string key_text(const Value& key, const DataType& type) {
    const bool text = key.kind == Value::Kind::text || key.kind == Value::Kind::floating;
    return text ? text_of(key, type, "UTC") : internal_text(key, type);
  }

  Status write_object(const Value& value, const DataType& type) {
    const bool map = type.kind() == TypeKind::map;
    bool first = true;
    out_ += '{';
    ++depth_;
    for (std::size_t i = 0; i < value.items.size(); ++i) {
      const Value& item = map ? value.items[i].items[1] : value.items[i];
      if (item.is_null() && !map && !keep_nulls_) continue;
      if (!first) out_ += ',';
      first = false;
      new_line();
      append_json_quoted(
          map ? key_text(value.items[i].items[0], *type.key()) : type.fields()[i].name, &out_);
      out_ += pretty_ ? " : " : ":";
      TRY(write(item, map ? *type.value() : *type.fields()[i].type));
    }
    --depth_;
    if (first) {
      out_ += pretty_ ? " }" : "}";
      return Status::OK();
    }
    new_line();
    out_ += '}';
    return Status::OK();
  }

  void new_line() {
    if (pretty_) out_ += '\n' + std::string(2 * depth_, ' ');
  }

  const ValueKernel& kernel_;
  const bool pretty_;
  const bool keep_nulls_;
  std::size_t depth_ = 0;
  std::string out_;
};

constexpr ValueFunction functions[] = {
    {"from_json", from_json},
    {"to_json", to_json},
};

}  // namespace

Result<Value> to_json(const ValueKernel& kernel, const Values& arguments) {
  JsonWriter writer(kernel);
  TRY(writer.write(arguments[0], *kernel.arguments[0]));
  return text_value(writer.take());
}

std::span<const ValueFunction> json_functions() { return functions; }

}  // namespace millstream::engine
