//===- NarrowFilters.cpp - --tpu-narrow-filters ---------------------------===//

#include "dialects/tpu/Constant.h"
#include "dialects/tpu/Conv.h"
#include "passes/tpu/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"

#include <cstring>

namespace weft::tpu {
#define GEN_PASS_DEF_TPUNARROWFILTERS
#include "passes/tpu/Passes.h.inc"
} // namespace weft::tpu

using namespace mlir;
using namespace weft;
using namespace weft::tpu;

/// First and last input channel with a weight that is not zero bits; none if
/// there is none.
static std::optional<std::pair<int64_t, int64_t>>
usedChannels(StringRef filter, size_t channelBytes) {
  size_t first = filter.find_first_not_of('\0');
  if (first == StringRef::npos)
    return std::nullopt;
  size_t last = filter.find_last_not_of('\0');
  return std::pair(int64_t(first / channelBytes), int64_t(last / channelBytes));
}

/// The most groups outside of which all filters are zero. A filter that uses
/// the first and the last channel ends the search, so that one without zeros
/// costs nothing.
static FilterGroups groupsOf(ConvOp conv, ArrayRef<char> bytes) {
  Dims filter = dimsOf(conv.getFilter());
  int64_t results = filter[0], inputs = filter[1];
  SmallVector<FilterGroups> open;
  for (int64_t count = std::min(results, inputs); count > 1; --count)
    if (results % count == 0 && inputs % count == 0 &&
        (count < results || count < inputs)) // not depthwise: another unit
      for (bool isInterleaved : {false, true})
        open.push_back({count, isInterleaved});
  size_t rowBytes = bytes.size() / results;
  for (int64_t result = 0; result < results && !open.empty(); ++result) {
    auto used =
        usedChannels(StringRef(bytes.data() + result * rowBytes, rowBytes),
                     rowBytes / inputs);
    if (used)
      llvm::erase_if(open, [&](const FilterGroups &groups) {
        int64_t own = inputs / groups.count, group = groups.of(result, results);
        return used->first / own != group || used->second / own != group;
      });
  }
  return open.empty() ? FilterGroups() : open.front();
}

/// The same convolution with filters of the channels of their group.
static void narrow(ConvOp conv, const FilterGroups &groups,
                   ArrayRef<char> bytes) {
  auto weight = conv.getFilter().getDefiningOp<WeightOp>();
  RankedTensorType type = conv.getFilter().getType();
  SmallVector<int64_t> shape(type.getShape());
  int64_t results = shape[0], rowBytes = bytes.size() / results;
  shape[1] /= groups.count;
  int64_t ownBytes = rowBytes / groups.count;
  std::vector<char> own(results * ownBytes);
  for (int64_t result = 0; result < results; ++result)
    std::memcpy(own.data() + result * ownBytes,
                bytes.data() + result * rowBytes +
                    groups.of(result, results) * ownBytes,
                ownBytes);
  OpBuilder builder(weight);
  auto filter = builder.create<WeightOp>(
      weight.getLoc(), weightAttr(type.clone(shape), std::move(own)));
  conv.getFilterMutable().assign(filter);
  conv.setGroup(groups.count);
  conv.setInterleaved(groups.isInterleaved);
  if (weight->use_empty())
    weight.erase();
}

namespace {
struct NarrowFilters : weft::tpu::impl::TpuNarrowFiltersBase<NarrowFilters> {
  void runOnOperation() override {
    SmallVector<ConvOp> convs(getOperation().getOps<ConvOp>());
    for (ConvOp conv : convs) {
      if (conv.getGroup() != 1 || conv.getFilterZeroPoints() ||
          !conv.getFilter().getDefiningOp<WeightOp>())
        continue;
      FailureOr<WeightBytes> bytes = weightView(conv, conv.getFilter());
      if (failed(bytes))
        return signalPassFailure();
      if (bytes->bytes.empty())
        continue;
      FilterGroups groups = groupsOf(conv, bytes->bytes);
      if (groups.count > 1)
        narrow(conv, groups, bytes->bytes);
    }
  }
};
} // namespace
