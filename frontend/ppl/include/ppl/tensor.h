//===- tensor.h - types and tensors of the kernel language ----*- C++ -*-===//

#ifndef WEFT_FRONTEND_PPL_INCLUDE_PPL_TENSOR_H
#define WEFT_FRONTEND_PPL_INCLUDE_PPL_TENSOR_H

#include "ppl/recorder.h"

#include <cstddef>
#include <cstring>
#include <exception>
#include <initializer_list>
#include <map>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

/// Functions that a program can start from. Exported by name, so neither
/// overloaded nor in a namespace.
#define __KERNEL__                                                             \
  extern "C" __attribute__((visibility("default"), section("ppl_kernel")))
#define __TEST__                                                               \
  extern "C" __attribute__((visibility("default"), section("ppl_test")))
#define __HOST__
#define __AUTOTUNE__

namespace ppl {

//===----------------------------------------------------------------------===//
// Enumerations (PPL 4.1, 4.2)
//===----------------------------------------------------------------------===//

enum data_type_t {
  DT_NONE = 0,
  DT_FP32,
  DT_FP16,
  DT_BF16,
  DT_FP8E5M2,
  DT_FP8E4M3,
  DT_FP20,
  DT_TF32,
  DT_INT32,
  DT_UINT32,
  DT_INT16,
  DT_UINT16,
  DT_INT8,
  DT_UINT8,
  DT_INT4,
  DT_UINT4,
  DT_INT64,
  DT_UINT64,
  DT_FP4
};
enum align_mode_t {
  CONTINUOUS = 0,
  TPU_ALIGN = 1,
  TPU_COMPACT = 2,
  TPU_ROW_ALIGN = 3,
  NONE_ALIGN = 4
};
enum tensor_mode_t { L2 = 1, GLOBAL = 2, LOCAL = 3, ISOLATED = 4, MIRROR = 5 };
enum rounding_mode_t {
  RM_HALF_TO_EVEN = 0,
  RM_HALF_AWAY_FROM_ZERO = 1,
  RM_TOWARDS_ZERO = 2,
  RM_DOWN = 3,
  RM_UP = 4,
  RM_HALF_UP = 5,
  RM_HALF_DOWN = 6
};
enum comparision_mode_t { GREATER = 0, LESS = 1, EQUAL = 2 };
enum transpose_mode_t { NC_TRANS = 0, CW_TRANS = 1 };
enum coeff_table_mode_t {
  EXP = 0,
  LOG = 1,
  SIN = 2,
  COS = 3,
  TAN = 4,
  ARCSIN = 5,
  ERF = 6,
  ERF_TAYLOR = 6,
  SERIAL_NUMBER = 30
};
enum all_reduce_psum_t { ALL_REDUCE_PSUM_WO = 0, ALL_REDUCE_PSUM_WR = 1 };
enum all_reduce_opcode_t {
  ALL_REDUCE_NOP = 0,
  ALL_REDUCE_MUL,
  ALL_REDUCE_MAX,
  ALL_REDUCE_MIN,
  ALL_REDUCE_ADD,
  ALL_REDUCE_AMAX,
  ALL_REDUCE_SUM,
  ALL_REDUCE_POWERSUM,
  ALL_REDUCE_MAC
};
enum memory_alloc_method_t {
  BANK_CONFLICT_FIRST = 0,
  MEMORY_UTILIZATION_FIRST = 1,
  NO_BANK_CONFLICT = 2
};

//===----------------------------------------------------------------------===//
// Element types
//===----------------------------------------------------------------------===//

using fp32 = float;
using int8 = int8_t;
using uint8 = uint8_t;
using int16 = int16_t;
using uint16 = uint16_t;
using int32 = int32_t;
using uint32 = uint32_t;
using int64 = int64_t;
using uint64 = uint64_t;
using uint = unsigned;

namespace detail {
inline uint32_t bitsOf(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, 4);
  return bits;
}
inline float floatOf(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, 4);
  return value;
}
} // namespace detail

/// IEEE binary16 as storage; converts from and to float, rounding to the
/// nearest, ties to even. No arithmetic of its own.
struct fp16 {
  uint16_t bits = 0;
  fp16() = default;
  fp16(float value) {
    uint32_t f = detail::bitsOf(value), sign = f >> 16 & 0x8000,
             rest = f & 0x7fffffff;
    if (rest > 0x7f800000) {
      bits = uint16_t(sign | 0x7e00);
    } else if (rest >= 0x47800000) { // 65536 and above
      bits = uint16_t(sign | 0x7c00);
    } else if (rest < 0x38800000) { // below 2^-14: a multiple of 2^-24
      bits = uint16_t(sign | (detail::bitsOf(detail::floatOf(rest) + 0.5f) -
                              detail::bitsOf(0.5f)));
    } else {
      rest += 0xfff + (rest >> 13 & 1);
      bits = uint16_t(sign | ((rest - 0x38000000) >> 13));
    }
  }
  operator float() const {
    uint32_t sign = uint32_t(bits & 0x8000) << 16, rest = bits & 0x7fff;
    if (rest >= 0x7c00)
      return detail::floatOf(sign | 0x7f800000 | (rest & 0x3ff) << 13);
    if (rest < 0x400)
      return (sign ? -1.0f : 1.0f) * float(rest) * 0x1p-24f;
    return detail::floatOf(sign | ((rest << 13) + 0x38000000));
  }
};

/// bfloat16 as storage, in the same way.
struct bf16 {
  uint16_t bits = 0;
  bf16() = default;
  bf16(float value) {
    uint32_t f = detail::bitsOf(value);
    if ((f & 0x7fffffff) > 0x7f800000)
      bits = uint16_t(f >> 16 | 0x40);
    else
      bits = uint16_t((f + 0x7fff + (f >> 16 & 1)) >> 16);
  }
  operator float() const { return detail::floatOf(uint32_t(bits) << 16); }
};

/// Storage of the types that C++ has no arithmetic for.
struct fp8e5m2 {
  uint8_t bits = 0;
};
struct fp8e4m3 {
  uint8_t bits = 0;
};
struct fp20 {
  uint8_t bytes[3] = {};
};
struct tf32 {
  float value = 0;
};
/// Two elements a byte in memory.
struct int4 {
  uint8_t bits = 0;
};
struct uint4 {
  uint8_t bits = 0;
};
struct fp4 {
  uint8_t bits = 0;
};

/// Bits of an element in memory.
template <class T>
inline constexpr int bitwidth_v =
    std::is_same_v<T, int4> || std::is_same_v<T, uint4> ||
            std::is_same_v<T, fp4>
        ? 4
        : (std::is_same_v<T, fp20> ? 20 : 8 * int(sizeof(T)));

/// The number of an element type, as `data_type_t`.
template <class T>
constexpr data_type_t convert_dtype() {
  if constexpr (std::is_same_v<T, float>)
    return DT_FP32;
  else if constexpr (std::is_same_v<T, fp16>)
    return DT_FP16;
  else if constexpr (std::is_same_v<T, bf16>)
    return DT_BF16;
  else if constexpr (std::is_same_v<T, fp8e5m2>)
    return DT_FP8E5M2;
  else if constexpr (std::is_same_v<T, fp8e4m3>)
    return DT_FP8E4M3;
  else if constexpr (std::is_same_v<T, fp20>)
    return DT_FP20;
  else if constexpr (std::is_same_v<T, tf32>)
    return DT_TF32;
  else if constexpr (std::is_same_v<T, int4>)
    return DT_INT4;
  else if constexpr (std::is_same_v<T, uint4>)
    return DT_UINT4;
  else if constexpr (std::is_same_v<T, fp4>)
    return DT_FP4;
  else {
    static_assert(std::is_integral_v<T>, "not an element type of PPL");
    constexpr bool isSigned = std::is_signed_v<T>;
    if constexpr (sizeof(T) == 1)
      return isSigned ? DT_INT8 : DT_UINT8;
    else if constexpr (sizeof(T) == 2)
      return isSigned ? DT_INT16 : DT_UINT16;
    else if constexpr (sizeof(T) == 4)
      return isSigned ? DT_INT32 : DT_UINT32;
    else
      return isSigned ? DT_INT64 : DT_UINT64;
  }
}

namespace detail {
/// Of a data_type_t.
inline __attribute__((visibility("hidden"))) const char *typeName(int type) {
  static const char *const types[] = {
      "none", "fp32",  "fp16",   "bf16",   "fp8e5m2", "fp8e4m3", "fp20",
      "tf32", "int32", "uint32", "int16",  "uint16",  "int8",    "uint8",
      "int4", "uint4", "int64",  "uint64", "fp4"};
  return types[type];
}
/// Whether C++ code that has a P may mean a number of it: char is a byte.
template <class P>
inline constexpr bool isElement =
    (std::is_integral_v<P> && !std::is_same_v<P, char> &&
     !std::is_same_v<P, bool>) ||
    std::is_same_v<P, float> || std::is_same_v<P, fp16> ||
    std::is_same_v<P, bf16> || std::is_same_v<P, fp8e5m2> ||
    std::is_same_v<P, fp8e4m3> || std::is_same_v<P, fp20> ||
    std::is_same_v<P, tf32> || std::is_same_v<P, int4> ||
    std::is_same_v<P, uint4> || std::is_same_v<P, fp4>;
} // namespace detail

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

/// n, c, h, w. Not to be changed in place: make a new one.
struct dim4 {
  int n = 1, c = 1, h = 1, w = 1;
};
struct dim2 {
  int h = 1, w = 1;
};
struct padding_t {
  int top = 0, bottom = 0, left = 0, right = 0;
};
/// An operand that is not there: no bias, no requantisation.
inline constexpr int None = 0;

//===----------------------------------------------------------------------===//
// The recorder
//===----------------------------------------------------------------------===//

/// Where a function of the language is called; every such function ends with
/// `Line at = {}`.
struct Line {
  const char *file;
  int line;
  constexpr Line(const char *file = __builtin_FILE(),
                 int line = __builtin_LINE())
      : file(file), line(line) {}
  operator weft_ppl_line() const { return {file, line}; }
};

namespace detail {
/// Hidden: each library has its own.
inline __attribute__((visibility("hidden"))) const weft_ppl_recorder *bound =
    nullptr;
/// The first call that was made while no recorder was bound: by the constructor
/// of an object at file scope. Line 0: none was.
inline __attribute__((visibility("hidden"))) weft_ppl_line unboundCall = {
    nullptr, 0};
inline void noteUnbound(weft_ppl_line at) {
  if (unboundCall.line == 0)
    unboundCall = at;
}
/// Stands in while no recorder is bound; what it is asked to do it notes.
inline __attribute__((visibility("hidden"))) const weft_ppl_recorder &
unbound() {
  static const weft_ppl_recorder table = [] {
    weft_ppl_recorder t = {};
    t.bytes = sizeof(t);
    t.make_tensor = [](void *, int32_t, int32_t, const int64_t *, int32_t,
                       const int64_t *, uint64_t, weft_ppl_line at) {
      noteUnbound(at);
      return int64_t(0);
    };
    t.view = [](void *, int64_t, int32_t, const int64_t *, int32_t,
                const int64_t *, weft_ppl_line at) {
      noteUnbound(at);
      return int64_t(0);
    };
    t.sub_view = [](void *, int64_t, const int64_t *, const int64_t *,
                    weft_ppl_line at) {
      noteUnbound(at);
      return int64_t(0);
    };
    t.describe = [](void *, int64_t, weft_ppl_tensor *) { return 0; };
    t.call = [](void *, const char *, const weft_ppl_argument *, size_t,
                weft_ppl_line at) { noteUnbound(at); };
    t.enter = [](void *, int32_t, const char *, weft_ppl_line at) {
      noteUnbound(at);
    };
    t.leave = [](void *, int32_t) { return 0; };
    t.set = [](void *, int32_t, int64_t, int64_t) {};
    t.get = [](void *, int32_t, int64_t) { return int64_t(0); };
    t.fail = [](void *, const char *, weft_ppl_line at) { noteUnbound(at); };
    t.allocate = [](void *, int32_t, const int64_t *, const char *,
                    weft_ppl_line at) -> void * {
      noteUnbound(at);
      return nullptr;
    };
    t.fill_random = [](void *, void *, int32_t, int64_t, double, double) {};
    t.expect = [](void *, const void *, int32_t, int64_t, const double *,
                  double, double, weft_ppl_line at) { noteUnbound(at); };
    t.make_unshaped = [](void *, int32_t, int32_t, uint64_t, weft_ppl_line at) {
      noteUnbound(at);
      return int64_t(0);
    };
    t.warn = [](void *, const char *, weft_ppl_line at) { noteUnbound(at); };
    return t;
  }();
  return table;
}
/// The recorder that runs this library.
inline const weft_ppl_recorder &recorder() {
  return bound ? *bound : unbound();
}

/// Thrown where a test cannot go on, once its error has been reported.
struct Stopped : std::exception {
  const char *what() const noexcept override {
    return "it cannot go on after the error above";
  }
};

/// What the headers know while one recorder is bound.
struct Session {
  int messages[5] = {}; ///< given out by get_msg_id, by kind
  /// The device memory that tests have: bytes by its start.
  std::map<uintptr_t, size_t> allocations;
};
/// Hidden, as `bound`.
inline __attribute__((visibility("hidden"))) Session &session() {
  static Session theSession;
  return theSession;
}

struct Sizes {
  int64_t v[4];
  Sizes(const dim4 &d) : v{d.n, d.c, d.h, d.w} {}
};
} // namespace detail

/// A wrapper's body: errors in it are reported at the line that called it.
class CallScope {
public:
  CallScope(const char *name, Line at) {
    detail::recorder().enter(detail::recorder().self, WEFT_PPL_SCOPE_CALL, name,
                             at);
  }
  ~CallScope() {
    detail::recorder().leave(detail::recorder().self, WEFT_PPL_SCOPE_CALL);
  }
  CallScope(const CallScope &) = delete;
};

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

namespace detail {
/// What local and global tensors share: the recorder's number.
class AnyTensor {
public:
  int64_t id = 0;
  AnyTensor() = default;
  explicit AnyTensor(int64_t id) : id(id) {}

  weft_ppl_tensor described() const {
    weft_ppl_tensor out = {};
    recorder().describe(recorder().self, id, &out);
    return out;
  }
  dim4 getShape() const {
    weft_ppl_tensor d = described();
    return {int(d.shape[0]), int(d.shape[1]), int(d.shape[2]), int(d.shape[3])};
  }
  dim4 getStride() const {
    weft_ppl_tensor d = described();
    return {int(d.strides[0]), int(d.strides[1]), int(d.strides[2]),
            int(d.strides[3])};
  }

protected:
  int64_t viewed(data_type_t type, const dim4 &shape, int layout,
                 const dim4 *stride, Line at) const {
    Sizes s(shape), t(stride ? *stride : dim4{});
    return recorder().view(recorder().self, id, type, s.v, layout,
                           stride ? t.v : nullptr, at);
  }
  int64_t part(const dim4 &shape, const dim4 &offset, Line at) const {
    Sizes s(shape), o(offset);
    return recorder().sub_view(recorder().self, id, s.v, o.v, at);
  }
};
} // namespace detail

namespace detail {
/// int for bool and integers, which older code has where the manual's functions
/// take an align_mode_t.
template <class N>
using IfLayoutNumber = std::enable_if_t<std::is_integral_v<N>, int>;
/// A bool says whether the tensor is aligned; other integers are the number of
/// the mode.
template <class N>
constexpr int layoutOf(N number) {
  if constexpr (std::is_same_v<N, bool>)
    return number ? TPU_ALIGN : TPU_COMPACT;
  else
    return int(number);
}
} // namespace detail

/// A tensor in local memory (PPL 3.2). Channel c lies in lane
/// (first lane + c) mod LANE_NUM. Without a layout it is TPU_ALIGN, unless what
/// it is used for takes another one only.
template <class T>
class tensor : public detail::AnyTensor {
public:
  using element = T;
  explicit tensor(const dim4 &shape, Line at = {})
      : tensor(shape, WEFT_PPL_ANY_LAYOUT, -1, at, Numbered()) {}
  explicit tensor(const dim4 &shape, align_mode_t layout,
                  long long address = -1, Line at = {})
      : tensor(shape, int(layout), address, at, Numbered()) {}
  template <class N, detail::IfLayoutNumber<N> = 0>
  explicit tensor(const dim4 &shape, N layout, long long address = -1,
                  Line at = {})
      : tensor(shape, detail::layoutOf(layout), address, at, Numbered()) {}
  /// Without a shape: it has that of what is written to it, each time anew (PPL
  /// 3.7).
  explicit tensor(Line at = {}) { makeUnshaped(WEFT_PPL_ANY_LAYOUT, -1, at); }
  explicit tensor(align_mode_t layout, long long address = -1, Line at = {}) {
    makeUnshaped(layout, address, at);
  }
  /// Of a number that the recorder gave.
  struct Made {
    int64_t id;
    dim4 block;
    // No aggregate: a shape in braces must not look like one of these.
    explicit Made(int64_t id, const dim4 &block = {}) : id(id), block(block) {}
  };
  explicit tensor(Made made) : AnyTensor(made.id), block(made.block) {}
  tensor(const tensor &) = default;
  tensor &operator=(const tensor &) = delete;

  /// The same bytes as another type, shape or layout (PPL 3.2).
  template <class T2 = T>
  tensor<T2> view(Line at = {}) const {
    return make<T2>(viewed(convert_dtype<T2>(), getShape(), -1, nullptr, at));
  }
  template <class T2 = T>
  tensor<T2> view(const dim4 &shape, Line at = {}) const {
    return make<T2>(viewed(convert_dtype<T2>(), shape, -1, nullptr, at));
  }
  template <class T2 = T>
  tensor<T2> view(const dim4 &shape, const dim4 &stride, Line at = {}) const {
    return make<T2>(
        viewed(convert_dtype<T2>(), shape, NONE_ALIGN, &stride, at));
  }
  tensor<T> view(align_mode_t layout, Line at = {}) const {
    return make<T>(viewed(convert_dtype<T>(), getShape(), layout, nullptr, at));
  }
  /// The part of `shape` at `offset`; keeps the strides.
  tensor<T> sub_view(const dim4 &shape, const dim4 &offset,
                     Line at = {}) const {
    return make<T>(part(shape, offset, at));
  }

  /// The shape that was allocated, of whatever this is a view of.
  dim4 getBlockShape() const { return isUnshaped ? getShape() : block; }

private:
  struct Numbered {};
  tensor(const dim4 &shape, int layout, long long address, Line at, Numbered)
      : block(shape) {
    detail::Sizes s(shape);
    id = detail::recorder().make_tensor(
        detail::recorder().self, WEFT_PPL_LOCAL, convert_dtype<T>(), s.v,
        layout, nullptr, address < 0 ? WEFT_PPL_NO_ADDRESS : uint64_t(address),
        at);
  }
  void makeUnshaped(int layout, long long address, Line at) {
    id = detail::recorder().make_unshaped(
        detail::recorder().self, convert_dtype<T>(), layout,
        address < 0 ? WEFT_PPL_NO_ADDRESS : uint64_t(address), at);
    isUnshaped = true;
  }
  template <class T2>
  tensor<T2> make(int64_t id) const {
    return tensor<T2>(typename tensor<T2>::Made{id, getBlockShape()});
  }
  dim4 block;
  bool isUnshaped = false;
};

namespace detail {
/// False, with an error, for the null pointer as a place in global memory.
inline bool isPlace(tensor_mode_t mode, const void *address, Line at) {
  if (mode != GLOBAL || address)
    return true;
  recorder().fail(recorder().self,
                  "the pointer of a GLOBAL tensor is null; pass memory of "
                  "ppl::malloc or ppl::rand, or leave the pointer out for "
                  "memory that the compiler places",
                  at);
  return false;
}
/// False, with an error, for a pointer to elements of another type than T.
template <class T, class P>
bool pointsTo([[maybe_unused]] Line at) {
  if constexpr (isElement<P>) {
    if constexpr (convert_dtype<P>() != convert_dtype<T>()) {
      std::string to = typeName(convert_dtype<T>());
      std::string text = "the tensor is of " + to + ", its pointer to " +
                         typeName(convert_dtype<P>()) +
                         "; convert with tiu::cast, or pass static_cast<void "
                         "*>(pointer) to take the bytes as " +
                         to;
      recorder().fail(recorder().self, text.c_str(), at);
      return false;
    }
  }
  return true;
}
} // namespace detail

/// A tensor in global memory (DRAM) or L2 (PPL 3.2).
template <class T>
class gtensor : public detail::AnyTensor {
public:
  using element = T;
  /// Device address of the first element; 0 if the compiler places the tensor.
  uint64_t address = 0;

  /// The compiler places it; what is in it at first is unknown.
  gtensor(const dim4 &shape, tensor_mode_t mode, Line at = {}) {
    place(shape, mode, at);
  }
  /// Null: the compiler places it, in L2 only.
  gtensor(const dim4 &shape, tensor_mode_t mode, const void *address,
          Line at = {})
      : address(reinterpret_cast<uintptr_t>(address)) {
    if (detail::isPlace(mode, address, at))
      place(shape, mode, at);
  }
  /// Bytes of another type than T go as void *.
  template <class P>
  gtensor(const dim4 &shape, tensor_mode_t mode, P *address, Line at = {})
      : address(reinterpret_cast<uintptr_t>(address)) {
    if (detail::isPlace(mode, address, at) &&
        detail::pointsTo<T, std::remove_cv_t<P>>(at))
      place(shape, mode, at);
  }
  struct Made {
    int64_t id;
    uint64_t address = 0;
  };
  explicit gtensor(Made made) : AnyTensor(made.id), address(made.address) {}
  gtensor(const gtensor &) = default;
  gtensor &operator=(const gtensor &) = delete;

  template <class T2 = T>
  gtensor<T2> view(Line at = {}) const {
    return make<T2>(viewed(convert_dtype<T2>(), getShape(), -1, nullptr, at));
  }
  template <class T2 = T>
  gtensor<T2> view(const dim4 &shape, Line at = {}) const {
    return make<T2>(viewed(convert_dtype<T2>(), shape, -1, nullptr, at));
  }
  template <class T2 = T>
  gtensor<T2> view(const dim4 &shape, const dim4 &stride, Line at = {}) const {
    return make<T2>(
        viewed(convert_dtype<T2>(), shape, NONE_ALIGN, &stride, at));
  }
  gtensor<T> sub_view(const dim4 &shape, const dim4 &offset,
                      Line at = {}) const {
    weft_ppl_tensor d = described();
    int64_t elements = offset.n * d.strides[0] + offset.c * d.strides[1] +
                       offset.h * d.strides[2] + offset.w * d.strides[3];
    return gtensor<T>(
        Made{part(shape, offset, at),
             address ? address + uint64_t(elements * bitwidth_v<T> / 8) : 0});
  }

private:
  void place(const dim4 &shape, tensor_mode_t mode, Line at) {
    detail::Sizes s(shape);
    id = detail::recorder().make_tensor(
        detail::recorder().self, mode, convert_dtype<T>(), s.v, CONTINUOUS,
        nullptr, address ? address : WEFT_PPL_NO_ADDRESS, at);
  }
  template <class T2>
  gtensor<T2> make(int64_t id) const {
    return gtensor<T2>(typename gtensor<T2>::Made{id, address});
  }
};

/// Allocates `block` and gives its view of `real`, for the last, smaller round
/// of a loop. `real` is at most `block` on every axis.
template <class T, class N, detail::IfLayoutNumber<N> = 0>
tensor<T> make_tensor(const dim4 &block, const dim4 &real, N layout,
                      Line at = {});
template <class T>
tensor<T> make_tensor(const dim4 &block, const dim4 &real, Line at = {}) {
  return make_tensor<T>(block, real, int(WEFT_PPL_ANY_LAYOUT), at);
}
template <class T>
tensor<T> make_tensor(const dim4 &block, const dim4 &real, align_mode_t layout,
                      Line at = {}) {
  return make_tensor<T>(block, real, int(layout), at);
}
template <class T, class N, detail::IfLayoutNumber<N>>
tensor<T> make_tensor(const dim4 &block, const dim4 &real, N layout, Line at) {
  if (real.n > block.n || real.c > block.c || real.h > block.h ||
      real.w > block.w)
    detail::recorder().fail(detail::recorder().self,
                            "make_tensor: the real shape exceeds the block "
                            "shape; make the block larger",
                            at);
  return tensor<T>(block, layout, -1, at).view(real, at);
}

/// A gtensor with strides of its own, in elements. `address` null (L2): the
/// compiler places it.
template <class T>
gtensor<T> make_gtensor(const dim4 &shape, tensor_mode_t mode,
                        const void *address, const dim4 &stride, Line at = {});
template <class T, class P>
gtensor<T> make_gtensor(const dim4 &shape, tensor_mode_t mode, P *address,
                        const dim4 &stride, Line at = {}) {
  if (!detail::pointsTo<T, std::remove_cv_t<P>>(at))
    return gtensor<T>(typename gtensor<T>::Made{0});
  return make_gtensor<T>(shape, mode, static_cast<const void *>(address),
                         stride, at);
}
template <class T>
gtensor<T> make_gtensor(const dim4 &shape, tensor_mode_t mode,
                        const void *address, const dim4 &stride, Line at) {
  detail::Sizes s(shape), t(stride);
  uint64_t place = reinterpret_cast<uintptr_t>(address);
  if (!detail::isPlace(mode, address, at))
    return gtensor<T>(typename gtensor<T>::Made{0});
  int64_t id = detail::recorder().make_tensor(
      detail::recorder().self, mode, convert_dtype<T>(), s.v, NONE_ALIGN, t.v,
      address ? place : WEFT_PPL_NO_ADDRESS, at);
  return gtensor<T>(typename gtensor<T>::Made{id, place});
}

//===----------------------------------------------------------------------===//
// Calls of the catalog
//===----------------------------------------------------------------------===//

namespace detail {
/// An enumerator of E, or its number: older code has true and false, or ints,
/// where the functions take an enumeration.
template <class E>
struct Coded {
  E value;
  Coded(E value) : value(value) {}
  template <class N, std::enable_if_t<std::is_integral_v<N>, int> = 0>
  Coded(N number) : value(E(number)) {}
  operator E() const { return value; }
};

/// One argument of a call. Integers are borrowed until the call is made.
struct Argument : weft_ppl_argument {
  int64_t own[8] = {};
  Argument() : weft_ppl_argument{} {}
  Argument(const AnyTensor &tensor) : Argument() {
    kind = WEFT_PPL_TENSOR;
    integer = tensor.id;
  }
  template <class N, std::enable_if_t<
                         std::is_integral_v<N> || std::is_enum_v<N>, int> = 0>
  Argument(N value) : Argument() {
    kind = WEFT_PPL_INTEGER;
    integer = int64_t(value);
  }
  template <class E>
  Argument(Coded<E> coded) : Argument(coded.value) {}
  Argument(double value) : Argument() {
    kind = WEFT_PPL_FLOAT;
    real = value;
  }
  Argument(float value) : Argument(double(value)) {}
  Argument(fp16 value) : Argument(double(float(value))) {}
  Argument(bf16 value) : Argument(double(float(value))) {}
  Argument(std::nullptr_t) : Argument() {}
  Argument(const dim4 &d) : Argument({d.n, d.c, d.h, d.w}) {}
  Argument(const dim2 &d) : Argument({d.h, d.w}) {}
  Argument(const padding_t &d) : Argument({d.top, d.bottom, d.left, d.right}) {}
  Argument(std::initializer_list<int64_t> values) : Argument() {
    kind = WEFT_PPL_INTEGERS;
    for (int64_t value : values)
      own[count++] = value;
  }
};
/// int for types of numbers: `detail::IfNumber<N> = 0` keeps tensors away.
template <class N>
using IfNumber =
    std::enable_if_t<std::is_arithmetic_v<N> || std::is_same_v<N, fp16> ||
                         std::is_same_v<N, bf16>,
                     int>;

inline void call(const char *name, Line at,
                 std::initializer_list<Argument> arguments) {
  std::vector<weft_ppl_argument> plain;
  for (const Argument &argument : arguments) {
    plain.push_back(argument);
    plain.back().integers = argument.own;
  }
  recorder().call(recorder().self, name, plain.data(), plain.size(), at);
}
} // namespace detail

} // namespace ppl

/// The recorder introduces itself here before it runs a kernel of the library.
extern "C" inline __attribute__((used, visibility("default"))) void
weft_ppl_bind(const weft_ppl_recorder *recorder) {
  ppl::detail::bound = recorder;
  ppl::detail::session() = {};
  if (recorder && ppl::detail::unboundCall.line)
    recorder->fail(recorder->self,
                   "this runs before any test: it belongs to an object at file "
                   "scope; make tensors inside a kernel",
                   ppl::detail::unboundCall);
}

#endif // WEFT_FRONTEND_PPL_INCLUDE_PPL_TENSOR_H
