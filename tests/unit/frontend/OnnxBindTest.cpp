//===- OnnxBindTest.cpp - constants in place of inputs --------------------===//

#include "tests/unit/frontend/OnnxText.h"
#include <gmock/gmock.h>

using namespace weft;
using namespace weft::test;
using numeric::ElementType;
using numeric::HostTensor;
using testing::HasSubstr;
using testing::Not;

static HostTensor filled(ElementType type, std::vector<int64_t> shape,
                         std::vector<double> values) {
  HostTensor tensor(type, std::move(shape));
  for (size_t i = 0; i < values.size(); ++i)
    tensor.setFromDouble(i, values[i]);
  return tensor;
}

static std::string reshapeModel() {
  return onnxGraph(13, "(float[2,3] x, int64[N] s) => (float[3,2] y) "
                       "{ y = Reshape(x, s) }");
}

static std::string bindFailure(const std::string &bytes, HostTensor tensor,
                               const Shapes &shapes = {}) {
  Imported result = importBound(bytes, {{"s", std::move(tensor)}}, shapes);
  EXPECT_FALSE(result.module) << result.text;
  return result.messages;
}

TEST(OnnxBind, InputBecomesAConstant) {
  Imported result = importBound(reshapeModel(),
                                {{"s", filled(ElementType::I64, {2}, {3, 2})}});
  EXPECT_EQ(result.messages, "");
  EXPECT_THAT(result.text, HasSubstr("top.reshape"));
  EXPECT_THAT(result.text, Not(HasSubstr("%arg1")));
}

TEST(OnnxBind, ScalarsBoolsAndCarriedTypes) {
  Imported scalar = importBound(
      onnxGraph(13, "(float[2] x, float s) => (float[2] y) { y = Add(x, s) }"),
      {{"s", filled(ElementType::F32, {}, {0.5})}});
  EXPECT_THAT(scalar.text, HasSubstr("dense<5.000000e-01> : tensor<f32>"));
  Imported truth = importBound(
      onnxGraph(13, "(float[2] x, bool[2] s) => (bool[2] z) { z = Not(s) }"),
      {{"s", filled(ElementType::Bool, {2}, {1, 0})}});
  EXPECT_EQ(truth.messages, "");
  Imported brain = importBound(
      onnxGraph(13, "(bfloat16[2] s) => (bfloat16[2] y) { y = Identity(s) }"),
      {{"s", filled(ElementType::F32, {2}, {1.5, -2})}});
  EXPECT_THAT(brain.text, HasSubstr("[1.500000e+00, -2.000000e+00]> : "
                                    "tensor<2xbf16>"));
}

TEST(OnnxBind, WrongType) {
  EXPECT_EQ(bindFailure(reshapeModel(), filled(ElementType::F32, {2}, {3, 2})),
            "weft: error: m.onnx: --bind gives input 's' f32 elements, the "
            "model expects int64; convert the array first\n");
}

TEST(OnnxBind, WrongShape) {
  EXPECT_EQ(bindFailure(onnxGraph(13, "(float[2,3] x, int64[2] s) => "
                                      "(float[3,2] y) { y = Reshape(x, s) }"),
                        filled(ElementType::I64, {3}, {3, 2, 1})),
            "weft: error: m.onnx: --bind gives input 's' the shape 3, the "
            "model expects 2; give an array of that shape\n");
}

TEST(OnnxBind, UnknownInput) {
  Imported result =
      importBound(reshapeModel(), {{"t", filled(ElementType::I64, {}, {0})}});
  EXPECT_THAT(result.messages,
              HasSubstr("--bind names 't', which is not an input of the model; "
                        "inputs: 'x', 's'\n"));
}

TEST(OnnxBind, BoundInputHasNoShapeOption) {
  EXPECT_EQ(bindFailure(reshapeModel(), filled(ElementType::I64, {2}, {3, 2}),
                        {{"s", {2}}}),
            "weft: error: m.onnx: --shape and --bind both name input 's'; a "
            "bound input has the array's shape, leave --shape out\n");
}
