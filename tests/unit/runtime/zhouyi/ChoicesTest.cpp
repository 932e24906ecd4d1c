// One test for each named choice of docs/rationale/0008 about Zhouyi, with its
// name: what the document leaves open and Weft decides.

#include "tests/unit/runtime/zhouyi/VectorCall.h"

#include <limits>

using namespace weft;
using namespace weft::zhouyi;
using namespace weft::zhouyi::testing;

static constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Bits of a lane of the result.
static uint64_t bitsAt(const Lanes &lanes, unsigned lane) {
  return denseOf(lanes).bits(lane);
}

/// A vector of bit patterns.
static Lanes ofBits(catalog::DataType type, const std::vector<uint64_t> &bits) {
  catalog::Dense dense(type, {1, 1, 1, int64_t(bits.size())});
  for (size_t i = 0; i < bits.size(); ++i)
    dense.setBits(int64_t(i), bits[i]);
  Lanes lanes({type, unsigned(bits.size())});
  lanes.bytes = dense.bytes;
  return lanes;
}

/// A call of two operands that are bit patterns.
static Lanes bitwise(std::string_view name, catalog::DataType type,
                     const std::vector<uint64_t> &x,
                     const std::vector<uint64_t> &y = {}) {
  VectorCall call(name);
  call.shape("x", type, unsigned(x.size()));
  Lanes left = ofBits(type, x), right = ofBits(type, y);
  std::vector<const Lanes *> operands = {&left};
  if (!y.empty()) {
    call.shape("y", type, unsigned(y.size()));
    operands.push_back(&right);
  }
  EXPECT_EQ(call.problem(), "");
  rt::Result<Lanes> result = execute(Kernel(call.call), operands, nullptr);
  EXPECT_TRUE(result.isOk());
  return result ? *result : Lanes();
}

TEST(ZhouyiChoices, DotAccumulationClamps) {
  auto pair = [](double acc, double x, double y) {
    return *numbers(VectorCall("vdpa")
                        .vector("acc", kI16, all(16, acc))
                        .vector("x", kI8, all(32, x))
                        .vector("y", kI8, all(32, y))
                        .run())[0];
  };
  EXPECT_EQ(pair(32000, 100, 100), 32767); // wrapping would give -13536
  EXPECT_EQ(pair(-32000, 100, -100), -32768);
  // One clamp of the total: clamping after each product would lose 1.
  Numbers x(16, 0), y(16, 0);
  x[0] = y[0] = x[1] = 1;
  y[1] = -1;
  EXPECT_EQ(*numbers(VectorCall("vdpa")
                         .vector("acc", kI32, all(8, 2147483647))
                         .vector("x", kI16, x)
                         .vector("y", kI16, y)
                         .run())[0],
            2147483647);
  EXPECT_EQ(*numbers(VectorCall("vqdpa")
                         .vector("acc", kI32, all(8, 2147483600))
                         .vector("x", kI8, all(32, 100))
                         .vector("y", kU8, all(32, 255))
                         .run())[3],
            2147483647);
  EXPECT_EQ(*numbers(VectorCall("vqdpa")
                         .vector("acc", kI32, all(8, -2147483600.0))
                         .vector("x", kI8, all(32, -100))
                         .vector("y", kU8, all(32, 255))
                         .run())[3],
            -2147483648.0);
  EXPECT_EQ(*numbers(VectorCall("vqdpa")
                         .vector("acc", kU32, all(8, 4294967200.0))
                         .vector("x", kU8, all(32, 255))
                         .vector("y", kU8, all(32, 255))
                         .run())[3],
            4294967295.0);
}

TEST(ZhouyiChoices, PairwiseSumsClamp) {
  for (catalog::DataType type : {kI8, kI16, kI32, kU8, kU16, kU32}) {
    double high = double(highestOf(type)), low = double(lowestOf(type));
    Numbers x(native(type), high), y(native(type), low);
    EXPECT_EQ(*numbers(VectorCall("vaddh")
                           .vector("x", type, x)
                           .vector("y", type, y)
                           .run())[0],
              high)
        << spelling(type);
    // low - high in every pair of y.
    for (size_t i = 1; i < y.size(); i += 2)
      y[i] = high;
    Expected differences = numbers(
        VectorCall("vsubh").vector("x", type, x).vector("y", type, y).run());
    EXPECT_EQ(*differences[0], 0);
    EXPECT_EQ(*differences.back(), low) << spelling(type);
  }
}

TEST(ZhouyiChoices, WideProductsInWordPairs) {
  Numbers x = {1, 2, 3, 4, -5, -6, 7, 8};
  auto call = [&](std::string_view name) {
    return VectorCall(name)
        .vector("x", kI32, x)
        .vector("y", kI32, all(8, 1 << 30))
        .mask("TFTFFTTF")
        .vector("r", kI32, counting(8, 100));
  };
  EXPECT_EQ(call("vmull").resultText(), "int32x8");
  const double word = 1 << 30;
  // 2^30, then r, then 3 * 2^30 = 0 * 2^32 + 3221225472, then r.
  EXPECT_EQ(numbers(call("vmull").run()),
            (Expected{word, 0, 102, 103, -word, 0, 106, 107}));
  // -5 is inactive; -6 * 2^30 = -2 * 2^32 + 2^31; 7 * 2^30 = 2^32 + 3 * 2^30.
  EXPECT_EQ(numbers(call("vmulh").run()),
            (Expected{100, 101, -2147483648.0, -2, -word, 1, 106, 107}));
}

TEST(ZhouyiChoices, HalfSumsWiden) {
  VectorCall call("vrpadd");
  call.vector("x", kF16, all(16, 65504));
  EXPECT_EQ(call.resultText(), "fp32x8");
  EXPECT_EQ(numbers(call.run()), (Expected{16 * 65504.0, U, U, U, U, U, U, U}));
}

TEST(ZhouyiChoices, IntegerSumsWrap) {
  EXPECT_EQ(
      *numbers(VectorCall("vrpadd").vector("x", kI8, all(32, 100)).run())[0],
      3200 - 13 * 256 + 0.0);
  EXPECT_EQ(
      *numbers(VectorCall("vrpadd").vector("x", kU16, all(16, 65535)).run())[0],
      65520);
  for (catalog::DataType type : kAllTypes)
    EXPECT_EQ(*numbers(VectorCall("vrpadd")
                           .vector("x", type, all(native(type), 3))
                           .mask("2F")
                           .run())[0],
              0)
        << spelling(type);
}

TEST(ZhouyiChoices, FloatSumsInDouble) {
  // In float32 the ones would be lost beside 2^24; from the top down, too.
  Numbers x = {16777216, 1, 1, 1, 1, 1, 1, 1};
  EXPECT_EQ(*numbers(VectorCall("vrpadd").vector("x", kF32, x).run())[0],
            16777223 + 1.0); // 16777223 is a tie between two floats
  // The lowest lane comes first: 1 is lost beside 2^60 in double.
  x = {1, 1152921504606846976.0, -1152921504606846976.0, 0, 0, 0, 0, 0};
  EXPECT_EQ(*numbers(VectorCall("vrpadd").vector("x", kF32, x).run())[0], 0);
  x = {1152921504606846976.0, -1152921504606846976.0, 1, 0, 0, 0, 0, 0};
  EXPECT_EQ(*numbers(VectorCall("vrpadd").vector("x", kF32, x).run())[0], 1);
  // acc first, and rounded once at the end.
  Numbers half = all(16, 0);
  half[0] = half[1] = 1;
  EXPECT_EQ(*numbers(VectorCall("vqdpa")
                         .vector("acc", kF32, all(8, 16777216))
                         .vector("x", kF16, half)
                         .vector("y", kF16, all(16, 1))
                         .run())[0],
            16777218);
  EXPECT_EQ(*numbers(VectorCall("vmma")
                         .pointer("acc_ptr", kF32, all(16, 16777216))
                         .vector("x", kF16, half)
                         .vector("y", kF16, all(16, 1))
                         .run())[0],
            16777218);
  // 2048 * 2048 + 1: exact in double, and 4 of them in float32, too.
  half = {2048, 1, 2048, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
  EXPECT_EQ(*numbers(VectorCall("vqdot")
                         .vector("x", kF16, half)
                         .vector("y", kF16, half)
                         .run())[0],
            8388610);
  EXPECT_EQ(*numbers(VectorCall("vmml")
                         .pointer("ptr", kF32, all(16, 0))
                         .vector("x", kF16, half)
                         .vector("y", kF16, half)
                         .run())[0],
            8388610);
}

TEST(ZhouyiChoices, SubnormalsKept) {
  // The smallest of each type, doubled and halved.
  EXPECT_EQ(bitsAt(bitwise("vadd", kF32, {1, 1}, {1, 0}), 0), 2u);
  EXPECT_EQ(bitsAt(bitwise("vadd", kF16, {1, 1}, {1, 0}), 0), 2u);
  EXPECT_EQ(bitsAt(bitwise("vmul", kF16, {0x0002, 0x0001}, {0x3800, 0x3800}),
                   0), // 2^-23 * 0.5
            1u);
  EXPECT_EQ(bitsAt(bitwise("vmul", kF32, {2, 1}, {0x3f000000, 0x3f000000}), 0),
            1u);
  EXPECT_EQ(bitsAt(bitwise("vmul", kF32, {2, 1}, {0x3f000000, 0x3f000000}), 1),
            0u); // a tie goes to even
  EXPECT_EQ(bitsAt(bitwise("vsub", kF16, {0x0400, 0}, {0x0001, 0}), 0),
            0x03ffu);
  EXPECT_EQ(bitsAt(bitwise("vdiv", kF32, {0x00800000, 0}, {0x40000000, 1}), 0),
            0x00400000u);
}

TEST(ZhouyiChoices, NanIsCanonical) {
  const uint64_t payload32 = 0xffc12345, payload16 = 0xfe12;
  for (std::string_view name : {"vadd", "vsub", "vmul", "vdiv"})
    EXPECT_EQ(bitsAt(bitwise(name, kF32, {payload32, 0}, {0x3f800000, 0}), 0),
              0x7fc00000u)
        << name;
  for (std::string_view name : {"vadd", "vsub", "vmul"})
    EXPECT_EQ(bitsAt(bitwise(name, kF16, {payload16, 0}, {0x3c00, 0}), 0),
              0x7e00u)
        << name;
  // inf - inf, 0 * inf
  EXPECT_EQ(bitsAt(bitwise("vsub", kF16, {0x7c00, 0}, {0x7c00, 0}), 0),
            0x7e00u);
  EXPECT_EQ(bitsAt(bitwise("vmul", kF32, {0, 0}, {0xff800000, 0}), 0),
            0x7fc00000u);
  // Picked, not made.
  EXPECT_EQ(bitsAt(bitwise("vabs", kF32, {payload32, 0}), 0), 0x7fc12345u);
  EXPECT_EQ(bitsAt(bitwise("vrint", kF32, {payload32, 0}), 0), payload32);
  EXPECT_EQ(bitsAt(bitwise("vrint", kF16, {payload16, 0}), 0), payload16);
  VectorCall clip("clip");
  clip.shape("x", kF16, 2).number("min_val", 0).number("max_val", 1);
  Lanes x = ofBits(kF16, {payload16, 0x4000});
  rt::Result<Lanes> clipped =
      execute(Kernel(clip.call), {&x, nullptr, nullptr}, nullptr);
  ASSERT_TRUE(clipped.isOk());
  EXPECT_EQ(bitsAt(*clipped, 0), payload16);
  EXPECT_EQ(bitsAt(*clipped, 1), 0x3c00u);
  // Inactive lanes of an accumulator.
  VectorCall fma("fma");
  fma.shape("acc", kF32, 2).number("x", 1).number("y", 1).mask("FT");
  Lanes acc = ofBits(kF32, {payload32, payload32});
  rt::Result<Lanes> sums =
      execute(Kernel(fma.call), {&acc, nullptr, nullptr}, nullptr);
  ASSERT_TRUE(sums.isOk());
  EXPECT_EQ(bitsAt(*sums, 0), payload32);
  EXPECT_EQ(bitsAt(*sums, 1), 0x7fc00000u);
}

TEST(ZhouyiChoices, DivisionByZeroIsZero) {
  for (catalog::DataType type : {kI8, kI16, kI32, kU8, kU16, kU32}) {
    double low = double(lowestOf(type)), high = double(highestOf(type));
    VectorCall divide("vdiv"), remain("vmod");
    for (VectorCall *call : {&divide, &remain})
      call->vector("x", type, {5, low, high, 0}).vector("y", type, all(4, 0));
    EXPECT_EQ(numbers(divide.run()), (Expected{0, 0, 0, 0})) << spelling(type);
    EXPECT_EQ(numbers(remain.run()), (Expected{0, 0, 0, 0})) << spelling(type);
    if (!isSigned(type))
      continue;
    for (VectorCall *call : {&divide, &remain})
      call->vector("x", type, {low, low + 1}).vector("y", type, {-1, -1});
    EXPECT_EQ(numbers(divide.run()), (Expected{high, high}));
    EXPECT_EQ(numbers(remain.run()), (Expected{0, 0}));
  }
  Lanes quotients = VectorCall("vdiv")
                        .vector("x", kF32, {1, -1, 0})
                        .vector("y", kF32, {0, 0, 0})
                        .run();
  EXPECT_EQ(*numbers(quotients)[0], kInfinity);
  EXPECT_EQ(*numbers(quotients)[1], -kInfinity);
  EXPECT_EQ(bitsAt(quotients, 2), 0x7fc00000u);
}

TEST(ZhouyiChoices, OutSignOfFloatIsIgnored) {
  for (std::string_view name : {"vadd", "vsub", "vmul"})
    for (catalog::DataType type : {kF16, kF32})
      for (char sign : {'u', 's'}) {
        VectorCall call(name);
        call.vector("x", type, {-3, 2}).vector("y", type, {1, 1});
        Lanes plain = call.run();
        call.outSign(sign);
        EXPECT_EQ(call.resultText(), std::string(spelling(type)) + "x2");
        EXPECT_EQ(call.run().bytes, plain.bytes);
      }
}

TEST(ZhouyiChoices, LongMaskIsRefused) {
  auto call = [] {
    return VectorCall("vadd").vector("x", kI32, counting(8)).number("y", 1);
  };
  EXPECT_EQ(call().mask("8T1F").problem().substr(0, 39),
            "mask has 9 lanes, the vector has 8; a m");
  EXPECT_NE(call().maskList(MaskLanes(9, 0)).problem(), "");
  EXPECT_NE(call().maskValue(MaskLanes(9, 0)).problem(), "");
  EXPECT_EQ(call().mask("9T").problem().substr(0, 16), "mask has 9 lanes");
  // A shorter one is completed; but a computed one has a type.
  EXPECT_EQ(numbers(call().mask("3T").run()),
            (Expected{1, 2, 3, U, U, U, U, U}));
  EXPECT_EQ(numbers(call().maskList({0, 1}).run()),
            (Expected{U, 2, U, U, U, U, U, U}));
  EXPECT_NE(call().maskValue({1, 1, 1}).problem(), "");
}

TEST(ZhouyiChoices, MaskTextHasTwoCharacters) {
  for (const char *text : {"T", "F"})
    EXPECT_EQ(parseMask(text, 8).status().message(),
              "mask '" + std::string(text) +
                  "' has fewer than two characters; write groups of a count "
                  "and letters T or F, as in 3T5F");
  EXPECT_EQ(parseMask("", 8).status().message(),
            "mask is an empty string; write groups of a count and letters T "
            "or F, as in 3T5F");
  for (const char *text : {"1T", "TF"}) {
    rt::Result<MaskLanes> mask = parseMask(text, 8);
    ASSERT_TRUE(mask.isOk());
    EXPECT_EQ(*mask, (MaskLanes{1, 0, 0, 0, 0, 0, 0, 0}));
  }
}

TEST(ZhouyiChoices, FmaIsFused) {
  VectorCall call("fma");
  call.shape("acc", kF32, 1).shape("x", kF32, 1).number("y", 5);
  Lanes acc = ofBits(kF32, {0x43ec3c00}), x = ofBits(kF32, {0xc2af56db});
  rt::Result<Lanes> sum =
      execute(Kernel(call.call), {&acc, &x, nullptr}, nullptr);
  ASSERT_TRUE(sum.isOk());
  EXPECT_EQ(bitsAt(*sum, 0), 0x42087b72u); // two roundings give 0x42087b70
}

TEST(ZhouyiChoices, AbsOfNanClearsTheSign) {
  EXPECT_EQ(bitsAt(bitwise("vabs", kF32, {0xffc00001, 0x80000000}), 0),
            0x7fc00001u);
  EXPECT_EQ(bitsAt(bitwise("vabs", kF32, {0xffc00001, 0x80000000}), 1), 0u);
  EXPECT_EQ(bitsAt(bitwise("vabs", kF16, {0xfe01, 0x7e01}), 0), 0x7e01u);
  EXPECT_EQ(bitsAt(bitwise("vabs", kF16, {0xfe01, 0x7e01}), 1), 0x7e01u);
}

TEST(ZhouyiChoices, DotsAreNative) {
  for (std::string_view name : {"vdot", "vqdot", "vmull", "vmulh"}) {
    VectorCall two(name), part(name), one(name);
    two.shape("x", kI8, 64).shape("y", kI8, 64);
    part.shape("x", kI8, 16).shape("y", kI8, 16);
    one.shape("x", kI8, 32).shape("y", kI8, 32);
    EXPECT_NE(two.problem(), "") << name;
    EXPECT_NE(part.problem(), "") << name;
    EXPECT_EQ(one.problem(), "") << name;
  }
  EXPECT_NE(VectorCall("vrpadd").shape("x", kI8, 64).problem(), "");
  EXPECT_EQ(VectorCall("vrpadd").shape("x", kI8, 32).problem(), "");
  for (std::string_view name : {"vdpa", "vqdpa"}) {
    unsigned span = name == "vdpa" ? 2 : 4;
    catalog::DataType sum = name == "vdpa" ? kI16 : kI32;
    for (unsigned lanes : {32u, 64u}) {
      VectorCall call(name);
      call.shape("acc", sum, lanes / span)
          .shape("x", kI8, lanes)
          .shape("y", kI8, lanes);
      EXPECT_EQ(call.problem() == "", lanes == 32) << name;
    }
  }
}

TEST(ZhouyiChoices, EqualClipBoundsAreLegal) {
  VectorCall call("clip");
  call.vector("x", kI16, {1, 5, 9}).number("min_val", 5).number("max_val", 5);
  EXPECT_EQ(numbers(call.run()), (Expected{5, 5, 5}));
  EXPECT_EQ(call.number("max_val", 4).problem(),
            "min_val is 5, max_val is 4; min_val must not be above max_val");
  // Bounds that are not known before the run: the lane is undefined.
  EXPECT_EQ(numbers(VectorCall("clip")
                        .vector("x", kI16, {1, 5, 9})
                        .vector("min_val", kI16, {5, 5, 5})
                        .vector("max_val", kI16, {5, 4, 5})
                        .run()),
            (Expected{5, U, 5}));
}

TEST(ZhouyiChoices, ConstantNanIsNoClipBound) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  VectorCall call("clip");
  call.vector("x", kF32, {1, 5, 9}).real("min_val", nan).real("max_val", 7);
  EXPECT_NE(call.problem().find("min_val is nan"), std::string::npos)
      << call.problem();
  call.real("min_val", 3);
  EXPECT_EQ(numbers(call.run()), (Expected{3, 5, 7}));
  call.vector("min_val", kF32, {nan, nan, 8});
  call.vector("max_val", kF32, {7, 4, nan});
  EXPECT_EQ(numbers(call.run()), (Expected{1, 4, 9}));
}

TEST(ZhouyiChoices, ScalarClipHasScalarBounds) {
  VectorCall call("clip");
  call.vector("x", kI16, {300}).number("min_val", 1).number("max_val", 5);
  EXPECT_EQ(call.resultText(), "int16");
  EXPECT_EQ(numbers(call.run()), (Expected{5}));
  call.vector("min_val", kI8, {-3}).vector("max_val", kI16, {7});
  EXPECT_EQ(numbers(call.run()), (Expected{7}));
  EXPECT_EQ(call.shape("min_val", kI16, 16).problem(),
            "min_val is int16x16, x is a scalar int16; min_val and max_val "
            "must be vectors of the type of x, or scalars that fit it (a float "
            "is no bound of integers, NaN is none of floats)");
  EXPECT_EQ(call.number("x", 3).problem(), "x must be a vector");
}

TEST(ZhouyiChoices, ClipConstantsMoveToTheRange) {
  VectorCall call("clip");
  call.vector("x", kU8, {0, 255, 7})
      .number("min_val", -5)
      .number("max_val", int64_t(1) << 40);
  EXPECT_EQ(numbers(call.run()), (Expected{0, 255, 7}));
  call.number("min_val", 300).number("max_val", 400);
  EXPECT_EQ(numbers(call.run()), (Expected{255, 255, 255}));
  VectorCall half("clip");
  half.vector("x", kF16, {kInfinity, -kInfinity, 3})
      .real("min_val", -1e6)
      .number("max_val", 1000000);
  EXPECT_EQ(numbers(half.run()), (Expected{65504, -65504, 3}));
  half.real("max_val", kInfinity);
  EXPECT_EQ(numbers(half.run()), (Expected{kInfinity, -65504, 3}));
}

TEST(ZhouyiChoices, UndefinedLanesArePoisoned) {
  // A marked lane marks what is made of it, and only that.
  VectorCall add("vadd");
  add.vector("x", kI32, counting(8))
      .vector("y", kI32, all(8, 1))
      .undefined("x", {1, 0, 1, 1, 1, 1, 1, 1})
      .undefined("y", {1, 1, 1, 1, 1, 1, 1, 0});
  EXPECT_EQ(numbers(add.run()), (Expected{1, U, 3, 4, 5, 6, 7, U}));
  // An inactive lane takes nothing from its operands.
  EXPECT_EQ(numbers(add.mask("TF6T").number("r", 9).run()),
            (Expected{1, 9, 3, 4, 5, 6, 7, U}));
  // A group is undefined by an active lane only.
  VectorCall dot("vqdot");
  MaskLanes marks(32, 1);
  marks[1] = marks[9] = 0;
  dot.vector("x", kI8, all(32, 1)).number("y", 1).undefined("x", marks);
  EXPECT_EQ(numbers(dot.run()), (Expected{U, 4, U, 4, 4, 4, 4, 4}));
  EXPECT_EQ(numbers(dot.mask("TF30T").run()),
            (Expected{3, 4, U, 4, 4, 4, 4, 4}));
  // What would end in a sum of all lanes or in memory is refused.
  VectorCall sum("vrpadd");
  sum.vector("x", kI32, counting(8)).undefined("x", {1, 1, 1, 0, 1, 1, 1, 1});
  rt::Result<Lanes> refused = sum.tryRun();
  ASSERT_FALSE(refused.isOk());
  EXPECT_EQ(refused.status().message(),
            "lane 3 of x has no defined value, and vrpadd sums it; mask it out "
            "or give it a value");
  EXPECT_EQ(*numbers(sum.mask("3T1F4T").run())[0], 25);
  VectorCall matrix("vmml");
  matrix.pointer("ptr", kF32, all(16, 0))
      .vector("x", kF16, counting(16))
      .vector("y", kF16, counting(16))
      .undefined("y", MaskLanes(16, 0));
  refused = matrix.tryRun();
  ASSERT_FALSE(refused.isOk());
  EXPECT_EQ(refused.status().message(),
            "lane 0 of y has no defined value, and vmml sums it; mask it out "
            "or give it a value");
}
