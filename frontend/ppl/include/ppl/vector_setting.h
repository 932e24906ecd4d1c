//===- vector_setting.h - what vset() said last ---------------*- C++ -*-===//

#ifndef WEFT_FRONTEND_PPL_INCLUDE_PPL_VECTOR_SETTING_H
#define WEFT_FRONTEND_PPL_INCLUDE_PPL_VECTOR_SETTING_H

namespace ppl::detail {

/// Of SG2380's vector registers: bits an element, registers bound into a group,
/// elements a register. vset() writes it; the moves between registers and
/// memory pass it on. 0: vset() has not run.
struct VectorSetting {
  int ew = 0, lmul = 0, length = 0;
};
inline __attribute__((visibility("hidden"))) VectorSetting vectorSetting;

} // namespace ppl::detail

#endif // WEFT_FRONTEND_PPL_INCLUDE_PPL_VECTOR_SETTING_H
