//===- ValueDump.h - the values of a run in files ---------------*- C++ -*-===//

#ifndef WEFT_TOOLS_WEFT_VALUEDUMP_H
#define WEFT_TOOLS_WEFT_VALUEDUMP_H

#include "tools/weft/ModelRun.h"

#include <string>
#include <vector>

namespace weft::cli {

/// A value of the ONNX graph as a run computed it.
struct DumpedValue {
  std::string name;
  numeric::HostTensor tensor;
  numeric::ElementType storedType = numeric::ElementType::F32;
  /// real = (stored - zeroPoint) * scale.
  float scale = 1;
  int32_t zeroPoint = 0;
  std::string file; ///< in the folder; empty in an archive
};

struct ValueDump {
  /// In the order of computation; outputs that are no values inside follow.
  std::vector<DumpedValue> values;
  /// Names of values that the program computes, but has whole at no time.
  std::vector<std::string> missing;
};

/// Takes the layers and outputs of `run`. Integers and bools have ONNX's type,
/// floats are f32, but doubles of the graph f64 and f16 values that are stored
/// as such f16; quantized values are reals. With `stored` each is as the
/// program stores it.
ValueDump takeValues(ModelRun &run, bool stored);

/// Whether `path` names an archive (or stdout), not a folder.
bool isArchivePath(const std::string &path);

/// Writes an .npz archive, or a folder with a .npy file for each value and
/// names.json, which has the file of each name; fills in DumpedValue::file.
rt::Status writeValues(const std::string &path, ValueDump &dump);

} // namespace weft::cli

#endif // WEFT_TOOLS_WEFT_VALUEDUMP_H
