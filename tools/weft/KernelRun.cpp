//===- KernelRun.cpp - runs of a kernel and what tests expect of them -----===//

#include "tools/weft/KernelRun.h"

#include <algorithm>

using namespace weft;
using namespace weft::cli;
using driver::KernelProgram;
using driver::MemoryImage;
using rt::Result;

Result<std::vector<uint8_t>> cli::kernelBmodel(KernelProgram &program,
                                               bool serial) {
  mlir::FailureOr<std::vector<uint8_t>> bytes = program.bmodel(serial);
  if (mlir::failed(bytes))
    return program.failureCause();
  return std::move(*bytes);
}

Result<MemoryImage> cli::runKernel(KernelProgram &program, const KernelRun &run,
                                   bool serial) {
  if (run.interpret || !program.chip().hasCommands())
    return program.interpret();
  Result<std::vector<uint8_t>> bytes = kernelBmodel(program, serial);
  if (!bytes)
    return bytes.status();
  return program.run(*bytes, run.device);
}

Result<std::vector<std::string>> cli::judgeTest(const std::string &file,
                                                const std::string &test,
                                                KernelProgram &program,
                                                const KernelRun &run) {
  std::vector<std::string> wrong;
  Result<MemoryImage> memory = runKernel(program, run, false);
  if (!memory)
    return memory.status();
  wrong = program.unmetExpectations(*memory);
  if (program.recorder().expectations.empty())
    wrong.push_back(file + ": test " + test +
                    " expects nothing; call expect(pointer, &shape, wanted) "
                    "at its end");
  if (!program.chip().hasCommands() || run.interpret)
    return wrong;
  // The rounds of loops one after the other, and the functions' own meaning,
  // must give the same bytes.
  Result<MemoryImage> serial = runKernel(program, run, true);
  if (!serial)
    return serial.status();
  Result<MemoryImage> meaning = program.interpret();
  if (!meaning)
    return meaning.status();
  for (const auto &[name, output] : program.outputs()) {
    const frontend::DeviceMemory::Piece *piece = output;
    auto differs = [&](const MemoryImage &other) {
      uint64_t start = piece->address - program.recorder().memory.base;
      return !std::equal(memory->begin() + start,
                         memory->begin() + start + piece->bytes,
                         other.begin() + start);
    };
    if (differs(*serial))
      wrong.push_back(name + ": the pipelined program gives other bytes than "
                             "the serial one");
    if (differs(*meaning))
      wrong.push_back(name +
                      ": the commands give other bytes than the interpreter");
  }
  return wrong;
}
