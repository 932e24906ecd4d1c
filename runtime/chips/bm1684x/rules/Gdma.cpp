//===- Gdma.cpp - rules of the GDMA engine -------------------------------===//

#include "runtime/chips/bm1684x/rules/Families.h"

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
static constexpr Functions kTransposes =
    functions({gdma::TensorCollect, gdma::TensorDistribute});
static constexpr Functions kFourBanks =
    functions({gdma::TensorFourBankCopy, gdma::TensorFourBankBroadcast});
static constexpr Functions kBroadcasts =
    functions({gdma::TensorBroadcast, gdma::TensorFourBankBroadcast});

constexpr uint64_t kMaxSize = 65535;

static bool fills(const Subject &s) { return s.get(F::fill_constant_en) != 0; }

static unsigned formatBytes(const Subject &s) {
  return elementBytes(s.precision(F::src_data_format));
}

static void checkLongForm(const Subject &s, Report &report) {
  if (s.command.type == uint8_t(GdmaType::System)) // has a short form only
    return;
  if (s.command.sizeBytes != 96)
    report.fail(
        "the short form of " + std::to_string(s.command.sizeBytes) +
        " bytes; the vendor's runtime steps through a buffer in "
        "units of 96 and breaks on it, use form " +
        std::string(
            s.chip.instructions->form(s.command.opcode->longForm).name));
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
  // A fill has the sizes of its destination, or of both sides; a transpose
  // does not read those of its destination.
  bool isCopy = s.isFunction({gdma::TensorCopy, gdma::TensorFourBankCopy});
  if (isCopy && fills(s) && !s.get(F::nchw_copy))
    requireTargetSizes(s, report);
  else
    checkSourceSizes(s, report);
}

static void checkCopySizes(const Subject &s, Report &report) {
  if (s.get(F::nchw_copy) || s.command.func == gdma::TensorNcTranspose ||
      fills(s))
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

static void requireEqual(const Subject &s, Report &report, Field source,
                         Field target) {
  if (s.get(source) != s.get(target))
    report.fail(nameOf(source) + " is " + std::to_string(s.get(source)) +
                " and " + nameOf(target) + " " + std::to_string(s.get(target)) +
                ", they must be equal");
}

/// The engine goes by the sizes of the destination.
static void checkBroadcastSizes(const Subject &s, Report &report) {
  requireTargetSizes(s, report);
}

static void checkBroadcastShapes(const Subject &s, Report &report) {
  if (fills(s))
    return;
  requireEqual(s, report, F::src_nsize, F::dst_nsize);
  requireEqual(s, report, F::src_hsize, F::dst_hsize);
  requireEqual(s, report, F::src_wsize, F::dst_wsize);
}

/// Strides that the command does not hold come from the sizes of the result,
/// unless it is said to have those of the source.
static void checkTransposeSizes(const Subject &s, Report &report) {
  if (s.get(F::nchw_copy) || s.get(F::stride_enable))
    return;
  requireEqual(s, report, F::src_nsize, F::dst_nsize);
  requireEqual(s, report, F::src_wsize, F::dst_csize);
  requireEqual(s, report, F::src_hsize, F::dst_hsize);
  requireEqual(s, report, F::src_csize, F::dst_wsize);
}

static void checkNoFill(const Subject &s, Report &report) {
  report.range(s, F::fill_constant_en, 0, 0);
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

static bool isLocal(const Subject &s, Field low, Field high) {
  uint64_t address = s.get(high) << 32 | s.get(low);
  return memoryOf(address, s.chip) == Memory::Local;
}

/// Long form: the fields named h32 and l8 are the low and the high part.
static bool isFromLocal(const Subject &s) {
  return isLocal(s, F::src_start_addr_h32, F::src_start_addr_l8);
}
static bool isToLocal(const Subject &s) {
  return isLocal(s, F::dst_start_addr_h32, F::dst_start_addr_l8);
}

static void checkMatrixSides(const Subject &s, Report &report) {
  bool load = isToLocal(s);
  if (load == isFromLocal(s))
    report.fail(load ? "source and destination lie in local memory, one must "
                       "not"
                     : "neither source nor destination lies in local memory, "
                       "one must");
}

/// h x w in flat memory; locally h rows of c channels of w columns, or of a
/// transpose w rows. The other fields of either side are not read.
static void checkMatrixSizes(const Subject &s, Report &report) {
  bool load = isToLocal(s);
  Field h = load ? F::src_hsize : F::dst_hsize;
  Field w = load ? F::src_wsize : F::dst_wsize;
  Field n = load ? F::dst_nsize : F::src_nsize;
  Field channels = load ? F::dst_csize : F::src_csize;
  Field width = load ? F::dst_wsize : F::src_wsize;
  requireSizes(s, report, {h, w, channels, width});
  bool transposed = s.command.func == gdma::MatrixTranspose;
  uint64_t rows = s.get(transposed ? w : h);
  uint64_t columns = s.get(transposed ? h : w);
  if (s.get(n) != 0 && s.get(n) != rows) // 0 stands for all rows
    report.fail(nameOf(n) + " is " + std::to_string(s.get(n)) +
                ", must be the " + std::to_string(rows) +
                " rows of the matrix, or 0");
  uint64_t room = s.get(channels) * s.get(width);
  if (room < columns)
    report.fail(nameOf(channels) + " " + std::to_string(s.get(channels)) +
                " times " + nameOf(width) + " " + std::to_string(s.get(width)) +
                " hold " + std::to_string(room) + " columns, the matrix has " +
                std::to_string(columns));
}

/// The vendor's emulator counts the whole step of the last row as well.
static void checkMatrixRoom(const Subject &s, Report &report) {
  if (!s.get(F::stride_enable))
    return;
  bool load = isToLocal(s),
       transposed = s.command.func == gdma::MatrixTranspose;
  Field step = load ? F::dst_nstride : F::src_nstride;
  Field count = load ? (transposed ? F::src_wsize : F::src_hsize)
                     : (transposed ? F::dst_wsize : F::dst_hsize);
  const Access *local = s.access(load ? "dst" : "src");
  uint64_t bytes = s.get(step) * s.get(count) * formatBytes(s);
  if (local && local->begin + bytes > s.chip.laneBytes)
    report.fail(std::to_string(s.get(count)) + " rows with " + nameOf(step) +
                " " + std::to_string(s.get(step)) + " from byte " +
                std::to_string(local->begin) + " on do not end inside the " +
                std::to_string(s.chip.laneBytes) + " bytes of a lane");
}

/// A copy in each of the four banks from the middle of a lane on.
static void checkFourBanks(const Subject &s, Report &report) {
  const uint64_t begin = s.chip.laneBytes / 2,
                 end = begin + s.chip.laneBytes / s.chip.banks * 2;
  const Access *target = s.access("dst");
  if (!target)
    return;
  if (target->memory != Memory::Local || target->leavesMemory ||
      target->begin < begin || target->end > end)
    report.fail("dst lies at " + hex(target->begin) + " to " +
                hex(target->end) + ", must lie at lane offsets " + hex(begin) +
                " to " + hex(end));
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

/// dst_csize, dst_wsize and index_hsize are not read: the channels are those of
/// the wider of source and index, the list is as long as the rows it is for.
static void checkRows(const Subject &s, Report &report) {
  requireSizes(s, report, {F::src_csize, F::index_csize, F::src_wsize});
  for (Field rows : {F::src_hsize, F::dst_hsize})
    if (s.get(rows) == 0)
      report.fail(nameOf(rows) + " is 0, must be 1 or more");
  uint64_t channels = s.get(F::src_csize), lists = s.get(F::index_csize);
  if (channels != lists && channels != 1 && lists != 1)
    report.fail("src_csize is " + std::to_string(channels) +
                " and index_csize " + std::to_string(lists) +
                ", they must be equal or one of them 1");
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
    {kTensor, kTransposes | kFourBanks,
     "isa 6: only copies and broadcasts fill", checkNoFill},
    {kTensor, kTransposes, kSizes, checkSourceSizes},
    {kTensor, functions({gdma::TensorFourBankCopy}), kSizes, checkTensorSizes},
    {kTensor, functions({gdma::TensorFourBankCopy}),
     "PPL move: shapes are equal", checkCopySizes},
    {kTensor, kBroadcasts, kSizes, checkBroadcastSizes},
    {kTensor, kBroadcasts, "PPL load_broadcast: n, h and w are equal",
     checkBroadcastShapes},
    {kTensor, kFourBanks, "isa 6: the copies lie 32 KiB apart", checkFourBanks},
    {kTensor, kBroadcasts, "PPL load_broadcast: no second row of lanes",
     checkBroadcast},
    {kMatrix, kAllFunctions, "isa 6", checkMatrixSides},
    {kMatrix, kAllFunctions, "isa 6", checkNoFill},
    {kMatrix, kAllFunctions, "isa 6", checkMatrixSizes},
    {kMatrix, kAllFunctions, "vendor emulator: matrix_move", checkMatrixRoom},
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
    {kCwTranspose, kAllFunctions,
     "PPL load_transpose: the result has c and w exchanged",
     checkTransposeSizes},
    {kCwTranspose, kAllFunctions, "PPL load_transpose: w strides are 1",
     checkUnitSteps},
    {kGather, kAllFunctions, "PPL gather_h", checkRows},
    {kScatter, kAllFunctions, "PPL scatter_h", checkRows},
};

Rows<CodeRule> bm1684x::gdmaRules() { return {kRules, std::size(kRules)}; }
