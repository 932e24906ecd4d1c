//===- RecorderScopes.cpp - loops, attempts and regions of kernels -------===//

#include "dialects/ppl/Round.h"
#include "frontend/ppl/Recorder.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace weft;
using namespace weft::frontend;

void Recorder::enter(int32_t kind, const char *name, weft_ppl_line at) {
  Scope scope(kind, name ? name : "", locate(at));
  if (kind == WEFT_PPL_SCOPE_ITERATION) {
    bool isNested = llvm::any_of(scopes, [](const Scope &outer) {
      return outer.kind == WEFT_PPL_SCOPE_ITERATION;
    });
    if (isNested) {
      error(at) << "enable_pipeline() in a loop inside a pipelined loop; keep "
                   "the one of the inner loop";
    } else {
      std::string loop = std::string(at.file ? at.file : "kernel") + ":" +
                         std::to_string(at.line);
      auto round = builder.create<ppl::RoundOp>(locate(at), loop);
      builder.setInsertionPointToEnd(&round.getBody().emplaceBlock());
    }
  }
  if (kind == WEFT_PPL_SCOPE_PARALLEL)
    parallelRegion = ++parallelRegions;
  isKernelGiven |= kind == WEFT_PPL_SCOPE_KERNEL;
  if (kind == WEFT_PPL_SCOPE_ATTEMPT &&
      mlir::isa<ppl::RoundOp>(builder.getInsertionBlock()->getParentOp()))
    error(at) << "attempt() inside a pipelined loop; put the loop into the "
                 "attempt";
  if (kind == WEFT_PPL_SCOPE_ATTEMPT) {
    Block &body = net.getBody().front();
    scope.lastBefore = body.empty() ? nullptr : &body.back();
    scope.callsBefore = calls;
    scope.tensorsBefore = tensors.size();
    scope.addressesBefore = addressesAreGiven;
    scope.methodBefore = allocationMethod;
    for (size_t i = 0; i < tensors.size(); ++i)
      if (tensors[i].isUnshaped)
        scope.unshapedBefore.emplace_back(int64_t(i + 1), tensors[i]);
  }
  scopes.push_back(std::move(scope));
}

int32_t Recorder::leave(int32_t kind) {
  if (scopes.empty() || scopes.back().kind != kind) {
    if (kind == WEFT_PPL_SCOPE_KERNEL && !scopes.empty()) {
      if (!hasFailed)
        emitScopeError();
      return 0;
    }
    error({nullptr, 0}) << "scopes of the kernel are left in the wrong order";
    return 0;
  }
  Scope scope = std::move(scopes.back());
  scopes.pop_back();
  if (kind == WEFT_PPL_SCOPE_PARALLEL)
    parallelRegion = 0;
  if (kind == WEFT_PPL_SCOPE_ITERATION)
    builder.setInsertionPointToEnd(&net.getBody().front());
  return kind == WEFT_PPL_SCOPE_ATTEMPT ? leaveAttempt(scope) : 0;
}

bool Recorder::isInAttempt() const {
  return options.fits && llvm::any_of(scopes, [](const Scope &scope) {
           return scope.kind == WEFT_PPL_SCOPE_ATTEMPT;
         });
}

int32_t Recorder::leaveAttempt(const Scope &scope) {
  std::optional<catalog::Memory> memory = std::exchange(tooLarge, {});
  if (hasFailed || !options.fits)
    return 0;
  int32_t code = !memory                          ? options.fits(net)
                 : *memory == catalog::Memory::L2 ? WEFT_PPL_NO_L2_MEMORY
                                                  : WEFT_PPL_NO_LOCAL_MEMORY;
  if (code == 0)
    return 0;
  Block &body = net.getBody().front();
  while (!body.empty() && &body.back() != scope.lastBefore)
    body.back().erase();
  tensors.resize(scope.tensorsBefore);
  calls = scope.callsBefore;
  for (const auto &[number, tensor] : scope.unshapedBefore)
    tensors[number - 1] = tensor;
  addressesAreGiven = scope.addressesBefore;
  allocationMethod = scope.methodBefore;
  return code;
}
