// The Config call: its seven operations on a session's settings.
#pragma once

#include "base/status.h"
#include "session/conf.h"

namespace spark::connect {
class ConfigRequest;
class ConfigResponse;
}  // namespace spark::connect

namespace millstream::connect {

Status run_config(session::RuntimeConf& conf, const spark::connect::ConfigRequest& request,
                  spark::connect::ConfigResponse* response);

}  // namespace millstream::connect
