//===- tiles.h - loops over tiles, pipelined or not ------------*- C++ -*-===//

#ifndef WEFT_TESTS_PPL_KERNELS_TILES_H
#define WEFT_TESTS_PPL_KERNELS_TILES_H

#include "ppl/ppl.h"

#include <cmath>
#include <vector>

/// Calls body(start, count) for 0, tile, 2 * tile, ... below `total`. The same
/// kernel is built with and without `pipelined`, to compare their cycles.
template <class Body>
void forTiles(bool pipelined, int total, int tile, Body body) {
  for (int start = 0; start < total; start += tile) {
    int count = ppl::min(tile, total - start);
    if (pipelined) {
      ppl::enable_pipeline();
      body(start, count);
    } else {
      body(start, count);
    }
  }
}

// Half an ulp of a type relative to 1: what one rounding costs at most.
constexpr double kFp32 = 0x1p-24, kFp16 = 0x1p-11, kBf16 = 0x1p-8;

#endif // WEFT_TESTS_PPL_KERNELS_TILES_H
