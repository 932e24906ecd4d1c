//===- MatMul.td - tpu ops of the MatMul family ------------------*- tablegen -*-===//

include "dialects/tpu/TpuBase.td"
