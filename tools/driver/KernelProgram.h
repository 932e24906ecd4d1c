//===- KernelProgram.h - from a kernel to results -------------*- C++ -*-===//

#ifndef WEFT_TOOLS_DRIVER_KERNELPROGRAM_H
#define WEFT_TOOLS_DRIVER_KERNELPROGRAM_H

#include "frontend/ppl/Recorder.h"
#include "runtime/device/Device.h"
#include "runtime/ppl/Interpreter.h"
#include "runtime/status/Status.h"
#include "tools/driver/Diagnostics.h"
#include "tools/driver/KernelLowering.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace weft::driver {

/// Global memory after a program has run, from the recorder's base address on.
using MemoryImage = std::vector<uint8_t>;

/// The chip of that name that kernels are for.
rt::Result<const Chip *> kernelTarget(const std::string &name);

/// One recorded kernel program. Problems are printed as one line each, with the
/// kernel's file and line, by the printer that the constructor makes.
class KernelProgram {
public:
  explicit KernelProgram(llvm::raw_ostream &errors = llvm::errs());
  ~KernelProgram();

  /// Runs `body` with a recorder; once more for each further block if it sets
  /// their number (set_block_num). On failure everything has been printed.
  mlir::LogicalResult
  record(const Chip &chip, const std::string &name,
         const std::function<void(const weft_ppl_recorder &)> &body);
  /// The same for callers that cannot give a body: begins the next block, from
  /// 0 on; ends it; says whether a further one is to be recorded.
  const weft_ppl_recorder &begin(const Chip &chip, const std::string &name);
  /// Before the first begin(): calls run as they are recorded, so that
  /// values() can be asked.
  void keepValues() { keepsValues = true; }
  /// What a tensor of the block that is being recorded holds now.
  rt::Result<catalog::Dense> values(int64_t tensor) {
    return blocks.back().recorder->values(tensor);
  }
  mlir::LogicalResult end();
  bool wantsMoreBlocks() const { return blocks.size() < recorder().blocks; }

  /// The net of functions as recorded (by block 0); null before.
  ppl::NetOp net();
  /// Of block 0.
  frontend::Recorder &recorder() { return *blocks.front().recorder; }
  const frontend::Recorder &recorder() const {
    return *blocks.front().recorder;
  }
  const Chip &chip() const { return recorder().chip; }

  /// The bmodel, for chips that have commands; `serial` leaves rounds of loops
  /// one after the other.
  /// With `lines` the file's debug map says of each command which line of the
  /// kernel it is of, as models' say of nodes; else no source is in it.
  mlir::FailureOr<std::vector<uint8_t>> bmodel(bool serial = false,
                                               bool lines = false);
  /// The kernel's line of each command of the last `bmodel`, by group: TIU's
  /// and GDMA's in their order.
  struct CommandLines {
    std::vector<mlir::Location> tiu, gdma;
  };
  const std::vector<CommandLines> &commandLines() const { return lines; }
  /// The program as text after the named stage of it: "functions", "commands".
  mlir::FailureOr<std::string> text(bool commands, bool serial = false);

  /// Of all blocks.
  std::vector<ppl::NetOp> nets();

  /// Called with the block, the number of the function in it, its op in the
  /// lowered program and the memories before it is run.
  using BeforeFunction = std::function<void(
      size_t block, size_t number, mlir::Operation *, catalog::Machine &)>;
  /// Runs the functions themselves (runtime/ppl/Interpreter.h), the rounds of
  /// loops one after the other.
  rt::Result<MemoryImage> interpret(const BeforeFunction &before = {});
  /// Runs a bmodel that `bmodel` made.
  rt::Result<MemoryImage> run(const std::vector<uint8_t> &bmodel,
                              const rt::DeviceOptions &device);
  /// Whether a function reads a list of indices: only a run shows whether they
  /// lie in its tables.
  bool readsIndices();
  /// Everything that `expect` asked for and `memory` does not hold, one line
  /// each; empty if all holds.
  std::vector<std::string> unmetExpectations(const MemoryImage &memory) const;

  unsigned errors() const { return diagnostics->errors(); }
  /// Why the last step failed. Code::InvalidArgument has no message: what is
  /// wrong has been printed.
  rt::Status failureCause() const;
  /// 0x11 or 0x1A if the recording, or the last `bmodel`, `text` or
  /// `interpret`, failed because a memory is too small (KernelLowering.h).
  int memoryCode() const;
  /// The pieces of memory that the blocks write, by their names in the bmodel.
  std::map<std::string, const frontend::DeviceMemory::Piece *> outputs();

private:
  /// What one core runs.
  struct Block {
    std::unique_ptr<frontend::Recorder> recorder;
    mlir::OwningOpRef<mlir::ModuleOp> module;
  };
  /// Why a run on a device has failed: functions know their lines, commands and
  /// the vendor's library do not.
  rt::Status explained(const rt::Status &failure);
  /// A copy of a block's module, lowered; sets theMemoryCode.
  mlir::OwningOpRef<mlir::ModuleOp> lowered(Block &block, KernelLowering how);

  mlir::MLIRContext context;
  std::unique_ptr<DiagnosticPrinter> diagnostics;
  std::vector<Block> blocks;
  std::vector<CommandLines> lines;
  bool keepsValues = false;
  int theMemoryCode = 0;
};

} // namespace weft::driver

#endif // WEFT_TOOLS_DRIVER_KERNELPROGRAM_H
