//===- Resize.td - tpu ops of the Resize family ------------------*- tablegen -*-===//

include "dialects/tpu/TpuBase.td"

def Tpu_InterleaveOp : Tpu_Op<"interleave", [Pure, Tpu_Evaluate,
                              DeclareOpInterfaceMethods<Tpu_TilingInterface, ["computedBox", "readsStrided", "inputNeed", "recipes", "runsInAnyLane"]>]> {
  let summary = "pixels of several images in turn";
  let description = [{
    **Semantics**: with fh, fw = `factors` and k = (y mod fh) * fw + x mod fw: `y(n,c,y,x) = inputs[k](n, c, y / fh, x / fw)`; one input stands for all. One
    strided copy inside the lanes for each k.

    **Constraints**: (C1) two factors >= 1, and 1 or fh * fw inputs; (C2) inputs of one type; (C3) the result is n, c, h * fh, w * fw of that element type.

    **Example**:
    ```mlir
    %y = tpu.interleave %x factors [2, 2] : (tensor<1x8x4x6xf16>) -> tensor<1x8x8x12xf16>
    ```
  }];
  let arguments = (ins Variadic<Tpu_CodeTensor>:$inputs, DenseI64ArrayAttr:$factors);
  let results = (outs Tpu_CodeTensor:$output);
  let assemblyFormat = "$inputs `factors` $factors attr-dict `:` functional-type($inputs, $output)";
  let hasVerifier = 1;
}

def Tpu_ChannelsToRowsOp : Tpu_Op<"channels_to_rows", [Pure, Tpu_Evaluate,
                              DeclareOpInterfaceMethods<Tpu_TilingInterface, ["computedBox", "inputNeed", "recipes", "runsInAnyLane", "readsFirstLane"]>]> {
  let summary = "rows that lie in channels, in turn";
  let description = [{
    **Semantics**: with C channels in the result, k C in the input: `y(0, c, k*r + i, x) = input(0, i*C + c, r, x)` for i < k. Made by `--tpu-stack-rows`, behind a
    convolution that computes k rows at once. A copy from lane to lane and one to every k-th row for each i.

    **Constraints**: (C1) one image, whose channels are a multiple of the result's, C k; (C2) the result has its width and element type, and k times
    its rows or up to k - 1 fewer.

    **Example**:
    ```mlir
    %y = tpu.channels_to_rows %x : tensor<1x16x4x6xi8> -> tensor<1x8x7x6xi8>
    ```
  }];
  let arguments = (ins Tpu_CodeTensor:$input);
  let results = (outs Tpu_CodeTensor:$output);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($output)";
  let extraClassDeclaration = [{
    /// Rows that lie in channels: k.
    int64_t stackedRows();
  }];
  let hasVerifier = 1;
}
