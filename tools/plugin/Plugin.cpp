//===- Plugin.cpp - Weft's dialects and passes for stock mlir-opt-19
//--------===//
//
// mlir-opt-19 --load-dialect-plugin=WeftPlugin.so
// --load-pass-plugin=WeftPlugin.so
//   --pass-pipeline='builtin.module(top-canonicalize)' model.mlir
//
//===------------------------------------------------------------------------===//

#include "tools/driver/Registration.h"

#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "mlir/Tools/Plugins/PassPlugin.h"

extern "C" LLVM_ATTRIBUTE_WEAK mlir::DialectPluginLibraryInfo
mlirGetDialectPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "Weft", LLVM_VERSION_STRING,
          [](mlir::DialectRegistry *registry) {
            weft::registerWeftDialects(*registry);
          }};
}

extern "C" LLVM_ATTRIBUTE_WEAK mlir::PassPluginLibraryInfo
mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "Weft", LLVM_VERSION_STRING,
          [] { weft::registerAllPasses(); }};
}
