// InferTree: what was seen at each path of some JSON records, and the Spark type that follows from
// it. Records are taken whole or not at all: what a malformed one added is taken back. Used by one
// thread; trees of several files are merged afterwards.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/status.h"
#include "column/types.h"
#include "format/datetime_text.h"
#include "format/json_column.h"
#include "format/json_lenient.h"
#include "format/json_lines.h"
#include "format/json_options.h"
#include "format/json_strict.h"

namespace millstream::format {

struct InferNode {
  enum Seen : std::uint16_t {
    long_ = 1,
    double_ = 2,
    decimal = 4,
    boolean = 8,
    string = 16,
    timestamp = 32,
    object = 64,
    array = 128,
    timestamp_ntz = 256,
  };
  std::uint16_t seen = 0;           // NULL and "" leave no mark
  std::int16_t integer_digits = 0;  // of decimals: the most
  std::int16_t scale = 0;
  std::unique_ptr<InferNode> element;

  struct Child;
  std::vector<std::unique_ptr<Child>> children;  // in the order met
  std::unordered_map<std::string, std::size_t> index;
  std::size_t expected = 0;  // the child that comes next if the object is like the last
};

struct InferNode::Child {
  explicit Child(std::string_view child_name) : name(child_name), key(child_name) {}
  std::string name;
  KeyPattern key;
  InferNode node;
};

class InferTree final : public JsonLines {
 public:
  explicit InferTree(const JsonOptions& options);

  const InferNode& root() const { return root_; }
  InferNode take_root() { return std::move(root_); }
  std::int64_t records() const { return records_; }
  bool malformed() const { return malformed_; }
  Status prepare();

 private:
  struct Change {
    InferNode* node;
    std::uint16_t seen;
    std::int16_t integer_digits;
    std::int16_t scale;
    std::size_t children;
    bool had_element;
  };

  void begin_record() override { changes_.clear(); }
  Outcome read_strictly(StrictScanner& scanner) override { return read_root(scanner); }
  Status end_record(Outcome outcome, std::string_view record, bool tail) override;
  Status read_leniently(std::string_view record) override;
  void take_back();

  template <typename Scanner>
  Outcome read_root(Scanner& scanner);
  template <typename Scanner>
  bool read_value(Scanner& scanner, InferNode& node);
  template <typename Scanner>
  bool read_object(Scanner& scanner, InferNode& node);
  template <typename Scanner>
  bool read_number(Scanner& scanner, InferNode& node);
  template <typename Scanner>
  bool read_string(Scanner& scanner, InferNode& node);

  void mark(InferNode& node, InferNode::Seen kind) {
    if ((node.seen & kind) != 0) return;
    remember(node);
    node.seen = static_cast<std::uint16_t>(node.seen | kind);
  }
  void mark_decimal(InferNode& node, std::string_view text);
  void remember(InferNode& node) {
    changes_.push_back({&node, node.seen, node.integer_digits, node.scale, node.children.size(),
                        node.element != nullptr});
  }

  const JsonOptions options_;
  InferNode::Seen time_or_string(std::string_view text) const;

  std::optional<DateTimePattern> timestamp_format_;
  std::optional<DateTimePattern> ntz_format_;
  TimeZone zone_;
  InferNode root_;
  std::vector<Change> changes_;
  std::int64_t records_ = 0;
  bool malformed_ = false;
};

void merge_into(InferNode& to, InferNode&& from);

// The schema of what was seen, as Spark would have it; names that differ by case only are an error
// (COLUMN_ALREADY_EXISTS), or merged under the first spelling.
Result<column::Schema> schema_of(const InferNode& root, const JsonOptions& options,
                                 bool merge_case_variants);

}  // namespace millstream::format
