#include "tools/weft/Reproducer.h"

#ifdef WEFT_WITH_COMPILER
#include "runtime/status/Format.h"
#include "tools/driver/Reducer.h"
#include "tools/files/OutputFile.h"

using namespace weft;
using namespace weft::cli;

rt::Status cli::writeReproducer(const std::string &onnx,
                                const std::string &path, const ModelRun &run,
                                Bisection &found) {
  std::vector<int32_t> positions;
  for (const FaultyNode &node : found.nodes)
    if (node.index >= 0)
      positions.push_back(node.index);
  if (positions.empty()) {
    found.reproducer = "none: no node of the model is at fault";
    return rt::Status::ok();
  }
  driver::Shapes shapes;
  for (const rt::CapturedValue &value : run.layers)
    shapes[value.name] = value.tensor.shape();
  for (size_t i = 0; i < run.inputs.size(); ++i)
    shapes[run.inputSpecs[i].name] = run.inputSpecs[i].shape;
  llvm::Expected<driver::ReducedModel> reduced =
      driver::cutOutNodes(onnx, positions, shapes);
  if (!reduced)
    return rt::fail(rt::Code::BadFile,
                    onnx + ": " + llvm::toString(reduced.takeError()));
  WEFT_TRY(tools::writeOutputFile(path, reduced->bytes.data(),
                                  reduced->bytes.size()));
  found.reproducer =
      path + rt::format(": %zu of %zu nodes, %zu bytes", reduced->nodesAfter,
                        reduced->nodesBefore, reduced->bytes.size());
  return rt::Status::ok();
}

#else

weft::rt::Status weft::cli::writeReproducer(const std::string &onnx,
                                            const std::string &,
                                            const ModelRun &, Bisection &) {
  return rt::fail(rt::Code::Unsupported,
                  "unsupported: this build has no compiler to cut " + onnx);
}

#endif
