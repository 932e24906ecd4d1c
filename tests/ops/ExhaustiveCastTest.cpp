//===- ExhaustiveCastTest.cpp - every code through every 8-bit cast -------===//
//
// The second rung of the ladder for what has few enough values to try all: the
// exact evaluator against command buffers on the emulator, equal byte for byte.
// Here casts, tables and functions of one tensor of codes.
//
//===----------------------------------------------------------------------===//

#include "dialects/tpu/Unary.h"
#include "tests/ops/Batch.h"
#include "tests/ops/Ladder.h"

#include "gtest/gtest.h"

#include <cmath>
#include <cstring>
#include <optional>

using namespace weft;
using namespace weft::test;

/// `tpu.cast` that rounds.
static std::string castRounded(int rounding) {
  return "tpu.cast %x {rounding = " + std::to_string(rounding) + " : i32}";
}

static std::string requantize(int64_t multiplier, int shift, int rounding,
                              const std::string &recipe = "cast") {
  return "tpu.cast %x {tpu.recipe = \"" + recipe +
         "\", multiplier = " + std::to_string(multiplier) +
         " : i32, rshift = " + std::to_string(shift) +
         " : i32, rounding = " + std::to_string(rounding) + " : i32}";
}

/// Whether one product requantizes: its operands have a sign, or none has.
static bool isProduct(bool isSigned, bool toSigned, int64_t multiplier) {
  return isSigned == toSigned && (isSigned || multiplier >= 0);
}

//===----------------------------------------------------------------------===//
// Requantize
//===----------------------------------------------------------------------===//

TEST(Exhaustive, RequantizeEveryCodeShiftMultiplierAndRounding) {
  for (bool isSigned : {false, true})
    for (bool toSigned : {false, true}) {
      Batch batch(tensor(kShape, codes(isSigned)), everyByte());
      std::string to = tensor(kShape, codes(toSigned));
      for (int rounding = 0; rounding < 7; ++rounding)
        for (int64_t multiplier : kMultipliers)
          for (int shift = 0; shift < 64; ++shift) {
            batch.add(requantize(multiplier, shift, rounding), to);
            if (isProduct(isSigned, toSigned, multiplier))
              batch.add(requantize(multiplier, shift, rounding, "product"), to);
          }
      ASSERT_TRUE(batch.agrees());
    }
}

/// Multipliers of few bits, which fit a byte after a part of the shift: every
/// one of 4 bits, and those with a bit more at either end of the rest.
TEST(Exhaustive, RequantizeByMultipliersThatFitBytes) {
  for (bool isSigned : {false, true}) {
    Batch batch(tensor(kShape, codes(isSigned)), everyByte());
    for (int64_t bits = 8; bits < 16; ++bits)
      for (int64_t rest : {0, 1, 1 << 22, (1 << 27) - 1})
        for (int rounding = 0; rounding < 7; ++rounding)
          for (int shift : {26, 31, 33})
            batch.add(
                requantize((bits << 27) + rest, shift, rounding, "product"),
                tensor(kShape, codes(isSigned)));
    ASSERT_TRUE(batch.agrees());
  }
}

/// Every zero point on either side beside 8 on the other, which are others
/// each time.
TEST(Exhaustive, RequantizeEveryCodeAndZeroPoint) {
  int number = 0;
  for (bool isSigned : {false, true})
    for (bool toSigned : {false, true}) {
      Batch batch(tensor(kShape, "ui8"), everyByte());
      for (int from = 0; from < 256; ++from)
        for (int to = from % 32; to < 256; to += 32, ++number)
          batch.addOnCodes(
              tensor(kShape, codesFrom(isSigned, from)),
              requantize(kMultipliers[number % 9], 28 + number % 5, number % 7),
              tensor(kShape, codesFrom(toSigned, to)));
      ASSERT_TRUE(batch.agrees());
    }
}

/// Codes of 16 bits to 8 and back: every multiplier with every rounding and
/// with seven shifts.
TEST(Exhaustive, RequantizeEveryCodeOfSixteenBits) {
  auto wide = [](bool isSigned) {
    return std::string("!quant.uniform<") + (isSigned ? "i16" : "u16") +
           ":f32, 0.02>";
  };
  const int shifts[] = {0, 1, 8, 15, 16, 31, 32, 40, 63};
  for (bool isSigned : {false, true})
    for (bool toSigned : {false, true})
      for (bool isNarrow : {false, true}) {
        std::string shape = isNarrow ? kShape : kWordShape;
        Batch batch(tensor(shape, isNarrow ? codes(isSigned) : wide(isSigned)),
                    isNarrow ? everyByte() : everyWord());
        for (int i = 0; i < 63; ++i) {
          int64_t multiplier = kMultipliers[i % 9];
          int shift = shifts[(i + i / 9) % 9], rounding = i % 7;
          std::vector<std::string> targets{wide(toSigned)};
          if (!isNarrow)
            targets.push_back(codes(toSigned));
          for (const std::string &to : targets) {
            batch.add(requantize(multiplier, shift, rounding),
                      tensor(shape, to));
            if (isProduct(isSigned, toSigned, multiplier))
              batch.add(requantize(multiplier, shift, rounding, "product"),
                        tensor(shape, to));
          }
        }
        ASSERT_TRUE(batch.agrees());
      }
}

//===----------------------------------------------------------------------===//
// Quantize, dequantize, tables
//===----------------------------------------------------------------------===//

/// Every zero point, and scales to both ends of f32.
TEST(Exhaustive, DequantizeEveryCodeAndZeroPoint) {
  for (bool isSigned : {false, true})
    for (const char *scale : {"1.0e-38", "0.02", "1.0e+36"}) {
      Batch batch(tensor(kShape, "ui8"), everyByte());
      for (int code = 0; code < 256; ++code)
        for (const char *real : {"f32", "f16", "bf16"})
          batch.addOnCodes(tensor(kShape, codesFrom(isSigned, code, scale)),
                           "tpu.cast %x", tensor(kShape, real));
      ASSERT_TRUE(batch.agrees());
    }
}

/// Every number of 16 bits, infinities and NaN too; every rounding, zero points
/// at the ends and between. A scale of 1 takes no product.
TEST(Exhaustive, QuantizeEveryHalf) {
  for (const char *real : {"f16", "bf16"}) {
    Batch batch(tensor(kWordShape, real), everyWord());
    for (const char *scale : {"0.0078125", "0.02", "1.0", "3.0"})
      for (bool isSigned : {false, true})
        for (int code : {0, 1, 127, 128, 200, 255})
          for (int rounding = 0; rounding < 5; ++rounding)
            batch.add(castRounded(rounding),
                      tensor(kWordShape, codesFrom(isSigned, code, scale)));
    ASSERT_TRUE(batch.agrees());
  }
}

/// Numbers of f32 at every boundary between two codes of `step`, and its
/// neighbours.
static std::vector<float> aroundEverySteps(float step) {
  std::vector<float> numbers;
  for (int half = -700; half < 700; ++half) {
    float at = float(half) / 2 * step;
    for (float x : {std::nextafter(at, -1e9f), at, std::nextafter(at, 1e9f)})
      numbers.push_back(x);
  }
  for (float x : {-0.0f, 1e-45f, -1e-45f, 3.4e38f, -3.4e38f, float(INFINITY),
                  -float(INFINITY), float(NAN)})
    numbers.push_back(x);
  return numbers;
}

static std::vector<uint8_t> bytesOf(const std::vector<float> &numbers) {
  std::vector<uint8_t> bytes(numbers.size() * sizeof(float));
  std::memcpy(bytes.data(), numbers.data(), bytes.size());
  return bytes;
}

TEST(Exhaustive, QuantizeAroundEveryStep) {
  std::vector<float> numbers = aroundEverySteps(0.02f);
  std::string shape = "1x1x1x" + std::to_string(numbers.size());
  Batch batch(tensor(shape, "f32"), bytesOf(numbers));
  for (bool isSigned : {false, true})
    for (int rounding = 0; rounding < 5; ++rounding)
      for (int code = 0; code < 256; ++code)
        batch.add(castRounded(rounding),
                  tensor(shape, codesFrom(isSigned, code)));
  ASSERT_TRUE(batch.agrees());
}

/// Tables that give each code to another one.
TEST(Exhaustive, EveryEntryOfTables) {
  for (bool isSigned : {false, true})
    for (bool toSigned : {false, true}) {
      Batch batch(tensor(kShape, codes(isSigned)), everyByte());
      for (int table = 0; table < 16; ++table) {
        std::string entries, name = "t" + std::to_string(table);
        for (int i = 0; i < 256; ++i) // odd factors: every byte occurs
          entries += (i ? ", " : "") +
                     std::to_string(int8_t(i * (2 * table + 1) + 37 * table));
        batch.defineNext("  %" + name + " = tpu.weight dense<[[[[" + entries +
                         "]]]]> : tensor<1x1x1x256xi8>\n");
        batch.add("tpu.lut %x, %" + name, tensor(kShape, codes(toSigned)),
                  ", tensor<1x1x1x256xi8>");
      }
      ASSERT_TRUE(batch.agrees());
    }
}

//===----------------------------------------------------------------------===//
// Integers as numbers
//===----------------------------------------------------------------------===//

static const char *const kIntegers[] = {"i8",   "ui8", "i16",
                                        "ui16", "i32", "ui32"};

/// Integers of 8 and 16 bits as floats and as other integers, which keep the
/// low bits.
TEST(Exhaustive, CastEveryInteger) {
  for (const char *from : {"i8", "ui8", "i16", "ui16"}) {
    bool isByte = std::string(from).back() == '8';
    std::string shape = isByte ? kShape : kWordShape;
    Batch batch(tensor(shape, from), isByte ? everyByte() : everyWord());
    for (const char *real : {"f32", "f16", "bf16"})
      batch.add("tpu.cast %x", tensor(shape, real));
    for (const char *to : kIntegers)
      batch.add("tpu.cast %x", tensor(shape, to));
    ASSERT_TRUE(batch.agrees());
  }
}

/// Bytes under every type of 8 bits.
TEST(Exhaustive, KeepTheBitsOfEveryCode) {
  std::vector<std::string> types{"i8", "ui8"};
  for (bool isSigned : {false, true})
    for (int zeroPoint : {0, 1, 127, 128, 255})
      types.push_back(codesFrom(isSigned, zeroPoint));
  for (const std::string &from : types) {
    Batch batch(tensor(kShape, from), everyByte());
    for (const std::string &to : types)
      if (from.back() == '8' || to.back() == '8')
        batch.add("tpu.cast %x {bits}", tensor(kShape, to));
    ASSERT_TRUE(batch.agrees());
  }
}

/// Every number of 16 bits to integers, infinities and NaN too.
TEST(Exhaustive, RoundEveryHalf) {
  for (const char *real : {"f16", "bf16"}) {
    Batch batch(tensor(kWordShape, real), everyWord());
    for (const char *to : kIntegers)
      for (int rounding = 0; rounding < 5; ++rounding)
        batch.add(castRounded(rounding), tensor(kWordShape, to));
    ASSERT_TRUE(batch.agrees());
  }
}

TEST(Exhaustive, RoundAroundEveryInteger) {
  std::vector<float> numbers = aroundEverySteps(1);
  std::string shape = "1x1x1x" + std::to_string(numbers.size());
  Batch batch(tensor(shape, "f32"), bytesOf(numbers));
  for (const char *to : kIntegers)
    for (int rounding = 0; rounding < 5; ++rounding)
      batch.add(castRounded(rounding), tensor(shape, to));
  ASSERT_TRUE(batch.agrees());
}

//===----------------------------------------------------------------------===//
// Functions of codes
//===----------------------------------------------------------------------===//

namespace {
struct Function {
  tpu::UnaryKind kind;
  std::optional<double> alpha, beta; ///< where the kind has these
};
} // namespace

static std::vector<Function> allFunctions() {
  constexpr double kInfinity = INFINITY;
  constexpr std::optional<double> kNoParameter;
  return {
#define WEFT_UNARY(symbol, spelling, onnx, opset, types, result, alpha, beta,  \
                   domain, table, formula)                                     \
  {tpu::UnaryKind::symbol, alpha, beta},
#include "runtime/host/UnaryKinds.def"
  };
}

/// As lowering computes functions of codes: dequantized, in a float type, and
/// quantized. But for the reciprocal, whose quotient is not the nearest number.
TEST(Exhaustive, EveryFunctionOfCodes) {
  for (bool isSigned : {false, true})
    for (int zeroPoint : {0, 77, 255}) {
      Batch batch(tensor(kShape, codesFrom(isSigned, zeroPoint)), everyByte());
      for (const Function &function : allFunctions())
        for (const char *real : {"f32", "f16", "bf16"}) {
          if (!tpu::UnaryOp::computes(function.kind) ||
              function.kind == tpu::UnaryKind::Reciprocal)
            continue;
          std::string name = tpu::stringifyUnaryKind(function.kind).str(),
                      type = tensor(kShape, real), tag = name + "_" + real,
                      parameters;
          if (function.alpha)
            parameters =
                " {alpha = 0.25 : f64" +
                std::string(function.beta ? ", beta = 1.5 : f64}" : "}");
          batch.defineNext("  %x_" + tag + " = tpu.cast %x : " +
                           tensor(kShape, codesFrom(isSigned, zeroPoint)) +
                           " -> " + type + "\n  %f_" + tag + " = tpu.unary " +
                           name + " %x_" + tag + parameters + " : " + type +
                           "\n");
          batch.addTyped("tpu.cast %f_" + tag, type,
                         tensor(kShape, codesFrom(isSigned, 128)));
        }
      ASSERT_TRUE(batch.agrees());
    }
}
