//===- Graphs.cpp - small random tpu graphs -------------------------------===//

#include "tests/unit/passes/zhouyi/Graphs.h"

#include "codegen/zhouyi/Encode.h"
#include "dialects/Evaluate.h"
#include "dialects/tpu/Tpu.h"
#include "dialects/zhouyi/Program.h"
#include "passes/zhouyi/Passes.h"
#include "runtime/zhouyi/Machine.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Quant/QuantOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>

using namespace mlir;
using namespace weft;
using namespace weft::zhouyi::test;
using numeric::HostTensor;

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

std::string weft::zhouyi::test::shapeText(const Shape &shape) {
  std::string text;
  for (int64_t size : shape)
    text += std::to_string(size) + "x";
  return text;
}

std::string Tensor::type() const {
  return "tensor<" + shapeText(shape) + element + ">";
}

/// The type under which ONNX knows a tensor of `element`.
static std::string onnxType(const Tensor &tensor) {
  bool isQuantized = tensor.element.rfind("!quant", 0) == 0;
  return "tensor<" + shapeText(tensor.shape) +
         (isQuantized ? "f32" : tensor.element) + ">";
}

Tensor Graph::argument(const Shape &shape, const std::string &element) {
  arguments.push_back({"%a" + std::to_string(next++), shape, element});
  return arguments.back();
}

Tensor Graph::weight(const Shape &shape, const std::string &element,
                     const std::vector<double> &numbers) {
  Tensor result{"%w" + std::to_string(next++), shape, element};
  bool isFloat = element == "f32" || element == "f16";
  std::string nested;
  int64_t count = int64_t(numbers.size());
  std::vector<int64_t> closes;
  int64_t size = 1;
  for (size_t axis = shape.size(); axis-- > 0;)
    closes.insert(closes.begin(), size *= shape[axis]);
  for (int64_t i = 0; i < count; ++i) {
    for (int64_t each : closes)
      if (i % each == 0)
        nested += "[";
    char number[40];
    std::snprintf(number, sizeof number, isFloat ? "%.9e" : "%.0f", numbers[i]);
    nested += number;
    for (int64_t each : closes)
      if ((i + 1) % each == 0)
        nested += "]";
    if (i + 1 < count)
      nested += ", ";
  }
  body += "    " + result.name + " = tpu.weight dense<" + nested +
          "> : " + result.type() + "\n";
  return result;
}

Tensor Graph::add(const Shape &shape, const std::string &element,
                  const std::string &text) {
  Tensor result{"%v" + std::to_string(next++), shape, element};
  body += "    " + result.name + " = " + text + "\n";
  return result;
}

std::string Graph::text(const Tensor &result) const {
  std::string list;
  for (const Tensor &tensor : arguments)
    list += (list.empty() ? "" : ", ") + tensor.name + ": " + tensor.type() +
            " {tpu.io = {name = \"" + tensor.name.substr(1) +
            "\", type = " + onnxType(tensor) + "}}";
  return "module {\n  func.func @main(" + list + ") -> (" + result.type() +
         " {tpu.io = {name = \"y\", type = " + onnxType(result) + "}}) {\n" +
         body + "    return " + result.name + " : " + result.type() +
         "\n  }\n}\n";
}

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

static double randomFloat(Dice &dice, Numbers numbers, bool isHalf) {
  if (numbers == Numbers::Small)
    return dice.real(-1, 1);
  if (numbers == Numbers::Any && dice.chance(8))
    return dice.among({0.0, -0.0, double(INFINITY), -double(INFINITY),
                       std::numeric_limits<double>::quiet_NaN()});
  if (dice.chance(30)) // halves and whole numbers, where rounding decides
    return double(dice.from(-600, 600)) / 2;
  double exponent = isHalf ? dice.real(-24, 10) : dice.real(-40, 30);
  return dice.real(-2, 2) * std::exp2(exponent);
}

static void fillRandom(HostTensor &tensor, Dice &dice, Numbers numbers) {
  using numeric::ElementType;
  if (tensor.type() == ElementType::F32 || tensor.type() == ElementType::F16) {
    bool isHalf = tensor.type() == ElementType::F16;
    for (int64_t i = 0; i < tensor.elements(); ++i)
      tensor.setFromDouble(i, randomFloat(dice, numbers, isHalf));
    return;
  }
  bool extremes = dice.chance(30);
  for (size_t i = 0; i < tensor.sizeBytes(); ++i)
    tensor.bytes()[i] = extremes ? dice.among<uint8_t>({0, 0x7f, 0x80, 0xff})
                                 : uint8_t(dice.from(0, 255));
}

/// True if the elements are the same bits, or both NaN, or near enough.
static bool isSame(const HostTensor &a, const HostTensor &b, int64_t i,
                   Tolerance tolerance) {
  size_t bytes = numeric::elementBytes(a.type());
  if (std::memcmp(a.bytes() + i * bytes, b.bytes() + i * bytes, bytes) == 0)
    return true;
  using numeric::ElementType;
  if (a.type() != ElementType::F32 && a.type() != ElementType::F16)
    return false;
  double x = a.toDouble(i), y = b.toDouble(i);
  if (std::isnan(x) || std::isnan(y))
    return std::isnan(x) && std::isnan(y);
  return std::fabs(x - y) <=
             tolerance.absolute + tolerance.relative * std::fabs(x) &&
         tolerance.absolute + tolerance.relative > 0;
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

namespace {
/// A context with the dialects of this ladder.
struct Context {
  Context() : context(registry(), MLIRContext::Threading::DISABLED) {
    context.loadAllAvailableDialects();
  }
  static DialectRegistry registry() {
    DialectRegistry registry;
    registry.insert<tpu::TpuDialect, zhouyi::ZhouyiDialect, func::FuncDialect,
                    quant::QuantizationDialect, scf::SCFDialect,
                    arith::ArithDialect>();
    return registry;
  }
  MLIRContext context;
};
} // namespace

/// The output of the program on the machine; empty, after a failure, if there
/// is none.
static std::optional<HostTensor> runProgram(ModuleOp module,
                                            ArrayRef<HostTensor> inputs,
                                            const HostTensor &like) {
  PassManager passes(module.getContext());
  passes.addPass(zhouyi::createConvertTpuToZhouyi());
  passes.addPass(createCanonicalizerPass());
  passes.addPass(createCSEPass());
  if (failed(passes.run(module)))
    return ADD_FAILURE() << "the lowering fails", std::nullopt;
  auto program =
      codegen::encodeVectorProgram(*module.getOps<zhouyi::ProgramOp>().begin());
  if (failed(program))
    return ADD_FAILURE() << "the program is not encoded", std::nullopt;
  auto shared = std::make_shared<zhouyi::Program>(std::move(*program));
  rt::Result<zhouyi::Machine> machine = zhouyi::Machine::make(shared);
  if (!machine)
    return ADD_FAILURE() << machine.status().message(), std::nullopt;
  HostTensor output = like;
  const zhouyi::Buffer *result = nullptr;
  size_t next = 0;
  for (const zhouyi::Buffer &buffer : shared->buffers) {
    if (buffer.role == zhouyi::BufferRole::Output)
      result = &buffer;
    if (buffer.role != zhouyi::BufferRole::Input)
      continue;
    const HostTensor &input = inputs[next++];
    std::memcpy(machine->memory(buffer), input.bytes(), input.sizeBytes());
  }
  if (rt::Status status = machine->run(); !status)
    return ADD_FAILURE() << status.message(), std::nullopt;
  std::memcpy(output.bytes(), machine->memory(*result), output.sizeBytes());
  return output;
}

void weft::zhouyi::test::checkGraph(const std::string &text, uint32_t seed,
                                    Numbers numbers, Tolerance tolerance) {
  SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + text.substr(0, 3000));
  static Context shared;
  OwningOpRef<ModuleOp> module =
      parseSourceString<ModuleOp>(text, &shared.context);
  ASSERT_TRUE(module);
  auto main = module->lookupSymbol<func::FuncOp>("main");
  Dice dice(seed);
  std::vector<HostTensor> inputs;
  for (Type type : main.getArgumentTypes()) {
    inputs.push_back(*makeHostTensor(type));
    fillRandom(inputs.back(), dice, numbers);
  }
  SmallVector<HostTensor> outputs;
  ASSERT_TRUE(succeeded(evaluateFunction(main, inputs, outputs)));
  std::optional<HostTensor> output = runProgram(*module, inputs, outputs[0]);
  ASSERT_TRUE(output);
  for (int64_t i = 0; i < outputs[0].elements(); ++i)
    ASSERT_TRUE(isSame(outputs[0], *output, i, tolerance))
        << "element " << i << ": the evaluator gives " << outputs[0].toDouble(i)
        << ", the machine " << output->toDouble(i);
}
