// Every pair of 8-bit numbers, and every float16, against plain arithmetic of
// the host: no table and no code of the product says what is right here.

#include "tests/unit/runtime/zhouyi/VectorCall.h"

#include <algorithm>
#include <cstring>

using namespace weft;
using namespace weft::zhouyi;
using namespace weft::zhouyi::testing;

namespace {
/// A type of 8 bits and what it holds.
struct ByteType {
  catalog::DataType type;
  int low, high;
  int at(int index) const { return low + index; }
};
constexpr ByteType kSignedBytes = {catalog::DataType::Int8, -128, 127},
                   kUnsignedBytes = {catalog::DataType::Uint8, 0, 255};
} // namespace

static int wrapped(int value, int bits, bool isSigned) {
  int modulus = 1 << bits, rest = ((value % modulus) + modulus) % modulus;
  return isSigned && rest >= modulus / 2 ? rest - modulus : rest;
}

/// want(x, y) for all 65,536 pairs; the call gets 256 lanes of x for each y.
template <class Want>
static void everyPair(VectorCall call, const ByteType &x, const ByteType &y,
                      Want want) {
  Numbers left;
  for (int i = 0; i < 256; ++i)
    left.push_back(x.at(i));
  call.vector("x", x.type, left);
  for (int j = 0; j < 256; ++j) {
    call.vector("y", y.type, all(256, y.at(j)));
    Expected got = numbers(call.run());
    ASSERT_EQ(got.size(), 256u);
    for (int i = 0; i < 256; ++i)
      ASSERT_EQ(*got[i], want(x.at(i), y.at(j)))
          << call.call.operation->name << " of " << x.at(i) << " and "
          << y.at(j);
  }
}

/// Both types of x and of y.
template <class Body>
static void everySign(Body body) {
  for (const ByteType &x : {kSignedBytes, kUnsignedBytes})
    for (const ByteType &y : {kSignedBytes, kUnsignedBytes})
      body(x, y);
}

TEST(ZhouyiExhaustive, sumsAndDifferences) {
  for (bool subtracts : {false, true})
    everySign([&](const ByteType &x, const ByteType &y) {
      for (bool saturates : {false, true})
        for (char sign : {'u', 's'}) {
          VectorCall call(subtracts ? "vsub" : "vadd");
          call.outSign(sign);
          if (saturates)
            call.saturate();
          const ByteType &out = sign == 's' ? kSignedBytes : kUnsignedBytes;
          everyPair(call, x, y, [&](int a, int b) {
            int exact = subtracts ? a - b : a + b;
            return saturates ? std::clamp(exact, out.low, out.high)
                             : wrapped(exact, 8, sign == 's');
          });
        }
    });
}

TEST(ZhouyiExhaustive, quotientsAndRemainders) {
  for (const ByteType &type : {kSignedBytes, kUnsignedBytes}) {
    everyPair(VectorCall("vdiv"), type, type, [&](int a, int b) {
      return b == 0 ? 0 : std::min(a / b, type.high);
    });
    everyPair(VectorCall("vmod"), type, type,
              [&](int a, int b) { return b == 0 ? 0 : a % b; });
  }
}

/// A register at a time: 16 of its lanes meet y.
TEST(ZhouyiExhaustive, wideProducts) {
  for (bool isUpper : {false, true})
    everySign([&](const ByteType &x, const ByteType &y) {
      for (char sign : {'u', 's'})
        for (int first = 0; first < 256; first += 16)
          for (int j = 0; j < 256; ++j) {
            Numbers left(32, x.at(77));
            for (int i = 0; i < 16; ++i)
              left[size_t(isUpper ? 16 + i : i)] = x.at(first + i);
            Expected got = numbers(VectorCall(isUpper ? "vmulh" : "vmull")
                                       .vector("x", x.type, left)
                                       .vector("y", y.type, all(32, y.at(j)))
                                       .outSign(sign)
                                       .run());
            ASSERT_EQ(got.size(), 16u);
            for (int i = 0; i < 16; ++i)
              ASSERT_EQ(*got[size_t(i)],
                        wrapped(x.at(first + i) * y.at(j), 16, sign == 's'));
          }
    });
}

/// Sums of four products of every pair with itself and two others.
TEST(ZhouyiExhaustive, quadDots) {
  everySign([&](const ByteType &x, const ByteType &y) {
    for (int i = 0; i < 256; ++i)
      for (int j = 0; j < 256; j += 8) {
        Numbers left, right;
        Expected sums;
        for (int group = 0; group < 8; ++group) {
          const int a[4] = {x.at(i), x.at(255 - i), x.at((i * 7) & 255),
                            x.at((i + 128) & 255)},
                    b[4] = {y.at(j + group), y.at(255 - j), y.at(255),
                            y.at((j * 3 + group) & 255)};
          int sum = 1000 * group - 3;
          for (int k = 0; k < 4; ++k) {
            left.push_back(a[k]);
            right.push_back(b[k]);
            sum += a[k] * b[k];
          }
          sums.push_back(sum);
        }
        bool isSigned = x.low < 0 || y.low < 0;
        Numbers acc;
        for (int group = 0; group < 8; ++group)
          acc.push_back(1000 * group - 3 + (isSigned ? 0 : 3));
        for (std::optional<double> &sum : sums)
          *sum += isSigned ? 0 : 3;
        ASSERT_EQ(numbers(VectorCall("vqdpa")
                              .vector("acc", isSigned ? kI32 : kU32, acc)
                              .vector("x", x.type, left)
                              .vector("y", y.type, right)
                              .run()),
                  sums);
      }
  });
}

/// All float16 of a sign, 1024 lanes a call.
TEST(ZhouyiExhaustive, roundingOfHalves) {
  for (uint32_t first = 0; first < 0x10000; first += 1024) {
    catalog::Dense given(kF16, {1, 1, 1, 1024});
    for (uint32_t i = 0; i < 1024; ++i)
      given.setBits(i, first + i);
    VectorCall call("vrint");
    call.shape("x", kF16, 1024);
    Lanes x({kF16, 1024});
    x.bytes = given.bytes;
    rt::Result<Lanes> result = execute(Kernel(call.call), {&x}, nullptr);
    ASSERT_TRUE(result.isOk());
    catalog::Dense got = denseOf(*result);
    for (uint32_t i = 0; i < 1024; ++i) {
      double value = given.value(i);
      if (std::isnan(value)) {
        ASSERT_EQ(got.bits(i), first + i);
        continue;
      }
      ASSERT_EQ(got.value(i), std::nearbyint(value)) << first + i;
      ASSERT_EQ(got.bits(i) >> 15, (first + i) >> 15);
    }
  }
}

/// Every float16 plus and times some others, against double, which is exact.
TEST(ZhouyiExhaustive, sumsAndProductsOfHalves) {
  for (double y : {1.0, -0.5, 0.0003, 6.1e-5, -65504.0, 3.0, 1e-7, -0.0})
    for (uint32_t first = 0; first < 0x10000; first += 2048) {
      catalog::Dense given(kF16, {1, 1, 1, 2048}), other(kF16, {1, 1, 1, 2048}),
          one(kF16, {1, 1, 1, 1});
      for (uint32_t i = 0; i < 2048; ++i) {
        given.setBits(i, first + i);
        other.setValue(i, y);
      }
      Lanes x({kF16, 2048}), z({kF16, 2048});
      x.bytes = given.bytes;
      z.bytes = other.bytes;
      for (std::string_view name : {"vadd", "vsub", "vmul"}) {
        VectorCall call(name);
        call.shape("x", kF16, 2048).shape("y", kF16, 2048);
        rt::Result<Lanes> result =
            execute(Kernel(call.call), {&x, &z, nullptr}, nullptr);
        ASSERT_TRUE(result.isOk());
        catalog::Dense got = denseOf(*result);
        for (uint32_t i = 0; i < 2048; ++i) {
          double a = given.value(i), b = other.value(i);
          double exact = name == "vadd"   ? a + b
                         : name == "vsub" ? a - b
                                          : a * b;
          one.setValue(0, exact);
          uint64_t want = std::isnan(exact) ? 0x7e00u : one.bits(0);
          ASSERT_EQ(got.bits(i), want) << name << " " << first + i << " " << y;
        }
      }
    }
}
