//===- TilingInterface.td - what tiling asks of a tpu op ------*- tablegen -*-===//

#ifndef WEFT_DIALECTS_TPU_TILING_INTERFACE_TD
#define WEFT_DIALECTS_TPU_TILING_INTERFACE_TD

include "mlir/IR/OpBase.td"

def Tpu_TilingInterface : OpInterface<"TilingInterface"> {
  let cppNamespace = "::weft::tpu";
  let description = [{
    Asked by the layer-group passes and by emission. An op that has it can run on a piece of its (single, 4-D) result
    in local memory; an op without it runs on whole tensors in DRAM and separates groups.

    All boxes are in n, c, h, w elements of the *logical* tensors. Sizes depend on the chip only through the `Chip`
    object; no method may name a chip.
  }];
  let methods = [
    InterfaceMethod<[{
      False if this very op cannot run on pieces in local memory; it then counts as an op without the interface.
    }], "bool", "isTileable", (ins), "", "return true;">,
    InterfaceMethod<[{
      The result box that is really computed when `wanted` is asked for. Most ops compute exactly what is wanted; an op
      that mixes a whole axis (softmax) widens the box to that axis.
    }], "::weft::tpu::Box", "computedBox", (ins "const ::weft::tpu::Box &":$wanted), "", "return wanted;">,
    InterfaceMethod<[{
      What operand `operand` must provide (by default the same box) so that result box `result` (already widened by `computedBox`) can be
      computed. Not asked for constant operands (weights), which the recipes pack. An empty box means that the
      piece cannot be computed alone; the tiling is then rejected.
    }], "::weft::tpu::InputNeed", "inputNeed",
        (ins "unsigned":$operand, "const ::weft::tpu::Box &":$result), "", [{
      (void)operand;
      return {result, {}};
    }]>,
    InterfaceMethod<[{
      True if `operand` is a constant that this op packs itself (filter, bias, table); false for tensors that flow
      through local memory as tiles.
    }], "bool", "isPackedOperand", (ins "unsigned":$operand), "", "return false;">,
    StaticInterfaceMethod<[{
      The ways to compute a piece of the result (dialects/tpu/recipe), at least one. Buffers, constants, commands and
      time of a piece follow from them. The first is open to every op of the kind.
    }], "::llvm::ArrayRef<::weft::tpu::Alternative>", "recipes", (ins)>,
    InterfaceMethod<[{
      True if the commands of this op can read operand `operand` as a piece of a larger tile (explicit strides). If not
      and the tile is larger than the need, the piece is copied first.
    }], "bool", "readsStrided", (ins "unsigned":$operand), "", "return false;">,
    InterfaceMethod<[{
      True if the op runs as well where its result does not begin in lane 0. Its operands then begin in the same lane,
      but for those with `readsFirstLane` or `readsAnyLane`.
    }], "bool", "runsInAnyLane", (ins), "", "return false;">,
    InterfaceMethod<[{
      True if operand `operand` begins in lane 0 whatever lane the result begins in.
    }], "bool", "readsFirstLane", (ins "unsigned":$operand), "", "return false;">,
    InterfaceMethod<[{
      True if operand `operand` begins in a lane of its own, whatever lane the result begins in.
    }], "bool", "readsAnyLane", (ins "unsigned":$operand), "", "return false;">,
    InterfaceMethod<[{
      True if pieces of equal sizes with other channels are computed by other calls. No loop runs over these.
    }], "bool", "differsByChannel", (ins), "", "return false;">,
    InterfaceMethod<[{
      True if the commands for `result` are those of no other piece, because they depend on which rows it has. No loop runs over it.
    }], "bool", "dependsOnRows", (ins "const ::weft::tpu::Box &":$result), "", [{
      (void)result;
      return false;
    }]>,
    InterfaceMethod<[{
      True if operand `operand` has one channel, which the op reads for each of the result. Its load brings it to every lane; an op of the same group
      cannot compute it.
    }], "bool", "repeatsChannel", (ins "unsigned":$operand), "", "return false;">,
    InterfaceMethod<[{
      Of an op that computes nothing, because its result is its operands side by side or lies inside its operand: the
      channel of the result at which channel 0 of operand `operand` lies (negative: inside). In local memory such an op
      is an address; in DRAM it is one where the pieces are contiguous.
    }], "std::optional<int64_t>", "channelInResult", (ins "unsigned":$operand), "", "return std::nullopt;">,
  ];
}

#endif // WEFT_DIALECTS_TPU_TILING_INTERFACE_TD
