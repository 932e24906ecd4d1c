//===- Recipe.h - how an op becomes calls of PPL functions ------*- C++ -*-===//
//
// A recipe is what an op on tiles in local memory is made of: constants that it
// packs, scratch tiles, and calls of PPL functions on them, all by name. The
// local memory that tiling reserves, the bytes that packing writes and the
// program that emission makes are read off it, so they cannot disagree.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_DIALECTS_TPU_RECIPE_RECIPE_H
#define WEFT_DIALECTS_TPU_RECIPE_RECIPE_H

#include "dialects/tpu/LocalBuffer.h"
#include "mlir/IR/Operation.h"
#include "runtime/catalog/Catalog.h"
#include "runtime/numeric/Rounding.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <functional>
#include <variant>

namespace weft::tpu {

/// A tensor of a recipe: a tile or a part of one. Its address is that of the
/// tile and not known here.
struct Tile : catalog::Tensor {
  enum Kind : uint8_t { None, Operand, Result, Constant, Scratch };
  Kind kind = None;
  unsigned index = 0; ///< operand, or position among constants or scratch
  int64_t byte = 0;   ///< where the part begins in the tile

  explicit operator bool() const { return kind != None; }
};

/// An argument of a call: a tile, or numbers. No tile is left out.
class RecipeArgument {
public:
  using Numbers = llvm::SmallVector<int64_t, 4>;

  RecipeArgument(const Tile &tile) : value(tile) {}
  RecipeArgument(int64_t number) : value(number) {}
  RecipeArgument(int number) : value(int64_t(number)) {}
  RecipeArgument(bool flag) : value(int64_t(flag)) {}
  RecipeArgument(double number) : value(number) {}
  RecipeArgument(llvm::ArrayRef<int64_t> list) : value(Numbers(list)) {}

  /// Null if it is not of this kind.
  const Tile *tile() const { return std::get_if<Tile>(&value); }
  const int64_t *integer() const { return std::get_if<int64_t>(&value); }
  const double *real() const { return std::get_if<double>(&value); }
  const Numbers *integers() const { return std::get_if<Numbers>(&value); }

private:
  std::variant<Tile, int64_t, double, Numbers> value;
};

/// An argument with the slot of the function that takes it.
struct Given {
  llvm::StringRef slot;
  RecipeArgument argument;
};

/// A call of a function of the catalog.
struct RecipeCall {
  const catalog::Operation *function = nullptr;
  llvm::SmallVector<Given, 6> arguments;
};

/// Bytes of a packed constant for the whole result, in element order as DRAM
/// holds them.
using ConstantBytes = std::function<std::vector<char>()>;

struct RecipeConstant {
  llvm::StringRef name;
  LocalBuffer buffer;
  ConstantBytes bytes;
};

struct RecipeScratch {
  llvm::StringRef name;
  LocalBuffer buffer;
};

/// What an op needs and does for one piece of its result.
struct Recipe {
  std::vector<RecipeConstant> constants;
  std::vector<RecipeScratch> scratch;
  std::vector<RecipeCall> calls;
};

/// The element type of memory for one of `tpu`: `!quant` as its storage,
/// integers without a sign as signed ones.
catalog::DataType machineTypeOf(mlir::Type element);

/// The integer type of `bits`.
catalog::DataType integerOf(unsigned bits, bool isSigned);

/// A number as f32 holds it.
inline double asFloat(double value) { return static_cast<float>(value); }

/// Steps of the machine's division: within 4 units in the last place.
inline const Given kDivisionSteps{"num_iter", 3};

/// Writes a recipe. Names of constants and scratch are literals.
class RecipeBuilder {
public:
  /// The tiles of one piece: the result, and exactly what it needs of each
  /// operand.
  RecipeBuilder(mlir::Operation *op, const Chip &chip, const Box &box,
                const catalog::Tensor &result,
                llvm::ArrayRef<catalog::Tensor> operands, Recipe &recipe)
      : op(op), chip(chip), box(box), resultTensor(result), operands(operands),
        recipe(recipe) {}

  mlir::Operation *const op;
  const Chip &chip;
  const Box box; ///< of the result

  // Tiles.
  Tile operand(unsigned number) const;
  Tile result() const;
  Tile scratch(llvm::StringRef name, const Dims &dims, catalog::DataType type,
               LocalLayout layout = LocalLayout::Aligned);
  /// A constant that DRAM holds once and every lane receives.
  Tile table(llvm::StringRef name, int64_t count, catalog::DataType type,
             ConstantBytes bytes);
  /// The same bytes as another type (of one size), or as another shape.
  static Tile as(Tile tile, catalog::DataType type) {
    tile.type = type;
    return tile;
  }
  Tile as(const Tile &tile, catalog::DataType type, const Dims &shape) const;
  /// `count` entries of a row in every lane from entry `first` on.
  Tile entries(const Tile &row, int64_t first, int64_t count) const;
  /// `tile` with the shape of `like`: read again along the axes n, h and w on
  /// which it has one element.
  Tile repeated(const Tile &tile, const Tile &like) const;

  // Calls.
  void call(llvm::StringRef function, llvm::ArrayRef<Given> arguments);
  /// dst = function(src0, src1). Where the order has no effect but for the
  /// payload of a NaN, an operand that is read by strides comes first, as the
  /// vendor's encoder has it.
  void binary(llvm::StringRef function, const Tile &dst, RecipeArgument src0,
              RecipeArgument src1, llvm::ArrayRef<Given> more = {});
  /// dst = src in another type, or rounded to a whole number if both have one
  /// type.
  void cast(const Tile &dst, const Tile &src,
            numeric::Rounding rounding = numeric::Rounding::HalfToEven);
  /// dst = src, lane by lane (any strides), or dst is filled with a number. A
  /// source with one element along n, h or w is repeated.
  void copy(const Tile &dst, const RecipeArgument &src);

private:
  catalog::Tensor resultTensor;
  llvm::ArrayRef<catalog::Tensor> operands;
  Recipe &recipe;
};

/// The recipe of an op with TilingInterface for a piece of its result.
/// `operands` are the pieces of its operands as they lie, in the order of the
/// op's; anything for constants. Without them they are aligned.
Recipe recipeOf(mlir::Operation *op, const Chip &chip, const Box &result,
                llvm::ArrayRef<catalog::Tensor> operands);
Recipe recipeOf(mlir::Operation *op, const Chip &chip, const Box &result);

/// An aligned tile in lane 0.
catalog::Tensor alignedTile(const Chip &chip, const Dims &dims,
                            catalog::DataType type);

} // namespace weft::tpu

#endif // WEFT_DIALECTS_TPU_RECIPE_RECIPE_H
