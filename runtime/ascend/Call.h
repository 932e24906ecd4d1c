//===- Call.h - a move as a call of the catalog ---------------*- C++ -*-===//

#ifndef WEFT_RUNTIME_ASCEND_CALL_H
#define WEFT_RUNTIME_ASCEND_CALL_H

#include "runtime/ascend/Move.h"
#include "runtime/catalog/Catalog.h"

namespace weft::ascend {

/// The move of a call with a tensor in every tensor slot and an integer in
/// every other; what is missing counts as 0. A tensor without address starts
/// where it may best: at byte 0.
Nd2Nz moveOf(const catalog::Call &call);
/// How far the tensors and, for L1, the chip go.
Room roomOf(const catalog::Call &call);

} // namespace weft::ascend

#endif // WEFT_RUNTIME_ASCEND_CALL_H
