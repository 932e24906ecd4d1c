//===- LaneMachine.h - one lane that computes while it records *- C++ -*-===//

#ifndef WEFT_TESTS_PPL_BDC_LANEMACHINE_H
#define WEFT_TESTS_PPL_BDC_LANEMACHINE_H

#include "ppl/recorder.h"

#include <cstdint>
#include <string>
#include <vector>

namespace weft::test {

/// A recorder for kernels of ppl/tpu_bdc.h that runs each call at once on the
/// memory of lane 0, so that millions of numbers go through a sequence without
/// a bmodel. Its arithmetic is written from the description of the machine
/// (every multiply and add rounded to the nearest, subnormals count as zeros),
/// not taken from the emulator: tests run both and compare bits.
class LaneMachine {
public:
  static constexpr int64_t kLaneBytes = 256 * 1024;

  LaneMachine();
  LaneMachine(const LaneMachine &) = delete;

  const weft_ppl_recorder &recorder() const { return table; }
  /// Elements of fp32 from a byte of the lane on.
  float *floats(int64_t byte) {
    return reinterpret_cast<float *>(memory.data() + byte);
  }
  uint8_t *bytes(int64_t byte) { return memory.data() + byte; }

  struct Error {
    std::string message, file;
    int line = 0;
  };
  /// What kernels reported; a call that this machine cannot run is one, too.
  std::vector<Error> errors;
  /// Names of the calls so far.
  std::vector<std::string> calls;
  /// Drops the tensors and the calls; the memory stays.
  void forget() {
    tensors.resize(1);
    calls.clear();
  }

  struct Call;

private:
  struct Tensor {
    int32_t type = 0;
    int64_t offset = 0, count = 0; ///< bytes; elements of lane 0
  };
  void run(const std::string &name,
           const std::vector<weft_ppl_argument> &arguments);

  alignas(64) std::vector<uint8_t> memory;
  std::vector<Tensor> tensors;
  weft_ppl_recorder table = {};
};

} // namespace weft::test

#endif // WEFT_TESTS_PPL_BDC_LANEMACHINE_H
