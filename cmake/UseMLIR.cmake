# Finds Debian's MLIR 19 and links it statically, archive by archive.
#
# Debian's exported targets point every archive at libLLVM.so; redirecting them to
# LLVMSupport gives programs of about 10 MB that start in 3 ms and need no LLVM at run time.
cmake_policy(SET CMP0116 OLD) # LLVM writes OLD-style depfiles; NEW regenerates every .td on every build
find_program(LLVM_CONFIG NAMES llvm-config-19 REQUIRED) # plain llvm-config is LLVM 14 on Debian 12
execute_process(COMMAND ${LLVM_CONFIG} --prefix OUTPUT_VARIABLE llvm_prefix
                OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
find_package(MLIR 19.1 REQUIRED CONFIG HINTS "${llvm_prefix}")
find_package(Threads REQUIRED)
find_package(ZLIB REQUIRED)
set(LLVM_EXTERNAL_LIT "${llvm_prefix}/build/utils/lit/lit.py" CACHE FILEPATH "lit 19")
set(LLVM_TOOLS_DIR "${llvm_prefix}/bin" CACHE PATH "FileCheck, not, split-file, mlir-opt")
add_library(llvm_support INTERFACE) # files, not targets: target LLVMSupport demands libzstd-dev
target_link_libraries(llvm_support INTERFACE $<TARGET_FILE:LLVMSupport> $<TARGET_FILE:LLVMDemangle>
                      ZLIB::ZLIB Threads::Threads ${CMAKE_DL_LIBS})
foreach(lib IN LISTS MLIR_EXPORTED_TARGETS)
  get_target_property(kind ${lib} TYPE)
  if(kind STREQUAL "STATIC_LIBRARY")
    get_target_property(needs ${lib} INTERFACE_LINK_LIBRARIES)
    list(TRANSFORM needs REPLACE "^LLVM$" "llvm_support")
    set_target_properties(${lib} PROPERTIES INTERFACE_LINK_LIBRARIES "${needs}")
  endif()
endforeach()
list(APPEND CMAKE_MODULE_PATH "${MLIR_CMAKE_DIR}" "${LLVM_CMAKE_DIR}")
include(TableGen) # mlir_tablegen, add_public_tablegen_target
include(AddLLVM)
include(AddMLIR)
include_directories(SYSTEM ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
