//===- Convert.cpp - ONNX models to files that run ------------------------===//

#include "runtime/chips/Chips.h"
#include "tools/capi/ModelPart.h"
#include "tools/capi/Status.h"
#include "tools/capi/Texts.h"
#include "tools/driver/BatchProof.h"
#include "tools/driver/Compile.h"

#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>
#include <cstring>

using namespace weft;
using capi::guarded;
using capi::texts;
using capi::toC;
using rt::Code;
using rt::Result;

/// Compiles every set of shapes into `stages`; null when all is well.
static weft_compiler_status *
compileStages(const char *model, driver::CompileOptions options,
              const std::vector<driver::InputShapes> &shapes,
              const capi::ModelPart &part, const driver::Plugins &plugins,
              driver::StageSet &stages, llvm::raw_string_ostream &stream) {
  options.sharesConstants = shapes.size() > 1;
  std::vector<driver::InputShapes> arguments;
  for (const driver::InputShapes &one : shapes) {
    auto compilation = std::make_unique<driver::Compilation>(stream);
    compilation->use(plugins);
    compilation->takesDigest = stages.all().empty();
    compilation->selectsBranches = options.noHost;
    if (failed(compilation->import(model, one, part.bindings, part.cut)) ||
        failed(compilation->lower(options, driver::Stage::Ppl)))
      return capi::fromPrinted(stream.str(), compilation->failureCause(), 0);
    arguments.push_back(compilation->importShapes());
    if (failed(stages.add(std::move(compilation))))
      return capi::fromPrinted(stream.str(), stages.culprit().failureCause(),
                               0);
  }
  if (rt::Status status = driver::checkSameInputs(arguments); !status)
    return toC(status);
  driver::BatchProof proof =
      driver::proveBatch(model, arguments, part.bindings, plugins, part.cut);
  for (const auto &compilation : stages.all())
    compilation->notes.batchAxes = proof.axes;
  return nullptr;
}

static weft_compiler_status *give(const std::vector<uint8_t> &file,
                                  void **bytes, size_t *size) {
  *bytes = std::malloc(file.size());
  if (!*bytes)
    return &capi::outOfMemory;
  std::memcpy(*bytes, file.data(), file.size());
  *size = file.size();
  return nullptr;
}

/// The same for a machine of vectors, whose files have one set of shapes.
static weft_compiler_status *
convertForVectors(const char *model, const driver::CompileOptions &options,
                  const std::vector<driver::InputShapes> &shapes,
                  const capi::ModelPart &part, const driver::Plugins &plugins,
                  void **bytes, size_t *size) {
  if (shapes.size() != 1)
    return toC(rt::fail(Code::InvalidArgument,
                        "there are " + std::to_string(shapes.size()) +
                            " shapes, a program for " + options.chip +
                            " has one; give one size for every axis"));
  if (options.precision == "bf16")
    return toC(rt::fail(Code::Unsupported,
                        "unsupported: precision bf16 for " + options.chip +
                            ", whose functions have no bf16; use f16 or f32"));
  std::string printed;
  llvm::raw_string_ostream stream(printed);
  driver::Compilation compilation(stream);
  compilation.use(plugins);
  compilation.selectsBranches = options.noHost;
  auto why = [&] {
    return capi::fromPrinted(stream.str(), compilation.failureCause(), 0);
  };
  if (failed(
          compilation.import(model, shapes.front(), part.bindings, part.cut)) ||
      failed(compilation.lower(options, driver::Stage::Ppl)))
    return why();
  mlir::FailureOr<std::vector<uint8_t>> file =
      compilation.packVectorProgram(llvm::sys::path::stem(model).str());
  return failed(file) ? why() : give(*file, bytes, size);
}

/// Fails for a target that models are not compiled for.
static rt::Status checkTarget(const std::string &target) {
  for (const Chip *known : chips::modelTargets())
    if (known->targetName == target)
      return {};
  return rt::fail(Code::InvalidArgument,
                  "the target is '" + target + "'; known: " +
                      chips::joinedTargets(chips::modelTargets()));
}

/// What only some precisions have.
static rt::Status takePrecision(const weft_convert_options &given,
                                driver::CompileOptions &options) {
  if (given.precision)
    options.precision = given.precision;
  const std::string &precision = options.precision;
  if (precision == "auto")
    return rt::fail(Code::InvalidArgument,
                    "precision auto measures programs on samples; take int8 "
                    "with the table of weft_calibrate_choose()");
  if (given.calibration)
    options.calibration = given.calibration;
  if (given.precision_table)
    options.precisionTable = given.precision_table;
  options.keepInt8 = given.keep_int8 != 0;
  if (options.keepInt8 && precision != "int8")
    return rt::fail(Code::InvalidArgument,
                    "keep_int8 is for precision int8, the precision is " +
                        precision + "; leave it out");
  options.noFloat = given.no_float != 0;
  if (options.noFloat && precision != "int8")
    return rt::fail(Code::InvalidArgument,
                    "no_float is for precision int8, the precision is " +
                        precision + "; leave it out");
  if (given.group_size == 0)
    return {};
  if (precision != "w8f16" && precision != "w4f16" && !given.precision_table)
    return rt::fail(Code::InvalidArgument,
                    "group_size is for precision w8f16 and w4f16, the "
                    "precision is " +
                        precision + "; leave it out");
  options.groupSize = given.group_size == -1 ? 0 : given.group_size;
  return {};
}

/// What the file has beside the numbers.
static rt::Status takeForm(const weft_convert_options &given,
                           driver::CompileOptions &options) {
  options.noHost = given.no_host != 0;
  options.quantizedIo = given.quantized_io != 0;
  options.strip = given.strip != 0;
  if (options.strip && chips::findVectorTarget(options.chip))
    return rt::fail(Code::InvalidArgument,
                    "strip is for chips with command buffers, not the target " +
                        options.chip + "; leave it out");
  if (!given.asymmetric)
    return {};
  options.asymmetric = given.asymmetric;
  if (options.asymmetric == "auto" || options.asymmetric == "off")
    return {};
  return rt::fail(Code::InvalidArgument, "asymmetric is '" +
                                             options.asymmetric +
                                             "', must be auto or off");
}

/// How hard the compiler searches.
static rt::Status takeLevel(const weft_convert_options &given,
                            driver::CompileOptions &options) {
  std::string level = given.level ? given.level : "";
  if (given.level && chips::findVectorTarget(options.chip))
    return rt::fail(Code::InvalidArgument,
                    "level is for chips with command buffers, not the target " +
                        options.chip + "; leave it out");
  if (given.level && (level.size() != 1 || level < "0" || level > "3"))
    return rt::fail(Code::InvalidArgument,
                    "level is '" + level + "', must be 0, 1, 2 or 3");
  if (given.level)
    options.optLevel = driver::OptLevel(level[0] - '0');
  if (given.search_seconds == 0 && !given.search_cache)
    return {};
  if (options.optLevel != driver::OptLevel::O3)
    return rt::fail(Code::InvalidArgument,
                    "search_seconds and search_cache are for level 3; give "
                    "that too, or leave them out");
  // The bounds of --time-limit; NaN is outside.
  if (given.search_seconds != 0 &&
      !(given.search_seconds >= 0.001 && given.search_seconds <= 1e6))
    return rt::fail(Code::InvalidArgument,
                    "search_seconds must be from 0.001 to 1000000");
  if (given.search_seconds != 0)
    options.search.seconds = given.search_seconds;
  if (given.search_cache)
    options.search.cache = given.search_cache;
  return {};
}

static weft_compiler_status *convert(const char *model,
                                     const weft_convert_options *given,
                                     void **bytes, size_t *size) {
  weft_convert_options options;
  if (!model || !bytes || !size || !capi::copyKnown(given, options))
    return toC(rt::fail(Code::InvalidArgument,
                        "model, bytes and size must not be NULL and "
                        "options->struct_bytes must be "
                        "sizeof(weft_convert_options)"));
  driver::CompileOptions compile;
  if (options.target)
    compile.chip = options.target;
  if (rt::Status status = checkTarget(compile.chip); !status)
    return toC(status);
  for (rt::Status (*take)(const weft_convert_options &,
                          driver::CompileOptions &) :
       {takePrecision, takeForm, takeLevel})
    if (rt::Status status = take(options, compile); !status)
      return toC(status);
  Result<driver::ShapeRanges> ranges =
      driver::parseShapeRanges(texts(options.shapes, options.shape_count),
                               options.batch ? options.batch : "");
  if (!ranges)
    return toC(ranges.status());
  Result<std::vector<driver::InputShapes>> shapes = driver::shapesOf(*ranges);
  if (!shapes)
    return toC(shapes.status());
  Result<capi::ModelPart> part = capi::partOf(options);
  if (!part)
    return toC(part.status());
  driver::Plugins plugins;
  if (rt::Status status =
          plugins.load(texts(options.plugins, options.plugin_count));
      !status)
    return toC(status);
  if (chips::findVectorTarget(compile.chip))
    return convertForVectors(model, compile, *shapes, *part, plugins, bytes,
                             size);
  // The stages print to it until they end.
  std::string printed;
  llvm::raw_string_ostream stream(printed);
  driver::StageSet stages;
  if (weft_compiler_status *status = compileStages(
          model, compile, *shapes, *part, plugins, stages, stream))
    return status;
  mlir::FailureOr<codegen::PackedFile> file = stages.pack(compile);
  if (failed(file))
    return capi::fromPrinted(stream.str(), stages.culprit().failureCause(), 0);
  return give(file->bytes(), bytes, size);
}

weft_compiler_status *weft_convert(const char *model,
                                   const weft_convert_options *options,
                                   void **bytes, size_t *size) {
  return guarded([&] { return convert(model, options, bytes, size); });
}

void weft_compiler_free(void *bytes) { std::free(bytes); }
