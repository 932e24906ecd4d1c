//===- Gdma.cpp - rules of the GDMA engine -------------------------------===//

#include "runtime/isa/rules/Rule.h"

using namespace weft::isa;
using namespace weft::isa::rules;

using F = Field;

static constexpr uint8_t kTensor = uint8_t(GdmaType::Tensor);
static constexpr uint8_t kMatrix = uint8_t(GdmaType::Matrix);
static constexpr uint8_t kMaskedSelect = uint8_t(GdmaType::MaskedSelect);
static constexpr uint8_t kGeneral = uint8_t(GdmaType::General);
static constexpr uint8_t kCwTranspose = uint8_t(GdmaType::CwTranspose);
static constexpr uint8_t kNonZero = uint8_t(GdmaType::NonZero);
static constexpr uint8_t kGather = uint8_t(GdmaType::Gather);
static constexpr uint8_t kScatter = uint8_t(GdmaType::Scatter);
static constexpr Functions kCopies =
    functions({gdma::TensorCopy, gdma::TensorNcTranspose});

constexpr uint64_t kMaxSize = 65535;

static bool fills(const Subject &s) { return s.get(F::fill_constant_en) != 0; }

static unsigned formatBytes(const Subject &s) {
  return elementBytes(s.precision(F::src_data_format));
}

static void checkLongForm(const Subject &s, Report &report) {
  if (s.command.type == uint8_t(GdmaType::System)) // has a short form only
    return;
  if (s.command.sizeBytes != 96)
    report.fail("the short form of " + std::to_string(s.command.sizeBytes) +
                " bytes; the vendor's runtime steps through a buffer in "
                "units of 96 and breaks on it, use form " +
                std::string(formSpec(findOpcode(Engine::Gdma, s.command.type,
                                                s.command.func)
                                         ->longForm)
                                .name));
}

static void checkCompression(const Subject &s, Report &report) {
  report.range(s, F::decompress_enable, 0, 0);
}

//===-- sizes -------------------------------------------------------------===//

static void requireSizes(const Subject &s, Report &report,
                         std::initializer_list<Field> fields) {
  for (Field field : fields)
    report.range(s, field, 1, kMaxSize);
}

static void checkSourceSizes(const Subject &s, Report &report) {
  requireSizes(s, report,
               {F::src_nsize, F::src_csize, F::src_hsize, F::src_wsize});
}

static void requireTargetSizes(const Subject &s, Report &report) {
  requireSizes(s, report,
               {F::dst_nsize, F::dst_csize, F::dst_hsize, F::dst_wsize});
}

static void checkTensorSizes(const Subject &s, Report &report) {
  // A fill has the sizes of its destination, or of both sides.
  if (fills(s) && !s.get(F::nchw_copy))
    requireTargetSizes(s, report);
  else
    checkSourceSizes(s, report);
}

static void checkCopySizes(const Subject &s, Report &report) {
  if (s.get(F::nchw_copy) || s.command.func != gdma::TensorCopy || fills(s))
    return;
  requireTargetSizes(s, report);
  uint64_t from = s.get(F::src_nsize) * s.get(F::src_csize) *
                  s.get(F::src_hsize) * s.get(F::src_wsize);
  uint64_t to = s.get(F::dst_nsize) * s.get(F::dst_csize) *
                s.get(F::dst_hsize) * s.get(F::dst_wsize);
  if (from != to)
    report.fail("the source has " + std::to_string(from) +
                " elements and the destination " + std::to_string(to) +
                ", they must have as many");
}

//===-- strides -----------------------------------------------------------===//

static void checkStep(const Subject &s, Field stride, Report &report) {
  unsigned bytes = formatBytes(s);
  uint64_t most = bytes ? s.chip.maxDmaStepBytes / bytes : 0;
  report.range(s, stride, 1, most);
}

/// Neighbours on the innermost axis are at most 128 bytes apart, and apart.
static void checkSteps(const Subject &s, Report &report) {
  if (!s.get(F::stride_enable))
    return;
  if (!fills(s))
    checkStep(s, F::src_wstride, report);
  checkStep(s, F::dst_wstride, report);
}

static void checkUnitSteps(const Subject &s, Report &report) {
  if (!s.get(F::stride_enable))
    return;
  if (!fills(s))
    report.range(s, F::src_wstride, 1, 1);
  report.range(s, F::dst_wstride, 1, 1);
}

/// Addresses of elements, and EU rows where local memory has default strides.
static void checkStarts(const Subject &s, Report &report) {
  unsigned bytes = formatBytes(s);
  bool isDefault = s.has(F::stride_enable) && !s.get(F::stride_enable);
  bool isFlat = s.command.type == kGeneral;
  for (const Access &access : s.accesses) {
    if (access.operand == "index" || access.operand == "mask")
      continue;
    bool isRow = isDefault && !isFlat && access.memory == Memory::Local;
    uint64_t unit = isRow ? s.chip.euBytes : bytes;
    if (unit != 0 && access.begin % unit != 0)
      report.fail(
          std::string(access.operand) + " begins at " + hex(access.begin) +
          ", must begin at a multiple of " + std::to_string(unit) +
          (isRow ? " with default strides" : ", the size of an element"));
  }
}

//===-- lanes and memories ------------------------------------------------===//

static void checkBroadcast(const Subject &s, Report &report) {
  const Access *target = s.access("dst");
  if (!target)
    return report.fail("dst_csize is 0, must be 1 to " +
                       std::to_string(s.chip.lanes));
  if (target->memory != Memory::Local)
    report.fail("dst begins at " + hex(target->begin) +
                ", must lie in local memory");
  uint64_t room = s.chip.lanes - target->firstLane;
  if (s.get(F::dst_csize) > room)
    report.fail("dst_csize is " + std::to_string(s.get(F::dst_csize)) +
                ", from lane " + std::to_string(target->firstLane) +
                " there are " + std::to_string(room));
}

/// Static memory is read by the TIU's broadcasts.
static void checkNotStatic(const Subject &s, Report &report) {
  for (const Access &access : s.accesses)
    if (access.memory == Memory::Static)
      report.fail(std::string(access.operand) + " begins at " +
                  hex(access.begin) + ", in static memory");
}

static void checkMatrixSides(const Subject &s, Report &report) {
  const Access *source = s.access("src"), *target = s.access("dst");
  if (!target || (!source && !fills(s)))
    return report.fail("a size of the matrix is 0, must be 1 to 65535");
  bool load = target->memory == Memory::Local;
  if (source)
    if (load == (source->memory == Memory::Local))
      report.fail(load ? "source and destination lie in local memory, one "
                         "must not"
                       : "neither source nor destination lies in local "
                         "memory, one must");
}

static void checkLength(const Subject &s, Report &report) {
  if (s.get(F::move_length) == 0)
    report.fail("move_length is 0, must be 1 or "
                "more");
}

static void checkMask(const Subject &s, Report &report) {
  report.type(s, F::mask_data_format, kIntegers);
}

/// Without strides of their own, local operands are aligned tensors.
static void checkPackedSources(const Subject &s, Report &report) {
  for (const Access &access : s.accesses)
    if (!access.isWrite && access.memory == Memory::Local &&
        access.begin % s.chip.euBytes != 0)
      report.fail(std::string(access.operand) + " begins at " +
                  hex(access.begin) + ", must begin at a multiple of " +
                  std::to_string(s.chip.euBytes));
}

/// Packed results lie one after the other.
static void checkPackedTarget(const Subject &s, Report &report) {
  const Access *target = s.access("dst");
  if (target)
    if (target->memory == Memory::Local)
      report.fail("dst lies in local memory, must be flat");
}

static void checkRows(const Subject &s, Report &report) {
  report.range(s, F::src_csize, 1, kMaxSize);
  report.range(s, F::src_wsize, 1, kMaxSize);
  for (Field rows : {F::src_hsize, F::index_hsize})
    if (s.get(rows) == 0)
      report.fail(nameOf(rows) + " is 0, must be 1 or more");
  if (const Access *index = s.access("index"))
    if (index->begin % 4 != 0)
      report.fail("index begins at " + hex(index->begin) +
                  ", must begin at a multiple of 4");
}

static constexpr const char *kSizes = "PPL 4.3: sizes are 1 to 65535";
static constexpr const char *kSteps =
    "PPL 4.3: the w stride is at most 128 bytes and not 0";
static constexpr CodeRule kRules[] = {
    {kEveryType, kAllFunctions, "isa 2: no short forms in a bmodel",
     checkLongForm},
    {kEveryType, kAllFunctions, "vendor encoder: no compression on BM1684X",
     checkCompression},
    {kEveryType, kAllFunctions,
     "PPL 4.3: a tensor begins at an element, an aligned one at an EU row",
     checkStarts},
    {kTensor, kCopies, kSizes, checkTensorSizes},
    {kTensor, kCopies, "PPL move: shapes are equal", checkCopySizes},
    {kTensor, kCopies, kSteps, checkSteps},
    {kTensor, kCopies,
     "vendor encoder: no tensor moves from or to static memory",
     checkNotStatic},
    {kTensor, functions({gdma::TensorBroadcast}),
     "PPL load_broadcast: no second row of lanes", checkBroadcast},
    {kMatrix, kAllFunctions, "isa 6", checkMatrixSides},
    {kMaskedSelect, kAllFunctions, kSizes, checkSourceSizes},
    {kMaskedSelect, kAllFunctions, "PPL mask_select: integer masks on BM1684X",
     checkMask},
    {kMaskedSelect, kAllFunctions, "PPL mask_select", checkPackedTarget},
    {kMaskedSelect, kAllFunctions,
     "PPL mask_select: local operands are aligned", checkPackedSources},
    {kNonZero, kAllFunctions, kSizes, checkSourceSizes},
    {kNonZero, kAllFunctions, "PPL nonzero", checkPackedTarget},
    {kNonZero, kAllFunctions, "PPL nonzero: local operands are aligned",
     checkPackedSources},
    {kGeneral, kAllFunctions, "isa 6", checkLength},
    {kGeneral, functions({gdma::GeneralBroadcast}),
     "PPL load_broadcast: no second row of lanes", checkBroadcast},
    {kCwTranspose, kAllFunctions, kSizes, checkSourceSizes},
    {kCwTranspose, kAllFunctions, "PPL load_transpose: w strides are 1",
     checkUnitSteps},
    {kGather, kAllFunctions, "PPL gather_h", checkRows},
    {kScatter, kAllFunctions, "PPL scatter_h", checkRows},
};

Rows<CodeRule> rules::gdmaRules() { return {kRules, std::size(kRules)}; }
