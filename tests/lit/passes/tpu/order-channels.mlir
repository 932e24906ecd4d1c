// RUN: weft-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(tpu-order-channels))' | FileCheck %s

// Channels of two rounds of 64 lanes, and 2 more: lane l has channels 2 l and 2 l + 1. Names stand where their values are.
// CHECK-LABEL: func.func @scores
// CHECK: %[[w:.*]] = tpu.weight dense<"0x000204{{[0-9A-F]*}}7C7E010305{{[0-9A-F]*}}7D7F8081">
// CHECK: %[[conv:.*]] = tpu.conv %arg0, %[[w]]
// CHECK-NOT: top.value
// CHECK: %[[relu:.*]] = tpu.unary relu %[[conv]] : tensor<1x130x1x1xf32>
// CHECK-NEXT: %[[rows:.*]] = tpu.join_rounds %[[relu]] : tensor<1x130x1x1xf32> -> tensor<1x64x1x2xf32>
// CHECK-NEXT: %[[rest:.*]] = tpu.slice %[[relu]] [0, 128, 0, 0] steps [1, 1, 1, 1] : tensor<1x130x1x1xf32> -> tensor<1x2x1x1xf32>
// CHECK-NEXT: %[[most:.*]] = tpu.reshape %[[rows]] : tensor<1x64x1x2xf32> -> tensor<1x128x1x1xf32>
// CHECK-NEXT: %[[all:.*]] = tpu.concat %[[most]], %[[rest]] axis 1 {top.value = "last"}
// CHECK-NEXT: tpu.reshape %[[all]] : tensor<1x130x1x1xf32> -> tensor<1x1x1x130xf32>
module attributes {tpu.chip = "bm1684x"} {
  func.func @scores(%x: tensor<1x1x1x1x!quant.uniform<i8:f32, 0.05>>) -> tensor<1x1x1x130xf32> {
    %w = tpu.weight dense<[[[[0]]], [[[1]]], [[[2]]], [[[3]]], [[[4]]], [[[5]]], [[[6]]], [[[7]]], [[[8]]], [[[9]]], [[[10]]], [[[11]]], [[[12]]], [[[13]]], [[[14]]], [[[15]]], [[[16]]], [[[17]]], [[[18]]], [[[19]]], [[[20]]], [[[21]]], [[[22]]], [[[23]]], [[[24]]], [[[25]]], [[[26]]], [[[27]]], [[[28]]], [[[29]]], [[[30]]], [[[31]]], [[[32]]], [[[33]]], [[[34]]], [[[35]]], [[[36]]], [[[37]]], [[[38]]], [[[39]]], [[[40]]], [[[41]]], [[[42]]], [[[43]]], [[[44]]], [[[45]]], [[[46]]], [[[47]]], [[[48]]], [[[49]]], [[[50]]], [[[51]]], [[[52]]], [[[53]]], [[[54]]], [[[55]]], [[[56]]], [[[57]]], [[[58]]], [[[59]]], [[[60]]], [[[61]]], [[[62]]], [[[63]]], [[[64]]], [[[65]]], [[[66]]], [[[67]]], [[[68]]], [[[69]]], [[[70]]], [[[71]]], [[[72]]], [[[73]]], [[[74]]], [[[75]]], [[[76]]], [[[77]]], [[[78]]], [[[79]]], [[[80]]], [[[81]]], [[[82]]], [[[83]]], [[[84]]], [[[85]]], [[[86]]], [[[87]]], [[[88]]], [[[89]]], [[[90]]], [[[91]]], [[[92]]], [[[93]]], [[[94]]], [[[95]]], [[[96]]], [[[97]]], [[[98]]], [[[99]]], [[[100]]], [[[101]]], [[[102]]], [[[103]]], [[[104]]], [[[105]]], [[[106]]], [[[107]]], [[[108]]], [[[109]]], [[[110]]], [[[111]]], [[[112]]], [[[113]]], [[[114]]], [[[115]]], [[[116]]], [[[117]]], [[[118]]], [[[119]]], [[[120]]], [[[121]]], [[[122]]], [[[123]]], [[[124]]], [[[125]]], [[[126]]], [[[127]]], [[[-128]]], [[[-127]]]]> : tensor<130x1x1x1xi8>
    %0 = tpu.conv %x, %w strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1] group 1 {scales = array<f32: 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5>, top.value = "first"} : tensor<1x1x1x1x!quant.uniform<i8:f32, 0.05>>, tensor<130x1x1x1xi8> -> tensor<1x130x1x1xf32>
    %1 = tpu.unary relu %0 {top.value = "last"} : tensor<1x130x1x1xf32>
    %2 = tpu.reshape %1 : tensor<1x130x1x1xf32> -> tensor<1x1x1x130xf32>
    return %2 : tensor<1x1x1x130xf32>
  }
}

// -----

// A group reads the channels as they are.
// CHECK-LABEL: func.func @read_by_channel
// CHECK-NOT: tpu.join_rounds
module attributes {tpu.chip = "bm1684x"} {
  func.func @read_by_channel(%x: tensor<1x8x1x1xf32>, %scale: tensor<1x256x1x1xf32>) -> tensor<1x256x1x1xf32> {
    %w = tpu.weight dense<1.0> : tensor<256x8x1x1xf32>
    %0 = tpu.conv %x, %w strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1] group 1 : tensor<1x8x1x1xf32>, tensor<256x8x1x1xf32> -> tensor<1x256x1x1xf32>
    %1 = tpu.binary mul %0, %scale : tensor<1x256x1x1xf32>, tensor<1x256x1x1xf32> -> tensor<1x256x1x1xf32>
    return %1 : tensor<1x256x1x1xf32>
  }
}

// -----

// One round: each lane has one element as it is.
// CHECK-LABEL: func.func @one_round
// CHECK-NOT: tpu.join_rounds
module attributes {tpu.chip = "bm1684x"} {
  func.func @one_round(%x: tensor<1x8x1x1xf32>) -> tensor<1x64x1x1xf32> {
    %w = tpu.weight dense<1.0> : tensor<64x8x1x1xf32>
    %0 = tpu.conv %x, %w strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1] group 1 : tensor<1x8x1x1xf32>, tensor<64x8x1x1xf32> -> tensor<1x64x1x1xf32>
    return %0 : tensor<1x64x1x1xf32>
  }
}
