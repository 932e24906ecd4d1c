/// VectorBench: the machine of vector programs against plain C++ that computes
/// the same. Prints instructions a second and how often plain C++ is faster.
#include "runtime/zhouyi/Machine.h"
#include "tests/unit/runtime/zhouyi/SmallProgram.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <functional>

using namespace weft;
using namespace weft::zhouyi;
using catalog::DataType;
using numeric::ElementType;

namespace {

constexpr int64_t kRows = 256, kColumns = 1024;

/// y = W x in int8 with 32-bit sums: kRows times a loop of two loads and vqdpa
/// over kColumns, then the sum of the lanes.
Program productProgram() {
  ProgramMaker maker;
  std::vector<uint8_t> weights(size_t(kRows * kColumns));
  for (size_t i = 0; i < weights.size(); ++i)
    weights[i] = uint8_t(i * 37 + i / 251);
  uint32_t w = maker.weight("w", std::move(weights));
  uint32_t x =
      maker.tensor(BufferRole::Input, "x", ElementType::I8, {kColumns});
  uint32_t y = maker.tensor(BufferRole::Output, "y", ElementType::I32, {kRows});
  RegisterId first = maker.tailMask(8, 1);
  maker.beginLoop(kRows);
  RegisterId acc = maker.splat(DataType::Int32, 8, 0);
  maker.beginLoop(kColumns / 32);
  RegisterId a = maker.vector(DataType::Int8, 32);
  RegisterId b = maker.vector(DataType::Int8, 32);
  maker.add(Load{a, {x, 0, {{1, 32}}}});
  maker.add(Load{b, {w, 0, {{0, kColumns}, {1, 32}}}});
  maker.add(Apply{"vqdpa",
                  {Operand::ofRegister(acc), Operand::ofRegister(a),
                   Operand::ofRegister(b)},
                  acc});
  maker.endLoop();
  maker.storeSum(acc, y, first);
  maker.endLoop();
  return maker.program;
}

/// The same loops in C++, as the compiler makes them.
void plainProduct(const int8_t *w, const int8_t *x, int32_t *y) {
  for (int64_t row = 0; row < kRows; ++row) {
    int32_t sum = 0;
    for (int64_t i = 0; i < kColumns; ++i)
      sum += int32_t(w[row * kColumns + i]) * x[i];
    y[row] = sum;
  }
}

/// Median seconds of 15 runs after one that does not count.
double medianSeconds(const std::function<void()> &run) {
  using Clock = std::chrono::steady_clock;
  run();
  std::vector<double> seconds;
  for (int i = 0; i < 15; ++i) {
    Clock::time_point begin = Clock::now();
    run();
    seconds.push_back(
        std::chrono::duration<double>(Clock::now() - begin).count());
  }
  std::nth_element(seconds.begin(), seconds.begin() + 7, seconds.end());
  return seconds[7];
}

} // namespace

int main() {
  rt::Result<Machine> machine =
      Machine::make(std::make_shared<Program>(productProgram()));
  if (!machine) {
    std::fprintf(stderr, "VectorBench: %s\n",
                 machine.status().message().c_str());
    return 1;
  }
  const std::vector<Buffer> &buffers = machine->program().buffers;
  uint8_t *x = machine->memory(buffers[1]);
  for (int64_t i = 0; i < kColumns; ++i)
    x[i] = uint8_t(i * 11 + 3);
  bool failed = false;
  double ours = medianSeconds([&] { failed |= !machine->run().isOk(); });
  std::vector<int32_t> wanted(kRows);
  double plain = medianSeconds([&] {
    plainProduct(reinterpret_cast<const int8_t *>(machine->memory(buffers[0])),
                 reinterpret_cast<const int8_t *>(x), wanted.data());
  });
  failed |= std::memcmp(wanted.data(), machine->memory(buffers[2]),
                        sizeof(int32_t) * kRows) != 0;
  if (failed) {
    std::fprintf(stderr, "VectorBench: the machine and plain C++ differ\n");
    return 1;
  }
  double count = double(machine->instructionsPerRun());
  std::printf("vqdpa loop, %lldx%lld: %.0f instructions in %.3f ms, %.1f "
              "million a second; plain C++ %.3f ms, %.1f times as fast\n",
              static_cast<long long>(kRows), static_cast<long long>(kColumns),
              count, ours * 1e3, count / ours / 1e6, plain * 1e3, ours / plain);
  return 0;
}
