//===- Compile.cpp - from an ONNX file to a bmodel ------------------------===//

#include "tools/driver/Compile.h"

#include "codegen/encode/Encode.h"
#include "codegen/pack/Pack.h"
#include "tools/driver/Registration.h"

#include "mlir/Pass/PassManager.h"

using namespace mlir;
using namespace weft;
using namespace weft::driver;

static DialectRegistry allDialects() {
  DialectRegistry registry;
  registerAllDialects(registry);
  return registry;
}

Compilation::Compilation()
    : context(allDialects(), MLIRContext::Threading::DISABLED),
      diagnostics(std::make_unique<DiagnosticPrinter>(context, llvm::errs())) {}

Compilation::~Compilation() = default;

LogicalResult Compilation::import(const std::string &path,
                                  const InputShapes &shapes,
                                  const InputBindings &bindings) {
  onnx::ImportOptions options;
  options.shapes = shapes;
  options.bindings = bindings;
  options.titles = &diagnostics->titles;
  theModule = onnx::importOnnxFile(path, options, context);
  if (!theModule)
    return failure();
  PassManager passes(&context);
  buildTopPipeline(passes);
  return passes.run(*theModule);
}

LogicalResult Compilation::lower(const CompileOptions &options, Stage stage) {
  if (stage == Stage::Top)
    return success();
  LoweringOptions lowering;
  lowering.precision = options.precision;
  lowering.chip = options.chip;
  lowering.calibration = options.calibration;
  lowering.optLevel = int(options.optLevel);
  lowering.quantizedIo = options.quantizedIo;
  PassManager passes(&context);
  buildTpuPipeline(passes, lowering);
  if (stage != Stage::Tpu)
    buildPplPipeline(passes);
  return passes.run(*theModule);
}

FailureOr<std::vector<uint8_t>>
Compilation::pack(const CompileOptions &options) {
  auto nets = theModule->getOps<ppl::NetOp>();
  if (!llvm::hasSingleElement(nets))
    return failure(); // silent: a fault of the passes
  ppl::NetOp net = *nets.begin();
  FailureOr<codegen::EncodedProgram> program = codegen::encodeProgram(net);
  if (failed(program))
    return failure();
  codegen::PackOptions packing;
  packing.strip = options.strip;
  packing.producer = "weft " WEFT_VERSION;
  for (const onnx::NodeTitle &title : diagnostics->titles)
    packing.nodeOpTypes.push_back(title.opType);
  return codegen::packBmodel(net, *program, packing);
}

rt::Status Compilation::failureCause() const { return causeOf(*diagnostics); }

std::string Compilation::text() {
  std::string text;
  llvm::raw_string_ostream stream(text);
  OpPrintingFlags flags;
  theModule->print(stream, flags.enableDebugInfo());
  return text + "\n";
}
