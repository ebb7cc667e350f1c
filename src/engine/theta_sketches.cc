// Theta sketches: theta_sketch_agg and kin.
#include <cmath>
#include <optional>
#include <theta_a_not_b.hpp>
#include <theta_intersection.hpp>
#include <theta_sketch.hpp>
#include <theta_union.hpp>

#include "engine/sketch_aggregate.h"
#include "engine/sketches.h"

namespace millstream::engine {
namespace {

using datasketches::compact_theta_sketch;
using datasketches::theta_intersection;
using datasketches::theta_union;
using datasketches::update_theta_sketch;

Status invalid_buffer(const char* function) {
  return Status::error("THETA_INVALID_INPUT_SKETCH_BUFFER",
                       {{"function", std::string("`") + function + "`"}});
}

compact_theta_sketch read(std::string_view bytes, const char* function) {
  if (const Status status = check_family(bytes, SketchFamily::theta, function); !status.ok())
    throw SketchError(status);
  check_key_count(bytes);
  SketchStream in(bytes);
  return compact_theta_sketch::deserialize(in);
}

// The Java library has a flag for a single key, and no hash of the seed where there is none.
std::string write(const compact_theta_sketch& sketch) {
  std::string bytes = to_text(sketch.serialize_compressed());
  constexpr char single_item = 0x20;
  const bool exact = bytes[0] == 1 && bytes[1] == compact_theta_sketch::UNCOMPRESSED_SERIAL_VERSION;
  if (exact && sketch.get_num_retained() == 1) bytes[5] = static_cast<char>(bytes[5] | single_item);
  if (sketch.is_empty()) bytes[6] = bytes[7] = 0;
  return bytes;
}

update_theta_sketch make_sketch(int lg_k) {
  return AnySize<update_theta_sketch::builder>().size(lg_k).build();
}

theta_union make_union(int lg_k) { return AnySize<theta_union::builder>().size(lg_k).build(); }

// Of rows, and of what other threads have made of theirs.
class ThetaAggregate {
 public:
  using Input = std::tuple<Blob, std::int32_t>;
  static std::string name() { return "ms_theta_sketch_agg"; }
  static Status invalid() { return invalid_buffer("theta_sketch_agg"); }

  explicit ThetaAggregate(const Input& first)
      : lg_k_(std::get<1>(first)), sketch_(make_sketch(lg_k_)) {}
  void add(const Input& row) {
    const std::string_view key = std::get<0>(row).bytes;
    if (!key.empty()) sketch_.update(key.data(), key.size());
  }
  void merge(const ThetaAggregate& other) {
    if (!others_) others_.emplace(make_union(lg_k_));
    others_->update(other.result());
  }
  std::string bytes() const { return write(result()); }

 private:
  compact_theta_sketch result() const {
    update_theta_sketch own = sketch_;
    own.trim();
    if (!others_) return own.compact();
    theta_union all = *others_;
    all.update(own.compact());
    return all.get_result();
  }

  int lg_k_;
  update_theta_sketch sketch_;
  std::optional<theta_union> others_;
};

class ThetaUnionAggregate {
 public:
  using Input = std::tuple<Blob, std::int32_t>;
  static std::string name() { return "ms_theta_union_agg"; }
  static Status invalid() { return invalid_buffer("theta_union_agg"); }

  explicit ThetaUnionAggregate(const Input& first) : union_(make_union(std::get<1>(first))) {}
  void add(const Input& row) { union_.update(read(std::get<0>(row).bytes, "theta_union_agg")); }
  void merge(const ThetaUnionAggregate& other) { union_.update(other.union_.get_result()); }
  std::string bytes() const { return write(union_.get_result()); }

 private:
  theta_union union_;
};

class ThetaIntersectionAggregate {
 public:
  using Input = std::tuple<Blob>;
  static std::string name() { return "ms_theta_intersection_agg"; }
  static Status invalid() { return invalid_buffer("theta_intersection_agg"); }

  explicit ThetaIntersectionAggregate(const Input&) {}
  void add(const Input& row) {
    intersection_.update(read(std::get<0>(row).bytes, "theta_intersection_agg"));
  }
  void merge(const ThetaIntersectionAggregate& other) {
    intersection_.update(other.intersection_.get_result());
  }
  std::string bytes() const { return write(intersection_.get_result()); }

 private:
  theta_intersection intersection_;
};

std::optional<std::int64_t> estimate(Failure& fail, Blob sketch) {
  std::int64_t out = 0;
  const char* function = "theta_sketch_estimate";
  const Status status = guard(invalid_buffer(function), [&] {
    out = std::llround(read(sketch.bytes, function).get_estimate());
  });
  if (!status.ok()) return fail(status);
  return out;
}

std::optional<OwnedBlob> unite(Failure& fail, Blob left, Blob right, std::int32_t lg_k) {
  OwnedBlob out;
  const char* function = "theta_union";
  if (lg_k < 4 || lg_k > 26) {
    return fail(Status::error("SKETCH_INVALID_LG_NOM_ENTRIES", {{"function", "`theta_union`"},
                                                                {"min", "4"},
                                                                {"max", "26"},
                                                                {"value", std::to_string(lg_k)}}));
  }
  const Status status = guard(invalid_buffer(function), [&] {
    theta_union both = make_union(lg_k);
    both.update(read(left.bytes, function));
    both.update(read(right.bytes, function));
    out.bytes = write(both.get_result());
  });
  if (!status.ok()) return fail(status);
  return out;
}

std::optional<OwnedBlob> intersect(Failure& fail, Blob left, Blob right) {
  OwnedBlob out;
  const char* function = "theta_intersection";
  const Status status = guard(invalid_buffer(function), [&] {
    theta_intersection both;
    both.update(read(left.bytes, function));
    both.update(read(right.bytes, function));
    out.bytes = write(both.get_result());
  });
  if (!status.ok()) return fail(status);
  return out;
}

std::optional<OwnedBlob> subtract(Failure& fail, Blob left, Blob right) {
  OwnedBlob out;
  const char* function = "theta_difference";
  const Status status = guard(invalid_buffer(function), [&] {
    out.bytes = write(datasketches::theta_a_not_b().compute(read(left.bytes, function),
                                                            read(right.bytes, function)));
  });
  if (!status.ok()) return fail(status);
  return out;
}

std::optional<OwnedBlob> empty(Failure&, std::int32_t lg_k) {
  return OwnedBlob{write(make_sketch(lg_k).compact())};
}

// An intersection of no sketches would be everything.
std::optional<OwnedBlob> no_intersection(Failure& fail, std::int32_t) {
  return fail(Status::plain(
      ErrorKind::spark,
      "Calling getResult() with no intervening intersections would represent the infinite set, "
      "which is not a legal result."));
}

}  // namespace

Status register_theta_sketches(duckdb_connection c) {
  TRY(add_sketch<ThetaAggregate>(c));
  TRY(add_sketch<ThetaUnionAggregate>(c));
  TRY(add_sketch<ThetaIntersectionAggregate>(c));
  TRY(add_kernel<empty>(c, "ms_theta_empty"));
  // Else it would be computed, and fail, while a statement is prepared.
  TRY(add_kernel<no_intersection>(c, "ms_no_intersection", KernelKind::volatile_));
  TRY(add_kernel<estimate>(c, "ms_theta_sketch_estimate"));
  TRY(add_kernel<unite>(c, "ms_theta_union"));
  TRY(add_kernel<intersect>(c, "ms_theta_intersection"));
  return add_kernel<subtract>(c, "ms_theta_difference");
}

}  // namespace millstream::engine
