//===- TpuBase.td - the tpu dialect -------------------------*- tablegen -*-===//

#ifndef WEFT_DIALECTS_TPU_BASE_TD
#define WEFT_DIALECTS_TPU_BASE_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/EnumAttr.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "dialects/EvaluateInterface.td"
include "dialects/tpu/TilingInterface.td"

def Tpu_Dialect : Dialect {
  let name = "tpu";
  let cppNamespace = "::weft::tpu";
  let dependentDialects = ["::mlir::quant::QuantizationDialect"];
  let summary = "the graph bound to one chip: numbers, scales, rounding, groups";
  let description = [{
    Tensors are 4-D `n,c,h,w` with static shape: a view of the row-major elements that the op chose. Element types: f32, f16, bf16, i8 to
    i32, ui8 to ui32 (bools are ui8 0 or 1), or `!quant.uniform<i8:f32, S>` / `!quant.uniform<u8:f32, S>` with zero point 0, whose value
    is `S * q`. Module attributes `tpu.chip` (string) and `tpu.precision` (string) bind the graph;
    `tpu.float_share` (f64) is the part of its products' multiplications that are of floats.

    Each argument and result of `@main` carries `tpu.io`, a dictionary: `name` (the ONNX name, string) and
    `type` (TypeAttr: the ONNX element type, rank and shape). The argument's own type is what is stored in
    DRAM. `top.value` on an op keeps the ONNX value name that its result stands for, `tpu.onnx_type` the element type and
    shape (any rank) that it has in the ONNX graph, with the encoding "channels_last" if only the channels stand elsewhere there. `tpu.recipe` names which of its recipes an op takes
    (dialects/tpu/recipe); without it that is the first.
  }];
  let useDefaultAttributePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let extraClassDeclaration = [{
    void registerGroup();
    /// The attributes of Decision.td where passes write them.
    ::llvm::LogicalResult verifyDecision(::mlir::Operation *op, ::mlir::NamedAttribute attribute);
    // One function a family; called from the family list in cmake/OpFamilies.cmake.
#define WEFT_FAMILY(name) void register##name();
#include "OpFamilies.inc"
#undef WEFT_FAMILY
  }];
}

/// Every op can be computed on the host. Integers are exact, bit for bit what the machine gives; floats are computed wider than
/// the tensor and rounded once, so they differ from the machine only by the order and width of its partial sums (ISA section 7).
def Tpu_Evaluate : DeclareOpInterfaceMethods<EvaluateOpInterface, ["evaluate"]>;

class Tpu_Op<string mnemonic, list<Trait> traits = []> : Op<Tpu_Dialect, mnemonic, traits>;

/// 8-bit (or 16-bit) symmetric quantized element: per tensor, zero point 0.
def Tpu_Quant : Type<CPred<"::weft::tpu::isSymmetricQuant($_self)">,
                     "symmetric per-tensor quantized element (zero point 0)">;
/// The same with any zero point, for ops that move codes or know what the code of 0 is.
def Tpu_ZeroPointQuant : Type<CPred<"::weft::tpu::isUniformQuant($_self)">,
                              "per-tensor quantized element (a zero point other than 0 is a code of 8 bits)">;
def Tpu_Float : AnyTypeOf<[F32, F16, BF16]>;

def Tpu_Tensor : 4DTensorOf<[F32, F16, BF16, I8, I16, I32, UI8, UI16, UI32, Tpu_Quant]>;
def Tpu_CodeTensor : 4DTensorOf<[F32, F16, BF16, I8, I16, I32, UI8, UI16, UI32, Tpu_ZeroPointQuant]>;
def Tpu_FloatTensor : 4DTensorOf<[F32, F16, BF16]>;
def Tpu_QuantTensor : 4DTensorOf<[Tpu_Quant]>;
def Tpu_ActivationTensor : 4DTensorOf<[F32, F16, BF16, Tpu_ZeroPointQuant]>;

/// One piece of a `tpu.arrange`.
def Tpu_PieceAttr : AttrDef<Tpu_Dialect, "Piece"> {
  let mnemonic = "piece";
  let summary = "a regular part of one operand and where in the result it goes";
  let description = [{
    `result.flat[to_offset + sum i_k * to[k]] = operands[operand].flat[from_offset + sum i_k * from[k]]` for all i with
    `0 <= i_k < sizes[k]`. Any number of axes; steps of the source may be 0 (repeated) or negative (backwards).
  }];
  let parameters = (ins "int64_t":$operand, "int64_t":$fromOffset, "int64_t":$toOffset, OptionalArrayRefParameter<"int64_t">:$sizes,
                        OptionalArrayRefParameter<"int64_t">:$from, OptionalArrayRefParameter<"int64_t">:$to);
  let assemblyFormat = "`<` $operand `,` $fromOffset `,` $toOffset `,` `[` (`]`) : ($sizes^ `]`)? `,` `[` (`]`) : ($from^ `]`)? `,` `[` (`]`) : ($to^ `]`)? `>`";
  let genVerifyDecl = 1;
}
/// How the rows of an image lie in bands.
def Tpu_BandsAttr : AttrDef<Tpu_Dialect, "Bands"> {
  let mnemonic = "bands";
  let summary = "rows of an image as channels of their own, so that they fill the lanes";
  let description = [{
    `count` bands of `rows` rows make an image of `height` rows; the last band may have fewer. Channel c of band b is channel `b * C + c`, its row r is row
    `b * rows + r - above` of the image: each band begins with the last `above` rows of the one before it, and may end with rows of the one behind it.
    Rows that lie outside of the image mean nothing. As a discardable attribute (`tpu.bands`) of an op it says that the result is an image in bands.
  }];
  let parameters = (ins "int64_t":$count, "int64_t":$rows, "int64_t":$above, "int64_t":$height);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The row of the image that row `row` of band `band` is.
    int64_t imageRow(int64_t band, int64_t row) const { return band * getRows() + row - getAbove(); }
  }];
}

def Tpu_PieceArray : TypedArrayAttrBase<Tpu_PieceAttr, "array of pieces">;

/// Rounding of right shifts and of float to integer; the order is the machine's code (ISA section 3).
def Tpu_Rounding : I32EnumAttr<"Rounding", "rounding mode", [
    I32EnumAttrCase<"HalfEven", 0, "half_even">,
    I32EnumAttrCase<"HalfAway", 1, "half_away">,
    I32EnumAttrCase<"TowardsZero", 2, "towards_zero">,
    I32EnumAttrCase<"Down", 3, "down">,
    I32EnumAttrCase<"Up", 4, "up">,
    I32EnumAttrCase<"HalfUp", 5, "half_up">,
    I32EnumAttrCase<"HalfDown", 6, "half_down">]> {
  let cppNamespace = "::weft::tpu";
}

// Tpu_UnaryKind, made of runtime/host/UnaryKinds.def.
include "dialects/tpu/UnaryKinds.td"

def Tpu_BinaryKind : I32EnumAttr<"BinaryKind", "element-wise function of two operands", [
    I32EnumAttrCase<"Add", 0, "add">, I32EnumAttrCase<"Sub", 1, "sub">,
    I32EnumAttrCase<"Mul", 2, "mul">, I32EnumAttrCase<"Div", 3, "div">,
    I32EnumAttrCase<"Max", 4, "max">, I32EnumAttrCase<"Min", 5, "min">,
    I32EnumAttrCase<"And", 6, "and">, I32EnumAttrCase<"Or", 7, "or">,
    I32EnumAttrCase<"Xor", 8, "xor">, I32EnumAttrCase<"ShiftLeft", 9, "shift_left">,
    I32EnumAttrCase<"ShiftRight", 10, "shift_right">,
    I32EnumAttrCase<"Pow", 11, "pow">, I32EnumAttrCase<"Mod", 12, "mod">, I32EnumAttrCase<"Fmod", 13, "fmod">]> {
  let cppNamespace = "::weft::tpu";
}

/// Comparisons the machine has; the order is that of ppl.
def Tpu_Relation : I32EnumAttr<"Relation", "comparison of two numbers", [
    I32EnumAttrCase<"Greater", 0, "greater">, I32EnumAttrCase<"Equal", 1, "equal">, I32EnumAttrCase<"Less", 2, "less">]> {
  let cppNamespace = "::weft::tpu";
}

def Tpu_PoolKind : I32EnumAttr<"PoolKind", "pooling function", [
    I32EnumAttrCase<"Max", 0, "max">, I32EnumAttrCase<"Avg", 1, "avg">]> {
  let cppNamespace = "::weft::tpu";
}

def Tpu_ReduceKind : I32EnumAttr<"ReduceKind", "reduction", [
    I32EnumAttrCase<"Sum", 0, "sum">, I32EnumAttrCase<"Prod", 1, "prod">,
    I32EnumAttrCase<"Max", 2, "max">, I32EnumAttrCase<"Min", 3, "min">]> {
  let cppNamespace = "::weft::tpu";
}

#endif // WEFT_DIALECTS_TPU_BASE_TD
