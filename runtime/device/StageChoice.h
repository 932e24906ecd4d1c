//===- StageChoice.h - which stage runs inputs of given shapes --*- C++ -*-===//

#ifndef WEFT_RUNTIME_DEVICE_STAGECHOICE_H
#define WEFT_RUNTIME_DEVICE_STAGECHOICE_H

#include "runtime/bmodel/Bmodel.h"

#include <string>
#include <vector>

namespace weft::rt {

struct StageChoice {
  size_t stage = 0;
  /// Entries of the inputs along the stage's batch axis; 0 if the shapes are
  /// exactly the stage's.
  int64_t entries = 0;
};

/// The smallest stage of `net` that runs inputs of `shapes` (one for each
/// input, in their order): one of exactly these shapes, or one whose batch is
/// larger, which is exact as well. Code::ShapeMismatch names an input, its
/// shape and what is allowed.
Result<StageChoice>
chooseStage(const NetSpec &net,
            const std::vector<std::vector<int64_t>> &shapes);

/// The shapes that input `index` may have, over all stages:
/// "1..8x3x48x(64..640:64)".
std::string allowedShapes(const NetSpec &net, size_t index);

/// Size of the batch axis of a stage, 0 if it has none.
int64_t batchSize(const StageSpec &stage);

/// `tensor.shape` with `entries` along its batch axis.
std::vector<int64_t> shapeFor(const TensorSpec &tensor, int64_t entries);

/// Spreads the elements of an input with `entries` along the batch axis over
/// the full tensor, zeros in between. `elementBytes` are those of the elements
/// given; `full` gets tensor.elements of them.
void padBatch(const TensorSpec &tensor, size_t elementBytes, int64_t entries,
              const uint8_t *given, uint8_t *full);
/// The other way: drops what lies beyond `entries` of an output.
void cropBatch(const TensorSpec &tensor, int64_t entries, const uint8_t *full,
               uint8_t *cropped);

} // namespace weft::rt

#endif // WEFT_RUNTIME_DEVICE_STAGECHOICE_H
