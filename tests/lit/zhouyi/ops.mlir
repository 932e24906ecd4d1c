// RUN: weft-opt %s | weft-opt | FileCheck %s

// CHECK-LABEL: zhouyi.program @main on "zhouyi" {
zhouyi.program @main on "zhouyi" {
  // CHECK: %[[X:.*]] = zhouyi.buffer input "x" bytes 100 onnx tensor<1x100xi8> stored tensor<1x100xsi8> scale 1.600000e+01 : !zhouyi.ptr<si8>
  %x = zhouyi.buffer input "x" bytes 100 onnx tensor<1x100xi8> stored tensor<1x100xsi8> scale 16.0 : !zhouyi.ptr<si8>
  // CHECK: %[[W:.*]] = zhouyi.buffer weight "w" bytes 128 = dense<3> : tensor<100xsi8> : !zhouyi.ptr<si8>
  %w = zhouyi.buffer weight "w" bytes 128 = dense<3> : tensor<100xsi8> : !zhouyi.ptr<si8>
  // CHECK: zhouyi.buffer scratch "s" bytes 64 value "relu_0" onnx tensor<2x8xi8> stored tensor<2x8xsi8> strides [32, 1] scale 5.000000e-01 zero_point 3 : !zhouyi.ptr<si8>
  %s = zhouyi.buffer scratch "s" bytes 64 value "relu_0" onnx tensor<2x8xi8> stored tensor<2x8xsi8> strides [32, 1] scale 0.5 zero_point 3 : !zhouyi.ptr<si8>
  %f = zhouyi.buffer scratch "f" bytes 40 : !zhouyi.ptr<f32>
  // CHECK: zhouyi.buffer output "y"
  %y = zhouyi.buffer output "y" bytes 400 onnx tensor<1x100xi32> stored tensor<1x100xsi32> : !zhouyi.ptr<si32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  // CHECK: %[[Z:.*]] = zhouyi.constant dense<0> : vector<8xsi32>
  %z = zhouyi.constant dense<0> : vector<8xsi32>
  // CHECK: zhouyi.constant dense<[true, false]> : vector<2xi1>
  %k = zhouyi.constant dense<[true, false]> : vector<2xi1>
  // CHECK: scf.for %[[I:.*]] = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%[[ACC:.*]] = %[[Z]]) -> (vector<8xsi32>) {
  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%acc = %z) -> (vector<8xsi32>) {
    // CHECK: %[[M:.*]] = zhouyi.tail_mask[%[[I]]] steps [32] limit 100 : vector<32xi1>
    %m = zhouyi.tail_mask[%i] steps [32] limit 100 : vector<32xi1>
    // CHECK: zhouyi.tail_mask limit 5 : vector<8xi1>
    %t = zhouyi.tail_mask limit 5 : vector<8xi1>
    // CHECK: %[[Q:.*]] = zhouyi.offset %[[X]][%[[I]], %[[I]]] steps [32, 0] add 7 : !zhouyi.ptr<si8>
    %q = zhouyi.offset %x[%i, %i] steps [32, 0] add 7 : !zhouyi.ptr<si8>
    // CHECK: zhouyi.offset %[[W]][%[[I]]] steps [32] : !zhouyi.ptr<si8>
    %p = zhouyi.offset %w[%i] steps [32] : !zhouyi.ptr<si8>
    // CHECK: zhouyi.offset %[[W]] add -7 : !zhouyi.ptr<si8>
    %back = zhouyi.offset %w add -7 : !zhouyi.ptr<si8>
    // CHECK: zhouyi.load %[[Q]] mask(%[[M]]) : !zhouyi.ptr<si8>, vector<32xi1> -> vector<32xsi8>
    %a = zhouyi.load %q mask(%m) : !zhouyi.ptr<si8>, vector<32xi1> -> vector<32xsi8>
    // CHECK: zhouyi.load %{{.*}} stride 0 : !zhouyi.ptr<si8> -> vector<32xsi8>
    %b = zhouyi.load %p stride 0 : !zhouyi.ptr<si8> -> vector<32xsi8>
    %n = zhouyi.vqdpa acc = %acc, x = %a, y = %b : vector<8xsi32>, vector<32xsi8>, vector<32xsi8> -> vector<8xsi32>
    scf.yield %n : vector<8xsi32>
  }
  // CHECK: zhouyi.cast %{{.*}} : vector<8xsi32> -> vector<8xf32>
  %d = zhouyi.cast %r : vector<8xsi32> -> vector<8xf32>
  // CHECK: zhouyi.reinterpret %{{.*}} : vector<8xf32> -> vector<16xsi16>
  %e = zhouyi.reinterpret %d : vector<8xf32> -> vector<16xsi16>
  // CHECK: %[[PB:.*]] = zhouyi.reinterpret %{{.*}} : !zhouyi.ptr<f32> -> !zhouyi.ptr<si16>
  %g = zhouyi.reinterpret %f : !zhouyi.ptr<f32> -> !zhouyi.ptr<si16>
  // CHECK: zhouyi.store %{{.*}}, %[[PB]] stride -1 : vector<16xsi16>, !zhouyi.ptr<si16>
  zhouyi.store %e, %g stride -1 : vector<16xsi16>, !zhouyi.ptr<si16>
  // CHECK: zhouyi.host_call "softmax" inputs(%{{.*}}) outputs(%{{.*}}) {axis = 1 : i64} [tensor<1x10xf32>] to [tensor<1x10xf32>] reason "no exponential" : (!zhouyi.ptr<f32>) -> !zhouyi.ptr<f32>
  zhouyi.host_call "softmax" inputs(%f) outputs(%f) {axis = 1 : i64} [tensor<1x10xf32>] to [tensor<1x10xf32>] reason "no exponential" : (!zhouyi.ptr<f32>) -> !zhouyi.ptr<f32>
  zhouyi.store %r, %y : vector<8xsi32>, !zhouyi.ptr<si32>
}
