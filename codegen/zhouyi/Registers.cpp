//===- Registers.cpp - registers of values by live range -----------------===//

#include "codegen/zhouyi/Registers.h"
#include "dialects/zhouyi/Function.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace weft;
using namespace weft::codegen;
using zhouyi::Copy;
using zhouyi::RegisterId;
using zhouyi::RegisterType;

RegisterType codegen::registerTypeOf(Type type) {
  RegisterType made;
  made.lanes = uint32_t(cast<mlir::VectorType>(type).getDimSize(0));
  if (std::optional<catalog::VectorType> vector = zhouyi::vectorTypeOf(type))
    made.type = vector->type;
  else
    made.isMask = true;
  return made;
}

Registers::Registers(zhouyi::Program &program, Operation *root)
    : program(program) {
  // Ops are walked in order, so the last one that is seen is the last.
  llvm::MapVector<Value, Operation *> last;
  root->walk([&](Operation *op) {
    for (Value operand : op->getOperands())
      if (mlir::isa<mlir::VectorType>(operand.getType()))
        last[operand] = operand.getParentBlock()->findAncestorOpInBlock(*op);
  });
  for (auto [value, op] : last) {
    lastUser[value] = op;
    endings[op].push_back(value);
  }
}

//===----------------------------------------------------------------------===//
// Registers
//===----------------------------------------------------------------------===//

RegisterId Registers::of(Value value) const {
  auto found = value ? registers.find(value) : registers.end();
  return found != registers.end() ? found->second : zhouyi::kNoRegister;
}

RegisterId Registers::take(const RegisterType &type) {
  std::vector<RegisterId> &same = free[{type.type, type.lanes, type.isMask}];
  if (!same.empty()) {
    RegisterId reg = same.back();
    same.pop_back();
    return reg;
  }
  program.registers.push_back(type);
  owners.push_back(0);
  holds.push_back(0);
  isKept.push_back(false);
  return RegisterId(program.registers.size() - 1);
}

RegisterId Registers::keep(const RegisterType &type) {
  program.registers.push_back(type);
  owners.push_back(1);
  holds.push_back(0);
  isKept.push_back(true);
  return RegisterId(program.registers.size() - 1);
}

void Registers::bind(Value value, RegisterId reg) {
  ++owners[reg];
  registers[value] = reg;
}

void Registers::drop(RegisterId reg) {
  if (--owners[reg] > 0)
    return;
  const RegisterType &type = program.registers[reg];
  free[{type.type, type.lanes, type.isMask}].push_back(reg);
}

void Registers::release(Value value) {
  auto found = registers.find(value);
  if (found == registers.end())
    return;
  RegisterId reg = found->second;
  registers.erase(found);
  drop(reg);
}

/// Whether an op may write its result over an operand that has its type.
static bool worksInPlace(Operation *op) {
  zhouyi::FunctionOp function(op);
  if (!function)
    return false;
  if (function.function().slotIndex("acc") >= 0)
    return true;
  std::string_view name = function.function().name;
  return llvm::StringSwitch<bool>(StringRef(name.data(), name.size()))
      .Cases("vadd", "vsub", "vmul", "vdiv", "vmod", true)
      .Cases("vabs", "vrint", "clip", true)
      .Default(false);
}

bool Registers::isFreeAt(Value carried, Operation *op) const {
  RegisterId reg = carriedRegisters.lookup(carried);
  uint32_t values = owners[reg] - holds[reg];
  if (values == 0)
    return true;
  return values == 1 && registers.count(carried) &&
         lastUser.lookup(carried) == op && worksInPlace(op);
}

RegisterId Registers::define(OpResult value) {
  BlockArgument carried = carriedFor.lookup(value);
  if (carried && isFreeAt(carried, value.getOwner()))
    bind(value, carriedRegisters.lookup(carried));
  else
    bind(value, take(registerTypeOf(value.getType())));
  return of(value);
}

void Registers::done(Operation *op) {
  for (Value value : endings.lookup(op))
    release(value);
  for (Value result : op->getResults())
    if (result.use_empty())
      release(result);
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// How often a value is read by `loop` or an op inside it.
static unsigned readsUnder(scf::ForOp loop, Value value) {
  unsigned count = 0;
  for (Operation *user : value.getUsers())
    count += loop->isAncestor(user);
  return count;
}

std::vector<Copy::Move> Registers::enter(scf::ForOp loop) {
  std::vector<Copy::Move> copies;
  std::vector<RegisterId> held;
  for (auto [initial, carried] :
       llvm::zip(loop.getInitArgs(), loop.getRegionIterArgs())) {
    RegisterId from = of(initial);
    // The loop may go on with the register of a value that it alone reads,
    // though loops around it hold that, too.
    bool isOwn = lastUser.lookup(initial) == loop.getOperation() &&
                 readsUnder(loop, initial) == 1 && !isKept[from] &&
                 owners[from] == holds[from] + 1;
    RegisterId reg = isOwn ? from : take(registerTypeOf(carried.getType()));
    if (!isOwn)
      copies.push_back({reg, from});
    held.push_back(reg);
    ++owners[reg];
    ++holds[reg];
    if (isOwn)
      release(initial);
    carriedRegisters[carried] = reg;
    if (!carried.use_empty())
      bind(carried, reg);
  }
  loops.push_back(std::move(held));
  auto yield = cast<scf::YieldOp>(loop.getBody()->getTerminator());
  for (auto [yielded, carried] :
       llvm::zip(yield.getOperands(), loop.getRegionIterArgs()))
    if (yielded.getParentBlock() == loop.getBody() &&
        mlir::isa<OpResult>(yielded))
      carriedFor.try_emplace(yielded, carried);
  return copies;
}

std::vector<Copy::Move> Registers::leave(scf::ForOp loop) {
  std::vector<Copy::Move> copies;
  auto yield = cast<scf::YieldOp>(loop.getBody()->getTerminator());
  for (auto [yielded, reg] : llvm::zip(yield.getOperands(), loops.back()))
    if (of(yielded) != reg)
      copies.push_back({reg, of(yielded)});
  done(yield);
  for (auto [result, reg] : llvm::zip(loop.getResults(), loops.back())) {
    bind(result, reg);
    --holds[reg];
    drop(reg);
  }
  loops.pop_back();
  return copies;
}
