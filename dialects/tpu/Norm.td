//===- Norm.td - tpu ops of the Norm family ------------------*- tablegen -*-===//

include "dialects/tpu/TpuBase.td"
