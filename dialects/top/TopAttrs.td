//===- TopAttrs.td - attributes of the top dialect ----------*- tablegen -*-===//

#ifndef WEFT_DIALECTS_TOP_ATTRS_TD
#define WEFT_DIALECTS_TOP_ATTRS_TD

include "dialects/top/TopBase.td"

/// An attribute around a C++ enum of Kinds.h. MLIR's EnumAttr would need the cases
/// a second time in TableGen; the .def tables stay the only list.
class Top_KindAttr<string enum, string name, string title> : AttrDef<Top_Dialect, enum> {
  let mnemonic = name;
  let summary = title;
  let parameters = (ins "::weft::top::" # enum:$value);
  let assemblyFormat = "$value";
  let returnType = "::weft::top::" # enum;
  let convertFromStorage = "$_self.getValue()";
  let constBuilderCall = "::weft::top::" # enum # "Attr::get($_builder.getContext(), $0)";
}

def Top_UnaryKindAttr : Top_KindAttr<"UnaryKind", "unary_kind", "kind of a top.unary, see UnaryKinds.def">;
def Top_BinaryKindAttr : Top_KindAttr<"BinaryKind", "binary_kind", "kind of a top.binary, see BinaryKinds.def">;
def Top_PoolKindAttr : Top_KindAttr<"PoolKind", "pool_kind", "kind of a top.pool: max or avg">;
def Top_ReduceKindAttr : Top_KindAttr<"ReduceKind", "reduce_kind", "kind of a reduction: sum, prod, max or min">;

#endif // WEFT_DIALECTS_TOP_ATTRS_TD
