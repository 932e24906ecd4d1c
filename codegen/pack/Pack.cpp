//===- Pack.cpp - encoded commands to a bmodel file -----------------------===//

#include "codegen/pack/Pack.h"
#include "codegen/pack/DebugMapBuilder.h"
#include "codegen/pack/OnnxView.h"
#include "codegen/pack/WeightArea.h"
#include "dialects/Evaluate.h"
#include "dialects/Refusal.h"
#include "runtime/bmodel/Bmodel.h"
#include "runtime/digest/Sha256.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

using namespace mlir;
using namespace weft;
using namespace weft::codegen;
namespace wire = weft::rt::wire;

/// The vendor pads command blobs to this.
static constexpr uint64_t kCommandBlobBytes = 128;

static void addNotes(const InterfaceNotes &notes, const std::string &name,
                     wire::OnnxViewT &view) {
  if (auto symbols = notes.symbols.find(name); symbols != notes.symbols.end())
    view.symbols = symbols->second;
  if (auto axis = notes.batchAxes.find(name); axis != notes.batchAxes.end())
    view.batch_axis = axis->second;
  if (notes.strings.count(name))
    view.element_type = rt::kOnnxString;
}

static FailureOr<std::unique_ptr<wire::TensorT>>
makeTensor(const StageProgram &stage, ppl::IoAttr io, wire::TensorRole role,
           int index) {
  ppl::NetOp net = stage.net;
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
    return unsupported(net.getLoc())
           << (isInput ? "input" : "output") << " '" << io.getName().getValue()
           << "' of type " << io.getOnnx() << " stored as " << stored
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
  addNotes(stage.notes, tensor->name, *view);
  tensor->onnx = std::move(view);
  return tensor;
}

using TensorList = std::vector<std::unique_ptr<wire::TensorT>>;

static LogicalResult appendTensors(const StageProgram &stage, ArrayAttr ios,
                                   wire::TensorRole role, TensorList &list) {
  for (auto [index, io] : llvm::enumerate(ios.getAsRange<ppl::IoAttr>())) {
    FailureOr<std::unique_ptr<wire::TensorT>> tensor =
        makeTensor(stage, io, role, int(index));
    if (failed(tensor))
      return failure();
    list.push_back(std::move(*tensor));
  }
  return success();
}

/// The weight area as it lies in DRAM, for all stages.
namespace {
struct PackedWeights {
  std::vector<rt::BytePiece> pieces;
  uint64_t size = 0;
  rt::Digest digest;
};
} // namespace

static FailureOr<PackedWeights> packWeights(ArrayRef<StageProgram> stages) {
  SmallVector<ppl::NetOp> nets;
  for (const StageProgram &stage : stages)
    nets.push_back(stage.net);
  FailureOr<std::vector<rt::BytePiece>> pieces = weightPieces(nets);
  if (failed(pieces))
    return failure();
  PackedWeights packed;
  packed.pieces = std::move(*pieces);
  packed.size = nets.front().getWeightsBytes();
  rt::Sha256 hash;
  rt::writePieces(packed.pieces, packed.size,
                  [&](const void *bytes, size_t size) {
                    hash.add(static_cast<const uint8_t *>(bytes), size);
                    return true;
                  });
  packed.digest = hash.finish();
  return packed;
}

/// The names of the parts that `net` reads.
static std::unique_ptr<wire::WeightsT> makeWeights(ppl::NetOp net,
                                                   const PackedWeights &packed,
                                                   rt::Section &section,
                                                   bool withNames) {
  auto weights = std::make_unique<wire::WeightsT>();
  weights->address = net.getWeightsAddress();
  weights->sha256.assign(packed.digest.begin(), packed.digest.end());
  weights->blob = section.add(packed.pieces, packed.size, packed.digest);
  if (!withNames)
    return weights;
  for (ppl::WeightOp weight : net.getBody().getOps<ppl::WeightOp>()) {
    auto location = std::make_unique<wire::WeightLocationT>();
    location->name = weight.getSymName().str();
    location->offset = weight.getAddress() - net.getWeightsAddress();
    location->size = weight.getNumBytes();
    weights->locations.push_back(std::move(location));
  }
  return weights;
}

static std::vector<std::unique_ptr<wire::CommandGroupT>>
makeGroups(const EncodedProgram &encoded, rt::Section &section) {
  std::vector<std::unique_ptr<wire::CommandGroupT>> groups;
  for (const CommandGroup &source : encoded.groups) {
    auto group = std::make_unique<wire::CommandGroupT>();
    group->tiu_count = source.tiuCount();
    group->gdma_count = source.gdmaCount();
    group->tiu_blob = section.add(source.tiu, kCommandBlobBytes);
    group->gdma_blob = section.add(source.gdma, kCommandBlobBytes);
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

static std::unique_ptr<wire::SubNetT> makeSubNet(wire::SubNetMode mode,
                                                 size_t id) {
  auto subNet = std::make_unique<wire::SubNetT>();
  subNet->mode = mode;
  subNet->id = int32_t(id);
  subNet->next_ids = {int32_t(id) + 1};
  subNet->core_count = 1;
  return subNet;
}

static std::unique_ptr<wire::SubNetT>
makeHostSubNet(const host::Program &program, size_t id, rt::Section &section) {
  std::unique_ptr<wire::SubNetT> subNet = makeSubNet(wire::SubNetMode::Cpu, id);
  auto layer = std::make_unique<wire::CpuLayerT>();
  layer->op_type = host::kLayerType;
  layer->is_custom = 1;
  layer->parameters = section.add(host::serialize(program), 1);
  subNet->cpu_layers.push_back(std::move(layer));
  return subNet;
}

/// The groups and the programs of the host in the order in which they run. The
/// runtime takes groups and tensors from the stage, other tools from the
/// sub-nets, so both have them.
static void makeSubNets(const EncodedProgram &encoded, rt::Section &section,
                        wire::NetParameterT &stage) {
  auto &subNets = stage.sub_nets;
  size_t nextHost = 0;
  for (size_t group = 0; group <= stage.groups.size(); ++group) {
    if (nextHost < encoded.hostParts.size() &&
        encoded.hostParts[nextHost].group == group)
      subNets.push_back(makeHostSubNet(encoded.hostParts[nextHost++].program,
                                       subNets.size(), section));
    if (group == stage.groups.size())
      break;
    if (subNets.empty() || subNets.back()->mode != wire::SubNetMode::Tpu)
      subNets.push_back(makeSubNet(wire::SubNetMode::Tpu, subNets.size()));
    subNets.back()->groups.push_back(
        std::make_unique<wire::CommandGroupT>(*stage.groups[group]));
  }
  subNets.back()->next_ids = {-1};
  // What lies between sub-nets stays in its place in DRAM; the net's own
  // tensors are named once.
  subNets.front()->inputs = copyAll(stage.inputs);
  subNets.back()->outputs = copyAll(stage.outputs);
}

static FailureOr<std::unique_ptr<wire::NetParameterT>>
makeStage(const StageProgram &program, const PackedWeights &weights,
          const PackOptions &options, rt::Section &section) {
  ppl::NetOp net = program.net;
  auto stage = std::make_unique<wire::NetParameterT>();
  if (failed(appendTensors(program, net.getInputs(), wire::TensorRole::Input,
                           stage->inputs)) ||
      failed(appendTensors(program, net.getOutputs(), wire::TensorRole::Output,
                           stage->outputs)))
    return failure();
  stage->weights = makeWeights(net, weights, section, !options.strip);
  stage->context_address = net.getContextAddress();
  stage->context_bytes = net.getContextBytes();
  stage->context_parts = {stage->context_bytes};
  stage->groups = makeGroups(*program.encoded, section);
  stage->stage_ir.push_back(std::make_unique<wire::StageIrT>());
  stage->ir_blob = std::make_unique<wire::Blob>();
  stage->core_count = 1;
  stage->dynamic_context_address = stage->context_address;
  stage->dynamic_weight_offset = weights.size;
  stage->dynamic_combined_weight_offset = weights.size;
  makeSubNets(*program.encoded, section, *stage);
  if (options.strip)
    return stage;
  FailureOr<std::unique_ptr<wire::DebugMapT>> map = buildDebugMap(
      *program.encoded, program.nodeOpTypes, program.sourceLines,
      net->getAttrOfType<tpu::DecisionsAttr>(tpu::kDecisionsAttr));
  if (failed(map))
    return failure();
  stage->debug_map = std::move(*map);
  stage->debug_map->producer = options.producer;
  stage->debug_map->has_lines = program.hasLines;
  return stage;
}

FailureOr<PackedFile> codegen::packBmodel(ArrayRef<StageProgram> stages,
                                          const PackOptions &options) {
  FailureOr<PackedWeights> weights = packWeights(stages);
  if (failed(weights))
    return failure();
  ppl::NetOp first = stages.front().net;
  auto net = std::make_unique<wire::NetT>();
  net->name = first.getSymName().str();
  wire::ModelT model;
  rt::Section section;
  for (const StageProgram &program : stages) {
    FailureOr<std::unique_ptr<wire::NetParameterT>> stage =
        makeStage(program, *weights, options, section);
    if (failed(stage))
      return failure();
    model.neuron_bytes =
        std::max<uint64_t>(model.neuron_bytes, (*stage)->context_bytes);
    if (wire::DebugMapT *map = (*stage)->debug_map.get();
        map && net->stages.empty())
      map->conversion = std::make_unique<wire::ConversionT>(options.conversion);
    net->stages.push_back(std::move(*stage));
  }
  model.type = "B";
  model.version = "2.2+" + options.producer; // 2.2: version of the format
  model.time = options.time;
  model.chip = first.getChip().upper();
  model.device_count = 1;
  model.backend_library = std::make_unique<wire::Blob>();
  model.nets.push_back(std::move(net));
  return PackedFile(model, std::move(section));
}
