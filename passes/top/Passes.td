//===- Passes.td - passes over the top dialect ------------------*- tablegen -*-===//

include "mlir/Pass/PassBase.td"

def TopFoldConstants : Pass<"top-fold-constants", "::mlir::ModuleOp"> {
  let summary = "compute every op whose operands are all constants";
  let description = [{
    Evaluates such ops with their own evaluator, in every element type; the result is a constant at the op's
    location. Integers wrap and floats are rounded exactly as at run time of the float graph, with functions that give the same bits on every machine.

    ```mlir
    %a = top.constant dense<[2, 3]> : tensor<2xi64>
    %b = top.constant dense<4> : tensor<i64>
    %c = top.binary mul %a, %b : tensor<2xi64>, tensor<i64>
    // becomes
    %c = top.constant dense<[8, 12]> : tensor<2xi64>
    ```

    It leaves alone an op that produces more than `max-elements` values and more than it reads (a broadcast of a small constant
    that would bloat the program), and what takes more memory or operations than the constants of the module explain
    (`dialects/top/FoldBudget.h`).
  }];
  let options = [
    Option<"maxElements", "max-elements", "int64_t", /*default=*/"1 << 20",
           "results with more elements than this are folded only if the op does not enlarge its operands">
  ];
  let dependentDialects = ["::weft::top::TopDialect"];
}

def TopCanonicalize : Pass<"top-canonicalize", "::mlir::ModuleOp"> {
  let summary = "rewrite the float graph into the few forms that the quantizer knows";
  let description = [{
    * batch_norm after a conv with no other user goes into filter and bias; elsewhere it becomes a multiplication and an addition per channel;
    * add, sub, mul and div by a constant a channel go into the conv before them (also through the reshape that drops its spatial axes of size 1);
    * x*clip(x+3,0,6)/6 and x*hard_sigmoid(x, 1/6, 1/2), in any order of the factors, become hard_swish;
      clip(x+3,0,6)/6 alone becomes hard_sigmoid;
    * max(x, c), min(x, c), clip and relu chains become one clip or relu;
    * between a turn that puts channels last and those that turn back, sums over the channels, matrix products (which become 1x1 convolutions) and functions of elements work on
      channels where they are; values that the model has turned are marked `top.turned`;
    * x / sqrt(y) with a y that is repeated becomes x * rsqrt(y);
    * pairs of transposes and of reshapes merge, a transpose that moves only axes of size 1 becomes a reshape;
    * matmul of a 2-D value of up to 16 rows with a constant matrix becomes a 1x1 conv on n,k,1,1;
    * identities and unused ops go.

    ```mlir
    %1 = top.conv %0, %w {..} : (tensor<1x3x8x8xf32>, tensor<4x3x1x1xf32>) -> tensor<1x4x8x8xf32>
    %2 = top.batch_norm %1, %s, %b, %m, %v {epsilon = 1.0e-5, top.value = "y"} : ..
    // becomes
    %2 = top.conv %0, %w2, %b2 {.., top.value = "y"} : ..
    ```

    A fused op keeps the `top.value` of the last op it replaces and the fused location of all. New weights are computed in f64 and rounded
    once. Ops with several users are never duplicated.
  }];
  let dependentDialects = ["::weft::top::TopDialect"];
}
