//===- PrecisionChoice.cpp - --precision auto -----------------------------===//

#include "tools/driver/PrecisionChoice.h"

#include "runtime/profile/Profile.h"

#include <cmath>
#include <cstdio>
#include <thread>

using namespace weft;
using namespace weft::driver;
using rt::Result;
using Json = nlohmann::ordered_json;

static quantize::PrecisionTable
tableOf(const std::vector<ProductChoice> &products,
        const std::vector<bool> &isFloat) {
  quantize::PrecisionTable table;
  for (size_t i = 0; i < products.size(); ++i)
    if (isFloat[i])
      table.entries.push_back({products[i].name, quantize::Precision::F16});
  return table;
}

/// The program with these products as floats, and what it costs and gives.
static Result<MixedProgram> measureOnce(const CompilationSource &source,
                                        CompileOptions options,
                                        const quantize::PrecisionTable &table,
                                        const std::vector<bool> &isFloat,
                                        const ReferenceSamples &samples) {
  options.precisionTable = table.str();
  Result<std::vector<uint8_t>> bytes = compileModel(source, options);
  if (!bytes)
    return rt::fail(bytes.status().code(),
                    "a mix of precisions does not compile: " +
                        bytes.status().message());
  Result<rt::Bmodel> model = rt::Bmodel::load(*std::move(bytes), "the bmodel");
  if (!model)
    return model.status();
  Result<profile::Profile> profile =
      profile::profileStage(*model, model->nets().front().stages.front());
  if (!profile)
    return profile.status();
  Result<Accuracy> accuracy = measureAccuracy(*model, samples);
  if (!accuracy)
    return accuracy.status();
  return MixedProgram{isFloat, double(profile->totalCycles),
                      *std::move(accuracy)};
}

Result<PrecisionChoice>
driver::choosePrecisions(const CompilationSource &source, mlir::ModuleOp module,
                         const CompileOptions &options,
                         const ReferenceSamples &samples,
                         const AutoPrecision &wanted) {
  PrecisionSearch search;
  search.products = productsOf(module);
  search.goal = wanted.goal;
  search.progress = wanted.progress;
  search.measure = [&](const std::vector<bool> &isFloat) {
    return measureOnce(source, options, tableOf(search.products, isFloat),
                       isFloat, samples);
  };
  // Each holds a program and its emulator; kernels of plugins are the user's
  // code and run one at a time.
  constexpr unsigned kMostThreads = 8;
  search.threads =
      !source.plugins.importOperators().empty()
          ? 1
          : std::min(kMostThreads,
                     std::max(1u, std::thread::hardware_concurrency()));
  Result<PrecisionSearch::Found> found = search.run();
  if (!found)
    return found.status();
  return PrecisionChoice{std::move(search.products), *std::move(found)};
}

//===----------------------------------------------------------------------===//
// What was found, in words
//===----------------------------------------------------------------------===//

quantize::PrecisionTable
PrecisionChoice::table(const MixedProgram &program) const {
  return tableOf(products, program.isFloat);
}

std::string PrecisionChoice::yaml(const MixedProgram &program) const {
  char cosine[32];
  std::snprintf(cosine, sizeof(cosine), "%.5f", program.accuracy.cosine());
  return table(program).str("weft convert --precision auto: " +
                            std::to_string(int64_t(program.cycles)) +
                            " cycles, cosine " + cosine);
}

double PrecisionChoice::floatShare(const MixedProgram &program) const {
  double all = 0, floats = 0;
  for (size_t i = 0; i < products.size(); ++i) {
    all += double(products[i].products);
    floats += program.isFloat[i] ? double(products[i].products) : 0;
  }
  return all > 0 ? floats / all : 0;
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
                    {"cycles", program.cycles},
                    {"outputs", accuracyJson(program.accuracy)},
                    {"float_products", std::move(names)},
                    {"float_share", floatShare(program)}});
  }
  return rows;
}

Json driver::accuracyJson(const Accuracy &accuracy) {
  Json outputs = Json::array();
  for (const OutputAccuracy &output : accuracy.outputs) {
    Json one{{"name", output.name},
             {"cosine", output.cosine},
             {"worst_cosine", output.worstCosine}};
    // JSON has no infinity.
    one["sqnr_db"] = output.errorRatio > 0 ? Json(output.sqnr()) : Json();
    outputs.push_back(std::move(one));
  }
  return outputs;
}

std::string driver::decibels(double value) {
  if (std::isinf(value))
    return "exact";
  char text[48];
  std::snprintf(text, sizeof(text), "%.1f dB", value);
  return text;
}
