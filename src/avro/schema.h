// Avro's schemas: read from their JSON, checked, as a graph that may name itself. Immutable; any
// thread.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace millstream::avro {

enum class Kind : std::uint8_t {
  null,
  boolean,
  int_,
  long_,
  float_,
  double_,
  bytes,
  string,
  record,
  enum_,
  array,
  map,
  union_,
  fixed,
};

// A logical type that does not fit what it stands on is none, as in Avro's own library.
enum class Logical : std::uint8_t {
  none,
  decimal,
  date,
  timestamp_millis,
  timestamp_micros,
  local_timestamp_millis,
  local_timestamp_micros,
  time_micros,
  other,  // known to Avro and without meaning here: uuid, time-millis, …
};

struct Type;

struct Field {
  std::string name;
  const Type* type = nullptr;
  std::optional<std::string> default_value;  // as it would stand in a file
  std::vector<std::string> aliases;
};

struct Type {
  Kind kind = Kind::null;
  Logical logical = Logical::none;
  int precision = 0;  // decimal
  int scale = 0;
  std::int64_t size = 0;             // fixed
  std::string name;                  // record, enum, fixed: without the namespace
  std::string full_name;             // and with it
  std::vector<std::string> aliases;  // full names
  std::vector<Field> fields;         // record
  // union: its branches. array: the items. map: the values.
  std::vector<const Type*> parts;
  std::vector<std::string> symbols;  // enum
  std::optional<std::string> default_symbol;
  std::string catalyst;  // "spark.sql.catalyst.type"

  const char* kind_name() const;  // "record", as schemas have it
  std::string shown_name() const { return full_name.empty() ? kind_name() : full_name; }
};

class Schema {
 public:
  // Malformed JSON, names that are none, a type twice, a default that does not fit: an error that
  // says which.
  static Result<std::shared_ptr<const Schema>> parse(std::string_view json);

  const Type& root() const { return *root_; }
  const std::string& text() const { return text_; }  // compact JSON

  Schema() = default;
  Schema(const Schema&) = delete;
  Schema& operator=(const Schema&) = delete;

 private:
  friend class SchemaParser;
  std::deque<Type> types_;
  const Type* root_ = nullptr;
  std::string text_;
};

// Branches of a union that are not null; a type that is no union is its own only branch.
std::vector<const Type*> branches_without_null(const Type& type);
bool has_null(const Type& type);

}  // namespace millstream::avro
