//===- SortingKernels.cpp - top-k of ONNX by kernels of the library -------===//
//
// The networks are those of examples/kernels. What is here is ONNX's order:
// NaN is above all numbers, the zeros are equal, and of equal elements the
// first goes first.
//
//===----------------------------------------------------------------------===//

#include "tools/driver/LibraryOperators.h"

#include "examples/kernels/sort/sort.h"
#include "examples/kernels/top_k/top_k.h"

#include "ppl/plugin.h"

namespace {
/// Whole numbers as keys, the largest first unless `falling` is not set.
template <class T>
struct WholeOrder {
  bool falling;

  /// Turns the order round where the largest goes last; of unsigned numbers of
  /// 32 bits the largest would be below 0.
  int32 turns() const {
    int32 sign = std::is_same_v<T, uint32> ? INT32_MIN : 0;
    return falling ? sign : ~sign;
  }
  tensor<int32> keys(const tensor<T> &x, const tensor<int32> &tags) const {
    tensor<int32> turned(tags.getShape());
    if constexpr (sizeof(T) == sizeof(int32)) {
      tiu::bitwise_xor(turned, x.template view<int32>(), turns());
    } else {
      tensor<int32> wide(tags.getShape());
      tiu::cast(wide, x);
      tiu::bitwise_xor(turned, wide, turns());
    }
    return turned;
  }
  tensor<T> elements(const tensor<int32> &keys,
                     const tensor<int32> &tags) const {
    tensor<int32> turned(tags.getShape());
    tiu::bitwise_xor(turned, keys, turns());
    if constexpr (sizeof(T) == sizeof(int32)) {
      return turned.template view<T>();
    } else {
      tensor<T> x(tags.getShape());
      tiu::cast(x, turned);
      return x;
    }
  }
};

/// Floats: as TotalOrder, but that -0 is the key of +0 and each NaN the largest
/// one. Bit 0 of the tags keeps the sign of zeros.
template <class T>
struct FloatOrder {
  bool falling;

  tensor<int32> keys(const tensor<T> &x, const tensor<int32> &tags) const {
    constexpr int32 infinity = 0x7f800000;
    dim4 shape = tags.getShape();
    tensor<float> wide(shape);
    tiu::cast(wide, x);
    auto bits = wide.template view<int32>();
    tensor<int32> zero(shape), numbers(shape), magnitude(shape), nan(shape),
        least(shape), keys(shape), turned(shape);
    tiu::shift(tags, tags, 1, RM_DOWN);
    tiu::eq(zero, bits, INT32_MIN, 1);
    tiu::add(tags, tags, zero, 0, RM_DOWN, false);
    tiu::add(numbers, ordered(bits, 0), zero, 0, RM_DOWN, false);
    tiu::bitwise_and(magnitude, bits, INT32_MAX);
    tiu::gt(nan, magnitude, infinity, -1);
    tiu::bitwise_xor(least, nan, INT32_MIN);
    tiu::max(keys, numbers, least);
    if (falling)
      return keys;
    tiu::bitwise_xor(turned, keys, -1);
    return turned;
  }
  tensor<T> elements(const tensor<int32> &keys,
                     const tensor<int32> &tags) const {
    dim4 shape = tags.getShape();
    tensor<int32> odd(shape), sign(shape), turned(shape), bits(shape);
    tiu::bitwise_and(odd, tags, 1);
    tiu::eq(sign, odd, 1, INT32_MIN);
    tiu::shift(tags, tags, -1, RM_DOWN);
    tiu::bitwise_xor(turned, keys, falling ? 0 : -1);
    tiu::bitwise_or(bits, ordered(turned, 0), sign);
    tensor<T> x(shape);
    tiu::cast(x, bits.template view<float>());
    return x;
  }
};

template <class T>
using OnnxOrder =
    std::conditional_t<std::is_integral_v<T>, WholeOrder<T>, FloatOrder<T>>;

/// The tensors of host kernel `top_k` along the last axis.
template <class T>
struct TopK {
  explicit TopK(const Node &node)
      : k(int(node.output(0).size(-1))),
        rows(int(node.input(0).product(0, node.input(0).rank() - 1))),
        in(node.input(0).global<T>({1, rows, 1, int(node.input(0).size(-1))})),
        values(node.output(0).global<T>({1, rows, 1, k})),
        indices(node.output(1).global<int32>({1, rows, 1, k})),
        order{node.integer("largest", 1) != 0} {}
  int k, rows;
  gtensor<T> in, values;
  gtensor<int32> indices;
  OnnxOrder<T> order;
};
} // namespace

template <class T>
static void select(Node &node) {
  TopK<T> t(node);
  if (topRows(t.values, t.indices, t.in, t.k, t.order))
    node.fail("its lists do not fit local memory");
}

template <class T>
static void sortAll(Node &node) {
  TopK<T> t(node);
  if (sortRows(t.values, t.indices, t.in, t.k, t.order))
    node.fail("its rows do not fit local memory");
}

template <class T>
static void sortShort(Node &node) {
  TopK<T> t(node);
  if (sortShortRows(t.values, t.indices, t.in, t.k, t.order))
    node.fail("its rows do not fit local memory");
}

// The compiler knows shapes and results otherwise (`LibraryOperator`).
static void nothing(Node &) {}

#define WEFT_KERNELS(FUNCTION)                                                 \
  PPL_KERNEL(float, FUNCTION<float>), PPL_KERNEL(fp16, FUNCTION<fp16>),        \
      PPL_KERNEL(bf16, FUNCTION<bf16>), PPL_KERNEL(int32, FUNCTION<int32>),    \
      PPL_KERNEL(uint32, FUNCTION<uint32>),                                    \
      PPL_KERNEL(int16, FUNCTION<int16>),                                      \
      PPL_KERNEL(uint16, FUNCTION<uint16>), PPL_KERNEL(int8, FUNCTION<int8>),  \
      PPL_KERNEL(uint8, FUNCTION<uint8>)

PPL_OPERATOR("weft", "top_k_by_selection", nothing, nothing,
             WEFT_KERNELS(select))
PPL_OPERATOR("weft", "top_k_by_sorting", nothing, nothing,
             WEFT_KERNELS(sortAll))

PPL_OPERATOR("weft", "top_k_by_sorting_short_rows", nothing, nothing,
             WEFT_KERNELS(sortShort))

const weft_plugin_operator *weft::driver::libraryOperators() {
  return detail::operators;
}

void weft::driver::bindLibrary(const weft_ppl_recorder *recorder) {
  weft_ppl_bind(recorder);
}
