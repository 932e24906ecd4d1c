//===- Conv.td - top ops of the Conv family ------------------*- tablegen -*-===//

include "dialects/top/TopBase.td"
