//===- Registration.cpp - all dialects and passes -----------------===//

#include "tools/driver/Registration.h"

#include "codegen/emit/Passes.h"
#include "dialects/ascend/Ascend.h"
#include "dialects/ppl/Ppl.h"
#include "dialects/top/Top.h"
#include "dialects/tpu/Tpu.h"
#include "dialects/zhouyi/Zhouyi.h"
#include "passes/ascend/Passes.h"
#include "passes/ppl/Passes.h"
#include "passes/quantize/Passes.h"
#include "passes/top/Passes.h"
#include "passes/tpu/Passes.h"
#include "passes/zhouyi/Passes.h"
#include "tools/driver/Pipelines.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Quant/QuantOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

void weft::registerWeftDialects(mlir::DialectRegistry &registry) {
  registry.insert<ascend::AscendDialect, ppl::PplDialect, top::TopDialect,
                  tpu::TpuDialect, zhouyi::ZhouyiDialect>();
}

void weft::registerAllDialects(mlir::DialectRegistry &registry) {
  registerWeftDialects(registry);
  registry.insert<mlir::arith::ArithDialect, mlir::func::FuncDialect,
                  mlir::quant::QuantizationDialect, mlir::scf::SCFDialect>();
}

void weft::registerAllPasses() {
  top::registerTopPasses();
  quantize::registerQuantizePasses();
  tpu::registerTpuPasses();
  ppl::registerPplPasses();
  ascend::registerAscendPasses();
  zhouyi::registerZhouyiPasses();
  emit::registerEmitPasses();
  driver::registerPipelines();
}
