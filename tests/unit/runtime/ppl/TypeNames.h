//===- TypeNames.h - short names of element types -------------*- C++ -*-===//

#ifndef WEFT_TESTS_UNIT_RUNTIME_PPL_TYPENAMES_H
#define WEFT_TESTS_UNIT_RUNTIME_PPL_TYPENAMES_H

#include "runtime/catalog/Catalog.h"

namespace weft::catalog::names {

inline constexpr DataType kI8 = DataType::Int8, kU8 = DataType::Uint8,
                          kI16 = DataType::Int16, kU16 = DataType::Uint16,
                          kI32 = DataType::Int32, kU32 = DataType::Uint32,
                          kF32 = DataType::Fp32, kF16 = DataType::Fp16,
                          kBf16 = DataType::Bf16, kE5 = DataType::Fp8e5m2;
inline constexpr AlignMode kCompact = AlignMode::Compact;

} // namespace weft::catalog::names

#endif // WEFT_TESTS_UNIT_RUNTIME_PPL_TYPENAMES_H
