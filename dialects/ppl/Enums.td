//===- Enums.td - every enum of the ppl dialect, for one header -*- tablegen -*-===//

include "dialects/ppl/Memory.td"
include "dialects/ppl/Net.td"
