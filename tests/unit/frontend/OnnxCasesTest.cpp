//===- OnnxCasesTest.cpp - imported graphs against ONNX Runtime -----------===//
//
// Each file of tests/data/onnx (made by scripts/make_onnx_cases) is a graph
// with its inputs and ONNX Runtime's results as initializers. The graph is
// imported, evaluated and compared: shapes, element types and values.
//
//===----------------------------------------------------------------------===//

#include "dialects/Evaluate.h"
#include "frontend/onnx/OnnxModel.h"
#include "tests/unit/frontend/OnnxText.h"
#include "gtest/gtest.h"
#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>

using namespace weft;
using numeric::ElementType;
using numeric::HostTensor;

static HostTensor hostTensor(const onnx::Tensor &tensor) {
  HostTensor result(*numeric::fromOnnxDataType(tensor.type), tensor.dims);
  EXPECT_EQ(result.sizeBytes(), tensor.bytes.size()) << tensor.name;
  std::memcpy(result.bytes(), tensor.bytes.data(), tensor.bytes.size());
  return result;
}

/// Integers and bools must be equal. Floats: our evaluator rounds once per op,
/// ONNX Runtime sums in the tensor's own type and uses its own exp, erf and
/// tanh, whose errors are a few units in the last place; 32 units of the larger
/// of the value and 1 cover sums of up to about 30 terms of size 1.
static double tolerance(ElementType type, double expected) {
  double unit = type == ElementType::F64   ? 0x1p-52
                : type == ElementType::F32 ? 0x1p-23
                : type == ElementType::F16 ? 0x1p-10
                                           : 0;
  return 32 * unit * std::max(1.0, std::fabs(expected));
}

static void expectEqual(const HostTensor &actual, const HostTensor &expected,
                        const std::string &name) {
  ASSERT_EQ(actual.type(), expected.type()) << name;
  ASSERT_EQ(actual.shape(), expected.shape()) << name;
  for (int64_t i = 0; i < expected.elements(); ++i) {
    double want = expected.toDouble(i), got = actual.toDouble(i);
    if (std::isnan(want)) {
      EXPECT_TRUE(std::isnan(got)) << name << "[" << i << "]";
    } else if (want != got) {
      EXPECT_NEAR(got, want, tolerance(expected.type(), want))
          << name << "[" << i << "]";
    }
  }
}

static std::vector<std::string> caseNames() {
  std::vector<std::string> names;
  for (const auto &entry :
       std::filesystem::directory_iterator(WEFT_TEST_DATA "/onnx"))
    if (entry.path().extension() == ".onnx")
      names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

TEST(OnnxCases, AreThere) { EXPECT_GE(caseNames().size(), 50u); }

namespace {
class OnnxCase : public testing::TestWithParam<std::string> {};
} // namespace

TEST_P(OnnxCase, EqualsOnnxRuntime) {
  std::string path = WEFT_TEST_DATA "/onnx/" + GetParam() + ".onnx";
  auto model = onnx::readModelFile(path);
  ASSERT_TRUE(bool(model)) << llvm::toString(model.takeError());
  NamedTensors inputs, expected, outputs;
  for (const onnx::Tensor &tensor : model->initializers) {
    llvm::StringRef name = tensor.name;
    if (name.consume_front("input:"))
      inputs[name.str()] = hostTensor(tensor);
    else if (name.consume_front("expected:"))
      expected[name.str()] = hostTensor(tensor);
  }
  ASSERT_FALSE(expected.empty());
  test::Imported imported = test::importFile(path);
  ASSERT_TRUE(imported.module) << imported.messages;
  auto main = *imported.module->getOps<mlir::func::FuncOp>().begin();
  ASSERT_TRUE(succeeded(evaluateNamed(main, inputs, outputs)));
  ASSERT_EQ(outputs.size(), expected.size());
  for (const auto &[name, tensor] : expected)
    expectEqual(outputs[name], tensor, name);
}

INSTANTIATE_TEST_SUITE_P(Files, OnnxCase, testing::ValuesIn(caseNames()),
                         [](const auto &parameter) { return parameter.param; });
