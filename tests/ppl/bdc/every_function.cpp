//===- every_function.cpp - the unary functions on the machine ----------===//

// Runs each function of ppl/tpu_bdc.h as a program and asks for the bits that
// the lane machine computes.
//   weft ppl test tests/ppl/bdc/every_function.cpp with the
//   options --compiler-argument -I. --compiler-argument -lmpfr
#include "ppl/ppl.h"

#include "ppl/tpu_bdc.h"

#include "tests/ppl/bdc/Functions.cpp"
#include "tests/ppl/bdc/LaneMachine.cpp"
#include "tests/ppl/bdc/VendorFormulas.cpp"

#include <limits>

using namespace ppl;
using weft::test::Function;
using weft::test::functions;
using weft::test::LaneMachine;
using weft::test::Places;

namespace {

constexpr uint32_t kLaneBytes = 256 * 1024;

/// What the lane machine makes of the numbers.
std::vector<float> computed(const Function &function,
                            const std::vector<float> &arguments) {
  LaneMachine machine;
  const weft_ppl_recorder *outer = ppl::detail::bound;
  ppl::detail::bound = &machine.recorder();
  const Places places;
  std::vector<float> values;
  for (size_t done = 0; done < arguments.size(); done += 8192) {
    const size_t count = std::min<size_t>(8192, arguments.size() - done);
    std::memcpy(machine.floats(places.src), &arguments[done], count * 4);
    function.record(places, {1, 1, 1, int(count)});
    machine.forget();
    const float *out = machine.floats(places.dst);
    values.insert(values.end(), out, out + count);
  }
  ppl::detail::bound = outer;
  return values;
}

/// Special numbers, then any bits of the function's range and its core.
std::vector<float> argumentsOf(const Function &function, size_t count) {
  constexpr float inf = std::numeric_limits<float>::infinity();
  std::vector<float> x = {0,
                          -0.0f,
                          1,
                          -1,
                          2,
                          0.5f,
                          -0.5f,
                          1e-40f,
                          -1e-40f,
                          0x1p-126f,
                          -0x1p-126f,
                          0x1p-125f,
                          0x1.fffffep127f,
                          inf,
                          -inf,
                          std::numeric_limits<float>::quiet_NaN(),
                          1000,
                          88,
                          -103,
                          1e9f};
  uint64_t state = 0x1234567;
  while (x.size() < count) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    const double part = double(state >> 11) * 0x1p-53;
    const uint32_t bits = uint32_t(state >> 32);
    x.push_back(
        x.size() % 2
            ? float(function.coreLow +
                    (double(function.coreHigh) - function.coreLow) * part)
            : ppl::detail::floatOf(bits));
  }
  return x;
}

} // namespace

/// `where`: the places in the lane that operands start in.
__KERNEL__ void apply(float *out, float *in, int index, const dim4 *shape,
                      const Places *where, int lane) {
  const uint32_t start = uint32_t(lane) * kLaneBytes;
  Places places = *where;
  for (uint32_t *p : {&places.dst, &places.src, &places.work0, &places.work1})
    *p += start;
  tensor<float> src(*shape, TPU_ALIGN, places.src);
  dma::load(src, gtensor<float>(*shape, GLOBAL, in));
  functions()[size_t(index)].record(places, *shape);
  tensor<float> dst(*shape, TPU_ALIGN, places.dst);
  dma::store(gtensor<float>(*shape, GLOBAL, out), dst);
}

namespace {

/// Every function on one shape and placement.
void all(const dim4 &shape, const Places &places, int lane,
         bool (*fits)(const std::string &name)) {
  const size_t count = size_t(shape.n) * shape.c * shape.h * shape.w;
  for (size_t index = 0; index < functions().size(); ++index) {
    const Function &function = functions()[index];
    if (!fits(function.name))
      continue;
    float *out = ppl::malloc<float>(&shape), *in = ppl::malloc<float>(&shape);
    std::vector<float> x = argumentsOf(function, count);
    std::copy_n(x.begin(), count, in);
    x.resize(count);
    apply(out, in, int(index), &shape, &places, lane);
    std::vector<float> wanted = computed(function, x);
    // No tolerance: the same operations in the same order.
    expect(
        out, &shape, [&](int64_t i) { return double(wanted[size_t(i)]); }, 0,
        0);
  }
}

} // namespace

__TEST__ void full_lanes() {
  all({1, 64, 4, 60}, {}, 0, [](const std::string &) { return true; });
}
__TEST__ void odd_shape_that_goes_around_from_lane_5() {
  all({2, 67, 3, 5}, {}, 5, [](const std::string &) { return true; });
}

static bool isOneOf(const std::string &name,
                    std::initializer_list<const char *> parts) {
  for (const char *part : parts)
    if (name.find(part) != std::string::npos)
      return true;
  return false;
}
// The same bits when src is one of the other buffers.
__TEST__ void src_is_dst() {
  Places places;
  places.src = places.dst;
  all({1, 64, 1, 60}, places, 0, [](const std::string &name) {
    return !isOneOf(name, {"_sqrt", "tan", "cot"});
  });
}
__TEST__ void src_is_work() {
  Places places;
  places.src = places.work0;
  all({1, 64, 1, 60}, places, 0, [](const std::string &name) {
    return isOneOf(name, {"exp", "log", "_sin", "_cos"});
  });
}
__TEST__ void src_is_the_second_work() {
  Places places;
  places.src = places.work1;
  all({1, 64, 1, 60}, places, 0,
      [](const std::string &name) { return isOneOf(name, {"exp"}); });
}
