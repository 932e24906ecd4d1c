//===- Microsoft.cpp - ONNX rows of ONNX Runtime's own operators ----------===//

#include "dialects/top/Unary.h"

#include "frontend/onnx/Compose.h"
#include "frontend/onnx/OpRows.h"

using namespace mlir;
using namespace weft;
using namespace weft::onnx;

void weft::onnx::registerMicrosoftRows(OpRegistry &) {}
