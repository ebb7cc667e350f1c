// FilePositions: where in a SharedList the entry of a file stands. A hash set of positions that is
// asked with a FileKey and compares by the entries themselves, so that a path is in memory once.
// Not thread-safe: LogState owns it.
#pragma once

#include <absl/container/flat_hash_set.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "delta/actions.h"
#include "delta/shared_list.h"

namespace millstream::delta {

// What tells the files of a log apart: where the file is, and which rows of it are marked deleted.
// Borrows the path of the log and the deletion vector, which must outlive it.
class FileKey {
 public:
  FileKey(const std::string& table, const std::string& log_path, const DeletionVector* dv);

  FileKey(const FileKey&) = delete;
  FileKey& operator=(const FileKey&) = delete;

  std::uint64_t hash() const;
  bool operator==(const FileKey& other) const;

 private:
  std::string resolved_;   // when the log's text is not the name itself
  std::string_view name_;  // relative to the table for files under it, absolute for others
  const DeletionVector* dv_;
};

template <typename File>
class FilePositions {
 public:
  using List = SharedList<File>;

  explicit FilePositions(const std::string& table) : table_(table) {}

  std::optional<std::size_t> find(const List& list, const FileKey& key) const {
    const auto found = slots_.find(Probe{table_, list, key, key.hash()});
    return found == slots_.end() ? std::nullopt : std::optional<std::size_t>(found->position);
  }
  // The key must not be there.
  void insert(const FileKey& key, std::size_t position) {
    slots_.insert(Slot{key.hash(), position});
  }
  // Forgets the position of the key, and says which it was.
  std::optional<std::size_t> take(const List& list, const FileKey& key) {
    const auto found = slots_.find(Probe{table_, list, key, key.hash()});
    if (found == slots_.end()) return std::nullopt;
    const std::size_t position = found->position;
    slots_.erase(found);
    return position;
  }

 private:
  struct Slot {
    std::uint64_t hash;
    std::size_t position;
  };
  struct Probe {
    const std::string& table;
    const List& list;
    const FileKey& key;
    std::uint64_t hash;
  };
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(const Slot& slot) const { return slot.hash; }
    std::size_t operator()(const Probe& probe) const { return probe.hash; }
  };
  struct Same {
    using is_transparent = void;
    bool operator()(const Slot& a, const Slot& b) const { return a.position == b.position; }
    bool operator()(const Slot& slot, const Probe& probe) const {
      if (slot.hash != probe.hash) return false;
      const auto& file = probe.list.at(slot.position);
      return FileKey(probe.table, file->path, file->deletion_vector.get()) == probe.key;
    }
    bool operator()(const Probe& probe, const Slot& slot) const { return (*this)(slot, probe); }
  };

  std::string table_;
  absl::flat_hash_set<Slot, Hash, Same> slots_;
};

}  // namespace millstream::delta
