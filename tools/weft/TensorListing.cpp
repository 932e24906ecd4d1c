#include "tools/weft/TensorListing.h"
#include "runtime/status/Quote.h"

#include <cstdio>

using namespace weft;
using namespace weft::cli;
using Json = nlohmann::ordered_json;
using numeric::elementTypeName;
using numeric::shapeText;

Json cli::describeTensor(const rt::TensorSpec &tensor) {
  return {{"name", tensor.name},
          {"type", elementTypeName(tensor.type)},
          {"shape", tensor.shape},
          {"bytes", tensor.bytes()},
          {"stored_type", elementTypeName(tensor.storedType)},
          {"stored_shape", tensor.storedShape},
          {"stored_bytes", tensor.storedBytes},
          {"scale", tensor.scale},
          {"zero_point", tensor.zeroPoint},
          {"address", tensor.address},
          {"data_dependent", tensor.dataDependent},
          {"from_host", tensor.fromHost},
          {"onnx_view", tensor.hasOnnxView},
          {"dimension_names", tensor.symbols},
          {"batch_axis", tensor.batchAxis}};
}

std::string cli::tensorLine(const char *kind, const rt::TensorSpec &tensor) {
  std::string text =
      std::string("    ") + kind + " " + rt::quoteName(tensor.name) + " " +
      elementTypeName(tensor.type) + " " + shapeText(tensor.shape);
  if (!tensor.dataDependent.empty())
    text += " at most, the size depends on data";
  if (tensor.fromHost)
    return text + ", from the host\n";
  if (tensor.type != tensor.storedType || tensor.shape != tensor.storedShape)
    text += std::string(", stored as ") + elementTypeName(tensor.storedType) +
            " " + shapeText(tensor.storedShape);
  if (tensor.isQuantized()) {
    char scale[64];
    std::snprintf(scale, sizeof scale, ", scale %.9g, zero point %d",
                  double(tensor.scale), tensor.zeroPoint);
    text += scale;
  }
  std::string named;
  for (size_t i = 0; i < tensor.symbols.size(); ++i)
    named += (i ? "x" : "") + (tensor.symbols[i].empty()
                                   ? std::to_string(tensor.shape[i])
                                   : tensor.symbols[i]);
  return text + (named.empty() ? "" : " (" + named + ")") + "\n";
}
