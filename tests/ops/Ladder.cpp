//===- Ladder.cpp - a rung of the ladder on a small graph -----------------===//

#include "tests/ops/Ladder.h"

#include "dialects/Evaluate.h"
#include "dialects/tpu/Tpu.h"
#include "tests/unit/codegen/emit/ProgramRunner.h"

#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

#include <cmath>
#include <cstring>
#include <functional>
#include <random>

using namespace weft;
using namespace weft::test;
using numeric::ElementType;
using numeric::HostTensor;

std::string weft::test::tensor(const std::string &shape,
                               const std::string &element) {
  return "tensor<" + shape + "x" + element + ">";
}

std::string weft::test::weight(const std::string &name, std::vector<int> shape,
                               const std::string &element, double limit) {
  std::mt19937 generator(static_cast<uint32_t>(limit * 16 + shape[0]));
  bool isUnsigned = element[0] == 'u',
       integer = isUnsigned || element[0] == 'i';
  std::function<std::string(size_t)> list = [&](size_t axis) -> std::string {
    if (axis == shape.size()) {
      int step = static_cast<int>(generator() % 257) - 128;
      double value = (isUnsigned ? std::abs(step) : step) * limit / 128;
      return integer ? std::to_string(static_cast<int>(value))
                     : std::to_string(value);
    }
    std::string text = "[";
    for (int i = 0; i < shape[axis]; ++i)
      text += (i ? ", " : "") + list(axis + 1);
    return text + "]";
  };
  std::string sizes;
  for (int size : shape)
    sizes += std::to_string(size) + "x";
  return "  %" + name + " = tpu.weight dense<" + list(0) + "> : tensor<" +
         sizes + element + ">\n";
}

std::string weft::test::repeated(const std::string &value, int count) {
  std::string text = value;
  for (int i = 1; i < count; ++i)
    text += ", " + value;
  return text;
}

/// Uniform in [-2, 2]; integers over their whole range.
static HostTensor randomTensor(mlir::Type type) {
  HostTensor values = *makeHostTensor(type);
  std::mt19937 generator(7);
  bool real = values.type() == ElementType::F32 ||
              values.type() == ElementType::F16 ||
              values.type() == ElementType::BF16;
  size_t unit = values.sizeBytes() / values.elements();
  for (int64_t i = 0; i < values.elements(); ++i) {
    auto bits = static_cast<int32_t>(generator());
    if (real)
      values.setFromDouble(i, bits * 0x1p-30);
    else
      std::memcpy(values.bytes() + i * unit, &bits, unit); // low bytes first
  }
  return values;
}

void weft::test::climb(const LadderCase &c, const Chip &chip) {
  std::string text =
      "module attributes {tpu.chip = \"" + std::string(chip.targetName) +
      "\", tpu.precision = \"f32\"} {\n"
      "func.func @main(%x: " +
      c.input + " {tpu.io = {name = \"x\", type = " + c.input + "}}) -> (" +
      c.output + " {tpu.io = {name = \"y\", type = " + c.output + "}}) {\n" +
      c.body + "  return %y : " + c.output + "\n}\n}\n";
  ProgramRunner program(text);
  ASSERT_TRUE(program.ok()) << text;
  mlir::MLIRContext context;
  context.loadDialect<tpu::TpuDialect, mlir::func::FuncDialect>();
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  ASSERT_TRUE(module);
  auto function = *module->getOps<mlir::func::FuncOp>().begin();
  HostTensor input = randomTensor(function.getArgumentTypes()[0]);
  llvm::SmallVector<HostTensor> expected;
  ASSERT_TRUE(succeeded(evaluateFunction(function, {input}, expected)));
  std::vector<uint8_t> stored(input.bytes(), input.bytes() + input.sizeBytes());
  std::vector<uint8_t> bytes = program.run({stored}).front();
  HostTensor actual(expected[0].type(), expected[0].shape());
  ASSERT_EQ(bytes.size(), actual.sizeBytes());
  std::memcpy(actual.bytes(), bytes.data(), bytes.size());
  bool varies = false;
  for (int64_t i = 0; i < actual.elements(); ++i) {
    double want = expected[0].toDouble(i), got = actual.toDouble(i);
    varies |= want != expected[0].toDouble(0);
    if (got == want || (std::isnan(want) && std::isnan(got)))
      continue; // the same infinity, too
    ASSERT_LE(std::fabs(got - want), c.absolute + c.relative * std::fabs(want))
        << "element " << i << ": evaluator " << want << ", commands " << got;
  }
  EXPECT_TRUE(varies) << "the case computes a constant, so it shows nothing";
}
