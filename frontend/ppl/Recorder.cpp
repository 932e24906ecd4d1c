//===- Recorder.cpp - a running kernel becomes ppl ops -------------------===//

#include "frontend/ppl/Recorder.h"
#include "dialects/ppl/Memory.h"
#include "dialects/ppl/Round.h"
#include "frontend/ppl/Interface.h"
#include "frontend/ppl/TensorChecks.h"
#include "runtime/numeric/SplitMix64.h"

#include <atomic>
#include <cmath>
#include <cstring>

using namespace mlir;
using namespace weft;
using namespace weft::frontend;

// Read by a handler of signals: the program that can crash runs one kernel at a
// time.
static std::atomic<const Recorder *> newest = nullptr;

weft_ppl_line Recorder::lastLineOfNewest() {
  const Recorder *recorder = newest;
  return recorder ? recorder->lastLine() : weft_ppl_line{nullptr, 0};
}

bool Recorder::newestHasMemoryAt(const void *pointer) {
  const Recorder *recorder = newest;
  return recorder && recorder->memory.contains(pointer);
}

Recorder::Recorder(MLIRContext &context, const Chip &chip, Options given)
    : chip(chip), memory(chip.globalMemoryBase, given.globalBytes),
      context(context), options(std::move(given)), builder(&context) {
  context.loadDialect<ppl::PplDialect>();
  Location loc = UnknownLoc::get(&context);
  theModule = ModuleOp::create(loc);
  builder.setInsertionPointToEnd(theModule->getBody());
  net = builder.create<ppl::NetOp>(
      loc, options.name,
      StringRef(chip.targetName.data(), chip.targetName.size()),
      int64_t(chip.weightBase), 0, int64_t(chip.globalMemoryBase), 0,
      ArrayRef<Attribute>(), ArrayRef<Attribute>());
  builder.setInsertionPointToEnd(&net.getBody().front());
  if (options.keepsValues)
    live = std::make_unique<LiveValues>(chip, memory);
  bindTable();
  newest = this;
}

Recorder::~Recorder() {
  const Recorder *self = this;
  newest.compare_exchange_strong(self, nullptr);
}

void Recorder::bindTable() {
  functions.bytes = sizeof(functions);
  functions.self = this;
  functions.make_tensor = [](void *self, auto... args) {
    return forward<&Recorder::makeTensor>(self, args...);
  };
  functions.view = [](void *self, auto... args) {
    return forward<&Recorder::view>(self, args...);
  };
  functions.sub_view = [](void *self, auto... args) {
    return forward<&Recorder::subView>(self, args...);
  };
  functions.describe = [](void *self, auto... args) {
    return forward<&Recorder::describe>(self, args...);
  };
  functions.call = [](void *self, auto... args) {
    forward<&Recorder::call>(self, args...);
  };
  functions.enter = [](void *self, auto... args) {
    forward<&Recorder::enter>(self, args...);
  };
  functions.leave = [](void *self, auto... args) {
    return forward<&Recorder::leave>(self, args...);
  };
  functions.set = [](void *self, auto... args) {
    forward<&Recorder::set>(self, args...);
  };
  functions.get = [](void *self, auto... args) {
    return forward<&Recorder::get>(self, args...);
  };
  functions.fail = [](void *self, auto... args) {
    forward<&Recorder::fail>(self, args...);
  };
  functions.allocate = [](void *self, auto... args) {
    return forward<&Recorder::allocate>(self, args...);
  };
  functions.fill_random = [](void *self, auto... args) {
    forward<&Recorder::fillRandom>(self, args...);
  };
  functions.expect = [](void *self, auto... args) {
    forward<&Recorder::expect>(self, args...);
  };
  functions.make_unshaped = [](void *self, auto... args) {
    return forward<&Recorder::makeUnshaped>(self, args...);
  };
  functions.warn = [](void *self, auto... args) {
    forward<&Recorder::warn>(self, args...);
  };
}

//===----------------------------------------------------------------------===//
// Places and errors
//===----------------------------------------------------------------------===//

Location Recorder::lineOf(weft_ppl_line at) const {
  // Of C++ the last call is the best hint; who says which kernel runs knows the
  // present line, and at the end the kernel's.
  if (!at.file && lastNumber > 0 && !isKernelGiven)
    at = lastLine();
  return FileLineColLoc::get(&context, at.file ? at.file : options.name.c_str(),
                             unsigned(std::max(at.line, 0)), 0);
}

/// A caller's name of a file may live no longer than its call: it is copied, of
/// a long one the end.
void Recorder::noteLine(weft_ppl_line at) {
  size_t length = std::strlen(at.file);
  size_t kept = std::min(length, sizeof lastFile - 1);
  std::memcpy(lastFile, at.file + (length - kept), kept);
  lastFile[kept] = '\0';
  lastNumber = at.line;
}

// The caller of the outermost wrapper: lines of the headers help nobody.
Location Recorder::locate(weft_ppl_line at) {
  for (const Scope &scope : scopes)
    if (scope.kind == WEFT_PPL_SCOPE_CALL)
      return scope.location;
  if (at.file && at.file != lastFile)
    noteLine(at);
  return lineOf(at);
}

InFlightDiagnostic Recorder::error(weft_ppl_line at) {
  hasFailed = true;
  Location location = locate(at);
  InFlightDiagnostic diagnostic = emitError(location);
  // Rounds of a loop say the same; one message a line will do.
  auto position = mlir::dyn_cast<FileLineColLoc>(location);
  bool isSaid = position && position.getLine() > 0 &&
                !linesWithErrors.insert(location.getAsOpaquePointer()).second;
  if (isSaid)
    diagnostic.abandon();
  for (const Scope &scope : scopes)
    if (scope.kind == WEFT_PPL_SCOPE_CALL && !scope.name.empty())
      diagnostic << scope.name << ": ";
  return diagnostic;
}

bool Recorder::isGivenPointer(const void *pointer, const char *what,
                              weft_ppl_line at) {
  if (pointer)
    return true;
  error(at) << what << " is a null pointer";
  return false;
}

void Recorder::fail(const char *message, weft_ppl_line at) {
  error(at) << (message ? message : "the kernel gave up");
}

void Recorder::warn(const char *message, weft_ppl_line at) {
  emitWarning(locate(at)) << (message ? message : "the kernel warns");
}

const Recorder::Tensor *Recorder::find(int64_t id) const {
  if (id < 1 || size_t(id) > tensors.size())
    return nullptr;
  const Tensor &tensor = tensors[id - 1];
  return tensor.standsFor ? &tensors[tensor.standsFor - 1] : &tensor;
}

std::optional<catalog::DataType> Recorder::typeOf(int32_t code,
                                                  weft_ppl_line at) {
  std::optional<catalog::DataType> type = catalog::dataTypeOf(code);
  if (!type || !ppl::elementTypeOf(*type, &context)) {
    error(at) << "element type "
              << (type ? std::string(catalog::spelling(*type))
                       : std::to_string(code))
              << " has no tensors";
    return std::nullopt;
  }
  return type;
}

int64_t Recorder::add(Tensor tensor) {
  tensors.push_back(std::move(tensor));
  return int64_t(tensors.size());
}

/// Tensors have no place in time: they are made before the round in which the
/// kernel asks for them.
OpBuilder Recorder::tensorBuilder() {
  OpBuilder tensorsBefore = builder;
  Operation *parent = builder.getInsertionBlock()->getParentOp();
  if (mlir::isa<ppl::RoundOp>(parent))
    tensorsBefore.setInsertionPoint(parent);
  return tensorsBefore;
}

//===----------------------------------------------------------------------===//
// Settings and numbers
//===----------------------------------------------------------------------===//

void Recorder::set(int32_t setting, int64_t subject, int64_t value) {
  switch (setting) {
  case WEFT_PPL_BLOCK_NUM:
    blocks = unsigned(std::clamp<int64_t>(value, 1, chip.cores));
    return;
  case WEFT_PPL_ALLOCATION_METHOD:
    if (value < 0 || value > 2) {
      error({nullptr, 0}) << "the method of allocation is " << value
                          << ", must be 0 to 2 (memory_alloc_method_t)";
      return;
    }
    allocationMethod = unsigned(value);
    return;
  case WEFT_PPL_PINGPONG:
    if (subject >= 1 && size_t(subject) <= tensors.size())
      tensors[subject - 1].isSingle = value == 0; // of an unshaped one
    if (const Tensor *tensor = find(subject); tensor && tensor->root)
      if (auto alloc = tensor->root.getDefiningOp<ppl::AllocOp>())
        alloc.setSingle(value == 0);
    return;
  case WEFT_PPL_HOST_ACCESS:
    memory.allowAccess(value != 0);
    return;
  case WEFT_PPL_SEED:
    seed = uint64_t(value);
    fills = 0;
    return;
  case WEFT_PPL_BARRIER: {
    bool isInRound =
        mlir::isa<ppl::RoundOp>(builder.getInsertionBlock()->getParentOp());
    bool meetsCores = value != 0 && chip.cores > 1;
    if (isInRound && meetsCores) {
      error({nullptr, 0}) << "sync() inside a pipelined loop; meet outside";
      return;
    }
    // Recorded one after the other, cores do not see what others will write.
    if (live && blocks > 1 && meetsCores) {
      error({nullptr, 0}) << "sync() of several cores while values are shown; "
                             "step through the kernel on one core";
      return;
    }
    // Outside of loops one core's commands are in order anyway.
    if (isInRound || meetsCores)
      builder.create<ppl::BarrierOp>(UnknownLoc::get(&context));
    return;
  }
  default:
    return; // what else there is changes no value, see kernel.h
  }
}

int64_t Recorder::get(int32_t number, int64_t subject) const {
  switch (number) {
  case WEFT_PPL_LANES:
    return chip.lanes;
  case WEFT_PPL_EU_BYTES:
    return chip.euBytes;
  case WEFT_PPL_LANE_BYTES:
    return chip.laneBytes;
  case WEFT_PPL_BANKS:
    return chip.banks;
  case WEFT_PPL_CORES:
    return chip.cores;
  case WEFT_PPL_L2_BYTES:
    return chip.l2MemoryBytes;
  case WEFT_PPL_BLOCK_NUM_NOW:
    return blocks;
  case WEFT_PPL_BLOCK_INDEX:
    return options.blockIndex;
  case WEFT_PPL_CHANNEL_PACK: {
    // N-IC (PPL 1.2).
    std::optional<catalog::DataType> type = catalog::dataTypeOf(subject);
    return chip.channelPack(type ? catalog::bitsOf(*type) : 32);
  }
  case WEFT_PPL_GROUP_NUM_NOW:
    return 1;
  case WEFT_PPL_FAILED:
    return hasFailed;
  case WEFT_PPL_LOAD_BYTES:
    return chip.rates.loadBytes;
  case WEFT_PPL_STORE_BYTES:
    return chip.rates.storeBytes;
  case WEFT_PPL_SHORTEST_DMA_RUN:
    return chip.rates.shortestDmaRun;
  default:
    return 0;
  }
}

//===----------------------------------------------------------------------===//
// Test memory
//===----------------------------------------------------------------------===//

void *Recorder::allocate(int32_t typeCode, const int64_t *shape,
                         const char *name, weft_ppl_line at) {
  std::optional<catalog::DataType> type = typeOf(typeCode, at);
  if (!type || !isGivenPointer(shape, "malloc: the shape", at))
    return nullptr;
  uint64_t bytes = catalog::bytesOf(*type);
  for (int axis = 0; axis < 4; ++axis) {
    bool overflows =
        shape[axis] < 1 ||
        __builtin_mul_overflow(bytes, uint64_t(shape[axis]), &bytes);
    if (overflows) {
      error(at) << "malloc: shape is " << sizesText(shape)
                << (shape[axis] < 1 ? ", sizes must be positive"
                                    : ", more bytes than 64 bits count");
      return nullptr;
    }
  }
  if (!memory.take(bytes)) {
    error(at) << "malloc: " << bytes << " bytes do not fit, " << memory.used()
              << " of " << options.globalBytes
              << " bytes of global memory are taken";
    return nullptr;
  }
  DeviceMemory::Piece &piece = memory.pieces.back();
  piece.isTest = true;
  piece.type = typeCode;
  std::copy(shape, shape + 4, piece.shape);
  if (name)
    piece.name = name;
  return memory.at(piece.address);
}

bool Recorder::isInMemory(const void *pointer, catalog::DataType type,
                          int64_t count) const {
  std::optional<uint64_t> address =
      memory.addressOf(reinterpret_cast<uintptr_t>(pointer));
  const DeviceMemory::Piece *piece =
      address ? memory.pieceAt(*address) : nullptr;
  return piece && count >= 0 &&
         uint64_t(count) <= (piece->address + piece->bytes - *address) /
                                catalog::bytesOf(type);
}

void Recorder::fillRandom(void *pointer, int32_t typeCode, int64_t count,
                          double low, double high) {
  weft_ppl_line at = {nullptr, 0};
  std::optional<catalog::DataType> type = typeOf(typeCode, at);
  if (!type || !isGivenPointer(pointer, "fill_random: the memory", at))
    return;
  // Of the test's own memory nobody knows how much there is.
  bool isOfProgram =
      memory.addressOf(reinterpret_cast<uintptr_t>(pointer)).has_value();
  if (count < 0 || (isOfProgram && !isInMemory(pointer, *type, count))) {
    error(at) << "fill_random: " << count << " values do not lie in one piece "
              << "of global memory of this program";
    return;
  }
  uint64_t state = seed * 0x2545f4914f6cdd1d + ++fills;
  catalog::Dense one(*type, {1, 1, 1, 1});
  auto *bytes = static_cast<uint8_t *>(pointer);
  for (int64_t i = 0; i < count; ++i) {
    double unit = double(numeric::nextRandom(state) >> 11) * 0x1p-53;
    double value = catalog::isFloat(*type)
                       ? low + unit * (high - low)
                       : low + std::floor(unit * (high - low + 1));
    one.setValue(0, value);
    std::copy(one.bytes.begin(), one.bytes.end(),
              bytes + i * catalog::bytesOf(*type));
  }
}

void Recorder::expect(const void *pointer, int32_t typeCode, int64_t count,
                      const double *expected, double rtol, double atol,
                      weft_ppl_line at) {
  std::optional<catalog::DataType> type = typeOf(typeCode, at);
  if (!type)
    return;
  if (count < 1 || !isInMemory(pointer, *type, count)) {
    error(at) << "expect: " << count << " values do not lie in global memory "
              << "of this program";
    return;
  }
  if (!isGivenPointer(expected, "what expect() waits for", at))
    return;
  uint64_t address = *memory.addressOf(reinterpret_cast<uintptr_t>(pointer));
  expectations.push_back(
      {address, *type, {expected, expected + count}, rtol, atol, lineOf(at)});
}

//===----------------------------------------------------------------------===//
// The end
//===----------------------------------------------------------------------===//

void Recorder::emitScopeError() {
  hasFailed = true;
  emitError(scopes.back().location)
      << "the kernel ends inside what " << scopes.back().name
      << "() begins here; end it before";
}

OwningOpRef<ModuleOp> Recorder::finish() {
  if (!scopes.empty() && !hasFailed)
    emitScopeError();
  if (hasFailed)
    return nullptr;
  if (options.describesInterface) {
    inputSources = describeInterface(net, memory, chip);
    // A block may leave the work to the others.
    if (net.getOutputs().empty() && blocks == 1 && options.blockIndex == 0) {
      error({nullptr, 0}) << "the program writes no global memory; store a "
                             "result";
      return nullptr;
    }
  }
  if (!options.describesInterface)
    describeOutputs(net, memory, chip);
  return std::move(theModule);
}
