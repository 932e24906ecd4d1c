//===- InputPicture.h - inputs as a person looks at them --------*- C++ -*-===//

#ifndef WEFT_TOOLS_WEFT_INPUTPICTURE_H
#define WEFT_TOOLS_WEFT_INPUTPICTURE_H

#include "runtime/numeric/HostTensor.h"

#include <nlohmann/json.hpp>
#include <string>

namespace weft::cli {

/// `name`, `type`, `shape`, `least`, `most`, and `png` (base64) of what has the
/// shape of an image: of one or three channels, channels first or last, the
/// first of a batch. Numbers are spread over 0..255 as they lie between the
/// least and the most, bytes stay. Else `values`, the first few, and `curve`,
/// the least and the most of each of up to 128 stretches. Pictures have at most
/// `side` pixels along a side.
nlohmann::ordered_json describeInput(const std::string &name,
                                     const numeric::HostTensor &input,
                                     int64_t side);

} // namespace weft::cli

#endif // WEFT_TOOLS_WEFT_INPUTPICTURE_H
