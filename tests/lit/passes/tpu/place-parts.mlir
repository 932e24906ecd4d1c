// RUN: weft-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(tpu-place-global))' | FileCheck %s

// What a concatenation joins is written where the whole lies, a slice in one piece lies in its source.
// CHECK-LABEL: @joined
// CHECK: tpu.permute %arg0 {{.*}}tpu.address = [[#%u,BASE:]]
// CHECK: tpu.permute %arg1 {{.*}}tpu.address = [[#BASE+512]]
// CHECK: tpu.concat {{.*}}tpu.address = [[#BASE]]
// CHECK: tpu.slice {{.*}}tpu.address = [[#BASE+256]]
module attributes {tpu.chip = "bm1684x"} {
  func.func @joined(%x: tensor<1x4x4x8xf32>, %y: tensor<1x4x4x8xf32>) -> tensor<1x8x8x4xf32> {
    %a = tpu.permute %x [0, 3, 1, 2] : tensor<1x4x4x8xf32> -> tensor<1x8x4x4xf32>
    %b = tpu.permute %y [0, 3, 1, 2] : tensor<1x4x4x8xf32> -> tensor<1x8x4x4xf32>
    %c = tpu.concat %a, %b axis 1 : (tensor<1x8x4x4xf32>, tensor<1x8x4x4xf32>) -> tensor<1x16x4x4xf32>
    %d = tpu.slice %c [0, 4, 0, 0] steps [1, 1, 1, 1] : tensor<1x16x4x4xf32> -> tensor<1x8x4x4xf32>
    %e = tpu.permute %d [0, 1, 2, 3] : tensor<1x8x4x4xf32> -> tensor<1x8x4x4xf32>
    %f = tpu.concat %e, %e axis 2 : (tensor<1x8x4x4xf32>, tensor<1x8x4x4xf32>) -> tensor<1x8x8x4xf32>
    return %f : tensor<1x8x8x4xf32>
  }
}

// -----

// An input of the net, a value joined twice and one that is returned have places of their own; so has a piece of a concatenation along
// an inner axis.
// CHECK-LABEL: @apart
// CHECK-SAME: %arg0: tensor<1x8x4x4xf32> {tpu.address = [[#%u,INPUT:]]
// CHECK: tpu.permute %arg0 {{.*}}tpu.address = [[#%u,TWICE:]]
// CHECK: tpu.permute %arg0 {{.*}}tpu.address = [[#%u,KEPT:]]
// CHECK: tpu.concat {{.*}} axis 1 {{.*}}tpu.address = [[#TWICE-512]]
// CHECK: tpu.concat {{.*}} axis 2
module attributes {tpu.chip = "bm1684x"} {
  func.func @apart(%x: tensor<1x8x4x4xf32>) -> (tensor<1x8x4x4xf32>, tensor<1x32x4x4xf32>, tensor<1x8x8x4xf32>) {
    %a = tpu.permute %x [0, 1, 3, 2] : tensor<1x8x4x4xf32> -> tensor<1x8x4x4xf32>
    %k = tpu.permute %x [0, 1, 3, 2] : tensor<1x8x4x4xf32> -> tensor<1x8x4x4xf32>
    %c = tpu.concat %x, %a, %k, %a axis 1 : (tensor<1x8x4x4xf32>, tensor<1x8x4x4xf32>, tensor<1x8x4x4xf32>, tensor<1x8x4x4xf32>) -> tensor<1x32x4x4xf32>
    %d = tpu.concat %a, %x axis 2 : (tensor<1x8x4x4xf32>, tensor<1x8x4x4xf32>) -> tensor<1x8x8x4xf32>
    return %k, %c, %d : tensor<1x8x4x4xf32>, tensor<1x32x4x4xf32>, tensor<1x8x8x4xf32>
  }
}
