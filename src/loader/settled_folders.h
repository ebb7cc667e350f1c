// SettledFolders: folders in which every file is in the list of seen files, so that a listing of
// them can wait until something is added: then a look at a folder of a million files costs as much
// as at an empty one. In memory only; belongs to a source, used by its query's thread.
#pragma once

#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "io/folder_stamp.h"

namespace millstream::loader {

class SettledFolders {
 public:
  // The folders below it when nothing was added since `settle`; null: it has to be listed.
  const std::vector<std::string>* subfolders_if_unchanged(const std::string& folder,
                                                          const io::FolderStamp& stamp) const {
    const auto found = folders_.find(folder);
    return found != folders_.end() && found->second.stamp == stamp ? &found->second.subfolders
                                                                   : nullptr;
  }

  void settle(const std::string& folder, const io::FolderStamp& stamp,
              std::vector<std::string> subfolders) {
    if (folders_.size() >= folders_max && !folders_.contains(folder)) return;
    folders_[folder] = {stamp, std::move(subfolders)};
  }

 private:
  static constexpr std::size_t folders_max = 100'000;  // beyond it, memory is dearer than listing

  struct Folder {
    io::FolderStamp stamp;
    std::vector<std::string> subfolders;  // full paths
  };
  std::unordered_map<std::string, Folder> folders_;
};

}  // namespace millstream::loader
