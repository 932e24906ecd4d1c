// RUN: weft-opt --split-input-file --pass-pipeline='builtin.module(func.func(tpu-group-layers))' %s | FileCheck %s
// RUN: weft-opt --split-input-file --pass-pipeline='builtin.module(func.func(tpu-group-layers{max-ops=3},tpu-place-local))' %s | FileCheck --check-prefix=THREE %s
// RUN: weft-opt --split-input-file --pass-pipeline='builtin.module(func.func(tpu-group-layers{max-ops=1 max-sliced-ops=1}))' %s | FileCheck --check-prefix=ONE %s

// A product reads from lane 0 on what the concatenation wants from lane 48 on: what is joined gets a copy, and all is one group.
// CHECK-LABEL: func.func @joined_and_read
// CHECK: tpu.group
// CHECK: %[[A:.*]] = tpu.unary abs
// CHECK: tpu.conv %[[A]]
// CHECK: %[[COPY:.*]] = tpu.move_lanes %[[A]]
// CHECK: tpu.concat %{{.*}}, %[[COPY]] axis 1
// CHECK-NOT: tpu.group
// ONE-LABEL: func.func @joined_and_read
// ONE-NOT: tpu.move_lanes
module attributes {tpu.chip = "bm1684x"} {
  func.func @joined_and_read(%x: tensor<1x48x40x40xf16>) -> tensor<1x64x40x40xf16> {
    %w = tpu.weight dense<0.5> : tensor<64x96x1x1xf16>
    %v = tpu.weight dense<0.5> : tensor<48x48x1x1xf16>
    %a = tpu.unary abs %x : tensor<1x48x40x40xf16>
    %b = tpu.conv %a, %v strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1] group 1 : tensor<1x48x40x40xf16>, tensor<48x48x1x1xf16> -> tensor<1x48x40x40xf16>
    %c = tpu.concat %b, %a axis 1 : (tensor<1x48x40x40xf16>, tensor<1x48x40x40xf16>) -> tensor<1x96x40x40xf16>
    %y = tpu.conv %c, %w strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1] group 1 : tensor<1x96x40x40xf16>, tensor<64x96x1x1xf16> -> tensor<1x64x40x40xf16>
    return %y : tensor<1x64x40x40xf16>
  }
}

// -----

// Two products of one part of a tensor share its copy in lane 0.
// CHECK-LABEL: func.func @two_readers
// CHECK: %[[B:.*]] = tpu.slice %{{.*}} [0, 16, 0, 0]
// CHECK: %[[COPY:.*]] = tpu.move_lanes %[[B]]
// CHECK: tpu.conv %[[COPY]]
// CHECK-NOT: tpu.move_lanes
// CHECK: tpu.conv %[[COPY]]
module attributes {tpu.chip = "bm1684x"} {
  func.func @two_readers(%x: tensor<1x32x40x40xf16>) -> (tensor<1x16x40x40xf16>, tensor<1x16x40x40xf16>, tensor<1x32x40x40xf16>) {
    %v = tpu.weight dense<0.5> : tensor<16x16x1x1xf16>
    %w = tpu.weight dense<0.25> : tensor<16x16x1x1xf16>
    %z = tpu.weight dense<0.125> : tensor<32x32x1x1xf16>
    %a = tpu.unary abs %x : tensor<1x32x40x40xf16>
    %e = tpu.conv %a, %z strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1] group 1 : tensor<1x32x40x40xf16>, tensor<32x32x1x1xf16> -> tensor<1x32x40x40xf16>
    %b = tpu.slice %a [0, 16, 0, 0] steps [1, 1, 1, 1] : tensor<1x32x40x40xf16> -> tensor<1x16x40x40xf16>
    %c = tpu.conv %b, %v strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1] group 1 : tensor<1x16x40x40xf16>, tensor<16x16x1x1xf16> -> tensor<1x16x40x40xf16>
    %d = tpu.conv %b, %w strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1] group 1 : tensor<1x16x40x40xf16>, tensor<16x16x1x1xf16> -> tensor<1x16x40x40xf16>
    return %c, %d, %e : tensor<1x16x40x40xf16>, tensor<1x16x40x40xf16>, tensor<1x32x40x40xf16>
  }
}

// -----

// What nothing needs goes, also in files written by hand.
// CHECK-LABEL: func.func @needless
// CHECK-NOT: tpu.move_lanes
// ONE-LABEL: func.func @needless
// ONE-NOT: tpu.move_lanes
module attributes {tpu.chip = "bm1684x"} {
  func.func @needless(%x: tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32> {
    %a = tpu.unary abs %x : tensor<1x8x4x4xf32>
    %b = tpu.move_lanes %a : tensor<1x8x4x4xf32>
    %y = tpu.unary neg %b : tensor<1x8x4x4xf32>
    return %y : tensor<1x8x4x4xf32>
  }
}

// -----

// What a group only loads is not stored by it: who wanted a copy of it, or a copy of that, reads the tensor itself.
// CHECK-LABEL: func.func @copies_for_others
// CHECK: %[[V:.*]] = tpu.group(%arg0)
// CHECK-NOT: tpu.move_lanes
// CHECK: tpu.yield %{{[0-9]+}} : tensor<1x72x7x7xf32>
// CHECK: tpu.concat %[[V]], %arg0
module attributes {tpu.chip = "bm1684x"} {
  func.func @copies_for_others(%x: tensor<1x1x7x7xf32>) -> (tensor<1x72x7x7xf32>, tensor<1x73x7x7xf32>) {
    %w = tpu.weight dense<0.5> : tensor<72x1x1x1xf32>
    %v = tpu.conv %x, %w strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1] group 1 : tensor<1x1x7x7xf32>, tensor<72x1x1x1xf32> -> tensor<1x72x7x7xf32>
    %a = tpu.move_lanes %x : tensor<1x1x7x7xf32>
    %b = tpu.move_lanes %a : tensor<1x1x7x7xf32>
    %y = tpu.concat %v, %b axis 1 : (tensor<1x72x7x7xf32>, tensor<1x1x7x7xf32>) -> tensor<1x73x7x7xf32>
    return %v, %y : tensor<1x72x7x7xf32>, tensor<1x73x7x7xf32>
  }
}

// -----

// The copy is made in the group before that of its reader, which reads the value itself in another lane as well: it loads both.
// THREE-LABEL: func.func @value_and_copy
// THREE: tpu.group(%arg0)
// THREE-NOT: tpu.move_lanes
// THREE: tpu.group(%arg0, %arg0)
module attributes {tpu.chip = "bm1684x"} {
  func.func @value_and_copy(%x: tensor<1x1x7x7xf32>) -> (tensor<1x64x7x7xf32>, tensor<1x320x7x7xf32>) {
    %w = tpu.weight dense<0.5> : tensor<64x49x1x1xf32>
    %v = tpu.weight dense<0.5> : tensor<48x1x1x1xf32>
    %u = tpu.weight dense<0.5> : tensor<320x1x1x1xf32>
    %big = tpu.conv %x, %u strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1] group 1 : tensor<1x1x7x7xf32>, tensor<320x1x1x1xf32> -> tensor<1x320x7x7xf32>
    %k = tpu.move_lanes %x : tensor<1x1x7x7xf32>
    %b = tpu.conv %x, %v strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1] group 1 : tensor<1x1x7x7xf32>, tensor<48x1x1x1xf32> -> tensor<1x48x7x7xf32>
    %c = tpu.concat %b, %k axis 1 : (tensor<1x48x7x7xf32>, tensor<1x1x7x7xf32>) -> tensor<1x49x7x7xf32>
    %y = tpu.conv %c, %w strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1] group 1 : tensor<1x49x7x7xf32>, tensor<64x49x1x1xf32> -> tensor<1x64x7x7xf32>
    return %y, %big : tensor<1x64x7x7xf32>, tensor<1x320x7x7xf32>
  }
}
