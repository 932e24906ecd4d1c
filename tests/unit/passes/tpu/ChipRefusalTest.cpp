//===- ChipRefusalTest.cpp - what a chip cannot run -----------------------===//

#include "passes/tpu/ChipRefusal.h"

#include "dialects/tpu/Tpu.h"
#include "runtime/chips/Chips.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace weft;

namespace {

class ChipRefusal : public testing::TestWithParam<const Chip *> {
protected:
  ChipRefusal() {
    context.loadDialect<func::FuncDialect, tpu::TpuDialect>();
    context.printOpOnDiagnostic(false);
  }

  /// The answer about the last op of `body`, which reads %x of type `input`. It
  /// has no reader, as the last step of a plan.
  std::optional<Refusal> ask(const std::string &input,
                             const std::string &body) {
    module = parseSourceString<ModuleOp>(
        "func.func @f(%x: " + input + ") {\n" + body + "\nreturn\n}", &context);
    EXPECT_TRUE(module);
    auto func = *module->getOps<func::FuncOp>().begin();
    Operation *op = func.getBody().front().getTerminator()->getPrevNode();
    return tpu::refusalOf(op, chip);
  }

  /// A 3x3 convolution of one channel with `attributes`.
  std::optional<Refusal> askConv(const std::string &attributes,
                                 const std::string &result) {
    return ask("tensor<1x1x40x40xf32>",
               "%w = tpu.weight dense<1.0> : tensor<1x1x3x3xf32>\n"
               "%y = tpu.conv %x, %w " +
                   attributes +
                   " group 1 : tensor<1x1x40x40xf32>, tensor<1x1x3x3xf32> -> " +
                   result);
  }

  MLIRContext context{MLIRContext::Threading::DISABLED};
  OwningOpRef<ModuleOp> module;
  const Chip &chip = *GetParam();
  int64_t limit = chip.maxWindowStep;
};

TEST_P(ChipRefusal, AWindowMovesByNoMoreThanACommandHas) {
  auto attributes = [](int64_t stride, int64_t pad, int64_t dilation) {
    return inWords("strides [", stride, ", 1] pads [", pad,
                   ", 0, 0, 0] dilations [", dilation, ", 1]");
  };
  auto rows = [](int64_t count) {
    return inWords("tensor<1x1x", count, "x38xf32>");
  };
  EXPECT_FALSE(askConv(attributes(1, limit, 1), rows(38 + limit)));
  auto pad = askConv(attributes(1, limit + 1, 1), rows(39 + limit));
  ASSERT_TRUE(pad);
  EXPECT_EQ(pad->reason, inWords("padding of ", limit + 1,
                                 ", the machine pads up to ", limit));
  EXPECT_EQ(pad->wayOut,
            "join the input with zeros by a Concat and pad less here");
  auto stride =
      askConv(attributes(limit + 1, 0, 1), rows(37 / (limit + 1) + 1));
  ASSERT_TRUE(stride);
  EXPECT_EQ(stride->reason,
            inWords("stride of ", limit + 1, ", must be at most ", limit));
  auto dilation =
      askConv(attributes(1, 0, limit + 1), rows(40 - 2 * (limit + 1)));
  ASSERT_TRUE(dilation);
  EXPECT_EQ(dilation->wayOut, "use a smaller one");
}

TEST_P(ChipRefusal, ASliceFitsTheLocalMemory) {
  auto pool = [&](int64_t size) {
    std::string input = inWords("tensor<1x1x", size, "x", size, "xf32>");
    return ask(input, inWords("%y = tpu.pool max %x kernel [", size, ", ", size,
                              "] strides [1, 1] pads [0, 0, 0, 0] : ", input,
                              " -> tensor<1x1x1x1xf32>"));
  };
  EXPECT_FALSE(pool(16));
  auto refusal = pool(1000);
  ASSERT_TRUE(refusal);
  EXPECT_EQ(refusal->reason, inWords("one slice of this layer does not fit the "
                                     "local memory of ",
                                     chip.laneBytes, " bytes a lane"));
  EXPECT_EQ(refusal->wayOut, "make the layer smaller");
}

TEST_P(ChipRefusal, ACopyIsNotTooManyCommands) {
  auto arrange = [&](int64_t size) {
    std::string sizes, from, to;
    int64_t all = 1;
    for (int axis = 5; axis >= 0; --axis) {
      sizes = inWords(size, axis == 5 ? "" : ", ", sizes);
      to = inWords(all, axis == 5 ? "" : ", ", to);
      from += inWords(axis == 5 ? "" : ", ", all);
      all *= size;
    }
    std::string type = inWords("tensor<1x1x1x", all, "xf32>");
    return ask(type,
               inWords("%y = tpu.arrange %x pieces [#tpu.piece<0, 0, 0, [",
                       sizes, "], [", from, "], [", to, "]>] : (", type,
                       ") -> ", type));
  };
  EXPECT_FALSE(arrange(4));
  auto refusal = arrange(26); // 26^3 steps of a command of four axes
  ASSERT_TRUE(refusal);
  EXPECT_EQ(refusal->reason,
            "a movement of elements that takes more than 16384 DMA commands");
  EXPECT_EQ(refusal->wayOut, "make the tensor smaller, or reorder fewer axes "
                             "at a time");
}

TEST_P(ChipRefusal, DramHoldsTheResult) {
  auto refusal = ask("tensor<1x1x1x1xf32>",
                     "%y = tpu.binary add %x, %x : tensor<1x1x1x1xf32>, "
                     "tensor<1x1x1x1xf32> -> tensor<1x1x1x1xf32>");
  EXPECT_FALSE(refusal);
  refusal = ask("tensor<1x60000x60000x1xf32>",
                "%y = tpu.unary relu %x : tensor<1x60000x60000x1xf32>");
  ASSERT_EQ(refusal.has_value(), chip.globalMemoryBytes < 14400000000);
  refusal = ask("tensor<1x90000x90000x1xf32>",
                "%y = tpu.unary relu %x : tensor<1x90000x90000x1xf32>");
  ASSERT_TRUE(refusal);
  EXPECT_EQ(refusal->wayOut, "make it smaller");
}

TEST_P(ChipRefusal, ADivisionOfHalvesIsNone) {
  auto refusal = ask("tensor<1x1x1x8xf16>",
                     "%y = tpu.binary div %x, %x : tensor<1x1x1x8xf16>, "
                     "tensor<1x1x1x8xf16> -> tensor<1x1x1x8xf16>");
  ASSERT_TRUE(refusal);
  EXPECT_EQ(refusal->text(), "16-bit division; keep this layer in f32");
}

TEST_P(ChipRefusal, AProductHasSoManyMatrices) {
  auto product = [&](int64_t images) {
    std::string type = inWords("tensor<", images, "x64x1x2xf32>"),
                right = inWords("tensor<", images, "x64x2x1xf32>"),
                result = inWords("tensor<", images, "x64x1x1xf32>");
    return ask(type, "%w = tpu.weight dense<1.0> : " + right +
                         "\n%y = tpu.matmul %x, %w : " + type + ", " + right +
                         " -> " + result);
  };
  EXPECT_FALSE(product(512));
  auto refusal = product(513);
  ASSERT_TRUE(refusal);
  EXPECT_EQ(refusal->text(), "32832 products of matrices in one layer, must be "
                             "at most 32768; use a smaller batch");
}

INSTANTIATE_TEST_SUITE_P(Chips, ChipRefusal, testing::ValuesIn(chips::all),
                         [](const auto &info) {
                           return std::string(info.param->targetName);
                         });

} // namespace
