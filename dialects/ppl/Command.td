//===- Command.td - one command, field by field -------------*- tablegen
//-*-===//

include "dialects/ppl/PplBase.td"

def Ppl_Engine : Ppl_Enum<"Engine", "command stream",
                          [I32EnumAttrCase<"Tiu", 0, "tiu">,
                           I32EnumAttrCase<"Gdma", 1, "gdma">]>;

def Ppl_CommandOp : Ppl_Op<"command"> {
  let summary = "a command by its type, function and fields";
  let description = [{
    **Semantics**: the instruction `type`, `func` of the engine in its usual form. `fields` are values by the names of the instruction table; each tensor sets the address fields of its `binding`:
    the field of that name, or `<binding>_l32` and `<binding>_h8`. `access` says what the command does with each tensor: 1 reads, 2 writes, 3 both. Written by hand: for
    instructions that no function of the catalog becomes.

    **Constraints**: (C1) the instruction exists. (C2) bindings and access are one a tensor. (C3) the fields exist and hold their values (checked by codegen/encode).

    **Example**: `ppl.command tiu 3 19 {res0_n = 1, ...} ["res0_addr", "opd0_addr"] [2, 1] (%y, %x) : !t, !t`
  }];
  let arguments = (ins Ppl_Engine:$engine, I32Attr:$type, I32Attr:$func,
      DictionaryAttr:$fields, StrArrayAttr:$bindings, DenseI32ArrayAttr:$access,
      Variadic<Ppl_TensorType>:$tensors);
  let assemblyFormat = "$engine $type $func $fields $bindings $access `(` "
                       "$tensors `)` attr-dict `:` type($tensors)";
}

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
