//===- Compile.cpp - from an ONNX file to a bmodel ------------------------===//

#include "tools/driver/Compile.h"
#include "tools/driver/CheapestProgram.h"
#include "tools/driver/ConversionRecord.h"
#include "tools/driver/CustomKernel.h"
#include "tools/driver/HostRemarks.h"

#include "codegen/encode/Encode.h"
#include "codegen/zhouyi/Encode.h"
#include "dialects/ConstantBlobs.h"
#include "dialects/Refusal.h"
#include "dialects/top/Symbols.h"
#include "dialects/top/Top.h"
#include "dialects/tpu/Decision.h"
#include "passes/quantize/PrecisionTable.h"
#include "passes/quantize/TableLocation.h"
#include "passes/quantize/VendorTables.h"
#include "runtime/chips/Chips.h"
#include "runtime/zhouyi/ProgramFile.h"
#include "tools/driver/Registration.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;
using namespace weft;
using namespace weft::driver;

const std::string_view driver::kProducer = "weft " WEFT_VERSION;

static DialectRegistry allDialects() {
  DialectRegistry registry;
  registerAllDialects(registry);
  return registry;
}

Compilation::Compilation(llvm::raw_ostream &errors)
    : context(allDialects(), MLIRContext::Threading::DISABLED),
      diagnostics(std::make_unique<DiagnosticPrinter>(context, errors)) {
  // Messages are about the model; the text of an operation is neither for its
  // user nor safe to print if it does not verify.
  context.printOpOnDiagnostic(false);
  diagnostics->showDetails = true;
}

Compilation::~Compilation() = default;

/// What the importer has noted of the arguments and results of `@main`.
static void readNotes(ModuleOp module, codegen::InterfaceNotes &notes) {
  auto main = module.lookupSymbol<func::FuncOp>("main");
  auto add = [&](DictionaryAttr attributes) {
    auto name = attributes ? attributes.getAs<StringAttr>(top::kNameAttr)
                           : StringAttr();
    if (!name)
      return;
    if (auto list = attributes.getAs<ArrayAttr>(top::kSymbolsAttr))
      for (StringAttr symbol : list.getAsRange<StringAttr>())
        notes.symbols[name.str()].push_back(symbol.str());
    if (attributes.contains(top::kStringsAttr))
      notes.strings.insert(name.str());
  };
  for (unsigned i = 0; i < main.getNumArguments(); ++i)
    add(main.getArgAttrDict(i));
  for (unsigned i = 0; i < main.getNumResults(); ++i)
    add(main.getResultAttrDict(i));
}

/// Without plugins there are the kernels of the library.
void Compilation::useLibrary() {
  static const Plugins none;
  if (!plugins)
    use(none);
}

void Compilation::use(const Plugins &given) {
  plugins = &given;
  plugins->attach(context);
}

LogicalResult Compilation::import(const std::string &path,
                                  const InputShapes &shapes,
                                  const InputBindings &bindings,
                                  const onnx::GraphCut &cut,
                                  const preprocess::Options *fused) {
  onnx::ImportOptions options;
  options.cut = cut;
  options.namedCut = &this->cut;
  options.shapes = shapes;
  options.bindings = bindings;
  options.titles = &diagnostics->titles;
  options.values = &valueNames;
  options.emptyInputs = &emptyInputs;
  options.selectsBranches = selectsBranches;
  if (takesDigest)
    options.digest = &modelDigest;
  if (plugins)
    options.plugins = plugins->importOperators();
  theModule = onnx::importOnnxFile(path, options, context);
  return canonicalize(fused);
}

LogicalResult Compilation::importBytes(llvm::ArrayRef<char> bytes,
                                       const std::string &name) {
  onnx::ImportOptions options;
  options.titles = &diagnostics->titles;
  options.values = &valueNames;
  options.selectsBranches = selectsBranches;
  if (takesDigest)
    options.digest = &modelDigest;
  if (plugins)
    options.plugins = plugins->importOperators();
  theModule = onnx::importOnnxBytes(bytes, name, options, context);
  return canonicalize();
}

/// What is known of the interface, and the passes over the float graph.
LogicalResult Compilation::canonicalize(const preprocess::Options *fused) {
  if (!theModule)
    return failure();
  auto main = theModule->lookupSymbol<func::FuncOp>("main");
  for (BlockArgument argument : main.getArguments())
    if (auto name = main.getArgAttrOfType<StringAttr>(argument.getArgNumber(),
                                                      top::kNameAttr))
      inputShapes[name.str()] =
          cast<RankedTensorType>(argument.getType()).getShape().vec();
  if (fused && failed(fusePreprocessing(*theModule, *fused)))
    return failure();
  this->fused = fused ? fusedSettings(*fused) : "";
  notes = {};
  readNotes(*theModule, notes);
  PassManager passes(&context);
  buildTopPipeline(passes);
  LiveBlobs imported(*theModule);
  if (failed(passes.run(*theModule)))
    return failure();
  imported.releaseOthers(*theModule);
  return success();
}

/// Whether ops may become floats because that takes fewer cycles.
static bool mayBecomeFloats(const CompileOptions &options) {
  const Chip *chip = chips::find(options.chip);
  return options.precision == "int8" && !options.keepInt8 && !options.noFloat &&
         options.precisionTable.empty() && !options.quantizedIo && chip &&
         chip->hasCommands();
}

/// A table of a whole program becomes the precision of that.
LogicalResult Compilation::takeWholeTable(CompileOptions &options) {
  auto program = quantize::symbolizePrecision(options.precision);
  if (options.precisionTable.empty() || !program)
    return success();
  Location location = theModule->lookupSymbol("main")->getLoc();
  llvm::Expected<quantize::PrecisionTable> table =
      quantize::PrecisionTable::read(options.precisionTable);
  if (!table)
    return emitError(quantize::tableLocation(&context, options.precisionTable))
           << llvm::toString(table.takeError());
  if (!table->whole)
    return success();
  std::optional<quantize::Precision> taken = table->programOf(*program);
  if (!taken)
    return emitError(location)
           << "the precision table is of a program of "
           << quantize::stringifyPrecision(*table->whole) << ", --precision is "
           << options.precision << "; give that of the table";
  options.precision = quantize::stringifyPrecision(*taken).str();
  options.precisionTable.clear();
  return success();
}

LogicalResult Compilation::lower(const CompileOptions &given, Stage stage) {
  if (stage == Stage::Top)
    return success();
  useLibrary();
  CompileOptions options = given;
  if (failed(takeWholeTable(options)))
    return failure();
  return mayBecomeFloats(options) ? lowerCheapest(options, stage)
                                  : lowerGraph(*theModule, options, stage);
}

/// Every level of optimization has the ops that are floats at O2, so that all
/// give the same numbers.
FailureOr<CheapestProgram>
Compilation::findCheapest(const CompileOptions &options) {
  CompileOptions measured = options;
  measured.optLevel = OptLevel::O2;
  return findCheapestProgram(*theModule, *chips::find(options.chip),
                             [&](ModuleOp graph, bool verifies) {
                               return lowerGraph(graph, measured, Stage::Ppl,
                                                 verifies);
                             });
}

FailureOr<CheaperFloats>
Compilation::cheaperAsFloats(const CompileOptions &options) {
  if (!mayBecomeFloats(options))
    return CheaperFloats();
  useLibrary();
  FailureOr<CheapestProgram> cheapest = findCheapest(options);
  if (failed(cheapest))
    return failure();
  return CheaperFloats{markedProducts(*theModule), !cheapest->floats.empty()};
}

LogicalResult Compilation::lowerCheapest(const CompileOptions &options,
                                         Stage stage) {
  bool isResult = stage >= Stage::Ppl && options.optLevel == OptLevel::O2;
  FailureOr<CheapestProgram> cheapest;
  {
    // What is lowered again reports again.
    std::optional<ScopedDiagnosticHandler> silence;
    if (!isResult)
      silence.emplace(&context, [](Diagnostic &) { return success(); });
    cheapest = findCheapest(options);
  }
  if (failed(cheapest))
    return isResult ? failure() : lowerGraph(*theModule, options, stage);
  remarkFloats(*theModule, *cheapest);
  if (!isResult) {
    cheapest->program = {};
    if (cheapest->choices)
      theModule->lookupSymbol("main")->setAttr(tpu::kChoicesAttr,
                                               cheapest->choices);
    return lowerGraph(*theModule, options, stage);
  }
  LiveBlobs before(*theModule);
  theModule = std::move(cheapest->program);
  if (cheapest->choices)
    tpu::addChoices(net(), cheapest->choices);
  before.releaseOthers(*theModule);
  return success();
}

LogicalResult Compilation::lowerGraph(ModuleOp module,
                                      const CompileOptions &options,
                                      Stage stage, bool verifies) {
  LoweringOptions lowering;
  lowering.precision = options.precision;
  lowering.chip = options.chip;
  lowering.calibration = options.calibration;
  lowering.noFloat = options.noFloat;
  lowering.precisionTable = options.precisionTable;
  lowering.asymmetric = options.asymmetric;
  lowering.groupSize = options.groupSize;
  lowering.optLevel = int(options.optLevel);
  lowering.quantizedIo = options.quantizedIo;
  lowering.noHost = options.noHost;
  lowering.sharesConstants = options.sharesConstants;
  if (stage == Stage::Numbers)
    lowering.optLevel = int(OptLevel::O0); // groups, lanes and bands stay out
  if (options.optLevel == OptLevel::O3 && stage >= Stage::Ppl &&
      !chips::findVectorTarget(options.chip))
    return lowerSearched(module, options, lowering);
  PassManager passes(&context);
  passes.enableVerifier(verifies);
  if (chips::findVectorTarget(options.chip)) {
    buildReferencePipeline(passes, lowering);
    if (stage >= Stage::Ppl)
      buildVectorPipeline(passes, lowering);
  } else if (stage == Stage::Numbers) {
    buildRecipePipeline(passes, lowering);
  } else {
    buildTpuPipeline(passes, lowering);
    if (stage >= Stage::Ppl)
      buildPplPipeline(passes, lowering);
  }
  LiveBlobs before(module);
  if (failed(passes.run(module)))
    return failure();
  if (stage >= Stage::Ppl && failed(insertCustomKernels(module, *plugins)))
    return failure();
  before.releaseOthers(module);
  return success();
}

LogicalResult Compilation::lowerSearched(ModuleOp module,
                                         const CompileOptions &options,
                                         const LoweringOptions &lowering) {
  PassManager passes(&context);
  buildRecipePipeline(passes, lowering);
  LiveBlobs before(module);
  if (failed(passes.run(module)))
    return failure();
  before.releaseOthers(module);
  FailureOr<FoundProgram> found = searchProgram(
      module, *chips::find(options.chip),
      [&](ModuleOp graph) {
        PassManager grouping(&context);
        grouping.enableVerifier(false);
        buildGroupPipeline(grouping, lowering);
        return grouping.run(graph);
      },
      [&](ModuleOp groups) -> LogicalResult {
        PassManager rest(&context);
        rest.enableVerifier(false);
        buildPlacePipeline(rest, lowering);
        buildPplPipeline(rest, lowering);
        LiveBlobs placed(groups);
        if (failed(rest.run(groups)) ||
            failed(insertCustomKernels(groups, *plugins)))
          return failure();
        placed.releaseOthers(groups);
        return success();
      },
      options.search);
  if (failed(found) || failed(mlir::verify(*found->program)))
    return failure();
  if (found->cycles < found->firstCycles)
    emitRemark(module.lookupSymbol("main")->getLoc())
        << (found->isKnown ? std::string("-O3 knows of ")
                           : "-O3 compared " + std::to_string(found->programs) +
                                 " programs: ")
        << found->cycles << " cycles instead of " << found->firstCycles
        << (found->isComplete ? "" : "; a longer --time-limit may find more");
  LiveBlobs grouped(module);
  module.getBodyRegion().takeBody(found->program->getBodyRegion());
  module->setAttrs((*found->program)->getAttrDictionary());
  grouped.releaseOthers(module);
  return success();
}

ppl::NetOp Compilation::net() {
  auto nets = theModule->getOps<ppl::NetOp>();
  return llvm::hasSingleElement(nets) ? *nets.begin() : ppl::NetOp();
}

zhouyi::ProgramOp Compilation::vectorProgram() {
  auto programs = theModule->getOps<zhouyi::ProgramOp>();
  return llvm::hasSingleElement(programs) ? *programs.begin()
                                          : zhouyi::ProgramOp();
}

static void collectHostPrograms(const std::vector<zhouyi::Instruction> &body,
                                std::vector<const host::Program *> &programs) {
  for (const zhouyi::Instruction &instruction : body)
    if (auto *loop = std::get_if<zhouyi::Loop>(&instruction.what))
      collectHostPrograms(loop->body, programs);
    else if (auto *step = std::get_if<zhouyi::HostStep>(&instruction.what))
      programs.push_back(&step->program);
}

FailureOr<std::vector<uint8_t>>
Compilation::packVectorProgram(const std::string &name) {
  zhouyi::ProgramOp op = vectorProgram();
  if (!op)
    return failure(); // silent: a fault of the passes
  if (!notes.strings.empty())
    return unsupported(op.getLoc())
           << "'" << *notes.strings.begin()
           << "' has strings; a program of vector operations takes and gives "
              "numbers; convert for a chip";
  FailureOr<zhouyi::Program> program = codegen::encodeVectorProgram(op);
  if (failed(program))
    return failure();
  program->name = name;
  std::vector<const host::Program *> hostPrograms;
  collectHostPrograms(program->body, hostPrograms);
  std::set<std::string> told;
  remarkHostCalls(op, hostPrograms, told);
  rt::Result<std::vector<uint8_t>> bytes =
      zhouyi::serialize(*program, std::string(kProducer));
  if (!bytes)
    return emitError(op.getLoc()) << bytes.status().message();
  return std::move(*bytes);
}

LogicalResult StageSet::add(std::unique_ptr<Compilation> compilation) {
  compilations.push_back(std::move(compilation));
  failing = compilations.size() - 1;
  ppl::NetOp net = compilations.back()->net();
  if (!net)
    return failure(); // silent: a fault of the passes
  return area.add(net);
}

FailureOr<codegen::PackedFile> StageSet::pack(const CompileOptions &options) {
  // A single stage keeps the memory map that it was compiled for.
  if (compilations.size() > 1 && failed(area.finish()))
    return failure();
  std::vector<codegen::EncodedProgram> programs;
  std::set<std::string> told;
  for (failing = 0; failing < compilations.size(); ++failing) {
    FailureOr<codegen::EncodedProgram> program = codegen::encodeProgram(
        compilations[failing]->net(), codegen::Transfers::Planned,
        options.optLevel == OptLevel::O0 ? codegen::Order::AsWritten
                                         : codegen::Order::Scheduled);
    if (failed(program))
      return failure();
    std::vector<const host::Program *> hostPrograms;
    for (const codegen::HostPart &part : program->hostParts)
      hostPrograms.push_back(&part.program);
    remarkHostCalls(compilations[failing]->net(), hostPrograms, told);
    programs.push_back(std::move(*program));
  }
  failing = 0;
  std::vector<codegen::StageProgram> stages;
  for (const auto &[compilation, program] : llvm::zip(compilations, programs)) {
    stages.push_back({compilation->net(), &program, {}, compilation->notes});
    for (const onnx::NodeTitle &title : compilation->titles())
      stages.back().nodeOpTypes.push_back(title.opType);
  }
  codegen::PackOptions packing;
  packing.strip = options.strip;
  packing.producer = kProducer;
  packing.conversion = recordOf(options, compilations[0]->modelDigest);
  if (const std::string &fused = compilations.front()->fusedPreprocessing();
      !fused.empty())
    packing.conversion.options.push_back(std::string(kFusedKey) + "=" + fused);
  recordCut(compilations.front()->graphCut(), packing.conversion);
  recordEmptyInputs(compilations.front()->emptyInputs, packing.conversion);
  return codegen::packBmodel(stages, packing);
}

/// The model's float graph; null if it was not imported.
static std::unique_ptr<Compilation>
importedFrom(const CompilationSource &source, const CompileOptions &options,
             llvm::raw_ostream &problems, bool takesDigest = false) {
  auto compilation = std::make_unique<Compilation>(problems);
  compilation->takesDigest = takesDigest;
  compilation->selectsBranches = options.noHost;
  compilation->use(source.plugins);
  if (failed(compilation->import(source.model, source.shapes, source.bindings,
                                 source.cut, source.fused)))
    return nullptr;
  return compilation;
}

rt::Result<CheaperFloats>
driver::productsCheaperAsFloats(const CompilationSource &source,
                                const CompileOptions &options) {
  std::string problems;
  llvm::raw_string_ostream stream(problems);
  std::unique_ptr<Compilation> compilation =
      importedFrom(source, options, stream);
  FailureOr<CheaperFloats> cheaper;
  if (compilation)
    cheaper = compilation->cheaperAsFloats(options);
  if (failed(cheaper))
    return rt::fail(rt::Code::Internal, problems);
  return *std::move(cheaper);
}

/// The stages of `sources` in one file; the float share is the first one's.
static FailureOr<CompiledModel>
compileAll(llvm::ArrayRef<CompilationSource> sources,
           const CompileOptions &options, llvm::raw_ostream &problems) {
  CompiledModel compiled;
  StageSet stages;
  for (const CompilationSource &source : sources) {
    bool isFirst = stages.all().empty();
    std::unique_ptr<Compilation> compilation =
        importedFrom(source, options, problems, isFirst);
    if (!compilation || failed(compilation->lower(options, Stage::Ppl)))
      return failure();
    if (isFirst)
      compiled.floatShare = compilation->floatShare();
    if (failed(stages.add(std::move(compilation))))
      return failure();
  }
  FailureOr<codegen::PackedFile> file = stages.pack(options);
  if (failed(file))
    return failure();
  compiled.bytes = file->bytes();
  return compiled;
}

rt::Result<std::vector<uint8_t>>
driver::compileStages(llvm::ArrayRef<CompilationSource> sources,
                      const CompileOptions &options) {
  std::string problems;
  llvm::raw_string_ostream stream(problems);
  FailureOr<CompiledModel> compiled = compileAll(sources, options, stream);
  if (succeeded(compiled))
    return std::move(compiled->bytes);
  llvm::StringRef text = llvm::StringRef(problems).rtrim();
  text.consume_front("weft: error: ");
  return rt::fail(rt::Code::Internal, text.str());
}

rt::Result<CompiledModel> driver::compileModel(const CompilationSource &source,
                                               const CompileOptions &options) {
  std::string problems;
  llvm::raw_string_ostream stream(problems);
  FailureOr<CompiledModel> compiled = compileAll(source, options, stream);
  if (failed(compiled))
    return rt::fail(rt::Code::Internal, problems);
  return *std::move(compiled);
}

std::vector<std::string>
Compilation::unknownIn(const quantize::CalibrationTable &table) const {
  // Values of graphs within nodes stand behind the names of their callers,
  // which may be others with other shapes.
  auto isKnown = [&](llvm::StringRef name) {
    for (llvm::StringRef rest = name; !rest.empty();
         rest = rest.split('/').second)
      if (valueNames.count(rest.str()))
        return true;
    return false;
  };
  std::vector<std::string> unknown;
  for (const quantize::CalibrationEntry &entry : table.entries())
    if (!isKnown(entry.name) &&
        !(table.isVendors && isKnown(quantize::valueOfVendorName(entry.name))))
      unknown.push_back(entry.name);
  return unknown;
}

double Compilation::floatShare() {
  auto share =
      dyn_cast_or_null<FloatAttr>((*theModule)->getAttr(tpu::kFloatShareAttr));
  return share ? share.getValueAsDouble() : 0;
}

rt::Status Compilation::failureCause() const { return causeOf(*diagnostics); }

std::string Compilation::text() {
  std::string text;
  llvm::raw_string_ostream stream(text);
  OpPrintingFlags flags;
  theModule->print(stream, flags.enableDebugInfo());
  return text + "\n";
}
