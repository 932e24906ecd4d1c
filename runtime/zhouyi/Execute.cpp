//===- Execute.cpp - runs vector functions on the bytes of registers ------===//

#include "runtime/zhouyi/Execute.h"
#include "runtime/numeric/Float16.h"
#include "runtime/zhouyi/Types.h"
#include "runtime/zhouyi/kernels/Kernels.h"

#include <algorithm>
#include <cstring>

using namespace weft;
using namespace weft::zhouyi;

using catalog::SlotKind;

//===----------------------------------------------------------------------===//
// The functions
//===----------------------------------------------------------------------===//

namespace {
struct Function {
  std::string_view name;
  Kernel::Flow flow;
  Kernel::Inactive inactive;
  Kernel::Compute (*pick)(const Typing &typing);
  unsigned span = 1;    ///< of Groups
  bool isUpper = false; ///< of Halves and EveryOther
};
} // namespace

using Flow = Kernel::Flow;
using Inactive = Kernel::Inactive;

static const Function kFunctions[] = {
    {"vadd", Flow::Lanewise, Inactive::Replaced, pickAdd},
    {"vaddh", Flow::Neighbours, Inactive::Undefined, pickAddNeighbours},
    {"vabs", Flow::Lanewise, Inactive::Undefined, pickAbs},
    {"vsub", Flow::Lanewise, Inactive::Replaced, pickSub},
    {"vsubh", Flow::Neighbours, Inactive::Undefined, pickSubNeighbours},
    {"vmul", Flow::Lanewise, Inactive::Replaced, pickMul},
    {"vmull", Flow::Halves, Inactive::Replaced, pickLowProducts},
    {"vmulh", Flow::Halves, Inactive::Replaced, pickHighProducts, 1, true},
    {"vdiv", Flow::Lanewise, Inactive::Undefined, pickDiv},
    {"vmod", Flow::Lanewise, Inactive::Undefined, pickMod},
    {"vdot", Flow::Groups, Inactive::Undefined, pickPairDot, 2},
    {"vqdot", Flow::Groups, Inactive::Undefined, pickQuadDot, 4},
    {"vdpa", Flow::Groups, Inactive::FirstOperand, pickPairAccumulate, 2},
    {"vqdpa", Flow::Groups, Inactive::FirstOperand, pickQuadAccumulate, 4},
    {"vrpadd", Flow::Sum, Inactive::Undefined, pickSum},
    {"vmml", Flow::Matrix, Inactive::Undefined, pickMatrix},
    {"vmma", Flow::Matrix, Inactive::Undefined, pickMatrixAccumulate},
    {"fma", Flow::Lanewise, Inactive::FirstOperand, pickFma},
    {"vfmae", Flow::EveryOther, Inactive::FirstOperand, pickEvenFma},
    {"vfmao", Flow::EveryOther, Inactive::FirstOperand, pickOddFma, 1, true},
    {"vrint", Flow::Lanewise, Inactive::Undefined, pickRound},
    {"clip", Flow::Lanewise, Inactive::FirstOperand, pickClip},
};

static const Function &functionOf(const catalog::Operation &operation) {
  return *std::find_if(
      std::begin(kFunctions), std::end(kFunctions),
      [&](const Function &row) { return row.name == operation.name; });
}

//===----------------------------------------------------------------------===//
// Preparation
//===----------------------------------------------------------------------===//

/// A constant bound beyond the type is its limit.
static uint32_t boundBits(const Argument &bound, DataType type) {
  if (!isFloat(type)) {
    Argument moved = bound;
    moved.integer = std::clamp(bound.integer, lowestOf(type), highestOf(type));
    return constantBits(moved, type);
  }
  if (numberFits(bound, type))
    return constantBits(bound, type);
  uint32_t largest = type == DataType::Fp16 ? 0x7bffu : 0x7f7fffffu,
           sign = type == DataType::Fp16 ? 0x8000u : 0x80000000u;
  return bound.number() < 0 ? largest | sign : largest;
}

/// One element to all lanes.
static void fill(uint8_t *out, const VectorType &type, uint32_t bits) {
  unsigned bytes = bytesOf(type.type);
  for (unsigned i = 0; i < type.lanes; ++i)
    std::memcpy(out + size_t(i) * bytes, &bits, bytes);
}

void Kernel::addOperand(const catalog::Call &call, unsigned slotIndex) {
  const catalog::Slot &slot = theOperation->slots[slotIndex];
  const Argument &argument = call[slot.name];
  KernelOperand &operand = theOperands.emplace_back();
  operand.slot = slot.name;
  operand.slotIndex = slotIndex;
  if (slot.kind == SlotKind::Pointer) {
    operand.origin = Origin::Memory;
    operand.type = {DataType::Fp32, 16};
    return;
  }
  if (argument.kind == Argument::Kind::None)
    return;
  operand.type = operandType(call, slot.name);
  if (argument.isNumber()) {
    bool isBound = slot.name == "min_val" || slot.name == "max_val";
    operand.origin = Origin::Constant;
    VectorType first = operand.type;
    first.lanes = std::min(first.lanes, registerLanes(call, first.type));
    hasWideConstants |= first != operand.type;
    operand.constant.resize(first.bytes());
    fill(operand.constant.data(), first,
         isBound ? boundBits(argument, operand.type.type)
                 : constantBits(argument, operand.type.type));
    return;
  }
  bool isSpread = argument.vector.lanes != operand.type.lanes ||
                  bitsOf(argument.vector.type) != bitsOf(operand.type.type);
  operand.origin = isSpread ? Origin::Scalar : Origin::Register;
  operand.given = argument.vector.type;
}

void Kernel::resolveMask(const catalog::Call &call) {
  if (!theOperation->slot("mask"))
    return;
  bool isOfAcc = flow == Flow::EveryOther || theOperation->name == "fma";
  theMaskLanes = operandType(call, isOfAcc ? "acc" : "x").lanes;
  const Argument &mask = call["mask"];
  if (mask.kind == Argument::Kind::None)
    return;
  needsMask = !isKnown(mask);
  if (needsMask)
    return;
  rt::Result<MaskLanes> lanes = zhouyi::knownMask(mask, theMaskLanes);
  bool isPartial =
      lanes && std::count(lanes->begin(), lanes->end(), uint8_t(0)) != 0;
  if (isPartial)
    theMask = std::move(*lanes);
}

Kernel::Kernel(const catalog::Call &call) : theOperation(call.operation) {
  const Function &function = functionOf(*theOperation);
  flow = function.flow;
  inactive = function.inactive;
  span = function.span;
  for (unsigned i = 0; i < theOperation->slots.size(); ++i)
    switch (theOperation->slots[i].kind) {
    case SlotKind::Vector:
    case SlotKind::VectorOrScalar:
    case SlotKind::Pointer:
      addOperand(call, i);
      break;
    default:
      break;
    }
  Typing typing;
  VectorType x = operandType(call, "x");
  typing.x = typing.y = typing.out = x.type;
  if (theOperation->slot("y"))
    typing.y = operandType(call, "y").type;
  if (hasResult()) {
    theResult = theOperation->result(call);
    typing.out = theResult.type;
  }
  if (theOperation->slot("saturate"))
    typing.saturates = call.integer("saturate") != 0;
  compute = function.pick(typing);
  sourceLanes = x.lanes;
  hasAcc = theOperation->slot("acc") && flow != Flow::Lanewise;
  if (flow == Flow::Groups && isFloat(x.type))
    flow = Flow::HalfQuads;
  if (flow == Flow::Halves) {
    firstLane = function.isUpper ? x.lanes / 2 : 0;
    lanesOfSource = bitsOf(x.type) == 32 ? 2 : 1;
  }
  if (flow == Flow::EveryOther)
    firstLane = function.isUpper;
  if (theOperation->slot("min_val") &&
      !(call["min_val"].isNumber() && call["max_val"].isNumber()))
    boundsAbove = pickBoundsAbove(x.type);
  resolveMask(call);
}

void Kernel::spread(size_t index, const uint8_t *scalar, uint8_t *out) const {
  const KernelOperand &operand = theOperands[index];
  unsigned given = bitsOf(operand.given);
  uint32_t bits = 0;
  std::memcpy(&bits, scalar, given / 8);
  if (operand.given == DataType::Fp16 && operand.type.type == DataType::Fp32)
    bits = numeric::floatBits(numeric::halfToFloat(uint16_t(bits)));
  else if (isSigned(operand.given) && !isFloat(operand.given) && given < 32 &&
           (bits >> (given - 1) & 1))
    bits |= ~uint32_t(0) << given;
  fill(out, operand.type, bits);
}

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

Work Kernel::workOf(const Frame &frame, uint8_t *out) const {
  Work work;
  work.a = frame.sources[0].bytes;
  work.b = frame.sources[1].bytes;
  work.c = frame.sources[2].bytes;
  work.out = out;
  work.lanes = sourceLanes;
  return work;
}

static bool areWhole(const Frame &frame) {
  return !frame.sources[0].defined && !frame.sources[1].defined &&
         !frame.sources[2].defined;
}

Outcome Kernel::run(const Frame &frame) const {
  return hasWideConstants ? runRepeated(frame) : runComplete(frame);
}

Outcome Kernel::runRepeated(Frame frame) const {
  alignas(32) uint8_t rooms[kMostOperands][kMaxLanes * 4];
  for (size_t i = 0; i < theOperands.size(); ++i) {
    const KernelOperand &operand = theOperands[i];
    if (operand.origin != Origin::Constant)
      continue;
    size_t bytes = operand.type.bytes(), given = operand.constant.size();
    for (size_t at = 0; at < bytes; at += given)
      std::memcpy(rooms[i] + at, operand.constant.data(),
                  std::min(given, bytes - at));
    frame.sources[i].bytes = rooms[i];
  }
  return runComplete(frame);
}

/// Every source has all its lanes.
Outcome Kernel::runComplete(const Frame &frame) const {
  const uint8_t *mask = frame.mask;
  if (mask && !std::memchr(mask, 0, theMaskLanes))
    mask = nullptr;
  if (!mask && areWhole(frame))
    return runWhole(frame);
  if (flow == Flow::Sum || flow == Flow::Matrix)
    return runSum(frame, mask);
  return runMasked(frame, mask);
}

/// Every lane is active and defined.
Outcome Kernel::runWhole(const Frame &frame) const {
  Work work = workOf(frame, frame.out);
  bool isOutOfOrder = false;
  if (boundsAbove) {
    // Before the lanes: `out` may be one of the bounds.
    work.out = frame.defined;
    isOutOfOrder = boundsAbove(work);
    work.out = frame.out;
  }
  bool hasOddLanes = flow == Flow::HalfQuads && !hasAcc;
  if (isOutOfOrder)
    return runMasked(frame, nullptr);
  compute(work);
  if (flow != Flow::Sum && !hasOddLanes)
    return Outcome::Defined;
  for (unsigned i = 0; i < theResult.lanes; ++i)
    frame.defined[i] = flow == Flow::Sum ? i == 0 : i % 2 == 0;
  return Outcome::SomeUndefined;
}

Outcome Kernel::runMasked(const Frame &frame, const uint8_t *mask) const {
  alignas(32) uint8_t values[kMaxLanes * 4];
  alignas(32) uint8_t masked[kRegisterBytes];
  Work work = workOf(frame, values);
  work.mask = mask;
  if (mask && flow == Flow::Groups) {
    // A product with 0 adds nothing.
    const uint8_t *&x = hasAcc ? work.b : work.a;
    blendLanes(bytesOf(theOperands[hasAcc].type.type), sourceLanes, mask, x,
               nullptr, masked);
    x = masked;
    if (hasAcc && areWhole(frame)) {
      work.out = frame.out;
      compute(work);
      return Outcome::Defined;
    }
  }
  compute(work);
  return merge(frame, mask, values);
}

Kernel::LaneState Kernel::stateOf(unsigned lane, const Frame &frame,
                                  const uint8_t *mask) const {
  auto isDefined = [&](unsigned source, unsigned at) {
    const uint8_t *defined = frame.sources[source].defined;
    return !defined || defined[at];
  };
  // The sources that lanes are computed from: all but r and acc.
  unsigned begin = hasAcc, end = unsigned(theOperands.size());
  if (inactive == Inactive::Replaced)
    --end;
  unsigned first = lane, count = 1, maskStep = 1;
  switch (flow) {
  case Flow::Groups:
    first = span * lane;
    count = span;
    break;
  case Flow::HalfQuads:
    first = 2 * lane;
    count = lane % 2 ? 0 : 4;
    break;
  case Flow::Halves:
    first = firstLane + lane / lanesOfSource;
    break;
  case Flow::EveryOther:
    first = 2 * lane + firstLane;
    maskStep = 0;
    break;
  case Flow::Neighbours: {
    unsigned half = theResult.lanes / 2;
    begin = lane < half ? 0 : 1;
    end = begin + 1;
    first = 2 * (lane < half ? lane : lane - half);
    count = 2;
    break;
  }
  default:
    break;
  }
  LaneState state = {false, !hasAcc || isDefined(0, lane)};
  for (unsigned at = first; at < first + count; ++at) {
    if (mask && !mask[maskStep ? at : lane])
      continue;
    state.isActive = true;
    for (unsigned source = begin; source < end; ++source)
      state.isDefined &= isDefined(source, at);
  }
  return state;
}

Outcome Kernel::merge(const Frame &frame, const uint8_t *mask,
                      const uint8_t *values) const {
  Frame::Source other;
  if (inactive == Inactive::FirstOperand)
    other = frame.sources[0];
  else if (inactive == Inactive::Replaced)
    other = frame.sources[theOperands.size() - 1];
  unsigned lanes = theResult.lanes, bytes = bytesOf(theResult.type);
  if (mask && areWhole(frame) && !boundsAbove &&
      (flow == Flow::Lanewise || flow == Flow::EveryOther)) {
    blendLanes(bytes, lanes, mask, values, other.bytes, frame.out);
    if (other.bytes)
      return Outcome::Defined;
    std::memcpy(frame.defined, mask, lanes);
    return Outcome::SomeUndefined;
  }
  uint8_t above[kMaxLanes], active[kMaxLanes], defined[kMaxLanes];
  std::memset(active, 0, lanes);
  std::memset(defined, 0, lanes);
  bool isOutOfOrder = boundsAbove && boundsAbove(workOf(frame, above));
  bool isWhole = true;
  for (unsigned i = 0; i < lanes; ++i) {
    LaneState state = stateOf(i, frame, mask);
    active[i] = state.isActive;
    if (!state.isActive)
      defined[i] = other.bytes && (!other.defined || other.defined[i]);
    else
      defined[i] = state.isDefined && !(isOutOfOrder && above[i]);
    isWhole &= defined[i] != 0;
  }
  blendLanes(bytes, lanes, active, values, other.bytes, frame.out);
  if (isWhole)
    return Outcome::Defined;
  // The bytes of an undefined lane are 0.
  blendLanes(bytes, lanes, defined, frame.out, nullptr, frame.out);
  std::memcpy(frame.defined, defined, lanes);
  return Outcome::SomeUndefined;
}

//===----------------------------------------------------------------------===//
// Sums over all lanes
//===----------------------------------------------------------------------===//

/// The first active undefined lane that a sum or a matrix takes.
static bool undefinedLane(const Frame &frame, const uint8_t *mask,
                          unsigned lanes, size_t &source, unsigned &lane) {
  for (source = 0; source < kMostOperands; ++source) {
    const uint8_t *defined = frame.sources[source].defined;
    for (lane = 0; defined && lane < lanes; ++lane)
      if ((!mask || mask[lane]) && !defined[lane])
        return true;
  }
  return false;
}

std::string Kernel::refusal(const Frame &frame) const {
  size_t source = 0;
  unsigned lane = 0;
  if (!undefinedLane(frame, frame.mask, sourceLanes, source, lane) ||
      source >= theOperands.size())
    return {};
  return "lane " + std::to_string(lane) + " of " +
         std::string(theOperands[source].slot) + " has no defined value, and " +
         std::string(theOperation->name) +
         " sums it; mask it out or give it a value";
}

Outcome Kernel::runSum(const Frame &frame, const uint8_t *mask) const {
  size_t source = 0;
  unsigned lane = 0;
  if (undefinedLane(frame, mask, sourceLanes, source, lane))
    return Outcome::Refused;
  Frame cleared = frame;
  uint8_t masked[kRegisterBytes];
  if (flow == Flow::Sum && mask && !isFloat(theOperands[0].type.type)) {
    blendLanes(bytesOf(theOperands[0].type.type), sourceLanes, mask,
               frame.sources[0].bytes, nullptr, masked);
    cleared.sources[0].bytes = masked;
  }
  Work work = workOf(cleared, frame.out);
  work.mask = mask;
  compute(work);
  if (flow == Flow::Matrix)
    return Outcome::Defined;
  for (unsigned i = 0; i < theResult.lanes; ++i)
    frame.defined[i] = i == 0;
  return Outcome::SomeUndefined;
}

rt::Result<Lanes> zhouyi::execute(const Kernel &kernel,
                                  const std::vector<const Lanes *> &operands,
                                  const MaskLanes *mask) {
  Frame frame;
  std::vector<std::vector<uint8_t>> rooms(kernel.operands().size()),
      definedRooms(kernel.operands().size());
  VectorType type =
      kernel.hasResult() ? kernel.result() : VectorType{DataType::Fp32, 16};
  Lanes result(type);
  for (size_t i = 0; i < kernel.operands().size(); ++i) {
    const KernelOperand &operand = kernel.operands()[i];
    const Lanes *given = i < operands.size() ? operands[i] : nullptr;
    Frame::Source &source = frame.sources[i];
    VectorType read = operand.origin == Origin::Scalar
                          ? VectorType{operand.given, 1}
                          : operand.type;
    if (operand.origin == Origin::Constant) {
      source.bytes = operand.constant.data();
      continue;
    }
    if (operand.origin == Origin::Absent)
      continue;
    if (!given || given->bytes.size() != read.bytes())
      return rt::fail(rt::Code::InvalidArgument, std::string(operand.slot) +
                                                     " needs a value of " +
                                                     read.text());
    if (operand.origin == Origin::Scalar) {
      rooms[i].resize(operand.type.bytes());
      kernel.spread(i, given->bytes.data(), rooms[i].data());
      source.bytes = rooms[i].data();
      if (!given->isDefined(0)) {
        definedRooms[i].assign(operand.type.lanes, 0);
        source.defined = definedRooms[i].data();
      }
    } else {
      source.bytes = given->bytes.data();
      source.defined = given->defined.empty() ? nullptr : given->defined.data();
    }
  }
  result.defined.resize(type.lanes);
  frame.mask = mask ? mask->data() : kernel.knownMask();
  frame.out = result.bytes.data();
  frame.defined = result.defined.data();
  switch (kernel.run(frame)) {
  case Outcome::Refused:
    return rt::fail(rt::Code::InvalidArgument, kernel.refusal(frame));
  case Outcome::Defined:
    result.defined.clear();
    break;
  case Outcome::SomeUndefined:
    break;
  }
  return result;
}
