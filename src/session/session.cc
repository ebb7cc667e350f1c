#include "session/session.h"

#include <pwd.h>
#include <unistd.h>

#include "base/random.h"
#include "base/text.h"
#include "column/time_types.h"
#include "plan/analyzer.h"
#include "session/insert.h"
#include "session/kept_relations.h"
#include "session/kept_rows.h"
#include "session/resolver.h"
#include "session/session_texts.h"
#include "spark/connect/relations.pb.h"

namespace millstream::session {
namespace {

// Looks at the token before each batch: whoever reads the rows is interrupted without its doing.
class InterruptibleReader final : public connector::BatchReader {
 public:
  InterruptibleReader(std::unique_ptr<connector::BatchReader> rows, const CancelToken& cancel)
      : rows_(std::move(rows)), cancel_(cancel) {}
  Result<connector::RecordBatchPtr> next() override {
    TRY(cancel_.check());
    return rows_->next();
  }

 private:
  std::unique_ptr<connector::BatchReader> rows_;
  const CancelToken& cancel_;
};

// Who runs the server, for a client that does not say who it is.
const std::string& process_user() {
  static const std::string name = [] {
    const passwd* entry = getpwuid(geteuid());
    return std::string(entry == nullptr ? "unknown" : entry->pw_name);
  }();
  return name;
}

connector::Batches interruptible(connector::Batches rows, const CancelToken* cancel) {
  if (cancel == nullptr) return rows;
  for (auto& partition : rows.partitions) {
    partition = [inner = std::move(partition),
                 cancel]() -> Result<std::unique_ptr<connector::BatchReader>> {
      TRY_ASSIGN(auto reader, inner());
      return std::unique_ptr<connector::BatchReader>(
          std::make_unique<InterruptibleReader>(std::move(reader), *cancel));
    };
  }
  return rows;
}

}  // namespace

Session::Session(Runtime& runtime, std::string user_id, std::string id)
    : runtime_(runtime),
      user_id_(std::move(user_id)),
      id_(std::move(id)),
      server_id_(new_uuid()),
      key_(user_id_ + "/" + id_),
      conf_(runtime.conf),
      kept_(std::make_shared<KeptRelations>()) {}

std::string Session::current_database() const {
  const std::lock_guard lock(mutex_);
  return database_;
}

void Session::set_current_database(std::string database) {
  const std::lock_guard lock(mutex_);
  database_ = std::move(database);
}

Result<TableName> Session::table_name(const std::vector<std::string>& parts) const {
  if (parts.size() == 1) return TableName{current_database(), to_lower(parts[0])};
  if (parts.size() == 2) return TableName{to_lower(parts[0]), to_lower(parts[1])};
  if (parts.size() == 3 && equals_ignore_case(parts[0], "spark_catalog")) {
    return TableName{to_lower(parts[1]), to_lower(parts[2])};
  }
  if (parts.size() >= 2 && !equals_ignore_case(parts[0], "spark_catalog")) {
    return Status::error("CATALOG_NOT_FOUND",
                         {{"catalogName", quote_identifier(parts[0])},
                          {"config", "\"spark.sql.catalog." + parts[0] + "\""}});
  }
  return Status::error(
      "REQUIRES_SINGLE_PART_NAMESPACE",
      {{"sessionCatalog", "`spark_catalog`"}, {"identifier", quote_identifiers(parts)}});
}

Status Session::table_not_found(const std::vector<std::string>& parts) const {
  return Status::error(
      "TABLE_OR_VIEW_NOT_FOUND",
      {{"relationName", quote_identifiers(parts)},
       {"searchPath", "[`system`.`builtin`, `system`.`session`, " +
                          quote_identifiers({"spark_catalog", current_database()}) + "]"}});
}

Status Session::relation_not_found(const std::vector<std::string>& parts) const {
  return Status::error(
      "TABLE_OR_VIEW_NOT_FOUND",
      {{"relationName", quote_identifiers(parts)},
       {"searchPath",
        "[`system`.`session`, " + quote_identifiers({"spark_catalog", current_database()}) + "]"}});
}

Result<plan::NodePtr> Session::analyze(const spark::connect::Relation& relation) {
  const column::TimestampMeaning word(timestamp_word(conf_));
  const SessionTexts texts(*this);
  SessionResolver resolver(*this);
  auto settings = analyzer_settings(conf_);
  settings.database = current_database();
  settings.user = user_id_.empty() ? process_user() : user_id_;
  return plan::analyze(relation, resolver, settings);
}

Result<connector::Batches> Session::execute(const plan::NodePtr& node,
                                            const ActionContext& context) {
  if (plan::is_streaming(*node)) {
    return not_a_batch_query();
  }
  engine::ExecutionContext run;
  run.time_zone = conf_.time_zone();
  run.timestamp_us = runtime_.clock->now_us();
  run.cancel = context.cancel;
  run.on_metrics = context.on_metrics;
  TRY_ASSIGN(auto rows, runtime_.engine->execute(plan::optimize(plan::with_kept_rows(node)), run));
  return interruptible(std::move(rows), context.cancel);
}

Status Session::create_view(const spark::connect::Relation& relation, const std::string& name,
                            bool global, bool replace) {
  const column::TimestampMeaning word(timestamp_word(conf_));
  const SessionTexts texts(*this);
  SessionResolver resolver(*this);
  TRY_ASSIGN(auto node, plan::analyze(relation, resolver, analyzer_settings(conf_)));
  View view;
  view.name = name;
  if (resolver.reads_only_delta()) {
    view.relation = relation.SerializeAsString();
    view.database = current_database();
  } else {
    view.node = std::move(node);
  }
  return put_view(std::move(view), global, replace);
}

Status Session::create_text_view(const spark::connect::Relation& query, const std::string& name,
                                 bool global, bool replace,
                                 const std::vector<std::string>& column_comments) {
  const column::TimestampMeaning word(timestamp_word(conf_));
  const SessionTexts texts(*this);
  SessionResolver resolver(*this);
  resolver.set_defining(global ? quote_identifiers({"global_temp", name}) : quote_identifier(name));
  TRY_ASSIGN(const auto node, plan::analyze(query, resolver, analyzer_settings(conf_)));
  if (!analyzer_settings(conf_).case_sensitive) TRY(check_duplicates(plan::schema_of(*node)));
  View view;
  view.name = name;
  view.relation = query.SerializeAsString();
  view.database = current_database();
  view.columns = plan::schema_of(*node);
  view.column_comments = column_comments;
  if (query.has_to_df()) {
    TRY_ASSIGN(const auto inner,
               plan::analyze(query.to_df().input(), resolver, analyzer_settings(conf_)));
    view.columns = plan::schema_of(*inner);
  }
  return put_view(std::move(view), global, replace);
}

Status Session::put_view(View view, bool global, bool replace) {
  const std::string name = view.name;
  view.meaning = Meaning::of(conf_);
  Views& views = global ? *runtime_.global_views : views_;
  if (!views.put(std::move(view), replace)) {
    return Status::error("TEMP_TABLE_OR_VIEW_ALREADY_EXISTS",
                         {{"relationName", global ? quote_identifiers({"global_temp", name})
                                                  : quote_identifier(name)}});
  }
  return Status::OK();
}

Result<plan::NodePtr> Session::checkpoint(const plan::NodePtr& node, bool eager,
                                          const ActionContext& context) {
  auto project = std::make_shared<plan::Project>();
  for (const plan::Attribute& a : node->output) {
    if (a.hidden) continue;
    plan::Attribute out = a;
    out.id = plan::next_attribute_id();
    out.name = "c" + std::to_string(project->exprs.size());
    project->exprs.push_back(plan::make_alias(plan::make_attribute(a), out.name, out.id));
    project->output.push_back(std::move(out));
  }
  project->children.push_back(node);
  if (!eager) {
    return scan_in_place(std::make_shared<CachedRows>(runtime_, conf_.time_zone(), project), *node);
  }
  TRY_ASSIGN(const auto rows, execute(project, context));
  TRY_ASSIGN(auto kept, KeptRows::make(rows, runtime_.temporary_directory));
  return scan_in_place(std::move(kept), *node);
}

std::string Session::keep_relation(plan::NodePtr node) { return kept_->keep(std::move(node)); }

Result<plan::NodePtr> Session::kept_relation(const std::string& id) const {
  plan::NodePtr node = kept_->find(id);
  if (node == nullptr) {
    return Status::error("CONNECT_INVALID_PLAN.DATAFRAME_NOT_FOUND",
                         {{"dfId", id}, {"sessionId", id_}});
  }
  return node;
}

void Session::forget_relation(const std::string& id) { kept_->forget(id); }

Result<std::unique_ptr<Session>> Session::clone(std::string new_id) {
  auto copy = std::make_unique<Session>(runtime_, user_id_, std::move(new_id));
  copy->conf_.copy_from(conf_);
  copy->views_.copy_from(views_);
  copy->objects_.copy_from(objects_);
  TRY(copy->artifacts_.copy_from(artifacts_));
  copy->set_current_database(current_database());
  copy->kept_->copy_from(*kept_);
  return copy;
}

Status legacy_error(ErrorKind kind, std::string condition, ErrorParameters parameters,
                    std::string message) {
  ErrorInfo info;
  info.kind = kind;
  info.condition = std::move(condition);
  info.parameters = std::move(parameters);
  info.message = std::move(message);
  return Status(std::move(info));
}

Status not_a_batch_query() {
  const std::string text =
      "Queries with streaming sources must be executed with writeStream.start(), or from a "
      "streaming table or flow "
      "definition within a Spark Declarative Pipeline.";
  return legacy_error(ErrorKind::analysis, "_LEGACY_ERROR_TEMP_3102", {{"msg", text}}, text);
}

}  // namespace millstream::session
