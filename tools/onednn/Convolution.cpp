//===- Convolution.cpp - a convolution by oneDNN --------------------------===//

#include "tools/onednn/Primitives.h"

using namespace weft::tools::onednn;

/// A dense row-major tensor.
static bool rowMajor(const std::vector<dnnl_dim_t> &sizes,
                     dnnl_memory_desc_t &description) {
  std::vector<dnnl_dim_t> strides(sizes.size(), 1);
  for (size_t axis = sizes.size(); axis-- > 1;)
    strides[axis - 1] = strides[axis] * sizes[axis];
  return dnnl_memory_desc_init_by_strides(
             &description, static_cast<int>(sizes.size()), sizes.data(),
             dnnl_f32, strides.data()) == dnnl_success;
}

/// A tensor in the layout that the primitive likes best.
static bool anyLayout(const std::vector<dnnl_dim_t> &sizes,
                      dnnl_memory_desc_t &description) {
  return dnnl_memory_desc_init_by_tag(
             &description, static_cast<int>(sizes.size()), sizes.data(),
             dnnl_f32, dnnl_format_tag_any) == dnnl_success;
}

static Memory memoryAt(const dnnl_memory_desc_t &description,
                       dnnl_engine_t engine, const void *bytes) {
  dnnl_memory_t memory = nullptr;
  if (dnnl_memory_create(&memory, &description, engine,
                         const_cast<void *>(bytes)) != dnnl_success)
    return nullptr;
  return Memory(memory);
}

/// Room for a tensor of `description`, at least.
static uint8_t *reserve(Buffer &buffer, const dnnl_memory_desc_t &description) {
  size_t bytes = dnnl_memory_desc_get_size(&description);
  if (buffer.size() < bytes)
    buffer.resize(bytes);
  return buffer.data();
}

/// A copy from one layout to another. Null if they are equal (`isEqual`) or
/// oneDNN has none.
static Primitive reorderBetween(const dnnl_memory_desc_t &from,
                                const dnnl_memory_desc_t &to,
                                dnnl_engine_t engine, bool &isEqual) {
  isEqual = dnnl_memory_desc_equal(&from, &to);
  dnnl_primitive_desc_t raw = nullptr;
  if (isEqual || dnnl_reorder_primitive_desc_create(
                     &raw, &from, engine, &to, engine, nullptr) != dnnl_success)
    return nullptr;
  PrimitiveDesc description(raw);
  dnnl_primitive_t primitive = nullptr;
  if (dnnl_primitive_create(&primitive, raw) != dnnl_success)
    return nullptr;
  return Primitive(primitive);
}

static bool execute(const Primitive &primitive, dnnl_stream_t stream,
                    const std::vector<dnnl_exec_arg_t> &arguments) {
  for (const dnnl_exec_arg_t &argument : arguments)
    if (!argument.memory)
      return false;
  return dnnl_primitive_execute(primitive.get(), stream,
                                static_cast<int>(arguments.size()),
                                arguments.data()) == dnnl_success;
}

static bool runReorder(const Primitive &reorder, dnnl_stream_t stream,
                       const Memory &from, const Memory &to) {
  return execute(reorder, stream,
                 {{DNNL_ARG_FROM, from.get()}, {DNNL_ARG_TO, to.get()}});
}

bool Convolution::describe(dnnl_engine_t engine, const Shape &shape,
                           bool hasBias) {
  dnnl_memory_desc_t input, filter, output;
  if (!rowMajor(shape.input, rowMajorInput) ||
      !rowMajor(shape.output, rowMajorOutput) ||
      !rowMajor({shape.output[1]}, bias) || !anyLayout(shape.input, input) ||
      !anyLayout(shape.filter, filter) || !anyLayout(shape.output, output))
    return false;
  dnnl_convolution_desc_t convolution;
  // Not `auto`: it may choose Winograd's algorithm, which loses digits.
  if (dnnl_dilated_convolution_forward_desc_init(
          &convolution, dnnl_forward_inference, dnnl_convolution_direct, &input,
          &filter, hasBias ? &bias : nullptr, &output, shape.strides.data(),
          shape.dilations.data(), shape.padsBefore.data(),
          shape.padsAfter.data()) != dnnl_success)
    return false;
  dnnl_primitive_attr_t rawAttributes = nullptr;
  if (dnnl_primitive_attr_create(&rawAttributes) != dnnl_success)
    return false;
  PrimitiveAttr attributes(rawAttributes);
  // Else the primitive belongs to the thread that made it.
  if (dnnl_primitive_attr_set_scratchpad_mode(
          rawAttributes, dnnl_scratchpad_mode_user) != dnnl_success)
    return false;
  dnnl_primitive_desc_t raw = nullptr;
  if (dnnl_primitive_desc_create(&raw, &convolution, rawAttributes, engine,
                                 nullptr) != dnnl_success)
    return false;
  description.reset(raw);
  return true;
}

bool Convolution::prepareReorders(dnnl_engine_t engine) {
  bool inputIsEqual, outputIsEqual;
  orderInput = reorderBetween(
      rowMajorInput,
      *dnnl_primitive_desc_query_md(description.get(), dnnl_query_src_md, 0),
      engine, inputIsEqual);
  orderOutput = reorderBetween(
      *dnnl_primitive_desc_query_md(description.get(), dnnl_query_dst_md, 0),
      rowMajorOutput, engine, outputIsEqual);
  return (orderInput || inputIsEqual) && (orderOutput || outputIsEqual);
}

bool Convolution::reorderFilter(dnnl_engine_t engine, dnnl_stream_t stream,
                                const Shape &shape, const float *filter) {
  dnnl_memory_desc_t given;
  const dnnl_memory_desc_t &wanted = *dnnl_primitive_desc_query_md(
      description.get(), dnnl_query_weights_md, 0);
  if (!rowMajor(shape.filter, given))
    return false;
  bool isEqual;
  Primitive reorder = reorderBetween(given, wanted, engine, isEqual);
  reserve(filterBytes, wanted);
  if (isEqual) {
    auto *bytes = reinterpret_cast<const uint8_t *>(filter);
    filterBytes.assign(bytes, bytes + dnnl_memory_desc_get_size(&wanted));
    return true;
  }
  return reorder && runReorder(reorder, stream, memoryAt(given, engine, filter),
                               memoryAt(wanted, engine, filterBytes.data()));
}

bool Convolution::prepare(dnnl_engine_t engine, dnnl_stream_t stream,
                          const Shape &shape, const float *filter,
                          bool hasBias) {
  dnnl_primitive_t raw = nullptr;
  if (!describe(engine, shape, hasBias) ||
      dnnl_primitive_create(&raw, description.get()) != dnnl_success)
    return false;
  primitive.reset(raw);
  return prepareReorders(engine) &&
         reorderFilter(engine, stream, shape, filter);
}

bool Convolution::run(dnnl_engine_t engine, Workspace &workspace,
                      const float *input, const float *biasValues,
                      float *output) const {
  auto layout = [&](dnnl_query_t what) -> const dnnl_memory_desc_t & {
    return *dnnl_primitive_desc_query_md(description.get(), what, 0);
  };
  dnnl_stream_t stream = workspace.stream.get();
  Memory source = memoryAt(rowMajorInput, engine, input);
  if (orderInput) {
    const dnnl_memory_desc_t &wanted = layout(dnnl_query_src_md);
    Memory ordered = memoryAt(wanted, engine, reserve(workspace.input, wanted));
    if (!runReorder(orderInput, stream, source, ordered))
      return false;
    source = std::move(ordered);
  }
  const dnnl_memory_desc_t &given = layout(dnnl_query_dst_md);
  Memory target = memoryAt(rowMajorOutput, engine, output), computed;
  if (orderOutput)
    computed = memoryAt(given, engine, reserve(workspace.output, given));
  const dnnl_memory_desc_t &scratchLayout = layout(dnnl_query_scratchpad_md);
  Memory filter =
      memoryAt(layout(dnnl_query_weights_md), engine, filterBytes.data());
  Memory scratch = memoryAt(scratchLayout, engine,
                            reserve(workspace.scratch, scratchLayout));
  Memory biasMemory;
  std::vector<dnnl_exec_arg_t> arguments = {
      {DNNL_ARG_SRC, source.get()},
      {DNNL_ARG_WEIGHTS, filter.get()},
      {DNNL_ARG_DST, orderOutput ? computed.get() : target.get()},
      {DNNL_ARG_SCRATCHPAD, scratch.get()}};
  if (biasValues) {
    biasMemory = memoryAt(bias, engine, biasValues);
    arguments.push_back({DNNL_ARG_BIAS, biasMemory.get()});
  }
  return execute(primitive, stream, arguments) &&
         (!orderOutput || runReorder(orderOutput, stream, computed, target));
}
