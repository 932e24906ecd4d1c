//===- DmaRules.cpp - rules of dma, sdma and hau -------------------------===//

#include "runtime/ppl/rows/DmaRules.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace weft;
using namespace weft::catalog;

static constexpr std::string_view kAxes = "nchw";

static std::string str(std::string_view text) { return std::string(text); }
static std::string str(int64_t number) { return std::to_string(number); }

static std::string shapeText(const Dims &shape) {
  std::string text;
  for (int64_t size : shape)
    text += (text.empty() ? "" : "x") + str(size);
  return text;
}

static bool isSystem(const Tensor &tensor) {
  return tensor.memory == Memory::Global || tensor.memory == Memory::L2;
}

/// A rule over each of some tensors.
static Rule
each(Names names, std::string text,
     std::function<std::string(const Call &, std::string_view, const Tensor &)>
         check) {
  return {
      std::move(text),
      [names = std::move(names), check = std::move(check)](const Call &call) {
        for (std::string_view name : names)
          if (const Tensor *tensor = call.tensor(name))
            if (std::string found = check(call, name, *tensor); !found.empty())
              return found;
        return std::string();
      }};
}

//===----------------------------------------------------------------------===//
// Types and places
//===----------------------------------------------------------------------===//

Rule catalog::carriedTypes(Names names) {
  std::string text = "the DMA engine carries fp8, tf32 and fp20 on bm1690 "
                     "only; view such a tensor as integers of its width";
  return each(names, text,
              [](const Call &call, std::string_view name, const Tensor &t) {
                bool isNew = call.chip->kernelName() == "bm1690";
                if (isNew || kAnyElement.contains(t.type))
                  return std::string();
                return str(name) + " is " + str(spelling(t.type)) + " on " +
                       str(call.chip->targetName);
              });
}

Rule catalog::fp20IsDense(Names names) {
  std::string text = "fp20 must lie in system memory without gaps, from a "
                     "multiple of 128 bytes on";
  return each(names, text,
              [](const Call &call, std::string_view name, const Tensor &t) {
                if (t.type != DataType::Fp20)
                  return std::string();
                if (!isSystem(t))
                  return str(name) + " lies in " + str(spelling(t.memory)) +
                         " memory";
                if (t.strides != stridesOf(AlignMode::Continuous, t.type,
                                           t.shape, 0, *call.chip))
                  return str(name) + " has gaps or another order";
                if (t.address && *t.address % 128)
                  return str(name) + " starts at " + str(*t.address);
                return std::string();
              });
}

Rule catalog::sameSide(std::string_view dst, std::string_view src) {
  return {str(dst) + " and " + str(src) +
              " must both lie in local or both in system memory; load and "
              "store go between the two",
          [dst, src](const Call &call) {
            const Tensor *to = call.tensor(dst), *from = call.tensor(src);
            if (!to || !from || isSystem(*to) == isSystem(*from))
              return std::string();
            return str(dst) + " lies in " + str(spelling(to->memory)) + ", " +
                   str(src) + " in " + str(spelling(from->memory)) + " memory";
          }};
}

//===----------------------------------------------------------------------===//
// Overlap
//===----------------------------------------------------------------------===//

Rule catalog::broadcastInPlace() {
  return {"dst must begin with src or share no byte with it",
          [](const Call &call) {
            const Tensor *to = call.tensor("dst"), *from = call.tensor("src");
            if (!to || !from)
              return std::string();
            Tensor first = *to;
            first.shape[1] = 1;
            if (isSamePlace(first, *from, *call.chip))
              return std::string();
            return overlapFound("dst", *to, "src", *from, *call.chip);
          }};
}

//===----------------------------------------------------------------------===//
// Shapes and strides
//===----------------------------------------------------------------------===//

static int modeOf(const Call &call, int mode) {
  return mode == 2 ? int(call.integer("trans_mode")) : mode;
}

Rule catalog::exchangedShapes(int mode) {
  std::string text =
      mode == 0 ? "dst must have the shape of src with n and c exchanged"
      : mode == 1
          ? "dst must have the shape of src with c and w exchanged"
          : "dst must have the shape of src with c and w (CW_TRANS) or n and c "
            "(NC_TRANS) exchanged";
  return {text, [mode](const Call &call) {
            const Tensor *to = call.tensor("dst"), *from = call.tensor("src");
            if (!to || !from)
              return std::string();
            Dims wanted = from->shape;
            std::swap(wanted[1], wanted[modeOf(call, mode) == 1 ? 3 : 0]);
            if (to->shape == wanted)
              return std::string();
            return "dst has shape " + shapeText(to->shape) + ", src " +
                   shapeText(from->shape);
          }};
}

static std::string strideFound(std::string_view name, const Tensor &t,
                               char axis) {
  int64_t stride = t.strides[kAxes.find(axis)];
  if (stride == 1)
    return {};
  return std::string(1, axis) + " stride of " + str(name) + " is " +
         str(stride);
}

Rule catalog::unitWStrideIfCw(int mode) {
  return each({"dst", "src"}, "the exchange of c and w takes w strides of 1",
              [mode](const Call &call, std::string_view name, const Tensor &t) {
                return modeOf(call, mode) == 1 ? strideFound(name, t, 'w')
                                               : std::string();
              });
}

Rule catalog::unitStride(Names names, char axis) {
  std::string text = "the " + std::string(1, axis) + " stride of " +
                     joined(names, "and") + " must be 1";
  return each(names, text,
              [axis](const Call &, std::string_view name, const Tensor &t) {
                return strideFound(name, t, axis);
              });
}

Rule catalog::wStrideAtMost(Names names, unsigned bytes) {
  return each(names,
              "the w stride must be 1 to " + str(int64_t(bytes)) + " bytes",
              [bytes](const Call &, std::string_view name, const Tensor &t) {
                uint64_t step = uint64_t(t.strides[3]) * bytesOf(t.type);
                if (step >= 1 && step <= bytes)
                  return std::string();
                return "w stride of " + str(name) + " is " + str(t.strides[3]) +
                       " elements, " + str(int64_t(step)) + " bytes";
              });
}

Rule catalog::axesFit(Names names, std::string_view axes) {
  return each(names, "a DMA command takes 1 to 65535 on each axis",
              [axes](const Call &, std::string_view name, const Tensor &t) {
                for (char axis : axes)
                  if (int64_t size = t.shape[kAxes.find(axis)]; size > 65535)
                    return str(name) + " has " + str(size) + " on axis " +
                           std::string(1, axis);
                return std::string();
              });
}

Rule catalog::reversedAxis() {
  return {"a local src can be turned round on axis 1 (c) only, on bm1688 no "
          "src on axis 3 (w)",
          [](const Call &call) {
            const Tensor *from = call.tensor("src");
            int64_t dim = call.integer("dim");
            if (from && from->memory == Memory::Local && dim != 1)
              return "src lies in local memory and dim is " + str(dim);
            if (call.chip->kernelName() == "bm1688" && dim == 3)
              return std::string("dim is 3 on bm1688");
            return std::string();
          }};
}

Rule catalog::densePlanes(Names names) {
  return each(names,
              "h and w must lie without gaps: w stride 1, h stride w, and "
              "have at most 65535 elements",
              [](const Call &, std::string_view name, const Tensor &t) {
                int64_t plane = t.shape[2] * t.shape[3];
                if (plane > 65535)
                  return "h * w of " + str(name) + " is " + str(plane);
                if (t.strides[3] == 1 &&
                    (t.shape[2] == 1 || t.strides[2] == t.shape[3]))
                  return std::string();
                return str(name) + " has h stride " + str(t.strides[2]) +
                       ", w stride " + str(t.strides[3]) + " for w " +
                       str(t.shape[3]);
              });
}

Rule catalog::linearOrAligned(Names names) {
  return each(names,
              "tensors in system memory must be continuous, local ones N-byte "
              "aligned",
              [](const Call &call, std::string_view name, const Tensor &t) {
                AlignMode mode = t.memory == Memory::Local
                                     ? AlignMode::Aligned
                                     : AlignMode::Continuous;
                Dims wanted =
                    stridesOf(mode, t.type, t.shape, t.lane, *call.chip);
                for (int axis = 0; axis < 4; ++axis)
                  if (t.shape[axis] > 1 && t.strides[axis] != wanted[axis])
                    return str(name) + " in " + str(spelling(t.memory)) +
                           " memory has stride " + str(t.strides[axis]) +
                           " instead of " + str(wanted[axis]) + " on axis " +
                           std::string(1, kAxes[axis]);
                if (t.memory == Memory::Local && t.address &&
                    *t.address % call.chip->euBytes)
                  return str(name) + " starts at byte " + str(*t.address) +
                         " of its lane, not a multiple of " +
                         str(int64_t(call.chip->euBytes));
                return std::string();
              });
}

Rule catalog::holdsAll(std::string_view dst, std::string_view src) {
  return {str(dst) + " must have room for all elements of " + str(src) +
              ": how many are taken is known only at run time",
          [dst, src](const Call &call) {
            const Tensor *to = call.tensor(dst), *from = call.tensor(src);
            if (!to || !from || to->elements() >= from->elements())
              return std::string();
            return str(dst) + " has " + str(to->elements()) + " elements, " +
                   str(src) + " " + str(from->elements());
          }};
}

//===----------------------------------------------------------------------===//
// Constants and types
//===----------------------------------------------------------------------===//

static double largestOf(DataType type) {
  switch (type) {
  case DataType::Fp16:
    return 65519; // 65520 is rounded to infinity
  case DataType::Fp8e5m2:
    return 61439;
  case DataType::Fp8e4m3:
    return 464;
  default:
    return double(std::numeric_limits<float>::max());
  }
}

Rule catalog::constantFits(std::string_view number, std::string_view tensor) {
  return {str(number) + " must be a value of the element type of " +
              str(tensor),
          [number, tensor](const Call &call) {
            const Tensor *to = call.tensor(tensor);
            double value = call.real(number);
            if (!to)
              return std::string();
            bool fits;
            if (isFloat(to->type)) {
              fits = !std::isfinite(value) ||
                     std::fabs(value) <= largestOf(to->type);
            } else {
              // A bit pattern may be given for a signed type, as in tiu.
              double end = std::ldexp(1.0, int(bitsOf(to->type)));
              fits = value == std::floor(value) && value < end &&
                     value >= (isSigned(to->type) ? -end / 2 : 0);
            }
            if (fits)
              return std::string();
            std::string text = std::to_string(value);
            if (value == std::floor(value) && std::fabs(value) < 1e15)
              text = str(int64_t(value));
            return str(number) + " is " + text + ", " + str(tensor) + " is " +
                   str(spelling(to->type));
          }};
}

Rule catalog::testedTypes(std::string_view name) {
  return {"bm1684x and bm1688 can compare only integers with 0; view floats "
          "as integers if -0 may count",
          [name](const Call &call) {
            const Tensor *t = call.tensor(name);
            std::string_view chip = call.chip->kernelName();
            bool integersOnly = chip == "bm1684x" || chip == "bm1688";
            if (!t || !integersOnly || kIntegers.contains(t->type))
              return std::string();
            return str(name) + " is " + str(spelling(t->type));
          }};
}

//===----------------------------------------------------------------------===//
// Broadcast, gather, scatter
//===----------------------------------------------------------------------===//

Rule catalog::broadcastFits() {
  return {"the channels must fit in the lanes from that of dst on, without a "
          "second row, and num must be at most dst.c",
          [](const Call &call) {
            const Tensor *to = call.tensor("dst");
            if (!to)
              return std::string();
            int64_t num = call.integer("num");
            int64_t count = num ? num : to->shape[1];
            if (count > to->shape[1])
              return "num is " + str(num) + ", dst has " + str(to->shape[1]) +
                     " channels";
            if (to->lane + count <= call.chip->lanes)
              return std::string();
            return str(count) + " channels from lane " + str(to->lane) +
                   " on, " + str(int64_t(call.chip->lanes)) + " lanes";
          }};
}

Rule catalog::rowShapes(std::string_view listed) {
  return {"n and the w of index must be 1, dst and param must have one c and "
          "one w of at most 65535, index the h of " +
              str(listed) + " and its c (or 1 in system memory)",
          [listed](const Call &call) {
            const Tensor *to = call.tensor("dst"), *from = call.tensor("param"),
                         *index = call.tensor("index"),
                         *rows = call.tensor(listed);
            if (!to || !from || !index || !rows)
              return std::string();
            bool isShared = index->shape[1] == 1 && isSystem(*index);
            bool fits = to->shape[0] == 1 && from->shape[0] == 1 &&
                        index->shape[0] == 1 && index->shape[3] == 1 &&
                        to->shape[1] == from->shape[1] &&
                        to->shape[3] == from->shape[3] &&
                        to->shape[1] <= 65535 && to->shape[3] <= 65535 &&
                        index->shape[2] == rows->shape[2] &&
                        (isShared || index->shape[1] == to->shape[1]);
            if (fits)
              return std::string();
            return "dst has shape " + shapeText(to->shape) + ", param " +
                   shapeText(from->shape) + ", index " +
                   shapeText(index->shape);
          }};
}

Rule catalog::channelShapes(std::string_view listed) {
  return {"n must be 1, dst and param must have one h and one w, index the "
          "shape 1,C,1,1 or 1,1,1,C with the c of " +
              str(listed),
          [listed](const Call &call) {
            const Tensor *to = call.tensor("dst"), *from = call.tensor("param"),
                         *index = call.tensor("index"),
                         *rows = call.tensor(listed);
            if (!to || !from || !index || !rows)
              return std::string();
            bool fits = to->shape[0] == 1 && from->shape[0] == 1 &&
                        to->shape[2] == from->shape[2] &&
                        to->shape[3] == from->shape[3] &&
                        (index->shape == Dims{1, rows->shape[1], 1, 1} ||
                         index->shape == Dims{1, 1, 1, rows->shape[1]});
            if (fits)
              return std::string();
            return "dst has shape " + shapeText(to->shape) + ", param " +
                   shapeText(from->shape) + ", index " +
                   shapeText(index->shape);
          }};
}

/// Chips and memories of what only newer engines do, from system memory to
/// system memory.
static std::string newerOnly(const Call &call, const std::string &found) {
  std::string_view chip = call.chip->kernelName();
  if (chip == "bm1684x" || chip == "bm1688")
    return found + " on " + str(chip);
  for (std::string_view name : {"dst", "param"})
    if (const Tensor *t = call.tensor(name); t && !isSystem(*t))
      return found + " and " + str(name) + " lies in local memory";
  return {};
}

Rule catalog::startPositionExists(std::string_view name) {
  return {"a start position other than 0 exists on bm1690 and sg2380, within "
          "system memory; elsewhere subtract it from index",
          [name](const Call &call) {
            int64_t start = call.integer(name);
            if (start == 0)
              return std::string();
            return newerOnly(call, str(name) + " is " + str(start));
          }};
}

Rule catalog::addExists(std::string_view name) {
  return {"adding exists on bm1690 and sg2380, within system memory, for "
          "integers, fp32, fp16 and bf16",
          [name](const Call &call) {
            if (!call.integer(name))
              return std::string();
            const Tensor *to = call.tensor("dst");
            if (to && !kAnyElement.contains(to->type))
              return str(name) + " is set for " + str(spelling(to->type));
            return newerOnly(call, str(name) + " is set");
          }};
}

Rule catalog::batchShapes() {
  return {
      "src must have shape 1,C,1,W (1,LANE_NUM or less,1,W in "
      "one row of lanes with is_repeat) and count N,C,1,1 for a dst of N,C,1,W",
      [](const Call &call) {
        const Tensor *to = call.tensor("dst"), *src = call.tensor("src"),
                     *count = call.tensor("count");
        if (!to || !src || !count)
          return std::string();
        auto [n, c, h, w] = to->shape;
        int64_t channels = call.integer("is_repeat")
                               ? std::min<int64_t>(c, int64_t(call.chip->lanes))
                               : c;
        if (call.integer("is_repeat") &&
            src->lane + channels > call.chip->lanes)
          return str(channels) + " channels of src from lane " +
                 str(src->lane) + " on take a second row of lanes";
        if (src->shape == Dims{1, channels, 1, w} &&
            count->shape == Dims{n, c, 1, 1})
          return std::string();
        return "dst has shape " + shapeText(to->shape) + ", src " +
               shapeText(src->shape) + ", count " + shapeText(count->shape);
      }};
}

//===----------------------------------------------------------------------===//
// Rows that several engines have
//===----------------------------------------------------------------------===//

Operation catalog::zeroRow(Operation fill, std::string_view name,
                           std::string_view summary, std::string_view example) {
  fill.name = name;
  fill.summary = summary;
  fill.formula = "dst(n,c,h,w) = 0";
  fill.slots.pop_back();
  fill.rules.pop_back();
  fill.example = example;
  return fill;
}

Operation catalog::reduceRow(std::string_view name, Unit unit, unsigned from) {
  constexpr TypeSet reduced = kFloats | DataType::Int32 | DataType::Fp20;
  Operation row = function(
      name, unit == Unit::Dma ? "4.3.4" : "4.4.2",
      "copies a tensor to L2 or combines it with what is there",
      "ALL_REDUCE_PSUM_WO: dst = src; WR: dst = op(dst, src) in the unit at "
      "the L2, one rounding to the nearest even. MUL, ADD: IEEE; MAX = src > "
      "dst ? src : dst; MIN = dst <= src ? dst : src; NOP: src",
      {updated("dst", reduced, kL2), source("src", reduced, from),
       enumerated(
           "all_reduce_psum_t",
           choice("psum", {"ALL_REDUCE_PSUM_WO", "ALL_REDUCE_PSUM_WR"}, 0)),
       enumerated("all_reduce_opcode_t",
                  choice("opcode",
                         {"ALL_REDUCE_NOP", "ALL_REDUCE_MUL", "ALL_REDUCE_MAX",
                          "ALL_REDUCE_MIN", "ALL_REDUCE_ADD"},
                         0))},
      {sameTypes({"dst", "src"}), sameShapes({"dst", "src"}),
       fp20IsDense({"dst", "src"}),
       unit == Unit::Dma ? shortWStride({"dst", "src"})
                         : wStrideAtMost({"dst", "src"}, 64),
       axesFit({"dst", "src"}, "nchw"),
       rule("psum ALL_REDUCE_PSUM_WO takes opcode ALL_REDUCE_NOP only",
            [](const Call &call) {
              int64_t opcode = call.integer("opcode");
              return call.integer("psum") == 0 && opcode != 0
                         ? "opcode is " + str(call.operation->slot("opcode")
                                                  ->choices[size_t(opcode)])
                         : std::string();
            }),
       rule("int32 cannot be multiplied",
            [](const Call &call) {
              const Tensor *to = call.tensor("dst");
              return to && to->type == DataType::Int32 &&
                             call.integer("opcode") == 1
                         ? std::string("opcode is ALL_REDUCE_MUL")
                         : std::string();
            }),
       noPartialOverlap("dst", {"src"})},
      unit == Unit::Dma
          ? "gtensor<fp32> sum({2, 8, 5, 7}, L2); dma::zero(sum); "
            "dma::reduce(sum, a, ALL_REDUCE_PSUM_WR, "
            "ALL_REDUCE_ADD);"
          : "gtensor<fp32> sum({2, 8, 5, 7}, L2); sdma::zero(sum); "
            "sdma::reduce(sum, g, ALL_REDUCE_PSUM_WR, "
            "ALL_REDUCE_ADD);");
  row.spellings = {{"dst src psum opcode"}};
  row.chips = {"bm1690"};
  row.chipNote = "the unit that combines lies at the L2 of BM1690";
  return row;
}

std::vector<Operation> catalog::messageRows(std::string_view send,
                                            std::string_view wait, Unit unit) {
  Operation row = function(
      send,
      unit == Unit::Dma    ? "4.3"
      : unit == Unit::Sdma ? "4.4"
                           : "4.5",
      "tells other engines that the earlier commands of this one are done",
      "the counter of msg_id takes part with msg_cnt waiting engines; no "
      "tensor changes",
      {integer("msg_id", 0, 511), integer("msg_cnt", 1, 127)}, {}, "");
  row.chipNote = "the engines of BM1684X wait for command numbers of each "
                 "other and have no messages; commands of a kernel are in "
                 "order without them";
  if (unit == Unit::Sdma)
    row.chips = {"bm1690"};
  else if (unit == Unit::Hau)
    row.chips = {"bm1688", "bm1690"};
  else
    row.chips = {"bm1688", "bm1690", "sg2380"};
  std::string_view examples[][2] = {
      {"dma::send_msg(3, 1);", "dma::send_msg(3, 1); dma::wait_msg(3, 1);"},
      {"sdma::send_msg(3, 1);", "sdma::send_msg(3, 1); sdma::wait_msg(3, 1);"},
      {"hau::send_msg(3, 1);", "hau::send_msg(3, 1); hau::wait_msg(3, 1);"}};
  row.example = examples[unsigned(unit)][0];
  Operation waiting = row;
  waiting.name = wait;
  waiting.summary = "holds the later commands of this engine until the message "
                    "has come";
  waiting.formula = "waits until msg_cnt sends of msg_id have come; no tensor "
                    "changes";
  waiting.example = examples[unsigned(unit)][1];
  return {row, waiting};
}
