// The files of a stream's initial snapshot in the order of their rows' event times, so that a
// watermark which follows the rows leaves none of them behind. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"
#include "connector/source_extras.h"
#include "delta/change_feed.h"
#include "delta/snapshot.h"

namespace millstream::source {

// A column of the table that can be ordered by; else an error that says what is needed.
Status check_event_time(const delta::TableInfo& info, const connector::EventTime& event_time);

// Sorts the files by their earliest event time. For each: whether a batch may end behind it,
// because nothing that comes later is as late as the watermark will be then. A file whose times are
// not known may hold any.
std::vector<bool> order_by_event_time(std::vector<delta::FeedFile>& files,
                                      const delta::TableInfo& info,
                                      const connector::EventTime& event_time);

}  // namespace millstream::source
