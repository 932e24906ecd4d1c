//===- SpreadSteps.cpp - --ppl-spread-steps -------------------------------===//

#include "codegen/emit/Passes.h"
#include "codegen/encode/Encode.h"
#include "dialects/ppl/Memory.h"
#include "dialects/ppl/Net.h"
#include "runtime/chips/Chip.h"

#include <map>

namespace weft::emit {
#define GEN_PASS_DEF_SPREADSTEPS
#include "codegen/emit/Passes.h.inc"
} // namespace weft::emit

using namespace mlir;
using namespace weft;

/// Of a step on average, if where steps lie is asked at all: only the first and
/// last commands of a step run beside those of another, and to encode a program
/// of long steps three times would take minutes.
static constexpr size_t kMostCommandsOfStep = 4096;

namespace {
/// The local tensors of a step.
struct Step {
  SmallVector<ppl::LocalOp, 0> locals;
  int64_t banks = 0; ///< that they reach over from byte 0
  int64_t base = 0;  ///< where they were moved to
  bool isFixed = false;
};

enum class Spread {
  AsPlaced, ///< all at byte 0
  Ring,     ///< behind the step before while there is room
  Ends,     ///< at either end of local memory in turn
};

class Spreader {
public:
  explicit Spreader(ppl::NetOp net);

  void spread();

private:
  void move(Spread way);
  std::optional<codegen::EncodedProgram> encode();

  ppl::NetOp net;
  const Chip &chip;
  const int64_t bankBytes;
  std::map<int64_t, Step> steps;
};
} // namespace

/// One past the last byte of a lane that `local` takes in any iteration; none
/// if its slots are not counted.
static std::optional<int64_t> endOf(ppl::LocalOp local, const Chip &chip) {
  auto bytes =
      ppl::extentBytes(local.getTensor().getType(), local.getLane(), chip);
  int64_t end = local.getAddress() + int64_t(bytes);
  for (auto [step, modulo] : llvm::zip(local.getSteps(), local.getModulos())) {
    if (modulo == 0 && step != 0)
      return std::nullopt;
    end += std::max<int64_t>(modulo - 1, 0) * step;
  }
  return local.getModulos().size() == local.getSteps().size()
             ? std::optional(end)
             : std::nullopt;
}

Spreader::Spreader(ppl::NetOp net)
    : net(net), chip(ppl::chipOf(net)),
      bankBytes(int64_t(chip.laneBytes / chip.banks)) {
  net.walk([&](ppl::LocalOp local) {
    auto number = local->getAttrOfType<IntegerAttr>(ppl::kStepAttr);
    if (!number)
      return;
    local->removeAttr(ppl::kStepAttr);
    Step &step = steps[number.getInt()];
    step.locals.push_back(local);
    std::optional<int64_t> end = endOf(local, chip);
    step.isFixed |= !end;
    if (end)
      step.banks = std::max(step.banks, (*end + bankBytes - 1) / bankBytes);
  });
}

/// Whole banks, so that what shares a bank still does.
void Spreader::move(Spread way) {
  int64_t banks = chip.banks, end = 0;
  bool isAtBegin = false;
  for (auto &[number, step] : steps) {
    int64_t base = 0;
    if (!step.isFixed && way == Spread::Ring && end + step.banks <= banks)
      base = end;
    else if (!step.isFixed && way == Spread::Ends && isAtBegin)
      base = banks - step.banks;
    end = base + step.banks;
    isAtBegin = base == 0;
    for (ppl::LocalOp local : step.locals)
      local.setAddress(local.getAddress() + (base - step.base) * bankBytes);
    step.base = base;
  }
}

/// None if the net has no commands; encoding says why later.
std::optional<codegen::EncodedProgram> Spreader::encode() {
  ScopedDiagnosticHandler silent(net.getContext(),
                                 [](Diagnostic &) { return success(); });
  FailureOr<codegen::EncodedProgram> program = codegen::encodeProgram(
      net, codegen::Transfers::Planned, codegen::Order::Scheduled);
  return succeeded(program) ? std::optional(std::move(*program)) : std::nullopt;
}

/// Commands of both engines.
static size_t commandsOf(const codegen::EncodedProgram &program) {
  size_t count = 0;
  for (const codegen::CommandGroup &group : program.groups)
    count += group.tiuCount() + group.gdmaCount();
  return count;
}

void Spreader::spread() {
  if (steps.size() < 2 || !chip.hasCommands())
    return;
  Spread best = Spread::AsPlaced;
  std::optional<codegen::EncodedProgram> placed = encode();
  if (!placed || commandsOf(*placed) > kMostCommandsOfStep * steps.size())
    return;
  uint64_t least = placed->cycles;
  for (Spread way : {Spread::Ring, Spread::Ends}) {
    move(way);
    std::optional<codegen::EncodedProgram> found = encode();
    if (found && found->cycles < least) {
      least = found->cycles;
      best = way;
    }
  }
  move(best);
}

namespace {
struct SpreadSteps : emit::impl::SpreadStepsBase<SpreadSteps> {
  void runOnOperation() override {
    for (ppl::NetOp net : getOperation().getOps<ppl::NetOp>())
      Spreader(net).spread();
  }
};
} // namespace
