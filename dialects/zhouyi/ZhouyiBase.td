//===- ZhouyiBase.td - the zhouyi dialect and its types -----*- tablegen -*-===//

#ifndef WEFT_DIALECTS_ZHOUYI_BASE_TD
#define WEFT_DIALECTS_ZHOUYI_BASE_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Zhouyi_Dialect : Dialect {
  let name = "zhouyi";
  let cppNamespace = "::weft::zhouyi";
  let summary = "programs of vector operations of Zhouyi";
  let description = [{
    Two parts. `zhouyi.vadd` to `zhouyi.clip` are the functions of the vendor's document on vector arithmetic, one op each, with its names, rules and
    types (Function.h; the catalog is their only source). Beside them is the little that a program needs and the document does not have: buffers in
    one flat memory, pointers, loads and stores, tail masks and changes of a vector's type. Loops are `scf.for` with constant bounds and
    carried vectors.

    Elements are si8, ui8, si16, ui16, si32, ui32, f16, f32 (and bf16 in memory); a mask is `vector<Nxi1>`, a scalar `vector<1xT>`. Lane 0 is the lowest in memory.
    A lane without a value is undefined: to store it or to compute with it stops the program.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
  let isExtensible = 1; // for the functions of the catalog, see Function.h
  let hasOperationInterfaceFallback = 1; // their effects
  let hasConstantMaterializer = 1;
  let useDefaultTypePrinterParser = 1;
  let extraClassDeclaration = [{
    void registerTypes();
    // One function a .td file; called by initialize().
    void registerFunctions();
    void registerMemory();
    void registerProgram();
    void registerVector();
  }];
}

class Zhouyi_Op<string mnemonic, list<Trait> traits = []> : Op<Zhouyi_Dialect, mnemonic, traits> {
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

def Zhouyi_PtrType : TypeDef<Zhouyi_Dialect, "Ptr"> {
  let mnemonic = "ptr";
  let summary = "the address of elements of one type in the program's memory";
  let description = [{
    `!zhouyi.ptr<T>`, T one of si8, ui8, si16, ui16, si32, ui32, f16, bf16, f32; where only the host reads or writes, also si64, ui64 and f64.
    Steps of pointers count elements.
  }];
  let parameters = (ins "::mlir::Type":$elementType);
  let assemblyFormat = "`<` $elementType `>`";
  let genVerifyDecl = 1;
  let builders = [TypeBuilderWithInferredContext<(ins "::mlir::Type":$elementType), [{
    return $_get(elementType.getContext(), elementType);
  }]>];
  let extraClassDeclaration = [{
    /// 1, 2, 4 or 8.
    unsigned elementBytes() const { return getElementType().getIntOrFloatBitWidth() / 8; }
  }];
}

/// A register, or several that the functions treat as one; a scalar has one lane.
def Zhouyi_Vector : Type<CPred<"::weft::zhouyi::isVector($_self)">, "vector of 1 to 4096 lanes of si8, ui8, si16, ui16, si32, ui32, f16, bf16 or f32", "::mlir::VectorType">;
def Zhouyi_Mask : Type<CPred<"::weft::zhouyi::isMask($_self)">, "vector of 1 to 4096 lanes of i1", "::mlir::VectorType">;
def Zhouyi_VectorOrMask : AnyTypeOf<[Zhouyi_Vector, Zhouyi_Mask], "vector of 1 to 4096 lanes of si8, ui8, si16, ui16, si32, ui32, f16, bf16, f32 or i1", "::mlir::VectorType">;

#endif // WEFT_DIALECTS_ZHOUYI_BASE_TD
