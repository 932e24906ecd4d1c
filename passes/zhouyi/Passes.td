//===- Passes.td - programs of vector operations ----------*- tablegen -*-===//

include "mlir/Pass/PassBase.td"

def ConvertTpuToZhouyi : Pass<"convert-tpu-to-zhouyi", "::mlir::ModuleOp"> {
  let summary = "tensors to loops of vector operations: tpu to zhouyi";
  let description = [{
    In: `@main` in the tpu dialect as `--convert-top-to-tpu` gives it, before groups. Out: a `zhouyi.program @main` that computes the same
    numbers: bit for bit what the evaluators of the tpu ops give, but for sums of floats, whose order and width are the machine's (docs/zhouyi/lowering.md).

    * Elementwise ops and copies become loops along the axis that fills registers best, with a tail mask at its end.
    * Convolutions and matrix products become dot products of 8-bit integers (vqdpa), pairs of f16 (vfmae, vfmao) or f32 (fma); windows
      are first copied into a patch matrix, constant weights are laid out here.
    * Multipliers and shifts of quantized results become exact 64-bit products and divisions by powers of two.
    * A convolution of floats that are 8-bit integers becomes one of integers.
    * Host ops become `zhouyi.host_call`s.

    What the functions of the machine cannot compute is refused (MachineRefusal.h); `--convert-top-to-tpu` for this machine has asked the
    same question of each op.

    ```mlir
    %y = tpu.unary abs %x : tensor<1x1x1x32xf32>
    // becomes, for pointers %p and %q
    %0 = zhouyi.load %p : !zhouyi.ptr<f32> -> vector<32xf32>
    %1 = zhouyi.vabs x = %0 : vector<32xf32> -> vector<32xf32>
    zhouyi.store %1, %q : vector<32xf32>, !zhouyi.ptr<f32>
    ```
  }];
  let dependentDialects = ["::weft::zhouyi::ZhouyiDialect", "::mlir::scf::SCFDialect", "::mlir::arith::ArithDialect"];
  let options = [
    Option<"target", "target", "std::string", "\"\"", "the vector machine; the first that Weft knows by default">,
  ];
}
