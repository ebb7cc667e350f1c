// KLL sketches of quantiles: kll_sketch_agg_bigint, _float, _double and kin.
#include <fmt/format.h>

#include <cstring>
#include <kll_sketch.hpp>
#include <optional>

#include "engine/sketch_aggregate.h"
#include "engine/sketches.h"
#include "engine/text.h"

namespace millstream::engine {
namespace {

template <typename T>
constexpr const char* kind = std::is_same_v<T, double>  ? "double"
                             : std::is_same_v<T, float> ? "float"
                                                        : "bigint";

template <typename T>
std::string function_name(const char* prefix) {
  return std::string(prefix) + "_" + kind<T>;
}

template <typename T>
using Sketch = datasketches::kll_sketch<T>;

Status invalid_buffer(const std::string& function) {
  return Status::error("KLL_INVALID_INPUT_SKETCH_BUFFER", {{"function", "`" + function + "`"}});
}

// The library believes what a sketch says of its levels: how many, where each begins.
void check_levels(std::string_view bytes, std::size_t width) {
  constexpr std::uint64_t empty = 1;
  constexpr std::uint64_t single = 4;
  constexpr std::uint64_t levels_max = 60;
  const std::uint64_t flags = number_at(bytes, 3, 1);
  const auto k = static_cast<std::uint16_t>(number_at(bytes, 4, 2));
  if (k < 8 || number_at(bytes, 6, 1) != 8) throw std::invalid_argument("k");
  if ((flags & (empty | single)) != 0) return;
  const std::uint64_t levels = number_at(bytes, 18, 1);
  if (levels < 1 || levels > levels_max) throw std::invalid_argument("levels");
  const std::uint64_t capacity =
      datasketches::kll_helper::compute_total_capacity(k, 8, static_cast<std::uint8_t>(levels));
  const std::uint64_t first = number_at(bytes, 20, 4);
  std::uint64_t begin = first;
  std::uint64_t values = 0;
  for (std::uint64_t level = 1; level <= levels; ++level) {
    const std::uint64_t end = level < levels ? number_at(bytes, 20 + 4 * level, 4) : capacity;
    if (end < begin || end > capacity) throw std::invalid_argument("levels");
    values += (end - begin) << (level - 1);
    begin = end;
  }
  if (values != number_at(bytes, 8, 8)) throw std::invalid_argument("n");
  if (20 + 4 * levels + (2 + capacity - first) * width > bytes.size())
    throw std::out_of_range("a sketch that is cut off");
}

template <typename T>
Sketch<T> read(std::string_view bytes) {
  check_levels(bytes, sizeof(T));
  SketchStream in(bytes);
  return Sketch<T>::deserialize(in);
}

template <typename T>
std::string write(const Sketch<T>& sketch) {
  return to_text(sketch.serialize());
}

template <typename T>
class KllAggregate {
 public:
  using Input = std::tuple<T, std::int32_t>;
  static std::string name() { return function_name<T>("ms_kll_sketch_agg"); }
  static Status invalid() { return invalid_buffer(function_name<T>("kll_sketch_agg")); }

  explicit KllAggregate(const Input& first)
      : sketch_(static_cast<std::uint16_t>(std::get<1>(first))) {}
  void add(const Input& row) { sketch_.update(std::get<0>(row)); }
  void merge(const KllAggregate& other) { sketch_.merge(other.sketch_); }
  // Spark's last step is to merge the partitions' sketches into an empty one.
  std::string bytes() const {
    Sketch<T> all(sketch_.get_k());
    all.merge(sketch_);
    return write<T>(all);
  }
  std::string window_bytes() const { return write<T>(sketch_); }

 private:
  Sketch<T> sketch_;
};

// Of sketches; without a k that of the first.
template <typename T>
class KllMergeAggregate {
 public:
  using Input = std::tuple<Blob, std::int32_t>;
  static std::string name() { return function_name<T>("ms_kll_merge_agg"); }
  static Status invalid() { return invalid_buffer(function_name<T>("kll_merge_agg")); }

  explicit KllMergeAggregate(const Input& first) : sketch_(k_of(first)) {}
  void add(const Input& row) { sketch_.merge(read<T>(std::get<0>(row).bytes)); }
  void merge(const KllMergeAggregate& other) { sketch_.merge(other.sketch_); }
  std::string bytes() const { return write<T>(sketch_); }

 private:
  static std::uint16_t k_of(const Input& row) {
    const std::int32_t k = std::get<1>(row);
    return k > 0 ? static_cast<std::uint16_t>(k) : read<T>(std::get<0>(row).bytes).get_k();
  }

  Sketch<T> sketch_;
};

template <typename T>
std::optional<OwnedBlob> empty(Failure&, std::int32_t k) {
  return OwnedBlob{write<T>(Sketch<T>(static_cast<std::uint16_t>(k > 0 ? k : 200)))};
}

template <typename T>
std::optional<std::int64_t> get_n(Failure& fail, Blob sketch) {
  std::int64_t out = 0;
  const Status status = guard(invalid_buffer(function_name<T>("kll_sketch_get_n")), [&] {
    out = static_cast<std::int64_t>(read<T>(sketch.bytes).get_n());
  });
  if (!status.ok()) return fail(status);
  return out;
}

std::string item_text(double value) { return double_text(value); }
std::string item_text(float value) { return float_text(value); }
std::string item_text(std::int64_t value) { return std::to_string(value); }

// What the library does not tell stands in the serialised form of two values or more.
struct Layout {
  std::uint32_t min_k, levels, free_space;
  bool sorted;

  template <typename T>
  explicit Layout(const Sketch<T>& sketch)
      : min_k(sketch.get_k()), levels(1), free_space(sketch.get_k() - sketch.get_num_retained()) {
    const std::string bytes = write<T>(sketch);
    sorted = (bytes[3] & 2) != 0;
    if (sketch.get_n() < 2) return;
    std::uint16_t least = 0;
    std::memcpy(&least, &bytes[16], sizeof least);
    min_k = least;
    levels = static_cast<unsigned char>(bytes[18]);
    std::memcpy(&free_space, &bytes[20], sizeof free_space);
  }
};

// As the Java library prints a sketch.
template <typename T>
std::string kll_text(const Sketch<T>& sketch) {
  const Layout layout(sketch);
  constexpr const char* name = std::is_same_v<T, double>  ? "Doubles"
                               : std::is_same_v<T, float> ? "Floats"
                                                          : "Longs";
  const std::uint32_t retained = sketch.get_num_retained();
  const std::uint32_t capacity = layout.free_space + retained;
  const std::size_t updatable =
      20 + 4 * (layout.levels + std::size_t{1}) + (std::size_t{2} + capacity) * sizeof(T);
  std::string out = fmt::format("\n### KllKll{}Sketch Summary:\n", name);
  const auto line = [&](const char* label, const std::string& value) {
    out += fmt::format("   {:<23}: {}\n", label, value);
  };
  const auto percent = [&](bool pmf) {
    return fmt::format("{:.3f}%", sketch.get_normalized_rank_error(pmf) * 100);
  };
  const auto flag = [](bool set) { return std::string(set ? "true" : "false"); };
  line("K", std::to_string(sketch.get_k()));
  line("Dynamic min K", std::to_string(layout.min_k));
  line("M", "8");
  line("N", std::to_string(sketch.get_n()));
  line("Epsilon", percent(false));
  line("Epsilon PMF", percent(true));
  line("Empty", flag(sketch.is_empty()));
  line("Estimation Mode", flag(sketch.is_estimation_mode()));
  line("Levels", std::to_string(layout.levels));
  line("Level 0 Sorted", flag(layout.sorted));
  line("Capacity Items", std::to_string(capacity));
  line("Retained Items", std::to_string(retained));
  line("Free Space", std::to_string(layout.free_space));
  line("ReadOnly", "false");
  line("Updatable Storage Bytes", std::to_string(updatable));
  line("Compact Storage Bytes", std::to_string(sketch.get_serialized_size_bytes()));
  line("Min Item", sketch.is_empty() ? "NaN" : item_text(sketch.get_min_item()));
  line("Max Item", sketch.is_empty() ? "NaN" : item_text(sketch.get_max_item()));
  return out + "### End sketch summary\n";
}

template <typename T>
std::optional<std::string> text(Failure& fail, Blob sketch) {
  std::string out;
  const Status status = guard(invalid_buffer(function_name<T>("kll_sketch_to_string")),
                              [&] { out = kll_text(read<T>(sketch.bytes)); });
  if (!status.ok()) return fail(status);
  return out;
}

template <typename T>
std::optional<OwnedBlob> merge(Failure& fail, Blob left, Blob right) {
  OwnedBlob out;
  const Status status = guard(invalid_buffer(function_name<T>("kll_sketch_merge")), [&] {
    Sketch<T> both = read<T>(left.bytes);
    both.merge(read<T>(right.bytes));
    out.bytes = write<T>(both);
  });
  if (!status.ok()) return fail(status);
  return out;
}

template <typename T>
std::optional<T> get_quantile(Failure& fail, Blob sketch, double rank) {
  T out = 0;
  const std::string function = function_name<T>("kll_sketch_get_quantile");
  const Status status = guard(invalid_buffer(function), [&] {
    const Sketch<T> values = read<T>(sketch.bytes);
    if (values.is_empty()) throw std::runtime_error("no values");
    if (!(rank >= 0 && rank <= 1)) {
      throw SketchError(Status::error("KLL_SKETCH_INVALID_QUANTILE_RANGE",
                                      {{"functionName", "`" + function + "`"}}));
    }
    out = values.get_quantile(rank, true);
  });
  if (!status.ok()) return fail(status);
  return out;
}

template <typename T>
std::optional<double> get_rank(Failure& fail, Blob sketch, T value) {
  double out = 0;
  const Status status = guard(invalid_buffer(function_name<T>("kll_sketch_get_rank")),
                              [&] { out = read<T>(sketch.bytes).get_rank(value, true); });
  if (!status.ok()) return fail(status);
  return out;
}

template <typename T>
Status register_kind(duckdb_connection c) {
  const auto name = [](const char* prefix) { return function_name<T>(prefix); };
  TRY(add_sketch<KllAggregate<T>>(c));
  TRY(add_sketch<KllMergeAggregate<T>>(c));
  TRY(add_kernel<empty<T>>(c, name("ms_kll_empty").c_str()));
  TRY(add_kernel<get_n<T>>(c, name("ms_kll_sketch_get_n").c_str()));
  TRY(add_kernel<text<T>>(c, name("ms_kll_sketch_to_string").c_str()));
  TRY(add_kernel<merge<T>>(c, name("ms_kll_sketch_merge").c_str()));
  TRY(add_kernel<get_quantile<T>>(c, name("ms_kll_sketch_get_quantile").c_str()));
  return add_kernel<get_rank<T>>(c, name("ms_kll_sketch_get_rank").c_str());
}

}  // namespace

Status register_kll_sketches(duckdb_connection c) {
  TRY(register_kind<std::int64_t>(c));
  TRY(register_kind<float>(c));
  return register_kind<double>(c);
}

}  // namespace millstream::engine
