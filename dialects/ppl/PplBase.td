//===- PplBase.td - the ppl dialect, its types and enums ----*- tablegen -*-===//

#ifndef WEFT_DIALECTS_PPL_BASE_TD
#define WEFT_DIALECTS_PPL_BASE_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Ppl_Dialect : Dialect {
  let name = "ppl";
  let cppNamespace = "::weft::ppl";
  let summary = "programs of TPU commands on explicit memory";
  let description = [{
    Ops are the functions of the PPL manual, `ppl.dma.*`, `ppl.sdma.*`, `ppl.hau.*`, `ppl.tiu.*`, one op each, with its names and rules (Function.h): kernels are recorded and models emitted as these, and codegen/encode makes
    their commands (runtime/ppl/Commands.h). Results are written to tensors (destination-passing), which are views of local, global or static memory with explicit addresses and
    layouts. Loops are `scf.for` with constant bounds.
    Dependencies between the engines are not in the IR: codegen/encode derives them from memory ranges.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
  let isExtensible = 1; // for the functions of the catalog, see Function.h
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
  let extraClassDeclaration = [{
    void registerTypes();
    void registerAttributes();
    // One function a .td file; called by initialize().
    void registerFunctions();
    void registerMemory();
    void registerNet();
    void registerRound();
    void registerHost();
  }];
}

class Ppl_Op<string mnemonic, list<Trait> traits = []> : Op<Ppl_Dialect, mnemonic, traits> {
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Enums
//===----------------------------------------------------------------------===//

class Ppl_Enum<string name, string summary, list<I32EnumAttrCase> cases> : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::weft::ppl";
}

def Ppl_Memory : Ppl_Enum<"Memory", "memory space", [
  I32EnumAttrCase<"Local", 0, "local">, I32EnumAttrCase<"Global", 1, "global">, I32EnumAttrCase<"Static", 2, "static">,
  I32EnumAttrCase<"L2", 3, "l2">]>;

def Ppl_Layout : Ppl_Enum<"Layout", "how elements lie in memory", [
  I32EnumAttrCase<"Aligned", 0, "aligned">, I32EnumAttrCase<"Compact", 1, "compact">,
  I32EnumAttrCase<"Channel", 2, "channel">, I32EnumAttrCase<"LineAligned", 3, "line_aligned">,
  I32EnumAttrCase<"Continuous", 4, "continuous">, I32EnumAttrCase<"Strided", 5, "strided">]>;

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

def Ppl_TensorType : TypeDef<Ppl_Dialect, "TensorView"> {
  let mnemonic = "tensor";
  let summary = "a 4-D view of one of the machine's memories";
  let description = [{
    `!ppl.tensor<NxCxHxWxELEMENT, MEMORY, LAYOUT>`. Element types of commands: f32, f16, bf16, si8, ui8, si16, ui16, si32, ui32; functions of
    the catalog may have tf32, f8E4M3FN, f8E5M2, si4, ui4, si64, ui64 and `!ppl.fp20`, too. MEMORY: `local`, `global`, `static`, `l2`. In local memory channel c of a tensor that starts in lane L lies in lane
    (L + c) mod lanes, row (L + c) / lanes; the channel stride counts rows. LAYOUT (strides in elements, E = EU bytes / element bytes,
    rows = ceil((L + C) / lanes)):
    * `aligned`: sw 1, sh W, sc round_up(H*W, E), sn rows*sc (local)
    * `compact`: sw 1, sh W, sc H*W, sn rows*sc (local)
    * `line_aligned`: sw 1, sh round_up(W, E), sc H*sh, sn rows*sc (local)
    * `channel`: one value per channel for all n, h, w: 0, 1, 0, 0 (local, sources only)
    * `continuous`: C*H*W, H*W, W, 1 (global, static and L2)
    * `[sn, sc, sh, sw]`: these strides
    (C1) sizes are 1..65535, in global memory 1..2^31-1 (which only the rows of a gather may have). (C2) strides are 0..2^31-1. (C3) the layout exists in the memory.
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape, "::mlir::Type":$elementType, "Memory":$memory,
                        "Layout":$layout, ArrayRefParameter<"int64_t">:$strides);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let builders = [
    TypeBuilderWithInferredContext<(ins "::llvm::ArrayRef<int64_t>":$shape, "::mlir::Type":$elementType,
                                        "Memory":$memory, "Layout":$layout), [{
      return $_get(elementType.getContext(), shape, elementType, memory, layout, ::llvm::ArrayRef<int64_t>());
    }]>,
    TypeBuilderWithInferredContext<(ins "::llvm::ArrayRef<int64_t>":$shape, "::mlir::Type":$elementType,
                                        "Memory":$memory, "::llvm::ArrayRef<int64_t>":$strides), [{
      return $_get(elementType.getContext(), shape, elementType, memory, Layout::Strided, strides);
    }]>
  ];
  let extraClassDeclaration = [{
    int64_t getN() const { return getShape()[0]; }
    int64_t getC() const { return getShape()[1]; }
    int64_t getH() const { return getShape()[2]; }
    int64_t getW() const { return getShape()[3]; }
    int64_t getNumElements() const { return getN() * getC() * getH() * getW(); }
    bool isLocal() const { return getMemory() == Memory::Local; }
    bool isGlobal() const { return getMemory() == Memory::Global; }
    bool isL2() const { return getMemory() == Memory::L2; }
    bool isStatic() const { return getMemory() == Memory::Static; }
    bool isFloat() const { return ::mlir::isa<::mlir::FloatType>(getElementType()); }
  }];
}

def Ppl_Fp20Type : TypeDef<Ppl_Dialect, "Fp20"> {
  let mnemonic = "fp20";
  let summary = "float of 20 bits: 1 sign, 8 exponent, 11 fraction";
  let description = "A storage format of some chips: 51 elements in a block of 128 bytes, in global memory and L2.";
}

class Ppl_TensorIn<string memory> : Type<
    And<[Ppl_TensorType.predicate, CPred<"::mlir::cast<::weft::ppl::TensorViewType>($_self).is" # memory # "()">]>,
    "tensor in " # memory # " memory", "::weft::ppl::TensorViewType">;
def Ppl_Local : Ppl_TensorIn<"Local">;
def Ppl_Global : Ppl_TensorIn<"Global">;
def Ppl_System : Type<
    And<[Ppl_TensorType.predicate, CPred<"::mlir::cast<::weft::ppl::TensorViewType>($_self).isGlobal() || ::mlir::cast<::weft::ppl::TensorViewType>($_self).isL2()">]>,
    "tensor in Global or L2 memory", "::weft::ppl::TensorViewType">;
def Ppl_Static : Ppl_TensorIn<"Static">;

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

def Ppl_IoAttr : AttrDef<Ppl_Dialect, "Io"> {
  let mnemonic = "io";
  let summary = "an input or output of a net";
  let description = [{
    `name`: ONNX name. `onnx`: ONNX element type and shape (any rank). `stored`: element type and shape as it lies in global memory, dense and
    row-major, same number of elements; of an empty tensor one, of one whose size depends on data as many as it has at its largest. real value = (stored - zero_point) * scale; scale 1 if unquantized. `address`: 40-bit address.
  }];
  let parameters = (ins "::mlir::StringAttr":$name, "::mlir::RankedTensorType":$onnx,
                        "::mlir::RankedTensorType":$stored, "uint64_t":$address,
                        OptionalParameter<"::mlir::FloatAttr">:$scale,
                        DefaultValuedParameter<"int64_t", "0">:$zero_point);
  let assemblyFormat = "`<` struct(params) `>`";
  let extraClassDeclaration = [{
    /// The scale, 1 if there is none.
    double getScaleValue() const { return getScale() ? getScale().getValueAsDouble() : 1.0; }
  }];
}
def Ppl_IoArray : TypedArrayAttrBase<Ppl_IoAttr, "inputs or outputs of a net">;

#endif // WEFT_DIALECTS_PPL_BASE_TD
