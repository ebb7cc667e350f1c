#include "connect/config.h"

#include "spark/connect/base.pb.h"

namespace millstream::connect {
namespace {

namespace proto = spark::connect;

void add_pair(proto::ConfigResponse* response, const std::string& key,
              const std::optional<std::string>& value) {
  auto* pair = response->add_pairs();
  pair->set_key(key);
  if (value) pair->set_value(*value);
}

Status set_pairs(session::RuntimeConf& conf, const proto::ConfigRequest::Set& set,
                 proto::ConfigResponse* response) {
  for (const auto& pair : set.pairs()) {
    const Status done = conf.set(pair.key(), pair.value());
    if (done.ok()) continue;
    if (!set.silent()) return done;
    response->add_warnings("Failed to set " + pair.key() + " to " + pair.value() + " due to " +
                           done.message());
  }
  return Status::OK();
}

}  // namespace

Status run_config(session::RuntimeConf& conf, const proto::ConfigRequest& request,
                  proto::ConfigResponse* response) {
  const auto& operation = request.operation();
  switch (operation.op_type_case()) {
    case proto::ConfigRequest::Operation::kSet:
      return set_pairs(conf, operation.set(), response);
    case proto::ConfigRequest::Operation::kGet:
      for (const auto& key : operation.get().keys()) {
        TRY_ASSIGN(const auto value, conf.get(key));
        add_pair(response, key, value);
      }
      return Status::OK();
    case proto::ConfigRequest::Operation::kGetWithDefault:
      for (const auto& pair : operation.get_with_default().pairs()) {
        // Of a setting that nobody has set the caller's default, whatever its own is.
        std::optional<std::string> value;
        if (conf.explicitly_set().contains(pair.key()) || !conf.is_modifiable(pair.key()))
          value = conf.find(pair.key());
        if (!value && pair.has_value()) value = pair.value();
        add_pair(response, pair.key(), value);
      }
      return Status::OK();
    case proto::ConfigRequest::Operation::kGetOption:
      for (const auto& key : operation.get_option().keys()) add_pair(response, key, conf.find(key));
      return Status::OK();
    case proto::ConfigRequest::Operation::kGetAll: {
      const std::string& prefix = operation.get_all().prefix();
      for (const auto& [key, value] : conf.explicitly_set()) {
        if (key.starts_with(prefix)) add_pair(response, key.substr(prefix.size()), value);
      }
      return Status::OK();
    }
    case proto::ConfigRequest::Operation::kUnset:
      for (const auto& key : operation.unset().keys()) TRY(conf.unset(key));
      return Status::OK();
    case proto::ConfigRequest::Operation::kIsModifiable:
      for (const auto& key : operation.is_modifiable().keys()) {
        add_pair(response, key, conf.is_modifiable(key) ? "true" : "false");
      }
      return Status::OK();
    case proto::ConfigRequest::Operation::OP_TYPE_NOT_SET:
      break;
  }
  return Status::error(
      "CONNECT_INVALID_PLAN.INVALID_ONE_OF_FIELD_NOT_SET",
      {{"fullName", "spark.connect.ConfigRequest.Operation"}, {"name", "op_type"}});
}

}  // namespace millstream::connect
