# Arrow and Parquet C++: headers and shared libraries inside the pyarrow wheel of the project's Python.
set(MILLSTREAM_PYTHON ${PROJECT_SOURCE_DIR}/.venv/bin/python CACHE FILEPATH
    "the interpreter whose pyarrow gives the Arrow headers and libraries")
execute_process(
  COMMAND ${MILLSTREAM_PYTHON} -c
          "import pyarrow as p; print(p.get_include(), p.get_library_dirs()[0], p.__version__)"
  OUTPUT_VARIABLE pyarrow_places OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE pyarrow_failed)
if(pyarrow_failed)
  message(FATAL_ERROR "pyarrow is not installed in ${MILLSTREAM_PYTHON}: run `make setup`")
endif()
separate_arguments(pyarrow_places)
list(GET pyarrow_places 0 arrow_include)
list(GET pyarrow_places 1 arrow_lib)
message(STATUS "Arrow from pyarrow: ${arrow_lib}")

foreach(part arrow parquet arrow_dataset arrow_compute arrow_acero)
  file(GLOB found ${arrow_lib}/lib${part}.so.*)
  if(found)
    list(GET found 0 library)
    add_library(millstream_${part} SHARED IMPORTED GLOBAL)
    set_target_properties(millstream_${part} PROPERTIES IMPORTED_LOCATION ${library} IMPORTED_NO_SONAME OFF)
    target_include_directories(millstream_${part} SYSTEM INTERFACE ${arrow_include})
    add_library(millstream::${part} ALIAS millstream_${part})
  endif()
endforeach()
set(MILLSTREAM_ARROW_LIB ${arrow_lib})
list(APPEND CMAKE_BUILD_RPATH ${arrow_lib})
list(APPEND CMAKE_INSTALL_RPATH ${arrow_lib})
