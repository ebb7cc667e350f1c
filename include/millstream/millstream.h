// Everything of Millstream's C++ API. Begin with session.h.
#pragma once

#include "millstream/catalog.h"         // IWYU pragma: export
#include "millstream/column.h"          // IWYU pragma: export
#include "millstream/data_frame.h"      // IWYU pragma: export
#include "millstream/exceptions.h"      // IWYU pragma: export
#include "millstream/functions.h"       // IWYU pragma: export
#include "millstream/listeners.h"       // IWYU pragma: export
#include "millstream/merge_into.h"      // IWYU pragma: export
#include "millstream/observation.h"     // IWYU pragma: export
#include "millstream/read_write.h"      // IWYU pragma: export
#include "millstream/row_iterator.h"    // IWYU pragma: export
#include "millstream/session.h"         // IWYU pragma: export
#include "millstream/stat_functions.h"  // IWYU pragma: export
#include "millstream/streaming.h"       // IWYU pragma: export
#include "millstream/value.h"           // IWYU pragma: export
#include "millstream/write_to.h"        // IWYU pragma: export
