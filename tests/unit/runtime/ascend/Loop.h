//===- Loop.h - the document's loop, for tests ----------------*- C++ -*-===//

#ifndef WEFT_TESTS_UNIT_RUNTIME_ASCEND_LOOP_H
#define WEFT_TESTS_UNIT_RUNTIME_ASCEND_LOOP_H

#include "runtime/ascend/Move.h"

#include <algorithm>
#include <numeric>

namespace weft::ascend::test {

using Bytes = std::vector<uint8_t>;

inline Memory memoryOf(Bytes &bytes) {
  return {bytes.data(), int64_t(bytes.size())};
}

/// L1 after a move, by the loop of the document: byte addresses, three nested
/// loops, the block filled up with zeros. Shares no code with Move.cpp.
inline Bytes loop(const Nd2Nz &m, const Bytes &before, const Bytes &global) {
  Bytes l1 = before;
  const int64_t c0Size = 32;
  for (int64_t i = 0; i < m.ndNum; ++i) {
    int64_t srcNd = m.src + m.srcNdMatrixStride * i * m.elementBytes;
    int64_t dstNd = m.dst + m.dstNzMatrixStride * i * m.elementBytes;
    for (int64_t j = 0; j < m.nValue; ++j) {
      int64_t srcN = srcNd + j * m.srcDValue * m.elementBytes;
      int64_t dstN = dstNd + j * m.dstNzNStride * c0Size;
      for (int64_t k = 0; k * 32 < m.dValue * m.elementBytes; ++k)
        for (int64_t b = 0; b < 32; ++b)
          l1.at(size_t(dstN + k * m.dstNzC0Stride * c0Size + b)) =
              k * 32 + b < m.dValue * m.elementBytes
                  ? global.at(size_t(srcN + k * 32 + b))
                  : 0;
    }
  }
  return l1;
}

/// Elements 0, 1, 2 .. little endian, as far as `elementBytes` hold them.
inline Bytes counting(int64_t elements, int64_t elementBytes) {
  Bytes bytes(size_t(elements * elementBytes));
  for (int64_t e = 0; e < elements; ++e)
    for (int64_t b = 0; b < elementBytes; ++b)
      bytes[size_t(e * elementBytes + b)] = uint8_t(e >> 8 * b);
  return bytes;
}

/// Bytes without a pattern, the same on every machine.
inline Bytes noise(int64_t size, uint32_t seed) {
  Bytes bytes{};
  bytes.resize(size_t(size));
  for (uint8_t &byte : bytes) {
    seed = seed * 1664525 + 1013904223;
    byte = uint8_t(seed >> 24);
  }
  return bytes;
}

/// The element at an index of an array of elements.
inline int64_t element(const Bytes &bytes, int64_t index,
                       int64_t elementBytes) {
  int64_t value = 0;
  for (int64_t b = 0; b < elementBytes; ++b)
    value |= int64_t(bytes.at(size_t(index * elementBytes + b))) << 8 * b;
  return value;
}

/// A move in the order of the document's parameters, without sid.
inline Nd2Nz move(int64_t elementBytes, int64_t ndNum, int64_t nValue,
                  int64_t dValue, int64_t srcNdMatrixStride, int64_t srcDValue,
                  int64_t dstNzC0Stride, int64_t dstNzNStride,
                  int64_t dstNzMatrixStride) {
  Nd2Nz m;
  m.elementBytes = elementBytes;
  m.ndNum = ndNum;
  m.nValue = nValue;
  m.dValue = dValue;
  m.srcNdMatrixStride = srcNdMatrixStride;
  m.srcDValue = srcDValue;
  m.dstNzC0Stride = dstNzC0Stride;
  m.dstNzNStride = dstNzNStride;
  m.dstNzMatrixStride = dstNzMatrixStride;
  return m;
}

/// Two matrices of 3 x 20 with row pitch 24, f16: the vector V1.
inline Nd2Nz twoMatrices() { return move(2, 2, 3, 20, 80, 24, 4, 1, 128); }

} // namespace weft::ascend::test

#endif // WEFT_TESTS_UNIT_RUNTIME_ASCEND_LOOP_H
