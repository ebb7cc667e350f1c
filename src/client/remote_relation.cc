#include "client/remote_relation.h"

#include "client/connection.h"
#include "client/errors.h"
#include "client/relations.h"
#include "spark/connect/base.pb.h"

namespace millstream::client {
namespace {

namespace proto = spark::connect;
using Remotes = std::vector<std::shared_ptr<RemoteRelation>>;

void collect(const Connection& connection, const google::protobuf::Message& message, Remotes* out) {
  if (message.GetDescriptor() == proto::CachedRemoteRelation::descriptor()) {
    const auto& remote = static_cast<const proto::CachedRemoteRelation&>(message);
    if (auto kept = connection.remote_relation(remote.relation_id()))
      out->push_back(std::move(kept));
    return;
  }
  const auto* reflection = message.GetReflection();
  std::vector<const google::protobuf::FieldDescriptor*> fields;
  reflection->ListFields(message, &fields);
  for (const auto* field : fields) {
    if (field->cpp_type() != google::protobuf::FieldDescriptor::CPPTYPE_MESSAGE || field->is_map())
      continue;
    if (!field->is_repeated()) {
      collect(connection, reflection->GetMessage(message, field), out);
      continue;
    }
    for (int i = 0; i < reflection->FieldSize(message, field); ++i)
      collect(connection, reflection->GetRepeatedMessage(message, field, i), out);
  }
}

struct Holder {
  std::shared_ptr<const proto::Relation> relation;
  Remotes remotes;
};

}  // namespace

RemoteRelation::~RemoteRelation() {
  const auto connection = connection_.lock();
  if (connection == nullptr) return;
  proto::Command command;
  command.mutable_remove_cached_remote_relation_command()->mutable_relation()->set_relation_id(id_);
  connection->try_execute(command);  // at the latest the server frees them with the session
}

std::shared_ptr<const proto::Relation> keep_with_remotes(
    Connection& connection, std::shared_ptr<const proto::Relation> relation) {
  if (!connection.has_remote_relations()) return relation;
  auto holder = std::make_shared<Holder>();
  collect(connection, *relation, &holder->remotes);
  if (holder->remotes.empty()) return relation;
  holder->relation = std::move(relation);
  const proto::Relation* kept = holder->relation.get();
  return {std::move(holder), kept};
}

}  // namespace millstream::client

namespace millstream::api {
namespace {

DataFrame checkpointed(const DataFrame& frame, bool is_local, bool eager) {
  spark::connect::Command command;
  auto* checkpoint = command.mutable_checkpoint_command();
  *checkpoint->mutable_relation() = frame.relation();
  checkpoint->set_local(is_local);
  checkpoint->set_eager(eager);
  std::shared_ptr<client::RemoteRelation> kept;
  frame.connection()->execute(command, [&](const spark::connect::ExecutePlanResponse& response) {
    if (response.has_checkpoint_command_result())
      kept = frame.connection()->keep_remote_relation(
          response.checkpoint_command_result().relation().relation_id());
  });
  if (kept == nullptr) throw SparkException("the server gave no checkpoint");
  return client::new_frame(frame.connection(), [&](spark::connect::Relation* out) {
    out->mutable_cached_remote_relation()->set_relation_id(kept->id());
  });
}

}  // namespace

DataFrame DataFrame::checkpoint(bool eager) const { return checkpointed(*this, false, eager); }
DataFrame DataFrame::local_checkpoint(bool eager) const { return checkpointed(*this, true, eager); }

}  // namespace millstream::api
