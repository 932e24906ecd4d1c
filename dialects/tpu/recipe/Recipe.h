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
/// tile and not known here. Tiles begin in lane 0, of an op that runs in any
/// lane all in the one of its result; parts in any.
struct Tile : catalog::Tensor {
  enum Kind : uint8_t { None, Operand, Result, Constant, Scratch };
  Kind kind = None;
  unsigned index = 0; ///< operand, or position among constants or scratch
  int64_t byte = 0;   ///< where the part begins in the lanes of the tile

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
  /// In its place where all tiles begin in one lane; null: nothing. Recipes do
  /// not know in which lane the tiles of their op begin.
  const catalog::Operation *insideLanes = nullptr;
  /// With the number of the slot.
  llvm::SmallVector<std::pair<unsigned, RecipeArgument>, 6> arguments;
};

/// Bytes of a packed constant for the whole result, in element order as DRAM
/// holds them. Fails, with an error, if the op's operand has none.
using ConstantBytes = std::function<mlir::FailureOr<std::vector<char>>()>;

/// The bytes of numbers, as constants have them.
template <typename Number>
std::vector<char> bytesOf(llvm::ArrayRef<Number> numbers) {
  const char *begin = reinterpret_cast<const char *>(numbers.data());
  return std::vector<char>(begin, begin + numbers.size() * sizeof(Number));
}

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

/// One way to compute a piece of an op's result.
struct Alternative {
  llvm::StringLiteral name; ///< as `tpu.recipe` has it
  void (*build)(mlir::Operation *op, RecipeBuilder &builder);
  /// Whether this op may take it; null: every one. What it computes is equal to
  /// the last bit unless `addsInAnotherOrder`.
  bool (*applies)(mlir::Operation *op) = nullptr;
  /// Sums of floats round at other places, and of equal or unordered largest
  /// ones (-0 and 0, NaN) another is taken. Chosen for whole ops at every level
  /// of optimization, so that all give the same bits.
  bool addsInAnotherOrder = false;

  bool isOpenTo(mlir::Operation *op) const { return !applies || applies(op); }
};

/// Discardable attribute: the name of the way that the op takes, one that is
/// open to it. Without it the op takes the first.
inline constexpr llvm::StringLiteral kRecipeAttr = "tpu.recipe";

/// The ways that `op` may take.
llvm::SmallVector<const Alternative *, 2> alternativesOf(mlir::Operation *op);

/// The element type of memory for one of `tpu`: `!quant` as its storage,
/// integers without a sign as signed ones.
catalog::DataType machineTypeOf(mlir::Type element);

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
                llvm::ArrayRef<catalog::Tensor> operands, bool wantsCalls,
                Recipe &recipe)
      : op(op), chip(chip), box(box), resultTensor(result), operands(operands),
        wantsCalls(wantsCalls), recipe(recipe) {}

  mlir::Operation *const op;
  const Chip &chip;
  const Box box; ///< of the result

  // Tiles.
  Tile operand(unsigned number) const;
  Tile result() const;
  Tile scratch(llvm::StringRef name, const Dims &dims, catalog::DataType type,
               LocalLayout layout = LocalLayout::Aligned);
  /// Another tile like `tile`, so that a command need not write over its
  /// operand, which takes twice as long (docs/cycles.md). `tile` itself if that
  /// would be much of local memory: if half of it does not hold the whole
  /// result, so that all pieces do alike.
  Tile apart(llvm::StringRef name, const Tile &tile);
  /// A constant that DRAM holds once, as one channel of this shape, and every
  /// lane receives.
  Tile table(llvm::StringRef name, Dims dims, catalog::DataType type,
             ConstantBytes bytes);
  Tile table(llvm::StringRef name, int64_t count, catalog::DataType type,
             ConstantBytes bytes) {
    return table(name, Dims{1, 1, 1, count}, type, std::move(bytes));
  }
  /// A constant with a part for each channel of the result, of which the piece
  /// takes those of its channels.
  Tile perChannel(llvm::StringRef name, const Dims &dims,
                  catalog::DataType type, LocalLayout layout,
                  ConstantBytes bytes, bool hasShortRows = false);
  /// A constant matrix (1, rows, 1, columns), a row a lane, that every piece
  /// takes whole. DRAM holds compact ones lane after lane.
  Tile matrix(llvm::StringRef name, const Dims &dims, catalog::DataType type,
              ConstantBytes bytes, LocalLayout layout = LocalLayout::Aligned);
  /// Operand `number`, a `tpu.weight` of one number a channel and of the
  /// result's type, as such a constant.
  Tile numberPerChannel(llvm::StringRef name, unsigned number);
  /// The bytes of operand `number`, a `tpu.weight`.
  ConstantBytes weight(unsigned number) const;
  /// The same bytes as another type (of one size), or as another shape.
  static Tile as(Tile tile, catalog::DataType type) {
    tile.type = type;
    return tile;
  }
  Tile as(const Tile &tile, catalog::DataType type, const Dims &shape) const;
  /// `count` entries of a row in every lane from entry `first` on.
  Tile entries(const Tile &row, int64_t first, int64_t count) const;
  /// `count` elements along `axis` (n, h or w), each `step`-th from `begin` on.
  Tile part(const Tile &tile, unsigned axis, int64_t begin, int64_t count,
            int64_t step = 1) const;
  /// `count` channels from `begin` on, which lie in one round over the lanes.
  Tile channels(const Tile &tile, int64_t begin, int64_t count) const;
  /// `count` elements of each of some channels from `first` on, which lie in
  /// one round over the lanes, as a row: copies from lane to lane take those.
  Tile flatRow(const Tile &channels, int64_t first, int64_t count) const;
  /// Every `step`-th element along `axis` (n, h or w) from `begin` on; `step`
  /// divides the size.
  Tile every(const Tile &tile, unsigned axis, int64_t begin,
             int64_t step) const;
  /// A tile with one channel in every lane as one of `channels` equal ones.
  Tile rowForEach(const Tile &row, int64_t channels) const;
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
  /// dst = src * factor + offset, rounded after each, in one command.
  void scale(const Tile &dst, const Tile &src, double factor, double offset);
  /// dst = src in another type, or rounded to a whole number if both have one
  /// type.
  void cast(const Tile &dst, const Tile &src,
            numeric::Rounding rounding = numeric::Rounding::HalfToEven);
  /// dst = src, lane by lane (any strides), or dst is filled with a number. A
  /// source with one element along n, h or w is repeated.
  void copy(const Tile &dst, const RecipeArgument &src);
  /// dst = src, aligned tiles that may begin in different lanes.
  void moveAcrossLanes(const Tile &dst, const Tile &src);
  /// Every channel of dst = the one of src: aligned tiles, of which dst begins
  /// in the first lane.
  void repeatChannel(const Tile &dst, const Tile &src);

private:
  Tile constant(llvm::StringRef name, const LocalBuffer &buffer,
                catalog::DataType type, ConstantBytes bytes);

  catalog::Tensor resultTensor;
  llvm::ArrayRef<catalog::Tensor> operands;
  bool wantsCalls; ///< else only buffers are asked for
  Recipe &recipe;
};

/// The recipe of an op with TilingInterface for a piece of its result, in the
/// way chosen for it or in the one given.
/// `operands` are the pieces of its operands as they lie, in the order of the
/// op's; anything for constants. Without them they are aligned.
Recipe recipeOf(mlir::Operation *op, const Chip &chip, const Box &result,
                llvm::ArrayRef<catalog::Tensor> operands,
                const Alternative *way = nullptr);
Recipe recipeOf(mlir::Operation *op, const Chip &chip, const Box &result,
                const Alternative *way = nullptr);

/// The constants of the whole result.
std::vector<RecipeConstant> constantsOf(mlir::Operation *op, const Chip &chip);

/// What a piece takes of local memory besides the tiles of operands and result:
/// constants, then scratch, both in the order of the recipe.
llvm::SmallVector<LocalBuffer> localBuffersOf(mlir::Operation *op,
                                              const Chip &chip,
                                              const Box &result,
                                              const Alternative *way = nullptr);

catalog::AlignMode alignModeOf(LocalLayout layout);

/// An aligned tile in lane 0.
catalog::Tensor alignedTile(const Chip &chip, const Dims &dims,
                            catalog::DataType type);

} // namespace weft::tpu

#endif // WEFT_DIALECTS_TPU_RECIPE_RECIPE_H
