//===- ResultShape.h - the shape that a call gives its result -*- C++ -*-===//

#ifndef WEFT_RUNTIME_PPL_RESULTSHAPE_H
#define WEFT_RUNTIME_PPL_RESULTSHAPE_H

#include "runtime/catalog/Catalog.h"

namespace weft::catalog {

/// Shapes that the result in `slot` of a call could have, by those of the
/// tensors that it reads (PPL 3.7), the likeliest first. They are proposals:
/// the rules of the function, asked by problemOf(), choose among them. A tensor
/// argument whose shape is not known yet has the shape 0x0x0x0. Empty if
/// nothing that the call reads has a shape.
std::vector<Dims> proposedShapes(const Call &call, std::string_view slot);

/// Whether the call gives the tensor in `slot` its first values: it writes it
/// and does not add to what is there. Elements that it leaves alone are
/// unknown then.
bool givesFirstValues(const Call &call, std::string_view slot);

/// Whether it writes every element of the tensor in `slot` without reading
/// one of them.
bool overwritesAll(const Call &call, std::string_view slot);

} // namespace weft::catalog

#endif // WEFT_RUNTIME_PPL_RESULTSHAPE_H
