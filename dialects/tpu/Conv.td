//===- Conv.td - tpu ops of the Conv family ------------------*- tablegen -*-===//

include "dialects/tpu/TpuBase.td"
