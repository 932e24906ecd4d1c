//===- Sample.h - images read at computed places ----------------*- C++ -*-===//

#ifndef WEFT_FRONTEND_ONNX_SAMPLE_H
#define WEFT_FRONTEND_ONNX_SAMPLE_H

#include "frontend/onnx/OpRows.h"

namespace weft::onnx {

/// Rows of GridSample, AffineGrid, RoiAlign and DeformConv.
std::vector<OpRow> sampleRows();
/// Rows of DepthToSpace, SpaceToDepth and CenterCropPad.
std::vector<OpRow> blockRows();

} // namespace weft::onnx

#endif // WEFT_FRONTEND_ONNX_SAMPLE_H
