//===- Costs.cpp - what the commands of BM1684X cost ----------------------===//

#include "runtime/chips/bm1684x.h"
#include "runtime/cycles/CostRows.h"

using namespace weft;
using namespace weft::cycles;

namespace {
using namespace weft::isa; // the names of Codes.h, as CostRows.def has them
using namespace weft::cycles::detail;

constexpr unsigned kI8 = bit(Precision::Int8), kI16 = bit(Precision::Int16),
                   kI32 = bit(Precision::Int32), kF16 = bit(Precision::Fp16),
                   kF32 = bit(Precision::Fp32), kBf16 = bit(Precision::Bf16);
constexpr unsigned kLoad = bit(Direction::GlobalToLocal),
                   kStore = bit(Direction::LocalToGlobal),
                   kGlobalCopy = bit(Direction::GlobalToGlobal),
                   kLocalCopy = bit(Direction::LocalToLocal);
constexpr unsigned kNone = 0;
constexpr unsigned kFloats = kF16 | kF32 | kBf16;
constexpr unsigned kIntegers = kI8 | kI16 | kI32;
/// For the DMA engine, which only moves: one type for each width.
constexpr unsigned kWidths = kI8 | kF16 | kF32;
constexpr unsigned kEveryWay = kLoad | kStore | kGlobalCopy | kLocalCopy;

constexpr CostRow kRows[] = {
#define WEFT_COST_TIU(type, func, formula, measured, kinFunc, probed)          \
  {Engine::Tiu,                                                                \
   static_cast<uint8_t>(TiuType::type),                                        \
   func,                                                                       \
   Formula::formula,                                                           \
   {(measured), 0},                                                            \
   kinFunc,                                                                    \
   {(probed), 0}},
#define WEFT_COST_GDMA(type, func, formula, measured, directions, kinFunc,     \
                       probed, probedDirections)                               \
  {Engine::Gdma,                                                               \
   static_cast<uint8_t>(GdmaType::type),                                       \
   func,                                                                       \
   Formula::formula,                                                           \
   {(measured), (directions)},                                                 \
   kinFunc,                                                                    \
   {(probed), (probedDirections)}},
#include "runtime/chips/bm1684x/CostRows.def"
};

constexpr FurtherClaim kFurtherClaims[] = {
#define WEFT_COST_GDMA_ALSO(type, func, measured, directions)                  \
  {static_cast<uint8_t>(GdmaType::type), func, {(measured), (directions)}},
#include "runtime/chips/bm1684x/CostRows.def"
};

constexpr CostConstants makeConstants() {
  CostConstants constants = {};
#define WEFT_COST_CONSTANT(name, value) constants.name = value;
#include "runtime/chips/bm1684x/CostRows.def"
  return constants;
}
} // namespace

static const std::vector<std::string> &kinNames() {
  static const std::vector<std::string> names =
      kinNamesOf(chips::bm1684xCosts, chips::bm1684xInstructions);
  return names;
}

const CostTable chips::bm1684xCosts = {
    kRows,           std::size(kRows),
    kFurtherClaims,  std::size(kFurtherClaims),
    makeConstants(), kinNames};
