//===- OnnxRuntime.h - ONNX Runtime as the reference ------------*- C++ -*-===//

#ifndef WEFT_TOOLS_WEFT_ONNXRUNTIME_H
#define WEFT_TOOLS_WEFT_ONNXRUNTIME_H

#include "tools/files/TemporaryFolder.h"
#include "tools/weft/ChildProcess.h"
#include "tools/weft/Reference.h"

#include <memory>
#include <nlohmann/json.hpp>
#include <string>

namespace weft::cli {

/// ONNX Runtime in a Python process of its own, one for all samples: Weft links
/// nothing of it, and a crash there is a message here.
class OnnxRuntime {
public:
  /// The model at path `model`; `withLayers`: all its values are outputs of a
  /// temporary copy. `outputs`: values that count as its outputs in place of
  /// its own; none: its own. The Python is that of WEFT_PYTHON, else `python3`.
  /// Code::NotFound if that or ONNX Runtime is not installed, Code::Unsupported
  /// if ONNX Runtime refuses the model or crashes.
  static rt::Result<std::unique_ptr<OnnxRuntime>>
  open(const std::string &model, bool withLayers,
       const std::vector<std::string> &outputs);

  /// The values for `inputs` by name. Values in types that NumPy lacks are
  /// floats or int32; tensors of a sequence S are "S[0]", "S[1]" .., in
  /// `inputs` as well; strings have as many bytes as the longest, those within
  /// the graph and what an optional lacks are left out.
  /// `emptySequences`: inputs that are sequences without tensors; an optional
  /// that has no tensor and is none of these has no value.
  rt::Result<ReferenceValues>
  evaluate(const NamedTensors &inputs,
           const std::vector<std::string> &emptySequences = {});
  /// Of the package, "1.22.0".
  const std::string &version() const { return theVersion; }

private:
  OnnxRuntime() = default;
  /// The answer to a request, an object that tells no problem.
  rt::Result<nlohmann::ordered_json> ask(const nlohmann::ordered_json &request);
  /// Why there was none.
  rt::Status whyEnded();
  /// Of an `answer` that the script does not give.
  rt::Status isNoPython(const std::string &answer) const;

  std::string model, python, theVersion;
  bool withLayers = false;
  std::unique_ptr<tools::TemporaryFolder> folder;
  std::unique_ptr<ChildProcess> process; ///< goes before its folder
};

} // namespace weft::cli

#endif // WEFT_TOOLS_WEFT_ONNXRUNTIME_H
