//===- ProgramRunner.cpp - compile a tpu module and run it ----------------===//

#include "tests/unit/codegen/emit/ProgramRunner.h"

#include "codegen/emit/Passes.h"
#include "dialects/ppl/Net.h"
#include "dialects/ppl/TensorLayout.h"
#include "dialects/tpu/Group.h"
#include "passes/tpu/Passes.h"
#include "runtime/emulator/Emulator.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "gtest/gtest.h"

#include <cstring>

using namespace mlir;
using namespace weft;
using namespace weft::test;

/// Has the last group run in one slice and keep what the one before it makes.
static void keepInLastGroup(ModuleOp module) {
  tpu::GroupOp last;
  module.walk([&](tpu::GroupOp group) { last = group; });
  SmallVector<int64_t> kept;
  for (auto [number, input] : llvm::enumerate(last.getInputs()))
    if (auto maker = input.getDefiningOp<tpu::GroupOp>();
        maker && maker.groupBehind() == last)
      kept.push_back(number);
  EXPECT_FALSE(kept.empty());
  last.setTilingAttr(tpu::TilingAttr::get(module.getContext(), tpu::Tiling()));
  last.setKept(kept);
}

OwningOpRef<ModuleOp> weft::test::parsePlaced(const std::string &text,
                                              const tpu::Tiling *tiling,
                                              bool isHandedOn,
                                              MLIRContext &context) {
  context.loadDialect<tpu::TpuDialect, ppl::PplDialect, func::FuncDialect,
                      arith::ArithDialect, scf::SCFDialect,
                      quant::QuantizationDialect>();
  OwningOpRef<ModuleOp> parsed = parseSourceString<ModuleOp>(text, &context);
  if (!parsed) {
    ADD_FAILURE() << "the module does not parse";
    return {};
  }
  PassManager grouping(&context), placing(&context);
  grouping.addNestedPass<func::FuncOp>(tpu::createTpuGroupLayers());
  grouping.addNestedPass<func::FuncOp>(tpu::createTpuFoldBands());
  placing.addNestedPass<func::FuncOp>(tpu::createTpuPlaceLocal());
  placing.addNestedPass<func::FuncOp>(tpu::createTpuPlaceGlobal());
  bool isPlaced = succeeded(grouping.run(*parsed));
  if (isPlaced && tiling)
    parsed->walk([&](tpu::GroupOp group) {
      group.setTilingAttr(tpu::TilingAttr::get(&context, *tiling));
    });
  if (isPlaced && isHandedOn)
    keepInLastGroup(*parsed);
  isPlaced = isPlaced && succeeded(placing.run(*parsed));
  EXPECT_TRUE(isPlaced);
  return isPlaced ? std::move(parsed) : OwningOpRef<ModuleOp>();
}

std::string weft::test::afterPass(const std::string &text,
                                  std::unique_ptr<Pass> pass,
                                  StringRef wanted) {
  MLIRContext context;
  context.loadDialect<tpu::TpuDialect, func::FuncDialect,
                      quant::QuantizationDialect>();
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
  PassManager passes(&context);
  passes.addNestedPass<func::FuncOp>(std::move(pass));
  if (!module || failed(passes.run(*module))) {
    ADD_FAILURE() << "the pass fails on " << text;
    return {};
  }
  bool isFound = false;
  module->walk([&](Operation *op) {
    isFound |= op->getName().getStringRef() == wanted;
  });
  std::string printed;
  llvm::raw_string_ostream stream(printed);
  module->print(stream);
  return isFound ? printed : std::string();
}

ProgramRunner::ProgramRunner(const std::string &text, const tpu::Tiling *tiling,
                             bool isHandedOn) {
  compile(text, tiling, isHandedOn);
}

void ProgramRunner::compile(const std::string &text, const tpu::Tiling *tiling,
                            bool isHandedOn) {
  parsed = parsePlaced(text, tiling, isHandedOn, context);
  ASSERT_TRUE(parsed);
  PassManager lowering(&context);
  lowering.addPass(emit::createConvertTpuToPpl());
  ASSERT_TRUE(succeeded(lowering.run(*parsed)));
  auto nets = parsed->getOps<ppl::NetOp>();
  ASSERT_FALSE(nets.empty());
  FailureOr<codegen::EncodedProgram> result =
      codegen::encodeProgram(*nets.begin());
  ASSERT_TRUE(succeeded(result));
  encoded = std::move(*result);
  result = codegen::encodeProgram(*nets.begin(), codegen::Transfers::Planned,
                                  codegen::Order::Scheduled);
  ASSERT_TRUE(succeeded(result));
  scheduled = std::move(*result);
  compiled = true;
}

static size_t bytesOf(RankedTensorType type) {
  return type.getNumElements() * type.getElementTypeBitWidth() / 8;
}

std::vector<std::vector<uint8_t>>
ProgramRunner::runUnder(const codegen::EncodedProgram &program,
                        emulator::Schedule schedule,
                        const std::vector<std::vector<uint8_t>> &inputs) {
  std::vector<std::vector<uint8_t>> outputs;
  ppl::NetOp net = *parsed->getOps<ppl::NetOp>().begin();
  std::vector<uint8_t> weights(net.getWeightsBytes() + 1),
      memory(net.getContextBytes());
  for (auto weight : net.getBody().front().getOps<ppl::WeightOp>()) {
    ArrayRef<char> raw = weight.getRawBytes();
    std::memcpy(weights.data() +
                    (weight.getAddress() - net.getWeightsAddress()),
                raw.data(), raw.size());
  }
  for (auto [i, attribute] :
       llvm::enumerate(net.getInputs().getAsRange<ppl::IoAttr>())) {
    EXPECT_EQ(inputs[i].size(), bytesOf(attribute.getStored()));
    std::memcpy(memory.data() +
                    (attribute.getAddress() - net.getContextAddress()),
                inputs[i].data(), inputs[i].size());
  }
  const Chip &chip = ppl::chipOf(net);
  auto emulator = emulator::Emulator::create(chip);
  EXPECT_TRUE(emulator.isOk());
  // Whatever local memory held before must not matter.
  std::memset((*emulator)->localMemory(), 0x7f, chip.localMemoryBytes());
  if (net.getWeightsBytes()) {
    EXPECT_TRUE((*emulator)
                    ->mapGlobalReadOnly(net.getWeightsAddress(), weights.data(),
                                        net.getWeightsBytes())
                    .isOk());
  }
  EXPECT_TRUE(
      (*emulator)
          ->mapGlobal(net.getContextAddress(), memory.data(), memory.size())
          .isOk());
  std::vector<emulator::CommandGroup> groups;
  for (const codegen::CommandGroup &group : program.groups)
    groups.push_back({group.tiu.data(), group.tiu.size(), group.gdma.data(),
                      group.gdma.size()});
  auto stats = (*emulator)->run(groups, {}, {schedule});
  EXPECT_TRUE(stats.isOk()) << stats.status().message();
  for (auto attribute : net.getOutputs().getAsRange<ppl::IoAttr>()) {
    auto begin =
        memory.begin() + (attribute.getAddress() - net.getContextAddress());
    outputs.emplace_back(begin, begin + bytesOf(attribute.getStored()));
  }
  return outputs;
}

std::vector<std::vector<uint8_t>>
ProgramRunner::run(const std::vector<std::vector<uint8_t>> &inputs) {
  using emulator::Schedule;
  std::vector<std::vector<uint8_t>> outputs =
      runUnder(encoded, Schedule::GdmaFirst, inputs);
  // A wait too few shows where the other engine goes first.
  for (const codegen::EncodedProgram *program : {&encoded, &scheduled})
    for (Schedule schedule :
         {Schedule::GdmaFirst, Schedule::TiuFirst, Schedule::Alternating})
      if (program != &encoded || schedule != Schedule::GdmaFirst) {
        EXPECT_EQ(runUnder(*program, schedule, inputs), outputs)
            << "schedule " << int(schedule)
            << (program == &scheduled ? ", commands in another order" : "");
      }
  return outputs;
}
