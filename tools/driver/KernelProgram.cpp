//===- KernelProgram.cpp - from a kernel to results ----------------------===//

#include "tools/driver/KernelProgram.h"
#include "codegen/pack/Pack.h"
#include "dialects/ppl/Command.h"
#include "passes/ppl/Passes.h"
#include "runtime/ppl/Interpreter.h"
#include "tools/driver/Registration.h"

#include "mlir/IR/Verifier.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/Format.h"

#include <cmath>

using namespace mlir;
using namespace weft;
using namespace weft::driver;

KernelProgram::KernelProgram(llvm::raw_ostream &errors)
    : context(MLIRContext::Threading::DISABLED),
      diagnostics(std::make_unique<DiagnosticPrinter>(context, errors)) {
  DialectRegistry registry;
  registerAllDialects(registry);
  context.appendDialectRegistry(registry);
  context.loadDialect<ppl::PplDialect>();
}

KernelProgram::~KernelProgram() = default;

LogicalResult KernelProgram::record(
    const Chip &chip, const std::string &name,
    const std::function<void(const weft_ppl_recorder &)> &body) {
  frontend::Recorder::Options options;
  options.name = name;
  options.fits = [this](ppl::NetOp net) { return fits(net); };
  theRecorder =
      std::make_unique<frontend::Recorder>(context, chip, std::move(options));
  body(theRecorder->table());
  theModule = theRecorder->finish();
  return success(bool(theModule));
}

ppl::NetOp KernelProgram::net() {
  return theModule ? *theModule->getOps<ppl::NetOp>().begin() : ppl::NetOp();
}

//===----------------------------------------------------------------------===//
// Lowering
//===----------------------------------------------------------------------===//

static LogicalResult runPasses(ModuleOp module, bool serial, bool commands) {
  PassManager passes(module.getContext());
  OpPassManager &onNet = passes.nest<ppl::NetOp>();
  onNet.addPass(ppl::createPipelinePass(serial));
  if (commands)
    onNet.addPass(ppl::createExpandPass());
  return passes.run(module);
}

/// What the blocks of a launch may use of L2 together (PPL 2.2): their share.
static uint64_t l2BytesOf(const frontend::Recorder &recorder) {
  const Chip &chip = recorder.chip;
  // The manual offers no L2 on chips with one core.
  return chip.cores == 1 ? 0
                         : chip.l2MemoryBytes / chip.cores * recorder.blocks;
}

OwningOpRef<ModuleOp> KernelProgram::lowered(Depth depth, bool serial,
                                             int *code) {
  OwningOpRef<ModuleOp> copy = theModule->clone();
  bool isDeep = depth == Depth::Commands;
  if (failed(runPasses(*copy, serial, isDeep)))
    return nullptr;
  int result = ppl::allocateTensors(*copy->getOps<ppl::NetOp>().begin(),
                                    theRecorder->allocationMethod,
                                    l2BytesOf(*theRecorder));
  if (code)
    *code = result;
  if (result != 0 || failed(verify(*copy)))
    return nullptr;
  return copy;
}

int KernelProgram::fits(ppl::NetOp recorded) {
  // Silent: an attempt that does not fit is no error.
  ScopedDiagnosticHandler silent(&context,
                                 [](Diagnostic &) { return success(); });
  OwningOpRef<ModuleOp> copy = recorded->getParentOfType<ModuleOp>().clone();
  if (failed(runPasses(*copy, false, chips::hasCommands(theRecorder->chip))))
    return 0; // is reported when the program is lowered
  return ppl::allocateTensors(*copy->getOps<ppl::NetOp>().begin(),
                              theRecorder->allocationMethod,
                              l2BytesOf(*theRecorder));
}

FailureOr<std::string> KernelProgram::text(bool commands, bool serial) {
  OwningOpRef<ModuleOp> copy =
      commands ? lowered(Depth::Commands, serial, &theMemoryCode)
               : OwningOpRef<ModuleOp>(theModule->clone());
  if (!copy)
    return failure();
  std::string text;
  llvm::raw_string_ostream stream(text);
  copy->print(stream);
  return text + "\n";
}

FailureOr<std::vector<uint8_t>> KernelProgram::bmodel(bool serial) {
  if (!chips::hasCommands(chip())) {
    net().emitError() << "unsupported: Weft makes no commands for "
                      << chip().targetName
                      << " yet; run the kernel with --interpret";
    return failure();
  }
  OwningOpRef<ModuleOp> copy = lowered(Depth::Commands, serial, &theMemoryCode);
  if (!copy)
    return failure();
  ppl::NetOp net = *copy->getOps<ppl::NetOp>().begin();
  FailureOr<codegen::EncodedProgram> encoded = codegen::encodeProgram(net);
  if (failed(encoded))
    return failure();
  codegen::StageProgram stage{net, &*encoded, {}, {}};
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

rt::Result<MemoryImage> KernelProgram::interpret() {
  OwningOpRef<ModuleOp> copy = lowered(Depth::Placed, true, &theMemoryCode);
  if (!copy)
    return failureCause();
  const frontend::DeviceMemory &memory = theRecorder->memory;
  catalog::Machine machine(chip(), memory.used());
  machine.global = imageBefore(memory);
  // The program begins with copies from the places of inputs; the pieces
  // themselves hold the same bytes here.
  for (const auto &[name, source] : theRecorder->inputSources)
    for (Attribute attr : net().getInputs()) {
      auto io = cast<ppl::IoAttr>(attr);
      if (io.getName() != StringRef(name))
        continue;
      const frontend::DeviceMemory::Piece *piece = memory.pieceAt(source);
      std::copy_n(memory.at(source), piece->bytes,
                  machine.global.begin() + (io.getAddress() - memory.base));
    }
  rt::Status status;
  copy->walk([&](Operation *op) {
    ppl::FunctionOp function(op);
    if (!function || !status)
      return;
    status = catalog::interpret(function.call(chip()), machine)
                 .withContext("ppl::" + std::string(function.function().name));
  });
  if (!status)
    return status;
  return std::move(machine.global);
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
  const frontend::DeviceMemory &memory = theRecorder->memory;
  MemoryImage image = imageBefore(memory);
  std::vector<rt::ByteSpan> inputs;
  for (const rt::TensorSpec &input : stage.inputs) {
    uint64_t source = theRecorder->inputSources.at(input.name);
    inputs.push_back({memory.at(source), input.storedBytes});
  }
  std::vector<std::vector<uint8_t>> results;
  std::vector<rt::MutableBytes> outputs;
  for (const rt::TensorSpec &output : stage.outputs)
    results.emplace_back(output.storedBytes);
  for (std::vector<uint8_t> &result : results)
    outputs.push_back({result.data(), result.size()});
  if (rt::Status status = (*device)->run(inputs, outputs); !status)
    return status;
  for (size_t i = 0; i < results.size(); ++i)
    for (Attribute attr : net().getOutputs()) {
      auto io = cast<ppl::IoAttr>(attr);
      if (io.getName() == StringRef(stage.outputs[i].name))
        std::copy(results[i].begin(), results[i].end(),
                  image.begin() + (io.getAddress() - memory.base));
    }
  return image;
}

std::vector<const frontend::DeviceMemory::Piece *> KernelProgram::outputs() {
  std::vector<const frontend::DeviceMemory::Piece *> pieces;
  for (Attribute attr : net().getOutputs())
    pieces.push_back(std::as_const(theRecorder->memory)
                         .pieceAt(cast<ppl::IoAttr>(attr).getAddress()));
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
  return std::fabs(got - wanted) <=
         expected.atol + expected.rtol * std::fabs(wanted);
}

std::vector<std::string>
KernelProgram::unmetExpectations(const MemoryImage &image) const {
  std::vector<std::string> lines;
  for (const frontend::Expectation &expected : theRecorder->expectations) {
    catalog::Dense values(expected.type,
                          {1, 1, 1, int64_t(expected.values.size())});
    std::copy_n(image.begin() + (expected.address - theRecorder->memory.base),
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
