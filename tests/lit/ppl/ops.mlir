// Every op of the ppl dialect round-trips through its text form and through the generic form.
// RUN: weft-opt %s | weft-opt | FileCheck %s
// RUN: weft-opt %s --mlir-print-op-generic | weft-opt | FileCheck %s

!t = !ppl.tensor<1x64x8x8xf32, local, aligned>
!c = !ppl.tensor<1x64x1x1xf32, local, compact>
!g = !ppl.tensor<1x64x8x8xf32, global, continuous>
!i8 = !ppl.tensor<1x64x8x8xsi8, local, aligned>
!u8 = !ppl.tensor<1x64x8x8xui8, local, aligned>
!i32 = !ppl.tensor<1x64x8x8xsi32, local, aligned>

// CHECK: ppl.net @main on "bm1684x" weights[4294967296, 4096] context[4294971392, 65536] inputs
// CHECK-SAME: [#ppl.io<name = "x", onnx = tensor<1x64x8x8xf32>, stored = tensor<1x64x8x8xsi8>, address = 4294971392, scale = 5.000000e-01 : f32, zero_point = 3>] outputs []
ppl.net @main on "bm1684x" weights [4294967296, 4096] context [4294971392, 65536]
    inputs [#ppl.io<name = "x", onnx = tensor<1x64x8x8xf32>, stored = tensor<1x64x8x8xsi8>, address = 4294971392, scale = 5.0e-01 : f32, zero_point = 3>]
    outputs [] {
  // CHECK: ppl.weight @w at 4294967296 = dense<1.000000e+00> : tensor<64xf32>
  ppl.weight @w at 4294967296 = dense<1.0> : tensor<64xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %f = arith.constant 1.5 : f32
  %n = arith.constant -2 : i32
  // CHECK: ppl.local at 0 : {{.*}}<1x64x8x8xf32, local, aligned>
  %a = ppl.local at 0 : !t
  %b = ppl.local at 256 : !t
  // CHECK: ppl.local at 512 lane 3 : {{.*}}<1x64x1x1xf32, local, compact>
  %k = ppl.local at 512 lane 3 : !c
  %g = ppl.global at 4294971392 : !g
  // CHECK: ppl.static at 1024 : {{.*}}<1x1x1x10xf32, static, continuous>
  %s = ppl.static at 1024 : !ppl.tensor<1x1x1x10xf32, static, continuous>
  %table = ppl.local at 1024 : !ppl.tensor<1x64x1x10xf32, local, aligned>
  %lut = ppl.local at 2048 : !ppl.tensor<1x64x1x256xui8, local, aligned>
  %x8 = ppl.local at 4096 : !i8
  %u8 = ppl.local at 4160 : !u8
  %v8 = ppl.local at 4224 : !u8
  %x32 = ppl.local at 8192 : !i32
  %y32 = ppl.local at 8448 : !i32
  // CHECK: ppl.view %{{.*}} [0, 0, 2, 0] : {{.*}}<1x64x8x8xf32, local, aligned> -> {{.*}}<1x64x4x8xf32, local, [64, 64, 8, 1]>
  %v = ppl.view %a [0, 0, 2, 0] : !t -> !ppl.tensor<1x64x4x8xf32, local, [64, 64, 8, 1]>
  // CHECK: ppl.view %{{.*}} [0, 0, 0, 0] bytes 4
  %w = ppl.view %a [0, 0, 0, 0] bytes 4 : !t -> !ppl.tensor<1x64x1x1xsi32, local, [64, 64, 1, 1]>
  scf.for %i = %c0 to %c4 step %c1 {
    // CHECK: ppl.local at 16384 index(%{{.*}}) step [256] modulo [2] : {{.*}}<1x64x8x8xf32, local, aligned>
    %r = ppl.local at 16384 index(%i) step [256] modulo [2] : !t
    // CHECK: ppl.global at 4294971392 index(%{{.*}}) step [16384]
    %h = ppl.global at 4294971392 index(%i) step [16384] : !g
    // CHECK: ppl.observe %{{.*}}, "v" at [0, 0, 0, 0] of [1, 64, 32, 8] index(%{{.*}}) step [0, 0, 8, 0]
    ppl.observe %r, "v" at [0, 0, 0, 0] of [1, 64, 32, 8] index(%i) step [0, 0, 8, 0] : !t
  }
  %gn = ppl.global at 4294971392 : !ppl.tensor<64x1x8x8xf32, global, continuous>
  %one = ppl.global at 4294971392 : !ppl.tensor<1x1x1x256xui8, global, continuous>
  %k0 = ppl.local at 512 : !c
  %p = ppl.local at 12288 : !ppl.tensor<1x64x1x3xsi32, local, aligned>
  %x16 = ppl.local at 12544 : !ppl.tensor<1x64x8x8xsi16, local, aligned>
  %ts = ppl.local at 20480 : !ppl.tensor<1x8x8x64xf32, local, line_aligned>
  %tw = ppl.local at 32768 : !ppl.tensor<1x64x8x8xf32, local, aligned>
  %cw = ppl.local at 40960 : !ppl.tensor<1x64x64x9xf32, local, compact>
  %w8 = ppl.local at 40960 : !ppl.tensor<1x64x9x64xsi8, local, compact>
  %dw = ppl.local at 640 : !ppl.tensor<1x64x3x3xf32, local, compact>
  %q = ppl.local at 49152 : !ppl.tensor<1x64x4x4xf32, local, aligned>
  %ma = ppl.local at 53248 : !ppl.tensor<2x5x1x8xf32, local, aligned>
  %mb = ppl.local at 57344 : !ppl.tensor<40x2x1x16xf32, local, aligned>
  %my = ppl.local at 61440 : !ppl.tensor<2x2x1x16xf32, local, aligned>
  %na = ppl.local at 53248 : !ppl.tensor<1x10x1x40xf16, local, aligned>
  %nb = ppl.local at 57344 : !ppl.tensor<1x30x1x40xf16, local, aligned>
  %ny = ppl.local at 61440 : !ppl.tensor<1x10x1x30xf32, local, aligned>
}
