// Everything of Millstream's C++ API. Begin with session.h.
#pragma once

#include "millstream/column.h"      // IWYU pragma: export
#include "millstream/data_frame.h"  // IWYU pragma: export
#include "millstream/exceptions.h"  // IWYU pragma: export
#include "millstream/functions.h"   // IWYU pragma: export
#include "millstream/read_write.h"  // IWYU pragma: export
#include "millstream/session.h"     // IWYU pragma: export
#include "millstream/streaming.h"   // IWYU pragma: export
#include "millstream/value.h"       // IWYU pragma: export
