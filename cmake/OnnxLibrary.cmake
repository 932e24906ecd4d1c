# Builds ONNX's own C++ library (schemas, shape inference, function inliner, checker) from the sources
# that its PyPI wheel carries, with the system's protobuf. Debian's libonnx (1.12) stops at opset 17.
#
# WEFT_ONNX_SOURCE_DIR (cache or environment variable) names the folder `onnx` of an unpacked wheel; if
# neither is set, scripts/fetch_onnx_sources fills .cache/ (pinned by SHA-256).
# Result: target `onnx_library`.
# The version is that of the tests' Python package.
set(onnx_requirements "${CMAKE_CURRENT_LIST_DIR}/../scripts/requirements.txt")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${onnx_requirements}")
file(STRINGS "${onnx_requirements}" onnx_version REGEX "^onnx==")
string(REPLACE "onnx==" "" onnx_version "${onnx_version}")
if(NOT onnx_version MATCHES "^[0-9.]+$")
  message(FATAL_ERROR "scripts/requirements.txt has no line onnx==<version>")
endif()
set(onnx_default_dir "${PROJECT_SOURCE_DIR}/.cache/onnx-${onnx_version}/onnx")
if(DEFINED ENV{WEFT_ONNX_SOURCE_DIR})
  set(onnx_default_dir "$ENV{WEFT_ONNX_SOURCE_DIR}")
endif()
set(WEFT_ONNX_SOURCE_DIR "${onnx_default_dir}" CACHE PATH "Folder 'onnx' of the unpacked onnx ${onnx_version} wheel")
if(NOT EXISTS "${WEFT_ONNX_SOURCE_DIR}/checker.cc")
  if(NOT WEFT_ONNX_SOURCE_DIR STREQUAL "${PROJECT_SOURCE_DIR}/.cache/onnx-${onnx_version}/onnx")
    message(FATAL_ERROR "WEFT_ONNX_SOURCE_DIR is ${WEFT_ONNX_SOURCE_DIR}, which has no checker.cc; "
                        "it must be the folder 'onnx' of an unpacked onnx ${onnx_version} wheel")
  endif()
  message(STATUS "Fetching the sources of onnx ${onnx_version}")
  execute_process(COMMAND "${PROJECT_SOURCE_DIR}/scripts/fetch_onnx_sources" RESULT_VARIABLE onnx_fetch_failed)
  if(onnx_fetch_failed)
    message(FATAL_ERROR "the sources of onnx ${onnx_version} are missing and could not be fetched (see above)")
  endif()
endif()

find_package(Protobuf 3.21 REQUIRED)
# Static, so that `weft` needs no libprotobuf.so; lite, because ONNX's protos ask for the lite runtime.
find_library(PROTOBUF_LITE_ARCHIVE NAMES libprotobuf-lite.a REQUIRED)
set(onnx_generated_dir "${PROJECT_BINARY_DIR}/onnx-library")
# CMake copies the protos when they change; onnx-operators is called onnx-operators-ml by the headers.
configure_file("${WEFT_ONNX_SOURCE_DIR}/onnx-ml.proto" "${onnx_generated_dir}/onnx/onnx-ml.proto" COPYONLY)
configure_file("${WEFT_ONNX_SOURCE_DIR}/onnx-operators-ml.proto"
               "${onnx_generated_dir}/onnx/onnx-operators-ml.proto" COPYONLY)
configure_file("${WEFT_ONNX_SOURCE_DIR}/onnx-data.proto" "${onnx_generated_dir}/onnx/onnx-data.proto" COPYONLY)
set(onnx_proto_sources)
foreach(proto onnx-ml onnx-operators-ml onnx-data)
  set(generated "${onnx_generated_dir}/onnx/${proto}.pb.cc" "${onnx_generated_dir}/onnx/${proto}.pb.h")
  add_custom_command(OUTPUT ${generated}
    COMMAND ${Protobuf_PROTOC_EXECUTABLE} --proto_path=. --cpp_out=. onnx/${proto}.proto
    WORKING_DIRECTORY "${onnx_generated_dir}" DEPENDS "${onnx_generated_dir}/onnx/${proto}.proto"
    COMMENT "Generating ${proto}.pb.cc" VERBATIM)
  list(APPEND onnx_proto_sources ${generated})
endforeach()

file(GLOB_RECURSE onnx_sources CONFIGURE_DEPENDS "${WEFT_ONNX_SOURCE_DIR}/*.cc")
list(FILTER onnx_sources EXCLUDE REGEX "/(backend|test)/|/cpp2py_export\\.cc$")
add_library(onnx_library STATIC ${onnx_sources} ${onnx_proto_sources})
cmake_path(GET WEFT_ONNX_SOURCE_DIR PARENT_PATH onnx_include_dir)
target_include_directories(onnx_library SYSTEM PUBLIC "${onnx_generated_dir}" "${onnx_include_dir}")
target_compile_definitions(onnx_library PUBLIC ONNX_ML=1 ONNX_NAMESPACE=onnx __STDC_FORMAT_MACROS
                                               __ONNX_NO_DOC_STRINGS)
# Foreign code: no warnings; schemas run once per start, so build time matters more than speed. Sections let
# the linker drop the optimizer passes and printers nobody calls.
target_compile_options(onnx_library PRIVATE -w -O1 -ffunction-sections -fdata-sections)
# Alone: files with specialisations of templates that others would instantiate before.
weft_batch(onnx_library ROOT "${onnx_include_dir}" APART "${WEFT_ONNX_SOURCE_DIR}/defs/sequence/defs.cc"
  "${WEFT_ONNX_SOURCE_DIR}/defs/sequence/old.cc" "${WEFT_ONNX_SOURCE_DIR}/defs/tensor_proto_util.cc")
if(WEFT_SANITIZE) # instruments our reader and importer; this library alone would take as long again
  get_target_property(onnx_options onnx_library COMPILE_OPTIONS)
  list(FILTER onnx_options EXCLUDE REGEX "sanitize|^-g1$|^-Og$")
  set_property(TARGET onnx_library PROPERTY COMPILE_OPTIONS ${onnx_options})
endif()
target_link_libraries(onnx_library PUBLIC "${PROTOBUF_LITE_ARCHIVE}" Threads::Threads)
target_link_options(onnx_library INTERFACE -Wl,--gc-sections)
