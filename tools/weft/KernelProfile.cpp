//===- KernelProfile.cpp - where the cycles of a kernel go ----------------===//

#include "tools/weft/KernelProfile.h"

#include <algorithm>
#include <cstdio>

using namespace weft;
using namespace weft::cli;
using rt::Result;

static Result<rt::Bmodel> modelOf(const std::string &name,
                                  driver::KernelProgram &program, bool serial,
                                  bool withLines) {
  mlir::FailureOr<std::vector<uint8_t>> bytes =
      program.bmodel(serial, withLines);
  if (mlir::failed(bytes))
    return program.failureCause();
  return rt::Bmodel::load(std::move(*bytes), name);
}

Result<KernelProfile> cli::profileKernel(const std::string &file,
                                         const std::string &test,
                                         driver::KernelProgram &program) {
  Result<rt::Bmodel> model = modelOf(file, program, false, true);
  if (!model)
    return model.status();
  NamedStage stage{*model, model->nets().front(), 0};
  Result<profile::Profile> profile =
      profile::profileStage(stage.model, stage.stage());
  if (!profile)
    return profile.status();
  // Only its cycles are told.
  Result<rt::Bmodel> serial = modelOf(file, program, true, false);
  if (!serial)
    return serial.status();
  Result<profile::Profile> ofSerial =
      profile::profileStage(*serial, serial->nets().front().stages.front());
  if (!ofSerial)
    return ofSerial.status();
  return KernelProfile{test, stage, std::move(*profile), ofSerial->totalCycles};
}

nlohmann::ordered_json cli::describeKernel(const KernelProfile &kernel) {
  const profile::Profile &profile = kernel.profile;
  return {{"test", kernel.test},
          {"cycles", profile.totalCycles},
          {"serial_cycles", kernel.serialCycles},
          {"tiu_cycles", profile.engines[0].cycles},
          {"gdma_cycles", profile.engines[1].cycles},
          {"overlapped_cycles", profile.overlapCycles},
          {"profile", describeProfile(kernel.stage, profile)}};
}

std::string cli::kernelTable(const std::vector<KernelProfile> &kernels) {
  std::string text = "test                           pipelined     serial  "
                     "gain  tiu busy  gdma busy  overlapped\n";
  for (const KernelProfile &kernel : kernels) {
    const profile::Profile &profile = kernel.profile;
    char line[256];
    snprintf(line, sizeof line,
             "%-28s %11llu %10llu %5.2f %9llu %10llu %11llu\n",
             kernel.test.c_str(), (unsigned long long)profile.totalCycles,
             (unsigned long long)kernel.serialCycles,
             double(kernel.serialCycles) /
                 double(std::max<uint64_t>(profile.totalCycles, 1)),
             (unsigned long long)profile.engines[0].cycles,
             (unsigned long long)profile.engines[1].cycles,
             (unsigned long long)profile.overlapCycles);
    text += line;
  }
  return text;
}
