//===- Rows.h - the groups of PPL's functions -----------------*- C++ -*-===//

#ifndef WEFT_RUNTIME_PPL_ROWS_H
#define WEFT_RUNTIME_PPL_ROWS_H

#include "runtime/catalog/Slots.h"

namespace weft::catalog {

// The files of rows, one a group of the manual; Rows.cpp joins them.
#define PPL_GROUP(group, engine, header)                                       \
  std::vector<Operation> group##Operations();
#include "runtime/ppl/Groups.def"

} // namespace weft::catalog

#endif // WEFT_RUNTIME_PPL_ROWS_H
