//===- weft-opt.cpp - runs passes on textual IR
//-----------------------------===//
//
// mlir-opt with Weft's dialects and passes and the few of MLIR that they need.
//
//===------------------------------------------------------------------------===//

#include "tools/driver/Registration.h"

#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  weft::registerAllDialects(registry);
  weft::registerAllPasses();
  mlir::registerCanonicalizer();
  mlir::registerCSE();
  mlir::registerSymbolDCE();
  return mlir::asMainReturnCode(mlir::MlirOptMain(
      argc, argv, "weft-opt: runs passes on textual IR\n", registry));
}
