# DuckDB: the shared library and the headers that `make setup` puts into third_party/duckdb.
set(duckdb_root ${CMAKE_SOURCE_DIR}/third_party/duckdb)
if(NOT EXISTS ${duckdb_root}/lib/libduckdb.so)
  message(FATAL_ERROR "third_party/duckdb/lib/libduckdb.so is missing: run `make setup`")
endif()
add_library(millstream_duckdb SHARED IMPORTED GLOBAL)
set_target_properties(millstream_duckdb PROPERTIES
  IMPORTED_LOCATION ${duckdb_root}/lib/libduckdb.so IMPORTED_NO_SONAME ON)
target_include_directories(millstream_duckdb SYSTEM INTERFACE ${duckdb_root}/include)
add_library(millstream::duckdb ALIAS millstream_duckdb)
list(APPEND CMAKE_BUILD_RPATH ${duckdb_root}/lib)
