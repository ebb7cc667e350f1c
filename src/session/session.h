// Session: a SparkSession without a wire: settings, temporary views, artifacts, DataFrames kept by
// id; it analyses and runs plans in the process's Runtime. Sessions are independent of each other;
// what they share is in Runtime. Thread-safe: many operations of one session may run at once.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/status.h"
#include "conc/cancel.h"
#include "connector/batches.h"
#include "engine/engine.h"
#include "io/store.h"
#include "plan/node.h"
#include "session/artifacts.h"
#include "session/conf.h"
#include "session/objects.h"
#include "session/storage_levels.h"
#include "session/views.h"
#include "session/warehouse.h"
#include "stream/manager.h"

namespace spark::connect {
class Relation;
}  // namespace spark::connect

namespace millstream::session {

class KeptRelations;
class Session;

// What all sessions of the process share. Outlives them.
// What foreachBatch calls of this process: the batch is the relation of that id, which the session
// keeps meanwhile.
using BatchFunction = std::function<Status(const std::string& relation_id, std::int64_t batch_id)>;

struct Runtime {
  std::shared_ptr<io::Store> store;
  engine::Engine* engine = nullptr;
  stream::QueryManager* queries = nullptr;
  Clock* clock = nullptr;
  Warehouse* warehouse = nullptr;
  Views* global_views = nullptr;
  std::string temporary_directory;          // for temporary checkpoints
  std::map<std::string, std::string> conf;  // given at the server's start; every session has it

  // What Python workers need of the server. Empty functions: there are no workers.
  std::function<std::string()> connect_url{};  // "sc://127.0.0.1:15002/"; empty: it has no port
  // A session like the given one, under an id of its own: where it keeps its DataFrames.
  std::function<Result<std::shared_ptr<KeptRelations>>(Session&, const std::string& id)>
      open_clone{};
  std::function<void(const std::string& user_id, const std::string& id)> close_session{};
  // Of the program that the server is embedded in, by the name that a stream gives; empty: there is
  // none.
  std::function<BatchFunction(const std::string& name)> batch_function{};
};

// How one action runs.
struct ActionContext {
  const CancelToken* cancel = nullptr;
  std::function<void(engine::ObservedMetrics)> on_metrics;  // any thread; may be empty
};

class Session {
 public:
  Session(Runtime& runtime, std::string user_id, std::string id);

  const std::string& user_id() const { return user_id_; }
  const std::string& id() const { return id_; }
  const std::string& server_id() const { return server_id_; }  // differs from id()
  const std::string& key() const { return key_; }  // unique among sessions: "<user>/<id>"
  Runtime& runtime() const { return runtime_; }
  RuntimeConf& conf() { return conf_; }
  Artifacts& artifacts() { return artifacts_; }
  Views& views() { return views_; }
  Objects& objects() { return objects_; }
  StorageLevels& storage_levels() { return storage_levels_; }

  std::string current_database() const;
  void set_current_database(std::string database);

  // A table name by its parts: t, db.t, spark_catalog.db.t. Errors: other catalogs, too many parts.
  Result<TableName> table_name(const std::vector<std::string>& parts) const;

  Status table_not_found(const std::vector<std::string>& parts) const;
  // As Spark says it of commands, which look for no functions' names.
  Status relation_not_found(const std::vector<std::string>& parts) const;

  Result<plan::NodePtr> analyze(const spark::connect::Relation& relation);
  // Optimized and started; rows come as the partitions are read. The context's pointers must live
  // until then.
  Result<connector::Batches> execute(const plan::NodePtr& node, const ActionContext& context);

  // createOrReplaceTempView and kin.
  Status create_view(const spark::connect::Relation& relation, const std::string& name, bool global,
                     bool replace);
  // CREATE TEMPORARY VIEW … AS query
  Status create_text_view(const spark::connect::Relation& query, const std::string& name,
                          bool global, bool replace,
                          const std::vector<std::string>& column_comments = {});

  // A scan of the rows of `node`, which are computed once: now, or when they are first read.
  Result<plan::NodePtr> checkpoint(const plan::NodePtr& node, bool eager,
                                   const ActionContext& context);
  // DataFrames kept on the server (checkpoint).
  std::string keep_relation(plan::NodePtr node);
  Result<plan::NodePtr> kept_relation(const std::string& id) const;
  void forget_relation(const std::string& id);
  const std::shared_ptr<KeptRelations>& kept_relations() const { return kept_; }

  // A session with the same settings, views and artifacts.
  Result<std::unique_ptr<Session>> clone(std::string new_id);

 private:
  Status put_view(View view, bool global, bool replace);

  Runtime& runtime_;
  const std::string user_id_;
  const std::string id_;
  const std::string server_id_;
  const std::string key_;
  RuntimeConf conf_;
  Artifacts artifacts_;
  Views views_;
  Objects objects_;
  StorageLevels storage_levels_;
  mutable std::mutex mutex_;
  std::string database_ = "default";
  const std::shared_ptr<KeptRelations> kept_;
};

// An error of those that Spark has a name for but no SQLSTATE, and whose text stands alone.
Status legacy_error(ErrorKind kind, std::string condition, ErrorParameters parameters,
                    std::string message);
Status not_a_batch_query();  // a streaming plan was to be run as it is

}  // namespace millstream::session
