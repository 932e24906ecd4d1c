//===- CustomKernel.cpp - kernels of plugins in a program -----------------===//

#include "tools/driver/CustomKernel.h"

#include "dialects/ppl/Memory.h"
#include "dialects/ppl/Net.h"
#include "frontend/ppl/Recorder.h"
#include "passes/ppl/Accesses.h"
#include "runtime/chips/Alignment.h"
#include "tools/driver/KernelProgram.h"
#include "tools/driver/ProgramCycles.h"

using namespace mlir;
using namespace weft;
using namespace weft::driver;

namespace {
/// The errors of a kernel, which name its lines, for one message at the node.
class KernelErrors {
public:
  explicit KernelErrors(MLIRContext *context)
      : handler(context, [this](Diagnostic &diagnostic) {
          if (diagnostic.getSeverity() != DiagnosticSeverity::Error)
            return failure();
          std::string line;
          if (auto place = dyn_cast<FileLineColLoc>(diagnostic.getLocation()))
            line = place.getFilename().str() + ":" +
                   std::to_string(place.getLine()) + ": ";
          texts.push_back(line + diagnostic.str());
          return success();
        }) {}
  std::vector<std::string> texts;

private:
  ScopedDiagnosticHandler handler;
};

/// Where a piece of the recorder's memory lies in the program.
struct Moved {
  uint64_t begin, end; ///< in the recording
  uint64_t to;
};
} // namespace

static SmallVector<Plugins::Place>
allocatePlaces(const frontend::Recorder &recorder, ArrayAttr types,
               std::vector<Moved> &moves) {
  SmallVector<Plugins::Place> places;
  const weft_ppl_recorder &table = recorder.table();
  for (Attribute attribute : types) {
    auto type = cast<RankedTensorType>(cast<TypeAttr>(attribute).getValue());
    int64_t bytes = type.getNumElements() * type.getElementTypeBitWidth() / 8;
    int64_t shape[4] = {1, 1, 1, bytes};
    void *memory = table.allocate(table.self, int32_t(catalog::DataType::Uint8),
                                  shape, nullptr, {});
    places.push_back({type, reinterpret_cast<uintptr_t>(memory)});
    if (!memory) // reported by the recorder
      continue;
    uint64_t address =
        *recorder.memory.addressOf(reinterpret_cast<uintptr_t>(memory));
    moves.push_back({address, address + uint64_t(bytes), address});
  }
  return places;
}

/// Reports each function that writes one of the node's inputs, which are
/// `inputs`: a weight or what other nodes read as well.
static LogicalResult checkInputsAreKept(ppl::NetOp recorded,
                                        ArrayRef<Moved> inputs) {
  bool isFine = true;
  recorded.walk([&](Operation *op) {
    ppl::FunctionOp function(op);
    if (!function)
      return;
    for (const ppl::TensorAccess &access : ppl::accessesOf(function)) {
      auto global = access.root.getDefiningOp<ppl::GlobalOp>();
      if (!access.writes || !global ||
          !cast<ppl::TensorViewType>(global.getType()).isGlobal())
        continue;
      uint64_t address = uint64_t(global.getAddress());
      if (llvm::none_of(inputs, [&](const Moved &piece) {
            return piece.begin <= address && address < piece.end;
          }))
        continue;
      isFine = false;
      op->emitError() << function.function().name
                      << " writes an input of the node, which other nodes may "
                         "read; an operator writes its outputs only";
    }
  });
  return success(isFine);
}

/// Gives the recording's other pieces, which functions use as scratch, room
/// behind the activations of `net`.
static void placeScratch(const frontend::Recorder &recorder, ppl::NetOp net,
                         std::vector<Moved> &moves) {
  for (const auto &piece : recorder.memory.pieces) {
    if (piece.isTest)
      continue;
    uint64_t begin = alignUp<uint64_t>(
        uint64_t(net.getContextAddress()) + net.getContextBytes(), kPageBytes);
    moves.push_back({piece.address, piece.address + piece.bytes, begin});
    net.setContextBytes(alignUp<uint64_t>(begin + piece.bytes, kPageBytes) -
                        net.getContextAddress());
  }
}

/// Puts the commands of `recorded` where `custom` stands.
static LogicalResult splice(ppl::NetOp recorded, ppl::CustomOp custom,
                            ArrayRef<Moved> moves) {
  Block &body = recorded.getBody().front();
  WalkResult placed = body.walk([&](ppl::GlobalOp global) {
    if (!cast<ppl::TensorViewType>(global.getType()).isGlobal())
      return WalkResult::advance(); // L2 is at its place
    uint64_t address = uint64_t(global.getAddress());
    const Moved *piece = llvm::find_if(moves, [&](const Moved &move) {
      return move.begin <= address && address < move.end;
    });
    if (piece == moves.end())
      return WalkResult::interrupt();
    global.setAddress(int64_t(address - piece->begin + piece->to));
    return WalkResult::advance();
  });
  if (placed.wasInterrupted())
    return custom.emitError(
        "the kernel uses memory that belongs to no tensor of the node");
  // Commands belong to the node, as those of any other operator do.
  recorded.walk([&](Operation *op) { op->setLoc(custom.getLoc()); });
  custom->getBlock()->getOperations().splice(custom->getIterator(),
                                             body.getOperations());
  return success();
}

namespace {
/// A kernel, recorded for the tensors of one node and made of commands.
class Recording {
public:
  Recording(MLIRContext &context, const Chip &chip, size_t mostCalls = SIZE_MAX)
      : context(context), recorder(context, chip, optionsFor(chip, mostCalls)) {
  }

  /// False if something is wrong: `status`, or `errors`.
  bool run(const Plugins &plugins, const Plugins::Operator &found,
           const CustomOperator &called, ArrayAttr inputTypes,
           ArrayAttr outputTypes);
  ppl::NetOp net() { return *module->getOps<ppl::NetOp>().begin(); }

private:
  frontend::Recorder::Options optionsFor(const Chip &chip, size_t mostCalls) {
    frontend::Recorder::Options options;
    options.describesInterface = false;
    options.globalBytes = chip.globalMemoryBytes;
    options.mostCalls = mostCalls;
    options.fits = [this](ppl::NetOp net) {
      return memoryCodeOf(net, recorder);
    };
    return options;
  }

  MLIRContext &context;

public:
  frontend::Recorder recorder;
  /// Of the inputs, then of the outputs, which lie where they are recorded.
  std::vector<Moved> moves;
  OwningOpRef<ModuleOp> module;
  std::vector<std::string> errors;
  rt::Status status = rt::Status::ok();
};
} // namespace

bool Recording::run(const Plugins &plugins, const Plugins::Operator &found,
                    const CustomOperator &called, ArrayAttr inputTypes,
                    ArrayAttr outputTypes) {
  KernelErrors collected(&context);
  auto inputs = allocatePlaces(recorder, inputTypes, moves);
  size_t inputPieces = moves.size();
  auto outputs = allocatePlaces(recorder, outputTypes, moves);
  if (!recorder.failed())
    status = plugins.record(found, called, inputs, outputs, recorder.table());
  if (status)
    module = recorder.finish();
  int code = 0;
  if (module)
    code = failed(checkInputsAreKept(
               net(), ArrayRef<Moved>(moves).take_front(inputPieces)))
               ? kFinalError
               : lowerKernel(net(), net(), recorder, {});
  errors = std::move(collected.texts);
  return status && module && !code && errors.empty();
}

static LogicalResult insertKernel(ppl::CustomOp custom,
                                  const Plugins &plugins) {
  CustomOperator called = custom.custom();
  const Plugins::Operator *found =
      plugins.find(called.domain, called.name, called.opset);
  if (!found)
    return custom.emitError()
           << "operator " << called.name << " of domain '" << called.domain
           << "' belongs to a plugin that is not loaded; "
              "give it with --plugin";
  Recording recording(*custom.getContext(), ppl::chipOf(custom));
  if (!recording.run(plugins, *found, called, custom.getInputTypes(),
                     custom.getOutputTypes())) {
    if (!recording.status)
      return custom.emitError() << recording.status.message();
    for (const std::string &error : recording.errors)
      custom.emitError() << "plugin " << found->library << ": " << error;
    return failure();
  }
  SmallVector<Value> tensors(custom.getInputs());
  llvm::append_range(tensors, custom.getOutputs());
  for (auto [move, tensor] : llvm::zip(recording.moves, tensors))
    move.to = uint64_t(tensor.getDefiningOp<ppl::GlobalOp>().getAddress());
  placeScratch(recording.recorder, custom->getParentOfType<ppl::NetOp>(),
               recording.moves);
  if (failed(splice(recording.net(), custom, recording.moves)))
    return failure();
  custom.erase();
  return success();
}

std::optional<uint64_t>
driver::kernelCycles(MLIRContext &context, const Chip &chip,
                     const Plugins &plugins, const Plugins::Operator &found,
                     const CustomOperator &called, ArrayAttr inputTypes,
                     ArrayAttr outputTypes, size_t mostCalls) {
  ScopedDiagnosticHandler unheard(&context,
                                  [](Diagnostic &) { return success(); });
  Recording recording(context, chip, mostCalls);
  if (!recording.run(plugins, found, called, inputTypes, outputTypes))
    return std::nullopt;
  // Scheduling takes a third of the time, and steps of a kernel wait for each
  // other.
  std::optional<ProgramCycles> cycles =
      predictCycles(recording.net(), chip, codegen::Order::AsWritten);
  return cycles ? std::optional(cycles->total) : std::nullopt;
}

LogicalResult driver::insertCustomKernels(ModuleOp module,
                                          const Plugins &plugins) {
  SmallVector<ppl::CustomOp> places;
  module.walk([&](ppl::CustomOp custom) { places.push_back(custom); });
  bool isFine = true;
  for (ppl::CustomOp custom : places)
    isFine &= succeeded(insertKernel(custom, plugins));
  return success(isFine);
}
