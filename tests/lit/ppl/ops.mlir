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
    // CHECK: ppl.gdma.load %{{.*}}, %{{.*}} : {{.*}}<1x64x8x8xf32, local, aligned>, {{.*}}<1x64x8x8xf32, global, continuous>
    ppl.gdma.load %r, %h : !t, !g
    // CHECK: ppl.observe %{{.*}}, "v" at [0, 0, 0, 0] of [1, 64, 32, 8] index(%{{.*}}) step [0, 0, 8, 0]
    ppl.observe %r, "v" at [0, 0, 0, 0] of [1, 64, 32, 8] index(%i) step [0, 0, 8, 0] : !t
  }
  // CHECK: ppl.gdma.store
  ppl.gdma.store %g, %a : !g, !t
  // CHECK: ppl.gdma.move
  ppl.gdma.move %b, %a : !t, !t
  // CHECK: ppl.gdma.load %{{.*}}, %{{.*}} transpose nc
  %gn = ppl.global at 4294971392 : !ppl.tensor<64x1x8x8xf32, global, continuous>
  ppl.gdma.load %a, %gn transpose nc : !t, !ppl.tensor<64x1x8x8xf32, global, continuous>
  // CHECK: ppl.gdma.fill %{{.*}}, %{{.*}} : {{.*}}<1x64x8x8xf32, local, aligned>, f32
  ppl.gdma.fill %a, %f : !t, f32
  %one = ppl.global at 4294971392 : !ppl.tensor<1x1x1x256xui8, global, continuous>
  // CHECK: ppl.gdma.broadcast
  ppl.gdma.broadcast %lut, %one : !ppl.tensor<1x64x1x256xui8, local, aligned>, !ppl.tensor<1x1x1x256xui8, global, continuous>
  // CHECK: ppl.bdc.float add %{{.*}}, %{{.*}}, %{{.*}} : {{.*}}<1x64x8x8xf32, local, aligned>, {{.*}}<1x64x8x8xf32, local, aligned>, f32
  ppl.bdc.float add %b, %a, %f : !t, !t, f32
  // CHECK: ppl.bdc.float div %{{.*}} {iterations = 4 : i32}
  ppl.bdc.float div %b, %a, %a {iterations = 4 : i32} : !t, !t, !t
  // CHECK: ppl.bdc.int add %{{.*}} shift(%{{.*}}) rounding half_to_even saturate
  ppl.bdc.int add %x8, %x32, %y32 shift(%n) rounding half_to_even saturate : !i8, !i32, !i32, i32
  // CHECK: ppl.bdc.int shift_arith
  ppl.bdc.int shift_arith %y32, %x32, %n : !i32, !i32, i32
  // CHECK: ppl.bdc.unary copy
  ppl.bdc.unary copy %a, %f : !t, f32
  // CHECK: ppl.bdc.cast %{{.*}}, %{{.*}} rounding floor
  ppl.bdc.cast %x8, %a rounding floor : !i8, !t
  // CHECK: ppl.bdc.compare gt
  ppl.bdc.compare gt %b, %a, %f, %f : !t, !t, f32, f32
  // CHECK: ppl.bdc.select lt
  ppl.bdc.select lt %b, %a, %f, %a, %f : !t, !t, f32, !t, f32
  %k0 = ppl.local at 512 : !c
  // CHECK: ppl.bdc.linear mac
  ppl.bdc.linear mac %b, %a, %k0, %f : !t, !t, !c, f32
  // CHECK: ppl.bdc.rq0 %{{.*}}, %{{.*}} {offset = 0.000000e+00 : f32, scale = 5.000000e-01 : f32}
  ppl.bdc.rq0 %x8, %x32 {scale = 0.5 : f32, offset = 0.0 : f32} : !i8, !i32
  %p = ppl.local at 12288 : !ppl.tensor<1x64x1x3xsi32, local, aligned>
  // CHECK: ppl.bdc.rq1 %{{.*}}, %{{.*}} params(%{{.*}}) rounding half_away_from_zero
  ppl.bdc.rq1 %x8, %x32 params(%p) rounding half_away_from_zero : !i8, !i32, !ppl.tensor<1x64x1x3xsi32, local, aligned>
  // CHECK: ppl.bdc.dq0
  ppl.bdc.dq0 %a, %x8 {scale = 0.5 : f32, zero_point = -3 : si32} : !t, !i8
  %x16 = ppl.local at 12544 : !ppl.tensor<1x64x8x8xsi16, local, aligned>
  // CHECK: ppl.bdc.dq1
  ppl.bdc.dq1 %x16, %x8 {multiplier = 3 : i32, shift = -2 : si32, zero_point = 1 : si32} : !ppl.tensor<1x64x8x8xsi16, local, aligned>, !i8
  // CHECK: ppl.bdc.taylor %{{.*}}, %{{.*}}, %{{.*}} count 10
  ppl.bdc.taylor %b, %a, %table count 10 : !t, !t, !ppl.tensor<1x64x1x10xf32, local, aligned>
  // CHECK: ppl.bdc.rsqrt %{{.*}}, %{{.*}} iterations 2
  ppl.bdc.rsqrt %b, %a iterations 2 : !t, !t
  // CHECK: ppl.bdc.norm
  ppl.bdc.norm %x32, %a : !i32, !t
  // CHECK: ppl.bdc.lookup
  ppl.bdc.lookup %v8, %u8, %lut : !u8, !u8, !ppl.tensor<1x64x1x256xui8, local, aligned>
  %ts = ppl.local at 20480 : !ppl.tensor<1x8x8x64xf32, local, line_aligned>
  %tw = ppl.local at 32768 : !ppl.tensor<1x64x8x8xf32, local, aligned>
  // CHECK: ppl.bdc.transpose cw
  ppl.bdc.transpose cw %ts, %tw : !ppl.tensor<1x8x8x64xf32, local, line_aligned>, !t
  // CHECK: ppl.bdc.lane_broadcast
  ppl.bdc.lane_broadcast %table, %s : !ppl.tensor<1x64x1x10xf32, local, aligned>, !ppl.tensor<1x1x1x10xf32, static, continuous>
  // CHECK: ppl.bdc.lane_copy
  ppl.bdc.lane_copy %b, %a : !t, !t
  %cw = ppl.local at 40960 : !ppl.tensor<1x64x64x9xf32, local, compact>
  // CHECK: ppl.bdc.fconv %{{.*}}, %{{.*}}, %{{.*}} bias(%{{.*}}) kernel [3, 3] pads [1, 1, 1, 1]
  ppl.bdc.fconv %b, %a, %cw bias(%k0) kernel [3, 3] pads [1, 1, 1, 1] : !t, !t, !ppl.tensor<1x64x64x9xf32, local, compact>, !c
  %w8 = ppl.local at 40960 : !ppl.tensor<1x64x9x64xsi8, local, compact>
  // CHECK: ppl.bdc.conv %{{.*}}, %{{.*}}, %{{.*}} kernel [3, 3] pads [1, 1, 1, 1] pad_value -3
  ppl.bdc.conv %x32, %x8, %w8 kernel [3, 3] pads [1, 1, 1, 1] pad_value -3 : !i32, !i8, !ppl.tensor<1x64x9x64xsi8, local, compact>
  // CHECK: ppl.bdc.conv_rq %{{.*}} kernel [3, 3] pads [1, 1, 1, 1] rshift 7 relu
  ppl.bdc.conv_rq %u8, %x8, %w8 kernel [3, 3] pads [1, 1, 1, 1] rshift 7 relu : !u8, !i8, !ppl.tensor<1x64x9x64xsi8, local, compact>
  %dw = ppl.local at 640 : !ppl.tensor<1x64x3x3xf32, local, compact>
  // CHECK: ppl.bdc.depthwise
  ppl.bdc.depthwise %b, %a, %dw kernel [3, 3] pads [1, 1, 1, 1] relu : !t, !t, !ppl.tensor<1x64x3x3xf32, local, compact>
  %q = ppl.local at 49152 : !ppl.tensor<1x64x4x4xf32, local, aligned>
  // CHECK: ppl.bdc.pool avg %{{.*}}, %{{.*}} kernel [2, 2] strides [2, 2] scale 2.500000e-01
  ppl.bdc.pool avg %q, %a kernel [2, 2] strides [2, 2] scale 0.25 : !ppl.tensor<1x64x4x4xf32, local, aligned>, !t
  %ma = ppl.local at 53248 : !ppl.tensor<2x5x1x8xf32, local, aligned>
  %mb = ppl.local at 57344 : !ppl.tensor<40x2x1x16xf32, local, aligned>
  %my = ppl.local at 61440 : !ppl.tensor<2x2x1x16xf32, local, aligned>
  // CHECK: ppl.bdc.mm %{{.*}}, %{{.*}}, %{{.*}} inner 40
  ppl.bdc.mm %my, %ma, %mb inner 40 : !ppl.tensor<2x2x1x16xf32, local, aligned>, !ppl.tensor<2x5x1x8xf32, local, aligned>, !ppl.tensor<40x2x1x16xf32, local, aligned>
  %na = ppl.local at 53248 : !ppl.tensor<1x10x1x40xf16, local, aligned>
  %nb = ppl.local at 57344 : !ppl.tensor<1x30x1x40xf16, local, aligned>
  %ny = ppl.local at 61440 : !ppl.tensor<1x10x1x30xf32, local, aligned>
  // CHECK: ppl.bdc.mm2 nt
  ppl.bdc.mm2 nt %ny, %na, %nb : !ppl.tensor<1x10x1x30xf32, local, aligned>, !ppl.tensor<1x10x1x40xf16, local, aligned>, !ppl.tensor<1x30x1x40xf16, local, aligned>
}
