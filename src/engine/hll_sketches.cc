// HyperLogLog: hll_sketch_agg and kin.
#include <cmath>
#include <hll.hpp>
#include <optional>

#include "engine/sketch_aggregate.h"
#include "engine/sketches.h"

namespace millstream::engine {
namespace {

using datasketches::hll_sketch;
using datasketches::hll_union;

Status invalid_buffer(const char* function) {
  return Status::error("HLL_INVALID_INPUT_SKETCH_BUFFER",
                       {{"function", std::string("`") + function + "`"}});
}

Status different_sizes(int left, int right, const char* function) {
  return Status::error("HLL_UNION_DIFFERENT_LG_K",
                       {{"left", std::to_string(left)},
                        {"right", std::to_string(right)},
                        {"function", std::string("`") + function + "`"}});
}

// The library makes room for as many coupons as a list or set says it has.
void check_coupons(std::string_view bytes) {
  constexpr std::uint64_t registers = 2;
  constexpr std::uint64_t compact = 8;
  const std::uint64_t mode = number_at(bytes, 7, 1) & 3;
  const std::uint64_t lg_size = number_at(bytes, 4, 1);
  if (mode == registers) {
    // Registers of four bits have exceptions beside them, which the library does not look for.
    if ((number_at(bytes, 7, 1) >> 2 & 3) == 0)
      throw SketchError(Status::unsupported("HLL sketches of four bits (HLL_4) are not supported"));
    if (number_at(bytes, 36, 4) != 0) throw std::invalid_argument("exceptions");
    return;
  }
  const bool packed = (number_at(bytes, 5, 1) & compact) != 0;
  if (lg_size > 26 || (!packed && (std::uint64_t{4} << lg_size) > bytes.size()))
    throw std::out_of_range("a sketch that is cut off");
  // Nor may it say more coupons than there is room for, or than follow.
  const bool list = mode == 0;
  const std::uint64_t count = list ? number_at(bytes, 6, 1) : number_at(bytes, 8, 4);
  const std::uint64_t head = list ? 8 : 12;
  if (count > (std::uint64_t{1} << lg_size) || (packed && head + 4 * count > bytes.size()))
    throw std::out_of_range("more coupons than the sketch has room for");
}

hll_sketch read(std::string_view bytes) {
  check_coupons(bytes);
  SketchStream in(bytes);
  return hll_sketch::deserialize(in);
}

std::string write(const hll_sketch& sketch) { return to_text(sketch.serialize_updatable()); }

hll_sketch joined(const hll_sketch& a, const hll_sketch& b, int lg_k) {
  hll_union both(static_cast<std::uint8_t>(lg_k));
  both.update(a);
  both.update(b);
  return both.get_result(datasketches::HLL_8);
}

hll_sketch empty_sketch(int lg_k) {
  return hll_sketch(static_cast<std::uint8_t>(lg_k), datasketches::HLL_8);
}

class HllAggregate {
 public:
  using Input = std::tuple<Blob, std::int32_t>;
  static std::string name() { return "ms_hll_sketch_agg"; }
  static Status invalid() { return invalid_buffer("hll_sketch_agg"); }

  explicit HllAggregate(const Input& first) : sketch_(empty_sketch(std::get<1>(first))) {}
  void add(const Input& row) {
    const std::string_view key = std::get<0>(row).bytes;
    if (!key.empty()) sketch_.update(key.data(), key.size());
  }
  void merge(const HllAggregate& other) {
    sketch_ = joined(sketch_, other.sketch_, sketch_.get_lg_config_k());
  }
  // Spark's last step is to merge the partitions' sketches into an empty one.
  std::string bytes() const {
    const int lg_k = sketch_.get_lg_config_k();
    return write(joined(empty_sketch(lg_k), sketch_, lg_k));
  }
  std::string window_bytes() const { return write(sketch_); }

 private:
  hll_sketch sketch_;
};

class HllUnionAggregate {
 public:
  using Input = std::tuple<Blob, bool>;
  static std::string name() { return "ms_hll_union_agg"; }
  static Status invalid() { return invalid_buffer("hll_union_agg"); }

  explicit HllUnionAggregate(const Input& first)
      : lg_k_(read(std::get<0>(first).bytes).get_lg_config_k()),
        any_size_(std::get<1>(first)),
        union_(static_cast<std::uint8_t>(lg_k_)) {}
  void add(const Input& row) { join(read(std::get<0>(row).bytes)); }
  void merge(const HllUnionAggregate& other) { join(other.union_.get_result(datasketches::HLL_8)); }
  std::string bytes() const { return write(union_.get_result(datasketches::HLL_8)); }

 private:
  void join(const hll_sketch& sketch) {
    if (!any_size_ && sketch.get_lg_config_k() != union_.get_lg_config_k()) {
      throw SketchError(
          different_sizes(union_.get_lg_config_k(), sketch.get_lg_config_k(), "hll_union_agg"));
    }
    union_.update(sketch);
  }

  int lg_k_;
  bool any_size_;
  hll_union union_;
};

std::optional<std::int64_t> estimate(Failure& fail, Blob sketch) {
  std::int64_t out = 0;
  const Status status = guard(invalid_buffer("hll_sketch_estimate"),
                              [&] { out = std::llround(read(sketch.bytes).get_estimate()); });
  if (!status.ok()) return fail(status);
  return out;
}

std::optional<OwnedBlob> unite(Failure& fail, Blob left, Blob right, bool any_size) {
  OwnedBlob out;
  const Status status = guard(invalid_buffer("hll_union"), [&] {
    const hll_sketch a = read(left.bytes);
    const hll_sketch b = read(right.bytes);
    const int lg_a = a.get_lg_config_k();
    const int lg_b = b.get_lg_config_k();
    if (!any_size && lg_a != lg_b) throw SketchError(different_sizes(lg_a, lg_b, "hll_union"));
    out.bytes = write(joined(a, b, std::min(lg_a, lg_b)));
  });
  if (!status.ok()) return fail(status);
  return out;
}

std::optional<OwnedBlob> empty(Failure&, std::int32_t lg_k) {
  return OwnedBlob{write(empty_sketch(lg_k))};
}

// What a sketch hashes of a number: its eight bytes.
std::optional<OwnedBlob> long_key(Failure&, std::int64_t value) {
  return OwnedBlob{std::string(reinterpret_cast<const char*>(&value), sizeof value)};
}

std::optional<OwnedBlob> double_key(Failure& fail, double value) {
  if (value == 0) value = 0;  // of both zeros the positive
  if (std::isnan(value)) return long_key(fail, 0x7ff8000000000000);
  return OwnedBlob{std::string(reinterpret_cast<const char*>(&value), sizeof value)};
}

}  // namespace

Status register_hll_sketches(duckdb_connection c) {
  TRY(add_sketch<HllAggregate>(c));
  TRY(add_sketch<HllUnionAggregate>(c));
  TRY(add_kernel<empty>(c, "ms_hll_empty"));
  TRY(add_kernel<estimate>(c, "ms_hll_sketch_estimate"));
  TRY(add_kernel<unite>(c, "ms_hll_union"));
  TRY(add_kernel<long_key>(c, "ms_sketch_key_long"));
  return add_kernel<double_key>(c, "ms_sketch_key_double");
}

}  // namespace millstream::engine
