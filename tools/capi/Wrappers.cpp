//===- Wrappers.cpp - the kernel language's wrappers for other languages --===//

#include "tools/capi/Status.h"

#include "ppl/wrappers.h"

#include <mutex>
#include <utility>

using namespace ppl;

namespace {
/// The recorder that the headers know while it lives: they know one at a time.
class Bound {
public:
  explicit Bound(const weft_ppl_recorder *recorder) : lock(one) {
    before = std::exchange(detail::bound, recorder);
  }
  ~Bound() { detail::bound = before; }
  Bound(const Bound &) = delete;
  Bound &operator=(const Bound &) = delete;

private:
  static std::mutex one;
  std::lock_guard<std::mutex> lock;
  const weft_ppl_recorder *before;
};
std::mutex Bound::one;

/// A call of a wrapper: its arguments, the tensors first in their order.
struct Call {
  const weft_ppl_argument *arguments;
  size_t count;
  Line at;

  template <class T>
  tensor<T> in(size_t i) const {
    return tensor<T>(typename tensor<T>::Made(arguments[i].integer));
  }
  bool isTensor(size_t i) const {
    return i < count && arguments[i].kind == WEFT_PPL_TENSOR;
  }
  float number(size_t i) const {
    const weft_ppl_argument &a = arguments[i];
    return a.kind == WEFT_PPL_FLOAT ? float(a.real) : float(a.integer);
  }
  int integer(size_t i) const {
    const weft_ppl_argument &a = arguments[i];
    return a.kind == WEFT_PPL_FLOAT ? int(a.real) : int(a.integer);
  }
  int size(size_t i, int axis) const {
    const weft_ppl_argument &a = arguments[i];
    return axis < a.count ? int(a.integers[axis]) : 1;
  }
  dim4 shape(size_t i) const {
    return {size(i, 0), size(i, 1), size(i, 2), size(i, 3)};
  }
  dim2 pair(size_t i) const { return {size(i, 0), size(i, 1)}; }
};

/// One wrapper for tensors of T: out, in, .., block shape, real shape.
template <class T>
struct Wrapper {
  const char *name;
  size_t count;
  void (*run)(const Call &);
};

template <class T, void (*function)(const tensor<T> &, const tensor<T> &,
                                    const dim4 *, const dim4 *, Line)>
void unary(const Call &c) {
  dim4 block = c.shape(2), real = c.shape(3);
  function(c.in<T>(0), c.in<T>(1), &block, &real, c.at);
}

template <class T>
void power(const Call &c) {
  dim4 block = c.shape(3), real = c.shape(4);
  tensor<T> out = c.in<T>(0);
  if (c.isTensor(1) && c.isTensor(2))
    pow_f32(out, c.in<T>(1), c.in<T>(2), &block, &real, c.at);
  else if (c.isTensor(1))
    pow_f32(out, c.in<T>(1), c.number(2), &block, &real, c.at);
  else
    pow_f32(out, c.number(1), c.in<T>(2), &block, &real, c.at);
}

template <class T>
void averagePool(const Call &c) {
  dim4 out = c.shape(2), in = c.shape(3);
  dim2 kernel = c.pair(4), stride = c.pair(6), dilation = c.pair(7);
  padding_t pad = {c.size(5, 0), c.size(5, 1), c.size(5, 2), c.size(5, 3)};
  fp_avg_pool_2d_count_include_padding(c.in<T>(0), c.in<T>(1), &out, &in,
                                       &kernel, &pad, &stride, &dilation,
                                       c.integer(8), c.at);
}

/// Those of floats.
template <class T>
const Wrapper<T> kFloats[] = {
    {"exp_no_overflow", 4, unary<T, exp_no_overflow<T>>},
    {"fexp", 4, unary<T, fexp<T>>},
    {"flog", 4, unary<T, flog<T>>},
    {"fsqrt", 4, unary<T, fsqrt<T>>},
    {"fsin", 4, unary<T, fsin<T>>},
    {"fcos", 4, unary<T, fcos<T>>},
    {"ftan", 4, unary<T, ftan<T>>},
    {"fcot", 4, unary<T, fcot<T>>},
    {"farcsin", 4, unary<T, farcsin<T>>},
    {"farccos", 4, unary<T, farccos<T>>},
    {"sinh_fp32", 4, unary<T, sinh_fp32<T>>},
    {"cosh_fp32", 4, unary<T, cosh_fp32<T>>},
    {"tanh_fp32", 4, unary<T, tanh_fp32<T>>},
    {"arcsinh_fp32", 4, unary<T, arcsinh_fp32<T>>},
    {"arccosh_fp32", 4, unary<T, arccosh_fp32<T>>},
    {"arctanh_fp32", 4, unary<T, arctanh_fp32<T>>},
    {"ferf", 4, unary<T, ferf<T>>},
    {"sigmoid_fp32", 4, unary<T, sigmoid_fp32<T>>},
    {"softsign_fp32", 4, unary<T, softsign_fp32<T>>},
    {"mish_f32", 4, unary<T, mish_f32<T>>},
    {"softplus_f32", 5,
     [](const Call &c) {
       dim4 block = c.shape(3), real = c.shape(4);
       softplus_f32(c.in<T>(0), c.in<T>(1), c.number(2), &block, &real, c.at);
     }},
    {"flogx", 5,
     [](const Call &c) {
       dim4 block = c.shape(3), real = c.shape(4);
       flogx(c.in<T>(0), c.in<T>(1), c.number(2), &block, &real, c.at);
     }},
    {"pow_f32", 5, power<T>},
    {"quick_pooling", 7,
     [](const Call &c) {
       dim4 block = c.shape(2), real = c.shape(3);
       quick_pooling(c.in<T>(0), c.in<T>(1), &block, &real, c.number(4),
                     c.integer(5), c.number(6), c.at);
     }},
    {"fp_avg_pool_2d_count_include_padding", 9, averagePool<T>},
};

/// Those of any type.
template <class T>
const Wrapper<T> kAny[] = {
    {"prelu", 3,
     [](const Call &c) { prelu(c.in<T>(0), c.in<T>(1), c.number(2), c.at); }},
    {"relu", 2, [](const Call &c) { relu(c.in<T>(0), c.in<T>(1), c.at); }},
    {"sign_mul", 4,
     [](const Call &c) {
       sign_mul(c.in<T>(0), c.in<T>(1), c.in<T>(2), c.in<T>(3), c.at);
     }},
};

template <class T, size_t size>
bool runIn(const Wrapper<T> (&rows)[size], const std::string &name,
           const Call &call) {
  for (const Wrapper<T> &row : rows)
    if (row.name == name && row.count == call.count) {
      row.run(call);
      return true;
    }
  return false;
}
template <class T>
bool run(const std::string &name, const Call &call) {
  constexpr bool isFloat = std::is_same_v<T, float> ||
                           std::is_same_v<T, fp16> || std::is_same_v<T, bf16>;
  if (runIn(kAny<T>, name, call))
    return true;
  if constexpr (isFloat)
    return runIn(kFloats<T>, name, call);
  return false;
}

bool runOf(int32_t type, const std::string &name, const Call &call) {
  switch (type) {
  case DT_FP32:
    return run<float>(name, call);
  case DT_FP16:
    return run<fp16>(name, call);
  case DT_BF16:
    return run<bf16>(name, call);
  case DT_INT32:
    return run<int32>(name, call);
  case DT_INT16:
    return run<int16>(name, call);
  case DT_INT8:
    return run<int8>(name, call);
  case DT_UINT32:
    return run<uint32>(name, call);
  case DT_UINT16:
    return run<uint16>(name, call);
  case DT_UINT8:
    return run<uint8>(name, call);
  default:
    return false;
  }
}

bool runWrapper(const weft_ppl_recorder *recorder, const std::string &name,
                const Call &call) {
  weft_ppl_tensor out = {};
  if (!recorder->describe(recorder->self, call.arguments[0].integer, &out))
    return true; // there is a message already
  Bound bound(recorder);
  bool isSequence =
      name == "arange_broadcast" && call.count == 5 && out.type == DT_INT32;
  if (!isSequence)
    return runOf(out.type, name, call);
  arange_broadcast(call.in<int>(0), call.integer(1), call.integer(2),
                   call.integer(3), call.integer(4), call.at);
  return true;
}
} // namespace

int32_t weft_ppl_wrapper(const weft_ppl_recorder *recorder, const char *name,
                         const weft_ppl_argument *arguments, size_t count,
                         weft_ppl_line at) {
  if (!recorder || !name || !arguments || count == 0 ||
      arguments[0].kind != WEFT_PPL_TENSOR)
    return 0;
  bool found = true;
  weft_compiler_status *failed =
      weft::capi::guarded([&]() -> weft_compiler_status * {
        found = runWrapper(recorder, name,
                           {arguments, count, Line(at.file, at.line)});
        return nullptr;
      });
  // Said where all that is wrong with a recording is; when even that cannot be,
  // nothing has been recorded that it would be about.
  if (failed)
    weft_compiler_status_free(
        weft::capi::guarded([&]() -> weft_compiler_status * {
          recorder->fail(recorder->self, weft_compiler_status_message(failed),
                         at);
          return nullptr;
        }));
  weft_compiler_status_free(failed);
  return found;
}
