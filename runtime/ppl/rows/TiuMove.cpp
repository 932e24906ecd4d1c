//===- TiuMove.cpp - copies, constants and transposes ---------------------===//

#include "runtime/catalog/Slots.h"
#include "runtime/ppl/CoefficientTables.h"
#include "runtime/ppl/Rows.h"

using namespace weft;
using namespace weft::catalog;

// Moved as bits: the 8-bit floats are bytes to every chip.
static constexpr TypeSet kMovable = kAnyElement | kFp8;

static Operation move() {
  return function(
      "tiu.move", "4.6.10.1",
      "copies a tensor inside its lanes, between any two layouts",
      "dst(n,c,h,w) = src(n,c,h,w)",
      {result("dst", kMovable | k4), source("src", kMovable | k4)},
      {sameTypes({"dst", "src"}), typesOnChip("bm1684x", "dst", kMovable),
       sameShapes({"dst", "src"}), sameLanes({"dst", "src"}),
       shortStrides({"dst", "src"}),
       rule("a 4-bit tensor with explicit strides must have w stride 1 "
            "and even strides on n, c and h",
            [](const Call &call) {
              for (std::string_view name : {"dst", "src"}) {
                const Tensor *t = call.tensor(name);
                if (bitsOf(t->type) != 4 || t->layout != AlignMode::Free)
                  continue;
                const Dims &s = t->strides;
                if (s[3] != 1 || (s[0] | s[1] | s[2]) & 1)
                  return std::string(name) + " has strides " +
                         std::to_string(s[0]) + ", " + std::to_string(s[1]) +
                         ", " + std::to_string(s[2]) + ", " +
                         std::to_string(s[3]);
              }
              return std::string();
            }),
       noPartialOverlap("dst", {"src"})},
      "tensor<fp16> dst({2, 64, 8, 8}, TPU_COMPACT), src({2, 64, 8, "
      "8});\n"
      "tiu::move(dst, src);");
}

static Operation broadcast() {
  return function(
      "tiu.broadcast", "4.6.10.2", "copies one channel to several lanes",
      "dst(n,c,h,w) = src(n,0,h,w) for c in [0, C), C = num, or all "
      "of dst if num is 0. Further channels keep their values",
      {updated("dst", kMovable), source("src", kMovable),
       integer("num", 0, 65535, 0)},
      {
          sameTypes({"dst", "src"}),
          sameAxis("src", 'n', "dst", 'n'),
          shapeIs("src", {-1, 1, -1, -1}),
          sameAxis("src", 'h', "dst", 'h'),
          sameAxis("src", 'w', "dst", 'w'),
          layoutIs("dst", {AlignMode::Aligned}),
          layoutIs("src", {AlignMode::Aligned}),
          rule("num must be at most c of dst",
               [](const Call &call) {
                 int64_t channels = call.tensor("dst")->shape[1];
                 if (call.integer("num") <= channels)
                   return std::string();
                 return "num is " + std::to_string(call.integer("num")) +
                        ", dst has " + std::to_string(channels) + " channels";
               }),
          rule("the channels must end at the last lane or before; copy more "
               "with "
               "one call for every row of lanes",
               [](const Call &call) {
                 const Tensor *dst = call.tensor("dst");
                 int64_t count =
                     call.integer("num") ? call.integer("num") : dst->shape[1];
                 if (dst->lane + count <= call.chip->lanes)
                   return std::string();
                 return std::to_string(count) + " channels from lane " +
                        std::to_string(dst->lane) + " on, the chip has " +
                        std::to_string(call.chip->lanes) + " lanes";
               }),
          apart("dst", {"src"}),
      },
      "tensor<fp16> dst({1, LANE_NUM, 4, 8}), src({1, 1, 4, 8});\n"
      "tiu::broadcast(dst, src);");
}

static Operation moveCrossLane() {
  return function(
      "tiu.move_cross_lane", "4.6.10.3", "copies a tensor to other lanes",
      "dst(n,c,h,w) = src(n,c,h,w); the two may start in different "
      "lanes",
      {result("dst", kMovable), source("src", kMovable)},
      {sameTypes({"dst", "src"}), sameShapes({"dst", "src"}),
       layoutIs("dst", {AlignMode::Aligned}),
       layoutIs("src", {AlignMode::Aligned}), apart("dst", {"src"})},
      "tensor<fp16> all({1, 64, 4, 8}), dst({1, 32, 4, 8});\n"
      "tiu::fill(all, 1);\n"
      "tiu::move_cross_lane(dst, all.sub_view({1, 32, 4, 8}, {0, 32, "
      "0, 0}));");
}

static Operation fill() {
  Operation op =
      function("tiu.fill", "4.6.10.4", "sets every element to a number",
               "dst(n,c,h,w) = scalar converted to the type of dst: to "
               "integers toward zero, to floats to the nearest, ties to even",
               {result("dst", kMovable), element(real("scalar"))},
               {layoutIs("dst", {AlignMode::Aligned, AlignMode::Compact,
                                 AlignMode::RowAligned, AlignMode::Free}),
                scalarFits("scalar", "dst"), shortStrides({"dst"})},
               "tensor<fp16> dst({1, 64, 4, 8});\n"
               "tiu::fill(dst, 1.5);");
  op.spellings = {{"dst scalar"}, {"dst scalar:=0", "zero"}};
  return op;
}

static Operation transpose(std::string_view name, bool isCw) {
  Operation op = function(
      name, isCw ? "4.6.10.5" : "4.6.10.6",
      isCw ? "exchanges channels and w; the better choice when there "
             "are more channels"
           : "exchanges channels and w; the better choice when w is "
             "longer",
      "dst(n,c,h,w) = src(n,w,h,c)",
      {result("dst", kMovable), source("src", kMovable)},
      {sameTypes({"dst", "src"}), sameAxis("src", 'n', "dst", 'n'),
       sameAxis("src", 'c', "dst", 'w'), sameAxis("src", 'h', "dst", 'h'),
       sameAxis("src", 'w', "dst", 'c'), layoutIs("src", {AlignMode::Aligned})},
      isCw ? "tensor<fp16> src({1, 100, 4, 20});\n"
             "tensor<fp16> dst({1, 20, 4, 100}, TPU_ROW_ALIGN);\n"
             "tiu::transpose_cw(dst, src);"
           : "tensor<fp16> src({1, 20, 4, 100}), dst({1, 100, 4, "
             "20});\n"
             "tiu::transpose_wc(dst, src);");
  if (isCw) {
    op.rules.push_back(layoutIs("dst", {AlignMode::RowAligned}));
    op.rules.push_back(startsInLaneZero("src"));
  } else {
    op.rules.push_back(layoutIs("dst", {AlignMode::Aligned}));
    op.rules.push_back(startsInLaneZero("dst"));
    op.chipNote = "dst is N-byte aligned and starts in lane 0, as the machines "
                  "want it; the manual asks for the layouts of transpose_cw, "
                  "which give wrong results";
  }
  op.rules.push_back(apart("dst", {"src"}));
  return op;
}

/// The tables that every core keeps in static memory, by `coeff_table_mode_t`.
static Operation staticBroadcast() {
  Operation op = function(
      "tiu.smem_bcast", "4.11.3",
      "copies a table of static memory to every lane (deprecated: "
      "tiu::load_coeff)",
      "dst(0,c,0,w) = table[w]: EXP 1/w!; LOG 0, then (-1)^(w+1)/w; SIN (-1)^w "
      "(2 pi)^(2w+1)/(2w+1)!; COS (-1)^w (2 pi)^(2w)/(2w)!; TAN the series of "
      "tan(pi x) in odd powers; ARCSIN (2w)!/(4^w w!^2 (2w+1)); ERF ten "
      "numbers "
      "of a fit of erfc; SERIAL_NUMBER w",
      {result("dst", kFloats | DataType::Int32),
       enumerated("coeff_table_mode_t",
                  integer("coeff_mode", 0, kSerialNumberTable))},
      {
          rule("coeff_mode must be EXP, LOG, SIN, COS, TAN, ARCSIN, ERF or "
               "SERIAL_NUMBER",
               [](const Call &call) {
                 int64_t mode = call.integer("coeff_mode");
                 return mode <= 6 || mode == kSerialNumberTable
                            ? std::string()
                            : "coeff_mode is " + std::to_string(mode);
               }),
          rule(
              "SERIAL_NUMBER is int32, EXP, LOG, SIN and COS are fp32, fp16 or "
              "bf16, the others fp32",
              [](const Call &call) {
                DataType type = call.tensor("dst")->type;
                if (coefficientTable(call.integer("coeff_mode"), type))
                  return std::string();
                return "dst is " + std::string(spelling(type)) +
                       ", coeff_mode is " +
                       std::to_string(call.integer("coeff_mode"));
              }),
          shapeIs("dst", {1, -1, 1, -1}),
          rule("dst must not be longer than the table",
               [](const Call &call) {
                 const Tensor *dst = call.tensor("dst");
                 unsigned count =
                     coefficientTable(call.integer("coeff_mode"), dst->type)
                         ->count;
                 if (dst->shape[3] <= count)
                   return std::string();
                 return "w is " + std::to_string(dst->shape[3]) +
                        ", the table has " + std::to_string(count) + " entries";
               }),
          rule("c must be at most the number of lanes",
               [](const Call &call) {
                 const Tensor *dst = call.tensor("dst");
                 if (dst->lane + dst->shape[1] <= call.chip->lanes)
                   return std::string();
                 return std::to_string(dst->shape[1]) + " channels from lane " +
                        std::to_string(dst->lane) + " on, the chip has " +
                        std::to_string(call.chip->lanes) + " lanes";
               }),
          layoutIs("dst", {AlignMode::Aligned, AlignMode::Compact}),
          startsOnEu("dst"),
      },
      "tensor<fp32> table({1, LANE_NUM, 1, 32});\n"
      "tiu::smem_bcast(table, EXP);");
  op.spellings = {{"dst coeff_mode"}, {"dst coeff_mode", "load_coeff"}};
  return op;
}

static Operation arange() {
  return function(
      "tiu.arange_broadcast", "4.11.5",
      "an arithmetic sequence in every lane (deprecated: the wrapper "
      "arange_broadcast)",
      "dst(0,c,0,w) = start + step * w for w in [0, num) and c in [0, "
      "C), C = c, or all of dst if c is 0; modulo 2^32. Other elements "
      "keep their values",
      {updated("dst", DataType::Int32), integer("start", INT32_MIN, INT32_MAX),
       integer("step", INT32_MIN, INT32_MAX), integer("num", 1, 65535),
       integer("c", 0, 65535, 0)},
      {
          shapeIs("dst", {1, -1, 1, -1}),
          startsInLaneZero("dst"),
          rule("dst must have at most as many channels as the chip has lanes",
               [](const Call &call) {
                 int64_t channels = call.tensor("dst")->shape[1];
                 if (channels <= call.chip->lanes)
                   return std::string();
                 return "dst has " + std::to_string(channels) + " channels";
               }),
          rule("num must be at most w of dst, c at most its channels",
               [](const Call &call) {
                 const Dims &shape = call.tensor("dst")->shape;
                 if (call.integer("num") <= shape[3] &&
                     call.integer("c") <= shape[1])
                   return std::string();
                 return "num is " + std::to_string(call.integer("num")) +
                        ", c is " + std::to_string(call.integer("c")) +
                        ", dst has " + std::to_string(shape[1]) +
                        " channels of " + std::to_string(shape[3]);
               }),
          // With h = 1 the line-aligned layout of the manual is the aligned
          // one.
          layoutIs("dst", {AlignMode::RowAligned, AlignMode::Aligned}),
      },
      "tensor<int> dst({1, LANE_NUM, 1, 100});\n"
      "tiu::arange_broadcast(dst, 5, 3, 100);");
}

std::vector<Operation> catalog::tiuMoveOperations() {
  return {move(),
          broadcast(),
          moveCrossLane(),
          fill(),
          transpose("tiu.transpose_cw", true),
          transpose("tiu.transpose_wc", false),
          staticBroadcast(),
          arange()};
}
