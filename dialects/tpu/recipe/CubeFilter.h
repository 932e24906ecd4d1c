//===- CubeFilter.h - filters of the cube and who reads them ----*- C++ -*-===//
//
// The cube multiplies every input channel from the first lane on with filters
// as wide as these channels. Grouped filters are narrower. Either DRAM holds
// them widened, or they are widened in local memory; then a command reads the
// channels of some groups only.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_DIALECTS_TPU_RECIPE_CUBEFILTER_H
#define WEFT_DIALECTS_TPU_RECIPE_CUBEFILTER_H

#include "dialects/tpu/Conv.h"
#include "dialects/tpu/recipe/Recipe.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace weft::tpu {

/// How a convolution is divided among commands of the cube.
struct CubeWay {
  enum Filter : uint8_t {
    Widened, ///< in DRAM, for one command that reads all channels
    Dense,   ///< in DRAM as the model has them
  };
  Filter filter = Widened;
  int64_t groups = 1; ///< Dense: of one command, at most
  /// Dense: channels that do not begin in the first lane are copied there if
  /// the command then reads fewer of them.
  bool movesInput = false;
};

/// What one command reads and writes. No bias if there is none.
struct CubeTiles {
  Tile dst, src, filter, bias;
};

class CubeFilter {
public:
  /// Adds the filter's constant to the recipe and, where that is not what a
  /// command reads, scratch and the calls that widen it.
  CubeFilter(ConvOp op, RecipeBuilder &r, CubeWay way);

  catalog::DataType type() const { return constant.type; }
  /// The tiles of each command that computes a part of `dst`; `bias` has a
  /// number a channel or is none.
  void forEachCommand(const Tile &dst, const Tile &bias,
                      llvm::function_ref<void(const CubeTiles &)> make);

private:
  /// Neighbouring groups that one command computes.
  struct Run {
    int64_t firstGroup, groups;
    int64_t result, results; ///< channels of the piece
    int64_t input, inputs;   ///< channels of the input that are read
    bool isMoved;            ///< to the first lane
    bool isInPlace;          ///< the constant is what the command reads
    int64_t at; ///< else where its filters begin in the lanes, in elements
  };

  std::vector<Run> runsOf(CubeWay way);
  Run runOf(int64_t first, int64_t end, bool movesInput) const;
  int64_t firstReadable(int64_t channel, bool isMoved) const;
  /// Elements of a filter for so many input channels.
  int64_t rowElements(int64_t inputs) const;
  bool isInPlace(const Run &run) const;
  bool areAllInPlace(CubeWay way);
  void addWide(CubeWay way);
  void addMoved();
  void addMask();
  void put(int64_t group, const Tile &to, const Tile &from);
  void widen(const Run &run);
  void widen(const Run &run, int64_t group);
  Tile filterOf(const Run &run) const;
  Tile sourceOf(const Run &run, int64_t image, int64_t images);

  ConvOp op;
  RecipeBuilder &r;
  bool isWidened;
  int64_t taps, pack, lanes;
  int64_t groupInputs, groupResults; ///< channels of a group
  std::vector<Run> runs;
  Tile constant, wide, moved, mask;
};

} // namespace weft::tpu

#endif // WEFT_DIALECTS_TPU_RECIPE_CUBEFILTER_H
