#include "format/json_infer.h"

#include <algorithm>
#include <mutex>
#include <random>

#include "conc/thread_pool.h"
#include "format/byte_input.h"
#include "format/json_blocks.h"
#include "format/json_infer_tree.h"

namespace millstream::format {
namespace {

// Takes a share of the records, the same each time.
class SampledTree final : public JsonLines {
 public:
  SampledTree(InferTree& tree, const JsonOptions& options)
      : JsonLines(options), tree_(tree), random_(1), ratio_(options.sampling_ratio) {}

 private:
  void begin_record() override {}
  Outcome read_strictly(StrictScanner&) override { return Outcome::malformed; }
  Status end_record(Outcome, std::string_view, bool) override { return Status::OK(); }
  Status read_leniently(std::string_view record) override {
    if (std::uniform_real_distribution<double>()(random_) >= ratio_) return Status::OK();
    text_.assign(record);
    text_.append(padding, '\n');
    return tree_.add_document(text_.data(), record.size());
  }

  InferTree& tree_;
  std::mt19937_64 random_;
  double ratio_;
  std::string text_;
};

Status read_file(const std::shared_ptr<io::Store>& store, const io::FileInfo& file,
                 const JsonOptions& options, JsonLines& to) {
  TRY_ASSIGN(const auto input, open_bytes(store, file.path));
  JsonBlocks blocks;
  blocks.begin(file);
  for (bool ended = false; !ended;) TRY(blocks.read(*input, options, to, ended));
  return Status::OK();
}

Status infer_file(const std::shared_ptr<io::Store>& store, const io::FileInfo& file,
                  const JsonOptions& options, InferTree& tree) {
  TRY(tree.prepare());
  Status status;
  if (options.sampling_ratio < 1.0) {
    SampledTree sampled(tree, options);
    status = read_file(store, file, options, sampled);
  } else {
    status = read_file(store, file, options, tree);
  }
  if (status.ok() || status.is(ErrorKind::unsupported_operation)) return status;
  if (status.is("MALFORMED_RECORD_IN_PARSING.WITHOUT_SUGGESTION")) {
    ErrorInfo info = status.info();
    info.kind = ErrorKind::spark;
    info.message += "\nFile: " + io::to_uri(file.path);
    return Status(std::move(info));
  }
  const bool ignored = status.is(ErrorKind::file_not_found) ? options.ignore_missing_files
                                                            : options.ignore_corrupt_files;
  return ignored ? Status::OK() : failed_read(file.path, status);
}

Result<InferredJson> finish(const InferNode& root, bool malformed, std::int64_t records,
                            const JsonOptions& options, bool merge_case_variants) {
  InferredJson out;
  out.records = records;
  TRY_ASSIGN(out.schema, schema_of(root, options, merge_case_variants));
  if (malformed && column::find_field(out.schema, options.corrupt_column) < 0) {
    // It is sorted in among the other names.
    const auto at = std::find_if(out.schema.begin(), out.schema.end(), [&](const auto& field) {
      return field.name > options.corrupt_column;
    });
    out.schema.insert(at, {options.corrupt_column, column::string_type(), true, {}});
  }
  return out;
}

}  // namespace

Result<InferredJson> infer_json_schema(const std::shared_ptr<io::Store>& store,
                                       const std::vector<io::FileInfo>& files,
                                       const JsonOptions& options, bool merge_case_variants) {
  // A tree a file, merged in the order of the files as soon as its turn has come.
  std::vector<std::unique_ptr<InferTree>> trees(files.size());
  std::mutex mutex;
  std::size_t merged = 0;
  InferNode root;
  std::int64_t records = 0;
  bool malformed = false;
  const auto infer_one = [&](std::size_t i) -> Status {
    auto tree = std::make_unique<InferTree>(options);
    TRY(infer_file(store, files[i], options, *tree));
    const std::lock_guard lock(mutex);
    trees[i] = std::move(tree);
    for (; merged < trees.size() && trees[merged] != nullptr; ++merged) {
      records += trees[merged]->records();
      malformed = malformed || trees[merged]->malformed();
      merge_into(root, trees[merged]->take_root());
      trees[merged].reset();
    }
    return Status::OK();
  };
  TRY(shared_pool().run_all(files.size(), infer_one));
  return finish(root, malformed, records, options, merge_case_variants);
}

Result<InferredJson> infer_json_schema(const std::vector<std::string>& documents,
                                       const JsonOptions& options) {
  InferTree tree(options);
  TRY(tree.prepare());
  std::string text;
  for (const auto& document : documents) {
    text.assign(document);
    text.append(JsonLines::padding, '\n');
    TRY(tree.add_document(text.data(), document.size()));
  }
  return finish(tree.root(), tree.malformed(), tree.records(), options, false);
}

}  // namespace millstream::format
