// The change data feed: what commits did to the rows of a table, row by row. A commit that changed
// some rows of files says it in files of its own ("cdc" actions); any other is told by the files
// that it added and removed. Both are read here, as the table's columns and three more.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/options.h"
#include "base/status.h"
#include "connector/table.h"
#include "delta/file_scan.h"
#include "delta/log.h"
#include "delta/snapshot.h"

namespace millstream::delta {

namespace change_feed {
inline constexpr std::string_view type_column = "_change_type";
inline constexpr std::string_view version_column = "_commit_version";
inline constexpr std::string_view timestamp_column = "_commit_timestamp";
inline constexpr std::string_view insert = "insert";
inline constexpr std::string_view remove = "delete";
inline constexpr std::string_view before_update = "update_preimage";
inline constexpr std::string_view after_update = "update_postimage";
}  // namespace change_feed

// Whether commits that change rows of such a table must write change files.
bool keeps_change_feed(const TableInfo& info);
// What a commit that leaves the table so must not do: RESERVED_CDC_COLUMNS_ON_WRITE,
// DELTA_TABLE_ALREADY_CONTAINS_CDC_COLUMNS. `before`: null when it creates the table.
Status check_feed_columns(const TableInfo* before, const TableInfo& after);

// The table's columns and those of the feed.
column::Schema with_feed_columns(column::Schema schema);

// The rows in a file that one commit changed.
struct FeedFile {
  AddFilePtr file;                     // with the values of the feed's columns that it has
  bool is_change_file = false;         // each row has its _change_type
  std::shared_ptr<const RowSet> rows;  // of the file that are meant; null: all live ones
};

// The files that tell what the commit did, in the order of the log.
// DELTA_REMOVE_FILE_CDC_MISSING_EXTENDED_METADATA.
Result<std::vector<FeedFile>> feed_files(io::Store& store, const std::string& table,
                                         const std::vector<Action>& actions, std::int64_t version,
                                         std::int64_t time_ms);
// A live file of a snapshot, whose rows a stream that begins there takes for inserted.
FeedFile as_inserted(const AddFile& file, std::int64_t version, std::int64_t time_ms);

// `table_info` gives the columns; request.columns may name those of the feed.
Result<connector::Batches> scan_feed(const std::shared_ptr<io::Store>& store,
                                     const std::string& table, const TableInfo& table_info,
                                     const std::vector<FeedFile>& files,
                                     const connector::ScanRequest& request, bool case_sensitive,
                                     const std::string& time_zone);

// DELTA_MISSING_CHANGE_DATA when the table does not keep its feed at `version`.
Status check_feed_kept(const TableInfo& info, std::int64_t start, std::int64_t end,
                       std::int64_t version);

// Which commits: both bounds belong to the range.
struct FeedRange {
  std::optional<std::int64_t> start_version;
  std::optional<std::string> start_timestamp;  // as ReadOptions::timestamp_as_of
  std::optional<std::int64_t> end_version;     // nothing: the newest
  std::optional<std::string> end_timestamp;
  // Times after the newest commit are no error, but nothing.
  bool beyond_is_empty = false;

  bool has_start() const { return start_version || start_timestamp; }
};

// Takes an option of the feed (startingVersion and its kin) into the range; false: it is another.
Result<bool> take_range_option(const std::string& name, const Options::Entry& entry,
                               FeedRange& range);

class ChangeFeed final : public connector::Table {
 public:
  // DELTA_NO_START_FOR_CDC_READ, DELTA_INVALID_CDC_RANGE, DELTA_MISSING_CHANGE_DATA, …
  static Result<std::shared_ptr<const ChangeFeed>> open(std::shared_ptr<io::Store> store,
                                                        std::string table, const FeedRange& range,
                                                        std::string time_zone, bool case_sensitive);

  const column::Schema& schema() const override { return schema_; }
  const column::Schema& metadata_fields() const override { return no_metadata_; }
  Result<connector::Batches> scan(const connector::ScanRequest& request) const override;
  std::string describe() const override;

 private:
  ChangeFeed(std::shared_ptr<io::Store> store, std::string table, TableInfoPtr info,
             std::string time_zone, bool case_sensitive);

  const std::shared_ptr<io::Store> store_;
  const std::string table_;
  const TableInfoPtr info_;
  const std::string time_zone_;
  const bool case_sensitive_;
  const column::Schema schema_;
  const column::Schema no_metadata_;
  std::vector<FeedFile> files_;
};

}  // namespace millstream::delta
