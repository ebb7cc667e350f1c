// The DDL form of types and schemas.
#include <algorithm>

#include "base/text.h"
#include "base/time_of_day.h"
#include "column/timestamp_meaning.h"
#include "column/types.h"

namespace millstream::column {
namespace {

constexpr int depth_max = 200;

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

std::string quote_if_needed(std::string_view name) {
  const bool plain = !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return is_word(c) && static_cast<unsigned char>(c) < 0x80;
  }) && !std::all_of(name.begin(), name.end(), [](char c) { return c >= '0' && c <= '9'; });
  if (plain) return std::string(name);
  std::string out = "`";
  for (const char c : name) {
    out += c;
    if (c == '`') out += c;
  }
  return out + "`";
}

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) { advance(); }

  Result<TypePtr> type(int depth) {
    if (depth > depth_max) return Status::invalid("types are nested too deeply");
    if (token_.empty() || quoted_) return unexpected();
    const std::string name = to_lower(token_);
    const std::size_t begin = begin_;
    advance();
    if (name == "array" || name == "map" || name == "struct") return nested(name, depth);
    if (name == "interval") return interval();
    if (name == "decimal" || name == "dec" || name == "numeric") return decimal();
    if (name == "char" || name == "character" || name == "varchar") {
      if (quoted_ || token_ != "(")
        return Status::error("DATATYPE_MISSING_SIZE", {{"type", "\"" + to_upper(name) + "\""}});
      TRY_ASSIGN(const int length, one_number());
      return name == "varchar" ? varchar_type(length) : char_type(length);
    }
    if (name == "time") return time();
    if (name == "string") TRY(collation());
    const TypePtr plain = plain_type(name);
    if (plain == nullptr) {
      return Status::error(
          "UNSUPPORTED_DATATYPE",
          {{"typeName", "\"" + to_upper(text_.substr(begin, name.size())) + "\""}});
    }
    return plain;
  }

  Result<Schema> fields(int depth, std::string_view end) {
    Schema schema;
    if (token_ == end && !quoted_) return schema;
    for (;;) {
      TRY_ASSIGN(Field field, this->field(depth));
      schema.push_back(std::move(field));
      if (!accept(",")) return schema;
    }
  }

  Status expect_end() { return at_end() ? Status::OK() : unexpected(); }
  bool at_end() const { return token_.empty() && !quoted_; }

 private:
  Result<Field> field(int depth) {
    if (at_end() || (!quoted_ && !is_word(token_[0]))) return unexpected();
    Field field;
    field.name = token_;
    advance();
    accept(":");
    TRY_ASSIGN(field.type, type(depth + 1));
    for (;;) {
      if (accept_word("not")) {
        if (!accept_word("null")) return unexpected();
        field.nullable = false;
      } else if (accept_word("comment")) {
        if (!string_) return unexpected();
        field.metadata = "{\"comment\":" + json_quote(token_) + "}";
        advance();
      } else {
        return field;
      }
    }
  }

  Result<TypePtr> nested(const std::string& name, int depth) {
    if (name == "struct" && accept("<>")) return struct_type({});
    if (!accept("<")) {
      return Status::error(
          "INCOMPLETE_TYPE_DEFINITION." + to_upper(name),
          name == "array" ? ErrorParameters{{"elementType", "<INT>"}} : ErrorParameters());
    }
    TypePtr result;
    if (name == "array") {
      TRY_ASSIGN(TypePtr element, type(depth + 1));
      result = array_type(std::move(element));
    } else if (name == "map") {
      TRY_ASSIGN(TypePtr key, type(depth + 1));
      if (!accept(",")) return unexpected();
      TRY_ASSIGN(TypePtr value, type(depth + 1));
      result = map_type(std::move(key), std::move(value));
    } else {
      TRY_ASSIGN(Schema members, fields(depth + 1, ">"));
      result = struct_type(std::move(members));
    }
    if (!accept(">")) return unexpected();
    return result;
  }

  Result<TypePtr> decimal() {
    if (!accept("(")) return decimal_type(10, 0);
    TRY_ASSIGN(const int precision, number());
    int scale = 0;
    if (accept(",")) {
      TRY_ASSIGN(scale, number());
    }
    if (!accept(")")) return unexpected();
    if (precision > 38) {
      ErrorInfo info =
          Status::error("DECIMAL_PRECISION_EXCEEDS_MAX_PRECISION",
                        {{"precision", std::to_string(precision)}, {"maxPrecision", "38"}})
              .info();
      info.kind = ErrorKind::arithmetic;
      return Status(std::move(info));
    }
    if (scale > precision) {
      ErrorInfo info;
      info.kind = ErrorKind::parse;
      info.condition = "_LEGACY_ERROR_TEMP_1228";
      info.parameters = {{"scale", std::to_string(scale)},
                         {"precision", std::to_string(precision)}};
      info.message = fmt::format("Decimal scale ({}) cannot be greater than precision ({}).", scale,
                                 precision);
      return Status(std::move(info));
    }
    if (precision < 1 || scale < 0) {
      return Status::invalid(
          "decimal({},{}) is not a type: precision is 1 to 38, scale 0 to precision", precision,
          scale);
    }
    return decimal_type(precision, scale);
  }

  Result<TypePtr> interval() {
    constexpr std::string_view day_time[] = {"day", "hour", "minute", "second"};
    constexpr std::string_view year_month[] = {"year", "month"};
    const auto field_of = [&](auto& names, std::string_view word) {
      const auto found = std::find(std::begin(names), std::end(names), word);
      return found == std::end(names) ? -1 : static_cast<int>(found - std::begin(names));
    };
    const std::string from = to_lower(token_);
    const int day = field_of(day_time, from);
    const int year = field_of(year_month, from);
    if (day < 0 && year < 0) return type_of(TypeKind::calendar_interval);
    advance();
    int to = std::max(day, year);
    if (accept_word("to")) {
      to = day >= 0 ? field_of(day_time, to_lower(token_)) : field_of(year_month, to_lower(token_));
      if (to <= std::max(day, year)) return unexpected();
      advance();
    }
    return day >= 0 ? day_time_interval_type(day, to) : year_month_interval_type(year, to);
  }

  // TIME[(precision)] [WITHOUT TIME ZONE]
  Result<TypePtr> time() {
    int precision = time_precision_max;
    if (accept("(")) {
      TRY_ASSIGN(precision, number());
      if (!accept(")")) return unexpected();
    }
    if (accept_word("without") && !(accept_word("time") && accept_word("zone")))
      return unexpected();
    if (precision > time_precision_max) {
      return Status::error("UNSUPPORTED_TIME_PRECISION",
                           {{"precision", std::to_string(precision)}});
    }
    return time_type(precision);
  }

  // Of a text: its order of bytes is the only one that there is.
  Status collation() {
    if (!accept_word("collate")) return Status::OK();
    const std::string name = token_;
    if (at_end()) return unexpected();
    advance();
    if (equals_ignore_case(name, "UTF8_BINARY")) return Status::OK();
    return Status::unsupported("the collation {}: Millstream compares texts by their bytes", name);
  }

  static TypePtr plain_type(const std::string& name) {
    if (name == "boolean") return boolean_type();
    if (name == "tinyint" || name == "byte") return byte_type();
    if (name == "smallint" || name == "short") return short_type();
    if (name == "int" || name == "integer") return int_type();
    if (name == "bigint" || name == "long") return long_type();
    if (name == "float" || name == "real") return float_type();
    if (name == "double") return double_type();
    if (name == "string") return string_type();
    if (name == "binary") return binary_type();
    if (name == "date") return date_type();
    if (name == "timestamp") return plain_timestamp_type();
    if (name == "timestamp_ltz") return timestamp_type();
    if (name == "timestamp_ntz") return timestamp_ntz_type();
    if (name == "variant") return variant_type();
    if (name == "void") return null_type();
    return nullptr;
  }

  Result<int> one_number() {
    if (!accept("(")) return unexpected();
    TRY_ASSIGN(const int value, number());
    if (!accept(")")) return unexpected();
    return value;
  }

  Result<int> number() {
    const auto value = quoted_ ? std::nullopt : parse_int64(token_);
    if (!value || *value > 1'000'000'000) return unexpected();
    advance();
    return static_cast<int>(*value);
  }

  bool accept(std::string_view token) {
    if (quoted_ || token_ != token) return false;
    advance();
    return true;
  }

  bool accept_word(std::string_view word) {
    if (quoted_ || !equals_ignore_case(token_, word)) return false;
    advance();
    return true;
  }

  // The next token: a word, a backquoted name, a string, or one symbol ("<>" is one symbol).
  void advance() {
    while (at_ < text_.size() && trim(text_.substr(at_, 1)).empty()) ++at_;
    begin_ = at_;
    quoted_ = string_ = false;
    token_.clear();
    if (at_ == text_.size()) return;
    const char first = text_[at_];
    if (is_word(first)) {
      while (at_ < text_.size() && is_word(text_[at_])) token_ += text_[at_++];
    } else if (first == '`' || first == '\'' || first == '"') {
      quoted_ = true;
      string_ = first != '`';
      read_quoted(first);
    } else if (text_.substr(at_, 2) == "<>") {
      token_ = "<>";
      at_ += 2;
    } else {
      token_ = first;
      ++at_;
    }
  }

  void read_quoted(char quote) {
    ++at_;
    while (at_ < text_.size()) {
      if (text_[at_] == quote) {
        ++at_;
        if (at_ >= text_.size() || text_[at_] != quote) return;
      } else if (string_ && text_[at_] == '\\' && at_ + 1 < text_.size()) {
        ++at_;
      }
      token_ += text_[at_++];
    }
  }

  Status unexpected() const {
    const std::string near = at_end() ? "end of input" : "'" + token_ + "'";
    return Status::error("PARSE_SYNTAX_ERROR", {{"error", near}, {"hint", ""}});
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t begin_ = 0;
  std::string token_;    // empty and not quoted_: the end
  bool quoted_ = false;  // backquoted or a string
  bool string_ = false;
};

}  // namespace

std::string DataType::sql() const {
  switch (kind_) {
    case TypeKind::array:
      return "ARRAY<" + element()->sql() + ">";
    case TypeKind::map:
      return "MAP<" + key()->sql() + ", " + value()->sql() + ">";
    case TypeKind::struct_: {
      std::vector<std::string> parts;
      for (const Field& field : fields_) {
        parts.push_back(fmt::format("{}: {}{}", quote_if_needed(field.name), field.type->sql(),
                                    field.nullable ? "" : " NOT NULL"));
      }
      return "STRUCT<" + join(parts, ", ") + ">";
    }
    default:
      return to_upper(simple_string());
  }
}

std::string to_ddl(const Schema& schema) {
  std::vector<std::string> parts;
  for (const Field& field : schema) {
    parts.push_back(fmt::format("{} {}{}", quote_if_needed(field.name), field.type->sql(),
                                field.nullable ? "" : " NOT NULL"));
  }
  return join(parts, ",");
}

Result<TypePtr> parse_type(std::string_view ddl) {
  Parser parser(ddl);
  TRY_ASSIGN(TypePtr type, parser.type(0));
  TRY(parser.expect_end());
  return type;
}

Result<Schema> parse_schema(std::string_view ddl) {
  Parser parser(ddl);
  TRY_ASSIGN(Schema schema, parser.fields(0, ""));
  TRY(parser.expect_end());
  return schema;
}

Result<TypePtr> parse_schema_or_type(std::string_view ddl) {
  auto type = parse_type(ddl);
  if (type.ok()) return type;
  auto schema = parse_schema(ddl);
  if (schema.ok()) return struct_type(std::move(schema).value());
  return schema.status();
}

}  // namespace millstream::column
