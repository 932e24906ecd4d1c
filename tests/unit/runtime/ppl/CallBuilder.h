//===- CallBuilder.h - a call, slot by slot ----------*- C++ -*-===//

#ifndef WEFT_TESTS_UNIT_RUNTIME_PPL_CALLBUILDER_H
#define WEFT_TESTS_UNIT_RUNTIME_PPL_CALLBUILDER_H

#include "runtime/ppl/Interpreter.h"
#include "tests/unit/runtime/ppl/Coverage.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>

namespace weft::catalog {

/// A tensor in the default layout of its memory, at a place where nothing else
/// lies: each call takes the next 16 KiB of a lane or 1 MiB of system memory.
/// Places start again with every CallBuilder.
class CallBuilder {
public:
  explicit CallBuilder(std::string_view name, const Chip &chip) {
    call.operation = find(name);
    call.chip = &chip;
    EXPECT_NE(call.operation, nullptr) << name;
    if (call.operation)
      call.arguments.resize(call.operation->slots.size());
  }

  Tensor local(DataType type, const Dims &shape,
               AlignMode layout = AlignMode::Aligned, unsigned lane = 0) {
    Tensor tensor;
    tensor.type = type;
    tensor.shape = shape;
    tensor.layout = layout;
    tensor.lane = lane;
    tensor.strides = stridesOf(layout, type, shape, lane, *call.chip);
    tensor.address = nextLocal;
    nextLocal += 16 << 10;
    return tensor;
  }
  Tensor global(DataType type, const Dims &shape,
                Memory memory = Memory::Global) {
    Tensor tensor;
    tensor.type = type;
    tensor.memory = memory;
    tensor.layout = AlignMode::Continuous;
    tensor.shape = shape;
    tensor.strides =
        stridesOf(AlignMode::Continuous, type, shape, 0, *call.chip);
    tensor.address = (memory == Memory::L2 ? call.chip->l2MemoryBase
                                           : call.chip->globalMemoryBase) +
                     nextSystem;
    nextSystem += 1 << 20;
    return tensor;
  }

  CallBuilder &set(std::string_view slot, Tensor tensor) {
    argument(slot).kind = Argument::Kind::Tensor;
    argument(slot).tensor = std::move(tensor);
    return *this;
  }
  CallBuilder &set(std::string_view slot, int64_t value) {
    argument(slot).kind = Argument::Kind::Integer;
    argument(slot).integer = value;
    return *this;
  }
  CallBuilder &set(std::string_view slot, double value) {
    argument(slot).kind = Argument::Kind::Float;
    argument(slot).real = value;
    return *this;
  }
  CallBuilder &set(std::string_view slot, int value) {
    return set(slot, int64_t(value));
  }
  Argument &argument(std::string_view slot) {
    int index = call.operation->slotIndex(slot);
    EXPECT_GE(index, 0) << call.operation->name << " has no " << slot;
    return call.arguments[size_t(index)];
  }
  Tensor &tensor(std::string_view slot) { return argument(slot).tensor; }
  std::string problem() const {
    return testing::covered(call.operation->name, problemOf(call));
  }

  Call call;

private:
  uint64_t nextLocal = 0, nextSystem = 0;
};

/// Values of an element type: each number converted.
inline Dense dense(DataType type, const Dims &shape,
                   const std::vector<double> &numbers) {
  Dense values(type, shape);
  EXPECT_EQ(values.elements(), int64_t(numbers.size()));
  for (size_t i = 0; i < numbers.size(); ++i)
    values.setValue(int64_t(i), numbers[i]);
  return values;
}

inline std::vector<double> numbers(const Dense &values) {
  std::vector<double> all;
  for (int64_t i = 0; i < values.elements(); ++i)
    all.push_back(values.value(i));
  return all;
}

/// Runs the call on a machine; fails the test on an illegal call.
class Bench {
public:
  explicit Bench(CallBuilder &builder)
      : machine(zeroed(*builder.call.chip)), call(builder.call) {}
  void put(std::string_view slot, const std::vector<double> &numbers) {
    const Tensor &tensor = *call.tensor(slot);
    rt::Status status =
        write(tensor, dense(tensor.type, tensor.shape, numbers), machine);
    EXPECT_TRUE(status.isOk()) << status.message();
  }
  std::vector<double> get(std::string_view slot) {
    rt::Result<Dense> values = read(*call.tensor(slot), machine);
    EXPECT_TRUE(values.isOk());
    return values.isOk() ? numbers(*values) : std::vector<double>();
  }
  void run() {
    EXPECT_EQ(problemOf(call), "") << call.operation->name;
    testing::coverRun(call);
    rt::Status status = interpret(call, machine);
    EXPECT_TRUE(status.isOk()) << status.message();
  }

  Machine &machine;
  Call call;

private:
  /// One machine a chip for all tests: making BM1690's takes 200 MB.
  static Machine &zeroed(const Chip &chip) {
    constexpr size_t kUsed = 16 << 20; // CallBuilder's places end before
    static std::map<const Chip *, std::unique_ptr<Machine>> machines;
    std::unique_ptr<Machine> &machine = machines[&chip];
    if (!machine)
      machine = std::make_unique<Machine>(chip, kUsed);
    for (auto *memory : {&machine->local, &machine->statics, &machine->l2,
                         &machine->global, &machine->vectorRegisters})
      std::fill_n(memory->begin(), std::min(memory->size(), kUsed), 0);
    return *machine;
  }
};

} // namespace weft::catalog

#endif // WEFT_TESTS_UNIT_RUNTIME_PPL_CALLBUILDER_H
