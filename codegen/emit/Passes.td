//===- Passes.td - placed tpu graphs to ppl programs ------------*- tablegen -*-===//

include "mlir/Pass/PassBase.td"

def ConvertTpuToPpl : Pass<"convert-tpu-to-ppl", "::mlir::ModuleOp"> {
  let summary = "emit placed groups as ppl programs";
  let description = [{
    In: a module whose functions `--tpu-place-global` has placed. Out: a `ppl.net` for each, of functions of PPL at explicit addresses; the slices of a
    group are loops where their pieces are alike. Decides nothing: tilings, addresses and recipes stand in the attributes. With `number-steps` local
    tensors have `ppl.step`, the number of the group or op outside of groups that they are of.
  }];
  let options = [Option<"numberSteps", "number-steps", "bool", "false", "say of which step local tensors are">];
  let dependentDialects = ["::weft::ppl::PplDialect", "::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def SpreadSteps : Pass<"ppl-spread-steps", "::mlir::ModuleOp"> {
  let summary = "place the local tensors of neighbouring steps apart";
  let description = [{
    In: `ppl.net`s whose local tensors have `ppl.step` (`--convert-tpu-to-ppl=number-steps`); each step begins at byte 0. Out: the same without `ppl.step`; where the predicted cycles of the scheduled program are fewer for it, the tensors of a step lie behind those of the one before or
    at the other end of local memory, whole banks away. So transfers of a step need not wait for the step before. A net with kernels that have no
    commands yet stays as it is.
  }];
}
