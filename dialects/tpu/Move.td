//===- Move.td - tpu ops of the Move family ------------------*- tablegen -*-===//

include "dialects/tpu/TpuBase.td"
