//===- ExhaustiveElementTest.cpp - every pair of codes, one by one --------===//
//
// Sums, products, comparisons, windows and fills of codes and of integers of 8
// bits, as ExhaustiveCastTest.cpp does it: all 65,536 pairs of two operands, or
// every code beside every constant.
//
//===----------------------------------------------------------------------===//

#include "tests/ops/Batch.h"
#include "tests/ops/Ladder.h"

#include "gtest/gtest.h"

using namespace weft;
using namespace weft::test;

namespace {
/// Every pair of bytes: %x has the left ones in its first image, the right ones
/// in its second.
class PairsBatch : public Batch {
public:
  static constexpr const char *kBoth = "2x64x32x32", *kShape = "1x64x32x32";

  PairsBatch() : Batch(tensor(kBoth, "ui8"), bytes()) {
    for (bool isRight : {false, true})
      define("  %" + std::string(isRight ? "r" : "l") + " = tpu.slice %x [" +
             (isRight ? "1" : "0") + ", 0, 0, 0] steps [1, 1, 1, 1] : " +
             tensor(kBoth, "ui8") + " -> " + tensor(kShape, "ui8") + "\n");
  }

  /// The bytes of a side, 'l' or 'r', under a type, for the ops that follow.
  std::string side(char name, const std::string &type) {
    if (type == "ui8")
      return std::string("%") + name;
    std::string value = "%" + std::string(1, name) + std::to_string(count++);
    define("  " + value + " = tpu.cast %" + name + " {bits} : " +
           tensor(kShape, "ui8") + " -> " + tensor(kShape, type) + "\n");
    return value;
  }

  /// `op` of both sides, with `attributes`.
  void addPair(const std::string &op, const std::string &left,
               const std::string &leftType, const std::string &right,
               const std::string &rightType, const std::string &output,
               const std::string &attributes = "") {
    addTyped(op + " " + left + ", " + right + " {" + attributes + "}",
             tensor(kShape, leftType) + ", " + tensor(kShape, rightType),
             tensor(kShape, output));
  }

private:
  static std::vector<uint8_t> bytes() {
    std::vector<uint8_t> bytes(2 * 65536);
    for (size_t i = 0; i < 65536; ++i) {
      bytes[i] = static_cast<uint8_t>(i >> 8);
      bytes[65536 + i] = static_cast<uint8_t>(i);
    }
    return bytes;
  }

  int count = 0;
};
} // namespace

//===----------------------------------------------------------------------===//
// Integers as numbers
//===----------------------------------------------------------------------===//

static const char *const kKinds[] = {"add", "sub", "mul", "max",
                                     "min", "and", "or",  "xor"};
static const char *const kShifts[] = {"shift_left", "shift_right"};
static const char *const kRelations[] = {"greater", "equal", "less"};

TEST(Exhaustive, IntegersOfEveryPair) {
  for (const char *type : {"i8", "ui8"}) {
    PairsBatch batch;
    std::string left = batch.side('l', type), right = batch.side('r', type),
                bytes = batch.side('r', "i8");
    for (const char *kind : kKinds)
      batch.addPair("tpu.binary " + std::string(kind), left, type, right, type,
                    type);
    for (const char *relation : kRelations)
      batch.addPair("tpu.compare " + std::string(relation), left, type, right,
                    type, "ui8");
    std::string shape = tensor(PairsBatch::kShape, "i8");
    batch.define("  %amount = tpu.binary and " + bytes +
                 " {constant = 31.0 : f64} : " + shape + " -> " + shape + "\n");
    for (const char *kind : kShifts)
      batch.addPair("tpu.binary " + std::string(kind), left, type, "%amount",
                    "i8", type);
    ASSERT_TRUE(batch.agrees());
  }
}

static std::string constant(int value) {
  return "constant = " + std::to_string(value) + ".0 : f64";
}

/// Every code beside every constant.
TEST(Exhaustive, IntegersBesideEveryConstant) {
  for (const char *type : {"i8", "ui8"}) {
    Batch batch(tensor(kShape, type), everyByte());
    auto add = [&](const std::string &op, const std::string &attributes) {
      batch.add(op + " %x {" + attributes + "}", tensor(kShape, type));
    };
    int low = type[0] == 'u' ? 0 : -128;
    for (int value = low; value < low + 256; ++value) {
      for (const char *kind : kKinds)
        add("tpu.binary " + std::string(kind), constant(value));
      add("tpu.binary sub", "reversed, " + constant(value));
      for (const char *relation : kRelations)
        batch.add("tpu.compare " + std::string(relation) + " %x {" +
                      constant(value) + "}",
                  tensor(kShape, "ui8"));
    }
    for (int amount = 0; amount < 32; ++amount)
      for (const char *kind : kShifts)
        add("tpu.binary " + std::string(kind), constant(amount));
    ASSERT_TRUE(batch.agrees());
  }
}

/// A condition is any byte; the sides are codes, integers and constants.
TEST(Exhaustive, SelectionsByEveryByte) {
  std::string flags = tensor(PairsBatch::kShape, "ui8");
  for (const std::string &type :
       {std::string("i8"), std::string("ui8"), codes(true), codes(false)}) {
    PairsBatch batch;
    std::string side = batch.side('r', type),
                sides = tensor(PairsBatch::kShape, type);
    batch.addTyped("tpu.select %l, true " + side + " false " + side,
                   "(" + flags + ", " + sides + ", " + sides + ")", sides);
    if (type[0] != '!')
      for (int value : {0, 1, 100, type[0] == 'u' ? 255 : -128}) {
        std::string number = std::to_string(value) + ".0 : f64}",
                    one = "(" + flags + ", " + sides + ")";
        batch.addTyped("tpu.select %l, true " + side +
                           " {false_constant = " + number,
                       one, sides);
        batch.addTyped("tpu.select %l, false " + side +
                           " {true_constant = " + number,
                       one, sides);
        batch.addTyped("tpu.select %l, {true_constant = 7.0 : f64, "
                       "false_constant = " +
                           number,
                       "(" + flags + ")", sides);
      }
    ASSERT_TRUE(batch.agrees());
  }
}

/// Of two values every pair, of more what wraps several times.
TEST(Exhaustive, ReductionsOfEveryPair) {
  for (const char *type : {"i8", "ui8"}) {
    PairsBatch batch;
    std::string both = tensor(PairsBatch::kBoth, type);
    batch.define("  %b = tpu.cast %x {bits} : " +
                 tensor(PairsBatch::kBoth, "ui8") + " -> " + both + "\n");
    for (const char *kind : {"sum", "prod", "max", "min"})
      for (auto [axis, shape] :
           {std::pair("0", "1x64x32x32"), std::pair("2", "2x64x1x32"),
            std::pair("3", "2x64x32x1")})
        batch.addTyped("tpu.reduce " + std::string(kind) + " %b axis " + axis,
                       both, tensor(shape, type));
    ASSERT_TRUE(batch.agrees());
  }
}

//===----------------------------------------------------------------------===//
// Codes
//===----------------------------------------------------------------------===//

/// Two multipliers and shifts, or one.
static std::string requantized(std::vector<int64_t> multipliers,
                               std::vector<int> shifts) {
  std::string m, s;
  for (size_t i = 0; i < multipliers.size(); ++i) {
    m += (i ? ", " : "") + std::to_string(multipliers[i]);
    s += (i ? ", " : "") + std::to_string(shifts[i]);
  }
  return "multipliers = array<i32: " + m + ">, rshifts = array<i32: " + s + ">";
}

/// Every pair of codes of every sign: terms as lowering scales them, and ones
/// that saturate; every recipe.
TEST(Exhaustive, SumsAndProductsOfEveryPair) {
  const int64_t multipliers[] = {1073741824, 1717986918, -1717986918,
                                 2147483647, -2147483648};
  for (bool isSigned : {false, true})
    for (bool isRightSigned : {false, true}) {
      PairsBatch batch;
      std::string leftType = codes(isSigned), rightType = codes(isRightSigned),
                  left = batch.side('l', leftType),
                  right = batch.side('r', rightType);
      auto add = [&](const std::string &kind, const std::string &attributes) {
        for (bool toSigned : {false, true})
          batch.addPair("tpu.binary " + kind, left, leftType, right, rightType,
                        codes(toSigned), attributes);
      };
      for (int i = 0; i < 10;
           ++i) { // terms within 16 bits, as commands hold them
        int64_t first = multipliers[i % 5],
                second = multipliers[(i * 2 + 1) % 5];
        int shift = 30 + i % 3;
        std::string terms =
            requantized({first, second}, {shift, shift + 1 - i % 4});
        for (const char *kind : {"add", "sub"}) {
          add(kind, terms);
          if (isSigned && isRightSigned)
            add(kind, "tpu.recipe = \"products\", " + terms);
        }
        add("mul", requantized({first}, {shift + i}));
      }
      if (isSigned == isRightSigned)
        for (const char *kind : {"max", "min"})
          batch.addPair("tpu.binary " + std::string(kind), left, leftType,
                        right, rightType, leftType);
      ASSERT_TRUE(batch.agrees());
    }
}

/// Every code beside itself with every shift and multiplier; codes of 16 bits,
/// too.
TEST(Exhaustive, SumsAndProductsByEveryShift) {
  for (const std::string &type :
       {codes(true), codes(false), std::string("!quant.uniform<i16:f32, 0.02>"),
        std::string("!quant.uniform<u16:f32, 0.02>")}) {
    bool isWide = type.find("16") != std::string::npos,
         isSigned = type.find("<i") != std::string::npos;
    Batch batch(tensor(isWide ? kWordShape : kShape, type),
                isWide ? everyWord() : everyByte());
    int step = isWide ? 5 : 1;
    for (int i = 0; i < 64 * 9; i += step) { // 64 and 9 have no common divisor
      int64_t first = kMultipliers[i % 9], second = kMultipliers[i / 9 % 9];
      int shift = i % 64, round = i / 64;
      std::string shape = isWide ? kWordShape : kShape;
      auto add = [&](const std::string &kind, const std::string &attributes) {
        batch.add("tpu.binary " + kind + " %x, %x {" + attributes + "}",
                  tensor(shape, codes(round / 2 % 2)),
                  ", " + tensor(shape, type));
      };
      std::string terms = requantized({first, second}, {shift, 63 - shift});
      const char *kind = round % 2 ? "add" : "sub";
      add(kind, terms);
      if (isSigned)
        add(kind, "tpu.recipe = \"products\", " + terms);
      if (!isWide)
        add("mul", requantized({first}, {shift}));
    }
    ASSERT_TRUE(batch.agrees());
  }
}

//===----------------------------------------------------------------------===//
// Windows and fills
//===----------------------------------------------------------------------===//

/// Pairs side by side, alone and with what lies between them and outside.
TEST(Exhaustive, WindowsOfEveryPair) {
  std::vector<uint8_t> pairs(2 * 65536);
  for (size_t i = 0; i < 65536; ++i) {
    pairs[2 * i] = static_cast<uint8_t>(i >> 8);
    pairs[2 * i + 1] = static_cast<uint8_t>(i);
  }
  const char *alone = " kernel [1, 2] strides [1, 2] pads [0, 0, 0, 0]",
             *padded = " kernel [1, 2] strides [1, 1] pads [0, 1, 0, 1]";
  for (bool isSigned : {false, true}) {
    std::string x = tensor("1x64x32x64", codes(isSigned));
    Batch batch(x, pairs);
    for (bool isPadded : {false, true}) {
      std::string window = isPadded ? padded : alone,
                  shape = isPadded ? "1x64x32x65" : "1x64x32x32";
      batch.add("tpu.pool max %x" + window, tensor(shape, codes(isSigned)));
      for (auto [multiplier, shift] :
           {std::pair(128, 8), std::pair(255, 9), std::pair(1, 0),
            std::pair(171, 1), std::pair(3, 31)})
        batch.add("tpu.pool avg %x" + window +
                      " {multiplier = " + std::to_string(multiplier) +
                      " : i32, rshift = " + std::to_string(shift) + " : i32" +
                      (isPadded ? ", count_include_pad}" : "}"),
                  tensor(shape, codes(isSigned)));
    }
    ASSERT_TRUE(batch.agrees());
  }
}

/// Means of one code by every shift, and multipliers at the ends, near powers
/// of two and between.
TEST(Exhaustive, MeansByEveryShift) {
  for (bool isSigned : {false, true}) {
    Batch batch(tensor(kShape, codes(isSigned)), everyByte());
    for (int multiplier : {0, 1, 2, 3, 7, 85, 127, 128, 129, 171, 254, 255})
      for (int shift = 0; shift < 32; ++shift)
        batch.add("tpu.pool avg %x kernel [1, 1] strides [1, 1] pads [0, 0, 0, "
                  "0] {multiplier = " +
                      std::to_string(multiplier) +
                      " : i32, rshift = " + std::to_string(shift) + " : i32}",
                  tensor(kShape, codes(isSigned)));
    ASSERT_TRUE(batch.agrees());
  }
}

/// The largest code, whatever code stands for 0 outside.
TEST(Exhaustive, LargestCodesOfEveryZeroPoint) {
  for (bool isSigned : {false, true}) {
    Batch batch(tensor(kShape, "ui8"), everyByte());
    for (int number = 0; number < 256; ++number) {
      std::string element = codesFrom(isSigned, number);
      batch.addOnCodes(tensor(kShape, element),
                       "tpu.pool max %x kernel [3, 2] strides [2, 2] pads [1, "
                       "1, 2, 1]",
                       tensor("1x1x9x9", element));
    }
    ASSERT_TRUE(batch.agrees());
  }
}

/// Every fill around codes, between them, and for rows that a table has not.
TEST(Exhaustive, EveryFill) {
  std::string x = tensor("1x2x8x16", codes(true, -128)),
              rows = "tensor<1x1x3x1xi32>";
  Batch batch(x, everyByte());
  batch.define("  %i = tpu.weight dense<[[[[2], [9], [-1]]]]> : " + rows +
               "\n");
  for (int fill = -128; fill < 256; ++fill) { // with a sign or without
    std::string number = std::to_string(fill);
    batch.add("tpu.pad %x [1, 2, 0, 3] fill " + number,
              tensor("1x2x9x21", codes(true, -128)));
    if (fill % 4 == 0 || fill < 0)
      continue;
    batch.addTyped("tpu.arrange %x pieces [#tpu.piece<0, 255, 3, [2, 100], "
                   "[-128, -1], [150, 1]>] fill " +
                       number,
                   "(" + x + ")", tensor("1x1x1x300", codes(true, -128)));
    batch.addTyped("tpu.gather %x, %i {fill = " + number + " : i64}",
                   x + ", " + rows, tensor("1x2x3x16", codes(true, -128)));
  }
  ASSERT_TRUE(batch.agrees());
}

//===----------------------------------------------------------------------===//
// Functions of 16 bits
//===----------------------------------------------------------------------===//

/// Every number of 16 bits through the functions that are shorter for them.
TEST(Exhaustive, ShortFunctionsOfEveryNumber) {
  const std::string kinds[] = {"sigmoid",
                               "swish {alpha = 1.0 : f64}",
                               "swish {alpha = 1.5 : f64}",
                               "swish {alpha = 1.0 : f64, narrow_steps}",
                               "swish {alpha = 0.3 : f64, narrow_steps}",
                               "swish {alpha = 1.702 : f64, narrow_steps}",
                               "tanh",
                               "erf",
                               "gelu",
                               "gelu {narrow_steps}",
                               "gelu_tanh",
                               "gelu_tanh {narrow_steps}"};
  for (const char *real : {"f16", "bf16"}) {
    std::string shape = tensor(kWordShape, real);
    Batch batch(shape, everyWord());
    for (const std::string &kind : kinds) {
      if (kind.find("narrow") != std::string::npos && real[0] == 'b')
        continue;
      std::string name = kind.substr(0, kind.find(' ')),
                  attributes = kind.substr(name.size()),
                  value = "%f" + std::to_string(batch.size());
      batch.defineNext("  " + value + " = tpu.unary " + name + " %x" +
                       attributes + " : " + shape + "\n");
      batch.addTyped("tpu.reshape " + value, shape,
                     tensor("1x16x16x256", real));
    }
    ASSERT_TRUE(batch.agrees());
  }
}
