//===- Window.cpp - sliding windows of convolution and pooling -----------===//

#include "runtime/ppl/Window.h"

using namespace weft;
using namespace weft::catalog;

static void readPair(const Call &call, std::string_view slot,
                     Window::Pair &pair) {
  const std::vector<int64_t> &values = call.integers(slot);
  if (values.size() == 2)
    pair = {values[0], values[1]};
}

Window catalog::windowOf(const Call &call) {
  Window window;
  readPair(call, "k_shape", window.kernel);
  readPair(call, "kernel", window.kernel);
  readPair(call, "stride", window.stride);
  readPair(call, "dilation", window.dilation);
  readPair(call, "insert", window.insert);
  readPair(call, "ins", window.insert);
  if (const std::vector<int64_t> &pad = call.integers("pad"); pad.size() == 4) {
    window.before = {pad[0], pad[2]};
    window.after = {pad[1], pad[3]};
  }
  window.rotates = call.integer("kernel_rotate") != 0;
  return window;
}

unsigned catalog::channelPack(DataType type, const Chip &chip) {
  return chip.channelPack(bitsOf(type));
}

int64_t catalog::packedElements(DataType type, int64_t inputChannels,
                                int64_t taps, const Chip &chip) {
  int64_t pack = channelPack(type, chip);
  return (inputChannels + pack - 1) / pack * taps * pack;
}

static Slot leftOut(Slot slot) {
  slot.optional = true;
  return slot;
}

Slot catalog::kernelSlot(std::string_view name) {
  return integers(name, 2, 1, 65535);
}
Slot catalog::strideSlot() { return leftOut(integers("stride", 2, 1, 15)); }
Slot catalog::dilationSlot() { return leftOut(integers("dilation", 2, 1, 15)); }
Slot catalog::padSlot() { return leftOut(integers("pad", 4, 0, 15)); }
Slot catalog::insertSlot(std::string_view name, int64_t most) {
  return leftOut(integers(name, 2, 0, most));
}

static std::string windowProblem(const Call &call) {
  const Slot *slots = call.operation->slots.data();
  const Tensor *dst = call.tensor(slots[0].name),
               *src = call.tensor(slots[1].name);
  if (!dst || !src)
    return {};
  std::string to(slots[0].name), from(slots[1].name);
  if (dst->shape[0] != src->shape[0])
    return to + " has n " + std::to_string(dst->shape[0]) + ", " + from + " " +
           std::to_string(src->shape[0]);
  Window window = windowOf(call);
  for (int axis = 0; axis < 2; ++axis) {
    std::string letter(1, "hw"[axis]);
    int64_t size = src->shape[2 + axis], padded = window.padded(size, axis);
    if (padded > 65535)
      return from + " has " + std::to_string(padded) + " elements along " +
             letter + " with padding and insertion, the limit is 65535";
    if (window.covered(axis) > padded)
      return "the kernel covers " + std::to_string(window.covered(axis)) +
             " elements along " + letter + ", " + from + " has " +
             std::to_string(padded) + " with padding";
    int64_t positions = window.positions(size, axis);
    if (dst->shape[2 + axis] != positions)
      return to + " has " + letter + " " +
             std::to_string(dst->shape[2 + axis]) + ", the window gives " +
             std::to_string(positions);
  }
  return {};
}

Rule catalog::followsWindow() {
  return rule("n must agree, h and w must be ((size - 1) * (insert + 1) + 1 + "
              "pads - ((kernel - 1) * dilation + 1)) / stride + 1",
              windowProblem);
}

bool catalog::isSignedOperand(const Call &call, std::string_view slot) {
  if (const Tensor *tensor = call.tensor(slot))
    return isSigned(tensor->type);
  const Argument &argument = call[slot];
  return argument.kind != Argument::Kind::None && argument.number() < 0;
}
