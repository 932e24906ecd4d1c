//===- AscendBase.td - the ascend dialect --------------------*- tablegen -*-===//

#ifndef WEFT_DIALECTS_ASCEND_BASE_TD
#define WEFT_DIALECTS_ASCEND_BASE_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/BuiltinAttributes.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Ascend_Dialect : Dialect {
  let name = "ascend";
  let cppNamespace = "::weft::ascend";
  let summary = "moves from global memory to the L1 buffer of an Ascend core";
  let description = [{
    `ascend.copy_gm_to_cbuf_multi_nd2nz_b8`, `_b16` and `_b32s` are the functions of the vendor's document, one op each, with its names, ranges and rules
    (Function.h; the catalog is their only source). Memory is a contiguous `memref` of static shape in the memory space `"gm"` (global memory) or `"l1"`,
    with the elements si8, ui8, si16, ui16, f16, bf16, si32, ui32 or f32. A memref that is no `ascend.view` starts at byte 0 of its memory, so an argument
    `memref<524288xui8, "l1">` is all of L1.
  }];
  let isExtensible = 1; // for the functions of the catalog, see Function.h
  let hasOperationInterfaceFallback = 1; // their effects
  let hasOperationAttrVerify = 1; // ascend.target
  let extraClassDeclaration = [{
    void registerFunctions();
    void registerMemory();
  }];
}

class Ascend_Op<string mnemonic, list<Trait> traits = []> : Op<Ascend_Dialect, mnemonic, traits> {
  let hasVerifier = 1;
}

#endif // WEFT_DIALECTS_ASCEND_BASE_TD
