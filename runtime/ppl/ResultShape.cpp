//===- ResultShape.cpp - the shape that a call gives its result ----------===//

#include "runtime/ppl/ResultShape.h"
#include "runtime/ppl/Window.h"

#include <algorithm>

using namespace weft;
using namespace weft::catalog;

static bool hasShape(const Tensor &tensor) { return tensor.shape[0] > 0; }

/// What the call reads and has a shape, in the order of the slots.
static std::vector<Dims> sourcesOf(const Call &call) {
  std::vector<Dims> sources;
  for (const Slot &slot : call.operation->slots)
    if (const Tensor *tensor = call.tensor(slot.name);
        tensor && slot.access == Access::Read && hasShape(*tensor))
      sources.push_back(tensor->shape);
  return sources;
}

/// Of convolutions and pools: what the window gives on src, the second slot.
static std::optional<Dims> windowShape(const Call &call) {
  const Operation &function = *call.operation;
  bool slides = function.slot("k_shape") || function.slot("kernel");
  const Tensor *src = slides ? call.tensor(function.slots[1].name) : nullptr;
  if (!src || !hasShape(*src))
    return std::nullopt;
  Window window = windowOf(call);
  int64_t channels =
      function.slot("oc") ? call.integer("oc") : int64_t(src->shape[1]);
  return Dims{src->shape[0], channels, window.positions(src->shape[2], 0),
              window.positions(src->shape[3], 1)};
}

/// Of matrix products: one row a lane in both ways of storing, or folded. More
/// than one may obey the rules only if they are equal.
static void addProductShapes(const Call &call, std::vector<Dims> &shapes) {
  if (!call.operation->slot("left") || !call.operation->slot("right"))
    return;
  const Tensor *left = call.tensor("left"), *right = call.tensor("right");
  if (!left || !right || !hasShape(*left) || !hasShape(*right))
    return;
  const Dims &l = left->shape, &r = right->shape;
  shapes.push_back({1, l[1], 1, r[3]});           // nn
  shapes.push_back({1, l[1], 1, r[1]});           // nt
  shapes.push_back({1, r[1], 1, l[3]});           // tt
  shapes.push_back({l[0], r[1], 1, r[3]});        // folded
  shapes.push_back({l[1] * l[3], r[1], 1, r[3]}); // folded, left transposed
}

/// Lists pick rows, channels or elements of a table, the first source; the
/// others have one axis of it.
static void addPickedShapes(const std::vector<Dims> &sources,
                            std::vector<Dims> &shapes) {
  for (size_t i = 1; i < sources.size(); ++i) {
    const Dims &table = sources[0], &list = sources[i];
    for (int axis = 1; axis < 4; ++axis)
      for (int of = 1; of < 4; ++of) {
        Dims shape = table;
        shape[axis] = list[of];
        shapes.push_back(shape);
      }
  }
}

std::vector<Dims> catalog::proposedShapes(const Call &call,
                                          std::string_view slot) {
  std::vector<Dims> sources = sourcesOf(call), shapes;
  if (sources.empty())
    return shapes;
  bool isFirst = call.operation->slots[0].name == slot;
  if (isFirst)
    if (std::optional<Dims> shape = windowShape(call))
      shapes.push_back(*shape);
  if (isFirst)
    addProductShapes(call, shapes);
  Dims broadcast = sources[0];
  for (const Dims &source : sources)
    for (int axis = 0; axis < 4; ++axis)
      broadcast[axis] = std::max(broadcast[axis], source[axis]);
  shapes.push_back(broadcast);
  for (const Dims &s : sources) {
    shapes.push_back(s);
    shapes.push_back({s[0], s[3], s[2], s[1]}); // c and w exchanged
    shapes.push_back({s[1], s[0], s[2], s[3]}); // n and c exchanged
    shapes.push_back({s[0], s[1], s[2], 1});    // a number for each row
    shapes.push_back({s[0], s[1], 1, 1});       // one for each channel
  }
  addPickedShapes(sources, shapes);
  std::vector<Dims> distinct;
  for (const Dims &shape : shapes)
    if (std::find(distinct.begin(), distinct.end(), shape) == distinct.end())
      distinct.push_back(shape);
  return distinct;
}

/// Functions that add to what is there or leave most of it alone, and copies of
/// one channel, whose number the result's shape alone says.
static bool needsOldValues(const Operation &function) {
  static constexpr std::string_view names[] = {
      "tiu.mac",       "tiu.fmac",          "tiu.scatter_w", "tiu.scatter_hw",
      "tiu.scatter_h", "dma.scatter_h",     "dma.scatter_c", "tiu.broadcast",
      "dma.broadcast", "dma.load_broadcast"};
  return std::find(std::begin(names), std::end(names), function.name) !=
         std::end(names);
}

bool catalog::givesFirstValues(const Call &call, std::string_view slot) {
  const Slot *written = call.operation->slot(slot);
  if (!written || written->access == Access::Read)
    return false;
  if (written->access == Access::Write)
    return true;
  if (call.operation->slot("result_add"))
    return call.integer("result_add") == 0;
  return !needsOldValues(*call.operation);
}

bool catalog::overwritesAll(const Call &call, std::string_view slot) {
  const Slot *written = call.operation->slot(slot);
  if (!written || !givesFirstValues(call, slot))
    return false;
  return written->access == Access::Write || call.operation->slot("result_add");
}
