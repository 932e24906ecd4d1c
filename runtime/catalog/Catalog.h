//===- Catalog.h - the functions of every operation set -------*- C++ -*-===//

#ifndef WEFT_RUNTIME_CATALOG_CATALOG_H
#define WEFT_RUNTIME_CATALOG_CATALOG_H

#include "runtime/chips/Chip.h"

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// What every function of an operation set (PPL, Zhouyi's vector arithmetic,
/// Ascend's moves; see Sets.def) takes, on which chips it exists and which
/// rules its arguments obey: the only source of these facts. The ops of the
/// set's dialect, their verifiers, the run-time checks of kernels, the Python
/// API, `weft ops --<set>`, the pages of docs/<set> and the random tests are
/// derived from it.
namespace weft::catalog {

/// The operation sets.
enum class Language : uint8_t {
#define CATALOG_SET(Name, spelling, rows, evaluators) Name,
#include "runtime/catalog/Sets.def"
};
/// Also the name of the dialect and of the option of `weft ops`: "ppl".
std::string_view spelling(Language language);
/// All of them, in the order of Sets.def.
const std::vector<Language> &languages();

enum class DataType : uint8_t {
#define PPL_DATA_TYPE(Name, spelling, code, bits, isFloat, isSigned)           \
  Name = code,
#include "runtime/catalog/DataTypes.def"
};
std::string_view spelling(DataType type);
/// Before they are placed, tensors lie, for the rules about overlap, each in a
/// region of 2 to this power bytes of its own; real addresses are smaller.
inline constexpr unsigned kRegionShift = 40;

/// 4 to 64; of one element in memory.
unsigned bitsOf(DataType type);
/// Whole bytes an element takes; 1 for the 4-bit types, which lie two a byte in
/// memory and one a byte in Dense values. FP20: 3 (see Fp20 in the
/// manual, 4.2).
unsigned bytesOf(DataType type);
bool isFloat(DataType type);
bool isSigned(DataType type);
/// The type with this `data_type_t` number.
std::optional<DataType> dataTypeOf(int64_t code);

/// "a", "a and b", "a, b and c" for the conjunction "and".
std::string joined(const std::vector<std::string_view> &words,
                   std::string_view conjunction);

/// A set of element types.
class TypeSet {
public:
  constexpr TypeSet() = default;
  constexpr TypeSet(DataType type) : bits(uint32_t(1) << unsigned(type)) {}
  constexpr TypeSet operator|(TypeSet other) const {
    TypeSet both;
    both.bits = bits | other.bits;
    return both;
  }
  constexpr bool contains(DataType type) const {
    return bits >> unsigned(type) & 1;
  }
  constexpr bool empty() const { return bits == 0; }
  /// "fp32, fp16 or bf16"
  std::string text() const;
  std::vector<DataType> members() const;

private:
  uint32_t bits = 0;
};

/// The groups of the manual's type lists.
inline constexpr TypeSet kSigned = TypeSet(DataType::Int32) | DataType::Int16 |
                                   DataType::Int8,
                         kUnsigned = TypeSet(DataType::Uint32) |
                                     DataType::Uint16 | DataType::Uint8,
                         kIntegers = kSigned | kUnsigned,
                         kFloats = TypeSet(DataType::Fp32) | DataType::Fp16 |
                                   DataType::Bf16,
                         kFp8 = TypeSet(DataType::Fp8e5m2) | DataType::Fp8e4m3,
                         kAnyElement = kIntegers | kFloats;

enum class Memory : uint8_t { Local, Global, Static, L2, L1 };
std::string_view spelling(Memory memory);

/// `align_mode_t`, same numbers.
enum class AlignMode : uint8_t {
  Continuous = 0,
  Aligned = 1,
  Compact = 2,
  RowAligned = 3,
  Free = 4
};
std::string_view spelling(AlignMode mode);

using Dims = std::array<int64_t, 4>; ///< n, c, h, w

/// A tensor argument.
struct Tensor {
  DataType type = DataType::Fp32;
  Memory memory = Memory::Local;
  AlignMode layout = AlignMode::Aligned;
  Dims shape = {1, 1, 1, 1};
  /// In elements, always filled in. In local memory c is the step from one row
  /// of lanes to the next.
  Dims strides = {0, 0, 0, 0};
  unsigned lane = 0; ///< where channel 0 lies; 0 but in local memory
  /// Local: byte inside the lane. Global, L2: address as the DMA engine sees
  /// it. Static: byte inside static memory. Empty before allocation.
  std::optional<uint64_t> address;

  int64_t elements() const { return shape[0] * shape[1] * shape[2] * shape[3]; }
};

/// Strides of a layout that has a rule (not Free).
Dims stridesOf(AlignMode mode, DataType type, const Dims &shape, unsigned lane,
               const Chip &chip);
/// True if the tensor has this layout, or has strides of its own that put every
/// element where the layout's rule puts it; steps along axes of one element do
/// not count.
bool liesAs(const Tensor &tensor, AlignMode mode, const Chip &chip);
/// Bytes from the first to behind the last element; in one lane for local
/// memory (an upper bound over the lanes).
uint64_t extentBytes(const Tensor &tensor, const Chip &chip);
/// Every element of `a` is one of `b`, at the same index.
bool isSamePlace(const Tensor &a, const Tensor &b, const Chip &chip);
/// Whether two tensors have a byte in common.
enum class Sharing : uint8_t {
  Apart,
  Unknown, ///< not found with the work that a check may take; assume Shares
  Shares,
};
/// Exact by elements and lanes, whatever the size, for strides of 0 or more
/// (fp20: for tensors without gaps). Unknown if the strides are too irregular,
/// or a tensor has no address.
Sharing shareBytes(const Tensor &a, const Tensor &b, const Chip &chip);
/// What the start address is a multiple of, in bytes.
unsigned startAlignment(const Tensor &tensor, const Chip &chip);

/// A vector register's contents: `lanes` elements, lane 0 lowest in memory. One
/// lane: a scalar variable.
struct VectorType {
  DataType type = DataType::Int8;
  unsigned lanes = 1;

  bool operator==(const VectorType &other) const {
    return type == other.type && lanes == other.lanes;
  }
  bool operator!=(const VectorType &other) const { return !(*this == other); }
  unsigned bytes() const { return lanes * bytesOf(type); }
  /// "int16x16"; a scalar has no count.
  std::string text() const;
};

/// What a parameter takes.
enum class SlotKind : uint8_t {
  Tensor,         ///< a tensor
  TensorOrScalar, ///< a tensor, or a number converted to the type of the others
  Integer,        ///< an integer in [low, high]
  Float,          ///< a float
  Flag,           ///< bool
  Choice,         ///< an enumerator: index into `choices`
  Integers,       ///< `count` integers, each in [low, high]
  Vector,         ///< a vector, or a scalar variable
  VectorOrScalar, ///< the same, or a constant number, which is broadcast
  Mask,           ///< a predicate: one bool a lane
  Pointer,        ///< an address of elements of `types`
};
/// As in JSON: "tensor_or_scalar".
std::string_view spelling(SlotKind kind);
enum class Access : uint8_t { Read, Write, ReadWrite };
std::string_view spelling(Access access);

/// One parameter of a function.
struct Slot {
  std::string_view name; ///< as in the manual
  SlotKind kind = SlotKind::Tensor;
  Access access = Access::Read;
  TypeSet types; ///< of a tensor or vector
  /// What to do with another type, for the message; may be empty.
  std::string_view otherTypes;
  /// Bit 1 << Memory of each memory a tensor may lie in.
  unsigned memories = 1u << unsigned(Memory::Local);
  bool optional = false; ///< may be left out; then it is `fallback`
  double fallback = 0;
  int64_t low = INT64_MIN, high = INT64_MAX;
  unsigned count = 0; ///< of Integers
  std::vector<std::string_view> choices;
  // Of the kernel language in C++.
  /// The enumeration that an Integer or Choice takes: "data_type_t".
  std::string_view enumeration;
  /// A Float that becomes an element: integers are passed as they are.
  bool isElement = false;
  /// What gives the value in place of a parameter.
  std::string_view supplied;
};

struct Argument {
  enum class Kind : uint8_t {
    None, ///< left out
    Tensor,
    Integer,
    Float,
    Integers,
    Vector,
    Mask,
    Pointer
  };
  Kind kind = Kind::None;
  Tensor tensor;
  int64_t integer = 0;
  double real = 0;
  std::vector<int64_t> integers;
  /// Of a Vector; lanes of a Mask; element type of a Pointer.
  VectorType vector;
  /// A Mask that is known: one byte a lane, 0 or 1. A known mask may also be
  /// given by `text` alone ("3T5F"), see zhouyi::parseMask.
  std::vector<uint8_t> lanes;
  std::string text;

  bool isVector() const { return kind == Kind::Vector; }
  bool isNumber() const { return kind == Kind::Integer || kind == Kind::Float; }
  bool isTensor() const { return kind == Kind::Tensor; }
  /// The number of an Integer or Float argument.
  double number() const { return kind == Kind::Float ? real : double(integer); }
};

struct Operation;

/// A function with its arguments, one a slot, in the order of the slots.
struct Call {
  const Operation *operation = nullptr;
  const Chip *chip = nullptr;
  std::vector<Argument> arguments;

  /// The argument of a slot. The name must be one of the operation's slots.
  const Argument &operator[](std::string_view slot) const;
  /// The same, when it is a tensor; else nullptr.
  const Tensor *tensor(std::string_view slot) const;
  /// Integers, flags and choices; the slot's fallback if left out.
  int64_t integer(std::string_view slot) const;
  double real(std::string_view slot) const;
  const std::vector<int64_t> &integers(std::string_view slot) const;
};

/// A rule of the manual.
struct Rule {
  /// What must hold, as docs/ppl prints it: "dst and src have one type".
  std::string text;
  /// Empty if it holds, else what was found: "dst is fp16, src is fp32". The
  /// message to the user is "<found>; <text>".
  std::function<std::string(const Call &)> check;
  /// The slots that it holds to one element type.
  std::vector<std::string_view> oneType = {};
};

/// A C++ function of the kernel language that makes the call.
struct Spelling {
  /// Slots in the order of the parameters; the others are left out. Behind a
  /// name: `&` a tensor only, `!` exactly a bool, `?` may be left out, `=v`
  /// the same with the value v, `:=v` no parameter but always v.
  std::string_view parameters;
  /// Where it is not the operation's, without the engine.
  std::string_view name = {};
};

enum class Unit : uint8_t { Dma, Sdma, Hau, Tiu, Vector, Mte2 };
std::string_view spelling(Unit unit);

/// Which lane counts a function on vectors takes.
enum class VectorWidth : uint8_t {
  Register, ///< those of one register
  Multiple, ///< those of one or more whole registers
  Flexible, ///< 2 and more
};
/// As in JSON: "multiple".
std::string_view spelling(VectorWidth width);

/// Chips by name, as in `Chip::targetName`; all if empty.
using ChipNames = std::vector<std::string_view>;

/// One function of an operation set.
struct Operation {
  /// "tiu.fadd": the op is `ppl.tiu.fadd`. Unique within the set.
  std::string_view name;
  Language language = Language::Ppl; ///< set by operations()
  Unit unit = Unit::Tiu;
  std::string_view section; ///< of the manual
  std::string_view summary; ///< one line
  std::string_view formula; ///< over indices, for docs and readers
  std::vector<Slot> slots;
  std::vector<Rule> rules;
  /// None: one with all slots, of which those at the end that are optional may
  /// be left out.
  std::vector<Spelling> spellings;
  /// What result_add reads where the result goes, if it has another type than
  /// that: the values "accumulator" of an evaluator. May be null.
  std::function<std::optional<Tensor>(const Call &)> accumulator;
  /// The type of the value that a legal call returns; null if it returns
  /// nothing (and writes where its arguments say).
  std::function<VectorType(const Call &)> result;
  /// What is odd about a legal call, in words; empty if nothing is. May be
  /// null.
  std::function<std::string(const Call &)> warning;
  /// Of a function on vectors. Whether it takes a mask, r, saturate and
  /// out_sign is told by its slots.
  VectorWidth width = VectorWidth::Register;
  /// What lanes of the result hold that a mask makes inactive; empty without a
  /// mask.
  std::string_view inactiveLanes;
  /// True for a call that does nothing; of its arguments only kinds and types
  /// are checked. May be null.
  std::function<bool(const Call &)> isIdle;
  ChipNames chips;
  /// Why it exists on fewer chips, or what a chip does otherwise; may be empty.
  std::string_view chipNote;
  /// A call in the kernel language, run by the tests. Statements over tensors
  /// that the page's prologue declares; see docs/ppl.
  std::string_view example;

  bool existsOn(const Chip &chip) const;
  const Slot *slot(std::string_view name) const;
  /// Position of a slot, or -1.
  int slotIndex(std::string_view name) const;
};

/// "ppl::tiu::fadd", as kernels call it.
std::string qualifiedName(const Operation &operation);

/// Every function of a set, in the order of its manual.
const std::vector<Operation> &operations(Language language = Language::Ppl);
/// nullptr if there is none of that name.
const Operation *find(std::string_view name, Language language = Language::Ppl);

/// The first thing wrong with a call, as one message without the name of the
/// function; empty if it is legal. Checks the chip, the kind, type, memory and
/// range of every argument, then the operation's rules, in order. Of an idle
/// call ranges and rules are not checked.
std::string problemOf(const Call &call);

} // namespace weft::catalog

#endif // WEFT_RUNTIME_CATALOG_CATALOG_H
