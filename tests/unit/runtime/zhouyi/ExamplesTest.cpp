// The examples of the document with its numbers, and more of the same kind
// worked out by hand from the rules. One test a function.

#include "tests/unit/runtime/zhouyi/VectorCall.h"

#include <algorithm>

using namespace weft;
using namespace weft::zhouyi;
using namespace weft::zhouyi::testing;

static const Numbers kOneToEight = {1, 2, 3, 4, 5, 6, 7, 8},
                     kInactive = {9, 8, 7, 6, 4, 3, 2, 1};
static const std::string kMask = "4T2F2T";

/// Two operands of the int32 example with its mask and r.
static VectorCall masked(std::string_view name, const Numbers &x,
                         const Numbers &y) {
  return VectorCall(name).vector("x", kI32, x).vector("y", kI32, y).mask(kMask);
}

/// Repeated to fill a register: 8 lanes of the document become 32 or 16.
static Numbers filled(Numbers numbers, catalog::DataType type) {
  size_t given = numbers.size();
  for (size_t i = 0; numbers.size() < native(type); ++i)
    numbers.push_back(numbers[i % given]);
  return numbers;
}

/// One lane of a call of two integers, the others 0.
static double first(std::string_view name, catalog::DataType x, double a,
                    catalog::DataType y, double b, bool saturates = false,
                    char sign = 0) {
  Numbers left(native(x), 0), right(native(y), 0);
  left[0] = a;
  right[0] = b;
  VectorCall call(name);
  call.vector("x", x, left).vector("y", y, right);
  if (saturates)
    call.saturate();
  if (sign)
    call.outSign(sign);
  return *numbers(call.run())[0];
}

TEST(Examples, vadd) {
  EXPECT_EQ(numbers(masked("vadd", kOneToEight, kOneToEight)
                        .vector("r", kI32, kInactive)
                        .run()),
            (Expected{2, 4, 6, 8, 4, 3, 14, 16}));
  // The same numbers in all eight types.
  for (catalog::DataType type : kAllTypes)
    EXPECT_EQ(numbers(VectorCall("vadd")
                          .vector("x", type, kOneToEight)
                          .vector("y", type, kOneToEight)
                          .mask(kMask)
                          .vector("r", type, kInactive)
                          .run()),
              (Expected{2, 4, 6, 8, 4, 3, 14, 16}))
        << spelling(type);
  EXPECT_EQ(first("vadd", kI8, 100, kI8, 100), -56);
  EXPECT_EQ(first("vadd", kI8, 100, kI8, 100, true), 127);
  EXPECT_EQ(first("vadd", kI8, -100, kI8, -100), 56);
  EXPECT_EQ(first("vadd", kI8, -100, kI8, -100, true), -128);
  EXPECT_EQ(first("vadd", kI8, 127, kI8, 1), -128);
  EXPECT_EQ(first("vadd", kI8, 127, kI8, 1, true), 127);
}

TEST(Examples, vaddOfTwoSigns) {
  struct {
    double x, y, unsignedWrapped, unsignedClamped, signedWrapped, signedClamped;
  } rows[] = {{-5, 3, 254, 0, -2, -2},
              {100, 252, 96, 255, 96, 127},
              {-1, 255, 254, 254, -2, 127}};
  for (auto &row : rows) {
    EXPECT_EQ(first("vadd", kI8, row.x, kU8, row.y, false, 'u'),
              row.unsignedWrapped);
    EXPECT_EQ(first("vadd", kI8, row.x, kU8, row.y, true, 'u'),
              row.unsignedClamped);
    EXPECT_EQ(first("vadd", kI8, row.x, kU8, row.y, false, 's'),
              row.signedWrapped);
    EXPECT_EQ(first("vadd", kI8, row.x, kU8, row.y, true, 's'),
              row.signedClamped);
    EXPECT_EQ(first("vadd", kU8, row.y, kI8, row.x, true, 's'),
              row.signedClamped);
  }
}

/// The calls that the document lists, in their forms.
TEST(Examples, formsOfACall) {
  VectorCall scalar("vadd");
  scalar.vector("x", kI32, kOneToEight).number("y", 3);
  EXPECT_EQ(numbers(scalar.run()), (Expected{4, 5, 6, 7, 8, 9, 10, 11}));
  VectorCall unsignedResult("vadd");
  unsignedResult.vector("x", kI32, kOneToEight)
      .vector("y", kI32, all(8, -8))
      .outSign('u');
  EXPECT_EQ(unsignedResult.resultText(), "uint32x8");
  EXPECT_EQ(numbers(unsignedResult.run())[0], 4294967289.0);
  rt::Result<MaskLanes> tail = tailMask(2, 8);
  ASSERT_TRUE(tail.isOk());
  VectorCall tailed("vadd");
  tailed.vector("x", kI32, kOneToEight)
      .vector("y", kI32, kOneToEight)
      .maskList(*tail);
  EXPECT_EQ(numbers(tailed.run()), (Expected{2, 4, U, U, U, U, U, U}));
  VectorCall other("vadd");
  other.vector("x", kI32, kOneToEight)
      .vector("y", kI32, kOneToEight)
      .mask("3T5F")
      .vector("r", kI32, kOneToEight);
  EXPECT_EQ(numbers(other.run()), (Expected{2, 4, 6, 4, 5, 6, 7, 8}));
  other.number("r", -1);
  EXPECT_EQ(numbers(other.run()), (Expected{2, 4, 6, -1, -1, -1, -1, -1}));
  VectorCall computed("vadd");
  computed.vector("x", kI32, kOneToEight)
      .vector("y", kI32, kOneToEight)
      .maskValue({1, 0, 0, 0, 0, 0, 0, 1});
  EXPECT_EQ(numbers(computed.run()), (Expected{2, U, U, U, U, U, U, 16}));
}

TEST(Examples, vaddh) {
  EXPECT_EQ(numbers(VectorCall("vaddh")
                        .vector("x", kI32, {9, 1, 8, 2, 7, 3, 6, 4})
                        .vector("y", kI32, {9, 4, 8, 3, 7, 2, 6, 1})
                        .run()),
            (Expected{10, 10, 10, 10, 13, 11, 9, 7}));
  EXPECT_EQ(numbers(VectorCall("vaddh")
                        .vector("x", kI32, {9, 1, 8, 2, 7, 3, 6, 4})
                        .number("y", 3)
                        .run()),
            (Expected{10, 10, 10, 10, 6, 6, 6, 6}));
  Numbers x = all(32, 100), y = all(32, -100);
  Expected sums(32, 127);
  std::fill(sums.begin() + 16, sums.end(), -128);
  EXPECT_EQ(
      numbers(
          VectorCall("vaddh").vector("x", kI8, x).vector("y", kI8, y).run()),
      sums);
}

/// Over two registers all sums of x come before all of y.
TEST(Examples, vaddhOfTwoRegisters) {
  Expected sums;
  for (int i = 0; i < 8; ++i)
    sums.push_back(4 * i + 1);
  for (int i = 0; i < 8; ++i)
    sums.push_back(200 + 8 * i + 2);
  EXPECT_EQ(numbers(VectorCall("vaddh")
                        .vector("x", kI32, counting(16))
                        .vector("y", kI32, counting(16, 100, 2))
                        .run()),
            sums);
}

TEST(Examples, vabs) {
  VectorCall call("vabs");
  call.vector("x", kI8, {1, -2, -3, 4, -5, 6, -127, -128}).mask(kMask);
  EXPECT_EQ(numbers(call.run()), (Expected{1, 2, 3, 4, U, U, 127, -128}));
  EXPECT_EQ(numbers(call.saturate().run()),
            (Expected{1, 2, 3, 4, U, U, 127, 127}));
  EXPECT_EQ(
      numbers(VectorCall("vabs").vector("x", kF16, {-1.5, 2, -65504, 0}).run()),
      (Expected{1.5, 2, 65504, 0}));
  EXPECT_EQ(
      numbers(
          VectorCall("vabs").vector("x", kU16, {65535, 7}).saturate().run()),
      (Expected{65535, 7}));
}

TEST(Examples, vsub) {
  EXPECT_EQ(numbers(masked("vsub", kOneToEight, {1, 1, 1, 1, 2, 2, 2, 2})
                        .vector("r", kI32, kInactive)
                        .run()),
            (Expected{0, 1, 2, 3, 4, 3, 5, 6}));
  EXPECT_EQ(first("vsub", kU8, 3, kU8, 5), 254);
  EXPECT_EQ(first("vsub", kU8, 3, kU8, 5, true), 0);
  EXPECT_EQ(numbers(VectorCall("vsub")
                        .number("x", 10)
                        .vector("y", kI32, kOneToEight)
                        .run()),
            (Expected{9, 8, 7, 6, 5, 4, 3, 2}));
}

TEST(Examples, vsubh) {
  EXPECT_EQ(numbers(VectorCall("vsubh")
                        .vector("x", kI32, {9, 1, 8, 2, 7, 3, 6, 4})
                        .vector("y", kI32, {9, 4, 8, 3, 7, 2, 6, 1})
                        .run()),
            (Expected{8, 6, 4, 2, 5, 5, 5, 5}));
  EXPECT_EQ(numbers(VectorCall("vsubh")
                        .vector("x", kU32, {1, 9, 9, 1, 0, 1, 5, 5})
                        .number("y", 7)
                        .run()),
            (Expected{0, 8, 0, 0, 0, 0, 0, 0}));
}

TEST(Examples, vmul) {
  EXPECT_EQ(numbers(masked("vmul", kOneToEight, kOneToEight)
                        .vector("r", kI32, kInactive)
                        .run()),
            (Expected{1, 4, 9, 16, 4, 3, 49, 64}));
  EXPECT_EQ(numbers(masked("vmul", kOneToEight, kOneToEight)
                        .mask("T7F")
                        .vector("r", kI32, kInactive)
                        .run()),
            (Expected{1, 8, 7, 6, 4, 3, 2, 1}));
  EXPECT_EQ(first("vmul", kI16, 300, kI16, 300), 24464);
  EXPECT_EQ(first("vmul", kI32, 70000, kI32, 70000), 605032704);
}

static const Numbers kHalves = {1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 1, 2, 3, 4, 5, 6},
                     kWideInactive = {9, 8, 7, 6, 5, 4, 3, 2};

static VectorCall halfProduct(std::string_view name) {
  return VectorCall(name)
      .vector("x", kI16, kHalves)
      .vector("y", kI16, kHalves)
      .mask("4T2F6T4F")
      .vector("r", kI32, kWideInactive);
}

/// Lanes 0 and 1 of a product of two registers that hold one number each.
static Expected wide(std::string_view name, catalog::DataType x, double a,
                     catalog::DataType y, double b, char sign = 0) {
  VectorCall call(name);
  call.vector("x", x, all(native(x), a)).vector("y", y, all(native(y), b));
  if (sign)
    call.outSign(sign);
  Expected lanes = numbers(call.run());
  return {lanes[0], lanes[1]};
}

TEST(Examples, vmull) {
  VectorCall call = halfProduct("vmull");
  EXPECT_EQ(call.resultText(), "int32x8");
  EXPECT_EQ(numbers(call.run()), (Expected{1, 4, 9, 16, 5, 4, 49, 64}));
  EXPECT_EQ(wide("vmull", kI8, -128, kI8, -128), (Expected{16384, 16384}));
  EXPECT_EQ(wide("vmull", kI8, -128, kU8, 255, 's'),
            (Expected{-32640, -32640}));
  EXPECT_EQ(wide("vmull", kI8, -128, kU8, 255, 'u'), (Expected{32896, 32896}));
  EXPECT_EQ(wide("vmull", kI32, 100000, kI32, 100000),
            (Expected{1410065408, 2}));
  EXPECT_EQ(wide("vmull", kI32, -2147483648.0, kI32, 3),
            (Expected{-2147483648.0, -2}));
  EXPECT_EQ(wide("vmull", kU32, 4294967295.0, kU32, 4294967295.0),
            (Expected{1, 4294967294.0}));
}

TEST(Examples, vmulh) {
  EXPECT_EQ(numbers(halfProduct("vmulh").run()),
            (Expected{81, 0, 1, 4, 5, 4, 3, 2}));
  EXPECT_EQ(numbers(VectorCall("vmulh")
                        .vector("x", kU32, counting(8))
                        .vector("y", kU32, all(8, 4294967295.0))
                        .run()),
            (Expected{4294967292.0, 3, 4294967291.0, 4, 4294967290.0, 5,
                      4294967289.0, 6}));
}

TEST(Examples, vdiv) {
  EXPECT_EQ(numbers(VectorCall("vdiv")
                        .vector("x", kI32, {1, 4, 9, 16, 25, 36, 49, 64})
                        .vector("y", kI32, kOneToEight)
                        .mask("2T2F4T")
                        .run()),
            (Expected{1, 2, U, U, 5, 6, 7, 8}));
  EXPECT_EQ(numbers(VectorCall("vdiv")
                        .vector("x", kF32, {1, 4, 9, 16, 25, 36, 49, 64})
                        .vector("y", kF32, {1, 2, 3, 4, 5, 6, 7, 64})
                        .run()),
            (Expected{1, 2, 3, 4, 5, 6, 7, 1}));
  EXPECT_EQ(first("vdiv", kI8, -7, kI8, 2), -3);
  EXPECT_EQ(first("vdiv", kI8, -128, kI8, -1), 127);
  EXPECT_EQ(first("vdiv", kI8, 5, kI8, 0), 0);
}

TEST(Examples, vmod) {
  EXPECT_EQ(numbers(VectorCall("vmod")
                        .vector("x", kI32, {5, 6, 7, 8, -5, -6, -7, -8})
                        .vector("y", kI32, {-2, -5, 4, 3, 3, 4, -3, -4})
                        .mask("3T2F3T")
                        .run()),
            (Expected{1, 1, 3, U, U, -2, -1, 0}));
}

/// x0 x1 ... with a mask of the document's pattern: F F T F F T T T ... F T.
TEST(Examples, vdot) {
  VectorCall call("vdot");
  call.vector("x", kI16, counting(16)).vector("y", kI16, counting(16, 1));
  EXPECT_EQ(call.resultText(), "int32x8");
  EXPECT_EQ(numbers(call.mask("2F_T2F9T_FT").run()),
            (Expected{U, 6, 30, 98, 162, 242, 338, 240}));
  EXPECT_EQ(numbers(VectorCall("vdot")
                        .vector("x", kI16, counting(16))
                        .number("y", 3)
                        .run())[7],
            87);
}

TEST(Examples, vdotClamps) {
  EXPECT_EQ(wide("vdot", kI8, -128, kI8, -128)[0], 32767);
  EXPECT_EQ(wide("vdot", kU8, 255, kU8, 255)[0], 65535);
  EXPECT_EQ(wide("vdot", kU8, 255, kI8, -128)[0], -32768);
  EXPECT_EQ(wide("vdot", kI8, -128, kU8, 255)[0], -32768);
  EXPECT_EQ(wide("vdot", kI16, -32768, kI16, -32768)[0], 2147483647);
  EXPECT_EQ(wide("vdot", kU16, 65535, kU16, 65535)[0], 4294967295.0);
  EXPECT_EQ(wide("vdot", kI16, -32768, kU16, 65535)[0], -2147483648.0);
  EXPECT_EQ(wide("vdot", kU16, 65535, kI16, 32767)[0], 2147483647);
}

TEST(Examples, vqdot) {
  VectorCall bytes("vqdot");
  bytes.vector("x", kI8, counting(32)).number("y", 1);
  EXPECT_EQ(bytes.resultText(), "int32x8");
  EXPECT_EQ(numbers(bytes.mask("TFF25T3F1T").run()),
            (Expected{3, 22, 38, 54, 70, 86, 102, 31}));
  VectorCall halves("vqdot");
  halves.vector("x", kF16, counting(16)).number("y", 1);
  EXPECT_EQ(halves.resultText(), "fp32x8");
  // F F T F T T T T ... F T
  EXPECT_EQ(numbers(halves.mask("FFTFTTTTTTTTTTFT").run()),
            (Expected{2, U, 22, U, 38, U, 40, U}));
}

TEST(Examples, vdpa) {
  VectorCall call("vdpa");
  call.vector("acc", kI32, counting(8, 0, 10))
      .vector("x", kI16, counting(16))
      .number("y", 2);
  EXPECT_EQ(numbers(call.mask("FFTTTFTTTTTTTTFT").run()),
            (Expected{0, 20, 28, 56, 74, 92, 110, 100}));
}

TEST(Examples, vqdpa) {
  VectorCall bytes("vqdpa");
  bytes.vector("acc", kI32, counting(8, 0, 10))
      .vector("x", kI8, counting(32))
      .vector("y", kI8, all(32, 1));
  // T F F F T F T F F T F F ... T F F T
  EXPECT_EQ(numbers(bytes.mask("TFFFTFTFFTFF17T2F1T").run()),
            (Expected{0, 20, 29, 84, 110, 136, 162, 129}));
  VectorCall halves("vqdpa");
  halves.vector("acc", kF32, counting(8, 0, 10))
      .vector("x", kF16, counting(16))
      .vector("y", kF16, all(16, 1));
  EXPECT_EQ(numbers(halves.mask("TFFTTTTTTTTTTTFT").run()),
            (Expected{3, 10, 42, 30, 78, 50, 100, 70}));
}

TEST(Examples, vrpadd) {
  EXPECT_EQ(numbers(VectorCall("vrpadd")
                        .vector("x", kI32, {0, 1, 2, 3, 4, 5, 6, 7})
                        .mask("6T_FT")
                        .run()),
            (Expected{22, U, U, U, U, U, U, U}));
  for (auto [type, sum] : {std::pair(kI8, -16.0), std::pair(kU8, 240.0)})
    EXPECT_EQ(
        numbers(VectorCall("vrpadd").vector("x", type, counting(32)).run())[0],
        sum);
}

TEST(Examples, vmmlAndVmma) {
  const Expected product = {14, 38,  62,  86,  38, 126, 214, 302,
                            62, 214, 366, 518, 86, 302, 518, 734};
  EXPECT_EQ(numbers(VectorCall("vmml")
                        .pointer("ptr", kF32, all(16, 7))
                        .vector("x", kF16, counting(16))
                        .vector("y", kF16, counting(16))
                        .run()),
            product);
  Expected sum;
  for (const std::optional<double> &element : product)
    sum.push_back(*element + 1);
  EXPECT_EQ(numbers(VectorCall("vmma")
                        .pointer("acc_ptr", kF32, all(16, 1))
                        .vector("x", kF16, counting(16))
                        .vector("y", kF16, counting(16))
                        .run()),
            sum);
}

/// y is taken by columns: distinct operands show which index is which.
TEST(Examples, vmmlByColumns) {
  Numbers x(16, 0), y(16, 0);
  x[4 * 2 + 1] = 3; // row 2, k 1
  y[4 * 3 + 1] = 5; // column 3, k 1
  Expected product(16, 0);
  product[4 * 2 + 3] = 15;
  EXPECT_EQ(numbers(VectorCall("vmml")
                        .pointer("ptr", kF32, all(16, 0))
                        .vector("x", kF16, x)
                        .vector("y", kF16, y)
                        .run()),
            product);
}

TEST(Examples, fma) {
  Expected sums = {0, 11, 22, 33, 44, 55, 66, 77};
  EXPECT_EQ(numbers(VectorCall("fma")
                        .vector("acc", kF32, counting(8, 0, 1))
                        .vector("x", kF32, counting(8, 0, 10))
                        .number("y", 1)
                        .mask("F7T")
                        .run()),
            sums);
  EXPECT_EQ(numbers(VectorCall("fma")
                        .vector("acc", kF32, {1})
                        .vector("x", kF32, {2})
                        .vector("y", kF32, {3})
                        .run()),
            (Expected{7}));
}

TEST(Examples, vfmaeAndVfmao) {
  auto call = [](std::string_view name) {
    return VectorCall(name)
        .vector("acc", kF32, counting(8))
        .vector("x", kF16, counting(16))
        .number("y", 2);
  };
  EXPECT_EQ(numbers(call("vfmae").mask("F7T").run()),
            (Expected{0, 5, 10, 15, 20, 25, 30, 35}));
  EXPECT_EQ(numbers(call("vfmao").mask("F7T").run()),
            (Expected{0, 7, 12, 17, 22, 27, 32, 37}));
  EXPECT_EQ(numbers(call("vfmao").run())[0], 2);
}

TEST(Examples, vrint) {
  Lanes result =
      VectorCall("vrint")
          .vector("x", kF32, {-0.4, 0.2, 1.4, 1.5, 1.6, 1.8, 1.9, 2.01})
          .mask("5T1F2T")
          .run();
  EXPECT_EQ(numbers(result), (Expected{-0.0, 0, 1, 2, 2, U, 2, 2}));
  EXPECT_EQ(denseOf(result).bits(0), 0x80000000u);
  EXPECT_EQ(denseOf(result).bits(1), 0u);
  for (catalog::DataType type : {kF16, kF32}) {
    Lanes ties = VectorCall("vrint")
                     .vector("x", type, {0.5, 2.5, -0.5, 3.5, -1.5})
                     .run();
    EXPECT_EQ(numbers(ties), (Expected{0, 2, -0.0, 4, -2}));
    EXPECT_TRUE(std::signbit(denseOf(ties).value(2)));
  }
}

TEST(Examples, clip) {
  EXPECT_EQ(numbers(VectorCall("clip")
                        .vector("x", kI32, {1, 3, 4, 9, 4, 4, 8, 8})
                        .vector("min_val", kI32, {3, 3, 3, 3, 5, 5, 5, 5})
                        .vector("max_val", kI32, {8, 8, 8, 8, 7, 7, 7, 7})
                        .mask("4T2FT")
                        .run()),
            (Expected{3, 3, 4, 8, 4, 5, 8, 7}));
  EXPECT_EQ(numbers(VectorCall("clip")
                        .vector("x", kI8, {-128, 127, 5})
                        .number("min_val", -200)
                        .number("max_val", 300)
                        .run()),
            (Expected{-128, 127, 5}));
  EXPECT_EQ(numbers(VectorCall("clip")
                        .vector("x", kI32, {50})
                        .number("min_val", -10)
                        .number("max_val", 10)
                        .run()),
            (Expected{10}));
  EXPECT_EQ(numbers(VectorCall("clip")
                        .vector("x", kF16, {1, 40, 7})
                        .number("min_val", 3)
                        .number("max_val", 30)
                        .run()),
            (Expected{3, 30, 7}));
}

/// Flexible and multiple width: registers are an affair of the machine.
TEST(Examples, anyLaneCount) {
  for (unsigned lanes : {2u, 7u, 8u, 9u, 31u, 33u, 64u, 100u}) {
    Numbers x = counting(lanes, -3), y = all(lanes, 2);
    Expected sums, products;
    for (double value : x) {
      sums.push_back(value + 2);
      products.push_back(value * 2);
    }
    for (catalog::DataType type : {kI8, kI16, kI32, kF16, kF32}) {
      EXPECT_EQ(numbers(VectorCall("vadd")
                            .vector("x", type, x)
                            .vector("y", type, y)
                            .run()),
                sums)
          << lanes << " lanes of " << spelling(type);
      if (type == kI8)
        continue;
      EXPECT_EQ(numbers(VectorCall("vmul")
                            .vector("x", type, x)
                            .vector("y", type, y)
                            .run()),
                products);
    }
  }
}

/// Numbers beside wide vectors take the room of one register.
TEST(Examples, numbersBesideWideVectors) {
  for (unsigned lanes : {5u, 8u, 9u, 40u, 4096u}) {
    VectorCall call("clip");
    call.vector("x", kI32, counting(lanes))
        .number("min_val", 3)
        .number("max_val", 30);
    Expected clipped;
    for (unsigned i = 0; i < lanes; ++i)
      clipped.push_back(std::clamp(int(i), 3, 30));
    EXPECT_EQ(numbers(call.run()), clipped);
    Kernel kernel(call.call);
    for (const KernelOperand &operand : kernel.operands())
      EXPECT_LE(operand.constant.size(), 32u);
    VectorCall sum("vadd");
    sum.vector("x", kI8, all(lanes, 1))
        .number("y", 2)
        .mask("TF")
        .number("r", 7);
    Expected sums(lanes, 7);
    sums[0] = 3;
    EXPECT_EQ(numbers(sum.run()), sums);
  }
}

/// A register of the document's example in each type of vrpadd.
TEST(Examples, sumsOfEveryType) {
  for (catalog::DataType type : kAllTypes) {
    Numbers x = filled({1, 2, 3, 4}, type);
    EXPECT_EQ(numbers(VectorCall("vrpadd").vector("x", type, x).run())[0],
              10.0 * native(type) / 4)
        << spelling(type);
  }
}
