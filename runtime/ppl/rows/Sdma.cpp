//===- Sdma.cpp - the functions of ppl::sdma -----------------------------===//

#include "runtime/ppl/Rows.h"
#include "runtime/ppl/rows/DmaRules.h"

using namespace weft;
using namespace weft::catalog;

static constexpr TypeSet kMoved = kAnyElement | kFp8 | DataType::Tf32,
                         kMovedSystem = kMoved | DataType::Fp20;
/// The engine takes half the step that the manual prints.
static constexpr unsigned kMostStepBytes = 64;

static Operation sdmaRow(std::string_view name, std::string_view section,
                         std::string_view summary, std::string_view formula,
                         std::vector<Slot> slots, std::vector<Rule> rules,
                         std::string_view example) {
  Operation row = function(name, section, summary, formula, std::move(slots),
                           std::move(rules), example);
  row.chips = {"bm1690"};
  row.chipNote = "of the chips of this table only BM1690 has a system DMA "
                 "engine; the functions of dma do the same";
  return row;
}

static std::vector<Operation> copies() {
  std::vector<Slot> slots = {result("dst", kMovedSystem, kSystem),
                             source("src", kMovedSystem, kSystem)};
  std::vector<Rule> rules = {sameTypes({"dst", "src"}),
                             sameShapes({"dst", "src"}),
                             fp20IsDense({"dst", "src"}),
                             wStrideAtMost({"dst", "src"}, kMostStepBytes),
                             axesFit({"dst", "src"}, "nchw"),
                             noPartialOverlap("dst", {"src"})};
  Operation move =
      sdmaRow("sdma.move", "4.4.1", "copies a tensor within system memory",
              "dst(n,c,h,w) = src(n,c,h,w), bits unchanged", slots, rules,
              "gtensor<fp32> t({2, 8, 5, 7}, L2); sdma::move(t, g);");
  Operation compact =
      sdmaRow("sdma.move_compact", "4.4.1",
              "copies a continuous tensor within system memory",
              "dst[i] = src[i] over all elements in row-major order", slots,
              {sameTypes({"dst", "src"}),
               rule("dst and src must have equally many elements",
                    [](const Call &call) {
                      int64_t to = call.tensor("dst")->elements(),
                              from = call.tensor("src")->elements();
                      return to == from ? std::string()
                                        : "dst has " + std::to_string(to) +
                                              ", src " + std::to_string(from);
                    }),
               layoutIs("dst", {AlignMode::Continuous}),
               layoutIs("src", {AlignMode::Continuous}),
               fp20IsDense({"dst", "src"}), noPartialOverlap("dst", {"src"})},
              "gtensor<fp32> t({1, 1, 80, 7}, L2); sdma::move_compact(t, g);");
  return {move, compact};
}

static std::vector<Operation> fills() {
  Operation fill =
      sdmaRow("sdma.fill", "4.4.2", "sets every element to a constant",
              "dst(n,c,h,w) = C; bytes between the elements stay. Floats are "
              "rounded to the nearest, ties to even",
              {result("dst", kMovedSystem, kSystem), element(real("C"))},
              {fp20IsDense({"dst"}), wStrideAtMost({"dst"}, kMostStepBytes),
               axesFit({"dst"}, "nchw"), constantFits("C", "dst")},
              "sdma::fill(g, 1.5f);");
  return {fill, zeroRow(fill, "sdma.zero", "sets every element to 0",
                        "sdma::zero(g);")};
}

/// `mode`: 0 nc, 1 cw, 2 chosen by trans_mode.
static Operation transposeRow(std::string_view name, std::string_view summary,
                              std::string_view formula, int mode,
                              std::string_view example) {
  Operation row = sdmaRow(
      name, "4.4.2", summary, formula,
      {result("dst", kMoved, kSystem), source("src", kMoved, kSystem)},
      {sameTypes({"dst", "src"}), exchangedShapes(mode),
       wStrideAtMost({"dst", "src"}, kMostStepBytes), unitWStrideIfCw(mode),
       axesFit({"dst", "src"}, "nchw"), apart("dst", {"src"})},
      example);
  if (mode == 2) { // the Python form's default
    row.slots.push_back(enumerated(
        "transpose_mode_t", choice("trans_mode", {"NC_TRANS", "CW_TRANS"}, 0)));
    row.spellings = {{"dst src trans_mode"}};
  }
  if (mode != 0)
    row.chipNote = "only BM1690 has a system DMA engine, and that one has no "
                   "command for C/W: its compiler would have to make the "
                   "exchange of other copies";
  return row;
}

static std::vector<Operation> transposes() {
  return {transposeRow("sdma.transpose_cw", "copies, exchanging c and w",
                       "dst(n,c,h,w) = src(n,w,h,c)", 1,
                       "gtensor<fp32> t({2, 7, 5, 8}, GLOBAL); "
                       "sdma::transpose_cw(t, g);"),
          transposeRow("sdma.transpose_nc", "copies, exchanging n and c",
                       "dst(n,c,h,w) = src(c,n,h,w)", 0,
                       "gtensor<fp32> t({8, 2, 5, 7}, GLOBAL); "
                       "sdma::transpose_nc(t, g);"),
          transposeRow("sdma.transpose", "copies, exchanging two axes",
                       "CW_TRANS: dst(n,c,h,w) = src(n,w,h,c); NC_TRANS: "
                       "dst(n,c,h,w) = src(c,n,h,w)",
                       2,
                       "gtensor<fp32> t({8, 2, 5, 7}, GLOBAL); "
                       "sdma::transpose(t, g, NC_TRANS);")};
}

static std::vector<Operation> rowsByIndex() {
  Slot index = source("index", DataType::Uint32, kSystem);
  // Of the deprecated forms: which of the engine's queues.
  Slot port = integer("port_id", -1, 31, -1);
  std::vector<Operation> rows = {
      sdmaRow("sdma.gather_h", "4.4", "copies the rows that a list names",
              "with i = index(0,c,h,0), unsigned: dst(0,c,h,w) = "
              "param(0,c,i,w) if i < param.h, else C",
              {result("dst", kMoved, kSystem), source("param", kMoved, kSystem),
               index, element(real("C"))},
              {sameTypes({"dst", "param"}), constantFits("C", "dst"),
               rowShapes("dst"), unitStride({"dst", "param"}, 'w'),
               unitStride({"index"}, 'h'), apart("dst", {"param", "index"})},
              "gtensor<fp32> rows({1, 8, 9, 7}, GLOBAL), "
              "picked({1, 8, 4, 7}, L2); "
              "gtensor<uint32> which({1, 8, 4, 1}, GLOBAL); "
              "sdma::fill(rows, 3); sdma::fill(which, 2); "
              "sdma::gather_h(picked, rows, which, 0);"),
      sdmaRow("sdma.scatter_h", "4.4",
              "copies rows to the places that a list names",
              "for h = 0, 1, ..: with r = index(0,c,h,0) - start_pos and 0 <= "
              "r < dst.h: dst(0,c,r,w) = param(0,c,h,w), plus its old value if "
              "result_add (integers wrap); other rows stay",
              {updated("dst", kMoved, kSystem),
               source("param", kMoved, kSystem), index,
               integer("start_pos", 0, INT32_MAX, 0), flag("result_add"), port},
              {sameTypes({"dst", "param"}), rowShapes("param"),
               unitStride({"dst", "param"}, 'w'), unitStride({"index"}, 'h'),
               addExists("result_add"), apart("dst", {"param", "index"})},
              "gtensor<fp32> rows({1, 8, 4, 7}, GLOBAL), all({1, 8, 9, 7}, L2);"
              " gtensor<uint32> where({1, 8, 4, 1}, GLOBAL); "
              "sdma::fill(rows, 3); sdma::fill(where, 2); sdma::zero(all); "
              "sdma::scatter_h(all, rows, where, 0, true);")};
  // The type of the fifth argument tells today's form from a deprecated one.
  rows[1].spellings = {{"dst param index start_pos result_add!"},
                       {"dst param index port_id?"},
                       {"dst param index port_id start_pos result_add?"}};
  return rows;
}

static std::vector<Operation> queues() {
  return {sdmaRow("sdma.vsdma_initialize", "4.4",
                  "readies the queues of the engine (deprecated)",
                  "no tensor changes", {}, {}, "sdma::vsdma_initialize();"),
          sdmaRow("sdma.vsdma_poll", "4.4",
                  "waits until the queues of the engine are empty (deprecated)",
                  "no tensor changes; later functions see what the engine "
                  "wrote",
                  {}, {}, "sdma::vsdma_poll();")};
}

std::vector<Operation> catalog::sdmaOperations() {
  return joined<Operation>(
      {copies(),
       fills(),
       {reduceRow("sdma.reduce", Unit::Sdma, kSystem)},
       transposes(),
       rowsByIndex(),
       messageRows("sdma.send_msg", "sdma.wait_msg", Unit::Sdma),
       queues()});
}
