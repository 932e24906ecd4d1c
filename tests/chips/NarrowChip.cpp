//===- NarrowChip.cpp - a chip that nobody makes --------------------------===//

#include "tests/chips/NarrowChip.h"

#include "runtime/chips/Chips.h"
#include "runtime/isa/Isa.h"

#include <utility>
#include <vector>

using namespace weft;
using isa::Field;
using isa::FieldSpec;
using isa::FormSpec;

/// Fields that lie in each other's places, in words where both are as wide.
static constexpr std::pair<Field, Field> kExchanged[] = {
    {Field::res0_addr, Field::opd0_addr},
    {Field::res0_n, Field::res0_w},
    {Field::opd0_h, Field::opd1_w},
    {Field::res0_prec, Field::opd0_prec},
    {Field::src_start_addr_l32, Field::dst_start_addr_l32},
    {Field::src_nsize, Field::dst_wsize},
    {Field::src_cstride, Field::dst_hstride},
    {Field::src_csize, Field::src_hsize},
};

static void exchange(FormSpec &form, std::vector<FieldSpec> &fields, Field a,
                     Field b) {
  if (!form.has(a) || form.place(a).width != form.place(b).width)
    return;
  std::swap(form.places[size_t(a)], form.places[size_t(b)]);
  for (FieldSpec &field : fields)
    if (field.name == a || field.name == b)
      field.name = field.name == a ? b : a;
}

/// The words of the first chip with those fields exchanged.
static isa::InstructionSet makeInstructions() {
  static std::vector<std::vector<FieldSpec>> fields(isa::kFormCount);
  isa::InstructionSet set = *chips::all[0]->instructions;
  for (size_t i = 0; i < isa::kFormCount; ++i) {
    FormSpec &form = set.forms[i];
    fields[i].assign(form.begin(), form.end());
    for (auto [a, b] : kExchanged)
      exchange(form, fields[i], a, b);
    form.fields = fields[i].data();
  }
  return set;
}

static Chip makeChip() {
  static const isa::InstructionSet instructions = makeInstructions();
  Chip chip = {};
  chip.name = "NARROW32";
  chip.targetName = "narrow32";
  chip.cores = 1;
  chip.lanes = 32;
  chip.laneBytes = 128 * 1024;
  chip.banks = 16;
  chip.euBytes = 32;
  chip.localMemoryBase = 0x0400'0000;
  chip.staticMemoryBase = 0x0500'0000;
  chip.staticMemoryBytes = 16 * 1024;
  chip.l2MemoryBase = 0x0600'0000;
  chip.l2MemoryBytes = 0x10'0000;
  chip.globalMemoryBase = 0x2'0000'0000;
  chip.globalMemoryBytes = uint64_t(4) << 30;
  chip.addressEnd = uint64_t(1) << 38;
  chip.weightBase = 0x2'0000'0000;
  chip.maxGroupCommands = 65'000;
  chip.maxShape = 65535;
  chip.maxWindowStep = 15;
  chip.maxDmaStepBytes = 64;
  chip.rates.cyclesPerSecond = 500'000'000;
  chip.rates.dramBytesPerSecond = uint64_t(1) << 34;
  chip.rates.dramChannels = 2;
  chip.rates.dramPageBytes = 4096;
  chip.rates.shortestDmaRun = 128;
  chip.rates.loadBytes = 24;
  chip.rates.storeBytes = 20;
  chip.rates.copyBytes = 12;
  chip.rates.fillBytes = 24;
  chip.rates.simpleBytes = 32;
  chip.rates.simpleLocalBytes = 16;
  chip.rates.packedResults = 4;
  // Its units compute and are priced like those of the first chip.
  chip.tiu = chips::all[0]->tiu;
  chip.instructions = &instructions;
  chip.rules = chips::all[0]->rules;
  chip.costs = chips::all[0]->costs;
  chip.functionsOf = chips::all[0]->targetName;
  return chip;
}

const Chip &test::narrowChip() {
  static const Chip &known = [&]() -> const Chip & {
    static const Chip chip = makeChip();
    chips::add(chip);
    return chip;
  }();
  return known;
}
