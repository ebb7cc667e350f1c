#include "delta/file_positions.h"

#include <absl/hash/hash.h>
#include <absl/strings/string_view.h>

#include "delta/snapshot.h"

namespace millstream::delta {
namespace {

// The log's text names a file under the table as it is: nothing to decode, no scheme, no root.
bool is_plain_name(std::string_view path) {
  return !path.starts_with('/') && path.find('%') == std::string_view::npos &&
         path.find(':') == std::string_view::npos;
}

}  // namespace

FileKey::FileKey(const std::string& table, const std::string& log_path, const DeletionVector* dv)
    : name_(log_path), dv_(dv) {
  if (is_plain_name(log_path)) return;
  resolved_ = resolve_path(table, log_path);
  name_ = resolved_;
  const bool under_table =
      name_.size() > table.size() && name_.starts_with(table) && name_[table.size()] == '/';
  if (under_table) name_.remove_prefix(table.size() + 1);
}

std::uint64_t FileKey::hash() const {
  // absl's own kind of view has the seeded hash; the standard's would be given to std::hash.
  const absl::string_view name(name_.data(), name_.size());
  return dv_ == nullptr ? absl::HashOf(name) : absl::HashOf(name, dv_->unique_id());
}

bool FileKey::operator==(const FileKey& other) const {
  if (name_ != other.name_ || (dv_ == nullptr) != (other.dv_ == nullptr)) return false;
  return dv_ == nullptr || dv_ == other.dv_ || dv_->unique_id() == other.dv_->unique_id();
}

}  // namespace millstream::delta
