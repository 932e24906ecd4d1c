//===- Machine.h - what runs the steps of a plan ----------------*- C++ -*-===//

#ifndef WEFT_PASSES_QUANTIZE_MACHINE_H
#define WEFT_PASSES_QUANTIZE_MACHINE_H

#include "dialects/Refusal.h"

namespace weft {
struct Chip;
}

namespace weft::quantize {

/// Who is asked whether it takes a step of a plan. This is the one place where
/// the conversion learns what later passes and emission cannot do, so they
/// refuse nothing that came through it. (Recipes of the chip will answer here.)
class Machine {
public:
  /// The vector machine named `target`, or `chip` if the name is empty;
  /// std::nullopt for an unknown name.
  static std::optional<Machine> find(llvm::StringRef target, const Chip &chip);

  /// Why the machine does not take `step`, a tpu op of a plan; std::nullopt if
  /// it does. Asks for types, attributes and constants alone and changes
  /// nothing.
  std::optional<Refusal> refusalOf(mlir::Operation *step) const;

  /// Whether it multiplies matrices a row a lane (tpu.linear).
  bool hasMatrixUnit() const { return !isVectorMachine; }
  /// Depthwise convolutions of 16 bits are faster, as every step rounds.
  bool roundsNarrowSums() const { return !isVectorMachine; }

  /// Whether it runs kernels of PPL.
  bool hasKernels() const { return !isVectorMachine; }

  /// Whether products read codes with a zero point.
  bool hasZeroPoints() const { return !isVectorMachine; }

private:
  Machine(const Chip &chip, bool isVectorMachine)
      : chip(&chip), isVectorMachine(isVectorMachine) {}

  const Chip *chip;
  bool isVectorMachine;
};

} // namespace weft::quantize

#endif // WEFT_PASSES_QUANTIZE_MACHINE_H
