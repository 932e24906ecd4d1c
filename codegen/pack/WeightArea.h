//===- WeightArea.h - the weights of all stages of a net --------*- C++ -*-===//

#ifndef WEFT_CODEGEN_PACK_WEIGHTAREA_H
#define WEFT_CODEGEN_PACK_WEIGHTAREA_H

#include "dialects/ppl/Memory.h"
#include "dialects/ppl/Net.h"
#include "runtime/bmodel/Section.h"

namespace weft::codegen {

/// One weight area for several stages. Each was compiled for an area of its
/// own; equal weights get one place here, and the programs are moved: the
/// addresses of their weights, and their activations behind the last weight of
/// all. Equal weights of one stage get one place as well; without any the first
/// stage keeps its weights where they are.
class WeightArea {
public:
  /// Moves the weights of `net`, which may stand in another context than the
  /// others. Bytes that an earlier net has are freed in its context. Reports
  /// and fails if a weight has no bytes, or if the net reads weights that it
  /// does not have.
  mlir::LogicalResult add(ppl::NetOp net);

  /// Moves the activations of the nets that were added, once all are, to one
  /// address, and gives all areas the size of the largest. Reports and fails if
  /// they do not fit the chip's memory any more.
  mlir::LogicalResult finish();

private:
  mlir::LogicalResult addFirst(ppl::NetOp net);

  struct Stage {
    ppl::NetOp net;
    std::vector<ppl::GlobalOp> activations; ///< tensors in the activation area
  };
  std::vector<Stage> stages;
  std::map<std::pair<rt::Digest, uint64_t>, uint64_t> places;
  uint64_t end = 0;
};

/// The bytes of the weights of `nets`, which share one area, with their offsets
/// in it and in this order. Reports on a weight without bytes.
mlir::FailureOr<std::vector<rt::BytePiece>>
weightPieces(llvm::ArrayRef<ppl::NetOp> nets);

} // namespace weft::codegen

#endif // WEFT_CODEGEN_PACK_WEIGHTAREA_H
