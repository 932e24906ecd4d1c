//===- Rows.h - the groups of PPL's functions -----------------*- C++ -*-===//

#ifndef WEFT_RUNTIME_PPL_ROWS_H
#define WEFT_RUNTIME_PPL_ROWS_H

#include "runtime/catalog/Slots.h"

namespace weft::catalog {

// The files of rows, one a group of the manual; Rows.cpp joins them.
std::vector<Operation> dmaOperations();
std::vector<Operation> sdmaOperations();
std::vector<Operation> hauOperations();
std::vector<Operation> tiuPointwiseOperations();
std::vector<Operation> tiuComparisonOperations();
std::vector<Operation> tiuIndexOperations();
std::vector<Operation> tiuConvOperations();
std::vector<Operation> tiuMatMulOperations();
std::vector<Operation> tiuPoolOperations();
std::vector<Operation> tiuQuantOperations();
std::vector<Operation> tiuSpecialOperations();
std::vector<Operation> tiuMoveOperations();

} // namespace weft::catalog

#endif // WEFT_RUNTIME_PPL_ROWS_H
