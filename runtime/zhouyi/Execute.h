//===- Execute.h - runs functions on bytes of registers ---------*- C++ -*-===//
//
// The meaning of the functions of the set `zhouyi`, twice usable: a Kernel is a
// call whose operation, types, constants and known mask are resolved once; it
// then runs on raw bytes without look-ups or allocations (Machine). `execute`
// and the catalog's evaluators are thin wrappers of it.
//
// A lane without a defined value is marked, never a number: `defined` has one
// byte a lane, 0 or 1, and the bytes of an undefined lane are 0.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_RUNTIME_ZHOUYI_EXECUTE_H
#define WEFT_RUNTIME_ZHOUYI_EXECUTE_H

#include "runtime/catalog/Catalog.h"
#include "runtime/chips/zhouyi.h"
#include "runtime/status/Status.h"
#include "runtime/zhouyi/Mask.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace weft::zhouyi {

using catalog::VectorType;

/// Bytes of one register; wider vectors take several.
inline constexpr unsigned kRegisterBytes = chips::zhouyi.vector.registerBytes;

/// The contents of a vector register.
struct Lanes {
  VectorType type;
  std::vector<uint8_t> bytes;   ///< type.bytes(), lane 0 first, little-endian
  std::vector<uint8_t> defined; ///< one a lane; empty: all are

  Lanes() = default;
  explicit Lanes(VectorType type) : type(type), bytes(type.bytes()) {}
  bool isDefined(unsigned lane) const {
    return defined.empty() || defined[lane];
  }
};

/// Where a kernel finds one of its vector operands.
enum class Origin : uint8_t {
  Absent,   ///< left out (r)
  Register, ///< a vector: its bytes as they are
  Scalar,   ///< a scalar variable: spread it first, see Kernel::spread
  Constant, ///< a number: KernelOperand::constant
  Memory,   ///< a pointer to 16 float32, which are also written
};

/// A vector or pointer slot of a prepared call.
struct KernelOperand {
  std::string_view slot;
  unsigned slotIndex = 0; ///< position in Operation::slots
  Origin origin = Origin::Absent;
  /// What the kernel reads: the scalar's type is that of the vector beside it
  /// (or its twin of other sign). r has the type of the result.
  VectorType type;
  /// Of a Scalar: what the variable's single lane is.
  catalog::DataType given = catalog::DataType::Int8;
  /// Of a Constant: the bytes of its lanes, of those in the first register if
  /// the vector is wider; run() repeats them. A program may have many.
  std::vector<uint8_t> constant;
};

/// Vector and pointer operands of a function, at most.
inline constexpr unsigned kMostOperands = 3;

/// One run of a kernel. `out` and `defined` overlap nothing, but may be exactly
/// the bytes and `defined` of an operand that has the type of the result (not
/// of vaddh and vsubh).
struct Frame {
  struct Source {
    const uint8_t *bytes = nullptr;
    const uint8_t *defined = nullptr; ///< null: all lanes are
  };
  /// In the order of Kernel::operands(). Constants too: point at their bytes.
  std::array<Source, kMostOperands> sources;
  /// Kernel::maskLanes() bytes, 0 or 1; null: all active. For a known mask
  /// point at Kernel::knownMask().
  const uint8_t *mask = nullptr;
  uint8_t *out = nullptr;     ///< result().bytes(), or the 16 float32 of Memory
  uint8_t *defined = nullptr; ///< a byte a lane; written for SomeUndefined only
};

enum class Outcome : uint8_t {
  Defined,       ///< every lane of the result is
  SomeUndefined, ///< `defined` says which are not
  Refused, ///< an undefined lane would end in a sum over all lanes or in memory
};

struct Work;

/// A legal call, prepared. Copyable.
class Kernel {
public:
  /// problemOf(call) must be empty.
  explicit Kernel(const catalog::Call &call);

  const catalog::Operation &operation() const { return *theOperation; }
  /// False for vmml and vmma, which write 16 float32 at their pointer.
  bool hasResult() const { return theOperation->result != nullptr; }
  const VectorType &result() const { return theResult; }
  /// At most three, in the order of the slots: x, y, r or acc, x, y ...
  const std::vector<KernelOperand> &operands() const { return theOperands; }
  /// 0 if the function takes no mask.
  unsigned maskLanes() const { return theMaskLanes; }
  /// Whether `Frame::mask` must be the lanes of a register.
  bool takesMask() const { return needsMask; }
  /// The lanes of a list or string; null if all are active or the mask is a
  /// register's.
  const uint8_t *knownMask() const {
    return theMask.empty() ? nullptr : theMask.data();
  }

  /// Writes a scalar variable to all lanes of operand `index`:
  /// operands()[index].type.bytes() bytes.
  void spread(size_t index, const uint8_t *scalar, uint8_t *out) const;

  Outcome run(const Frame &frame) const;
  /// Why a run with these sources is Refused, for a message.
  std::string refusal(const Frame &frame) const;

  /// Values of all lanes, as if all were active and defined.
  using Compute = void (*)(const Work &work);

  /// How lanes of the result come from lanes of the operands.
  enum class Flow : uint8_t {
    Lanewise,   ///< i from i
    Neighbours, ///< from two neighbours of x, then of y
    Halves,     ///< from one half of the lanes
    Groups,     ///< from `span` neighbours of x and y
    HalfQuads,  ///< the same, four to an even lane
    Sum,        ///< lane 0 from all
    Matrix,     ///< in memory
    EveryOther, ///< i from 2i or 2i + 1 of x and y, i of acc
  };
  /// What an inactive lane holds.
  enum class Inactive : uint8_t { Replaced, Undefined, FirstOperand };

private:
  void addOperand(const catalog::Call &call, unsigned slotIndex);
  void resolveMask(const catalog::Call &call);
  Outcome runRepeated(Frame frame) const;
  Outcome runComplete(const Frame &frame) const;
  Outcome runWhole(const Frame &frame) const;
  Outcome runMasked(const Frame &frame, const uint8_t *mask) const;
  Outcome runSum(const Frame &frame, const uint8_t *mask) const;
  Outcome merge(const Frame &frame, const uint8_t *mask,
                const uint8_t *values) const;
  Work workOf(const Frame &frame, uint8_t *out) const;
  /// Whether a lane of the result is active, and its operands defined.
  struct LaneState {
    bool isActive, isDefined;
  };
  LaneState stateOf(unsigned lane, const Frame &frame,
                    const uint8_t *mask) const;

  const catalog::Operation *theOperation;
  VectorType theResult;
  std::vector<KernelOperand> theOperands;
  unsigned theMaskLanes = 0;
  bool needsMask = false;
  MaskLanes theMask;
  Compute compute = nullptr;
  /// Of clip whose bounds are not both known: marks those out of order.
  bool (*boundsAbove)(const Work &work) = nullptr;
  Flow flow = Flow::Lanewise;
  Inactive inactive = Inactive::Undefined;
  bool hasWideConstants = false;
  bool hasAcc = false;        ///< operand 0 is one lane a result lane
  unsigned sourceLanes = 0;   ///< of x
  unsigned span = 1;          ///< of Groups
  unsigned firstLane = 0;     ///< of Halves and EveryOther
  unsigned lanesOfSource = 1; ///< result lanes from one source lane (Halves)
};

/// What a kernel gives for whole registers, one for each of its operands (a
/// scalar is a register of one lane; a constant or what is left out is null).
/// `mask` is null if it is left out or known. Of vmml and vmma: the register of
/// the pointer is its 16 float32, and the result is what they become.
rt::Result<Lanes> execute(const Kernel &kernel,
                          const std::vector<const Lanes *> &operands,
                          const MaskLanes *mask);

/// The key under which the values of an evaluator have a byte a lane of the
/// slot that says whether the lane is defined; empty for slots without one. It
/// lives as long as values that have it as a key: for ever.
std::string_view definedName(std::string_view slot);

} // namespace weft::zhouyi

#endif // WEFT_RUNTIME_ZHOUYI_EXECUTE_H
