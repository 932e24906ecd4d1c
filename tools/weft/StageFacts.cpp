#include "tools/weft/StageFacts.h"
#include "runtime/bmodel/DebugMap.h"
#include "runtime/numeric/HostTensor.h"
#include "runtime/status/Format.h"
#include "runtime/status/Quote.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <map>

using namespace weft;
using namespace weft::cli;
using numeric::elementTypeName;
using numeric::shapeText;

namespace {
/// Gathers what is another.
class Facts {
public:
  void compare(FactKind kind, const std::string &what, const std::string &value,
               const std::string &expected, const std::string &node = "") {
    if (value != expected)
      found.push_back({kind, what + " is " + value + " for " + expected, node});
  }
  void compareTensors(const char *role,
                      const std::vector<rt::TensorSpec> &tensors,
                      const std::vector<rt::TensorSpec> &expected);
  void compareRegion(const char *what, const rt::Region &region,
                     const rt::Region &expected);
  void comparePatches(const rt::StageSpec &stage,
                      const rt::StageSpec &expected);
  void compareHost(const rt::StageSpec &stage, const rt::StageSpec &expected);
  void compareLayers(const rt::StageSpec &stage, const rt::StageSpec &expected);
  void compareOrigins(const rt::StageSpec &stage,
                      const rt::StageSpec &expected);

  std::vector<FactDifference> found;

private:
  void comparePrograms(size_t subNet, const host::Program &program,
                       const host::Program &expected);
  void compareLayer(const rt::wire::DebugTensor &have,
                    const rt::wire::DebugTensor &want);
  void compareOriginsOf(size_t group, isa::Engine engine, size_t commands,
                        const rt::StageSpec &stage,
                        const rt::StageSpec &expected);
};
} // namespace

static std::string hex(uint64_t number) {
  return rt::format("0x%llx", static_cast<unsigned long long>(number));
}

/// As many digits as tell two floats apart.
static std::string digits(float number) {
  return rt::format("%.9g", double(number));
}

void Facts::compareTensors(const char *role,
                           const std::vector<rt::TensorSpec> &tensors,
                           const std::vector<rt::TensorSpec> &expected) {
  compare(FactKind::Name, std::string("the number of ") + role + "s",
          std::to_string(tensors.size()), std::to_string(expected.size()));
  for (size_t i = 0; i < std::min(tensors.size(), expected.size()); ++i) {
    const rt::TensorSpec &have = tensors[i], &want = expected[i];
    compare(FactKind::Name, rt::format("%s %zu", role, i),
            rt::quoteName(have.name), rt::quoteName(want.name));
    const std::string of =
        std::string(" of ") + role + " " + rt::quoteName(want.name);
    compare(FactKind::Type, "the type" + of, elementTypeName(have.type),
            elementTypeName(want.type));
    compare(FactKind::Type, "the stored type" + of,
            elementTypeName(have.storedType), elementTypeName(want.storedType));
    compare(FactKind::Size, "the shape" + of, shapeText(have.shape),
            shapeText(want.shape));
    compare(FactKind::Size, "the stored shape" + of,
            shapeText(have.storedShape), shapeText(want.storedShape));
    compare(FactKind::Scale, "the scale" + of, digits(have.scale),
            digits(want.scale));
    compare(FactKind::Scale, "the zero point" + of,
            std::to_string(have.zeroPoint), std::to_string(want.zeroPoint));
    compare(FactKind::Address, "the address" + of, hex(have.address),
            hex(want.address));
  }
}

void Facts::compareRegion(const char *what, const rt::Region &region,
                          const rt::Region &expected) {
  compare(FactKind::Address, std::string("the address of the ") + what,
          hex(region.address), hex(expected.address));
  compare(FactKind::Size, std::string("the size of the ") + what,
          std::to_string(region.bytes), std::to_string(expected.bytes));
}

/// Of io_reloc, in which commands get the addresses of a run.
void Facts::comparePatches(const rt::StageSpec &stage,
                           const rt::StageSpec &expected) {
  size_t groups = std::min(stage.groups.size(), expected.groups.size());
  for (size_t group = 0; group < groups; ++group) {
    const auto &have = stage.groups[group].patches,
               &want = expected.groups[group].patches;
    auto areEqual = [](const rt::wire::AddressPatch &a,
                       const rt::wire::AddressPatch &b) {
      return a.io_index() == b.io_index() &&
             a.tensor_offset() == b.tensor_offset() &&
             a.command_offset() == b.command_offset();
    };
    if (!std::equal(have.begin(), have.end(), want.begin(), want.end(),
                    areEqual))
      found.push_back({FactKind::Address,
                       rt::format("group %zu: the places where addresses of "
                                  "inputs and outputs are filled in are others",
                                  group),
                       ""});
  }
}

static std::vector<uint8_t> bytesOf(const host::Step &step) {
  return host::serialize({{step}});
}

/// What a step does, and the node that it is of.
static std::string nameOf(const host::Step &step, std::string &node) {
  // By the variant's index; the empty one is a call.
  static constexpr const char *kinds[] = {"a load from DRAM", "an input",
                                          "a constant",       "",
                                          "a store to DRAM",  "an output"};
  static_assert(std::size(kinds) == std::variant_size_v<host::Step>,
                "a kind of step has no name");
  const auto *call = std::get_if<host::CallStep>(&step);
  if (!call)
    return kinds[step.index()];
  node = call->node;
  return "kernel " + rt::quoteName(call->kernel) +
         (node.empty() ? "" : " of node " + rt::quoteName(node));
}

/// The node of the operation behind a step, or of the last before it.
static std::string nearestNode(const host::Program &program, size_t step) {
  for (size_t i = step; i < program.steps.size(); ++i)
    if (const auto *call = std::get_if<host::CallStep>(&program.steps[i]))
      return call->node;
  for (size_t i = step; i-- > 0;)
    if (const auto *call = std::get_if<host::CallStep>(&program.steps[i]))
      return call->node;
  return "";
}

void Facts::comparePrograms(size_t subNet, const host::Program &program,
                            const host::Program &expected) {
  const std::string where =
      rt::format("the host program of sub-net %zu", subNet);
  if (program.steps.size() != expected.steps.size()) {
    found.push_back({FactKind::Host,
                     rt::format("%s has %zu steps for %zu", where.c_str(),
                                program.steps.size(), expected.steps.size()),
                     nearestNode(program, 0)});
    return;
  }
  for (size_t i = 0; i < program.steps.size(); ++i) {
    if (bytesOf(program.steps[i]) == bytesOf(expected.steps[i]))
      continue;
    std::string node;
    std::string name = nameOf(expected.steps[i], node);
    if (node.empty())
      node = nearestNode(expected, i);
    found.push_back({FactKind::Host,
                     rt::format("step %zu of ", i) + where + ", " + name +
                         ", is not that of the model",
                     node});
  }
}

void Facts::compareHost(const rt::StageSpec &stage,
                        const rt::StageSpec &expected) {
  compare(FactKind::Host, "the number of sub-nets",
          std::to_string(stage.subNets.size()),
          std::to_string(expected.subNets.size()));
  size_t count = std::min(stage.subNets.size(), expected.subNets.size());
  for (size_t i = 0; i < count; ++i) {
    const rt::SubNetSpec &have = stage.subNets[i], &want = expected.subNets[i];
    auto kind = [](const rt::SubNetSpec &subNet) {
      return subNet.program ? std::string("of the host")
                            : rt::format("groups %zu to %zu", subNet.firstGroup,
                                         subNet.firstGroup + subNet.groupCount);
    };
    compare(FactKind::Host, rt::format("sub-net %zu", i), kind(have),
            kind(want));
    if (have.program && want.program)
      comparePrograms(i, *have.program, *want.program);
  }
}

static std::string typeText(rt::wire::DataType type) {
  std::optional<numeric::ElementType> known = rt::fromWire(type);
  return known ? elementTypeName(*known) : std::to_string(int(type));
}

static std::string shapeTextOf(const rt::wire::Extent *shape) {
  if (!shape)
    return "none";
  return shapeText({shape->n(), shape->c(), shape->h(), shape->w()});
}

/// Type and shape of the ONNX value.
static std::string viewText(const rt::wire::DebugTensor &layer) {
  const rt::wire::OnnxView *view = layer.onnx();
  if (!view)
    return "none";
  auto type = numeric::fromOnnxDataType(view->element_type());
  std::vector<int64_t> dims;
  for (unsigned i = 0; view->dims() && i < view->dims()->size(); ++i)
    dims.push_back(int64_t(view->dims()->Get(i)));
  return std::string(type ? elementTypeName(*type) : "?") + " " +
         shapeText(dims) + (layer.channels_last() ? ", channels last" : "");
}

/// Where and when its elements are, in bytes that are equal if that is.
static std::vector<uint8_t> placesOf(const rt::wire::DebugTensor &layer) {
  std::unique_ptr<rt::wire::DebugTensorT> places(layer.UnPack());
  rt::wire::DebugTensorT alone;
  alone.pieces = std::move(places->pieces);
  flatbuffers::FlatBufferBuilder builder;
  builder.Finish(rt::wire::DebugTensor::Pack(builder, &alone));
  return {builder.GetBufferPointer(),
          builder.GetBufferPointer() + builder.GetSize()};
}

void Facts::compareLayer(const rt::wire::DebugTensor &have,
                         const rt::wire::DebugTensor &want) {
  const std::string of =
      " of layer " + rt::quoteName(want.value_name()->string_view());
  compare(FactKind::Type, "the stored type" + of, typeText(have.data_type()),
          typeText(want.data_type()));
  compare(FactKind::Size, "the ONNX view" + of, viewText(have), viewText(want));
  compare(FactKind::Size, "the stored shape" + of, shapeTextOf(have.shape()),
          shapeTextOf(want.shape()));
  compare(FactKind::Scale, "the scale" + of, digits(have.scale()),
          digits(want.scale()));
  compare(FactKind::Scale, "the zero point" + of,
          std::to_string(have.zero_point()), std::to_string(want.zero_point()));
  if (placesOf(have) != placesOf(want))
    found.push_back(
        {FactKind::Address,
         "the places" + of + ", or the commands that write them, are others",
         ""});
}

/// What readers of layers take codes for, and where they look for them.
void Facts::compareLayers(const rt::StageSpec &stage,
                          const rt::StageSpec &expected) {
  const auto *tensors = stage.debugMap ? stage.debugMap->tensors() : nullptr;
  const auto *others =
      expected.debugMap ? expected.debugMap->tensors() : nullptr;
  if (!tensors || !others)
    return;
  compare(FactKind::Name, "the number of layers",
          std::to_string(tensors->size()), std::to_string(others->size()));
  for (unsigned i = 0; i < std::min(tensors->size(), others->size()); ++i)
    compare(FactKind::Name, rt::format("layer %u", i),
            rt::quoteName(tensors->Get(i)->value_name()->string_view()),
            rt::quoteName(others->Get(i)->value_name()->string_view()));
  std::map<std::string_view, const rt::wire::DebugTensor *> byName;
  for (unsigned i = 0; i < others->size(); ++i)
    byName[others->Get(i)->value_name()->string_view()] = others->Get(i);
  for (unsigned i = 0; i < tensors->size(); ++i) {
    const rt::wire::DebugTensor *have = tensors->Get(i);
    auto want = byName.find(have->value_name()->string_view());
    if (want != byName.end())
      compareLayer(*have, *want->second);
  }
}

static std::string
nodesText(const std::vector<const rt::wire::DebugNode *> &nodes) {
  std::string text;
  for (const rt::wire::DebugNode *node : nodes)
    text +=
        (text.empty() ? "" : " + ") +
        rt::quoteName(node->name()->string_view()) +
        rt::format(" (%s, node %d)", std::string(rt::captionOf(*node)).c_str(),
                   int(node->index()));
  return text.empty() ? "none" : text;
}

/// The first command of a stream that is made of other nodes: one name that is
/// damaged stands for many commands.
void Facts::compareOriginsOf(size_t group, isa::Engine engine, size_t commands,
                             const rt::StageSpec &stage,
                             const rt::StageSpec &expected) {
  for (size_t i = 0; i < commands; ++i) {
    const std::string have =
                          nodesText(rt::originNodes(stage, group, engine, i)),
                      want = nodesText(
                          rt::originNodes(expected, group, engine, i));
    if (have == want)
      continue;
    compare(FactKind::Name,
            rt::format("the origin of group %zu %s command %zu", group,
                       std::string(isa::engineName(engine)).c_str(), i),
            have, want);
    return;
  }
}

/// The nodes that commands are made of, by which faults get their names.
void Facts::compareOrigins(const rt::StageSpec &stage,
                           const rt::StageSpec &expected) {
  if (!stage.debugMap || !expected.debugMap)
    return;
  for (size_t i = 0; i < stage.groups.size(); ++i) {
    compareOriginsOf(i, isa::Engine::Tiu, stage.groups[i].tiuCount, stage,
                     expected);
    compareOriginsOf(i, isa::Engine::Gdma, stage.groups[i].gdmaCount, stage,
                     expected);
  }
}

std::vector<FactDifference>
cli::factsThatDiffer(const rt::StageSpec &stage,
                     const rt::StageSpec &expected) {
  Facts facts;
  facts.compareTensors("input", stage.inputs, expected.inputs);
  facts.compareTensors("output", stage.outputs, expected.outputs);
  facts.compareRegion("weights", stage.weights, expected.weights);
  facts.compareRegion("activations", stage.activations, expected.activations);
  facts.compareRegion("area of inputs and outputs", stage.io, expected.io);
  facts.comparePatches(stage, expected);
  facts.compareHost(stage, expected);
  facts.compareLayers(stage, expected);
  facts.compareOrigins(stage, expected);
  return std::move(facts.found);
}
