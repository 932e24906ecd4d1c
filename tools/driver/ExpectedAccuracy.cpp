//===- ExpectedAccuracy.cpp - what users are told of a program ------------===//

#include "tools/driver/ExpectedAccuracy.h"

#include <cstdio>

using namespace weft;
using namespace weft::driver;
using rt::Result;

/// Below, users see the difference (docs/status.md).
static constexpr double kFarCosine = 0.99;

static std::string farText(const OutputAccuracy &output) {
  char cosine[32];
  std::snprintf(cosine, sizeof(cosine), "%.4f", output.cosine);
  std::string what =
      output.partOf.empty()
          ? "output '" + output.name + "'"
          : "part '" + output.name + "' of output '" + output.partOf + "'";
  return what + " has a cosine of " + cosine +
         " with the float model on the samples; for int8, precision auto can "
         "give floats to the products that need them, or take a wider "
         "precision";
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
    if (!(output.cosine >= kFarCosine))
      expected.warnings.push_back(farText(output));
  expected.accuracy = *std::move(accuracy);
  return expected;
}
