//===- Softmax.td - tpu ops of the Softmax family ------------------*- tablegen -*-===//

include "dialects/tpu/TpuBase.td"
