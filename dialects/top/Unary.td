//===- Unary.td - top ops of the Unary family ------------------*- tablegen -*-===//

include "dialects/top/TopAttrs.td"

def Top_UnaryOp : Top_InferredOp<"unary"> {
  let summary = "element-wise function of one operand";
  let description = [{
    **Semantics.** `output[i] = f(input[i])`, f being the formula of `kind` in `UnaryKinds.def` with its parameters `alpha` and `beta`
    (an absent one has the default of the table). Floats narrower than f64 are computed in f64 and rounded once. Integers are computed in their own
    width and wrap; `clip` bounds are saturated to the integer type.

    **Constraints.**
    * (C1) The element type of `input` is one that `kind` accepts.
    * (C2) `alpha` (`beta`) is absent if `kind` has no such parameter, and is not NaN.
    * (C3) `output` has the shape of `input` and its element type, or i1 for the kinds whose result is Bool.

    **Example.**
    ```mlir
    %1 = top.unary relu %0 : tensor<1x8x4x4xf32>
    %2 = top.unary clip %1 {alpha = 0.0, beta = 6.0} : tensor<1x8x4x4xf32>
    ```
  }];
  let arguments = (ins Top_UnaryKindAttr:$kind, Top_Tensor:$input,
                       OptionalAttr<F64Attr>:$alpha, OptionalAttr<F64Attr>:$beta);
  let results = (outs Top_Tensor:$output);
  let assemblyFormat = "$kind $input attr-dict `:` type($input)";
  let hasVerifier = 1;
  let hasFolder = 1;
  let extraClassDeclaration = topInferredDeclaration # [{
    /// The value of `alpha`: the attribute, else the default of the kind (0 if the kind has none).
    double alphaOrDefault();
    double betaOrDefault();
  }];
}
