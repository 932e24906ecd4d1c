//===- Enums.td - every enum of the ppl dialect, for one header -*- tablegen -*-===//

include "dialects/ppl/Command.td"
include "dialects/ppl/Memory.td"
include "dialects/ppl/Net.td"
include "dialects/ppl/Dma.td"
include "dialects/ppl/TiuArith.td"
include "dialects/ppl/TiuConv.td"
include "dialects/ppl/TiuMatMul.td"
include "dialects/ppl/TiuQuant.td"
include "dialects/ppl/TiuSpecial.td"
