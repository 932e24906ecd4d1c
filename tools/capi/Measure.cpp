//===- Measure.cpp - the accuracy of a program on samples in memory -------===//

#include "runtime/zhouyi/ProgramFile.h"
#include "tools/capi/Calibration.h"
#include "tools/capi/Status.h"
#include "tools/driver/ExpectedAccuracy.h"
#include "tools/driver/PrecisionChoice.h"
#include "tools/files/JsonText.h"

using namespace weft;
using capi::guarded;
using capi::toC;
using rt::Code;
using rt::Result;

/// Evaluates the samples to measure on, unless a search has done it.
static mlir::LogicalResult evaluate(weft_calibration &calibration) {
  if (calibration.references)
    return mlir::success();
  mlir::FailureOr<driver::ReferenceSamples> samples = driver::evaluateSpread(
      calibration.compilation->module(), calibration.keptSamples(),
      calibration.searchSamples);
  if (failed(samples))
    return mlir::failure();
  calibration.references = *std::move(samples);
  return mlir::success();
}

static weft_compiler_status *measure(weft_calibration *calibration,
                                     const void *bytes, size_t size,
                                     const char **report) {
  if (!calibration || !bytes || !report)
    return toC(rt::fail(Code::InvalidArgument,
                        "calibration, bytes and report must not be NULL"));
  if (rt::Status status = calibration->checkKept(); !status)
    return toC(status);
  auto *begin = static_cast<const uint8_t *>(bytes);
  nlohmann::ordered_json json{{"samples", 0},
                              {"accuracy", nullptr},
                              {"warnings", nlohmann::ordered_json::array()}};
  if (!zhouyi::isProgramFile({begin, size})) {
    if (failed(evaluate(*calibration)))
      return calibration->why();
    Result<driver::ExpectedAccuracy> expected =
        driver::expectAccuracy({begin, begin + size}, *calibration->references);
    if (!expected)
      return toC(expected.status());
    json["warnings"] = expected->warnings;
    if (expected->accuracy) {
      json["samples"] = expected->samples;
      json["accuracy"] = driver::accuracyJson(*expected->accuracy);
    }
  }
  calibration->measured = tools::jsonText(json);
  *report = calibration->measured.c_str();
  return nullptr;
}

weft_compiler_status *weft_calibrate_measure(weft_calibration *calibration,
                                             const void *bytes, size_t size,
                                             const char **report) {
  return guarded([&] { return measure(calibration, bytes, size, report); });
}
