//===- Move.td - top ops of the Move family ------------------*- tablegen -*-===//

include "dialects/top/TopBase.td"
