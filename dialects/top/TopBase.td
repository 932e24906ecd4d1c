//===- TopBase.td - the top dialect -------------------------*- tablegen -*-===//

#ifndef WEFT_DIALECTS_TOP_BASE_TD
#define WEFT_DIALECTS_TOP_BASE_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"

def Top_Dialect : Dialect {
  let name = "top";
  let cppNamespace = "::weft::top";
  let extraClassDeclaration = [{
    // One function a family; called from the family list in cmake/OpFamilies.cmake.
#define WEFT_FAMILY(name) void register##name();
#include "OpFamilies.inc"
#undef WEFT_FAMILY
  }];
}

class Top_Op<string mnemonic, list<Trait> traits = []> : Op<Top_Dialect, mnemonic, traits>;

#endif // WEFT_DIALECTS_TOP_BASE_TD
