//===- Unary.td - top ops of the Unary family ------------------*- tablegen -*-===//

include "dialects/top/TopBase.td"
