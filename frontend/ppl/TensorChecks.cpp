//===- TensorChecks.cpp - what tensors of a kernel can be ----------------===//

#include "frontend/ppl/TensorChecks.h"

using namespace mlir;
using namespace weft;
using namespace weft::frontend;

ppl::TensorViewType frontend::typeOfTensor(const catalog::Tensor &tensor,
                                           const Chip &chip,
                                           MLIRContext &context) {
  auto memory = ppl::Memory(unsigned(tensor.memory));
  Type element = ppl::elementTypeOf(tensor.type, &context);
  std::optional<ppl::Layout> layout = ppl::layoutOf(tensor.layout, memory);
  if (layout &&
      tensor.strides == catalog::stridesOf(tensor.layout, tensor.type,
                                           tensor.shape, tensor.lane, chip))
    return ppl::TensorViewType::get(tensor.shape, element, memory, *layout);
  return ppl::TensorViewType::get(tensor.shape, element, memory,
                                  ArrayRef<int64_t>(tensor.strides));
}

std::string frontend::sizesText(const int64_t *sizes) {
  return std::to_string(sizes[0]) + "x" + std::to_string(sizes[1]) + "x" +
         std::to_string(sizes[2]) + "x" + std::to_string(sizes[3]);
}

/// Elements of the largest tensor: bytes and strides of more would not fit
/// into 64 bits.
static constexpr uint64_t kMostElements = uint64_t(1) << 40;

static int64_t largestSize(catalog::Memory memory, const Chip &chip) {
  return memory == catalog::Memory::Local ? chip.maxShape : INT32_MAX;
}

bool frontend::isTooLarge(const int64_t *shape, catalog::Memory memory,
                          const Chip &chip) {
  int64_t most = largestSize(memory, chip);
  return std::all_of(shape, shape + 4, [](int64_t size) { return size > 0; }) &&
         std::any_of(shape, shape + 4,
                     [&](int64_t size) { return size > most; });
}

std::string frontend::shapeProblem(const int64_t *shape, catalog::Memory memory,
                                   const Chip &chip) {
  int64_t most = largestSize(memory, chip);
  for (int axis = 0; axis < 4; ++axis)
    if (shape[axis] < 1 || shape[axis] > most)
      return "shape is " + sizesText(shape) + ", each size must be 1 to " +
             std::to_string(most);
  uint64_t elements = 1;
  for (int axis = 0; axis < 4; ++axis)
    if (__builtin_mul_overflow(elements, uint64_t(shape[axis]), &elements) ||
        elements > kMostElements)
      return "shape is " + sizesText(shape) +
             ", more elements than any memory holds";
  return {};
}

std::string frontend::strideProblem(const int64_t *strides,
                                    const int64_t *shape) {
  for (int axis = 0; axis < 4; ++axis)
    if (strides[axis] < 0 || strides[axis] > INT32_MAX)
      return "a stride is " + std::to_string(strides[axis]) +
             ", must be 0 to 2147483647 elements";
  double reach = 0;
  for (int axis = 0; axis < 4; ++axis)
    reach += double(shape[axis] - 1) * double(strides[axis]);
  if (reach > double(kMostElements))
    return "the strides reach farther than any memory";
  return {};
}

bool frontend::isInside(const catalog::Tensor &tensor, uint64_t start,
                        uint64_t rootBytes, const Chip &chip) {
  return *tensor.address >= start &&
         *tensor.address + catalog::extentBytes(tensor, chip) <=
             start + rootBytes;
}
