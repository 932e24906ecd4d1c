//===- OnnxImportTest.cpp - graphs into top, and what is refused ----------===//

#include "frontend/onnx/Import.h"
#include "tests/unit/frontend/OnnxText.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace weft::test;
using testing::HasSubstr;
using testing::Not;

/// The messages of an import of a graph of opset 13 that must fail.
static std::string failureOf(const std::string &graph,
                             const Shapes &shapes = {}) {
  return failure(onnxGraph(13, graph), shapes);
}
/// The text of an import that must succeed.
static std::string textOf(int opset, const std::string &graph,
                          const Shapes &shapes = {}) {
  Imported result = importBytes(onnxGraph(opset, graph), shapes);
  EXPECT_TRUE(result.module) << result.messages;
  EXPECT_EQ(result.messages, "");
  return result.text;
}

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

TEST(OnnxImport, NamesLocationsAndTypes) {
  Imported result = importBytes(
      onnxGraph(13, "(int8[2,3] x, float16[3] s) => (float16[2,3] y) "
                    "{ f = Cast <to = 10> (x) y = Mul(f, s) }"));
  ASSERT_TRUE(result.module) << result.messages;
  std::string text;
  llvm::raw_string_ostream stream(text);
  mlir::OpPrintingFlags flags;
  flags.enableDebugInfo(true, false).useLocalScope();
  result.module->print(stream, flags);
  EXPECT_THAT(text, HasSubstr("module attributes {top.model_name = \"g\"}"));
  EXPECT_THAT(text, HasSubstr("%arg0: tensor<2x3xi8> {top.name = \"x\"}"));
  EXPECT_THAT(text, HasSubstr("-> (tensor<2x3xf16> {top.name = \"y\"})"));
  EXPECT_THAT(text, HasSubstr("top.value = \"f\""));
  EXPECT_THAT(text, HasSubstr("loc(\"n1\"(\"m.onnx\":1:0))"));
}

TEST(OnnxImport, UnsortedGraphIsSorted) {
  EXPECT_THAT(textOf(13, "(float[2] x) => (float[2] y) "
                         "{ y = Abs(t) t = Relu(x) }"),
              HasSubstr("relu %arg0"));
}

TEST(OnnxImport, SymbolicShapeComesFromTheOption) {
  EXPECT_THAT(textOf(13, "(float[N,3,H] x) => (float[N,3,H] y) { y = Relu(x) }",
                     {{"x", {2, 3, 5}}}),
              HasSubstr("tensor<2x3x5xf32>"));
}

TEST(OnnxImport, ShapeArithmeticBecomesAStaticReshape) {
  std::string text =
      textOf(13,
             "(float[N,4,1,1] x) => (float[N,M] y) "
             "<int64[1] a = {0}, int64[1] b = {1}, int64[1] m = {-1}> "
             "{ s = Shape(x) d = Slice(s, a, b) i = Cast <to = 6> (d) "
             "  j = Cast <to = 7> (i) t = Concat <axis = 0> (j, m) "
             "  y = Reshape(x, t) }",
             {{"x", {3, 4, 1, 1}}});
  EXPECT_THAT(text, HasSubstr("top.reshape %arg0"));
  EXPECT_THAT(text, HasSubstr("-> tensor<3x4xf32>"));
  EXPECT_THAT(text, Not(HasSubstr("top.constant")));
}

TEST(OnnxImport, SoftmaxBefore13TakesTrailingAxesTogether) {
  std::string graph = "(float[2,3,4] x) => (float[2,3,4] y) "
                      "{ y = Softmax <axis = 1> (x) }";
  EXPECT_THAT(textOf(11, graph), HasSubstr("tensor<2x12xf32>"));
  EXPECT_THAT(textOf(13, graph), HasSubstr("top.softmax %arg0 {axis = 1"));
}

TEST(OnnxImport, LocalFunctionIsInlinedWithItsAttributes) {
  Imported result = importBytes(onnxBytes(
      "<ir_version: 8, opset_import: [\"\" : 13, \"my\" : 1]> "
      "g (float[2] x) => (float[2] y) { y = my.scaled <slope = 0.5> (x) } "
      "<domain: \"my\", opset_import: [\"\" : 13]> "
      "scaled <slope> (a) => (c) "
      "{ b = LeakyRelu <alpha: float = @slope> (a) c = Neg(b) }"));
  ASSERT_TRUE(result.module) << result.messages;
  EXPECT_THAT(result.text, HasSubstr("leaky_relu %arg0 {alpha = "
                                     "5.000000e-01 : f64, top.value = "
                                     "\"n0/b\"}"));
  EXPECT_THAT(result.text, HasSubstr("top.value = \"y\""));
}

TEST(OnnxImport, SchemaFunctionIsExpandedWhereNoRowExists) {
  // ONNX defines HannWindow by Range, Cos and others, which have rows; all of
  // it is constant here.
  EXPECT_THAT(textOf(17, "(float[4] x) => (float[4] y) <int64 n = {4}> "
                         "{ w = HannWindow(n) y = Mul(x, w) }"),
              HasSubstr("top.constant dense<[0.000000e+00, 5.000000e-01, "
                        "1.000000e+00, 5.000000e-01]> : tensor<4xf32>"));
}

TEST(OnnxImport, BatchNormAndConvKeepTheirAttributes) {
  std::string text = textOf(
      13, "(float[1,4,8,8] x) => (float[1,2,5,5] y) "
          "<float[2,2,1,1] w = {1.0, 2.0, 3.0, 4.0}, "
          "float[2] s = {1.0, 2.0}> "
          "{ c = Conv <group = 2, strides = [2, 2], pads = [1, 1, 1, 1]> (x, w)"
          "  y = BatchNormalization <epsilon = 0.25> (c, s, s, s, s) }");
  EXPECT_THAT(text, HasSubstr("group = 2"));
  EXPECT_THAT(text, HasSubstr("pads = array<i64: 1, 1, 1, 1>"));
  EXPECT_THAT(text, HasSubstr("epsilon = 2.500000e-01"));
}

TEST(OnnxImport, AutoPadAndCeilModeBecomeExplicitPads) {
  EXPECT_THAT(textOf(13, "(float[1,1,5,5] x) => (float[1,1,5,5] y) "
                         "<float[1,1,2,2] w = {1.0, 2.0, 3.0, 4.0}> "
                         "{ y = Conv <auto_pad = \"SAME_LOWER\"> (x, w) }"),
              HasSubstr("pads = array<i64: 1, 1, 0, 0>"));
  EXPECT_THAT(textOf(13, "(float[1,1,5,5] x) => (float[1,1,3,3] y) "
                         "{ y = MaxPool <kernel_shape = [2, 2], "
                         "strides = [2, 2], ceil_mode = 1> (x) }"),
              HasSubstr("pads = array<i64: 0, 0, 1, 1>"));
}

TEST(OnnxImport, ComputedFilterBecomesAMatrixProduct) {
  std::string text =
      textOf(13, "(float[1,1,5,5] x, float[3,1,2,2] w) => (float[1,3,2,2] y) "
                 "{ y = Conv <strides = [2, 2]> (x, w) }");
  EXPECT_THAT(text, HasSubstr("tensor<1x3x4xf32>, tensor<1x4x4xf32>"));
  EXPECT_THAT(text, Not(HasSubstr("top.conv")));
}

TEST(OnnxImport, RowsOfPatchesBecomeChannels) {
  std::string weights = "1.0";
  for (int i = 1; i < 16 * 16; ++i)
    weights += ", 1.0";
  std::string text =
      textOf(13, "(float[1,1,32,32] x) => (float[1,1,2,2] y) "
                 "<float[1,1,16,16] w = {" +
                     weights + "}> { y = Conv <strides = [16, 16]> (x, w) }");
  EXPECT_THAT(text,
              HasSubstr("(tensor<1x16x4x16xf32>, tensor<1x16x1x16xf32>)"));
  EXPECT_THAT(text, Not(HasSubstr("slice")));
}

TEST(OnnxImport, WhatAKernelLeavesOfAPatchIsCutOff) {
  std::string text = textOf(13, "(float[1,1,32,40] x) => (float[1,1,2,2] y) "
                                "<float[1,1,1,3] w = {2.0, 3.0, 4.0}> "
                                "{ y = Conv <strides = [16, 20]> (x, w) }");
  EXPECT_THAT(text, HasSubstr("tensor<1x2x16x40xf32> -> tensor<1x2x1x40xf32>"));
  EXPECT_THAT(text, HasSubstr("(tensor<1x1x4x3xf32>, tensor<1x1x1x3xf32>)"));
}

TEST(OnnxImport, OverlappingPatchesBecomeAPointwiseConvolution) {
  std::string text =
      textOf(13, "(float[1,1,1,40] x) => (float[1,1,1,2] y) "
                 "<float[1,1,1,20] w = {1.0, 1.0, 1.0, 1.0, 1.0, "
                 "1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, "
                 "1.0, 1.0, 1.0, 1.0, 1.0, 1.0}> "
                 "{ y = Conv <strides = [1, 16]> (x, w) }");
  EXPECT_THAT(text, HasSubstr("(tensor<1x16x1x3xf32>, tensor<1x16x1x2xf32>)"));
}

TEST(OnnxImport, TransposedConvolutionIsOneConvolutionAPhase) {
  std::string text =
      textOf(13, "(float[1,1,3,3] x) => (float[1,1,6,6] y) "
                 "<float[1,1,2,2] w = {1.0, 2.0, 3.0, 4.0}> "
                 "{ y = ConvTranspose <strides = [2, 2]> (x, w) }");
  EXPECT_THAT(text, HasSubstr("factors = array<i64: 2, 2>"));
  EXPECT_THAT(text, HasSubstr("(tensor<1x1x3x3xf32>, tensor<1x1x1x1xf32>)"));
}

TEST(OnnxImport, IntegerConvolutionOfOtherChannels) {
  EXPECT_THAT(failureOf("(uint8[1,1,3,3] x, uint8[2,500,2,2] w, uint8 a, "
                        "uint8 b) => (int32[1,2,2,2] y) "
                        "{ y = ConvInteger (x, w, a, b) }"),
              HasSubstr("the input has 1 channels, the filters take 500"));
}

/// What follows from shapes alone is refused before it is made.
TEST(OnnxImport, TablesOfAnySize) {
  EXPECT_THAT(failureOf("(float[1,2147483647] x) => (float[1,2147483647] y) "
                        "{ y = Hardmax (x) }"),
              HasSubstr("Hardmax that needs a table of 2147483647 numbers; "
                        "there may be 33554432"));
  EXPECT_THAT(
      failure(onnxGraph(14, "(uint8[4,1000,65536] x) => "
                            "(uint8[4,1000,65536] y) { y = Trilu (x) }"),
              {}),
      HasSubstr("Trilu that needs a table of 1000x65536 numbers"));
  EXPECT_THAT(failureOf("(float[2,4,8] x, int64[2147483647] b, int64[3] e) => "
                        "(float[2,4,8] y) { y = Slice (x, b, e) }"),
              HasSubstr("Slice that needs a table of 2147483647 numbers"));
  EXPECT_THAT(failureOf("(float[1,1,1048576,5] x) => (float[1,1,1048572,1] y, "
                        "int64[1,1,1048572,1] z) "
                        "{ y, z = MaxPool <kernel_shape = [5, 5], "
                        "pads = [0, 2, 0, 2]> (x) }"),
              HasSubstr("MaxPool that needs a table of 25x1048572x5 numbers"));
}

/// Functions would read the bit patterns as numbers.
TEST(OnnxImport, ElementsThatAnOperatorDoesNotTake) {
  EXPECT_THAT(failure(onnxGraph(21, "(float8e4m3fn[3,4] x) => "
                                    "(float8e4m3fn[3,4] y) { y = Selu (x) }"),
                      {}),
              HasSubstr("input 0 ('x') is float8e4m3fn, which Selu of opset 21 "
                        "does not take; cast it"));
  EXPECT_THAT(textOf(21, "(float8e4m3fn[3,4] x) => (float8e4m3fn[4,3] y) "
                         "{ y = Transpose (x) }"),
              HasSubstr("top.transpose"));
}

/// A step that is never taken may be longer than a stride of a tensor.
TEST(OnnxImport, StepsBehindTheLastElement) {
  EXPECT_THAT(textOf(13, "(float[1,1,32,4] x) => (float[1,1,1,4] y) "
                         "<int64[1] from = {3}, int64[1] end = {32}, "
                         "int64[1] axis = {2}, int64[1] step = {2147483647}> "
                         "{ y = Slice (x, from, end, axis, step) }"),
              HasSubstr("steps = array<i64: 1, 1, 1, 1>"));
  EXPECT_THAT(textOf(22,
                     "(float[1,1,32,32] x) => (float[1,1,1,30] y) "
                     "{ y = AveragePool <kernel_shape = [3, 3], "
                     "dilations = [2, 1], strides = [2147483647, 1]> (x) }"),
              Not(HasSubstr("2147483647")));
}

TEST(OnnxImport, WindowsOfManyPlaces) {
  EXPECT_THAT(
      failureOf("(float[1,1,3,3] x, float[1,1,1048576,2] w) => "
                "(float[1,1,1048578,4] y) { y = ConvTranspose (x, w) }"),
      HasSubstr("ConvTranspose with 2097152 places of a window, each "
                "of which is an operation of its own; there may be "
                "1024"));
}

TEST(OnnxImport, ComputedFiltersOfManyImages) {
  EXPECT_THAT(failureOf("(float[65536,1,3,3] x, float[1,2,3,3] w) => "
                        "(float[65536,2,5,5] y) { y = ConvTranspose (x, w) }"),
              HasSubstr("ConvTranspose of 65536 images with a computed filter "
                        "of 9 places; their product may be 131072"));
}

TEST(OnnxImport, SequencesOfManyParts) {
  EXPECT_THAT(failureOf("(float[1048576,6] x) => (float[6] y) "
                        "<int64 first = {0}> { s = SplitToSequence <axis = 0> "
                        "(x) y = SequenceAt (s, first) }"),
              HasSubstr("SplitToSequence with 1048576 parts, each of which is "
                        "an operation of its own; there may be 4096"));
}

TEST(OnnxImport, IntegerConvolutionOfNoPlaces) {
  EXPECT_THAT(failureOf("(uint8[1,1,7,7] x, uint8[1,1,0,1] w) => "
                        "(int32[1,1,7,7] y) { y = ConvInteger (x, w) }"),
              HasSubstr("the kernel spans"));
}

TEST(OnnxImport, ScanOfGrowingOutputs) {
  EXPECT_THAT(
      failureOf("(float[2] first, float[3,2,2] x) => (float[2,2] y, "
                "float[3,2,2] z) { y, z = Scan <num_scan_inputs = 1, body = b "
                "(float[2] s, float[2,2] e) => (float[2,2] t, float[2] o) "
                "{ t = Add (s, e) o = Identity (s) }> (first, x) }"),
      HasSubstr("a scan output is 2 in the first iteration and 2x2 later; all "
                "must have one shape"));
}

TEST(OnnxImport, GridWithoutPlaces) {
  EXPECT_THAT(textOf(22, "(float[1,2,4,4] x, float[1,5,3,2] p) => "
                         "(float[1,2,0,3] y) "
                         "<int64[1] from = {0}, int64[1] axis = {1}> "
                         "{ g = Slice (p, from, from, axis) "
                         "y = GridSample (x, g) }"),
              HasSubstr("tensor<1x2x0x3xf32>"));
}

TEST(OnnxImport, OperatorsOfLaterOpsets) {
  EXPECT_THAT(failureOf("(float[4,4] x) => (float[4,4] y) { y = Trilu (x) }"),
              HasSubstr("ONNX has no operator 'Trilu' in opset 13, only in "
                        "later ones; export the model again"));
}

TEST(OnnxImport, WholeFactorsOfResizeRepeatPixels) {
  std::string text =
      textOf(13, "(float[1,2,4,4] x) => (float[1,2,8,12] y) "
                 "<float[4] s = {1.0, 1.0, 2.0, 3.0}> "
                 "{ y = Resize <mode = \"nearest\", nearest_mode = \"floor\", "
                 "coordinate_transformation_mode = \"asymmetric\"> (x, , s) }");
  EXPECT_THAT(text, HasSubstr("top.interleave %arg0 {factors = array<i64: 2, "
                              "3>"));
}

TEST(OnnxImport, ResizeNeedsConstantScales) {
  EXPECT_THAT(failureOf("(float[1,1,2,2] x, float[4] s) => (float[1,1,4,4] y) "
                        "{ y = Resize(x, , s) }"),
              HasSubstr("unsupported: scales ('s') is computed; it must be "
                        "constant, give it with --bind s=FILE.npz"));
}

TEST(OnnxImport, ClipTakesAttributesOrOperands) {
  EXPECT_THAT(textOf(10, "(float[2] x) => (float[2] y) "
                         "{ y = Clip <min = 0.0, max = 6.0> (x) }"),
              HasSubstr("clip %arg0 {alpha = 0.000000e+00 : f64, beta = "
                        "6.000000e+00 : f64"));
  EXPECT_THAT(textOf(13, "(float[2] x) => (float[2] y) <float hi = {6.0}> "
                         "{ y = Clip(x, , hi) }"),
              HasSubstr("clip %arg0 {beta = 6.000000e+00 : f64"));
}

TEST(OnnxImport, LargeWeightsAreSharedMemoryNotCopies) {
  std::string values;
  for (int i = 0; i < 64; ++i)
    values += (i ? ", " : "") + std::to_string(i) + ".0";
  EXPECT_THAT(textOf(13, "(float[64] x) => (float[64] y) <float[64] w = {" +
                             values + "}> { y = Add(x, w) }"),
              HasSubstr("top.constant dense_resource<w> : tensor<64xf32>"));
}

TEST(OnnxImport, InitializerListedAsInputIsAConstant) {
  EXPECT_THAT(textOf(13, "(float[2] x, float[2] w = {1, 2}) => (float[2] y) "
                         "{ y = Add(x, w) }"),
              Not(HasSubstr("%arg1")));
}

//===----------------------------------------------------------------------===//
// Problems of the graph
//===----------------------------------------------------------------------===//

TEST(OnnxImport, MissingShapeNamesInputAndDimension) {
  EXPECT_EQ(failureOf("(float[batch,3,H] x) => (float[batch,3,H] y) "
                      "{ y = Relu(x) }"),
            "weft: error: m.onnx: dimension 0 of input 'x' ('batch') has no "
            "fixed size; give all sizes with --shape x=Ax3xC\n");
}
TEST(OnnxImport, ShapeOfUnknownInput) {
  EXPECT_EQ(
      failureOf("(float[2] x) => (float[2] y) { y = Relu(x) }", {{"z", {2}}}),
      "weft: error: m.onnx: --shape names 'z', which is not an input of the "
      "model; inputs: 'x'\n");
}
TEST(OnnxImport, ShapeOfWrongRank) {
  EXPECT_EQ(failureOf("(float[N,2] x) => (float[N,2] y) { y = Relu(x) }",
                      {{"x", {2}}}),
            "weft: error: m.onnx: --shape gives input 'x' 1 dimensions, the "
            "model has 2\n");
}
TEST(OnnxImport, ShapeAgainstFixedSize) {
  EXPECT_EQ(failureOf("(float[N,2] x) => (float[N,2] y) { y = Relu(x) }",
                      {{"x", {1, 3}}}),
            "weft: error: m.onnx: --shape gives dimension 1 of input 'x' the "
            "size 3, the model fixes it to 2\n");
}
TEST(OnnxImport, ZeroAndNegativeSizes) {
  Imported empty = importBytes(
      onnxGraph(13, "(float[0,2] x) => (float[0,2] y) { y = Relu(x) }"));
  EXPECT_THAT(empty.text, HasSubstr("top.constant dense<> : tensor<0x2xf32>"));
  EXPECT_EQ(failureOf("(float[-7] x) => (float[-7] y) { y = Relu(x) }"),
            "weft: error: m.onnx: dimension 0 of input 'x' is -7, must be >= "
            "0\n");
}
TEST(OnnxImport, HugeInput) {
  EXPECT_EQ(failureOf("(float[9000000000,9000000000] x) => (float[1] y) "
                      "{ y = Relu(x) }"),
            "weft: error: m.onnx: input 'x' has the shape "
            "9000000000x9000000000; there may be at most 2147483647 "
            "elements\n");
}
TEST(OnnxImport, HugeResult) {
  EXPECT_EQ(failureOf("(float[60000,1] x, float[1,60000] z) => "
                      "(float[60000,60000] y) { y = MatMul(x, z) }"),
            "weft: error: m.onnx: node 0 'n0' (MatMul, opset 13): the result "
            "has the shape 60000x60000; there may be at most 2147483647 "
            "elements\n");
}
TEST(OnnxImport, InputOfUnsupportedType) {
  EXPECT_EQ(
      failureOf("(complex64[2] x) => (complex64[2] y) { y = Identity(x) }"),
      "weft: error: m.onnx: unsupported: input 'x' has element type "
      "complex64; it must be a float type, an integer type, bool or "
      "string\n");
}
TEST(OnnxImport, Cycle) {
  EXPECT_EQ(failureOf("(float[2] x) => (float[2] y) "
                      "{ a = Add(x, b) b = Relu(a) y = Abs(b) }"),
            "weft: error: m.onnx: node 0 'n0' (Add, opset 13): the graph has a "
            "cycle: node 0 'n0' -> node 1 'n1' -> node 0; ONNX graphs must be "
            "free of cycles\n");
}
TEST(OnnxImport, UnknownTensor) {
  EXPECT_EQ(failureOf("(float[2] x) => (float[2] y) { y = Add(x, nobody) }"),
            "weft: error: m.onnx: node 0 'n0' (Add, opset 13): input 'nobody' "
            "is not produced by any node, input or initializer\n");
}
TEST(OnnxImport, DuplicateOutput) {
  EXPECT_EQ(failureOf("(float[2] x) => (float[2] y) "
                      "{ y = Relu(x) y = Abs(x) }"),
            "weft: error: m.onnx: node 1 'n1' (Abs, opset 13): output 'y' is "
            "already made by node 0 'n0'; a value can be made only once\n");
}
TEST(OnnxImport, DuplicateGraphOutputAndInput) {
  EXPECT_THAT(failureOf("(float[2] x) => (float[2] y, float[2] y) "
                        "{ y = Relu(x) }"),
              HasSubstr("there are two outputs of this name"));
  EXPECT_THAT(failureOf("(float[2] x, float[2] x) => (float[2] y) "
                        "{ y = Relu(x) }"),
              HasSubstr("there are two inputs of this name"));
}
TEST(OnnxImport, MissingOutput) {
  EXPECT_EQ(
      failureOf("(float[2] x) => (float[2] z) { y = Relu(x) }"),
      "weft: error: m.onnx: output 'z' is not produced by any node, input or "
      "initializer\n");
}
TEST(OnnxImport, OutputOfOtherType) {
  EXPECT_EQ(failureOf("(float[2] x) => (int64[2] y) { y = Relu(x) }"),
            "weft: error: m.onnx: output 'y' is declared as int64, but its "
            "node makes float32\n");
}
TEST(OnnxImport, FunctionThatCallsItself) {
  EXPECT_THAT(
      failure(onnxBytes("<ir_version: 8, opset_import: [\"\" : 13, \"my\" : "
                        "1]> g (float[2] x) => (float[2] y) { y = my.f(x) } "
                        "<domain: \"my\", opset_import: [\"my\" : 1]> "
                        "f (a) => (b) { b = my.f(a) }")),
      HasSubstr("node 0 'n0/f_0' (f, opset 1): function 'f' calls itself; ONNX "
                "functions may not"));
}
TEST(OnnxImport, FunctionsThatExpandWithoutEnd) {
  std::string text = "<ir_version: 8, opset_import: [\"\" : 13, \"my\" : 1]> g "
                     "(float[2] x) => (float[2] y) { y = my.f0(x) } ";
  for (int i = 0; i < 30; ++i)
    text += "<domain: \"my\", opset_import: [\"my\" : 1, \"\" : 13]> f" +
            std::to_string(i) + " (a) => (b) { c = my.f" +
            std::to_string(i + 1) + "(a) b = my.f" + std::to_string(i + 1) +
            "(c) } ";
  text += "<domain: \"my\", opset_import: [\"\" : 13]> f30 (a) => (b) "
          "{ b = Relu(a) }";
  EXPECT_THAT(failure(onnxBytes(text)),
              HasSubstr("expands to too many nodes; there may be 32 levels of "
                        "calls and graphs, and 100000 nodes in all"));
}

//===----------------------------------------------------------------------===//
// Problems of nodes
//===----------------------------------------------------------------------===//

TEST(OnnxImport, UnsupportedOperatorIsReportedOnceWithItsCount) {
  EXPECT_EQ(failureOf("(float[2] x) => (float[2] y) "
                      "{ a = Multinomial(x) y = Multinomial(a) }"),
            "weft: error: m.onnx: node 0 'n0' (Multinomial, opset 13): "
            "unsupported: operator Multinomial (2 nodes); it draws random "
            "numbers; make its result an input\n");
}
TEST(OnnxImport, UnknownOperatorSuggestsTheNearestName) {
  EXPECT_EQ(failureOf("(float[2] x) => (float[2] y) { y = Rleu(x) }"),
            "weft: error: m.onnx: node 0 'n0' (Rleu, opset 13): ONNX has no "
            "operator 'Rleu' in opset 13; did you mean 'Relu'\n");
}
TEST(OnnxImport, OperatorNewerThanTheOpset) {
  EXPECT_THAT(failureOf("(float[2] x) => (float[2] y) { y = HardSwish(x) }"),
              HasSubstr("ONNX has no operator 'HardSwish' in opset 13"));
}
TEST(OnnxImport, WithdrawnOperator) {
  EXPECT_THAT(failureOf("(float[1,1,2,2] x, float[4] s) => "
                        "(float[1,1,4,4] y) { y = Upsample(x, s) }"),
              HasSubstr("operator Upsample was withdrawn in opset 10"));
}
TEST(OnnxImport, ForeignDomain) {
  EXPECT_THAT(
      failure(onnxBytes("<ir_version: 8, opset_import: [\"\" : 13, "
                        "\"com.other\" : 1]> g (float[2] x) => (float[2] y) "
                        "{ y = com.other.Fancy(x) }")),
      HasSubstr("unsupported: operator Fancy of domain 'com.other'"));
}
TEST(OnnxImport, NegativePads) {
  EXPECT_EQ(
      failureOf("(float[1,1,8,8] x, float[1,1,3,3] w) => (float[1,1,6,6] y) "
                "{ y = Conv <pads = [0, 0, 0, -2]> (x, w) }"),
      "weft: error: m.onnx: node 0 'n0' (Conv, opset 13): pads[3] is -2, must "
      "be >= 0; crop with Slice before the node\n");
}
TEST(OnnxImport, UnknownAndMistypedAttributes) {
  EXPECT_THAT(failureOf("(float[2] x) => (float[2] y) "
                        "{ y = Relu <slope = 1.0> (x) }"),
              HasSubstr("node 0 'n0' (Relu, opset 13): unrecognized attribute: "
                        "slope for operator Relu"));
  EXPECT_THAT(failureOf("(float[2] x) => (float[2] y) "
                        "{ y = LeakyRelu <alpha = 1> (x) }"),
              HasSubstr("Expected: 'FLOAT', actual: 'INT'"));
}
TEST(OnnxImport, StrideOfZeroAndGroupThatDoesNotDivide) {
  EXPECT_THAT(
      failureOf("(float[1,1,8,8] x, float[1,1,3,3] w) => (float[1,1,6,6] y) "
                "{ y = Conv <strides = [0, 1]> (x, w) }"),
      HasSubstr("strides[0] is 0, must be >= 1"));
  EXPECT_THAT(
      failureOf("(float[1,4,8,8] x, float[4,1,3,3] w) => (float[1,4,6,6] y) "
                "{ y = Conv <group = 3> (x, w) }"),
      HasSubstr("node 0 'n0' (Conv, opset 13): "));
}
TEST(OnnxImport, ShapesThatDoNotBroadcast) {
  EXPECT_THAT(failureOf("(float[2,3] x, float[2,4] z) => (float[2,3] y) "
                        "{ y = Add(x, z) }"),
              HasSubstr("node 0 'n0' (Add, opset 13): "));
}
TEST(OnnxImport, ReshapeThatDoesNotFit) {
  EXPECT_EQ(failureOf("(float[2,3] x) => (float[4,2] y) "
                      "<int64[2] s = {4, 2}> { y = Reshape(x, s) }"),
            "weft: error: m.onnx: node 0 'n0' (Reshape, opset 13): the input "
            "has the shape 2x3 (6 elements), which does not fit 4x2\n");
}
TEST(OnnxImport, ReshapeToAComputedShape) {
  EXPECT_EQ(
      failureOf("(float[2,3] x, int64[2] s) => (float[3,2] y) "
                "{ y = Reshape(x, s) }"),
      "weft: error: m.onnx: node 0 'n0' (Reshape, opset 13): unsupported: "
      "the shape ('s') is computed from the model's inputs; it must be "
      "constant, fold the model or give fixed sizes with --shape\n");
}
TEST(OnnxImport, SliceWithStepZero) {
  EXPECT_THAT(failureOf("(float[4] x) => (float[4] y) <int64[1] a = {0}, "
                        "int64[1] e = {4}, int64[1] z = {0}> "
                        "{ y = Slice(x, a, e, a, z) }"),
              HasSubstr("steps[0] is 0, must not be"));
}
TEST(OnnxImport, AxisOutOfRange) {
  EXPECT_EQ(failureOf("(float[2,3] x) => (float[2,3] y) "
                      "{ y = Softmax <axis = 2> (x) }"),
            "weft: error: m.onnx: node 0 'n0' (Softmax, opset 13): axis is 2, "
            "must be -2 to 1 for a tensor of rank 2\n");
}
TEST(OnnxImport, TrainingMode) {
  EXPECT_THAT(failureOf("(float[2] x, float r, bool t) => (float[2] y) "
                        "{ y = Dropout(x, r, t) }"),
              HasSubstr("whether Dropout is in training mode ('t') is computed "
                        "from the model's inputs; give a constant with "
                        "--bind"));
  EXPECT_THAT(failureOf("(float[2] x, float r) => (float[2] y) "
                        "<bool t = {1}> { y = Dropout(x, r, t) }"),
              HasSubstr("unsupported: Dropout in training mode"));
  // Nothing is dropped, whatever the mode.
  EXPECT_THAT(textOf(13, "(float[2] x, bool t) => (float[2] y, bool[2] m) "
                         "<float r = {0}> { y, m = Dropout(x, r, t) }"),
              HasSubstr("dense<true> : tensor<2xi1>"));
}
TEST(OnnxImport, CastToStrings) {
  EXPECT_THAT(failureOf("(float[2] x) => (string[2] y) "
                        "{ y = Cast <to = 8> (x) }"),
              HasSubstr("unsupported: Cast to string; use a float type"));
}
TEST(OnnxImport, HugeFilledTensor) {
  EXPECT_THAT(failureOf("(float[1] x) => (float[1] y) "
                        "<int64[2] s = {100000, 100000}> "
                        "{ c = ConstantOfShape(s) y = Add(x, c) }"),
              HasSubstr("the result has the shape 100000x100000; a filled "
                        "tensor may have at most 536870912 elements"));
}

TEST(OnnxImport, WholeGraphIsCheckedAndOnlyRootsAreReported) {
  std::string messages =
      failureOf("(float[2] x) => (float[2] y) "
                "{ a = CumSum(x, x) b = Relu(a) c = Softmax <axis = 5> (x) "
                "  y = Add(b, c) }");
  EXPECT_THAT(messages, HasSubstr("node 0 'n0' (CumSum"));
  EXPECT_THAT(messages, HasSubstr("node 2 'n2' (Softmax"));
  EXPECT_EQ(std::count(messages.begin(), messages.end(), '\n'), 2);
}
TEST(OnnxImport, TwentyProblemsThenACount) {
  std::string graph = "(float[2] x) => (float[2] y) { y = Relu(x) ";
  for (int i = 0; i < 25; ++i)
    graph += "t" + std::to_string(i) + " = Softmax <axis = 5> (x) ";
  std::string messages = failureOf(graph + "}");
  EXPECT_EQ(std::count(messages.begin(), messages.end(), '\n'), 21);
  EXPECT_THAT(messages,
              HasSubstr("weft: error: m.onnx: 5 more problems are not shown"));
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

TEST(OnnxImport, SupportedOpsIsSortedAndHasEveryRow) {
  std::vector<weft::onnx::SupportedOp> ops = weft::onnx::supportedOps();
  EXPECT_GT(ops.size(), 80u);
  for (size_t i = 1; i < ops.size(); ++i) {
    const auto &a = ops[i - 1], &b = ops[i];
    EXPECT_TRUE(std::tie(a.domain, a.name, a.firstOpset) <
                std::tie(b.domain, b.name, b.firstOpset))
        << b.name;
    EXPECT_LE(b.firstOpset, b.lastOpset) << b.name;
    EXPECT_FALSE(b.family.empty()) << b.name;
  }
}
