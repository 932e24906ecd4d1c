//===- Refusal.cpp - why a machine does not compute an operation ----------===//

#include "dialects/Refusal.h"

#include "mlir/IR/BuiltinAttributes.h"

using namespace mlir;
using namespace weft;

std::string Refusal::text() const {
  return wayOut.empty() ? reason : reason + "; " + wayOut;
}

InFlightDiagnostic Refusal::emit(StringRef hint) const {
  InFlightDiagnostic error = unsupported(location);
  error << text();
  if (!hint.empty())
    error << "; " << hint;
  return error;
}

// MLIR's diagnostics carry no data but a location, and a location can.
static StringAttr markOf(MLIRContext *context) {
  return StringAttr::get(context, "weft.refusal");
}

InFlightDiagnostic weft::unsupported(Location location) {
  MLIRContext *context = location.getContext();
  return emitError(FusedLoc::get({location}, markOf(context), context))
         << "unsupported: ";
}

bool weft::isRefusal(Location location) {
  auto fused = dyn_cast<FusedLoc>(location);
  return fused && fused.getMetadata() == markOf(location.getContext());
}
