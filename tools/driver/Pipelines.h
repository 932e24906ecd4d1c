//===- Pipelines.h - the passes of a compilation ----------------*- C++ -*-===//

#ifndef WEFT_TOOLS_DRIVER_PIPELINES_H
#define WEFT_TOOLS_DRIVER_PIPELINES_H

#include "runtime/chips/Targets.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"

#include <string>

namespace weft::driver {

/// What `-O` stands for.
enum class OptLevel : int {
  O0 =
      0, ///< every op a group of its own, values go through DRAM: for bisection
  O1 = 1, ///< short groups
  O2 = 2, ///< groups as long as fit
  O3 = 3, ///< the same with longer sliced groups; slower compilation
};

/// Options of the pipelines that bind the graph to numbers and a chip.
struct LoweringOptions : mlir::PassPipelineOptions<LoweringOptions> {
  Option<std::string> precision{*this, "precision",
                                llvm::cl::desc("f32, f16, bf16, int8, w8f16 or "
                                               "w4f16"),
                                llvm::cl::init("f32")};
  Option<std::string> chip{*this, "chip", llvm::cl::desc("chip to compile for"),
                           llvm::cl::init(chips::defaultTarget())};
  Option<std::string> calibration{
      *this, "calibration", llvm::cl::desc("calibration table; int8 needs one"),
      llvm::cl::init("")};
  Option<std::string> precisionTable{*this, "precision-table",
                                     llvm::cl::desc("precisions of single ops"),
                                     llvm::cl::init("")};
  Option<bool> noFloat{
      *this, "no-float",
      llvm::cl::desc("int8: every product with constant weights in 8 bits"),
      llvm::cl::init(false)};
  Option<std::string> asymmetric{
      *this, "asymmetric",
      llvm::cl::desc("int8 values have a zero point: auto or off"),
      llvm::cl::init("auto")};
  Option<int64_t> groupSize{
      *this, "group-size",
      llvm::cl::desc("w8f16, w4f16: weights of a scale; 0: those of a channel"),
      llvm::cl::init(64)};
  Option<int> optLevel{*this, "opt-level", llvm::cl::desc("0 to 3"),
                       llvm::cl::init(2)};
  Option<bool> quantizedIo{
      *this, "quantized-io",
      llvm::cl::desc("inputs and outputs in the types computed with"),
      llvm::cl::init(false)};
  Option<bool> noHost{
      *this, "no-host",
      llvm::cl::desc("what the chip does not compute is an error"),
      llvm::cl::init(false)};
  Option<bool> sharesConstants{
      *this, "shares-constants",
      llvm::cl::desc("programs for other shapes lie in the same file"),
      llvm::cl::init(false)};
};

/// `weft-top`: folds constants and rewrites the float graph.
void buildTopPipeline(mlir::OpPassManager &passes);

/// `weft-tpu`: top to grouped, tiled and placed tpu. Its three steps: to ops
/// and their recipes, to groups and their slices, to where they lie.
void buildTpuPipeline(mlir::OpPassManager &passes,
                      const LoweringOptions &options);
void buildRecipePipeline(mlir::OpPassManager &passes,
                         const LoweringOptions &options);
void buildGroupPipeline(mlir::OpPassManager &passes,
                        const LoweringOptions &options);
void buildPlacePipeline(mlir::OpPassManager &passes,
                        const LoweringOptions &options);

/// `weft-zhouyi`, two steps. Top to tpu without groups, bound to the default
/// chip, whose numbers are the reference of every machine ..
void buildReferencePipeline(mlir::OpPassManager &passes,
                            const LoweringOptions &options);
/// .. and that to a program of vector operations for `options.chip`.
void buildVectorPipeline(mlir::OpPassManager &passes,
                         const LoweringOptions &options);

/// `weft-ppl`: placed tpu to ppl.
void buildPplPipeline(mlir::OpPassManager &passes,
                      const LoweringOptions &options);

/// Makes `weft-top`, `weft-tpu`, `weft-ppl`, `weft-compile` (all three) and
/// `weft-zhouyi` known to the pass registry.
void registerPipelines();

} // namespace weft::driver

#endif // WEFT_TOOLS_DRIVER_PIPELINES_H
