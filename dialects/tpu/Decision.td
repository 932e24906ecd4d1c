//===- Decision.td - what passes decided, and why -------------*- tablegen
//-*-===//

#ifndef WEFT_DIALECTS_TPU_DECISION_TD
#define WEFT_DIALECTS_TPU_DECISION_TD

include "dialects/tpu/TpuBase.td"

class Tpu_DecisionAttr<string name, string attrMnemonic>
    : AttrDef<Tpu_Dialect, name> {
  let mnemonic = attrMnemonic;
}

def Tpu_CauseAttr : Tpu_DecisionAttr<"Cause", "cause"> {
  let summary = "why ops do not go on in one group";
  let description = [{
    A row of `runtime/bmodel/DecisionKinds.def`, the op in the way with its location, and two numbers whose meaning is that of the
    row: what was asked for, and what there is. `#tpu.cause<memory, "conv", loc("c7"), 301056, 262144>`
  }];
  let parameters = (ins "::weft::rt::Cause":$cause,
      "::mlir::StringAttr":$operation, "::mlir::LocationAttr":$at,
      "int64_t":$asked, "int64_t":$limit);
  let assemblyFormat =
      "`<` $cause `,` $operation `,` $at `,` $asked `,` $limit `>`";
  let genVerifyDecl = 1;
}

def Tpu_ChoiceAttr : Tpu_DecisionAttr<"Choice", "choice"> {
  let summary =
      "what an op could have been, the price of each, and which was taken";
  let description = [{
    `taken` is the position of a way; `prices` are in the unit of the question, -1 where a way cannot be.
    `#tpu.choice<recipe, "conv", loc("c7"), 1 of ["window", "window_bias"] at [1520, 1390]>`
  }];
  let parameters = (ins "::weft::rt::Question":$question,
      "::mlir::StringAttr":$operation, "::mlir::LocationAttr":$at,
      "int64_t":$taken, ArrayRefParameter<"::mlir::StringAttr">:$ways,
      ArrayRefParameter<"int64_t">:$prices);
  let assemblyFormat = "`<` $question `,` $operation `,` $at `,` $taken `of` "
                       "`[` $ways `]` `at` `[` $prices `]` `>`";
  let genVerifyDecl = 1;
}

def Tpu_StepAttr : Tpu_DecisionAttr<"Step", "step"> {
  let summary =
      "a group, or an op outside of groups, in the order of the program";
  let description = [{
    `opCount` is 0 for an op outside of groups. `first` and `last` are the locations of the ops at its ends, `slices` the counts of its tiling
    along n, c, h, w, `streamed` how they run, `cycles` what the search for groups expects it to take. No slices or places make a group take less than
    `computing` cycles, those of its ops in their recipes on whole tensors, and the time of `constantBytes` and `valueBytes`, which DRAM reads and writes once. Without `border` nothing follows that could belong to it.
  }];
  let parameters = (ins "::mlir::StringAttr":$operation, "int64_t":$opCount,
      "::mlir::LocationAttr":$first, "::mlir::LocationAttr":$last,
      ArrayRefParameter<"int64_t">:$slices,
      DefaultValuedParameter<"bool", "false">:$streamed,
      DefaultValuedParameter<"int64_t", "0">:$cycles,
      DefaultValuedParameter<"int64_t", "0">:$computing,
      DefaultValuedParameter<"int64_t", "0">:$constantBytes,
      DefaultValuedParameter<"int64_t", "0">:$valueBytes,
      OptionalParameter<"::weft::tpu::CauseAttr">:$border);
  let assemblyFormat = "`<` $operation `,` $opCount `,` $first `,` $last `,` "
                       "`[` $slices `]` (`streamed` $streamed^)? (`cycles` $cycles^)? "
                       "(`computing` $computing^)? (`constants` $constantBytes^)? (`moves` $valueBytes^)? "
                       "(`border` $border^)? `>`";
  let genVerifyDecl = 1;
}

def Tpu_DramValueAttr : Tpu_DecisionAttr<"DramValue", "dram_value"> {
  let summary = "an intermediate in DRAM, and why it is there";
  let description = [{
    `name` is that of the ONNX value, empty if it stands for none; `bytes` are those that are written for it, `step` and `at` say by
    what, `readers` are steps.
  }];
  let parameters = (ins "::mlir::StringAttr":$name,
      "::mlir::RankedTensorType":$type, "int64_t":$bytes, "int64_t":$step,
      "::mlir::LocationAttr":$at, OptionalArrayRefParameter<"int64_t">:$readers,
      "::weft::rt::DramReason":$reason,
      OptionalParameter<"::weft::tpu::CauseAttr">:$cause);
  let assemblyFormat = [{
    `<` $name `,` $type `,` $bytes `,` $step `,` $at `,` `[` (`]`) : ($readers^ `]`)? `,` $reason (`by` $cause^)? `>`
  }];
  let genVerifyDecl = 1;
}

def Tpu_DecisionsAttr : Tpu_DecisionAttr<"Decisions", "decisions"> {
  let summary = "all decisions about a program, for whoever holds its file";
  let description = [{
    `--tpu-list-decisions` makes it of what the passes wrote on ops; `ppl.net` carries it to the debug map.
  }];
  let parameters =
      (ins OptionalArrayRefParameter<"::weft::tpu::StepAttr">:$steps,
          OptionalArrayRefParameter<"::weft::tpu::DramValueAttr">:$values,
          OptionalArrayRefParameter<"::weft::tpu::ChoiceAttr">:$choices);
  let assemblyFormat = [{
    `<` `steps` `[` (`]`) : ($steps^ `]`)? `values` `[` (`]`) : ($values^ `]`)? `choices` `[` (`]`) : ($choices^ `]`)? `>`
  }];
  let genVerifyDecl = 1;
}

#endif // WEFT_DIALECTS_TPU_DECISION_TD
