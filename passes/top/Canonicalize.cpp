//===- Canonicalize.cpp - the few forms that the quantizer knows
//------------===//

#include "passes/top/Passes.h"
#include "passes/top/Rewrite.h"

#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace weft::top {
#define GEN_PASS_DEF_TOPCANONICALIZE
#include "passes/top/Passes.h.inc"
} // namespace weft::top

using namespace mlir;
using namespace weft::top;

namespace {
class Canonicalize : public weft::top::impl::TopCanonicalizeBase<Canonicalize> {
public:
  void runOnOperation() override {
    // Activations first: once the 3 of clip(x + 3, 0, 6) has gone into the bias
    // of a conv, nobody recognises the hard_sigmoid.
    RewritePatternSet activations(&getContext());
    populateActivationPatterns(activations);
    populateQuantizedPatterns(activations);
    RewritePatternSet all(&getContext());
    populateConvPatterns(all);
    populateActivationPatterns(all);
    populateAffinePatterns(all);
    populateMovePatterns(all);
    populatePixelPatterns(all);
    populateQuantizedPatterns(all);
    populateRowPatterns(all);
    populateShufflePatterns(all);
    populateSlicePatterns(all);
    populateWeavePatterns(all);
    if (failed(apply(std::move(activations))) || failed(apply(std::move(all))))
      signalPassFailure();
  }

private:
  LogicalResult apply(RewritePatternSet patterns) {
    GreedyRewriteConfig config;
    config.useTopDownTraversal = true;
    config.maxIterations = 1000; // each iteration sweeps the whole graph
    if (succeeded(applyPatternsAndFoldGreedily(getOperation(),
                                               std::move(patterns), config)))
      return success();
    return emitError(getOperation().getLoc())
           << "the graph did not settle under rewriting; please report this";
  }
};
} // namespace
