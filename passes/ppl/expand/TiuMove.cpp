//===- TiuMove.cpp - functions of PPL as commands -------------------------===//

#include "dialects/ppl/TiuArith.h"
#include "dialects/ppl/TiuSpecial.h"
#include "passes/ppl/Expansion.h"
#include "runtime/ppl/CoefficientTables.h"
#include "runtime/ppl/Interpreter.h"

#include <algorithm>

using namespace mlir;
using namespace weft;
using namespace weft::ppl;

static LogicalResult expandMove(Expansion &e) {
  e.eachPart({e.bits(e.tensor("dst")), e.bits(e.tensor("src"))},
             e.described("dst").lane, [&](ArrayRef<Value> part) {
               e.create<UnaryOp>(UnaryKind::Copy, part[0], part[1]);
             });
  return success();
}

static LogicalResult expandFill(Expansion &e) {
  catalog::Dense one(e.described("dst").type, {1, 1, 1, 1});
  one.setValue(0, e.real("scalar"));
  Value scalar = e.i32(int64_t(one.bits(0)));
  e.eachPart({e.bits(e.tensor("dst"))}, e.described("dst").lane,
             [&](ArrayRef<Value> part) {
               e.create<UnaryOp>(UnaryKind::Copy, part[0], scalar);
             });
  return success();
}

static LogicalResult expandBroadcast(Expansion &e) {
  Value dst = e.named(e.bits(e.tensor("dst")), Layout::Aligned),
        src = e.named(e.bits(e.tensor("src")), Layout::Aligned);
  auto type = cast<TensorViewType>(dst.getType());
  int64_t count = e.integer("num") ? e.integer("num") : type.getC();
  if (count == type.getC()) {
    e.create<LaneBroadcastOp>(dst, src);
    return success();
  }
  // Images of dst may have more rows of lanes than are written: one by one.
  auto image = [&](Value tensor, int64_t n, int64_t channels) {
    auto whole = cast<TensorViewType>(tensor.getType());
    return e.view(
        tensor,
        Expansion::withShape(whole, {1, channels, whole.getH(), whole.getW()}),
        {n, 0, 0, 0});
  };
  for (int64_t n = 0; n < type.getN(); ++n)
    e.create<LaneBroadcastOp>(image(dst, n, count), image(src, n, 1));
  return success();
}

static LogicalResult expandMoveCrossLane(Expansion &e) {
  e.create<LaneCopyOp>(e.named(e.bits(e.tensor("dst")), Layout::Aligned),
                       e.named(e.bits(e.tensor("src")), Layout::Aligned));
  return success();
}

static LogicalResult expandTranspose(Expansion &e, int32_t func) {
  Value dst = e.bits(e.tensor("dst")), src = e.bits(e.tensor("src"));
  auto type = cast<TensorViewType>(dst.getType());
  e.command(Engine::Tiu, int32_t(isa::TiuType::TransposeBroadcast), func,
            {{"res0_n", type.getN()},
             {"res0_c", type.getC()},
             {"res0_h", type.getH()},
             {"res0_w", type.getW()},
             {"res0_prec", int64_t(*precisionOf(type.getElementType()))},
             {"opd0_c", type.getW()},
             {"opd0_w", type.getC()}},
            {{"res0_addr", dst, Expansion::Writes},
             {"opd0_addr", src, Expansion::Reads}});
  return success();
}
static LogicalResult expandCw(Expansion &e) {
  return expandTranspose(e, isa::tsbc::CwTranspose);
}
static LogicalResult expandWc(Expansion &e) {
  return expandTranspose(e, isa::tsbc::WcTranspose);
}

/// Copies the first w entries of a table to every channel of `dst`.
static void loadTable(Expansion &e, Value dst,
                      const catalog::CoefficientTable &table) {
  auto type = cast<TensorViewType>(dst.getType());
  SmallVector<int64_t> shape = {1, 1, 1, type.getW()};
  Value row = e.create<StaticOp>(
      TensorViewType::get(shape, type.getElementType(), Memory::Static,
                          Layout::Continuous),
      int64_t(table.byte));
  e.create<LaneBroadcastOp>(dst, row);
}

static LogicalResult expandStaticBroadcast(Expansion &e) {
  loadTable(e, e.named(e.tensor("dst"), Layout::Aligned),
            *catalog::coefficientTable(e.integer("coeff_mode"),
                                       e.described("dst").type));
  return success();
}

/// The table of 0 to 63, then as much again behind what is there, until it is
/// long enough; then times the step, plus the start.
static LogicalResult expandArange(Expansion &e) {
  TensorViewType type = e.type("dst");
  int64_t channels = e.integer("c") ? e.integer("c") : type.getC(),
          count = e.integer("num"), step = e.integer("step"),
          start = e.integer("start");
  // One row of lanes, so that any piece of w is an aligned tensor.
  auto piece = [&](int64_t from, int64_t length) {
    SmallVector<int64_t> shape = {1, channels, 1, length};
    return e.view(e.tensor("dst"),
                  TensorViewType::get(shape, type.getElementType(),
                                      Memory::Local, Layout::Aligned),
                  {0, 0, 0, from});
  };
  auto table = *catalog::coefficientTable(catalog::kSerialNumberTable,
                                          catalog::DataType::Int32);
  int64_t done = std::min<int64_t>(count, table.count);
  loadTable(e, piece(0, done), table);
  while (done < count) {
    int64_t more = std::min(done, count - done);
    e.create<IntOp>(IntKind::Add, piece(done, more), piece(0, more),
                    e.i32(done));
    done += more;
  }
  Value all = piece(0, count);
  if (step != 1)
    e.create<IntOp>(IntKind::Mul, all, all, e.i32(step));
  if (start != 0)
    e.create<IntOp>(IntKind::Add, all, all, e.i32(start));
  return success();
}

ArrayRef<ExpandRow> weft::ppl::tiuMoveExpansions() {
  static constexpr ExpandRow rows[] = {
      {"tiu.move", expandMove},
      {"tiu.broadcast", expandBroadcast},
      {"tiu.move_cross_lane", expandMoveCrossLane},
      {"tiu.fill", expandFill},
      {"tiu.transpose_cw", expandCw},
      {"tiu.transpose_wc", expandWc},
      {"tiu.smem_bcast", expandStaticBroadcast},
      {"tiu.arange_broadcast", expandArange},
  };
  return rows;
}
