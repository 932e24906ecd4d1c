#include "runtime/zhouyi/Disassemble.h"
#include "runtime/catalog/Dense.h"
#include "runtime/status/Quote.h"
#include "runtime/zhouyi/Mask.h"
#include "runtime/zhouyi/ProgramFile.h"

#include <map>

using namespace weft;
using namespace weft::zhouyi;
using rt::quoteName;
using rt::Status;

static std::string nameOf(const Program &program, RegisterId id) {
  return (program.registers[id].isMask ? "m" : "v") + std::to_string(id);
}

std::string zhouyi::registerText(const Program &program, RegisterId id) {
  const RegisterType &type = program.registers[id];
  std::string text = nameOf(program, id) + ":";
  if (type.isMask)
    return text + "mask" + std::to_string(type.lanes);
  return text + catalog::VectorType{type.type, type.lanes}.text();
}

static std::string floatText(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.17g", value);
  return text;
}

static std::string termText(const Term &term, bool negated) {
  int64_t step = negated ? -term.step : term.step;
  return (step < 0 ? " - " : " + ") + ("i" + std::to_string(term.loop)) + "*" +
         std::to_string(step < 0 ? -step : step);
}

/// "acc[64 + i0*32]": a buffer and the byte in it.
static std::string addressText(const Program &program, const Address &address) {
  // Without the quotes, but with what they do to control characters.
  std::string name = quoteName(program.buffers[address.buffer].name);
  std::string text =
      name.substr(1, name.size() - 2) + "[" + std::to_string(address.offset);
  for (const Term &term : address.terms)
    text += termText(term, /*negated=*/false);
  return text + "]";
}

static std::string accessText(const Program &program, const Address &address,
                              int64_t stride, RegisterId mask) {
  std::string text = addressText(program, address);
  if (stride != 1)
    text += " stride " + std::to_string(stride);
  if (mask != kNoRegister)
    text += " mask " + nameOf(program, mask);
  return text;
}

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

/// The lanes of a constant: one number if all are equal; at most 16.
static std::string lanesText(const RegisterType &type,
                             const std::vector<uint8_t> &bytes) {
  constexpr int64_t kMostShown = 16;
  size_t size = type.bytes() / type.lanes;
  auto lanes = int64_t(bytes.size() / size);
  if (type.isMask) {
    MaskLanes mask = bytes;
    if (bytes.size() == 1) // stands for all lanes
      mask.resize(type.lanes, bytes[0]);
    return maskText(mask);
  }
  catalog::Dense values;
  values.type = type.type;
  values.shape = {1, 1, 1, lanes};
  values.bytes = bytes;
  auto lane = [&](int64_t index) {
    return catalog::isFloat(type.type) ? floatText(values.value(index))
                                       : std::to_string(values.integer(index));
  };
  bool isSplat = true;
  for (int64_t i = 1; i < lanes; ++i)
    isSplat &= values.bits(i) == values.bits(0);
  if (isSplat)
    return lane(0);
  std::string text = "[";
  for (int64_t i = 0; i < lanes && i < kMostShown; ++i)
    text += (i ? ", " : "") + lane(i);
  return text + (lanes > kMostShown ? ", ...]" : "]");
}

namespace {
class TextOf {
public:
  explicit TextOf(const Program &program) : program(program) {}

  std::string operator()(const Loop &loop) const {
    return "loop " + std::to_string(loop.count);
  }
  std::string operator()(const Load &load) const {
    return result(load.result) + "load " +
           accessText(program, load.from, load.stride, load.mask);
  }
  std::string operator()(const Store &store) const {
    return "store " + nameOf(program, store.value) + ", " +
           accessText(program, store.to, store.stride, store.mask);
  }
  std::string operator()(const TailMask &mask) const {
    std::string text =
        result(mask.result) + "tail_mask " + std::to_string(mask.limit);
    for (const Term &term : mask.terms)
      text += termText(term, /*negated=*/true);
    return text;
  }
  std::string operator()(const Constant &constant) const {
    return result(constant.result) + "constant " +
           lanesText(program.registers[constant.result], constant.bytes);
  }
  std::string operator()(const Reinterpret &one) const {
    return result(one.result) + "reinterpret " +
           registerText(program, one.source);
  }
  std::string operator()(const Cast &cast) const {
    return result(cast.result) + "cast " + registerText(program, cast.source);
  }
  std::string operator()(const Copy &copy) const {
    std::string results, sources;
    for (const Copy::Move &move : copy.moves) {
      results += (results.empty() ? "" : ", ") + nameOf(program, move.result);
      sources += (sources.empty() ? "" : ", ") + nameOf(program, move.source);
    }
    return copy.moves.empty() ? "copy nothing" : results + " = copy " + sources;
  }
  std::string operator()(const Apply &apply) const {
    std::string text =
        apply.result == kNoRegister ? std::string() : result(apply.result);
    text += apply.operation;
    const catalog::Operation *operation =
        catalog::find(apply.operation, catalog::Language::Zhouyi);
    const char *separator = " ";
    for (size_t i = 0; i < apply.operands.size(); ++i) {
      const Operand &operand = apply.operands[i];
      if (operand.kind == Operand::Kind::None)
        continue;
      text += separator;
      separator = ", ";
      const catalog::Slot &slot = operation->slots[i];
      if (slot.optional)
        text += std::string(slot.name) + " = ";
      text += operandText(slot, operand);
    }
    return text;
  }
  std::string operator()(const HostStep &host) const {
    std::string calls;
    for (const host::Step &step : host.program.steps)
      if (const auto *call = std::get_if<host::CallStep>(&step))
        calls += (calls.empty() ? "" : ", ") + quoteName(call->kernel);
    return "host " + (calls.empty() ? std::string("moves") : calls);
  }

private:
  std::string result(RegisterId id) const {
    return registerText(program, id) + " = ";
  }
  std::string operandText(const catalog::Slot &slot,
                          const Operand &operand) const {
    switch (operand.kind) {
    case Operand::Kind::Register:
      return nameOf(program, operand.reg);
    case Operand::Kind::Integer:
      if (slot.kind == catalog::SlotKind::Choice)
        return std::string(slot.choices[size_t(operand.integer)]);
      return std::to_string(operand.integer);
    case Operand::Kind::Float:
      return floatText(operand.real);
    default:
      return addressText(program, operand.address);
    }
  }

  const Program &program;
};
} // namespace

std::string zhouyi::disassemble(const Program &program,
                                const Instruction &instruction) {
  return std::visit(TextOf(program), instruction.what);
}

//===----------------------------------------------------------------------===//
// Whole programs
//===----------------------------------------------------------------------===//

static Status
visitBlock(const std::vector<Instruction> &body, ListedInstruction &at,
           const std::function<Status(const ListedInstruction &)> &visit) {
  NodeId around = at.node;
  at.path.push_back(0);
  for (const Instruction &instruction : body) {
    at.instruction = &instruction;
    at.path.back() = size_t(&instruction - body.data());
    at.node = instruction.node == kNoNode ? around : instruction.node;
    WEFT_TRY(visit(at));
    if (const auto *loop = std::get_if<Loop>(&instruction.what)) {
      uint64_t times = at.times;
      at.times *= loop->count;
      WEFT_TRY(visitBlock(loop->body, at, visit));
      at.times = times;
    }
  }
  at.path.pop_back();
  at.node = around;
  return Status::ok();
}

Status zhouyi::visitInstructions(
    const Program &program,
    const std::function<Status(const ListedInstruction &)> &visit) {
  ListedInstruction at;
  return visitBlock(program.body, at, visit);
}

static const char *roleName(BufferRole role) {
  static constexpr const char *words[] = {"weight ", "input  ", "output ",
                                          "scratch"};
  return words[unsigned(role)];
}

static std::string bufferLine(const Buffer &buffer) {
  char place[80];
  std::snprintf(place, sizeof place, " 0x%08llx %10llu bytes ",
                static_cast<unsigned long long>(buffer.address),
                static_cast<unsigned long long>(buffer.bytes));
  std::string text = roleName(buffer.role) + (place + quoteName(buffer.name));
  if (const auto &value = buffer.value) {
    text += "  # " + quoteName(value->name) + " " +
            numeric::elementTypeName(value->storedType) + " " +
            numeric::shapeText(value->shape);
    char scale[64];
    std::snprintf(scale, sizeof scale, ", scale %.9g, zero point %d",
                  double(value->scale), value->zeroPoint);
    if (value->isQuantized())
      text += scale;
  }
  return text + "\n";
}

static std::string pathText(const std::vector<size_t> &path) {
  std::string text;
  for (size_t number : path)
    text += (text.empty() ? "" : ".") + std::to_string(number);
  return text;
}

Status zhouyi::list(const Program &program,
                    const std::function<Status(const std::string &)> &write) {
  WEFT_TRY(write("program " + quoteName(program.name) + " for " +
                 quoteName(program.target) + ", memory of " +
                 std::to_string(memoryBytes(program)) + " bytes\n"));
  for (const Buffer &buffer : program.buffers)
    WEFT_TRY(write(bufferLine(buffer)));
  NodeId node = kNoNode;
  return visitInstructions(program, [&](const ListedInstruction &at) {
    std::string text = pathText(at.path);
    text.resize(std::max<size_t>(text.size() + 1, 12), ' ');
    text += std::string(2 * (at.path.size() - 1), ' ');
    text += disassemble(program, *at.instruction);
    if (at.node != node && at.node != kNoNode)
      text += "  # " + quoteName(program.nodes[at.node]);
    node = at.node;
    return write(text + "\n");
  });
}

std::vector<WorkCount> zhouyi::countWork(const Program &program) {
  std::map<std::string, WorkCount> counts;
  Status always = visitInstructions(program, [&](const ListedInstruction &at) {
    WorkCount &count = counts[mnemonic(*at.instruction)];
    ++count.instructions;
    count.executed += at.times;
    return Status::ok();
  });
  (void)always;
  std::vector<WorkCount> list;
  for (auto &[name, count] : counts) {
    count.mnemonic = name;
    list.push_back(count);
  }
  return list;
}
