//===- OnBm1684x.h - single commands on a BM1684X ---------------*- C++ -*-===//

#ifndef WEFT_TESTS_UNIT_RUNTIME_EMULATOR_ONBM1684X_H
#define WEFT_TESTS_UNIT_RUNTIME_EMULATOR_ONBM1684X_H

#include "runtime/chips/Chips.h"
#include "runtime/emulator/Emulator.h"
#include "runtime/isa/CommandBuilder.h"
#include "tests/unit/runtime/isa/FirstTable.h"

#include <cstring>
#include <gtest/gtest.h>

namespace weft::emulator {

using Fields = std::vector<std::pair<isa::Field, uint64_t>>;

/// Codes of `*_prec`.
constexpr uint64_t kInt8 = 0, kFp16 = 1, kFp32 = 2, kInt16 = 3, kInt32 = 4,
                   kBf16 = 5;

struct OnBm1684x : testing::Test {
  std::unique_ptr<Emulator> emulator = *Emulator::create(chips::bm1684x);

  template <class T>
  void put(uint32_t address, const std::vector<T> &values) {
    std::memcpy(emulator->localMemory() + address, values.data(),
                values.size() * sizeof(T));
  }
  template <class T>
  std::vector<T> get(uint32_t address, size_t count) {
    std::vector<T> values(count);
    std::memcpy(values.data(), emulator->localMemory() + address,
                count * sizeof(T));
    return values;
  }
  /// Executes one TIU command; a later value of a field replaces an earlier.
  rt::Status tryRun(unsigned type, unsigned func, const Fields &fields,
                    isa::Form form = isa::Form::None) {
    auto command = isa::CommandBuilder::make(
        isa::firstTable(), isa::Engine::Tiu, type, func, form);
    if (!command)
      return command.status();
    for (auto [field, value] : fields)
      if (auto status = command->set(field, value); !status)
        return status;
    return emulator->execute(isa::Engine::Tiu, command->bytes(),
                             command->sizeBytes());
  }
  void run(unsigned type, unsigned func, const Fields &fields,
           isa::Form form = isa::Form::None) {
    auto status = tryRun(type, func, fields, form);
    ASSERT_TRUE(status) << status.message();
  }
};

} // namespace weft::emulator

#endif // WEFT_TESTS_UNIT_RUNTIME_EMULATOR_ONBM1684X_H
