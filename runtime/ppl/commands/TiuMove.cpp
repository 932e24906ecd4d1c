//===- TiuMove.cpp - functions of PPL as commands -------------------------===//

#include "runtime/ppl/CoefficientTables.h"
#include "runtime/ppl/commands/ElementCommands.h"

#include <algorithm>

using namespace weft;
using namespace weft::commands;

static Status expandMove(Expansion &e) {
  ElementCommands(e, "dst").copy(e.tensor("dst"), e.tensor("src"));
  return Status::ok();
}

static Status expandFill(Expansion &e) {
  Operand dst = e.tensor("dst");
  ElementCommands(e, dst).copy(
      dst, ElementCommands::constant(dst.type, e.real("scalar")));
  return Status::ok();
}

static Status expandBroadcast(Expansion &e) {
  Operand dst = e.named(Expansion::bits(e.tensor("dst")), AlignMode::Aligned),
          src = e.named(Expansion::bits(e.tensor("src")), AlignMode::Aligned);
  int64_t channels = dst.shape[1],
          count = e.integer("num") ? e.integer("num") : channels;
  if (count == channels) {
    broadcastLane(e, dst, src);
    return Status::ok();
  }
  // Images of dst may have more rows of lanes than are written: one by one.
  auto image = [&](const Operand &tensor, int64_t n, int64_t channels) {
    return e.part(tensor, {n, 0, 0, 0},
                  {1, channels, tensor.shape[2], tensor.shape[3]},
                  AlignMode::Aligned);
  };
  for (int64_t n = 0; n < dst.shape[0]; ++n)
    broadcastLane(e, image(dst, n, count), image(src, n, 1));
  return Status::ok();
}

/// A move between lanes; opd0_c and opd0_w of the command.
static void moveLanes(Expansion &e, unsigned func, const Operand &dst,
                      const Operand &src, int64_t channels, int64_t width) {
  TiuCommand(e)
      .result(dst)
      .resultShape(dst.shape)
      .reads(Field::opd0_addr, src)
      .set({{Field::opd0_c, channels}, {Field::opd0_w, width}})
      .make(isa::TiuType::TransposeBroadcast, func);
}

static Status expandMoveCrossLane(Expansion &e) {
  Operand src = e.tensor("src");
  DataType type = Expansion::copiedAs(src.type);
  auto copied = [&](const Operand &tensor) {
    return e.named(Expansion::as(tensor, type), AlignMode::Aligned);
  };
  moveLanes(e, isa::tsbc::LaneCopy, copied(e.tensor("dst")), copied(src),
            src.shape[1], src.shape[3]);
  return Status::ok();
}

static Status expandTranspose(Expansion &e, unsigned func) {
  Operand dst = Expansion::bits(e.tensor("dst"));
  moveLanes(e, func, dst, Expansion::bits(e.tensor("src")), dst.shape[3],
            dst.shape[1]);
  return Status::ok();
}
static Status expandCw(Expansion &e) {
  return expandTranspose(e, isa::tsbc::CwTranspose);
}
static Status expandWc(Expansion &e) {
  return expandTranspose(e, isa::tsbc::WcTranspose);
}

/// Copies the first w entries of a table to every channel of `dst`.
static void loadTable(Expansion &e, const Operand &dst,
                      const catalog::CoefficientTable &table) {
  broadcastLane(e, dst, e.staticRow(table.byte, dst.shape[3], dst.type));
}

static Status expandStaticBroadcast(Expansion &e) {
  Operand dst = e.tensor("dst");
  loadTable(e, e.named(dst, AlignMode::Aligned),
            *catalog::coefficientTable(e.integer("coeff_mode"), dst.type));
  return Status::ok();
}

/// The table of 0 to 63, then as much again behind what is there, until it is
/// long enough; then times the step, plus the start.
static Status expandArange(Expansion &e) {
  namespace ar = isa::arith;
  Operand dst = e.tensor("dst");
  int64_t channels = e.integer("c") ? e.integer("c") : dst.shape[1],
          count = e.integer("num"), step = e.integer("step"),
          start = e.integer("start");
  // One row of lanes, so that any piece of w is an aligned tensor.
  auto piece = [&](int64_t from, int64_t length) {
    return e.part(dst, {0, 0, 0, from}, {1, channels, 1, length},
                  AlignMode::Aligned);
  };
  auto add = [&](unsigned func, const Operand &to, const Operand &from,
                 int64_t number) {
    ElementCommands(e, to).apply(
        func, to, {from, ElementCommands::whole(number, dst.type)});
  };
  auto table = *catalog::coefficientTable(catalog::kSerialNumberTable,
                                          catalog::DataType::Int32);
  int64_t done = std::min<int64_t>(count, table.count);
  loadTable(e, piece(0, done), table);
  while (done < count) {
    int64_t more = std::min(done, count - done);
    add(ar::Add, piece(done, more), piece(0, more), done);
    done += more;
  }
  Operand all = piece(0, count);
  if (step != 1)
    add(ar::Mul, all, all, step);
  if (start != 0)
    add(ar::Add, all, all, start);
  return Status::ok();
}

std::vector<ExpandRow> weft::commands::tiuMoveExpansions() {
  return {
      {"tiu.move", expandMove},
      {"tiu.broadcast", expandBroadcast},
      {"tiu.move_cross_lane", expandMoveCrossLane},
      {"tiu.fill", expandFill},
      {"tiu.transpose_cw", expandCw},
      {"tiu.transpose_wc", expandWc},
      {"tiu.smem_bcast", expandStaticBroadcast},
      {"tiu.arange_broadcast", expandArange},
  };
}
