//===- Hau.cpp - the functions of ppl::hau -------------------------------===//

#include "runtime/ppl/Rows.h"
#include "runtime/ppl/rows/DmaRules.h"

using namespace weft;
using namespace weft::catalog;

static std::string number(int64_t value) { return std::to_string(value); }

/// Rows lie one behind the other: the engine ignores strides.
static Rule denseRows(Names names) {
  return {"the engine reads and writes rows one behind the other, without "
          "strides, from a multiple of 4 bytes on",
          [names](const Call &call) {
            for (std::string_view name : names) {
              const Tensor *t = call.tensor(name);
              if (!t)
                continue;
              Dims wanted = stridesOf(AlignMode::Continuous, t->type, t->shape,
                                      0, *call.chip);
              for (int axis = 0; axis < 4; ++axis)
                if (t->shape[axis] > 1 && t->strides[axis] != wanted[axis])
                  return std::string(name) + " has stride " +
                         number(t->strides[axis]) + " instead of " +
                         number(wanted[axis]) + " on axis " + "nchw"[axis];
              if (t->address && *t->address % 4)
                return std::string(name) + " starts at " +
                       number(int64_t(*t->address));
            }
            return std::string();
          }};
}

static Rule countOfResults() {
  return {"K must be 1 to the length of a row, w of src", [](const Call &call) {
            int64_t count = call.integer("K");
            int64_t length = call.tensor("src")->shape[3];
            if (count >= 1 && count <= length)
              return std::string();
            return "K is " + number(count) + ", src has w " + number(length);
          }};
}

static Rule roomForResults() {
  return {"dst and dst_idx must have room for K results a row, one row behind "
          "the other: w must be K, or anything from K on for a single row",
          [](const Call &call) {
            const Tensor *src = call.tensor("src");
            int64_t count = call.integer("K");
            for (std::string_view name : {"dst", "dst_idx"}) {
              const Tensor *t = call.tensor(name);
              if (!t)
                continue;
              int64_t rows = t->elements() / t->shape[3],
                      wanted = src->elements() / src->shape[3];
              bool fits =
                  rows == wanted &&
                  (t->shape[3] == count || (rows == 1 && t->shape[3] > count));
              if (!fits)
                return std::string(name) + " has " + number(rows) +
                       " rows of " + number(t->shape[3]) + ", " +
                       number(wanted) + " rows of " + number(count) +
                       " are written";
            }
            return std::string();
          }};
}

static Rule oneRow() {
  return {"only bm1690 sorts several rows at once; call topk once a row",
          [](const Call &call) {
            const Tensor *src = call.tensor("src");
            int64_t rows = src->elements() / src->shape[3];
            if (rows == 1 || call.chip->kernelName() == "bm1690")
              return std::string();
            return "src has " + number(rows) + " rows on " +
                   std::string(call.chip->targetName);
          }};
}

static Operation topkRow() {
  constexpr TypeSet sorted =
      TypeSet(DataType::Fp32) | DataType::Int32 | DataType::Uint32;
  Slot indices = result("dst_idx", DataType::Int32, kSystem);
  indices.optional = true;
  Operation row = function(
      "hau.topk", "4.5.1",
      "the first K elements of every sorted row, with their indices",
      "per row (n,c,h) of src, i_0 .. i_{w-1} sorting it: dst(row,k) = "
      "src(row,i_k), dst_idx(row,k) = src_idx ? src_idx(row,i_k) : i_k, k < "
      "K. Ascending, or descending if descended. Equal values keep the order "
      "of i (of src_idx as unsigned numbers, then of i), -0 equals +0 and "
      "fp32 subnormals; a row with NaN is undefined",
      {updated("dst", sorted, kSystem), indices, source("src", sorted, kSystem),
       optionalSource("src_idx", DataType::Int32, kSystem),
       integer("K", 1, INT32_MAX), flag("descended")},
      {sameTypes({"dst", "src"}), sameShapes({"src", "src_idx"}),
       sameShapes({"dst", "dst_idx"}),
       rule("src_idx takes a dst_idx to write to",
            [](const Call &call) {
              return call.tensor("src_idx") && !call.tensor("dst_idx")
                         ? std::string("dst_idx is left out")
                         : std::string();
            }),
       oneRow(), countOfResults(), roomForResults(),
       denseRows({"dst", "dst_idx", "src", "src_idx"}),
       apart("dst", {"src", "src_idx", "dst_idx"}),
       apart("dst_idx", {"src", "src_idx"})},
      "gtensor<fp32> line({1, 1, 1, 560}, GLOBAL), "
      "best({1, 1, 1, 4}, GLOBAL); "
      "gtensor<int> at({1, 1, 1, 4}, GLOBAL); dma::fill(line, 2); "
      "hau::topk(best, at, line, 4, true);");
  row.spellings = {{"dst src K descended"},
                   {"dst dst_idx& src K descended"},
                   {"dst dst_idx& src src_idx& K descended"}};
  row.slots[1].access = Access::ReadWrite;
  row.chips = {"bm1684x", "bm1688", "bm1690"};
  row.chipNote = "SG2380 has no sorting engine; a bmodel of BM1684X holds no "
                 "commands for its own, there the TIU ranks the elements by "
                 "comparing all pairs (rows of up to 16384)";
  return row;
}

static Operation gatherLineRow() {
  Operation row = function(
      "hau.gather_line", "4.5.2", "copies the lines that a list names",
      "with i = index(0,0,0,h), unsigned: dst(0,0,h,w) = param(0,0,i-start,w) "
      "if start <= i <= end, else C if fill_const, else unchanged",
      {updated("dst", kAnyElement, kSystem),
       source("param", kAnyElement, kSystem),
       source("index", DataType::Uint32, kSystem), element(real("C")),
       integer("start", 0, INT32_MAX), integer("end", 0, INT32_MAX),
       flag("fill_const")},
      {sameTypes({"dst", "param"}), shapeIs("dst", {1, 1, -1, -1}),
       shapeIs("param", {1, 1, -1, -1}), shapeIs("index", {1, 1, 1, -1}),
       sameAxis("dst", 'w', "param", 'w'), sameAxis("index", 'w', "dst", 'h'),
       axesFit({"dst", "param"}, "w"), layoutIs("dst", {AlignMode::Continuous}),
       layoutIs("param", {AlignMode::Continuous}),
       layoutIs("index", {AlignMode::Continuous}),
       rule("dst, param and index must start at multiples of 64 bytes",
            [](const Call &call) {
              for (std::string_view name : {"dst", "param", "index"})
                if (const Tensor *t = call.tensor(name);
                    t && t->address && *t->address % 64)
                  return std::string(name) + " starts at " +
                         number(int64_t(*t->address));
              return std::string();
            }),
       rule("start must be at most end, and end below the lines of param",
            [](const Call &call) {
              int64_t start = call.integer("start"), end = call.integer("end"),
                      lines = call.tensor("param")->shape[2];
              if (start <= end && end < lines)
                return std::string();
              return "start is " + number(start) + ", end " + number(end) +
                     ", param has " + number(lines) + " lines";
            }),
       constantFits("C", "dst"), apart("dst", {"param", "index"})},
      "gtensor<fp32> lines({1, 1, 9, 16}, GLOBAL), "
      "picked({1, 1, 4, 16}, GLOBAL); "
      "gtensor<uint32> which({1, 1, 1, 4}, GLOBAL); "
      "dma::fill(lines, 3); dma::fill(which, 2); "
      "hau::gather_line(picked, lines, which, 0, 0, 8, true);");
  row.spellings = {{"dst param index C start end fill_const"}};
  row.chips = {"bm1684x"};
  row.chipNote = "the other chips' sorting engines have no such command; "
                 "dma.gather_h does the same. A bmodel of BM1684X holds no "
                 "commands for it either, there the DMA engine gathers";
  return row;
}

std::vector<Operation> catalog::hauOperations() {
  return joined({topkRow(), gatherLineRow()},
                messageRows("hau.send_msg", "hau.wait_msg", Unit::Hau));
}
