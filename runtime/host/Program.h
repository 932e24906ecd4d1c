//===- Program.h - the host's part of a bmodel ------------------*- C++ -*-===//
//
// What the processor of the host does between two launches of the chip: it
// takes tensors from DRAM, calls kernels, and puts results back. The programs
// of a stage share their values, so a tensor that only host operations use
// never crosses. A program is bytes in the file (CpuLayer.parameters):
// `parseProgram` trusts none of them, `checkProgram` checks what they mean.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_RUNTIME_HOST_PROGRAM_H
#define WEFT_RUNTIME_HOST_PROGRAM_H

#include "runtime/host/Host.h"

#include <functional>
#include <map>

namespace weft::host {

/// A value of a stage's host programs; each is made once.
using ValueId = uint32_t;
/// Stands for an optional operand that is absent.
inline constexpr ValueId kAbsent = ~ValueId(0);

/// A dense tensor in DRAM.
struct Place {
  uint64_t address = 0; ///< as in commands
  ElementType type = ElementType::F32;
  int64_t elements = 0;

  uint64_t bytes() const {
    return uint64_t(elements) * numeric::elementBytes(type);
  }
};

/// value = convert(DRAM), under a static shape.
struct LoadStep {
  ValueId value = 0;
  Place from;
  ElementType type = ElementType::F32;
  Shape shape;
};
/// value = input number `input` of the stage, as the user gave it.
struct InputStep {
  ValueId value = 0;
  uint32_t input = 0;
};
struct ConstantStep {
  ValueId value = 0;
  HostTensor tensor;
};
/// results = kernel(operands).
struct CallStep {
  std::string kernel;
  std::string node;   ///< name of the ONNX node, for messages; may be empty
  std::string reason; ///< why the chip does not compute it
  Attributes attributes;
  std::vector<ValueId> operands; ///< kAbsent: no operand
  std::vector<ValueId> results;
  std::vector<ResultType> types; ///< of the results
};
/// DRAM = convert(value); a value of unknown size leaves the rest as it is.
struct StoreStep {
  ValueId value = 0;
  Place to;
};
/// Output number `output` of the stage = value.
struct OutputStep {
  ValueId value = 0;
  uint32_t output = 0;
};
using Step = std::variant<LoadStep, InputStep, ConstantStep, CallStep,
                          StoreStep, OutputStep>;

struct Program {
  std::vector<Step> steps;
};

/// CpuLayer.op_type of a layer whose parameters are a program: "SOHW".
inline constexpr int32_t kLayerType = 0x57484f53;

std::vector<uint8_t> serialize(const Program &program);
/// Code::BadFile with the byte where the fault is.
rt::Result<Program> parseProgram(const uint8_t *bytes, size_t size);

/// What the programs of one stage may touch.
struct StageView {
  std::vector<ResultType> inputs, outputs; ///< of the stage, as users see them
  std::function<bool(const Place &)> mayRead, mayWrite;
};

/// Types of the values that earlier programs of the stage made, and which
/// outputs they gave.
struct ProgramState {
  std::map<ValueId, ResultType> values;
  std::vector<bool> givenOutputs;
};

/// Checks that every step uses known values and memory that it may touch, calls
/// a kernel that there is, and fits its types; adds to `state`. Code::BadFile,
/// or Code::Unsupported for an unknown kernel.
rt::Status checkProgram(const Program &program, const StageView &stage,
                        ProgramState &state);

/// Memory of the device and the tensors of one run.
struct RunContext {
  /// Host memory behind a place; the program has been checked against it.
  std::function<const uint8_t *(const Place &)> read;
  std::function<uint8_t *(const Place &)> write;
  /// One an input, those that programs do not read may be empty.
  const std::vector<HostTensor> *inputs = nullptr;
  /// One an output; filled by OutputStep.
  std::vector<HostTensor> *outputs = nullptr;
  std::map<ValueId, HostTensor> values; ///< shared by the programs of a run
};

/// Runs a checked program. The message of a failing call names its node.
rt::Status runProgram(const Program &program, RunContext &context);

} // namespace weft::host

#endif // WEFT_RUNTIME_HOST_PROGRAM_H
