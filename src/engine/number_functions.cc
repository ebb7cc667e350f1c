// to_number and to_char of numbers. The format is a constant; the last one of each thread is kept.
#include "engine/text.h"
#include "engine/value_kernel.h"
#include "functions/number_format.h"

namespace millstream::engine {
namespace {

using functions::NumberFormat;

Result<const NumberFormat*> format_of(const std::string& text) {
  static thread_local std::string last_text;
  static thread_local std::optional<NumberFormat> last;
  if (!last || last_text != text) {
    TRY_ASSIGN(last, NumberFormat::parse(text));
    last_text = text;
  }
  return &*last;
}

template <bool Try>
Result<Value> to_number(const ValueKernel&, const Values& a) {
  TRY_ASSIGN(const NumberFormat* format, format_of(a[1].text));
  const auto number = format->read(a[0].text);
  if (!number && Try) return null_value();
  if (!number) {
    return Status::error(
        "INVALID_FORMAT.MISMATCH_INPUT",
        {{"inputType", "\"STRING\""}, {"input", a[0].text}, {"format", format->text()}});
  }
  Value out;
  out.kind = Value::Kind::decimal;
  out.decimal = *number;
  return out;
}

Result<Value> to_char(const ValueKernel& kernel, const Values& a) {
  TRY_ASSIGN(const NumberFormat* format, format_of(a[1].text));
  return text_value(format->write(text_of(a[0], *kernel.arguments[0], kernel.time_zone)));
}

constexpr ValueFunction functions_table[] = {
    {"to_number", to_number<false>},
    {"try_to_number", to_number<true>},
    {"to_char", to_char},
};

}  // namespace

std::span<const ValueFunction> number_functions() { return functions_table; }

}  // namespace millstream::engine
