//===- DmaRulesTest.cpp - legal and illegal calls of dma, sdma, hau ------===//

#include "tests/unit/runtime/ppl/CallBuilder.h"

#include "runtime/chips/Chips.h"

#include <set>

using namespace weft;
using namespace weft::catalog;

namespace {

using T = DataType;
using Build = std::function<void(CallBuilder &)>;

/// A legal call of a function, and changes of it that each break a rule.
struct Case {
  std::string_view name;
  const Chip *chip;
  Build legal;
  struct Broken {
    Build change;
    std::string_view message;
  };
  std::vector<Broken> broken;
};

const Chip *const k84 = &chips::bm1684x;
const Chip *const k90 = &chips::bm1690;
const Chip *const k80 = &chips::sg2380;
const Dims kShape = {2, 8, 5, 7};

void stretch(Tensor &tensor) {
  tensor.strides[3] = 1000;
  tensor.layout = AlignMode::Free;
}

Build copy(bool toLocal, bool fromLocal, AlignMode local = AlignMode::Aligned) {
  return [=](CallBuilder &b) {
    b.set("dst", toLocal ? b.local(T::Fp16, kShape, local)
                         : b.global(T::Fp16, kShape));
    b.set("src", fromLocal ? b.local(T::Fp16, kShape, local)
                           : b.global(T::Fp16, kShape));
  };
}

Case copyCase(std::string_view name, bool toLocal, bool fromLocal,
              AlignMode local = AlignMode::Aligned) {
  return {
      name,
      k84,
      copy(toLocal, fromLocal, local),
      {{[](CallBuilder &b) { b.tensor("src").type = T::Int16; },
        "dst is fp16, src is int16; dst and src must have one element type"},
       {[](CallBuilder &b) { b.tensor("src").shape[2] = 4; },
        "dst has shape 2x8x5x7, src 2x8x4x7; dst and src must have one shape"},
       {[](CallBuilder &b) {
          b.tensor("dst").type = b.tensor("src").type = T::Fp8e4m3;
        },
        "dst is fp8e4m3 on bm1684x; the DMA engine carries fp8, tf32 and fp20 "
        "on bm1690 only; view such a tensor as integers of its width"},
       {[](CallBuilder &b) { stretch(b.tensor("src")); },
        "w stride of src is 1000 elements, 2000 bytes, the limit is 128; the w "
        "stride in bytes must be 1 to the chip's limit"},
       {[](CallBuilder &b) { b.argument("src") = Argument(); },
        "src is missing"}}};
}

Case transposeCase(std::string_view name, bool toLocal, bool fromLocal,
                   std::optional<int> mode, bool isCw) {
  Dims exchanged = isCw ? Dims{2, 7, 5, 8} : Dims{8, 2, 5, 7};
  Case result = {
      name,
      k84,
      [=](CallBuilder &b) {
        b.set("dst", toLocal ? b.local(T::Int8, exchanged)
                             : b.global(T::Int8, exchanged));
        b.set("src",
              fromLocal ? b.local(T::Int8, kShape) : b.global(T::Int8, kShape));
        if (mode)
          b.set("trans_mode", *mode);
      },
      {{[](CallBuilder &b) { b.tensor("src").type = T::Uint8; },
        "dst is int8, src is uint8; dst and src must have one element type"}}};
  std::string_view shapes =
      mode   ? "dst has shape 2x8x5x7, src 2x8x5x7; dst must have the shape of "
               "src with c and w (CW_TRANS) or n and c (NC_TRANS) exchanged"
      : isCw ? "dst has shape 2x8x5x7, src 2x8x5x7; dst must have the shape of "
               "src with c and w exchanged"
             : "dst has shape 2x8x5x7, src 2x8x5x7; dst must have the shape of "
               "src with n and c exchanged";
  result.broken.push_back(
      {[](CallBuilder &b) { b.tensor("dst").shape = kShape; }, shapes});
  if (isCw)
    result.broken.push_back(
        {[](CallBuilder &b) { b.tensor("src").strides[3] = 2; },
         "w stride of src is 2; the exchange of c and w takes w strides of 1"});
  if (mode)
    result.broken.push_back({[](CallBuilder &b) { b.set("trans_mode", 2); },
                             "trans_mode is 2, must be NC_TRANS or CW_TRANS"});
  return result;
}

void setting(CallBuilder &b, int ew, int lmul, int length) {
  b.set("ew", ew).set("lmul", lmul).set("v_len", length);
}

/// 4 registers of 64 16-bit elements a group.
Case vectorCase(std::string_view name, std::string_view tensor, bool isSystem,
                std::vector<std::string_view> registers) {
  Dims shape = {1, 32, 1, int64_t(registers.size() == 2 ? 16 : 8)};
  Case result = {
      name,
      k80,
      [=](CallBuilder &b) {
        b.set(tensor,
              isSystem ? b.global(T::Int16, shape) : b.local(T::Int16, shape));
        int number = 0;
        for (std::string_view name : registers)
          b.set(name, 4 * number++);
        setting(b, 16, 4, 64);
      },
      {{[](CallBuilder &b) { setting(b, 0, 0, 0); },
        "ew is 0, lmul 0, v_len 0; vset(ew, lmul, v_len) must run first with "
        "ew 8, 16 or 32, lmul 1, 2, 4 or 8 and registers of at most 65536 "
        "bits"},
       {[=](CallBuilder &b) { b.set(registers[0], 3); },
        registers[0] == "dst_v_idx"
            ? "dst_v_idx is 3, lmul 4; the number of a register must be a "
              "multiple of lmul"
        : registers[0] == "v_idx0"
            ? "v_idx0 is 3, lmul 4; the number of a register must be a "
              "multiple of lmul"
            : "v_idx is 3, lmul 4; the number of a register must be a multiple "
              "of lmul"}}};
  return result;
}

Case rowsCase(std::string_view name, bool isScatter) {
  std::string_view listed = isScatter ? "param" : "dst";
  return {
      name,
      k84,
      [=](CallBuilder &b) {
        Dims few = {1, 8, 4, 7}, many = {1, 8, 9, 7};
        b.set("dst", b.global(T::Fp32, isScatter ? many : few));
        b.set("param", b.global(T::Fp32, isScatter ? few : many));
        b.set("index", b.global(T::Uint32, {1, 8, 4, 1}));
        if (!isScatter)
          b.set("C", 2.5);
      },
      {{[=](CallBuilder &b) { b.tensor(listed).shape[2] = 3; },
        isScatter
            ? "dst has shape 1x8x9x7, param 1x8x3x7, index 1x8x4x1; n and the "
              "w of index must be 1, dst and param must have one c and one w "
              "of at most 65535, index the h of param and its c (or 1 in "
              "system memory)"
            : "dst has shape 1x8x3x7, param 1x8x9x7, index 1x8x4x1; n and the "
              "w of index must be 1, dst and param must have one c and one w "
              "of at most 65535, index the h of dst and its c (or 1 in system "
              "memory)"},
       {[](CallBuilder &b) { b.tensor("index").type = T::Int32; },
        "index is int32, must be uint32"},
       {[](CallBuilder &b) { b.tensor("param").strides[3] = 2; },
        "w stride of param is 2; the w stride of dst and param must be 1"},
       {[](CallBuilder &b) { b.tensor("index").strides[2] = 2; },
        "h stride of index is 2; the h stride of index must be 1"}}};
}

Case channelsCase(std::string_view name, bool isScatter) {
  Case result = {
      name,
      k84,
      [=](CallBuilder &b) {
        Dims few = {1, 4, 5, 7}, many = {1, 9, 5, 7};
        b.set("dst", b.local(T::Fp32, isScatter ? many : few));
        b.set("param", b.global(T::Fp32, isScatter ? few : many));
        b.set("index", b.global(T::Uint32, {1, 4, 1, 1}));
        if (!isScatter)
          b.set("C", 2.5);
      },
      {{[](CallBuilder &b) { b.tensor("index").shape[1] = 3; },
        isScatter ? "dst has shape 1x9x5x7, param 1x4x5x7, index 1x3x1x1; n "
                    "must be 1, dst and param must have one h and one w, index "
                    "the shape 1,C,1,1 or 1,1,1,C with the c of param"
                  : "dst has shape 1x4x5x7, param 1x9x5x7, index 1x3x1x1; n "
                    "must be 1, dst and param must have one h and one w, index "
                    "the shape 1,C,1,1 or 1,1,1,C with the c of dst"},
       {[](CallBuilder &b) { b.tensor("param").strides[2] = 9; },
        "param has h stride 9, w stride 1 for w 7; h and w must lie without "
        "gaps: w stride 1, h stride w, and have at most 65535 elements"}}};
  return result;
}

const std::string_view kStart =
    "; a start position other than 0 exists on bm1690 and sg2380, within "
    "system memory; elsewhere subtract it from index";

std::vector<Case> dmaCopies() {
  Case move = copyCase("dma.move", false, false);
  move.broken.push_back(
      {[](CallBuilder &b) { b.set("src", b.local(T::Fp16, kShape)); },
       "dst lies in global, src in local memory; dst and src must both lie in "
       "local or both in system memory; load and store go between the two"});
  move.broken.push_back({[](CallBuilder &b) {
                           b.tensor("src").address =
                               *b.tensor("dst").address + 2;
                         },
                         "dst at 4294967296 overlaps src at 4294967298; dst "
                         "must be exactly a source or lie apart from it"});
  Case load = copyCase("dma.load", true, false);
  load.broken.push_back(
      {[](CallBuilder &b) { b.set("dst", b.global(T::Fp16, kShape)); },
       "dst lies in global memory, must be in local"});
  Case compact = copyCase("dma.load_compact", true, false, AlignMode::Compact);
  compact.broken.push_back(
      {[](CallBuilder &b) { b.set("dst", b.local(T::Fp16, kShape)); },
       "dst is N-byte aligned; the layout of dst must be compact"});
  Case storeCompact =
      copyCase("dma.store_compact", false, true, AlignMode::Compact);
  storeCompact.broken.push_back(
      {[](CallBuilder &b) {
         b.tensor("dst").layout = AlignMode::Free;
         b.tensor("dst").strides[2] = 8;
       },
       "dst is free; the layout of dst must be continuous"});
  return {load, copyCase("dma.store", false, true), move, compact,
          storeCompact};
}

std::vector<Case> dmaTransposes() {
  return {
      transposeCase("dma.load_transpose", true, false, 1, true),
      transposeCase("dma.store_transpose", false, true, 0, false),
      transposeCase("dma.transpose", true, true, 1, true),
      transposeCase("dma.load_transpose_cw", true, false, {}, true),
      transposeCase("dma.load_transpose_nc", true, false, {}, false),
      transposeCase("dma.store_transpose_cw", false, true, {}, true),
      transposeCase("dma.store_transpose_nc", false, true, {}, false),
      transposeCase("dma.transpose_cw", false, false, {}, true),
      transposeCase("dma.transpose_nc", true, true, {}, false),
      {"dma.reverse",
       k80,
       [](CallBuilder &b) {
         b.set("dst", b.local(T::Fp16, kShape));
         b.set("src", b.local(T::Fp16, kShape)).set("dim", 1);
       },
       {{[](CallBuilder &b) { b.set("dim", 2); },
         "src lies in local memory and dim is 2; a local src can be turned "
         "round on axis 1 (c) only, on bm1688 no src on axis 3 (w)"},
        {[](CallBuilder &b) { b.set("dim", 4); }, "dim is 4, must be 0 to 3"},
        {[](CallBuilder &b) { b.call.chip = k84; },
         "exists on bm1688, bm1690 or sg2380 only, not on bm1684x; the manual "
         "names SG2380 only; the engines of BM1688 (n, c and h) and BM1690 "
         "have the command too, that of BM1684X does not"}}}};
}

std::vector<Case> dmaVectors() {
  Case tv = vectorCase("dma.move_tv", "dst", false, {"v_idx"});
  tv.broken.push_back({[](CallBuilder &b) { b.set("dst", 65536 - 8); },
                       "dst is 65528 for 512 bytes; the offset in static "
                       "memory must be a multiple of 8 and leave room for the "
                       "group"});
  tv.broken.push_back(
      {[](CallBuilder &b) { b.set("dst", b.local(T::Int16, {1, 1, 1, 3})); },
       "6 bytes are moved; the elements must have ew bits and fit in the "
       "group, their bytes be a multiple of 8"});
  Case load = vectorCase("dma.vload", "src", true, {"dst_v_idx"});
  load.broken.push_back(
      {[](CallBuilder &b) { b.set("src", b.global(T::Int16, {1, 1, 1, 257})); },
       "src has 257 elements, the group 256; the elements must have ew bits "
       "and fit in the group"});
  Case store = vectorCase("dma.vstore", "dst", true, {"v_idx"});
  store.broken.push_back(
      {[](CallBuilder &b) { b.tensor("dst").type = T::Int8; },
       "dst is int8, ew 16; the elements must have ew bits "
       "and fit in the group"});
  Case dist = vectorCase("dma.move_distv", "dst", false, {"v_idx"});
  dist.broken.push_back(
      {[](CallBuilder &b) { b.set("dst", b.local(T::Int16, {1, 8, 1, 8})); },
       "dst has 8 channels from lane 0 on; the tensor must start in lane 0 and "
       "have a multiple of LANE_NUM channels"});
  Case collect = vectorCase("dma.move_vcoll", "src", false, {"dst_v_idx"});
  collect.broken.push_back(
      {[](CallBuilder &b) { b.set("src", b.local(T::Int16, {1, 4, 1, 4})); },
       "16 elements over 32 lanes; the elements must have ew bits and fit in "
       "the group, their bytes be a multiple of 8, their number be a multiple "
       "of the lanes"});
  Case vt = vectorCase("dma.move_vt", "src", false, {"dst_v_idx"});
  vt.broken.push_back({[](CallBuilder &b) { b.set("src", 4); },
                       "src is 4 for 512 bytes; the offset in static memory "
                       "must be a multiple of 8 and leave room for the group"});
  return {load,
          store,
          tv,
          dist,
          vectorCase("dma.move_vv", "dst", false, {"v_idx0", "v_idx1"}),
          vectorCase("dma.move_distvv", "dst", false, {"v_idx0", "v_idx1"}),
          vt,
          collect};
}

std::vector<Case> dmaConstantsAndChannels() {
  Build broadcast = [](CallBuilder &b) {
    b.set("dst", b.local(T::Fp16, kShape)).set("num", 3);
  };
  std::vector<Case::Broken> broken = {
      {[](CallBuilder &b) { b.tensor("src").shape[1] = 2; },
       "src has shape 2x2x5x7; src must have shape ?x1x?x?"},
      {[](CallBuilder &b) { b.set("num", 9); },
       "num is 9, dst has 8 channels; the channels must fit in the lanes from "
       "that of dst on, without a second row, and num must be at most dst.c"},
      {[](CallBuilder &b) { b.tensor("dst").lane = 62; },
       "3 channels from lane 62 on, 64 lanes; the channels must fit in the "
       "lanes from that of dst on, without a second row, and num must be at "
       "most dst.c"},
      {[](CallBuilder &b) { b.tensor("src").strides[3] = 2; },
       "w stride of src is 2; the w stride of dst and src must be 1"}};
  Case local = {"dma.broadcast", k84,
                [=](CallBuilder &b) {
                  broadcast(b);
                  b.set("src", b.local(T::Fp16, {2, 1, 5, 7}));
                },
                broken};
  local.broken.push_back(
      {[](CallBuilder &b) {
         b.tensor("src").address = *b.tensor("dst").address + 2;
       },
       "dst at 0 overlaps src at 2; dst must begin with src or share no byte "
       "with it"});
  return {
      {"dma.fill",
       k84,
       [](CallBuilder &b) {
         b.set("dst", b.global(T::Int8, kShape)).set("C", -3);
       },
       {{[](CallBuilder &b) { b.set("C", 256); },
         "C is 256, dst is int8; C must be a value of the element type of dst"},
        {[](CallBuilder &b) { b.set("C", 3.5); },
         "C is 3.500000, dst is int8; C must be a value of the element type of "
         "dst"},
        {[](CallBuilder &b) {
           b.tensor("dst").type = T::Fp16;
           b.set("C", 65520.0);
         },
         "C is 65520, dst is fp16; C must be a value of the element type of "
         "dst"},
        {[](CallBuilder &b) { b.tensor("dst").strides[3] = 129; },
         "w stride of dst is 129 elements, 129 bytes, the limit is 128; the w "
         "stride in bytes must be 1 to the chip's limit"}}},
      {"dma.zero",
       k84,
       [](CallBuilder &b) { b.set("dst", b.local(T::Fp32, kShape)); },
       {{[](CallBuilder &b) { b.tensor("dst").strides[3] = 0; },
         "dst is written but has stride 0 on axis w of size 7; a repeated "
         "element is for sources only"}}},
      {"dma.load_broadcast", k84,
       [=](CallBuilder &b) {
         broadcast(b);
         b.set("src", b.global(T::Fp16, {2, 1, 5, 7}));
       },
       broken},
      local};
}

std::vector<Case> dmaByIndex() {
  Case gather = rowsCase("dma.gather_h", false),
       scatter = rowsCase("dma.scatter_h", true),
       gatherC = channelsCase("dma.gather_c", false),
       scatterC = channelsCase("dma.scatter_c", true);
  static const std::string start = "index_start_pos is 2 on bm1684x" +
                                   std::string(kStart),
                           scatterStart = "start_pos is 2 on bm1684x" +
                                          std::string(kStart);
  Build startAt2 = [](CallBuilder &b) { b.set("index_start_pos", 2); };
  Build scatterAt2 = [](CallBuilder &b) { b.set("start_pos", 2); };
  gather.broken.push_back({startAt2, start});
  gatherC.broken.push_back({startAt2, start});
  scatter.broken.push_back({scatterAt2, scatterStart});
  scatterC.broken.push_back({scatterAt2, scatterStart});
  scatter.broken.push_back(
      {[](CallBuilder &b) {
         b.call.chip = k90;
         b.tensor("dst").type = b.tensor("param").type = T::Fp8e4m3;
         b.set("inplace_add", 1);
       },
       "inplace_add is set for fp8e4m3; adding exists on bm1690 and sg2380, "
       "within system memory, for integers, fp32, fp16 and bf16"});
  return {gather, scatter, gatherC, scatterC};
}

Case reduceCase(std::string_view name) {
  return {
      name,
      k90,
      [](CallBuilder &b) {
        b.set("dst", b.global(T::Int32, kShape, Memory::L2));
        b.set("src", b.global(T::Int32, kShape)).set("psum", 1);
        b.set("opcode", 4);
      },
      {{[](CallBuilder &b) { b.set("dst", b.global(T::Int32, kShape)); },
        "dst lies in global memory, must be in L2"},
       {[](CallBuilder &b) { b.set("psum", 0); },
        "opcode is ALL_REDUCE_ADD; psum ALL_REDUCE_PSUM_WO takes opcode "
        "ALL_REDUCE_NOP only"},
       {[](CallBuilder &b) { b.set("opcode", 1); },
        "opcode is ALL_REDUCE_MUL; int32 cannot be multiplied"},
       {[](CallBuilder &b) { b.set("opcode", 8); },
        "opcode is 8, must be ALL_REDUCE_NOP, ALL_REDUCE_MUL, ALL_REDUCE_MAX, "
        "ALL_REDUCE_MIN or ALL_REDUCE_ADD"},
       {[](CallBuilder &b) { b.call.chip = k84; },
        "exists on bm1690 only, not on bm1684x; the unit that combines lies at "
        "the L2 of BM1690"}}};
}

std::vector<Case> dmaSelections() {
  return {
      {"dma.mask_select",
       k84,
       [](CallBuilder &b) {
         b.set("dst", b.global(T::Fp32, {1, 1, 1, 560}));
         b.set("src", b.local(T::Fp32, kShape));
         b.set("mask", b.global(T::Uint8, kShape));
         b.set("count", b.global(T::Uint32, {1, 1, 1, 1}));
       },
       {{[](CallBuilder &b) { b.tensor("mask").type = T::Fp16; },
         "mask is fp16; bm1684x and bm1688 can compare only integers with 0; "
         "view floats as integers if -0 may count"},
        {[](CallBuilder &b) {
           b.set("src", b.local(T::Fp32, kShape, AlignMode::Compact));
         },
         "src in local memory has stride 35 instead of 48 on axis n; tensors "
         "in system memory must be continuous, local ones N-byte aligned"},
        {[](CallBuilder &b) { b.tensor("dst").shape[3] = 559; },
         "dst has 559 elements, src 560; dst must have room for all elements "
         "of src: how many are taken is known only at run time"},
        {[](CallBuilder &b) { b.tensor("mask").shape[3] = 6; },
         "src has shape 2x8x5x7, mask 2x8x5x6; src and mask must have one "
         "shape"}}},
      {"dma.nonzero",
       k84,
       [](CallBuilder &b) {
         b.set("dst", b.global(T::Int32, {1, 1, 1, 560}));
         b.set("src", b.global(T::Int8, kShape)).set("base_idx", 7);
       },
       {{[](CallBuilder &b) { b.tensor("dst").type = T::Uint32; },
         "dst is uint32, must be int32, int16 or int8"},
        {[](CallBuilder &b) { b.tensor("src").type = T::Bf16; },
         "src is bf16; bm1684x and bm1688 can compare only integers with 0; "
         "view floats as integers if -0 may count"},
        {[](CallBuilder &b) {
           b.set("count", b.global(T::Uint32, {1, 1, 1, 2}));
         },
         "count has shape 1x1x1x2; count must have shape 1x1x1x1"}}},
      {"dma.mask_batch_bcast",
       k84,
       [](CallBuilder &b) {
         b.set("dst", b.local(T::Bf16, {2, 8, 1, 7}));
         b.set("count", b.local(T::Uint16, {2, 8, 1, 1}, AlignMode::Compact));
         b.set("src", b.local(T::Bf16, {1, 8, 1, 7}));
         b.set("mask", b.local(T::Uint8, {2, 8, 1, 7}));
       },
       {{[](CallBuilder &b) { b.tensor("src").shape[0] = 2; },
         "dst has shape 2x8x1x7, src 2x8x1x7, count 2x8x1x1; src must have "
         "shape 1,C,1,W (1,LANE_NUM or less,1,W in one row of lanes with "
         "is_repeat) and count "
         "N,C,1,1 for a dst of N,C,1,W"},
        {[](CallBuilder &b) { b.tensor("mask").lane = 1; },
         "dst starts in lane 0, mask in lane 1; dst, count, src and mask must "
         "start in one lane"},
        {[](CallBuilder &b) {
           b.set("src", b.local(T::Bf16, {1, 8, 1, 7}, AlignMode::Compact));
         },
         "src is compact; the layout of src must be N-byte aligned"}}}};
}

std::vector<Case> messages(std::string_view unit) {
  static std::vector<std::string> names; // outlive the cases
  names.reserve(16);
  std::vector<Case> cases;
  for (std::string_view word : {".send_msg", ".wait_msg"}) {
    names.push_back(std::string(unit) + std::string(word));
    cases.push_back(
        {names.back(),
         k90,
         [](CallBuilder &b) { b.set("msg_id", 3).set("msg_cnt", 1); },
         {{[](CallBuilder &b) { b.set("msg_id", -1); },
           "msg_id is -1, must be 0 to 511"},
          {[](CallBuilder &b) { b.argument("msg_cnt") = Argument(); },
           "msg_cnt is missing"}}});
  }
  return cases;
}

Case onSdma(Case base, std::string_view name) {
  base.name = name;
  base.chip = k90;
  return base;
}

std::vector<Case> sdmaCases() {
  Case move = {"sdma.move",
               k90,
               copy(false, false),
               {{[](CallBuilder &b) { b.tensor("dst").strides[3] = 33; },
                 "w stride of dst is 33 elements, 66 bytes; the w stride must "
                 "be 1 to 64 bytes"},
                {[](CallBuilder &b) { b.set("src", b.local(T::Fp16, kShape)); },
                 "src lies in local memory, must be in global or L2"}}};
  Case compact = {
      "sdma.move_compact",
      k90,
      copy(false, false),
      {{[](CallBuilder &b) { b.tensor("dst").shape[3] = 8; },
        "dst has 640, src 560; dst and src must have equally many elements"}}};
  Case scatter = onSdma(rowsCase("dma.scatter_h", true), "sdma.scatter_h");
  scatter.broken.push_back({[](CallBuilder &b) { b.set("port_id", -2); },
                            "port_id is -2, must be -1 to 31"});
  Case fill = {
      "sdma.fill",
      k90,
      [](CallBuilder &b) {
        b.set("dst", b.global(T::Fp8e5m2, kShape)).set("C", 2);
      },
      {{[](CallBuilder &b) { b.set("C", 1e6); },
        "C is 1000000, dst is fp8e5m2; C must be a value of the element type "
        "of dst"}}};
  Case zero = {"sdma.zero",
               k90,
               [](CallBuilder &b) { b.set("dst", b.global(T::Fp20, kShape)); },
               {{[](CallBuilder &b) { b.tensor("dst").strides[2] = 8; },
                 "dst has gaps or another order; fp20 must lie in system "
                 "memory without gaps, from a multiple of 128 bytes on"}}};
  Case initialize = {"sdma.vsdma_initialize",
                     k90,
                     [](CallBuilder &) {},
                     {{[](CallBuilder &b) { b.call.chip = k80; },
                       "exists on bm1690 only, not on sg2380; of the chips of "
                       "this table only BM1690 has a system DMA engine; the "
                       "functions of dma do the same"}}};
  Case poll = initialize;
  poll.name = "sdma.vsdma_poll";
  return {
      move,
      compact,
      fill,
      zero,
      reduceCase("sdma.reduce"),
      onSdma(transposeCase("", false, false, {}, true), "sdma.transpose_cw"),
      onSdma(transposeCase("", false, false, {}, false), "sdma.transpose_nc"),
      onSdma(transposeCase("", false, false, 0, false), "sdma.transpose"),
      onSdma(rowsCase("dma.gather_h", false), "sdma.gather_h"),
      scatter,
      initialize,
      poll};
}

std::vector<Case> hauCases() {
  return {
      {"hau.topk",
       k90,
       [](CallBuilder &b) {
         b.set("dst", b.global(T::Fp32, {1, 1, 3, 4}));
         b.set("dst_idx", b.global(T::Int32, {1, 1, 3, 4}));
         b.set("src", b.global(T::Fp32, {1, 1, 3, 9})).set("K", 4);
       },
       {{[](CallBuilder &b) { b.call.chip = k84; },
         "src has 3 rows on bm1684x; only bm1690 sorts several rows at once; "
         "call topk once a row"},
        {[](CallBuilder &b) { b.set("K", 10); },
         "K is 10, src has w 9; K must be 1 to the length of a row, w of src"},
        {[](CallBuilder &b) { b.set("K", 3); },
         "dst has 3 rows of 4, 3 rows of 3 are written; dst and dst_idx must "
         "have room for K results a row, one row behind the other: w must be "
         "K, or anything from K on for a single row"},
        {[](CallBuilder &b) { b.tensor("dst").strides[2] = 80; },
         "dst has stride 80 instead of 4 on axis h; the engine reads and "
         "writes rows one behind the other, without strides, from a multiple "
         "of 4 bytes on"},
        {[](CallBuilder &b) {
           b.set("src_idx", b.global(T::Int32, {1, 1, 3, 9}));
           b.argument("dst_idx") = Argument();
         },
         "dst_idx is left out; src_idx takes a dst_idx to write to"},
        {[](CallBuilder &b) {
           b.tensor("dst").type = b.tensor("src").type = T::Fp16;
         },
         "dst is fp16, must be fp32, int32 or uint32"}}},
      {"hau.gather_line",
       k84,
       [](CallBuilder &b) {
         b.set("dst", b.global(T::Fp32, {1, 1, 4, 16}));
         b.set("param", b.global(T::Fp32, {1, 1, 9, 16}));
         b.set("index", b.global(T::Uint32, {1, 1, 1, 4}));
         b.set("C", 1.5).set("start", 2).set("end", 5).set("fill_const", 1);
       },
       {{[](CallBuilder &b) { b.set("end", 9); },
         "start is 2, end 9, param has 9 lines; start must be at most end, and "
         "end below the lines of param"},
        {[](CallBuilder &b) { *b.tensor("dst").address += 32; },
         "dst starts at 4294967328; dst, param and index must start at "
         "multiples of 64 bytes"},
        {[](CallBuilder &b) { b.call.chip = k90; },
         "exists on bm1684x only, not on bm1690; the other chips' sorting "
         "engines have no such command; dma.gather_h does the same. A bmodel "
         "of BM1684X holds no commands for it either, there the DMA engine "
         "gathers"}}}};
}

std::vector<Case> allCases() {
  std::vector<Case> all;
  for (std::vector<Case> group :
       {dmaCopies(), dmaTransposes(), dmaVectors(), dmaConstantsAndChannels(),
        dmaByIndex(), std::vector<Case>{reduceCase("dma.reduce")},
        dmaSelections(), messages("dma"), sdmaCases(), messages("sdma"),
        hauCases(), messages("hau")})
    for (Case &one : group)
      all.push_back(std::move(one));
  return all;
}

TEST(DmaRules, acceptTheLegalCallOfEveryFunction) {
  std::set<std::string_view> seen;
  for (const Case &one : allCases()) {
    CallBuilder builder(one.name, *one.chip);
    ASSERT_NE(builder.call.operation, nullptr) << one.name;
    one.legal(builder);
    EXPECT_EQ(builder.problem(), "") << one.name;
    seen.insert(one.name);
  }
  for (const Operation &operation : operations())
    if (operation.unit != Unit::Tiu) {
      EXPECT_TRUE(seen.count(operation.name))
          << operation.name << " has no case";
    }
  EXPECT_EQ(seen.size(), 37u + 14u + 4u);
}

TEST(DmaRules, sayWhatIsWrongWithABrokenCall) {
  for (const Case &one : allCases()) {
    EXPECT_FALSE(one.broken.empty()) << one.name;
    for (const Case::Broken &broken : one.broken) {
      CallBuilder builder(one.name, *one.chip);
      ASSERT_NE(builder.call.operation, nullptr) << one.name;
      one.legal(builder);
      broken.change(builder);
      EXPECT_EQ(builder.problem(), broken.message) << one.name;
    }
  }
}

} // namespace
