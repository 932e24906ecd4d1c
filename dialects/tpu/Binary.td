//===- Binary.td - tpu ops of the Binary family ------------------*- tablegen -*-===//

include "dialects/tpu/TpuBase.td"
