// SeenFiles: which files a source has discovered, each once, under a number that says their order.
// It is what makes Auto Loader exactly-once: a file gets its number here, durably, before an offset
// that covers it is logged, and a number never changes hands. An entry is a file in one version
// (path and time of modification), so that allowOverwrites may be turned on later. Two forms behind
// one interface: RocksDB for local checkpoints (a million files cost no memory), and plain logs in
// an io::Store for every other one, which simulations can crash at will. Used by its query's thread
// alone.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "io/store.h"

namespace millstream::loader {

struct SeenFile {
  std::string path;
  std::int64_t size = 0;
  std::int64_t modified_us = 0;
  std::int64_t discovered_ms = 0;
  // From 1, without holes. 0: known, and never to be read (it was there before a start without
  // includeExistingFiles).
  std::int64_t seq = 0;
};

// Facts about the source itself, next to its files.
struct SeenMeta {
  std::int64_t last_seq = 0;
  bool first_listing_done = false;
  std::int64_t first_listing_start_ms = 0;
  std::int64_t first_listing_finish_ms = 0;
};

class SeenFiles {
 public:
  virtual ~SeenFiles() = default;

  virtual const SeenMeta& meta() const = 0;

  // seen[i] = true where directory/names[i] is known. `names` is sorted; it may hold directories,
  // which are never known.
  virtual Result<std::vector<bool>> known(const std::string& directory,
                                          const std::vector<std::string>& names) = 0;
  // For sources whose files may be overwritten: is it known with just this time of modification?
  virtual Result<bool> known_version(const std::string& path, std::int64_t modified_us) = 0;

  // Records the files, numbered from meta().last_seq + 1 in this order (or all 0, when not
  // `numbered`), and `after`, whose last_seq is set here. All or, after a crash, a beginning of it;
  // durable when this returns.
  virtual Status add(std::vector<SeenFile> files, bool numbered, SeenMeta after) = 0;

  // The files numbered in (after, up_to], in order, until `visit` returns false.
  virtual Status visit(std::int64_t after, std::int64_t up_to,
                       const std::function<bool(const SeenFile&)>& visit) = 0;

  // Forgets files discovered before `discovered_ms` whose number is not above `up_to`.
  virtual Status expire(std::int64_t discovered_ms, std::int64_t up_to) = 0;
};

// For a source whose private files are in `directory` ("<checkpoint>/sources/<i>"): RocksDB under
// <directory>/rocksdb when the store is the local one, else logs under <directory>/files.
Result<std::unique_ptr<SeenFiles>> open_seen_files(const std::shared_ptr<io::Store>& store,
                                                   const std::string& directory);

// The two forms.
Result<std::unique_ptr<SeenFiles>> open_rocksdb_seen_files(const std::string& directory);
Result<std::unique_ptr<SeenFiles>> open_log_seen_files(std::shared_ptr<io::Store> store,
                                                       const std::string& directory);

}  // namespace millstream::loader
