//===- Lanewise.cpp - functions whose lanes do not meet -------------------===//

#include "runtime/zhouyi/kernels/Blocks.h"

#include <cmath>

using namespace weft;
using namespace weft::zhouyi;

using catalog::DataType;
using Compute = Kernel::Compute;

static bool isHalf(DataType type) { return type == DataType::Fp16; }

//===----------------------------------------------------------------------===//
// Sums and products
//===----------------------------------------------------------------------===//

namespace {
struct Add {
  template <class T>
  WEFT_INLINE static T apply(T x, T y) {
    return x + y;
  }
  WEFT_INLINE static int32_t clamped(int32_t x, int32_t y) {
    return addClamped(x, y);
  }
  WEFT_INLINE static uint32_t clamped(uint32_t x, uint32_t y) {
    return addClamped(x, y);
  }
};
struct Sub {
  template <class T>
  WEFT_INLINE static T apply(T x, T y) {
    return x - y;
  }
  WEFT_INLINE static int32_t clamped(int32_t x, int32_t y) {
    return subClamped(x, y);
  }
  WEFT_INLINE static uint32_t clamped(uint32_t x, uint32_t y) {
    return subClamped(x, y);
  }
};
struct Mul {
  template <class T>
  WEFT_INLINE static T apply(T x, T y) {
    return x * y;
  }
};
struct Div {
  WEFT_INLINE static float apply(float x, float y) { return x / y; }
};
} // namespace

// Low bits are the same whatever the signs.

/// GCC clones plain functions only: one a width and operation.
#define WRAPPING(name, T, Op)                                                  \
  WEFT_VECTOR_CLONES static void name(const Work &work) {                      \
    lanewise2<T, T>(work, [](T x, T y) -> T {                                  \
      return T(Op::apply(uint32_t(x), uint32_t(y)));                           \
    });                                                                        \
  }
WRAPPING(add8, uint8_t, Add)
WRAPPING(add16, uint16_t, Add)
WRAPPING(add32, uint32_t, Add)
WRAPPING(sub8, uint8_t, Sub)
WRAPPING(sub16, uint16_t, Sub)
WRAPPING(sub32, uint32_t, Sub)
WRAPPING(mul16, uint16_t, Mul)
WRAPPING(mul32, uint32_t, Mul)
#undef WRAPPING

#define FLOATING(name, Op)                                                     \
  WEFT_VECTOR_CLONES static void name(const Work &work) {                      \
    lanewise2<float, float>(                                                   \
        work, [](float x, float y) { return canonical(Op::apply(x, y)); });    \
  }
FLOATING(addFloat, Add)
FLOATING(subFloat, Sub)
FLOATING(mulFloat, Mul)
FLOATING(divFloat, Div)
#undef FLOATING

/// Sums, differences and products of float16 are rounded once: float32 has
/// more than twice its digits.
#define HALF(name, Op)                                                         \
  WEFT_VECTOR_CLONES static void name(const Work &work) {                      \
    lanewise2<uint16_t, uint16_t>(work, [](uint16_t x, uint16_t y) {           \
      return narrow(Op::apply(widen(x), widen(y)));                            \
    });                                                                        \
  }
HALF(addHalf, Add)
HALF(subHalf, Sub)
HALF(mulHalf, Mul)
#undef HALF

/// The exact sum clamped to R.
template <class X, class Y, class R, class Op>
WEFT_INLINE void clampedLanes(const Work &work) {
  lanewise2<X, Y>(work, [](X x, Y y) -> R {
    if constexpr (sizeof(X) < 4)
      return clampTo<R>(Op::apply(int32_t(x), int32_t(y)));
    else if constexpr (std::is_same_v<X, Y> && std::is_same_v<X, R>)
      return Op::clamped(x, y);
    else
      return clampTo<R>(Op::apply(int64_t(x), int64_t(y)));
  });
}

template <class X, class Y, class R, class Op>
static void clamping(const Work &work) {
  clampedLanes<X, Y, R, Op>(work);
}

// Of one type throughout: the usual case, and fast.
#define CLAMPING(suffix, T)                                                    \
  WEFT_VECTOR_CLONES static void addClamped##suffix(const Work &work) {        \
    clampedLanes<T, T, T, Add>(work);                                          \
  }                                                                            \
  WEFT_VECTOR_CLONES static void subClamped##suffix(const Work &work) {        \
    clampedLanes<T, T, T, Sub>(work);                                          \
  }
CLAMPING(Int8, int8_t)
CLAMPING(Uint8, uint8_t)
CLAMPING(Int16, int16_t)
CLAMPING(Uint16, uint16_t)
CLAMPING(Int32, int32_t)
CLAMPING(Uint32, uint32_t)
#undef CLAMPING

namespace {
struct ClampedSums {
  DataType type;
  Compute add, sub;
};
} // namespace

static const ClampedSums kClampedSums[] = {
    {DataType::Int8, addClampedInt8, subClampedInt8},
    {DataType::Uint8, addClampedUint8, subClampedUint8},
    {DataType::Int16, addClampedInt16, subClampedInt16},
    {DataType::Uint16, addClampedUint16, subClampedUint16},
    {DataType::Int32, addClampedInt32, subClampedInt32},
    {DataType::Uint32, addClampedUint32, subClampedUint32},
};

template <class Op>
static Compute pickClamping(const Typing &typing) {
  for (const ClampedSums &row : kClampedSums)
    if (row.type == typing.x && row.type == typing.y && row.type == typing.out)
      return std::is_same_v<Op, Add> ? row.add : row.sub;
  return forIntegers(typing.x, typing.y, [&](auto x, auto y) -> Compute {
    using X = decltype(x);
    using Y = decltype(y);
    if (isSigned(typing.out))
      return clamping<X, Y, std::make_signed_t<X>, Op>;
    return clamping<X, Y, std::make_unsigned_t<X>, Op>;
  });
}

/// By the bits of an integer.
static Compute byWidth(DataType type, Compute c8, Compute c16, Compute c32) {
  unsigned bits = bitsOf(type);
  return bits == 8 ? c8 : bits == 16 ? c16 : c32;
}

Compute zhouyi::pickAdd(const Typing &typing) {
  if (isFloat(typing.x))
    return isHalf(typing.x) ? addHalf : addFloat;
  return typing.saturates ? pickClamping<Add>(typing)
                          : byWidth(typing.x, add8, add16, add32);
}

Compute zhouyi::pickSub(const Typing &typing) {
  if (isFloat(typing.x))
    return isHalf(typing.x) ? subHalf : subFloat;
  return typing.saturates ? pickClamping<Sub>(typing)
                          : byWidth(typing.x, sub8, sub16, sub32);
}

Compute zhouyi::pickMul(const Typing &typing) {
  if (isFloat(typing.x))
    return isHalf(typing.x) ? mulHalf : mulFloat;
  return byWidth(typing.x, nullptr, mul16, mul32);
}

//===----------------------------------------------------------------------===//
// Division
//===----------------------------------------------------------------------===//

// Integers are divided as floats of at least 8 digits more than the dividend
// has: the quotient is off its exact value by less than its distance to the
// next integer, so that truncation gives the integer quotient.

template <class T>
using Quotient = std::conditional_t<sizeof(T) == 4, double, float>;

/// y is not 0. The quotient of min / -1 is one beyond the type.
template <class T>
WEFT_INLINE Quotient<T> divide(T x, T y) {
  return Quotient<T>(x) / Quotient<T>(y);
}

template <class T>
WEFT_INLINE T quotientOf(T x, T y) {
  if constexpr (std::is_same_v<T, uint32_t>) {
    return y == 0 ? 0 : x / y; // may be more than an int32
  } else {
    Quotient<T> value = divide<T>(x, y == 0 ? T(1) : y);
    constexpr Quotient<T> most = Quotient<T>(std::numeric_limits<T>::max());
    int32_t whole = int32_t(value > most ? most : value);
    return y == 0 ? T(0) : T(whole);
  }
}

template <class T>
WEFT_INLINE T remainderOf(T x, T y) {
  if constexpr (std::is_same_v<T, uint32_t>) {
    return y == 0 ? 0 : x % y;
  } else {
    // All three give 0, and have a quotient that the type holds.
    bool isZero = y == 0 || (std::is_signed_v<T> && y == T(-1));
    T divisor = isZero ? T(1) : y;
    int32_t whole = int32_t(divide<T>(x, divisor));
    return T(uint32_t(x) - uint32_t(whole) * uint32_t(divisor));
  }
}

#define DIVISIONS(suffix, T)                                                   \
  WEFT_VECTOR_CLONES static void div##suffix(const Work &work) {               \
    lanewise2<T, T>(work, [](T x, T y) { return quotientOf(x, y); });          \
  }                                                                            \
  WEFT_VECTOR_CLONES static void mod##suffix(const Work &work) {               \
    lanewise2<T, T>(work, [](T x, T y) { return remainderOf(x, y); });         \
  }
DIVISIONS(Int8, int8_t)
DIVISIONS(Uint8, uint8_t)
DIVISIONS(Int16, int16_t)
DIVISIONS(Uint16, uint16_t)
DIVISIONS(Int32, int32_t)
DIVISIONS(Uint32, uint32_t)
#undef DIVISIONS

namespace {
struct Divisions {
  DataType type;
  Compute quotient, remainder;
};
} // namespace

static const Divisions kDivisions[] = {
    {DataType::Int8, divInt8, modInt8},
    {DataType::Uint8, divUint8, modUint8},
    {DataType::Int16, divInt16, modInt16},
    {DataType::Uint16, divUint16, modUint16},
    {DataType::Int32, divInt32, modInt32},
    {DataType::Uint32, divUint32, modUint32},
    {DataType::Fp32, divFloat, nullptr},
};

Compute zhouyi::pickDiv(const Typing &typing) {
  for (const Divisions &row : kDivisions)
    if (row.type == typing.x)
      return row.quotient;
  return nullptr;
}

Compute zhouyi::pickMod(const Typing &typing) {
  for (const Divisions &row : kDivisions)
    if (row.type == typing.x)
      return row.remainder;
  return nullptr;
}

//===----------------------------------------------------------------------===//
// One operand
//===----------------------------------------------------------------------===//

/// T: unsigned, the bits of a float or an integer.
template <class T>
static void clearSign(const Work &work) {
  lanewise1<T>(work, [](T bits) { return T(bits & T(T(~T(0)) >> 1)); });
}

template <class T>
static void copy(const Work &work) {
  lanewise1<T>(work, [](T x) { return x; });
}

template <class T, bool saturates>
static void absolute(const Work &work) {
  using Bits = std::make_unsigned_t<T>;
  lanewise1<T>(work, [](T x) {
    if (saturates)
      x = x == std::numeric_limits<T>::min() ? T(x + 1) : x;
    return T(x < 0 ? Bits(0u - Bits(x)) : Bits(x));
  });
}

Compute zhouyi::pickAbs(const Typing &typing) {
  if (isFloat(typing.x))
    return isHalf(typing.x) ? clearSign<uint16_t> : clearSign<uint32_t>;
  return forInteger(typing.x, [&](auto x) -> Compute {
    using T = decltype(x);
    if constexpr (std::is_unsigned_v<T>)
      return copy<T>;
    else
      return typing.saturates ? absolute<T, true> : absolute<T, false>;
  });
}

WEFT_VECTOR_CLONES static void roundFloat(const Work &work) {
  lanewise1<uint32_t>(work, [](uint32_t bits) { return roundBits(bits); });
}

WEFT_VECTOR_CLONES static void roundHalf(const Work &work) {
  lanewise1<uint16_t>(work, [](uint16_t bits) {
    uint32_t rounded = roundBits(numeric::floatBits(widen(bits)));
    uint16_t half = numeric::floatToHalfFast(numeric::floatFromBits(rounded));
    return (bits & 0x7fffu) > 0x7c00u ? bits : half;
  });
}

Compute zhouyi::pickRound(const Typing &typing) {
  return isHalf(typing.x) ? roundHalf : roundFloat;
}

//===----------------------------------------------------------------------===//
// Three operands
//===----------------------------------------------------------------------===//

WEFT_VECTOR_CLONES static void fusedFloat(const Work &work) {
  lanewise3<float>(work, [](float acc, float x, float y) {
    return canonical(std::fma(x, y, acc));
  });
}

Compute zhouyi::pickFma(const Typing &) { return fusedFloat; }

/// As an ordered number, to compare a lane with its bounds.
template <class T>
WEFT_INLINE T ordered(T value) {
  return value;
}

namespace {
/// Lanes of a float type, moved as bits.
struct HalfLane {
  uint16_t bits;
};
struct FloatLane {
  uint32_t bits;
};
} // namespace
WEFT_INLINE float ordered(HalfLane lane) { return widen(lane.bits); }
WEFT_INLINE float ordered(FloatLane lane) {
  return numeric::floatFromBits(lane.bits);
}

template <class T>
WEFT_INLINE void clipLanes(const Work &work) {
  lanewise3<T>(work, [](T x, T low, T high) {
    T capped = ordered(x) > ordered(high) ? high : x;
    return ordered(x) < ordered(low) ? low : capped;
  });
}

#define CLIP(name, T)                                                          \
  WEFT_VECTOR_CLONES static void name(const Work &work) { clipLanes<T>(work); }
CLIP(clipInt8, int8_t)
CLIP(clipUint8, uint8_t)
CLIP(clipInt16, int16_t)
CLIP(clipUint16, uint16_t)
CLIP(clipInt32, int32_t)
CLIP(clipUint32, uint32_t)
CLIP(clipHalf, HalfLane)
CLIP(clipFloat, FloatLane)
#undef CLIP

/// b is the lower bound, c the upper one.
template <class T>
static bool boundsAbove(const Work &work) {
  bool some = false;
  for (unsigned i = 0; i < work.lanes; ++i) {
    work.out[i] = ordered(load<T>(work.b, i)) > ordered(load<T>(work.c, i));
    some |= work.out[i] != 0;
  }
  return some;
}

namespace {
struct Clip {
  DataType type;
  Compute compute;
  CompareBounds compare;
};
} // namespace

static const Clip kClips[] = {
    {DataType::Int8, clipInt8, boundsAbove<int8_t>},
    {DataType::Uint8, clipUint8, boundsAbove<uint8_t>},
    {DataType::Int16, clipInt16, boundsAbove<int16_t>},
    {DataType::Uint16, clipUint16, boundsAbove<uint16_t>},
    {DataType::Int32, clipInt32, boundsAbove<int32_t>},
    {DataType::Uint32, clipUint32, boundsAbove<uint32_t>},
    {DataType::Fp16, clipHalf, boundsAbove<HalfLane>},
    {DataType::Fp32, clipFloat, boundsAbove<FloatLane>},
};

Compute zhouyi::pickClip(const Typing &typing) {
  for (const Clip &row : kClips)
    if (row.type == typing.x)
      return row.compute;
  return nullptr;
}

CompareBounds zhouyi::pickBoundsAbove(DataType type) {
  for (const Clip &row : kClips)
    if (row.type == type)
      return row.compare;
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Masks
//===----------------------------------------------------------------------===//

template <unsigned fixed, class T, bool hasOther>
WEFT_INLINE void blendLoop(const Work &work) {
  const uint8_t *mask = work.mask, *values = work.a, *other = work.b;
  uint8_t *out = work.out;
  const unsigned lanes = fixed ? fixed : work.lanes;
  WEFT_INDEPENDENT
  for (unsigned i = 0; i < lanes; ++i) {
    T chosen = T(0) - T(mask[i] != 0);
    T rest = hasOther ? load<T>(other, i) : T(0);
    store(out, i, T((load<T>(values, i) & chosen) | (rest & T(~chosen))));
  }
}

template <class T, bool hasOther>
WEFT_INLINE void blend(const Work &work) {
  if (work.lanes == kRegisterLanes<T>)
    blendLoop<kRegisterLanes<T>, T, hasOther>(work);
  else
    blendLoop<0, T, hasOther>(work);
}

#define BLEND(name, T)                                                         \
  WEFT_VECTOR_CLONES static void name(const Work &work) {                      \
    blend<T, true>(work);                                                      \
  }                                                                            \
  WEFT_VECTOR_CLONES static void name##Zero(const Work &work) {                \
    blend<T, false>(work);                                                     \
  }
BLEND(blend8, uint8_t)
BLEND(blend16, uint16_t)
BLEND(blend32, uint32_t)
#undef BLEND

void zhouyi::blendLanes(unsigned laneBytes, unsigned lanes, const uint8_t *mask,
                        const uint8_t *values, const uint8_t *other,
                        uint8_t *out) {
  Work work;
  work.a = values;
  work.b = other;
  work.mask = mask;
  work.out = out;
  work.lanes = lanes;
  switch (laneBytes) {
  case 1:
    return other ? blend8(work) : blend8Zero(work);
  case 2:
    return other ? blend16(work) : blend16Zero(work);
  default:
    return other ? blend32(work) : blend32Zero(work);
  }
}
