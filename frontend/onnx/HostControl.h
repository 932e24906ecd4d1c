//===- HostControl.h - graphs that the host runs as data decide -*- C++ -*-===//
//
// An If whose condition, a Loop whose number of iterations is computed becomes
// one call of the host (runtime/host/Body.h), with the graphs as parameters and
// the values that they take from around them as operands.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_FRONTEND_ONNX_HOSTCONTROL_H
#define WEFT_FRONTEND_ONNX_HOSTCONTROL_H

#include "frontend/onnx/Importer.h"

namespace weft::onnx {

/// A graph of a node imported into a block of its own, which may use values
/// from around it.
struct ApartGraph {
  mlir::Block block;
  std::vector<Entity> results;

  bool givesTensors() const {
    return llvm::all_of(results, [](const Entity &e) { return e.isTensor(); });
  }
};

/// Importer::importGraph into `apart`.
mlir::LogicalResult importApart(StructureNode &s, const Graph &graph,
                                llvm::ArrayRef<Entity> inputs,
                                llvm::StringRef place, ApartGraph &apart);

/// Moves the ops of `apart` to where the node stands.
void moveHere(StructureNode &s, ApartGraph &apart);

/// True if something in `block` may fail or never end, so that it must run only
/// where the data say so; or if it has no form but one of the host.
bool needsTheHost(mlir::Block &block);

/// True if the host can run the ops of `block`; else `problem` is the first of
/// those that it cannot.
bool fitsTheHost(mlir::Block &block, std::string &problem);

/// True if `block` has so many products of numbers that the chip has all of
/// them done before the host has those that the data ask for.
bool multipliesMuch(mlir::Block &block);

/// Reports a condition that is not one bool.
mlir::LogicalResult checkCondition(StructureNode &s, mlir::Value value,
                                   llvm::StringRef what);

/// The `if_else` of two graphs that give tensors.
mlir::LogicalResult buildIf(StructureNode &s, mlir::Value condition,
                            ApartGraph &yes, ApartGraph &no);

/// The `loop` of a node; imports the body.
mlir::LogicalResult buildLoop(StructureNode &s, const Graph &body);

} // namespace weft::onnx

#endif // WEFT_FRONTEND_ONNX_HOSTCONTROL_H
