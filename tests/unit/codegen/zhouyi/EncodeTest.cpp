//===- EncodeTest.cpp - zhouyi ops to programs ---------------------------===//

#include "tests/unit/codegen/zhouyi/ParsedProgram.h"

#include <gmock/gmock.h>

#include <numeric>

using namespace weft;
using testing::ElementsAre;
using testing::HasSubstr;

static std::vector<int32_t> counted(int32_t first) {
  std::vector<int32_t> x(64);
  std::iota(x.begin(), x.end(), first);
  return x;
}

TEST(ZhouyiEncode, PlacesBuffersByRole) {
  ParsedProgram parsed;
  auto program = parsed.encodeFile(R"(zhouyi.program @net on "zhouyi" {
    %t = zhouyi.buffer scratch "t" bytes 65 : !zhouyi.ptr<si8>
    %unused = zhouyi.buffer scratch "unused" bytes 4 : !zhouyi.ptr<si8>
    %x = zhouyi.buffer input "x" bytes 8 onnx tensor<2x4xi8> stored tensor<2x4xsi8> scale 16.0 : !zhouyi.ptr<si8>
    %w = zhouyi.buffer weight "w" bytes 10 = dense<7> : tensor<4xsi16> : !zhouyi.ptr<si16>
    %v = zhouyi.buffer scratch "v" bytes 64 value "relu" onnx tensor<2x4xi8> stored tensor<2x4xsi8> strides [32, 1] scale 0.5 zero_point 3 : !zhouyi.ptr<si8>
    %y = zhouyi.buffer output "y" bytes 8 onnx tensor<8xi8> stored tensor<8xsi8> : !zhouyi.ptr<si8>
    %0 = zhouyi.load %w : !zhouyi.ptr<si16> -> vector<4xsi16>
    %p = zhouyi.reinterpret %t : !zhouyi.ptr<si8> -> !zhouyi.ptr<si16>
    zhouyi.store %0, %p : vector<4xsi16>, !zhouyi.ptr<si16>
  })");
  ASSERT_TRUE(mlir::succeeded(program)) << parsed.message;
  EXPECT_EQ(program->name, "net");
  EXPECT_EQ(program->target, "zhouyi");
  std::vector<std::pair<std::string, uint64_t>> places;
  for (const zhouyi::Buffer &buffer : program->buffers)
    places.emplace_back(buffer.name, buffer.address);
  using P = std::pair<std::string, uint64_t>;
  EXPECT_THAT(places, ElementsAre(P("w", 0), P("t", 64), P("x", 192),
                                  P("v", 256), P("y", 320)));
  EXPECT_THAT(bufferOf(*program, "w").contents,
              ElementsAre(7, 0, 7, 0, 7, 0, 7, 0, 0, 0));
  const rt::TensorSpec &x = *bufferOf(*program, "x").value;
  EXPECT_EQ(x.name, "x");
  EXPECT_THAT(x.shape, ElementsAre(2, 4));
  EXPECT_EQ(x.storedType, numeric::ElementType::I8);
  EXPECT_EQ(x.scale, 16.0f);
  const zhouyi::Buffer &v = bufferOf(*program, "v");
  EXPECT_EQ(v.value->name, "relu");
  EXPECT_EQ(v.value->zeroPoint, 3);
  EXPECT_THAT(v.strides, ElementsAre(32, 1));
}

TEST(ZhouyiEncode, AddsUpIndicesOfLoops) {
  ParsedProgram parsed;
  // y[12i + 3j + 5] = x[8i + 2j + 1] for i = 0, 2 and j = 0, 1, 2.
  auto program = parsed.encode(R"(
    scf.for %i = %c0 to %c3 step %c2 {
      %k = arith.muli %i, %c4 : index
      scf.for %j = %c0 to %c3 step %c1 {
        %s = arith.addi %k, %j : index
        %twice = arith.addi %s, %s : index
        %p = zhouyi.offset %x[%twice, %c1] steps [1, 1] : !zhouyi.ptr<si32>
        %q = zhouyi.offset %y[%i] steps [12] add 9 : !zhouyi.ptr<si32>
        %r = zhouyi.offset %q[%j, %c4] steps [3, -1] : !zhouyi.ptr<si32>
        %v = zhouyi.load %p : !zhouyi.ptr<si32> -> vector<1xsi32>
        zhouyi.store %v, %r : vector<1xsi32>, !zhouyi.ptr<si32>
      }
    }
  )");
  ASSERT_TRUE(mlir::succeeded(program)) << parsed.message;
  std::vector<int32_t> wanted(64);
  for (int i : {0, 2})
    for (int j : {0, 1, 2})
      wanted[12 * i + 3 * j + 5] = 100 + 8 * i + 2 * j + 1;
  EXPECT_EQ(run(*program, counted(100)), wanted);
}

// Each sum has the one before twice: what is known of it is computed once.
TEST(ZhouyiEncode, AddsUpLongChains) {
  ParsedProgram parsed;
  std::string body = "scf.for %i = %c0 to %c2 step %c1 {\n"
                     "%k0 = arith.subi %i, %c1 : index\n";
  for (int n = 0; n < 60; ++n) {
    std::string before = "%k" + std::to_string(n);
    body += "%k" + std::to_string(n + 1) + " = arith.addi " + before + ", " +
            before + " : index\n";
  }
  auto program = parsed.encode(
      body + "%d = arith.subi %k60, %k60 : index\n"
             "%p = zhouyi.offset %x[%d] steps [1] : !zhouyi.ptr<si32>\n"
             "%q = zhouyi.offset %y[%i] steps [8] : !zhouyi.ptr<si32>\n"
             "%v = zhouyi.load %p : !zhouyi.ptr<si32> -> vector<8xsi32>\n"
             "zhouyi.store %v, %q : vector<8xsi32>, !zhouyi.ptr<si32>\n}\n");
  ASSERT_TRUE(mlir::succeeded(program)) << parsed.message;
  EXPECT_EQ(run(*program, counted(3))[8], 3);
}

TEST(ZhouyiEncode, StartsLoopsWhereTheyBegin) {
  ParsedProgram parsed;
  auto program = parsed.encode(R"(
    %one = zhouyi.constant dense<1> : vector<8xsi32>
    scf.for %i = %c2 to %c4 step %c1 {
      %m = zhouyi.tail_mask[%i, %c1] steps [3, 1] limit 12 : vector<8xi1>
      %q = zhouyi.offset %y[%i] steps [8] : !zhouyi.ptr<si32>
      zhouyi.store %one, %q mask(%m) : vector<8xsi32>, !zhouyi.ptr<si32>, vector<8xi1>
    }
    scf.for %i = %c4 to %c2 step %c1 {
      zhouyi.store %one, %y : vector<8xsi32>, !zhouyi.ptr<si32>
    }
  )");
  ASSERT_TRUE(mlir::succeeded(program)) << parsed.message;
  std::vector<int32_t> wanted(64);
  for (int i : {2, 3})
    for (int lane = 0; lane < 11 - 3 * i; ++lane)
      wanted[8 * i + lane] = 1;
  EXPECT_EQ(run(*program, counted(0)), wanted);
}

TEST(ZhouyiEncode, FillsEqualConstantsOnceAndFirst) {
  ParsedProgram parsed;
  auto program = parsed.encode(R"(
    %v = zhouyi.load %x : !zhouyi.ptr<si32> -> vector<8xsi32>
    scf.for %i = %c0 to %c2 step %c1 {
      %a = zhouyi.constant dense<[1, 2, 3, 4, 5, 6, 7, 8]> : vector<8xsi32>
      %b = zhouyi.constant dense<[1, 2, 3, 4, 5, 6, 7, 8]> : vector<8xsi32>
      %m = zhouyi.constant dense<[true, true, true, false, false, false, false, false]> : vector<8xi1>
      %s = zhouyi.vadd x = %a, y = %b, mask = "3T5F", r = %v : vector<8xsi32>, vector<8xsi32>, vector<8xsi32> -> vector<8xsi32>
      zhouyi.store %s, %y mask(%m) : vector<8xsi32>, !zhouyi.ptr<si32>, vector<8xi1>
    }
  )");
  ASSERT_TRUE(mlir::succeeded(program)) << parsed.message;
  size_t constants = 0;
  for (const zhouyi::Instruction &one : program->body)
    constants += std::holds_alternative<zhouyi::Constant>(one.what);
  EXPECT_EQ(constants, 2u);
  EXPECT_TRUE(std::holds_alternative<zhouyi::Constant>(program->body[1].what));
  EXPECT_THAT(run(*program, counted(0)), testing::Contains(6));
}

TEST(ZhouyiEncode, KeepsNamesOfNodes) {
  ParsedProgram parsed;
  auto program = parsed.encode(R"(
    %v = zhouyi.load %x : !zhouyi.ptr<si32> -> vector<8xsi32> loc("Conv_1")
    %s = zhouyi.vadd x = %v, y = 1 : vector<8xsi32> -> vector<8xsi32> loc(fused["Conv_1", "Relu_2"])
    zhouyi.store %s, %y : vector<8xsi32>, !zhouyi.ptr<si32> loc("Relu_2"("a.onnx":3:1))
  )");
  ASSERT_TRUE(mlir::succeeded(program)) << parsed.message;
  EXPECT_THAT(program->nodes, ElementsAre("Conv_1", "Relu_2"));
  std::vector<zhouyi::NodeId> nodes;
  for (const zhouyi::Instruction &one : program->body)
    nodes.push_back(one.node);
  EXPECT_THAT(nodes, ElementsAre(0, 0, 1));
}

TEST(ZhouyiEncode, HandsFlagsChoicesAndPointersToFunctions) {
  ParsedProgram parsed;
  auto program = parsed.encode(R"(
    %t = zhouyi.buffer scratch "t" bytes 128 : !zhouyi.ptr<f32>
    %p = zhouyi.offset %t add 16 : !zhouyi.ptr<f32>
    %h = zhouyi.constant dense<1.0> : vector<16xf16>
    zhouyi.vmml ptr = %p, x = %h, y = %h : !zhouyi.ptr<f32>, vector<16xf16>, vector<16xf16>
    %a = zhouyi.load %x : !zhouyi.ptr<si32> -> vector<8xsi32>
    %s = zhouyi.vadd x = %a, y = -200, saturate = 1, out_sign = "u" : vector<8xsi32> -> vector<8xui32>
    %f = zhouyi.load %p : !zhouyi.ptr<f32> -> vector<8xf32>
    %i = zhouyi.cast %f : vector<8xf32> -> vector<8xsi32>
    %u = zhouyi.reinterpret %s : vector<8xui32> -> vector<8xsi32>
    zhouyi.store %i, %y : vector<8xsi32>, !zhouyi.ptr<si32>
    %q = zhouyi.offset %y add 8 : !zhouyi.ptr<si32>
    zhouyi.store %u, %q : vector<8xsi32>, !zhouyi.ptr<si32>
  )");
  ASSERT_TRUE(mlir::succeeded(program)) << parsed.message;
  std::vector<int32_t> y = run(*program, counted(197));
  EXPECT_EQ(y[0], 4); // 1 * 1 four times
  EXPECT_EQ(y[7], 4);
  EXPECT_EQ(y[8], 0); // 197 - 200, clamped
  EXPECT_EQ(y[12], 1);
}

TEST(ZhouyiEncode, CallsTheHost) {
  ParsedProgram parsed;
  auto program = parsed.encode(R"(
    %t = zhouyi.buffer scratch "t" bytes 256 : !zhouyi.ptr<si32>
    %a = zhouyi.load %x : !zhouyi.ptr<si32> -> vector<64xsi32>
    zhouyi.store %a, %t : vector<64xsi32>, !zhouyi.ptr<si32>
    %p = zhouyi.offset %t add 32 : !zhouyi.ptr<si32>
    %q = zhouyi.offset %y add 4 : !zhouyi.ptr<si32>
    zhouyi.host_call "unary" inputs(%p) outputs(%q) {kind = "relu"} [tensor<4x8xi32>] to [tensor<4x8xi32>] reason "a test" : (!zhouyi.ptr<si32>) -> !zhouyi.ptr<si32>
  )");
  ASSERT_TRUE(mlir::succeeded(program)) << parsed.message;
  std::vector<int32_t> y = run(*program, counted(-40));
  for (int i = 0; i < 32; ++i) // x[32 + i] is i - 8
    EXPECT_EQ(y[4 + i], std::max(i - 8, 0)) << i;
}

TEST(ZhouyiEncode, GivesTheSameBytesEveryTime) {
  const char *body = R"(
    %v = zhouyi.load %x : !zhouyi.ptr<si32> -> vector<8xsi32>
    %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%a = %v) -> (vector<8xsi32>) {
      %s = zhouyi.vadd x = %a, y = %v, mask = "3T5F", r = 1 : vector<8xsi32>, vector<8xsi32> -> vector<8xsi32>
      scf.yield %s : vector<8xsi32>
    }
    zhouyi.store %r, %y : vector<8xsi32>, !zhouyi.ptr<si32>
  )";
  std::vector<std::vector<uint8_t>> files;
  for (int round = 0; round < 2; ++round) {
    ParsedProgram parsed;
    auto program = parsed.encode(body);
    ASSERT_TRUE(mlir::succeeded(program)) << parsed.message;
    auto bytes = zhouyi::serialize(*program, "test");
    ASSERT_TRUE(bool(bytes));
    files.push_back(*bytes);
  }
  EXPECT_EQ(files[0], files[1]);
}

namespace {
struct Refused {
  const char *name, *body, *message;
};
} // namespace

static const Refused kRefused[] = {
    {"bounds",
     "%n = arith.addi %c1, %c2 : index\n"
     "scf.for %i = %c0 to %c4 step %c1 { scf.for %j = %c0 to %i step %c1 {} }",
     "a loop has bounds that are no constants"},
    {"step", "scf.for %i = %c0 to %c4 step %c0 {}",
     "a loop goes from 0 to 4 in steps of 0; the step must be above 0"},
    {"product",
     "scf.for %i = %c0 to %c4 step %c1 {\n"
     "  %k = arith.muli %i, %i : index\n"
     "  %p = zhouyi.offset %x[%k] steps [1] : !zhouyi.ptr<si32>\n"
     "  %v = zhouyi.load %p : !zhouyi.ptr<si32> -> vector<8xsi32>\n}",
     "an index is no sum of loop indices times constants; only such can be "
     "steps of an address"},
    {"large product",
     "%big = arith.constant 4611686018427387904 : index\n"
     "%p = zhouyi.offset %x[%big] steps [4] : !zhouyi.ptr<si32>\n"
     "%v = zhouyi.load %p : !zhouyi.ptr<si32> -> vector<8xsi32>",
     "an index times its step is beyond 64 bits"},
    {"operation", "%v = arith.constant dense<1.0> : vector<8xf32>",
     "'arith.constant' cannot be part of a program; lower it first"},
    {"moving host",
     "scf.for %i = %c0 to %c4 step %c1 {\n"
     "  %p = zhouyi.offset %x[%i] steps [1] : !zhouyi.ptr<si32>\n"
     "  zhouyi.host_call \"unary\" inputs(%p) outputs(%y) {kind = \"relu\"} "
     "[tensor<4xf32>] to "
     "[tensor<4xf32>] reason \"\" : (!zhouyi.ptr<si32>) -> "
     "!zhouyi.ptr<si32>\n}",
     "unsupported: the host reads or writes at an address that a loop moves"},
    {"outside",
     "%p = zhouyi.offset %x add 60 : !zhouyi.ptr<si32>\n"
     "%v = zhouyi.load %p : !zhouyi.ptr<si32> -> vector<8xsi32>",
     "touches bytes 240 to 271 of buffer"},
    {"overflow",
     "%p = zhouyi.offset %x add 9223372036854775807 : !zhouyi.ptr<si32>\n"
     "%v = zhouyi.load %p : !zhouyi.ptr<si32> -> vector<8xsi32>",
     "leaves every memory"},
};

TEST(ZhouyiEncode, SaysWhatAProgramCannotHold) {
  for (const Refused &refused : kRefused) {
    SCOPED_TRACE(refused.name);
    ParsedProgram parsed;
    EXPECT_TRUE(mlir::failed(parsed.encode(refused.body)));
    EXPECT_THAT(parsed.message, HasSubstr(refused.message));
  }
}

TEST(ZhouyiEncode, ReportsFaultsAtTheirOp) {
  ParsedProgram parsed;
  EXPECT_TRUE(mlir::failed(parsed.encode(R"(
    %z = zhouyi.constant dense<0> : vector<8xsi32>
    zhouyi.store %z, %y : vector<8xsi32>, !zhouyi.ptr<si32>
    scf.for %i = %c0 to %c4 step %c1 {
      %p = zhouyi.offset %x[%i] steps [8] add 40 : !zhouyi.ptr<si32>
      scf.for %j = %c0 to %c2 step %c1 {
        %m = zhouyi.tail_mask[%j] steps [8] limit 9 : vector<8xi1>
        %v = zhouyi.load %p : !zhouyi.ptr<si32> -> vector<8xsi32> loc("kernel.py":12:3)
      }
    }
  )")));
  EXPECT_THAT(parsed.message,
              HasSubstr("instruction 2.0.1 (load): touches bytes 160 to 287"));
  EXPECT_THAT(parsed.location, HasSubstr("\"kernel.py\":12:3"));
}
