# Apache DataSketches: the headers that `make setup` puts into third_party/datasketches.
set(datasketches_root ${PROJECT_SOURCE_DIR}/third_party/datasketches)
if(NOT EXISTS ${datasketches_root}/include/hll.hpp)
  message(FATAL_ERROR "third_party/datasketches is missing: run `make setup`")
endif()
add_library(millstream_datasketches INTERFACE)
target_include_directories(millstream_datasketches SYSTEM INTERFACE ${datasketches_root}/include)
add_library(millstream::datasketches ALIAS millstream_datasketches)
