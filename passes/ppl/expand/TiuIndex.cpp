//===- TiuIndex.cpp - functions of PPL as commands ------------------------===//

#include "dialects/ppl/TiuArith.h"
#include "dialects/ppl/TiuSpecial.h"
#include "passes/ppl/Expansion.h"
#include "runtime/ppl/Interpreter.h"

using namespace mlir;
using namespace weft;
using namespace weft::ppl;
namespace sg = weft::isa::sg;

static constexpr int32_t kGather = int32_t(isa::TiuType::Gather);
/// Codes of opd0_str: the table of every channel, or the one of every lane. A
/// row gather counts differently.
static constexpr int64_t kTableEach = 0, kTableOfLane = 4, kRowTableEach = 3;

static int64_t precisionCode(TensorViewType type) {
  return int64_t(*precisionOf(type.getElementType()));
}

/// Bits of C in the type of dst.
static int64_t constantBits(Expansion &e) {
  catalog::Dense one(e.described("dst").type, {1, 1, 1, 1});
  one.setValue(0, e.real("C"));
  return int64_t(one.bits(0));
}

namespace {
/// The tensors of a gather or scatter as the machine sees them, and the fields
/// that all have.
struct IndexCommand {
  Value dst, param, index;
  SmallVector<Expansion::Field> fields;

  explicit IndexCommand(Expansion &e)
      : dst(e.bits(e.tensor("dst"))), param(e.bits(e.tensor("param"))),
        index(e.tensor("index")) {
    auto type = cast<TensorViewType>(dst.getType());
    fields = {
        {"res0_n", type.getN()},
        {"res0_c", type.getC()},
        {"res0_prec", precisionCode(type)},
        {"opd1_prec", e.has("index") ? precisionCode(e.type("index")) : 0}};
  }
  void set(StringRef name, int64_t value) { fields.push_back({name, value}); }
  /// The forms with C: an index of all ones is none.
  void setConstant(Expansion &e) {
    if (!e.has("C"))
      return;
    set("opd3_const", 1);
    set("opd2_const", e.integer("fill_const"));
    if (e.integer("fill_const"))
      set("opd2_addr", constantBits(e));
  }
  void emit(Expansion &e, int32_t func) {
    e.command(Engine::Tiu, kGather, func, fields,
              {{"res0_addr", dst, Expansion::Updates},
               {"opd0_addr", param, Expansion::Reads},
               {"opd1_addr", index, Expansion::Reads}});
  }
};
} // namespace

static LogicalResult expandW(Expansion &e, bool scatters) {
  IndexCommand command(e);
  bool isEach = e.has("is_param_repeated");
  int64_t width = e.type("dst").getW(), table = e.type("param").getW();
  int64_t listed = scatters ? table : width;
  command.set("res0_h", 1);
  command.set("res0_w", width);
  command.set("opd0_prec",
              precisionCode(cast<TensorViewType>(command.param.getType())));
  command.set("opd0_h", 1);
  command.set("opd0_w", table);
  command.set("opd1_c", isEach ? e.type("dst").getC() : listed);
  command.set("opd1_w", isEach ? listed : 1);
  if (isEach)
    command.set("opd0_str",
                e.integer("is_param_repeated") ? kTableOfLane : kTableEach);
  command.setConstant(e);
  command.emit(e, scatters ? (isEach ? sg::ScatterPerChannel : sg::ScatterW)
                           : (isEach ? sg::GatherPerChannel : sg::GatherW));
  return success();
}
static LogicalResult expandGatherW(Expansion &e) { return expandW(e, false); }
static LogicalResult expandScatterW(Expansion &e) { return expandW(e, true); }

static LogicalResult expandHw(Expansion &e, bool scatters) {
  IndexCommand command(e);
  TensorViewType dst = e.type("dst"), param = e.type("param");
  // The side that the list counts is one row.
  auto plane = [](TensorViewType t) { return t.getH() * t.getW(); };
  command.set("res0_h", scatters ? dst.getH() : 1);
  command.set("res0_w", scatters ? dst.getW() : plane(dst));
  command.set("opd0_prec",
              precisionCode(cast<TensorViewType>(command.param.getType())));
  command.set("opd0_h", scatters ? 1 : param.getH());
  command.set("opd0_w", scatters ? plane(param) : param.getW());
  command.set("opd1_c", plane(scatters ? param : dst));
  command.set("opd1_w", 1);
  command.setConstant(e);
  command.emit(e, scatters ? sg::ScatterHw : sg::GatherHw);
  return success();
}
static LogicalResult expandGatherHw(Expansion &e) { return expandHw(e, false); }
static LogicalResult expandScatterHw(Expansion &e) { return expandHw(e, true); }

/// The row command between any tensors of the function's shapes.
static void rowCommand(Expansion &e, int32_t func, Value dst, Value index) {
  IndexCommand command(e);
  command.dst = dst;
  command.index = index;
  TensorViewType shape = e.type("dst");
  command.set("res0_h", shape.getH());
  command.set("res0_w", shape.getW());
  command.set("opd0_h", e.type("param").getH());
  command.set("opd0_str",
              e.integer("is_param_repeated") ? kTableOfLane : kRowTableEach);
  command.emit(e, func);
}

static LogicalResult expandScatterH(Expansion &e) {
  rowCommand(e, sg::ScatterLine, e.bits(e.tensor("dst")), e.tensor("index"));
  return success();
}

/// The machine's row gather has no constant, so: 0 instead of the index of all
/// ones, and afterwards bit by bit what the row becomes.
static LogicalResult expandGatherH(Expansion &e) {
  Value dst = e.bits(e.tensor("dst")), index = e.tensor("index");
  if (!e.has("C")) {
    rowCommand(e, sg::GatherLine, dst, index);
    return success();
  }
  auto type = cast<TensorViewType>(dst.getType());
  auto indexType = cast<TensorViewType>(index.getType());
  unsigned lane = e.described("dst").lane;
  unsigned indexBits = elementBitsOf(indexType.getElementType()),
           bits = elementBitsOf(type.getElementType());
  auto signedType = [&](unsigned width) {
    return e.builder.getIntegerType(width, /*isSigned=*/true);
  };
  auto scratch = [&](Type element) {
    return e.temporary(indexType.getShape(), element, Layout::Aligned, lane);
  };
  // All ones where there is no index.
  Value none = scratch(indexType.getElementType()),
        real = scratch(indexType.getElementType());
  Value ones = e.i32(indexBits == 8 ? 0xff : 0xffff);
  e.create<CompareOp>(Relation::Equal, none, index, ones, ones);
  e.create<IntOp>(IntKind::Xor, real, index, none);
  // As wide as the elements; -1 stays -1.
  Value mask = none;
  if (bits != indexBits) {
    Value wide = scratch(signedType(bits));
    e.create<CastOp>(
        wide,
        e.view(none, Expansion::withElement(indexType, signedType(indexBits))),
        Rounding::HalfToEven);
    mask = e.bits(wide);
  }
  Value keep = scratch(type.getElementType());
  e.create<UnaryOp>(UnaryKind::Not, keep, mask);
  bool fills = e.integer("fill_const");
  Value rows = fills ? dst
                     : e.temporary(type.getShape(), type.getElementType(),
                                   Layout::LineAligned, lane);
  rowCommand(e, sg::GatherLine, rows, real);
  Value constant;
  if (fills) {
    constant = scratch(type.getElementType());
    e.create<IntOp>(IntKind::And, constant, mask, e.i32(constantBits(e)));
  }
  e.eachPart({dst, rows, keep, fills ? constant : mask}, lane,
             [&](ArrayRef<Value> part) {
               Value to = part[0], from = part[1];
               e.create<IntOp>(IntKind::And, from, from, part[2]);
               if (!fills)
                 e.create<IntOp>(IntKind::And, to, to, part[3]);
               e.create<IntOp>(IntKind::Or, to, to, fills ? part[3] : from);
             });
  return success();
}

static LogicalResult expandNonzero(Expansion &e) {
  Value list = e.bits(e.tensor("dst_idx"));
  TensorViewType src = e.type("src");
  e.command(Engine::Tiu, kGather, sg::NonZero,
            {{"res0_n", src.getN()},
             {"res0_c", src.getC()},
             {"res0_h", 1},
             {"res0_w", src.getW()},
             {"res0_prec", precisionCode(e.type("dst_idx"))},
             {"opd0_prec", precisionCode(src)},
             {"opd0_h", 1},
             {"opd0_w", src.getW()}},
            {{"res0_addr", list, Expansion::Updates},
             {"res1_addr", e.tensor("dst_cnt"), Expansion::Writes},
             {"opd0_addr", e.tensor("src"), Expansion::Reads}});
  return success();
}

static LogicalResult expandMaskSelect(Expansion &e) {
  Value dst = e.bits(e.tensor("dst")), src = e.bits(e.tensor("src"));
  auto type = cast<TensorViewType>(dst.getType());
  int64_t width = type.getW();
  bool isOneRow = e.type("src").getC() == 1 && type.getC() > 1;
  if (isOneRow) {
    // The row in every lane.
    SmallVector<int64_t> shape = {1, e.chip.lanes, 1, width};
    Value table = e.temporary(shape, type.getElementType());
    SmallVector<int64_t> row = {1, 1, 1, width};
    e.create<LaneBroadcastOp>(
        table,
        e.view(src, TensorViewType::get(row, type.getElementType(),
                                        Memory::Local, Layout::Aligned)));
    src = table;
    // A command's operands begin in the lane of its result; every lane has the
    // row at one address.
    if (int64_t lane = e.described("dst").lane) {
      SmallVector<int64_t> rest = {1, e.chip.lanes - lane, 1, width};
      src = e.view(table,
                   TensorViewType::get(rest, type.getElementType(),
                                       Memory::Local, Layout::Aligned),
                   {0, lane, 0, 0});
    }
  }
  e.command(Engine::Tiu, kGather, sg::MaskSelect,
            {{"res0_n", type.getN()},
             {"res0_c", type.getC()},
             {"res0_h", 1},
             {"res0_w", width},
             {"res0_prec", precisionCode(type)},
             {"opd0_str", isOneRow ? kTableOfLane : kTableEach},
             {"opd0_prec", precisionCode(type)},
             {"opd0_h", 1},
             {"opd0_w", width},
             {"opd1_prec", precisionCode(e.type("mask"))},
             {"opd1_c", type.getC()},
             {"opd1_w", width}},
            {{"res0_addr", dst, Expansion::Updates},
             {"res1_addr", e.tensor("dst_cnt"), Expansion::Writes},
             {"opd0_addr", src, Expansion::Reads},
             {"opd1_addr", e.tensor("mask"), Expansion::Reads}});
  return success();
}

ArrayRef<ExpandRow> weft::ppl::tiuIndexExpansions() {
  static constexpr ExpandRow rows[] = {
      {"tiu.gather_w", expandGatherW},   {"tiu.gather_hw", expandGatherHw},
      {"tiu.scatter_w", expandScatterW}, {"tiu.scatter_hw", expandScatterHw},
      {"tiu.gather_h", expandGatherH},   {"tiu.scatter_h", expandScatterH},
      {"tiu.nonzero", expandNonzero},    {"tiu.mask_select", expandMaskSelect},
  };
  return rows;
}
