// SharedList: a list of pointers of which share() gives a copy cheaply, however long it is: the
// copy has the same chunks, and a list copies a chunk before it changes it for the first time
// since. That is what lets the log state go on while readers and the checkpoint writer hold earlier
// snapshots. Positions are stable; a removed entry leaves a hole. Not thread-safe itself: its owner
// changes and shares it under a lock; what share() gave is only read.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <vector>

#include "base/check.h"

namespace millstream::delta {

template <typename T>
class SharedList {
 public:
  using Entry = std::shared_ptr<const T>;

  std::size_t push_back(Entry entry) {
    const std::size_t position = end_++;
    if (position / chunk_size == chunks_.size()) {
      chunks_.push_back(std::make_shared<Chunk>());
      owned_.push_back(true);
    }
    own(position) = std::move(entry);
    ++live_;
    return position;
  }

  void replace(std::size_t position, Entry entry) { own(position) = std::move(entry); }

  void erase(std::size_t position) {
    Entry& entry = own(position);
    CHECK(entry != nullptr);
    entry = nullptr;
    --live_;
  }

  SharedList share() {
    owned_.assign(chunks_.size(), false);
    return *this;
  }

  const Entry& at(std::size_t position) const {
    CHECK(position < end_);
    return (*chunks_[position / chunk_size])[position % chunk_size];
  }

  std::size_t size() const { return live_; }
  std::size_t end() const { return end_; }  // positions are below it; some may be holes

  template <typename F>
  void for_each(F&& visit) const {  // in order of insertion
    for (std::size_t i = 0; i < end_; ++i) {
      if (const Entry& entry = at(i)) visit(entry);
    }
  }

 private:
  static constexpr std::size_t chunk_size = 256;
  using Chunk = std::array<Entry, chunk_size>;

  Entry& own(std::size_t position) {
    CHECK(position < end_);
    const std::size_t index = position / chunk_size;
    if (!owned_[index]) {
      chunks_[index] = std::make_shared<Chunk>(*chunks_[index]);
      owned_[index] = true;
    }
    return (*chunks_[index])[position % chunk_size];
  }

  std::vector<std::shared_ptr<Chunk>> chunks_;
  std::vector<bool> owned_;  // of each chunk: no other list has it
  std::size_t end_ = 0;
  std::size_t live_ = 0;
};

}  // namespace millstream::delta
