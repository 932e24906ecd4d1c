//===- Pipelines.cpp - the passes of a compilation ------------------------===//

#include "tools/driver/Pipelines.h"

#include "codegen/emit/Passes.h"
#include "passes/quantize/Passes.h"
#include "passes/top/Passes.h"
#include "passes/tpu/Passes.h"
#include "passes/zhouyi/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace weft;
using namespace weft::driver;

void driver::buildTopPipeline(OpPassManager &passes) {
  passes.addPass(top::createTopFoldConstants());
  passes.addPass(top::createTopCanonicalize());
  // What the patterns made of constants.
  passes.addPass(top::createTopFoldConstants());
}

/// Limits of the group search by level (options of --tpu-group-layers).
static tpu::TpuGroupLayersOptions groupLimits(int level) {
  tpu::TpuGroupLayersOptions limits;
  if (level == 0)
    limits.maxOps = limits.maxSlicedOps = 1;
  else if (level == 1)
    limits.maxOps = limits.maxSlicedOps = 8;
  return limits;
}

/// To tpu with the numbers of `chip`, for `machine` if that is another one.
static void addConversion(OpPassManager &passes, const LoweringOptions &options,
                          const std::string &chip,
                          const std::string &machine = "") {
  quantize::ConvertTopToTpuOptions conversion;
  conversion.precision = options.precision;
  conversion.chip = chip;
  conversion.machine = machine;
  conversion.calibration = options.calibration;
  conversion.noFloat = options.noFloat;
  conversion.precisionTable = options.precisionTable;
  conversion.asymmetric = options.asymmetric;
  conversion.groupSize = options.groupSize;
  conversion.quantizedIo = options.quantizedIo;
  conversion.noHost = options.noHost;
  passes.addPass(quantize::createConvertTopToTpu(conversion));
}

void driver::buildReferencePipeline(OpPassManager &passes,
                                    const LoweringOptions &options) {
  addConversion(passes, options, chips::defaultTarget(), options.chip);
}

void driver::buildVectorPipeline(OpPassManager &passes,
                                 const LoweringOptions &options) {
  zhouyi::ConvertTpuToZhouyiOptions conversion;
  conversion.target = options.chip;
  passes.addPass(zhouyi::createConvertTpuToZhouyi(conversion));
  passes.addPass(createCanonicalizerPass());
  passes.addPass(createCSEPass());
}

void driver::buildTpuPipeline(OpPassManager &passes,
                              const LoweringOptions &options) {
  buildRecipePipeline(passes, options);
  buildGroupPipeline(passes, options);
  buildPlacePipeline(passes, options);
}

void driver::buildRecipePipeline(OpPassManager &passes,
                                 const LoweringOptions &options) {
  addConversion(passes, options, options.chip);
  if (options.optLevel > 0)
    passes.addNestedPass<func::FuncOp>(tpu::createTpuCutBands());
  // Rounds sums of 16-bit products elsewhere, so that it is not left to the
  // level: each gives the same numbers.
  passes.addNestedPass<func::FuncOp>(tpu::createTpuUnfoldConvs());
  if (options.optLevel > 0) {
    passes.addNestedPass<func::FuncOp>(tpu::createTpuStackRows());
    passes.addNestedPass<func::FuncOp>(tpu::createTpuJoinMoves());
    passes.addNestedPass<func::FuncOp>(tpu::createTpuCastBeforeMoves());
    passes.addNestedPass<func::FuncOp>(tpu::createTpuKeepRows());
    passes.addNestedPass<func::FuncOp>(tpu::createTpuMoveTurns());
    passes.addNestedPass<func::FuncOp>(tpu::createTpuRowPhases());
    passes.addNestedPass<func::FuncOp>(tpu::createTpuMoveRows());
    passes.addNestedPass<func::FuncOp>(tpu::createTpuFillLanes());
    if (!options.sharesConstants)
      passes.addNestedPass<func::FuncOp>(tpu::createTpuOrderChannels());
  }
  // Groups decide which recipes are open.
  passes.addNestedPass<func::FuncOp>(tpu::createTpuNarrowFilters());
  // Nor are recipes that add in another order left to it.
  passes.addNestedPass<func::FuncOp>(
      tpu::createTpuChooseRecipes({/*roundingOnly=*/options.optLevel == 0}));
  // Parts keep the recipe of the whole.
  if (options.optLevel > 0)
    passes.addNestedPass<func::FuncOp>(tpu::createTpuSplitFilters());
}

void driver::buildGroupPipeline(OpPassManager &passes,
                                const LoweringOptions &options) {
  tpu::TpuGroupLayersOptions limits = groupLimits(options.optLevel);
  limits.overlapChannels = !options.sharesConstants;
  passes.addNestedPass<func::FuncOp>(tpu::createTpuGroupLayers(limits));
  passes.addNestedPass<func::FuncOp>(tpu::createTpuFoldBands());
  if (options.optLevel > 0)
    passes.addNestedPass<func::FuncOp>(tpu::createTpuFoldTurns());
}

void driver::buildPlacePipeline(OpPassManager &passes,
                                const LoweringOptions &options) {
  if (options.optLevel > 0)
    passes.addNestedPass<func::FuncOp>(tpu::createTpuKeepValues());
  passes.addNestedPass<func::FuncOp>(tpu::createTpuPlaceLocal());
  passes.addNestedPass<func::FuncOp>(tpu::createTpuPlaceGlobal());
  passes.addNestedPass<func::FuncOp>(tpu::createTpuListDecisions());
}

void driver::buildPplPipeline(OpPassManager &passes,
                              const LoweringOptions &options) {
  bool isSpread = options.optLevel > 0;
  passes.addPass(emit::createConvertTpuToPpl({/*numberSteps=*/isSpread}));
  if (isSpread)
    passes.addPass(emit::createSpreadSteps());
}

void driver::registerPipelines() {
  PassPipelineRegistration<>("weft-top", "fold and rewrite the float graph",
                             buildTopPipeline);
  PassPipelineRegistration<LoweringOptions>(
      "weft-tpu", "choose numbers, group, tile and place", buildTpuPipeline);
  PassPipelineRegistration<LoweringOptions>("weft-ppl", "placed tpu to ppl",
                                            buildPplPipeline);
  PassPipelineRegistration<LoweringOptions>(
      "weft-zhouyi", "the way from top to a program of vector operations",
      [](OpPassManager &passes, const LoweringOptions &options) {
        buildTopPipeline(passes);
        buildReferencePipeline(passes, options);
        buildVectorPipeline(passes, options);
      });
  PassPipelineRegistration<LoweringOptions>(
      "weft-compile", "the whole way from top to ppl",
      [](OpPassManager &passes, const LoweringOptions &options) {
        buildTopPipeline(passes);
        buildTpuPipeline(passes, options);
        buildPplPipeline(passes, options);
      });
}
