//===- ModelMutator.h - ONNX models that are almost right -------*- C++ -*-===//

#ifndef WEFT_TESTS_FUZZ_MODELMUTATOR_H
#define WEFT_TESTS_FUZZ_MODELMUTATOR_H

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace weft::fuzz {

/// Changes models where protobuf still reads them: attributes, shapes, types,
/// names, operands, operators, constants, opsets, and bodies of control flow.
class ModelMutator {
public:
  ModelMutator();
  ~ModelMutator();

  /// Takes the bytes of an ONNX file as a seed. False if protobuf cannot read
  /// them.
  bool addSeed(const std::string &bytes);
  size_t seeds() const;

  /// Number `index` of the endless list of models; the same for the same seeds.
  /// The first ones are the seeds themselves.
  std::string model(uint64_t index) const;

private:
  struct Seeds;
  std::unique_ptr<Seeds> all;
};

} // namespace weft::fuzz

#endif // WEFT_TESTS_FUZZ_MODELMUTATOR_H
