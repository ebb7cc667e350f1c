#include "plan/refusals.h"

#include <google/protobuf/message.h>
#include <google/protobuf/unknown_field_set.h>

#include "spark/connect/relations.pb.h"

namespace millstream::plan {
namespace {

using Rel = spark::connect::Relation;

struct ApiName {
  const char* call;
  const char* instead;  // what does the same; nullptr: nothing does
};

ApiName api_name(Rel::RelTypeCase kind) {
  constexpr const char* functions = "use the functions of pyspark.sql.functions";
  switch (kind) {
    case Rel::kMapPartitions:
      return {"a Python function (DataFrame.mapInPandas, mapInArrow)", functions};
    case Rel::kGroupMap:
      return {"a Python function (GroupedData.applyInPandas, applyInArrow)", functions};
    case Rel::kCoGroupMap:
      return {"a Python function (cogroup().applyInPandas)", functions};
    case Rel::kApplyInPandasWithState:
      return {"a Python function (GroupedData.applyInPandasWithState)", nullptr};
    case Rel::kCommonInlineUserDefinedTableFunction:
      return {"a user-defined table function (udtf)", functions};
    case Rel::kUnresolvedTableValuedFunction:
      return {"a table-valued function (spark.tvf)", "use explode and its kin in select"};
    case Rel::kLateralJoin:
      return {"DataFrame.lateralJoin", "use explode in select"};
    case Rel::kMlRelation:
      return {"Spark ML", nullptr};
    default:
      return {nullptr, nullptr};
  }
}

}  // namespace

Status refused_relation(const Rel& relation) {
  const Rel::RelTypeCase kind = relation.rel_type_case();
  if (kind == Rel::REL_TYPE_NOT_SET) return oneof_not_set(relation, "RELTYPE_NOT_SET");
  const ApiName name = api_name(kind);
  if (name.call == nullptr) {
    const auto* field = Rel::descriptor()->FindFieldByNumber(static_cast<int>(kind));
    return Status::unsupported("the relation {} is not supported by Millstream yet",
                               std::string(field->name()));
  }
  return Status::unsupported("{} is not supported by Millstream yet{}{}", name.call,
                             name.instead == nullptr ? "" : ": ",
                             name.instead == nullptr ? "" : name.instead);
}

std::string unknown_fields(const google::protobuf::Message& message) {
  const auto& unknown = message.GetReflection()->GetUnknownFields(message);
  if (unknown.empty()) return {};
  return fmt::format(
      "; the client sent field {}, which this server does not know (a newer client?)",
      unknown.field(0).number());
}

Status oneof_not_set(const google::protobuf::Message& message, const char* name) {
  const Status missing =
      Status::error("CONNECT_INVALID_PLAN.INVALID_ONE_OF_FIELD_NOT_SET",
                    {{"fullName", message.GetDescriptor()->full_name()}, {"name", name}});
  ErrorInfo info = missing.info();
  info.message += unknown_fields(message);
  return Status(std::move(info));
}

}  // namespace millstream::plan
