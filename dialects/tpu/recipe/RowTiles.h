//===- RowTiles.h - rows of a result from fewer products --------*- C++ -*-===//
//
// Winograd's minimal filtering along the rows: m neighbouring rows of a
// convolution are sums of m + kh - 1 products of one row each, not m * kh. The
// convolution of rows is a product of polynomials; a product is known from its
// values at as many points as it has coefficients. Sums round elsewhere: see
// docs/rationale/0017-compute-and-schedule.md.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_DIALECTS_TPU_RECIPE_ROWTILES_H
#define WEFT_DIALECTS_TPU_RECIPE_ROWTILES_H

#include "dialects/tpu/Conv.h"
#include "dialects/tpu/recipe/Recipe.h"

#include "llvm/ADT/ArrayRef.h"

namespace weft::tpu {

/// The ways that make `rows` rows together.
struct RowTiles {
  llvm::StringLiteral name;
  int64_t rows;
};
inline constexpr RowTiles kRowTiles[] = {{"row_tiles_2", 2},
                                         {"row_tiles_4", 4}};

/// Whether `rows` rows of the result can be made together: sums of f32 over all
/// channels that may round, steps of one row, and a number of products that has
/// points.
bool canTileRows(ConvOp op, int64_t rows);

/// Rows that are made together by the way that was chosen; 1 if none of these.
/// Tiles begin at multiples of it wherever the result is cut, so that it rounds
/// in the same way.
int64_t tiledRowsOf(ConvOp op);

/// The recipe for `rows` rows at a time.
void buildRowTiles(ConvOp op, RecipeBuilder &r, int64_t rows);

/// Row k of the matrix makes, from m + kh - 1 neighbouring rows of the input,
/// what is multiplied with the filter's value at point k; divided so that these
/// are plain values of the filter as a polynomial. Order of points: 0, p and -p
/// for each of `points`, infinity.
std::vector<std::vector<double>> inputTransform(llvm::ArrayRef<double> points);

} // namespace weft::tpu

#endif // WEFT_DIALECTS_TPU_RECIPE_ROWTILES_H
