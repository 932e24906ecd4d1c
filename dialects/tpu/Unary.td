//===- Unary.td - tpu ops of the Unary family ------------------*- tablegen -*-===//

include "dialects/tpu/TpuBase.td"
