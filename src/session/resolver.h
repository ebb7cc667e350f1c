// SessionResolver: what names and formats mean in a session: its views, the warehouse's tables,
// delta.`/path`, files. One is made for each analysis. It notes what it was asked for, so that a
// view can tell whether its plan may be kept.
#pragma once

#include "plan/analyzer.h"
#include "session/session.h"

namespace millstream::session {

class SessionResolver final : public plan::Resolver {
 public:
  // `database`: where names without one are looked for; empty: in the session's.
  explicit SessionResolver(Session& session, std::string database = {})
      : session_(session), database_(std::move(database)) {}

  Result<plan::NodePtr> named_table(const std::vector<std::string>& parts, const Options& options,
                                    bool streaming) override;
  Result<std::shared_ptr<const connector::Table>> data_source(
      const std::string& format, const std::string& schema, const Options& options,
      const std::vector<std::string>& paths) override;
  Result<std::shared_ptr<const connector::StreamTable>> stream_source(
      const std::string& format, const std::string& schema, const Options& options,
      const std::vector<std::string>& paths) override;
  std::optional<plan::ExprPtr> variable(const std::vector<std::string>& parts) override;
  std::shared_ptr<const plan::SqlFunction> sql_function(const std::string& name) override;
  std::unique_ptr<plan::Resolver> inside(const plan::SqlFunction& function) override;
  Result<plan::NodePtr> cached_relation(const std::string& id) override;
  Result<std::string> cached_artifact(const std::string& hash) override;
  Result<std::vector<connector::RecordBatchPtr>> rows_of(const plan::NodePtr& node) override;
  std::shared_ptr<const connector::Table> cached_rows(const spark::connect::Relation& relation,
                                                      const plan::NodePtr& node) override;
  Result<std::shared_ptr<const connector::Table>> parsed_texts(const std::string& format,
                                                               const std::string& schema,
                                                               const Options& options,
                                                               const plan::NodePtr& texts) override;

  // Only Delta tables (and rows of the plan's own) were read: resolving the plan again later is
  // safe and shows newer rows.
  bool reads_only_delta() const { return named_->delta && !named_->other; }
  // INVALID_TEMP_OBJ_REFERENCE: what goes with the session was named. `kind` (VIEW, FUNCTION) and
  // `name` are of what does not.
  Status check_lasting(const std::string& kind, const std::string& name) const;
  // While the view of that name (quoted) is defined, it may not be read.
  void set_defining(std::string view) { view_path_ = {std::move(view)}; }

 private:
  // What was asked for; the first name of each kind of thing that goes with the session.
  struct Named {
    bool delta = false;
    bool other = false;
    std::string view;
    std::string function;
    std::string variable;
  };

  Result<plan::NodePtr> view_node(const View& view, std::vector<std::string> qualifier);
  Result<plan::NodePtr> text_view(const View& view, std::vector<std::string> qualifier);
  plan::NodePtr in_zone_of(const Meaning& meaning, const plan::NodePtr& node) const;
  Result<std::vector<std::string>> path_to(const std::string& view) const;
  Result<plan::NodePtr> stored_view(const TableName& name, const Entry& entry);
  Result<plan::NodePtr> stored_table(const TableName& name, const Entry& entry,
                                     const Options& options, bool streaming);
  Result<std::shared_ptr<const connector::Table>> file_table(
      const std::string& format, const std::string& schema, const Options& options,
      std::vector<std::string> paths, const std::map<std::string, std::string>& placed);
  Result<plan::NodePtr> delta_node(const std::string& directory, const Options& options,
                                   bool streaming, std::vector<std::string> qualifier);

  Session& session_;
  std::string database_;
  std::vector<std::string> view_path_;  // of stored views that are read inside each other
  // Shared with those of the bodies of temporary functions.
  std::shared_ptr<Named> named_ = std::make_shared<Named>();
  bool lasting_ = false;  // of what outlives the session: names mean nothing that goes with it
};

Status check_format(
    const std::string& format);  // of df.write: one that Spark has, or DATA_SOURCE_NOT_FOUND

plan::AnalyzerSettings analyzer_settings(const RuntimeConf& conf);

}  // namespace millstream::session
