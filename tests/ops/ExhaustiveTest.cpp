//===- ExhaustiveTest.cpp - every code through every 8-bit form -----------===//
//
// The second rung of the ladder for what has few enough values to try all: the
// exact evaluator against command buffers on the emulator, equal byte for byte.
// Many ops on one input are one program.
//
//===----------------------------------------------------------------------===//

#include "dialects/Evaluate.h"
#include "dialects/tpu/Tpu.h"
#include "runtime/chips/Chips.h"
#include "tests/ops/Ladder.h"
#include "tests/unit/codegen/emit/ProgramRunner.h"

#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

#include <cmath>
#include <cstring>

using namespace weft;
using namespace weft::test;
using numeric::HostTensor;

namespace {
/// Ops on one input; each gives a result of its own.
class Batch {
public:
  /// `input`: the type of %x; `stored`: its bytes.
  Batch(std::string input, std::vector<uint8_t> stored)
      : input(std::move(input)), stored(std::move(stored)) {}

  /// `op` without its types, which follow; `operands` are those beside %x.
  void add(const std::string &op, const std::string &output,
           const std::string &operands = "") {
    body += "  %y" + std::to_string(outputs.size()) + " = " + op + " : " +
            input + operands + " -> " + output + "\n";
    outputs.push_back(output);
  }
  /// Another line, of constants.
  void define(const std::string &line) { body += line; }
  /// `op` on the input's bytes as codes of `type`.
  void addOnCodes(const std::string &type, const std::string &op,
                  const std::string &output) {
    std::string name = "c" + std::to_string(outputs.size());
    body += "  %" + name + " = tpu.cast %x {bits} : " + input + " -> " + type +
            "\n  %y" + std::to_string(outputs.size()) + " = " + op + " %" +
            name + " : " + type + " -> " + output + "\n";
    outputs.push_back(output);
  }

  /// Evaluates and runs everything that was added.
  void climb() const;

private:
  std::string text() const;

  std::string input, body;
  std::vector<uint8_t> stored;
  std::vector<std::string> outputs;
};
} // namespace

std::string Batch::text() const {
  std::string results, values, types;
  for (size_t i = 0; i < outputs.size(); ++i) {
    std::string comma = i ? ", " : "", number = std::to_string(i);
    results += comma + outputs[i] + " {tpu.io = {name = \"y" + number +
               "\", type = " + outputs[i] + "}}";
    values += comma + "%y" + number;
    types += comma + outputs[i];
  }
  return "module attributes {tpu.chip = \"" +
         std::string(chips::all[0]->targetName) +
         "\", tpu.precision = \"f32\"} {\nfunc.func @main(%x: " + input +
         " {tpu.io = {name = \"x\", type = " + input + "}}) -> (" + results +
         ") {\n" + body + "  return " + values + " : " + types + "\n}\n}\n";
}

void Batch::climb() const {
  ProgramRunner program(text());
  ASSERT_TRUE(program.ok()) << text();
  mlir::MLIRContext context;
  context.loadDialect<tpu::TpuDialect, mlir::func::FuncDialect>();
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text(), &context);
  ASSERT_TRUE(module);
  auto function = *module->getOps<mlir::func::FuncOp>().begin();
  HostTensor values = *makeHostTensor(function.getArgumentTypes()[0]);
  ASSERT_EQ(values.sizeBytes(), stored.size());
  std::memcpy(values.bytes(), stored.data(), stored.size());
  llvm::SmallVector<HostTensor> expected;
  ASSERT_TRUE(succeeded(evaluateFunction(function, {values}, expected)));
  std::vector<std::vector<uint8_t>> found = program.run({stored});
  ASSERT_EQ(found.size(), expected.size());
  for (size_t i = 0; i < found.size(); ++i) {
    ASSERT_EQ(found[i].size(), expected[i].sizeBytes());
    HostTensor actual(expected[i].type(), expected[i].shape());
    std::memcpy(actual.bytes(), found[i].data(), found[i].size());
    for (int64_t e = 0; e < actual.elements(); ++e) {
      double want = expected[i].toDouble(e), got = actual.toDouble(e);
      ASSERT_TRUE(want == got || (std::isnan(want) && std::isnan(got)))
          << outputs[i] << ", result " << i << ", element " << e
          << ": evaluator " << want << ", commands " << got;
    }
  }
}

static std::string codes(bool isSigned, int zeroPoint = 0,
                         const std::string &scale = "0.02") {
  return std::string("!quant.uniform<") + (isSigned ? "i8" : "u8") + ":f32, " +
         scale + (zeroPoint ? ":" + std::to_string(zeroPoint) : "") + ">";
}

/// Every code once, 1x1x16x16.
static std::vector<uint8_t> everyByte() {
  std::vector<uint8_t> bytes(256);
  for (size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = uint8_t(i);
  return bytes;
}

static const char *const kShape = "1x1x16x16";

/// Ends, what is near 0 and 1, and multipliers as lowering makes them.
static const int64_t kMultipliers[] = {
    -2147483648, -1073741825, -1, 0, 1, 3, 1073741824, 1717986918, 2147483647};

//===----------------------------------------------------------------------===//
// Requantize
//===----------------------------------------------------------------------===//

TEST(Exhaustive, RequantizeEveryCodeShiftMultiplierAndRounding) {
  for (bool isSigned : {false, true})
    for (bool toSigned : {false, true})
      for (int rounding = 0; rounding < 7; ++rounding)
        for (int64_t multiplier : kMultipliers) {
          Batch batch(tensor(kShape, codes(isSigned)), everyByte());
          for (int shift = 0; shift < 64; ++shift)
            batch.add(
                "tpu.cast %x {multiplier = " + std::to_string(multiplier) +
                    " : i32, rshift = " + std::to_string(shift) +
                    " : i32, rounding = " + std::to_string(rounding) +
                    " : i32}",
                tensor(kShape, codes(toSigned)));
          batch.climb();
          if (HasFatalFailure())
            return;
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
      for (int code = 0; code < 256; ++code) {
        std::string type = tensor(
            kShape, codes(isSigned, isSigned ? code - 128 : code, scale));
        for (const char *real : {"f32", "f16", "bf16"})
          batch.addOnCodes(type, "tpu.cast", tensor(kShape, real));
      }
      batch.climb();
      if (HasFatalFailure())
        return;
    }
}

/// Every number of 16 bits, infinities and NaN too; every rounding, zero points
/// at the ends and between.
TEST(Exhaustive, QuantizeEveryHalf) {
  std::vector<uint8_t> halves(2 * 65536);
  for (size_t i = 0; i < 65536; ++i) {
    halves[2 * i] = uint8_t(i);
    halves[2 * i + 1] = uint8_t(i >> 8);
  }
  for (const char *real : {"f16", "bf16"})
    for (const char *scale : {"0.0078125", "0.02", "3.0"}) {
      Batch batch(tensor("1x16x64x64", real), halves);
      for (bool isSigned : {false, true})
        for (int code : {0, 1, 127, 128, 200, 255})
          for (int rounding = 0; rounding < 5; ++rounding)
            batch.add(
                "tpu.cast %x {rounding = " + std::to_string(rounding) +
                    " : i32}",
                tensor("1x16x64x64",
                       codes(isSigned, isSigned ? code - 128 : code, scale)));
      batch.climb();
      if (HasFatalFailure())
        return;
    }
}

/// Numbers of f32 at every boundary between two codes, and its neighbours.
TEST(Exhaustive, QuantizeAroundEveryStep) {
  std::vector<float> numbers;
  for (int half = -700; half < 700; ++half) {
    float at = float(half) / 2 * 0.02f;
    for (float x : {std::nextafter(at, -1e9f), at, std::nextafter(at, 1e9f)})
      numbers.push_back(x);
  }
  for (float x : {-0.0f, 1e-45f, -1e-45f, 3.4e38f, -3.4e38f, float(INFINITY),
                  -float(INFINITY), float(NAN)})
    numbers.push_back(x);
  std::string shape = "1x1x1x" + std::to_string(numbers.size());
  std::vector<uint8_t> bytes(numbers.size() * 4);
  std::memcpy(bytes.data(), numbers.data(), bytes.size());
  for (bool isSigned : {false, true})
    for (int rounding = 0; rounding < 5; ++rounding) {
      Batch batch(tensor(shape, "f32"), bytes);
      for (int code = 0; code < 256; ++code)
        batch.add("tpu.cast %x {rounding = " + std::to_string(rounding) +
                      " : i32}",
                  tensor(shape, codes(isSigned, isSigned ? code - 128 : code)));
      batch.climb();
      if (HasFatalFailure())
        return;
    }
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
        batch.define("  %" + name + " = tpu.weight dense<[[[[" + entries +
                     "]]]]> : tensor<1x1x1x256xi8>\n");
        batch.add("tpu.lut %x, %" + name, tensor(kShape, codes(toSigned)),
                  ", tensor<1x1x1x256xi8>");
      }
      batch.climb();
      if (HasFatalFailure())
        return;
    }
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// Every code times filters at both ends and between, a channel a shift: the
/// sum of one product, requantized by every shift, multiplier and rounding.
TEST(Exhaustive, ProductsRequantizeByEveryShift) {
  std::string shifts, filters, biases;
  for (int shift = 0; shift < 64; ++shift) {
    const int filter[] = {-128, -1, 1, 127};
    shifts += (shift ? ", " : "") + std::to_string(shift);
    filters +=
        (shift ? ", [[[" : "[[[") + std::to_string(filter[shift % 4]) + "]]]";
    biases += (shift ? ", [[" : "[[") +
              std::to_string((shift % 3 - 1) * 2000000000) + "]]";
  }
  std::string operands = ", tensor<64x1x1x1xi8>, tensor<1x64x1x1xi32>",
              shape = "1x64x16x16";
  for (bool isSigned : {false, true})
    for (int64_t multiplier : kMultipliers) {
      Batch batch(tensor(kShape, codes(isSigned)), everyByte());
      batch.define("  %w = tpu.weight dense<[" + filters +
                   "]> : tensor<64x1x1x1xi8>\n");
      for (const char *bias : {"small", "large"})
        batch.define("  %" + std::string(bias) + " = tpu.weight dense<" +
                     (bias[0] == 's' ? "7" : "[[" + biases + "]]") +
                     "> : tensor<1x64x1x1xi32>\n");
      for (const char *bias : {"small", "large"})
        for (bool toSigned : {false, true})
          for (int zeroPoint : {toSigned ? -128 : 0, 0, toSigned ? 127 : 255})
            for (int rounding = 0; rounding < 7; ++rounding)
              batch.add("tpu.conv %x, %w, %" + std::string(bias) +
                            " strides [1, 1] pads [0, 0, 0, 0] dilations [1, "
                            "1] group 1 {multipliers = array<i32: " +
                            repeated(std::to_string(multiplier), 64) +
                            ">, rshifts = array<i32: " + shifts +
                            ">, rounding = " + std::to_string(rounding) +
                            " : i32}",
                        tensor(shape, codes(toSigned, zeroPoint)), operands);
      batch.climb();
      if (HasFatalFailure())
        return;
    }
}

/// Products of two channels of 3x3 codes whose filters reach both ends, for an
/// input with this zero point: 2x2 with padding, dense and depthwise, and rows
/// of a matrix.
class PairBatch : public Batch {
public:
  PairBatch(bool isSigned, int code, bool isMatrix = false)
      : Batch(tensor(isMatrix ? "1x3x1x6" : "1x2x3x3",
                     codes(isSigned, isSigned ? code - 128 : code)),
              bytesFor(code)) {
    define(isMatrix ? "  %w = tpu.weight dense<[[[[-128]], [[127]], [[127]], "
                      "[[0]], [[1]], [[-128]]], [[[-128]], [[-128]], [[-128]], "
                      "[[-128]], [[-128]], [[-128]]]]> : tensor<2x6x1x1xi8>\n"
                      "  %b = tpu.weight dense<[[[[-20.0]], [[3.5]]]]> : "
                      "tensor<1x2x1x1xf32>\n"
                    : "  %dense = tpu.weight dense<[[[[-128, 127], [1, 0]], "
                      "[[127, 127], [-3, 8]]], [[[-128, -128], [-128, -128]], "
                      "[[64, -1], [0, 5]]]]> : tensor<2x2x2x2xi8>\n"
                      "  %deep = tpu.weight dense<[[[[-128, 127], [1, 0]]], "
                      "[[[127, 127], [-3, 8]]]]> : tensor<2x1x2x2xi8>\n"
                      "  %b = tpu.weight dense<[[[[-300]], [[77]]]]> : "
                      "tensor<1x2x1x1xi32>\n");
  }

  void addConv(bool isDepthwise, bool toSigned, int to) {
    add(std::string("tpu.conv %x, %") + (isDepthwise ? "deep" : "dense") +
            ", %b strides [2, 2] pads [1, 1, 0, 0] dilations [1, 1] group " +
            (isDepthwise ? "2" : "1") +
            " {multipliers = array<i32: 1500000000, 1200000000>, rshifts = "
            "array<i32: 37, 38>}",
        tensor("1x2x2x2", codes(toSigned, toSigned ? to - 128 : to)),
        std::string(", tensor<2x") + (isDepthwise ? "1" : "2") +
            "x2x2xi8>, tensor<1x2x1x1xi32>");
  }
  void addMatrix(bool toSigned, int to) {
    add("tpu.linear %x, %w, %b {scales = array<f32: 0.004, 0.002>}",
        tensor("1x3x1x2", codes(toSigned, toSigned ? to - 128 : to)),
        ", tensor<2x6x1x1xi8>, tensor<1x2x1x1xf32>");
  }

private:
  static std::vector<uint8_t> bytesFor(int code) {
    std::vector<uint8_t> bytes(18);
    for (size_t i = 0; i < bytes.size(); ++i)
      bytes[i] = uint8_t(i * 89 + size_t(code) * 7);
    return bytes;
  }
};

/// Every pair of zero points, each on one of the three forms in turn: a form
/// has every zero point on both sides, beside a third of all others. (A program
/// for each pair and form would take three minutes.)
static void climbPairs(int form) {
  for (int code = 0; code < 256; ++code) {
    PairBatch batch(/*isSigned=*/true, code, /*isMatrix=*/form == 2);
    for (int to = (code + form) % 3; to < 256; to += 3)
      if (form == 2)
        batch.addMatrix(/*toSigned=*/true, to);
      else
        batch.addConv(/*isDepthwise=*/form == 1, /*toSigned=*/true, to);
    batch.climb();
    if (testing::Test::HasFatalFailure())
      return;
  }
}

TEST(Exhaustive, PairsOfZeroPointsOfConvolutions) { climbPairs(0); }
TEST(Exhaustive, PairsOfZeroPointsOfDepthwiseConvolutions) { climbPairs(1); }
TEST(Exhaustive, PairsOfZeroPointsOfMatrices) { climbPairs(2); }

/// The other signs differ in a bit of the command: every zero point of the
/// input with four of the result, which are others each time.
TEST(Exhaustive, ZeroPointsOfEverySign) {
  for (bool isSigned : {false, true})
    for (int code = 0; code < 256; ++code) {
      PairBatch batch(isSigned, code), rows(isSigned, code, true);
      for (int to = code % 64; to < 256; to += 64) {
        batch.addConv(false, !isSigned, to);
        batch.addConv(true, false, to);
        rows.addMatrix(!isSigned, to);
      }
      batch.climb();
      rows.climb();
      if (HasFatalFailure())
        return;
    }
}
