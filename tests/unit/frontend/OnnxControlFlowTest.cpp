//===- OnnxControlFlowTest.cpp - If, Loop, Scan, sequences, optionals -----===//

#include "tests/unit/frontend/OnnxText.h"
#include <gmock/gmock.h>

using namespace weft;
using namespace weft::test;
using testing::HasSubstr;
using testing::Not;

static std::string textOf(const std::string &graph, int opset = 18) {
  Imported result = importBytes(onnxGraph(opset, graph));
  EXPECT_EQ(result.messages, "");
  return result.text;
}

static std::string failureOf(const std::string &graph, int opset = 18) {
  return failure(onnxGraph(opset, graph));
}

/// How often `word` occurs in `text`.
static int count(const std::string &text, const std::string &word) {
  int found = 0;
  for (size_t at = text.find(word); at != std::string::npos;
       at = text.find(word, at + 1))
    ++found;
  return found;
}

static const char *const kBranches =
    "  y = If (c) <then_branch = yes () => (float[2] a) { a = Relu(x) },"
    "              else_branch = no () => (float[2] b) { b = Exp(x) }>";

TEST(OnnxControlFlow, AConstantConditionChoosesTheBranch) {
  for (int condition : {0, 1}) {
    std::string text =
        textOf("(float[2] x) => (float[2] y) "
               "<bool c = {" +
               std::to_string(condition) + "}> {" + kBranches + "}");
    EXPECT_THAT(text, HasSubstr(condition ? "relu %" : "exp %"));
    EXPECT_THAT(text, Not(HasSubstr(condition ? "exp %" : "relu %")));
  }
}

TEST(OnnxControlFlow, AConditionOnShapesIsConstant) {
  std::string text = textOf("(float[2] x) => (float[2] y) "
                            "<int64[1] two = {2}> {"
                            "  s = Shape(x)  c = Equal(s, two)" +
                            std::string(kBranches) + "}");
  EXPECT_THAT(text, HasSubstr("relu %"));
  EXPECT_THAT(text, Not(HasSubstr("exp %")));
}

TEST(OnnxControlFlow, BranchesOfDifferentShapesNeedAConstantCondition) {
  EXPECT_THAT(
      failureOf("(float[2] x, float[3] z, bool c) => (float[K] y) { y = If (c) "
                "<then_branch = yes () => (float[2] a) { a = Relu(x) },"
                " else_branch = no () => (float[3] b) { b = Relu(z) }> }"),
      HasSubstr("unsupported: output 0 is a 2 tensor of float32 if the "
                "condition holds, else a 3 tensor of float32; the condition "
                "depends on the model's inputs, so both must be of one type"));
}

static const char *const kLoop =
    "  y, scans = Loop (n, c, x) <body = step (int64 i, bool go, float[2] v) "
    "=> (bool again, float[2] next, float[2] scan) "
    "  { again = Identity(go)  f = Cast<to = 1>(i)  next = Mul(v, f)  "
    "    scan = Identity(next) }>";

TEST(OnnxControlFlow, ALoopOfConstantCountIsUnrolled) {
  std::string text = textOf("(float[2] x) => (float[2] y, float[3,2] scans) "
                            "<int64 n = {3}, bool c = {1}> {" +
                            std::string(kLoop) + "}");
  EXPECT_EQ(count(text, " mul %"), 3);
  EXPECT_THAT(text, HasSubstr("top.concat"));
  EXPECT_THAT(text, HasSubstr("tensor<3x2xf32>"));
}

TEST(OnnxControlFlow, AComputedTripCountIsRefused) {
  EXPECT_THAT(failureOf("(float[2] x, int64 n) => (float[2] y, float[K,2] "
                        "scans) <bool c = {1}> {" +
                        std::string(kLoop) + "}"),
              HasSubstr("the trip count ('n') is computed from the model's "
                        "inputs; loops are unrolled, give a constant with "
                        "--bind"));
}

TEST(OnnxControlFlow, AScanIsUnrolled) {
  std::string text = textOf(
      "(float[2] s, float[3,2] x) => (float[2] y, float[3,2] z) {"
      "  y, z = Scan <num_scan_inputs = 1, body = add (float[2] a, float[2] b) "
      "=> (float[2] sum, float[2] copy) "
      "  { sum = Add(a, b)  copy = Identity(sum) }> (s, x) }");
  EXPECT_EQ(count(text, " add %"), 3);
  EXPECT_EQ(count(text, "top.slice"), 3);
}

TEST(OnnxControlFlow, ABodyOfOtherInputsThanTheNodeGives) {
  EXPECT_THAT(
      failureOf("(float[3,2] x) => (float[2] y) {"
                "  y = Scan <num_scan_inputs = 1, body = add (float[2] a, "
                "float[2] b) => (float[2] sum) { sum = Add(a, b) }> (x) }"),
      HasSubstr("graph 'add' has 2 inputs, the node gives it 1; both must be "
                "the same"));
}

TEST(OnnxSequences, AreFollowed) {
  std::string text =
      textOf("(float[2] x, float[2] z) => (float[2,2] y, int64 n) "
             "<int64 one = {1}> {"
             "  s = SequenceConstruct(x, z)  t = SequenceErase(s, one) "
             "  u = SequenceInsert(t, x)  n = SequenceLength(u) "
             "  y = ConcatFromSequence<axis = 0, new_axis = 1>(u) }");
  EXPECT_THAT(text, HasSubstr("top.concat"));
  EXPECT_THAT(text, HasSubstr("dense<2> : tensor<i64>"));
  EXPECT_EQ(count(text, "%arg1"), 1); // only declared
}

TEST(OnnxSequences, MapsAndSplitsAreUnrolled) {
  std::string text =
      textOf("(float[4] x) => (float[2] y) <int64 two = {2}, int64 one = {1}> {"
             "  s = SplitToSequence<axis = 0>(x, two) "
             "  m = SequenceMap <body = f (float[2] v) => (float[2] w) "
             "      { w = Exp(v) }> (s) "
             "  y = SequenceAt(m, one) }");
  EXPECT_EQ(count(text, " exp %"), 2);
}

TEST(OnnxSequences, WhereATensorIsWanted) {
  EXPECT_THAT(failureOf("(float[2] x) => (float[2] y) "
                        "{ s = SequenceConstruct(x)  y = Relu(s) }"),
              HasSubstr("input 0 ('s') is a sequence of 1 tensors; Relu takes "
                        "tensors"));
}

TEST(OnnxSequences, PositionsAreChecked) {
  EXPECT_THAT(failureOf("(float[2] x) => (float[2] y) <int64 two = {2}> "
                        "{ s = SequenceConstruct(x)  y = SequenceAt(s, two) }"),
              HasSubstr("the position is 2, must be -1 to 0 for a sequence of "
                        "1 tensors"));
}

TEST(OnnxOptional, IsFollowed) {
  std::string text =
      textOf("(float[2] x) => (float[2] y) {"
             "  o = Optional(x)  c = OptionalHasElement(o) "
             "  y = If (c) <then_branch = yes () => (float[2] a) "
             "{ a = OptionalGetElement(o) },"
             "  else_branch = no () => (float[2] b) { b = Exp(x) }> }");
  EXPECT_THAT(text, Not(HasSubstr("exp %")));
}
