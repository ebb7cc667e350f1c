#include "connect/analyze.h"

#include <zlib.h>

#include "column/time_types.h"
#include "connect/explain_text.h"
#include "connect/plan_decode.h"
#include "connect/schema_tree.h"
#include "plan/analyzer.h"
#include "plan/refusals.h"
#include "session/delta_messages.h"
#include "session/plan_identity.h"
#include "spark/connect/base.pb.h"

namespace millstream::connect {
namespace {

namespace proto = spark::connect;

// The relation of a plan to analyse; a SQL command stands for its relation and is not run.
Result<const proto::Relation*> relation_of(proto::Plan* plan) {
  TRY(decompress(plan));
  if (plan->has_root()) {
    const proto::Relation* root = &plan->root();
    return root;
  }
  if (plan->has_command() && plan->command().has_sql_command() &&
      plan->command().sql_command().has_input()) {
    const proto::Relation* input = &plan->command().sql_command().input();
    return input;
  }
  return plan::oneof_not_set(*plan, "OPTYPE_NOT_SET");
}

Result<plan::NodePtr> resolved(ServerSession& session, const proto::Plan& plan) {
  TRY_ASSIGN(const auto* relation, relation_of(const_cast<proto::Plan*>(&plan)));
  return session.session().analyze(*relation);
}

// The text that a show() gives is a relation whose schema needs no analysis.
bool is_text_relation(const proto::Relation& relation, column::Schema* schema) {
  if (!relation.has_show_string() && !relation.has_html_string()) return false;
  const char* name = relation.has_show_string() ? "show_string" : "html_string";
  *schema = {{name, column::string_type(), false, ""}};
  return true;
}

void collect_files(const plan::Node& node, proto::AnalyzePlanResponse::InputFiles* out) {
  if (node.kind == plan::NodeKind::scan) {
    for (const auto& file : plan::as<plan::Scan>(node).table->input_files()) out->add_files(file);
  }
  for (const auto& child : node.children) collect_files(*child, out);
}

}  // namespace

Status analyze(ServerSession& session, proto::AnalyzePlanRequest& request,
               proto::AnalyzePlanResponse* response) {
  const column::TimestampMeaning word(session::timestamp_word(session.session().conf()));
  const column::TimeTypes times(session::time_types_enabled(session.session().conf()));
  if (session::has_delta_messages(request)) {
    TRY(session::expand_delta_messages(session.session(), &request, false, {}));
  }
  switch (request.analyze_case()) {
    case proto::AnalyzePlanRequest::kSchema: {
      TRY_ASSIGN(const auto* relation, relation_of(request.mutable_schema()->mutable_plan()));
      column::Schema shown;
      if (is_text_relation(*relation, &shown)) {
        plan::schema_to_proto(shown, response->mutable_schema()->mutable_schema());
        return Status::OK();
      }
      TRY_ASSIGN(const auto node, session.session().analyze(*relation));
      plan::schema_to_proto(plan::schema_of(*node), response->mutable_schema()->mutable_schema());
      return Status::OK();
    }
    case proto::AnalyzePlanRequest::kExplain: {
      TRY_ASSIGN(const auto node, resolved(session, request.explain().plan()));
      TRY_ASSIGN(const std::string text, explain_text(node, request.explain().explain_mode(),
                                                      session.session().conf().time_zone()));
      response->mutable_explain()->set_explain_string(text);
      return Status::OK();
    }
    case proto::AnalyzePlanRequest::kTreeString: {
      TRY_ASSIGN(const auto node, resolved(session, request.tree_string().plan()));
      const int level = request.tree_string().has_level() ? request.tree_string().level() : 0;
      response->mutable_tree_string()->set_tree_string(schema_tree(plan::schema_of(*node), level));
      return Status::OK();
    }
    case proto::AnalyzePlanRequest::kIsLocal: {
      TRY_ASSIGN(const auto node, resolved(session, request.is_local().plan()));
      response->mutable_is_local()->set_is_local(node->kind == plan::NodeKind::local);
      return Status::OK();
    }
    case proto::AnalyzePlanRequest::kIsStreaming: {
      TRY_ASSIGN(const auto node, resolved(session, request.is_streaming().plan()));
      response->mutable_is_streaming()->set_is_streaming(plan::is_streaming(*node));
      return Status::OK();
    }
    case proto::AnalyzePlanRequest::kInputFiles: {
      TRY_ASSIGN(const auto node, resolved(session, request.input_files().plan()));
      collect_files(*node, response->mutable_input_files());
      return Status::OK();
    }
    case proto::AnalyzePlanRequest::kSparkVersion:
      response->mutable_spark_version()->set_version("4.2.0");
      return Status::OK();
    case proto::AnalyzePlanRequest::kDdlParse: {
      TRY_ASSIGN(const auto type, column::parse_schema_or_type(request.ddl_parse().ddl_string()));
      plan::type_to_proto(type, response->mutable_ddl_parse()->mutable_parsed());
      return Status::OK();
    }
    case proto::AnalyzePlanRequest::kJsonToDdl: {
      TRY_ASSIGN(const auto schema, column::schema_from_json(request.json_to_ddl().json_string()));
      response->mutable_json_to_ddl()->set_ddl_string(column::to_ddl(schema));
      return Status::OK();
    }
    case proto::AnalyzePlanRequest::kSameSemantics: {
      auto* same = request.mutable_same_semantics();
      TRY_ASSIGN(const auto* target, relation_of(same->mutable_target_plan()));
      TRY_ASSIGN(const auto* other, relation_of(same->mutable_other_plan()));
      TRY(session.session().analyze(*target).status());
      TRY(session.session().analyze(*other).status());
      response->mutable_same_semantics()->set_result(session::identity_of(*target) ==
                                                     session::identity_of(*other));
      return Status::OK();
    }
    case proto::AnalyzePlanRequest::kSemanticHash: {
      TRY_ASSIGN(const auto* relation,
                 relation_of(request.mutable_semantic_hash()->mutable_plan()));
      TRY(session.session().analyze(*relation).status());
      const std::string identity = session::identity_of(*relation);
      const auto hash =
          crc32_z(0, reinterpret_cast<const unsigned char*>(identity.data()), identity.size());
      response->mutable_semantic_hash()->set_result(
          static_cast<std::int32_t>(static_cast<std::uint32_t>(hash)));
      return Status::OK();
    }
    case proto::AnalyzePlanRequest::kPersist: {
      const auto& persist = request.persist();
      TRY(session.session().analyze(persist.relation()).status());
      session.session().storage_levels().put(
          persist.relation(), persist.has_storage_level() ? &persist.storage_level() : nullptr);
      response->mutable_persist();
      return Status::OK();
    }
    case proto::AnalyzePlanRequest::kUnpersist:
      session.session().storage_levels().remove(request.unpersist().relation());
      response->mutable_unpersist();
      return Status::OK();
    case proto::AnalyzePlanRequest::kGetStorageLevel:
      *response->mutable_get_storage_level()->mutable_storage_level() =
          session.session().storage_levels().get(request.get_storage_level().relation());
      return Status::OK();
    case proto::AnalyzePlanRequest::ANALYZE_NOT_SET:
      break;
  }
  return Status::error("CONNECT_INVALID_PLAN.UNKNOWN_ANALYZE_METHOD",
                       {{"other", "ANALYZE_NOT_SET"}});
}

}  // namespace millstream::connect
