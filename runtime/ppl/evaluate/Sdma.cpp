//===- Sdma.cpp - meaning of the functions of ppl::sdma ------------------===//

#include "runtime/ppl/evaluate/Moves.h"

using namespace weft;
using namespace weft::catalog;

std::vector<EvaluatorRow> catalog::sdmaEvaluators() {
  return {{"sdma.move", copyElements},
          {"sdma.move_compact", copyElements},
          {"sdma.fill", fillElements},
          {"sdma.zero", zeroElements},
          {"sdma.reduce", reduceInto},
          {"sdma.transpose_cw", exchangeChannelAndWidth},
          {"sdma.transpose_nc", exchangeBatchAndChannel},
          {"sdma.transpose", exchangeByMode},
          {"sdma.gather_h", gatherRows},
          {"sdma.scatter_h", scatterRows}};
}
