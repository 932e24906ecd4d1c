//===- TiuFormulas.cpp - cycles of the tensor unit ------------------------===//

#include "runtime/cycles/Formulas.h"

#include <algorithm>

using namespace weft;
using namespace weft::cycles;
using namespace weft::cycles::detail;
using isa::Field;
using isa::Precision;

uint64_t detail::product(std::initializer_list<uint64_t> factors) {
  uint64_t result = 1;
  for (uint64_t factor : factors)
    if (__builtin_mul_overflow(result, factor, &result) || result > kMostCycles)
      result = kMostCycles;
  // A zero behind an overflow still means no work.
  for (uint64_t factor : factors)
    if (factor == 0)
      return 0;
  return result;
}

unsigned detail::costBytes(uint64_t precision) {
  if (precision > static_cast<uint64_t>(Precision::Int4))
    return 4;
  unsigned bytes = isa::elementBytes(static_cast<Precision>(precision));
  return bytes == 0 ? 1 : bytes;
}

namespace {

/// The fields that nearly every TIU formula needs.
struct Shape {
  uint64_t n, c, h, w;
  /// Rounds over the lanes: channels start in the lane that the result's
  /// address names.
  uint64_t laneRounds;

  Shape(const isa::Decoded &command, const Chip &chip)
      : n(command.get(Field::res0_n, 1)), c(command.get(Field::res0_c, 1)),
        h(command.get(Field::res0_h, 1)), w(command.get(Field::res0_w, 1)) {
    uint64_t firstLane = command.get(Field::res0_addr) / chip.laneBytes;
    laneRounds = ceilDiv(c + firstLane, chip.lanes);
  }
  /// One pass over the result with `perRow` elements to a row of EUs.
  uint64_t pass(uint64_t perRow) const {
    return product({n, laneRounds, ceilDiv(h * w, perRow)});
  }
};

} // namespace

/// Elements in a row of EUs for the widest of the command's operand types.
static uint64_t elementsPerRow(const isa::Decoded &command, const Chip &chip,
                               std::initializer_list<Field> precisions) {
  unsigned bytes = 1;
  for (Field field : precisions)
    if (command.has(field))
      bytes = std::max(bytes, costBytes(command.get(field)));
  return chip.euBytes / bytes;
}

/// Rows of EUs that a freely strided h x w operand touches for each row that
/// the result takes. Rounded down as a whole, so that a window of repeated
/// values (h stride below w) can cost nothing.
static uint64_t stridedRows(uint64_t h, uint64_t w, uint64_t hStride,
                            uint64_t wStride, uint64_t perRow) {
  if (wStride > 1)
    return std::min(wStride, perRow);
  if (hStride == 0)
    hStride = w;
  uint64_t touched =
      hStride % perRow == 0 || hStride >= w + perRow
          ? h * ceilDiv(hStride % perRow + w, perRow) // each line on its own
          : ceilDiv(h * hStride, perRow);             // lines run together
  uint64_t rows = ceilDiv(h * w, perRow);
  return rows == 0 ? 0 : touched / rows;
}

static bool isFree(const isa::Decoded &command, Field layout) {
  return command.get(layout) == static_cast<uint64_t>(isa::Layout::Free);
}

static uint64_t arithCycles(Formula formula, const isa::Decoded &command,
                            const Chip &chip) {
  Shape shape(command, chip);
  uint64_t operands = command.get(Field::tsk_opd_num, 1);
  bool reads0 = !command.get(Field::opd0_const);
  bool reads1 = operands > 1 && !command.get(Field::opd1_const);
  // Constants count for the width too.
  unsigned bytes = std::max(costBytes(command.get(Field::res0_prec)),
                            costBytes(command.get(Field::opd0_prec)));
  if (operands > 1)
    bytes = std::max(bytes, costBytes(command.get(Field::opd1_prec)));
  if (operands > 2)
    bytes = std::max(bytes, costBytes(command.get(Field::opd2_prec)));
  uint64_t perRow = chip.euBytes / bytes;
  auto rows = [&](Field layout, Field hStride, Field wStride) -> uint64_t {
    if (!isFree(command, layout))
      return 0;
    return stridedRows(shape.h, shape.w, command.get(hStride),
                       command.get(wStride), perRow);
  };
  // Two strided operands come one after the other; the result is written
  // meanwhile.
  uint64_t read = 0;
  if (reads0)
    read += rows(Field::opd0_str, Field::opd0_h_str, Field::opd0_w_str);
  if (reads1)
    read += rows(Field::opd1_str, Field::opd1_h_str, Field::opd1_w_str);
  uint64_t passes = std::max<uint64_t>(
      {1, read, rows(Field::res0_str, Field::res0_h_str, Field::res0_w_str)});
  if (formula == Formula::Divide)
    return product(
        {shape.pass(perRow),
         std::max(passes, constantsOf(chip).divideBasePasses +
                              constantsOf(chip).dividePassesPerIteration *
                                  command.get(Field::opd2_n_str))});
  uint64_t result = command.get(Field::res0_addr) % chip.laneBytes;
  auto isInPlace = [&](Field address) {
    return command.get(address) % chip.laneBytes == result;
  };
  bool conflicts =
      formula != Formula::Copy &&
      ((reads0 && isInPlace(Field::opd0_addr)) ||
       (reads1 && formula != Formula::Shift && isInPlace(Field::opd1_addr)));
  return product({shape.pass(perRow), passes,
                  conflicts ? constantsOf(chip).conflictPasses : 1});
}

static uint64_t convCycles(const isa::Decoded &command, const Chip &chip) {
  Shape shape(command, chip);
  auto precision = static_cast<Precision>(command.get(Field::opd0_prec));
  bool isFp32 = precision == Precision::Fp32;
  uint64_t results = isFp32 ? chip.euBytes / 4 : chip.rates.packedResults;
  uint64_t pack = chip.euBytes / costBytes(static_cast<uint64_t>(precision));
  uint64_t channels = command.get(Field::opd0_c, 1);
  // Unlike everything else, the lane that the result starts in does not count.
  return product({shape.n, ceilDiv(shape.c, chip.lanes),
                  ceilDiv(shape.h * shape.w, results),
                  isFp32 ? channels : ceilDiv(channels, pack),
                  command.get(Field::opd1_h, 1),
                  command.get(Field::opd1_w, 1)});
}

static uint64_t windowCycles(const isa::Decoded &command, const Chip &chip) {
  Shape shape(command, chip);
  uint64_t perRow =
      elementsPerRow(command, chip, {Field::res0_prec, Field::opd0_prec});
  uint64_t kh = command.get(Field::opd1_h, 1),
           kw = command.get(Field::opd1_w, 1);
  // A window of one line takes the output line by line.
  uint64_t rows = kh == 1 ? shape.h * ceilDiv(shape.w, perRow)
                          : ceilDiv(shape.h * shape.w, perRow);
  bool isDiagonal = command.get(Field::res_op_x_str, 1) > 1 &&
                    command.get(Field::res_op_y_str, 1) > 1;
  return product({shape.n, shape.laneRounds, rows, kh, kw,
                  isDiagonal ? constantsOf(chip).diagonalStepPasses : 1});
}

/// Numbers along the summed and the row axis of MM's left matrix, which lies
/// split over channels of opd0_w columns, the last of opd1_w.
static void matMulSizes(const isa::Decoded &command, uint64_t &inner,
                        uint64_t &rows) {
  uint64_t blocks = std::max<uint64_t>(command.get(Field::opd0_c, 1), 1);
  inner = (blocks - 1) * command.get(Field::opd0_w, 1) +
          command.get(Field::opd1_w, 1);
  rows = command.get(Field::opd0_n, 1);
  if (command.get(Field::left_tran))
    std::swap(inner, rows);
}

static uint64_t matMulCycles(const isa::Decoded &command, const Chip &chip) {
  Shape shape(command, chip);
  uint64_t inner, rows;
  matMulSizes(command, inner, rows);
  bool isFp32 =
      command.get(Field::opd0_prec) == static_cast<uint64_t>(Precision::Fp32);
  // The bias and the accumulator are one more product each; the plain integer
  // function has neither.
  if (isFp32 || command.func != isa::mm::Normal)
    inner +=
        (command.get(Field::opd2_const) ? 0 : 1) + command.get(Field::res_add);
  uint64_t perRow = isFp32 ? chip.euBytes / 4 : chip.euBytes;
  return product({rows, shape.laneRounds, ceilDiv(shape.w, perRow), inner});
}

static uint64_t matMul2Inner(const isa::Decoded &command) {
  return command.get(
      command.func == isa::mm::NN ? Field::opd1_c : Field::opd1_w, 1);
}

static uint64_t matMul2Cycles(const isa::Decoded &command, const Chip &chip) {
  Shape shape(command, chip);
  uint64_t precision = command.get(Field::opd0_prec);
  bool isFp32 = precision == static_cast<uint64_t>(Precision::Fp32);
  uint64_t results = isFp32 ? chip.euBytes / 4 : chip.rates.packedResults;
  uint64_t pack = isFp32 ? 1 : chip.euBytes / costBytes(precision);
  return product({shape.laneRounds, ceilDiv(shape.w, results),
                  ceilDiv(matMul2Inner(command), pack)});
}

/// 2 if result and source start in the same bank of the same lane, else 1.
static uint64_t bankPasses(const isa::Decoded &command, const Chip &chip) {
  uint64_t bankBytes = chip.laneBytes / std::max(1u, chip.banks);
  bool same = command.get(Field::res0_addr) / bankBytes ==
              command.get(Field::opd0_addr) / bankBytes;
  return same ? constantsOf(chip).conflictPasses : 1;
}

static uint64_t acrossLanesCycles(Formula formula, const isa::Decoded &command,
                                  const Chip &chip) {
  Shape shape(command, chip);
  uint64_t perRow = elementsPerRow(command, chip, {Field::res0_prec});
  switch (formula) {
  case Formula::Transpose:
    return product(
        {shape.n, shape.h,
         ceilDiv(command.func == isa::tsbc::CwTranspose ? shape.c : shape.w,
                 perRow)});
  case Formula::LaneCopy: // one channel at a time
    return product({shape.c, shape.pass(perRow), bankPasses(command, chip)});
  case Formula::LaneBroadcast:
    return product({shape.n, ceilDiv(shape.c, chip.lanes),
                    ceilDiv(shape.h * shape.w, perRow),
                    bankPasses(command, chip)});
  case Formula::StaticBroadcast:
    return product(
        {shape.n, ceilDiv(shape.c, chip.lanes), ceilDiv(shape.w, perRow)});
  default: // StaticDistribute: the source is one line of c values
    return ceilDiv(shape.c, perRow);
  }
}

static uint64_t gatherCycles(Formula formula, const isa::Decoded &command,
                             const Chip &chip) {
  Shape shape(command, chip);
  uint64_t rounds = product({shape.n, shape.laneRounds});
  uint64_t elements = product({rounds, command.get(Field::opd1_w, 1)});
  switch (formula) {
  case Formula::GatherByIndex: // one index of the whole list a cycle
    return product({rounds, command.get(Field::opd1_c, 1)});
  case Formula::GatherByElement:
    return elements;
  case Formula::GatherPerLane:
    return product({elements, constantsOf(chip).perLaneGatherHalfCycles}) / 2;
  case Formula::MaskPerLane:
    return product({elements, constantsOf(chip).perLaneMaskCycles});
  default: { // whole lines of w
    uint64_t perRow = elementsPerRow(command, chip, {Field::res0_prec});
    uint64_t lines = formula == Formula::GatherLine
                         ? shape.h
                         : command.get(Field::opd0_h, 1);
    return product({rounds, lines, ceilDiv(shape.w, perRow),
                    constantsOf(chip).linePasses});
  }
  }
}

/// Element-wise commands without strides: passes times a pass over the result.
static uint64_t plainCycles(Formula formula, const isa::Decoded &command,
                            const Chip &chip) {
  Shape shape(command, chip);
  uint64_t perRow =
      elementsPerRow(command, chip, {Field::res0_prec, Field::opd0_prec});
  uint64_t passes = 1;
  switch (formula) {
  case Formula::Taylor:
    passes = command.get(Field::opd1_n, 1); // terms of the series
    break;
  case Formula::Rsqrt:
    passes = constantsOf(chip).rsqrtPasses;
    break;
  case Formula::Compare:
    perRow =
        elementsPerRow(command, chip, {Field::opd0_prec, Field::opd2_prec});
    passes = constantsOf(chip).comparePasses;
    break;
  case Formula::Quant:
    perRow = chip.euBytes / 4; // at 32 bits, whatever comes in and goes out
    passes = bankPasses(command, chip);
    break;
  default:
    break;
  }
  return product({shape.pass(perRow), passes});
}

static uint64_t outerCycles(const isa::Decoded &command, const Chip &chip) {
  Shape shape(command, chip);
  uint64_t perRow = elementsPerRow(
      command, chip, {Field::res0_prec, Field::opd0_prec, Field::opd1_prec});
  uint64_t inner, length;
  matMulSizes(command, length, inner); // the left vector lies as MM's matrix
  return product({length, shape.laneRounds, ceilDiv(shape.w, perRow)});
}

uint64_t detail::tiuCycles(Formula formula, const isa::Decoded &command,
                           const Chip &chip) {
  switch (formula) {
  case Formula::Conv:
    return convCycles(command, chip);
  case Formula::Window:
    return windowCycles(command, chip);
  case Formula::MatMul:
    return matMulCycles(command, chip);
  case Formula::MatMul2:
    return matMul2Cycles(command, chip);
  case Formula::Arith:
  case Formula::Shift:
  case Formula::Copy:
  case Formula::Divide:
    return arithCycles(formula, command, chip);
  case Formula::Transpose:
  case Formula::LaneCopy:
  case Formula::LaneBroadcast:
  case Formula::StaticBroadcast:
  case Formula::StaticDistribute:
    return acrossLanesCycles(formula, command, chip);
  case Formula::GatherByIndex:
  case Formula::GatherByElement:
  case Formula::GatherPerLane:
  case Formula::MaskPerLane:
  case Formula::GatherLine:
  case Formula::ScatterLine:
    return gatherCycles(formula, command, chip);
  case Formula::Outer:
    return outerCycles(command, chip);
  default:
    return plainCycles(formula, command, chip);
  }
}

uint64_t detail::tiuMacs(Formula formula, const isa::Decoded &command) {
  uint64_t results =
      product({command.get(Field::res0_n, 1), command.get(Field::res0_c, 1),
               command.get(Field::res0_h, 1), command.get(Field::res0_w, 1)});
  uint64_t window =
      product({command.get(Field::opd1_h, 1), command.get(Field::opd1_w, 1)});
  switch (formula) {
  case Formula::Conv:
    return product({results, command.get(Field::opd0_c, 1), window});
  case Formula::Window: {
    bool isDepthwise = command.func == isa::pord::Depthwise ||
                       command.func == isa::pord::DepthwiseRelu ||
                       command.func == isa::pord::RoiDepthwise;
    return isDepthwise ? product({results, window}) : 0;
  }
  case Formula::MatMul: {
    uint64_t inner, rows;
    matMulSizes(command, inner, rows);
    return product({rows, inner, command.get(Field::res0_c, 1),
                    command.get(Field::res0_w, 1)});
  }
  case Formula::MatMul2:
    return product({command.get(Field::res0_c, 1),
                    command.get(Field::res0_w, 1), matMul2Inner(command)});
  default:
    return 0;
  }
}
