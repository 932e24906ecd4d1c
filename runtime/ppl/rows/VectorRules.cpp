//===- VectorRules.cpp - rules of moves to vector registers --------------===//

#include "runtime/ppl/rows/DmaRules.h"

#include <cmath>

using namespace weft;
using namespace weft::catalog;

static std::string str(std::string_view text) { return std::string(text); }
static std::string str(int64_t number) { return std::to_string(number); }

static Rule vectorSetting() {
  return {"vset(ew, lmul, v_len) must run first with ew 8, 16 or 32, lmul 1, "
          "2, 4 or 8 and registers of at most 65536 bits",
          [](const Call &call) {
            int64_t ew = call.integer("ew"), lmul = call.integer("lmul"),
                    length = call.integer("v_len");
            bool isFine = (ew == 8 || ew == 16 || ew == 32) && lmul >= 1 &&
                          lmul <= 8 && (lmul & (lmul - 1)) == 0 &&
                          length >= 1 && length * ew <= 65536;
            if (isFine)
              return std::string();
            return "ew is " + str(ew) + ", lmul " + str(lmul) + ", v_len " +
                   str(length);
          }};
}

static Rule registerNumbers(Names names) {
  return {"the number of a register must be a multiple of lmul",
          [names](const Call &call) {
            for (std::string_view name : names)
              if (call.integer(name) % call.integer("lmul"))
                return str(name) + " is " + str(call.integer(name)) +
                       ", lmul " + str(call.integer("lmul"));
            return std::string();
          }};
}

/// `groups`: that the tensor lies in; `isDealt`: over all lanes.
static Rule vectorSizes(std::string_view name, int groups, bool isMove,
                        bool isDealt) {
  std::string text = "the elements must have ew bits and fit in the group";
  if (isMove)
    text += ", their bytes be a multiple of 8";
  if (isDealt)
    text += ", their number be a multiple of the lanes";
  return {text, [=](const Call &call) {
            const Tensor *t = call.tensor(name);
            int64_t ew = call.integer("ew");
            int64_t room =
                groups * call.integer("lmul") * call.integer("v_len");
            int64_t count = t ? t->elements() : room;
            if (t && bitsOf(t->type) != ew)
              return str(name) + " is " + str(spelling(t->type)) + ", ew " +
                     str(ew);
            if (count > room)
              return str(name) + " has " + str(count) + " elements, the group" +
                     (groups > 1 ? "s " : " ") + str(room);
            if (isMove && count * ew / 8 % 8)
              return str(count * ew / 8) + " bytes are moved";
            if (isDealt && count % call.chip->lanes)
              return str(count) + " elements over " +
                     str(int64_t(call.chip->lanes)) + " lanes";
            return std::string();
          }};
}

/// A dealt tensor has the same number of elements in every lane.
static Rule dealtShape(std::string_view name) {
  return {"the tensor must start in lane 0 and have a multiple of LANE_NUM "
          "channels",
          [name](const Call &call) {
            const Tensor *t = call.tensor(name);
            if (!t || (t->lane == 0 && t->shape[1] % call.chip->lanes == 0))
              return std::string();
            return str(name) + " has " + str(t->shape[1]) +
                   " channels from lane " + str(t->lane) + " on";
          }};
}

static Rule staticPlace(std::string_view name) {
  return {"the offset in static memory must be a multiple of 8 and leave room "
          "for the group",
          [name](const Call &call) {
            const Argument &place = call[name];
            if (place.isTensor() || place.kind == Argument::Kind::None)
              return std::string();
            int groups = call.operation->slot("v_idx1") ? 2 : 1;
            double bytes = double(groups * call.integer("lmul") *
                                  call.integer("v_len") * call.integer("ew")) /
                           8;
            double offset = place.number();
            if (offset >= 0 && offset == std::floor(offset / 8) * 8 &&
                offset + bytes <= call.chip->staticMemoryBytes)
              return std::string();
            return str(name) + " is " + str(int64_t(offset)) + " for " +
                   str(int64_t(bytes)) + " bytes";
          }};
}

std::vector<Rule> catalog::vectorRules(const Operation &row) {
  std::vector<Rule> rules = {vectorSetting()};
  Names registers;
  for (const Slot &slot : row.slots)
    if (slot.name.find("v_idx") != std::string_view::npos)
      registers.push_back(slot.name);
  rules.push_back(registerNumbers(registers));
  std::string_view tensor = row.slot("dst") ? "dst" : "src";
  bool isMove = row.name.find("move") != std::string_view::npos;
  bool isDealt = row.name.find("dist") != std::string_view::npos ||
                 row.name.find("coll") != std::string_view::npos;
  rules.push_back(
      vectorSizes(tensor, row.slot("v_idx1") ? 2 : 1, isMove, isDealt));
  if (isDealt)
    rules.push_back(dealtShape(tensor));
  if (row.slot(tensor)->kind == SlotKind::TensorOrScalar)
    rules.push_back(staticPlace(tensor));
  return rules;
}
