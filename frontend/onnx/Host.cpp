//===- Host.cpp - ONNX rows of the Host family ----------------------------===//

#include "frontend/onnx/OpRows.h"

// Rows that become top.host stand with the family they belong to.
void weft::onnx::registerHostRows(OpRegistry &) {}
