#include "runtime/transfer/Staging.h"

#include "runtime/chips/Chips.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>

using namespace weft;
using namespace weft::transfer;

namespace {
const Chip &chip = chips::bm1684x;
constexpr int64_t kOperand = 0x100000000, kResult = 0x100800000;
using Random = std::mt19937;

int64_t draw(Random &random, int64_t low, int64_t high) {
  return std::uniform_int_distribution<int64_t>(low, high)(random);
}

/// Does the steps of a plan element by element, and holds them to their bounds.
class Machine {
public:
  Machine(ElementSizes sizes, int64_t operandElements, int64_t resultElements,
          unsigned results)
      : sizes(sizes), operand(operandElements * sizes.operand),
        result(results, std::vector<uint8_t>(resultElements * sizes.result)) {
    Random random(1);
    for (uint8_t &byte : operand)
      byte = uint8_t(random());
  }

  void run(const StagedPlan &plan) {
    for (const StagedStep &step : plan.steps)
      run(step);
  }

  /// The same without a plan.
  void copy(const Piece &piece, unsigned number) {
    std::vector<int64_t> at(piece.axes.size(), 0);
    for (;;) {
      int64_t from = piece.source, to = piece.result;
      for (size_t i = 0; i < at.size(); ++i) {
        from += at[i] * piece.axes[i].from;
        to += at[i] * piece.axes[i].to;
      }
      copyElement(&operand[from * sizes.operand],
                  &result[number][to * sizes.result]);
      size_t axis = 0;
      while (axis < at.size() && ++at[axis] == piece.axes[axis].size)
        at[axis++] = 0;
      if (axis == at.size())
        return;
    }
  }

  const ElementSizes sizes;
  std::vector<uint8_t> operand;
  std::vector<std::vector<uint8_t>> result;

private:
  /// bf16 becomes f32 where the result's elements are larger.
  void copyElement(const uint8_t *from, uint8_t *to) const {
    unsigned more = sizes.result - sizes.operand;
    std::fill_n(to, more, 0);
    std::copy_n(from, sizes.operand, to + more);
  }

  uint8_t *place(const Side &side, unsigned bytes, const Four &at,
                 const StagedStep &step) {
    int64_t offset = side.place.address;
    for (unsigned axis : {0u, 2u, 3u})
      offset += at[axis] * side.strides[axis] * bytes;
    if (side.place.isLocal) {
      EXPECT_LE(offset + bytes, int64_t(chip.laneBytes));
      return &lanes[(side.place.lane + at[1]) * chip.laneBytes + offset];
    }
    offset += at[1] * side.strides[1] * bytes;
    auto &memory =
        step.kind == StagedStep::Load ? operand : result[step.result];
    offset -= step.kind == StagedStep::Load ? kOperand : kResult;
    EXPECT_GE(offset, 0);
    EXPECT_LE(offset + bytes, int64_t(memory.size()));
    return &memory[std::clamp<int64_t>(offset, 0, memory.size() - bytes)];
  }

  void run(const StagedStep &step) {
    const Transfer &move = step.transfer;
    for (const Side *side : {&move.from, &move.to})
      for (int64_t stride : side->strides)
        EXPECT_TRUE(step.kind != StagedStep::LaneCopy || stride < 1 << 16)
            << stride << " does not fit the field of a command";
    Four at;
    for (at[0] = 0; at[0] < move.shape[0]; ++at[0])
      for (at[1] = 0; at[1] < move.shape[1]; ++at[1])
        for (at[2] = 0; at[2] < move.shape[2]; ++at[2])
          for (at[3] = 0; at[3] < move.shape[3]; ++at[3])
            switch (step.kind) {
            case StagedStep::Load:
              std::copy_n(place(move.from, sizes.operand, at, step),
                          sizes.operand,
                          place(move.to, sizes.operand, at, step));
              break;
            case StagedStep::LaneCopy:
              copyElement(place(move.from, sizes.operand, at, step),
                          place(move.to, sizes.result, at, step));
              break;
            case StagedStep::Store:
              std::copy_n(place(move.from, sizes.result, at, step),
                          sizes.result, place(move.to, sizes.result, at, step));
              break;
            }
  }

  /// One for all tests: it need not be cleared.
  inline static std::vector<uint8_t> lanes =
      std::vector<uint8_t>(size_t(chip.lanes) * chip.laneBytes);
};

/// A piece of a dense operand: axes in any order on the other side, some cut,
/// stepped or repeated.
Piece randomPiece(Random &random) {
  Piece piece;
  piece.operandAddress = kOperand;
  piece.resultAddress = kResult;
  std::vector<int64_t> sizes(draw(random, 1, 6));
  for (int64_t &size : sizes)
    size = sizes.size() > 4     ? draw(random, 2, 9)
           : draw(random, 0, 3) ? draw(random, 2, 24)
                                : draw(random, 30, 200);
  int64_t step = 1;
  for (int64_t size : sizes) { // innermost first
    int64_t used = draw(random, 0, 3) ? size : draw(random, 1, size);
    int64_t stride = draw(random, 0, 5) ? 1 : 2;
    used = std::max<int64_t>(1, used / stride);
    piece.source += draw(random, 0, size - (used - 1) * stride - 1) * step;
    piece.axes.push_back({used, step * stride, 1});
    step *= size;
  }
  piece.operandElements = step;
  if (draw(random, 0, 3) == 0)
    piece.axes.push_back({draw(random, 2, 9), 0, 1});
  std::shuffle(piece.axes.begin(), piece.axes.end(), random);
  int64_t to = 1;
  for (Axis &axis : piece.axes) {
    axis.to = to;
    to *= axis.size;
  }
  return piece;
}

int64_t resultElements(const Piece &piece) {
  int64_t elements = 1;
  for (const Axis &axis : piece.axes)
    elements *= axis.size;
  return elements;
}
} // namespace

TEST(Staging, piecesArriveAndLoadsStayInTheOperand) {
  constexpr unsigned kSeed = 7;
  Random random(kSeed);
  Planner planner(chip);
  unsigned planned = 0, turned = 0, widened = 0;
  for (int i = 0; i < 250; ++i) {
    Piece piece = randomPiece(random);
    ElementSizes sizes(1u << draw(random, 0, 2));
    if (sizes.operand == 2 && draw(random, 0, 1))
      sizes.result = 4;
    if (resultElements(piece) > 60000 || piece.operandElements > 1000000)
      continue;
    SCOPED_TRACE("seed " + std::to_string(kSeed) + ", piece " +
                 std::to_string(i));
    auto plan = stagePiece(planner, chip, sizes, piece);
    if (!plan)
      continue;
    ++planned;
    widened += sizes.operand != sizes.result;
    turned += std::any_of(plan->steps.begin(), plan->steps.end(),
                          [](const StagedStep &step) {
                            return step.kind == StagedStep::LaneCopy;
                          });
    Machine machine(sizes, piece.operandElements, resultElements(piece), 1),
        naive = machine;
    machine.run(*plan);
    naive.copy(piece, 0);
    ASSERT_TRUE(machine.result == naive.result);
    if (HasFailure())
      return;
  }
  EXPECT_GT(planned, 100u);
  EXPECT_GT(turned, 50u);
  EXPECT_GT(widened, 15u);
}

/// [rows, sum of widths] from [rows, width] each, and back.
TEST(Staging, rowsAreJoinedAndSplit) {
  Random random(8);
  Planner planner(chip);
  unsigned joined = 0, split = 0;
  for (int i = 0; i < 40; ++i) {
    unsigned bytes = 1u << draw(random, 0, 2);
    int64_t rows = draw(random, 2, 1500), total = 0;
    std::vector<int64_t> widths(draw(random, 2, 8));
    for (int64_t &width : widths)
      total += width = draw(random, 1, 9);
    std::vector<Piece> in, out;
    int64_t at = 0, operand = 0;
    for (int64_t width : widths) {
      // All operands of a concatenation lie behind each other here.
      in.push_back({0,
                    rows * total,
                    kOperand,
                    kResult,
                    operand,
                    at,
                    {{rows, width, total}, {width, 1, 1}}});
      out.push_back({0,
                     rows * total,
                     kOperand,
                     kResult,
                     at,
                     0,
                     {{rows, total, width}, {width, 1, 1}}});
      operand += rows * width;
      at += width;
    }
    unsigned count = unsigned(widths.size());
    Machine machine(bytes, rows * total, rows * total, count), naive = machine;
    if (auto plan = stageRows(planner, chip, bytes, in)) {
      ++joined;
      machine.run(*plan);
      for (const Piece &piece : in)
        naive.copy(piece, 0);
      ASSERT_TRUE(machine.result == naive.result);
    }
    if (auto plan = stageSplit(planner, chip, bytes, out)) {
      ++split;
      machine.run(*plan);
      for (unsigned number = 0; number < count; ++number)
        naive.copy(out[number], number);
      ASSERT_TRUE(machine.result == naive.result);
    }
  }
  EXPECT_GT(joined, 30u);
  EXPECT_GT(split, 30u);
}

/// 1x224x224x3 f32 to 1x3x224x224, for which the vendor's streams take 28,191
/// cycles: a load, a copy in the lanes, a store.
TEST(Staging, anImageIsTurnedAsFastAsTheVendorDoes) {
  Planner planner(chip);
  Piece piece{
      0, 3 * 50176, kOperand, kResult, 0, 0, {{50176, 3, 1}, {3, 1, 50176}}};
  auto plan = stagePiece(planner, chip, 4, piece);
  ASSERT_TRUE(plan);
  EXPECT_LE(plan->price.cycles, 28191u);
  EXPECT_EQ(plan->price.evidence, cycles::Evidence::Measured);
}

/// The patches of 32x32 pixels of so many planes of 224x224, pixel by pixel.
static Piece patchesOf(int64_t planes) {
  return {0,
          planes * 50176,
          kOperand,
          kResult,
          0,
          0,
          {{planes, 50176, 50176},
           {7, 32 * 224, 7},
           {32, 224, 32 * 49},
           {32, 1, 49},
           {7, 32, 1}}};
}

/// Beyond what the lanes hold, which is 18 planes, a part follows the other.
TEST(Staging, whatTheLanesDoNotHoldIsHalved) {
  Planner planner(chip);
  auto some = stagePiece(planner, chip, 4, patchesOf(18)),
       more = stagePiece(planner, chip, 4, patchesOf(39));
  ASSERT_TRUE(some && more);
  EXPECT_LE(more->price.cycles, some->price.cycles * 39 / 18 * 5 / 4);
  Machine machine(4, 39 * 50176, 39 * 50176, 1), naive = machine;
  machine.run(*more);
  naive.copy(patchesOf(39), 0);
  EXPECT_TRUE(machine.result == naive.result);
}

/// The three anchors of a detector's head: one is loaded while another is
/// turned, so that the loads and the stores are all that takes time but for one
/// turn of the last.
TEST(Staging, stepsAreLoadedWhileOthersAreTurned) {
  Planner planner(chip);
  Piece one{0, 136000, kOperand, kResult, 0, 0, {{85, 1600, 1}, {1600, 1, 85}}},
      three = one;
  three.operandElements *= 3;
  three.axes.push_back({3, 136000, 136000});
  auto single = stagePiece(planner, chip, 2, one),
       all = stagePiece(planner, chip, 2, three);
  ASSERT_TRUE(single && all);
  EXPECT_LT(all->price.cycles, single->price.cycles * 9 / 4);
  Machine machine(2, 3 * 136000, 3 * 136000, 1), naive = machine;
  machine.run(*all);
  naive.copy(three, 0);
  EXPECT_TRUE(machine.result == naive.result);
}

TEST(Staging, aRunNeedsNoTurning) {
  Planner planner(chip);
  EXPECT_FALSE(stagePiece(
      planner, chip, 4,
      {0, 4096, kOperand, kResult, 0, 0, {{64, 64, 64}, {64, 1, 1}}}));
}
