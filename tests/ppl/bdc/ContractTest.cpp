/// Broken rules of ppl/tpu_bdc.h: the message, and the line of the call.
#include "ppl/tpu_bdc.h"
#include "tests/ppl/bdc/LaneMachine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

using namespace ppl;
using weft::test::LaneMachine;

extern "C" void weft_test_call_from_c(void);

namespace {

constexpr uint32_t kLane = 256 * 1024;
const dim4 kShape = {1, 64, 4, 16}; // 256 bytes a lane
constexpr uint32_t kDst = 0, kSrc = 256, kWork = 512, kWork1 = 768,
                   kCoeff = 4096, kTable = 8192;

/// Runs calls that must be refused; `line` is the line of the macro.
class BdcContract : public testing::Test {
protected:
  BdcContract() { weft_ppl_bind(&machine.recorder()); }
  ~BdcContract() override { weft_ppl_bind(nullptr); }

  void refused(const std::function<void()> &call, int line,
               const std::string &message) {
    machine.errors.clear();
    machine.forget();
    call();
    ASSERT_EQ(machine.errors.size(), 1u) << "wanted: " << message;
    EXPECT_EQ(machine.errors[0].message, message);
    EXPECT_EQ(machine.errors[0].line, line);
    EXPECT_THAT(machine.errors[0].file, testing::EndsWith("ContractTest.cpp"));
    EXPECT_TRUE(machine.calls.empty()) << "recorded " << machine.calls[0];
  }
  void accepted(const std::function<void()> &call) {
    machine.errors.clear();
    machine.forget();
    call();
    EXPECT_TRUE(machine.errors.empty()) << machine.errors[0].message;
    EXPECT_FALSE(machine.calls.empty());
  }
  LaneMachine machine;
};

#define REFUSED(call, message) refused([&] { call; }, __LINE__, message)
#define ACCEPTED(call) accepted([&] { call; })

} // namespace

TEST_F(BdcContract, ShapeIsOneTo65535) {
  dim4 none = {1, 0, 1, 1}, wide = {1, 1, 1, 65536};
  REFUSED(tpu_bdc_fp32_rsqrt(kDst, kSrc, &none),
          "tpu_bdc_fp32_rsqrt: c of the shape is 0; it must be 1 to 65535");
  REFUSED(tpu_bdc_fp32_sqrt(kDst, kSrc, &wide),
          "tpu_bdc_fp32_sqrt: w of the shape is 65536; it must be 1 to 65535");
  REFUSED(tpu_bdc_sign(kDst, kSrc, nullptr, DT_INT8),
          "tpu_bdc_sign: shape is a null pointer; give the sizes of dst");
}

TEST_F(BdcContract, PlaneOfExponentials) {
  dim4 plane = {1, 1, 256, 256};
  REFUSED(tpu_bdc_fp32_exp(kDst, kSrc, kWork, kWork1, kCoeff, kTable, &plane),
          "tpu_bdc_fp32_exp: h * w is 65536; it must be at most 65535");
  REFUSED(tpu_bdc_fp32_expm1(kDst, kSrc, kWork, kWork1, kCoeff, kTable, &plane),
          "tpu_bdc_fp32_expm1: h * w is 65536; it must be at most 65535");
}

TEST_F(BdcContract, OneStartLane) {
  REFUSED(tpu_bdc_fp32_log(kDst + 5 * kLane, kSrc + 3 * kLane,
                           kWork + 5 * kLane, kCoeff, &kShape),
          "tpu_bdc_fp32_log: dst starts at lane 5, byte 0, src starts at lane "
          "3, byte 256; all operands start in one lane");
  REFUSED(tpu_bdc_fp32_sin(kDst, kSrc, kWork + kLane, kCoeff, &kShape),
          "tpu_bdc_fp32_sin: dst starts at lane 0, byte 0, work starts at lane "
          "1, byte 512; all operands start in one lane");
  REFUSED(tpu_bdc_fp32_rsqrt(64 * kLane, kSrc, &kShape),
          "tpu_bdc_fp32_rsqrt: dst starts at lane 64, byte 0 is lane 64; the "
          "chip has 64 lanes of 262144 bytes");
}

TEST_F(BdcContract, AlignedStart) {
  REFUSED(tpu_bdc_fp32_rsqrt(kDst + 32, 1024, &kShape),
          "tpu_bdc_fp32_rsqrt: dst starts at lane 0, byte 32; an aligned "
          "tensor starts at a multiple of 64");
  REFUSED(tpu_bdc_fp32_tan(kDst, kSrc, kWork + 4, kCoeff, &kShape),
          "tpu_bdc_fp32_tan: work starts at lane 0, byte 516; an aligned "
          "tensor starts at a multiple of 64");
  REFUSED(tpu_bdc_abs(kDst, kSrc + 4, &kShape, nullptr, nullptr, DT_FP32),
          "tpu_bdc_abs: src starts at lane 0, byte 260; an aligned tensor "
          "starts at a multiple of 64");
}

TEST_F(BdcContract, Strides) {
  dim4 shape = {1, 1, 4, 4}, dense = {64, 64, 4, 1}, zero = {64, 64, 0, 1},
       negative = {64, 64, -4, 1}, far = {64, 1 << 18, 4, 1};
  REFUSED(tpu_bdc_abs(2, 256, &shape, &dense, nullptr, DT_FP32),
          "tpu_bdc_abs: dst starts at lane 0, byte 2; with strides it starts "
          "at a multiple of the element size, 4");
  REFUSED(tpu_bdc_neg(0, 256, &shape, &zero, nullptr, DT_FP32),
          "tpu_bdc_neg: the h stride of dst is 0 and the axis is 4; only an "
          "axis of 1 may have it in dst");
  REFUSED(tpu_bdc_fp32_reciprocal(0, 256, &shape, nullptr, &negative),
          "tpu_bdc_fp32_reciprocal: the h stride of src is -4; it must be 0 to "
          "262143 elements");
  REFUSED(tpu_bdc_not(0, 256, &shape, &far, nullptr, DT_INT32),
          "tpu_bdc_not: the c stride of dst is 262144; it must be 0 to 262143 "
          "elements");
  REFUSED(tpu_bdc_abs(0, 0, &shape, &dense, &zero, DT_FP32),
          "tpu_bdc_abs: dst is src but their strides differ (64x64x4x1 and "
          "64x64x0x1); in place they must be equal");
  // Only strides that are used count.
  dim4 sameSteps = {7, 9, 4, 1};
  {
    ppl::bdc::Contract contract("f", &shape, {});
    contract.operand("dst", 0, 4, &dense, true);
    contract.operand("src", 0, 4, &sameSteps);
    contract.inPlaceNeedsEqualStrides(&dense, &sameSteps, 4);
    EXPECT_TRUE(contract.holds());
  }
}

TEST_F(BdcContract, Iterations) {
  for (int count : {-1, 0, 5}) {
    const std::string text =
        "num_iter is " + std::to_string(count) + "; it must be 1 to 4";
    REFUSED(tpu_bdc_fp32_tunable_reciprocal(kDst, kSrc, &kShape, nullptr,
                                            nullptr, count),
            "tpu_bdc_fp32_tunable_reciprocal: " + text);
    REFUSED(tpu_bdc_fp32_tunable_rsqrt(kDst, kSrc, &kShape, count),
            "tpu_bdc_fp32_tunable_rsqrt: " + text);
    REFUSED(tpu_bdc_fp32_tunable_sqrt(kDst, kSrc, &kShape, count),
            "tpu_bdc_fp32_tunable_sqrt: " + text);
  }
  dim4 row = {1, 1, 1, 16};
  for (int count = 1; count <= 4; ++count)
    ACCEPTED(tpu_bdc_fp32_tunable_sqrt(kDst, kSrc, &row, count));
}

TEST_F(BdcContract, AliasesOfRootsAndSign) {
  dim4 row = {1, 1, 1, 16};
  REFUSED(tpu_bdc_fp32_sqrt(kDst, kDst, &row),
          "tpu_bdc_fp32_sqrt: dst and src are one buffer (byte 0 of a lane); "
          "give src a place of its own");
  ACCEPTED(tpu_bdc_fp32_rsqrt(kDst, kDst, &row));
  ACCEPTED(tpu_bdc_fp32_reciprocal(kDst, kDst, &row, nullptr, nullptr));
  REFUSED(tpu_bdc_sign(kDst, kDst, &row, DT_INT16),
          "tpu_bdc_sign: dst and src are one buffer (byte 0 of a lane); give "
          "src a place of its own");
}

TEST_F(BdcContract, AliasesOfExponentials) {
  dim4 row = {1, 1, 1, 16};
  for (uint32_t src : {kDst, kWork, kWork1, kSrc})
    ACCEPTED(tpu_bdc_fp32_exp(kDst, src, kWork, kWork1, kCoeff, kTable, &row));
  REFUSED(tpu_bdc_fp32_exp(kDst, kSrc, kDst, kWork1, kCoeff, kTable, &row),
          "tpu_bdc_fp32_exp: dst and work0 are one buffer (byte 0 of a lane); "
          "give work0 a place of its own");
  REFUSED(tpu_bdc_fp32_expm1(kDst, kSrc, kWork, kDst, kCoeff, kTable, &row),
          "tpu_bdc_fp32_expm1: dst and work1 are one buffer (byte 0 of a "
          "lane); give work1 a place of its own");
  REFUSED(tpu_bdc_fp32_exp(kDst, kSrc, kWork, kWork, kCoeff, kTable, &row),
          "tpu_bdc_fp32_exp: work0 and work1 are one buffer (byte 512 of a "
          "lane); give work1 a place of its own");
}

TEST_F(BdcContract, AliasesWithOneWork) {
  dim4 row = {1, 1, 1, 16};
  for (uint32_t src : {kDst, kWork, kSrc}) {
    ACCEPTED(tpu_bdc_fp32_log(kDst, src, kWork, kCoeff, &row));
    ACCEPTED(tpu_bdc_fp32_log1p(kDst, src, kWork, kCoeff, &row));
    ACCEPTED(tpu_bdc_fp32_logx(kDst, src, kWork, kCoeff, &row, 2));
    ACCEPTED(tpu_bdc_fp32_sin(kDst, src, kWork, kCoeff, &row));
    ACCEPTED(tpu_bdc_fp32_cos(kDst, src, kWork, kCoeff, &row));
  }
  const std::string work = ": dst and work are one buffer (byte 0 of a lane); "
                           "give work a place of its own";
  REFUSED(tpu_bdc_fp32_log(kDst, kSrc, kDst, kCoeff, &row),
          "tpu_bdc_fp32_log" + work);
  REFUSED(tpu_bdc_fp32_cos(kDst, kSrc, kDst, kCoeff, &row),
          "tpu_bdc_fp32_cos" + work);
  REFUSED(tpu_bdc_fp32_tan(kDst, kSrc, kDst, kCoeff, &row),
          "tpu_bdc_fp32_tan" + work);
  const std::string source = ": src and work are one buffer (byte 512 of a "
                             "lane); give work a place of its own";
  REFUSED(tpu_bdc_fp32_tan(kDst, kWork, kWork, kCoeff, &row),
          "tpu_bdc_fp32_tan" + source);
  REFUSED(tpu_bdc_fp32_arcsin(kDst, kWork, kWork, kCoeff, &row),
          "tpu_bdc_fp32_arcsin" + source);
  REFUSED(tpu_bdc_fp32_arccos(kDst, kWork, kWork, kCoeff, &row),
          "tpu_bdc_fp32_arccos" + source);
  REFUSED(tpu_bdc_fp32_cot(kDst, kDst, kWork, kCoeff, &row),
          "tpu_bdc_fp32_cot: dst and src are one buffer (byte 0 of a lane); "
          "give src a place of its own");
  ACCEPTED(tpu_bdc_fp32_arccos(kDst, kDst, kWork, kCoeff, &row));
}

TEST_F(BdcContract, OverlapInPart) {
  REFUSED(tpu_bdc_fp32_log(kDst, kDst + 64, kWork, kCoeff, &kShape),
          "tpu_bdc_fp32_log: src overlaps dst in part (bytes 64 to 319 and 0 "
          "to 255 of a lane); move one of them");
  // Between the elements of the other one, too.
  dim4 row = {1, 64, 1, 16}, everySecond = {32, 32, 32, 2};
  REFUSED(tpu_bdc_fp32_reciprocal(0, 4, &row, &everySecond, &everySecond),
          "tpu_bdc_fp32_reciprocal: src overlaps dst in part (bytes 4 to 127 "
          "and 0 to 123 of a lane); move one of them");
  ACCEPTED(tpu_bdc_fp32_reciprocal(0, 0, &row, &everySecond, &everySecond));
  REFUSED(tpu_bdc_fp32_log(kDst, kSrc, kWork, kWork + 128, &kShape),
          "tpu_bdc_fp32_log: coeff overlaps work (bytes 640 to 895 and 512 to "
          "767 of a lane); move one of them");
  REFUSED(
      tpu_bdc_fp32_exp(kDst, kSrc, kWork, kWork1, kCoeff, kCoeff + 64, &kShape),
      "tpu_bdc_fp32_exp: table overlaps coeff (bytes 4160 to 4927 and 4096 "
      "to 4223 of a lane); move one of them");
}

TEST_F(BdcContract, CoefficientsInLaneZero) {
  REFUSED(tpu_bdc_fp32_arcsin(kDst, kSrc, kWork, kCoeff + kLane, &kShape),
          "tpu_bdc_fp32_arcsin: coeff starts at lane 1, byte 4096; it starts "
          "in lane 0 wherever dst starts");
  REFUSED(tpu_bdc_load_fp32_tan_coeff(kCoeff + 2 * kLane),
          "tpu_bdc_load_fp32_tan_coeff: coeff starts at lane 2, byte 4096; it "
          "starts in lane 0 wherever dst starts");
  REFUSED(tpu_bdc_load_fp32_exp_table(kTable + 4),
          "tpu_bdc_load_fp32_exp_table: table starts at lane 0, byte 8196; it "
          "starts at a multiple of 64");
  REFUSED(tpu_bdc_load_fp32_log_coeff(kLane - 64),
          "tpu_bdc_load_fp32_log_coeff: coeff starts at lane 0, byte 262080 "
          "and takes 256 bytes of a lane; a lane has 262144");
  ACCEPTED(tpu_bdc_load_fp32_sin_coeff(kCoeff));
}

TEST_F(BdcContract, BaseOfLogarithms) {
  for (float base : {1.0f, 0.0f, -2.0f, NAN, INFINITY})
    REFUSED(tpu_bdc_fp32_logx(kDst, kSrc, kWork, kCoeff, &kShape, base),
            "tpu_bdc_fp32_logx: the base x is " + std::to_string(base) +
                "; it must be a positive number other than 1");
}

TEST_F(BdcContract, Types) {
  const std::string numbers =
      "; it must be DT_FP32, DT_FP16, DT_BF16 or a DT_INT or DT_UINT of 8, 16 "
      "or 32 bits";
  REFUSED(tpu_bdc_not(kDst, kSrc, &kShape, nullptr, nullptr, DT_FP32),
          "tpu_bdc_not: dtype is 1; it must be a DT_INT or DT_UINT of 8, 16 or "
          "32 bits");
  REFUSED(tpu_bdc_abs(kDst, kSrc, &kShape, nullptr, nullptr, DT_INT4),
          "tpu_bdc_abs: dtype is 14" + numbers);
  REFUSED(tpu_bdc_neg(kDst, kSrc, &kShape, nullptr, nullptr, DT_FP8E5M2),
          "tpu_bdc_neg: dtype is 4" + numbers);
  REFUSED(tpu_bdc_sign(kDst, kSrc, &kShape, DT_UINT4),
          "tpu_bdc_sign: dtype is 15" + numbers);
}

TEST_F(BdcContract, LaneIsLongEnough) {
  dim4 shape = {1, 130, 128, 128}; // 3 rows of lanes of 64 KiB
  REFUSED(tpu_bdc_fp32_rsqrt(128 * 1024, 128 * 1024, &shape),
          "tpu_bdc_fp32_rsqrt: dst starts at lane 0, byte 131072 and takes "
          "196608 bytes of a lane; a lane has 262144, make the shape smaller");
  // Channels that go around: one row more.
  dim4 around = {1, 64, 16, 64};
  REFUSED(tpu_bdc_fp32_rsqrt(5 * kLane + kLane - 4096, 5 * kLane + kLane - 4096,
                             &around),
          "tpu_bdc_fp32_rsqrt: dst starts at lane 5, byte 258048 and takes "
          "8192 bytes of a lane; a lane has 262144, make the shape smaller");
}

TEST_F(BdcContract, FunctionsForCAreTheSame) {
  dim4 row = {1, 1, 1, 16};
  void (*root)(local_addr_t, local_addr_t, const dim4 *, int) =
      tpu_bdc_fp32_tunable_sqrt;
  root(kDst, kSrc, &row, 2);
  EXPECT_TRUE(machine.errors.empty());
  EXPECT_FALSE(machine.calls.empty());
  root(kDst, kSrc, &row, 7);
  ASSERT_EQ(machine.errors.size(), 1u);
  EXPECT_EQ(machine.errors[0].file, "");
}

TEST_F(BdcContract, CCallsThem) {
  weft_test_call_from_c();
  ASSERT_EQ(machine.errors.size(), 1u);
  EXPECT_EQ(machine.errors[0].message,
            "tpu_bdc_fp32_tan: dst and src are one buffer (byte 0 of a lane); "
            "give src a place of its own");
  // Six terms and 27 commands of the sine, three of the sign.
  EXPECT_EQ(machine.calls.size(), 36u);
}
