//===- TopBase.td - the top dialect -------------------------*- tablegen -*-===//

#ifndef WEFT_DIALECTS_TOP_BASE_TD
#define WEFT_DIALECTS_TOP_BASE_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "dialects/EvaluateInterface.td"

def Top_Dialect : Dialect {
  let name = "top";
  let cppNamespace = "::weft::top";
  let summary = "the float graph: ONNX meaning, no chip";
  let description = [{
    Values are tensors of static shape with ONNX element types. The graph is one
    `func.func @main`; its arguments and results carry `top.name`, the module `top.model_name`.
  }];
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let extraClassDeclaration = [{
    // One function a family; called from the family list in cmake/OpFamilies.cmake.
#define WEFT_FAMILY(name) void register##name();
#include "OpFamilies.inc"
#undef WEFT_FAMILY
  }];
}

/// A float of ONNX that MLIR has no type for (TopTypes.td).
def Top_NarrowFloat : Type<CPred<"::llvm::isa<::weft::HostTypeInterface>($_self)">, "a narrow float of ONNX">;
/// ONNX element types. Signed ONNX integers are signless here (i8 .. i64), unsigned ones
/// carry their sign (ui8 .. ui64), bool is i1.
def Top_Float : AnyTypeOf<[F16, BF16, F32, F64], "f16, bf16, f32 or f64">;
def Top_Element : AnyTypeOf<[F16, BF16, F32, F64, I1, I8, I16, I32, I64, UI8, UI16, UI32, UI64, I<2>, I<4>, UI<2>, UI<4>,
                             F8E4M3FN, F8E4M3FNUZ, F8E5M2, F8E5M2FNUZ, Top_NarrowFloat], "an ONNX number or bool">;
def Top_Tensor : StaticShapeTensorOf<[Top_Element]>;
def Top_FloatTensor : StaticShapeTensorOf<[Top_Float]>;

/// A tensor that a host kernel reads or gives: sizes may be unknown if the encoding of the type bounds them
/// (dialects/HostCall.h).
def Top_BoundedTensor : Type<CPred<"::weft::top::isBoundedTopTensor($_self)">, "a tensor of ONNX numbers or bools of bounded size",
                             "::mlir::RankedTensorType">;

/// Every op is a pure function of its operands. An op may carry the discardable attribute
/// `top.value`: the ONNX value name(s) its result(s) stand for. The kernel of runtime/host that has the op's mnemonic as name
/// computes it; see Top_EvaluatedOp for those that have an `evaluate` of their own.
class Top_Op<string mnemonic, list<Trait> traits = []> : Op<Top_Dialect, mnemonic, !listconcat([Pure, EvaluateOpInterface], traits)>;
class Top_EvaluatedOp<string mnemonic, list<Trait> traits = []>
    : Op<Top_Dialect, mnemonic, !listconcat([Pure, DeclareOpInterfaceMethods<EvaluateOpInterface, ["evaluate"]>], traits)>;

/// An op whose result type follows from its operands and attributes. Its `resultTypeOf` reports why a combination is
/// impossible; importers reach it through `weft::top::createChecked` (Top.h).
defvar topInferredDeclaration = [{
  /// The type of the result, or an error at `location`.
  static ::mlir::FailureOr<::mlir::RankedTensorType> resultTypeOf(Adaptor adaptor, ::std::optional<::mlir::Location> location);
}];
defvar topInferredDefinition = [{
  ::llvm::LogicalResult $cppClass::inferReturnTypes(::mlir::MLIRContext *, ::std::optional<::mlir::Location> location,
                                                    Adaptor adaptor, ::llvm::SmallVectorImpl<::mlir::Type> &types) {
    ::mlir::FailureOr<::mlir::RankedTensorType> type = resultTypeOf(adaptor, location);
    if (succeeded(type))
      types.push_back(*type);
    return type;
  }
}];
class Top_InferredOp<string mnemonic, list<Trait> traits = []>
    : Top_Op<mnemonic, !listconcat([InferTypeOpAdaptor], traits)> {
  let extraClassDeclaration = topInferredDeclaration;
  let extraClassDefinition = topInferredDefinition;
}
class Top_InferredEvaluatedOp<string mnemonic, list<Trait> traits = []>
    : Top_EvaluatedOp<mnemonic, !listconcat([InferTypeOpAdaptor], traits)> {
  let extraClassDeclaration = topInferredDeclaration;
  let extraClassDefinition = topInferredDefinition;
}

#endif // WEFT_DIALECTS_TOP_BASE_TD
