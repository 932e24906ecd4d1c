//===- TiuIndex.cpp - functions of PPL as commands ------------------------===//

#include "runtime/ppl/commands/ElementCommands.h"

using namespace weft;
using namespace weft::commands;
namespace sg = weft::isa::sg;

static constexpr isa::TiuType kGather = isa::TiuType::Gather;
/// Codes of opd0_str: the table of every channel, or the one of every lane. A
/// row gather counts differently.
static constexpr int64_t kTableEach = 0, kTableOfLane = 4, kRowTableEach = 3;

/// Bits of C in the type of dst.
static int64_t constantBits(const Expansion &e) {
  return elementBits(e.tensor("dst").type, e.real("C"));
}

namespace {
/// A gather or scatter: its tensors as the machine sees them, and the fields
/// that all have.
class IndexCommand : public TiuCommand {
public:
  IndexCommand(Expansion &e, const Operand &dst, const Operand &index)
      : TiuCommand(e), dst(dst), param(Expansion::bits(e.tensor("param"))),
        index(index) {
    set({{Field::res0_n, dst.shape[0]},
         {Field::res0_c, dst.shape[1]},
         {Field::res0_prec, codeOf(dst)},
         {Field::opd1_prec, codeOf(e.tensor("index"))}});
  }
  explicit IndexCommand(Expansion &e)
      : IndexCommand(e, Expansion::bits(e.tensor("dst")), e.tensor("index")) {}

  /// The forms with C: an index of all ones is none.
  void setConstant(const Expansion &e) {
    if (!e.has("C"))
      return;
    bool fills = e.integer("fill_const");
    set({{Field::opd3_const, 1}, {Field::opd2_const, fills}});
    if (fills)
      set(Field::opd2_addr, constantBits(e));
  }
  void emit(unsigned func) {
    updates(Field::res0_addr, dst);
    reads(Field::opd0_addr, param);
    reads(Field::opd1_addr, index);
    make(kGather, func);
  }

  Operand dst, param, index;
};
} // namespace

static Status expandW(Expansion &e, bool scatters) {
  IndexCommand command(e);
  bool isEach = e.has("is_param_repeated");
  int64_t width = e.tensor("dst").shape[3], table = e.tensor("param").shape[3];
  int64_t listed = scatters ? table : width;
  command.set(Field::res0_h, 1);
  command.set(Field::res0_w, width);
  command.set(Field::opd0_prec, codeOf(command.param));
  command.set(Field::opd0_h, 1);
  command.set(Field::opd0_w, table);
  command.set(Field::opd1_c, isEach ? e.tensor("dst").shape[1] : listed);
  command.set(Field::opd1_w, isEach ? listed : 1);
  if (isEach)
    command.set(Field::opd0_str,
                e.integer("is_param_repeated") ? kTableOfLane : kTableEach);
  command.setConstant(e);
  command.emit(scatters ? (isEach ? sg::ScatterPerChannel : sg::ScatterW)
                        : (isEach ? sg::GatherPerChannel : sg::GatherW));
  return Status::ok();
}
static Status expandGatherW(Expansion &e) { return expandW(e, false); }
static Status expandScatterW(Expansion &e) { return expandW(e, true); }

static Status expandHw(Expansion &e, bool scatters) {
  IndexCommand command(e);
  Operand dst = e.tensor("dst"), param = e.tensor("param");
  // The side that the list counts is one row.
  auto plane = [](const Operand &t) { return t.shape[2] * t.shape[3]; };
  command.set(Field::res0_h, scatters ? dst.shape[2] : 1);
  command.set(Field::res0_w, scatters ? dst.shape[3] : plane(dst));
  command.set(Field::opd0_prec, codeOf(command.param));
  command.set(Field::opd0_h, scatters ? 1 : param.shape[2]);
  command.set(Field::opd0_w, scatters ? plane(param) : param.shape[3]);
  command.set(Field::opd1_c, plane(scatters ? param : dst));
  command.set(Field::opd1_w, 1);
  command.setConstant(e);
  command.emit(scatters ? sg::ScatterHw : sg::GatherHw);
  return Status::ok();
}
static Status expandGatherHw(Expansion &e) { return expandHw(e, false); }
static Status expandScatterHw(Expansion &e) { return expandHw(e, true); }

/// The row command between any tensors of the function's shapes.
static void rowCommand(Expansion &e, unsigned func, const Operand &dst,
                       const Operand &index) {
  IndexCommand command(e, dst, index);
  const Dims &shape = e.tensor("dst").shape;
  command.set(Field::res0_h, shape[2]).set(Field::res0_w, shape[3]);
  command.set(Field::opd0_h, e.tensor("param").shape[2]);
  command.set(Field::opd0_str,
              e.integer("is_param_repeated") ? kTableOfLane : kRowTableEach);
  command.emit(func);
}

static Status expandScatterH(Expansion &e) {
  rowCommand(e, sg::ScatterLine, e.bits(e.tensor("dst")), e.tensor("index"));
  return Status::ok();
}

/// The machine's row gather has no constant, so: 0 instead of the index of all
/// ones, and afterwards bit by bit what the row becomes.
static Status expandGatherH(Expansion &e) {
  Operand dst = e.bits(e.tensor("dst")), index = e.tensor("index");
  if (!e.has("C")) {
    rowCommand(e, sg::GatherLine, dst, index);
    return Status::ok();
  }
  namespace ar = isa::arith;
  ElementCommands commands(e, index);
  unsigned indexBits = catalog::bitsOf(index.type),
           bits = catalog::bitsOf(dst.type);
  // All ones where there is no index.
  Operand none = commands.room(index.type), real = commands.room(index.type);
  uint32_t ones = indexBits == 8 ? 0xff : 0xffff;
  ArithOptions allOnes;
  allOnes.third = ones;
  allOnes.thirdType = index.type;
  commands.apply(ar::SelectEqual, none, {index, {index.type, ones}}, allOnes);
  commands.apply(ar::Xor, real, {index, none});
  // As wide as the elements; -1 stays -1.
  Operand mask = none;
  if (bits != indexBits) {
    Operand wide = commands.room(integerType(bits, true));
    commands.cast(wide, Expansion::as(none, integerType(indexBits, true)));
    mask = Expansion::bits(wide);
  }
  Operand keep = commands.room(dst.type);
  commands.apply(ar::Not, keep, {mask});
  bool fills = e.integer("fill_const");
  Operand rows =
      fills ? dst
            : e.temporary(dst.shape, dst.type, AlignMode::RowAligned, dst.lane);
  rowCommand(e, sg::GatherLine, rows, real);
  Operand constant = mask;
  if (fills) {
    constant = commands.room(dst.type);
    commands.apply(ar::And, constant,
                   {mask, {dst.type, uint32_t(constantBits(e))}});
  }
  ElementCommands whole(e, dst);
  whole.apply(ar::And, rows, {rows, keep});
  if (!fills)
    whole.apply(ar::And, dst, {dst, constant});
  whole.apply(ar::Or, dst, {dst, fills ? constant : rows});
  return Status::ok();
}

static Status expandNonzero(Expansion &e) {
  Operand list = e.bits(e.tensor("dst_idx"));
  Operand src = e.tensor("src");
  TiuCommand(e)
      .set({{Field::res0_n, src.shape[0]},
            {Field::res0_c, src.shape[1]},
            {Field::res0_h, 1},
            {Field::res0_w, src.shape[3]},
            {Field::res0_prec, codeOf(e.tensor("dst_idx"))},
            {Field::opd0_prec, codeOf(src)},
            {Field::opd0_h, 1},
            {Field::opd0_w, src.shape[3]}})
      .updates(Field::res0_addr, list)
      .writes(Field::res1_addr, e.tensor("dst_cnt"))
      .reads(Field::opd0_addr, e.tensor("src"))
      .make(kGather, sg::NonZero);
  return Status::ok();
}

static Status expandMaskSelect(Expansion &e) {
  Operand dst = e.bits(e.tensor("dst")), src = e.bits(e.tensor("src"));
  int64_t width = dst.shape[3];
  bool isOneRow = src.shape[1] == 1 && dst.shape[1] > 1;
  if (isOneRow) {
    // The row in every lane.
    int64_t lanes = e.chip.lanes, lane = dst.lane;
    Operand table = e.temporary({1, lanes, 1, width}, dst.type);
    broadcastLane(e, table,
                  e.part(src, {}, {1, 1, 1, width}, AlignMode::Aligned));
    // A command's operands begin in the lane of its result; every lane has the
    // row at one address.
    src = e.part(table, {0, lane, 0, 0}, {1, lanes - lane, 1, width},
                 AlignMode::Aligned);
  }
  TiuCommand(e)
      .set({{Field::res0_n, dst.shape[0]},
            {Field::res0_c, dst.shape[1]},
            {Field::res0_h, 1},
            {Field::res0_w, width},
            {Field::res0_prec, codeOf(dst)},
            {Field::opd0_str, isOneRow ? kTableOfLane : kTableEach},
            {Field::opd0_prec, codeOf(dst)},
            {Field::opd0_h, 1},
            {Field::opd0_w, width},
            {Field::opd1_prec, codeOf(e.tensor("mask"))},
            {Field::opd1_c, dst.shape[1]},
            {Field::opd1_w, width}})
      .updates(Field::res0_addr, dst)
      .writes(Field::res1_addr, e.tensor("dst_cnt"))
      .reads(Field::opd0_addr, src)
      .reads(Field::opd1_addr, e.tensor("mask"))
      .make(kGather, sg::MaskSelect);
  return Status::ok();
}

std::vector<ExpandRow> weft::commands::tiuIndexExpansions() {
  return {
      {"tiu.gather_w", expandGatherW},   {"tiu.gather_hw", expandGatherHw},
      {"tiu.scatter_w", expandScatterW}, {"tiu.scatter_hw", expandScatterHw},
      {"tiu.gather_h", expandGatherH},   {"tiu.scatter_h", expandScatterH},
      {"tiu.nonzero", expandNonzero},    {"tiu.mask_select", expandMaskSelect},
  };
}
