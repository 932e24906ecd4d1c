//===- Pool.td - tpu ops of the Pool family ------------------*- tablegen -*-===//

include "dialects/tpu/TpuBase.td"
