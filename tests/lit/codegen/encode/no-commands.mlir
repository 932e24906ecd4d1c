// RUN: weft-opt %s --pass-pipeline='builtin.module(ppl.net(ppl-allocate))' --split-input-file --verify-diagnostics

!row = !ppl.tensor<1x1x1x20000xf32, global, continuous>
!best = !ppl.tensor<1x1x1x9xf32, global, continuous>
ppl.net @long on "bm1684x" weights [4311744512, 0] context [4294967296, 0] inputs [] outputs [] {
  %row = ppl.global at 4294967296 : !row
  %best = ppl.global at 4295098368 : !best
  // expected-error @+1 {{unsupported: a row of 20000 elements is sorted by comparing all pairs, which is made for at most 16384; take the topk of pieces, then that of their results}}
  ppl.hau.topk dst = %best, src = %row, K = 9 : i64 : !best, !row
}

// -----

!mask = !ppl.tensor<1x1x4x65535xui8, global, continuous>
!list = !ppl.tensor<1x1x1x262140xsi32, global, continuous>
!count = !ppl.tensor<1x1x1x1xui32, global, continuous>
ppl.net @many on "bm1684x" weights [4311744512, 0] context [4294967296, 0] inputs [] outputs [] {
  %mask = ppl.global at 4294967296 : !mask
  %list = ppl.global at 4295491584 : !list
  %count = ppl.global at 4297064448 : !count
  // expected-error @+1 {{unsupported: counting 262140 elements takes 13 bytes of L2 each, there are 2076672; count smaller pieces}}
  ppl.dma.nonzero dst = %list, src = %mask, count = %count : !list, !mask, !count
}

// -----

!all = !ppl.tensor<1x64x32x64xf32, local, aligned>
!some = !ppl.tensor<1x2x32x64xf32, local, aligned>
!which = !ppl.tensor<1x2x1x1xui32, global, continuous>
ppl.net @planes on "bm1684x" weights [4311744512, 0] context [4294967296, 0] inputs [] outputs [] {
  %all = ppl.alloc : !all
  %some = ppl.alloc : !some
  %which = ppl.global at 4294967296 : !which
  // expected-error @+1 {{unsupported: the 64 channels of 2048 elements do not fit in one lane, where they are gathered as rows; take the tensor from global memory, or fewer channels at a time}}
  ppl.dma.gather_c dst = %some, param = %all, index = %which, C = 0 : i64 : !some, !all, !which
}

// -----

!s = !ppl.tensor<1x8x1x4xf32, global, continuous>
ppl.net @sdma on "bm1684x" weights [4311744512, 0] context [4294967296, 0] inputs [] outputs [] {
  %a = ppl.global at 4294967296 : !s
  %b = ppl.global at 4294971392 : !s
  // expected-error @+1 {{exists on bm1690 only, not on bm1684x}}
  ppl.sdma.move dst = %a, src = %b : !s, !s
}
