// Partition columns: what the directories of a path say about the rows below them.
#include <arrow/scalar.h>
#include <arrow/type.h>
#include <arrow/util/decimal.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "base/text.h"
#include "base/time_of_day.h"
#include "column/timestamp_meaning.h"
#include "format/datetime_text.h"
#include "format/files.h"
#include "format/json_numbers.h"

namespace millstream::format {
namespace {

using column::TypeKind;
using column::TypePtr;

constexpr std::string_view null_text = "__HIVE_DEFAULT_PARTITION__";

// Java's parseDouble: also blanks around, and a final d or f.
bool parse_java_double(std::string_view text, double& value) {
  text = trim(text);
  if (parse_non_finite(text, false, value) && !text.ends_with("INF")) return true;
  if (!text.empty() && std::string_view("dDfF").find(text.back()) != std::string_view::npos)
    text.remove_suffix(1);
  std::string_view body = text;
  if (!body.empty() && (body.front() == '+' || body.front() == '-')) body.remove_prefix(1);
  const bool plausible = !body.empty() && std::all_of(body.begin(), body.end(), [](char c) {
    return is_digit(c) || c == '.' || c == 'e' || c == 'E' || c == '+' || c == '-';
  });
  if (!plausible) return false;
  const std::string copy(text);
  char* end = nullptr;
  value = std::strtod(copy.c_str(), &end);
  return *end == '\0';
}

// A decimal without fraction, of at most 38 digits: its precision; 0: it is none.
int whole_decimal_precision(std::string_view text) {
  if (text.find('.') != std::string_view::npos &&
      text.find_first_of("eE") == std::string_view::npos)
    return 0;
  __int128 value;
  if (!parse_decimal(text, 38, 0, false, value)) return 0;
  __int128 scaled;
  // Scale 6 must add nothing, otherwise there was a fraction.
  if (text.find_first_of("eE") != std::string_view::npos &&
      (!parse_decimal(text, 38, 6, false, scaled) || scaled != value * 1'000'000)) {
    return 0;
  }
  int digits = 1;
  for (__int128 rest = value < 0 ? -value : value; rest >= 10; rest /= 10) ++digits;
  return digits;
}

bool is_date(const std::string& text) {
  std::int32_t days;
  return text.size() >= 8 && std::count(text.begin(), text.end(), '-') == 2 &&
         text.find_first_of(" T") == std::string::npos && parse_date_lenient(text, days);
}

bool is_timestamp(const std::string& text, const std::string& time_zone) {
  static const auto pattern = DateTimePattern::compile("yyyy-MM-dd HH:mm:ss[.SSSSSS]");
  DateTimePattern::Fields fields;
  (void)time_zone;
  return pattern.ok() && pattern->parse(text, fields);
}

// "12:34:56[.123456]"; other forms are read where the column is said to hold times.
bool is_time(std::string_view text) {
  constexpr std::string_view form = "00:00:00.000000";
  if (text.size() != form.find('.') && (text.size() < 10 || text.size() > form.size()))
    return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool digit = text[i] >= '0' && text[i] <= '9';
    if (form[i] == '0' ? !digit : text[i] != form[i]) return false;
  }
  return parse_time_of_day(text).has_value();
}

TypePtr infer_value(const std::string& text, const std::string& time_zone) {
  if (text == null_text) return column::null_type();
  if (const auto number = parse_int64(text)) {
    const bool fits = *number >= std::numeric_limits<std::int32_t>::min() &&
                      *number <= std::numeric_limits<std::int32_t>::max();
    return fits ? column::int_type() : column::long_type();
  }
  if (const int precision = whole_decimal_precision(text); precision > 0)
    return column::decimal_type(precision, 0);
  double ignored;
  if (parse_java_double(text, ignored)) return column::double_type();
  if (is_time(text)) return column::type_of(TypeKind::time);
  if (is_timestamp(text, time_zone)) return column::plain_timestamp_type();
  if (is_date(text)) return column::date_type();
  return column::string_type();
}

TypePtr wider(const TypePtr& a, const TypePtr& b) {
  if (column::same_type(a, b)) return a;
  if (a->kind() == TypeKind::null) return b;
  if (b->kind() == TypeKind::null) return a;
  const auto either = [&](TypeKind x, TypeKind y) {
    return (a->kind() == x && b->kind() == y) || (a->kind() == y && b->kind() == x);
  };
  if (either(TypeKind::int_, TypeKind::long_)) return column::long_type();
  if (either(TypeKind::int_, TypeKind::double_)) return column::double_type();
  if (either(TypeKind::date, TypeKind::timestamp)) return column::timestamp_type();
  if (either(TypeKind::date, TypeKind::timestamp_ntz)) return column::timestamp_ntz_type();
  const auto digits = [](const TypePtr& type) {
    switch (type->kind()) {
      case TypeKind::int_:
        return 10;
      case TypeKind::long_:
        return 20;
      case TypeKind::decimal:
        return type->precision();
      default:
        return 0;
    }
  };
  if (digits(a) > 0 && digits(b) > 0)
    return column::decimal_type(std::max(digits(a), digits(b)), 0);
  return column::string_type();
}

Result<std::shared_ptr<arrow::Scalar>> parse_scalar(const TypePtr& type, const std::string& text,
                                                    const TimeZone& zone) {
  const auto wrong = [&] {
    return Status::plain(
        ErrorKind::runtime,
        fmt::format("the partition value `{}` is not of type {}", text, type->sql()));
  };
  const auto integer = [&](std::int64_t low, std::int64_t high) -> std::optional<std::int64_t> {
    const auto value = parse_int64(trim(text));
    return value && *value >= low && *value <= high ? value : std::nullopt;
  };
  std::shared_ptr<arrow::Scalar> out;
  switch (type->kind()) {
    case TypeKind::byte_:
      if (const auto v = integer(-128, 127))
        out = std::make_shared<arrow::Int8Scalar>(static_cast<std::int8_t>(*v));
      break;
    case TypeKind::short_:
      if (const auto v = integer(-32768, 32767))
        out = std::make_shared<arrow::Int16Scalar>(static_cast<std::int16_t>(*v));
      break;
    case TypeKind::int_:
      if (const auto v = integer(std::numeric_limits<std::int32_t>::min(),
                                 std::numeric_limits<std::int32_t>::max())) {
        out = std::make_shared<arrow::Int32Scalar>(static_cast<std::int32_t>(*v));
      }
      break;
    case TypeKind::long_:
      if (const auto v = parse_int64(trim(text))) out = std::make_shared<arrow::Int64Scalar>(*v);
      break;
    case TypeKind::float_:
    case TypeKind::double_: {
      double value;
      if (!parse_java_double(text, value)) break;
      if (type->kind() == TypeKind::double_) {
        out = std::make_shared<arrow::DoubleScalar>(value);
      } else {
        out = std::make_shared<arrow::FloatScalar>(static_cast<float>(value));
      }
      break;
    }
    case TypeKind::decimal: {
      __int128 value;
      if (!parse_decimal(trim(text), type->precision(), type->scale(), false, value)) break;
      out = std::make_shared<arrow::Decimal128Scalar>(
          arrow::Decimal128(static_cast<std::int64_t>(value >> 64),
                            static_cast<std::uint64_t>(value)),
          arrow::decimal128(type->precision(), type->scale()));
      break;
    }
    case TypeKind::boolean:
      if (const auto value = parse_bool(trim(text)))
        out = std::make_shared<arrow::BooleanScalar>(*value);
      break;
    case TypeKind::date: {
      std::int32_t days;
      if (parse_date_lenient(text, days)) out = std::make_shared<arrow::Date32Scalar>(days);
      break;
    }
    case TypeKind::timestamp: {
      std::int64_t micros;
      if (parse_timestamp_lenient(text, zone, micros)) {
        out = std::make_shared<arrow::TimestampScalar>(
            micros, arrow::timestamp(arrow::TimeUnit::MICRO, "UTC"));
      }
      break;
    }
    case TypeKind::timestamp_ntz: {
      std::int64_t micros;
      if (parse_timestamp_ntz_lenient(text, micros)) {
        out = std::make_shared<arrow::TimestampScalar>(micros,
                                                       arrow::timestamp(arrow::TimeUnit::MICRO));
      }
      break;
    }
    case TypeKind::time:
      if (const auto nanos = parse_time_of_day(text))
        out = std::make_shared<arrow::Time64Scalar>(*nanos, arrow::time64(arrow::TimeUnit::NANO));
      break;
    case TypeKind::string:
    case TypeKind::char_:
    case TypeKind::varchar:
      out = std::make_shared<arrow::StringScalar>(text);
      break;
    case TypeKind::binary:
      out = std::make_shared<arrow::BinaryScalar>(arrow::Buffer::FromString(text));
      break;
    default:
      return Status::error("INVALID_PARTITION_COLUMN_DATA_TYPE",
                           {{"type", "\"" + type->sql() + "\""}});
  }
  if (out == nullptr) return wrong();
  return out;
}

using Segments = std::vector<PartitionSegment>;

std::vector<std::string> names_of(const Segments& segments) {
  std::vector<std::string> names;
  for (const auto& segment : segments) names.push_back(segment.name);
  return names;
}

Status conflicting(const std::set<std::vector<std::string>>& lists,
                   const std::vector<FoundFile>& files) {
  std::string columns;
  int number = 0;
  for (const auto& names : lists) {
    columns += fmt::format("{}\n\tPartition column name list #{}: {}", number > 0 ? "" : "", number,
                           join(names, ", "));
    ++number;
  }
  std::set<std::string> directories;
  for (const auto& file : files) directories.insert(io::to_text(io::parent_path(file.info.path)));
  std::string suspicious;
  for (const auto& directory : directories) suspicious += "\n\t" + directory;
  return Status::error("CONFLICTING_PARTITION_COLUMN_NAMES",
                       {{"distinctPartColLists", columns}, {"suspiciousPaths", suspicious}});
}

}  // namespace

std::vector<PartitionSegment> partition_segments(std::string_view root,
                                                 std::string_view file_path) {
  std::vector<PartitionSegment> segments;
  std::string_view directory = io::parent_path(file_path);
  if (!directory.starts_with(root)) return segments;
  for (const auto& part : split(directory.substr(root.size()), '/')) {
    const auto equals = part.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == part.size()) continue;
    segments.push_back(
        {percent_decode(part.substr(0, equals)), percent_decode(part.substr(equals + 1))});
  }
  return segments;
}

Result<ConstantColumn> partition_value(const column::Field& field, const std::string& text,
                                       const std::string& time_zone) {
  ConstantColumn column{field, nullptr};
  if (text == null_text) return column;
  TRY_ASSIGN(const TimeZone zone, TimeZone::find(time_zone));
  TRY_ASSIGN(column.value, parse_scalar(field.type, text, zone));
  return column;
}

Result<PartitionedFiles> discover_partitions(std::vector<FoundFile> files,
                                             const PartitionRules& rules) {
  std::vector<Segments> all;
  std::set<std::vector<std::string>> lists;
  for (const auto& file : files) {
    all.push_back(file.partition.empty() ? partition_segments(file.root, file.info.path)
                                         : partition_segments("", "/" + file.partition + "/file"));
    lists.insert(names_of(all.back()));
  }
  std::vector<std::string> names;
  if (rules.names) {
    names = *rules.names;
  } else if (lists.size() == 1) {
    names = *lists.begin();
  } else if (lists.size() > 1 && !rules.lenient) {
    return conflicting(lists, files);
  }
  PartitionedFiles out;
  const auto value_of = [&](const Segments& segments,
                            const std::string& name) -> const std::string* {
    for (const auto& segment : segments) {
      if (equals_ignore_case(segment.name, name)) return &segment.value;
    }
    return nullptr;
  };
  for (const auto& name : names) {
    const int given = column::find_field_ignore_case(rules.types, name);
    TypePtr type = column::null_type();
    if (given >= 0) {
      type = rules.types[static_cast<std::size_t>(given)].type;
    } else if (!rules.infer_types) {
      type = column::string_type();
    } else {
      for (const auto& segments : all) {
        const auto* text = value_of(segments, name);
        if (text != nullptr) type = wider(type, infer_value(*text, rules.time_zone));
      }
      if (type->kind() == TypeKind::null) type = column::string_type();
    }
    out.columns.push_back(
        {given >= 0 ? rules.types[static_cast<std::size_t>(given)].name : name, type, true, {}});
  }
  TRY_ASSIGN(const TimeZone zone, TimeZone::find(rules.time_zone));
  for (std::size_t i = 0; i < files.size(); ++i) {
    FileSplit split{std::move(files[i].info), {}};
    for (std::size_t c = 0; c < names.size(); ++c) {
      ConstantColumn constant{out.columns[c], nullptr};
      const auto* text = value_of(all[i], names[c]);
      if (text != nullptr && *text != null_text) {
        TRY_ASSIGN(constant.value, parse_scalar(constant.field.type, *text, zone));
      }
      split.constants.push_back(std::move(constant));
    }
    out.files.push_back(std::move(split));
  }
  return out;
}

}  // namespace millstream::format
