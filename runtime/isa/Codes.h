//===- Codes.h - codes that instruction fields carry ----------*- C++ -*-===//

#ifndef WEFT_RUNTIME_ISA_CODES_H
#define WEFT_RUNTIME_ISA_CODES_H

#include "runtime/numeric/Rounding.h"

#include <cstdint>

namespace weft::isa {

/// The two command streams of a chip. Each executes in order; see `cmd_id_dep`.
enum class Engine : uint8_t { Tiu, Gdma };

/// Element type codes of `*_prec` and `src_data_format`. The sign travels in
/// its own field.
enum class Precision : uint8_t {
  Int8 = 0,
  Fp16 = 1,
  Fp32 = 2,
  Int16 = 3,
  Int32 = 4,
  Bf16 = 5,
  Int4 = 6,
};

/// Bytes of one element; 0 for Int4, which is not addressable by byte.
constexpr unsigned elementBytes(Precision precision) {
  switch (precision) {
  case Precision::Int8:
    return 1;
  case Precision::Fp16:
  case Precision::Int16:
  case Precision::Bf16:
    return 2;
  case Precision::Fp32:
  case Precision::Int32:
    return 4;
  case Precision::Int4:
    return 0;
  }
  return 0;
}

constexpr bool isFloat(Precision precision) {
  return precision == Precision::Fp16 || precision == Precision::Fp32 ||
         precision == Precision::Bf16;
}

/// Rounding codes.
using numeric::Rounding;

/// Codes of `*_str`: how a TIU operand lies in local memory.
enum class Layout : uint8_t {
  Aligned = 0,
  Compact = 1,
  Channel = 2, ///< one value per channel: strides 0,1,0,0
  Free = 3,    ///< strides from `*_n_str` .. `*_w_str`, in elements
  PerLane = 4, ///< SG only: one table per lane in opd0
};

/// Codes of `pad_mode`.
enum class PadMode : uint8_t {
  Constant = 0,
  Reflect = 1,
  Edge = 2,
  Circular = 3
};

/// Codes of `tsk_typ` (TIU). Function codes within a type are in the opcode
/// table.
enum class TiuType : uint8_t {
  Conv = 0,
  PoolOrDepthwise = 1,
  MatMul = 2,
  Arith = 3,
  Quant = 4,
  TransposeBroadcast = 5,
  Gather = 6,
  LinearArith = 7,
  Special = 9,
  Linear = 10,
  Compare = 13,
  OuterProduct = 14,
  System = 15,
};

/// Functions of TiuType::Conv.
namespace conv {
enum Func : uint8_t { Normal = 0, Requantised = 1, RequantisedRelu = 2 };
} // namespace conv

/// Functions of TiuType::PoolOrDepthwise.
namespace pord {
enum Func : uint8_t {
  Depthwise = 0,
  AvgPool = 1,
  DepthwiseRelu = 2,
  MaxPool = 4,
  RoiDepthwise = 5,
  RoiAvgPool = 6,
  RoiMaxPool = 7,
};
} // namespace pord

/// Functions of TiuType::MatMul.
namespace mm {
enum Func : uint8_t {
  Normal = 1,
  Requantised = 2,
  RequantisedRelu = 3,
  NN = 4,
  NT = 5,
  TT = 6
};
} // namespace mm

/// Functions of TiuType::Arith (and of LinearArith, OuterProduct).
namespace arith {
enum Func : uint8_t {
  Mul = 0,
  Not = 1,
  Add = 2,
  Sub = 3,
  Max = 4,
  Min = 5,
  LogicalShift = 6,
  And = 7,
  Or = 8,
  Xor = 9,
  SelectGreater = 10,
  SelectEqual = 11,
  Div = 12,
  SelectLess = 13,
  Cast = 14,
  AddSat = 15,
  SubSat = 16,
  Clamp = 17,
  Mac = 18,
  Copy = 19,
  MulSat = 20,
  ArithShift = 21,
  Rotate = 22,
  MulDoublingHigh = 23,
  EuIndex = 24,
  LaneIndex = 25,
  Abs = 26,
  AbsDiff = 27,
  CopyOverN = 28,
  LeadingZeros = 29,
  LeadingOnes = 30,
};

/// The functions of one operand.
constexpr bool isUnary(unsigned func) {
  switch (func) {
  case Not:
  case Cast:
  case Copy:
  case Abs:
  case CopyOverN:
  case LeadingZeros:
  case LeadingOnes:
    return true;
  default:
    return false;
  }
}
/// The functions that choose between the third operand, a constant, and zero.
constexpr bool isSelect(unsigned func) {
  return func == SelectGreater || func == SelectEqual || func == SelectLess;
}
/// The integer functions whose result a third operand shifts.
constexpr bool takesShift(unsigned func) {
  switch (func) {
  case Mul:
  case Add:
  case Sub:
  case AddSat:
  case SubSat:
  case MulSat:
    return true;
  default:
    return false;
  }
}
} // namespace arith

/// Functions of TiuType::Quant.
namespace quant {
enum Func : uint8_t { Rq0 = 0, Rq1 = 1, Rq2 = 2, Dq0 = 3, Dq1 = 4, Dq2 = 5 };
} // namespace quant

/// Functions of TiuType::TransposeBroadcast.
namespace tsbc {
enum Func : uint8_t {
  CwTranspose = 0,
  WcTranspose = 1,
  LaneCopy = 2,
  LaneBroadcast = 3,
  StaticBroadcast = 4,
  StaticDistribute = 5,
};
} // namespace tsbc

/// Functions of TiuType::Gather.
namespace sg {
enum Func : uint8_t {
  GatherW = 0,
  GatherHw = 1,
  GatherRecord = 2,
  ScatterW = 3,
  ScatterHw = 4,
  GatherPerChannel = 5,
  ScatterPerChannel = 6,
  GatherFourBank = 7,
  MaskSelect = 8,
  NonZero = 9,
  ScatterPingPong = 10,
  GatherPerW = 11,
  ScatterPerW = 12,
  GatherHzd = 13,
  ScatterHzd = 14,
  MaskSelectHzd = 15,
  NonZeroHzd = 16,
  GatherLine = 17,
  ScatterLine = 18,
};
} // namespace sg

/// Functions of TiuType::Special.
namespace sfu {
enum Func : uint8_t { Taylor4x = 12, Taylor = 13, Normalize = 15, Rsqrt = 17 };
} // namespace sfu

/// Functions of TiuType::Linear.
namespace lin {
enum Func : uint8_t { Mac = 1, SquareSum = 20, SquareDiff = 21 };
} // namespace lin

/// Functions of TiuType::Compare.
namespace cmp {
enum Func : uint8_t {
  MaxAndSelect = 22,
  SelectGreater = 23,
  SelectEqual = 24,
  MinAndSelect = 25,
  SelectLess = 26,
};
} // namespace cmp

/// Functions of TiuType::System.
namespace sys {
enum Func : uint8_t {
  InterruptBarrier = 0,
  Spb = 1,
  Swr = 2,
  SwrFromLocal = 3,
  SwrCollectFromLocal = 4,
  DataBarrier = 5,
  Nop = 30,
  End = 31,
};
} // namespace sys

/// Codes of `cmd_type` (GDMA).
enum class GdmaType : uint8_t {
  Tensor = 0,
  Matrix = 1,
  MaskedSelect = 2,
  General = 3,
  CwTranspose = 4,
  NonZero = 5,
  System = 6,
  Gather = 7,
  Scatter = 8,
};

/// Functions of GdmaType (`cmd_special_function`).
namespace gdma {
enum Func : uint8_t {
  Single = 0, ///< of the types that have one function
  TensorCopy = 0,
  TensorNcTranspose = 1,
  TensorCollect = 2,
  TensorBroadcast = 3,
  TensorDistribute = 4,
  TensorFourBankCopy = 5,
  TensorFourBankBroadcast = 6,
  MatrixCopy = 0,
  MatrixTranspose = 1,
  GeneralCopy = 0,
  GeneralBroadcast = 1,
  SysEnd = 0,
  SysNop = 1,
};
} // namespace gdma

} // namespace weft::isa

#endif // WEFT_RUNTIME_ISA_CODES_H
