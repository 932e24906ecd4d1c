//===- Sets.h - what every operation set brings ---------------*- C++ -*-===//

#ifndef WEFT_RUNTIME_CATALOG_SETS_H
#define WEFT_RUNTIME_CATALOG_SETS_H

#include "runtime/catalog/Dense.h"

namespace weft::catalog {

#define CATALOG_SET(Name, spelling, rows, evaluators)                          \
  std::vector<Operation> rows();                                               \
  std::vector<EvaluatorRow> evaluators();
#include "runtime/catalog/Sets.def"

} // namespace weft::catalog

#endif // WEFT_RUNTIME_CATALOG_SETS_H
