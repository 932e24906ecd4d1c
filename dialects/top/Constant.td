//===- Constant.td - top ops of the Constant family ------------------*- tablegen -*-===//

include "dialects/top/TopBase.td"
