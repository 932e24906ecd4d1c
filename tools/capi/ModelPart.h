//===- ModelPart.h - what of a model is taken, and as constants -*- C++ -*-===//

#ifndef WEFT_TOOLS_CAPI_MODELPART_H
#define WEFT_TOOLS_CAPI_MODELPART_H

#include "runtime/status/Status.h"
#include "tools/capi/Texts.h"
#include "tools/capi/weft-compiler.h"
#include "tools/driver/Compile.h"

namespace weft::capi {

struct ModelPart {
  driver::InputBindings bindings;
  onnx::GraphCut cut;
};

/// Copies. Code::InvalidArgument names a constant without a name, of an unknown
/// type, of negative sizes, without data or that is there twice.
rt::Result<driver::InputBindings> constantsOf(const weft_constant *constants,
                                              size_t count);

/// Of weft_convert_options or weft_calibrate_options.
template <typename Options>
rt::Result<ModelPart> partOf(const Options &options) {
  rt::Result<driver::InputBindings> bindings =
      constantsOf(options.constants, options.constant_count);
  if (!bindings)
    return bindings.status();
  return ModelPart{*std::move(bindings),
                   {texts(options.inputs, options.input_count),
                    texts(options.outputs, options.output_count)}};
}

} // namespace weft::capi

#endif // WEFT_TOOLS_CAPI_MODELPART_H
