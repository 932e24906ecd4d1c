//===- Dma.cpp - the functions of ppl::dma -------------------------------===//

#include "runtime/ppl/Rows.h"
#include "runtime/ppl/rows/DmaRules.h"

using namespace weft;
using namespace weft::catalog;

static constexpr TypeSet kMoved = kAnyElement | kFp8 | DataType::Tf32,
                         kMovedSystem = kMoved | DataType::Fp20;

static Operation copyRow(std::string_view name, std::string_view summary,
                         unsigned to, unsigned from, TypeSet types,
                         std::string_view example) {
  Operation row = function(
      name, "4.3.1", summary, "dst(n,c,h,w) = src(n,c,h,w), bits unchanged",
      {result("dst", types, to), source("src", types, from)},
      {sameTypes({"dst", "src"}), sameShapes({"dst", "src"}),
       carriedTypes({"dst", "src"}), fp20IsDense({"dst", "src"}),
       shortWStride({"dst", "src"}), noPartialOverlap("dst", {"src"})},
      example);
  return row;
}

static Operation withLayouts(Operation row, AlignMode dst, AlignMode src) {
  row.rules.push_back(layoutIs("dst", {dst}));
  row.rules.push_back(layoutIs("src", {src}));
  return row;
}

static std::vector<Operation> copies() {
  Operation load =
      copyRow("dma.load", "copies a tensor from system to local memory", kLocal,
              kSystem, kMoved, "dma::load(a, g);");
  Operation store =
      copyRow("dma.store", "copies a tensor from local to system memory",
              kSystem, kLocal, kMoved, "dma::store(g, a);");
  Operation move = copyRow(
      "dma.move", "copies a tensor within system memory or within local memory",
      kLocal | kSystem, kLocal | kSystem, kMovedSystem, "dma::move(b, a);");
  move.rules.push_back(sameSide("dst", "src"));
  Operation loadCompact =
      withLayouts(copyRow("dma.load_compact",
                          "copies a continuous tensor to a compact local one",
                          kLocal, kSystem, kMoved,
                          "tensor<fp32> k(a.getShape(), TPU_COMPACT); "
                          "dma::load_compact(k, g);"),
                  AlignMode::Compact, AlignMode::Continuous);
  Operation storeCompact = withLayouts(
      copyRow("dma.store_compact",
              "copies a compact local tensor to a continuous one", kSystem,
              kLocal, kMoved,
              "tensor<fp32> k(a.getShape(), TPU_COMPACT); dma::load(k, g); "
              "dma::store_compact(g, k);"),
      AlignMode::Continuous, AlignMode::Compact);
  return {load, store, move, loadCompact, storeCompact};
}

//===----------------------------------------------------------------------===//
// Transposes
//===----------------------------------------------------------------------===//

static constexpr std::string_view kNcFormula = "dst(n,c,h,w) = src(c,n,h,w)",
                                  kCwFormula = "dst(n,c,h,w) = src(n,w,h,c)";
static constexpr std::string_view kCwNote =
    "SG2380's engine has no C/W command: its compiler would have to make the "
    "exchange of other copies";

/// `mode`: 0 nc, 1 cw, 2 chosen by trans_mode.
static Operation transposeRow(std::string_view name, std::string_view summary,
                              int mode, unsigned to, unsigned from,
                              std::string_view example) {
  Operation row = copyRow(name, summary, to, from, kMoved, example);
  row.formula = mode == 0 ? kNcFormula
                : mode == 1
                    ? kCwFormula
                    : "CW_TRANS: dst(n,c,h,w) = src(n,w,h,c); NC_TRANS: "
                      "dst(n,c,h,w) = src(c,n,h,w)";
  if (mode == 2) {
    row.slots.push_back(enumerated(
        "transpose_mode_t", choice("trans_mode", {"NC_TRANS", "CW_TRANS"}, 1)));
    row.spellings = {{"dst src trans_mode"}};
  }
  if (mode != 0)
    row.chipNote = kCwNote;
  row.rules = {sameTypes({"dst", "src"}), carriedTypes({"dst", "src"}),
               exchangedShapes(mode),     shortWStride({"dst", "src"}),
               unitWStrideIfCw(mode),     axesFit({"dst", "src"}, "nchw"),
               apart("dst", {"src"})};
  if (to & from)
    row.rules.push_back(sameSide("dst", "src"));
  return row;
}

static std::vector<Operation> transposes() {
  constexpr unsigned any = kLocal | kSystem;
  return {
      transposeRow("dma.load_transpose",
                   "copies from system to local memory, exchanging two axes", 2,
                   kLocal, kSystem,
                   "tensor<fp32> t({2, 7, 5, 8}); "
                   "dma::load_transpose(t, g, CW_TRANS);"),
      transposeRow("dma.store_transpose",
                   "copies from local to system memory, exchanging two axes", 2,
                   kSystem, kLocal,
                   "gtensor<fp32> t({2, 7, 5, 8}, GLOBAL); "
                   "dma::store_transpose(t, a, CW_TRANS);"),
      transposeRow(
          "dma.transpose",
          "exchanges two axes within system memory or within local memory", 2,
          any, any,
          "tensor<fp32> t({8, 2, 5, 7}); dma::transpose(t, a, NC_TRANS);"),
      transposeRow("dma.load_transpose_cw", "load_transpose with CW_TRANS", 1,
                   kLocal, kSystem,
                   "tensor<fp32> t({2, 7, 5, 8}); "
                   "dma::load_transpose_cw(t, g);"),
      transposeRow("dma.load_transpose_nc", "load_transpose with NC_TRANS", 0,
                   kLocal, kSystem,
                   "tensor<fp32> t({8, 2, 5, 7}); "
                   "dma::load_transpose_nc(t, g);"),
      transposeRow("dma.store_transpose_cw", "store_transpose with CW_TRANS", 1,
                   kSystem, kLocal,
                   "gtensor<fp32> t({2, 7, 5, 8}, GLOBAL); "
                   "dma::store_transpose_cw(t, a);"),
      transposeRow("dma.store_transpose_nc", "store_transpose with NC_TRANS", 0,
                   kSystem, kLocal,
                   "gtensor<fp32> t({8, 2, 5, 7}, GLOBAL); "
                   "dma::store_transpose_nc(t, a);"),
      transposeRow("dma.transpose_cw", "transpose with CW_TRANS", 1, any, any,
                   "tensor<fp32> t({2, 7, 5, 8}); dma::transpose_cw(t, a);"),
      transposeRow("dma.transpose_nc", "transpose with NC_TRANS", 0, any, any,
                   "tensor<fp32> t({8, 2, 5, 7}); dma::transpose_nc(t, a);"),
  };
}

static Operation reverseRow() {
  Operation row = copyRow("dma.reverse", "turns one axis round",
                          kLocal | kSystem, kLocal | kSystem, kAnyElement,
                          "tensor<fp32> r(a.getShape()); "
                          "dma::reverse(r, a, 1);");
  row.formula = "dst(.., i, ..) = src(.., D - 1 - i, ..) on axis `dim` of size "
                "D; the other indices stay";
  row.slots.push_back(integer("dim", 0, 3));
  row.rules = {sameTypes({"dst", "src"}),
               sameShapes({"dst", "src"}),
               axesFit({"dst", "src"}, "nchw"),
               unitStride({"dst", "src"}, 'w'),
               reversedAxis(),
               apart("dst", {"src"})};
  row.chips = {"bm1688", "bm1690", "sg2380"};
  row.chipNote =
      "the manual names SG2380 only; the engines of BM1688 (n, c and "
      "h) and BM1690 have the command too, that of BM1684X does not";
  return row;
}

//===----------------------------------------------------------------------===//
// Vector registers of SG2380
//===----------------------------------------------------------------------===//

static Operation vectorRow(std::string_view name, std::string_view summary,
                           std::string_view formula, std::vector<Slot> slots,
                           std::string_view example) {
  Operation row;
  row.name = name;
  row.section = "4.3.1";
  row.summary = summary;
  row.formula = formula;
  row.slots = std::move(slots);
  // What vset() said last: part of the call, so that an op stands alone.
  for (auto [name, most, member] :
       {std::tuple("ew", 32, "detail::vectorSetting.ew"),
        std::tuple("lmul", 32, "detail::vectorSetting.lmul"),
        std::tuple("v_len", 8192, "detail::vectorSetting.length")}) {
    row.slots.push_back(integer(name, 0, most, 0));
    row.slots.back().supplied = member;
  }
  row.chips = {"sg2380"};
  row.chipNote = "only SG2380 has vector registers beside its engines";
  row.example = example;
  return row;
}

/// A tensor, or a number: the byte of static memory where the elements start.
static Slot tensorOrStatic(std::string_view name, Access access) {
  Slot slot = access == Access::Write ? result(name, kAnyElement)
                                      : source(name, kAnyElement);
  slot.kind = SlotKind::TensorOrScalar;
  return slot;
}

static std::vector<Operation> vectorMoves() {
  Slot one = integer("v_idx", 0, 31), first = integer("v_idx0", 0, 31),
       second = integer("v_idx1", 0, 31), to = integer("dst_v_idx", 0, 31);
  Slot toLocal = result("dst", kAnyElement),
       toSystem = result("dst", kAnyElement, kSystem),
       fromLocal = source("src", kAnyElement),
       fromSystem = source("src", kAnyElement, kSystem);
  std::vector<Operation> rows = {
      vectorRow("dma.vload",
                "copies a tensor in system memory to a group of "
                "vector registers",
                "group(dst_v_idx)[i] = src[i], i in row-major order",
                {to, fromSystem}, "vset(32, 4, 140); dma::vload(0, g);"),
      vectorRow("dma.vstore",
                "copies a group of vector registers to system memory",
                "dst[i] = group(v_idx)[i]", {toSystem, one},
                "vset(32, 4, 140); dma::vstore(g, 0);"),
      vectorRow("dma.move_tv",
                "copies a group of vector registers to local or static memory",
                "dst[i] = group(v_idx)[i]; with a number instead of dst the "
                "whole group goes to static memory from that byte on",
                {tensorOrStatic("dst", Access::Write), one},
                "vset(32, 4, 140); dma::move_tv(a, 0);"),
      vectorRow("dma.move_distv",
                "deals a group of vector registers out to all lanes",
                "with P = elements / LANE_NUM: element i of the group goes to "
                "place i mod P of lane i / P",
                {toLocal, one},
                "vset(32, 4, 64); tensor<fp32> t({1, 32, 1, 8}); "
                "dma::move_distv(t, 0);"),
      vectorRow("dma.move_vv",
                "copies two groups of vector registers to local or static "
                "memory, one behind the other",
                "dst[i] = (group(v_idx0) followed by group(v_idx1))[i]; a "
                "number instead of dst is a byte of static memory",
                {tensorOrStatic("dst", Access::Write), first, second},
                "vset(32, 4, 70); dma::move_vv(a, 0, 4);"),
      vectorRow("dma.move_distvv",
                "deals two groups of vector registers out to all lanes",
                "as move_distv of group(v_idx0) followed by group(v_idx1)",
                {toLocal, first, second},
                "vset(32, 4, 64); tensor<fp32> t({1, 32, 1, 16}); "
                "dma::move_distvv(t, 0, 4);"),
      vectorRow("dma.move_vt",
                "copies local or static memory to a group of vector registers",
                "group(dst_v_idx)[i] = src[i]; with a number instead of src "
                "the whole group is read from static memory from that byte on",
                {to, tensorOrStatic("src", Access::Read)},
                "vset(32, 4, 140); dma::move_vt(0, a);"),
      vectorRow("dma.move_vcoll",
                "collects the elements of all lanes in a group of vector "
                "registers",
                "with P = elements / LANE_NUM: element i of the group comes "
                "from place i mod P of lane i / P",
                {to, fromLocal},
                "vset(32, 4, 64); tensor<fp32> t({1, 32, 1, 8}); "
                "dma::fill(t, 1); dma::move_vcoll(0, t);")};
  for (Operation &row : rows)
    row.rules = vectorRules(row);
  return rows;
}

//===----------------------------------------------------------------------===//
// Constants, channels, rows
//===----------------------------------------------------------------------===//

static std::vector<Operation> fills() {
  Operation fill = function(
      "dma.fill", "4.3.2", "sets every element of a tensor to a constant",
      "dst(n,c,h,w) = C; bytes between the elements stay. Floats "
      "are rounded to the nearest, ties to even",
      {result("dst", kMovedSystem, kLocal | kSystem), element(real("C"))},
      {carriedTypes({"dst"}), fp20IsDense({"dst"}), shortWStride({"dst"}),
       constantFits("C", "dst")},
      "dma::fill(a, 1.5f);");
  return {fill, zeroRow(fill, "dma.zero", "sets every element of a tensor to 0",
                        "dma::zero(a);")};
}

static std::vector<Operation> channelCopies() {
  Operation row = copyRow("dma.load_broadcast",
                          "copies one channel of system memory to many lanes",
                          kLocal, kSystem, kMoved,
                          "gtensor<fp32> one({2, 1, 5, 7}, GLOBAL); "
                          "dma::fill(one, 2); dma::load_broadcast(a, one);");
  row.section = "4.3.3";
  row.formula = "dst(n,c,h,w) = src(n,0,h,w) for c < K, K = num, or the "
                "channels of dst if num is 0; other channels stay";
  row.slots[0].access = Access::ReadWrite;
  row.slots.push_back(integer("num", 0, 65535, 0));
  row.rules = {sameTypes({"dst", "src"}),
               carriedTypes({"dst", "src"}),
               shapeIs("src", {-1, 1, -1, -1}),
               sameAxis("src", 'n', "dst", 'n'),
               sameAxis("src", 'h', "dst", 'h'),
               sameAxis("src", 'w', "dst", 'w'),
               broadcastFits(),
               unitStride({"dst", "src"}, 'w'),
               axesFit({"dst", "src"}, "nchw")};
  Operation local = row;
  local.name = "dma.broadcast";
  local.summary = "copies one channel of local memory to many lanes";
  local.slots[1].memories = kLocal;
  local.rules.push_back(broadcastInPlace());
  local.example = "tensor<fp32> one({2, 1, 5, 7}); dma::fill(one, 2); "
                  "dma::broadcast(a, one);";
  return {row, local};
}

/// `places`: what is asked of the shapes and strides.
static Operation gatherRow(std::string_view name, std::string_view summary,
                           std::string_view formula,
                           const std::vector<Rule> &places,
                           std::string_view example) {
  constexpr unsigned any = kLocal | kSystem;
  std::vector<Rule> rules =
      joined<Rule>({{sameTypes({"dst", "param"}),
                     carriedTypes({"dst", "param"}), constantFits("C", "dst")},
                    places,
                    {startPositionExists("index_start_pos"),
                     apart("dst", {"param", "index"})}});
  return function(name, "4.3.4", summary, formula,
                  {result("dst", kMoved, any), source("param", kMoved, any),
                   source("index", DataType::Uint32, any), element(real("C")),
                   integer("index_start_pos", 0, INT32_MAX, 0)},
                  std::move(rules), example);
}

static Operation scatterRow(std::string_view name, std::string_view summary,
                            std::string_view formula,
                            const std::vector<Rule> &places,
                            std::string_view example) {
  constexpr unsigned any = kLocal | kSystem;
  std::vector<Rule> rules = joined<Rule>(
      {{sameTypes({"dst", "param"}), carriedTypes({"dst", "param"})},
       places,
       {startPositionExists("start_pos"), addExists("inplace_add"),
        apart("dst", {"param", "index"})}});
  return function(name, "4.3.4", summary, formula,
                  {updated("dst", kMoved, any), source("param", kMoved, any),
                   source("index", DataType::Uint32, any),
                   integer("start_pos", 0, INT32_MAX, 0), flag("inplace_add")},
                  std::move(rules), example);
}

/// The places of rows or, all of them dense, of channels; `listed` has one an
/// index.
static std::vector<Rule> rowPlaces(std::string_view listed) {
  return {rowShapes(listed), unitStride({"dst", "param"}, 'w'),
          unitStride({"index"}, 'h')};
}
static std::vector<Rule> channelPlaces(std::string_view listed) {
  return {channelShapes(listed), densePlanes({"dst", "param"})};
}

static std::vector<Operation> placesByIndex() {
  std::vector<Operation> rows = {
      gatherRow(
          "dma.gather_h", "copies the rows that a list names",
          "with i = index(0,c,h,0), unsigned, and s = index_start_pos: "
          "dst(0,c,h,w) = param(0,c,i-s,w) if s <= i < s + param.h, else C",
          rowPlaces("dst"),
          "gtensor<fp32> rows({1, 8, 9, 7}, GLOBAL), "
          "picked({1, 8, 4, 7}, GLOBAL); "
          "gtensor<uint32> which({1, 8, 4, 1}, GLOBAL); "
          "dma::fill(rows, 3); dma::fill(which, 2); "
          "dma::gather_h(picked, rows, which, 0);"),
      scatterRow(
          "dma.scatter_h", "copies rows to the places that a list names",
          "for h = 0, 1, ..: with r = index(0,c,h,0) - start_pos and 0 <= r < "
          "dst.h: dst(0,c,r,w) = param(0,c,h,w), plus its old value if "
          "inplace_add (integers wrap); other rows stay, of rows with one "
          "index the last wins",
          rowPlaces("param"),
          "gtensor<fp32> rows({1, 8, 4, 7}, GLOBAL), "
          "all({1, 8, 9, 7}, GLOBAL); "
          "gtensor<uint32> where({1, 8, 4, 1}, GLOBAL); "
          "dma::fill(rows, 3); dma::fill(where, 2); dma::zero(all); "
          "dma::scatter_h(all, rows, where);"),
      gatherRow(
          "dma.gather_c", "copies the channels that a list names",
          "with i = index(0,c,0,0), unsigned, and s = index_start_pos: "
          "dst(0,c,h,w) = param(0,i-s,h,w) if s <= i < s + param.c, else C",
          channelPlaces("dst"),
          "gtensor<fp32> all({1, 9, 5, 7}, GLOBAL), "
          "picked({1, 4, 5, 7}, GLOBAL); "
          "gtensor<uint32> which({1, 4, 1, 1}, GLOBAL); "
          "dma::fill(all, 3); dma::fill(which, 2); "
          "dma::gather_c(picked, all, which, 0);"),
      scatterRow(
          "dma.scatter_c", "copies channels to the places that a list names",
          "for c = 0, 1, ..: with r = index(0,c,0,0) - start_pos and 0 <= r < "
          "dst.c: dst(0,r,h,w) = param(0,c,h,w), plus its old value if "
          "inplace_add; other channels stay, of channels with one index the "
          "last wins",
          channelPlaces("param"),
          "gtensor<fp32> all({1, 9, 5, 7}, GLOBAL), "
          "some({1, 4, 5, 7}, GLOBAL); "
          "gtensor<uint32> where({1, 4, 1, 1}, GLOBAL); "
          "dma::fill(some, 3); dma::fill(where, 2); dma::zero(all); "
          "dma::scatter_c(all, some, where);")};
  for (size_t channels : {2, 3})
    rows[channels].chipNote = "no chip known to us has a command for it; "
                              "BM1684X gathers the channels as rows";
  return rows;
}

//===----------------------------------------------------------------------===//
// Selection
//===----------------------------------------------------------------------===//

/// Where the count goes that the C++ function returns: known only at run time.
static Slot countSlot() {
  Slot slot = result("count", DataType::Uint32, kSystem);
  slot.optional = true;
  return slot;
}

static Operation maskSelectRow() {
  constexpr unsigned any = kLocal | kSystem;
  Operation select = function(
      "dma.mask_select", "4.3.5", "packs the elements whose mask is not 0",
      "dst[k] = src[j_k], j_0 < j_1 < .. the row-major positions with mask != "
      "0; the rest of dst stays; count = number of them. Of float masks -0 and "
      "fp32 subnormals count as 0",
      {updated("dst", kMoved, kGlobal), source("src", kMoved, any),
       source("mask", kMoved, any), countSlot()},
      {sameTypes({"dst", "src"}), carriedTypes({"dst", "src", "mask"}),
       testedTypes("mask"), sameShapes({"src", "mask"}),
       linearOrAligned({"dst", "src", "mask"}),
       axesFit({"src", "mask"}, "nchw"), holdsAll("dst", "src"),
       shapeIs("count", {1, 1, 1, 1}), apart("dst", {"src", "mask"})},
      "gtensor<uint8> mask({2, 8, 5, 7}, GLOBAL); "
      "gtensor<fp32> packed({1, 1, 1, 560}, GLOBAL); "
      "dma::fill(mask, 1); dma::mask_select(packed, g, mask);");
  select.spellings = {{"dst src mask count&"}};
  return select;
}

static Operation nonzeroRow() {
  constexpr unsigned any = kLocal | kSystem;
  Operation nonzero = maskSelectRow();
  nonzero.name = "dma.nonzero";
  nonzero.summary = "lists the positions of the elements that are not 0";
  nonzero.formula =
      "dst[k] = base_idx + j_k, j_0 < j_1 < .. the row-major positions with "
      "src != 0, modulo 2^bits of dst; the rest of dst stays; count = number "
      "of them. Of floats -0 and fp32 subnormals count as 0";
  nonzero.slots = {
      updated("dst",
              TypeSet(DataType::Int32) | DataType::Int16 | DataType::Int8,
              kGlobal),
      source("src", kMoved, any), integer("base_idx", INT32_MIN, INT32_MAX, 0),
      countSlot()};
  nonzero.spellings = {{"dst src base_idx count&"}};
  nonzero.rules = {carriedTypes({"src"}),
                   testedTypes("src"),
                   linearOrAligned({"dst", "src"}),
                   axesFit({"src"}, "nchw"),
                   holdsAll("dst", "src"),
                   shapeIs("count", {1, 1, 1, 1}),
                   apart("dst", {"src"})};
  nonzero.chipNote = "the vendor's runtime asks the engine for int32 "
                     "positions only; that of BM1684X writes narrower ones "
                     "as well";
  nonzero.example = "gtensor<int32> at({1, 1, 1, 560}, GLOBAL); "
                    "gtensor<int8> marks({2, 8, 5, 7}, GLOBAL); "
                    "dma::fill(marks, 1); dma::nonzero(at, marks, 0);";
  return nonzero;
}

static Operation maskBatchBcastRow() {
  Operation batch = function(
      "dma.mask_batch_bcast", "4.3.5",
      "packs, for every channel of every batch, the elements of "
      "one shared batch whose mask is not 0",
      "with w_0 < w_1 < .. the positions of mask(n,c,0,w) != 0, R of them, and "
      "s = is_repeat ? c mod LANE_NUM : c: dst(n,c,0,r) = src(0,s,0,w_r) for r "
      "< R, dst(n,c,0,r) stays for r >= R, count(n,c,0,0) = R",
      {updated("dst", kAnyElement), result("count", DataType::Uint16),
       source("src", kAnyElement), source("mask", kUnsigned),
       flag("is_repeat")},
      {sameTypes({"dst", "src"}), sameShapes({"dst", "mask"}),
       shapeIs("dst", {-1, -1, 1, -1}), batchShapes(),
       sameLanes({"dst", "count", "src", "mask"}),
       layoutIs("dst", {AlignMode::Aligned}),
       layoutIs("src", {AlignMode::Aligned}),
       layoutIs("mask", {AlignMode::Aligned}),
       layoutIs("count", {AlignMode::Compact}),
       apart("dst", {"count", "src", "mask"}), apart("count", {"src", "mask"})},
      "tensor<fp32> all({1, 8, 1, 7}), some({2, 8, 1, 7}); "
      "tensor<uint8> mask({2, 8, 1, 7}); "
      "tensor<uint16> count({2, 8, 1, 1}, TPU_COMPACT); "
      "dma::fill(all, 1); dma::fill(mask, 1); dma::zero(some); "
      "dma::mask_batch_bcast(some, count, all, mask, false);");
  batch.spellings = {{"dst count src mask is_repeat"}};
  batch.chipNote =
      "an instruction of the TIU; current kernel headers have it in ppl::tiu";
  return batch;
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

std::vector<Operation> catalog::dmaOperations() {
  return joined<Operation>(
      {copies(),
       transposes(),
       {reverseRow()},
       vectorMoves(),
       fills(),
       channelCopies(),
       placesByIndex(),
       {reduceRow("dma.reduce", Unit::Dma, kLocal | kSystem), maskSelectRow(),
        nonzeroRow(), maskBatchBcastRow()},
       messageRows("dma.send_msg", "dma.wait_msg", Unit::Dma)});
}
