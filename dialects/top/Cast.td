//===- Cast.td - top ops of the Cast family ------------------*- tablegen -*-===//

include "dialects/top/TopBase.td"
