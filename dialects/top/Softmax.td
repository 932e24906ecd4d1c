//===- Softmax.td - top ops of the Softmax family ------------------*- tablegen -*-===//

include "dialects/top/TopBase.td"
