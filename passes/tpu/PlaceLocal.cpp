//===- PlaceLocal.cpp - --tpu-place-local ---------------------------------===//

#include "dialects/tpu/GraphCheck.h"
#include "dialects/tpu/ModuleChip.h"
#include "passes/tpu/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"

namespace weft::tpu {
#define GEN_PASS_DEF_TPUPLACELOCAL
#include "passes/tpu/Passes.h.inc"
} // namespace weft::tpu

using namespace mlir;
using namespace weft;
using namespace weft::tpu;

/// Writes the places of a group into its attributes: inputs on the group, the
/// rest on the op they belong to.
static void annotate(GroupOp group, const GroupView &view,
                     ArrayRef<GroupBuffer> buffers,
                     ArrayRef<BufferPlace> places) {
  MLIRContext *context = group.getContext();
  SmallVector<Attribute> inputs;
  std::vector<SmallVector<Attribute>> perOp(view.ops.size());
  for (size_t i = 0; i < places.size(); ++i) {
    const BufferPlace &place = places[i];
    auto attribute = BufferAttr::get(context, place.local, place.bytes,
                                     place.rotate, place.load, place.held, -1);
    if (buffers[i].kind == GroupBuffer::Input)
      inputs.push_back(attribute);
    else
      perOp[buffers[i].owner].push_back(attribute);
  }
  group.setBuffersAttr(ArrayAttr::get(context, inputs));
  for (size_t i = 0; i < view.ops.size(); ++i)
    view.ops[i].op->setAttr(GroupOp::kBuffersAttr,
                            ArrayAttr::get(context, perOp[i]));
}

namespace {
struct PlaceLocal : weft::tpu::impl::TpuPlaceLocalBase<PlaceLocal> {
  using TpuPlaceLocalBase::TpuPlaceLocalBase;

  void runOnOperation() override {
    const Chip *chip = chipOf(getOperation());
    if (!chip || failed(checkGraph(getOperation(), *chip)))
      return signalPassFailure();
    WalkResult result = getOperation().walk([&](GroupOp group) {
      GroupView view = viewGroup(*chip, group);
      Tiling tiling = group.tilingOrWhole();
      auto places = placeGroup(*chip, view, tiling, PlacementOrder::of(group));
      auto slice = planSlice(*chip, view, tiling.counts, {0, 0, 0, 0});
      if (!places || !slice) {
        group.emitError("the tensors of this group do not fit ")
            << chip->laneBytes
            << " bytes a lane under its tiling; use more slices";
        return WalkResult::interrupt();
      }
      annotate(group, view, enumerateBuffers(*chip, view, *slice), *places);
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace
