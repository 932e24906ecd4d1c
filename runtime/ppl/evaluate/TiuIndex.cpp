//===- TiuIndex.cpp - meaning of the functions ------------------------===//

#include "runtime/ppl/Interpreter.h"

using namespace weft;
using namespace weft::catalog;

std::vector<EvaluatorRow> catalog::tiuIndexEvaluators() { return {}; }
