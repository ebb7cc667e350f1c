#include "functions/coerce.h"

#include <arrow/scalar.h>

#include <algorithm>

#include "base/text.h"

namespace millstream::functions {

using column::DataType;
using column::TypeKind;
using column::TypePtr;

namespace {

bool is_timestamp(TypeKind kind) {
  return kind == TypeKind::timestamp || kind == TypeKind::timestamp_ntz;
}

bool is_atomic(const DataType& type) { return !type.is_nested() && type.kind() != TypeKind::null; }

TypePtr wider_decimal(const DataType& a, const DataType& b) {
  const int scale = std::max(a.scale(), b.scale());
  const int range = std::max(a.precision() - a.scale(), b.precision() - b.scale());
  // Digits before the point are kept.
  const int beyond = std::max(0, range + scale - 38);
  return bounded_decimal(range + scale, std::max(0, scale - beyond));
}

TypePtr tightest_numeric(const TypePtr& a, const TypePtr& b, bool ansi) {
  if (a->kind() == TypeKind::decimal || b->kind() == TypeKind::decimal) {
    const auto floating = [](const TypePtr& t) {
      return t->kind() == TypeKind::float_ || t->kind() == TypeKind::double_;
    };
    if (floating(a) || floating(b)) return column::double_type();
    const TypePtr left = a->kind() == TypeKind::decimal ? a : decimal_of_integral(*a);
    const TypePtr right = b->kind() == TypeKind::decimal ? b : decimal_of_integral(*b);
    return wider_decimal(*left, *right);
  }
  const TypePtr& wider = a->kind() < b->kind() ? b : a;
  // An integer does not fit a float's mantissa, so that ANSI goes on to double.
  return ansi && wider->kind() == TypeKind::float_ ? column::double_type() : wider;
}

// The common type of two nested types, their members joined by `join`.
template <typename Join>
TypePtr common_nested(const TypePtr& a, const TypePtr& b, const Join& join) {
  if (a->kind() != b->kind() || !a->is_nested()) return nullptr;
  if (a->kind() == TypeKind::array) {
    const TypePtr element = join(a->element(), b->element());
    if (element == nullptr) return nullptr;
    return column::array_type(element, a->contains_null() || b->contains_null());
  }
  if (a->kind() == TypeKind::map) {
    const TypePtr key = join(a->key(), b->key());
    const TypePtr value = join(a->value(), b->value());
    if (key == nullptr || value == nullptr) return nullptr;
    return column::map_type(key, value, a->value_contains_null() || b->value_contains_null());
  }
  if (a->fields().size() != b->fields().size()) return nullptr;
  std::vector<column::Field> fields;
  for (std::size_t i = 0; i < a->fields().size(); ++i) {
    const TypePtr type = join(a->fields()[i].type, b->fields()[i].type);
    if (type == nullptr) return nullptr;
    fields.push_back(
        {a->fields()[i].name, type, a->fields()[i].nullable || b->fields()[i].nullable, {}});
  }
  return column::struct_type(std::move(fields));
}

TypePtr string_promotion(const TypePtr& type, bool ansi) {
  const DataType& other = *type;
  if (!ansi) {
    const bool stays = other.kind() == TypeKind::binary || other.kind() == TypeKind::boolean;
    return is_atomic(other) && !stays ? column::string_type() : nullptr;
  }
  if (other.is_integral()) return column::long_type();
  if (other.is_numeric()) return column::double_type();
  const bool interval =
      other.kind() == TypeKind::day_time_interval || other.kind() == TypeKind::year_month_interval;
  return is_atomic(other) && !interval ? type : nullptr;
}

}  // namespace

TypePtr decimal_of_integral(const DataType& type) {
  switch (type.kind()) {
    case TypeKind::byte_:
      return column::decimal_type(3, 0);
    case TypeKind::short_:
      return column::decimal_type(5, 0);
    case TypeKind::int_:
      return column::decimal_type(10, 0);
    case TypeKind::long_:
      return column::decimal_type(20, 0);
    default:
      return nullptr;
  }
}

TypePtr decimal_of(const Argument& argument) {
  if (argument.type->kind() == TypeKind::decimal) return argument.type;
  // Of a constant its digits count, but for a TINYINT.
  const bool counted = argument.type->is_integral() && argument.type->kind() != TypeKind::byte_;
  if (argument.literal != nullptr && argument.literal->is_valid && counted) {
    std::string digits = argument.literal->ToString();
    if (!digits.empty() && digits[0] == '-') digits.erase(0, 1);
    return column::decimal_type(std::max(1, static_cast<int>(digits.size())), 0);
  }
  return decimal_of_integral(*argument.type);
}

TypePtr adjusted_decimal(int precision, int scale) {
  if (precision <= 38) return column::decimal_type(precision, scale);
  const int whole = precision - scale;
  const int kept = std::min(scale, 6);
  return column::decimal_type(38, std::max(38 - whole, kept));
}

TypePtr bounded_decimal(int precision, int scale) {
  return column::decimal_type(std::min(precision, 38), std::min(scale, 38));
}

bool can_cast_implicitly(const DataType& from, const DataType& to) {
  if (from == to || from.kind() == TypeKind::null) return true;
  if (from.kind() == TypeKind::array && to.kind() == TypeKind::array) {
    return can_cast_implicitly(*from.element(), *to.element());
  }
  if (from.kind() == TypeKind::map && to.kind() == TypeKind::map) {
    return can_cast_implicitly(*from.key(), *to.key()) &&
           can_cast_implicitly(*from.value(), *to.value());
  }
  if (from.is_nested() || to.is_nested()) return false;
  if (from.is_string() || to.is_string()) return to.kind() != TypeKind::null;
  if (from.is_numeric() && to.is_numeric()) {
    if (to.kind() == TypeKind::decimal) {
      const TypePtr as_decimal = decimal_of_integral(from);
      const DataType& tight = as_decimal ? *as_decimal : from;
      return tight.kind() == TypeKind::decimal && tight.scale() <= to.scale() &&
             tight.precision() - tight.scale() <= to.precision() - to.scale();
    }
    if (from.kind() == TypeKind::decimal) return !to.is_integral();
    return from.kind() <= to.kind();
  }
  if (from.kind() == TypeKind::date || is_timestamp(from.kind()))
    return is_timestamp(to.kind()) || to.kind() == TypeKind::date;
  return from.kind() == to.kind();
}

bool fits_parameter(const DataType& from, const DataType& to) {
  return can_cast_implicitly(from, to) || (from.is_numeric() && to.is_numeric());
}

TypePtr tightest_type(const TypePtr& a, const TypePtr& b, bool ansi) {
  if (column::same_type(a, b)) return a;
  if (a->kind() == TypeKind::null) return b;
  if (b->kind() == TypeKind::null) return a;
  if (a->is_string() && b->is_string()) return column::string_type();
  if (a->is_numeric() && b->is_numeric()) return tightest_numeric(a, b, ansi);
  const bool a_time = a->kind() == TypeKind::date || is_timestamp(a->kind());
  const bool b_time = b->kind() == TypeKind::date || is_timestamp(b->kind());
  if (a_time && b_time) {
    if (a->kind() == TypeKind::timestamp || b->kind() == TypeKind::timestamp)
      return column::timestamp_type();
    return column::timestamp_ntz_type();
  }
  if (a->kind() == b->kind() && a->kind() == TypeKind::day_time_interval) {
    return column::day_time_interval_type(std::min(a->start_field(), b->start_field()),
                                          std::max(a->end_field(), b->end_field()));
  }
  if (a->kind() == b->kind() && a->kind() == TypeKind::year_month_interval) {
    return column::year_month_interval_type(std::min(a->start_field(), b->start_field()),
                                            std::max(a->end_field(), b->end_field()));
  }
  return common_nested(
      a, b, [&](const TypePtr& x, const TypePtr& y) { return tightest_type(x, y, ansi); });
}

TypePtr wider_type(const TypePtr& a, const TypePtr& b, bool ansi) {
  if (TypePtr tightest = tightest_type(a, b, ansi)) return tightest;
  if (a->is_string()) return string_promotion(b, ansi);
  if (b->is_string()) return string_promotion(a, ansi);
  return common_nested(a, b,
                       [&](const TypePtr& x, const TypePtr& y) { return wider_type(x, y, ansi); });
}

namespace {

bool holds_string(const DataType& type) {
  if (type.is_string()) return true;
  return type.kind() == TypeKind::array && holds_string(*type.element());
}

}  // namespace

// What is no text comes first with ANSI (an int beside a text is a bigint, which the next int
// fits), and last without.
TypePtr wider_type(const std::vector<TypePtr>& types, bool ansi) {
  TypePtr common = column::null_type();
  for (const bool strings : {!ansi, ansi}) {
    for (const auto& type : types) {
      if ((ansi ? type->is_string() : holds_string(*type)) != strings) continue;
      common = wider_type(common, type, ansi);
      if (common == nullptr) return nullptr;
    }
  }
  return common;
}

namespace {

std::vector<TypePtr> types_of(const std::vector<Argument>& arguments) {
  std::vector<TypePtr> types;
  for (const auto& argument : arguments) types.push_back(argument.type);
  return types;
}

}  // namespace

bool names_agree(const DataType& a, const DataType& b) {
  if (a.kind() != b.kind()) return true;
  if (a.kind() == TypeKind::array) return names_agree(*a.element(), *b.element());
  if (a.kind() == TypeKind::map)
    return names_agree(*a.key(), *b.key()) && names_agree(*a.value(), *b.value());
  if (a.kind() != TypeKind::struct_) return true;
  const auto& x = a.fields();
  const auto& y = b.fields();
  for (std::size_t i = 0; i < std::min(x.size(), y.size()); ++i) {
    if (!equals_ignore_case(x[i].name, y[i].name) || !names_agree(*x[i].type, *y[i].type))
      return false;
  }
  return x.size() == y.size();
}

bool same_but_for_names(const TypePtr& a, const TypePtr& b) {
  if (!a->is_nested() || a->kind() != b->kind())
    return column::same_type_ignoring_nullability(a, b);
  return std::ranges::equal(a->fields(), b->fields(), [](const auto& x, const auto& y) {
    return same_but_for_names(x.type, y.type);
  });
}

namespace {

bool all_agree(const std::vector<Argument>& arguments, const DataType& common) {
  return std::ranges::all_of(
      arguments, [&](const Argument& argument) { return names_agree(*argument.type, common); });
}

}  // namespace

TypePtr wider_type_of(const std::vector<Argument>& arguments, bool ansi) {
  const TypePtr common = wider_type(types_of(arguments), ansi);
  return common != nullptr && all_agree(arguments, *common) ? common : nullptr;
}

TypePtr wider_type_without_text(const std::vector<Argument>& arguments, bool ansi) {
  const auto is_text = [](const Argument& a) { return a.type->is_string(); };
  const auto is_other = [](const Argument& a) {
    return !a.type->is_string() && a.type->kind() != TypeKind::null;
  };
  const bool mixed = std::any_of(arguments.begin(), arguments.end(), is_text) &&
                     std::any_of(arguments.begin(), arguments.end(), is_other);
  if (mixed) return nullptr;
  if (ansi) return wider_type_of(arguments, ansi);
  TypePtr common = column::null_type();
  for (const auto& argument : arguments) {
    common = tightest_type(common, argument.type, ansi);
    if (common == nullptr) return nullptr;
  }
  return common;
}

// Without ANSI a text beside a number or a time becomes one, and a truth value beside a number is
// 1 or 0.
TypePtr compared_type(const TypePtr& a, const TypePtr& b, bool ansi) {
  if (ansi) return wider_type(a, b, ansi);
  if (a->is_string() != b->is_string()) {
    const TypePtr& other = a->is_string() ? b : a;
    if (other->kind() == TypeKind::null) return column::string_type();
    if (other->kind() == TypeKind::decimal) return column::double_type();
    return is_atomic(*other) ? other : nullptr;
  }
  return tightest_type(a, b, ansi);
}

bool is_orderable(const DataType& type) {
  switch (type.kind()) {
    case TypeKind::map:
    case TypeKind::variant:
    case TypeKind::calendar_interval:
      return false;
    case TypeKind::array:
    case TypeKind::struct_:
      return std::all_of(type.fields().begin(), type.fields().end(),
                         [](const column::Field& field) { return is_orderable(*field.type); });
    default:
      return true;
  }
}

namespace {

bool can_cast_atomic(const DataType& from, const DataType& to, bool ansi) {
  const TypeKind f = from.kind();
  const TypeKind t = to.kind();
  const bool interval = f == TypeKind::day_time_interval || f == TypeKind::year_month_interval;
  if (f == t || f == TypeKind::null || to.is_string()) return true;
  if (from.is_string()) return t != TypeKind::null;
  if (f == TypeKind::variant) return true;
  if (t == TypeKind::variant) return !interval && f != TypeKind::calendar_interval;
  switch (t) {
    case TypeKind::boolean:
      return from.is_numeric() || (!ansi && (f == TypeKind::date || f == TypeKind::timestamp));
    case TypeKind::binary:
      return !ansi && from.is_integral();
    case TypeKind::date:
      return is_timestamp(f);
    case TypeKind::timestamp:
      return f == TypeKind::date || f == TypeKind::timestamp_ntz || from.is_numeric() ||
             (!ansi && f == TypeKind::boolean);
    case TypeKind::timestamp_ntz:
      return f == TypeKind::date || f == TypeKind::timestamp;
    case TypeKind::day_time_interval:
    case TypeKind::year_month_interval:
      return from.is_integral() || f == TypeKind::decimal;
    default:
      break;
  }
  if (!to.is_numeric()) return false;
  if (f == TypeKind::time) return to.is_integral() || t == TypeKind::decimal;
  if (from.is_numeric() || f == TypeKind::boolean || f == TypeKind::timestamp) return true;
  if (f == TypeKind::date) return !ansi;
  return interval && (to.is_integral() || t == TypeKind::decimal);
}

// Without ANSI a cast of these may be NULL, which a map's key cannot be.
bool may_become_null(const DataType& from, const DataType& to) {
  if (from == to || from.kind() == TypeKind::null || to.is_string()) return false;
  if (from.is_string()) return to.kind() != TypeKind::binary;
  const bool fraction = from.is_numeric() && !from.is_integral();
  if (fraction && (to.is_integral() || is_timestamp(to.kind()))) return true;
  if (to.kind() == TypeKind::date || from.kind() == TypeKind::date)
    return !is_timestamp(to.kind()) && !is_timestamp(from.kind());
  return to.kind() == TypeKind::decimal && !can_cast_implicitly(from, to);
}

}  // namespace

bool can_cast(const TypePtr& from, const TypePtr& to, bool ansi) {
  if (!from->is_nested() && !to->is_nested()) return can_cast_atomic(*from, *to, ansi);
  if (from->kind() == TypeKind::null || to->is_string()) return true;
  if (from->kind() == TypeKind::variant) return true;
  if (to->kind() == TypeKind::variant)
    return from->kind() == TypeKind::array && can_cast(from->element(), to, ansi);
  if (from->kind() != to->kind() || from->fields().size() != to->fields().size()) return false;
  for (std::size_t i = 0; i < from->fields().size(); ++i) {
    if (!can_cast(from->fields()[i].type, to->fields()[i].type, ansi)) return false;
    if (to->fields()[i].nullable) continue;
    if (from->fields()[i].nullable) return false;
    if (!ansi && may_become_null(*from->fields()[i].type, *to->fields()[i].type)) return false;
  }
  return true;
}

std::string quoted(const TypePtr& type) { return "\"" + type->sql() + "\""; }
std::string quoted(const std::string& sql) { return "\"" + sql + "\""; }

}  // namespace millstream::functions
