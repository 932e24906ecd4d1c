//===- Machine.h - runs a program of vector operations ----------*- C++ -*-===//
//
// One core: registers, one flat memory, instructions one after the other. A
// lane without a defined value (choice UndefinedLanesArePoisoned) is carried
// along as such; storing it, or adding it up over all lanes, ends the run.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_RUNTIME_ZHOUYI_MACHINE_H
#define WEFT_RUNTIME_ZHOUYI_MACHINE_H

#include "runtime/zhouyi/ProgramFile.h"

#include <functional>
#include <memory>

namespace weft::zhouyi {

/// Called when the instruction of that index in Program::body has run, loops to
/// their end.
using AfterInstruction = std::function<void(size_t index)>;

class Machine {
public:
  /// Checks the program (verify), prepares every instruction and allocates the
  /// memory. Code::OutOfMemory beside the codes of verify().
  static rt::Result<Machine> make(std::shared_ptr<const Program> program);

  Machine(Machine &&) noexcept;
  Machine &operator=(Machine &&) noexcept;
  ~Machine();

  const Program &program() const;
  /// The memory of a buffer of the program: write inputs before a run, read
  /// outputs after it.
  uint8_t *memory(const Buffer &buffer);

  /// Runs once: clears scratch and outputs, then executes. After a failure the
  /// contents of outputs mean nothing. The message names the instruction and
  /// its ONNX node. Under a StopScope it ends when it is asked to.
  rt::Status run(const AfterInstruction &after = nullptr);

  /// Instructions that a run executes, each pass of a loop counted.
  uint64_t instructionsPerRun() const;

private:
  struct State;
  explicit Machine(std::unique_ptr<State> state);
  std::unique_ptr<State> state;
};

} // namespace weft::zhouyi

#endif // WEFT_RUNTIME_ZHOUYI_MACHINE_H
