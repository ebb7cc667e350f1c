# The Spark Connect messages. Their descriptors are read out of the client's wheel at configure time
# (tools/extract_protos.py) and never copied into the repository; protoc generates C++ in the build folder.
find_package(Protobuf REQUIRED)
find_program(GRPC_CPP_PLUGIN grpc_cpp_plugin REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(GRPCPP REQUIRED IMPORTED_TARGET grpc++)

set(proto_dir ${PROJECT_BINARY_DIR}/protos)
set(proto_set ${proto_dir}/spark_connect.pb)
file(MAKE_DIRECTORY ${proto_dir})
if(NOT EXISTS ${proto_set})
  execute_process(
    COMMAND ${MILLSTREAM_PYTHON} ${PROJECT_SOURCE_DIR}/tools/extract_protos.py ${proto_set}
    COMMAND_ERROR_IS_FATAL ANY)
endif()

set(proto_files)
foreach(name base catalog commands common expressions ml ml_common pipelines relations types)
  list(APPEND proto_files spark/connect/${name}.proto)
endforeach()
list(APPEND proto_files google/rpc/status.proto google/rpc/error_details.proto)

set(proto_sources)
foreach(file ${proto_files})
  string(REPLACE ".proto" ".pb.cc" source ${file})
  list(APPEND proto_sources ${proto_dir}/${source})
endforeach()
list(APPEND proto_sources ${proto_dir}/spark/connect/base.grpc.pb.cc)

add_custom_command(
  OUTPUT ${proto_sources}
  COMMAND protoc --descriptor_set_in=${proto_set} --cpp_out=${proto_dir} ${proto_files}
  COMMAND protoc --descriptor_set_in=${proto_set} --grpc_out=${proto_dir}
          --plugin=protoc-gen-grpc=${GRPC_CPP_PLUGIN} spark/connect/base.proto
  DEPENDS ${proto_set}
  COMMENT "Generating the Spark Connect messages")
add_library(ms_protos STATIC ${proto_sources})
target_include_directories(ms_protos SYSTEM PUBLIC ${proto_dir})
target_compile_options(ms_protos PRIVATE -O1 -w)
# protobuf is linked statically, whole and hidden: libarrow has another version of its own within, for ORC, and exports
# symbols of it. So neither takes the other's. (libgrpc++ needs no libprotobuf.)
find_library(PROTOBUF_ARCHIVE libprotobuf.a REQUIRED)
target_include_directories(ms_protos SYSTEM PUBLIC ${Protobuf_INCLUDE_DIRS})
target_link_libraries(ms_protos PUBLIC $<LINK_LIBRARY:WHOLE_ARCHIVE,${PROTOBUF_ARCHIVE}> PkgConfig::GRPCPP
                                       absl_synchronization)
target_link_options(ms_protos INTERFACE -Wl,--version-script,${PROJECT_SOURCE_DIR}/cmake/hidden_protobuf.map)

# The messages of Delta's Python package (DeltaTable over Spark Connect), out of its wheel.
set(delta_proto_dir ${PROJECT_BINARY_DIR}/protos_delta)
set(delta_proto_set ${delta_proto_dir}/delta_connect.pb)
file(MAKE_DIRECTORY ${delta_proto_dir})
set(delta_proto_files)
set(delta_proto_roots)
set(delta_proto_sources)
foreach(name base commands relations)
  list(APPEND delta_proto_files delta/connect/${name}.proto)
  list(APPEND delta_proto_roots --root delta/connect/${name}.proto)
  list(APPEND delta_proto_sources ${delta_proto_dir}/delta/connect/${name}.pb.cc)
endforeach()
if(NOT EXISTS ${delta_proto_set})
  execute_process(
    COMMAND ${MILLSTREAM_PYTHON} ${PROJECT_SOURCE_DIR}/tools/extract_protos.py ${delta_proto_set} ${delta_proto_roots}
    COMMAND_ERROR_IS_FATAL ANY)
endif()
add_custom_command(
  OUTPUT ${delta_proto_sources}
  COMMAND protoc --descriptor_set_in=${delta_proto_set} --cpp_out=${delta_proto_dir} ${delta_proto_files}
  DEPENDS ${delta_proto_set}
  COMMENT "Generating the messages of Delta's Python package")
add_library(ms_delta_protos STATIC ${delta_proto_sources})
target_include_directories(ms_delta_protos SYSTEM PUBLIC ${delta_proto_dir})
target_compile_options(ms_delta_protos PRIVATE -O1 -w)
target_link_libraries(ms_delta_protos PUBLIC ms_protos)
