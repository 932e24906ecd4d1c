#include "tools/weft/TensorListing.h"
#include "runtime/status/Quote.h"

#include <cstdio>

using namespace weft;
using namespace weft::cli;
using Json = nlohmann::ordered_json;
using numeric::elementTypeName;
using numeric::shapeText;

const char *cli::userTypeName(const rt::TensorSpec &tensor) {
  return tensor.isText ? "string" : elementTypeName(tensor.type);
}

/// What `tensor` has for each axis, without that of the bytes of strings.
template <typename T>
static std::vector<T> userAxes(const rt::TensorSpec &tensor,
                               std::vector<T> axes) {
  if (tensor.isText && !axes.empty())
    axes.pop_back();
  return axes;
}

Json cli::describeTensor(const rt::TensorSpec &tensor) {
  return {{"name", tensor.name},
          {"type", userTypeName(tensor)},
          {"shape", userAxes(tensor, tensor.shape)},
          {"string_bytes", tensor.isText ? Json(tensor.shape.back()) : Json()},
          {"bytes", tensor.bytes()},
          {"stored_type", elementTypeName(tensor.storedType)},
          {"stored_shape", tensor.storedShape},
          {"stored_bytes", tensor.storedBytes},
          {"scale", tensor.scale},
          {"zero_point", tensor.zeroPoint},
          {"address", tensor.address},
          {"data_dependent", userAxes(tensor, tensor.dataDependent)},
          {"from_host", tensor.fromHost},
          {"onnx_view", tensor.hasOnnxView},
          {"dimension_names", userAxes(tensor, tensor.symbols)},
          {"batch_axis", tensor.batchAxis}};
}

std::string cli::tensorLine(const char *kind, const rt::TensorSpec &tensor) {
  std::string text = std::string("    ") + kind + " " +
                     rt::quoteName(tensor.name) + " " + userTypeName(tensor) +
                     " " + shapeText(userAxes(tensor, tensor.shape));
  if (!tensor.dataDependent.empty())
    text += " at most, the size depends on data";
  if (tensor.isText)
    text += ", up to " + std::to_string(tensor.shape.back()) + " bytes each";
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
  std::vector<std::string> symbols = userAxes(tensor, tensor.symbols);
  for (size_t i = 0; i < symbols.size(); ++i)
    named +=
        (i ? "x" : "") +
        (symbols[i].empty() ? std::to_string(tensor.shape[i]) : symbols[i]);
  return text + (named.empty() ? "" : " (" + named + ")") + "\n";
}
