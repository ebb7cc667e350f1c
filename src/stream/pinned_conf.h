// The settings that a checkpoint pins: the values of a query's first run hold for every later one,
// whatever the session says then. Pure functions.
#pragma once

#include <map>
#include <string>

#include "stream/checkpoint.h"

namespace millstream::stream {

using SessionConf = std::map<std::string, std::string>;

// What a new query pins: all of Spark 4.2's keys, from the session or their defaults.
PinnedConf pin_for_new_query(const SessionConf& session);

// What goes on holding after a restart: the logged values as they are, keys unknown to us too (a
// newer Spark wrote them), and for keys that an older Spark did not know the behaviour it had.
PinnedConf pin_for_restart(const PinnedConf& logged, const SessionConf& session);

}  // namespace millstream::stream
