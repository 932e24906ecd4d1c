/// Rules of the element-wise units that ordinary numbers do not show: NaNs,
/// zeros and subnormals, shifts beyond the width, ties. The expected bits are
/// what the vendor's emulator gave; tests/oracle/emulator compares at random.
#include "tests/unit/runtime/emulator/OnBm1684x.h"

using namespace weft;
using namespace weft::emulator;
using isa::Field;
using isa::Form;
namespace ar = isa::arith;

namespace {

constexpr uint32_t kFirst = 0, kSecond = 0x4000, kThird = 0x8000,
                   kResult = 0x10000, kOther = 0x18000;

struct Elements : OnBm1684x {
  /// A result of `count` numbers in one row.
  rt::Status tryRun(unsigned type, unsigned func, size_t count,
                    const Fields &fields, Form form = Form::None) {
    Fields all = {{Field::res0_n, 1},          {Field::res0_c, 1},
                  {Field::res0_h, 1},          {Field::res0_w, count},
                  {Field::res0_addr, kResult}, {Field::opd1_addr, kSecond}};
    all.insert(all.end(), fields.begin(), fields.end());
    return OnBm1684x::tryRun(type, func, all, form);
  }
  void run(unsigned type, unsigned func, size_t count, const Fields &fields,
           Form form = Form::None) {
    auto status = tryRun(type, func, count, fields, form);
    ASSERT_TRUE(status) << status.message();
  }

  /// AR on two tensors of one type.
  template <class T>
  std::vector<T> arith(unsigned func, uint64_t type, std::vector<T> a,
                       std::vector<T> b, Fields extra = {}) {
    put(kFirst, a);
    put(kSecond, b);
    Fields fields = {{Field::tsk_opd_num, 2},
                     {Field::res0_prec, type},
                     {Field::opd0_prec, type},
                     {Field::opd1_prec, type}};
    fields.insert(fields.end(), extra.begin(), extra.end());
    run(3, func, a.size(), fields);
    return get<T>(kResult, a.size());
  }
  template <class To, class From>
  std::vector<To> cast(uint64_t from, uint64_t to, std::vector<From> values,
                       unsigned rounding) {
    put(kFirst, values);
    run(3, ar::Cast, values.size(),
        {{Field::tsk_opd_num, 1},
         {Field::opd0_prec, from},
         {Field::res0_prec, to},
         {Field::opd0_sign, 1},
         {Field::opd2_sign, 1},
         {Field::opd2_n_str, rounding}});
    return get<To>(kResult, values.size());
  }
};

using Words = std::vector<uint32_t>;
using Halves = std::vector<uint16_t>;
using Bytes = std::vector<uint8_t>;

TEST_F(Elements, maximumAndMinimumOfNaNsAndZeros) {
  // Equal zeros give the second operand; a NaN gives the second one of max and
  // the first one of min; subnormals become zeros.
  Words a = {0x00000000, 0x7fc00001, 0x3f800000, 0x80000001},
        b = {0x80000000, 0x3f800000, 0x7f800001, 0xbf800000};
  EXPECT_EQ(arith(ar::Max, kFp32, a, b),
            (Words{0x80000000, 0x3f800000, 0x7f800001, 0x80000000}));
  EXPECT_EQ(arith(ar::Min, kFp32, a, b),
            (Words{0x80000000, 0x7fc00001, 0x3f800000, 0xbf800000}));
  EXPECT_EQ(arith<uint16_t>(ar::Max, kFp16, {0x0001}, {0xbc00}),
            Halves{0x0001});
}

TEST_F(Elements, selectsCompareBitsAndTakeNaNsForLess) {
  Fields chosen = {{Field::opd2_prec, kFp32},
                   {Field::opd2_const, 1},
                   {Field::opd2_addr, 0x40000000}};
  Words a = {0x7fc00000, 0x7fc00000, 0x00000000, 0x3f800000},
        b = {0x7fc00000, 0x3f800000, 0x80000000, 0x3f800000};
  EXPECT_EQ(arith(ar::SelectEqual, kFp32, a, b, chosen),
            (Words{0x40000000, 0, 0, 0x40000000}));
  EXPECT_EQ(arith(ar::SelectLess, kFp32, a, b, chosen),
            (Words{0, 0x40000000, 0, 0}));
  EXPECT_EQ(arith(ar::SelectGreater, kFp32, a, b, chosen), (Words{0, 0, 0, 0}));
}

TEST_F(Elements, sumsKeepTheFirstNaN) {
  EXPECT_EQ(arith<uint32_t>(ar::Sub, kFp32,
                            {0x7f800001, 0x3f800000, 0x7f800000, 0x00800001},
                            {0xffffffff, 0xff800001, 0x7f800000, 0x00800000}),
            (Words{0x7fc00001, 0xffc00001, 0xffc00000, 0}));
  EXPECT_EQ(arith<uint16_t>(ar::Mul, kFp16, {0xfe00}, {0x3c00}),
            Halves{0x7fff});
  // Equal numbers take the second form of |a - b|, b - a.
  EXPECT_EQ(arith<uint32_t>(ar::AbsDiff, kFp32, {0, 0x807fffff},
                            {0x80000000, 0xff800001}),
            (Words{0x80000000, 0xffc00001}));
}

TEST_F(Elements, bf16ProductsRoundBeforeTheyAreFlushed) {
  // 0x0.ffp-126 and a little below.
  EXPECT_EQ(arith<uint16_t>(ar::Mul, kBf16, {0x026f, 0x0080, 0x0080},
                            {0x3d89, 0x3f7f, 0xbf80}),
            (Halves{0x0080, 0x0000, 0x8080}));
}

TEST_F(Elements, quotientsFlipTheDividend) {
  Words a = {0x7fffffff, 0x80000000, 0xbf800000, 0x3f800000},
        b = {0xcf000000, 0xff800000, 0x80000000, 0xff800001};
  Words out = arith(ar::Div, kFp32, a, b, {{Field::opd2_n_str, 2}});
  EXPECT_EQ(out, (Words{0xffffffff, 0xffc00000, 0x7f800000, 0x7fc00001}));
}

TEST_F(Elements, shiftsBeyondTheWidth) {
  put<uint8_t>(kSecond, {33, uint8_t(-33), 32, uint8_t(-128)});
  put<uint32_t>(kFirst, {0x80000001, 0x80000001, 5, 5});
  run(3, ar::LogicalShift, 4,
      {{Field::tsk_opd_num, 2},
       {Field::opd0_prec, kInt32},
       {Field::res0_prec, kInt32},
       {Field::opd1_prec, kInt8},
       {Field::opd2_n_str, 3}});
  EXPECT_EQ(get<uint32_t>(kResult, 4), (Words{2, 0, 5, 0}));
  EXPECT_EQ(arith<uint8_t>(ar::Rotate, kInt8, {0x81, 0x81, 0x81, 0xff},
                           {1, 8, 9, uint8_t(-33)}),
            (Bytes{0x03, 0x81, 0x00, 0xff}));
}

TEST_F(Elements, doublingHighProductRoundsTiesAsTold) {
  Fields extra = {{Field::opd0_sign, 1}, {Field::opd1_sign, 1}};
  Bytes a = {0xc0, 0x80, 0x5c}, b = {0xff, 0x80, 0x70};
  EXPECT_EQ(arith(ar::MulDoublingHigh, kInt8, a, b, extra),
            (Bytes{0x00, 0x7f, 0x50}));
  extra.push_back({Field::opd2_n_str, 5});
  EXPECT_EQ(arith(ar::MulDoublingHigh, kInt8, a, b, extra),
            (Bytes{0x01, 0x7f, 0x51}));
}

TEST_F(Elements, castsOfSpecialNumbers) {
  using Signed = std::vector<int32_t>;
  EXPECT_EQ(
      (cast<int32_t, uint32_t>(
          kFp32, kInt32, {0x00000001, 0x80000001, 0x7fc00000, 0x7f800000}, 4)),
      (Signed{1, 0, 0, INT32_MAX}));
  EXPECT_EQ((cast<uint16_t, uint32_t>(
                kFp32, kFp16, {0xffc00000, 0x47800000, 0x477fffff, 1}, 2)),
            (Halves{0xffff, 0x7c00, 0x7bff, 0}));
  EXPECT_EQ((cast<uint32_t, uint16_t>(kFp16, kFp32, {0x7e00, 0xfc01}, 0)),
            (Words{0x7fffffff, 0xffffffff}));
  EXPECT_EQ((cast<uint32_t, uint32_t>(kFp32, kFp32,
                                      {0x7f800001, 0xbf000000, 0x3f000000}, 5)),
            (Words{0x7f800001, 0x80000000, 0x3f800000}));
  // int32 to bf16 is rounded once; ties of int16 count in magnitude.
  EXPECT_EQ((cast<uint16_t, uint32_t>(kInt32, kBf16, {0x01810001}, 0)),
            Halves{0x4bc1});
  EXPECT_EQ((cast<uint16_t, uint16_t>(kInt16, kFp16, {0xf7ff}, 5)),
            Halves{0xe801});
}

TEST_F(Elements, comparesAsTheSelectsDo) {
  put<uint16_t>(kFirst, {0x7e00, 0x7e00, 0x3c00});
  put<uint16_t>(kSecond, {0x7e00, 0x3c00, 0x7c01});
  put<uint8_t>(kThird, {1, 2, 3});
  put<uint8_t>(0xc000, {11, 12, 13});
  run(13, isa::cmp::MinAndSelect, 3,
      {{Field::opd0_prec, kFp16},
       {Field::opd2_prec, kInt8},
       {Field::opd2_addr, kThird},
       {Field::opd3_addr, 0xc000},
       {Field::res1_addr, kOther}});
  EXPECT_EQ(get<uint16_t>(kResult, 3), (Halves{0x7e00, 0x7e00, 0x3c00}));
  EXPECT_EQ(get<uint8_t>(kOther, 3), (Bytes{11, 2, 3}));
}

TEST_F(Elements, normalizeHasAThirdOfEveryWidth) {
  put<uint16_t>(kFirst, {0x3fab, 0x3fac, 0x7fff, 0xbfff});
  run(9, isa::sfu::Normalize, 4,
      {{Field::opd0_prec, kBf16}, {Field::res0_prec, kBf16}});
  EXPECT_EQ(get<uint16_t>(kResult, 4),
            (Halves{0x3f80, 0x4000, 0x0000, 0xbf80}));
}

TEST_F(Elements, requantisationByFloatHasTwoRoundingCodes) {
  put<int16_t>(kFirst, {129});
  Fields fields = {{Field::opd0_prec, kInt16},
                   {Field::res0_prec, kInt8},
                   {Field::opd0_sign, 1},
                   {Field::opd1_const, 1},
                   {Field::opd1_addr, 0x3f000000}};
  run(4, isa::quant::Rq0, 1, fields);
  EXPECT_EQ(get<uint8_t>(kResult, 1), Bytes{64}); // 64.5, half to even
  fields.push_back({Field::opd2_n_str, 1 << 3});
  run(4, isa::quant::Rq0, 1, fields);
  EXPECT_EQ(get<uint8_t>(kResult, 1), Bytes{65}); // half away
}

TEST_F(Elements, indicesFillOneAlignedRowAChannel) {
  run(3, ar::EuIndex, 3,
      {{Field::tsk_opd_num, 1},
       {Field::res0_prec, kInt16},
       {Field::res0_str, 1},
       {Field::res0_c, 65}},
      Form::AR);
  EXPECT_EQ(get<uint16_t>(kResult, 3), (Halves{0, 1, 2}));
  EXPECT_EQ(get<uint16_t>(kResult + 64, 3), (Halves{0, 1, 2}));
}

TEST_F(Elements, refusesWhatTheMachineLeavesUndefined) {
  auto refuses = [&](unsigned func, Fields fields) {
    fields.push_back({Field::tsk_opd_num, 2});
    auto status = tryRun(3, func, 4, fields);
    return !status && std::string(status.message()).find("no model of") !=
                          std::string::npos;
  };
  EXPECT_TRUE(refuses(ar::And, {{Field::opd0_prec, kFp32},
                                {Field::opd1_prec, kFp32},
                                {Field::res0_prec, kFp32}}));
  EXPECT_TRUE(refuses(ar::Div, {{Field::opd0_prec, kFp16},
                                {Field::opd1_prec, kFp16},
                                {Field::res0_prec, kFp16}}));
  EXPECT_TRUE(refuses(ar::Max, {{Field::opd0_prec, kInt8},
                                {Field::opd1_prec, kInt8},
                                {Field::opd0_sign, 1},
                                {Field::res0_prec, kInt8}}));
}

} // namespace
