//===- kernel.h - what kernels call beside the engines --------*- C++ -*-===//

#ifndef WEFT_FRONTEND_PPL_INCLUDE_PPL_KERNEL_H
#define WEFT_FRONTEND_PPL_INCLUDE_PPL_KERNEL_H

#include "ppl/tensor.h"
#include "ppl/vector_setting.h"

#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <string>

/// The kernel utilities of the manual (PPL 4.8) and those that only its headers
/// have. A kernel is recorded: it runs on the host, before the chip does, with
/// concrete sizes. So each of these is one of
///  * a number or a setting, with its full meaning;
///  * nothing, where the recorded program has the property anyway: commands
///    take effect in the order in which the kernel calls them, so waiting for
///    an engine changes no value;
///  * an error that says what to do, where it would read what the chip has yet
///    to compute.

namespace ppl {

namespace detail {
inline void setting(int32_t number, int64_t subject, int64_t value) {
  recorder().set(recorder().self, number, subject, value);
}
inline int number(int32_t number, int64_t subject = 0) {
  return int(recorder().get(recorder().self, number, subject));
}
inline void refuse(const std::string &message, Line at) {
  recorder().fail(recorder().self, message.c_str(), at);
}
} // namespace detail

//===----------------------------------------------------------------------===//
// Integers and scalars
//===----------------------------------------------------------------------===//

/// The smallest integer that is at least a / b. (The manual prints the bodies
/// of this function and the next one in each other's place.)
template <class A, class B>
constexpr auto div_up(A a, B b) -> std::common_type_t<A, B> {
  return (a + b - 1) / b;
}
/// The smallest multiple of b that is at least a.
template <class A, class B>
constexpr auto align(A a, B b) -> std::common_type_t<A, B> {
  return (a + b - 1) / b * b;
}
template <class T>
void swap(T &a, T &b) {
  T old = a;
  a = b;
  b = old;
}
template <class A, class B,
          std::enable_if_t<std::is_arithmetic_v<A> && std::is_arithmetic_v<B>,
                           int> = 0>
constexpr auto max(A a, B b) -> std::common_type_t<A, B> {
  return a < b ? b : a;
}
template <class A, class B,
          std::enable_if_t<std::is_arithmetic_v<A> && std::is_arithmetic_v<B>,
                           int> = 0>
constexpr auto min(A a, B b) -> std::common_type_t<A, B> {
  return b < a ? b : a;
}
template <class A, class B>
constexpr auto MAX(A a, B b) -> std::common_type_t<A, B> {
  return max(a, b);
}

// Scalar mathematics, those of <cmath>. The templates take float so that an
// unqualified call neither widens to double nor is ambiguous beside C's.
#define WEFT_PPL_SCALAR(name, function)                                        \
  template <class T, std::enable_if_t<std::is_same_v<T, float>, int> = 0>      \
  T name(T x) {                                                                \
    return std::function(x);                                                   \
  }
using ::exp;
using ::exp2;
using ::floor;
using ::log;
using ::log2;
using ::pow;
using ::round;
using ::sqrt;
using ::trunc;
WEFT_PPL_SCALAR(exp, exp)
WEFT_PPL_SCALAR(exp2, exp2)
WEFT_PPL_SCALAR(floor, floor)
WEFT_PPL_SCALAR(log, log)
WEFT_PPL_SCALAR(log2, log2)
WEFT_PPL_SCALAR(round, round)
WEFT_PPL_SCALAR(sqrt, sqrt)
WEFT_PPL_SCALAR(trunc, trunc)
WEFT_PPL_SCALAR(ceiling, ceil)
#undef WEFT_PPL_SCALAR
inline double ceiling(double x) { return std::ceil(x); }
template <class T, std::enable_if_t<std::is_same_v<T, float>, int> = 0>
T pow(T x, T y) {
  return std::pow(x, y);
}
template <class T, std::enable_if_t<std::is_arithmetic_v<T>, int> = 0>
T abs(T x) {
  return x < 0 ? -x : x;
}

//===----------------------------------------------------------------------===//
// The chip
//===----------------------------------------------------------------------===//

/// Lanes of the target.
inline int lane_num() { return detail::number(WEFT_PPL_LANES); }
/// Bytes that one lane computes at a time.
inline int eu_bytes() { return detail::number(WEFT_PPL_EU_BYTES); }
/// Bytes of local memory that each lane has.
inline int lane_bytes() { return detail::number(WEFT_PPL_LANE_BYTES); }
/// Bytes a cycle between DRAM and local memory by the cost model, 0 for a chip
/// that has none.
inline int dma_load_bytes() { return detail::number(WEFT_PPL_LOAD_BYTES); }
inline int dma_store_bytes() { return detail::number(WEFT_PPL_STORE_BYTES); }
/// Bytes that lie together in DRAM; fewer take as long. 0 as above.
inline int shortest_dma_run() {
  return detail::number(WEFT_PPL_SHORTEST_DMA_RUN);
}
#define LANE_NUM (::ppl::lane_num())
#define NPU_NUM (::ppl::lane_num())
#define EU_BYTES (::ppl::eu_bytes())

/// Bytes of an element.
template <class T>
constexpr int get_data_size() {
  static_assert(bitwidth_v<T> == 8 || bitwidth_v<T> == 16 ||
                    bitwidth_v<T> == 32,
                "get_data_size: elements of 1, 2 or 4 bytes only");
  return int(sizeof(T));
}
/// Elements that one lane computes at a time.
template <class T>
int get_eu_num() {
  return eu_bytes() * 8 / (bitwidth_v<T> == 20 ? 24 : bitwidth_v<T>);
}
/// Input channels that lie together in a convolution's weights.
template <class T>
int get_nic() {
  return detail::number(WEFT_PPL_CHANNEL_PACK, convert_dtype<T>());
}
/// Bytes of each lane that a tensor of layout TPU_ALIGN takes whose `channels`
/// are dealt out to the lanes, `elements` of `element_bytes` bytes in each.
inline int tile_bytes(int channels, int elements, int element_bytes) {
  return div_up(channels, lane_num()) *
         align(elements * element_bytes, eu_bytes());
}

//===----------------------------------------------------------------------===//
// Shapes and tensors
//===----------------------------------------------------------------------===//

namespace detail {
inline dim4 stridesOf(const dim4 &shape, align_mode_t mode, int startLane,
                      int vector) {
  if (mode == CONTINUOUS || mode == NONE_ALIGN)
    return {shape.c * shape.h * shape.w, shape.h * shape.w, shape.w, 1};
  int row = mode == TPU_ROW_ALIGN ? align(shape.w, vector) : shape.w;
  int channel = shape.h * row;
  if (mode == TPU_ALIGN)
    channel = align(channel, vector);
  return {div_up(startLane + shape.c, lane_num()) * channel, channel, row, 1};
}
} // namespace detail

/// The strides, in elements, that a local tensor of this layout has when its
/// channel 0 lies in `startLane`; CONTINUOUS: those of global memory.
template <class T>
dim4 get_stride(const dim4 &shape, align_mode_t mode, int startLane = 0) {
  return detail::stridesOf(shape, mode, startLane, get_eu_num<T>());
}
/// Deprecated; the elements a lane computes at a time are given.
inline void get_stride(dim4 *stride, const dim4 *shape, align_mode_t mode,
                       int euNum, int startLane = 0) {
  *stride = detail::stridesOf(*shape, mode, startLane, euNum);
}
/// Deprecated: the strides of TPU_ALIGN for elements of `bytes` bytes.
inline void aligned_stride_4d(dim4 *stride, const dim4 *shape, int startLane,
                              int bytes) {
  *stride = detail::stridesOf(*shape, TPU_ALIGN, startLane, eu_bytes() / bytes);
}

/// n, c, h, w for 0 to 3, or for -4 to -1; -1 for any other index.
inline int dim4_index(const dim4 &d, int index) {
  switch (index < 0 ? index + 4 : index) {
  case 0:
    return d.n;
  case 1:
    return d.c;
  case 2:
    return d.h;
  case 3:
    return d.w;
  default:
    return -1;
  }
}
inline int dim4_index(const dim4 *d, int index) {
  return dim4_index(*d, index);
}

/// Axis i of the tensor is axis order[i] of `memShape`, which lies continuous
/// at `address`.
template <class T>
gtensor<T> make_gtensor_permute(const dim4 &memShape, tensor_mode_t mode,
                                T *address, const int *order, Line at = {}) {
  unsigned seen = 0;
  for (int i = 0; order && i < 4; ++i)
    if (order[i] >= 0 && order[i] < 4)
      seen |= 1u << order[i];
  if (seen != 15) {
    detail::refuse("make_gtensor_permute: order is not a permutation of "
                   "0, 1, 2, 3; name each axis once",
                   at);
    return gtensor<T>(typename gtensor<T>::Made{0});
  }
  dim4 strides = {memShape.c * memShape.h * memShape.w, memShape.h * memShape.w,
                  memShape.w, 1};
  auto permuted = [&](const dim4 &d) {
    return dim4{dim4_index(d, order[0]), dim4_index(d, order[1]),
                dim4_index(d, order[2]), dim4_index(d, order[3])};
  };
  return make_gtensor<T>(permuted(memShape), mode, address, permuted(strides),
                         at);
}
template <class T>
gtensor<T> make_gtensor_permute(const dim4 &memShape, tensor_mode_t mode,
                                T *address, Line at = {}) {
  return gtensor<T>(memShape, mode, address, at);
}

/// `block` elements in L2, viewed as `real`, the part that is used.
template <class T>
gtensor<T> make_l2tensor(const dim4 &block, tensor_mode_t mode,
                         const dim4 &real, Line at = {}) {
  if (real.n > block.n || real.c > block.c || real.h > block.h ||
      real.w > block.w)
    detail::refuse("make_l2tensor: the real shape exceeds the block shape; "
                   "make the block larger",
                   at);
  return gtensor<T>(block, mode, nullptr, at).view(real, at);
}

/// The device address of the first element.
template <class T>
int64 get_gmem_addr(const gtensor<T> &tensor, Line at = {}) {
  if (!tensor.address)
    detail::refuse("get_gmem_addr: the compiler has yet to place this tensor; "
                   "make it with an address",
                   at);
  return int64(tensor.address);
}
template <class T>
int64 get_gmem_addr(T *address) {
  return int64(reinterpret_cast<uintptr_t>(address));
}

//===----------------------------------------------------------------------===//
// The scalar core's view of memory: what it would read does not exist yet
//===----------------------------------------------------------------------===//

/// Reads one element. Refused: when the kernel is recorded nothing has run.
template <class T>
T get_value(int64, Line at = {}) {
  detail::refuse("get_value: no value of device memory is known while a kernel "
                 "is recorded; pass it to the kernel as a parameter, or use "
                 "a gather with the value as index",
                 at);
  return T{};
}
template <class T>
T *get_gmem_ptr(const gtensor<T> &, Line at = {}) {
  detail::refuse("get_gmem_ptr: the scalar core's accesses are not recorded; "
                 "use dma functions on the gtensor",
                 at);
  return nullptr;
}
template <class T>
T *get_gmem_ptr(T *, Line at = {}) {
  detail::refuse("get_gmem_ptr: the scalar core's accesses are not recorded; "
                 "use dma functions on a gtensor",
                 at);
  return nullptr;
}
template <class T>
T *get_lmem_ptr(const tensor<T> &, Line at = {}) {
  detail::refuse("get_lmem_ptr: the scalar core's accesses are not recorded; "
                 "use tiu or dma functions on the tensor",
                 at);
  return nullptr;
}
template <class T>
T *get_lmem_ptr(int64, Line at = {}) {
  detail::refuse("get_lmem_ptr: the scalar core's accesses are not recorded; "
                 "use tiu or dma functions on a tensor",
                 at);
  return nullptr;
}
/// On device memory; that of the host is std::memset's and std::memcpy's.
template <class T>
void memset(T *, int, size_t, Line at = {}) {
  detail::refuse("memset: the scalar core's accesses are not recorded; use "
                 "dma::fill on a gtensor (for the host's own memory, "
                 "std::memset)",
                 at);
}
template <class T, class U>
void memcpy(T *, const U *, size_t, Line at = {}) {
  detail::refuse("memcpy: the scalar core's accesses are not recorded; use "
                 "dma::move between gtensors (for the host's own memory, "
                 "std::memcpy)",
                 at);
}
template <class T>
void sort(T *, int, bool = false, Line at = {}) {
  detail::refuse("sort: the scalar core's accesses are not recorded; use "
                 "hau::topk (for the host's own memory, std::sort)",
                 at);
}
/// The values exist only once the program has run.
template <class Tensor>
void dump(const char *, const char *, const Tensor &, Line at = {}) {
  detail::refuse("dump: no value exists while a kernel is recorded; store the "
                 "tensor to memory of the test and run it with --save",
                 at);
}
/// The scalar core has no cache that recorded commands could see.
inline void invalid_cache(int64, int = 64) {}
inline void invalid_cache(const void *, int = 64) {}
inline void flush_cache(int64, int = 64) {}
inline void flush_cache(const void *, int = 64) {}

//===----------------------------------------------------------------------===//
// Checks and texts
//===----------------------------------------------------------------------===//

namespace detail {
inline void check(bool holds, const char *condition, Line at) {
  if (holds)
    return;
  refuse(std::string("assert(") + condition + ") does not hold", at);
  // What the condition guards, a division or a loop, must not run.
  throw Stopped();
}
/// The last 16 texts stay valid.
inline __attribute__((visibility("hidden"))) char *keep(std::string text) {
  thread_local std::string kept[16];
  thread_local unsigned next = 0;
  std::string &place = kept[next++ % 16];
  place = std::move(text);
  return place.data();
}
inline std::string formatted(const char *format, va_list arguments) {
  va_list again;
  va_copy(again, arguments);
  int length = std::vsnprintf(nullptr, 0, format, again);
  va_end(again);
  if (length < 0)
    return {};
  std::string text(size_t(length) + 1, '\0');
  std::vsnprintf(text.data(), text.size(), format, arguments);
  text.resize(size_t(length));
  return text;
}
inline std::string list(const int64_t *v) {
  return "(" + std::to_string(v[0]) + ", " + std::to_string(v[1]) + ", " +
         std::to_string(v[2]) + ", " + std::to_string(v[3]) + ")";
}
inline __attribute__((visibility("hidden"))) char *
describe(const AnyTensor &tensor) {
  static const char *const memories[] = {"",      "L2",       "GLOBAL",
                                         "LOCAL", "ISOLATED", "MIRROR"};
  static const char *const layouts[] = {
      "CONTINUOUS", "TPU_ALIGN", "TPU_COMPACT", "TPU_ROW_ALIGN", "NONE_ALIGN"};
  weft_ppl_tensor d = tensor.described();
  bool known = d.type > 0 && d.type <= DT_FP4 && d.memory > 0 &&
               d.memory <= MIRROR && d.layout >= 0 && d.layout <= NONE_ALIGN;
  if (!known)
    return keep("(no tensor)");
  return keep(std::string(typeName(d.type)) + " shape " + list(d.shape) +
              " strides " + list(d.strides) + " " + memories[d.memory] + " " +
              layouts[d.layout] + " lane " + std::to_string(d.lane));
}
} // namespace detail

/// Ends the recording with a message if the condition does not hold. Include
/// ppl.h after <cassert>, whose macro would end the compiler itself.
#undef assert
#define assert(condition)                                                      \
  ::ppl::detail::check(static_cast<bool>(condition), #condition,               \
                       ::ppl::Line(__FILE__, __LINE__))

/// Type, shape, strides, memory and layout of a tensor; for print. One of the
/// last 16 texts.
template <class T>
char *to_string(const tensor<T> &t) {
  return detail::describe(t);
}
template <class T>
char *to_string(const gtensor<T> &t) {
  return detail::describe(t);
}
/// Writes to the standard error stream, while the kernel is recorded.
inline __attribute__((format(printf, 1, 2))) void print(const char *format,
                                                        ...) {
  va_list arguments;
  va_start(arguments, format);
  std::vfprintf(stderr, format, arguments);
  va_end(arguments);
}
/// Not of tensors, which have no values while the kernel is recorded.
template <
    class... A,
    std::enable_if_t<(std::is_base_of_v<detail::AnyTensor, A> || ...), int> = 0>
void print(const char *, const A &...) {
  static_assert(sizeof...(A) == 0,
                "print() takes numbers and texts; of a tensor print "
                "to_string(x), its type and shape, and store it to see its "
                "values");
}
/// A formatted text; one of the last 16.
inline __attribute__((format(printf, 1, 2))) char *str(const char *format,
                                                       ...) {
  va_list arguments;
  va_start(arguments, format);
  char *text = detail::keep(detail::formatted(format, arguments));
  va_end(arguments);
  return text;
}

//===----------------------------------------------------------------------===//
// Scheduling and memory
//===----------------------------------------------------------------------===//

/// One round of a loop whose engines may overlap with those of other rounds.
class PipelineRound {
public:
  explicit PipelineRound(Line at) {
    detail::recorder().enter(detail::recorder().self, WEFT_PPL_SCOPE_ITERATION,
                             "enable_pipeline", at);
  }
  ~PipelineRound() {
    detail::recorder().leave(detail::recorder().self, WEFT_PPL_SCOPE_ITERATION);
  }
  PipelineRound(const PipelineRound &) = delete;
};
#define WEFT_PPL_JOINED(a, b) a##b
#define WEFT_PPL_NAMED(a, b) WEFT_PPL_JOINED(a, b)
/// First in the body of a `for` loop: load, compute and store of successive
/// rounds overlap (PPL 3.4). A macro, because it lasts until the body ends.
#define enable_pipeline()                                                      \
  PipelineRound WEFT_PPL_NAMED(pplRound,                                       \
                               __LINE__)(::ppl::Line(__FILE__, __LINE__))

/// In a pipelined body, what stands behind it runs in the stage of what stands
/// before it or in a later one.
inline void pipeline_barrier() { detail::setting(WEFT_PPL_BARRIER, 0, 0); }
/// The tensor gets no second buffer in pipelined loops.
template <class T>
void disable_pingpong(const tensor<T> &t) {
  detail::setting(WEFT_PPL_PINGPONG, t.id, 0);
}
template <class T>
void disable_pingpong(const gtensor<T> &t) {
  detail::setting(WEFT_PPL_PINGPONG, t.id, 0);
}
/// What is called between these may run at the same time on several engines:
/// the author answers for it that nothing depends on anything else in it.
inline void parallel_start(Line at = {}) {
  detail::recorder().enter(detail::recorder().self, WEFT_PPL_SCOPE_PARALLEL,
                           "parallel_start", at);
}
inline void parallel_end() {
  detail::recorder().leave(detail::recorder().self, WEFT_PPL_SCOPE_PARALLEL);
}
inline void set_config_auto_sync(bool enable, bool parallel = false) {
  detail::setting(WEFT_PPL_AUTO_SYNC, parallel, enable);
}
inline void set_memory_alloc_method(memory_alloc_method_t method) {
  detail::setting(WEFT_PPL_ALLOCATION_METHOD, 0, method);
}
inline void set_config_memory_alloc_method(memory_alloc_method_t method) {
  set_memory_alloc_method(method);
}

/// Runs `body`, which calls a kernel, and gives 0 if its tensors fit; else
/// 0x11 (local memory, or a size of a tensor in it is too large) or 0x1A (L2),
/// and nothing has been recorded. For the
/// manual's "shrink the block and try again":
///   for (int block = 1024; ppl::attempt([&] { k(out, in, block); }); block /=
///   2);
template <class Body>
int attempt(Body &&body, Line at = {}) {
  detail::recorder().enter(detail::recorder().self, WEFT_PPL_SCOPE_ATTEMPT,
                           "attempt", at);
  body();
  return detail::recorder().leave(detail::recorder().self,
                                  WEFT_PPL_SCOPE_ATTEMPT);
}

// Tuning looks for the fastest of several values by running them. A recorded
// kernel runs with the values of its call: these declare nothing.
template <class Kernel, class Tuner>
void autotune_decorator(Kernel &&, Tuner &&) {}
template <class... Values>
void autotune(const char *, Values &&...) {}
inline void autotune_config(const char *) {}
template <class Function>
void autotune_heuristics(Function &&) {}

//===----------------------------------------------------------------------===//
// Cores and waiting (PPL 4.8.3)
//===----------------------------------------------------------------------===//

/// The cores that the kernel asks for; at most those of the chip.
inline void set_block_num(int count) {
  detail::setting(WEFT_PPL_BLOCK_NUM, 0, count);
}
inline void set_block_num_max() { set_block_num(INT32_MAX); }
/// The cores it got, and which of them this is.
inline int get_block_num() { return detail::number(WEFT_PPL_BLOCK_NUM_NOW); }
inline int get_block_index() { return detail::number(WEFT_PPL_BLOCK_INDEX); }
inline void set_group_num(int count) {
  detail::setting(WEFT_PPL_GROUP_NUM, 0, count);
}
inline int get_group_num() { return detail::number(WEFT_PPL_GROUP_NUM_NOW); }
inline int get_group_index() { return detail::number(WEFT_PPL_GROUP_INDEX); }
// Older names.
inline void set_core_num(int count) { set_block_num(count); }
inline int get_core_num() { return get_block_num(); }
inline int get_core_index() { return get_block_index(); }

// Engines, as bits.
enum engine_t {
  TIU = 1,
  DMA = 2,
  HAU = 4,
  SDMA = 8,
  VSDMA = 16,
  CDMA = 32,
  SYNC_CORE = TIU | DMA | HAU | SDMA
};
/// Waits for engines, of this core or of all. On one core the recorded order
/// is enough; between cores the recorder ends a phase here.
inline void sync_engine(int engines, bool allCores, int = 0) {
  detail::setting(WEFT_PPL_BARRIER, engines, allCores);
}
inline void sync_core() { sync_engine(SYNC_CORE, false); }
inline void sync_all() { sync_engine(SYNC_CORE, true); }
inline void sync() { sync_all(); }
inline void hau_poll() { sync_engine(HAU, false); }
inline void tpu_poll() { sync_core(); }
// Deprecated.
inline void sync_sdma() { sync_engine(SDMA, false); }
inline void sync_hau() { sync_engine(HAU, false); }
inline void sync_tiu_dma() { sync_engine(TIU | DMA, false); }
/// A program starts and ends the engines once, not once a kernel.
inline void cancel_tpu_init() {}
inline void cancel_tpu_poll() {}
/// Marks the start of a kernel of RISC-V instructions, which Weft makes none
/// of.
inline void rvt_kernel_start() {}

//===----------------------------------------------------------------------===//
// Messages
//===----------------------------------------------------------------------===//

enum msg_type_t {
  MSG_CCL = 0,
  MSG_LOCAL = 1,
  MSG_GLOBAL = 2,
  MSG_SCHEDULE = 3,
  MSG_CORE_SYNC = 4
};
/// A number that no other message of its kind has in this program.
inline int get_msg_id(msg_type_t type, Line at = {}) {
  constexpr int perType = 16;
  if (type < MSG_CCL || type > MSG_CORE_SYNC ||
      detail::session().messages[type] == perType) {
    detail::refuse("get_msg_id: a program has 16 messages of each of the kinds "
                   "0 to 4; use a message again",
                   at);
    return 0;
  }
  return int(type) * perType + detail::session().messages[type]++;
}
inline int get_ccl_msg_id(Line at = {}) { return get_msg_id(MSG_CCL, at); }
inline int get_local_msg_id(Line at = {}) { return get_msg_id(MSG_LOCAL, at); }
inline int get_global_msg_id(Line at = {}) {
  return get_msg_id(MSG_GLOBAL, at);
}
inline int get_core_sync_msg_id(Line at = {}) {
  return get_msg_id(MSG_CORE_SYNC, at);
}

namespace detail {
inline void message(const char *verb, int engine, int id, int count, Line at) {
  const char *unit = engine == DMA    ? "dma"
                     : engine == SDMA ? "sdma"
                     : engine == HAU  ? "hau"
                                      : nullptr;
  if (!unit)
    return refuse(std::string("unsupported: ") + verb + "_base for engine " +
                      std::to_string(engine) +
                      "; DMA, SDMA and HAU send and wait",
                  at);
  call((std::string(unit) + "." + verb).c_str(), at, {id, count});
}
} // namespace detail
inline void send_msg_base(int engine, int id, int waiters, Line at = {}) {
  detail::message("send_msg", engine, id, waiters, at);
}
inline void wait_msg_base(int engine, int id, int senders, Line at = {}) {
  detail::message("wait_msg", engine, id, senders, at);
}
/// SG2380: message `id` for `waiters` operations, of the TIU or of the DMA.
inline void msg_send(int id, int waiters, bool isDma, Line at = {}) {
  detail::message("send_msg", isDma ? DMA : TIU, id, waiters, at);
}
inline void msg_wait(int id, int senders, bool isDma, Line at = {}) {
  detail::message("wait_msg", isDma ? DMA : TIU, id, senders, at);
}
/// SG2380: orders the accesses before it and after it. So they are anyway.
inline void fence() {}

//===----------------------------------------------------------------------===//
// SG2380: vector registers and masked lanes
//===----------------------------------------------------------------------===//

/// Bits an element, registers a group, elements a register.
inline void vset(int bits, int group, int elements, Line at = {}) {
  if (bits != 8 && bits != 16 && bits != 32)
    return detail::refuse("vset: ew is " + std::to_string(bits) +
                              "; an element has 8, 16 or 32 bits",
                          at);
  if (group < 1 || elements < 1)
    return detail::refuse("vset: lmul and v_len are at least 1", at);
  detail::vectorSetting = {bits, group, elements};
}
/// Refused: no command that Weft makes has a lane mask for the TIU.
inline void lane_mask(int, bool, Line at = {}) {
  detail::refuse("unsupported: lane_mask: work on a sub_view of the lanes "
                 "that are to be written",
                 at);
}

//===----------------------------------------------------------------------===//
// Several chips: a program runs on one
//===----------------------------------------------------------------------===//

inline int chip_num() { return 1; }
inline int chip_id() { return 0; }
inline int rank() { return 0; }
inline __attribute__((visibility("hidden"))) const int *chip_map() {
  static const int map[] = {0};
  return map;
}
inline int get_used_port_num() { return 0; }
inline const int *get_used_ports() { return nullptr; }
inline int get_port(int from, int to, int = 0, Line at = {}) {
  detail::refuse("unsupported: get_port: chips " + std::to_string(from) +
                     " and " + std::to_string(to) +
                     " are not linked; a program runs on one chip",
                 at);
  return -1;
}
inline void sccl_init(int ranks, int = 0, const int * = nullptr, int = 0,
                      Line at = {}) {
  if (ranks != 1)
    detail::refuse("unsupported: sccl_init for " + std::to_string(ranks) +
                       " ranks; a program runs on one chip",
                   at);
}

} // namespace ppl

#endif // WEFT_FRONTEND_PPL_INCLUDE_PPL_KERNEL_H
