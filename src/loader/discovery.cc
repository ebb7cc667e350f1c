#include "loader/discovery.h"

#include <algorithm>

namespace millstream::loader {
namespace {

class Walk {
 public:
  Walk(io::Store& store, const DiscoveryRules& rules, SeenFiles* seen, SettledFolders* settled)
      : store_(store),
        rules_(rules),
        by_glob_(!rules.globber.is_literal()),
        seen_(seen),
        settled_(settled) {}

  Result<std::vector<io::FileInfo>> run() {
    const std::string& base = rules_.globber.base();
    auto info = store_.stat(base);
    if (!info.ok() && info.status().is(ErrorKind::file_not_found)) {
      if (by_glob_) return std::move(found_);
      return Status::error("PATH_NOT_FOUND", {{"path", io::to_uri(base)}});
    }
    TRY_ASSIGN(io::FileInfo root, std::move(info));
    if (root.is_directory) {
      TRY(directory(base));
    } else {
      TRY(single_file(std::move(root)));
    }
    std::sort(found_.begin(), found_.end(), [](const io::FileInfo& a, const io::FileInfo& b) {
      return a.modified_us != b.modified_us ? a.modified_us < b.modified_us : a.path < b.path;
    });
    return std::move(found_);
  }

 private:
  Status single_file(io::FileInfo file) {
    bool known = false;
    if (seen_ != nullptr && !rules_.by_version) {
      TRY_ASSIGN(const auto answer, seen_->known(std::string(io::parent_path(file.path)),
                                                 {std::string(io::base_name(file.path))}));
      known = answer[0];
    }
    return known ? Status::OK() : take(std::move(file)).status();
  }

  // An explicit stack: folders nest as deep as their makers like.
  Status directory(const std::string& base) {
    std::vector<std::string> open = {base};
    while (!open.empty()) {
      const std::string at = std::move(open.back());
      open.pop_back();
      std::optional<io::FolderStamp> stamp;
      if (settled_ != nullptr) stamp = io::folder_stamp(at);
      const auto* unchanged = stamp ? settled_->subfolders_if_unchanged(at, *stamp) : nullptr;
      if (unchanged != nullptr) {
        open.insert(open.end(), unchanged->begin(), unchanged->end());
        continue;
      }
      TRY_ASSIGN(Listing listing, list(at));
      open.insert(open.end(), listing.subfolders.begin(), listing.subfolders.end());
      if (stamp && listing.all_seen) settled_->settle(at, *stamp, std::move(listing.subfolders));
    }
    return Status::OK();
  }

  struct Listing {
    std::vector<std::string> subfolders;  // to be walked
    bool all_seen = true;  // whatever is not found now will not be found before a name is added
  };

  Result<Listing> list(const std::string& at) {
    if (store_.medium(at) == io::Medium::objects) return list_objects(at);
    Listing listing;
    auto listed = store_.list_names(at, {});
    if (!listed.ok() && listed.status().is(ErrorKind::file_not_found))
      return listing;  // gone meanwhile
    TRY_ASSIGN(std::vector<std::string> names, std::move(listed));
    std::erase_if(names, [](const std::string& name) { return format::is_hidden_name(name); });
    std::vector<bool> known(names.size(), false);
    if (seen_ != nullptr && !rules_.by_version) {
      TRY_ASSIGN(known, seen_->known(at, names));
    }
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (known[i]) continue;
      auto info = store_.stat(io::join_path(at, names[i]));
      if (!info.ok() && info.status().is(ErrorKind::file_not_found)) {
        listing.all_seen = false;  // gone meanwhile, or a link whose target may come
        continue;
      }
      TRY_ASSIGN(io::FileInfo child, std::move(info));
      TRY(visit(std::move(child), &listing));
    }
    return listing;
  }

  // The listing of an object store says all about what it names: no look at each.
  Result<Listing> list_objects(const std::string& at) {
    Listing listing;
    auto listed = store_.list(at);
    if (!listed.ok() && listed.status().is(ErrorKind::file_not_found)) return listing;
    TRY_ASSIGN(auto children, std::move(listed));
    std::erase_if(children, [](const io::FileInfo& child) {
      return format::is_hidden_name(io::base_name(child.path));
    });
    std::vector<bool> known(children.size(), false);
    if (seen_ != nullptr && !rules_.by_version) {
      std::vector<std::string> names;
      for (const auto& child : children) names.emplace_back(io::base_name(child.path));
      TRY_ASSIGN(known, seen_->known(at, names));
    }
    for (std::size_t i = 0; i < children.size(); ++i) {
      if (!known[i]) TRY(visit(std::move(children[i]), &listing));
    }
    return listing;
  }

  Status visit(io::FileInfo child, Listing* listing) {
    if (!child.is_directory) {
      TRY_ASSIGN(const bool settled, take(std::move(child)));
      listing->all_seen = listing->all_seen && settled;
    } else if (!by_glob_ || rules_.globber.may_match_below(child.path)) {
      listing->subfolders.push_back(std::move(child.path));
    }
    return Status::OK();
  }

  // Adds the file to what was found when the rules want it. False: they may decide otherwise once
  // it is overwritten.
  Result<bool> take(io::FileInfo file) {
    if (rules_.name_filter && !rules_.name_filter->matches(io::base_name(file.path))) return true;
    if (by_glob_ && !rules_.globber.matches(file.path)) return true;
    if (rules_.modified_after_us && file.modified_us <= *rules_.modified_after_us) return false;
    if (rules_.modified_before_us && file.modified_us >= *rules_.modified_before_us) return false;
    bool known = false;
    if (seen_ != nullptr && rules_.by_version) {
      TRY_ASSIGN(known, seen_->known_version(file.path, file.modified_us));
    }
    if (!known) found_.push_back(std::move(file));
    return !rules_.by_version;
  }

  io::Store& store_;
  const DiscoveryRules& rules_;
  const bool by_glob_;
  SeenFiles* const seen_;
  SettledFolders* const settled_;
  std::vector<io::FileInfo> found_;
};

}  // namespace

Result<std::vector<io::FileInfo>> discover(io::Store& store, const DiscoveryRules& rules,
                                           SeenFiles* seen, SettledFolders* settled) {
  return Walk(store, rules, seen, settled).run();
}

}  // namespace millstream::loader
