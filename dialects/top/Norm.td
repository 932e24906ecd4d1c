//===- Norm.td - top ops of the Norm family ------------------*- tablegen -*-===//

include "dialects/top/TopBase.td"
