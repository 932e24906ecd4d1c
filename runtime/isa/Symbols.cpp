//===- Symbols.cpp - names of the codes that fields carry ----------------===//

#include "runtime/isa/Symbols.h"

using namespace weft::isa;

// In the order of the enums of Codes.h.
static constexpr std::string_view kPrecisions[] = {
    "int8", "fp16", "fp32", "int16", "int32", "bf16", "int4"};
static constexpr std::string_view kRoundings[] = {
    "half_to_even", "half_away_from_zero",
    "toward_zero",  "floor",
    "ceil",         "half_up",
    "half_down"};
static constexpr std::string_view kLayouts[] = {"aligned", "compact", "channel",
                                                "free", "per_lane"};
static constexpr std::string_view kPadModes[] = {"constant", "reflect", "edge",
                                                 "circular"};
static_assert(std::size(kPrecisions) == size_t(Precision::Int4) + 1 &&
                  std::size(kRoundings) == size_t(Rounding::HalfDown) + 1 &&
                  std::size(kLayouts) == size_t(Layout::PerLane) + 1 &&
                  std::size(kPadModes) == size_t(PadMode::Circular) + 1,
              "every code has a name");

/// True if `opd2_n_str` is a rounding code (isa section 5); elsewhere it is a
/// stride, or the iterations of a division or a square root.
static bool roundsByOperand2(const Opcode &opcode) {
  if (opcode.engine != Engine::Tiu)
    return false;
  switch (TiuType(opcode.type)) {
  case TiuType::Arith:
  case TiuType::LinearArith:
  case TiuType::OuterProduct:
    return opcode.func != arith::Div;
  case TiuType::PoolOrDepthwise:
  case TiuType::MatMul:
  case TiuType::Quant:
    return true;
  default:
    return false;
  }
}

std::string_view weft::isa::precisionName(Precision precision) {
  return size_t(precision) < std::size(kPrecisions)
             ? kPrecisions[size_t(precision)]
             : "code 7";
}

Symbols weft::isa::symbolsOf(const Opcode &opcode, Field field) {
  switch (field) {
  case Field::res0_prec:
  case Field::opd0_prec:
  case Field::opd1_prec:
  case Field::opd2_prec:
  case Field::src_data_format:
  case Field::mask_data_format:
  case Field::index_data_format:
    return {kPrecisions, std::size(kPrecisions)};
  case Field::res0_str:
  case Field::opd0_str:
  case Field::opd1_str:
  case Field::opd2_str:
    return {kLayouts, std::size(kLayouts)};
  case Field::pad_mode:
    return {kPadModes, std::size(kPadModes)};
  case Field::opd2_n_str:
    if (roundsByOperand2(opcode))
      return {kRoundings, std::size(kRoundings)};
    return {};
  default:
    return {};
  }
}

bool weft::isa::isHeadField(Field field) {
  return field == Field::cmd_short || field == Field::cmd_id ||
         field == Field::cmd_id_dep || field == Field::tsk_typ ||
         field == Field::tsk_eu_typ || field == Field::cmd_type ||
         field == Field::cmd_special_function;
}

bool weft::isa::isHexField(Field field, unsigned width) {
  std::string_view name = fieldName(field);
  return width > 15 && (name.find("addr") != std::string_view::npos ||
                        name.find("mask_l") != std::string_view::npos ||
                        name.find("mask_h") != std::string_view::npos ||
                        name.find("constant_value") != std::string_view::npos ||
                        name.find("lane_num") != std::string_view::npos);
}
