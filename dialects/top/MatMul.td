//===- MatMul.td - top ops of the MatMul family ------------------*- tablegen -*-===//

include "dialects/top/TopBase.td"
