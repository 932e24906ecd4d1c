//===- Pool.td - top ops of the Pool family ------------------*- tablegen -*-===//

include "dialects/top/TopBase.td"
