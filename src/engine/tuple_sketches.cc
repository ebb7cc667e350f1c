// Tuple sketches with a number for each key: tuple_sketch_agg_double, _integer and kin.
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <theta_sketch.hpp>
#include <tuple_a_not_b.hpp>
#include <tuple_intersection.hpp>
#include <tuple_sketch.hpp>
#include <tuple_union.hpp>

#include "base/text.h"
#include "engine/sketch_aggregate.h"
#include "engine/sketches.h"

namespace millstream::engine {
namespace {

// How the numbers of one key become one; the values are those of the serialised form.
enum class Mode : std::uint8_t { sum, min, max, always_one };

template <typename T>
struct Summary {
  T value = 0;
  Mode mode = Mode::sum;
};

template <typename T>
constexpr const char* kind = std::is_same_v<T, double> ? "double" : "integer";

template <typename T>
std::string function_name(const char* prefix) {
  return std::string(prefix) + "_" + kind<T>;
}

Mode mode_of(std::string_view text) {
  const std::string lower = to_lower(text);
  if (lower == "min") return Mode::min;
  if (lower == "max") return Mode::max;
  return lower == "alwaysone" ? Mode::always_one : Mode::sum;
}

Status invalid_buffer(const std::string& function) {
  return Status::error("TUPLE_INVALID_INPUT_SKETCH_BUFFER", {{"function", "`" + function + "`"}});
}

template <typename T>
T plus(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) return a + b;
  return static_cast<T>(static_cast<std::uint32_t>(a) + static_cast<std::uint32_t>(b));
}

template <typename T>
void apply(Summary<T>& summary, T value) {
  switch (summary.mode) {
    case Mode::sum:
      summary.value = plus(summary.value, value);
      break;
    case Mode::min:
      if (value < summary.value) summary.value = value;
      break;
    case Mode::max:
      if (value > summary.value) summary.value = value;
      break;
    case Mode::always_one:
      summary.value = 1;
  }
}

template <typename T>
Summary<T> start_of(Mode mode) {
  using Limits = std::numeric_limits<T>;
  constexpr bool real = std::is_floating_point_v<T>;
  switch (mode) {
    case Mode::min:
      return {real ? Limits::infinity() : Limits::max(), mode};
    case Mode::max:
      return {real ? -Limits::infinity() : Limits::min(), mode};
    case Mode::always_one:
      return {1, mode};
    default:
      return {0, mode};
  }
}

template <typename T>
struct UpdatePolicy {
  Mode mode = Mode::sum;
  Summary<T> create() const { return start_of<T>(mode); }
  void update(Summary<T>& summary, const T& value) const { apply(summary, value); }
};

// Of a union and of an intersection.
template <typename T>
struct JoinPolicy {
  Mode mode = Mode::sum;
  void operator()(Summary<T>& summary, const Summary<T>& other) const {
    Summary<T> joined = start_of<T>(mode);
    apply(joined, summary.value);
    apply(joined, other.value);
    summary = joined;
  }
};

// As DoubleSummary and IntegerSummary write themselves: the number, then the mode.
template <typename T>
struct SummarySerde {
  static constexpr std::size_t width = sizeof(T) + 1;

  std::size_t size_of_item(const Summary<T>&) const { return width; }

  std::size_t serialize(void* out, std::size_t capacity, const Summary<T>* items,
                        unsigned count) const {
    if (capacity < count * width) throw std::out_of_range("summaries");
    auto* bytes = static_cast<char*>(out);
    for (unsigned i = 0; i < count; ++i, bytes += width) {
      std::memcpy(bytes, &items[i].value, sizeof(T));
      bytes[sizeof(T)] = static_cast<char>(items[i].mode);
    }
    return count * width;
  }

  void deserialize(std::istream& in, Summary<T>* items, unsigned count) const {
    for (unsigned i = 0; i < count; ++i) {
      char bytes[width];
      if (!in.read(bytes, width)) throw std::out_of_range("a sketch that is cut off");
      Summary<T> item;
      std::memcpy(&item.value, bytes, sizeof(T));
      if (bytes[sizeof(T)] < 0 || bytes[sizeof(T)] > static_cast<char>(Mode::always_one))
        throw std::invalid_argument("summary mode");
      item.mode = static_cast<Mode>(bytes[sizeof(T)]);
      new (&items[i]) Summary<T>(item);
    }
  }
};

template <typename T>
using Compact = datasketches::compact_tuple_sketch<Summary<T>>;
template <typename T>
using Updatable = datasketches::update_tuple_sketch<Summary<T>, T, UpdatePolicy<T>>;
template <typename T>
using Union = datasketches::tuple_union<Summary<T>, JoinPolicy<T>>;
template <typename T>
using Intersection = datasketches::tuple_intersection<Summary<T>, JoinPolicy<T>>;
template <typename T>
using Difference = datasketches::tuple_a_not_b<Summary<T>>;

template <typename T>
Compact<T> read(std::string_view bytes, const std::string& function) {
  if (const Status status = check_family(bytes, SketchFamily::tuple, function); !status.ok())
    throw SketchError(status);
  check_key_count(bytes);
  SketchStream in(bytes);
  return Compact<T>::deserialize(in, datasketches::DEFAULT_SEED, SummarySerde<T>());
}

// To the Java library the keys of no tuple sketch are in order.
template <typename T>
std::string write(const Compact<T>& sketch) {
  std::string bytes = to_text(sketch.serialize(0, SummarySerde<T>()));
  constexpr char ordered = 0x10;
  bytes[5] = static_cast<char>(bytes[5] & ~ordered);
  return bytes;
}

// A theta sketch as a tuple sketch whose keys have what a key has at first.
template <typename T>
Compact<T> read_theta(std::string_view bytes, Mode mode, const std::string& function) {
  const Status invalid =
      Status::error("THETA_INVALID_INPUT_SKETCH_BUFFER", {{"function", "`" + function + "`"}});
  std::optional<Compact<T>> out;
  const Status status = guard(invalid, [&] {
    if (const Status family = check_family(bytes, SketchFamily::theta, function); !family.ok())
      throw SketchError(family);
    check_key_count(bytes);
    SketchStream in(bytes);
    const auto theta = datasketches::compact_theta_sketch::deserialize(in);
    out.emplace(theta, start_of<T>(mode), false);
  });
  if (!status.ok()) throw SketchError(status);
  return *std::move(out);
}

template <typename T>
Updatable<T> make_sketch(int lg_k, Mode mode) {
  return AnySize<typename Updatable<T>::builder>(UpdatePolicy<T>{mode}).size(lg_k).build();
}

template <typename T>
Union<T> make_union(int lg_k, Mode mode) {
  return AnySize<typename Union<T>::builder>(JoinPolicy<T>{mode}).size(lg_k).build();
}

template <typename T>
class TupleAggregate {
 public:
  using Input = std::tuple<Blob, T, std::int32_t, std::string_view>;
  static std::string name() { return function_name<T>("ms_tuple_sketch_agg"); }
  static Status invalid() { return invalid_buffer(function_name<T>("tuple_sketch_agg")); }

  explicit TupleAggregate(const Input& first)
      : lg_k_(std::get<2>(first)),
        mode_(mode_of(std::get<3>(first))),
        sketch_(make_sketch<T>(lg_k_, mode_)) {}
  void add(const Input& row) {
    const std::string_view key = std::get<0>(row).bytes;
    if (!key.empty()) sketch_.update(key.data(), key.size(), std::get<1>(row));
  }
  void merge(const TupleAggregate& other) {
    if (!others_) others_.emplace(make_union<T>(lg_k_, mode_));
    others_->update(other.result());
  }
  std::string bytes() const { return write<T>(result()); }
  std::string window_bytes() const { return write<T>(sketch_.compact(false)); }

 private:
  // Spark's last step is a union of the partitions' sketches.
  Compact<T> result() const {
    Union<T> all = others_ ? *others_ : make_union<T>(lg_k_, mode_);
    all.update(sketch_.compact(false));
    return all.get_result(false);
  }

  int lg_k_;
  Mode mode_;
  Updatable<T> sketch_;
  std::optional<Union<T>> others_;
};

template <typename T>
class TupleUnionAggregate {
 public:
  using Input = std::tuple<Blob, std::int32_t, std::string_view>;
  static std::string name() { return function_name<T>("ms_tuple_union_agg"); }
  static Status invalid() { return invalid_buffer(function_name<T>("tuple_union_agg")); }

  explicit TupleUnionAggregate(const Input& first)
      : union_(make_union<T>(std::get<1>(first), mode_of(std::get<2>(first)))) {}
  void add(const Input& row) {
    union_.update(read<T>(std::get<0>(row).bytes, function_name<T>("tuple_union_agg")));
  }
  void merge(const TupleUnionAggregate& other) { union_.update(other.union_.get_result(false)); }
  std::string bytes() const { return write<T>(union_.get_result(false)); }

 private:
  Union<T> union_;
};

template <typename T>
class TupleIntersectionAggregate {
 public:
  using Input = std::tuple<Blob, std::string_view>;
  static std::string name() { return function_name<T>("ms_tuple_intersection_agg"); }
  static Status invalid() { return invalid_buffer(function_name<T>("tuple_intersection_agg")); }

  explicit TupleIntersectionAggregate(const Input& first)
      : intersection_(datasketches::DEFAULT_SEED, JoinPolicy<T>{mode_of(std::get<1>(first))}) {}
  void add(const Input& row) {
    intersection_.update(
        read<T>(std::get<0>(row).bytes, function_name<T>("tuple_intersection_agg")));
  }
  void merge(const TupleIntersectionAggregate& other) {
    intersection_.update(other.intersection_.get_result(false));
  }
  std::string bytes() const { return write<T>(intersection_.get_result(false)); }

 private:
  Intersection<T> intersection_;
};

template <typename T>
std::optional<OwnedBlob> empty(Failure&, std::int32_t lg_k) {
  return OwnedBlob{write<T>(make_sketch<T>(lg_k, Mode::sum).compact(false))};
}

template <typename T>
std::optional<double> estimate(Failure& fail, Blob sketch) {
  double out = 0;
  const std::string function = function_name<T>("tuple_sketch_estimate");
  const Status status = guard(invalid_buffer(function),
                              [&] { out = read<T>(sketch.bytes, function).get_estimate(); });
  if (!status.ok()) return fail(status);
  return out;
}

template <typename T>
std::optional<double> theta(Failure& fail, Blob sketch) {
  double out = 0;
  const std::string function = function_name<T>("tuple_sketch_theta");
  const Status status =
      guard(invalid_buffer(function), [&] { out = read<T>(sketch.bytes, function).get_theta(); });
  if (!status.ok()) return fail(status);
  return out;
}

// The numbers of all keys as one; of an integer sketch a long.
template <typename T, typename Out>
std::optional<Out> summary(Failure& fail, Blob sketch, std::string_view mode_text) {
  Out out = 0;
  const Mode mode = mode_of(mode_text);
  const std::string function = function_name<T>("tuple_sketch_summary");
  const Status status = guard(invalid_buffer(function), [&] {
    bool first = true;
    const Compact<T> entries = read<T>(sketch.bytes, function);
    for (const auto& entry : entries) {
      const Out value = static_cast<Out>(entry.second.value);
      if (mode == Mode::always_one) {
        out += 1;
      } else if (mode == Mode::sum) {
        out += value;
      } else if (first || (mode == Mode::min ? value < out : value > out)) {
        out = value;
      }
      first = false;
    }
  });
  if (!status.ok()) return fail(status);
  return out;
}

// What a set operation takes on its right side: a tuple sketch, or a theta sketch.
template <typename T, bool Theta>
Compact<T> right_side(std::string_view bytes, Mode mode, const std::string& function) {
  if constexpr (Theta) return read_theta<T>(bytes, mode, function);
  return read<T>(bytes, function);
}

template <typename T, bool Theta>
std::string set_operation(const char* verb) {
  return function_name<T>((std::string("tuple_") + verb + (Theta ? "_theta" : "")).c_str());
}

template <typename T, bool Theta>
std::optional<OwnedBlob> unite(Failure& fail, Blob left, Blob right, std::int32_t lg_k,
                               std::string_view mode_text) {
  OwnedBlob out;
  const std::string function = set_operation<T, Theta>("union");
  const Mode mode = mode_of(mode_text);
  const Status status = guard(invalid_buffer(function), [&] {
    Union<T> both = make_union<T>(lg_k, mode);
    both.update(read<T>(left.bytes, function));
    both.update(right_side<T, Theta>(right.bytes, mode, function));
    out.bytes = write<T>(both.get_result(false));
  });
  if (!status.ok()) return fail(status);
  return out;
}

template <typename T, bool Theta>
std::optional<OwnedBlob> intersect(Failure& fail, Blob left, Blob right,
                                   std::string_view mode_text) {
  OwnedBlob out;
  const std::string function = set_operation<T, Theta>("intersection");
  const Mode mode = mode_of(mode_text);
  const Status status = guard(invalid_buffer(function), [&] {
    Intersection<T> both(datasketches::DEFAULT_SEED, JoinPolicy<T>{mode});
    both.update(read<T>(left.bytes, function));
    both.update(right_side<T, Theta>(right.bytes, mode, function));
    out.bytes = write<T>(both.get_result(false));
  });
  if (!status.ok()) return fail(status);
  return out;
}

template <typename T, bool Theta>
std::optional<OwnedBlob> subtract(Failure& fail, Blob left, Blob right) {
  OwnedBlob out;
  const std::string function = set_operation<T, Theta>("difference");
  const Status status = guard(invalid_buffer(function), [&] {
    const auto removed = right_side<T, Theta>(right.bytes, Mode::sum, function);
    out.bytes = write<T>(Difference<T>().compute(read<T>(left.bytes, function), removed, false));
  });
  if (!status.ok()) return fail(status);
  return out;
}

template <typename T, bool Theta>
Status register_operations(duckdb_connection c) {
  const auto name = [](const char* verb) { return "ms_" + set_operation<T, Theta>(verb); };
  TRY((add_kernel<unite<T, Theta>>(c, name("union").c_str())));
  TRY((add_kernel<intersect<T, Theta>>(c, name("intersection").c_str())));
  return add_kernel<subtract<T, Theta>>(c, name("difference").c_str());
}

template <typename T, typename Sum>
Status register_kind(duckdb_connection c) {
  TRY(add_sketch<TupleAggregate<T>>(c));
  TRY(add_sketch<TupleUnionAggregate<T>>(c));
  TRY(add_sketch<TupleIntersectionAggregate<T>>(c));
  TRY(add_kernel<empty<T>>(c, function_name<T>("ms_tuple_empty").c_str()));
  TRY(add_kernel<estimate<T>>(c, function_name<T>("ms_tuple_sketch_estimate").c_str()));
  TRY(add_kernel<theta<T>>(c, function_name<T>("ms_tuple_sketch_theta").c_str()));
  TRY((add_kernel<summary<T, Sum>>(c, function_name<T>("ms_tuple_sketch_summary").c_str())));
  TRY((register_operations<T, false>(c)));
  return register_operations<T, true>(c);
}

}  // namespace

Status register_tuple_sketches(duckdb_connection c) {
  TRY((register_kind<double, double>(c)));
  return register_kind<std::int32_t, std::int64_t>(c);
}

}  // namespace millstream::engine
