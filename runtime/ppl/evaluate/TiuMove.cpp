//===- TiuMove.cpp - copies, constants and transposes ---------------------===//

#include "runtime/ppl/CoefficientTables.h"
#include "runtime/ppl/Interpreter.h"

using namespace weft;
using namespace weft::catalog;

static rt::Status move(const Call &, Values &values) {
  values.at("dst").bytes = values.at("src").bytes;
  return {};
}

static rt::Status broadcast(const Call &call, Values &values) {
  Dense &dst = values.at("dst");
  const Dense &src = values.at("src");
  int64_t count = call.integer("num") ? call.integer("num") : dst.shape[1];
  int64_t plane = dst.shape[2] * dst.shape[3];
  for (int64_t n = 0; n < dst.shape[0]; ++n)
    for (int64_t c = 0; c < count; ++c)
      for (int64_t i = 0; i < plane; ++i)
        dst.setBits(dst.at(n, c, 0, 0) + i, src.bits(n * plane + i));
  return {};
}

static rt::Status fill(const Call &call, Values &values) {
  Dense &dst = values.at("dst");
  Dense one(dst.type, {1, 1, 1, 1});
  one.setValue(0, call.real("scalar"));
  for (int64_t i = 0; i < dst.elements(); ++i)
    dst.setBits(i, one.bits(0));
  return {};
}

static rt::Status transpose(const Call &, Values &values) {
  Dense &dst = values.at("dst");
  const Dense &src = values.at("src");
  auto [images, channels, height, width] = dst.shape;
  for (int64_t n = 0; n < images; ++n)
    for (int64_t c = 0; c < channels; ++c)
      for (int64_t h = 0; h < height; ++h)
        for (int64_t w = 0; w < width; ++w)
          dst.setBits(dst.at(n, c, h, w), src.bits(src.at(n, w, h, c)));
  return {};
}

static rt::Status staticBroadcast(const Call &call, Values &values) {
  Dense &dst = values.at("dst");
  std::optional<CoefficientTable> table =
      coefficientTable(call.integer("coeff_mode"), dst.type);
  if (!table)
    return rt::fail(rt::Code::InvalidArgument, "there is no such table");
  std::vector<uint32_t> entries =
      coefficients(*table, dst.type, unsigned(dst.shape[3]));
  for (int64_t c = 0; c < dst.shape[1]; ++c)
    for (int64_t w = 0; w < dst.shape[3]; ++w)
      dst.setBits(dst.at(0, c, 0, w), entries[size_t(w)]);
  return {};
}

static rt::Status arange(const Call &call, Values &values) {
  Dense &dst = values.at("dst");
  int64_t channels = call.integer("c") ? call.integer("c") : dst.shape[1];
  // Unsigned: wraps as the adders of the machine do.
  uint64_t start = uint64_t(call.integer("start")),
           step = uint64_t(call.integer("step"));
  for (int64_t c = 0; c < channels; ++c)
    for (int64_t w = 0; w < call.integer("num"); ++w)
      dst.setBits(dst.at(0, c, 0, w), start + step * uint64_t(w));
  return {};
}

std::vector<EvaluatorRow> catalog::tiuMoveEvaluators() {
  return {{"tiu.move", move},
          {"tiu.broadcast", broadcast},
          {"tiu.move_cross_lane", move},
          {"tiu.fill", fill},
          {"tiu.transpose_cw", transpose},
          {"tiu.transpose_wc", transpose},
          {"tiu.smem_bcast", staticBroadcast},
          {"tiu.arange_broadcast", arange}};
}
