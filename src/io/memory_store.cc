#include <map>
#include <mutex>
#include <set>

#include "base/clock.h"
#include "io/store.h"

namespace millstream::io {
namespace {

class MemoryStore final : public Store {
 public:
  explicit MemoryStore(const Clock* clock) : clock_(clock) {}

  Result<std::string> get(const std::string& path) override {
    const std::lock_guard lock(mutex_);
    const auto found = files_.find(path);
    if (found == files_.end()) return Status::not_found("reading {}: no such file", path);
    return found->second.bytes;
  }

  Result<std::string> get_range(const std::string& path, std::int64_t offset,
                                std::int64_t length) override {
    TRY_ASSIGN(const std::string bytes, get(path));
    const auto from = std::min(bytes.size(), static_cast<std::size_t>(offset));
    return bytes.substr(from, static_cast<std::size_t>(length));
  }

  Result<FileInfo> stat(const std::string& path) override {
    const std::lock_guard lock(mutex_);
    const auto found = files_.find(path);
    if (found != files_.end()) {
      return FileInfo{path, static_cast<std::int64_t>(found->second.bytes.size()),
                      found->second.modified_us, false};
    }
    if (is_directory(path)) return FileInfo{path, 0, 0, true};
    return Status::not_found("looking at {}: no such file", path);
  }

  Status put(const std::string& path, std::string_view bytes) override {
    const std::lock_guard lock(mutex_);
    files_[path] = {std::string(bytes), now_us()};
    return Status::OK();
  }

  Status put_if_absent(const std::string& path, std::string_view bytes) override {
    const std::lock_guard lock(mutex_);
    const bool won = files_.try_emplace(path, File{std::string(bytes), now_us()}).second;
    return won ? Status::OK() : Status::already_exists("creating {}: the file exists", path);
  }

  Result<std::vector<FileInfo>> list(const std::string& directory) override {
    TRY_ASSIGN(const auto names, list_names(directory, {}));
    std::vector<FileInfo> children;
    for (const auto& name : names) {
      TRY_ASSIGN(auto info, stat(join_path(directory, name)));
      children.push_back(std::move(info));
    }
    return children;
  }

  Result<std::vector<std::string>> list_names(const std::string& directory,
                                              std::string_view start_after) override {
    const std::lock_guard lock(mutex_);
    if (!is_directory(directory))
      return Status::not_found("listing {}: no such directory", directory);
    std::set<std::string> names;
    const std::string prefix = join_path(directory, "");
    for (auto it = files_.lower_bound(prefix); it != files_.end() && it->first.starts_with(prefix);
         ++it) {
      names.insert(
          it->first.substr(prefix.size(), it->first.find('/', prefix.size()) - prefix.size()));
    }
    for (auto it = directories_.lower_bound(prefix);
         it != directories_.end() && it->starts_with(prefix); ++it) {
      names.insert(it->substr(prefix.size(), it->find('/', prefix.size()) - prefix.size()));
    }
    std::vector<std::string> out;
    for (const auto& name : names) {
      if (!name.empty() && name > start_after) out.push_back(name);
    }
    return out;
  }

  Status remove(const std::string& path) override {
    const std::lock_guard lock(mutex_);
    files_.erase(path);
    return Status::OK();
  }

  Status remove_tree(const std::string& directory) override {
    const std::lock_guard lock(mutex_);
    const std::string prefix = join_path(directory, "");
    std::erase_if(files_, [&](const auto& file) { return file.first.starts_with(prefix); });
    std::erase_if(directories_,
                  [&](const auto& d) { return d == directory || d.starts_with(prefix); });
    return Status::OK();
  }

  Status make_directories(const std::string& directory) override {
    const std::lock_guard lock(mutex_);
    for (std::string at = directory; at.size() > 1; at = std::string(parent_path(at))) {
      directories_.insert(at);
    }
    return Status::OK();
  }

 private:
  struct File {
    std::string bytes;
    std::int64_t modified_us;
  };

  std::int64_t now_us() const {
    return clock_ != nullptr ? clock_->now_us() : SystemClock().now_us();
  }

  bool is_directory(const std::string& path) const {
    if (path == "/" || directories_.contains(path)) return true;
    const std::string prefix = join_path(path, "");
    const auto first = files_.lower_bound(prefix);
    return first != files_.end() && first->first.starts_with(prefix);
  }

  const Clock* clock_;
  std::mutex mutex_;
  std::map<std::string, File> files_;
  std::set<std::string> directories_;
};

}  // namespace

std::shared_ptr<Store> memory_store(const Clock* clock) {
  return std::make_shared<MemoryStore>(clock);
}

}  // namespace millstream::io
