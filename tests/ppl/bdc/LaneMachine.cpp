#include "tests/ppl/bdc/LaneMachine.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <map>

#include <xmmintrin.h>

namespace weft::test {

namespace {

// data_type_t
constexpr int32_t kFp32 = 1, kInt32 = 8, kUint32 = 9;

/// Subnormals count as zeros while it lives.
class Flush {
public:
  Flush() : before(_mm_getcsr()) { _mm_setcsr(before | 0x8040); }
  ~Flush() { _mm_setcsr(before); }

private:
  unsigned before;
};

float asFloat(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, 4);
  return value;
}
uint32_t asBits(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, 4);
  return bits;
}

/// An operand: the elements of a tensor or one number.
struct Source {
  const uint32_t *bits = nullptr;
  uint32_t constant = 0;
  uint32_t operator[](int64_t i) const { return bits ? bits[i] : constant; }
  float f(int64_t i) const { return asFloat((*this)[i]); }
  int32_t s(int64_t i) const { return int32_t((*this)[i]); }
};

float rsqrtSteps(float x, int steps) {
  float y = asFloat(0x5f3759dfu - uint32_t(int32_t(asBits(x)) >> 1));
  float half = 0.5f * x;
  for (int i = 0; i < steps; ++i)
    y = y * (1.5f - (half * y) * y);
  return y;
}

float divideSteps(float a, float b, int steps) {
  float r = rsqrtSteps(std::fabs(b), steps);
  return (std::signbit(b) ? -a : a) * (r * r);
}

/// To the right it rounds down, which is what the sequences ask for.
int64_t shifted(int64_t value, int64_t count) {
  return count >= 0 ? int64_t(uint64_t(value) << count) : value >> -count;
}

} // namespace

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

/// A call on the memory of the lane.
struct LaneMachine::Call {
  LaneMachine &machine;
  const std::vector<weft_ppl_argument> &arguments;
  const Tensor &dst;
  uint32_t *out;
  int64_t n;

  bool isTensor(size_t index) const {
    return arguments[index].kind == WEFT_PPL_TENSOR;
  }
  double number(size_t index) const {
    const weft_ppl_argument &a = arguments[index];
    return a.kind == WEFT_PPL_FLOAT ? a.real : double(a.integer);
  }
  /// Of a trailing argument that may be left away.
  int64_t integer(size_t index) const {
    return index < arguments.size() ? arguments[index].integer : 0;
  }
  Source source(size_t index, bool isFloat) const {
    const weft_ppl_argument &a = arguments[index];
    Source s;
    if (isTensor(index))
      s.bits = reinterpret_cast<const uint32_t *>(
          machine.memory.data() + machine.tensors[size_t(a.integer)].offset);
    else
      s.constant = isFloat ? asBits(float(number(index))) : uint32_t(a.integer);
    return s;
  }
  /// Type of one of a pair, of which at least one is a tensor.
  int32_t typeOf(size_t index) const {
    const weft_ppl_argument &a = arguments[isTensor(index) ? index : index + 1];
    return machine.tensors[size_t(a.integer)].type;
  }

  template <class F>
  void floats(F f) const {
    Source a = source(1, true), b = source(2, true);
    for (int64_t i = 0; i < n; ++i)
      out[i] = asBits(f(a.f(i), b.f(i)));
  }
  template <class F>
  void floatUnary(F f) const {
    Source a = source(1, true);
    for (int64_t i = 0; i < n; ++i)
      out[i] = asBits(f(a.f(i)));
  }
  template <class F>
  void integers(F f) const {
    Source a = source(1, false), b = source(2, false);
    const int64_t shift = integer(3);
    for (int64_t i = 0; i < n; ++i)
      out[i] = uint32_t(shifted(f(int64_t(a.s(i)), int64_t(b.s(i))), shift));
  }
  template <class F>
  void select(F first) const {
    const int32_t type = typeOf(1);
    Source a = source(1, type == kFp32), b = source(2, type == kFp32),
           x = source(3, dst.type == kFp32), y = source(4, dst.type == kFp32);
    for (int64_t i = 0; i < n; ++i)
      out[i] = (type == kFp32    ? first(a.f(i), b.f(i))
                : type == kInt32 ? first(a.s(i), b.s(i))
                                 : first(a[i], b[i]))
                   ? x[i]
                   : y[i];
  }
};

namespace {

using Call = LaneMachine::Call;

void fill(const Call &c) {
  // Coefficients: one element in each lane.
  c.out[0] = asBits(float(c.number(1)));
}
void move(const Call &c) {
  std::memmove(c.out, c.source(1, true).bits, size_t(c.n) * 4);
}
void multiplyAdd(const Call &c) {
  Source a = c.source(1, true), b = c.source(2, true);
  for (int64_t i = 0; i < c.n; ++i) {
    const float product = a.f(i) * b.f(i); // not fused: -ffp-contract=off
    c.out[i] = asBits(asFloat(c.out[i]) + product);
  }
}
void taylor(const Call &c) {
  Source x = c.source(1, true), terms = c.source(2, true);
  for (int64_t i = 0; i < c.n; ++i) {
    const float at = x.f(i);
    float r = terms.f(c.integer(3) - 1);
    for (int64_t k = c.integer(3) - 2; k >= 0; --k)
      r = r * at + terms.f(k);
    c.out[i] = asBits(r);
  }
}
void cast(const Call &c) {
  Source a = c.source(1, true);
  const bool down = c.integer(2) == 3;
  for (int64_t i = 0; i < c.n; ++i) {
    if (c.dst.type == kFp32) {
      c.out[i] = asBits(float(a.s(i)));
      continue;
    }
    const double v = a.f(i), whole = down ? std::floor(v) : std::nearbyint(v);
    c.out[i] =
        std::isnan(v)
            ? 0
            : uint32_t(int32_t(std::clamp(whole, -2147483648.0, 2147483647.0)));
  }
}
void shift(const Call &c) {
  Source a = c.source(1, false);
  for (int64_t i = 0; i < c.n; ++i)
    c.out[i] = uint32_t(shifted(a.s(i), c.integer(2)));
}
template <class F>
void bits(const Call &c, F f) {
  Source a = c.source(1, false), b = c.source(2, false);
  for (int64_t i = 0; i < c.n; ++i)
    c.out[i] = f(a[i], b[i]);
}

const std::map<std::string, std::function<void(const Call &)>> &meanings() {
  static const std::map<std::string, std::function<void(const Call &)>> table =
      {
          {"tiu.fill", fill},
          {"tiu.move", move},
          {"tiu.fmac", multiplyAdd},
          {"tiu.taylor", taylor},
          {"tiu.cast", cast},
          {"tiu.shift", shift},
          {"tiu.fadd",
           [](const Call &c) {
             c.floats([](float a, float b) { return a + b; });
           }},
          {"tiu.fsub",
           [](const Call &c) {
             c.floats([](float a, float b) { return a - b; });
           }},
          {"tiu.fmul",
           [](const Call &c) {
             c.floats([](float a, float b) { return a * b; });
           }},
          // A NaN gives the second operand of max, the first one of min.
          {"tiu.fmax",
           [](const Call &c) {
             c.floats([](float a, float b) { return a > b ? a : b; });
           }},
          {"tiu.fmin",
           [](const Call &c) {
             c.floats([](float a, float b) { return b <= a ? b : a; });
           }},
          {"tiu.fabs",
           [](const Call &c) {
             c.floatUnary([](float a) { return std::fabs(a); });
           }},
          {"tiu.round",
           [](const Call &c) {
             c.floatUnary([](float a) { return std::nearbyint(a); });
           }},
          {"tiu.frsqrt",
           [](const Call &c) {
             c.floatUnary(
                 [&](float a) { return rsqrtSteps(a, int(c.integer(2))); });
           }},
          {"tiu.fdiv",
           [](const Call &c) {
             c.floats([&](float a, float b) {
               return divideSteps(a, b, int(c.integer(3)));
             });
           }},
          {"tiu.add",
           [](const Call &c) {
             c.integers([](int64_t a, int64_t b) { return a + b; });
           }},
          {"tiu.sub",
           [](const Call &c) {
             c.integers([](int64_t a, int64_t b) { return a - b; });
           }},
          {"tiu.max",
           [](const Call &c) {
             c.integers([](int64_t a, int64_t b) { return std::max(a, b); });
           }},
          {"tiu.bitwise_and",
           [](const Call &c) {
             bits(c, [](uint32_t a, uint32_t b) { return a & b; });
           }},
          {"tiu.bitwise_xor",
           [](const Call &c) {
             bits(c, [](uint32_t a, uint32_t b) { return a ^ b; });
           }},
          {"tiu.gt_select",
           [](const Call &c) {
             c.select([](auto a, auto b) { return a > b; });
           }},
          {"tiu.eq_select",
           [](const Call &c) {
             c.select([](auto a, auto b) { return a == b; });
           }},
      };
  return table;
}

} // namespace

void LaneMachine::run(const std::string &name,
                      const std::vector<weft_ppl_argument> &arguments) {
  auto meaning = meanings().find(name);
  if (meaning == meanings().end() ||
      arguments.front().kind != WEFT_PPL_TENSOR) {
    errors.push_back({"the lane machine has no " + name, "", 0});
    return;
  }
  Flush flush;
  const Tensor &dst = tensors[size_t(arguments[0].integer)];
  meaning->second({*this, arguments, dst,
                   reinterpret_cast<uint32_t *>(memory.data() + dst.offset),
                   dst.count});
}

LaneMachine::LaneMachine() : memory(size_t(kLaneBytes)), tensors(1) {
  table.bytes = sizeof table;
  table.self = this;
  table.make_tensor = [](void *self, int32_t, int32_t type,
                         const int64_t shape[4], int32_t, const int64_t *,
                         uint64_t address, weft_ppl_line) {
    auto &machine = *static_cast<LaneMachine *>(self);
    machine.tensors.push_back(
        {type, int64_t(address), shape[0] * shape[2] * shape[3]});
    return int64_t(machine.tensors.size() - 1);
  };
  table.view = [](void *self, int64_t source, int32_t type, const int64_t *,
                  int32_t, const int64_t *, weft_ppl_line) {
    auto &machine = *static_cast<LaneMachine *>(self);
    Tensor t = machine.tensors[size_t(source)];
    t.type = type;
    machine.tensors.push_back(t);
    return int64_t(machine.tensors.size() - 1);
  };
  table.describe = [](void *self, int64_t id, weft_ppl_tensor *out) {
    const Tensor &t = static_cast<LaneMachine *>(self)->tensors[size_t(id)];
    *out = {};
    out->type = t.type;
    out->memory = WEFT_PPL_LOCAL;
    out->layout = 1;
    for (int64_t &size : out->shape)
      size = 1;
    out->shape[3] = t.count;
    return int32_t(1);
  };
  table.call = [](void *self, const char *name,
                  const weft_ppl_argument *arguments, size_t count,
                  weft_ppl_line) {
    auto &machine = *static_cast<LaneMachine *>(self);
    machine.calls.push_back(name);
    machine.run(name, {arguments, arguments + count});
  };
  table.enter = [](void *, int32_t, const char *, weft_ppl_line) {};
  table.leave = [](void *, int32_t) { return int32_t(0); };
  table.set = [](void *, int32_t, int64_t, int64_t) {};
  table.get = [](void *, int32_t number, int64_t) {
    return number == WEFT_PPL_LANES        ? int64_t(64)
           : number == WEFT_PPL_EU_BYTES   ? int64_t(64)
           : number == WEFT_PPL_LANE_BYTES ? kLaneBytes
                                           : int64_t(0);
  };
  table.fail = [](void *self, const char *message, weft_ppl_line at) {
    static_cast<LaneMachine *>(self)->errors.push_back(
        {message, at.file ? at.file : "", at.line});
  };
}

} // namespace weft::test
