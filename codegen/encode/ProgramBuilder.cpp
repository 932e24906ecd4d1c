//===- ProgramBuilder.cpp - evaluates operands, appends commands ---------===//

#include "codegen/encode/ProgramBuilder.h"
#include "runtime/isa/Rules.h"

#include "runtime/cycles/Cycles.h"
#include "runtime/isa/Decode.h"

using namespace mlir;
using namespace weft::codegen;
using weft::isa::Engine;
using weft::isa::Field;
namespace isa = weft::isa;
namespace host = weft::host;
namespace ppl = weft::ppl;
namespace catalog = weft::catalog;
namespace cycles = weft::cycles;

/// Commands that are ordered together: work and memory grow with them.
static constexpr size_t kMostPending = 1 << 14;

ProgramBuilder::ProgramBuilder(const Chip &chip) : chip(chip), planner(chip) {
  program.groups.emplace_back();
}

//===----------------------------------------------------------------------===//
// Indices and scalars
//===----------------------------------------------------------------------===//

FailureOr<int64_t> ProgramBuilder::evaluate(Value value, Operation *user) {
  auto known = indices.find(value);
  if (known != indices.end())
    return known->second;
  Operation *op = value.getDefiningOp();
  if (!op)
    return user->emitError()
           << "an index is not a constant or a loop's induction variable";
  Attribute attr;
  if (matchPattern(value, m_Constant(&attr)))
    if (auto integer = dyn_cast<IntegerAttr>(attr))
      return integer.getType().isInteger(1)
                 ? int64_t(integer.getValue().getBoolValue())
                 : integer.getInt();
  return evaluateOp(op, user);
}

static std::optional<int64_t> compare(arith::CmpIPredicate predicate, int64_t a,
                                      int64_t b) {
  switch (predicate) {
  case arith::CmpIPredicate::eq:
    return a == b;
  case arith::CmpIPredicate::ne:
    return a != b;
  case arith::CmpIPredicate::slt:
    return a < b;
  case arith::CmpIPredicate::sle:
    return a <= b;
  case arith::CmpIPredicate::sgt:
    return a > b;
  case arith::CmpIPredicate::sge:
    return a >= b;
  case arith::CmpIPredicate::ult:
    return uint64_t(a) < uint64_t(b);
  case arith::CmpIPredicate::ule:
    return uint64_t(a) <= uint64_t(b);
  case arith::CmpIPredicate::ugt:
    return uint64_t(a) > uint64_t(b);
  case arith::CmpIPredicate::uge:
    return uint64_t(a) >= uint64_t(b);
  }
  return std::nullopt;
}

/// The value of a binary op; none for one that indices are not made of, and
/// where it has no value in 64 bits.
static std::optional<int64_t> fold(Operation *op, int64_t a, int64_t b) {
  int64_t result = 0;
  if (mlir::isa<arith::AddIOp>(op))
    return __builtin_add_overflow(a, b, &result) ? std::nullopt
                                                 : std::optional(result);
  if (mlir::isa<arith::SubIOp>(op))
    return __builtin_sub_overflow(a, b, &result) ? std::nullopt
                                                 : std::optional(result);
  if (mlir::isa<arith::MulIOp>(op))
    return __builtin_mul_overflow(a, b, &result) ? std::nullopt
                                                 : std::optional(result);
  bool divides = b != 0 && !(a == INT64_MIN && b == -1);
  if (mlir::isa<arith::DivSIOp>(op) && divides)
    return a / b;
  if (mlir::isa<arith::RemSIOp>(op) && divides)
    return a % b;
  if (mlir::isa<arith::MinSIOp>(op))
    return std::min(a, b);
  if (mlir::isa<arith::MaxSIOp>(op))
    return std::max(a, b);
  if (auto cmp = dyn_cast<arith::CmpIOp>(op))
    return compare(cmp.getPredicate(), a, b);
  return std::nullopt;
}

FailureOr<int64_t> ProgramBuilder::evaluateOp(Operation *op, Operation *user) {
  SmallVector<int64_t, 2> operands;
  for (Value operand : op->getOperands()) {
    FailureOr<int64_t> result = evaluate(operand, user);
    if (failed(result))
      return failure();
    operands.push_back(*result);
  }
  if (operands.size() == 2) {
    std::optional<int64_t> result = fold(op, operands[0], operands[1]);
    if (result)
      return *result;
  }
  return user->emitError()
         << "an index depends on '" << op->getName()
         << "', which has no constant value of 64 bits; indices are made of "
            "loop variables, constants and addi, subi, muli, divsi, remsi, "
            "minsi, maxsi and cmpi of arith";
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

FailureOr<uint64_t> ProgramBuilder::startAddress(uint64_t base,
                                                 ValueRange indexValues,
                                                 ArrayRef<int64_t> steps,
                                                 ArrayRef<int64_t> modulos,
                                                 Operation *user) {
  for (size_t i = 0; i < indexValues.size(); ++i) {
    FailureOr<int64_t> index = evaluate(indexValues[i], user);
    if (failed(index))
      return failure();
    if (*index < 0)
      return user->emitError() << "the index of a tensor is " << *index
                               << " in this iteration, must not be negative";
    int64_t modulo = modulos.empty() ? 0 : modulos[i];
    base += uint64_t((modulo ? *index % modulo : *index) * steps[i]);
  }
  return base;
}

FailureOr<Placed> ProgramBuilder::placeView(ppl::ViewOp view, Operation *user) {
  FailureOr<Placed> source = place(view.getSource(), user);
  if (failed(source))
    return failure();
  ArrayRef<int64_t> offset = view.getOffset();
  const ppl::Strides &s = source->strides;
  int64_t row = offset[1];
  Placed result = *source;
  if (source->type.isLocal()) {
    row = (source->lane + offset[1]) / chip.lanes;
    result.lane = (source->lane + offset[1]) % chip.lanes;
  }
  int64_t elements =
      offset[0] * s.n + row * s.c + offset[2] * s.h + offset[3] * s.w;
  result.address +=
      uint64_t(elements) * ppl::elementBytesOf(source->type) + view.getBytes();
  result.type = view.getTensor().getType();
  unsigned alignment = ppl::startAlignment(result.type, chip);
  if (result.address % alignment) // (C3)
    return user->emitError()
           << "a view starts at byte " << result.address
           << ", must be a multiple of " << alignment << " for layout "
           << ppl::stringifyLayout(result.type.getLayout())
           << "; give the view explicit strides";
  return result;
}

FailureOr<Placed> ProgramBuilder::place(Value tensor, Operation *user) {
  Placed placed;
  placed.type = cast<ppl::TensorViewType>(tensor.getType());
  Operation *op = tensor.getDefiningOp();
  FailureOr<uint64_t> address = failure();
  if (auto local = dyn_cast_or_null<ppl::LocalOp>(op)) {
    placed.lane = local.getLane();
    address = startAddress(local.getAddress(), local.getIndices(),
                           local.getSteps(), local.getModulos(), user);
  } else if (auto global = dyn_cast_or_null<ppl::GlobalOp>(op)) {
    address = startAddress(global.getAddress(), global.getIndices(),
                           global.getSteps(), global.getModulos(), user);
  } else if (auto fixed = dyn_cast_or_null<ppl::StaticOp>(op)) {
    address = uint64_t(fixed.getAddress());
  } else if (auto view = dyn_cast_or_null<ppl::ViewOp>(op)) {
    FailureOr<Placed> viewed = placeView(view, user);
    if (failed(viewed))
      return failure();
    placed = *viewed;
    address = placed.address;
  } else {
    return user->emitError() << "a tensor operand must be made by ppl.local, "
                                "ppl.global, ppl.static or "
                                "ppl.view";
  }
  if (failed(address))
    return failure();
  placed.address = *address;
  placed.strides = ppl::stridesOf(placed.type, placed.lane, chip);
  uint64_t end =
      placed.address + ppl::extentBytes(placed.type, placed.lane, chip);
  uint64_t limit = placed.type.isLocal()    ? chip.laneBytes
                   : placed.type.isStatic() ? chip.staticMemoryBytes
                                            : chip.addressEnd;
  if (end > limit)
    return user->emitError()
           << "a tensor in " << ppl::stringifyMemory(placed.type.getMemory())
           << " memory ends at byte " << end << ", the limit is " << limit;
  return placed;
}

uint64_t ProgramBuilder::gdmaAddress(const catalog::Tensor &tensor) const {
  if (tensor.memory != catalog::Memory::Local)
    return *tensor.address;
  return chip.localMemoryBase + uint64_t(tensor.lane) * chip.laneBytes +
         *tensor.address;
}

//===----------------------------------------------------------------------===//
// Commands
//===----------------------------------------------------------------------===//

static std::vector<ByteRange>
localRanges(const std::vector<TouchedBytes> &touched) {
  std::vector<ByteRange> ranges;
  for (const TouchedBytes &bytes : touched)
    if (bytes.memory == catalog::Memory::Local)
      ranges.push_back(bytes.range);
  return ranges;
}

static bool overlap(const std::vector<ByteRange> &a,
                    const std::vector<ByteRange> &b) {
  for (ByteRange x : a)
    for (ByteRange y : b)
      if (x.begin < y.end && y.begin < x.end)
        return true;
  return false;
}

static catalog::Tensor tensorOf(const ObservedPiece &piece) {
  return Placed{piece.type, piece.address, piece.lane, piece.strides}.tensor();
}

/// False if the two lie in lanes that do not meet.
static bool shareLanes(const catalog::Tensor &a, const catalog::Tensor &b,
                       const weft::Chip &chip) {
  if (a.memory != catalog::Memory::Local || a.lane + a.shape[1] > chip.lanes ||
      b.lane + b.shape[1] > chip.lanes)
    return true;
  return a.lane < b.lane + b.shape[1] && b.lane < a.lane + a.shape[1];
}

void ProgramBuilder::closePieces(const catalog::Tensor &written,
                                 CommandRef by) {
  if (openPieces.empty())
    return;
  std::vector<ByteRange> ranges = rangesOf(written, chip);
  llvm::erase_if(openPieces, [&](size_t index) {
    ObservedPiece &piece = program.pieces[index];
    catalog::Tensor observed = tensorOf(piece);
    if (observed.memory != written.memory)
      return false;
    if (!shareLanes(observed, written, chip) ||
        !overlap(rangesOf(observed, chip), ranges))
      return false;
    piece.overwritten = by;
    return true;
  });
}

void ProgramBuilder::recordWrite(const catalog::Tensor &written,
                                 CommandRef by) {
  closePieces(written, by);
  issued.push_back({by, hazards.waitedFor(by.engine)});
  LastTouch &writers =
      written.memory == catalog::Memory::Local ? localWriters : globalWriters;
  for (ByteRange range : rangesOf(written, chip))
    writers.assign(range, issued.size());
}

LogicalResult ProgramBuilder::append(Command command) {
  if (command.failed)
    return failure();
  if (order == Order::AsWritten)
    return issue(std::move(command));
  assert(!(command.read.empty() && command.written.empty()) &&
         "what a command does is in its tensors");
  pending.emplace_back(std::move(command));
  return pending.size() < kMostPending ? success() : flush();
}

Task ProgramBuilder::taskOf(const Pending &pending) const {
  Task task;
  if (auto *piece = std::get_if<ObservedPiece>(&pending)) {
    task.touched.reads = touchedBytesOf(tensorOf(*piece), chip);
    return task;
  }
  const Command &command = std::get<Command>(pending);
  task.engine = command.engine();
  task.cycles = cycles::estimate(command.builder.decoded(), chip).cycles;
  task.touched = touchedBy(command, chip);
  return task;
}

/// Issues what was kept, in the best order.
LogicalResult ProgramBuilder::flush() {
  std::vector<Task> tasks;
  for (const Pending &one : pending)
    tasks.push_back(taskOf(one));
  Schedule schedule = bestSchedule(tasks);
  program.cycles += schedule.cycles;
  for (size_t number : schedule.order) {
    auto *piece = std::get_if<ObservedPiece>(&pending[number]);
    if (failed(piece ? record(std::move(*piece))
                     : issue(std::move(std::get<Command>(pending[number])))))
      return failure();
  }
  pending.clear();
  return success();
}

/// Gives the command its ids.
LogicalResult ProgramBuilder::issue(Command command) {
  bool isTiu = command.engine() == Engine::Tiu;
  const CommandGroup &full = program.groups.back();
  if (std::max(full.tiuLocations.size(), full.gdmaLocations.size()) >=
      chip.maxGroupCommands)
    closeGroup();
  CommandGroup &group = program.groups.back();
  std::vector<Location> &locations =
      isTiu ? group.tiuLocations : group.gdmaLocations;
  uint32_t id = uint32_t(locations.size()) + 1;
  Touched touched = touchedBy(command, chip);
  uint32_t dep = hazards.add(command.engine(), id, localRanges(touched.reads),
                             localRanges(touched.writes));
  command.set(Field::cmd_id, id).set(Field::cmd_id_dep, dep);
  if (command.failed)
    return failure();
  // The verifiers of the ppl ops come first; this is the last word, and about
  // the command as the machine sees it.
  if (rt::Status status = isa::checkCommand(command.builder.decoded(), chip);
      !status)
    return command.op->emitError()
           << std::string(isa::kBrokenRuleError) << status.message();
  std::vector<uint8_t> &bytes = isTiu ? group.tiu : group.gdma;
  bytes.insert(bytes.end(), command.builder.bytes(),
               command.builder.bytes() + command.builder.sizeBytes());
  locations.push_back(command.op->getLoc());
  CommandRef ref{command.engine(), uint32_t(program.groups.size() - 1), id - 1};
  for (const catalog::Tensor &written : command.written)
    recordWrite(written, ref);
  program.dramReadBytes += command.dramReadBytes;
  program.dramWriteBytes += command.dramWriteBytes;
  return success();
}

void ProgramBuilder::closeGroup() {
  CommandGroup &group = program.groups.back();
  std::array<uint8_t, 16> tiuEnd =
      isa::makeTiuEnd(*chip.instructions, group.tiuCount());
  std::array<uint8_t, 16> gdmaEnd =
      isa::makeGdmaEnd(*chip.instructions, group.gdmaCount());
  group.tiu.insert(group.tiu.end(), tiuEnd.begin(), tiuEnd.end());
  group.gdma.insert(group.gdma.end(), gdmaEnd.begin(), gdmaEnd.end());
  hazards.clear();
  program.groups.emplace_back();
}

host::ValueId ProgramBuilder::defineHostValue(Value value) {
  auto id = host::ValueId(hostValues.size());
  hostValues[value] = id;
  return id;
}

LogicalResult ProgramBuilder::appendHostStep(host::Step step) {
  if (failed(flush()))
    return failure();
  const CommandGroup &open = program.groups.back();
  if (!open.tiuLocations.empty() || !open.gdmaLocations.empty())
    closeGroup();
  auto next = uint32_t(program.groups.size() - 1);
  if (program.hostParts.empty() || program.hostParts.back().group != next)
    program.hostParts.push_back({next, {}});
  program.hostParts.back().program.steps.push_back(std::move(step));
  return success();
}

FailureOr<EncodedProgram> ProgramBuilder::finish() {
  if (failed(flush()))
    return failure();
  const CommandGroup &open = program.groups.back();
  bool isEmpty = open.tiuLocations.empty() && open.gdmaLocations.empty();
  closeGroup();
  program.groups.pop_back();
  // After a last part of the host nothing is left to launch.
  if (isEmpty && program.groups.size() > 1)
    program.groups.pop_back();
  return std::move(program);
}

LogicalResult ProgramBuilder::observe(ppl::ObserveOp op) {
  FailureOr<Placed> placed = place(op.getTensor(), op);
  if (failed(placed))
    return failure();
  int64_t index = 0;
  if (op.getIndex()) {
    FailureOr<int64_t> value = evaluate(op.getIndex(), op);
    if (failed(value))
      return failure();
    index = *value;
  }
  std::array<int64_t, 4> offset, size, extent;
  for (int axis = 0; axis < 4; ++axis) {
    offset[axis] = op.getOffset()[axis] +
                   (op.getStep() ? index * (*op.getStep())[axis] : 0);
    size[axis] = placed->type.getShape()[axis];
    extent[axis] = op.getExtent()[axis];
    if (offset[axis] < 0 || offset[axis] + size[axis] > extent[axis]) // (C1)
      return op.emitError()
             << "box " << offset[axis] << " to " << offset[axis] + size[axis]
             << " of '" << op.getValue() << "' lies outside its "
             << extent[axis] << " in this iteration";
  }
  ObservedPiece piece{op.getValue().str(),
                      offset,
                      size,
                      extent,
                      placed->type,
                      placed->strides,
                      placed->address,
                      placed->lane,
                      op.getOnnx() ? cast<RankedTensorType>(*op.getOnnx())
                                   : RankedTensorType(),
                      op.getScale().convertToFloat(),
                      int64_t(op.getZeroPoint()),
                      op.getLoc(),
                      {},
                      std::nullopt};
  if (order == Order::AsWritten)
    return record(std::move(piece));
  pending.emplace_back(std::move(piece));
  return success();
}

/// Of each engine the last command that wrote bytes of the piece that are
/// there; those that the later of the two has waited for are left out.
SmallVector<CommandRef, 2>
ProgramBuilder::lastWriters(const ObservedPiece &piece) const {
  const LastTouch &writers =
      piece.type.isLocal() ? localWriters : globalWriters;
  uint64_t last[2] = {0, 0}; // by engine
  for (ByteRange range : rangesOf(tensorOf(piece), chip))
    writers.visit(range, [&](uint64_t at) {
      uint64_t &own = last[size_t(issued[at - 1].ref.engine)];
      own = std::max(own, at);
    });
  auto [earlier, later] = std::minmax(last[0], last[1]);
  if (!later)
    return {};
  const Issued &end = issued[later - 1];
  if (!earlier)
    return {end.ref};
  const CommandRef &other = issued[earlier - 1].ref;
  if (other.group != end.ref.group || other.index < end.waitedFor)
    return {end.ref};
  return {other, end.ref};
}

/// Neither engine waits for the other where they write side by side: the piece
/// is then there once for each, and whoever reads both has it whole.
LogicalResult ProgramBuilder::record(ObservedPiece piece) {
  SmallVector<CommandRef, 2> writers = lastWriters(piece);
  if (writers.empty())
    return emitError(piece.location)
           << "'" << piece.value
           << "' is observed where nothing was written yet";
  // What a transfer of several commands brings is looked at when the last has
  // come; who overwrites a part of it may need only some of them.
  const CommandGroup &open = program.groups.back();
  auto loaded = uint32_t(open.gdmaLocations.size());
  if (piece.type.isLocal() && loaded > 0 &&
      llvm::any_of(writers, [](const CommandRef &writer) {
        return writer.engine == Engine::Gdma;
      }))
    hazards.keep(Engine::Gdma, loaded,
                 localRanges(touchedBytesOf(tensorOf(piece), chip)));
  for (const CommandRef &writer : writers) {
    piece.completeAfter = writer;
    openPieces.push_back(program.pieces.size());
    program.pieces.push_back(piece);
  }
  return success();
}
