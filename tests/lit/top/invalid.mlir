// Every constraint of a top op has its message; the label is the one of the op's description.
// (MLIR adds a line of its own where a result type cannot be inferred; importers use createChecked, which prints ours only.)
// RUN: weft-opt %s --split-input-file --verify-diagnostics

func.func @unary_c1(%x: tensor<2xi32>) -> tensor<2xi32> {
  // expected-error @+2 {{exp does not take elements of type 'i32'; cast the operand}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "top.unary"(%x) <{kind = #top<unary_kind exp>}> : (tensor<2xi32>) -> tensor<2xi32>
  return %0 : tensor<2xi32>
}

// -----

func.func @unary_c2(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error @+1 {{relu has no parameter 'alpha'; remove it}}
  %0 = top.unary relu %x {alpha = 1.0} : tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

func.func @unary_c2_nan(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error @+1 {{parameter 'beta' of clip is NaN; it must be a number}}
  %0 = top.unary clip %x {beta = 0x7FF8000000000000 : f64} : tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

func.func @unary_kind(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error @+2 {{unknown unary kind 'rolu'; known are identity, abs}}
  // expected-error @+1 {{failed to parse Top_UnaryKindAttr parameter 'value'}}
  %0 = top.unary rolu %x : tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

func.func @binary_c3(%x: tensor<2x3xf32>, %y: tensor<2xf32>) -> tensor<2x3xf32> {
  // expected-error @+2 {{shapes 2x3 and 2 do not broadcast; aligned at the last axis, sizes must be equal or 1}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "top.binary"(%x, %y) <{kind = #top<binary_kind add>}> : (tensor<2x3xf32>, tensor<2xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// -----

func.func @binary_c2(%x: tensor<2xf32>, %y: tensor<2xf16>) -> tensor<2xf32> {
  // expected-error @+2 {{add of 'f32' and 'f16'; both operands must have one element type}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "top.binary"(%x, %y) <{kind = #top<binary_kind add>}> : (tensor<2xf32>, tensor<2xf16>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

func.func @conv_c2(%x: tensor<1x3x8x8xf32>, %w: tensor<4x3x3x3xf32>) -> tensor<1x4x6x6xf32> {
  // expected-error @+2 {{pads[3] is -2; it must be in 0 .. 2^31}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = top.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, -2>, dilations = array<i64: 1, 1>, group = 1 : i64} : (tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>) -> tensor<1x4x6x6xf32>
  return %0 : tensor<1x4x6x6xf32>
}

// -----

func.func @conv_c3(%x: tensor<1x3x8x8xf32>, %w: tensor<4x3x3x3xf32>) -> tensor<1x4x6x6xf32> {
  // expected-error @+2 {{group is 2 with 3 input channels and a filter of shape 4x3x3x3}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = top.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, group = 2 : i64} : (tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>) -> tensor<1x4x6x6xf32>
  return %0 : tensor<1x4x6x6xf32>
}

// -----

func.func @conv_c6(%x: tensor<1x3x2x8xf32>, %w: tensor<4x3x3x3xf32>) -> tensor<1x4x6x6xf32> {
  // expected-error @+2 {{the kernel spans 3 values on spatial axis 0 but the padded input has 2; pad more or use a smaller kernel}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = top.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, group = 1 : i64} : (tensor<1x3x2x8xf32>, tensor<4x3x3x3xf32>) -> tensor<1x4x6x6xf32>
  return %0 : tensor<1x4x6x6xf32>
}

// -----

func.func @pool_c2(%x: tensor<1x3x8x8xf32>) -> tensor<1x3x8x8xf32> {
  // expected-error @+2 {{pads of spatial axis 1 are 2 and 0; each must be smaller than the kernel, 2}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = top.pool max %x {kernel = array<i64: 2, 2>, strides = array<i64: 1, 1>, pads = array<i64: 0, 2, 0, 0>} : tensor<1x3x8x8xf32> -> tensor<1x3x8x8xf32>
  return %0 : tensor<1x3x8x8xf32>
}

// -----

func.func @matmul_c2(%x: tensor<2x3xf32>, %y: tensor<4x5xf32>) -> tensor<2x5xf32> {
  // expected-error @+2 {{matrix product of shapes 2x3 and 4x5; the inner sizes 3 and 4 must be equal}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "top.matmul"(%x, %y) : (tensor<2x3xf32>, tensor<4x5xf32>) -> tensor<2x5xf32>
  return %0 : tensor<2x5xf32>
}

// -----

func.func @batch_norm_c2(%x: tensor<1x3x4xf32>, %s: tensor<3xf32>, %b: tensor<2xf32>) -> tensor<1x3x4xf32> {
  // expected-error @+2 {{bias is 'tensor<2xf32>'; it must have 3 values, one for each channel of the input}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = top.batch_norm %x, %s, %b, %s, %s {epsilon = 1.0e-5} : (tensor<1x3x4xf32>, tensor<3xf32>, tensor<2xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<1x3x4xf32>
  return %0 : tensor<1x3x4xf32>
}

// -----

func.func @softmax_c1(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  // expected-error @+2 {{softmax along axis 2 of 'tensor<2x3xf32>'; the axis must be in 0 .. rank-1}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = top.softmax %x {axis = 2 : i64} : tensor<2x3xf32> -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// -----

func.func @reshape_c2(%x: tensor<2x3xf32>) -> tensor<7xf32> {
  // expected-error @+1 {{shape 2x3 has 6 elements but 7 has 7; both must have the same number}}
  %0 = top.reshape %x : tensor<2x3xf32> -> tensor<7xf32>
  return %0 : tensor<7xf32>
}

// -----

func.func @transpose_c1(%x: tensor<2x3xf32>) -> tensor<3x2xf32> {
  // expected-error @+2 {{for 'tensor<2x3xf32>'; it must hold every axis of the input once}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = top.transpose %x {perm = array<i64: 1, 1>} : tensor<2x3xf32> -> tensor<3x2xf32>
  return %0 : tensor<3x2xf32>
}

// -----

func.func @slice_c2(%x: tensor<8xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{steps[0] is 0; it must not be}}
  %0 = top.slice %x {starts = array<i64: 0>, steps = array<i64: 0>} : tensor<8xf32> -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @slice_c3(%x: tensor<8xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{takes 4 values from index 2 with step 2 on axis 0; they must lie inside its size 8}}
  %0 = top.slice %x {starts = array<i64: 2>, steps = array<i64: 2>} : tensor<8xf32> -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @concat_c3(%x: tensor<2x3xf32>, %y: tensor<3x3xf32>) -> tensor<2x6xf32> {
  // expected-error @+2 {{concatenation along axis 1 of 'tensor<2x3xf32>' and 'tensor<3x3xf32>'; element type, rank and the sizes of all other axes must be equal}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = top.concat %x, %y {axis = 1 : i64} : (tensor<2x3xf32>, tensor<3x3xf32>) -> tensor<2x6xf32>
  return %0 : tensor<2x6xf32>
}

// -----

func.func @cast_c1(%x: tensor<2x3xf32>) -> tensor<6xi32> {
  // expected-error @+1 {{of shape 2x3 into shape 6; a cast keeps the shape}}
  %0 = top.cast %x : tensor<2x3xf32> -> tensor<6xi32>
  return %0 : tensor<6xi32>
}

// -----

func.func @interleave_c1(%x: tensor<1x3x8x8xf32>) -> tensor<1x3x16x16xf32> {
  // expected-error @+2 {{interleaving has 2 inputs for the factors 2 and 2; it needs 1 or 4}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = top.interleave %x, %x {factors = array<i64: 2, 2>} : (tensor<1x3x8x8xf32>, tensor<1x3x8x8xf32>) -> tensor<1x3x16x16xf32>
  return %0 : tensor<1x3x16x16xf32>
}

// -----

func.func @interleave_c2(%x: tensor<3x8x8xf32>) -> tensor<3x16x16xf32> {
  // expected-error @+2 {{interleaving of 'tensor<3x8x8xf32>'; all inputs must have one type of rank 4}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = top.interleave %x {factors = array<i64: 2, 2>} : (tensor<3x8x8xf32>) -> tensor<3x16x16xf32>
  return %0 : tensor<3x16x16xf32>
}

// -----

func.func @expand_shape(%a: tensor<3x2xf32>) {
  // expected-error @+1 {{'top.expand' op shape 3x2 cannot be repeated to 2x3x4; axes must be equal or 1}}
  %0 = top.expand %a : tensor<3x2xf32> -> tensor<2x3x4xf32>
  return
}

// -----

func.func @expand_element(%a: tensor<3x1xf32>) {
  // expected-error @+1 {{'top.expand' op changes elements of type 'f32' into 'f16'; use a cast}}
  %0 = top.expand %a : tensor<3x1xf32> -> tensor<3x4xf16>
  return
}
