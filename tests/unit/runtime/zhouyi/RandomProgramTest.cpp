//===- RandomProgramTest.cpp - the machine against a plain reading --------===//
//
// Random legal programs run on the machine and by an interpreter that does what
// Program.h says, one lane at a time and with no preparation. Memory must be
// the same bytes, or both must stop at the same instruction.
//
//===----------------------------------------------------------------------===//

#include "runtime/zhouyi/Cast.h"
#include "runtime/zhouyi/Execute.h"
#include "runtime/zhouyi/Machine.h"
#include "tests/unit/runtime/zhouyi/SmallProgram.h"

#include <algorithm>
#include <cstring>
#include <gtest/gtest.h>
#include <random>

using namespace weft;
using namespace weft::zhouyi;
using catalog::DataType;
using numeric::ElementType;

namespace {

//===----------------------------------------------------------------------===//
// The plain reading
//===----------------------------------------------------------------------===//

class Interpreter {
public:
  explicit Interpreter(const Program &program)
      : program(program), memory(memoryBytes(program)) {
    for (const RegisterType &type : program.registers) {
      Lanes lanes;
      lanes.type = {type.type, type.lanes};
      lanes.bytes.resize(type.bytes());
      registers.push_back(lanes);
    }
    for (const Buffer &buffer : program.buffers)
      std::copy(buffer.contents.begin(), buffer.contents.end(),
                memory.begin() + std::ptrdiff_t(buffer.address));
  }

  /// False where the machine must stop, with `path` the place.
  bool block(const std::vector<Instruction> &body) {
    path.push_back(0);
    for (const Instruction &instruction : body) {
      path.back() = size_t(&instruction - body.data());
      if (!std::visit([this](const auto &what) { return run(what); },
                      instruction.what))
        return false;
    }
    path.pop_back();
    return true;
  }

  const Program &program;
  std::vector<uint8_t> memory;
  std::vector<size_t> path;

private:
  bool run(const Loop &loop) {
    for (uint32_t i = 0; i < loop.count; ++i) {
      indices.push_back(i);
      if (!block(loop.body))
        return false;
      indices.pop_back();
    }
    return true;
  }
  int64_t sumOf(const std::vector<Term> &terms) const {
    int64_t sum = 0;
    for (const Term &term : terms)
      sum += indices[term.loop] * term.step;
    return sum;
  }
  bool isActive(RegisterId mask, uint32_t lane) const {
    return mask == kNoRegister || registers[mask].bytes[lane];
  }
  /// The byte of a lane in memory; -1 if it leaves its buffer.
  int64_t placeOf(const Address &address, int64_t lane, int64_t stride,
                  int64_t size) const {
    const Buffer &buffer = program.buffers[address.buffer];
    int64_t byte = address.offset + sumOf(address.terms) + lane * stride * size;
    return byte < 0 || byte + size > int64_t(buffer.bytes)
               ? -1
               : int64_t(buffer.address) + byte;
  }
  bool run(const Load &load) {
    Lanes &to = registers[load.result];
    auto size = int64_t(catalog::bytesOf(to.type.type));
    std::fill(to.bytes.begin(), to.bytes.end(), uint8_t(0));
    to.defined.clear();
    for (uint32_t lane = 0; lane < to.type.lanes; ++lane) {
      if (!isActive(load.mask, lane))
        continue;
      int64_t from = placeOf(load.from, lane, load.stride, size);
      if (from < 0)
        return false;
      std::copy_n(memory.begin() + from, size, to.bytes.begin() + lane * size);
    }
    return true;
  }
  bool run(const Store &store) {
    const Lanes &from = registers[store.value];
    auto size = int64_t(catalog::bytesOf(from.type.type));
    for (uint32_t lane = 0; lane < from.type.lanes; ++lane)
      if (isActive(store.mask, lane) &&
          (!from.isDefined(lane) ||
           placeOf(store.to, lane, store.stride, size) < 0))
        return false;
    for (uint32_t lane = 0; lane < from.type.lanes; ++lane)
      if (isActive(store.mask, lane))
        std::copy_n(from.bytes.begin() + lane * size, size,
                    memory.begin() +
                        placeOf(store.to, lane, store.stride, size));
    return true;
  }
  bool run(const TailMask &mask) {
    std::vector<uint8_t> &lanes = registers[mask.result].bytes;
    for (size_t lane = 0; lane < lanes.size(); ++lane)
      lanes[lane] = int64_t(lane) < mask.limit - sumOf(mask.terms);
    return true;
  }
  bool run(const Constant &constant) {
    Lanes &to = registers[constant.result];
    for (size_t i = 0; i < to.bytes.size(); ++i)
      to.bytes[i] = constant.bytes[i % constant.bytes.size()];
    to.defined.clear();
    return true;
  }
  bool run(const Reinterpret &one) {
    const Lanes from = registers[one.source];
    Lanes &to = registers[one.result];
    to.bytes = from.bytes;
    size_t narrow = catalog::bytesOf(from.type.type);
    size_t wide = catalog::bytesOf(to.type.type);
    to.defined.assign(to.type.lanes, 1);
    for (size_t byte = 0; byte < to.bytes.size(); ++byte)
      if (!from.isDefined(unsigned(byte / narrow)))
        to.defined[byte / wide] = 0;
    for (size_t byte = 0; byte < to.bytes.size(); ++byte)
      to.bytes[byte] = to.defined[byte / wide] ? to.bytes[byte] : 0;
    return true;
  }
  bool run(const Cast &cast) {
    const Lanes from = registers[cast.source];
    Lanes &to = registers[cast.result];
    castOf(from.type.type, to.type.type)(from.bytes.data(), to.bytes.data(),
                                         from.type.lanes);
    to.defined = from.defined;
    return true;
  }
  bool run(const Copy &copy) {
    std::vector<Lanes> values;
    for (const Copy::Move &move : copy.moves)
      values.push_back(registers[move.source]);
    for (size_t i = 0; i < values.size(); ++i)
      registers[copy.moves[i].result] = values[i];
    return true;
  }
  bool run(const Apply &apply) {
    Kernel kernel(callOf(program, apply));
    std::vector<const Lanes *> operands;
    Lanes pointed({DataType::Fp32, 16});
    int64_t at = -1;
    for (const KernelOperand &row : kernel.operands()) {
      Operand operand = row.slotIndex < apply.operands.size()
                            ? apply.operands[row.slotIndex]
                            : Operand();
      operands.push_back(nullptr);
      if (operand.kind == Operand::Kind::Register)
        operands.back() = &registers[operand.reg];
      if (operand.kind != Operand::Kind::Address)
        continue;
      at = placeOf(operand.address, 0, 1, 64);
      std::copy_n(memory.begin() + at, 64, pointed.bytes.begin());
      operands.back() = &pointed;
    }
    const MaskLanes *mask = nullptr;
    int slot = kernel.operation().slotIndex("mask");
    if (kernel.takesMask())
      mask = &registers[apply.operands[size_t(slot)].reg].bytes;
    rt::Result<Lanes> result = execute(kernel, operands, mask);
    if (!result)
      return false;
    if (apply.result == kNoRegister)
      std::copy_n(result->bytes.begin(), 64, memory.begin() + at);
    else
      registers[apply.result] = *result;
    return true;
  }
  bool run(const HostStep &) { return true; }

  std::vector<Lanes> registers;
  std::vector<int64_t> indices;
};

//===----------------------------------------------------------------------===//
// Random programs
//===----------------------------------------------------------------------===//

constexpr DataType kTypes[] = {
    DataType::Int8,   DataType::Uint8, DataType::Int16,
    DataType::Uint16, DataType::Int32, DataType::Uint32,
    DataType::Fp16,   DataType::Fp32,  DataType::Bf16};
constexpr uint32_t kBufferBytes = 512;

class Generator {
public:
  explicit Generator(uint32_t seed) : random(seed) {
    std::vector<uint8_t> numbers(kBufferBytes);
    for (uint8_t &byte : numbers)
      byte = uint8_t(random());
    weight = maker.weight("numbers", numbers);
    out = maker.tensor(BufferRole::Output, "out", ElementType::U8,
                       {kBufferBytes});
    scratch = maker.scratch("scratch", kBufferBytes);
    while (maker.program.registers.size() < 4)
      load();
    block(12);
  }

  ProgramMaker maker;
  uint32_t weight, out, scratch;

private:
  unsigned below(unsigned count) { return unsigned(random() % count); }
  bool rarely() { return below(4) == 0; }

  /// A register that is written before this place on every way; a mask or not.
  RegisterId someRegister(bool isMask) {
    std::vector<RegisterId> fitting;
    for (RegisterId id : written)
      if (maker.program.registers[id].isMask == isMask)
        fitting.push_back(id);
    return fitting.empty() ? kNoRegister
                           : fitting[below(unsigned(fitting.size()))];
  }
  RegisterId maskOf(uint32_t lanes) {
    for (int tries = 0; tries < 8; ++tries)
      if (RegisterId id = someRegister(true);
          id != kNoRegister && maker.program.registers[id].lanes == lanes)
        return id;
    return kNoRegister;
  }
  /// A new register, or one of the type that is there.
  RegisterId resultOf(DataType type, uint32_t lanes) {
    RegisterType wanted{type, lanes, false};
    for (RegisterId id : written)
      if (maker.program.registers[id] == wanted && below(2))
        return id;
    return maker.vector(type, lanes);
  }
  void note(RegisterId id) {
    if (std::find(written.begin(), written.end(), id) == written.end())
      written.push_back(id);
  }

  uint32_t lanesFor(DataType type) {
    uint32_t lanes = 32 / catalog::bytesOf(type);
    return rarely() ? lanes * 2 : rarely() ? 1 + below(lanes) : lanes;
  }
  Address someAddress(uint32_t buffer, unsigned size, uint32_t room) {
    Address address{buffer, int64_t(below(room / size)) * size, {}};
    for (uint32_t loop = 0; loop < depth; ++loop)
      if (below(2))
        address.terms.push_back({loop, int64_t(below(9)) * size});
    return address;
  }
  /// Of a load or store; large enough to leave the buffer now and then, where
  /// a mask decides. Without one it stays inside.
  template <typename Access>
  void place(Access &access, Address Access::*address, uint32_t buffer,
             uint32_t lanes, unsigned size) {
    // A store into one element is not legal.
    unsigned least = buffer == weight ? 0 : 1;
    access.stride = rarely() ? int64_t(least + below(3)) : 1;
    access.mask = below(2) ? maskOf(lanes) : kNoRegister;
    bool isMasked = access.mask != kNoRegister;
    // Three loops of three passes: 2 * 8 elements each.
    int64_t reach = (int64_t(lanes - 1) * access.stride + 1 + 48) * size;
    uint32_t room =
        reach < kBufferBytes ? kBufferBytes - uint32_t(reach) : size;
    access.*address =
        someAddress(buffer, size, isMasked ? kBufferBytes - 32 : room + size);
    if (!isMasked && reach >= kBufferBytes) {
      access.*address = Address{buffer, 0, {}};
      access.stride = 1;
    }
  }

  void load() {
    Load load;
    DataType type = kTypes[below(9)];
    uint32_t lanes = lanesFor(type);
    load.result = resultOf(type, lanes);
    place(load, &Load::from, below(3) ? weight : scratch, lanes,
          catalog::bytesOf(type));
    maker.add(load);
    note(load.result);
  }
  void store() {
    Store store;
    store.value = someRegister(false);
    const RegisterType &type = maker.program.registers[store.value];
    place(store, &Store::to, below(2) ? out : scratch, type.lanes,
          catalog::bytesOf(type.type));
    maker.add(store);
  }
  void tailMask() {
    uint32_t lanes = 1u << below(7);
    RegisterId id = maker.mask(lanes);
    TailMask mask{id, int64_t(below(2 * lanes)), {}};
    for (uint32_t loop = 0; loop < depth; ++loop)
      if (below(2))
        mask.terms.push_back({loop, int64_t(below(lanes + 1)) - 2});
    maker.add(mask);
    note(id);
  }
  void constant() {
    bool isMask = below(2);
    DataType type = kTypes[below(9)];
    uint32_t lanes = isMask ? 1u << below(6) : lanesFor(type);
    RegisterId id = isMask ? maker.mask(lanes) : resultOf(type, lanes);
    const RegisterType &made = maker.program.registers[id];
    Constant constant{id, {}};
    uint64_t bytes = below(2) ? made.bytes() : made.bytes() / made.lanes;
    while (constant.bytes.size() < bytes)
      constant.bytes.push_back(uint8_t(isMask ? below(2) : random()));
    maker.add(constant);
    note(id);
  }
  void convert() {
    RegisterId source = someRegister(false);
    RegisterType from = maker.program.registers[source];
    DataType type = kTypes[below(9)];
    if (below(2)) {
      RegisterId id = resultOf(type, from.lanes);
      maker.add(Cast{id, source});
      return note(id);
    }
    if (from.bytes() % catalog::bytesOf(type) != 0)
      return;
    auto lanes = uint32_t(from.bytes() / catalog::bytesOf(type));
    RegisterId id = resultOf(type, lanes);
    maker.add(Reinterpret{id, source});
    note(id);
  }
  void copy() {
    Copy copy;
    for (unsigned left = 1 + below(3); left; --left) {
      RegisterId source = someRegister(false);
      RegisterType type = maker.program.registers[source];
      RegisterId result = resultOf(type.type, type.lanes);
      bool isNew = true;
      for (const Copy::Move &move : copy.moves)
        isNew &= move.result != result;
      if (isNew)
        copy.moves.push_back({result, source});
    }
    maker.add(copy);
    for (const Copy::Move &move : copy.moves)
      note(move.result);
  }
  Operand operandFor(const catalog::Slot &slot) {
    using Kind = catalog::SlotKind;
    if (slot.optional && below(2))
      return {};
    switch (slot.kind) {
    case Kind::Mask: {
      RegisterId id = someRegister(true);
      return id == kNoRegister ? Operand() : Operand::ofRegister(id);
    }
    case Kind::Flag:
    case Kind::Choice:
      return Operand::ofInteger(below(2));
    case Kind::Pointer:
      return Operand::ofAddress(
          someAddress(out, 4, kBufferBytes - 64 - 3 * 2 * 8 * 4));
    case Kind::VectorOrScalar:
      if (rarely())
        return below(2) ? Operand::ofInteger(below(100))
                        : Operand::ofFloat(below(64) / 8.0);
      [[fallthrough]];
    default:
      return Operand::ofRegister(someRegister(slot.types));
    }
  }
  /// A vector of one of the types, if there is one.
  RegisterId someRegister(catalog::TypeSet types) {
    RegisterId id = kNoRegister;
    for (int tries = 0; tries < 12; ++tries) {
      id = someRegister(false);
      if (types.contains(maker.program.registers[id].type))
        break;
    }
    return id;
  }
  /// Random operands until the call is legal, or enough.
  void apply() {
    const auto &all = catalog::operations(catalog::Language::Zhouyi);
    for (int tries = 0; tries < 400; ++tries) {
      const catalog::Operation &operation = all[below(unsigned(all.size()))];
      Apply apply{std::string(operation.name), {}, kNoRegister};
      for (const catalog::Slot &slot : operation.slots)
        apply.operands.push_back(operandFor(slot));
      catalog::Call call = callOf(maker.program, apply);
      if (!catalog::problemOf(call).empty())
        continue;
      if (operation.result) {
        catalog::VectorType type = operation.result(call);
        apply.result = resultOf(type.type, type.lanes);
      }
      maker.add(apply);
      if (apply.result != kNoRegister)
        note(apply.result);
      return;
    }
  }
  void block(unsigned count) {
    for (unsigned i = 0; i < count; ++i) {
      switch (below(depth < 3 ? 10 : 9)) {
      case 0:
        load();
        break;
      case 1:
        store();
        break;
      case 2:
        tailMask();
        break;
      case 3:
        constant();
        break;
      case 4:
        convert();
        break;
      case 5:
        copy();
        break;
      case 9:
        maker.beginLoop(1 + below(3));
        ++depth;
        block(4);
        --depth;
        maker.endLoop();
        break;
      default:
        apply();
        break;
      }
    }
  }

  std::mt19937 random;
  std::vector<RegisterId> written;
  uint32_t depth = 0;
};

/// How often each word occurs, and how programs ended.
struct Tally {
  std::map<std::string, unsigned> words;
  unsigned finished = 0, stopped = 0;
};

void count(const std::vector<Instruction> &body, Tally &tally) {
  for (const Instruction &instruction : body) {
    ++tally.words[mnemonic(instruction)];
    if (const auto *loop = std::get_if<Loop>(&instruction.what))
      count(loop->body, tally);
  }
}

void compare(uint32_t seed, Tally &tally) {
  Generator generator(seed);
  auto program = std::make_shared<Program>(generator.maker.program);
  rt::Result<Machine> machine = Machine::make(program);
  ASSERT_TRUE(machine.isOk()) << machine.status().message();
  Interpreter plain(*program);
  bool finishes = plain.block(program->body);
  rt::Status status = machine->run();
  ASSERT_EQ(status.isOk(), finishes) << status.message();
  count(program->body, tally);
  if (!finishes) {
    std::string place = placeText(*program, plain.path) + ": ";
    ASSERT_EQ(status.message().substr(0, place.size()), place);
    ++tally.stopped;
    return;
  }
  ++tally.finished;
  const uint8_t *memory = machine->memory(program->buffers[0]);
  for (size_t byte = 0; byte < plain.memory.size(); ++byte)
    ASSERT_EQ(memory[byte], plain.memory[byte]) << "byte " << byte;
}

TEST(RandomPrograms, RunAsTheyRead) {
  Tally tally;
  for (uint32_t seed = 0; seed < 3000; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    compare(seed, tally);
    if (HasFatalFailure())
      return;
  }
  // The comparison is worth something: programs end both ways, and every
  // function and instruction takes part.
  EXPECT_GT(tally.finished, 1000u);
  EXPECT_GT(tally.stopped, 300u);
  EXPECT_EQ(tally.words.size(), 22u + 8u);
  for (const auto &[word, times] : tally.words)
    EXPECT_GT(times, 20u) << word;
}

} // namespace
