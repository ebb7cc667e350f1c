// LoaderSource: the running side of cloudFiles. It discovers files into the list of seen files,
// deals them out in batches by their numbers, and reads them. Used by its query's thread alone.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "connector/source.h"
#include "loader/definition.h"
#include "loader/offset.h"
#include "loader/seen_files.h"
#include "loader/settled_folders.h"

namespace millstream::loader {

class LoaderSource final : public connector::Source {
 public:
  static Result<std::unique_ptr<LoaderSource>> open(std::shared_ptr<const Definition> definition,
                                                    const connector::SourceContext& context);

  std::string description() const override {
    return "CloudFilesSource[" + definition_->input + "]";
  }
  Result<std::optional<connector::Offset>> latest_offset(
      const std::optional<connector::Offset>& start, bool all) override;
  Result<connector::Batches> batch(const std::optional<connector::Offset>& start,
                                   const connector::Offset& end,
                                   const connector::ScanRequest& request) override;
  Status commit(const connector::Offset& end) override;
  bool supports_available_now() const override { return true; }
  Status prepare_for_available_now() override;
  std::map<std::string, std::string> metrics() const override;

 private:
  LoaderSource(std::shared_ptr<const Definition> definition, std::unique_ptr<SeenFiles> seen,
               Clock* clock)
      : definition_(std::move(definition)), seen_(std::move(seen)), clock_(clock) {}

  Status discover_new(std::int64_t committed_seq);
  Status count_backlog(std::int64_t after);
  Result<std::int64_t> end_within_limits(std::int64_t after, std::int64_t up_to);

  const std::shared_ptr<const Definition> definition_;
  const std::unique_ptr<SeenFiles> seen_;
  SettledFolders settled_;
  Clock* const clock_;
  std::optional<std::int64_t> last_of_run_;  // AvailableNow: the newest number at its start
  // The files numbered above position_, which no batch has been given yet.
  std::int64_t position_ = -1;
  std::int64_t backlog_files_ = 0;
  std::int64_t backlog_bytes_ = 0;
};

}  // namespace millstream::loader
