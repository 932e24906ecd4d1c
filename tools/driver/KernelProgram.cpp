//===- KernelProgram.cpp - from a kernel to results ----------------------===//

#include "tools/driver/KernelProgram.h"
#include "codegen/pack/Pack.h"
#include "dialects/Refusal.h"
#include "dialects/ppl/Memory.h"
#include "dialects/ppl/Round.h"
#include "runtime/chips/Chips.h"
#include "tools/driver/Registration.h"
#include "tools/driver/SourceLines.h"

#include "mlir/IR/Verifier.h"
#include "llvm/Support/Format.h"

#include <cmath>

using namespace mlir;
using namespace weft;
using namespace weft::driver;

rt::Result<const Chip *> driver::kernelTarget(const std::string &name) {
  if (const Chip *chip = chips::findKernelTarget(name))
    return chip;
  std::string known;
  for (const Chip *chip : chips::kernelTargets)
    known += (known.empty() ? "" : ", ") + std::string(chip->targetName);
  return rt::fail(rt::Code::NotFound,
                  "no target '" + name + "'; there are " + known);
}

KernelProgram::KernelProgram(llvm::raw_ostream &errors)
    : context(MLIRContext::Threading::DISABLED),
      diagnostics(std::make_unique<DiagnosticPrinter>(context, errors)) {
  DialectRegistry registry;
  registerAllDialects(registry);
  context.appendDialectRegistry(registry);
  context.loadDialect<ppl::PplDialect>();
}

KernelProgram::~KernelProgram() = default;

const weft_ppl_recorder &KernelProgram::begin(const Chip &chip,
                                              const std::string &name) {
  frontend::Recorder::Options options;
  options.name = name;
  options.blockIndex = unsigned(blocks.size());
  // The first block brings all inputs in.
  options.describesInterface = blocks.empty();
  options.fits = [this](ppl::NetOp net) {
    return memoryCodeOf(net, *blocks.back().recorder);
  };
  options.keepsValues = keepsValues;
  Block &block = blocks.emplace_back();
  block.recorder =
      std::make_unique<frontend::Recorder>(context, chip, std::move(options));
  return block.recorder->table();
}

LogicalResult KernelProgram::end() {
  Block &block = blocks.back();
  block.module = block.recorder->finish();
  if (!block.module)
    return failure();
  // Block 0 alone is asked when it is recorded.
  if (blocks.size() > 1 && !wantsMoreBlocks() && outputs().empty())
    return emitError(block.recorder->lineOf({nullptr, 0}))
           << "the program writes no global memory; store a result";
  return success();
}

LogicalResult KernelProgram::record(
    const Chip &chip, const std::string &name,
    const std::function<void(const weft_ppl_recorder &)> &body) {
  do {
    body(begin(chip, name));
    if (failed(end()))
      return failure();
  } while (wantsMoreBlocks());
  return success();
}

ppl::NetOp KernelProgram::net() {
  if (blocks.empty() || !blocks.front().module)
    return {};
  return *blocks.front().module->getOps<ppl::NetOp>().begin();
}

std::vector<ppl::NetOp> KernelProgram::nets() {
  std::vector<ppl::NetOp> all;
  for (Block &block : blocks)
    all.push_back(*block.module->getOps<ppl::NetOp>().begin());
  return all;
}

rt::Status KernelProgram::failureCause() const {
  rt::Status cause = causeOf(*diagnostics);
  if (cause.code() == rt::Code::InvalidArgument)
    return rt::Status(rt::Code::InvalidArgument, std::string());
  return cause;
}

int KernelProgram::memoryCode() const {
  int ofRecording = blocks.empty() ? 0 : blocks.back().recorder->memoryCode();
  return ofRecording ? ofRecording : theMemoryCode;
}

//===----------------------------------------------------------------------===//
// Lowering
//===----------------------------------------------------------------------===//

OwningOpRef<ModuleOp> KernelProgram::lowered(Block &block, KernelLowering how) {
  OwningOpRef<ModuleOp> copy = block.module->clone();
  theMemoryCode = lowerKernel(*copy->getOps<ppl::NetOp>().begin(), nets(),
                              *block.recorder, how);
  if (theMemoryCode != 0 || failed(verify(*copy)))
    return nullptr;
  return copy;
}

FailureOr<std::string> KernelProgram::text(bool commands, bool serial) {
  OwningOpRef<ModuleOp> copy =
      commands ? lowered(blocks.front(), {serial, chip().hasCommands()})
               : OwningOpRef<ModuleOp>(blocks.front().module->clone());
  if (!copy)
    return failure();
  std::string text;
  llvm::raw_string_ostream stream(text);
  copy->print(stream);
  return text + "\n";
}

FailureOr<std::vector<uint8_t>> KernelProgram::bmodel(bool serial,
                                                      bool withLines) {
  if (!chip().hasCommands()) {
    unsupported(net().getLoc())
        << "Weft makes no commands for " << chip().targetName
        << " yet; weft ppl run and test interpret it";
    return failure();
  }
  OwningOpRef<ModuleOp> copy =
      lowered(blocks.front(), {serial, /*commands=*/true});
  if (!copy)
    return failure();
  ppl::NetOp net = *copy->getOps<ppl::NetOp>().begin();
  FailureOr<codegen::EncodedProgram> encoded = codegen::encodeProgram(net);
  if (failed(encoded))
    return failure();
  lines.clear();
  for (const codegen::CommandGroup &group : encoded->groups)
    lines.push_back({group.tiuLocations, group.gdmaLocations});
  codegen::StageProgram stage;
  stage.net = net;
  stage.encoded = &*encoded;
  if (withLines) {
    stage.hasLines = true;
    stage.sourceLines = nameSourceLines(*encoded);
  }
  codegen::PackOptions packing;
  packing.producer = "weft " WEFT_VERSION;
  FailureOr<codegen::PackedFile> file = codegen::packBmodel(stage, packing);
  if (failed(file))
    return failure();
  return file->bytes();
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

/// The memory before the program: what the test has put there.
static MemoryImage imageBefore(const frontend::DeviceMemory &memory) {
  const uint8_t *start = memory.at(memory.base);
  return memory.used() ? MemoryImage(start, start + memory.used())
                       : MemoryImage();
}

namespace {
/// A block while it is interpreted: its own local memory, its place in the
/// program.
struct Core {
  OwningOpRef<ModuleOp> module;
  std::unique_ptr<catalog::Machine> machine;
  mlir::Block::iterator next, end;
  size_t block = 0, functions = 0; ///< its number, those that have run
  bool waits = true;               ///< at a barrier, or at the start
};
} // namespace

/// With the line of a function in front.
static rt::Status at(Operation *op, const rt::Status &status) {
  auto place = dyn_cast<FileLineColLoc>(op->getLoc());
  return place ? status.withContext(place.getFilename().str() + ":" +
                                    std::to_string(place.getLine()))
               : status;
}

/// Runs a core up to its next barrier or its end; `core.waits` says which.
static rt::Status runToBarrier(Core &core, const Chip &chip,
                               const KernelProgram::BeforeFunction &before) {
  core.waits = false;
  while (core.next != core.end) {
    Operation *op = &*core.next++;
    if (mlir::isa<ppl::BarrierOp>(op)) {
      core.waits = true;
      return rt::Status::ok();
    }
    ppl::FunctionOp function(op);
    if (!function)
      continue;
    if (before)
      before(core.block, core.functions, op, *core.machine);
    ++core.functions;
    rt::Status status = catalog::interpret(function.call(chip), *core.machine);
    if (!status)
      return at(
          op, status.withContext(catalog::qualifiedName(function.function())));
  }
  return rt::Status::ok();
}

rt::Result<MemoryImage> KernelProgram::interpret(const BeforeFunction &before) {
  const frontend::DeviceMemory &memory = recorder().memory;
  MemoryImage global = imageBefore(memory);
  std::vector<uint8_t> l2(chip().l2MemoryBytes);
  // Inputs that are also written have a place of their own.
  for (Attribute attr : net().getInputs()) {
    auto io = cast<ppl::IoAttr>(attr);
    uint64_t source = recorder().inputSources.at(io.getName().str());
    const frontend::DeviceMemory::Piece *piece = memory.pieceAt(source);
    std::copy_n(memory.at(source), piece->bytes,
                global.begin() + (io.getAddress() - memory.base));
  }
  std::vector<Core> cores;
  for (Block &block : blocks) {
    Core &core = cores.emplace_back();
    core.block = cores.size() - 1;
    core.module = lowered(block, {/*serial=*/true, /*commands=*/false});
    if (!core.module)
      return failureCause();
    core.machine = std::make_unique<catalog::Machine>(chip(), 0);
    mlir::Block &body =
        (*core.module->getOps<ppl::NetOp>().begin()).getBody().front();
    core.next = body.begin();
    core.end = body.end();
  }
  // Between two barriers the blocks run one after the other.
  auto waits = [](const Core &core) { return core.waits; };
  while (llvm::any_of(cores, waits)) {
    if (!llvm::all_of(cores, waits))
      return rt::fail(rt::Code::Deadlock,
                      "some blocks end while others wait at sync(); every "
                      "block must reach every sync()");
    for (Core &core : cores) {
      std::swap(core.machine->global, global);
      std::swap(core.machine->l2, l2);
      rt::Status status = runToBarrier(core, chip(), before);
      std::swap(core.machine->global, global);
      std::swap(core.machine->l2, l2);
      if (!status)
        return status;
    }
  }
  return global;
}

bool KernelProgram::readsIndices() {
  bool found = false;
  for (ppl::NetOp net : nets())
    net.getBody().walk([&](Operation *op) {
      if (ppl::FunctionOp function = ppl::FunctionOp(op))
        found |= function.function().slot("index") != nullptr;
    });
  return found;
}

rt::Status KernelProgram::explained(const rt::Status &failure) {
  if (!readsIndices())
    return failure;
  rt::Result<MemoryImage> meaning = interpret();
  return meaning ? failure : meaning.status();
}

rt::Result<MemoryImage> KernelProgram::run(const std::vector<uint8_t> &bytes,
                                           const rt::DeviceOptions &options) {
  rt::Result<rt::Bmodel> model = rt::Bmodel::load(bytes, "the kernel's bmodel");
  if (!model)
    return model.status();
  const rt::NetSpec &spec = model->nets().front();
  const rt::StageSpec &stage = spec.stages.front();
  rt::Result<std::unique_ptr<rt::Device>> device =
      rt::openDevice(options, *model, spec, 0);
  if (!device)
    return device.status();
  const frontend::DeviceMemory &memory = recorder().memory;
  MemoryImage image = imageBefore(memory);
  std::vector<rt::ByteSpan> inputs;
  for (const rt::TensorSpec &input : stage.inputs) {
    uint64_t source = recorder().inputSources.at(input.name);
    inputs.push_back({memory.at(source), input.storedBytes});
  }
  std::vector<std::vector<uint8_t>> results;
  std::vector<rt::MutableBytes> outputs;
  for (const rt::TensorSpec &output : stage.outputs)
    results.emplace_back(output.storedBytes);
  for (std::vector<uint8_t> &result : results)
    outputs.push_back({result.data(), result.size()});
  if (rt::Status status = (*device)->run(inputs, outputs); !status)
    return explained(status);
  for (size_t i = 0; i < results.size(); ++i)
    for (Attribute attr : net().getOutputs()) {
      auto io = cast<ppl::IoAttr>(attr);
      if (io.getName() == StringRef(stage.outputs[i].name))
        std::copy(results[i].begin(), results[i].end(),
                  image.begin() + (io.getAddress() - memory.base));
    }
  return image;
}

std::map<std::string, const frontend::DeviceMemory::Piece *>
KernelProgram::outputs() {
  std::map<std::string, const frontend::DeviceMemory::Piece *> pieces;
  // The memories of all blocks are laid out alike; a block may write what
  // others do not.
  for (Block &block : blocks)
    for (Attribute attr :
         (*block.module->getOps<ppl::NetOp>().begin()).getOutputs()) {
      auto io = cast<ppl::IoAttr>(attr);
      pieces.emplace(io.getName().str(),
                     std::as_const(recorder().memory).pieceAt(io.getAddress()));
    }
  return pieces;
}

//===----------------------------------------------------------------------===//
// Expectations
//===----------------------------------------------------------------------===//

static bool isNear(double got, const frontend::Expectation &expected,
                   double wanted) {
  if (std::isnan(wanted) || std::isnan(got))
    return std::isnan(wanted) && std::isnan(got);
  if (got == wanted)
    return true;
  if (std::isinf(wanted) || std::isinf(got)) // no tolerance reaches these
    return false;
  return std::fabs(got - wanted) <=
         expected.atol + expected.rtol * std::fabs(wanted);
}

std::vector<std::string>
KernelProgram::unmetExpectations(const MemoryImage &image) const {
  std::vector<std::string> lines;
  for (const frontend::Expectation &expected : recorder().expectations) {
    catalog::Dense values(expected.type,
                          {1, 1, 1, int64_t(expected.values.size())});
    std::copy_n(image.begin() + (expected.address - recorder().memory.base),
                values.bytes.size(), values.bytes.begin());
    size_t wrong = 0, first = 0;
    for (size_t i = 0; i < expected.values.size(); ++i)
      if (!isNear(values.value(int64_t(i)), expected, expected.values[i]) &&
          wrong++ == 0)
        first = i;
    if (wrong == 0)
      continue;
    std::string line;
    llvm::raw_string_ostream text(line);
    if (auto place = dyn_cast<FileLineColLoc>(expected.location))
      text << place.getFilename().strref() << ":" << place.getLine() << ": ";
    text << "expect: " << wrong << " of " << expected.values.size()
         << " values differ; the first, number " << first << ", is "
         << llvm::format("%.9g", values.value(int64_t(first))) << ", expected "
         << llvm::format("%.9g", expected.values[first])
         << llvm::format(" (rtol %g, atol %g)", expected.rtol, expected.atol);
    lines.push_back(line);
  }
  return lines;
}
