//===- TpuBase.td - the tpu dialect -------------------------*- tablegen -*-===//

#ifndef WEFT_DIALECTS_TPU_BASE_TD
#define WEFT_DIALECTS_TPU_BASE_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"

def Tpu_Dialect : Dialect {
  let name = "tpu";
  let cppNamespace = "::weft::tpu";
  let extraClassDeclaration = [{
    // One function a family; called from the family list in cmake/OpFamilies.cmake.
#define WEFT_FAMILY(name) void register##name();
#include "OpFamilies.inc"
#undef WEFT_FAMILY
  }];
}

class Tpu_Op<string mnemonic, list<Trait> traits = []> : Op<Tpu_Dialect, mnemonic, traits>;

#endif // WEFT_DIALECTS_TPU_BASE_TD
