//===- TopTypes.td - types of the top dialect ---------------*- tablegen -*-===//

#ifndef WEFT_DIALECTS_TOP_TYPES_TD
#define WEFT_DIALECTS_TOP_TYPES_TD

include "dialects/top/TopBase.td"

def Top_NarrowFloatType : TypeDef<Top_Dialect, "NarrowFloat", [HostTypeInterface]> {
  let mnemonic = "narrow_float";
  let summary = "a float of ONNX that MLIR has no type for";
  let description = [{
    Floats of 4 and 6 bits and powers of two, by their name in `runtime/numeric/ElementTypes.def`: `!top.narrow_float<"f4e2m1">`.
    Constants of such a type are resources, one byte an element.
  }];
  let parameters = (ins StringRefParameter<"one of f4e2m1, f6e2m3, f6e3m2, f8e8m0">:$name);
  let assemblyFormat = "`<` $name `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    ::weft::numeric::ElementType getHostType() const;
  }];
}

#endif // WEFT_DIALECTS_TOP_TYPES_TD
