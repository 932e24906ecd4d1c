//===- test.h - what tests of kernels call ---------------------*- C++ -*-===//

#ifndef WEFT_FRONTEND_PPL_INCLUDE_PPL_TEST_H
#define WEFT_FRONTEND_PPL_INCLUDE_PPL_TEST_H

#include "ppl/files.h"
#include "ppl/kernel.h"

#include <cmath>
#include <limits>
#include <string>

/// The test utilities of the manual (PPL 4.9) and `expect`. A test is a
/// function marked __TEST__: it allocates device memory, fills it, calls
/// kernels like ordinary functions and says what must come out:
///
///   __TEST__ void doubles() {
///     dim4 shape = {1, 64, 1, 100};
///     float *out = ppl::malloc<float>(&shape);
///     float *in = ppl::rand<float>(&shape, -1.0f, 1.0f);
///     twice(out, in);
///     ppl::expect(out, &shape, [&](int64_t i) { return 2.0 * in[i]; });
///   }

namespace ppl {

namespace detail {
/// Bytes from `pointer` to the end of its allocation; 0 if it lies in none.
inline size_t roomAt(const void *pointer) {
  uintptr_t address = reinterpret_cast<uintptr_t>(pointer);
  const std::map<uintptr_t, size_t> &allocations = session().allocations;
  auto next = allocations.upper_bound(address);
  if (next == allocations.begin())
    return 0;
  --next;
  uintptr_t offset = address - next->first;
  return offset < next->second ? next->second - offset : 0;
}
/// Elements of a shape that `function` was given; 0 after an error.
inline int64_t elementsOf(const char *function, const dim4 *shape, Line at) {
  // More than any chip's memory, and far from the ends of int64_t.
  constexpr int64_t most = int64_t(1) << 40;
  std::string name = function;
  if (!shape) {
    refuse(name + ": the shape is a null pointer", at);
    return 0;
  }
  int64_t count = 1;
  std::string text;
  for (int size : {shape->n, shape->c, shape->h, shape->w}) {
    text += (text.empty() ? "" : "x") + std::to_string(size);
    if (count > 0 && count <= most)
      count = size > 0 ? count * size : 0;
  }
  if (count > 0 && count <= most)
    return count;
  refuse(name + ": shape is " + text +
             (count == 0 ? ", each size must be 1 or more"
                         : ", which is more than 2^40 elements; make it "
                           "smaller"),
         at);
  return 0;
}
template <class T>
size_t bytesOf(int64_t elements) {
  return size_t(elements * bitwidth_v<T> + 7) / 8;
}

/// An fp8 value; `exponentBits` 5 (E5M2) or 4 (E4M3, which has no infinity).
inline double fp8Value(uint8_t bits, int exponentBits) {
  int fractionBits = 7 - exponentBits, bias = (1 << (exponentBits - 1)) - 1;
  int exponent = bits >> fractionBits & ((1 << exponentBits) - 1),
      fraction = bits & ((1 << fractionBits) - 1);
  double sign = bits & 0x80 ? -1 : 1;
  if (exponentBits == 5 && exponent == 31)
    return fraction ? std::nan("") : sign * HUGE_VAL;
  if (exponentBits == 4 && (bits & 0x7f) == 0x7f)
    return std::nan("");
  if (exponent == 0)
    return sign * std::ldexp(fraction, 1 - bias - fractionBits);
  return sign * std::ldexp(fraction + (1 << fractionBits),
                           exponent - bias - fractionBits);
}
/// The nearest value, ties to even; the largest finite one beyond it.
inline uint8_t fp8Bits(double value, int exponentBits) {
  uint8_t sign = std::signbit(value) ? 0x80 : 0,
          largest = exponentBits == 5 ? 0x7b : 0x7e;
  if (std::isnan(value))
    return sign | 0x7f;
  double magnitude = std::fabs(value);
  if (magnitude >= fp8Value(largest, exponentBits))
    return sign | largest;
  // The codes of positive values rise with them.
  uint8_t below = 0;
  for (int bit = 64; bit > 0; bit /= 2)
    if ((below | bit) <= largest &&
        fp8Value(uint8_t(below | bit), exponentBits) <= magnitude)
      below |= uint8_t(bit);
  double low = fp8Value(below, exponentBits),
         high = fp8Value(uint8_t(below + 1), exponentBits);
  bool up = magnitude - low > high - magnitude ||
            (magnitude - low == high - magnitude && below & 1);
  return uint8_t(sign | (below + up));
}

/// The value of an element and its nearest element, for the types that the
/// host can calculate with.
template <class T>
double valueOf(T element) {
  if constexpr (std::is_same_v<T, fp8e5m2>)
    return fp8Value(element.bits, 5);
  else if constexpr (std::is_same_v<T, fp8e4m3>)
    return fp8Value(element.bits, 4);
  else if constexpr (std::is_same_v<T, tf32>)
    return element.value;
  else if constexpr (std::is_same_v<T, fp16> || std::is_same_v<T, bf16>)
    return float(element);
  else {
    static_assert(std::is_arithmetic_v<T>,
                  "the host has no value of this element type");
    return double(element);
  }
}
template <class T>
T elementOf(double value) {
  T element{};
  if constexpr (std::is_same_v<T, fp8e5m2>)
    element.bits = fp8Bits(value, 5);
  else if constexpr (std::is_same_v<T, fp8e4m3>)
    element.bits = fp8Bits(value, 4);
  else if constexpr (std::is_same_v<T, tf32>)
    element.value = float(value);
  else if constexpr (std::is_same_v<T, fp16> || std::is_same_v<T, bf16>)
    element = T(float(value));
  else {
    static_assert(std::is_arithmetic_v<T>,
                  "the host has no value of this element type");
    element = T(value);
  }
  return element;
}
} // namespace detail

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// Zeroed memory of the device for `shape`, continuous. The test reads and
/// writes it through the pointer. If there is no room the test ends here, with
/// a message.
template <class T>
T *malloc(const dim4 *shape, Line at = {}) {
  const int64_t count = detail::elementsOf("malloc", shape, at);
  if (count == 0)
    throw detail::Stopped();
  detail::Sizes sizes(*shape);
  void *memory = detail::recorder().allocate(
      detail::recorder().self, convert_dtype<T>(), sizes.v, nullptr, at);
  if (!memory)
    throw detail::Stopped();
  detail::session().allocations[reinterpret_cast<uintptr_t>(memory)] =
      detail::bytesOf<T>(count);
  return static_cast<T *>(memory);
}
/// With the block and the place of the chips that have several dies.
template <class T>
T *malloc(const dim4 *shape, const dim4 *, tensor_mode_t mode = GLOBAL,
          Line at = {}) {
  if (mode == GLOBAL)
    return malloc<T>(shape, at);
  detail::refuse("unsupported: malloc with mode " + std::to_string(mode) +
                     "; tests have GLOBAL memory",
                 at);
  throw detail::Stopped();
}

namespace detail {
/// Whether random elements of T can be from `low` to `high`; if not, an error.
template <class T>
bool areLimits(double low, double high, Line at) {
  double least, most;
  if constexpr (std::is_integral_v<T>) {
    least = double(std::numeric_limits<T>::min());
    most = double(std::numeric_limits<T>::max());
  } else {
    most = std::is_same_v<T, fp8e5m2>   ? fp8Value(0x7b, 5)
           : std::is_same_v<T, fp8e4m3> ? fp8Value(0x7e, 4)
           : std::is_same_v<T, fp16>    ? 65504.0
           : std::is_same_v<T, bf16>    ? 0x1.fep127
                                        : double(0x1.fffffep127f);
    least = -most;
  }
  const std::string given =
      "rand: low is " + std::to_string(low) + ", high " + std::to_string(high);
  if (!(low <= high))
    refuse(given + "; low must not be above high, and neither NaN", at);
  else if (low < least || high > most)
    refuse(given + ", the elements are from " + std::to_string(least) + " to " +
               std::to_string(most) + "; take limits in that range",
           at);
  else
    return true;
  return false;
}
} // namespace detail

/// Random values, in [low, high) for floats and [low, high] for integers; the
/// same in every run.
template <class T, class Low, class High,
          std::enable_if_t<std::is_arithmetic_v<Low>, int> = 0>
void rand(T *memory, const dim4 *shape, Low low, High high, Line at = {}) {
  static_assert(bitwidth_v<T> == 8 * sizeof(T), "rand: whole bytes only");
  const int64_t count = detail::elementsOf("rand", shape, at);
  if (count == 0 || !detail::areLimits<T>(double(low), double(high), at))
    return;
  const size_t room = detail::roomAt(memory) / sizeof(T);
  if (uint64_t(count) > room)
    return detail::refuse(
        "rand: " + std::to_string(count) + " elements, the memory has room " +
            "for " + std::to_string(room) +
            "; take memory of ppl::malloc and a shape no larger than it",
        at);
  detail::recorder().fill_random(detail::recorder().self, memory,
                                 convert_dtype<T>(), count, double(low),
                                 double(high));
}
/// Only the elements at `offset` + index * `stride`, both in elements; the
/// default offset is 0.
template <class T, class Low, class High,
          std::enable_if_t<std::is_arithmetic_v<Low>, int> = 0>
void rand(T *memory, const dim4 *shape, const dim4 *stride, const dim4 *offset,
          Low low, High high, Line at = {}) {
  static_assert(bitwidth_v<T> == 8 * sizeof(T), "rand: whole bytes only");
  const int64_t count = detail::elementsOf("rand", shape, at);
  if (count == 0 || !detail::areLimits<T>(double(low), double(high), at))
    return;
  dim4 s = stride ? *stride
                  : dim4{shape->c * shape->h * shape->w, shape->h * shape->w,
                         shape->w, 1};
  dim4 o = offset ? *offset : dim4{0, 0, 0, 0};
  int64_t start = int64_t(o.n) * s.n + int64_t(o.c) * s.c + int64_t(o.h) * s.h +
                  int64_t(o.w) * s.w;
  int64_t last = start + int64_t(shape->n - 1) * s.n +
                 int64_t(shape->c - 1) * s.c + int64_t(shape->h - 1) * s.h +
                 int64_t(shape->w - 1) * s.w;
  if (start < 0 || last < start ||
      uint64_t(last) >= detail::roomAt(memory) / sizeof(T))
    return detail::refuse("rand: element " + std::to_string(last) +
                              " lies outside the allocation; make it larger "
                              "or the strides smaller",
                          at);
  for (int stride : {s.n, s.c, s.h, s.w})
    if (stride < 0)
      return detail::refuse("rand: a stride is " + std::to_string(stride) +
                                ", must be 0 or more",
                            at);
  std::vector<T> values;
  values.resize(size_t(count));
  rand(values, low, high, at);
  size_t next = 0;
  for (int n = 0; n < shape->n; ++n)
    for (int c = 0; c < shape->c; ++c)
      for (int h = 0; h < shape->h; ++h)
        for (int w = 0; w < shape->w; ++w)
          memory[start + int64_t(n) * s.n + int64_t(c) * s.c +
                 int64_t(h) * s.h + int64_t(w) * s.w] = values[next++];
}
template <class T, class Low, class High,
          std::enable_if_t<std::is_arithmetic_v<Low>, int> = 0>
void rand(T *memory, const dim4 *shape, const dim4 *stride, Low low, High high,
          Line at = {}) {
  rand(memory, shape, stride, static_cast<const dim4 *>(nullptr), low, high,
       at);
}
/// Fills memory of the test's own, all of it.
template <class T, class Low, class High>
void rand(std::vector<T> &values, Low low, High high, Line at = {}) {
  if (detail::areLimits<T>(double(low), double(high), at))
    detail::recorder().fill_random(detail::recorder().self, values.data(),
                                   convert_dtype<T>(), int64_t(values.size()),
                                   double(low), double(high));
}
/// Allocates and fills.
template <class T, class Low, class High,
          std::enable_if_t<std::is_arithmetic_v<Low>, int> = 0>
T *rand(const dim4 *shape, Low low, High high, Line at = {}) {
  T *memory = malloc<T>(shape, at);
  rand(memory, shape, low, high, at);
  return memory;
}
/// Without limits: zeros, as in the manual's example.
template <class T>
T *rand(const dim4 *shape, Line at = {}) {
  return malloc<T>(shape, at);
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

namespace detail {
/// Copies elements of type File to `destination`, converting values.
template <class File, class T>
void copyValues(T *destination, const std::vector<char> &bytes,
                const char *name, Line at) {
  if (bytes.size() % sizeof(File) != 0)
    return refuse(std::string("'") + name + "' has " +
                      std::to_string(bytes.size()) +
                      " bytes, not a whole number of elements of " +
                      std::to_string(sizeof(File)) + " bytes",
                  at);
  size_t count = bytes.size() / sizeof(File), room = roomAt(destination);
  if (count * sizeof(T) > room)
    return refuse(std::string("'") + name + "' has " + std::to_string(count) +
                      " elements, the memory room for " +
                      std::to_string(room / sizeof(T)) +
                      "; allocate it with the shape of the file",
                  at);
  if constexpr (std::is_same_v<File, T>) {
    std::memcpy(static_cast<void *>(destination), bytes.data(), bytes.size());
  } else {
    for (size_t i = 0; i < count; ++i) {
      File element;
      std::memcpy(static_cast<void *>(&element), &bytes[i * sizeof(File)],
                  sizeof(File));
      if constexpr (std::is_integral_v<File> && std::is_integral_v<T>)
        destination[i] = T(element);
      else
        destination[i] = elementOf<T>(valueOf(element));
    }
  }
}
/// The same for the element type that a numpy file names.
template <class T>
void copyNumpy(T *destination, const FileValues &file, const char *name,
               Line at) {
  const std::string &t = file.type;
  auto copy = [&](auto element) {
    copyValues<decltype(element)>(destination, file.bytes, name, at);
  };
  if (t == "f4")
    copy(float());
  else if (t == "f8")
    copy(double());
  else if (t == "f2")
    copy(fp16());
  else if (t == "i1")
    copy(int8());
  else if (t == "u1" || t == "b1")
    copy(uint8());
  else if (t == "i2")
    copy(int16());
  else if (t == "u2")
    copy(uint16());
  else if (t == "i4")
    copy(int32());
  else if (t == "u4")
    copy(uint32());
  else if (t == "i8")
    copy(int64());
  else if (t == "u8")
    copy(uint64());
  else if (t == "V2") // ml_dtypes' bfloat16
    copy(bf16());
  else
    refuse("unsupported: '" + std::string(name) + "' has elements of type '" +
               t + "'; name the type of the file: read_npy<fp16>(...)",
           at);
}
/// No type of the file is named.
struct FilesOwn {};
enum FileMode { Binary = 0, Npy = 1, Npz = 2 };

template <class File, class T>
void readFile(T *destination, const char *path, FileMode mode,
              const char *array, Line at) {
  if (!path || !array)
    return refuse("the name of a file or an array is a null pointer", at);
  FileValues file = mode == Npz   ? readNpz(path, array)
                    : mode == Npy ? parseNpy(readBytes(path), path)
                                  : readBytes(path);
  if (!file.problem.empty())
    return refuse(file.problem, at);
  if constexpr (!std::is_same_v<File, FilesOwn>)
    copyValues<File>(destination, file.bytes, path, at);
  else if (mode == Binary)
    copyValues<T>(destination, file.bytes, path, at);
  else
    copyNumpy<T>(destination, file, path, at);
}
/// The manual writes <destination, file>, its headers <file, destination> or
/// <file>: the one that is not the type of the pointer.
template <class A, class B, class T>
using FileType =
    std::conditional_t<std::is_same_v<B, FilesOwn> || std::is_same_v<B, T>, A,
                       B>;
} // namespace detail

/// Fills `destination`, memory from `malloc`, with the array of an npy file;
/// values are converted to the element type. The file says what its elements
/// are; where numpy has no name for them give it: read_npy<bf16>(p, "x.npy").
template <class A = detail::FilesOwn, class B = detail::FilesOwn, class T>
void read_npy(T *destination, const char *path, Line at = {}) {
  detail::readFile<detail::FileType<A, B, T>>(destination, path, detail::Npy,
                                              "", at);
}
/// One array of an npz file (numpy.savez).
template <class A = detail::FilesOwn, class B = detail::FilesOwn, class T>
void read_npz(T *destination, const char *path, const char *array,
              Line at = {}) {
  detail::readFile<detail::FileType<A, B, T>>(destination, path, detail::Npz,
                                              array, at);
}
/// A raw file, of elements of the destination's type or of the one named.
template <class A = detail::FilesOwn, class B = detail::FilesOwn, class T>
void read_bin(T *destination, const char *path, Line at = {}) {
  detail::readFile<detail::FileType<A, B, T>>(destination, path, detail::Binary,
                                              "", at);
}
/// `mode` 0: raw, 1: npy, 2: npz; `type`: of a raw file's elements, DT_NONE:
/// those of the destination.
template <class T>
void read_file(T *destination, const char *path, int mode,
               data_type_t type = DT_NONE, const char *array = "",
               Line at = {}) {
  if (mode < detail::Binary || mode > detail::Npz)
    return detail::refuse("read_file: mode is " + std::to_string(mode) +
                              "; 0 is raw, 1 npy, 2 npz",
                          at);
  auto read = [&](auto element) {
    detail::readFile<decltype(element)>(destination, path,
                                        detail::FileMode(mode), array, at);
  };
  switch (type) {
  case DT_NONE:
    return read(detail::FilesOwn());
  case DT_FP32:
    return read(float());
  case DT_FP16:
    return read(fp16());
  case DT_BF16:
    return read(bf16());
  case DT_INT32:
    return read(int32());
  case DT_UINT32:
    return read(uint32());
  case DT_INT16:
    return read(int16());
  case DT_UINT16:
    return read(uint16());
  case DT_INT8:
    return read(int8());
  case DT_UINT8:
    return read(uint8());
  default:
    detail::refuse("unsupported: read_file of elements of type " +
                       std::to_string(type),
                   at);
  }
}

//===----------------------------------------------------------------------===//
// What must come out
//===----------------------------------------------------------------------===//

/// After the program has run, |got - wanted| <= atol + rtol * |wanted| for
/// every element; NaN equals NaN. `wanted` is a function of (n, c, h, w) or of
/// the number of the element in row-major order, or a container with as many
/// values as the shape has.
template <class T, class Wanted>
void expect(const T *memory, const dim4 *shape, Wanted &&wanted,
            double rtol = 0, double atol = 0, Line at = {}) {
  const int64_t count = detail::elementsOf("expect", shape, at);
  const size_t room = detail::roomAt(memory);
  if (count == 0)
    return;
  if (detail::bytesOf<T>(count) > room)
    return detail::refuse(
        "expect: " + std::to_string(count) + " elements, the memory has room " +
            "for " + std::to_string(room * 8 / bitwidth_v<T>) +
            "; take memory of ppl::malloc and a shape no larger than it",
        at);
  std::vector<double> values;
  values.reserve(size_t(count));
  if constexpr (std::is_invocable_v<Wanted, int, int, int, int>) {
    for (int n = 0; n < shape->n; ++n)
      for (int c = 0; c < shape->c; ++c)
        for (int h = 0; h < shape->h; ++h)
          for (int w = 0; w < shape->w; ++w)
            values.push_back(double(wanted(n, c, h, w)));
  } else if constexpr (std::is_invocable_v<Wanted, int64_t>) {
    for (int64_t i = 0; i < count; ++i)
      values.push_back(double(wanted(i)));
  } else {
    for (const auto &value : wanted)
      values.push_back(detail::valueOf(value));
  }
  if (int64_t(values.size()) != count)
    return detail::refuse("expect: " + std::to_string(values.size()) +
                              " values are given for a shape of " +
                              std::to_string(count) + " elements",
                          at);
  detail::recorder().expect(detail::recorder().self, memory, convert_dtype<T>(),
                            count, values.data(), rtol, atol, at);
}

} // namespace ppl

#endif // WEFT_FRONTEND_PPL_INCLUDE_PPL_TEST_H
