//===- Binary.td - top ops of the Binary family ------------------*- tablegen -*-===//

include "dialects/top/TopBase.td"
