/// A command made ready to run, again and again, on one machine.
#ifndef WEFT_RUNTIME_EMULATOR_KERNEL_H
#define WEFT_RUNTIME_EMULATOR_KERNEL_H

#include "runtime/emulator/Machine.h"
#include "runtime/isa/Decode.h"

#include <memory>

namespace weft::emulator {

/// What does not depend on memory contents (fields, checks, views, where the
/// terms of a window lie) is settled when it is made; run() does the rest.
class Kernel {
public:
  virtual ~Kernel() = default;
  virtual Status run(Machine &machine) = 0;
};
using KernelPtr = std::unique_ptr<Kernel>;

/// Never nullptr: a command that cannot be executed becomes a kernel that says
/// why when its turn comes. `command`'s bytes must outlive the kernel. Views
/// point into `machine`; a kernel runs on no other.
KernelPtr prepareTiu(Machine &machine, const isa::Decoded &command);
KernelPtr prepareGdma(Machine &machine, const isa::Decoded &command);

/// A kernel that calls a function with the decoded command.
class CommandKernel final : public Kernel {
public:
  using Function = Status (*)(Machine &, const isa::Decoded &);
  CommandKernel(Function function, const isa::Decoded &command)
      : function(function), command(command) {}
  Status run(Machine &machine) override { return function(machine, command); }

private:
  Function function;
  isa::Decoded command;
};

/// Sets `kernel` to a Prepared for the command, whose prepare() settles it.
template <class Prepared>
Status prepareAs(Machine &machine, const isa::Decoded &command,
                 KernelPtr &kernel) {
  auto prepared = std::make_unique<Prepared>(command);
  WEFT_TRY(prepared->prepare(machine));
  kernel = std::move(prepared);
  return Status::ok();
}

} // namespace weft::emulator

#endif
