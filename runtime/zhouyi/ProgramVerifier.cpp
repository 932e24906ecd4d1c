//===- ProgramVerifier.cpp - what a legal program is ----------------------===//

#include "runtime/chips/Chips.h"
#include "runtime/status/Quote.h"
#include "runtime/zhouyi/Execute.h"
#include "runtime/zhouyi/ProgramFile.h"
#include "runtime/zhouyi/Verifier.h"

#include <algorithm>
#include <set>

using namespace weft;
using namespace weft::zhouyi;
using rt::Code;
using rt::failf;
using rt::quoteName;
using rt::Status;

/// Of all constants and scalars together, which a machine keeps lane by lane: a
/// file has one lane of them, so a small one could ask for any memory.
static constexpr uint64_t kMaxConstantBytes = uint64_t(1) << 28;
/// Elements behind the pointer of vmml and vmma.
static constexpr uint64_t kPointerElements = 16;
//===----------------------------------------------------------------------===//
// Names of instructions
//===----------------------------------------------------------------------===//

std::string zhouyi::mnemonic(const Instruction &instruction) {
  static constexpr const char *words[] = {
      "loop",        "load", "store", "tail_mask", "constant",
      "reinterpret", "cast", "copy",  "",          "host"};
  if (const auto *apply = std::get_if<Apply>(&instruction.what))
    return apply->operation;
  return words[instruction.what.index()];
}

std::string zhouyi::placeText(const Program &program,
                              const std::vector<size_t> &path) {
  const std::vector<Instruction> *block = &program.body;
  const Instruction *instruction = nullptr;
  NodeId node = kNoNode;
  std::string numbers;
  for (size_t index : path) {
    instruction = &(*block)[index];
    if (instruction->node != kNoNode)
      node = instruction->node;
    numbers += (numbers.empty() ? "" : ".") + std::to_string(index);
    if (const auto *loop = std::get_if<Loop>(&instruction->what))
      block = &loop->body;
  }
  std::string text = "instruction " + numbers;
  if (instruction) {
    std::string word = quoteName(mnemonic(*instruction));
    text += " (" + word.substr(1, word.size() - 2) + ")";
  }
  if (node < program.nodes.size())
    text += " of node " + quoteName(program.nodes[node]);
  return text;
}

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

namespace {
/// Walks the instructions once in the order in which they run. A loop runs at
/// least once, and what a first pass has written is there in later ones, so one
/// walk through its body is enough.
class Checker {
public:
  explicit Checker(const Program &program)
      : program(program), written(program.registers.size()) {}

  Status block(const std::vector<Instruction> &body, uint64_t times);
  /// Of the instruction where the first fault is.
  std::string place() const { return placeText(program, path); }
  const std::vector<size_t> &faultPath() const { return path; }

  Status operator()(const Loop &loop);
  Status operator()(const Load &load);
  Status operator()(const Store &store);
  Status operator()(const TailMask &mask);
  Status operator()(const Constant &constant);
  Status operator()(const Reinterpret &one);
  Status operator()(const Cast &cast);
  Status operator()(const Copy &copy);
  Status operator()(const Apply &apply);
  Status operator()(const HostStep &step);

private:
  Status readable(RegisterId id) const {
    WEFT_TRY(known(id));
    return written[id] ? Status::ok()
                       : failf(Code::BadFile,
                               "reads register %u before it is written", id);
  }
  Status known(RegisterId id) const {
    return id < program.registers.size()
               ? Status::ok()
               : failf(Code::BadFile,
                       "names register %u, the program has %zu registers", id,
                       program.registers.size());
  }
  Status vectorRegister(RegisterId id) const {
    return program.registers[id].isMask
               ? failf(Code::BadFile, "register %u is a mask, must be a vector",
                       id)
               : Status::ok();
  }
  /// A readable mask of `lanes` lanes, or none.
  Status maskOf(RegisterId id, uint32_t lanes) const {
    if (id == kNoRegister)
      return Status::ok();
    WEFT_TRY(readable(id));
    const RegisterType &type = program.registers[id];
    return type.isMask && type.lanes == lanes
               ? Status::ok()
               : failf(Code::BadFile,
                       "the mask is register %u of %s, must be "
                       "a mask of %u lanes",
                       id, text(type).c_str(), lanes);
  }
  static std::string text(const RegisterType &type) {
    return type.isMask ? "a mask of " + std::to_string(type.lanes) + " lanes"
                       : catalog::VectorType{type.type, type.lanes}.text();
  }
  /// Lowest and highest value of a sum of indices.
  Status range(const std::vector<Term> &terms, int64_t &low,
               int64_t &high) const;
  /// `lanes` elements of `size` bytes, `stride` elements apart. With a mask the
  /// machine checks the active lanes.
  Status access(const Address &address, uint64_t lanes, int64_t stride,
                unsigned size, bool isMasked, bool isWritten) const;
  Status convert(RegisterId result, RegisterId source);
  Status keep(uint64_t bytes) {
    constantBytes += bytes;
    return constantBytes <= kMaxConstantBytes
               ? Status::ok()
               : failf(Code::BadFile,
                       "constants and scalars take more than %llu bytes up to "
                       "here, lane by lane; load them from weights",
                       ull(kMaxConstantBytes));
  }
  /// What the numbers and scalars of a call become.
  uint64_t spreadBytes(const Apply &apply) const;
  Status operand(const Operand &operand) const;

  const Program &program;
  std::vector<bool> written;
  std::vector<uint32_t> counts; ///< of the loops around
  std::vector<size_t> path;
  uint64_t steps = 0;
  uint64_t constantBytes = 0;
};
} // namespace

Status Checker::block(const std::vector<Instruction> &body, uint64_t times) {
  path.push_back(0);
  for (const Instruction &instruction : body) {
    path.back() = size_t(&instruction - body.data());
    if (instruction.node != kNoNode && instruction.node >= program.nodes.size())
      return failf(Code::BadFile, "names node %u, the program has %zu nodes",
                   instruction.node, program.nodes.size());
    steps += times; // each at most kMaxSteps + 1
    if (steps > kMaxSteps)
      return failf(Code::BadFile,
                   "the program takes more than 2^40 steps up to here; split "
                   "the model");
    WEFT_TRY(std::visit(*this, instruction.what));
  }
  path.pop_back();
  return Status::ok();
}

Status Checker::operator()(const Loop &loop) {
  if (loop.count < 1)
    return rt::fail(Code::BadFile, "count is 0, must be at least 1");
  if (counts.size() >= kMaxDepth)
    return failf(Code::BadFile, "loops are nested more than %u deep",
                 kMaxDepth);
  uint64_t times = loop.count;
  for (uint32_t outer : counts)
    times = times > kMaxSteps / outer ? kMaxSteps + 1 : times * outer;
  counts.push_back(loop.count);
  // An empty loop still counts.
  steps += times;
  WEFT_TRY(block(loop.body, times));
  counts.pop_back();
  return Status::ok();
}

Status Checker::range(const std::vector<Term> &terms, int64_t &low,
                      int64_t &high) const {
  std::vector<bool> used(counts.size());
  for (const Term &term : terms) {
    if (term.loop >= counts.size() || used[term.loop])
      return failf(Code::BadFile,
                   "a step for the loop of depth %u, which is %s; there are "
                   "%zu loops around",
                   term.loop,
                   term.loop < counts.size() ? "there twice" : "unknown",
                   counts.size());
    used[term.loop] = true;
    int64_t last;
    if (term.step < -kMostStep || term.step > kMostStep ||
        __builtin_mul_overflow(term.step, int64_t(counts[term.loop]) - 1,
                               &last) ||
        __builtin_add_overflow(term.step < 0 ? low : high, last,
                               term.step < 0 ? &low : &high))
      return failf(Code::BadFile, "a step of %lld leaves every memory",
                   ll(term.step));
  }
  return Status::ok();
}

Status Checker::access(const Address &address, uint64_t lanes, int64_t stride,
                       unsigned size, bool isMasked, bool isWritten) const {
  if (address.buffer >= program.buffers.size())
    return failf(Code::BadFile, "names buffer %u, the program has %zu buffers",
                 address.buffer, program.buffers.size());
  const Buffer &buffer = program.buffers[address.buffer];
  if (isWritten &&
      (buffer.role == BufferRole::Weight || buffer.role == BufferRole::Input))
    return failf(Code::BadFile,
                 "writes to buffer %s; weights and inputs are only read",
                 quoteName(buffer.name).c_str());
  bool aligned = address.offset % size == 0;
  for (const Term &term : address.terms)
    aligned &= term.step % size == 0;
  if (!aligned)
    return failf(Code::BadFile,
                 "an offset or a step is no multiple of the element's %u bytes",
                 size);
  // With a mask only some lanes are touched, but all have an address; 2^53 at
  // most, far from overflow.
  constexpr int64_t kReach = int64_t(1) << 53;
  int64_t low = address.offset, high = address.offset;
  WEFT_TRY(range(address.terms, low, high));
  if (stride < -kMostStep || stride > kMostStep || low < -kReach ||
      high > kReach)
    return failf(Code::BadFile,
                 "bytes %lld to %lld, %lld elements apart, leave every memory",
                 ll(low), ll(high), ll(stride));
  if (isMasked)
    return Status::ok();
  int64_t span = stride * int64_t(lanes - 1) * int64_t(size);
  low += std::min<int64_t>(span, 0);
  high += std::max<int64_t>(span, 0) + int64_t(size);
  if (low < 0 || high > int64_t(buffer.bytes))
    return failf(Code::BadFile,
                 "touches bytes %lld to %lld of buffer %s, which has %llu; "
                 "mask the lanes outside",
                 ll(low), ll(high - 1), quoteName(buffer.name).c_str(),
                 ull(buffer.bytes));
  return Status::ok();
}

Status Checker::operator()(const Load &load) {
  WEFT_TRY(known(load.result));
  WEFT_TRY(vectorRegister(load.result));
  const RegisterType &type = program.registers[load.result];
  WEFT_TRY(maskOf(load.mask, type.lanes));
  WEFT_TRY(access(load.from, type.lanes, load.stride,
                  catalog::bytesOf(type.type), load.mask != kNoRegister,
                  /*isWritten=*/false));
  written[load.result] = true;
  return Status::ok();
}

Status Checker::operator()(const Store &store) {
  WEFT_TRY(readable(store.value));
  WEFT_TRY(vectorRegister(store.value));
  const RegisterType &type = program.registers[store.value];
  WEFT_TRY(maskOf(store.mask, type.lanes));
  if (store.stride == 0 && type.lanes > 1)
    return failf(Code::BadFile,
                 "stores %u lanes into one element; the stride "
                 "of a store is not 0",
                 type.lanes);
  return access(store.to, type.lanes, store.stride, catalog::bytesOf(type.type),
                store.mask != kNoRegister,
                /*isWritten=*/true);
}

Status Checker::operator()(const TailMask &mask) {
  WEFT_TRY(known(mask.result));
  if (!program.registers[mask.result].isMask)
    return failf(Code::BadFile, "register %u is no mask", mask.result);
  constexpr int64_t kMostLimit = int64_t(1) << 53;
  int64_t low = 0, high = 0;
  WEFT_TRY(range(mask.terms, low, high));
  if (mask.limit < -kMostLimit || mask.limit > kMostLimit ||
      low < -kMostLimit || high > kMostLimit)
    return failf(Code::BadFile, "limit %lld or a step is above 2^53",
                 ll(mask.limit));
  written[mask.result] = true;
  return Status::ok();
}

Status Checker::operator()(const Constant &constant) {
  WEFT_TRY(known(constant.result));
  const RegisterType &type = program.registers[constant.result];
  if (constant.bytes.size() != type.bytes() &&
      constant.bytes.size() * type.lanes != type.bytes())
    return failf(Code::BadFile,
                 "%zu bytes for %s, which has %llu or, in one "
                 "lane, %llu",
                 constant.bytes.size(), text(type).c_str(), ull(type.bytes()),
                 ull(type.bytes() / type.lanes));
  if (type.isMask)
    for (uint8_t lane : constant.bytes)
      if (lane > 1)
        return failf(Code::BadFile, "a lane of a mask is %u, must be 0 or 1",
                     lane);
  written[constant.result] = true;
  return keep(type.bytes());
}

Status Checker::convert(RegisterId result, RegisterId source) {
  WEFT_TRY(readable(source));
  WEFT_TRY(known(result));
  WEFT_TRY(vectorRegister(source));
  WEFT_TRY(vectorRegister(result));
  written[result] = true;
  return Status::ok();
}

Status Checker::operator()(const Reinterpret &one) {
  WEFT_TRY(convert(one.result, one.source));
  const RegisterType &result = program.registers[one.result];
  const RegisterType &source = program.registers[one.source];
  return result.bytes() == source.bytes()
             ? Status::ok()
             : failf(Code::BadFile, "%s and %s have different sizes",
                     text(source).c_str(), text(result).c_str());
}

Status Checker::operator()(const Cast &cast) {
  WEFT_TRY(convert(cast.result, cast.source));
  const RegisterType &result = program.registers[cast.result];
  const RegisterType &source = program.registers[cast.source];
  return result.lanes == source.lanes
             ? Status::ok()
             : failf(Code::BadFile, "%s and %s have different lanes",
                     text(source).c_str(), text(result).c_str());
}

Status Checker::operator()(const Copy &copy) {
  std::set<RegisterId> results;
  for (const Copy::Move &move : copy.moves) {
    WEFT_TRY(readable(move.source));
    WEFT_TRY(known(move.result));
    const RegisterType &from = program.registers[move.source];
    const RegisterType &to = program.registers[move.result];
    if (from != to)
      return failf(Code::BadFile, "copies %s to %s", text(from).c_str(),
                   text(to).c_str());
    if (!results.insert(move.result).second)
      return failf(Code::BadFile, "writes register %u twice", move.result);
  }
  for (RegisterId result : results)
    written[result] = true;
  return Status::ok();
}

/// An operand as the catalog sees it; its register is one of the program's.
static catalog::Argument argumentOf(const Program &program,
                                    const Operand &operand) {
  catalog::Argument argument;
  switch (operand.kind) {
  case Operand::Kind::None:
    break;
  case Operand::Kind::Integer:
    argument.kind = catalog::Argument::Kind::Integer;
    argument.integer = operand.integer;
    break;
  case Operand::Kind::Float:
    argument.kind = catalog::Argument::Kind::Float;
    argument.real = operand.real;
    break;
  case Operand::Kind::Register: {
    const RegisterType &type = program.registers[operand.reg];
    argument.kind = type.isMask ? catalog::Argument::Kind::Mask
                                : catalog::Argument::Kind::Vector;
    argument.vector = {type.type, type.lanes};
    break;
  }
  case Operand::Kind::Address:
    argument.kind = catalog::Argument::Kind::Pointer;
    argument.vector = {DataType::Fp32, unsigned(kPointerElements)};
    break;
  }
  return argument;
}

catalog::Call zhouyi::callOf(const Program &program, const Apply &apply) {
  catalog::Call call;
  call.operation = catalog::find(apply.operation, catalog::Language::Zhouyi);
  call.chip = chips::findVectorTarget(program.target);
  for (const Operand &operand : apply.operands)
    call.arguments.push_back(argumentOf(program, operand));
  call.arguments.resize(call.operation->slots.size());
  return call;
}

Status Checker::operand(const Operand &operand) const {
  if (operand.kind == Operand::Kind::Register)
    return readable(operand.reg);
  if (operand.kind != Operand::Kind::Address)
    return Status::ok();
  // Some functions read there, all write.
  return access(operand.address, kPointerElements, 1,
                catalog::bytesOf(DataType::Fp32), /*isMasked=*/false,
                /*isWritten=*/true);
}

uint64_t Checker::spreadBytes(const Apply &apply) const {
  uint64_t widest =
      apply.result == kNoRegister ? 0 : program.registers[apply.result].bytes();
  uint64_t numbers = 0, scalars = 0;
  for (const Operand &operand : apply.operands) {
    if (operand.kind != Operand::Kind::Register)
      numbers += operand.kind != Operand::Kind::None;
    else if (const RegisterType &type = program.registers[operand.reg];
             type.lanes == 1)
      ++scalars;
    else
      widest = std::max(widest, type.bytes());
  }
  // A number is kept for one register (see KernelOperand::constant).
  return scalars * widest + numbers * kRegisterBytes;
}

Status Checker::operator()(const Apply &apply) {
  const catalog::Operation *operation =
      catalog::find(apply.operation, catalog::Language::Zhouyi);
  if (!operation)
    return failf(Code::BadFile, "there is no function %s",
                 quoteName(apply.operation).c_str());
  if (apply.operands.size() > operation->slots.size())
    return failf(Code::BadFile, "%zu operands, it takes at most %zu",
                 apply.operands.size(), operation->slots.size());
  for (size_t i = 0; i < apply.operands.size(); ++i)
    WEFT_TRY(operand(apply.operands[i])
                 .withContext(std::string(operation->slots[i].name)));
  catalog::Call call = callOf(program, apply);
  if (std::string problem = catalog::problemOf(call); !problem.empty())
    return rt::fail(Code::BadFile, problem);
  if (!operation->result)
    return apply.result == kNoRegister
               ? keep(spreadBytes(apply))
               : failf(Code::BadFile,
                       "it returns nothing, but register %u is "
                       "to take it",
                       apply.result);
  WEFT_TRY(known(apply.result));
  catalog::VectorType wanted = operation->result(call);
  const RegisterType &type = program.registers[apply.result];
  if (type.isMask || catalog::VectorType{type.type, type.lanes} != wanted)
    return failf(Code::BadFile, "it returns %s, register %u is %s",
                 wanted.text().c_str(), apply.result, text(type).c_str());
  written[apply.result] = true;
  return keep(spreadBytes(apply));
}

Status Checker::operator()(const HostStep &step) {
  for (const host::Step &one : step.program.steps)
    if (std::holds_alternative<host::InputStep>(one) ||
        std::holds_alternative<host::OutputStep>(one))
      return rt::fail(Code::Unsupported,
                      "unsupported: a program of the host that names inputs or "
                      "outputs; it works on memory");
  auto inBuffer = [this](const host::Place &place, bool isWritten) {
    if (place.elements < 0 ||
        uint64_t(place.elements) > kMaxMemoryBytes) // bytes() must not wrap
      return false;
    for (const Buffer &buffer : program.buffers) {
      bool writable = buffer.role == BufferRole::Output ||
                      buffer.role == BufferRole::Scratch;
      if ((writable || !isWritten) &&
          rt::Region{buffer.address, buffer.bytes}.contains(place.address,
                                                            place.bytes()))
        return true;
    }
    return false;
  };
  host::StageView view;
  view.mayRead = [&](const host::Place &place) {
    return inBuffer(place, false);
  };
  view.mayWrite = [&](const host::Place &place) {
    return inBuffer(place, true);
  };
  host::ProgramState state;
  return host::checkProgram(step.program, view, state);
}

static Status checkBody(const Program &program, std::vector<size_t> *fault) {
  Checker checker(program);
  Status status = checker.block(program.body, 1);
  if (status)
    return status;
  if (fault)
    *fault = checker.faultPath();
  return status.withContext(checker.place());
}

Status zhouyi::verify(const Program &program, std::vector<size_t> *fault) {
  const Chip *chip = chips::findVectorTarget(program.target);
  if (!chip || chip->targetName != program.target)
    return failf(Code::Unsupported,
                 "unsupported: the program is for target %s, which this Weft "
                 "does not know",
                 quoteName(program.target).c_str());
  WEFT_TRY(checkRegisters(program));
  WEFT_TRY(checkBuffers(program));
  return checkBody(program, fault);
}
