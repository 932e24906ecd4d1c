//===- Samplers.h - random legal calls of PPL functions ---------*- C++ -*-===//

#ifndef WEFT_TESTS_OPS_PPL_SAMPLERS_H
#define WEFT_TESTS_OPS_PPL_SAMPLERS_H

#include "runtime/ppl/Interpreter.h"

namespace weft::cases {

/// Random numbers that are the same everywhere (splitmix64).
class Numbers {
public:
  explicit Numbers(uint64_t seed) : state(seed) {}
  uint64_t next();
  /// low to high, both included.
  int64_t between(int64_t low, int64_t high);
  double real(double low, double high);
  bool chance(double probability);
  template <class T>
  const T &among(const std::vector<T> &choices) {
    return choices[size_t(between(0, int64_t(choices.size()) - 1))];
  }

private:
  uint64_t state;
};

/// A call to try. `operation` and `chip` are set; a sampler fills the
/// arguments, one a slot: tensors with type, memory, shape, layout, lane and
/// strides, without addresses. `values`: contents, by slot, of tensors that
/// must not hold any bits; others get random ones (floats in [-4, 4), all
/// integers of the type).
struct Case {
  catalog::Call call;
  catalog::Values values;
};
/// Draws the arguments. The call may be illegal; then another one is drawn.
using Sample = void (*)(Numbers &, Case &);
struct SampleRow {
  std::string_view name; ///< "tiu.fadd"
  Sample sample;
};

// One table a group, in samplers/<Group>.cpp.
std::vector<SampleRow> dmaSamplers();
std::vector<SampleRow> tiuPointwiseSamplers();
std::vector<SampleRow> tiuComparisonSamplers();
std::vector<SampleRow> tiuIndexSamplers();
std::vector<SampleRow> tiuConvSamplers();
std::vector<SampleRow> tiuMatMulSamplers();
std::vector<SampleRow> tiuPoolSamplers();
std::vector<SampleRow> tiuQuantSamplers();
std::vector<SampleRow> tiuSpecialSamplers();
std::vector<SampleRow> tiuMoveSamplers();

/// The function's sampler; without one, `sampleAlike`.
Sample samplerOf(const catalog::Operation &operation);
/// Tensors of one shape, type and lane with layouts of their own, now and then
/// with a size 1 to repeat; numbers from their slots' ranges.
void sampleAlike(Numbers &numbers, Case &drawn);

// Pieces for samplers.
/// A local tensor; strides follow from the layout.
catalog::Argument localTensor(catalog::DataType type, catalog::Dims shape,
                              catalog::AlignMode layout, unsigned lane,
                              const Chip &chip);
catalog::Argument globalTensor(catalog::DataType type, catalog::Dims shape,
                               const Chip &chip);
catalog::Argument number(int64_t value);
catalog::Argument number(double value);
catalog::Argument numbersOf(std::vector<int64_t> values);
/// Any value of the slot's range (integers, flags, choices, floats).
catalog::Argument anyNumber(Numbers &numbers, const catalog::Slot &slot);
/// Random contents: floats in [low, high), integers low to high.
catalog::Dense contents(Numbers &numbers, catalog::DataType type,
                        catalog::Dims shape, double low, double high);

} // namespace weft::cases

#endif // WEFT_TESTS_OPS_PPL_SAMPLERS_H
