//===- Round.td - rounds of pipelined loops, barriers ------*- tablegen -*-===//

include "dialects/ppl/PplBase.td"

def Ppl_BarrierOp : Ppl_Op<"barrier"> {
  let summary = "all cores of a launch meet (PPL sync)";
  let description = [{
    **Semantics**: what any core does before it is done before what any core does behind it. Inside a round (PPL pipeline_barrier): what stands before it is in no later stage than what stands behind it.

    **Example**: `ppl.barrier`
  }];
  let assemblyFormat = "attr-dict";
  let hasVerifier = 0;
}

def Ppl_RoundOp : Ppl_Op<"round", [SingleBlock, NoTerminator, NoRegionArguments]> {
  let summary = "one round of a loop that is to be pipelined (PPL enable_pipeline)";
  let description = [{
    **Semantics**: the body, once. Rounds of one `loop` that follow each other are the loop; `--ppl-pipeline` lets their transfers and computations overlap.

    **Constraints**: (C1) rounds are not nested. (C2) the body holds functions of the catalog and `ppl.barrier` only.

    **Example**: `ppl.round "kernel.cpp:12" { ppl.dma.load dst = %x, src = %g : !t, !g }`
  }];
  let arguments = (ins StrAttr:$loop);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$loop attr-dict-with-keyword $body";
}
