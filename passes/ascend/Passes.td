//===- Passes.td - moves of Ascend for float graphs ---------*- tablegen -*-===//

include "mlir/Pass/PassBase.td"

def AscendPlanInputs : Pass<"ascend-plan-inputs", "::mlir::ModuleOp"> {
  let summary = "plan the moves that bring the inputs of convolutions and matrix products to L1";
  let description = [{
    Leaves the graph as it is and adds one function for each input of each `top.conv` and `top.matmul`, which the op's attribute `ascend.inputs` names. The function
    takes the array in global memory and all of L1 and holds one `ascend.tile` for each piece that is in L1 at one time, with the moves that bring it there. Feature maps lie
    in global memory as N,D,H,W,C (D, H of 1 where there are fewer axes) and become NC1HWC0, a tile being what some output rows read; filters lie as M,D,H,W,C/group and become
    FRACTAL_Z; factors of products become NZ (ZZ for a right factor of 32-bit elements). Groups narrower than a block are joined where the filter is constant and the model says that it pays (attribute
    `ascend.joined_groups`; the filter must then be prepared with zeros between the groups), else moved one by one. docs/ascend/planning.md has the rules.

    ```mlir
    %1 = top.matmul %0, %w : tensor<40x56xf32>, tensor<56x16xf32>
    // becomes
    %1 = top.matmul %0, %w {ascend.inputs = [@layer0_lhs, @layer0_rhs]} : tensor<40x56xf32>, tensor<56x16xf32>
    // and
    func.func private @layer0_lhs(%gm: memref<1x40x56xf16, "gm">, %l1: memref<524288xui8, "l1">)
        attributes {ascend.axes = ["b", "m", "k"], ascend.bytes = 4480 : i64, ascend.cycles = 197 : i64, ascend.layout = "NZ", ..} {
      ascend.tile origin [0, 0, 0] sizes [1, 40, 56] bytes 4480 cycles 197 { .. }
      return
    }
    ```

    An op whose sizes are not known is an error, as is one whose smallest piece does not fit L1.
  }];
  let options = [
    Option<"type", "type", "std::string", /*default=*/"\"f16\"", "element type of all inputs: f16, bf16, int8 or f32">,
    Option<"separateGroups", "separate-groups", "bool", /*default=*/"false",
           "move each group of a convolution on its own, where joined groups are cheaper, too">,
    Option<"target", "target", "std::string", /*default=*/"\"ascend-a2\"", "machine to plan for">
  ];
  let dependentDialects = ["::weft::ascend::AscendDialect", "::mlir::func::FuncDialect", "::weft::top::TopDialect"];
}
