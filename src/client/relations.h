// New relations of the API: each gets an id of the session, which columns taken from a DataFrame
// name.
#pragma once

#include <memory>
#include <string>

#include "client/connection.h"
#include "client/remote_relation.h"
#include "millstream/data_frame.h"
#include "spark/connect/commands.pb.h"
#include "spark/connect/relations.pb.h"

namespace millstream::client {

// `fill` gets the new relation.
template <typename Fill>
api::DataFrame new_frame(const std::shared_ptr<Connection>& connection, const Fill& fill) {
  auto relation = std::make_shared<spark::connect::Relation>();
  relation->mutable_common()->set_plan_id(connection->next_plan_id());
  fill(relation.get());
  return {connection, keep_with_remotes(*connection, std::move(relation))};
}

// Of the same session as `input`.
template <typename Fill>
api::DataFrame derive(const api::DataFrame& input, const Fill& fill) {
  return new_frame(input.connection(), fill);
}

template <typename Map>
void set_options(const Map& options, google::protobuf::Map<std::string, std::string>* out) {
  for (const auto& [key, value] : options) (*out)[key] = value;
}

}  // namespace millstream::client
