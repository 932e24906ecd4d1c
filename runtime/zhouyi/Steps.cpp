#include "runtime/zhouyi/Steps.h"
#include "runtime/zhouyi/ProgramFile.h"

#include <algorithm>
#include <set>

using namespace weft;
using namespace weft::zhouyi;

namespace {
class Layout {
public:
  explicit Layout(const Program &program) : program(program) {}

  StepList list;

  void block(const std::vector<Instruction> &body, uint32_t parent,
             uint64_t times) {
    list.instructionsPerRun += body.size() * times;
    for (size_t i = 0; i < body.size(); ++i) {
      if (parent == kTop)
        list.top.push_back(uint32_t(list.steps.size()));
      add(body[i], parent, uint32_t(i), times);
    }
  }

private:
  void add(const Instruction &instruction, uint32_t parent, uint32_t number,
           uint64_t times);
  Step make(const Load &load);
  Step make(const Store &store);
  Step make(const TailMask &mask);
  Step make(const Constant &constant);
  Step make(const Reinterpret &one);
  Step make(const Cast &cast);
  Step make(const Copy &copy);
  Step make(const Apply &apply);
  Step make(const HostStep &host);
  Step make(const Loop &) { return {}; } // add() has its own way

  Step stepOn(StepCode code, RegisterId id) const {
    Step step;
    step.code = code;
    if (id == kNoRegister)
      return step;
    const RegisterType &type = program.registers[id];
    step.lanes = type.lanes;
    step.bytes = uint32_t(type.bytes());
    step.elementBytes = uint8_t(type.bytes() / type.lanes);
    return step;
  }
  Place placeOf(const Address &address) {
    const Buffer &buffer = program.buffers[address.buffer];
    Place place = termsOf(address.terms);
    place.low = int64_t(buffer.address);
    place.high = place.low + int64_t(buffer.bytes);
    place.base = place.low + address.offset;
    return place;
  }
  Place termsOf(const std::vector<Term> &terms) {
    Place place;
    place.firstTerm = uint32_t(list.terms.size());
    for (const Term &term : terms)
      if (term.step != 0)
        list.terms.push_back(term);
    place.termCount = uint32_t(list.terms.size()) - place.firstTerm;
    return place;
  }

  const Program &program;
  uint8_t depth = 0;
};
} // namespace

void Layout::add(const Instruction &instruction, uint32_t parent,
                 uint32_t number, uint64_t times) {
  const auto *loop = std::get_if<Loop>(&instruction.what);
  if (!loop) {
    Step step = std::visit([this](const auto &what) { return make(what); },
                           instruction.what);
    step.parent = parent;
    step.number = number;
    list.steps.push_back(step);
    return;
  }
  auto begin = uint32_t(list.steps.size());
  Step step;
  step.depth = depth++;
  step.count = loop->count;
  step.parent = parent;
  step.number = number;
  list.steps.push_back(step);
  block(loop->body, begin, times * loop->count);
  --depth;
  list.steps[begin].index = uint32_t(list.steps.size());
  step.code = StepCode::LoopEnd;
  step.index = begin;
  list.steps.push_back(step);
}

Step Layout::make(const Load &load) {
  Step step = stepOn(StepCode::LoadLanes, load.result);
  step.result = load.result;
  step.mask = load.mask;
  step.place = placeOf(load.from);
  step.stride = load.stride * step.elementBytes;
  if (load.mask == kNoRegister && (load.stride == 1 || step.lanes == 1))
    step.code = StepCode::Load;
  else if (load.mask == kNoRegister && load.stride == 0)
    step.code = StepCode::LoadSplat;
  return step;
}

Step Layout::make(const Store &store) {
  Step step = stepOn(StepCode::StoreLanes, store.value);
  step.source = store.value;
  step.mask = store.mask;
  step.place = placeOf(store.to);
  step.stride = store.stride * step.elementBytes;
  if (store.mask == kNoRegister && (store.stride == 1 || step.lanes == 1))
    step.code = StepCode::Store;
  return step;
}

Step Layout::make(const TailMask &mask) {
  Step step = stepOn(StepCode::TailMask, mask.result);
  step.result = mask.result;
  step.limit = mask.limit;
  step.place = termsOf(mask.terms);
  return step;
}

Step Layout::make(const Constant &constant) {
  Step step = stepOn(StepCode::Constant, constant.result);
  step.result = constant.result;
  step.index = uint32_t(list.constants.size());
  std::vector<uint8_t> &all = list.constants.emplace_back();
  while (all.size() < step.bytes)
    all.insert(all.end(), constant.bytes.begin(), constant.bytes.end());
  return step;
}

Step Layout::make(const Reinterpret &one) {
  Step step = stepOn(StepCode::Reinterpret, one.result);
  step.result = one.result;
  step.source = one.source;
  return step;
}

Step Layout::make(const Cast &cast) {
  Step step = stepOn(StepCode::Cast, cast.result);
  step.result = cast.result;
  step.source = cast.source;
  step.cast = castOf(program.registers[cast.source].type,
                     program.registers[cast.result].type);
  return step;
}

Step Layout::make(const Copy &copy) {
  Step step = stepOn(StepCode::Copy, kNoRegister);
  step.index = uint32_t(list.copies.size());
  PreparedCopy &prepared = list.copies.emplace_back();
  std::set<RegisterId> changed;
  uint64_t room = 0;
  for (const Copy::Move &move : copy.moves) {
    const RegisterType &type = program.registers[move.result];
    prepared.moves.push_back(
        {move.result, move.source, uint32_t(type.bytes()), type.lanes});
    prepared.isDirect &= changed.count(move.source) == 0;
    // Onto itself: memcpy wants places that lie apart.
    prepared.isDirect &= move.result != move.source;
    changed.insert(move.result);
    room += type.bytes() + type.lanes + 1;
  }
  list.copyRoomBytes = std::max(list.copyRoomBytes, room);
  return step;
}

Step Layout::make(const HostStep &host) {
  Step step = stepOn(StepCode::Host, kNoRegister);
  step.index = uint32_t(list.hosts.size());
  list.hosts.push_back(&host.program);
  return step;
}

Step Layout::make(const Apply &apply) {
  Step step = stepOn(StepCode::Apply, apply.result);
  step.result = apply.result;
  step.index = uint32_t(list.applies.size());
  PreparedApply prepared(callOf(program, apply));
  const std::vector<KernelOperand> &rows = prepared.kernel.operands();
  for (unsigned i = 0; i < rows.size(); ++i) {
    // A tail of operands may be missing.
    Operand operand = rows[i].slotIndex < apply.operands.size()
                          ? apply.operands[rows[i].slotIndex]
                          : Operand();
    if (operand.kind == Operand::Kind::Address) {
      prepared.pointer = i;
      prepared.memory = placeOf(operand.address);
    } else if (operand.kind == Operand::Kind::Register) {
      bool isScalar = rows[i].origin == Origin::Scalar;
      (isScalar ? prepared.scalars : prepared.vectors)
          .push_back({i, operand.reg});
      if (isScalar)
        prepared.spread.emplace_back(rows[i].type.bytes());
      else if (operand.reg == apply.result)
        prepared.needsRoom |=
            apply.operation == "vaddh" || apply.operation == "vsubh";
    }
  }
  int mask = prepared.kernel.operation().slotIndex("mask");
  if (prepared.kernel.takesMask() && mask >= 0 &&
      size_t(mask) < apply.operands.size())
    prepared.mask = apply.operands[size_t(mask)].reg;
  list.applies.push_back(std::move(prepared));
  return step;
}

StepList zhouyi::layOut(const Program &program) {
  Layout layout(program);
  layout.block(program.body, kTop, 1);
  layout.list.top.push_back(uint32_t(layout.list.steps.size()));
  return std::move(layout.list);
}

std::string zhouyi::placeOf(const Program &program, const StepList &list,
                            const Step &step) {
  std::vector<size_t> path;
  for (const Step *at = &step;; at = &list.steps[at->parent]) {
    path.push_back(at->number);
    if (at->parent == kTop)
      break;
  }
  std::reverse(path.begin(), path.end());
  return placeText(program, path);
}
