//===- Passes.td - placed tpu graphs to ppl programs ------------*- tablegen -*-===//

include "mlir/Pass/PassBase.td"

def ConvertTpuToPpl : Pass<"convert-tpu-to-ppl", "::mlir::ModuleOp"> {
  let summary = "emit placed groups as ppl programs";
  let description = [{
    In: a module whose functions `--tpu-place-global` has placed. Out: a `ppl.net` for each, of functions of PPL at explicit addresses; the slices of a
    group are loops where their pieces are alike. Decides nothing: tilings, addresses and recipes stand in the attributes.
  }];
  let dependentDialects = ["::weft::ppl::PplDialect", "::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}
