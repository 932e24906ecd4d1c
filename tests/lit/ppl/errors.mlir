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
