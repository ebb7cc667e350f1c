#include "delta/log_names.h"

#include <fmt/ranges.h>
#include <algorithm>

#include <map>

#include "base/random.h"
#include "base/text.h"

namespace millstream::delta {
namespace {

constexpr std::size_t version_digits = 20;
constexpr std::int64_t version_max = 1'000'000'000'000'000'000;  // more is no version of any table
constexpr std::int64_t checkpoint_parts_max = 1'000'000;

std::optional<std::int64_t> digits(std::string_view text) {
  if (text.empty() || text.find_first_not_of("0123456789") != std::string_view::npos)
    return std::nullopt;
  return parse_int64(text);
}

}  // namespace

std::string commit_name(std::int64_t version) { return fmt::format("{:020}.json", version); }

std::string checksum_name(std::int64_t version) { return fmt::format("{:020}.crc", version); }

std::string checkpoint_name(std::int64_t version) {
  return fmt::format("{:020}.checkpoint.parquet", version);
}

std::string compaction_name(const Compaction& compaction) {
  return fmt::format("{:020}.{:020}.compacted.json", compaction.first, compaction.last);
}

std::string v2_checkpoint_name(std::int64_t version) {
  return fmt::format("{:020}.checkpoint.{}.json", version, new_uuid());
}

std::string sidecar_name(std::int64_t version, std::size_t part, std::size_t parts) {
  return fmt::format("{:020}.checkpoint.{:010}.{:010}.{}.parquet", version, part, parts,
                     new_uuid());
}

std::string listing_start(std::int64_t version) { return fmt::format("{:020}", version); }

std::optional<LogName> parse_log_name(std::string_view name) {
  if (name.size() < version_digits + 5 || name[version_digits] != '.') return std::nullopt;
  const auto version = digits(name.substr(0, version_digits));
  if (!version || *version > version_max) return std::nullopt;
  const std::string_view rest = name.substr(version_digits + 1);
  if (rest == "json") return LogName{LogName::Kind::commit, *version};

  const auto pieces = split(rest, '.');
  if (pieces.size() == 3 && pieces[0].size() == version_digits && pieces[1] == "compacted" &&
      pieces[2] == "json") {
    const auto last = digits(pieces[0]);
    if (!last || *last <= *version || *last > version_max) return std::nullopt;
    return LogName{LogName::Kind::compaction, *version, 0, 0, *last};
  }
  if (pieces[0] != "checkpoint") return std::nullopt;
  if (pieces.size() == 2 && pieces[1] == "parquet") {
    return LogName{LogName::Kind::classic_checkpoint, *version};
  }
  if (pieces.size() == 3 && is_uuid(pieces[1]) && (pieces[2] == "json" || pieces[2] == "parquet")) {
    return LogName{LogName::Kind::uuid_checkpoint, *version};
  }
  if (pieces.size() == 4 && pieces[3] == "parquet" && pieces[1].size() == 10 &&
      pieces[2].size() == 10) {
    const auto part = digits(pieces[1]);
    const auto parts = digits(pieces[2]);
    if (part && parts && *part >= 1 && *part <= *parts && *parts <= checkpoint_parts_max) {
      return LogName{LogName::Kind::checkpoint_part, *version, static_cast<int>(*part),
                     static_cast<int>(*parts)};
    }
  }
  return std::nullopt;
}

std::optional<std::int64_t> version_of_log_file(std::string_view name) {
  if (name.starts_with('.') && name.ends_with(".crc")) {  // Hadoop's checksum of a file
    name.remove_prefix(1);
    name.remove_suffix(4);
  }
  if (const auto parsed = parse_log_name(name)) return parsed->version;
  if (name.size() <= version_digits || name[version_digits] != '.') return std::nullopt;
  const std::string_view rest = name.substr(version_digits + 1);
  if (rest != "crc" && !rest.ends_with(".compacted.json")) return std::nullopt;
  return digits(name.substr(0, version_digits));
}

namespace {

// The longest one from the first commit on, then from the one after it, and so on. All their
// commits are there: whoever cannot read a compaction reads those.
std::vector<Compaction> choose_compactions(const LogListing& listing, std::int64_t first,
                                           std::int64_t last) {
  std::vector<Compaction> out;
  for (const auto& compaction : listing.compactions) {
    if (compaction.first < first || compaction.last > last) continue;
    if (!out.empty() && out.back().first == compaction.first) {
      out.back() = compaction;
    } else if (out.empty() || compaction.first > out.back().last) {
      out.push_back(compaction);
    }
  }
  return out;
}

}  // namespace

LogListing read_listing(const std::vector<std::string>& names) {
  LogListing listing;
  // Version, number of parts -> the parts seen. Whole checkpoints are in the listing at once.
  std::map<std::pair<std::int64_t, int>, std::map<int, std::string>> parts;
  for (const auto& name : names) {
    const auto parsed = parse_log_name(name);
    if (!parsed) continue;
    switch (parsed->kind) {
      case LogName::Kind::commit:
        listing.commits.push_back(parsed->version);
        break;
      case LogName::Kind::compaction:
        listing.compactions.push_back({parsed->version, parsed->last});
        break;
      case LogName::Kind::classic_checkpoint:
      case LogName::Kind::uuid_checkpoint:
        listing.checkpoints.push_back({parsed->version, {name}});
        break;
      case LogName::Kind::checkpoint_part:
        parts[{parsed->version, parsed->parts}][parsed->part] = name;
        break;
    }
  }
  for (auto& [key, found] : parts) {
    if (static_cast<int>(found.size()) != key.second) continue;
    CheckpointFiles whole{key.first, {}};
    for (auto& [part, name] : found) whole.names.push_back(std::move(name));
    listing.checkpoints.push_back(std::move(whole));
  }
  std::sort(listing.commits.begin(), listing.commits.end());
  std::sort(listing.compactions.begin(), listing.compactions.end(),
            [](const auto& a, const auto& b) {
              return std::pair(a.first, a.last) < std::pair(b.first, b.last);
            });
  std::stable_sort(listing.checkpoints.begin(), listing.checkpoints.end(),
                   [](const auto& a, const auto& b) { return a.version < b.version; });
  if (!listing.commits.empty()) listing.latest = listing.commits.back();
  if (!listing.checkpoints.empty()) {
    listing.latest = std::max(listing.latest, listing.checkpoints.back().version);
  }
  return listing;
}

Result<Segment> choose_segment(const LogListing& listing, std::int64_t version,
                               const std::string& table,
                               std::optional<std::int64_t> checkpoint_below) {
  Segment segment;
  segment.version = version;
  for (const auto& checkpoint : listing.checkpoints) {
    if (checkpoint.version > version) break;
    if (checkpoint_below && checkpoint.version >= *checkpoint_below) break;
    segment.checkpoint = checkpoint;
  }
  std::int64_t wanted = segment.checkpoint ? segment.checkpoint->version + 1 : 0;
  const auto first = std::lower_bound(listing.commits.begin(), listing.commits.end(), wanted);
  if (!segment.checkpoint && (first == listing.commits.end() || *first != 0)) {
    return Status::error("DELTA_TRUNCATED_TRANSACTION_LOG",
                         {{"path", table + "/_delta_log/" + commit_name(0)},
                          {"version", fmt::to_string(version)},
                          {"logRetentionKey", "delta.logRetentionDuration"},
                          {"logRetention", "30 days"},
                          {"checkpointRetentionKey", "delta.checkpointRetentionDuration"},
                          {"checkpointRetention", "2 days"}});
  }
  for (auto it = first; it != listing.commits.end() && *it <= version; ++it, ++wanted) {
    if (*it != wanted) break;
    segment.commits.push_back(*it);
  }
  if (wanted != version + 1) {
    const auto next = std::lower_bound(listing.commits.begin(), listing.commits.end(), wanted);
    return Status::error(
        "DELTA_VERSIONS_NOT_CONTIGUOUS",
        {{"versionList",
          fmt::format(
              "{}",
              fmt::join(first, std::upper_bound(first, listing.commits.end(), version), ", "))},
         {"startVersion", fmt::to_string(wanted - 1)},
         {"endVersion",
          next == listing.commits.end() ? std::string("none") : fmt::to_string(*next)},
         {"versionToLoad", fmt::to_string(version)},
         {"path", table}});
  }
  segment.compactions = choose_compactions(
      listing, segment.checkpoint ? segment.checkpoint->version + 1 : 0, version);
  return segment;
}

}  // namespace millstream::delta
