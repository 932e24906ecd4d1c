//===- Dma.cpp - meaning of the functions of ppl::dma --------------------===//

#include "runtime/ppl/evaluate/Moves.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace weft;
using namespace weft::catalog;

static rt::Status reverse(const Call &call, Values &values) {
  Dense &dst = values["dst"], &src = values["src"];
  auto [N, C, H, W] = dst.shape;
  int64_t dim = call.integer("dim");
  for (int64_t n = 0; n < N; ++n)
    for (int64_t c = 0; c < C; ++c)
      for (int64_t h = 0; h < H; ++h)
        for (int64_t w = 0; w < W; ++w) {
          Dims at = {n, c, h, w};
          at[dim] = dst.shape[dim] - 1 - at[dim];
          copyElement(dst, dst.at(n, c, h, w), src,
                      src.at(at[0], at[1], at[2], at[3]));
        }
  return {};
}

static rt::Status broadcastChannel(const Call &call, Values &values) {
  Dense &dst = values["dst"], &src = values["src"];
  auto [N, C, H, W] = dst.shape;
  int64_t count = call.integer("num") ? call.integer("num") : C;
  // In place dst's own channel 0 may be src: `src` is a copy.
  for (int64_t n = 0; n < N; ++n)
    for (int64_t c = 0; c < count; ++c)
      for (int64_t h = 0; h < H; ++h)
        for (int64_t w = 0; w < W; ++w)
          copyElement(dst, dst.at(n, c, h, w), src, src.at(n, 0, h, w));
  return {};
}

//===----------------------------------------------------------------------===//
// Channels by index
//===----------------------------------------------------------------------===//

static rt::Status gatherChannels(const Call &call, Values &values) {
  Dense &dst = values["dst"], &param = values["param"],
        &index = values["index"];
  uint64_t constant = constantBits(dst.type, call.real("C"));
  auto [N, C, H, W] = dst.shape;
  for (int64_t c = 0; c < C; ++c) {
    int64_t from = index.integer(c) - call.integer("index_start_pos");
    bool isInside = from >= 0 && from < param.shape[1];
    for (int64_t i = 0; i < H * W; ++i)
      dst.setBits(c * H * W + i,
                  isInside ? param.bits(from * H * W + i) : constant);
  }
  return {};
}

static rt::Status scatterChannels(const Call &call, Values &values) {
  Dense &dst = values["dst"], &param = values["param"],
        &index = values["index"];
  bool adds = call.integer("inplace_add");
  auto [N, C, H, W] = param.shape;
  for (int64_t c = 0; c < C; ++c) {
    int64_t to = index.integer(c) - call.integer("start_pos");
    if (to < 0 || to >= dst.shape[1])
      continue;
    for (int64_t i = 0; i < H * W; ++i)
      dst.setBits(to * H * W + i,
                  adds ? sumOf(dst, to * H * W + i, param, c * H * W + i)
                       : param.bits(c * H * W + i));
  }
  return {};
}

//===----------------------------------------------------------------------===//
// Selection
//===----------------------------------------------------------------------===//

/// Not 0 for the engine: it compares in fp32 and takes its subnormals for 0.
static bool isSet(const Dense &mask, int64_t i) {
  if (!isFloat(mask.type))
    return mask.bits(i) != 0;
  double value = mask.value(i);
  return !(std::fabs(value) < double(std::numeric_limits<float>::min()));
}

static void setCount(Values &values, int64_t count) {
  if (auto found = values.find("count"); found != values.end())
    found->second.setBits(0, uint64_t(count));
}

static rt::Status selectByMask(const Call &, Values &values) {
  Dense &dst = values["dst"], &src = values["src"], &mask = values["mask"];
  int64_t count = 0;
  for (int64_t i = 0; i < src.elements(); ++i)
    if (isSet(mask, i))
      copyElement(dst, count++, src, i);
  setCount(values, count);
  return {};
}

static rt::Status listNonzero(const Call &call, Values &values) {
  Dense &dst = values["dst"], &src = values["src"];
  int64_t count = 0;
  for (int64_t i = 0; i < src.elements(); ++i)
    if (isSet(src, i))
      dst.setBits(count++, uint64_t(call.integer("base_idx") + i));
  setCount(values, count);
  return {};
}

static rt::Status selectBatches(const Call &call, Values &values) {
  Dense &dst = values["dst"], &src = values["src"], &mask = values["mask"],
        &count = values["count"];
  auto [N, C, H, W] = dst.shape;
  for (int64_t n = 0; n < N; ++n)
    for (int64_t c = 0; c < C; ++c) {
      int64_t from = call.integer("is_repeat") ? c % call.chip->lanes : c;
      int64_t taken = 0;
      for (int64_t w = 0; w < W; ++w)
        if (mask.bits(mask.at(n, c, 0, w)) != 0)
          copyElement(dst, dst.at(n, c, 0, taken++), src,
                      src.at(0, from, 0, w));
      count.setBits(count.at(n, c, 0, 0), uint64_t(taken));
    }
  return {};
}

//===----------------------------------------------------------------------===//
// Vector registers
//===----------------------------------------------------------------------===//

namespace {
/// One or two groups of registers, as a row of elements.
class Groups {
public:
  Groups(const Call &call, Values &values, std::string_view first,
         std::string_view second = {})
      : registers(values[kVectorRegisters]),
        bytes(unsigned(call.integer("ew")) / 8),
        perRegister(call.integer("v_len")), lmul(call.integer("lmul")) {
    starts.push_back(call.integer(first));
    if (!second.empty())
      starts.push_back(call.integer(second));
  }
  int64_t elements() const {
    return int64_t(starts.size()) * lmul * perRegister;
  }
  /// The bytes of element i.
  uint8_t *at(int64_t i) {
    int64_t group = i / (lmul * perRegister), rest = i % (lmul * perRegister);
    int64_t number = starts[size_t(group)] + rest / perRegister;
    return registers.bytes.data() + number * kVectorRegisterBytes +
           rest % perRegister * bytes;
  }
  /// Element i to `to`, or from there.
  void give(int64_t i, uint8_t *to) { std::copy_n(at(i), bytes, to); }
  void take(int64_t i, const uint8_t *from) { std::copy_n(from, bytes, at(i)); }
  int64_t elementBytes() const { return bytes; }

private:
  Dense &registers;
  unsigned bytes;
  int64_t perRegister, lmul;
  std::vector<int64_t> starts;
};
} // namespace

/// Calls body(i, bytes) for each element of a slot that is a tensor, or of as
/// many as the groups have in static memory from the slot's number on.
template <class Body>
static void eachElement(const Call &call, Values &values, std::string_view slot,
                        const Groups &groups, Body body) {
  const Argument &place = call[slot];
  Dense &dense = values[place.isTensor() ? slot : kStaticMemory];
  int64_t start = place.isTensor() ? 0 : int64_t(place.number());
  int64_t count = place.isTensor() ? dense.elements() : groups.elements();
  for (int64_t i = 0; i < count; ++i)
    body(i, dense.bytes.data() + start + i * groups.elementBytes());
}

static rt::Status giveAll(const Call &call, Values &values, Groups groups) {
  eachElement(call, values, "dst", groups,
              [&](int64_t i, uint8_t *to) { groups.give(i, to); });
  return {};
}

static rt::Status takeAll(const Call &call, Values &values) {
  Groups groups(call, values, "dst_v_idx");
  eachElement(call, values, "src", groups,
              [&](int64_t i, uint8_t *from) { groups.take(i, from); });
  return {};
}

static rt::Status giveGroup(const Call &call, Values &values) {
  return giveAll(call, values, Groups(call, values, "v_idx"));
}
static rt::Status giveTwoGroups(const Call &call, Values &values) {
  return giveAll(call, values, Groups(call, values, "v_idx0", "v_idx1"));
}

/// The row-major position of the element that lies at place `place` of lane
/// `lane`: places of a lane run over n, the rows of lanes, h and w.
static int64_t dealtPosition(const Dense &dense, int64_t lane, int64_t place,
                             int64_t lanes) {
  auto [N, C, H, W] = dense.shape;
  int64_t plane = H * W, rows = C / lanes;
  int64_t inPlane = place % plane, row = place / plane % rows,
          n = place / plane / rows;
  return (n * C + row * lanes + lane) * plane + inPlane;
}

static rt::Status deal(const Call &call, Values &values, Groups groups) {
  Dense &dst = values["dst"];
  int64_t lanes = call.chip->lanes, per = dst.elements() / lanes;
  for (int64_t i = 0; i < dst.elements(); ++i)
    groups.give(i,
                dst.bytes.data() + dealtPosition(dst, i / per, i % per, lanes) *
                                       groups.elementBytes());
  return {};
}
static rt::Status dealGroup(const Call &call, Values &values) {
  return deal(call, values, Groups(call, values, "v_idx"));
}
static rt::Status dealTwoGroups(const Call &call, Values &values) {
  return deal(call, values, Groups(call, values, "v_idx0", "v_idx1"));
}

static rt::Status collect(const Call &call, Values &values) {
  Groups groups(call, values, "dst_v_idx");
  Dense &src = values["src"];
  int64_t lanes = call.chip->lanes, per = src.elements() / lanes;
  for (int64_t i = 0; i < src.elements(); ++i)
    groups.take(i,
                src.bytes.data() + dealtPosition(src, i / per, i % per, lanes) *
                                       groups.elementBytes());
  return {};
}

std::vector<EvaluatorRow> catalog::dmaEvaluators() {
  std::vector<EvaluatorRow> rows = {{"dma.reverse", reverse},
                                    {"dma.vload", takeAll},
                                    {"dma.vstore", giveGroup},
                                    {"dma.move_tv", giveGroup},
                                    {"dma.move_distv", dealGroup},
                                    {"dma.move_vv", giveTwoGroups},
                                    {"dma.move_distvv", dealTwoGroups},
                                    {"dma.move_vt", takeAll},
                                    {"dma.move_vcoll", collect},
                                    {"dma.fill", fillElements},
                                    {"dma.zero", zeroElements},
                                    {"dma.load_broadcast", broadcastChannel},
                                    {"dma.broadcast", broadcastChannel},
                                    {"dma.gather_h", gatherRows},
                                    {"dma.scatter_h", scatterRows},
                                    {"dma.gather_c", gatherChannels},
                                    {"dma.scatter_c", scatterChannels},
                                    {"dma.reduce", reduceInto},
                                    {"dma.mask_select", selectByMask},
                                    {"dma.nonzero", listNonzero},
                                    {"dma.mask_batch_bcast", selectBatches}};
  for (std::string_view name : {"dma.load", "dma.store", "dma.move",
                                "dma.load_compact", "dma.store_compact"})
    rows.push_back({name, copyElements});
  // A transposition has one meaning wherever its tensors lie.
  for (std::string_view name :
       {"dma.load_transpose", "dma.store_transpose", "dma.transpose"})
    rows.push_back({name, exchangeByMode});
  for (std::string_view name :
       {"dma.load_transpose_cw", "dma.store_transpose_cw", "dma.transpose_cw"})
    rows.push_back({name, exchangeChannelAndWidth});
  for (std::string_view name :
       {"dma.load_transpose_nc", "dma.store_transpose_nc", "dma.transpose_nc"})
    rows.push_back({name, exchangeBatchAndChannel});
  return rows;
}
