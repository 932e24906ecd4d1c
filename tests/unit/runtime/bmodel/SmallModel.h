//===- SmallModel.h - a bmodel made by hand for tests -----------*- C++ -*-===//

#ifndef WEFT_TESTS_UNIT_RUNTIME_BMODEL_SMALLMODEL_H
#define WEFT_TESTS_UNIT_RUNTIME_BMODEL_SMALLMODEL_H

#include "runtime/bmodel/bmodel_generated.h"
#include "runtime/isa/Isa.h"

#include <string>
#include <vector>

namespace weft::rt {

/// Tables and binary section of a file whose net copies its 1x4x1x4 i32 input
/// (ONNX: int64, 4x4) to its output with one GDMA command. Weights: 64 bytes.
struct SmallModel {
  wire::ModelT tables;
  std::vector<uint8_t> binary;

  uint8_t *gdma() { return binary.data() + 128; }
  /// In the stage and in its sub-net.
  void setCounts(uint32_t tiu, uint32_t gdma);
  void dropGdmaBlob();
  /// A field of the copy.
  void set(isa::Field field, uint64_t value);
  /// `count` groups of the same bytes, without a debug map.
  void repeatGroup(size_t count);
};

SmallModel makeSmallModel();
/// The bytes of the file.
std::vector<uint8_t> packModel(const SmallModel &model);
/// Empty if the file cannot be read.
std::vector<uint8_t> readFile(const std::string &path);

} // namespace weft::rt

#endif // WEFT_TESTS_UNIT_RUNTIME_BMODEL_SMALLMODEL_H
