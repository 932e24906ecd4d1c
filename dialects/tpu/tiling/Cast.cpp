//===- Cast.cpp - tiling of the Cast family -------------------------------===//

#include "dialects/tpu/Cast.h"

#include "dialects/tpu/GroupPlan.h"

using namespace mlir;
using namespace weft;
using namespace weft::tpu;

InputNeed CastOp::inputNeed(unsigned, const Box &result) {
  return {result, {}};
}

// Only dequantization starts with a command that has no strides (DQ).
bool CastOp::readsStrided(unsigned) {
  return !isQuantized(getInput()) || isQuantized(getOutput());
}

void CastOp::localBuffers(const Chip &, const Box &result, ArrayRef<Box>,
                          SmallVectorImpl<LocalBuffer> &buffers) {
  auto scratch = [&](unsigned bits) {
    buffers.push_back({LocalBuffer::Scratch,
                       {result.size, bits, LocalLayout::Aligned},
                       0,
                       false});
  };
  bool from = isQuantized(getInput()), to = isQuantized(getOutput());
  if (!from && to)
    scratch(elementBits(elementOf(getInput()))); // the scaled value
  else if (from && to)
    scratch(32); // rq1 reads 16 or 32 bits
  else if (from && elementBits(elementOf(getOutput())) == 16)
    scratch(32); // dq0 gives f32
}

unsigned CastOp::commandCount() { return 2; }
