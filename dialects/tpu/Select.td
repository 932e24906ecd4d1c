//===- Select.td - tpu ops of the Select family ------------------*- tablegen -*-===//

include "dialects/tpu/TpuBase.td"

def Tpu_Bool : 4DTensorOf<[UI8]>;

def Tpu_CompareOp : Tpu_Op<"compare", [Pure, Tpu_Evaluate,
                              DeclareOpInterfaceMethods<Tpu_TilingInterface, ["readsStrided", "inputNeed", "recipes", "runsInAnyLane"]>]> {
  let summary = "compares two tensors, or a tensor with a number";
  let description = [{
    **Semantics**: `y = lhs <relation> rhs ? 1 : 0` with axes of size 1 broadcast; without `rhs` the second operand is `constant`,
    rounded to the element type of `lhs`. `equal` compares the bits of floats: -0 is not 0, a NaN equals itself; a NaN is neither
    greater nor less than anything.

    **Constraints**: (C1) the result shape is the broadcast shape; (C2) exactly one of `rhs` and `constant`; (C3) lhs and rhs have one float
    or integer element type; (C4) a constant beside integers is a whole number of their type.

    **Example**:
    ```mlir
    %y = tpu.compare greater %a, %b : tensor<1x8x4x6xf32>, tensor<1x8x1x1xf32> -> tensor<1x8x4x6xui8>
    ```
  }];
  let arguments = (ins Tpu_Relation:$relation, Tpu_Tensor:$lhs, Optional<Tpu_Tensor>:$rhs, OptionalAttr<F64Attr>:$constant);
  let results = (outs Tpu_Bool:$output);
  let assemblyFormat = "$relation $lhs (`,` $rhs^)? attr-dict `:` type($lhs) (`,` type($rhs)^)? `->` type($output)";
  let hasVerifier = 1;
}

def Tpu_SelectOp : Tpu_Op<"select", [Pure, Tpu_Evaluate, AttrSizedOperandSegments,
                              DeclareOpInterfaceMethods<Tpu_TilingInterface, ["inputNeed", "recipes", "runsInAnyLane"]>]> {
  let summary = "elements of one of two tensors or numbers by a condition";
  let description = [{
    **Semantics**: `y = condition ? on_true : on_false`, bits unchanged, with axes of size 1 broadcast; a side without tensor is the number
    `true_constant` or `false_constant`, rounded to the element type. `condition` is 0 or not 0.

    **Constraints**: (C1) the result shape is the broadcast shape; (C2) each side has exactly one of tensor and constant; (C3) tensors and result have
    one element type; (C4) a constant beside integers is a whole number of their type.

    **Example**:
    ```mlir
    %y = tpu.select %c, true %a {false_constant = 0.0 : f64} : (tensor<1x8x4x6xui8>, tensor<1x8x1x1xf32>) -> tensor<1x8x4x6xf32>
    ```
  }];
  let arguments = (ins Tpu_Bool:$condition, Optional<Tpu_Tensor>:$on_true, Optional<Tpu_Tensor>:$on_false,
                       OptionalAttr<F64Attr>:$true_constant, OptionalAttr<F64Attr>:$false_constant);
  let results = (outs Tpu_Tensor:$output);
  let assemblyFormat = [{
    $condition `,` (`true` $on_true^)? (`false` $on_false^)? attr-dict `:` functional-type(operands, $output)
  }];
  let hasVerifier = 1;
}
