//===- TiuConv.cpp - rows of the catalog -----------------------------===//

#include "runtime/ppl/Slots.h"

using namespace weft;
using namespace weft::catalog;

std::vector<Operation> catalog::tiuConvOperations() { return {}; }
