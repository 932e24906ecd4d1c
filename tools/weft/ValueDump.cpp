#include "tools/weft/ValueDump.h"
#include "runtime/numeric/ConvertValues.h"
#include "runtime/status/Quote.h"
#include "tools/files/JsonText.h"
#include "tools/files/OutputFile.h"
#include "tools/files/OutputFolder.h"
#include "tools/npz/ArrayFile.h"
#include "tools/npz/Npz.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

using namespace weft;
using namespace weft::cli;
using numeric::ElementType;
using numeric::HostTensor;
using rt::Status;

/// In ONNX's type, unless that would round what the program computed: a value
/// of f16 that is a sum of f32 stays f32.
static void giveOnnxType(HostTensor &tensor, ElementType onnx,
                         ElementType stored) {
  bool isHalf = onnx == ElementType::F16 || onnx == ElementType::BF16;
  if (isHalf && stored != onnx)
    return;
  if (numeric::convertsByValue(tensor.type(), onnx))
    // An index that a program computes as a float may be no whole number.
    (void)numeric::convertValues(tensor, onnx);
}

static DumpedValue fromLayer(rt::CapturedValue &value, bool stored) {
  DumpedValue dumped{value.name,      {}, value.storedType, value.scale,
                     value.zeroPoint, ""};
  dumped.tensor = std::move(stored ? value.stored : value.tensor);
  if (!stored && value.onnxType)
    giveOnnxType(dumped.tensor, *value.onnxType, value.storedType);
  return dumped;
}

static DumpedValue fromOutput(const rt::TensorSpec &spec, HostTensor tensor,
                              bool stored) {
  DumpedValue dumped{spec.name,  std::move(tensor), spec.storedType,
                     spec.scale, spec.zeroPoint,    ""};
  if (stored) {
    // It came from there, so that it fits.
    if (numeric::convertsByValue(dumped.tensor.type(), spec.storedType))
      (void)numeric::convertValues(dumped.tensor, spec.storedType);
    return dumped;
  }
  if (!spec.isQuantized())
    return dumped;
  HostTensor reals(ElementType::F32, dumped.tensor.shape());
  for (int64_t i = 0; i < reals.elements(); ++i)
    reals.as<float>()[i] = static_cast<float>(
        (dumped.tensor.toDouble(i) - spec.zeroPoint) * double(spec.scale));
  dumped.tensor = std::move(reals);
  return dumped;
}

ValueDump cli::takeValues(ModelRun &run, bool stored) {
  ValueDump dump;
  std::set<std::string> names;
  for (rt::CapturedValue &value : run.layers)
    if (value.complete && names.insert(value.name).second)
      dump.values.push_back(fromLayer(value, stored));
  for (size_t i = 0; i < run.outputSpecs.size(); ++i)
    if (names.insert(run.outputSpecs[i].name).second)
      dump.values.push_back(
          fromOutput(run.outputSpecs[i], run.outputs[i], stored));
  for (const rt::CapturedValue &value : run.layers)
    if (names.insert(value.name).second)
      dump.missing.push_back(value.name);
  run.layers.clear();
  return dump;
}

bool cli::isArchivePath(const std::string &path) {
  return path == "-" || npz::isArchiveName(path);
}

/// The name of a value's file: that of the value where a file system can have
/// it, else a part of it and a number. `taken` has the names so far in small
/// letters, which is how some file systems compare.
static std::string chooseFile(const std::string &name,
                              std::set<std::string> &taken) {
  constexpr size_t kMostBytes = 200; // of 255
  const std::string whole = tools::fileNameOf(name);
  std::string stem = whole.substr(0, kMostBytes);
  auto isFree = [&](std::string text) {
    std::transform(text.begin(), text.end(), text.begin(), [](char c) {
      return c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c;
    });
    return taken.insert(text).second;
  };
  if (!stem.empty() && stem == whole && isFree(stem))
    return stem + ".npy";
  // No name has a '~' otherwise.
  for (size_t number = 1;; ++number)
    if (std::string tried = stem + "~" + std::to_string(number); isFree(tried))
      return tried + ".npy";
}

static Status writeFolder(const std::string &path, ValueDump &dump) {
  rt::Result<std::unique_ptr<tools::OutputFolder>> folder =
      tools::OutputFolder::make(path);
  if (!folder)
    return folder.status();
  std::set<std::string> taken;
  nlohmann::ordered_json index = nlohmann::json::object();
  for (DumpedValue &value : dump.values) {
    value.file = chooseFile(value.name, taken);
    WEFT_TRY(npz::writeNpy((*folder)->path() + "/" + value.file, value.tensor));
    index[value.name] = value.file;
  }
  std::string text = tools::jsonText(index, 2) + "\n";
  WEFT_TRY(tools::writeOutputFile((*folder)->path() + "/names.json",
                                  text.data(), text.size()));
  return (*folder)->publish();
}

Status cli::writeValues(const std::string &path, ValueDump &dump) {
  for (const DumpedValue &value : dump.values)
    if (const char *problem = rt::nameProblem(value.name))
      return rt::failf(rt::Code::Unsupported,
                       "unsupported: the name %s of a value %s; no file can "
                       "say it",
                       rt::quoteName(value.name).c_str(), problem);
  if (!isArchivePath(path))
    return writeFolder(path, dump);
  std::vector<npz::NamedTensor> arrays;
  for (const DumpedValue &value : dump.values)
    arrays.push_back({value.name, &value.tensor});
  return npz::writeNpz(path, arrays);
}
