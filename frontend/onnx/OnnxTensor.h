//===- OnnxTensor.h - element types, shapes, external files -----*- C++ -*-===//
//
// The part of the model reader that turns TensorProto into Tensor. Included by
// OnnxModel.cpp and OnnxTensor.cpp only (it names protobuf types).
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_FRONTEND_ONNX_ONNXTENSOR_H
#define WEFT_FRONTEND_ONNX_ONNXTENSOR_H

#include "frontend/onnx/OnnxModel.h"
#include "llvm/Support/MemoryBuffer.h"

namespace onnx {
class TensorProto;
} // namespace onnx

namespace weft::onnx {

/// The external data files of one model, each mapped once. Locations are
/// relative, stay below the model's folder (also through symbolic links) and
/// must name a regular file.
class ExternalFiles {
public:
  /// `folder` is empty for a model that is not a file.
  explicit ExternalFiles(std::string folder) : folder(std::move(folder)) {}

  /// The file of the model itself, which has the raw data that protobuf was not
  /// given (RawData.h); null if that was given all.
  std::shared_ptr<llvm::MemoryBuffer> model;

  /// The mapped file at `location`; the error text says what is wrong with it.
  llvm::Expected<std::shared_ptr<llvm::MemoryBuffer>>
  open(const std::string &location);

  /// Adds the files that were opened, each once, in the order of their
  /// locations without dots (`./w.bin` is `w.bin`).
  void addTo(rt::Sha256 &hash) const;

private:
  std::string folder;
  /// By location without dots.
  std::map<std::string, std::shared_ptr<llvm::MemoryBuffer>> opened;
};

/// Converts `proto`, which `owner` keeps alive: small raw data is referenced,
/// large is taken out of it, typed fields are packed into new memory; what lies
/// in a mapped file stays there. The error text does not name the tensor
/// (`sentenceAbout` does). A NaN is an error unless `allowsNan`.
llvm::Expected<Tensor> readTensor(const ::onnx::TensorProto &proto,
                                  const std::shared_ptr<const void> &owner,
                                  ExternalFiles &files, bool allowsNan = false);

/// What an error of `readTensor` says, with `subject` for the tensor.
std::string sentenceAbout(const std::string &subject, llvm::Error error);

} // namespace weft::onnx

#endif // WEFT_FRONTEND_ONNX_ONNXTENSOR_H
