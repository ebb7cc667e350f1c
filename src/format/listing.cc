// Listing: the files below roots and patterns.
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/text.h"
#include "format/datetime_text.h"
#include "format/files.h"

namespace millstream::format {
namespace {

Result<std::optional<std::int64_t>> time_bound(const Options& options, std::string_view name,
                                               const std::string& session_time_zone) {
  const auto* text = options.find(name);
  if (text == nullptr) return std::optional<std::int64_t>();
  TRY_ASSIGN(const TimeZone zone, TimeZone::find(options.get("timeZone", session_time_zone)));
  std::int64_t micros;
  if (!parse_timestamp_lenient(*text, zone, micros)) {
    return Status::invalid(
        "the option '{}' takes a timestamp such as 2020-06-01T13:00:00, not '{}'", name, *text);
  }
  return std::optional(micros);
}

class Lister {
 public:
  Lister(io::Store& store, const ListOptions& options, std::optional<Glob> filter,
         std::vector<FoundFile>& out)
      : store_(store), options_(options), filter_(std::move(filter)), out_(out) {}

  // A root that exists, or the match of a pattern.
  Status add_root(const std::string& path) {
    auto info = store_.stat(path);
    if (!info.ok()) return info.status();
    const std::string base = options_.base_path.value_or(path);
    if (info->is_directory) return add_directory(path, base);
    if (!is_hidden_name(io::base_name(path)) && is_wanted_name(io::base_name(path)) &&
        is_wanted(*info)) {
      out_.push_back({std::move(info).value(),
                      options_.base_path.value_or(std::string(io::parent_path(path)))});
    }
    return Status::OK();
  }

  // The folder of a partition has no others.
  void set_flat(bool flat) { flat_ = flat; }

 private:
  bool is_wanted_name(std::string_view name) const { return !filter_ || filter_->matches(name); }
  bool is_wanted(const io::FileInfo& info) const {
    if (options_.modified_after_us && info.modified_us <= *options_.modified_after_us) return false;
    return !options_.modified_before_us || info.modified_us < *options_.modified_before_us;
  }
  bool descends_into(std::string_view name) const {
    return !flat_ && !is_hidden_name(name) &&
           (options_.recursive || name.find('=') != std::string_view::npos);
  }

  Status add_directory(const std::string& path, const std::string& base) {
    std::vector<std::string> directories;
    TRY(store_.is_local(path) ? list_local(path, base, directories)
                              : list_store(path, base, directories));
    for (const auto& directory : directories) {
      Status status = add_directory(directory, base);
      if (!status.ok() && !status.is(ErrorKind::file_not_found))
        return status;  // gone meanwhile: fine
    }
    return Status::OK();
  }

  Status list_store(const std::string& path, const std::string& base,
                    std::vector<std::string>& directories) {
    TRY_ASSIGN(auto children, store_.list(path));
    for (auto& child : children) {
      const auto name = io::base_name(child.path);
      if (child.is_directory) {
        if (descends_into(name)) directories.push_back(child.path);
      } else if (!is_hidden_name(name) && is_wanted_name(name) && is_wanted(child)) {
        out_.push_back({std::move(child), base});
      }
    }
    return Status::OK();
  }

  // Names first; only what is wanted by name is looked at.
  Status list_local(const std::string& path, const std::string& base,
                    std::vector<std::string>& directories) {
    DIR* handle = ::opendir(path.c_str());
    if (handle == nullptr) return failed("listing", path);
    const int fd = ::dirfd(handle);
    Status status;
    for (;;) {
      errno = 0;
      const dirent* entry = ::readdir(handle);
      if (entry == nullptr) {
        if (errno != 0) status = failed("listing", path);
        break;
      }
      const std::string_view name = entry->d_name;
      if (name == "." || name == ".." || is_hidden_name(name)) continue;
      const bool may_be_directory = entry->d_type != DT_REG;
      if (!may_be_directory && !is_wanted_name(name)) continue;
      struct stat info {};
      if (entry->d_type == DT_DIR) {
        if (descends_into(name)) directories.push_back(io::join_path(path, name));
        continue;
      }
      if (::fstatat(fd, entry->d_name, &info, 0) != 0) {
        if (errno == ENOENT || errno == ELOOP) continue;  // gone meanwhile, or a dead link
        status = failed("looking at", io::join_path(path, name));
        break;
      }
      if (S_ISDIR(info.st_mode)) {
        // The store says of a link to a folder above that it is not there.
        const std::string child = io::join_path(path, name);
        if (!descends_into(name) || !store_.stat(child).ok()) continue;
        directories.push_back(child);
      } else if (S_ISREG(info.st_mode) && is_wanted_name(name)) {
        io::FileInfo file{io::join_path(path, name), info.st_size,
                          info.st_mtim.tv_sec * 1'000'000 + info.st_mtim.tv_nsec / 1000, false};
        if (is_wanted(file)) out_.push_back({std::move(file), base});
      }
    }
    ::closedir(handle);
    return status;
  }

  static Status failed(const char* doing, const std::string& path) {
    const std::string text = fmt::format("{} {}: {}", doing, path, std::strerror(errno));
    return Status::plain(
        errno == ENOENT || errno == ENOTDIR ? ErrorKind::file_not_found : ErrorKind::io, text);
  }

  io::Store& store_;
  const ListOptions& options_;
  const std::optional<Glob> filter_;
  std::vector<FoundFile>& out_;
  bool flat_ = false;
};

std::string without_escapes(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 1 < text.size()) ++i;
    out += text[i];
  }
  return out;
}

// What exists and matches an absolute pattern without braces, level by level.
Status match_paths(io::Store& store, std::string_view pattern, std::vector<std::string>& out) {
  const std::size_t root = io::is_s3_path(pattern) ? pattern.find('/', pattern.find("//") + 2) : 0;
  if (root == std::string_view::npos) return Status::OK();
  std::vector<std::string> level = {root == 0 ? "/" : std::string(pattern.substr(0, root))};
  const auto parts = split(pattern.substr(root + 1), '/');
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parts[i].empty()) continue;
    std::vector<std::string> next;
    if (parts[i].find_first_of("*?[") == std::string::npos) {
      for (const auto& directory : level)
        next.push_back(io::join_path(directory, without_escapes(parts[i])));
    } else {
      TRY_ASSIGN(const Glob glob, Glob::compile(parts[i]));
      for (const auto& directory : level) {
        const auto names = store.list_names(directory, {});
        if (!names.ok()) {
          if (names.status().is(ErrorKind::file_not_found)) continue;
          return names.status();
        }
        for (const auto& name : *names) {
          if (glob.matches(name)) next.push_back(io::join_path(directory, name));
        }
      }
    }
    level = std::move(next);
  }
  for (auto& path : level) {
    TRY_ASSIGN(const bool exists, store.exists(path));
    if (exists) out.push_back(std::move(path));
  }
  return Status::OK();
}

// A file outside basePath would have no place among the partitions.
Status check_base_path(io::Store& store, const std::string& base, const std::string& root) {
  const auto info = store.stat(base);
  if (info.status().is(ErrorKind::file_not_found))
    return Status::invalid("Option 'basePath' not found");
  TRY(info.status());
  if (!info->is_directory) return Status::invalid("Option 'basePath' must be a directory");
  if (root.starts_with(base)) return Status::OK();
  return Status::invalid("Wrong basePath {} for the root path: {}", base, io::to_uri(root));
}

Status path_not_found(const std::string& path) {
  return Status::error("PATH_NOT_FOUND", {{"path", io::to_text(path)}});
}

}  // namespace

bool is_hidden_name(std::string_view name) {
  if (name.empty()) return false;
  if (name.front() == '.' || name.ends_with("._COPYING_")) return true;
  return name.front() == '_' && name.find('=') == std::string_view::npos;
}

Result<ListOptions> parse_list_options(const Options& options,
                                       const std::string& session_time_zone) {
  ListOptions out;
  TRY_ASSIGN(out.recursive, options.get_bool("recursiveFileLookup", false));
  if (const auto* filter = options.find("pathGlobFilter")) {
    TRY(Glob::compile(*filter).status());
    out.glob_filter = *filter;
  }
  TRY_ASSIGN(out.modified_after_us, time_bound(options, "modifiedAfter", session_time_zone));
  TRY_ASSIGN(out.modified_before_us, time_bound(options, "modifiedBefore", session_time_zone));
  TRY_ASSIGN(out.ignore_missing, options.get_bool("ignoreMissingFiles", false));
  TRY_ASSIGN(out.glob_paths, options.get_bool("__globPaths__", true));
  if (const auto* base = options.find("basePath")) {
    TRY_ASSIGN(out.base_path, io::store_path(*base));
  }
  return out;
}

Result<std::vector<FoundFile>> list_files(const std::shared_ptr<io::Store>& store,
                                          const std::vector<std::string>& roots,
                                          const ListOptions& options) {
  std::vector<FoundFile> found;
  std::optional<Glob> filter;
  if (options.glob_filter) {
    TRY_ASSIGN(filter, Glob::compile(*options.glob_filter));
  }
  Lister lister(*store, options, std::move(filter), found);
  for (const auto& given : roots) {
    TRY_ASSIGN(const std::string root, io::store_path(given));
    std::vector<std::string> paths;
    if (options.glob_paths && Glob::has_wildcard(root)) {
      TRY_ASSIGN(const Glob glob, Glob::compile(root));
      for (const auto& alternative : glob.alternatives())
        TRY(match_paths(*store, alternative, paths));
      if (paths.empty() && !options.ignore_missing) return path_not_found(root);
      std::sort(paths.begin(), paths.end());
      paths.erase(std::unique(paths.begin(), paths.end()), paths.end());
    } else {
      paths.push_back(root);
    }
    for (const auto& path : paths) {
      const auto placed = options.placed.find(path);
      if (options.base_path && placed == options.placed.end())
        TRY(check_base_path(*store, *options.base_path, path));
      const std::size_t before = found.size();
      lister.set_flat(placed != options.placed.end());
      Status status = lister.add_root(path);
      for (std::size_t i = before; placed != options.placed.end() && i < found.size(); ++i)
        found[i].partition = placed->second;
      if (status.is(ErrorKind::file_not_found)) {
        if (!options.ignore_missing) return path_not_found(path);
      } else if (!status.ok()) {
        return status;
      }
    }
  }
  std::stable_sort(found.begin(), found.end(), [](const FoundFile& a, const FoundFile& b) {
    return a.info.path < b.info.path;
  });
  return found;
}

}  // namespace millstream::format
