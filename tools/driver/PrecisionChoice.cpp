//===- PrecisionChoice.cpp - --precision auto -----------------------------===//

#include "tools/driver/PrecisionChoice.h"

#include "runtime/profile/Profile.h"
#include "tools/driver/SearchLog.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/SHA256.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <thread>

using namespace weft;
using namespace weft::driver;
using rt::Result;
using Json = nlohmann::ordered_json;

/// What makes `program`, of which only the kind and the floats are asked.
static quantize::PrecisionTable
tableOf(const std::vector<ProductChoice> &products,
        const MixedProgram &program) {
  quantize::PrecisionTable table;
  if (program.kind != ProgramKind::Mix) {
    table.whole = program.kind == ProgramKind::Half ? quantize::Precision::F16
                                                    : quantize::Precision::I8;
    return table;
  }
  const std::vector<bool> &isFloat = program.isFloat;
  for (size_t i = 0; i < products.size(); ++i) {
    if (isFloat[i] == products[i].isFloatAmongCodes)
      continue; // by itself
    auto precision =
        isFloat[i] ? quantize::Precision::F16 : quantize::Precision::I8;
    table.entries.push_back({products[i].name, precision});
    for (const std::string &name : products[i].otherNames)
      table.entries.push_back({name, precision});
  }
  return table;
}

namespace {
/// Compiles mixes of precisions and measures them.
class MixCompiler {
public:
  MixCompiler(const CompilationSource &source, const CompileOptions &options,
              const std::vector<ProductChoice> &products,
              const ReferenceSamples &samples, SoftmaxAxes softmaxes,
              const AutoPrecision &wanted)
      : source(source), options(options), products(products), samples(samples),
        softmaxes(std::move(softmaxes)), wanted(wanted) {}

  /// Reads or begins the log.
  rt::Status openLog();
  /// `program` has what it is made of; the rest is measured.
  Result<MixedProgram> measure(MixedProgram program, bool isScored);
  Result<CompiledModel> compile(const MixedProgram &program) const;
  Result<Accuracy> accuracyOn(const ReferenceSamples &samples,
                              const MixedProgram &program) const;

private:
  const CompilationSource &source;
  const CompileOptions &options;
  const std::vector<ProductChoice> &products;
  const ReferenceSamples &samples;
  const SoftmaxAxes softmaxes;
  const AutoPrecision &wanted;
  std::unique_ptr<SearchLog> log;
};
} // namespace

Result<CompiledModel> MixCompiler::compile(const MixedProgram &program) const {
  CompileOptions mixed = options;
  mixed.precisionTable = tableOf(products, program).str();
  Result<CompiledModel> compiled = compileModel(source, mixed);
  return compiled ? std::move(compiled)
                  : rt::fail(compiled.status().code(),
                             "a mix of precisions does not compile: " +
                                 compiled.status().message());
}

static void addTensors(llvm::SHA256 &hash,
                       const std::vector<NamedTensors> &tensors) {
  for (const NamedTensors &sample : tensors)
    for (const auto &[name, tensor] : sample) {
      hash.update(name);
      hash.update(llvm::ArrayRef(tensor.bytes(), tensor.sizeBytes()));
    }
}

/// Of an output and its parts, as Accuracy has them.
static void addNames(const std::string &output, const OutputParts &parts,
                     std::vector<std::string> &names) {
  names.push_back(output);
  if (auto found = parts.find(output); found != parts.end())
    for (const OutputPart &part : found->second)
      names.push_back(part.name);
}

/// What measurements depend on: the compiler, the model, its ranges and the
/// options all show in the programs of both ends.
rt::Status MixCompiler::openLog() {
  if (wanted.log.empty())
    return {};
  llvm::SHA256 hash;
  std::vector<std::string> outputs;
  for (bool isFloat : {false, true}) {
    Result<CompiledModel> compiled =
        compile({std::vector<bool>(products.size(), isFloat)});
    if (!compiled)
      return compiled.status();
    hash.update(compiled->bytes);
    Result<rt::Bmodel> model =
        rt::Bmodel::load(std::move(compiled->bytes), "the bmodel");
    if (!model)
      return model.status();
    outputs.clear();
    for (const rt::TensorSpec &spec :
         model->nets().front().stages.front().outputs)
      addNames(spec.name, samples.parts, outputs);
  }
  for (const ProductChoice &product : products)
    hash.update(product.name);
  addTensors(hash, samples.inputs);
  addTensors(hash, samples.outputs);
  hash.update(wanted.scoreName);
  Result<std::unique_ptr<SearchLog>> opened =
      SearchLog::open(wanted.log, {llvm::toHex(hash.final(), true),
                                   products.size(), std::move(outputs)});
  if (!opened)
    return opened.status();
  log = *std::move(opened);
  return {};
}

Result<Accuracy> MixCompiler::accuracyOn(const ReferenceSamples &samples,
                                         const MixedProgram &program) const {
  Result<CompiledModel> compiled = compile(program);
  if (!compiled)
    return compiled.status();
  Result<rt::Bmodel> model =
      rt::Bmodel::load(std::move(compiled->bytes), "the bmodel");
  if (!model)
    return model.status();
  return measureAccuracy(*model, samples);
}

Result<MixedProgram> MixCompiler::measure(MixedProgram program, bool isScored) {
  if (log)
    if (std::optional<MixedProgram> known =
            log->find(program.isFloat, isScored, program.kind))
      return *std::move(known);
  Result<CompiledModel> compiled = compile(program);
  if (!compiled)
    return compiled.status();
  program.floatShare = compiled->floatShare;
  if (isScored) {
    Result<double> score = wanted.score(compiled->bytes);
    if (!score)
      return score.status();
    program.score = *score;
  }
  Result<rt::Bmodel> model =
      rt::Bmodel::load(std::move(compiled->bytes), "the bmodel");
  if (!model)
    return model.status();
  Result<profile::Profile> profile =
      profile::profileStage(*model, model->nets().front().stages.front());
  if (!profile)
    return profile.status();
  program.cycles = double(profile->totalCycles);
  Result<Accuracy> accuracy = measureAccuracy(*model, samples, softmaxes);
  if (!accuracy)
    return accuracy.status();
  program.accuracy = *std::move(accuracy);
  if (log)
    WEFT_TRY(log->add(program));
  return program;
}

/// Finds which products take fewer cycles as floats, and what is chosen from
/// besides mixes. A program without floats for their cycles is a mix, and f16
/// has an interface of its own and no codes to keep.
static rt::Status addWholes(PrecisionSearch &search,
                            const CompilationSource &source,
                            const CompileOptions &options) {
  Result<CheaperFloats> cheaper = productsCheaperAsFloats(source, options);
  if (!cheaper)
    return cheaper.status();
  llvm::StringSet<> names;
  names.insert(cheaper->products.begin(), cheaper->products.end());
  for (const ProductChoice &product : search.products)
    search.cheaperAsFloats.push_back(names.contains(product.name));
  if (cheaper->hasAny)
    search.wholes.push_back(ProgramKind::Int8);
  if (!options.keepInt8 && !options.quantizedIo)
    search.wholes.push_back(ProgramKind::Half);
  return {};
}

/// Which products are floats in a whole program.
static std::vector<bool> floatsOf(ProgramKind kind,
                                  const PrecisionSearch &search) {
  std::vector<bool> isFloat;
  for (auto [product, isCheaper] :
       llvm::zip(search.products, search.cheaperAsFloats))
    isFloat.push_back(kind == ProgramKind::Half || isCheaper ||
                      product.isFloatAmongCodes);
  return isFloat;
}

Result<PrecisionChoice> driver::choosePrecisions(
    const CompilationSource &source, mlir::ModuleOp module,
    const CompileOptions &options, const ReferenceSamples &samples,
    const ReferenceSamples &heldBack, const AutoPrecision &wanted) {
  PrecisionSearch search;
  search.products = productsOf(module);
  search.goal = wanted.goal;
  search.mostFloats = wanted.mostFloats;
  search.progress = wanted.progress;
  MixCompiler compiler(source, options, search.products, samples,
                       softmaxAxesOf(module), wanted);
  WEFT_TRY(compiler.openLog());
  search.measure = [&](const std::vector<bool> &isFloat, bool isScored) {
    return compiler.measure({isFloat}, isScored);
  };
  search.measureWhole = [&](ProgramKind kind, bool isScored) {
    return compiler.measure({floatsOf(kind, search), kind}, isScored);
  };
  // Each holds a program and its emulator; kernels of plugins are the user's
  // code and run one at a time.
  constexpr unsigned kMostThreads = 8;
  search.threads =
      !source.plugins.importOperators().empty()
          ? 1
          : std::min(kMostThreads,
                     std::max(1u, std::thread::hardware_concurrency()));
  WEFT_TRY(addWholes(search, source, options));
  // The program asked for last, as it is on `heldBack`.
  std::optional<MixedProgram> there;
  auto measureThere = [&](const MixedProgram &program) -> rt::Status {
    if (there && there->isMadeAs(program))
      return {};
    Result<Accuracy> accuracy = compiler.accuracyOn(heldBack, program);
    if (!accuracy)
      return accuracy.status();
    there = program;
    there->accuracy = *std::move(accuracy);
    return {};
  };
  if (!heldBack.inputs.empty())
    search.holdsElsewhere = [&](const MixedProgram &program) -> Result<bool> {
      WEFT_TRY(measureThere(program));
      return wanted.goal.isMetBy(*there);
    };
  Result<PrecisionSearch::Found> found = search.run();
  if (!found)
    return found.status();
  PrecisionChoice choice{wanted.goal,           search.products,
                         *std::move(found),     std::nullopt,
                         samples.inputs.size(), heldBack.inputs.size()};
  if (!choice.chosen() || heldBack.inputs.empty())
    return choice;
  WEFT_TRY(measureThere(*choice.chosen()));
  choice.heldBack = there->accuracy;
  return choice;
}

//===----------------------------------------------------------------------===//
// What was found, in words
//===----------------------------------------------------------------------===//

quantize::PrecisionTable
PrecisionChoice::table(const MixedProgram &program) const {
  return tableOf(products, program);
}

std::string PrecisionChoice::yaml(const MixedProgram &program) const {
  return table(program).str("weft convert --precision auto: " +
                            std::to_string(int64_t(program.cycles)) +
                            " cycles, " + accuracyText(program.accuracy, goal));
}

Json PrecisionChoice::json() const {
  Json rows = Json::array();
  for (size_t i = 0; i < found.pareto.size(); ++i) {
    const MixedProgram &program = found.pareto[i];
    Json names = Json::array();
    for (size_t p = 0; p < products.size(); ++p)
      if (program.isFloat[p])
        names.push_back(products[p].name);
    rows.push_back({{"chosen", found.chosen == i},
                    {"program", stringifyKind(program.kind)},
                    {"cycles", program.cycles},
                    {"outputs", accuracyJson(program.accuracy)},
                    {"float_products", std::move(names)},
                    {"float_share", program.floatShare}});
    if (program.score)
      rows.back()["score"] = *program.score;
  }
  Json json{{"goal_met", found.isGoalMet}, {"pareto", std::move(rows)}};
  if (heldBack)
    json["held_back"] = {{"samples", heldBackSamples},
                         {"outputs", accuracyJson(*heldBack)}};
  return json;
}

static std::string formattedBy(const char *format, double value) {
  char text[64];
  std::snprintf(text, sizeof(text), format, value);
  return text;
}

int driver::digitsToTell(const std::vector<double> &values,
                         std::optional<double> goal, int least) {
  constexpr int kMost = 15; // all that a double has
  auto tells = [&](double value, int digits) {
    double shown = 0;
    std::string text =
        formattedBy(("%." + std::to_string(digits) + "f").c_str(), value);
    return std::isinf(value) || llvm::StringRef(text).getAsDouble(shown) ||
           (shown >= *goal) == (value >= *goal);
  };
  int digits = least;
  for (double value : values)
    while (goal && digits < kMost && !tells(value, digits))
      ++digits;
  return digits;
}

std::string driver::accuracyText(const Accuracy &accuracy,
                                 const AccuracyGoal &goal) {
  double cosine = accuracy.cosine(), sqnr = accuracy.sqnr();
  char text[64];
  std::snprintf(text, sizeof(text), "cosine %.*f, ",
                digitsToTell({cosine}, goal.cosine, 5), cosine);
  return text + decibels(sqnr, digitsToTell({sqnr}, goal.sqnr, 1));
}

/// "the score is 0.97", or the worst output's accuracy.
static std::string reachedText(const MixedProgram &program,
                               const AccuracyGoal &goal) {
  if (program.score)
    return "the score is " + formattedBy("%g", *program.score);
  return "the worst output has " + accuracyText(program.accuracy, goal);
}

std::string driver::missOf(const PrecisionChoice &choice,
                           const AutoPrecision &wanted) {
  const PrecisionSearch::Found &found = choice.found;
  if (found.isGoalMet)
    return "";
  std::string on = " on " + std::to_string(choice.samples) + " samples";
  if (!wanted.mostFloats)
    return "no mix of int8 and f16 products reaches the goal" + on +
           "; with all products in f16 " +
           reachedText(found.floats, wanted.goal) +
           (found.half ? ", as a program of f16 " +
                             reachedText(*found.half, wanted.goal)
                       : "") +
           "; lower the goal, or take --precision " +
           (found.half ? "f32" : "f16 or f32");
  std::string percent = formattedBy("%g %%", 100 * *wanted.mostFloats);
  if (!choice.chosen())
    return formattedBy("%.1f %%", 100 * found.codes.floatShare) +
           " of the multiplications are floats with every choice in 8 bits "
           "(depthwise convolutions, products of two computed values); at "
           "most " +
           percent + " are allowed, give a larger share";
  return "no mix with at most " + percent +
         " of the multiplications in float reaches the goal" + on +
         "; with the most accurate one " +
         reachedText(*choice.chosen(), wanted.goal);
}

Json driver::accuracyJson(const Accuracy &accuracy) {
  Json outputs = Json::array();
  for (const OutputAccuracy &output : accuracy.outputs) {
    Json one{{"name", output.name},
             {"cosine", output.cosine},
             {"worst_cosine", output.worstCosine}};
    // JSON has no infinity.
    constexpr double kNothing = -300;
    one["sqnr_db"] = output.errorRatio > 0
                         ? Json(std::max(kNothing, output.sqnr()))
                         : Json();
    if (output.partOf.empty())
      outputs.push_back(std::move(one));
    else
      outputs.back()["parts"].push_back(std::move(one));
  }
  return outputs;
}

std::string driver::decibels(double value, int digits) {
  if (std::isinf(value))
    return value > 0 ? "exact" : "no number";
  char text[48];
  std::snprintf(text, sizeof(text), "%.*f dB", digits, value);
  return text;
}
