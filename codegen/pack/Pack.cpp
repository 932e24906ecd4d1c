//===- Pack.cpp - encoded commands to a bmodel file -----------------------===//

#include "codegen/pack/Pack.h"
#include "codegen/pack/DebugMapBuilder.h"
#include "codegen/pack/OnnxView.h"
#include "dialects/Evaluate.h"
#include "runtime/bmodel/Bmodel.h"
#include "runtime/bmodel/Container.h"
#include "runtime/bmodel/Sha256.h"
#include "runtime/chips/Alignment.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cstring>

using namespace mlir;
using namespace weft;
using namespace weft::codegen;
namespace wire = weft::rt::wire;

/// The vendor pads command blobs to this.
static constexpr uint64_t kCommandBlobBytes = 128;

/// Appends `bytes` to the binary section, zero-padded to a multiple of `unit`,
/// and says where they lie, padding included.
static std::unique_ptr<wire::Blob> appendBlob(std::vector<uint8_t> &section,
                                              const std::vector<uint8_t> &bytes,
                                              uint64_t unit) {
  section.resize(alignUp<uint64_t>(section.size(), kPageBytes));
  uint64_t start = section.size();
  section.insert(section.end(), bytes.begin(), bytes.end());
  section.resize(start + alignUp<uint64_t>(bytes.size(), unit));
  return std::make_unique<wire::Blob>(start, section.size() - start);
}

static FailureOr<std::unique_ptr<wire::TensorT>>
makeTensor(ppl::NetOp net, ppl::IoAttr io, wire::TensorRole role, int index) {
  RankedTensorType stored = io.getStored();
  std::optional<wire::DataType> type = wireType(stored.getElementType());
  // With --quantized-io a float lies there narrower than ONNX has it, and what
  // is stored is the interface: the runtime takes floats for it all the same.
  std::optional<numeric::ElementType> onnx =
      hostElementType(io.getOnnx().getElementType());
  bool asOnnx = onnx && rt::storedAs(*onnx) == type;
  std::unique_ptr<wire::OnnxViewT> view = makeOnnxView(
      asOnnx || !onnx ? io.getOnnx()
                      : RankedTensorType::get(io.getOnnx().getShape(),
                                              stored.getElementType()));
  bool isInput = role == wire::TensorRole::Input;
  if (!type || !view)
    return net.emitError() << "unsupported: " << (isInput ? "input" : "output")
                           << " '" << io.getName().getValue() << "' of type "
                           << io.getOnnx() << " stored as " << stored
                           << "; a bmodel stores f32, f16, bf16 and integers "
                              "of 8, 16 and 32 bits";
  auto tensor = std::make_unique<wire::TensorT>();
  tensor->name = io.getName().getValue().str();
  tensor->data_type = *type;
  tensor->device_address = io.getAddress();
  tensor->size =
      uint64_t(stored.getNumElements()) * (stored.getElementTypeBitWidth() / 8);
  auto shape = std::make_unique<wire::ShapeT>();
  shape->dims.assign(stored.getShape().begin(), stored.getShape().end());
  tensor->shape.push_back(std::move(shape));
  tensor->memory_users = 1;
  // The wire keeps the factor to apply: real to stored for an input, stored to
  // real for an output.
  double scale = io.getScaleValue();
  tensor->scale = float(isInput ? 1.0 / scale : scale);
  tensor->zero_point = int32_t(io.getZeroPoint());
  tensor->role = role;
  tensor->index = index;
  tensor->onnx = std::move(view);
  return tensor;
}

using TensorList = std::vector<std::unique_ptr<wire::TensorT>>;

static LogicalResult appendTensors(ppl::NetOp net, ArrayAttr ios,
                                   wire::TensorRole role, TensorList &list) {
  for (auto [index, io] : llvm::enumerate(ios.getAsRange<ppl::IoAttr>())) {
    FailureOr<std::unique_ptr<wire::TensorT>> tensor =
        makeTensor(net, io, role, int(index));
    if (failed(tensor))
      return failure();
    list.push_back(std::move(*tensor));
  }
  return success();
}

/// The weight area as it lies in DRAM, with the names of its parts.
static LogicalResult collectWeights(ppl::NetOp net, std::vector<uint8_t> &bytes,
                                    wire::WeightsT &weights) {
  uint64_t base = net.getWeightsAddress();
  bytes.resize(net.getWeightsBytes());
  for (ppl::WeightOp weight : net.getBody().getOps<ppl::WeightOp>()) {
    ArrayRef<char> raw = weight.getRawBytes();
    uint64_t size = weight.getNumBytes();
    if (raw.empty())
      return weight.emitOpError(
          "has no bytes: the data of its dense_resource is missing");
    uint64_t offset = weight.getAddress() - base;
    // A splat's raw bytes are those of one element.
    for (uint64_t at = 0; at < size; at += raw.size())
      std::memcpy(bytes.data() + offset + at, raw.data(),
                  std::min<uint64_t>(raw.size(), size - at));
    auto location = std::make_unique<wire::WeightLocationT>();
    location->name = weight.getSymName().str();
    location->offset = offset;
    location->size = size;
    weights.locations.push_back(std::move(location));
  }
  weights.address = base;
  std::array<uint8_t, 32> digest = rt::sha256(bytes.data(), bytes.size());
  weights.sha256.assign(digest.begin(), digest.end());
  return success();
}

static std::vector<std::unique_ptr<wire::CommandGroupT>>
makeGroups(const EncodedProgram &encoded, std::vector<uint8_t> &section) {
  std::vector<std::unique_ptr<wire::CommandGroupT>> groups;
  for (const CommandGroup &source : encoded.groups) {
    auto group = std::make_unique<wire::CommandGroupT>();
    group->tiu_count = source.tiuCount();
    group->gdma_count = source.gdmaCount();
    group->tiu_blob = appendBlob(section, source.tiu, kCommandBlobBytes);
    group->gdma_blob = appendBlob(section, source.gdma, kCommandBlobBytes);
    group->tiu_bytes = uint32_t(group->tiu_blob->size());
    group->gdma_bytes = uint32_t(group->gdma_blob->size());
    groups.push_back(std::move(group));
  }
  return groups;
}

template <typename T>
static std::vector<std::unique_ptr<T>>
copyAll(const std::vector<std::unique_ptr<T>> &list) {
  std::vector<std::unique_ptr<T>> copies;
  for (const std::unique_ptr<T> &entry : list)
    copies.push_back(std::make_unique<T>(*entry));
  return copies;
}

/// The runtime takes groups and tensors from the stage, other tools from the
/// sub-net, so both have them.
static std::unique_ptr<wire::SubNetT>
makeSubNet(const wire::NetParameterT &stage) {
  auto subNet = std::make_unique<wire::SubNetT>();
  subNet->mode = wire::SubNetMode::Tpu;
  subNet->groups = copyAll(stage.groups);
  subNet->inputs = copyAll(stage.inputs);
  subNet->outputs = copyAll(stage.outputs);
  subNet->id = 0;
  subNet->next_ids = {-1};
  subNet->core_count = 1;
  return subNet;
}

static FailureOr<std::unique_ptr<wire::NetParameterT>>
makeStage(ppl::NetOp net, const EncodedProgram &encoded,
          const PackOptions &options, std::vector<uint8_t> &section) {
  auto stage = std::make_unique<wire::NetParameterT>();
  stage->weights = std::make_unique<wire::WeightsT>();
  std::vector<uint8_t> weightBytes;
  if (failed(collectWeights(net, weightBytes, *stage->weights)) ||
      failed(appendTensors(net, net.getInputs(), wire::TensorRole::Input,
                           stage->inputs)) ||
      failed(appendTensors(net, net.getOutputs(), wire::TensorRole::Output,
                           stage->outputs)))
    return failure();
  stage->weights->blob = appendBlob(section, weightBytes, 1);
  stage->context_address = net.getContextAddress();
  stage->context_bytes = net.getContextBytes();
  stage->context_parts = {stage->context_bytes};
  stage->groups = makeGroups(encoded, section);
  stage->stage_ir.push_back(std::make_unique<wire::StageIrT>());
  stage->ir_blob = std::make_unique<wire::Blob>();
  stage->core_count = 1;
  stage->dynamic_context_address = stage->context_address;
  stage->dynamic_weight_offset = weightBytes.size();
  stage->dynamic_combined_weight_offset = weightBytes.size();
  stage->sub_nets.push_back(makeSubNet(*stage));
  if (options.strip) {
    stage->weights->locations.clear();
    return stage;
  }
  FailureOr<std::unique_ptr<wire::DebugMapT>> map =
      buildDebugMap(encoded, options.nodeOpTypes);
  if (failed(map))
    return failure();
  stage->debug_map = std::move(*map);
  stage->debug_map->producer = options.producer;
  return stage;
}

/// Header, flatbuffer zero-padded so that the binary section starts a page, and
/// the binary section.
static std::vector<uint8_t>
joinSections(const flatbuffers::FlatBufferBuilder &builder,
             const std::vector<uint8_t> &section) {
  uint64_t end =
      alignUp<uint64_t>(rt::kBmodelHeaderBytes + builder.GetSize(), kPageBytes);
  std::vector<uint8_t> file = rt::makeContainerHeader(
      uint32_t(end - rt::kBmodelHeaderBytes), section.size());
  const uint8_t *start = builder.GetBufferPointer();
  file.insert(file.end(), start, start + builder.GetSize());
  file.resize(end);
  file.insert(file.end(), section.begin(), section.end());
  return file;
}

FailureOr<std::vector<uint8_t>>
codegen::packBmodel(ppl::NetOp net, const EncodedProgram &encoded,
                    const PackOptions &options) {
  std::vector<uint8_t> section;
  FailureOr<std::unique_ptr<wire::NetParameterT>> stage =
      makeStage(net, encoded, options, section);
  if (failed(stage))
    return failure();
  wire::ModelT model;
  model.type = "B";
  model.version = "2.2+" + options.producer; // 2.2: version of the format
  model.time = options.time;
  model.chip = net.getChip().upper();
  model.neuron_bytes = (*stage)->context_bytes;
  model.device_count = 1;
  model.backend_library = std::make_unique<wire::Blob>();
  model.nets.push_back(std::make_unique<wire::NetT>());
  model.nets.back()->name = net.getSymName().str();
  model.nets.back()->stages.push_back(std::move(*stage));
  flatbuffers::FlatBufferBuilder builder(1 << 16);
  builder.Finish(wire::Model::Pack(builder, &model));
  return joinSections(builder, section);
}
