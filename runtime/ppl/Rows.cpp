//===- Rows.cpp - PPL's part of the catalog -------------------------------===//

#include "runtime/ppl/Rows.h"
#include "runtime/catalog/Sets.h"
#include "runtime/ppl/Interpreter.h"

using namespace weft;
using namespace weft::catalog;

std::vector<Operation> catalog::pplRows() {
  std::vector<Operation> all;
#define PPL_GROUP(group, engine, header)                                       \
  for (Operation & operation : group##Operations()) {                          \
    operation.unit = Unit::engine;                                             \
    all.push_back(std::move(operation));                                       \
  }
#include "runtime/ppl/Groups.def"
  return all;
}

std::vector<EvaluatorRow> catalog::pplEvaluators() {
  std::vector<EvaluatorRow> all;
#define PPL_GROUP(group, engine, header)                                       \
  for (const EvaluatorRow &row : group##Evaluators())                          \
    all.push_back(row);
#include "runtime/ppl/Groups.def"
  return all;
}
