//===- OnnxInterfaceTest.cpp - sequences and optionals as inputs, outputs -===//

#include "tests/unit/frontend/OnnxText.h"
#include <gmock/gmock.h>

using namespace weft;
using namespace weft::test;
using numeric::ElementType;
using numeric::HostTensor;
using testing::HasSubstr;
using testing::Not;

static std::string textOf(const std::string &graph, const Shapes &shapes = {}) {
  Imported result = importBytes(onnxGraph(18, graph), shapes);
  EXPECT_EQ(result.messages, "");
  return result.text;
}

static std::string failureOf(const std::string &graph,
                             const Shapes &shapes = {}) {
  return failure(onnxGraph(18, graph), shapes);
}

static const char *const kAppend = "(seq(float[N]) S, float[2] x) => "
                                   "(seq(float[M]) y) "
                                   "{ y = SequenceInsert(S, x) }";
static const char *const kFixed = "(seq(float[3]) S) => (seq(float[3]) y) "
                                  "{ y = Identity(S) }";
static const char *const kOptional =
    "(optional(float[2]) o, float[2] x) => (float[2] y) {"
    "  c = OptionalHasElement(o) "
    "  y = If (c) <then_branch = yes () => (float[2] a) "
    "{ a = OptionalGetElement(o) },"
    "  else_branch = no () => (float[2] b) { b = Exp(x) }> }";

TEST(OnnxInterface, TensorsOfASequenceAreInputsAndOutputs) {
  std::string text = textOf(kAppend, {{"S[0]", {4}}, {"S[1]", {3}}});
  for (const char *argument : {"%arg0: tensor<4xf32> {top.name = \"S[0]\", ",
                               "%arg1: tensor<3xf32> {top.name = \"S[1]\", ",
                               "%arg2: tensor<2xf32> {top.name = \"x\"}"})
    EXPECT_THAT(text, HasSubstr(argument));
  EXPECT_THAT(text, HasSubstr("(tensor<4xf32> {top.name = \"y[0]\", "
                              "top.symbols = [\"M\"]}, tensor<3xf32> "));
  EXPECT_THAT(text, HasSubstr("return %arg0, %arg1, %arg2"));
}

TEST(OnnxInterface, AShapeInTheTypeNeedsANumber) {
  EXPECT_THAT(textOf(kFixed, {{"S", {2}}}),
              HasSubstr("tensor<3xf32> {top.name = \"S[1]\"}"));
  // A dimension's name gives its size to every tensor.
  EXPECT_THAT(textOf(kAppend, {{"S", {1}}, {"N", {7}}}),
              HasSubstr("%arg0: tensor<7xf32>"));
  // So does an axis of one of them.
  EXPECT_THAT(textOf(kAppend, {{"S[0][0]", {6}}}),
              HasSubstr("%arg0: tensor<6xf32>"));
}

TEST(OnnxInterface, SequencesMayBeEmpty) {
  EXPECT_THAT(textOf(kAppend, {{"S", {0}}}), HasSubstr("return %arg0 : "));
  Imported both = importBytes(
      onnxGraph(18, "(seq(float[N]) S, float[2] x) => (seq(float[N]) y, "
                    "float[2] z) { y = Identity(S) z = Relu(x) }"),
      {{"S", {0}}});
  EXPECT_TRUE(both.module);
  EXPECT_THAT(both.messages,
              HasSubstr("remark: m.onnx: output 'y' is an empty sequence; the "
                        "program has no output for it"));
  EXPECT_THAT(failureOf("(seq(float[N]) S) => (seq(float[N]) y) "
                        "{ y = Identity(S) }",
                        {{"S", {0}}}),
              HasSubstr("no output of the model has a tensor"));
}

TEST(OnnxInterface, OptionalsHaveAValueUnlessTheyAreLeftOut) {
  EXPECT_THAT(textOf(kOptional), Not(HasSubstr("exp %")));
  std::string text = textOf(kOptional, {{"o", {onnx::kAbsentInput}}});
  EXPECT_THAT(text, HasSubstr("exp %arg0"));
  EXPECT_THAT(text, Not(HasSubstr("%arg1")));
  Imported back =
      importBytes(onnxGraph(18, "(optional(seq(float[2])) o, float[2] x) => "
                                "(optional(seq(float[2])) p, float[2] y) "
                                "{ p = Identity(o) y = Relu(x) }"),
                  {{"o", {onnx::kAbsentInput}}});
  EXPECT_TRUE(back.module);
  EXPECT_THAT(back.messages, HasSubstr("output 'p' is an optional without a "
                                       "value; the program has no output"));
}

TEST(OnnxInterface, WhatIsMissingIsTold) {
  EXPECT_EQ(failureOf(kAppend),
            "weft: error: m.onnx: input 'S' is a sequence of float32 tensors, "
            "and a program has a fixed number of them; give the shape of each: "
            "--shape S[0]=A --shape S[1]=A and so on, or --shape S=empty\n");
  EXPECT_EQ(failureOf(kFixed),
            "weft: error: m.onnx: input 'S' is a sequence of float32 tensors, "
            "and a program has a fixed number of them; give their number, for "
            "example --shape S=2, or --shape S=empty\n");
  EXPECT_THAT(failureOf("(optional(seq(float[2])) o) => (float[2] y) "
                        "{ s = OptionalGetElement(o) y = SequenceAt(s, i) }"),
              HasSubstr("or --shape o=none without a value"));
  EXPECT_EQ(failureOf(kAppend, {{"S", {2}}}),
            "weft: error: m.onnx: the model leaves sizes of tensors of "
            "sequence 'S' open; give them: --shape S[0]=A --shape S[1]=A\n");
}

TEST(OnnxInterface, ElementsAreNoAxes) {
  EXPECT_THAT(failureOf(kAppend, {{"S", {2, 3}}}),
              HasSubstr("--shape gives 'S', which is a sequence, a shape"));
  EXPECT_THAT(failureOf(kAppend, {{"S[0]", {4}}, {"x[0]", {2, 3}}}),
              HasSubstr("--shape gives 'x[0]', which is an axis of a tensor, "
                        "what is no size; give one number"));
}

TEST(OnnxInterface, NumbersMustAgree) {
  EXPECT_THAT(failureOf(kAppend, {{"S", {1}}, {"S[1]", {4}}}),
              HasSubstr("an option names 'S[1]', but 'S' is given 1 tensors by "
                        "--shape S=1; they are counted from 0"));
  EXPECT_THAT(failureOf(kAppend, {{"S[1]", {4}}}),
              HasSubstr("tensor 0 of sequence 'S' is not given, only a later "
                        "one; give its shape, --shape S[0]=AxB.., or the "
                        "number of all, --shape S=2"));
  for (const char *one : {"S[99999999999]", "S[9223372036854775807]"})
    EXPECT_THAT(failureOf(kAppend, {{one, {4}}}),
                HasSubstr("there may be at most 1024"));
  EXPECT_THAT(failureOf(kFixed, {{"S[0]", {4}}}),
              HasSubstr("--shape gives dimension 0 of input 'S[0]' the size 4, "
                        "the model fixes it to 3"));
}

TEST(OnnxInterface, OnlyOptionalsCanBeLeftOut) {
  Shapes none = {{"S", {onnx::kAbsentInput}}};
  EXPECT_THAT(failureOf(kFixed, none),
              HasSubstr("--shape S=none leaves out input 'S', a sequence of "
                        "tensors; only optionals can be left out"));
  EXPECT_THAT(failureOf(kFixed, {{"S[0]", {onnx::kAbsentInput}}}),
              HasSubstr("leaves out input 'S[0]', a tensor; only"));
}

TEST(OnnxInterface, NamesMustBeFree) {
  EXPECT_THAT(
      failureOf("(seq(float[2]) S, float[2] \"S[0]\") => (seq(float[2]) y) "
                "{ y = SequenceInsert(S, \"S[0]\") }",
                {{"S", {1}}}),
      HasSubstr("tensor 0 of sequence 'S' would be called 'S[0]', as another "
                "value of the model is; rename one of them in the model"));
  EXPECT_THAT(
      failureOf("(float[2] x) => (seq(float[2]) y) "
                "{ \"y[0]\" = Exp(x) z = Relu(x) y = SequenceConstruct(z) }"),
      HasSubstr("tensor 0 of sequence 'y' would be called 'y[0]'"));
  // The same value may have the name twice.
  EXPECT_THAT(textOf("(float[2] x) => (seq(float[2]) y) "
                     "{ \"y[0]\" = Exp(x) y = SequenceConstruct(\"y[0]\") }"),
              HasSubstr("top.name = \"y[0]\""));
}

TEST(OnnxInterface, OtherTypesAreRefused) {
  EXPECT_THAT(failureOf("(seq(seq(float[2])) S, float[2] x) => (float[2] y) "
                        "{ y = Relu(x) }"),
              HasSubstr("unsupported: input 'S' is a sequence of sequences; "
                        "only tensors, sequences of tensors, and optionals of "
                        "these can be inputs of a bmodel"));
  EXPECT_THAT(failureOf("(optional(map(int64, float[2])) S, float[2] x) => "
                        "(float[2] y) { y = Relu(x) }"),
              HasSubstr("unsupported: input 'S' is a map; only"));
  EXPECT_THAT(failureOf("(seq(string[2]) S, float[2] x) => (float[2] y) "
                        "{ y = Relu(x) }",
                        {{"S", {1}}}),
              HasSubstr("unsupported: input 'S' is a sequence of tensors of "
                        "strings; a program can have sequences of numbers "
                        "only"));
}

TEST(OnnxInterface, DeclaredOutputsAreChecked) {
  EXPECT_THAT(failureOf("(float[2] x) => (float[2] y) "
                        "{ y = SequenceConstruct(x) }"),
              HasSubstr("output 'y' is declared as a tensor, but its node "
                        "makes a sequence of 1 tensors"));
  EXPECT_THAT(failureOf("(float[2] x) => (seq(int64[2]) y) "
                        "{ y = SequenceConstruct(x) }"),
              HasSubstr("output 'y' is declared as int64, but its node makes "
                        "float32"));
}

TEST(OnnxInterface, TensorsOfSequencesCanBeBound) {
  HostTensor ones(ElementType::F32, {3});
  Imported result =
      importBound(onnxGraph(18, kFixed), {{"S[1]", ones}}, {{"S[0]", {3}}});
  EXPECT_EQ(result.messages, "");
  EXPECT_THAT(result.text, HasSubstr("return %arg0, %0 : "));
  Imported whole = importBound(onnxGraph(18, kFixed), {{"S", ones}});
  EXPECT_THAT(whole.messages, HasSubstr("--bind names 'S', which is a "
                                        "sequence; bind its tensors, --bind "
                                        "S[0]=FILE.npz"));
}
