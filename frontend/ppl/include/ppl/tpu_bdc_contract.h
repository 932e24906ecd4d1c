//===- tpu_bdc_contract.h - what the unary functions ask ------*- C++ -*-===//

#ifndef WEFT_FRONTEND_PPL_INCLUDE_PPL_TPU_BDC_CONTRACT_H
#define WEFT_FRONTEND_PPL_INCLUDE_PPL_TPU_BDC_CONTRACT_H

#include "ppl/tensor.h"

#include <string>
#include <vector>

namespace ppl::bdc {

/// Checks one call of a function of ppl/tpu_bdc.h. The first rule that is
/// broken is reported at the call's line; the rest is not looked at, and the
/// call must then record nothing.
class Contract {
public:
  /// `shape`: each axis 1 to 65535.
  Contract(const char *function, const dim4 *shape, Line at)
      : function(function), at(at) {
    const weft_ppl_recorder &recorder = detail::recorder();
    auto get = [&](int32_t number) {
      return recorder.get(recorder.self, number, 0);
    };
    lanes = get(WEFT_PPL_LANES);
    laneBytes = get(WEFT_PPL_LANE_BYTES);
    euBytes = get(WEFT_PPL_EU_BYTES);
    require(shape, "shape is a null pointer; give the sizes of dst");
    if (failed)
      return;
    dims = *shape;
    const int sizes[4] = {dims.n, dims.c, dims.h, dims.w};
    for (int axis = 0; axis < 4; ++axis)
      require(sizes[axis] >= 1 && sizes[axis] <= 65535,
              std::string(1, "nchw"[axis]) + " of the shape is " +
                  std::to_string(sizes[axis]) + "; it must be 1 to 65535");
  }
  Contract(const Contract &) = delete;

  bool holds() const { return !failed; }
  const dim4 &shape() const { return dims; }

  /// Reports `message` unless something is wrong already.
  void fail(const std::string &message) {
    if (failed)
      return;
    failed = true;
    const weft_ppl_recorder &recorder = detail::recorder();
    recorder.fail(recorder.self, (function + (": " + message)).c_str(), at);
  }
  void require(bool condition, const std::string &message) {
    if (!condition)
      fail(message);
  }

  /// An operand of the shape; `stride` null: ALIGNED. All start in one lane.
  void operand(const char *name, uint32_t address, int bytes = 4,
               const dim4 *stride = nullptr, bool written = false) {
    if (failed)
      return;
    Operand o = {name, int64_t(address) / laneBytes,
                 int64_t(address) % laneBytes, 0};
    if (o.lane >= lanes)
      return fail(place(o) + " is lane " + std::to_string(o.lane) +
                  "; the chip has " + std::to_string(lanes) + " lanes of " +
                  std::to_string(laneBytes) + " bytes");
    if (stride)
      checkStrides(o, *stride, bytes, written);
    else if (o.offset % euBytes)
      fail(place(o) + "; an aligned tensor starts at a multiple of " +
           std::to_string(euBytes));
    o.bytes = extent(o, stride, bytes);
    if (o.offset + o.bytes > laneBytes)
      fail(place(o) + " and takes " + std::to_string(o.bytes) +
           " bytes of a lane; a lane has " + std::to_string(laneBytes) +
           ", make the shape smaller");
    if (!operands.empty() && operands[0].lane != o.lane)
      fail(place(operands[0]) + ", " + place(o) +
           "; all operands start in one lane");
    for (const Operand &other : operands)
      if (other.offset != o.offset && meet(other, o))
        fail(std::string(o.name) + " overlaps " + other.name +
             " in part (bytes " + range(o) + " and " + range(other) +
             " of a lane); move one of them");
    operands.push_back(o);
  }

  /// Two operands that may not be one buffer.
  void apart(const char *a, const char *b) {
    if (failed || find(a).offset != find(b).offset)
      return;
    fail(std::string(a) + " and " + b + " are one buffer (byte " +
         std::to_string(find(a).offset) + " of a lane); give " + b +
         " a place of its own");
  }

  /// A coefficient buffer: every lane from lane 0 on, apart from the operands.
  void table(const char *name, uint32_t address, int64_t bytes) {
    if (failed)
      return;
    Operand o = {name, int64_t(address) / laneBytes,
                 int64_t(address) % laneBytes, bytes};
    if (o.lane)
      fail(place(o) + "; it starts in lane 0 wherever dst starts");
    if (o.offset % euBytes)
      fail(place(o) + "; it starts at a multiple of " +
           std::to_string(euBytes));
    if (o.offset + o.bytes > laneBytes)
      fail(place(o) + " and takes " + std::to_string(bytes) +
           " bytes of a lane; a lane has " + std::to_string(laneBytes));
    for (const Operand &other : operands)
      if (meet(other, o))
        fail(std::string(name) + " overlaps " + other.name + " (bytes " +
             range(o) + " and " + range(other) +
             " of a lane); move one of them");
    operands.push_back(o);
  }

  /// dst and src at one address: the same strides, or the write of one element
  /// would change another.
  void inPlaceNeedsEqualStrides(const dim4 *dst, const dim4 *src, int bytes) {
    if (failed || find("dst").offset != find("src").offset)
      return;
    dim4 a = dst ? *dst : dense(bytes), b = src ? *src : dense(bytes);
    if ((dims.n > 1 && a.n != b.n) || (rows() > 1 && a.c != b.c) ||
        (dims.h > 1 && a.h != b.h) || (dims.w > 1 && a.w != b.w))
      fail("dst is src but their strides differ (" + text(a) + " and " +
           text(b) + "); in place they must be equal");
  }

  void iterations(int count) {
    require(count >= 1 && count <= 4,
            "num_iter is " + std::to_string(count) + "; it must be 1 to 4");
  }

private:
  struct Operand {
    const char *name;
    int64_t lane, offset, bytes; ///< bytes: to behind the last element
  };

  const Operand &find(const char *name) const {
    for (const Operand &o : operands)
      if (std::string(o.name) == name)
        return o;
    return operands.front(); // every name asked for is an operand
  }
  static bool meet(const Operand &a, const Operand &b) {
    return a.offset < b.offset + b.bytes && b.offset < a.offset + a.bytes;
  }
  static std::string place(const Operand &o) {
    return std::string(o.name) + " starts at lane " + std::to_string(o.lane) +
           ", byte " + std::to_string(o.offset);
  }
  static std::string range(const Operand &o) {
    return std::to_string(o.offset) + " to " +
           std::to_string(o.offset + o.bytes - 1);
  }
  static std::string text(const dim4 &d) {
    return std::to_string(d.n) + "x" + std::to_string(d.c) + "x" +
           std::to_string(d.h) + "x" + std::to_string(d.w);
  }

  /// Rows of lanes that a tensor of the shape takes.
  int64_t rows(int64_t lane) const {
    return (lane + dims.c + lanes - 1) / lanes;
  }
  int64_t rows() const { return rows(operands[0].lane); }
  /// Strides of ALIGNED.
  dim4 dense(int bytes) const {
    const int64_t eus = euBytes / bytes;
    const int64_t plane = int64_t(dims.h) * dims.w;
    const int64_t c = (plane + eus - 1) / eus * eus;
    return {int(c * rows()), int(c), dims.w, 1};
  }
  int64_t extent(const Operand &o, const dim4 *stride, int bytes) const {
    const int64_t n = dims.n - 1, c = rows(o.lane) - 1, h = dims.h - 1,
                  w = dims.w - 1;
    if (stride)
      return (n * stride->n + c * stride->c + h * stride->h + w * stride->w +
              1) *
             bytes;
    const int64_t plane = int64_t(dims.h) * dims.w * bytes;
    return dims.n * rows(o.lane) * ((plane + euBytes - 1) / euBytes * euBytes);
  }
  void checkStrides(const Operand &o, const dim4 &stride, int bytes,
                    bool written) {
    if (o.offset % bytes)
      fail(place(o) +
           "; with strides it starts at a multiple of the element "
           "size, " +
           std::to_string(bytes));
    const int steps[4] = {stride.n, stride.c, stride.h, stride.w};
    const int sizes[4] = {dims.n, dims.c, dims.h, dims.w};
    for (int axis = 0; axis < 4; ++axis) {
      const std::string which = std::string("the ") + "nchw"[axis] +
                                " stride of " + o.name + " is " +
                                std::to_string(steps[axis]);
      if (steps[axis] < 0 || steps[axis] >= 1 << 18)
        fail(which + "; it must be 0 to 262143 elements");
      if (written && steps[axis] == 0 && sizes[axis] > 1)
        fail(which + " and the axis is " + std::to_string(sizes[axis]) +
             "; only an axis of 1 may have it in dst");
    }
  }

  std::string function;
  Line at;
  dim4 dims;
  int64_t lanes, laneBytes, euBytes;
  std::vector<Operand> operands;
  bool failed = false;
};

} // namespace ppl::bdc

#endif // WEFT_FRONTEND_PPL_INCLUDE_PPL_TPU_BDC_CONTRACT_H
