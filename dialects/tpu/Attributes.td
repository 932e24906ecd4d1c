//===- Attributes.td - all attributes of the tpu dialect ------*- tablegen -*-===//
//
// A dialect has one parser of its attributes, so they are generated together.

include "dialects/tpu/Group.td"
include "dialects/tpu/Decision.td"
