//===- StageWeights.h - the weights of a net, by stages ---------*- C++ -*-===//

#ifndef WEFT_RUNTIME_BMODEL_STAGEWEIGHTS_H
#define WEFT_RUNTIME_BMODEL_STAGEWEIGHTS_H

#include "runtime/bmodel/FileParts.h"

namespace weft::rt {

/// Weights that one or more stages of a net have in common.
struct StageWeights {
  std::vector<size_t> stages; ///< ascending
  ByteSpan bytes;
};

/// Those of `net`, each once, in the order of the first stages that have them.
/// Stages without weights are left out.
std::vector<StageWeights> weightsOf(const NetSpec &net);

/// A part of the weights that the compiler has named.
struct NamedWeights {
  std::string_view name; ///< anyone's text
  ByteSpan bytes;
};

/// What `stage` names of its weights, in the file's order; empty if the file
/// names none (stripped ones).
std::vector<NamedWeights> namedWeights(const StageSpec &stage);

/// Gives the stages `stages` of net `net`, by their places in `parts`, the
/// weights `bytes`, which live as long as `parts`, with their digest. Other
/// stages and nets keep what they have. Code::InvalidArgument if a stage has
/// weights of another size.
Status replaceWeights(FileParts &parts, size_t net,
                      const std::vector<size_t> &stages, ByteSpan bytes);

} // namespace weft::rt

#endif // WEFT_RUNTIME_BMODEL_STAGEWEIGHTS_H
