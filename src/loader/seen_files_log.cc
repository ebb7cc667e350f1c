// The list of seen files as numbered logs in a Store: 0, 1, 2, … each one JSON object a line, the
// state first.
#include <nlohmann/json.hpp>

#include <map>

#include "base/text.h"
#include "loader/seen_files.h"

namespace millstream::loader {
namespace {

using nlohmann::json;

std::string key_of(const std::string& path, std::int64_t modified_us) {
  return fmt::format("{}{}{}", path, '\0', modified_us);
}

class LogSeenFiles final : public SeenFiles {
 public:
  LogSeenFiles(std::shared_ptr<io::Store> store, std::string directory)
      : store_(std::move(store)), directory_(std::move(directory)) {}

  Status load() {
    auto names = store_->list_names(directory_, {});
    if (!names.ok()) {
      return names.status().is(ErrorKind::file_not_found) ? Status::OK() : names.status();
    }
    std::vector<std::int64_t> logs;
    for (const auto& name : names.value()) {
      if (const auto number = parse_int64(name)) logs.push_back(*number);
    }
    std::sort(logs.begin(), logs.end());
    for (const std::int64_t number : logs) {
      if (number != next_log_)
        return Status::illegal_state("{}/{} is missing", directory_, next_log_);
      const std::string path = io::join_path(directory_, std::to_string(number));
      TRY_ASSIGN(const std::string text, store_->get(path));
      TRY(replay(path, text));
      ++next_log_;
    }
    return Status::OK();
  }

  const SeenMeta& meta() const override { return meta_; }

  Result<std::vector<bool>> known(const std::string& directory,
                                  const std::vector<std::string>& names) override {
    std::vector<bool> seen;
    seen.reserve(names.size());
    for (const auto& name : names) {
      const std::string path = io::join_path(directory, name);
      const auto found = by_key_.lower_bound(path);
      seen.push_back(found != by_key_.end() && found->second.path == path);
    }
    return seen;
  }

  Result<bool> known_version(const std::string& path, std::int64_t modified_us) override {
    return by_key_.contains(key_of(path, modified_us));
  }

  Status add(std::vector<SeenFile> files, bool numbered, SeenMeta after) override {
    after.last_seq = meta_.last_seq;
    std::string text;
    for (auto& file : files) {
      file.seq = numbered ? ++after.last_seq : 0;
      text += json{{"path", file.path},
                   {"size", file.size},
                   {"modified_us", file.modified_us},
                   {"discovered_ms", file.discovered_ms},
                   {"seq", file.seq}}
                  .dump(-1, ' ', false, json::error_handler_t::replace) +
              "\n";
    }
    TRY(write(after, text));
    for (auto& file : files) remember(std::move(file));
    meta_ = after;
    return Status::OK();
  }

  Status visit(std::int64_t after, std::int64_t up_to,
               const std::function<bool(const SeenFile&)>& visit_file) override {
    for (auto at = by_seq_.upper_bound(after); at != by_seq_.end() && at->first <= up_to; ++at) {
      if (!visit_file(by_key_.at(at->second))) break;
    }
    return Status::OK();
  }

  Status expire(std::int64_t discovered_ms, std::int64_t up_to) override {
    std::vector<std::int64_t> gone;
    for (const auto& [seq, key] : by_seq_) {
      if (seq > up_to || by_key_.at(key).discovered_ms >= discovered_ms) break;
      gone.push_back(seq);
    }
    if (gone.empty()) return Status::OK();
    std::string text;
    for (const std::int64_t seq : gone) text += json{{"expired", seq}}.dump() + "\n";
    TRY(write(meta_, text));
    for (const std::int64_t seq : gone) forget(seq);
    return Status::OK();
  }

 private:
  Status write(const SeenMeta& meta, const std::string& lines) {
    const std::string head = json{{"last_seq", meta.last_seq},
                                  {"first_listing_done", meta.first_listing_done},
                                  {"first_listing_start_ms", meta.first_listing_start_ms},
                                  {"first_listing_finish_ms", meta.first_listing_finish_ms}}
                                 .dump();
    TRY(store_->put_if_absent(io::join_path(directory_, std::to_string(next_log_)),
                              head + "\n" + lines));
    ++next_log_;
    return Status::OK();
  }

  Status replay(const std::string& path, const std::string& text) {
    bool first = true;
    for (const auto& line : split(text, '\n')) {
      if (line.empty()) continue;
      const json entry = json::parse(line, nullptr, false);
      if (!entry.is_object()) return Status::illegal_state("{} is damaged", path);
      if (first) {
        meta_ = {entry.value("last_seq", std::int64_t{0}), entry.value("first_listing_done", false),
                 entry.value("first_listing_start_ms", std::int64_t{0}),
                 entry.value("first_listing_finish_ms", std::int64_t{0})};
        first = false;
      } else if (entry.contains("expired")) {
        forget(entry["expired"].get<std::int64_t>());
      } else {
        remember({entry.value("path", ""), entry.value("size", std::int64_t{0}),
                  entry.value("modified_us", std::int64_t{0}),
                  entry.value("discovered_ms", std::int64_t{0}),
                  entry.value("seq", std::int64_t{0})});
      }
    }
    return first ? Status::illegal_state("{} is empty", path) : Status::OK();
  }

  void remember(SeenFile file) {
    const std::string key = key_of(file.path, file.modified_us);
    if (file.seq > 0) by_seq_[file.seq] = key;
    by_key_[key] = std::move(file);
  }

  void forget(std::int64_t seq) {
    const auto found = by_seq_.find(seq);
    if (found == by_seq_.end()) return;
    by_key_.erase(found->second);
    by_seq_.erase(found);
  }

  std::shared_ptr<io::Store> store_;
  const std::string directory_;
  std::int64_t next_log_ = 0;
  SeenMeta meta_;
  std::map<std::string, SeenFile> by_key_;
  std::map<std::int64_t, std::string> by_seq_;
};

}  // namespace

Result<std::unique_ptr<SeenFiles>> open_log_seen_files(std::shared_ptr<io::Store> store,
                                                       const std::string& directory) {
  auto files = std::make_unique<LogSeenFiles>(std::move(store), directory);
  TRY(files->load());
  return std::unique_ptr<SeenFiles>(std::move(files));
}

}  // namespace millstream::loader
