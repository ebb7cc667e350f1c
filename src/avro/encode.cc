#include "avro/encode.h"

#include <arrow/array.h>
#include <arrow/type.h>
#include <arrow/util/decimal.h>

#include <algorithm>

#include "avro/bytes.h"
#include "avro/types.h"
#include "base/text.h"

namespace millstream::avro {
namespace {

using column::TypeKind;
using column::TypePtr;

constexpr int depth_max = 200;
constexpr std::int64_t nanos_per_micro = 1000;

// A step of the plan: writes one value that is not NULL.
class Step {
 public:
  virtual ~Step() = default;
  virtual Status run(const arrow::Array& array, std::int64_t row, std::string& out) const = 0;
};
using StepPtr = std::unique_ptr<Step>;

template <typename Body>
class Plain final : public Step {
 public:
  explicit Plain(Body body) : body_(std::move(body)) {}
  Status run(const arrow::Array& array, std::int64_t row, std::string& out) const override {
    return body_(array, row, out);
  }

 private:
  Body body_;
};

template <typename Body>
StepPtr plain(Body body) {
  return std::make_unique<Plain<Body>>(std::move(body));
}

template <typename Array>
StepPtr number(std::int64_t divisor = 1) {
  return plain([divisor](const arrow::Array& array, std::int64_t row, std::string& out) {
    const auto value = static_cast<std::int64_t>(static_cast<const Array&>(array).Value(row));
    // Towards the past, not towards zero.
    append_long(value / divisor - (value % divisor < 0 ? 1 : 0), out);
    return Status::OK();
  });
}

Status null_in(std::string_view what) {
  return Status::plain(
      ErrorKind::runtime,
      fmt::format("NULL cannot be written: the Avro schema has no null for {}", what));
}

// A value of a type that may be NULL, or not, in a schema that may have null, or not.
class ValueStep final : public Step {
 public:
  ValueStep(int null_branch, int branch, std::string name, StepPtr value)
      : null_branch_(null_branch),
        branch_(branch),
        name_(std::move(name)),
        value_(std::move(value)) {}
  Status run(const arrow::Array& array, std::int64_t row, std::string& out) const override {
    if (array.IsNull(row)) {
      if (value_ == nullptr) return Status::OK();
      if (null_branch_ < 0) return null_in(name_);
      append_long(null_branch_, out);
      return Status::OK();
    }
    if (branch_ >= 0) append_long(branch_, out);
    return value_->run(array, row, out);
  }

 private:
  int null_branch_;  // -1: none
  int branch_;       // -1: the schema is no union
  std::string name_;
  StepPtr value_;  // null: of the type null, which takes no bytes
};

class ArrayStep final : public Step {
 public:
  explicit ArrayStep(StepPtr item) : item_(std::move(item)) {}
  Status run(const arrow::Array& array, std::int64_t row, std::string& out) const override {
    const auto& list = static_cast<const arrow::ListArray&>(array);
    const auto count = list.value_length(row);
    if (count > 0) append_long(count, out);
    for (std::int64_t i = 0; i < count; ++i)
      TRY(item_->run(*list.values(), list.value_offset(row) + i, out));
    out += '\0';
    return Status::OK();
  }

 private:
  StepPtr item_;
};

class MapStep final : public Step {
 public:
  explicit MapStep(StepPtr value) : value_(std::move(value)) {}
  Status run(const arrow::Array& array, std::int64_t row, std::string& out) const override {
    const auto& map = static_cast<const arrow::MapArray&>(array);
    const auto& keys = static_cast<const arrow::StringArray&>(*map.keys());
    const auto count = map.value_length(row);
    if (count > 0) append_long(count, out);
    for (std::int64_t i = 0; i < count; ++i) {
      append_bytes(keys.GetView(map.value_offset(row) + i), out);
      TRY(value_->run(*map.items(), map.value_offset(row) + i, out));
    }
    out += '\0';
    return Status::OK();
  }

 private:
  StepPtr value_;
};

class RecordStep final : public Step {
 public:
  struct Member {
    int index = -1;  // of the struct; -1: NULL, by the schema's branch
    int null_branch = -1;
    StepPtr step;
  };
  std::vector<Member> members;

  Status run(const arrow::Array& array, std::int64_t row, std::string& out) const override {
    const auto& record = static_cast<const arrow::StructArray&>(array);
    for (const auto& member : members) {
      if (member.index < 0) {
        if (member.null_branch >= 0) append_long(member.null_branch, out);
        continue;
      }
      TRY(member.step->run(*record.field(member.index), row, out));
    }
    return Status::OK();
  }
};

// A struct whose only member that is not NULL is the branch of a union.
class UnionStep final : public Step {
 public:
  struct Branch {
    int number = 0;  // in the schema
    StepPtr step;
  };
  std::vector<Branch> branches;  // one a member

  Status run(const arrow::Array& array, std::int64_t row, std::string& out) const override {
    const auto& members = static_cast<const arrow::StructArray&>(array);
    for (std::size_t i = 0; i < branches.size(); ++i) {
      const auto& member = *members.field(static_cast<int>(i));
      if (member.IsNull(row)) continue;
      append_long(branches[i].number, out);
      return branches[i].step->run(member, row, out);
    }
    return null_in("a union");
  }
};

class Planner {
 public:
  explicit Planner(const EncodeRules& rules) : rules_(rules) {}

  Result<StepPtr> plan(const Type& schema, const TypePtr& type, const std::string& name) {
    if (++depth_ > depth_max) return Status::invalid("an Avro schema that is nested too deeply");
    auto step = plan_value(schema, type, name);
    --depth_;
    return step;
  }

 private:
  static int branch_number(const Type& schema, const Type* branch) {
    const auto at = std::find(schema.parts.begin(), schema.parts.end(), branch);
    return at == schema.parts.end() ? -1 : static_cast<int>(at - schema.parts.begin());
  }

  static int null_branch(const Type& schema) {
    for (std::size_t i = 0; i < schema.parts.size(); ++i) {
      if (schema.kind == Kind::union_ && schema.parts[i]->kind == Kind::null)
        return static_cast<int>(i);
    }
    return -1;
  }

  Result<StepPtr> plan_value(const Type& schema, const TypePtr& type, const std::string& name) {
    if (type->kind() == TypeKind::null && schema.kind == Kind::null)
      return StepPtr(std::make_unique<ValueStep>(-1, -1, name, nullptr));
    const auto branches = branches_without_null(schema);
    if (branches.size() > 1) return plan_union(schema, branches, type, name);
    if (branches.empty()) return incompatible(schema, *type);
    TRY_ASSIGN(auto bare, plan_bare(*branches[0], type, name));
    const int branch = schema.kind == Kind::union_ ? branch_number(schema, branches[0]) : -1;
    return StepPtr(std::make_unique<ValueStep>(null_branch(schema), branch, name, std::move(bare)));
  }

  Result<StepPtr> plan_union(const Type& schema, const std::vector<const Type*>& branches,
                             const TypePtr& type, const std::string& name) {
    if (type->kind() != TypeKind::struct_ || type->fields().size() != branches.size())
      return incompatible(schema, *type);
    auto step = std::make_unique<UnionStep>();
    for (std::size_t i = 0; i < branches.size(); ++i) {
      TRY_ASSIGN(auto bare, plan_bare(*branches[i], type->fields()[i].type, name));
      step->branches.push_back({branch_number(schema, branches[i]), std::move(bare)});
    }
    return StepPtr(std::make_unique<ValueStep>(null_branch(schema), -1, name, std::move(step)));
  }

  Result<StepPtr> plan_bare(const Type& schema, const TypePtr& type, const std::string& name) {
    switch (type->kind()) {
      case TypeKind::struct_:
        if (schema.kind == Kind::record) return plan_record(schema, *type);
        break;
      case TypeKind::array:
        if (schema.kind == Kind::array) {
          TRY_ASSIGN(auto item, plan(*schema.parts[0], type->element(), name));
          return StepPtr(std::make_unique<ArrayStep>(std::move(item)));
        }
        break;
      case TypeKind::map:
        if (schema.kind == Kind::map && type->key()->is_string()) {
          TRY_ASSIGN(auto value, plan(*schema.parts[0], type->value(), name));
          return StepPtr(std::make_unique<MapStep>(std::move(value)));
        }
        break;
      default:
        if (auto leaf = plan_leaf(schema, *type); leaf != nullptr) return leaf;
    }
    return incompatible(schema, *type);
  }

  Result<StepPtr> plan_record(const Type& schema, const column::DataType& type) {
    auto record = std::make_unique<RecordStep>();
    std::size_t used = 0;
    for (std::size_t i = 0; i < schema.fields.size(); ++i) {
      const Field& field = schema.fields[i];
      RecordStep::Member member;
      member.index = member_of(type, field, i);
      if (member.index >= 0) {
        const auto& own = type.fields()[static_cast<std::size_t>(member.index)];
        TRY_ASSIGN(member.step, plan(*field.type, own.type, own.name));
        ++used;
      } else if (field.type->kind == Kind::null || has_null(*field.type)) {
        member.null_branch = null_branch(*field.type);
      } else {
        return incompatible_schema(
            fmt::format("Found field '{}' in Avro schema but there is no match in "
                        "the SQL schema",
                        field.name));
      }
      record->members.push_back(std::move(member));
    }
    if (used == type.fields().size()) return StepPtr(std::move(record));
    for (std::size_t i = 0; i < type.fields().size(); ++i) {
      const auto is_it = [&](const RecordStep::Member& member) {
        return member.index == static_cast<int>(i);
      };
      if (std::none_of(record->members.begin(), record->members.end(), is_it)) {
        return incompatible_schema(
            fmt::format("Cannot find field '{}' in Avro schema", type.fields()[i].name));
      }
    }
    return incompatible_schema("a column is written twice by the Avro schema");
  }

  int member_of(const column::DataType& type, const Field& field, std::size_t place) const {
    const auto& members = type.fields();
    if (rules_.positional) return place < members.size() ? static_cast<int>(place) : -1;
    return rules_.case_sensitive ? column::find_field(members, field.name)
                                 : column::find_field_ignore_case(members, field.name);
  }

  // Null: they do not fit.
  static StepPtr plan_leaf(const Type& schema, const column::DataType& type) {
    switch (type.kind()) {
      case TypeKind::boolean:
        return schema.kind != Kind::boolean
                   ? nullptr
                   : plain([](const arrow::Array& array, std::int64_t row, std::string& out) {
                       out +=
                           static_cast<const arrow::BooleanArray&>(array).Value(row) ? '\1' : '\0';
                       return Status::OK();
                     });
      case TypeKind::byte_:
        return schema.kind == Kind::int_ ? number<arrow::Int8Array>() : nullptr;
      case TypeKind::short_:
        return schema.kind == Kind::int_ ? number<arrow::Int16Array>() : nullptr;
      case TypeKind::int_:
        return schema.kind == Kind::int_ ? number<arrow::Int32Array>() : nullptr;
      case TypeKind::long_:
        return schema.kind == Kind::long_ ? number<arrow::Int64Array>() : nullptr;
      case TypeKind::date:
        return schema.kind == Kind::int_ ? number<arrow::Date32Array>() : nullptr;
      case TypeKind::year_month_interval:
        return schema.kind == Kind::int_ ? number<arrow::MonthIntervalArray>() : nullptr;
      case TypeKind::time:
        return schema.kind != Kind::long_
                   ? nullptr
                   : plain([](const arrow::Array& array, std::int64_t row, std::string& out) {
                       append_long(static_cast<const arrow::Time64Array&>(array).Value(row) /
                                       nanos_per_micro,
                                   out);
                       return Status::OK();
                     });
      case TypeKind::day_time_interval:
        return schema.kind == Kind::long_ ? number<arrow::DurationArray>() : nullptr;
      case TypeKind::timestamp:
        return instant(schema, Logical::timestamp_millis, Logical::timestamp_micros);
      case TypeKind::timestamp_ntz:
        return instant(schema, Logical::local_timestamp_millis, Logical::local_timestamp_micros);
      case TypeKind::float_:
        return schema.kind != Kind::float_
                   ? nullptr
                   : plain([](const arrow::Array& array, std::int64_t row, std::string& out) {
                       append_float(static_cast<const arrow::FloatArray&>(array).Value(row), out);
                       return Status::OK();
                     });
      case TypeKind::double_:
        return schema.kind != Kind::double_
                   ? nullptr
                   : plain([](const arrow::Array& array, std::int64_t row, std::string& out) {
                       append_double(static_cast<const arrow::DoubleArray&>(array).Value(row), out);
                       return Status::OK();
                     });
      case TypeKind::decimal:
        return decimal(schema, type);
      case TypeKind::binary:
        return binary(schema);
      default:
        return type.is_string() ? text(schema) : nullptr;
    }
  }

  static StepPtr instant(const Type& schema, Logical millis, Logical micros) {
    if (schema.kind != Kind::long_) return nullptr;
    if (schema.logical == micros) return number<arrow::TimestampArray>();
    // Without a note it is milliseconds, as it was before Avro had notes.
    if (schema.logical == millis || schema.logical == Logical::none)
      return number<arrow::TimestampArray>(1000);
    return nullptr;
  }

  static StepPtr text(const Type& schema) {
    if (schema.kind == Kind::string) return bytes();
    if (schema.kind != Kind::enum_) return nullptr;
    return plain([symbols = schema.symbols](const arrow::Array& array, std::int64_t row,
                                            std::string& out) -> Status {
      const auto value = static_cast<const arrow::StringArray&>(array).GetView(row);
      const auto at = std::find(symbols.begin(), symbols.end(), value);
      if (at == symbols.end()) {
        return incompatible_schema(
            fmt::format("Cannot write \"{}\" since it's not defined in enum \"{}\"", value,
                        join(symbols, "\", \"")));
      }
      append_long(at - symbols.begin(), out);
      return Status::OK();
    });
  }

  static StepPtr bytes() {
    return plain([](const arrow::Array& array, std::int64_t row, std::string& out) {
      append_bytes(static_cast<const arrow::BinaryArray&>(array).GetView(row), out);
      return Status::OK();
    });
  }

  static StepPtr binary(const Type& schema) {
    if (schema.kind == Kind::bytes) return bytes();
    if (schema.kind != Kind::fixed) return nullptr;
    return plain([size = schema.size](const arrow::Array& array, std::int64_t row,
                                      std::string& out) -> Status {
      const auto value = static_cast<const arrow::BinaryArray&>(array).GetView(row);
      if (static_cast<std::int64_t>(value.size()) != size) {
        return incompatible_schema(
            fmt::format("Cannot write {} bytes of binary data into FIXED Type "
                        "with size of {} bytes",
                        value.size(), size));
      }
      out += value;
      return Status::OK();
    });
  }

  static StepPtr decimal(const Type& schema, const column::DataType& type) {
    const bool fixed = schema.kind == Kind::fixed;
    if ((!fixed && schema.kind != Kind::bytes) || schema.logical != Logical::decimal ||
        schema.precision != type.precision() || schema.scale != type.scale()) {
      return nullptr;
    }
    return plain([fixed, size = static_cast<std::size_t>(schema.size)](
                     const arrow::Array& array, std::int64_t row, std::string& out) {
      const arrow::Decimal128 value(
          static_cast<const arrow::Decimal128Array&>(array).GetValue(row));
      auto little = value.ToBytes();
      std::string big(little.rbegin(), little.rend());
      const char padding = value < 0 ? '\xff' : '\0';
      const auto is_padding = [&] {
        return big.size() > 1 && big[0] == padding && ((big[1] ^ padding) & 0x80) == 0;
      };
      while (fixed ? big.size() > size : is_padding()) big.erase(0, 1);
      if (fixed && big.size() < size) big.insert(0, size - big.size(), padding);
      if (fixed) {
        out += big;
      } else {
        append_bytes(big, out);
      }
      return Status::OK();
    });
  }

  static Status incompatible(const Type& schema, const column::DataType& type) {
    return incompatible_schema(
        fmt::format("Cannot convert SQL type {} to Avro type {}: the schemas are "
                    "incompatible",
                    type.sql(), schema.shown_name()));
  }

  const EncodeRules& rules_;
  int depth_ = 0;
};

class PlannedEncoder final : public Encoder {
 public:
  PlannedEncoder(std::shared_ptr<const Schema> schema, StepPtr step)
      : schema_(std::move(schema)), step_(std::move(step)) {}
  Status encode(const arrow::Array& array, std::int64_t row, std::string& out) const override {
    return step_->run(array, row, out);
  }

 private:
  const std::shared_ptr<const Schema> schema_;
  const StepPtr step_;
};

}  // namespace

Result<std::unique_ptr<Encoder>> Encoder::make(std::shared_ptr<const Schema> schema,
                                               column::TypePtr type, const EncodeRules& rules) {
  TRY_ASSIGN(auto step, Planner(rules).plan(schema->root(), type, schema->root().name));
  return std::unique_ptr<Encoder>(
      std::make_unique<PlannedEncoder>(std::move(schema), std::move(step)));
}

}  // namespace millstream::avro
