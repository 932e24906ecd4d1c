#include "runtime/bmodel/Bmodel.h"
#include "runtime/status/Quote.h"
#include "runtime/zhouyi/Disassemble.h"
#include "runtime/zhouyi/ProgramFile.h"
#include "tools/driver/BatchProof.h"
#include "tools/driver/Calibrate.h"
#include "tools/driver/ExpectedAccuracy.h"
#include "tools/files/InputFile.h"
#include "tools/files/OutputFile.h"
#include "tools/samples/SampleFiles.h"
#include "tools/weft/AutoPrecision.h"
#include "tools/weft/Bindings.h"
#include "tools/weft/CalibrationFlags.h"
#include "tools/weft/ErrorStream.h"
#include "tools/weft/Listing.h"
#include "tools/weft/MemoryLimit.h"
#include "tools/weft/ModelFlags.h"
#include "tools/weft/Program.h"
#include "tools/weft/StandardInput.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

using namespace weft;
using namespace weft::cli;
using rt::Code;
using rt::Result;

namespace {

struct ConvertFlags {
  ModelFlags model;
  std::string output;
  std::string emit; ///< empty: the file that the target runs
  std::vector<std::string> calibrationData;
  std::string writtenTable; ///< path of the table that is made; "": none
  CalibrationFlags calibration;
  AutoPrecisionFlags automatic;
  bool fusePreprocess = false;
  driver::CompileOptions compile;
  int optLevel = int(driver::OptLevel::O2);
  bool hasOptLevel = false;    ///< -O was given
  bool hasCache = false;       ///< --search-cache was given
  bool hasSearchFlags = false; ///< what is for -O3 alone
  bool hasGroupSize = false;   ///< --group-size was given
  std::string memoryLimit;     ///< of --memory-limit; empty: the default
  bool json = false;

  bool isAuto() const { return compile.precision == "auto"; }
  bool hasFewWeightBits() const {
    return compile.precision == "w8f16" || compile.precision == "w4f16";
  }
  bool isForVectors() const { return chips::findVectorTarget(compile.chip); }
};

} // namespace

/// What there is for chips with commands only, or for vector machines only.
static rt::Status checkTarget(const ConvertFlags &flags) {
  bool isCommands =
      flags.emit == "ppl" || flags.emit == "bmodel" || flags.compile.strip;
  const std::string target = "--target " + flags.compile.chip;
  if (!flags.isForVectors()) {
    if (flags.emit == "zhouyi" || flags.emit == "zyp")
      return rt::fail(Code::InvalidArgument,
                      "--emit " + flags.emit + " is for vector machines, not " +
                          target + "; use top, tpu, ppl, asm or bmodel");
    return rt::Status::ok();
  }
  if (isCommands)
    return rt::fail(Code::InvalidArgument,
                    (flags.compile.strip ? std::string("--strip")
                                         : "--emit " + flags.emit) +
                        " is for chips with command buffers, not " + target +
                        (flags.compile.strip
                             ? "; leave it out"
                             : "; use top, tpu, zhouyi, asm or zyp"));
  if (flags.hasOptLevel)
    return rt::fail(Code::InvalidArgument,
                    "-O searches for layer groups, which " + target +
                        " does not have; leave it out");
  if (flags.compile.precision == "bf16")
    return rt::fail(Code::Unsupported,
                    "unsupported: --precision bf16 with " + target +
                        ", whose functions have no bf16; use f16 or f32");
  if (flags.hasFewWeightBits())
    return rt::fail(Code::Unsupported,
                    "unsupported: --precision " + flags.compile.precision +
                        " with " + target +
                        ", which has no matrix unit; use f16 or int8");
  return rt::Status::ok();
}

/// Whether both name one file; files that are not there yet are one if their
/// paths are. No name is no file.
static bool isSamePath(const std::string &a, const std::string &b) {
  auto pathOf = [](llvm::StringRef name) {
    llvm::SmallString<128> path(name);
    llvm::sys::fs::make_absolute(path);
    llvm::sys::path::remove_dots(path, /*remove_dot_dot=*/true);
    return path;
  };
  return !a.empty() && !b.empty() &&
         (pathOf(a) == pathOf(b) || tools::isSameFile(a, b));
}

/// What is written besides the output needs files of its own.
static rt::Status checkWrittenFiles(const ConvertFlags &flags) {
  const std::string &table = flags.automatic.writtenTable,
                    &log = flags.automatic.log;
  for (const auto &[name, file, other] :
       {std::tuple("--write-precision-table", &table, &log),
        std::tuple("--resume", &log, &table)})
    if (*file == "-" ||
        (!file->empty() &&
         (isSamePath(*file, flags.output) || isSamePath(*file, *other) ||
          isSamePath(*file, flags.model.model))))
      return rt::fail(Code::InvalidArgument, std::string(name) + " " + *file +
                                                 " needs a file of its own");
  return rt::Status::ok();
}

/// Samples that do not calibrate.
static rt::Status checkSamplesBesideTable(const ConvertFlags &flags) {
  if (flags.emit != "bmodel" && !flags.isAuto())
    return rt::fail(Code::InvalidArgument,
                    "--calibration-data beside --calibration is to run a "
                    "bmodel on, and none is written; leave it out");
  if (std::string given = flags.calibration.givenForTable(); !given.empty())
    return rt::fail(Code::InvalidArgument,
                    given + " is for calibrating, and --calibration gives the "
                            "ranges already; leave it out");
  return rt::Status::ok();
}

/// What steers the search of -O3.
static rt::Status checkSearchFlags(const ConvertFlags &flags) {
  if (!flags.hasSearchFlags)
    return rt::Status::ok();
  if (driver::OptLevel(flags.optLevel) != driver::OptLevel::O3)
    return rt::fail(Code::InvalidArgument,
                    "--time-limit and --search-cache are for the search of "
                    "-O3; give that too, or leave them out");
  if (flags.emit == "top" || flags.emit == "tpu")
    return rt::fail(Code::InvalidArgument,
                    "--time-limit and --search-cache are for the search of "
                    "-O3, which comes after --emit " +
                        flags.emit + "; leave them out");
  const std::string &cache = flags.compile.search.cache;
  if (!std::isfinite(flags.compile.search.seconds)) // passes CLI::Range
    return rt::fail(Code::InvalidArgument,
                    "--time-limit must be a number of seconds");
  if (flags.hasCache && (cache.empty() || cache == "-"))
    return rt::fail(Code::InvalidArgument,
                    "--search-cache needs the path of a file that can be read "
                    "and written");
  for (const std::string *other :
       {&flags.output, &flags.model.model, &flags.automatic.writtenTable,
        &flags.automatic.log})
    if (!cache.empty() && !other->empty() && isSamePath(cache, *other))
      return rt::fail(Code::InvalidArgument, "--search-cache '" + cache +
                                                 "' is '" + *other +
                                                 "', too; name another file");
  return rt::Status::ok();
}

/// The table that is made on the way.
static rt::Status checkWrittenTable(const ConvertFlags &flags) {
  if (flags.writtenTable.empty())
    return rt::Status::ok();
  if (flags.calibrationData.empty() || !flags.compile.calibration.empty())
    return rt::fail(Code::InvalidArgument,
                    "--write-calibration is for a table that "
                    "--calibration-data makes, without --calibration; leave "
                    "it out");
  for (const std::string *other :
       {&flags.output, &flags.automatic.writtenTable, &flags.automatic.log,
        &flags.compile.search.cache})
    if (flags.writtenTable == "-" ||
        (!other->empty() && isSamePath(flags.writtenTable, *other)))
      return rt::fail(Code::InvalidArgument, "--write-calibration " +
                                                 flags.writtenTable +
                                                 " needs a file of its own");
  return rt::Status::ok();
}

/// No file that is written may be one that is read.
static rt::Status checkInputsKept(const ConvertFlags &flags) {
  std::vector<tools::NamedInput> read = filesOf(flags.model);
  read.push_back({"the calibration table", flags.compile.calibration});
  read.push_back({"the precision table", flags.compile.precisionTable});
  read.push_back(
      {"the file of --preprocess", flags.calibration.preprocess.file});
  for (const auto &[option, written] :
       {std::pair("--output", &flags.output),
        std::pair("--write-precision-table", &flags.automatic.writtenTable),
        std::pair("--write-calibration", &flags.writtenTable),
        std::pair("--resume", &flags.automatic.log),
        std::pair("--search-cache", &flags.compile.search.cache)}) {
    WEFT_TRY(tools::checkInputsKept(option, *written, read));
    WEFT_TRY(samples::checkKept(flags.calibrationData, option, *written));
  }
  return rt::Status::ok();
}

static rt::Status checkFlags(const ConvertFlags &flags) {
  WEFT_TRY(checkTarget(flags));
  WEFT_TRY(checkSearchFlags(flags));
  WEFT_TRY(checkWrittenTable(flags));
  bool quantized = flags.compile.precision == "int8" || flags.isAuto();
  bool hasTable = !flags.compile.calibration.empty();
  bool hasData = !flags.calibrationData.empty();
  if (flags.isAuto() && (!hasData || flags.isForVectors()))
    return rt::fail(Code::InvalidArgument,
                    hasData ? "--precision auto measures programs for chips "
                              "with command buffers; for --target " +
                                  flags.compile.chip + " give int8, f16 or f32"
                            : "--precision auto measures programs on samples; "
                              "give --calibration-data DIR");
  if (std::string given = flags.automatic.given();
      !flags.isAuto() && !given.empty())
    return rt::fail(Code::InvalidArgument,
                    given + " is for --precision auto, the precision is " +
                        flags.compile.precision + "; leave it out");
  WEFT_TRY(checkAutoPrecisionFlags(flags.automatic));
  if (flags.isAuto() &&
      (flags.compile.noFloat || !flags.compile.precisionTable.empty()))
    return rt::fail(Code::InvalidArgument,
                    "--precision auto chooses the floats itself; leave out "
                    "--no-float and --precision-table");
  if (quantized && !hasTable && !hasData)
    return rt::fail(Code::InvalidArgument,
                    "--precision int8 needs value ranges; give --calibration "
                    "TABLE (see weft calibrate) or --calibration-data DIR");
  if (hasTable && hasData)
    WEFT_TRY(checkSamplesBesideTable(flags));
  bool isHalf = flags.compile.precision == "f16" || flags.hasFewWeightBits();
  if (!quantized && !isHalf && (hasTable || hasData))
    return rt::fail(Code::InvalidArgument,
                    "calibration is for --precision int8, f16, w8f16 and "
                    "w4f16, the precision is " +
                        flags.compile.precision + "; leave it out");
  if (flags.compile.noFloat && !quantized)
    return rt::fail(Code::InvalidArgument,
                    "--no-float is for --precision int8, the precision is " +
                        flags.compile.precision + "; leave it out");
  if (flags.compile.keepInt8 && !quantized)
    return rt::fail(Code::InvalidArgument,
                    "--keep-int8 is for --precision int8, the precision is " +
                        flags.compile.precision + "; leave it out");
  if (!flags.compile.precisionTable.empty() && flags.compile.precision == "f32")
    return rt::fail(Code::InvalidArgument,
                    "--precision-table mixes precisions into int8, f16 and "
                    "bf16; with --precision f32 leave it out");
  if (flags.hasGroupSize && !flags.hasFewWeightBits() &&
      flags.compile.precisionTable.empty())
    return rt::fail(Code::InvalidArgument,
                    "--group-size is for --precision w8f16 and w4f16, the "
                    "precision is " +
                        flags.compile.precision + "; leave it out");
  if (!hasData && !flags.fusePreprocess &&
      flags.calibration.preprocess.isGiven())
    return rt::fail(Code::InvalidArgument,
                    "preprocessing is for the images of --calibration-data, or "
                    "for --fuse-preprocess; neither is given, leave it out");
  if (std::string given = flags.calibration.given(); !hasData && !given.empty())
    return rt::fail(Code::InvalidArgument,
                    given + " is for --calibration-data, which is not given; " +
                        (hasTable ? "the table has its own; leave it out"
                                  : "leave it out"));
  if (flags.json && flags.output == "-")
    return rt::fail(Code::InvalidArgument,
                    "--json and --output - both write to stdout");
  WEFT_TRY(checkInputsKept(flags));
  return checkWrittenFiles(flags);
}

/// The listing of `weft disasm` for a model in memory.
static Result<std::string> assembly(std::vector<uint8_t> bytes) {
  Result<rt::Bmodel> model = rt::Bmodel::load(std::move(bytes), "the bmodel");
  if (!model)
    return model.status();
  std::string text;
  for (const rt::NetSpec &net : model->nets())
    WEFT_TRY(
        listCommands(model->chip(), net, "", [&](const std::string &piece) {
          text += piece;
          return rt::Status::ok();
        }));
  return text;
}

/// What a line of text or JSON says about the file.
struct Written {
  uint64_t bytes = 0;
  size_t stages = 1;
  double seconds = 0;
  double floatShare = 0; ///< of a bmodel; the first stage's
  driver::BatchProof batch;
  /// What was measured on samples.
  std::string measured;
  nlohmann::ordered_json measuredJson = nlohmann::ordered_json::object();
};

/// "; batches 1..8 are padded".
static std::string batchText(const driver::BatchProof &proof) {
  if (proof.largest > 1)
    return "; a batch of 1 to " + std::to_string(proof.largest) +
           " runs on the next larger stage";
  if (!proof.obstacle.empty())
    return "; a batch must be exactly a stage's: " + proof.obstacle;
  return "";
}

/// What the samples of --calibration-data gave.
namespace {
struct Measured {
  /// To measure the written file on.
  std::optional<driver::ReferenceSamples> samples;
  Written facts;
};
} // namespace

static ExitCode writeResult(const ConvertFlags &flags, const Written &facts,
                            const tools::FileBody &body) {
  if (rt::Status status = tools::writeOutputFile(flags.output, body); !status)
    return reportError(status);
  if (flags.output == "-")
    return ExitCode::Ok;
  if (flags.json) {
    nlohmann::ordered_json json{{"output_file", flags.output},
                                {"emit", flags.emit},
                                {"precision", flags.compile.precision},
                                {"target", flags.compile.chip},
                                {"stages", facts.stages},
                                {"largest_padded_batch", facts.batch.largest},
                                {"bytes", facts.bytes},
                                {"seconds", facts.seconds}};
    if (flags.emit == "bmodel")
      json["float_share"] = facts.floatShare;
    json.update(facts.measuredJson);
    return printJson(json);
  }
  char text[64];
  std::snprintf(text, sizeof(text), ": %llu bytes, %.2f s",
                static_cast<unsigned long long>(facts.bytes), facts.seconds);
  std::string stages =
      facts.stages > 1 ? ", " + std::to_string(facts.stages) + " stages" : "";
  return printText(flags.output + text + stages + batchText(facts.batch) +
                   "\n" + facts.measured);
}

static ExitCode writeText(const ConvertFlags &flags, Written facts,
                          const std::string &text) {
  facts.bytes = text.size();
  return writeResult(flags, facts, [&](const tools::ByteSink &sink) {
    return sink(text.data(), text.size());
  });
}

/// A form of one stage, of which nothing was measured.
static ExitCode writeText(const ConvertFlags &flags, double seconds,
                          const std::string &text) {
  Written facts;
  facts.seconds = seconds;
  return writeText(flags, std::move(facts), text);
}

static ExitCode writePacked(const ConvertFlags &flags, driver::StageSet &stages,
                            const driver::CompileOptions &options,
                            Measured &measured,
                            const std::function<double()> &elapsed) {
  mlir::FailureOr<codegen::PackedFile> file = stages.pack(options);
  if (failed(file))
    return reportFailure(stages.culprit());
  Written &facts = measured.facts;
  if (measured.samples)
    if (rt::Status status = describeAccuracy(
            file->bytes(), *measured.samples, flags.compile.calibration.empty(),
            flags.isAuto(), facts.measured, facts.measuredJson);
        !status)
      return reportError(status);
  facts.bytes = file->size();
  facts.stages = stages.all().size();
  facts.floatShare = stages.all().front()->floatShare();
  facts.seconds = elapsed();
  // Not a remark: nothing is wrong, and this stands where the figures would.
  if (flags.compile.precision == "int8" && flags.calibrationData.empty() &&
      flags.emit == "bmodel" && facts.stages == 1)
    facts.measured = "expected accuracy: not measured; --calibration-data DIR "
                     "beside the table prints it\n";
  if (flags.emit == "bmodel")
    return writeResult(flags, facts, [&](const tools::ByteSink &sink) {
      return file->write(sink);
    });
  Result<std::string> text = assembly(file->bytes());
  if (!text)
    return reportError(text.status());
  return writeText(flags, facts, *text);
}

/// A program of vectors, or its listing.
static ExitCode writeVectorProgram(const ConvertFlags &flags,
                                   driver::Compilation &compilation,
                                   const std::function<double()> &elapsed) {
  std::string name = llvm::sys::path::stem(flags.model.model).str();
  mlir::FailureOr<std::vector<uint8_t>> bytes =
      compilation.packVectorProgram(name);
  if (failed(bytes))
    return reportFailure(compilation);
  if (flags.emit != "asm") {
    Written facts;
    facts.bytes = bytes->size();
    facts.seconds = elapsed();
    return writeResult(flags, facts, [&](const tools::ByteSink &sink) {
      return sink(reinterpret_cast<const char *>(bytes->data()), bytes->size());
    });
  }
  Result<zhouyi::ProgramFile> file =
      zhouyi::parseProgramFile({bytes->data(), bytes->size()});
  if (!file)
    return reportError(file.status());
  std::string text;
  rt::Status listed =
      zhouyi::list(file->program, [&](const std::string &piece) {
        text += piece;
        return rt::Status::ok();
      });
  return listed ? writeText(flags, elapsed(), text) : reportError(listed);
}

/// What only makes sense for one set of shapes.
static rt::Status checkManyShapes(const ConvertFlags &flags, size_t count) {
  if (count == 1)
    return rt::Status::ok();
  std::string many = "--shape asks for " + std::to_string(count) + " shapes, ";
  if (flags.isForVectors())
    return rt::fail(Code::InvalidArgument,
                    many + "a program for --target " + flags.compile.chip +
                        " has one; give one size for every axis");
  if (flags.emit != "bmodel" && flags.emit != "asm")
    return rt::fail(Code::InvalidArgument,
                    many + "--emit " + flags.emit +
                        " writes one; give one size for every axis");
  if (!flags.calibrationData.empty())
    return rt::fail(Code::InvalidArgument,
                    many + "--calibration-data has samples of one; " +
                        (flags.compile.calibration.empty()
                             ? "run weft calibrate with that one and give "
                               "--calibration TABLE"
                             : "leave it out, or give one size for every "
                               "axis"));
  return rt::Status::ok();
}

/// The table for the samples of `run`. Every problem has been printed when it
/// fails.
static ExitCode calibrate(const driver::CompilationSource &source,
                          driver::Compilation &compilation,
                          driver::CalibrationRun run, std::string &text) {
  std::string printed;
  llvm::raw_string_ostream stream(printed);
  driver::Compilation asItIs(stream);
  driver::Compilation *calibrated = &compilation;
  if (source.fused) {
    // Of the model without the steps, as `weft calibrate` does it. What the
    // import says has been printed for the graph with them.
    calibrated = &asItIs;
    asItIs.use(source.plugins);
    asItIs.selectsBranches = compilation.selectsBranches;
    if (failed(asItIs.import(source.model, source.shapes, source.bindings,
                             source.cut)))
      return reportFailure(asItIs);
    printed.clear();
    run.fused = *source.fused;
  }
  mlir::FailureOr<quantize::CalibrationTable> table =
      driver::calibrate(calibrated->module(), run);
  errorStream() << printed;
  if (failed(table))
    return reportFailure(*calibrated);
  text = table->str();
  return ExitCode::Ok;
}

/// Calibrates `compilation` if there is no table yet, chooses precisions if
/// they are to be chosen, and keeps samples for what is written. Every problem
/// has been printed when it fails.
static ExitCode useSamples(const driver::CompilationSource &source,
                           driver::Compilation &compilation,
                           const ConvertFlags &flags,
                           driver::CompileOptions &options,
                           Measured &measured) {
  driver::CalibrationRun run;
  run.data = flags.calibrationData;
  if (!flags.model.cut.inputs.empty())
    run.wayToInputs = "; with --inputs a sample has arrays of these values. "
                      "From samples of the whole model make its table (weft "
                      "calibrate without --inputs) and give that as "
                      "--calibration";
  if (rt::Status status = applyCalibrationFlags(flags.calibration, run);
      !status)
    return reportError(status);
  if (flags.fusePreprocess && run.preprocessing) {
    run.preprocessing = preprocess::unfused(*run.preprocessing);
    run.mayBeArrays = true; // of codes
  }
  if (options.calibration.empty())
    if (ExitCode code =
            calibrate(source, compilation, run, options.calibration);
        code != ExitCode::Ok)
      return code;
  if (!flags.writtenTable.empty())
    if (rt::Status status = tools::writeOutputFile(flags.writtenTable,
                                                   options.calibration.data(),
                                                   options.calibration.size());
        !status)
      return reportError(status);
  if (flags.isAuto())
    if (ExitCode code = choosePrecisions(
            source, compilation.module(), run, flags.automatic, options,
            measured.facts.measured, measured.facts.measuredJson);
        code != ExitCode::Ok)
      return code;
  // Of a file that is written below: the emulator runs it.
  if (flags.emit != "bmodel")
    return ExitCode::Ok;
  auto evaluated = driver::evaluateSamples(compilation.module(), run,
                                           driver::kEstimateSamples);
  if (failed(evaluated))
    return reportFailure(compilation);
  measured.samples = std::move(*evaluated);
  return ExitCode::Ok;
}

/// What becomes part of the graph; std::nullopt: nothing.
static Result<std::optional<preprocess::Options>>
fusedOptions(const ConvertFlags &flags) {
  if (!flags.fusePreprocess)
    return std::optional<preprocess::Options>();
  Result<std::optional<preprocess::Options>> options =
      readPreprocessFlags(flags.calibration.preprocess);
  if (options && !*options)
    return std::optional<preprocess::Options>(preprocess::Options());
  return options;
}

static void warn(const ConvertFlags &flags, const std::string &line) {
  reportWarning(flags.model.model + ": " + line);
}

/// Warns of entries of a table that are another model's. (Of a table that has
/// nothing of this one the conversion says so.)
static void checkEntries(const ConvertFlags &flags,
                         const quantize::CalibrationTable &table,
                         const driver::Compilation &compilation) {
  std::vector<std::string> unknown = compilation.unknownIn(table);
  if (unknown.empty() || unknown.size() == table.entries().size())
    return;
  constexpr size_t kShown = 3;
  std::string names;
  for (size_t i = 0; i < std::min(kShown, unknown.size()); ++i)
    names += (i ? ", " : "") + rt::quoteName(unknown[i]);
  if (unknown.size() > kShown)
    names += " and " + std::to_string(unknown.size() - kShown) + " more";
  warn(flags, table.title() + " has entries of no value of the ONNX graph: " +
                  names + "; they change nothing");
}

/// Warns of what does not fit together: the table that was given, the model and
/// `fused` (or null).
static void checkRanges(const ConvertFlags &flags,
                        const preprocess::Options *fused,
                        const driver::Compilation &compilation) {
  quantize::CalibrationTable table;
  bool hasTable = !flags.compile.calibration.empty();
  if (hasTable) {
    llvm::Expected<quantize::CalibrationTable> read =
        quantize::CalibrationTable::read(flags.compile.calibration);
    if (!read) { // is reported where the table is used
      llvm::consumeError(read.takeError());
      return;
    }
    table = std::move(*read);
    checkEntries(flags, table, compilation);
  }
  if (!fused)
    return;
  bool isHalf =
      flags.compile.precision != "f32" && flags.compile.precision != "bf16";
  // Fused steps are before the only input.
  std::string odd =
      driver::oddFusedRange(*fused, compilation.inputShapes.begin()->first,
                            hasTable ? &table : nullptr, isHalf);
  if (!odd.empty())
    warn(flags, odd);
}

/// What is known before any work. A search takes minutes.
static rt::Status prepare(const ConvertFlags &flags) {
  WEFT_TRY(checkFlags(flags));
  WEFT_TRY(limitMemory(flags.memoryLimit));
  WEFT_TRY(tools::checkOutputFile(flags.output));
  const std::string &table = flags.automatic.writtenTable;
  return table.empty() ? rt::Status::ok() : tools::checkOutputFile(table);
}

static ExitCode convert(ConvertFlags flags) {
  if (flags.emit.empty())
    flags.emit = flags.isForVectors() ? "zyp" : "bmodel";
  if (rt::Status status = prepare(flags); !status)
    return reportError(status);
  Result<std::optional<preprocess::Options>> fused = fusedOptions(flags);
  if (!fused)
    return reportError(fused.status());
  Result<driver::ShapeRanges> ranges =
      driver::parseShapeRanges(flags.model.shapes, flags.model.batch);
  if (!ranges)
    return reportError(ranges.status());
  Result<std::vector<driver::InputShapes>> shapes = driver::shapesOf(*ranges);
  if (!shapes)
    return reportError(shapes.status());
  if (rt::Status status = checkManyShapes(flags, shapes->size()); !status)
    return reportError(status);
  Result<NamedTensors> bindings =
      readBindings(flags.model.bindings, flags.model.model, flags.model.cut);
  if (!bindings)
    return reportError(bindings.status());
  driver::Plugins plugins; // outlives the compilations
  if (rt::Status status = plugins.load(flags.model.plugins); !status)
    return reportError(status);
  auto begin = std::chrono::steady_clock::now();
  auto elapsed = [&] {
    std::chrono::duration<double> time =
        std::chrono::steady_clock::now() - begin;
    return time.count();
  };
  driver::CompileOptions options = flags.compile;
  options.optLevel = driver::OptLevel(flags.optLevel);
  options.sharesConstants = shapes->size() > 1;
  driver::Stage stage = flags.emit == "top"   ? driver::Stage::Top
                        : flags.emit == "tpu" ? driver::Stage::Tpu
                                              : driver::Stage::Ppl;
  Measured measured;
  driver::StageSet stages;
  for (const driver::InputShapes &one : *shapes) {
    auto compilation = std::make_unique<driver::Compilation>(errorStream());
    compilation->use(plugins);
    compilation->takesDigest = stages.all().empty();
    compilation->selectsBranches = flags.compile.noHost;
    // Problems of the model have been printed when a step fails.
    driver::CompilationSource source = {
        flags.model.model,          one, *bindings, plugins, flags.model.cut,
        *fused ? &**fused : nullptr};
    if (failed(compilation->import(source.model, one, *bindings, source.cut,
                                   source.fused)))
      return reportFailure(*compilation);
    if (stages.all().empty())
      checkRanges(flags, source.fused, *compilation);
    if (!flags.calibrationData.empty())
      if (ExitCode code =
              useSamples(source, *compilation, flags, options, measured);
          code != ExitCode::Ok)
        return code;
    if (failed(compilation->lower(options, stage)))
      return reportFailure(*compilation);
    if (flags.emit != "bmodel" && flags.emit != "asm" && flags.emit != "zyp")
      return writeText(flags, elapsed(), compilation->text());
    if (flags.isForVectors())
      return writeVectorProgram(flags, *compilation, elapsed);
    if (failed(stages.add(std::move(compilation))))
      return reportFailure(stages.culprit());
  }
  std::vector<driver::InputShapes> arguments;
  for (const auto &compilation : stages.all())
    arguments.push_back(compilation->importShapes());
  if (rt::Status status = driver::checkSameInputs(arguments); !status)
    return reportError(status);
  driver::BatchProof proof = driver::proveBatch(
      flags.model.model, arguments, *bindings, plugins, flags.model.cut);
  for (const auto &compilation : stages.all())
    compilation->notes.batchAxes = proof.axes;
  measured.facts.batch = proof;
  return writePacked(flags, stages, options, measured, elapsed);
}

/// What happens with --calibration-data, and with images.
static void addSampleFlags(CLI::App &command, ConvertFlags &flags) {
  command
      .add_option("--calibration-data", flags.calibrationData,
                  "Calibrate at once, or beside --calibration only print the "
                  "accuracy to expect. " +
                      std::string(kSamplesHelp))
      ->allow_extra_args(false)
      ->type_name("[NAME=]DIR");
  command
      .add_option("--write-calibration", flags.writtenTable,
                  "With --calibration-data: write the table that it gives, for "
                  "--calibration here and at weft compare")
      ->type_name("FILE");
  addCalibrationFlags(command, flags.calibration);
  addAutoPrecisionFlags(command, flags.automatic);
  command.add_flag("--fuse-preprocess", flags.fusePreprocess,
                   "The input becomes uint8 images of the model's size; color, "
                   "mean, scale, std and layout are part of the program");
}

/// In which numbers the program computes.
static void addPrecisionFlags(CLI::App &command,
                              const std::shared_ptr<ConvertFlags> &flags) {
  command
      .add_option("--precision", flags->compile.precision,
                  "The arithmetic; a vector machine has no bf16. w8f16, w4f16: "
                  "f16, weights of matrix products in 8 or 4 bits. auto: int8, "
                  "with as few products in f16 as the goal allows")
      ->check(CLI::IsMember(
          {"f32", "f16", "bf16", "int8", "w8f16", "w4f16", "auto"}))
      ->capture_default_str();
  mayBeStandardInput(
      command.add_option(
          "--calibration", flags->compile.calibration,
          "Value ranges by `weft calibrate`: int8 needs them, f16 "
          "computes in f32 what they show to be beyond it"))
      ->type_name("TABLE");
  mayBeStandardInput(
      command.add_option("--precision-table", flags->compile.precisionTable,
                         "YAML file of ops in another precision than the rest: "
                         "`ops:` and a line `VALUE_OR_NODE: f16` each"))
      ->type_name("FILE");
  command.add_flag("--no-float", flags->compile.noFloat,
                   "With int8: every product with constant weights in 8 bits, "
                   "depthwise convolutions too; not of the state of an LSTM, "
                   "GRU or RNN, which has no range");
  command.add_flag("--keep-int8", flags->compile.keepInt8,
                   "With int8: all products that can be in 8 bits, also where "
                   "floats take fewer cycles");
  addSampleFlags(command, *flags);
  command
      .add_option("--asymmetric", flags->compile.asymmetric,
                  "Zero points in int8: auto gives one to values whose steps "
                  "it makes finer, off to none")
      ->check(CLI::IsMember({"auto", "off"}))
      ->capture_default_str();
  command
      .add_option_function<int64_t>(
          "--group-size",
          [flags](int64_t size) {
            flags->compile.groupSize = size;
            flags->hasGroupSize = true;
          },
          "Weights of one scale in w8f16 and w4f16; 0: those of an output "
          "channel")
      ->check(CLI::IsMember({0, 16, 32, 64, 128, 256, 512, 1024}))
      ->default_str("64");
}

void cli::addConvertCommand(Program &program) {
  auto flags = std::make_shared<ConvertFlags>();
  CLI::App &command = program.addCommand(
      "convert", "Compile an ONNX model to a bmodel or a program of vectors",
      {"weft convert cls.onnx --shape x=1x3x48x192 -o cls.bmodel",
       "weft convert cls.onnx --shape x=1x3x48x192 --precision int8 "
       "--calibration cls.table --calibration-data samples/ -o "
       "cls_int8.bmodel",
       "weft convert cls.onnx --shape x=1x3x48x192 --emit tpu -o -",
       "weft convert rec.onnx --shape 'x=1..8x3x48x(64..640:64)' -o "
       "rec.bmodel",
       "weft convert cls.onnx --shape x=1x3x48x192 --target zhouyi -o cls.zyp"},
      [flags] { return convert(*flags); });
  addModelFlags(command, flags->model);
  command.add_option("-o,--output", flags->output, "The result ('-': stdout)")
      ->required()
      ->type_name("FILE");
  command
      .add_option("--target", flags->compile.chip,
                  "The chip, or a vector machine")
      ->check(CLI::IsMember(chips::targets(chips::modelTargets())))
      ->capture_default_str();
  addPrecisionFlags(command, flags);
  command
      .add_option("--emit", flags->emit,
                  "What to write; by default the file that the target runs")
      ->check(CLI::IsMember(
          {"top", "tpu", "ppl", "zhouyi", "asm", "bmodel", "zyp"}));
  command.add_flag("--quantized-io", flags->compile.quantizedIo,
                   "Inputs and outputs in the types computed with, instead of "
                   "ONNX's");
  command.add_flag("--no-host", flags->compile.noHost,
                   "An operation that the chip does not compute is an error; "
                   "without this the processor of the host computes it. Of "
                   "branches that data choose all are computed, if types "
                   "agree");
  command.add_flag("--strip", flags->compile.strip,
                   "Leave out the debug map (ONNX names of commands and "
                   "values)");
  command
      .add_option_function<int>(
          "-O",
          [flags](int level) {
            flags->optLevel = level;
            flags->hasOptLevel = true;
          },
          "Search for layer groups: 0 every op alone, values through "
          "DRAM; 1 short groups; 2 long groups; 3 then changes slices and "
          "places as long as the program takes fewer cycles")
      ->check(CLI::Range(0, 3))
      ->default_str("2");
  command
      .add_option_function<double>(
          "--time-limit",
          [flags](double seconds) {
            flags->compile.search.seconds = seconds;
            flags->hasSearchFlags = true;
          },
          "With -O3: about how long to search for each program; counted in "
          "work, so that every machine finds the same")
      ->check(CLI::Range(0.001, 1e6))
      ->type_name("SECONDS")
      ->default_str("10");
  command
      .add_option_function<std::string>(
          "--search-cache",
          [flags](const std::string &path) {
            flags->compile.search.cache = path;
            flags->hasSearchFlags = flags->hasCache = true;
          },
          "With -O3: keeps what was found, so that the next time it is there "
          "at once or the search goes on; made if need be")
      ->type_name("FILE");
  addMemoryLimitFlag(command, flags->memoryLimit);
  command.add_flag("--json", flags->json, "Print what was written as JSON");
}
