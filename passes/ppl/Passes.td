//===- Passes.td - passes over kernels --------------------------*- tablegen -*-===//

include "mlir/Pass/PassBase.td"

def PplPipeline : Pass<"ppl-pipeline", "::weft::ppl::NetOp"> {
  let summary = "overlap transfers and computations of marked loops";
  let description = [{
    In: a recorded kernel with rounds of loops (`ppl.round`). Out: the same ops without rounds, in an order in which step t runs stage s of round
    t - s, so that the two engines always have work of different rounds. The stage of a function grows by one where the engine changes along a
    tensor (PPL 3.4). Every op keeps its order against those that touch the same bytes; a loop where that is impossible stays serial, with a
    warning that says why. `serial` keeps all of them so.
  }];
  let options = [Option<"serial", "serial", "bool", "false", "keep the rounds one after the other">,
                 Option<"serialSingles", "serial-singles", "bool", "false", "keep the order of loops of one round, which takes less memory">];
}

def PplAllocate : Pass<"ppl-allocate", "::weft::ppl::NetOp"> {
  let summary = "give tensors of kernels their addresses";
  let description = [{
    In: a kernel in its final order. Out: `ppl.alloc` has become `ppl.local` (or `ppl.global` in L2), and functions have the addresses of the scratch
    memory of their commands (`ppl.scratch`). Tensors are placed in order of time, where possible in other banks than those that are used at the
    same time; if that does not fit, by size. Where there is room, the place of a tensor of a transfer rests for 8 commands behind its last use, so that
    what comes next need not wait until the other engine has done with it. An error names the largest tensor if nothing fits.
  }];
  let options = [
    Option<"method", "method", "unsigned", "0", "memory_alloc_method_t: 0 banks first, 1 size first, 2 no two in a bank">,
  ];
}
