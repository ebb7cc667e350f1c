#include "delta/checksum.h"

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <span>

#include "base/text.h"

namespace millstream::delta {
namespace {

using nlohmann::json;

// {"txn":{…}} -> {…}
std::string inner(const std::string& action) {
  const std::size_t begin = action.find(':') + 1;
  return action.substr(begin, action.size() - begin - 1);
}

template <typename Range, typename Print>
void append_list(std::string& out, std::string_view name, const Range& values, Print&& print) {
  out += fmt::format("\"{}\":[", name);
  bool first = true;
  for (const auto& value : values) {
    if (!std::exchange(first, false)) out += ',';
    print(value);
  }
  out += ']';
}

void append_numbers(std::string& out, std::string_view name, std::span<const std::int64_t> values) {
  append_list(out, name, values,
              [&](std::int64_t value) { fmt::format_to(std::back_inserter(out), "{}", value); });
}

// Vectors are counted where they may come; and where they came before they were turned off.
bool counts_vectors(const Snapshot& snapshot) {
  const auto& features = snapshot.protocol().reader_features;
  const bool listed = features && std::find(features->begin(), features->end(),
                                            "deletionVectors") != features->end();
  return listed && (marks_deleted_rows(snapshot.info()) || snapshot.tally().deletion_vectors > 0);
}

// Not when the schema has just changed: statistics of columns that went would stay in the files of
// those who go on from one checksum to the next.
bool lists_files(const Snapshot& snapshot, const Snapshot* before) {
  if (snapshot.files().size() == 0) return true;
  if (snapshot.files().size() > limits::checksum_files_max) return false;
  return before == nullptr ||
         (before->files().size() <= limits::checksum_files_max &&
          before->metadata().schema_string == snapshot.metadata().schema_string);
}

void append_txns(std::string& out, const Snapshot& snapshot) {
  const bool expire = snapshot.info().property("delta.setTransactionRetentionDuration") != nullptr;
  if (expire || snapshot.txns().size() > limits::checksum_txns_max) return;
  out += ',';
  append_list(out, "setTransactions", snapshot.txns(),
              [&](const auto& txn) { out += inner(to_json(txn.second)); });
}

void append_domains(std::string& out, const Snapshot& snapshot) {
  if (snapshot.domains().size() > limits::checksum_domains_max) return;
  out += ',';
  append_list(out, "domainMetadata", snapshot.domains(),
              [&](const auto& domain) { out += inner(to_json(domain.second)); });
}

void append_files(std::string& out, const Snapshot& snapshot) {
  out += ",\"allFiles\":[";
  bool first = true;
  snapshot.files().for_each([&](const AddFilePtr& file) {
    if (!std::exchange(first, false)) out += ',';
    out += inner(to_json(*file, false));
  });
  out += ']';
}

class Comparison {
 public:
  Comparison(const json& file, const Snapshot& snapshot) : file_(file), snapshot_(snapshot) {}

  std::vector<std::string> run() {
    const FileTally& tally = snapshot_.tally();
    number("tableSizeBytes", tally.bytes);
    number("numFiles", tally.files);
    number("numMetadata", 1);
    number("numProtocol", 1);
    if (counts_vectors(snapshot_)) {
      number("numDeletedRecordsOpt", tally.deleted_rows);
      number("numDeletionVectorsOpt", tally.deletion_vectors);
    }
    action<Metadata>("metadata", "metaData", snapshot_.metadata());
    protocol();
    txns();
    return std::move(found_);
  }

 private:
  void number(const char* name, std::int64_t is) {
    const auto said = file_.find(name);
    if (said == file_.end() || !said->is_number_integer()) return;
    const auto value = said->get<std::int64_t>();
    if (value != is) found_.push_back(fmt::format("{} is {}, not {}", name, is, value));
  }

  // The member as the action that it was in the log; nothing: it is none.
  template <typename T>
  std::optional<T> read(const json& object, const char* action) const {
    if (!object.is_object()) return std::nullopt;
    const auto actions = parse_actions(json{{action, object}}.dump(), "checksum");
    if (!actions.ok() || actions->size() != 1) return std::nullopt;
    const T* value = std::get_if<T>(&actions->front());
    return value == nullptr ? std::nullopt : std::optional(*value);
  }

  template <typename T>
  void action(const char* name, const char* key, const T& is) {
    const auto said = file_.find(name);
    if (said == file_.end()) return;
    const auto value = read<T>(*said, key);
    if (value && !(*value == is)) found_.push_back(fmt::format("its {} is another", name));
  }

  // Lists of features have no order.
  void protocol() {
    const auto said = file_.find("protocol");
    if (said == file_.end()) return;
    auto value = read<Protocol>(*said, "protocol");
    if (!value) return;
    Protocol is = snapshot_.protocol();
    for (Protocol* one : {&*value, &is}) {
      for (auto* features : {&one->reader_features, &one->writer_features}) {
        if (*features) std::sort((*features)->begin(), (*features)->end());
      }
    }
    if (!(*value == is)) found_.emplace_back("its protocol is another");
  }

  void txns() {
    const auto said = file_.find("setTransactions");
    if (said == file_.end() || !said->is_array()) return;
    bool same = said->size() == snapshot_.txns().size();
    for (const auto& one : *said) {
      const auto txn = read<Txn>(one, "txn");
      same = same && txn && snapshot_.txn_version(txn->app_id) == txn->version;
    }
    if (!same) found_.emplace_back("its setTransactions are others");
  }

  const json& file_;
  const Snapshot& snapshot_;
  std::vector<std::string> found_;
};

}  // namespace

std::string print_checksum(const Snapshot& snapshot, const Snapshot* before,
                           const std::string& txn_id) {
  const FileTally& tally = snapshot.tally();
  const bool vectors = counts_vectors(snapshot);
  std::string out = fmt::format(R"({{"txnId":{},"tableSizeBytes":{},"numFiles":{})",
                                json_quote(txn_id), tally.bytes, tally.files);
  if (vectors) {
    out += fmt::format(R"(,"numDeletedRecordsOpt":{},"numDeletionVectorsOpt":{})",
                       tally.deleted_rows, tally.deletion_vectors);
  }
  out += R"(,"numMetadata":1,"numProtocol":1)";
  if (const auto time = snapshot.in_commit_timestamp())
    out += fmt::format(",\"inCommitTimestampOpt\":{}", *time);
  append_txns(out, snapshot);
  append_domains(out, snapshot);
  out += ",\"metadata\":" + inner(to_json(snapshot.metadata()));
  out += ",\"protocol\":" + inner(to_json(snapshot.protocol()));
  out += ",\"fileSizeHistogram\":{";
  append_numbers(out, "sortedBinBoundaries", FileTally::size_bounds());
  out += ',';
  append_numbers(out, "fileCounts", tally.files_of_size);
  out += ',';
  append_numbers(out, "totalBytes", tally.bytes_of_size);
  out += '}';
  if (vectors) {
    out += ",\"deletedRecordCountsHistogramOpt\":{";
    append_numbers(out, "deletedRecordCounts", tally.files_with_deleted);
    out += '}';
  }
  if (lists_files(snapshot, before)) append_files(out, snapshot);
  return out + "}\n";
}

std::vector<std::string> checksum_mismatches(std::string_view file, const Snapshot& snapshot) {
  if (nested_too_deep(file)) return {};
  const json object = json::parse(file, nullptr, false);
  if (!object.is_object()) return {};
  try {
    return Comparison(object, snapshot).run();
  } catch (const json::exception&) {
    return {};  // text that is not UTF-8, or the like
  }
}

}  // namespace millstream::delta
