//===- ProfileRows.cpp - rows of a profile as JSON ------------------------===//

#include "tools/profile/ProfileRows.h"

using namespace weft;
using Json = nlohmann::ordered_json;

/// What the work of a row is bound by; null if it neither multiplies nor moves
/// data of DRAM.
static Json boundOf(const profile::Roofline &roof) {
  if (roof.cycles() == 0)
    return nullptr;
  return roof.isComputeBound() ? "compute" : "dram";
}

Json profile::describeRow(const NodeRow &row, const Profile &profile) {
  const Roofline roof = row.roofline(profile.peakDramBytesPerCycle);
  double busy = double(row.busyCycles());
  return {{"commands", row.tiu.commands + row.gdma.commands},
          {"tiu_cycles", row.tiu.cycles},
          {"gdma_cycles", row.gdma.cycles},
          {"critical_cycles", row.criticalCycles()},
          {"critical_share", profile.share(row.criticalCycles())},
          {"wait_cycles", row.tiu.waitCycles + row.gdma.waitCycles},
          {"extrapolated_cycles",
           row.tiu.extrapolatedCycles + row.gdma.extrapolatedCycles},
          {"macs", row.tiu.macs},
          {"dram_read_bytes", row.gdma.dramReadBytes},
          {"dram_write_bytes", row.gdma.dramWriteBytes},
          {"engine", isa::engineName(row.busierEngine())},
          {"compute_cycles", roof.computeCycles},
          {"dram_cycles", roof.dramCycles},
          {"bound_by", boundOf(roof)},
          {"bound_cycles", roof.cycles()},
          {"achieved", busy == 0 ? 0 : roof.cycles() / busy}};
}
