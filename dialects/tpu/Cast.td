//===- Cast.td - tpu ops of the Cast family ------------------*- tablegen -*-===//

include "dialects/tpu/TpuBase.td"
