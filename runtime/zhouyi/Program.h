//===- Program.h - a program of vector operations ---------------*- C++ -*-===//
//
// What `weft convert --target zhouyi` makes and `runtime/zhouyi/Machine` runs:
// typed registers, buffers in one flat memory, and nested blocks of
// instructions. These are plain structs: codegen fills them, `serialize` turns
// them into the bytes of a .zyp file (program.fbs), and `verify`
// (ProgramFile.h) holds what a file gives and what codegen makes to the same
// rules. docs: docs/zhouyi/programs.md.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_RUNTIME_ZHOUYI_PROGRAM_H
#define WEFT_RUNTIME_ZHOUYI_PROGRAM_H

#include "runtime/bmodel/Bmodel.h"
#include "runtime/catalog/Catalog.h"
#include "runtime/host/Program.h"
#include "runtime/zhouyi/Mask.h"

#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace weft::zhouyi {

using catalog::DataType;

/// The type of a register: `lanes` elements, or a mask of `lanes` bits. A
/// scalar variable is a register of one lane. As many registers as a program
/// wants; each has one type for ever, and is written before it is read.
struct RegisterType {
  DataType type = DataType::Int8; ///< Int8 for masks
  uint32_t lanes = 0;             ///< 1 to kMaxLanes
  bool isMask = false;

  /// Of the elements; a lane of a mask is one byte.
  uint64_t bytes() const {
    return uint64_t(lanes) * (isMask ? 1 : catalog::bytesOf(type));
  }
  bool operator==(const RegisterType &other) const {
    return type == other.type && lanes == other.lanes && isMask == other.isMask;
  }
  bool operator!=(const RegisterType &other) const { return !(*this == other); }
};

/// Deepest nest of loops.
inline constexpr unsigned kMaxDepth = 16;
/// Buffers start at multiples of this.
inline constexpr uint64_t kBufferAlignment = 64;
/// Largest memory of a program.
inline constexpr uint64_t kMaxMemoryBytes = uint64_t(1) << 32;
/// Most instructions that one run may take, loops multiplied out.
inline constexpr uint64_t kMaxSteps = uint64_t(1) << 40;

/// Index into Program::registers.
using RegisterId = uint32_t;
/// No register: the result of a function that has none, a mask left out.
inline constexpr RegisterId kNoRegister = ~RegisterId(0);
/// Index into Program::nodes.
using NodeId = uint32_t;
inline constexpr NodeId kNoNode = ~NodeId(0);

/// The index of a loop times a step. Loops count by their depth: 0 is the
/// outermost of those around the instruction.
struct Term {
  uint32_t loop = 0;
  int64_t step = 0;
};

/// A place in a buffer: byte `offset` + sum of index * step (bytes), a multiple
/// of the element's size. Every active lane of every access lies in its buffer:
/// without a mask that is checked when the program is loaded, for all values of
/// the indices; with one, inactive lanes may lie outside, and active ones are
/// checked when they are touched.
struct Address {
  uint32_t buffer = 0; ///< index into Program::buffers
  int64_t offset = 0;
  std::vector<Term> terms; ///< steps in bytes; at most one term a loop
};

/// result = active ? memory : 0. Lane i is the element at address + i * stride.
struct Load {
  RegisterId result = kNoRegister; ///< no mask register
  Address from;
  int64_t stride = 1;            ///< in elements; 0: one element in all lanes
  RegisterId mask = kNoRegister; ///< of as many lanes; absent: all
};
/// Writes the active lanes. An undefined active lane stops the program. Not
/// into weights and inputs. The stride is not 0 but for one lane.
struct Store {
  RegisterId value = kNoRegister;
  Address to;
  int64_t stride = 1;
  RegisterId mask = kNoRegister;
};
/// Mask with the lowest clamp(limit - sum of index * step, 0, lanes) lanes set.
struct TailMask {
  RegisterId result = kNoRegister;
  int64_t limit = 0;
  std::vector<Term> terms; ///< steps in lanes
};
/// The bytes of a register, little-endian, lane by lane; of a mask 0 or 1.
struct Constant {
  RegisterId result = kNoRegister;
  std::vector<uint8_t> bytes; ///< all of it, or those of one lane for all lanes
};
/// The same bits as elements of another type; no masks. A lane is defined if
/// all lanes that it takes bits from are.
struct Reinterpret {
  RegisterId result = kNoRegister;
  RegisterId source = kNoRegister;
};
/// Lane by lane into another type: floats round half to even, a float becomes
/// an integer by truncation and saturation (NaN: 0), an integer becomes a
/// shorter one by dropping high bits. No masks.
struct Cast {
  RegisterId result = kNoRegister;
  RegisterId source = kNoRegister;
};
/// Registers take the values that others have before it, all at once: what a
/// loop carries. Types are equal; no register is written twice.
struct Copy {
  struct Move {
    RegisterId result = kNoRegister;
    RegisterId source = kNoRegister;
  };
  std::vector<Move> moves;
};

/// What an operand of a function is.
struct Operand {
  enum class Kind : uint8_t {
    None, ///< left out
    Register,
    Integer, ///< a number; also flags, and choices by index
    Float,
    Address, ///< of a Pointer slot
  };
  Kind kind = Kind::None;
  RegisterId reg = kNoRegister;
  int64_t integer = 0;
  double real = 0;
  Address address;

  static Operand ofRegister(RegisterId reg) {
    Operand operand;
    operand.kind = Kind::Register;
    operand.reg = reg;
    return operand;
  }
  static Operand ofInteger(int64_t value) {
    Operand operand;
    operand.kind = Kind::Integer;
    operand.integer = value;
    return operand;
  }
  static Operand ofFloat(double value) {
    Operand operand;
    operand.kind = Kind::Float;
    operand.real = value;
    return operand;
  }
  static Operand ofAddress(Address address) {
    Operand operand;
    operand.kind = Kind::Address;
    operand.address = std::move(address);
    return operand;
  }
};
/// A function of the catalog's set `zhouyi`.
struct Apply {
  std::string operation; ///< "vadd"
  /// One a slot, in the order of the slots; a tail of None may be missing. A
  /// vector or a mask is a register; a number is Integer or Float; a pointer is
  /// an address.
  std::vector<Operand> operands;
  /// Of the type that Operation::result gives; kNoRegister if it gives none.
  RegisterId result = kNoRegister;
};
/// A program of runtime/host on this program's memory: LoadStep, ConstantStep,
/// CallStep and StoreStep; places are addresses of the flat memory, each inside
/// one buffer.
struct HostStep {
  host::Program program;
};

struct Instruction;

/// Runs `body` `count` times; its index is 0, 1, ... A register that the body
/// writes is the same register in the next pass and behind the loop.
struct Loop {
  uint32_t count = 0; ///< at least 1
  std::vector<Instruction> body;
};

struct Instruction {
  /// The ONNX node that it is for; kNoNode: that of the loop around it.
  NodeId node = kNoNode;
  std::variant<Loop, Load, Store, TailMask, Constant, Reinterpret, Cast, Copy,
               Apply, HostStep>
      what;
};

enum class BufferRole : uint8_t { Weight, Input, Output, Scratch };

/// Bytes of the memory. Scratch is 0 when a run begins, and scratch buffers may
/// share bytes; all others lie apart.
struct Buffer {
  BufferRole role = BufferRole::Scratch;
  std::string name;     ///< for readers; unique, not empty
  uint64_t address = 0; ///< a multiple of kBufferAlignment
  uint64_t bytes = 0;
  std::vector<uint8_t> contents; ///< of a weight: all its bytes; else empty
  /// The ONNX value that it holds: ONNX name, type and shape; stored type,
  /// scale and zero point. Inputs and outputs have one, stored row-major in the
  /// shape
  /// (`storedShape` = `shape`, `storedBytes` <= `bytes`); scratch may have one,
  /// for `weft compare --per-layer`. `address` in it is that of the buffer.
  std::optional<rt::TensorSpec> value;
  /// Of a scratch buffer's value: elements from one index of an axis to the
  /// next, if it is not row-major.
  std::vector<int64_t> strides;
};

struct Program {
  std::string name;               ///< of the model
  std::string target = "zhouyi";  ///< catalog's chips::vectorTargets
  std::vector<std::string> nodes; ///< names of ONNX nodes
  std::vector<RegisterType> registers;
  /// Inputs and outputs in the order of the model. The memory ends behind the
  /// last buffer.
  std::vector<Buffer> buffers;
  std::vector<Instruction> body;
};

/// One past the last byte of the last buffer.
uint64_t memoryBytes(const Program &program);

} // namespace weft::zhouyi

#endif // WEFT_RUNTIME_ZHOUYI_PROGRAM_H
