//===- Rows.cpp - PPL's part of the catalog -------------------------------===//

#include "runtime/ppl/Rows.h"
#include "runtime/catalog/Sets.h"
#include "runtime/ppl/Interpreter.h"

using namespace weft;
using namespace weft::catalog;

std::vector<Operation> catalog::pplRows() {
  std::vector<Operation> all;
  for (auto group :
       {dmaOperations, sdmaOperations, hauOperations, tiuPointwiseOperations,
        tiuComparisonOperations, tiuIndexOperations, tiuConvOperations,
        tiuMatMulOperations, tiuPoolOperations, tiuQuantOperations,
        tiuSpecialOperations, tiuMoveOperations})
    for (Operation &operation : group())
      all.push_back(std::move(operation));
  return all;
}

std::vector<EvaluatorRow> catalog::pplEvaluators() {
  std::vector<EvaluatorRow> all;
  for (auto group :
       {dmaEvaluators, sdmaEvaluators, hauEvaluators, tiuPointwiseEvaluators,
        tiuComparisonEvaluators, tiuIndexEvaluators, tiuConvEvaluators,
        tiuMatMulEvaluators, tiuPoolEvaluators, tiuQuantEvaluators,
        tiuSpecialEvaluators, tiuMoveEvaluators})
    for (const EvaluatorRow &row : group())
      all.push_back(row);
  return all;
}
