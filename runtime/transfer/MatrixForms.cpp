//===- MatrixForms.cpp - transfers as matrix commands ---------------------===//
//
// A matrix command moves rows of DRAM, each cut into channels of w elements
// that lie in neighbouring lanes. It pays neither for pages nor for runs of w
// beyond 256 bytes.
//
//===----------------------------------------------------------------------===//

#include "runtime/chips/Chip.h"
#include "runtime/transfer/Forms.h"

#include <algorithm>

using namespace weft;
using namespace weft::transfer;

namespace {
/// A matrix as both sides see it: rows x (channels x width). `row`: its steps
/// in DRAM and in local memory. Transposed, the rows of local memory are the
/// columns of DRAM.
struct Matrix {
  bool isTransposed = false;
  int64_t rows = 1, channels = 1, width = 1;
  int64_t localRow = 0;   ///< step of a row in local memory
  int64_t localRound = 0; ///< step of a round of lanes
  int64_t flatRow = 0;    ///< step of a row of DRAM
};

class MatrixSearch {
public:
  MatrixSearch(const Axes &axes, const Chip &chip, const Visit &visit)
      : axes(axes), chip(chip), visit(visit), isLoad(axes.isLoad()),
        limit(chip.maxShape), lanes(chip.lanes) {}

  void run() {
    straight();
    transposed();
  }

private:
  int64_t flat(const Axis &axis) const { return isLoad ? axis.from : axis.to; }
  int64_t local(const Axis &axis) const { return isLoad ? axis.to : axis.from; }

  void straight();
  void transposed();
  void channelsInPieces(Matrix matrix);
  void channelsInRounds(Matrix matrix);
  Command commandOf(const Matrix &matrix, int64_t firstChannel,
                    int64_t flatOffset) const;

  const Axes &axes;
  const Chip &chip;
  const Visit &visit;
  bool isLoad;
  int64_t limit, lanes;
};
} // namespace

/// The command for `matrix`, whose channel 0 is channel `firstChannel` of the
/// transfer.
Command MatrixSearch::commandOf(const Matrix &matrix, int64_t firstChannel,
                                int64_t flatOffset) const {
  cycles::DmaBox flatBox, localBox;
  flatBox.h =
      matrix.isTransposed ? matrix.channels * matrix.width : matrix.rows;
  flatBox.w =
      matrix.isTransposed ? matrix.rows : matrix.channels * matrix.width;
  flatBox.hStride = flatBox.h == 1 ? flatBox.w : matrix.flatRow;
  localBox.n = matrix.rows;
  localBox.c = matrix.channels;
  localBox.w = matrix.width;
  localBox.cStride = matrix.localRound;
  localBox.nStride = matrix.localRow;
  localBox.hStride = matrix.width;
  Command command;
  command.from = axes.from;
  command.to = axes.to;
  Place &localPlace = isLoad ? command.to : command.from;
  Place &flatPlace = isLoad ? command.from : command.to;
  int64_t lane = localPlace.lane + firstChannel;
  localPlace.lane = lane % lanes;
  localPlace.address += lane / lanes * matrix.localRound * axes.elementBytes;
  flatPlace.address += flatOffset * axes.elementBytes;
  command.shape = {matrix.isTransposed ? cycles::DmaFunction::MatrixTranspose
                                       : cycles::DmaFunction::Matrix,
                   isLoad ? cycles::Direction::GlobalToLocal
                          : cycles::Direction::LocalToGlobal,
                   axes.elementBytes, isLoad ? flatBox : localBox,
                   isLoad ? localBox : flatBox};
  return command;
}

/// As many channels a command as its columns hold.
void MatrixSearch::channelsInPieces(Matrix matrix) {
  int64_t most = limit / matrix.width, all = matrix.channels;
  if (most == 0 || (all + most - 1) / most > int64_t(Planner::kMostCommands))
    return;
  std::vector<Command> commands;
  for (int64_t first = 0; first < all; first += most) {
    matrix.channels = std::min(most, all - first);
    commands.push_back(commandOf(matrix, first, first * flat(axes.channel)));
  }
  visit(std::move(commands));
}

/// A round of lanes is a row; what is left over is another command.
void MatrixSearch::channelsInRounds(Matrix matrix) {
  const Place &place = isLoad ? axes.to : axes.from;
  int64_t rounds = matrix.channels / lanes, left = matrix.channels % lanes;
  if (rounds < 2 || place.lane != 0 || matrix.rows != 1 ||
      lanes * matrix.width > limit || rounds > limit)
    return;
  std::vector<Command> commands;
  matrix.rows = rounds;
  matrix.channels = lanes;
  matrix.flatRow = lanes * matrix.width;
  matrix.localRow = matrix.localRound;
  commands.push_back(commandOf(matrix, 0, 0));
  if (left != 0) {
    matrix.rows = 1;
    matrix.channels = left;
    commands.push_back(
        commandOf(matrix, rounds * lanes, rounds * lanes * flat(axes.channel)));
  }
  visit(std::move(commands));
}

/// Columns of DRAM lie side by side in the lanes.
void MatrixSearch::straight() {
  Matrix matrix;
  matrix.channels = axes.channel.size;
  matrix.localRound = local(axes.channel);
  const Axis *row = nullptr;
  for (const Axis &axis : axes.axes) {
    if (axis.from == 1 && axis.to == 1 && matrix.width == 1)
      matrix.width = axis.size;
    else if (!row)
      row = &axis;
    else
      return; // one axis too many
  }
  if (axes.channel.size > 1 && flat(axes.channel) != matrix.width)
    return;
  if (row) {
    if (row->size > limit || flat(*row) <= 0 || local(*row) <= 0)
      return;
    matrix.rows = row->size;
    matrix.flatRow = flat(*row);
    matrix.localRow = local(*row);
  }
  channelsInPieces(matrix);
  channelsInRounds(matrix);
}

/// Neighbours in DRAM lie behind each other in a lane.
void MatrixSearch::transposed() {
  Matrix matrix;
  matrix.isTransposed = true;
  matrix.channels = axes.channel.size;
  matrix.localRound = local(axes.channel);
  const Axis *column = nullptr, *width = nullptr;
  for (const Axis &axis : axes.axes) {
    if (flat(axis) == 1 && !column)
      column = &axis;
    else if (local(axis) == 1 && !width)
      width = &axis;
    else
      return;
  }
  if (!column || local(*column) <= 0 || column->size > limit)
    return;
  matrix.rows = column->size;
  matrix.localRow = local(*column);
  matrix.width = width ? width->size : 1;
  matrix.flatRow = width ? flat(*width) : flat(axes.channel);
  bool isEven = matrix.channels == 1 ||
                flat(axes.channel) == matrix.flatRow * matrix.width;
  if (!isEven || matrix.flatRow <= 0 || matrix.channels * matrix.width > limit)
    return;
  visit({commandOf(matrix, 0, 0)});
}

void transfer::eachMatrixForm(const Axes &axes, const Chip &chip,
                              const Visit &visit) {
  if (axes.isLoad() || axes.isStore())
    MatrixSearch(axes, chip, visit).run();
}
