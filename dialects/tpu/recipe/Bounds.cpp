//===- Bounds.cpp - a number that floats are no smaller than --------------===//

#include "dialects/tpu/recipe/Bounds.h"

using namespace weft;
using namespace weft::tpu;

void tpu::atLeast(RecipeBuilder &r, const Tile &dst, const Tile &src,
                  double number) {
  r.binary("tiu.fmax", dst, number, src);
}

void tpu::atMost(RecipeBuilder &r, const Tile &dst, const Tile &src,
                 double number) {
  r.binary("tiu.fmin", dst, src, number);
}
