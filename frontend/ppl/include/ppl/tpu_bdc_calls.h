//===- tpu_bdc_calls.h - calls of the unary functions ---------*- C++ -*-===//

#ifndef WEFT_FRONTEND_PPL_INCLUDE_PPL_TPU_BDC_CALLS_H
#define WEFT_FRONTEND_PPL_INCLUDE_PPL_TPU_BDC_CALLS_H

#include "ppl/tpu_bdc_contract.h"
#include "ppl/tpu_bdc_sequences.h"

/// The functions of ppl/tpu_bdc.h: contract, then commands. A call in C++ is a
/// macro that knows its line; the functions themselves, which C code and
/// function pointers get, cannot know the line of their caller.
namespace ppl::bdc::calls {

//===----------------------------------------------------------------------===//
// Types known when the kernel runs
//===----------------------------------------------------------------------===//

/// Bytes of an element type of abs, not, neg and sign; 0 for another.
inline int bytesOf(data_type_t type) {
  switch (type) {
  case DT_FP32:
  case DT_INT32:
  case DT_UINT32:
    return 4;
  case DT_FP16:
  case DT_BF16:
  case DT_INT16:
  case DT_UINT16:
    return 2;
  case DT_INT8:
  case DT_UINT8:
    return 1;
  default:
    return 0;
  }
}
inline bool isFloat(data_type_t type) {
  return type == DT_FP32 || type == DT_FP16 || type == DT_BF16;
}
inline bool isUnsigned(data_type_t type) {
  return type == DT_UINT32 || type == DT_UINT16 || type == DT_UINT8;
}
inline data_type_t signedTwin(data_type_t type) {
  return type == DT_UINT32   ? DT_INT32
         : type == DT_UINT16 ? DT_INT16
         : type == DT_UINT8  ? DT_INT8
                             : type;
}

inline detail::AnyTensor tensorAt(uint32_t address, data_type_t type,
                                  const dim4 &shape, const dim4 *stride,
                                  Line at) {
  const weft_ppl_recorder &recorder = detail::recorder();
  detail::Sizes sizes(shape), steps(stride ? *stride : dim4{});
  return detail::AnyTensor(
      recorder.make_tensor(recorder.self, WEFT_PPL_LOCAL, type, sizes.v,
                           stride ? NONE_ALIGN : TPU_ALIGN,
                           stride ? steps.v : nullptr, address, at));
}

/// A call of abs, not, neg or sign whose contract is looked at.
struct Typed {
  Contract contract;
  const uint32_t dstAddress, srcAddress;
  const dim4 *const dstStride, *const srcStride;
  const data_type_t type;
  const Line at;

  Typed(const char *name, uint32_t dst, uint32_t src, const dim4 *shape,
        const dim4 *dstStride, const dim4 *srcStride, data_type_t type,
        bool takesFloats, Line at)
      : contract(name, shape, at), dstAddress(dst), srcAddress(src),
        dstStride(dstStride), srcStride(srcStride), type(type), at(at) {
    const int bytes = bytesOf(type);
    contract.require(bytes && (takesFloats || !isFloat(type)),
                     "dtype is " + std::to_string(int(type)) +
                         (takesFloats
                              ? "; it must be DT_FP32, DT_FP16, DT_BF16 or a "
                                "DT_INT or DT_UINT of 8, 16 or 32 bits"
                              : "; it must be a DT_INT or DT_UINT of 8, 16 or "
                                "32 bits"));
    contract.operand("dst", dst, bytes, dstStride, true);
    contract.operand("src", src, bytes, srcStride);
    contract.inPlaceNeedsEqualStrides(dstStride, srcStride, bytes);
  }
  detail::AnyTensor dst(data_type_t as) const {
    return tensorAt(dstAddress, as, contract.shape(), dstStride, at);
  }
  detail::AnyTensor src() const {
    return tensorAt(srcAddress, type, contract.shape(), srcStride, at);
  }
};

inline void abs(uint32_t dst, uint32_t src, const dim4 *shape,
                const dim4 *dstStride, const dim4 *srcStride, data_type_t type,
                Line at = {}) {
  Typed call("tpu_bdc_abs", dst, src, shape, dstStride, srcStride, type, true,
             at);
  if (call.contract.holds())
    detail::call(isUnsigned(type) ? "tiu.move" : "tiu.abs", at,
                 {call.dst(type), call.src()});
}

inline void bitwiseNot(uint32_t dst, uint32_t src, const dim4 *shape,
                       const dim4 *dstStride, const dim4 *srcStride,
                       data_type_t type, Line at = {}) {
  Typed call("tpu_bdc_not", dst, src, shape, dstStride, srcStride, type, false,
             at);
  if (call.contract.holds())
    detail::call("tiu.bitwise_not", at, {call.dst(type), call.src()});
}

/// Of floats times -1, so that the negative of +0 is -0.
inline void neg(uint32_t dst, uint32_t src, const dim4 *shape,
                const dim4 *dstStride, const dim4 *srcStride, data_type_t type,
                Line at = {}) {
  Typed call("tpu_bdc_neg", dst, src, shape, dstStride, srcStride, type, true,
             at);
  if (!call.contract.holds())
    return;
  if (isFloat(type))
    detail::call("tiu.fmul", at, {call.dst(type), call.src(), -1.0});
  else
    detail::call("tiu.sub", at, {call.dst(signedTwin(type)), 0, call.src()});
}

/// The last addition turns -0 and subnormals into +0.
inline void sign(uint32_t dst, uint32_t src, const dim4 *shape,
                 data_type_t type, Line at = {}) {
  Typed call("tpu_bdc_sign", dst, src, shape, nullptr, nullptr, type, true, at);
  if (call.contract.holds() && !isUnsigned(type))
    call.contract.apart("dst", "src");
  if (!call.contract.holds())
    return;
  detail::AnyTensor to = call.dst(type), from = call.src();
  if (isUnsigned(type))
    return detail::call("tiu.gt_select", at, {to, from, 0, 1, 0});
  if (!isFloat(type)) {
    detail::call("tiu.gt_select", at, {to, from, 0, 1, from});
    return detail::call("tiu.gt_select", at, {to, 0, to, -1, to});
  }
  detail::call("tiu.gt_select", at, {to, from, 0.0, 1.0, from});
  detail::call("tiu.gt_select", at, {to, 0.0, to, -1.0, to});
  detail::call("tiu.fadd", at, {to, to, 0.0});
}

//===----------------------------------------------------------------------===//
// Reciprocal and roots
//===----------------------------------------------------------------------===//

inline void reciprocalNamed(const char *name, uint32_t dst, uint32_t src,
                            const dim4 *shape, const dim4 *dstStride,
                            const dim4 *srcStride, int iterations, Line at) {
  Contract contract(name, shape, at);
  contract.iterations(iterations);
  contract.operand("dst", dst, 4, dstStride, true);
  contract.operand("src", src, 4, srcStride);
  contract.inPlaceNeedsEqualStrides(dstStride, srcStride, 4);
  if (!contract.holds())
    return;
  using Made = tensor<fp32>::Made;
  tensor<fp32> to(
      Made{tensorAt(dst, DT_FP32, contract.shape(), dstStride, at).id}),
      from(Made{tensorAt(src, DT_FP32, contract.shape(), srcStride, at).id});
  bdc::reciprocal(to, from, iterations, at);
}
inline void reciprocal(uint32_t dst, uint32_t src, const dim4 *shape,
                       const dim4 *dstStride, const dim4 *srcStride,
                       Line at = {}) {
  reciprocalNamed("tpu_bdc_fp32_reciprocal", dst, src, shape, dstStride,
                  srcStride, 3, at);
}
inline void tunableReciprocal(uint32_t dst, uint32_t src, const dim4 *shape,
                              const dim4 *dstStride, const dim4 *srcStride,
                              int iterations, Line at = {}) {
  reciprocalNamed("tpu_bdc_fp32_tunable_reciprocal", dst, src, shape, dstStride,
                  srcStride, iterations, at);
}

using Root = void (*)(const Cell &, const Cell &, int, Line);

inline void root(const char *name, Root sequence, bool mayBeInPlace,
                 uint32_t dst, uint32_t src, const dim4 *shape, int iterations,
                 Line at) {
  Contract contract(name, shape, at);
  contract.iterations(iterations);
  contract.operand("dst", dst);
  contract.operand("src", src);
  if (!mayBeInPlace)
    contract.apart("dst", "src");
  if (!contract.holds())
    return;
  Cell to(dst, contract.shape(), at);
  if (dst == src)
    sequence(to, to, iterations, at);
  else
    sequence(to, Cell(src, contract.shape(), at), iterations, at);
}
inline void rsqrt(uint32_t dst, uint32_t src, const dim4 *shape, Line at = {}) {
  root("tpu_bdc_fp32_rsqrt", bdc::rsqrt, true, dst, src, shape, 3, at);
}
inline void tunableRsqrt(uint32_t dst, uint32_t src, const dim4 *shape,
                         int iterations, Line at = {}) {
  root("tpu_bdc_fp32_tunable_rsqrt", bdc::rsqrt, true, dst, src, shape,
       iterations, at);
}
inline void sqrt(uint32_t dst, uint32_t src, const dim4 *shape, Line at = {}) {
  root("tpu_bdc_fp32_sqrt", bdc::sqrt, false, dst, src, shape, 3, at);
}
inline void tunableSqrt(uint32_t dst, uint32_t src, const dim4 *shape,
                        int iterations, Line at = {}) {
  root("tpu_bdc_fp32_tunable_sqrt", bdc::sqrt, false, dst, src, shape,
       iterations, at);
}

//===----------------------------------------------------------------------===//
// Functions with work and coefficients
//===----------------------------------------------------------------------===//

inline constexpr int64_t kExpBytes = 128, kExpTableBytes = 768, kLogBytes = 256,
                         kCircularBytes = 128, kArcsinBytes = 256;

/// What of src's places a function allows.
enum class Source {
  Anywhere,       ///< dst, a work, or elsewhere
  ElsewhereOrDst, ///< not a work
  Elsewhere       ///< apart from both
};

/// The cells of a call: one for each address, so that aliases are one tensor.
struct Cells {
  Cell dst, work;
  Cell src;
  Cells(uint32_t dstAddress, uint32_t srcAddress, uint32_t workAddress,
        const dim4 &shape, Line at)
      : dst(dstAddress, shape, at), work(workAddress, shape, at),
        src(srcAddress == dstAddress    ? dst
            : srcAddress == workAddress ? work
                                        : Cell(srcAddress, shape, at)) {}
};

using OneWork = void (*)(const Cell &, const Cell &, const Cell &, uint32_t,
                         Line);

inline void checkOneWork(Contract &contract, Source source, uint32_t dst,
                         uint32_t src, uint32_t work, uint32_t coeff,
                         int64_t coeffBytes) {
  contract.operand("dst", dst);
  contract.operand("src", src);
  contract.operand("work", work);
  contract.apart("dst", "work");
  if (source != Source::Anywhere)
    contract.apart("src", "work");
  if (source == Source::Elsewhere)
    contract.apart("dst", "src");
  contract.table("coeff", coeff, coeffBytes);
}

inline void oneWork(const char *name, OneWork sequence, Source source,
                    int64_t coeffBytes, uint32_t dst, uint32_t src,
                    uint32_t work, uint32_t coeff, const dim4 *shape, Line at) {
  Contract contract(name, shape, at);
  checkOneWork(contract, source, dst, src, work, coeff, coeffBytes);
  if (!contract.holds())
    return;
  Cells cells(dst, src, work, contract.shape(), at);
  sequence(cells.dst, cells.src, cells.work, coeff, at);
}

inline void log(uint32_t dst, uint32_t src, uint32_t work, uint32_t coeff,
                const dim4 *shape, Line at = {}) {
  oneWork("tpu_bdc_fp32_log", bdc::log, Source::Anywhere, kLogBytes, dst, src,
          work, coeff, shape, at);
}
inline void log1p(uint32_t dst, uint32_t src, uint32_t work, uint32_t coeff,
                  const dim4 *shape, Line at = {}) {
  oneWork("tpu_bdc_fp32_log1p", bdc::log1p, Source::Anywhere, kLogBytes, dst,
          src, work, coeff, shape, at);
}
inline void logx(uint32_t dst, uint32_t src, uint32_t work, uint32_t coeff,
                 const dim4 *shape, float x, Line at = {}) {
  Contract contract("tpu_bdc_fp32_logx", shape, at);
  contract.require(x >= 0x1p-126f && x <= kMax && x != 1,
                   "the base x is " + std::to_string(x) +
                       "; it must be a positive number other than 1");
  checkOneWork(contract, Source::Anywhere, dst, src, work, coeff, kLogBytes);
  if (!contract.holds())
    return;
  Cells cells(dst, src, work, contract.shape(), at);
  bdc::logx(cells.dst, cells.src, cells.work, coeff, x, at);
}
inline void sin(uint32_t dst, uint32_t src, uint32_t work, uint32_t coeff,
                const dim4 *shape, Line at = {}) {
  oneWork("tpu_bdc_fp32_sin", bdc::sin, Source::Anywhere, kCircularBytes, dst,
          src, work, coeff, shape, at);
}
inline void cos(uint32_t dst, uint32_t src, uint32_t work, uint32_t coeff,
                const dim4 *shape, Line at = {}) {
  oneWork("tpu_bdc_fp32_cos", bdc::cos, Source::Anywhere, kCircularBytes, dst,
          src, work, coeff, shape, at);
}
inline void tan(uint32_t dst, uint32_t src, uint32_t work, uint32_t coeff,
                const dim4 *shape, Line at = {}) {
  oneWork("tpu_bdc_fp32_tan", bdc::tan, Source::Elsewhere, kCircularBytes, dst,
          src, work, coeff, shape, at);
}
inline void cot(uint32_t dst, uint32_t src, uint32_t work, uint32_t coeff,
                const dim4 *shape, Line at = {}) {
  oneWork("tpu_bdc_fp32_cot", bdc::cot, Source::Elsewhere, kCircularBytes, dst,
          src, work, coeff, shape, at);
}
inline void arcsin(uint32_t dst, uint32_t src, uint32_t work, uint32_t coeff,
                   const dim4 *shape, Line at = {}) {
  oneWork("tpu_bdc_fp32_arcsin", bdc::arcsin, Source::ElsewhereOrDst,
          kArcsinBytes, dst, src, work, coeff, shape, at);
}
inline void arccos(uint32_t dst, uint32_t src, uint32_t work, uint32_t coeff,
                   const dim4 *shape, Line at = {}) {
  oneWork("tpu_bdc_fp32_arccos", bdc::arccos, Source::ElsewhereOrDst,
          kArcsinBytes, dst, src, work, coeff, shape, at);
}

using TwoWorks = void (*)(const Cell &, const Cell &, const Cell &,
                          const Cell &, uint32_t, Line);

inline void twoWorks(const char *name, TwoWorks sequence, uint32_t dst,
                     uint32_t src, uint32_t work0, uint32_t work1,
                     uint32_t coeff, uint32_t table, const dim4 *shape,
                     Line at) {
  Contract contract(name, shape, at);
  const int64_t plane = int64_t(contract.shape().h) * contract.shape().w;
  contract.require(plane <= 65535, "h * w is " + std::to_string(plane) +
                                       "; it must be at most 65535");
  contract.operand("dst", dst);
  contract.operand("src", src);
  contract.operand("work0", work0);
  contract.operand("work1", work1);
  contract.apart("dst", "work0");
  contract.apart("dst", "work1");
  contract.apart("work0", "work1");
  contract.table("coeff", coeff, kExpBytes);
  contract.table("table", table, kExpTableBytes);
  if (!contract.holds())
    return;
  Cells cells(dst, src, work0, contract.shape(), at);
  Cell second(work1, contract.shape(), at);
  sequence(cells.dst, src == work1 ? second : cells.src, cells.work, second,
           coeff, at);
}
inline void exp(uint32_t dst, uint32_t src, uint32_t work0, uint32_t work1,
                uint32_t coeff, uint32_t table, const dim4 *shape,
                Line at = {}) {
  twoWorks("tpu_bdc_fp32_exp", bdc::exp, dst, src, work0, work1, coeff, table,
           shape, at);
}
inline void expm1(uint32_t dst, uint32_t src, uint32_t work0, uint32_t work1,
                  uint32_t coeff, uint32_t table, const dim4 *shape,
                  Line at = {}) {
  twoWorks("tpu_bdc_fp32_expm1", bdc::expm1, dst, src, work0, work1, coeff,
           table, shape, at);
}

//===----------------------------------------------------------------------===//
// Loaders
//===----------------------------------------------------------------------===//

inline bool isPlace(const char *name, const char *what, uint32_t address,
                    int64_t bytes, Line at) {
  const dim4 one;
  Contract contract(name, &one, at);
  contract.table(what, address, bytes);
  return contract.holds();
}

inline void loadExpCoeff(uint32_t coeff, Line at = {}) {
  if (!isPlace("tpu_bdc_load_fp32_exp_coeff", "coeff", coeff, kExpBytes, at))
    return;
  loadTerms(coeff, 0, kExpTerms, at);
  loadTerms(coeff, kExpm1Word, kExpm1Terms, at);
}
inline void loadExpTable(uint32_t table, Line at = {}) {
  isPlace("tpu_bdc_load_fp32_exp_table", "table", table, kExpTableBytes, at);
}
inline void loadLogCoeff(uint32_t coeff, Line at = {}) {
  if (!isPlace("tpu_bdc_load_fp32_log_coeff", "coeff", coeff, kLogBytes, at))
    return;
  loadTerms(coeff, 0, kLogSeries, at);
  loadTerms(coeff, kLogWord, kLogTerms, at);
}
inline void loadSinCoeff(uint32_t coeff, Line at = {}) {
  if (isPlace("tpu_bdc_load_fp32_sin_coeff", "coeff", coeff, kCircularBytes,
              at))
    loadTerms(coeff, 0, kSinTerms, at);
}
inline void loadCosCoeff(uint32_t coeff, Line at = {}) {
  if (isPlace("tpu_bdc_load_fp32_cos_coeff", "coeff", coeff, kCircularBytes,
              at))
    loadTerms(coeff, 0, kSinTerms, at);
}
inline void loadTanCoeff(uint32_t coeff, Line at = {}) {
  if (isPlace("tpu_bdc_load_fp32_tan_coeff", "coeff", coeff, kCircularBytes,
              at))
    loadTerms(coeff, 0, kTanTerms, at);
}
inline void loadArcsinCoeff(uint32_t coeff, Line at = {}) {
  if (isPlace("tpu_bdc_load_fp32_arcsin_coeff", "coeff", coeff, kArcsinBytes,
              at))
    loadTerms(coeff, 0, kArcsinTerms, at);
}

} // namespace ppl::bdc::calls

//===----------------------------------------------------------------------===//
// The C functions, and the macros that C++ calls
//===----------------------------------------------------------------------===//

// `used`: C code of the library links against them.
#define WEFT_TPU_BDC extern "C" inline __attribute__((used)) void
WEFT_TPU_BDC tpu_bdc_abs(local_addr_t dst_addr, local_addr_t src_addr,
                         const dim4 *shape, const dim4 *dst_stride,
                         const dim4 *src_stride, data_type_t dtype) {
  ppl::bdc::calls::abs(dst_addr, src_addr, shape, dst_stride, src_stride, dtype,
                       ppl::Line(nullptr, 0));
}
WEFT_TPU_BDC tpu_bdc_not(local_addr_t dst_addr, local_addr_t src_addr,
                         const dim4 *shape, const dim4 *dst_stride,
                         const dim4 *src_stride, data_type_t dtype) {
  ppl::bdc::calls::bitwiseNot(dst_addr, src_addr, shape, dst_stride, src_stride,
                              dtype, ppl::Line(nullptr, 0));
}
WEFT_TPU_BDC tpu_bdc_neg(local_addr_t dst_addr, local_addr_t src_addr,
                         const dim4 *shape, const dim4 *dst_stride,
                         const dim4 *src_stride, data_type_t dtype) {
  ppl::bdc::calls::neg(dst_addr, src_addr, shape, dst_stride, src_stride, dtype,
                       ppl::Line(nullptr, 0));
}
WEFT_TPU_BDC tpu_bdc_sign(local_addr_t dst_addr, local_addr_t src_addr,
                          const dim4 *shape, data_type_t dtype) {
  ppl::bdc::calls::sign(dst_addr, src_addr, shape, dtype,
                        ppl::Line(nullptr, 0));
}
WEFT_TPU_BDC tpu_bdc_fp32_reciprocal(local_addr_t dst_addr,
                                     local_addr_t src_addr, const dim4 *shape,
                                     const dim4 *dst_stride,
                                     const dim4 *src_stride) {
  ppl::bdc::calls::reciprocal(dst_addr, src_addr, shape, dst_stride, src_stride,
                              ppl::Line(nullptr, 0));
}
WEFT_TPU_BDC
tpu_bdc_fp32_tunable_reciprocal(local_addr_t dst_addr, local_addr_t src_addr,
                                const dim4 *shape, const dim4 *dst_stride,
                                const dim4 *src_stride, int num_iter) {
  ppl::bdc::calls::tunableReciprocal(dst_addr, src_addr, shape, dst_stride,
                                     src_stride, num_iter,
                                     ppl::Line(nullptr, 0));
}
WEFT_TPU_BDC tpu_bdc_fp32_rsqrt(local_addr_t dst_addr, local_addr_t src_addr,
                                const dim4 *shape) {
  ppl::bdc::calls::rsqrt(dst_addr, src_addr, shape, ppl::Line(nullptr, 0));
}
WEFT_TPU_BDC tpu_bdc_fp32_tunable_rsqrt(local_addr_t dst_addr,
                                        local_addr_t src_addr,
                                        const dim4 *shape, int num_iter) {
  ppl::bdc::calls::tunableRsqrt(dst_addr, src_addr, shape, num_iter,
                                ppl::Line(nullptr, 0));
}
WEFT_TPU_BDC tpu_bdc_fp32_sqrt(local_addr_t dst_addr, local_addr_t src_addr,
                               const dim4 *shape) {
  ppl::bdc::calls::sqrt(dst_addr, src_addr, shape, ppl::Line(nullptr, 0));
}
WEFT_TPU_BDC tpu_bdc_fp32_tunable_sqrt(local_addr_t dst_addr,
                                       local_addr_t src_addr, const dim4 *shape,
                                       int num_iter) {
  ppl::bdc::calls::tunableSqrt(dst_addr, src_addr, shape, num_iter,
                               ppl::Line(nullptr, 0));
}
#define WEFT_TPU_BDC_LOAD(numbers, function)                                   \
  WEFT_TPU_BDC tpu_bdc_load_fp32_##numbers(local_addr_t addr) {                \
    ppl::bdc::calls::function(addr, ppl::Line(nullptr, 0));                    \
  }
WEFT_TPU_BDC_LOAD(exp_coeff, loadExpCoeff)
WEFT_TPU_BDC_LOAD(exp_table, loadExpTable)
WEFT_TPU_BDC_LOAD(log_coeff, loadLogCoeff)
WEFT_TPU_BDC_LOAD(sin_coeff, loadSinCoeff)
WEFT_TPU_BDC_LOAD(cos_coeff, loadCosCoeff)
WEFT_TPU_BDC_LOAD(tan_coeff, loadTanCoeff)
WEFT_TPU_BDC_LOAD(arcsin_coeff, loadArcsinCoeff)
#undef WEFT_TPU_BDC_LOAD
WEFT_TPU_BDC tpu_bdc_fp32_exp(local_addr_t dst_addr, local_addr_t src_addr,
                              local_addr_t work0_addr, local_addr_t work1_addr,
                              local_addr_t coeff_addr, local_addr_t table_addr,
                              const dim4 *shape) {
  ppl::bdc::calls::exp(dst_addr, src_addr, work0_addr, work1_addr, coeff_addr,
                       table_addr, shape, ppl::Line(nullptr, 0));
}
WEFT_TPU_BDC tpu_bdc_fp32_expm1(local_addr_t dst_addr, local_addr_t src_addr,
                                local_addr_t work0_addr,
                                local_addr_t work1_addr,
                                local_addr_t coeff_addr,
                                local_addr_t table_addr, const dim4 *shape) {
  ppl::bdc::calls::expm1(dst_addr, src_addr, work0_addr, work1_addr, coeff_addr,
                         table_addr, shape, ppl::Line(nullptr, 0));
}
#define WEFT_TPU_BDC_SERIES(name)                                              \
  WEFT_TPU_BDC tpu_bdc_fp32_##name(                                            \
      local_addr_t dst_addr, local_addr_t src_addr, local_addr_t work_addr,    \
      local_addr_t coeff_addr, const dim4 *shape) {                            \
    ppl::bdc::calls::name(dst_addr, src_addr, work_addr, coeff_addr, shape,    \
                          ppl::Line(nullptr, 0));                              \
  }
WEFT_TPU_BDC_SERIES(log)
WEFT_TPU_BDC_SERIES(log1p)
WEFT_TPU_BDC_SERIES(sin)
WEFT_TPU_BDC_SERIES(cos)
WEFT_TPU_BDC_SERIES(tan)
WEFT_TPU_BDC_SERIES(cot)
WEFT_TPU_BDC_SERIES(arcsin)
WEFT_TPU_BDC_SERIES(arccos)
#undef WEFT_TPU_BDC_SERIES
WEFT_TPU_BDC tpu_bdc_fp32_logx(local_addr_t dst_addr, local_addr_t src_addr,
                               local_addr_t work_addr, local_addr_t coeff_addr,
                               const dim4 *shape, float x) {
  ppl::bdc::calls::logx(dst_addr, src_addr, work_addr, coeff_addr, shape, x,
                        ppl::Line(nullptr, 0));
}
#undef WEFT_TPU_BDC

#define tpu_bdc_abs(...) ppl::bdc::calls::abs(__VA_ARGS__)
#define tpu_bdc_not(...) ppl::bdc::calls::bitwiseNot(__VA_ARGS__)
#define tpu_bdc_neg(...) ppl::bdc::calls::neg(__VA_ARGS__)
#define tpu_bdc_sign(...) ppl::bdc::calls::sign(__VA_ARGS__)
#define tpu_bdc_fp32_reciprocal(...) ppl::bdc::calls::reciprocal(__VA_ARGS__)
#define tpu_bdc_fp32_tunable_reciprocal(...)                                   \
  ppl::bdc::calls::tunableReciprocal(__VA_ARGS__)
#define tpu_bdc_fp32_rsqrt(...) ppl::bdc::calls::rsqrt(__VA_ARGS__)
#define tpu_bdc_fp32_tunable_rsqrt(...)                                        \
  ppl::bdc::calls::tunableRsqrt(__VA_ARGS__)
#define tpu_bdc_fp32_sqrt(...) ppl::bdc::calls::sqrt(__VA_ARGS__)
#define tpu_bdc_fp32_tunable_sqrt(...) ppl::bdc::calls::tunableSqrt(__VA_ARGS__)
#define tpu_bdc_load_fp32_exp_coeff(...)                                       \
  ppl::bdc::calls::loadExpCoeff(__VA_ARGS__)
#define tpu_bdc_load_fp32_exp_table(...)                                       \
  ppl::bdc::calls::loadExpTable(__VA_ARGS__)
#define tpu_bdc_load_fp32_log_coeff(...)                                       \
  ppl::bdc::calls::loadLogCoeff(__VA_ARGS__)
#define tpu_bdc_load_fp32_sin_coeff(...)                                       \
  ppl::bdc::calls::loadSinCoeff(__VA_ARGS__)
#define tpu_bdc_load_fp32_cos_coeff(...)                                       \
  ppl::bdc::calls::loadCosCoeff(__VA_ARGS__)
#define tpu_bdc_load_fp32_tan_coeff(...)                                       \
  ppl::bdc::calls::loadTanCoeff(__VA_ARGS__)
#define tpu_bdc_load_fp32_arcsin_coeff(...)                                    \
  ppl::bdc::calls::loadArcsinCoeff(__VA_ARGS__)
#define tpu_bdc_fp32_exp(...) ppl::bdc::calls::exp(__VA_ARGS__)
#define tpu_bdc_fp32_expm1(...) ppl::bdc::calls::expm1(__VA_ARGS__)
#define tpu_bdc_fp32_log(...) ppl::bdc::calls::log(__VA_ARGS__)
#define tpu_bdc_fp32_log1p(...) ppl::bdc::calls::log1p(__VA_ARGS__)
#define tpu_bdc_fp32_logx(...) ppl::bdc::calls::logx(__VA_ARGS__)
#define tpu_bdc_fp32_sin(...) ppl::bdc::calls::sin(__VA_ARGS__)
#define tpu_bdc_fp32_cos(...) ppl::bdc::calls::cos(__VA_ARGS__)
#define tpu_bdc_fp32_tan(...) ppl::bdc::calls::tan(__VA_ARGS__)
#define tpu_bdc_fp32_cot(...) ppl::bdc::calls::cot(__VA_ARGS__)
#define tpu_bdc_fp32_arcsin(...) ppl::bdc::calls::arcsin(__VA_ARGS__)
#define tpu_bdc_fp32_arccos(...) ppl::bdc::calls::arccos(__VA_ARGS__)

#endif // WEFT_FRONTEND_PPL_INCLUDE_PPL_TPU_BDC_CALLS_H
