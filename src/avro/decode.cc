#include "avro/decode.h"

#include <arrow/array/builder_binary.h>
#include <arrow/array/builder_decimal.h>
#include <arrow/array/builder_nested.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/array/builder_time.h>
#include <arrow/builder.h>
#include <arrow/type.h>

#include <algorithm>
#include <limits>
#include <set>
#include <variant>

#include "avro/types.h"
#include "base/text.h"

namespace millstream::avro {
namespace {

using column::TypeKind;
using column::TypePtr;

constexpr int depth_max = 200;
// Values that take no bytes can be many in a few bytes.
constexpr std::int64_t free_items_max = 1 << 20;

Status damaged(std::string_view what) { return Status::io("malformed Avro data: {}", what); }

Status cut_off() {
  return damaged("it ends within a value, or has a number or length that is none");
}

Status to_status(const arrow::Status& status) {
  return status.ok() ? Status::OK() : Status::internal("Arrow: {}", status.ToString());
}

// Whether a value may take no bytes at all.
bool may_be_free(const Type& type, int depth = 0) {
  switch (type.kind) {
    case Kind::null:
      return true;
    case Kind::fixed:
      return type.size == 0;
    case Kind::record:
      return depth > depth_max ||
             std::all_of(type.fields.begin(), type.fields.end(),
                         [&](const Field& field) { return may_be_free(*field.type, depth + 1); });
    default:
      return false;
  }
}

// The items of arrays and maps come in blocks, each with its count; a negative one is followed by
// the block's size.
template <typename Body>
Status for_each_item(Input& in, bool free_items, const Body& body) {
  std::int64_t total = 0;
  for (;;) {
    std::int64_t count = 0;
    if (!in.read_long(count)) return cut_off();
    if (count == 0) return Status::OK();
    if (count < 0) {
      std::int64_t bytes = 0;
      if (count == std::numeric_limits<std::int64_t>::min() || !in.read_long(bytes))
        return cut_off();
      count = -count;
    }
    const auto most = free_items ? free_items_max - total : static_cast<std::int64_t>(in.left());
    if (count > most) return damaged("more items than there are bytes for");
    total += count;
    for (std::int64_t i = 0; i < count; ++i) TRY(body());
  }
}

Status skip(const Type& type, Input& in, int depth) {
  if (depth > depth_max) return damaged("values are nested too deeply");
  std::int64_t number = 0;
  std::string_view bytes;
  std::uint8_t byte = 0;
  switch (type.kind) {
    case Kind::null:
      return Status::OK();
    case Kind::boolean:
      return in.read_byte(byte) ? Status::OK() : cut_off();
    case Kind::int_:
    case Kind::long_:
    case Kind::enum_:
      return in.read_long(number) ? Status::OK() : cut_off();
    case Kind::float_:
      return in.read_raw(4, bytes) ? Status::OK() : cut_off();
    case Kind::double_:
      return in.read_raw(8, bytes) ? Status::OK() : cut_off();
    case Kind::bytes:
    case Kind::string:
      return in.read_bytes(bytes) ? Status::OK() : cut_off();
    case Kind::fixed:
      return in.read_raw(static_cast<std::size_t>(type.size), bytes) ? Status::OK() : cut_off();
    case Kind::record:
      for (const auto& field : type.fields) TRY(skip(*field.type, in, depth + 1));
      return Status::OK();
    case Kind::array:
      return for_each_item(in, may_be_free(*type.parts[0]),
                           [&] { return skip(*type.parts[0], in, depth + 1); });
    case Kind::map:
      return for_each_item(in, false, [&]() -> Status {
        if (!in.read_bytes(bytes)) return cut_off();
        return skip(*type.parts[0], in, depth + 1);
      });
    case Kind::union_:
      if (!in.read_long(number)) return cut_off();
      if (number < 0 || number >= static_cast<std::int64_t>(type.parts.size()))
        return damaged("a union's branch that is not there");
      return skip(*type.parts[static_cast<std::size_t>(number)], in, depth + 1);
  }
  return Status::OK();
}

// A step of the plan: reads one value and appends it to a builder.
class Step {
 public:
  virtual ~Step() = default;
  virtual Status run(Input& in, arrow::ArrayBuilder& to) const = 0;
};
using StepPtr = std::unique_ptr<Step>;

// What is read by a function.
template <typename Body>
class Plain final : public Step {
 public:
  explicit Plain(Body body) : body_(std::move(body)) {}
  Status run(Input& in, arrow::ArrayBuilder& to) const override { return body_(in, to); }

 private:
  Body body_;
};

template <typename Body>
StepPtr plain(Body body) {
  return std::make_unique<Plain<Body>>(std::move(body));
}

// Avro's numbers that Spark's builders take, by `convert`.
template <typename Builder, typename Convert>
StepPtr whole_number(bool is_int, Convert convert) {
  return plain([is_int, convert](Input& in, arrow::ArrayBuilder& to) -> Status {
    std::int64_t value = 0;
    if (!in.read_long(value)) return cut_off();
    if (is_int && value != static_cast<std::int32_t>(value)) return damaged("an int that is none");
    std::int64_t scaled = 0;
    if (!convert(value, scaled)) return Status::plain(ErrorKind::arithmetic, "long overflow");
    return to_status(
        static_cast<Builder&>(to).Append(static_cast<typename Builder::value_type>(scaled)));
  });
}

constexpr auto as_it_is = [](std::int64_t value, std::int64_t& out) {
  out = value;
  return true;
};
constexpr auto thousandfold = [](std::int64_t value, std::int64_t& out) {
  return !__builtin_mul_overflow(value, std::int64_t{1000}, &out);
};

template <typename From, typename Builder>
StepPtr fraction() {
  return plain([](Input& in, arrow::ArrayBuilder& to) -> Status {
    From value{};
    if (!in.read_little(value)) return cut_off();
    return to_status(static_cast<Builder&>(to).Append(value));
  });
}

template <typename Builder>
StepPtr text_step() {
  return plain([](Input& in, arrow::ArrayBuilder& to) -> Status {
    std::string_view bytes;
    if (!in.read_bytes(bytes)) return cut_off();
    return to_status(static_cast<Builder&>(to).Append(bytes));
  });
}

// A big-endian two's-complement number; false: it has more than 128 bits.
bool read_decimal(std::string_view bytes, arrow::Decimal128& out) {
  const bool negative = !bytes.empty() && (static_cast<std::uint8_t>(bytes[0]) & 0x80) != 0;
  const char padding = negative ? '\xff' : '\0';
  while (bytes.size() > 16) {
    if (bytes[0] != padding) return false;
    bytes.remove_prefix(1);
  }
  if (bytes.empty()) return true;
  if (((static_cast<std::uint8_t>(bytes[0]) & 0x80) != 0) != negative) return false;
  const auto value = arrow::Decimal128::FromBigEndian(
      reinterpret_cast<const std::uint8_t*>(bytes.data()), static_cast<std::int32_t>(bytes.size()));
  if (!value.ok()) return false;
  out = *value;
  return true;
}

StepPtr decimal_step(const Type& type, const column::DataType& wanted) {
  const bool fixed = type.kind == Kind::fixed;
  return plain([fixed, size = static_cast<std::size_t>(type.size), from_scale = type.scale,
                to_scale = wanted.scale(),
                precision = wanted.precision()](Input& in, arrow::ArrayBuilder& to) -> Status {
    std::string_view bytes;
    if (!(fixed ? in.read_raw(size, bytes) : in.read_bytes(bytes))) return cut_off();
    auto& builder = static_cast<arrow::Decimal128Builder&>(to);
    arrow::Decimal128 value;
    if (!read_decimal(bytes, value)) return damaged("a decimal of more than 38 digits");
    if (from_scale > to_scale) {
      value = value.ReduceScaleBy(from_scale - to_scale, true);
    } else if (from_scale < to_scale) {
      auto scaled = value.Rescale(from_scale, to_scale);
      if (!scaled.ok()) return to_status(builder.AppendNull());
      value = *scaled;
    }
    return to_status(value.FitsInPrecision(precision) ? builder.Append(value)
                                                      : builder.AppendNull());
  });
}

class SkipStep final : public Step {
 public:
  explicit SkipStep(const Type& type) : type_(type) {}
  Status run(Input& in, arrow::ArrayBuilder& to) const override {
    TRY(skip(type_, in, 0));
    return to_status(to.AppendNull());
  }

 private:
  const Type& type_;
};

class FailStep final : public Step {
 public:
  explicit FailStep(std::string what) : what_(std::move(what)) {}
  Status run(Input&, arrow::ArrayBuilder&) const override { return damaged(what_); }

 private:
  std::string what_;
};

class UnionStep final : public Step {
 public:
  explicit UnionStep(std::vector<StepPtr> branches) : branches_(std::move(branches)) {}
  Status run(Input& in, arrow::ArrayBuilder& to) const override {
    std::int64_t branch = 0;
    if (!in.read_long(branch)) return cut_off();
    if (branch < 0 || branch >= static_cast<std::int64_t>(branches_.size()))
      return damaged("a union's branch that is not there");
    return branches_[static_cast<std::size_t>(branch)]->run(in, to);
  }

 private:
  std::vector<StepPtr> branches_;
};

// A value of a union that Spark has as a struct, one member of which is set.
class MemberStep final : public Step {
 public:
  MemberStep(int member, StepPtr value) : member_(member), value_(std::move(value)) {}
  Status run(Input& in, arrow::ArrayBuilder& to) const override {
    auto& builder = static_cast<arrow::StructBuilder&>(to);
    TRY(to_status(builder.Append()));
    for (int i = 0; i < builder.num_fields(); ++i) {
      TRY(i == member_ ? value_->run(in, *builder.field_builder(i))
                       : to_status(builder.field_builder(i)->AppendNull()));
    }
    return Status::OK();
  }

 private:
  int member_;
  StepPtr value_;
};

class ArrayStep final : public Step {
 public:
  ArrayStep(bool free_items, StepPtr item) : free_items_(free_items), item_(std::move(item)) {}
  Status run(Input& in, arrow::ArrayBuilder& to) const override {
    auto& builder = static_cast<arrow::ListBuilder&>(to);
    TRY(to_status(builder.Append()));
    return for_each_item(in, free_items_, [&] { return item_->run(in, *builder.value_builder()); });
  }

 private:
  bool free_items_;
  StepPtr item_;
};

class MapStep final : public Step {
 public:
  explicit MapStep(StepPtr value) : value_(std::move(value)) {}
  Status run(Input& in, arrow::ArrayBuilder& to) const override {
    auto& builder = static_cast<arrow::MapBuilder&>(to);
    auto& keys = static_cast<arrow::StringBuilder&>(*builder.key_builder());
    TRY(to_status(builder.Append()));
    std::set<std::string_view> seen;
    return for_each_item(in, false, [&]() -> Status {
      std::string_view key;
      if (!in.read_bytes(key)) return cut_off();
      if (!seen.insert(key).second) {
        return Status::error(
            "DUPLICATED_MAP_KEY",
            {{"key", std::string(key)}, {"mapKeyDedupPolicy", "\"spark.sql.mapKeyDedupPolicy\""}});
      }
      TRY(to_status(keys.Append(key)));
      return value_->run(in, *builder.item_builder());
    });
  }

 private:
  StepPtr value_;
};

// Fields in the writer's order; then those that only the reader's schema has, by their defaults;
// then those that nobody has.
class RecordStep final : public Step {
 public:
  struct Read {
    int member = -1;  // -1: not wanted
    StepPtr step;
    const Type* skipped = nullptr;
  };
  struct Default {
    int member = -1;
    StepPtr step;
    std::string bytes;
  };
  std::vector<Read> reads;
  std::vector<Default> defaults;
  std::vector<int> missing;

  Status run(Input& in, arrow::ArrayBuilder& to) const override {
    auto& builder = static_cast<arrow::StructBuilder&>(to);
    TRY(to_status(builder.Append()));
    for (const auto& read : reads) {
      TRY(read.member < 0 ? skip(*read.skipped, in, 0)
                          : read.step->run(in, *builder.field_builder(read.member)));
    }
    for (const auto& one : defaults) {
      Input bytes(one.bytes);
      TRY(one.step->run(bytes, *builder.field_builder(one.member)));
    }
    for (const int member : missing) TRY(to_status(builder.field_builder(member)->AppendNull()));
    return Status::OK();
  }
};

class Planner {
 public:
  explicit Planner(const DecodeRules& rules) : rules_(rules) {}

  Result<StepPtr> plan(const Type& writer, const Type& reader, const TypePtr& wanted) {
    if (++planned_ > 200'000) return Status::invalid("an Avro schema with too many fields");
    if (wanted->kind() == TypeKind::null) return StepPtr(std::make_unique<SkipStep>(writer));
    if (writer.kind == Kind::union_) {
      std::vector<StepPtr> branches;
      for (const auto* branch : writer.parts) {
        TRY_ASSIGN(auto step, plan(*branch, reader, wanted));
        branches.push_back(std::move(step));
      }
      return StepPtr(std::make_unique<UnionStep>(std::move(branches)));
    }
    if (reader.kind == Kind::union_) return plan_branch(writer, reader, wanted);
    return plan_single(writer, reader, wanted);
  }

 private:
  // Avro's rule of what may be read as what; `exact`: without promotion.
  static bool resolves(const Type& writer, const Type& reader, bool exact) {
    if (writer.kind == reader.kind) {
      switch (writer.kind) {
        case Kind::fixed:
          return same_name(writer, reader) && writer.size == reader.size;
        case Kind::record:
        case Kind::enum_:
          return same_name(writer, reader);
        default:
          return true;
      }
    }
    if (exact) return false;
    switch (writer.kind) {
      case Kind::int_:
        return reader.kind == Kind::long_ || reader.kind == Kind::float_ ||
               reader.kind == Kind::double_;
      case Kind::long_:
        return reader.kind == Kind::float_ || reader.kind == Kind::double_;
      case Kind::float_:
        return reader.kind == Kind::double_;
      case Kind::string:
        return reader.kind == Kind::bytes;
      case Kind::bytes:
        return reader.kind == Kind::string;
      default:
        return false;
    }
  }

  static bool same_name(const Type& writer, const Type& reader) {
    return writer.full_name == reader.full_name || writer.name == reader.name ||
           std::find(reader.aliases.begin(), reader.aliases.end(), writer.full_name) !=
               reader.aliases.end();
  }

  static const Type* branch_for(const Type& writer, const Type& reader) {
    for (const auto* branch : reader.parts) {
      if (branch == &writer ||
          (branch->kind == writer.kind && branch->full_name == writer.full_name))
        return branch;
    }
    for (const bool exact : {true, false}) {
      for (const auto* branch : reader.parts) {
        if (resolves(writer, *branch, exact)) return branch;
      }
    }
    return nullptr;
  }

  Result<StepPtr> plan_branch(const Type& writer, const Type& reader, const TypePtr& wanted) {
    const Type* const branch = branch_for(writer, reader);
    if (branch == nullptr)
      return StepPtr(
          std::make_unique<FailStep>("Found " + writer.shown_name() + ", expecting union"));
    if (branch->kind == Kind::null) {
      return plain([](Input&, arrow::ArrayBuilder& to) { return to_status(to.AppendNull()); });
    }
    const auto branches = branches_without_null(reader);
    if (branches.size() == 1) return plan_single(writer, *branch, wanted);
    const auto is_pair = [&](Kind a, Kind b) {
      return branches.size() == 2 && (branches[0]->kind == a || branches[1]->kind == a) &&
             (branches[0]->kind == b || branches[1]->kind == b);
    };
    if ((wanted->kind() == TypeKind::long_ && is_pair(Kind::int_, Kind::long_)) ||
        (wanted->kind() == TypeKind::double_ && is_pair(Kind::float_, Kind::double_))) {
      return plan_single(writer, *branch, wanted);
    }
    if (wanted->kind() != TypeKind::struct_ || wanted->fields().size() != branches.size())
      return incompatible(reader, *wanted);
    const auto member = std::find(branches.begin(), branches.end(), branch) - branches.begin();
    TRY_ASSIGN(auto value, plan_single(writer, *branch,
                                       wanted->fields()[static_cast<std::size_t>(member)].type));
    return StepPtr(std::make_unique<MemberStep>(static_cast<int>(member), std::move(value)));
  }

  // Neither is a union.
  Result<StepPtr> plan_single(const Type& writer, const Type& reader, const TypePtr& wanted) {
    if (wanted->kind() == TypeKind::null) return StepPtr(std::make_unique<SkipStep>(writer));
    if (!resolves(writer, reader, false)) {
      return StepPtr(std::make_unique<FailStep>(
          fmt::format("Found {}, expecting {}", writer.shown_name(), reader.shown_name())));
    }
    switch (reader.kind) {
      case Kind::record:
        if (wanted->kind() != TypeKind::struct_) return incompatible(reader, *wanted);
        return plan_record(writer, reader, wanted);
      case Kind::array: {
        if (wanted->kind() != TypeKind::array) return incompatible(reader, *wanted);
        TRY_ASSIGN(auto item, nested(*writer.parts[0], *reader.parts[0], wanted->element()));
        return StepPtr(std::make_unique<ArrayStep>(may_be_free(*writer.parts[0]), std::move(item)));
      }
      case Kind::map: {
        if (wanted->kind() != TypeKind::map || !wanted->key()->is_string())
          return incompatible(reader, *wanted);
        TRY_ASSIGN(auto value, nested(*writer.parts[0], *reader.parts[0], wanted->value()));
        return StepPtr(std::make_unique<MapStep>(std::move(value)));
      }
      case Kind::null:
        return plain([](Input&, arrow::ArrayBuilder& to) { return to_status(to.AppendNull()); });
      default:
        return plan_leaf(writer, reader, *wanted);
    }
  }

  Result<StepPtr> nested(const Type& writer, const Type& reader, const TypePtr& wanted) {
    if (++depth_ > depth_max) return Status::invalid("an Avro schema that is nested too deeply");
    auto step = plan(writer, reader, wanted);
    --depth_;
    return step;
  }

  // The place of a wanted member among the reader's fields; -1: nowhere.
  Result<int> field_of(const Type& reader, const column::Schema& wanted, std::size_t member) const {
    if (rules_.positional) {
      const bool is_root = depth_ == 0 && member < rules_.places.size();
      const int place = is_root ? rules_.places[member] : static_cast<int>(member);
      return place < static_cast<int>(reader.fields.size()) ? place : -1;
    }
    int found = -1;
    const std::string& name = wanted[member].name;
    for (std::size_t i = 0; i < reader.fields.size(); ++i) {
      const std::string& other = reader.fields[i].name;
      if (rules_.case_sensitive ? other != name : !equals_ignore_case(other, name)) continue;
      if (found >= 0) {
        return incompatible_schema(
            fmt::format("Searching for '{}' in Avro schema gave more than one match", name));
      }
      found = static_cast<int>(i);
    }
    return found;
  }

  static int written_field(const Type& writer, const Type& reader, const Field& field) {
    for (std::size_t i = 0; i < writer.fields.size(); ++i) {
      if (writer.fields[i].name == field.name) return static_cast<int>(i);
    }
    for (std::size_t i = 0; &writer != &reader && i < writer.fields.size(); ++i) {
      const auto& aliases = field.aliases;
      if (std::find(aliases.begin(), aliases.end(), writer.fields[i].name) != aliases.end())
        return static_cast<int>(i);
    }
    return -1;
  }

  Result<StepPtr> plan_record(const Type& writer, const Type& reader, const TypePtr& wanted) {
    auto record = std::make_unique<RecordStep>();
    for (const auto& field : writer.fields) record->reads.push_back({-1, nullptr, field.type});
    const auto& members = wanted->fields();
    for (std::size_t i = 0; i < members.size(); ++i) {
      const int member = static_cast<int>(i);
      TRY_ASSIGN(const int found, field_of(reader, members, i));
      if (found < 0) {
        if (!members[i].nullable) {
          return incompatible_schema(
              fmt::format("Cannot find field '{}' in Avro schema", members[i].name));
        }
        record->missing.push_back(member);
        continue;
      }
      const Field& field = reader.fields[static_cast<std::size_t>(found)];
      const int written = written_field(writer, reader, field);
      if (written >= 0) {
        auto& read = record->reads[static_cast<std::size_t>(written)];
        TRY_ASSIGN(read.step, nested(*read.skipped, *field.type, members[i].type));
        if (read.member >= 0) return incompatible(reader, *wanted);
        read.member = member;
      } else if (field.default_value) {
        TRY_ASSIGN(auto step, nested(*field.type, *field.type, members[i].type));
        record->defaults.push_back({member, std::move(step), *field.default_value});
      } else {
        return StepPtr(std::make_unique<FailStep>(
            fmt::format("Found {}, expecting {}, missing required field {}", writer.shown_name(),
                        reader.shown_name(), field.name)));
      }
    }
    return StepPtr(std::move(record));
  }

  Result<StepPtr> plan_leaf(const Type& writer, const Type& reader,
                            const column::DataType& wanted) const {
    const TypeKind kind = wanted.kind();
    const bool is_int = writer.kind == Kind::int_;
    switch (reader.kind) {
      case Kind::boolean:
        if (kind == TypeKind::boolean) return boolean();
        break;
      case Kind::int_:
        return from_int(reader, wanted);
      case Kind::long_:
        return from_long(reader, wanted, is_int);
      case Kind::float_:
        if (kind == TypeKind::float_ || kind == TypeKind::double_)
          return from_number(writer, kind == TypeKind::float_, true);
        break;
      case Kind::double_:
        if (kind == TypeKind::double_) return from_number(writer, false, false);
        break;
      case Kind::string:
        if (wanted.is_string()) return text_step<arrow::StringBuilder>();
        break;
      case Kind::enum_:
        if (wanted.is_string()) return enum_step(writer, reader);
        break;
      case Kind::bytes:
      case Kind::fixed:
        return from_bytes(reader, wanted);
      default:
        break;
    }
    return incompatible(reader, wanted);
  }

  static StepPtr boolean() {
    return plain([](Input& in, arrow::ArrayBuilder& to) -> Status {
      std::uint8_t byte = 0;
      if (!in.read_byte(byte)) return cut_off();
      return to_status(static_cast<arrow::BooleanBuilder&>(to).Append(byte == 1));
    });
  }

  static Result<StepPtr> from_int(const Type& reader, const column::DataType& wanted) {
    switch (wanted.kind()) {
      case TypeKind::int_:
        return whole_number<arrow::Int32Builder>(true, as_it_is);
      case TypeKind::long_:
        return whole_number<arrow::Int64Builder>(true, as_it_is);
      case TypeKind::double_:
        return plain([](Input& in, arrow::ArrayBuilder& to) -> Status {
          std::int64_t value = 0;
          if (!in.read_long(value)) return cut_off();
          return to_status(
              static_cast<arrow::DoubleBuilder&>(to).Append(static_cast<double>(value)));
        });
      case TypeKind::date:
        if (reader.catalyst.starts_with("interval")) return misread(reader, wanted);
        return whole_number<arrow::Date32Builder>(true, as_it_is);
      case TypeKind::year_month_interval:
        return whole_number<arrow::MonthIntervalBuilder>(true, as_it_is);
      default:
        return incompatible(reader, wanted);
    }
  }

  static Result<StepPtr> from_long(const Type& reader, const column::DataType& wanted,
                                   bool is_int) {
    const bool interval = reader.catalyst.starts_with("interval");
    const Logical logical = reader.logical;
    switch (wanted.kind()) {
      case TypeKind::long_:
        return whole_number<arrow::Int64Builder>(is_int, as_it_is);
      case TypeKind::timestamp:
      case TypeKind::timestamp_ntz: {
        if (interval) return misread(reader, wanted);
        const bool ntz = wanted.kind() == TypeKind::timestamp_ntz;
        const Logical millis = ntz ? Logical::local_timestamp_millis : Logical::timestamp_millis;
        const Logical micros = ntz ? Logical::local_timestamp_micros : Logical::timestamp_micros;
        if (logical == Logical::none || logical == millis)
          return whole_number<arrow::TimestampBuilder>(is_int, thousandfold);
        if (logical == micros) return whole_number<arrow::TimestampBuilder>(is_int, as_it_is);
        return incompatible(reader, wanted);
      }
      case TypeKind::date:
        if (interval) return misread(reader, wanted);
        return whole_number<arrow::Date32Builder>(
            is_int, [](std::int64_t value, std::int64_t& out) {
              out = static_cast<std::int32_t>(value / 86'400'000);
              return true;
            });
      case TypeKind::time:
        if (logical != Logical::time_micros && logical != Logical::none)
          return incompatible(reader, wanted);
        return whole_number<arrow::Time64Builder>(is_int, thousandfold);
      case TypeKind::day_time_interval:
        return whole_number<arrow::DurationBuilder>(is_int, as_it_is);
      default:
        return incompatible(reader, wanted);
    }
  }

  // What is a float or double to the reader may be written as another number.
  static StepPtr from_number(const Type& writer, bool to_float, bool through_float) {
    return plain([kind = writer.kind, to_float, through_float](Input& in,
                                                               arrow::ArrayBuilder& to) -> Status {
      double value = 0;
      if (kind == Kind::float_) {
        float narrow = 0;
        if (!in.read_little(narrow)) return cut_off();
        value = narrow;
      } else if (kind == Kind::double_) {
        if (!in.read_little(value)) return cut_off();
      } else {
        std::int64_t number = 0;
        if (!in.read_long(number)) return cut_off();
        value = through_float ? static_cast<double>(static_cast<float>(number))
                              : static_cast<double>(number);
      }
      return to_status(to_float
                           ? static_cast<arrow::FloatBuilder&>(to).Append(static_cast<float>(value))
                           : static_cast<arrow::DoubleBuilder&>(to).Append(value));
    });
  }

  static StepPtr enum_step(const Type& writer, const Type& reader) {
    std::vector<std::optional<std::string>> names;
    for (const auto& symbol : writer.symbols) {
      const bool known =
          std::find(reader.symbols.begin(), reader.symbols.end(), symbol) != reader.symbols.end();
      names.push_back(known ? std::optional(symbol) : reader.default_symbol);
    }
    return plain([names = std::move(names)](Input& in, arrow::ArrayBuilder& to) -> Status {
      std::int64_t at = 0;
      if (!in.read_long(at)) return cut_off();
      if (at < 0 || at >= static_cast<std::int64_t>(names.size()))
        return damaged("an enum's symbol that is not there");
      const auto& name = names[static_cast<std::size_t>(at)];
      if (!name) return damaged("an enum's symbol that the reader's schema has not");
      return to_status(static_cast<arrow::StringBuilder&>(to).Append(*name));
    });
  }

  static Result<StepPtr> from_bytes(const Type& reader, const column::DataType& wanted) {
    if (wanted.kind() == TypeKind::binary) {
      if (reader.kind == Kind::bytes) return text_step<arrow::BinaryBuilder>();
      return plain([size = static_cast<std::size_t>(reader.size)](
                       Input& in, arrow::ArrayBuilder& to) -> Status {
        std::string_view bytes;
        if (!in.read_raw(size, bytes)) return cut_off();
        return to_status(static_cast<arrow::BinaryBuilder&>(to).Append(bytes));
      });
    }
    if (wanted.kind() == TypeKind::decimal && reader.logical == Logical::decimal) {
      const bool fits = reader.precision - reader.scale <= wanted.precision() - wanted.scale();
      if (!fits) return misread(reader, wanted);
      return decimal_step(reader, wanted);
    }
    return incompatible(reader, wanted);
  }

  static Status incompatible(const Type& reader, const column::DataType& wanted) {
    return incompatible_schema(
        fmt::format("Cannot convert Avro type {} to SQL type {}: the schemas are "
                    "incompatible",
                    reader.shown_name(), wanted.sql()));
  }

  static Status misread(const Type& reader, const column::DataType& wanted) {
    return Status::error("AVRO_INCOMPATIBLE_READ_TYPE", {{"avroPath", reader.shown_name()},
                                                         {"sqlPath", wanted.simple_string()},
                                                         {"avroType", reader.shown_name()},
                                                         {"sqlType", "\"" + wanted.sql() + "\""}});
  }

  const DecodeRules& rules_;
  int depth_ = 0;
  std::size_t planned_ = 0;
};

class PlannedDecoder final : public Decoder {
 public:
  PlannedDecoder(std::shared_ptr<const Schema> writer, std::shared_ptr<const Schema> reader,
                 StepPtr step, std::unique_ptr<arrow::ArrayBuilder> builder)
      : writer_(std::move(writer)),
        reader_(std::move(reader)),
        step_(std::move(step)),
        builder_(std::move(builder)) {}

  Status decode(Input& in) override { return step_->run(in, *builder_); }
  Status append_null() override { return to_status(builder_->AppendNull()); }
  Result<std::shared_ptr<arrow::Array>> finish() override {
    auto array = builder_->Finish();
    TRY(to_status(array.status()));
    return *array;
  }
  void reset() override { builder_->Reset(); }

 private:
  const std::shared_ptr<const Schema> writer_;
  const std::shared_ptr<const Schema> reader_;
  const StepPtr step_;
  const std::unique_ptr<arrow::ArrayBuilder> builder_;
};

}  // namespace

Result<std::unique_ptr<Decoder>> Decoder::make(std::shared_ptr<const Schema> writer,
                                               std::shared_ptr<const Schema> reader,
                                               column::TypePtr wanted, const DecodeRules& rules) {
  TRY_ASSIGN(auto step, Planner(rules).plan(writer->root(), reader->root(), wanted));
  std::unique_ptr<arrow::ArrayBuilder> builder;
  TRY(to_status(
      arrow::MakeBuilder(arrow::default_memory_pool(), column::to_arrow(wanted), &builder)));
  return std::unique_ptr<Decoder>(std::make_unique<PlannedDecoder>(
      std::move(writer), std::move(reader), std::move(step), std::move(builder)));
}

}  // namespace millstream::avro
