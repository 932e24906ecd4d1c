//===- Constant.td - tpu ops of the Constant family ------------------*- tablegen -*-===//

include "dialects/tpu/TpuBase.td"
