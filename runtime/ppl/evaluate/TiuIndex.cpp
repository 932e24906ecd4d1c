//===- TiuIndex.cpp - gather, scatter and select inside lanes -------------===//

#include "runtime/ppl/Interpreter.h"

using namespace weft;
using namespace weft::catalog;

/// One of a list of indices, as its uses see it.
namespace {
struct Indices {
  const Dense &list;
  bool hasNone; ///< an index of all ones is none

  bool isNone(int64_t at) const {
    return hasNone &&
           list.bits(at) == (bytesOf(list.type) == 1 ? 0xff : 0xffff);
  }
};
} // namespace

static rt::Status outOfRange(int64_t index, int64_t limit, int64_t at) {
  return rt::fail(
      rt::Code::InvalidArgument,
      "index " + std::to_string(index) + " at element " + std::to_string(at) +
          " of the index list, must be below " + std::to_string(limit));
}

static Indices indicesOf(const Call &call, const Values &values) {
  return {values.at("index"), call["C"].kind != Argument::Kind::None};
}

/// Bits of C in the type of dst.
static uint64_t constantBits(const Call &call, const Dense &dst) {
  Dense one(dst.type, {1, 1, 1, 1});
  one.setValue(0, call.real("C"));
  return one.bits(0);
}

/// The channel of a table that channel c reads.
static int64_t tableChannel(const Call &call, int64_t c) {
  return call.integer("is_param_repeated") ? c % call.chip->lanes : c;
}

static bool hasIndexPerChannel(const Call &call) {
  return call["is_param_repeated"].kind != Argument::Kind::None;
}

static rt::Status gatherW(const Call &call, Values &values) {
  Dense &dst = values.at("dst");
  const Dense &param = values.at("param");
  Indices indices = indicesOf(call, values);
  bool isEach = hasIndexPerChannel(call), fills = call.integer("fill_const");
  auto [images, channels, one, width] = dst.shape;
  for (int64_t n = 0; n < images; ++n)
    for (int64_t c = 0; c < channels; ++c)
      for (int64_t w = 0; w < width; ++w) {
        int64_t at = isEach ? indices.list.at(n, c, 0, w) : w;
        int64_t to = dst.at(n, c, 0, w);
        if (indices.isNone(at)) {
          if (fills)
            dst.setBits(to, constantBits(call, dst));
          continue;
        }
        int64_t index = indices.list.integer(at);
        if (index >= param.shape[3])
          return outOfRange(index, param.shape[3], at);
        int64_t from = isEach ? param.at(0, tableChannel(call, c), 0, index)
                              : param.at(n, c, 0, index);
        dst.setBits(to, param.bits(from));
      }
  return {};
}

static rt::Status scatterW(const Call &call, Values &values) {
  Dense &dst = values.at("dst");
  const Dense &param = values.at("param");
  Indices indices = indicesOf(call, values);
  bool isEach = hasIndexPerChannel(call);
  for (int64_t n = 0; n < dst.shape[0]; ++n)
    for (int64_t c = 0; c < dst.shape[1]; ++c)
      for (int64_t w = 0; w < param.shape[3]; ++w) {
        int64_t at = isEach ? indices.list.at(n, c, 0, w) : w;
        int64_t index = indices.list.integer(at);
        if (index >= dst.shape[3])
          return outOfRange(index, dst.shape[3], at);
        int64_t from = isEach ? param.at(0, tableChannel(call, c), 0, w)
                              : param.at(n, c, 0, w);
        dst.setBits(dst.at(n, c, 0, index), param.bits(from));
      }
  return {};
}

/// A pair of the list of gather_hw and scatter_hw.
namespace {
struct Place {
  int64_t h, w;
  bool isNone;
};
} // namespace

static Place pairOf(const Indices &indices, int64_t k) {
  return {indices.list.integer(2 * k + 1), indices.list.integer(2 * k),
          indices.isNone(2 * k) || indices.isNone(2 * k + 1)};
}

static rt::Status outsidePlane(const Place &place, const Dense &plane,
                               int64_t k) {
  if (place.h >= plane.shape[2])
    return outOfRange(place.h, plane.shape[2], 2 * k + 1);
  if (place.w >= plane.shape[3])
    return outOfRange(place.w, plane.shape[3], 2 * k);
  return {};
}

static rt::Status gatherHw(const Call &call, Values &values) {
  Dense &dst = values.at("dst");
  const Dense &param = values.at("param");
  Indices indices = indicesOf(call, values);
  bool fills = call.integer("fill_const");
  int64_t plane = dst.shape[2] * dst.shape[3];
  for (int64_t k = 0; k < plane; ++k) {
    Place place = pairOf(indices, k);
    if (!place.isNone)
      if (rt::Status status = outsidePlane(place, param, k); !status.isOk())
        return status;
    for (int64_t n = 0; n < dst.shape[0]; ++n)
      for (int64_t c = 0; c < dst.shape[1]; ++c) {
        int64_t to = dst.at(n, c, 0, 0) + k;
        if (!place.isNone)
          dst.setBits(to, param.bits(param.at(n, c, place.h, place.w)));
        else if (fills)
          dst.setBits(to, constantBits(call, dst));
      }
  }
  return {};
}

static rt::Status scatterHw(const Call &call, Values &values) {
  Dense &dst = values.at("dst");
  const Dense &param = values.at("param");
  Indices indices = indicesOf(call, values);
  int64_t plane = param.shape[2] * param.shape[3];
  for (int64_t k = 0; k < plane; ++k) {
    Place place = pairOf(indices, k);
    if (rt::Status status = outsidePlane(place, dst, k); !status.isOk())
      return status;
    for (int64_t n = 0; n < dst.shape[0]; ++n)
      for (int64_t c = 0; c < dst.shape[1]; ++c)
        dst.setBits(dst.at(n, c, place.h, place.w),
                    param.bits(param.at(n, c, 0, 0) + k));
  }
  return {};
}

/// Both row functions: row `from` of the table of channel c goes to row `to`.
static rt::Status rows(const Call &call, Values &values, bool scatters) {
  Dense &dst = values.at("dst");
  const Dense &param = values.at("param");
  Indices indices = indicesOf(call, values);
  bool fills = call.integer("fill_const");
  int64_t limit = (scatters ? dst : param).shape[2];
  for (int64_t n = 0; n < dst.shape[0]; ++n)
    for (int64_t c = 0; c < dst.shape[1]; ++c)
      for (int64_t i = 0; i < indices.list.shape[2]; ++i) {
        int64_t at = indices.list.at(n, c, i, 0);
        bool isNone = indices.isNone(at);
        if (isNone && !fills)
          continue;
        int64_t index = indices.list.integer(at);
        if (!isNone && index >= limit)
          return outOfRange(index, limit, at);
        for (int64_t w = 0; w < dst.shape[3]; ++w) {
          int64_t from = isNone ? 0
                                : param.at(0, tableChannel(call, c),
                                           scatters ? i : index, w);
          dst.setBits(dst.at(n, c, scatters ? index : i, w),
                      isNone ? constantBits(call, dst) : param.bits(from));
        }
      }
  return {};
}

static rt::Status gatherH(const Call &call, Values &values) {
  return rows(call, values, false);
}
static rt::Status scatterH(const Call &call, Values &values) {
  return rows(call, values, true);
}

static rt::Status nonzero(const Call &, Values &values) {
  Dense &list = values.at("dst_idx"), &count = values.at("dst_cnt");
  const Dense &src = values.at("src");
  for (int64_t row = 0; row < src.shape[0] * src.shape[1]; ++row) {
    int64_t first = row * src.shape[3], found = 0;
    for (int64_t w = 0; w < src.shape[3]; ++w)
      if (src.bits(first + w) != 0)
        list.setBits(first + found++, uint64_t(w));
    count.setBits(row, uint64_t(found));
  }
  return {};
}

static rt::Status maskSelect(const Call &, Values &values) {
  Dense &dst = values.at("dst"), &count = values.at("dst_cnt");
  const Dense &src = values.at("src"), &mask = values.at("mask");
  bool isOneRow = src.shape[1] == 1;
  for (int64_t n = 0; n < dst.shape[0]; ++n)
    for (int64_t c = 0; c < dst.shape[1]; ++c) {
      int64_t found = 0;
      for (int64_t w = 0; w < dst.shape[3]; ++w)
        if (mask.bits(mask.at(n, c, 0, w)) != 0)
          dst.setBits(dst.at(n, c, 0, found++),
                      src.bits(src.at(0, isOneRow ? 0 : c, 0, w)));
      count.setBits(count.at(n, c, 0, 0), uint64_t(found));
    }
  return {};
}

std::vector<EvaluatorRow> catalog::tiuIndexEvaluators() {
  return {{"tiu.gather_w", gatherW},   {"tiu.gather_hw", gatherHw},
          {"tiu.scatter_w", scatterW}, {"tiu.scatter_hw", scatterHw},
          {"tiu.gather_h", gatherH},   {"tiu.scatter_h", scatterH},
          {"tiu.nonzero", nonzero},    {"tiu.mask_select", maskSelect}};
}
