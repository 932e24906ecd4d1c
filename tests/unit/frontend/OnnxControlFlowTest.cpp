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

TEST(OnnxControlFlow, AComputedConditionIsAnOperationOfTheHost) {
  std::string text = textOf("(float[2] x, bool c) => (float[2] y) {" +
                            std::string(kBranches) + "}");
  EXPECT_THAT(text, HasSubstr("top.host \"if_else\"(%arg1, %arg0)"));
  EXPECT_THAT(text, HasSubstr("then_branch = {calls = [{kernel = \"unary\", "));
  EXPECT_THAT(text, HasSubstr("parameters = {kind = \"exp\"}"));
  EXPECT_EQ(count(text, "top.unary"), 0);
}

TEST(OnnxControlFlow, BranchesMayHaveOtherShapes) {
  std::string text =
      textOf("(float[2] x, float[3] z, bool c) => (float[K] y) { y = If (c) "
             "<then_branch = yes () => (float[2] a) { a = Relu(x) },"
             " else_branch = no () => (float[3] b) { b = Relu(z) }> }");
  EXPECT_THAT(text, HasSubstr("-> tensor<?xf32, [3]>"));
}

TEST(OnnxControlFlow, BranchesNeedOneElementTypeAndRank) {
  EXPECT_THAT(
      failureOf("(float[2] x, bool c) => (float[K] y) { y = If (c) "
                "<then_branch = yes () => (float[2] a) { a = Relu(x) },"
                " else_branch = no () => (int64[2] b) { b = Cast<to = 7>(x) }> "
                "}"),
      HasSubstr("unsupported: output 0 is a 2 tensor of float32 if the "
                "condition holds, else a 2 tensor of int64; the condition "
                "depends on the model's inputs, so both must have one element "
                "type and equally many axes"));
}

TEST(OnnxControlFlow, BranchesNeedAnOutput) {
  const std::string outputs = " = If (c) <then_branch = yes () => () "
                              "{ a = NonZero(x) }, else_branch = no () => () "
                              "{ b = NonZero(x) }> z = Relu(x) }";
  // A name of '' stands for an output that nobody wants.
  for (const char *name : {"\"\"", "y"})
    EXPECT_THAT(failureOf("(float[2] x, bool c) => (float[2] z) { " +
                          std::string(name) + outputs),
                HasSubstr("the branches have no outputs; give them those of "
                          "the node, or take the node out"));
}

/// The same for a program without the host.
static std::string selectingTextOf(const std::string &graph) {
  Imported result = importSelecting(onnxGraph(18, graph));
  EXPECT_EQ(result.messages, "");
  return result.text;
}

TEST(OnnxControlFlow, BothBranchesAreComputedIfThatIsAskedFor) {
  std::string text = selectingTextOf("(float[2] x, bool c) => (float[2] y) {" +
                                     std::string(kBranches) + "}");
  EXPECT_EQ(count(text, "top.unary"), 2);
  EXPECT_EQ(count(text, "top.select"), 1);
  EXPECT_THAT(text, Not(HasSubstr("if_else")));
}

TEST(OnnxControlFlow, BothBranchesAreComputedIfTheChipHasThemSooner) {
  auto textOfSize = [](const std::string &n) {
    const std::string type = "(float[" + n + "," + n + "] ";
    return textOf(type + "x, bool c) => " + type + "y) { y = If (c) <" +
                  "then_branch = yes () => " + type +
                  "a) { a = MatMul(x, x) }," + "else_branch = no () => " +
                  type + "b) { b = Relu(x) }> }");
  };
  EXPECT_THAT(textOfSize("64"), HasSubstr("if_else"));
  EXPECT_THAT(textOfSize("128"), Not(HasSubstr("if_else")));
}

TEST(OnnxControlFlow, WhatOnlyTheHostRunsIsNotComputedForNothing) {
  std::string text = selectingTextOf(
      "(float[2,2] x, bool c) => (float[2,2] y) { y = If (c) "
      "<then_branch = yes () => (float[2,2] a) "
      "  { z = NonZero(x)  s = ReduceSum<keepdims = 0>(z)  f = Cast<to = 1>(s)"
      "    a = Mul(x, f) },"
      " else_branch = no () => (float[2,2] b) { b = Relu(x) }> }");
  EXPECT_THAT(text, HasSubstr("if_else"));
  EXPECT_EQ(count(text, "top.binary"), 0);
}

TEST(OnnxControlFlow, ConstantsOfAGraphAreOperands) {
  std::string text = textOf(
      "(float[2] x, bool c) => (float[2] y) { y = If (c) "
      "<then_branch = yes () => (float[2] a) <float[2] w = {1, 2}> "
      "  { a = Add(x, w) },"
      " else_branch = no () => (float[2] b) <float[2] b = {3, 4}> {}> }");
  EXPECT_EQ(count(text, "top.constant"), 2);
  EXPECT_THAT(text, HasSubstr("\"if_else\"(%arg1, %arg0, "));
}

TEST(OnnxControlFlow, GraphsWithinGraphs) {
  std::string text =
      textOf("(float[2] x, bool c, bool d) => (float[2] y) { y = If (c) "
             "<then_branch = yes () => (float[2] a) { h = Neg(x)  a = If (d) "
             "   <then_branch = in () => (float[2] e) { e = Add(h, x) },"
             "    else_branch = out () => (float[2] f) { f = Exp(h) }> },"
             " else_branch = no () => (float[2] b) { b = Relu(x) }> }");
  EXPECT_EQ(count(text, "\"if_else\"("), 1);
  EXPECT_EQ(count(text, "kernel = \"if_else\""), 1);
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

TEST(OnnxControlFlow, ScanOutputsNeedALimitOfTheTripCount) {
  EXPECT_THAT(failureOf("(float[2] x, int64 n) => (float[2] y, float[K,2] "
                        "scans) <bool c = {1}> {" +
                        std::string(kLoop) + "}"),
              HasSubstr("unsupported: how often the loop runs depends on the "
                        "data and has no limit, but its scan outputs need "
                        "room; give M, a constant with --bind or a Min with "
                        "one"));
  std::string text =
      textOf("(float[2] x, int64 m) => (float[2] y, float[K,2] scans) <bool c "
             "= {1}, int64 most = {7}> { n = Min(m, most) " +
             std::string(kLoop) + "}");
  EXPECT_THAT(text, HasSubstr("tensor<?x2xf32, [7, 2]>"));
  EXPECT_THAT(text, HasSubstr("carried = 1"));
}

/// A loop without a count: x doubles while `again` holds.
static std::string growing(const std::string &count, const std::string &next) {
  return "(float[2] x, int64 n, bool c) => (float[K] y) {" +
         (count.empty() ? "" : "  m = Identity(" + count + ")") +
         "  y = Loop (" + (count.empty() ? "" : "m") +
         ", c, x) <body = step (int64 i, bool go, float[L] v) => (bool again, "
         "float[P] next) { s = ReduceSum<keepdims = 0>(v)  one = "
         "Constant<value "
         "= float {100}>()  again = Less(s, one)  next = " +
         next + " }> }";
}

TEST(OnnxControlFlow, AConditionMayEndALoopWithoutACount) {
  std::string text = textOf(growing("", "Add(v, x)"));
  EXPECT_EQ(count(text, "top.host \"loop\""), 1);
  EXPECT_THAT(text, HasSubstr("absent = array<i64: 0>"));
}

TEST(OnnxControlFlow, CarriedValuesMayGrowUpToALimit) {
  EXPECT_THAT(failureOf(growing("", "Concat<axis = 0>(v, x)")),
              HasSubstr("unsupported: a carried value grows with each "
                        "iteration, and how often the loop runs depends on "
                        "the data without a limit"));
  std::string graph = growing("", "Concat<axis = 0>(v, x)");
  graph.replace(graph.find("y = Loop ("), 10,
                "m = Constant<value = int64 {9}>() y = Loop (m");
  EXPECT_THAT(textOf(graph), HasSubstr("-> tensor<?xf32, [20]>"));
}

TEST(OnnxControlFlow, CarriedValuesMayNotDouble) {
  std::string graph = growing("", "Concat<axis = 0>(v, v)");
  graph.replace(graph.find("y = Loop ("), 10,
                "m = Constant<value = int64 {9}>() y = Loop (m");
  EXPECT_THAT(failureOf(graph),
              HasSubstr("unsupported: a carried value grows with each "
                        "iteration, and by another number each time; carry a "
                        "tensor of fixed size"));
}

/// Carries x, which becomes one longer each time, and z, which becomes `next`
/// of it (v), of itself (p) and of the iteration's x (longer).
static std::string growingLate(const std::string &next) {
  return "(float[1] x, float[1] z, bool c) => (float[K] y, float[L] w) <int64 "
         "n = {20}, int64[1] five = {5}, int64[1] six = {6}, int64[1] far = "
         "{1000}, int64[1] axis = {0}> { y, w = Loop (n, c, x, z) <body = step "
         "(int64 i, bool go, float[A] v, float[B] p) => (bool again, float[D] "
         "longer, float[E] q) { longer = Concat<axis = 0>(v, x)  m = "
         "ReduceMax<keepdims = 0>(longer)  ten = Constant<value = float {10}>()"
         "  again = Less(m, ten)  " +
         next + " }> }";
}

TEST(OnnxControlFlow, CarriedValuesMayGrowLate) {
  // At most 21 in the end; an iteration is thought to begin with as many.
  EXPECT_THAT(textOf(growingLate("q = Slice(longer, five, far, axis)")),
              HasSubstr("tensor<?xf32, [21]>, tensor<?xf32, [17]>"));
  EXPECT_THAT(textOf(growingLate("q = Slice(longer, five, six, axis)")),
              HasSubstr("tensor<?xf32, [21]>, tensor<?xf32, [1]>"));
  // From the fifth iteration on it would double.
  for (const char *next :
       {"t = Slice(longer, five, six, axis)  q = Concat<axis = 0>(p, t)",
        "t = Slice(longer, five, far, axis)  q = Concat<axis = 0>(p, t)"})
    EXPECT_THAT(failureOf(growingLate(next)),
                HasSubstr("unsupported: a carried value grows with each "
                          "iteration, and by another number each time"));
}

TEST(OnnxControlFlow, AConditionIsOneBool) {
  EXPECT_THAT(failureOf("(float[2] x, float[1] c) => (float[2] y) {" +
                        std::string(kBranches) + "}"),
              HasSubstr("the condition is a 1 tensor of float32; it must have "
                        "one element of bool"));
  EXPECT_THAT(failureOf("(float[2] x, int32 n) => (float[2] y, float[K,2] "
                        "scans) <bool c = {1}> {" +
                        std::string(kLoop) + "}"),
              HasSubstr("the trip count is a scalar tensor of int32; it must "
                        "have one element of int64"));
}

TEST(OnnxControlFlow, ABranchForOtherShapesIsAnErrorWithTheWayOut) {
  EXPECT_THAT(
      failureOf("(float[2,3] x, bool c) => (float[2,3] y) { y = If (c) "
                "<then_branch = yes () => (float[2,3] a) { a = Relu(x) },"
                " else_branch = no () => (float[2,3] b) { b = MatMul(x, x) }> "
                "}"),
      HasSubstr("the condition is computed, so both branches are needed; fix "
                "it with --bind if one of them is never taken"));
}

TEST(OnnxControlFlow, CarriedValuesKeepTypeAndRank) {
  EXPECT_THAT(failureOf(growing("", "Cast<to = 7>(v)")),
              HasSubstr("carried value 0 is a 2 tensor of float32 before the "
                        "loop and a 2 tensor of int64 behind an iteration; it "
                        "must keep its element type"));
}

TEST(OnnxControlFlow, ALongLoopIsNotUnrolled) {
  std::string text =
      textOf("(float[2] x) => (float[2] y, float[20000,2] scans) "
             "<int64 n = {20000}, bool c = {1}> {" +
             std::string(kLoop) + "}");
  EXPECT_EQ(count(text, "top.host \"loop\""), 1);
  EXPECT_THAT(text, HasSubstr("tensor<20000x2xf32>"));
}

TEST(OnnxControlFlow, IterationsAreComputedIfThatIsAskedFor) {
  std::string graph =
      "(float[2] x, bool c) => (float[2] y) <int64 n = {3}> "
      "{ y = Loop (n, c, x) <body = step (int64 i, bool go, float[2] v) "
      "  => (bool again, float[2] next) "
      "  { again = Identity(go)  next = Add(v, x) }> }";
  std::string text = selectingTextOf(graph);
  EXPECT_EQ(count(text, " add %"), 3);
  EXPECT_EQ(count(text, "top.select"), 3);
  EXPECT_EQ(count(textOf(graph), "top.host \"loop\""), 1);
  graph.replace(graph.find("{3}"), 3, "{65}");
  EXPECT_EQ(count(selectingTextOf(graph), "top.host \"loop\""), 1);
}

TEST(OnnxControlFlow, SequencesNeedAConstantDecision) {
  EXPECT_THAT(
      failureOf("(float[2] x, int64 n) => (float[2] y) {"
                "  s = SequenceConstruct(x, x)"
                "  t = Loop (n, , s) <body = step (int64 i, bool go, "
                "seq(float[2]) v) => (bool again, seq(float[2]) next) "
                "  { again = Identity(go)  next = SequenceInsert(v, x) }> "
                "  y = ConcatFromSequence<axis = 0>(t) }"),
      HasSubstr("input 2 ('s') is a sequence of 2 tensors; the data decide how "
                "often the loop runs, so it must be a tensor"));
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

TEST(OnnxDataSizes, AreToldByTheHost) {
  std::string text = textOf("(float[4,4] x) => (int64[1] y, int64 n) {"
                            "  z = NonZero(x)  y = Shape<start = 1>(z) "
                            "  n = Size(z) }");
  EXPECT_THAT(text, HasSubstr("top.host \"shape_of\""));
  EXPECT_THAT(text, HasSubstr("{end = 2 : i64, start = 1 : i64}"));
  EXPECT_EQ(count(text, "top.reduce"), 1);
}

TEST(OnnxDataSizes, OneMayBeTheLargest) {
  for (int most : {1, 2, 3}) {
    std::string text =
        textOf("(float[4] x, bool c) => (float q, float[K,4] a) <int64 m = {" +
               std::to_string(most) +
               "}> { y, ss = Loop(m, c, x) <body = b (int64 i, bool cin, "
               "float[4] v) => (bool cout, float[4] w, float[4] s) "
               "{ cout = Identity(cin) s = Identity(v) w = Neg(v) }>"
               "  a = Abs(ss)  q = ReduceSum<keepdims = 0>(ss) }");
    EXPECT_THAT(
        text, HasSubstr("tensor<?x4xf32, [" + std::to_string(most) + ", 4]>"));
  }
}

TEST(OnnxDataSizes, SlicesHaveALargestSize) {
  auto sliceOf = [](const std::string &from, const std::string &to,
                    const std::string &step) {
    return textOf("(float[4,4] x) => (int64[2,K] y) <int64[1] f = {" + from +
                  "}, int64[1] t = {" + to +
                  "}, int64[1] a = {1}, int64[1] s "
                  "= {" +
                  step + "}> { z = NonZero(x)  y = Slice(z, f, t, a, s) }");
  };
  EXPECT_THAT(sliceOf("0", "5", "1"), HasSubstr("-> tensor<2x?xi64, [2, 5]>"));
  EXPECT_THAT(sliceOf("6", "99", "1"), HasSubstr("[2, 10]"));
  EXPECT_THAT(sliceOf("-3", "99", "1"), HasSubstr("[2, 16]"));
  EXPECT_THAT(sliceOf("-1", "-4", "-1"), HasSubstr("[2, 3]"));
  EXPECT_THAT(sliceOf("-10", "-10", "-1"), HasSubstr("[2, 1]"));
  EXPECT_THAT(sliceOf("-10", "-8", "-1"), HasSubstr("[2, 1]"));
  std::string text =
      textOf("(float[4,6] x, int64[1] n) => (float[2,K] y) "
             "<int64[2] f = {1, 0}, int64[1] t = {3}> {"
             "  e = Concat<axis = 0>(t, n)  y = Slice(x, f, e) }");
  EXPECT_THAT(text, HasSubstr("-> tensor<?x?xf32, [4, 6]>"));
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
