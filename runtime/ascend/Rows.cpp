//===- Rows.cpp - the moves of Ascend in the catalog ---------------------===//

#include "runtime/catalog/Sets.h"

using namespace weft;
using namespace weft::catalog;

std::vector<Operation> catalog::ascendRows() { return {}; }

std::vector<EvaluatorRow> catalog::ascendEvaluators() { return {}; }
