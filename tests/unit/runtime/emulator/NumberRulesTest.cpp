/// Rules of the window and matrix units that no model reaches but every kernel
/// may: special floats, wrapping sums, padding, regions. The expected bits are
/// what the vendor's emulator gave; tests/oracle/emulator compares at random.
#include "tests/unit/runtime/emulator/OnBm1684x.h"

using namespace weft;
using namespace weft::emulator;
using isa::Field;
using isa::Form;

namespace {

constexpr uint32_t kResult = 0x10000, kWeights = 0x4000, kFourth = 0xc000;

struct Chip : OnBm1684x {
  /// A 1x1 convolution of `channels` channels at one pixel with `extra` fields.
  void convolve(uint64_t in, uint64_t out, unsigned channels, Fields extra,
                unsigned func = 0) {
    Fields fields = {{Field::opd0_prec, in},      {Field::res0_prec, out},
                     {Field::res0_n, 1},          {Field::res0_c, 1},
                     {Field::res0_h, 1},          {Field::res0_w, 1},
                     {Field::opd0_c, channels},   {Field::opd0_h, 1},
                     {Field::opd0_w, 1},          {Field::opd1_h, 1},
                     {Field::opd1_w, 1},          {Field::res_op_x_str, 1},
                     {Field::res_op_y_str, 1},    {Field::opd2_const, 1},
                     {Field::opd3_const, 1},      {Field::res0_addr, kResult},
                     {Field::opd1_addr, kWeights}};
    fields.insert(fields.end(), extra.begin(), extra.end());
    run(0, func, fields);
  }
  /// Channel `index` of a one-pixel input lies in lane `index`.
  template <class T>
  void putChannels(std::vector<T> values) {
    for (size_t i = 0; i < values.size(); ++i)
      put<T>(uint32_t(i << 18), {values[i]});
  }
};

TEST_F(Chip, flushesSubnormalsOfFp32AndBf16ButNotOfFp16) {
  putChannels<uint32_t>({0x007fffff});
  put<uint32_t>(kWeights, {0x7f7fffff});
  convolve(kFp32, kFp32, 1, {});
  EXPECT_EQ(get<uint32_t>(kResult, 1)[0], 0u);
  putChannels<uint16_t>({0x007f});
  put<uint16_t>(kWeights, {0x7f7f});
  convolve(kBf16, kFp32, 1, {});
  EXPECT_EQ(get<uint32_t>(kResult, 1)[0], 0u);
  putChannels<uint16_t>({0x0001});
  put<uint16_t>(kWeights, {0x3c00});
  convolve(kFp16, kFp32, 1, {});
  EXPECT_EQ(get<uint32_t>(kResult, 1)[0], 0x33800000u);
}

TEST_F(Chip, keepsTheNaNOfTheFirstOperand) {
  putChannels<uint32_t>({0x7fc00001, 0x7fc00002, 0x3f800000});
  put<uint32_t>(kWeights, {0xffc00003, 0x3f800000, 0x7f800004});
  // Terms 0 and 2 share an accumulator; it comes before that of the bias.
  convolve(kFp32, kFp32, 3, {{Field::opd2_addr, 0x7fc00005}});
  EXPECT_EQ(get<uint32_t>(kResult, 1)[0], 0x7fc00001u);
  putChannels<uint32_t>({0x3f800000, 0x7fc00002, 0x3f800000});
  put<uint32_t>(kWeights, {0x3f800000, 0x3f800000, 0x7f800004});
  convolve(kFp32, kFp32, 3, {{Field::opd2_addr, 0x7fc00005}});
  EXPECT_EQ(get<uint32_t>(kResult, 1)[0], 0x7fc00004u);
}

TEST_F(Chip, hidesNaNsOfABlockBehindAnInfinity) {
  put<uint16_t>(kWeights, {0x3c00, 0x3c00, 0x3c00});
  putChannels<uint16_t>({0x7e01, 0x7c00, 0x3c00});
  convolve(kFp16, kFp32, 3, {});
  EXPECT_EQ(get<uint32_t>(kResult, 1)[0], 0x7f800000u);
  putChannels<uint16_t>({0xfc00, 0x7c00, 0x3c00});
  convolve(kFp16, kFp32, 3, {});
  EXPECT_EQ(get<uint32_t>(kResult, 1)[0], 0xffc00000u);
  convolve(kFp16, kFp16, 3, {});
  EXPECT_EQ(get<uint16_t>(kResult, 1)[0], 0xffff);
}

TEST_F(Chip, addsFp32NumbersToHalfResults) {
  put<uint16_t>(kWeights, {0x3c00});
  putChannels<uint16_t>({0x3c00});
  put<uint32_t>(kResult, {0x42c80000}); // 100
  convolve(kFp16, kFp16, 1, {{Field::res_add, 1}});
  EXPECT_EQ(get<uint16_t>(kResult, 1)[0], 0x5650); // 101
}

TEST_F(Chip, takesTheSignOfZeroPointsFromOperand2) {
  put<uint8_t>(kWeights, {1});
  putChannels<uint8_t>({1});
  convolve(kInt8, kInt16, 1, {{Field::opd2_addr, 0x80}});
  EXPECT_EQ(get<uint16_t>(kResult, 1)[0], 0xff81);
  convolve(kInt8, kInt16, 1, {{Field::opd2_addr, 0x80}, {Field::opd2_sign, 1}});
  EXPECT_EQ(get<uint16_t>(kResult, 1)[0], 0x0081);
}

TEST_F(Chip, saturatesUnsignedSumsAsUnsignedUnlessThereIsAZeroPoint) {
  put<uint8_t>(kWeights, {255});
  putChannels<uint8_t>({255});
  convolve(kInt8, kInt16, 1, {});
  EXPECT_EQ(get<uint16_t>(kResult, 1)[0], 0xfe01);
  convolve(kInt8, kInt16, 1, {{Field::opd2_addr, 1}});
  EXPECT_EQ(get<uint16_t>(kResult, 1)[0], 0x7fff);
  // Bits beyond the byte that is subtracted count as well.
  convolve(kInt8, kInt16, 1, {{Field::opd2_addr, 0x10000}});
  EXPECT_EQ(get<uint16_t>(kResult, 1)[0], 0x7fff);
}

TEST_F(Chip, reflectsAndRepeatsTheInputThatHasInsertedZeros) {
  struct Case {
    uint64_t mode;
    std::vector<float> expected;
  };
  for (const Case &c : {Case{1, {2, 9, 1, 9, 2, 9, 3, 9, 2}},
                        Case{2, {1, 1, 1, 9, 2, 9, 3, 3, 3}},
                        Case{3, {9, 3, 1, 9, 2, 9, 3, 1, 9}}}) {
    put<float>(0, {1, 2, 3});
    put<float>(kWeights, {1});
    convolve(kFp32, kFp32, 1,
             {{Field::opd0_w, 3},
              {Field::res0_w, 9},
              {Field::opd0_x_ins0, 1},
              {Field::opd0_lf_pad, 2},
              {Field::opd0_rt_pad, 2},
              {Field::pad_mode, c.mode},
              {Field::res1_addr, 0x41100000}}); // insert 9
    EXPECT_EQ(get<float>(kResult, 9), c.expected) << "mode " << c.mode;
  }
}

TEST_F(Chip, poolsRegionsWithTheExceptionValueOutside) {
  put<float>(0, {1, 2, 3, 4, 5, 6}); // 2 x 3
  auto box = [&](uint32_t lane, std::vector<uint16_t> sides) {
    put<uint16_t>(kFourth | lane << 18, std::move(sides));
  };
  box(0, {0, 0, 1, 1});
  box(1, {1, 1, 1, 1});
  box(2, {2, 1, 1, 1}); // empty
  Fields fields = {{Field::opd0_prec, kFp32},   {Field::res0_prec, kFp32},
                   {Field::res0_n, 1},          {Field::res0_c, 1},
                   {Field::res0_h, 1},          {Field::res0_w, 3},
                   {Field::opd0_h, 2},          {Field::opd0_w, 3},
                   {Field::opd1_h, 2},          {Field::opd1_w, 2},
                   {Field::opd1_const, 1},      {Field::opd1_addr, 0x3f800000},
                   {Field::opd2_const, 1},      {Field::opd2_addr, 0xc2c60000},
                   {Field::res0_addr, kResult}, {Field::opd3_addr, kFourth}};
  run(1, isa::pord::RoiAvgPool, fields);
  EXPECT_EQ(get<float>(kResult, 3), (std::vector<float>{12, -292, -396}));
  run(1, isa::pord::RoiMaxPool, fields);
  EXPECT_EQ(get<float>(kResult, 3), (std::vector<float>{5, 5, -99}));
}

TEST_F(Chip, keepsTheLastOfEqualTermsInAMaximum) {
  Fields fields = {{Field::opd0_prec, kBf16}, {Field::res0_prec, kBf16},
                   {Field::res0_n, 1},        {Field::res0_c, 1},
                   {Field::res0_h, 1},        {Field::res0_w, 4},
                   {Field::opd0_h, 1},        {Field::opd0_w, 8},
                   {Field::opd1_h, 1},        {Field::opd1_w, 2},
                   {Field::res_op_x_str, 2},  {Field::res_op_y_str, 1},
                   {Field::opd3_const, 1},    {Field::res0_addr, kResult}};
  put<uint16_t>(
      0, {0x0000, 0x8000, 0x8001, 0x0001, 0x7fc1, 0xff80, 0x3f80, 0xffc2});
  run(1, isa::pord::MaxPool, fields);
  EXPECT_EQ(get<uint16_t>(kResult, 4),
            (std::vector<uint16_t>{0x8000, 0x0001, 0xff80, 0xffc2}));
}

TEST_F(Chip, wrapsDepthwiseSumsAndShiftsThem) {
  Fields fields = {{Field::opd0_prec, kInt8}, {Field::res0_prec, kInt32},
                   {Field::res0_n, 1},        {Field::res0_c, 1},
                   {Field::res0_h, 1},        {Field::res0_w, 1},
                   {Field::opd0_h, 1},        {Field::opd0_w, 1},
                   {Field::opd1_h, 1},        {Field::opd1_w, 1},
                   {Field::res_op_x_str, 1},  {Field::res_op_y_str, 1},
                   {Field::opd3_const, 1},    {Field::res0_addr, kResult},
                   {Field::opd1_const, 1},    {Field::opd1_addr, 1},
                   {Field::opd2_const, 1},    {Field::opd2_addr, 0x7fffffff},
                   {Field::opd2_sign, 1},     {Field::res1_addr, 17 << 8}};
  put<uint8_t>(0, {1});
  run(1, isa::pord::Depthwise, fields);
  EXPECT_EQ(get<uint32_t>(kResult, 1)[0], 0xffffc000u);
}

struct Product : Chip {
  /// One element: the sum of products of `left` and `right`.
  void multiply(std::vector<uint32_t> left, std::vector<uint32_t> right,
                unsigned func, Fields extra) {
    put(0, left);
    for (size_t k = 0; k < right.size(); ++k)
      put<uint32_t>(uint32_t(kWeights + 64 * k), {right[k]});
    Fields fields = {{Field::res0_c, 1},           {Field::res0_w, 1},
                     {Field::opd0_n, 1},           {Field::opd0_c, 1},
                     {Field::opd0_w, left.size()}, {Field::opd1_w, left.size()},
                     {Field::opd2_const, 1},       {Field::res0_addr, kResult},
                     {Field::opd1_addr, kWeights}};
    fields.insert(fields.end(), extra.begin(), extra.end());
    run(2, func, fields);
  }
};

TEST_F(Product, wrapsSumsOf32BitNumbersIn64Bits) {
  Fields types = {{Field::opd0_prec, kInt32},
                  {Field::res0_prec, kInt32},
                  {Field::opd2_sign, 1}};
  auto shifted = [&](uint8_t amount) {
    Fields fields = types;
    fields.push_back({Field::opd2_addr, amount});
    return fields;
  };
  multiply({~0u, ~0u}, {~0u, ~0u}, isa::mm::Normal, shifted(uint8_t(-33)));
  EXPECT_EQ(get<uint32_t>(kResult, 1)[0], 0x7ffffffeu);
  multiply({1}, {0x40000000}, isa::mm::Normal, shifted(64));
  EXPECT_EQ(get<uint32_t>(kResult, 1)[0], 0x40000000u);
  multiply({5}, {1}, isa::mm::Normal, shifted(uint8_t(-64)));
  EXPECT_EQ(get<uint32_t>(kResult, 1)[0], 0u);
}

TEST_F(Product, adds16BitNumbersToRequantisedResults) {
  put<uint16_t>(kResult, {0xfffb}); // -5
  multiply({3}, {4}, isa::mm::Requantised,
           {{Field::opd0_prec, kInt8},
            {Field::res0_prec, kInt16},
            {Field::opd0_sign, 1},
            {Field::opd1_sign, 1},
            {Field::res_add, 1},
            {Field::opd3_addr, 0x101}}); // old << 1, the sum >> 1
  EXPECT_EQ(get<uint16_t>(kResult, 1)[0], 1);
}

TEST_F(Chip, writesOnlyTheLanesThatALongFormEnables) {
  for (uint32_t lane = 0; lane < 4; ++lane) {
    put<float>(lane << 18, {float(lane + 1)});
    put<float>(kResult | lane << 18, {-1});
  }
  run(1, isa::pord::Depthwise,
      {{Field::opd0_prec, kFp32},
       {Field::res0_prec, kFp32},
       {Field::res0_n, 1},
       {Field::res0_c, 4},
       {Field::res0_h, 1},
       {Field::res0_w, 1},
       {Field::opd0_h, 1},
       {Field::opd0_w, 1},
       {Field::opd1_h, 1},
       {Field::opd1_w, 1},
       {Field::res_op_x_str, 1},
       {Field::res_op_y_str, 1},
       {Field::opd1_const, 1},
       {Field::opd1_addr, 0x3f800000},
       {Field::opd2_const, 1},
       {Field::opd3_const, 1},
       {Field::res0_addr, kResult},
       {Field::tsk_lane_num, 0xa}},
      Form::PorD);
  std::vector<float> results;
  for (uint32_t lane = 0; lane < 4; ++lane)
    results.push_back(get<float>(kResult | lane << 18, 1)[0]);
  EXPECT_EQ(results, (std::vector<float>{-1, 2, -1, 4}));
}

} // namespace
