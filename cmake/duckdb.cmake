# DuckDB: the shared library and the headers that `make setup` puts into third_party/duckdb. It is not linked: forwarders
# of its C API load it at the first call.
set(duckdb_root ${PROJECT_SOURCE_DIR}/third_party/duckdb)
if(NOT EXISTS ${duckdb_root}/lib/libduckdb.so)
  message(FATAL_ERROR "third_party/duckdb/lib/libduckdb.so is missing: run `make setup`")
endif()
set(duckdb_forwarders ${PROJECT_BINARY_DIR}/duckdb_forwarders.cc)
add_custom_command(
  OUTPUT ${duckdb_forwarders}
  COMMAND ${MILLSTREAM_PYTHON} ${PROJECT_SOURCE_DIR}/tools/duckdb_forwarders.py
          ${duckdb_root}/include/duckdb.h ${duckdb_forwarders}
  DEPENDS ${PROJECT_SOURCE_DIR}/tools/duckdb_forwarders.py ${duckdb_root}/include/duckdb.h
  COMMENT "Generating the forwarders to DuckDB")
add_library(millstream_duckdb STATIC ${duckdb_forwarders})
target_include_directories(millstream_duckdb SYSTEM PUBLIC ${duckdb_root}/include)
target_compile_options(millstream_duckdb PRIVATE -w)
target_link_libraries(millstream_duckdb PUBLIC ${CMAKE_DL_LIBS})
add_library(millstream::duckdb ALIAS millstream_duckdb)
list(APPEND CMAKE_BUILD_RPATH ${duckdb_root}/lib)
if(NOT PROJECT_IS_TOP_LEVEL)
  # Programs of other projects do not see the variable above.
  target_link_options(millstream_duckdb INTERFACE LINKER:-rpath,${duckdb_root}/lib)
endif()
