//===- ExpectedAccuracy.cpp - what users are told of a program ------------===//

#include "tools/driver/ExpectedAccuracy.h"

#include "runtime/bmodel/Conversion.h"

#include <algorithm>
#include <cstdio>

using namespace weft;
using namespace weft::driver;
using rt::Result;

/// Below, users see the difference (docs/status.md).
static constexpr double kFarCosine = 0.99;

/// What makes a program of this precision more exact.
static const char *wayOut(const rt::Bmodel &model) {
  std::optional<rt::Conversion> record = rt::readConversion(model.nets()[0]);
  std::string_view precision =
      record ? record->find("precision").value_or("") : "";
  if (precision == "int8")
    return "precision auto can give floats to the products that need them, or "
           "take a wider precision";
  if (precision == "f16" && !record->hasCalibration())
    return "values may leave f16 (65504): a calibration table keeps those in "
           "f32, or take bf16";
  if (precision == "w8f16" || precision == "w4f16")
    return "take a smaller group size, or f16";
  if (precision == "bf16")
    return "take f16, with a calibration table if values may leave it, or f32";
  return precision == "f32" ? "weft compare tells where it comes from"
                            : "take a wider precision";
}

/// As `weft compare` does, which judges every sample.
static std::string farText(const OutputAccuracy &output,
                           const ReferenceSamples &samples, const char *way) {
  char cosine[32];
  const bool isFarOnOne = output.cosine >= kFarCosine;
  std::snprintf(cosine, sizeof(cosine), "%.4f",
                isFarOnOne ? output.worstCosine : output.cosine);
  std::string where = "the samples";
  if (isFarOnOne) {
    const std::string name = output.worstSample < samples.names.size()
                                 ? samples.names[output.worstSample]
                                 : "";
    where = name.empty() ? "one of the samples" : "sample " + name;
  }
  std::string what =
      output.partOf.empty()
          ? "output '" + output.name + "'"
          : "part '" + output.name + "' of output '" + output.partOf + "'";
  return what + " has a cosine of " + cosine + " with the float model on " +
         where + "; " + way;
}

Result<ExpectedAccuracy>
driver::expectAccuracy(const std::vector<uint8_t> &bmodel,
                       const ReferenceSamples &samples) {
  Result<rt::Bmodel> model = rt::Bmodel::load(bmodel, "the bmodel");
  if (!model)
    return model.status();
  ExpectedAccuracy expected;
  expected.samples = samples.inputs.size();
  // A program that does not take a sample (an integer beyond 32 bits) is one
  // all the same.
  Result<Accuracy> accuracy = measureAccuracy(*model, samples);
  if (!accuracy) {
    expected.warnings.push_back("the accuracy to expect is not known, as the "
                                "program does not run the samples: " +
                                accuracy.status().message());
    return expected;
  }
  for (const OutputAccuracy &output : accuracy->outputs)
    if (!(std::min(output.cosine, output.worstCosine) >= kFarCosine))
      expected.warnings.push_back(farText(output, samples, wayOut(*model)));
  expected.accuracy = *std::move(accuracy);
  return expected;
}
