//===- TiuIndex.cpp - gather, scatter and select inside lanes -------------===//

#include "runtime/catalog/Slots.h"
#include "runtime/ppl/Rows.h"

#include <algorithm>

using namespace weft;
using namespace weft::catalog;

// Moved as bits: the 8-bit floats are bytes to every chip.
static constexpr TypeSet kMovable = kAnyElement | kFp8;
static constexpr TypeSet kIndex = TypeSet(DataType::Uint16) | DataType::Uint8;

/// An index of its own for every channel: the forms that say whether the
/// lanes hold one table (is_param_repeated).
static bool isPerChannel(const Call &call) {
  return call["is_param_repeated"].kind != Argument::Kind::None;
}

static Rule ifShared(Rule rule) {
  return onlyIf(
      "without is_param_repeated",
      [](const Call &call) { return !isPerChannel(call); }, std::move(rule));
}
static Rule ifPerChannel(Rule rule) {
  return onlyIf("with is_param_repeated", isPerChannel, std::move(rule));
}

/// A table of each channel has the channels of dst; one table a lane is given
/// by as many channels, or by as many as there are lanes, all in one row.
static Rule tableChannels() {
  return rule("axis c of param must equal axis c of dst, or be the number of "
              "lanes if that is less and is_param_repeated is true",
              [](const Call &call) {
                int64_t table = call.tensor("param")->shape[1],
                        wanted = call.tensor("dst")->shape[1];
                int64_t lanes = call.chip->lanes;
                bool isRepeated = call.integer("is_param_repeated") != 0;
                if (table == wanted ||
                    (isRepeated && table == lanes && wanted > lanes))
                  return std::string();
                return "param has " + std::to_string(table) +
                       " there, dst has " + std::to_string(wanted);
              });
}

/// The lanes of one table a lane; the machine reads the first row of each.
static Rule tableInFirstRow() {
  return rule("the first LANE_NUM channels of a repeated param must lie in the "
              "first row of lanes",
              [](const Call &call) {
                const Tensor *param = call.tensor("param");
                int64_t lanes = call.chip->lanes;
                int64_t used = std::min(param->shape[1], lanes);
                if (!call.integer("is_param_repeated") ||
                    param->lane + used <= lanes)
                  return std::string();
                return "param has " + std::to_string(used) +
                       " tables from lane " + std::to_string(param->lane) +
                       " on, the chip has " + std::to_string(lanes) + " lanes";
              });
}

static Rule constantIfFilled() {
  return rule("fill_const needs the constant", [](const Call &call) {
    return call.integer("fill_const") != 0 &&
                   call["C"].kind == Argument::Kind::None
               ? std::string("C is missing")
               : std::string();
  });
}

/// The list `name` has an entry for every element of the plane of `like`.
static Rule listsPlane(std::string_view name, std::string_view like) {
  return rule("axis c of " + std::string(name) + " must be h * w of " +
                  std::string(like),
              [name, like](const Call &call) {
                const Tensor *list = call.tensor(name),
                             *plane = call.tensor(like);
                int64_t wanted = plane->shape[2] * plane->shape[3];
                if (list->shape[1] == wanted)
                  return std::string();
                return std::string(name) + " has " +
                       std::to_string(list->shape[1]) + " there, " +
                       std::string(like) + " has " + std::to_string(wanted);
              });
}

/// What every row of the group asks: one type, one lane, tables apart from the
/// result, starts on EU rows.
static std::vector<Rule> withShared(std::vector<Rule> rules) {
  return joined(std::move(rules),
                {sameTypes({"dst", "param"}), sameLanes({"dst", "param"}),
                 apart("dst", {"param", "index"}), startsOnEu("dst"),
                 startsOnEu("param"), startsOnEu("index")});
}

static std::vector<Rule> wRules(bool gathers) {
  std::string_view listed = gathers ? "dst" : "param";
  return withShared({
      shapeIs("dst", {-1, -1, 1, -1}),
      shapeIs("param", {-1, -1, 1, -1}),
      tableChannels(),
      tableInFirstRow(),
      layoutIs("dst", {AlignMode::Aligned}),
      layoutIs("param", {AlignMode::Aligned}),
      ifShared(sameAxis("param", 'n', "dst", 'n')),
      ifShared(shapeIs("index", {1, -1, 1, 1})),
      ifShared(sameAxis("index", 'c', listed, 'w')),
      ifShared(layoutIs("index", {AlignMode::Compact})),
      ifShared(startsInLaneZero("index")),
      ifPerChannel(shapeIs("param", {1, -1, 1, -1})),
      ifPerChannel(shapeIs("index", {-1, -1, 1, -1})),
      ifPerChannel(sameAxis("index", 'n', "dst", 'n')),
      ifPerChannel(sameAxis("index", 'c', "dst", 'c')),
      ifPerChannel(sameAxis("index", 'w', listed, 'w')),
      ifPerChannel(layoutIs("index", {AlignMode::Aligned})),
      ifPerChannel(sameLanes({"dst", "index"})),
  });
}

static Slot repeated(bool isOptional) {
  Slot slot = flag("is_param_repeated");
  slot.optional = isOptional;
  return slot;
}

static Operation gatherW() {
  Operation op = function(
      "tiu.gather_w", "4.6.3.1",
      "picks elements along w by index, one index list for all "
      "channels or one a channel, optionally a constant for the "
      "largest index",
      "without is_param_repeated: dst(n,c,0,w) = param(n,c,0,index(0,w,0,0)); "
      "with it: dst(n,c,0,w) = param(0,s,0,index(n,c,0,w)), s = c mod LANE_NUM "
      "if is_param_repeated is true, else c. With C, an index of all ones (255 "
      "or 65535) gives C converted to the type of dst if fill_const is true "
      "and leaves dst as it is if not; every other index must be below param's "
      "w",
      {updated("dst", kMovable), source("param", kMovable),
       source("index", kIndex), element(real("C", 0)), repeated(true),
       flag("fill_const")},
      wRules(true),
      "tensor<fp16> dst({1, 64, 1, 40}), param({1, 64, 1, 200});\n"
      "tensor<uint8> index({1, 40, 1, 1}, TPU_COMPACT);\n"
      "tiu::gather_w(dst, param, index);");
  op.spellings = {{"dst param index"},
                  {"dst param index C fill_const"},
                  {"dst param index is_param_repeated"},
                  {"dst param index C is_param_repeated fill_const"}};
  op.rules.push_back(constantIfFilled());
  op.rules.push_back(scalarFits("C", "dst"));
  return op;
}

static Operation scatterW() {
  Operation op = function(
      "tiu.scatter_w", "4.6.3.3",
      "writes elements to places along w by index, one index list for "
      "all channels or one a channel",
      "without is_param_repeated: dst(n,c,0,index(0,w,0,0)) = param(n,c,0,w); "
      "with it: dst(n,c,0,index(n,c,0,w)) = param(0,s,0,w), s = c mod LANE_NUM "
      "if is_param_repeated is true, else c; for w ascending, so the last of "
      "several elements with one index stays. Other elements of dst keep "
      "their values. Every index must be below dst's w",
      {updated("dst", kMovable), source("param", kMovable),
       source("index", kIndex), repeated(true)},
      wRules(false),
      "tensor<fp16> dst({1, 64, 1, 200}), param({1, 64, 1, 40});\n"
      "tensor<uint8> index({1, 40, 1, 1}, TPU_COMPACT);\n"
      "tiu::fill(dst, 0);\n"
      "tiu::scatter_w(dst, param, index);");
  op.spellings = {{"dst param index"}, {"dst param index is_param_repeated"}};
  return op;
}

static std::vector<Rule> hwRules(std::string_view listed) {
  return withShared({
      planeLimit({listed}),
      sameAxis("param", 'n', "dst", 'n'),
      sameAxis("param", 'c', "dst", 'c'),
      shapeIs("index", {1, -1, 1, 2}),
      listsPlane("index", listed),
      layoutIs("dst", {AlignMode::Aligned}),
      layoutIs("param", {AlignMode::Aligned}),
      layoutIs("index", {AlignMode::Compact}),
      startsInLaneZero("index"),
  });
}

static Operation gatherHw() {
  Operation op = function(
      "tiu.gather_hw", "4.6.3.4",
      "picks elements of a plane by pairs of a w and an h index, "
      "optionally a constant for the largest index",
      "dst(n,c,h,w) = param(n,c,index(0,k,0,1),index(0,k,0,0)), k = h*W_dst + "
      "w: element 0 of a pair is the w index, element 1 the h index. With C, a "
      "pair with a 65535 gives C converted to the type of dst if fill_const is "
      "true and leaves dst as it is if not; every other pair must lie in "
      "param's plane",
      {updated("dst", kMovable), source("param", kMovable),
       source("index", DataType::Uint16), element(real("C", 0)),
       flag("fill_const")},
      hwRules("dst"),
      "tensor<fp32> dst({1, 64, 8, 8}), param({1, 64, 16, 16});\n"
      "tensor<uint16> index({1, 64, 1, 2}, TPU_COMPACT);\n"
      "tiu::gather_hw(dst, param, index);");
  op.spellings = {{"dst param index"}, {"dst param index C fill_const"}};
  op.rules.push_back(constantIfFilled());
  op.rules.push_back(scalarFits("C", "dst"));
  return op;
}

static Operation scatterHw() {
  Operation op =
      function("tiu.scatter_hw", "4.6.3.6",
               "writes elements to places of a plane by pairs of a w and an h "
               "index",
               "dst(n,c,index(0,k,0,1),index(0,k,0,0)) = param(n,c,h,w), k = "
               "h*W_param + w ascending: the last of several elements with one "
               "place stays. Other elements of dst keep their values. Every "
               "pair must lie in dst's plane",
               {updated("dst", kMovable), source("param", kMovable),
                source("index", DataType::Uint16)},
               hwRules("param"),
               "tensor<fp32> dst({1, 64, 16, 16}), param({1, 64, 8, 8});\n"
               "tensor<uint16> index({1, 64, 1, 2}, TPU_COMPACT);\n"
               "tiu::fill(dst, 0);\n"
               "tiu::scatter_hw(dst, param, index);");
  op.chips = {"bm1684x", "bm1688", "bm1690", "sg2380", "sg2260e", "sg2262"};
  return op;
}

static std::vector<Rule> hRules(std::string_view listed) {
  return withShared({
      shapeIs("param", {1, -1, -1, -1}),
      tableChannels(),
      tableInFirstRow(),
      sameAxis("param", 'w', "dst", 'w'),
      shapeIs("index", {-1, -1, -1, 1}),
      sameAxis("index", 'n', "dst", 'n'),
      sameAxis("index", 'c', "dst", 'c'),
      sameAxis("index", 'h', listed, 'h'),
      layoutIs("dst", {AlignMode::RowAligned}),
      layoutIs("param", {AlignMode::RowAligned}),
      layoutIs("index", {AlignMode::Aligned}),
      sameLanes({"dst", "index"}),
  });
}

static Operation gatherH() {
  Operation op = function(
      "tiu.gather_h", "4.6.3.10",
      "picks rows of w by an index a channel, optionally a constant "
      "for the largest index",
      "dst(n,c,h,w) = param(0,s,index(n,c,h,0),w), s = c mod LANE_NUM if "
      "is_param_repeated is true, else c. With C, an index of all ones (255 or "
      "65535) gives C converted to the type of dst if fill_const is true and "
      "leaves the row of dst as it is if not; every other index must be below "
      "param's h",
      {updated("dst", kMovable), source("param", kMovable),
       source("index", kIndex), element(real("C", 0)), repeated(false),
       flag("fill_const")},
      hRules("dst"),
      "tensor<fp16> dst({1, 64, 10, 40}, TPU_ROW_ALIGN);\n"
      "tensor<fp16> param({1, 64, 100, 40}, TPU_ROW_ALIGN);\n"
      "tensor<uint8> index({1, 64, 10, 1});\n"
      "tiu::gather_h(dst, param, index, false);");
  op.spellings = {{"dst param index is_param_repeated"},
                  {"dst param index C is_param_repeated fill_const"}};
  op.rules.push_back(constantIfFilled());
  op.rules.push_back(scalarFits("C", "dst"));
  return op;
}

static Operation scatterH() {
  return function(
      "tiu.scatter_h", "4.6.3.12",
      "writes rows of w to places along h by an index a channel",
      "dst(n,c,index(n,c,h,0),w) = param(0,s,h,w), s = c mod LANE_NUM "
      "if is_param_repeated is true, else c; for h ascending: the last "
      "of several rows with one index stays. Other rows of dst keep "
      "their values. Every index must be below dst's h",
      {updated("dst", kMovable), source("param", kMovable),
       source("index", kIndex), repeated(false)},
      hRules("param"),
      "tensor<fp16> dst({1, 64, 100, 40}, TPU_ROW_ALIGN);\n"
      "tensor<fp16> param({1, 64, 10, 40}, TPU_ROW_ALIGN);\n"
      "tensor<uint8> index({1, 64, 10, 1});\n"
      "tiu::scatter_h(dst, param, index, false);");
}

static Operation nonzero() {
  static constexpr TypeSet positions = TypeSet(DataType::Int16) |
                                       DataType::Uint16 | DataType::Int32 |
                                       DataType::Uint32;
  Operation op = function(
      "tiu.nonzero", "4.6.3.13",
      "lists the positions of the elements of a row that are not 0, "
      "and counts them",
      "for every (n,c): dst_idx(n,c,0,0..k-1) = the w with "
      "src(n,c,0,w) != 0, ascending; dst_cnt(n,c,0,0) = k. The rest of "
      "dst_idx keeps its values",
      {updated("dst_idx", positions), result("dst_cnt", DataType::Uint16),
       source("src", kIntegers)},
      {
          shapeIs("src", {-1, -1, 1, -1}),
          sameShapes({"src", "dst_idx"}),
          shapeIs("dst_cnt", {-1, -1, 1, 1}),
          sameAxis("dst_cnt", 'n', "src", 'n'),
          sameAxis("dst_cnt", 'c', "src", 'c'),
          layoutIs("dst_idx", {AlignMode::Aligned}),
          layoutIs("dst_cnt", {AlignMode::Compact}),
          layoutIs("src", {AlignMode::Aligned}),
          sameLanes({"dst_idx", "dst_cnt", "src"}),
          rule("positions in w must fit the type of dst_idx",
               [](const Call &call) {
                 const Tensor *list = call.tensor("dst_idx");
                 if (list->type != DataType::Int16 || list->shape[3] <= 32768)
                   return std::string();
                 return "w is " + std::to_string(list->shape[3]) +
                        ", dst_idx is int16";
               }),
          apart("dst_idx", {"src", "dst_cnt"}),
          apart("dst_cnt", {"src"}),
          startsOnEu("dst_idx"),
          startsOnEu("src"),
      },
      "tensor<int16> dst_idx({1, 64, 1, 100}), src({1, 64, 1, 100});\n"
      "tensor<uint16> dst_cnt({1, 64, 1, 1}, TPU_COMPACT);\n"
      "tiu::nonzero(dst_idx, dst_cnt, src);");
  op.chips = {"bm1684x", "sg2380", "sg2260e", "sg2262"};
  op.chipNote = "the manual names SG2380 only; the gather unit of BM1684X has "
                "the instruction too";
  return op;
}

static Operation maskSelect() {
  auto oneRow = [](const Call &call) {
    return call.tensor("src")->shape[1] == 1;
  };
  auto rowEach = [](const Call &call) {
    return call.tensor("src")->shape[1] != 1;
  };
  Operation op = function(
      "tiu.mask_select", "4.6.3.14",
      "packs the elements of a row that a mask picks to the front, "
      "and counts them",
      "for every (n,c): dst(n,c,0,0..k-1) = the src(0,s,0,w) with "
      "mask(n,c,0,w) "
      "!= 0, w ascending, s = c, or 0 if src has one row for all channels; "
      "dst_cnt(n,c,0,0) = k. The rest of dst keeps its values",
      {updated("dst", kMovable), result("dst_cnt", DataType::Uint16),
       source("src", kMovable), source("mask", kUnsigned)},
      {
          sameTypes({"dst", "src"}),
          shapeIs("mask", {-1, -1, 1, -1}),
          sameShapes({"mask", "dst"}),
          shapeIs("dst_cnt", {-1, -1, 1, 1}),
          sameAxis("dst_cnt", 'n', "dst", 'n'),
          sameAxis("dst_cnt", 'c', "dst", 'c'),
          shapeIs("src", {1, -1, 1, -1}),
          sameAxis("src", 'w', "dst", 'w'),
          onlyIf("with more than one row", rowEach,
                 sameAxis("src", 'c', "dst", 'c')),
          onlyIf("with more than one row", rowEach,
                 layoutIs("src", {AlignMode::Aligned})),
          onlyIf("with one row", oneRow,
                 layoutIs("src", {AlignMode::Compact, AlignMode::Aligned})),
          layoutIs("dst", {AlignMode::Aligned}),
          layoutIs("dst_cnt", {AlignMode::Compact}),
          layoutIs("mask", {AlignMode::Aligned}),
          sameLanes({"dst", "dst_cnt", "src", "mask"}),
          apart("dst", {"src", "mask", "dst_cnt"}),
          apart("dst_cnt", {"src", "mask"}),
          startsOnEu("dst"),
          startsOnEu("src"),
          startsOnEu("mask"),
      },
      "tensor<fp16> dst({1, 64, 1, 100}), src({1, 64, 1, 100});\n"
      "tensor<uint8> mask({1, 64, 1, 100});\n"
      "tensor<uint16> dst_cnt({1, 64, 1, 1}, TPU_COMPACT);\n"
      "tiu::mask_select(dst, dst_cnt, src, mask);");
  op.chips = {"bm1684x", "bm1688", "bm1690", "sg2380", "sg2260e", "sg2262"};
  op.chipNote = "the manual names SG2380 only; measured on BM1684X and BM1688";
  return op;
}

std::vector<Operation> catalog::tiuIndexOperations() {
  return {gatherW(), gatherHw(), scatterW(), scatterHw(),
          gatherH(), scatterH(), nonzero(),  maskSelect()};
}
