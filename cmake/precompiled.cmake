# Precompiled headers: what nearly every file of a kind includes of others' headers is parsed once for the kind. Only
# headers that change with a pinned dependency are in them, and only those that cost little where they are not used: GCC
# instantiates in each file again what a header asks for, and nlohmann/json.hpp is slower this way. The presets for
# debugging compile without them, so that a missing include shows.
set(standard_headers
    <algorithm> <array> <atomic> <charconv> <chrono> <cmath> <cstdint> <cstring> <filesystem> <functional> <limits>
    <map> <memory> <mutex> <optional> <set> <string> <string_view> <unordered_map> <unordered_set> <utility>
    <variant> <vector> <fmt/format.h>)
set(arrow_headers <arrow/array.h> <arrow/record_batch.h> <arrow/type.h>)

# ms_precompiled(NAME HEADERS... LINK libs...): a target whose precompiled header others take with REUSE_FROM. They need
# the same options of code generation; -Winvalid-pch says when they differ.
function(ms_precompiled name)
  cmake_parse_arguments(PRECOMPILED "" "" "HEADERS;LINK" ${ARGN})
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/${name}.cc CONTENT "// Only carries its precompiled header.\n")
  add_library(${name} OBJECT ${PROJECT_BINARY_DIR}/${name}.cc)
  target_link_libraries(${name} PRIVATE ${PRECOMPILED_LINK} fmt::fmt Threads::Threads)
  target_precompile_headers(${name} PRIVATE ${standard_headers} ${PRECOMPILED_HEADERS})
endfunction()

ms_precompiled(precompiled_arrow HEADERS ${arrow_headers} LINK millstream::arrow)
ms_precompiled(precompiled_protos HEADERS ${arrow_headers} <spark/connect/base.pb.h> LINK millstream::arrow ms_protos)
if(MILLSTREAM_TESTS)
  ms_precompiled(precompiled_test HEADERS ${arrow_headers} <gmock/gmock.h> <gtest/gtest.h>
                 LINK millstream::arrow GTest::gmock)
  # The tests are programs and so is this one's code.
  set_target_properties(precompiled_test PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  target_compile_options(precompiled_test PRIVATE ${MILLSTREAM_TEST_OPTIONS})
endif()
