// Column families: files (path NUL mtime -> record), seq (number, big endian -> record and path: a
// batch is one scan), meta (name -> text).
#include <rocksdb/cache.h>
#include <rocksdb/db.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/options.h>
#include <rocksdb/table.h>
#include <rocksdb/write_batch.h>

#include <array>
#include <filesystem>

#include "base/text.h"
#include "loader/seen_files.h"

namespace millstream::loader {
namespace {

constexpr std::string_view format_version = "1";
constexpr std::size_t files_a_write = 10'000;

std::string seq_key(std::int64_t seq) {
  std::string key(8, '\0');
  for (int i = 0; i < 8; ++i)
    key[static_cast<std::size_t>(i)] = static_cast<char>(seq >> (56 - 8 * i));
  return key;
}

std::string file_key(const std::string& path, std::int64_t modified_us) {
  return path + '\0' + seq_key(modified_us);
}

std::string record_of(const SeenFile& file) {
  return fmt::format("{} {} {} {}", file.seq, file.size, file.modified_us, file.discovered_ms);
}

std::string numbered_record_of(const SeenFile& file) { return record_of(file) + " " + file.path; }

Result<SeenFile> parse_numbered_record(std::string_view text) {
  std::array<std::int64_t, 4> numbers{};
  std::string_view rest = text;
  for (auto& number : numbers) {
    const auto blank = rest.find(' ');
    const auto parsed =
        blank == std::string_view::npos ? std::nullopt : parse_int64(rest.substr(0, blank));
    if (!parsed) return Status::illegal_state("the record of a seen file is damaged: {}", text);
    number = *parsed;
    rest.remove_prefix(blank + 1);
  }
  return SeenFile{std::string(rest), numbers[1], numbers[2], numbers[3], numbers[0]};
}

rocksdb::DBOptions database_options() {
  rocksdb::DBOptions options;
  options.create_if_missing = true;
  options.create_missing_column_families = true;
  options.max_open_files = 64;
  options.max_background_jobs = 1;
  options.max_file_opening_threads = 1;
  options.info_log_level = rocksdb::InfoLogLevel::ERROR_LEVEL;
  options.keep_log_file_num = 1;
  options.stats_dump_period_sec = 0;
  options.stats_persist_period_sec = 0;
  return options;
}

// All sources of the process share it: a hundred idle ones must not hold a hundred caches.
std::shared_ptr<rocksdb::Cache> shared_cache() {
  static const auto cache = rocksdb::NewLRUCache(8 << 20);
  return cache;
}

rocksdb::ColumnFamilyOptions family_options() {
  rocksdb::ColumnFamilyOptions options;
  options.write_buffer_size = 4 << 20;
  options.arena_block_size = 16 << 10;
  options.compression = rocksdb::kLZ4Compression;
  rocksdb::BlockBasedTableOptions table;
  table.block_cache = shared_cache();
  table.filter_policy.reset(rocksdb::NewBloomFilterPolicy(10));
  table.cache_index_and_filter_blocks = true;
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  return options;
}

class RocksdbSeenFiles final : public SeenFiles {
 public:
  explicit RocksdbSeenFiles(std::string directory) : directory_(std::move(directory)) {}
  ~RocksdbSeenFiles() override {
    for (auto* family : families_) db_->DestroyColumnFamilyHandle(family);
  }

  Status open() {
    std::error_code error;
    std::filesystem::create_directories(directory_, error);
    if (error) return Status::io("creating {}: {}", directory_, error.message());
    std::vector<rocksdb::ColumnFamilyDescriptor> descriptors;
    for (const char* name : {"default", "files", "seq", "meta"})
      descriptors.emplace_back(name, family_options());
    rocksdb::DB* db = nullptr;
    const auto opened =
        rocksdb::DB::Open(database_options(), directory_, descriptors, &families_, &db);
    if (!opened.ok()) return open_error(opened);
    db_.reset(db);
    return load_meta();
  }

  const SeenMeta& meta() const override { return meta_; }

  Result<std::vector<bool>> known(const std::string& directory,
                                  const std::vector<std::string>& names) override {
    std::vector<bool> seen(names.size(), false);
    const std::string prefix = io::join_path(directory, "");
    const std::unique_ptr<rocksdb::Iterator> at(db_->NewIterator(scan_options(), files()));
    // Both sides are sorted: one pass over the directory's keys, leaping over its sub-directories.
    std::size_t next = 0;
    for (at->Seek(prefix); at->Valid() && next < names.size();) {
      std::string_view rest = view(at->key());
      if (!rest.starts_with(prefix)) break;
      rest.remove_prefix(prefix.size());
      // Only what is before the NUL is a path: the bytes of the time behind it may well be those of
      // a '/'.
      const std::string_view name = rest.substr(0, rest.find('\0'));
      const auto slash = name.find('/');
      if (slash != std::string_view::npos) {
        at->Seek(prefix + std::string(name.substr(0, slash)) + char('/' + 1));
        continue;
      }
      while (next < names.size() && names[next] < name) ++next;
      if (next < names.size() && names[next] == name) seen[next] = true;
      at->Next();
    }
    TRY(check(at->status(), "reading"));
    return seen;
  }

  Result<bool> known_version(const std::string& path, std::int64_t modified_us) override {
    std::string record;
    const auto got = db_->Get({}, files(), file_key(path, modified_us), &record);
    if (got.IsNotFound()) return false;
    TRY(check(got, "reading"));
    return true;
  }

  Status add(std::vector<SeenFile> new_files, bool numbered, SeenMeta after) override {
    after.last_seq = meta_.last_seq;
    // WAL order makes one sync at the end cover them all; a crash in between keeps a beginning,
    // whose rest is found again.
    for (std::size_t begin = 0;; begin += files_a_write) {
      const std::size_t end = std::min(new_files.size(), begin + files_a_write);
      rocksdb::WriteBatch batch;
      for (std::size_t i = begin; i < end; ++i) {
        SeenFile& file = new_files[i];
        file.seq = numbered ? ++after.last_seq : 0;
        const std::string key = file_key(file.path, file.modified_us);
        batch.Put(files(), key, record_of(file));
        if (numbered) batch.Put(seq(), seq_key(file.seq), numbered_record_of(file));
      }
      const bool last = end == new_files.size();
      SeenMeta meta = last ? after : meta_;
      meta.last_seq = after.last_seq;
      put_meta(batch, meta);
      rocksdb::WriteOptions options;
      options.sync = last;
      TRY(check(db_->Write(options, &batch), "writing"));
      meta_ = meta;
      if (last) return Status::OK();
    }
  }

  Status visit(std::int64_t after, std::int64_t up_to,
               const std::function<bool(const SeenFile&)>& visit_file) override {
    const std::unique_ptr<rocksdb::Iterator> at(db_->NewIterator(scan_options(), seq()));
    const std::string end = seq_key(up_to);
    for (at->Seek(seq_key(after + 1)); at->Valid() && at->key().compare(end) <= 0; at->Next()) {
      TRY_ASSIGN(const SeenFile file, parse_numbered_record(view(at->value())));
      if (!visit_file(file)) return Status::OK();
    }
    return check(at->status(), "reading");
  }

  Status expire(std::int64_t discovered_ms, std::int64_t up_to) override {
    rocksdb::WriteBatch batch;
    TRY(visit(0, up_to, [&](const SeenFile& file) {
      if (file.discovered_ms >= discovered_ms) return false;
      batch.Delete(seq(), seq_key(file.seq));
      batch.Delete(files(), file_key(file.path, file.modified_us));
      return true;
    }));
    if (batch.Count() == 0) return Status::OK();
    return check(db_->Write({}, &batch), "writing");
  }

 private:
  static std::string_view view(const rocksdb::Slice& slice) { return {slice.data(), slice.size()}; }
  rocksdb::ColumnFamilyHandle* files() const { return families_[1]; }
  rocksdb::ColumnFamilyHandle* seq() const { return families_[2]; }
  rocksdb::ColumnFamilyHandle* meta_family() const { return families_[3]; }

  static rocksdb::ReadOptions scan_options() {
    rocksdb::ReadOptions options;
    options.fill_cache = false;
    options.readahead_size = 256 << 10;
    return options;
  }

  Status check(const rocksdb::Status& status, std::string_view doing) const {
    if (status.ok()) return Status::OK();
    return Status::io("{} the list of seen files in {}: {}", doing, directory_, status.ToString());
  }

  Status open_error(const rocksdb::Status& status) const {
    const std::string text = status.ToString();
    if (text.find("lock") != std::string::npos || text.find("LOCK") != std::string::npos) {
      return Status::illegal_state(
          "{} is in use: another query runs from this checkpoint, here or in another process ({}). "
          "Stop it, or give this "
          "query a checkpoint of its own",
          directory_, text);
    }
    return Status::io("the list of seen files in {} cannot be opened: {}", directory_, text);
  }

  Status load_meta() {
    const auto read = [&](const char* name, std::string* value) -> Result<bool> {
      const auto got = db_->Get({}, meta_family(), name, value);
      if (got.IsNotFound()) return false;
      TRY(check(got, "reading"));
      return true;
    };
    std::string text;
    TRY_ASSIGN(const bool has_format, read("format", &text));
    if (!has_format) {
      // Every write puts the version, so a database without one is either new or not ours.
      const std::unique_ptr<rocksdb::Iterator> any(db_->NewIterator({}));
      any->SeekToFirst();
      if (any->Valid()) {
        return Status::illegal_state("{} holds a list of seen files that Millstream did not write",
                                     directory_);
      }
      return Status::OK();
    }
    if (text != format_version) {
      return Status::illegal_state("{} has format {}, this Millstream reads format {}", directory_,
                                   text, format_version);
    }
    TRY_ASSIGN(const bool found, read("state", &text));
    const auto parts = split(text, ' ');
    std::array<std::int64_t, 4> numbers{};
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      const auto number = found && i < parts.size() ? parse_int64(parts[i]) : std::nullopt;
      if (!number) return Status::illegal_state("the state in {} is damaged", directory_);
      numbers[i] = *number;
    }
    meta_ = {numbers[0], numbers[1] != 0, numbers[2], numbers[3]};
    return Status::OK();
  }

  void put_meta(rocksdb::WriteBatch& batch, const SeenMeta& meta) const {
    batch.Put(meta_family(), "format", std::string(format_version));
    batch.Put(meta_family(), "state",
              fmt::format("{} {} {} {}", meta.last_seq, meta.first_listing_done ? 1 : 0,
                          meta.first_listing_start_ms, meta.first_listing_finish_ms));
  }

  const std::string directory_;
  std::unique_ptr<rocksdb::DB> db_;
  std::vector<rocksdb::ColumnFamilyHandle*> families_;
  SeenMeta meta_;
};

}  // namespace

Result<std::unique_ptr<SeenFiles>> open_rocksdb_seen_files(const std::string& directory) {
  auto files = std::make_unique<RocksdbSeenFiles>(directory);
  TRY(files->open());
  return std::unique_ptr<SeenFiles>(std::move(files));
}

Result<std::unique_ptr<SeenFiles>> open_seen_files(const std::shared_ptr<io::Store>& store,
                                                   const std::string& directory) {
  if (store->is_local(directory))
    return open_rocksdb_seen_files(io::join_path(directory, "rocksdb"));
  return open_log_seen_files(store, io::join_path(directory, "files"));
}

}  // namespace millstream::loader
