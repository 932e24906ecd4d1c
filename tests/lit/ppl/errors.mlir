// The rules of the ppl verifiers, one message each. The labels are those of the op descriptions.
// RUN: weft-opt %s --split-input-file --verify-diagnostics

// tensor (C1)
// expected-error @+1 {{a size is 65536, must be 1 to 65535; split the tensor}}
func.func private @size(!ppl.tensor<1x1x1x65536xf32, local, aligned>)

// -----

// expected-error @+1 {{element type is 'i8', must be f32, f16, bf16, si8, ui8, si16, ui16, si32 or ui32 (or, for functions, tf32, f8E4M3FN, f8E5M2, si4, ui4, si64, ui64, !ppl.fp20)}}
func.func private @signless(!ppl.tensor<1x1x1x4xi8, local, aligned>)

// -----

// tensor (C3)
// expected-error @+1 {{layout aligned does not exist in global memory; local has aligned, compact, line_aligned, channel; the others have continuous; every memory has strides}}
func.func private @layout(!ppl.tensor<1x1x1x4xf32, global, aligned>)

// -----

// expected-error @+1 {{memory is 'shared', must be local, global, static or l2}}
func.func private @memory(!ppl.tensor<1x1x1x4xf32, shared, aligned>)

// -----

// local (C1)
// expected-error @+1 {{address is 32, must be a multiple of 64 for layout aligned}}
%a = ppl.local at 32 : !ppl.tensor<1x1x1x4xf32, local, aligned>

// -----

// local (C2)
// expected-error @+1 {{tensor ends at byte 262656 of a lane, local memory has 262144; use smaller slices}}
%a = ppl.local at 262080 : !ppl.tensor<1x64x9x16xf32, local, aligned>

// -----

// local (C2), last slot of a rotating buffer
func.func @slots(%i: index) {
  // expected-error @+1 {{tensor ends at byte 262400 of a lane, local memory has 262144; use smaller slices}}
  %a = ppl.local at 131072 index(%i) step [65600] modulo [3] : !ppl.tensor<1x64x1x32xf32, local, aligned>
  return
}

// -----

// local (C3)
func.func @steps(%i: index) {
  // expected-error @+1 {{there are 2 steps for 1 indices}}
  %a = ppl.local at 0 index(%i) step [64, 64] : !ppl.tensor<1x64x1x16xf32, local, aligned>
  return
}

// -----

// local (C4)
// expected-error @+1 {{lane is 64, must be 0 to 63}}
%a = ppl.local at 0 lane 64 : !ppl.tensor<1x1x1x4xf32, local, aligned>

// -----

// global (C2)
// expected-error @+1 {{tensor lies at 4096 to 4112, global memory is 4294967296 to 1099511627776}}
%a = ppl.global at 4096 : !ppl.tensor<1x1x1x4xf32, global, continuous>

// -----

// net (C1)
// expected-error @+1 {{chip 'bm1684y' is unknown; known: bm1684x}}
ppl.net @n on "bm1684y" weights [4294967296, 0] context [4294967296, 0] inputs [] outputs [] {
}

// -----

// net (C2)
// expected-error @+1 {{'x' lies at 4294967296 to 4294967312, outside the activation area 4294967296 to 4294967304}}
ppl.net @n on "bm1684x" weights [4294967296, 0] context [4294967296, 8]
  inputs [#ppl.io<name = "x", onnx = tensor<4xf32>, stored = tensor<4xf32>, address = 4294967296>] outputs [] {
}

// -----

// net (C3)
// expected-error @+1 {{weight area 4294967296 to 4294971392 overlaps activation area 4294967296 to 4294967304}}
ppl.net @n on "bm1684x" weights [4294967296, 4096] context [4294967296, 8] inputs [] outputs [] {
}

// -----

// dma.load (C2)
%l = ppl.local at 0 : !ppl.tensor<1x4x1x4xf32, local, aligned>
%g = ppl.global at 4294967296 : !ppl.tensor<1x4x4x1xf32, global, continuous>
// expected-error @+1 {{shape of dst is 1x4x1x4, must be 1x4x4x1}}
ppl.gdma.load %l, %g : !ppl.tensor<1x4x1x4xf32, local, aligned>, !ppl.tensor<1x4x4x1xf32, global, continuous>

// -----

// dma.load (C3)
%l = ppl.local at 0 : !ppl.tensor<1x4x1x4xf32, local, aligned>
%g = ppl.global at 4294967296 : !ppl.tensor<1x4x1x4xf32, global, [1000, 200, 50, 33]>
// expected-error @+1 {{stride of src along w is 132 bytes, must be 1 to 128}}
ppl.gdma.load %l, %g : !ppl.tensor<1x4x1x4xf32, local, aligned>, !ppl.tensor<1x4x1x4xf32, global, [1000, 200, 50, 33]>

// -----

// float (E1)
%a = ppl.local at 0 : !ppl.tensor<1x4x1x4xf32, local, aligned>
%b = ppl.local at 64 : !ppl.tensor<1x1x1x4xf32, local, aligned>
// expected-error @+1 {{operand has 1 on axis c, dst has 4; channels lie in different lanes and cannot be repeated, copy them with lane_broadcast first}}
ppl.bdc.float add %a, %a, %b : !ppl.tensor<1x4x1x4xf32, local, aligned>, !ppl.tensor<1x4x1x4xf32, local, aligned>, !ppl.tensor<1x1x1x4xf32, local, aligned>

// -----

// float (C2)
%a = ppl.local at 0 : !ppl.tensor<1x4x1x4xf16, local, aligned>
// expected-error @+1 {{div takes f32, found 'f16'; cast first}}
ppl.bdc.float div %a, %a, %a : !ppl.tensor<1x4x1x4xf16, local, aligned>, !ppl.tensor<1x4x1x4xf16, local, aligned>, !ppl.tensor<1x4x1x4xf16, local, aligned>

// -----

// cast (C2)
%a = ppl.local at 0 : !ppl.tensor<1x4x1x4xf16, local, aligned>
%b = ppl.local at 64 : !ppl.tensor<1x4x1x4xbf16, local, aligned>
// expected-error @+1 {{of 'f16' to 'bf16'; the chip has none, cast to f32 first}}
ppl.bdc.cast %b, %a rounding half_to_even : !ppl.tensor<1x4x1x4xbf16, local, aligned>, !ppl.tensor<1x4x1x4xf16, local, aligned>

// -----

// cast (C2)
%a = ppl.local at 0 : !ppl.tensor<1x4x1x4xbf16, local, aligned>
%b = ppl.local at 64 : !ppl.tensor<1x4x1x4xf16, local, aligned>
// expected-error @+1 {{of 'bf16' to 'f16'; the chip has none, cast to f32 first}}
ppl.bdc.cast %b, %a rounding half_to_even : !ppl.tensor<1x4x1x4xf16, local, aligned>, !ppl.tensor<1x4x1x4xbf16, local, aligned>

// -----

// fconv (W1)
%x = ppl.local at 0 : !ppl.tensor<1x4x8x8xf32, local, aligned>
%w = ppl.local at 4096 : !ppl.tensor<1x4x4x1xf32, local, compact>
// expected-error @+1 {{strides is 16, must be 1 to 15}}
ppl.bdc.fconv %x, %x, %w kernel [1, 1] strides [16, 1] : !ppl.tensor<1x4x8x8xf32, local, aligned>, !ppl.tensor<1x4x8x8xf32, local, aligned>, !ppl.tensor<1x4x4x1xf32, local, compact>

// -----

// fconv (W2)
%x = ppl.local at 0 : !ppl.tensor<1x4x8x8xf32, local, aligned>
%w = ppl.local at 4096 : !ppl.tensor<1x4x4x9xf32, local, compact>
// expected-error @+1 {{dst has h = 8, the window over 8 samples gives 6}}
ppl.bdc.fconv %x, %x, %w kernel [3, 3] : !ppl.tensor<1x4x8x8xf32, local, aligned>, !ppl.tensor<1x4x8x8xf32, local, aligned>, !ppl.tensor<1x4x4x9xf32, local, compact>

// -----

// fconv (C2): packed by 32
%x = ppl.local at 0 : !ppl.tensor<1x4x8x8xf16, local, aligned>
%w = ppl.local at 4096 : !ppl.tensor<1x4x4x1xf16, local, compact>
// expected-error @+1 {{filter has 1x4 rows of 4 elements, must be 1x4 rows of 32 (input channels packed by 32)}}
ppl.bdc.fconv %x, %x, %w kernel [1, 1] : !ppl.tensor<1x4x8x8xf16, local, aligned>, !ppl.tensor<1x4x8x8xf16, local, aligned>, !ppl.tensor<1x4x4x1xf16, local, compact>

// -----

// rq1 (Q2)
%x = ppl.local at 0 : !ppl.tensor<1x4x1x4xsi32, local, aligned>
%y = ppl.local at 64 : !ppl.tensor<1x4x1x4xsi8, local, aligned>
// expected-error @+1 {{takes either params or all 3 parameter attributes; found 1 attributes}}
ppl.bdc.rq1 %y, %x {multiplier = 3 : i32} : !ppl.tensor<1x4x1x4xsi8, local, aligned>, !ppl.tensor<1x4x1x4xsi32, local, aligned>

// -----

// lookup (C1)
%x = ppl.local at 0 : !ppl.tensor<1x4x1x4xsi8, local, aligned>
%t = ppl.local at 64 : !ppl.tensor<1x64x1x256xsi8, local, aligned>
// expected-error @+1 {{src is 'si8', must be ui8 or ui16; a signed index needs a view as unsigned and a rotated table}}
ppl.bdc.lookup %x, %x, %t : !ppl.tensor<1x4x1x4xsi8, local, aligned>, !ppl.tensor<1x4x1x4xsi8, local, aligned>, !ppl.tensor<1x64x1x256xsi8, local, aligned>

// -----

// rq0 (C1)
%x = ppl.local at 0 : !ppl.tensor<1x4x1x4xf32, local, aligned>
%y = ppl.local at 64 : !ppl.tensor<1x4x1x4xsi8, local, aligned>
// expected-error @+1 {{src is 'f32', must be an integer of 16 to 32 bits}}
ppl.bdc.rq0 %y, %x {scale = 0.5 : f32, offset = 0.0 : f32} : !ppl.tensor<1x4x1x4xsi8, local, aligned>, !ppl.tensor<1x4x1x4xf32, local, aligned>

// -----

// conv (C7)
%x = ppl.local at 0 : !ppl.tensor<1x4x8x8xsi8, local, aligned>
%w = ppl.local at 16384 : !ppl.tensor<1x4x1x64xsi8, local, compact>
%y = ppl.local at 32768 : !ppl.tensor<1x4x8x8xsi16, local, aligned>
// expected-error @+1 {{'ppl.bdc.conv' op accumulates into 'si16', must be 32 bits wide}}
ppl.bdc.conv %y, %x, %w kernel [1, 1] accumulate : !ppl.tensor<1x4x8x8xsi16, local, aligned>, !ppl.tensor<1x4x8x8xsi8, local, aligned>, !ppl.tensor<1x4x1x64xsi8, local, compact>

// -----

// dq0 (C3)
%x = ppl.local at 0 : !ppl.tensor<1x4x1x4xsi8, local, aligned>
%y = ppl.local at 64 : !ppl.tensor<1x4x1x4xf32, local, aligned>
// expected-error @+1 {{'ppl.bdc.dq0' op zero_point is 40000, must be -32768 to 32767}}
ppl.bdc.dq0 %y, %x {scale = 0.5 : f32, zero_point = 40000 : si32} : !ppl.tensor<1x4x1x4xf32, local, aligned>, !ppl.tensor<1x4x1x4xsi8, local, aligned>

// -----

// dma.gather_h (C1)
func.func @gather_elements() {
  %y = ppl.global at 4294967296 : !ppl.tensor<1x1x5x8xf32, global, continuous>
  %x = ppl.global at 4294971392 : !ppl.tensor<1x1x9x8xf16, global, continuous>
  %i = ppl.global at 4294975488 : !ppl.tensor<1x1x5x1xui32, global, continuous>
  %zero = arith.constant 0.0 : f32
  // expected-error @+1 {{copies rows of 'f16' to 'f32' by indices of 'ui32'; rows must have one size of elements, indices 32-bit integers}}
  ppl.gdma.gather_h %y, %x, %i, %zero : !ppl.tensor<1x1x5x8xf32, global, continuous>, !ppl.tensor<1x1x9x8xf16, global, continuous>, !ppl.tensor<1x1x5x1xui32, global, continuous>, f32
  return
}

// -----

// dma.gather_h (C3)
func.func @gather_channels() {
  %y = ppl.global at 4294967296 : !ppl.tensor<1x4x5x8xf32, global, continuous>
  %x = ppl.global at 4294971392 : !ppl.tensor<1x2x9x8xf32, global, continuous>
  %i = ppl.global at 4294975488 : !ppl.tensor<1x4x5x1xui32, global, continuous>
  %zero = arith.constant 0.0 : f32
  // expected-error @+1 {{rows has 2 channels, must have the 4 of dst, or 1}}
  ppl.gdma.gather_h %y, %x, %i, %zero : !ppl.tensor<1x4x5x8xf32, global, continuous>, !ppl.tensor<1x2x9x8xf32, global, continuous>, !ppl.tensor<1x4x5x1xui32, global, continuous>, f32
  return
}

// -----

// dma.scatter_h (C6)
func.func @scatter_list() {
  %y = ppl.global at 4294967296 : !ppl.tensor<1x1x9x8xf32, global, continuous>
  %x = ppl.global at 4294971392 : !ppl.tensor<1x1x5x8xf32, global, continuous>
  %i = ppl.global at 4294975488 : !ppl.tensor<1x1x4x1xui32, global, continuous>
  // expected-error @+1 {{index has 4 rows, rows 5; they must be equal}}
  ppl.gdma.scatter_h %y, %x, %i : !ppl.tensor<1x1x9x8xf32, global, continuous>, !ppl.tensor<1x1x5x8xf32, global, continuous>, !ppl.tensor<1x1x4x1xui32, global, continuous>
  return
}

// -----

func.func @slot_twice() {
  %x = ppl.alloc : <1x64x4x8xf32, local, aligned>
  // expected-error @+1 {{slot 'dst' is given twice}}
  ppl.tiu.fadd dst = %x, dst = %x, src0 = %x, src1 = 1.5 : f64 : !ppl.tensor<1x64x4x8xf32, local, aligned>, !ppl.tensor<1x64x4x8xf32, local, aligned>, !ppl.tensor<1x64x4x8xf32, local, aligned>
  return
}

// -----

func.func @number_twice() {
  %x = ppl.alloc : <1x64x4x8xf32, local, aligned>
  // expected-error @+1 {{slot 'src1' is given twice}}
  ppl.tiu.fadd dst = %x, src0 = %x, src1 = 1.5 : f64, src1 = %x : !ppl.tensor<1x64x4x8xf32, local, aligned>, !ppl.tensor<1x64x4x8xf32, local, aligned>, !ppl.tensor<1x64x4x8xf32, local, aligned>
  return
}
