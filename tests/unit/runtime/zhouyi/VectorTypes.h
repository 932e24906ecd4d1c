//===- VectorTypes.h - element types of vectors -----------------*- C++ -*-===//

#ifndef WEFT_TESTS_UNIT_RUNTIME_ZHOUYI_VECTORTYPES_H
#define WEFT_TESTS_UNIT_RUNTIME_ZHOUYI_VECTORTYPES_H

#include "runtime/catalog/Catalog.h"

namespace weft::zhouyi::test {

/// Those that random calls take.
inline constexpr catalog::DataType kVectorTypes[] = {
    catalog::DataType::Int8,  catalog::DataType::Uint8,
    catalog::DataType::Int16, catalog::DataType::Uint16,
    catalog::DataType::Int32, catalog::DataType::Uint32,
    catalog::DataType::Fp16,  catalog::DataType::Fp32};

} // namespace weft::zhouyi::test

#endif // WEFT_TESTS_UNIT_RUNTIME_ZHOUYI_VECTORTYPES_H
