//===- Move.cpp - ND to NZ moves of Ascend --------------------------------===//

#include "runtime/ascend/Move.h"

#include <algorithm>
#include <cstring>

using namespace weft;
using namespace weft::ascend;
using rt::Code;
using rt::Result;
using rt::Status;

//===----------------------------------------------------------------------===//
// Parameters and footprints
//===----------------------------------------------------------------------===//

bool Nd2Nz::operator==(const Nd2Nz &other) const {
  bool same = elementBytes == other.elementBytes && dst == other.dst &&
              src == other.src;
  for (const Parameter &parameter : parameters())
    same &= this->*parameter.value == other.*parameter.value;
  return same;
}

const std::array<Parameter, 9> &ascend::parameters() {
  // dstNzMatrixStride: the range of more than one matrix is a rule of its own.
  static const std::array<Parameter, 9> all = {{
      {"sid", &Nd2Nz::sid, 0, 255, "stream of the prefetch hint"},
      {"ndNum", &Nd2Nz::ndNum, 0, 4095, "matrices"},
      {"nValue", &Nd2Nz::nValue, 0, 16384, "rows"},
      {"dValue", &Nd2Nz::dValue, 0, 65535, "elements"},
      {"srcNdMatrixStride", &Nd2Nz::srcNdMatrixStride, 0, 65535, "elements"},
      {"srcDValue", &Nd2Nz::srcDValue, 1, 65535, "elements"},
      {"dstNzC0Stride", &Nd2Nz::dstNzC0Stride, 1, 16384, "blocks of 32 bytes"},
      {"dstNzNStride", &Nd2Nz::dstNzNStride, 1, 16384, "blocks of 32 bytes"},
      {"dstNzMatrixStride", &Nd2Nz::dstNzMatrixStride, 0, 65535, "elements"},
  }};
  return all;
}

std::string_view ascend::functionOf(int64_t elementBytes) {
  switch (elementBytes) {
  case 1:
    return "copy_gm_to_cbuf_multi_nd2nz_b8";
  case 2:
    return "copy_gm_to_cbuf_multi_nd2nz_b16";
  case 4:
    return "copy_gm_to_cbuf_multi_nd2nz_b32s";
  default:
    return {};
  }
}

int64_t Nd2Nz::sourceElements() const {
  if (isEmpty())
    return 0;
  return (ndNum - 1) * srcNdMatrixStride + (nValue - 1) * srcDValue + dValue;
}

int64_t Nd2Nz::spanBytes() const {
  if (isEmpty())
    return 0;
  return placeOf(ndNum - 1, nValue - 1, rowBlocks() - 1) - dst + kBlockBytes;
}

int64_t Nd2Nz::readBytes() const {
  return ndNum * nValue * dValue * elementBytes;
}

int64_t Nd2Nz::writtenBytes() const {
  return ndNum * nValue * rowBlocks() * kBlockBytes;
}

std::string ascend::text(const Nd2Nz &move) {
  char addresses[64];
  snprintf(addresses, sizeof addresses, " dst=0x%llx src=0x%llx",
           (unsigned long long)move.dst, (unsigned long long)move.src);
  std::string text = std::string(functionOf(move.elementBytes)) + addresses;
  for (const Parameter &parameter : parameters())
    text += " " + std::string(parameter.name) + "=" +
            std::to_string(move.*parameter.value);
  return text;
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

/// Calls visit(source byte, L1 byte, bytes of data) for every block, in the
/// order of the document's loop.
template <typename Visit>
static void forEachBlock(const Nd2Nz &move, Visit visit) {
  if (move.isEmpty())
    return;
  int64_t rowBytes = move.dValue * move.elementBytes;
  for (int64_t i = 0; i < move.ndNum; ++i)
    for (int64_t j = 0; j < move.nValue; ++j)
      for (int64_t k = 0; k < move.rowBlocks(); ++k)
        visit(move.sourceOf(i, j, k), move.placeOf(i, j, k),
              std::min(kBlockBytes, rowBytes - k * kBlockBytes));
}

/// The rules but overlap, which is the last.
static std::string problemBeforeOverlap(const Nd2Nz &move, const Room &room) {
  if (move.isEmpty() || functionOf(move.elementBytes).empty())
    return problemOf(move, room);
  const std::vector<MoveRule> &rules = moveRules();
  for (size_t r = 0; r + 1 < rules.size(); ++r)
    if (std::string found = rules[r].found(move, room); !found.empty())
      return found + "; " + std::string(rules[r].text);
  return {};
}

Status ascend::run(const Nd2Nz &move, Memory l1, Memory global, Overlap overlap,
                   std::vector<int64_t> *undetermined) {
  Room room{global.size, l1.size};
  std::string problem = overlap == Overlap::Refuse
                            ? problemOf(move, room)
                            : problemBeforeOverlap(move, room);
  if (!problem.empty())
    return rt::fail(Code::InvalidArgument, std::move(problem));
  forEachBlock(move, [&](int64_t from, int64_t to, int64_t bytes) {
    std::memcpy(l1.bytes + to, global.bytes + from, size_t(bytes));
    std::memset(l1.bytes + to + bytes, 0, size_t(kBlockBytes - bytes));
  });
  if (overlap == Overlap::Refuse || !undetermined || blocksAreApart(move))
    return Status::ok();
  std::vector<uint8_t> writes(size_t(move.spanBytes() / kBlockBytes));
  forEachBlock(move, [&](int64_t, int64_t to, int64_t) {
    uint8_t &count = writes[size_t((to - move.dst) / kBlockBytes)];
    count = uint8_t(std::min(count + 1, 2));
  });
  for (size_t block = 0; block < writes.size(); ++block)
    if (writes[block] > 1)
      undetermined->push_back(move.dst + int64_t(block) * kBlockBytes);
  return Status::ok();
}

Status ascend::inverse(const Nd2Nz &move, Memory l1, Memory global) {
  if (std::string problem = problemOf(move, {global.size, l1.size});
      !problem.empty())
    return rt::fail(Code::InvalidArgument, std::move(problem));
  forEachBlock(move, [&](int64_t from, int64_t to, int64_t bytes) {
    std::memcpy(global.bytes + from, l1.bytes + to, size_t(bytes));
  });
  return Status::ok();
}

//===----------------------------------------------------------------------===//
// Strided copies
//===----------------------------------------------------------------------===//

std::vector<StridedCopy> ascend::stridedCopies(const Nd2Nz &move) {
  std::vector<StridedCopy> copies;
  if (move.isEmpty())
    return copies;
  int64_t c0 = move.blockElements(), whole = move.dValue / c0,
          tail = move.dValue % c0;
  StridedCopy copy;
  copy.elementBytes = move.elementBytes;
  copy.shape = {move.ndNum, move.nValue, whole, c0};
  copy.srcStrides = {move.srcNdMatrixStride, move.srcDValue, c0, 1};
  copy.dstStrides = {move.dstNzMatrixStride, move.dstNzNStride * c0,
                     move.dstNzC0Stride * c0, 1};
  if (whole > 0)
    copies.push_back(copy);
  if (tail == 0)
    return copies;
  copy.shape = {move.ndNum, move.nValue, 1, tail};
  copy.srcOffset = whole * c0;
  copy.dstOffset = whole * move.dstNzC0Stride * c0;
  copies.push_back(copy);
  copy.isFill = true;
  copy.shape[3] = c0 - tail;
  copy.srcOffset = 0;
  copy.srcStrides = {};
  copy.dstOffset += tail;
  copies.push_back(copy);
  return copies;
}

/// Whether the elements at `start` bytes + offset + all steps lie in a memory.
static bool staysIn(int64_t size, int64_t start, int64_t offset,
                    const std::array<int64_t, 4> &shape,
                    const std::array<int64_t, 4> &strides,
                    int64_t elementBytes) {
  // In doubles: any numbers may be given, and those that fit are exact.
  double low = double(offset), high = low;
  for (int axis = 0; axis < 4; ++axis) {
    double step = double(shape[axis] - 1) * double(strides[axis]);
    (step < 0 ? low : high) += step;
  }
  return double(start) + low * double(elementBytes) >= 0 &&
         double(start) + (high + 1) * double(elementBytes) <= double(size);
}

bool ascend::run(const StridedCopy &copy, int64_t dst, int64_t src, Memory l1,
                 Memory global) {
  for (int64_t count : copy.shape)
    if (count < 0)
      return false;
  for (int64_t count : copy.shape)
    if (count == 0)
      return true;
  int64_t bytes = copy.elementBytes;
  if (bytes < 1 ||
      !staysIn(l1.size, dst, copy.dstOffset, copy.shape, copy.dstStrides,
               bytes) ||
      (!copy.isFill && !staysIn(global.size, src, copy.srcOffset, copy.shape,
                                copy.srcStrides, bytes)))
    return false;
  const std::array<int64_t, 4> &n = copy.shape;
  for (int64_t a = 0; a < n[0]; ++a)
    for (int64_t b = 0; b < n[1]; ++b)
      for (int64_t c = 0; c < n[2]; ++c)
        for (int64_t d = 0; d < n[3]; ++d) {
          const auto &s = copy.srcStrides, &t = copy.dstStrides;
          int64_t to =
              copy.dstOffset + a * t[0] + b * t[1] + c * t[2] + d * t[3];
          int64_t from =
              copy.srcOffset + a * s[0] + b * s[1] + c * s[2] + d * s[3];
          uint8_t *element = l1.bytes + dst + to * bytes;
          if (copy.isFill)
            std::memset(element, 0, size_t(bytes));
          else
            std::memcpy(element, global.bytes + src + from * bytes,
                        size_t(bytes));
        }
  return true;
}
