//===- KernelCheck.cpp - faults of kernels that results hide -------------===//

#include "tools/driver/KernelCheck.h"
#include "dialects/ppl/Memory.h"
#include "passes/ppl/Accesses.h"
#include "passes/ppl/Races.h"
#include "passes/ppl/UnusedTensors.h"
#include "passes/ppl/UnwrittenReads.h"
#include "runtime/chips/Alignment.h"
#include "runtime/numeric/SplitMix64.h"

#include "llvm/ADT/MapVector.h"

#include <set>

using namespace mlir;
using namespace weft;
using namespace weft::driver;

//===----------------------------------------------------------------------===//
// Words
//===----------------------------------------------------------------------===//

static std::string spelt(Operation *op) {
  return catalog::qualifiedName(ppl::FunctionOp(op).function());
}

/// "add.cpp:12", or what else is known of a place.
static std::string placeText(Location location) {
  if (auto place = dyn_cast<FileLineColLoc>(location))
    return place.getFilename().str() + ":" + std::to_string(place.getLine());
  return "an unknown line";
}

static StringRef wordOf(std::string_view text) {
  return {text.data(), text.size()};
}

//===----------------------------------------------------------------------===//
// Reads of what nothing wrote
//===----------------------------------------------------------------------===//

static uint64_t endOf(const frontend::DeviceMemory::Piece &piece) {
  return piece.address + piece.bytes;
}

/// Global memory that is neither the test's nor an input.
static std::vector<ppl::FreshRange> freshRanges(KernelProgram &program) {
  std::vector<ppl::FreshRange> fresh;
  for (const frontend::DeviceMemory::Piece &piece :
       program.recorder().memory.pieces) {
    bool isInput = false;
    for (Attribute attr : program.net().getInputs())
      isInput |= cast<ppl::IoAttr>(attr).getAddress() == piece.address;
    if (!piece.isTest && !isInput)
      fresh.push_back({piece.address, endOf(piece)});
  }
  return fresh;
}

namespace {
/// Fills the places of some tensors with noise when they come to life, in an
/// interpreted program.
class Noise {
public:
  Noise(KernelProgram &program, ArrayRef<ppl::UnwrittenRead> reads,
        uint64_t seed)
      : program(program), reads(reads), state(seed), isDone(reads.size()) {}

  void beforeFunction(ppl::FunctionPlace place, Operation *op,
                      catalog::Machine &machine);

private:
  void fill(std::vector<uint8_t> &bytes, uint64_t begin, uint64_t end);
  void fillFromStart(const catalog::Tensor &whole, catalog::Machine &machine);
  void fillBorn(Value root, Operation *op, catalog::Machine &machine);

  KernelProgram &program;
  ArrayRef<ppl::UnwrittenRead> reads;
  uint64_t state;
  std::vector<bool> isDone;
};
} // namespace

void Noise::fill(std::vector<uint8_t> &bytes, uint64_t begin, uint64_t end) {
  for (uint64_t i = begin; i < std::min<uint64_t>(end, bytes.size()); ++i)
    bytes[i] = uint8_t(numeric::nextRandom(state) >> 32);
}

/// The bytes of each lane that a local tensor takes.
static std::pair<uint64_t, uint64_t> laneRange(Value tensor, const Chip &chip) {
  catalog::Tensor local = ppl::describe(tensor, chip, 0);
  return {*local.address, *local.address + catalog::extentBytes(local, chip)};
}

/// Fills a local tensor before its first function, `op` of the lowered program,
/// but for the bytes of the other operands: a result may lie in a source that
/// dies there.
void Noise::fillBorn(Value root, Operation *op, catalog::Machine &machine) {
  const Chip &chip = machine.chip;
  std::vector<std::pair<uint64_t, uint64_t>> others;
  for (Value operand : op->getOperands())
    if (auto type = dyn_cast<ppl::TensorViewType>(operand.getType());
        type && type.isLocal() && ppl::rootOf(operand) != root)
      others.push_back(laneRange(operand, chip));
  llvm::sort(others);
  auto fillLanes = [&](uint64_t begin, uint64_t end) {
    for (uint64_t lane = 0; begin < end && lane < chip.lanes; ++lane)
      fill(machine.local, lane * chip.laneBytes + begin,
           lane * chip.laneBytes + end);
  };
  auto [begin, end] = laneRange(root, chip);
  end = alignUp<uint64_t>(end, chip.euBytes);
  for (auto [otherBegin, otherEnd] : others) {
    fillLanes(begin, std::min(end, otherBegin));
    begin = std::max(begin, otherEnd);
  }
  fillLanes(begin, end);
}

/// Fills what lives from the start on.
void Noise::fillFromStart(const catalog::Tensor &whole,
                          catalog::Machine &machine) {
  const Chip &chip = machine.chip;
  uint64_t begin = *whole.address;
  if (whole.memory == catalog::Memory::L2) {
    fill(machine.l2, 0, machine.l2.size());
  } else if (whole.memory == catalog::Memory::Global) {
    for (const ppl::FreshRange &range : freshRanges(program))
      if (range.begin <= begin && begin < range.end)
        fill(machine.global, range.begin - chip.globalMemoryBase,
             range.end - chip.globalMemoryBase);
  } else { // others may lie in the same bytes
    fill(machine.local, 0, machine.local.size());
  }
}

void Noise::beforeFunction(ppl::FunctionPlace place, Operation *op,
                           catalog::Machine &machine) {
  for (size_t i = 0; i < reads.size(); ++i) {
    const ppl::UnwrittenRead &read = reads[i];
    bool isPlaced = !read.root.getDefiningOp<ppl::AllocOp>();
    bool isLocal = cast<ppl::TensorViewType>(read.root.getType()).isLocal();
    // What the kernel placed, or all blocks share, lives from the start on.
    bool fromStart = !isLocal || isPlaced;
    bool isBorn = fromStart ? place.number == 0 &&
                                  (!isLocal || place.block == read.place.block)
                            : place.block == read.firstUse.block &&
                                  place.number == read.firstUse.number;
    if (isDone[i] || !isBorn)
      continue;
    isDone[i] = true;
    if (fromStart)
      fillFromStart(ppl::describe(read.root, machine.chip, 0), machine);
    else // the lowered program knows the address
      fillBorn(ppl::rootOf(op->getOperand(read.firstOperand)), op, machine);
  }
}

/// Whether what the program gives depends on what these tensors hold at first,
/// or whether it runs at all: an index list may name what is not there.
static bool matter(KernelProgram &program, ArrayRef<ppl::UnwrittenRead> reads) {
  std::vector<MemoryImage> results;
  for (uint64_t seed : {1, 2}) {
    Noise noise(program, reads, seed);
    rt::Result<MemoryImage> result =
        program.interpret([&](size_t block, size_t number, Operation *op,
                              catalog::Machine &machine) {
          noise.beforeFunction({block, number}, op, machine);
        });
    if (!result) // without noise, it says so itself when the program is run
      return bool(program.interpret());
    results.push_back(std::move(*result));
  }
  for (const auto &[name, piece] : program.outputs()) {
    uint64_t start = piece->address - program.recorder().memory.base;
    if (!std::equal(results[0].begin() + start,
                    results[0].begin() + start + piece->bytes,
                    results[1].begin() + start))
      return true;
  }
  return false;
}

/// Reads of one line, of tensors that one line has made: of the rounds of a
/// loop.
using ReadsOfLine = std::vector<ppl::UnwrittenRead>;

/// Those of the reads that change a result.
static std::vector<ReadsOfLine>
readsThatMatter(KernelProgram &program,
                const std::vector<ppl::UnwrittenRead> &reads) {
  // Each line needs two runs; a kernel that gets more of them wrong hears of
  // the first.
  constexpr size_t kMostTried = 8;
  llvm::MapVector<std::pair<Location, Location>, ReadsOfLine> lines;
  for (const ppl::UnwrittenRead &read : reads)
    lines[{read.function->getLoc(), read.root.getLoc()}].push_back(read);
  if (reads.empty() || !matter(program, reads))
    return {};
  std::vector<ReadsOfLine> all, guilty;
  for (auto &[line, ofLine] : lines)
    all.push_back(std::move(ofLine));
  if (all.size() == 1)
    return all;
  for (size_t i = 0; i < std::min(all.size(), kMostTried); ++i)
    if (matter(program, all[i]))
      guilty.push_back(all[i]);
  return guilty.empty() ? all : guilty;
}

static bool reportUnwritten(KernelProgram &program) {
  std::vector<ReadsOfLine> lines = readsThatMatter(
      program, ppl::findUnwrittenReads(program.nets(), freshRanges(program),
                                       program.chip()));
  for (const ReadsOfLine &line : lines) {
    const ppl::UnwrittenRead &read = line.front();
    const auto &[n, c, h, w] = read.missing.first;
    auto type = cast<ppl::TensorViewType>(read.tensor.getType());
    emitError(read.function->getLoc())
        << spelt(read.function) << ": " << wordOf(read.slot) << " reads "
        << read.missing.elements << " of " << type.getNumElements()
        << " elements that nothing has written, the first at n " << n << ", c "
        << c << ", h " << h << ", w " << w << ", of the tensor made at "
        << placeText(read.root.getLoc())
        << ", and results depend on them; load, fill or compute all that is "
           "read";
  }
  return !lines.empty();
}

//===----------------------------------------------------------------------===//
// Races
//===----------------------------------------------------------------------===//

static bool reportRaces(KernelProgram &program) {
  std::vector<ppl::NetOp> nets = program.nets();
  bool isFound = false;
  std::set<std::pair<const void *, const void *>> reported; // by any block
  auto report = [&](const ppl::Race &race, const std::string &why,
                    StringRef wayOut) {
    isFound = true;
    emitError(race.second->getLoc())
        << "race: " << spelt(race.second) << " and " << spelt(race.first)
        << " at " << placeText(race.first->getLoc())
        << " touch the same bytes (" << wordOf(race.secondSlot) << " and "
        << wordOf(race.firstSlot) << ") " << why << "; " << wayOut;
  };
  for (ppl::NetOp net : nets)
    for (const ppl::Race &race : ppl::findEngineRaces(net, program.chip()))
      if (reported
              .emplace(race.first->getLoc().getAsOpaquePointer(),
                       race.second->getLoc().getAsOpaquePointer())
              .second)
        report(race, "between parallel_start() and parallel_end()",
               "close the region between them, or use other tensors");
  if (nets.size() < 2)
    return isFound;
  // A message is an order that the check does not know.
  if (Operation *wait = ppl::findMessageWait(nets))
    emitWarning(wait->getLoc())
        << "not checked for races of blocks: " << spelt(wait)
        << " waits for a message; where sync() does, the check knows the order";
  else
    for (const ppl::Race &race : ppl::findBlockRaces(nets, program.chip()))
      report(race,
             "in blocks " + std::to_string(race.firstBlock) + " and " +
                 std::to_string(race.secondBlock) + " with no sync() between",
             "call sync() between them, or give each block its own part");
  return isFound;
}

//===----------------------------------------------------------------------===//
// Stores that never happen
//===----------------------------------------------------------------------===//

static void warnOfUnread(KernelProgram &program) {
  const frontend::DeviceMemory &memory = program.recorder().memory;
  auto isOfTest = [&](uint64_t address) {
    const frontend::DeviceMemory::Piece *piece = memory.pieceAt(address);
    return piece && piece->isTest;
  };
  for (Operation *op : ppl::findUnreadResults(program.nets(), isOfTest))
    emitWarning(op->getLoc())
        << spelt(op) << ": nobody reads what it writes; store the result with "
        << "dma::store, or leave the call out";
}

/// The tensor of a kernel behind this memory, null if there is none.
static Operation *tensorIn(KernelProgram &program,
                           const frontend::DeviceMemory::Piece &piece) {
  Operation *found = nullptr;
  for (ppl::NetOp net : program.nets())
    net.getBody().walk([&](ppl::GlobalOp global) {
      uint64_t address = uint64_t(global.getAddress());
      if (!found && address >= piece.address && address < endOf(piece))
        found = global;
    });
  return found;
}

static void warnOfUnstored(KernelProgram &program) {
  auto written = program.outputs();
  for (const frontend::Expectation &expected :
       program.recorder().expectations) {
    const frontend::DeviceMemory::Piece *piece =
        std::as_const(program.recorder().memory).pieceAt(expected.address);
    bool isWritten = llvm::any_of(
        written, [&](const auto &entry) { return entry.second == piece; });
    if (isWritten || !piece)
      continue;
    if (Operation *tensor = tensorIn(program, *piece))
      emitWarning(tensor->getLoc())
          << "nothing is stored to this tensor, though the test expects values "
          << "in its memory (" << placeText(expected.location)
          << "); store the result to it";
    else
      emitWarning(expected.location)
          << "expect: no tensor of the kernel lies in this memory, so nothing "
          << "writes it; pass the pointer to the kernel and store to it";
  }
}

/// Runs a kernel that reads lists of indices, with the values that it gets.
static bool reportIndices(KernelProgram &program) {
  if (!program.readsIndices())
    return false;
  Location last = program.net().getLoc();
  rt::Result<MemoryImage> result =
      program.interpret([&](size_t, size_t, Operation *op, catalog::Machine &) {
        last = op->getLoc();
      });
  std::string text = result ? std::string() : result.status().message();
  StringRef why = text;
  why.consume_front(placeText(last) + ": ");
  if (!why.empty()) // else it has been said
    emitError(last) << why;
  return !result;
}

LogicalResult driver::checkKernel(KernelProgram &program) {
  warnOfUnread(program);
  warnOfUnstored(program);
  bool hasRaces = reportRaces(program);
  bool hasUnwritten = reportUnwritten(program);
  return failure(hasRaces || hasUnwritten || reportIndices(program));
}
