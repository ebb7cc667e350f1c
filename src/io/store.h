// Store: where bytes are kept, behind one interface for local disks, S3, memory, and (in tests)
// stores that tear, lose and fail. Everything durable (checkpoints, Delta logs, tracked schemas)
// goes through it, so that a crash can be simulated at any call. Paths are plain bytes and
// '/'-separated: "/dir/a b", and "s3://bucket/dir/a b" for what lies in S3 (s3a and s3n are kept as
// they were given); nothing in them is percent-encoded. All calls are thread-safe.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/status.h"

namespace millstream::io {

struct FileInfo {
  std::string path;  // full path
  std::int64_t size = 0;
  std::int64_t modified_us = 0;  // since the epoch
  bool is_directory = false;
  std::string etag{};  // stat in S3: differs for different contents
};

enum class Medium : std::uint8_t {
  disk,       // of this machine: system calls and libraries open the path
  objects,    // S3: directories are what paths imply, and every call is a round trip
  simulated,  // memory, faults
};

// A new file, written front to back. It is there, durably and whole, once close() has returned OK;
// destroyed before, nothing is. One thread.
class Upload {
 public:
  virtual ~Upload() = default;
  virtual Status write(std::string_view bytes) = 0;
  virtual Status close() = 0;
};

class Store {
 public:
  virtual ~Store() = default;

  virtual Medium medium(const std::string& /*path*/) const { return Medium::simulated; }
  bool is_local(const std::string& path) const { return medium(path) == Medium::disk; }

  // The whole file. FileNotFound when there is none.
  virtual Result<std::string> get(const std::string& path) = 0;
  // At most `length` bytes from `offset`; fewer at the end of the file.
  virtual Result<std::string> get_range(const std::string& path, std::int64_t offset,
                                        std::int64_t length) = 0;
  virtual Result<FileInfo> stat(const std::string& path) = 0;  // FileNotFound

  // Durable when it returns, visible entirely or not at all; replaces what was there.
  virtual Status put(const std::string& path, std::string_view bytes) = 0;
  // As put, but exactly one of several writers wins; the others get AlreadyExists and change
  // nothing.
  virtual Status put_if_absent(const std::string& path, std::string_view bytes) = 0;
  // A put whose bytes come bit by bit. Unless a store does better they are held until the end.
  virtual Result<std::unique_ptr<Upload>> upload(const std::string& path);

  // Direct children of a directory, sorted by path. A missing directory is FileNotFound.
  virtual Result<std::vector<FileInfo>> list(const std::string& directory) = 0;
  // Names only of the children, sorted, from `start_after` on (exclusive); cheaper than list:
  // nothing is stat'ed.
  virtual Result<std::vector<std::string>> list_names(const std::string& directory,
                                                      std::string_view start_after) = 0;

  virtual Status remove(const std::string& path) = 0;            // a missing file is fine
  virtual Status remove_tree(const std::string& directory) = 0;  // a missing directory is fine
  virtual Status make_directories(const std::string& directory) = 0;

  Result<bool> exists(const std::string& path);
};

// The machine's own file system. put: temporary file, fsync, rename, fsync of the directory.
// put_if_absent publishes with link(2), which fails where the name exists. Temporary names begin
// with '.' and end with '.tmp'.
std::shared_ptr<Store> local_store();

// Files in memory, with directories implied by paths. Used by tests and the simulation.
// Modification times come from `clock`, which must outlive the store; the system's where there is
// none.
std::shared_ptr<Store> memory_store(const Clock* clock = nullptr);

// "file:/a%20b", "file:///a b", "/a b" or "a b" (relative to the working directory) -> "/.../a b";
// "s3a://bucket//a/./b/" -> "s3a://bucket/a/b". Other schemes are refused by name. A file: URI is
// percent-decoded once; other paths are taken as they are.
Result<std::string> store_path(std::string_view path_or_uri);
bool is_s3_path(std::string_view path);
// The same for all spellings of a place: "s3a://bucket/a" -> "s3://bucket/a".
std::string canonical_path(std::string_view path);

// As Spark prints paths. "/a b" -> "file:/a%20b"; "s3://bucket/a b" -> "s3://bucket/a%20b".
std::string to_uri(std::string_view path);
// "file:///a%20b", for the names of files; "s3://bucket/a%20b".
std::string to_file_uri(std::string_view path);
// "file:/a b", "s3://bucket/a b": Hadoop's Path as a text.
std::string to_text(std::string_view path);

std::string join_path(std::string_view directory, std::string_view name);
std::string_view base_name(std::string_view path);
// Of "/" itself; of a bucket nothing.
std::string_view parent_path(std::string_view path);

}  // namespace millstream::io
