//===- Disassemble.h - programs as text and by the numbers ------*- C++ -*-===//

#ifndef WEFT_RUNTIME_ZHOUYI_DISASSEMBLE_H
#define WEFT_RUNTIME_ZHOUYI_DISASSEMBLE_H

#include "runtime/zhouyi/Program.h"

#include <functional>

namespace weft::zhouyi {

/// One instruction as text, without indentation: "v3 = vadd v1, v2, mask = m0,
/// saturate = 1". Operands that are left out are not named.
std::string disassemble(const Program &program, const Instruction &instruction);

/// A line of a listing.
struct ListedInstruction {
  const Instruction *instruction = nullptr;
  std::vector<size_t> path; ///< its number, one a nest of loops
  NodeId node = kNoNode;    ///< its own or that of the loop around it
  uint64_t times = 1;       ///< how often a run executes it
};
/// Every instruction in the order in which the first pass executes them; a loop
/// comes before its body. Stops when `visit` fails.
rt::Status visitInstructions(
    const Program &program,
    const std::function<rt::Status(const ListedInstruction &)> &visit);

/// The whole program: buffers, then one instruction a line, bodies of loops
/// indented, the name of the ONNX node behind its first instruction.
rt::Status list(const Program &program,
                const std::function<rt::Status(const std::string &)> &write);

/// How often a run executes each function and each other instruction.
struct WorkCount {
  std::string mnemonic;
  uint64_t instructions = 0; ///< in the program
  uint64_t executed = 0;     ///< in a run
};
/// In alphabetical order.
std::vector<WorkCount> countWork(const Program &program);

/// "v8: int8x32", "m0: mask x32".
std::string registerText(const Program &program, RegisterId id);

} // namespace weft::zhouyi

#endif // WEFT_RUNTIME_ZHOUYI_DISASSEMBLE_H
