//===- Slots.cpp - words for the rows of the catalog ---------------------===//

#include "runtime/catalog/Slots.h"
#include "runtime/catalog/Strides.h"

#include <algorithm>
#include <cmath>

using namespace weft;
using namespace weft::catalog;

Operation catalog::function(std::string_view name, std::string_view section,
                            std::string_view summary, std::string_view formula,
                            std::vector<Slot> slots, std::vector<Rule> rules,
                            std::string_view example) {
  Operation row;
  row.name = name;
  row.section = section;
  row.summary = summary;
  row.formula = formula;
  row.slots = std::move(slots);
  row.rules = std::move(rules);
  row.example = example;
  return row;
}

//===----------------------------------------------------------------------===//
// Slots
//===----------------------------------------------------------------------===//

static Slot tensorSlot(std::string_view name, Access access, TypeSet types,
                       unsigned memories) {
  Slot slot;
  slot.name = name;
  slot.access = access;
  slot.types = types;
  slot.memories = memories;
  return slot;
}

Slot catalog::result(std::string_view name, TypeSet types, unsigned memories) {
  return tensorSlot(name, Access::Write, types, memories);
}
Slot catalog::updated(std::string_view name, TypeSet types, unsigned memories) {
  return tensorSlot(name, Access::ReadWrite, types, memories);
}
Slot catalog::source(std::string_view name, TypeSet types, unsigned memories) {
  return tensorSlot(name, Access::Read, types, memories);
}
Slot catalog::sourceOrScalar(std::string_view name, TypeSet types) {
  Slot slot = source(name, types);
  slot.kind = SlotKind::TensorOrScalar;
  return slot;
}
Slot catalog::optionalSource(std::string_view name, TypeSet types,
                             unsigned memories) {
  Slot slot = source(name, types, memories);
  slot.optional = true;
  return slot;
}
Slot catalog::optionalSourceOrScalar(std::string_view name, TypeSet types,
                                     double fallback) {
  Slot slot = sourceOrScalar(name, types);
  slot.optional = true;
  slot.fallback = fallback;
  return slot;
}

static Slot numberSlot(std::string_view name, SlotKind kind, int64_t low,
                       int64_t high) {
  Slot slot;
  slot.name = name;
  slot.kind = kind;
  slot.low = low;
  slot.high = high;
  return slot;
}

static Slot withFallback(Slot slot, double fallback) {
  slot.optional = true;
  slot.fallback = fallback;
  return slot;
}

Slot catalog::flag(std::string_view name, bool fallback) {
  return withFallback(numberSlot(name, SlotKind::Flag, 0, 1), fallback);
}
Slot catalog::integer(std::string_view name, int64_t low, int64_t high) {
  return numberSlot(name, SlotKind::Integer, low, high);
}
Slot catalog::integer(std::string_view name, int64_t low, int64_t high,
                      int64_t fallback) {
  return withFallback(integer(name, low, high), double(fallback));
}
Slot catalog::real(std::string_view name) {
  return numberSlot(name, SlotKind::Float, INT64_MIN, INT64_MAX);
}
Slot catalog::real(std::string_view name, double fallback) {
  return withFallback(real(name), fallback);
}
Slot catalog::integers(std::string_view name, unsigned count, int64_t low,
                       int64_t high) {
  Slot slot = numberSlot(name, SlotKind::Integers, low, high);
  slot.count = count;
  return slot;
}
Slot catalog::choice(std::string_view name, std::vector<std::string_view> words,
                     int fallback) {
  Slot slot = numberSlot(name, SlotKind::Choice, 0, int64_t(words.size()) - 1);
  slot.choices = std::move(words);
  return withFallback(std::move(slot), fallback);
}
Slot catalog::rounding(std::string_view name, unsigned modes, int fallback) {
  static constexpr std::string_view words[] = {
      "RM_HALF_TO_EVEN", "RM_HALF_AWAY_FROM_ZERO",
      "RM_TOWARDS_ZERO", "RM_DOWN",
      "RM_UP",           "RM_HALF_UP",
      "RM_HALF_DOWN"};
  return enumerated("rounding_mode_t",
                    choice(name, {words, words + modes}, fallback));
}
Slot catalog::enumerated(std::string_view enumeration, Slot slot) {
  slot.enumeration = enumeration;
  return slot;
}
Slot catalog::typeNumber(std::string_view name) {
  return enumerated("data_type_t", integer(name, 0, 18, 0));
}
Slot catalog::element(Slot number) {
  number.isElement = true;
  return number;
}
Slot catalog::omissible(Slot slot) {
  slot.optional = true;
  return slot;
}

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

static constexpr char kAxes[] = "nchw";

static std::string quoted(const Names &names) {
  std::string text;
  for (size_t i = 0; i < names.size(); ++i)
    text += (i == 0                  ? ""
             : i + 1 == names.size() ? " and "
                                     : ", ") +
            std::string(names[i]);
  return text;
}

static std::string shapeText(const Dims &shape) {
  std::string text;
  for (int64_t size : shape)
    text += (text.empty() ? "" : "x") + (size < 0 ? "?" : std::to_string(size));
  return text;
}

static std::string str(std::string_view text) { return std::string(text); }

/// A rule that compares each later tensor with the first.
static Rule pairwise(
    Names names, std::string text,
    std::function<std::string(const Call &, std::string_view, const Tensor &,
                              std::string_view, const Tensor &)>
        compare) {
  return {std::move(text), [names = std::move(names),
                            compare = std::move(compare)](const Call &call) {
            const Tensor *first = nullptr;
            std::string_view firstName;
            for (std::string_view name : names) {
              const Tensor *tensor = call.tensor(name);
              if (!tensor)
                continue;
              if (!first) {
                first = tensor;
                firstName = name;
                continue;
              }
              std::string found =
                  compare(call, firstName, *first, name, *tensor);
              if (!found.empty())
                return found;
            }
            return std::string();
          }};
}

Rule catalog::sameTypes(Names names) {
  std::string text = quoted(names) + " must have one element type";
  Rule rule = pairwise(names, text,
                       [](const Call &, std::string_view nameA, const Tensor &a,
                          std::string_view nameB, const Tensor &b) {
                         if (a.type == b.type)
                           return std::string();
                         return str(nameA) + " is " + str(spelling(a.type)) +
                                ", " + str(nameB) + " is " +
                                str(spelling(b.type));
                       });
  rule.oneType = std::move(names);
  return rule;
}

Rule catalog::sameShapes(Names names) {
  std::string text = quoted(names) + " must have one shape";
  return pairwise(std::move(names), text,
                  [](const Call &, std::string_view nameA, const Tensor &a,
                     std::string_view nameB, const Tensor &b) {
                    if (a.shape == b.shape)
                      return std::string();
                    return str(nameA) + " has shape " + shapeText(a.shape) +
                           ", " + str(nameB) + " " + shapeText(b.shape);
                  });
}

Rule catalog::broadcasts(std::string_view dst, Names sources,
                         bool channelsToo) {
  std::string text =
      "each axis of " + quoted(sources) + " must equal that of " + str(dst) +
      " or be 1" +
      (channelsToo ? ""
                   : ", c must be equal (channels lie in different lanes: copy "
                     "them with dma::broadcast first)");
  return {text, [dst, sources, channelsToo](const Call &call) {
            const Tensor *to = call.tensor(dst);
            for (std::string_view name : sources) {
              const Tensor *from = call.tensor(name);
              for (int axis = 0; to && from && axis < 4; ++axis) {
                int64_t size = from->shape[axis];
                bool repeats = size == 1 && (channelsToo || axis != 1);
                if (size != to->shape[axis] && !repeats)
                  return str(name) + " has " + std::to_string(size) +
                         " on axis " + kAxes[axis] + ", " + str(dst) + " has " +
                         std::to_string(to->shape[axis]);
              }
            }
            return std::string();
          }};
}

Rule catalog::sameLanes(Names names) {
  std::string text = quoted(names) + " must start in one lane";
  return pairwise(std::move(names), text,
                  [](const Call &, std::string_view nameA, const Tensor &a,
                     std::string_view nameB, const Tensor &b) {
                    bool isLocal =
                        a.memory == Memory::Local && b.memory == Memory::Local;
                    if (a.lane == b.lane || !isLocal)
                      return std::string();
                    return str(nameA) + " starts in lane " +
                           std::to_string(a.lane) + ", " + str(nameB) +
                           " in lane " + std::to_string(b.lane);
                  });
}

Rule catalog::startsInLaneZero(std::string_view name) {
  return {str(name) + " must start in lane 0", [name](const Call &call) {
            const Tensor *tensor = call.tensor(name);
            if (!tensor || tensor->lane == 0)
              return std::string();
            return str(name) + " starts in lane " +
                   std::to_string(tensor->lane);
          }};
}

Rule catalog::layoutIs(std::string_view name, std::vector<AlignMode> modes) {
  std::string words;
  for (AlignMode mode : modes)
    words += (words.empty() ? "" : " or ") + str(spelling(mode));
  return {"the layout of " + str(name) + " must be " + words,
          [name, modes](const Call &call) {
            const Tensor *tensor = call.tensor(name);
            if (!tensor)
              return std::string();
            // A view with the strides of a layout is as good as one.
            for (AlignMode mode : modes)
              if (liesAs(*tensor, mode, *call.chip))
                return std::string();
            return str(name) + " is " + str(spelling(tensor->layout));
          }};
}

Rule catalog::shapeIs(std::string_view name, Dims shape) {
  return {str(name) + " must have shape " + shapeText(shape),
          [name, shape](const Call &call) {
            const Tensor *tensor = call.tensor(name);
            for (int axis = 0; tensor && axis < 4; ++axis)
              if (shape[axis] >= 0 && tensor->shape[axis] != shape[axis])
                return str(name) + " has shape " + shapeText(tensor->shape);
            return std::string();
          }};
}

static int axisOf(char axis) { return int(std::string_view(kAxes).find(axis)); }

Rule catalog::sameAxis(std::string_view a, char axisA, std::string_view b,
                       char axisB) {
  std::string text = "axis " + std::string(1, axisA) + " of " + str(a) +
                     " must equal axis " + std::string(1, axisB) + " of " +
                     str(b);
  return {text, [a, axisA, b, axisB](const Call &call) {
            const Tensor *first = call.tensor(a), *second = call.tensor(b);
            if (!first || !second)
              return std::string();
            int64_t x = first->shape[axisOf(axisA)],
                    y = second->shape[axisOf(axisB)];
            if (x == y)
              return std::string();
            return str(a) + " has " + std::to_string(x) + " there, " + str(b) +
                   " " + std::to_string(y);
          }};
}

Rule catalog::someTensor(Names names) {
  return {"at least one of " + quoted(names) + " must be a tensor",
          [names](const Call &call) {
            bool some = std::any_of(
                names.begin(), names.end(),
                [&](std::string_view name) { return call.tensor(name); });
            return some ? std::string() : std::string("all are numbers");
          }};
}

std::string catalog::overlapFound(std::string_view dst, const Tensor &to,
                                  std::string_view src, const Tensor &from,
                                  const Chip &chip) {
  Sharing sharing = shareBytes(to, from, chip);
  if (!to.address || !from.address || sharing == Sharing::Apart)
    return {};
  constexpr uint64_t region = uint64_t(1) << kRegionShift;
  bool isKnown = sharing == Sharing::Shares;
  return str(dst) + " at " + std::to_string(*to.address % region) +
         (isKnown ? " overlaps " : " may overlap ") + str(src) + " at " +
         std::to_string(*from.address % region) +
         (isKnown ? "" : " (their strides are too irregular to tell)");
}

static std::string overlapOf(const Call &call, std::string_view dst,
                             const Names &others, bool exactIsFine) {
  const Tensor *to = call.tensor(dst);
  for (std::string_view name : others) {
    const Tensor *from = call.tensor(name);
    // One element repeated is not the same place: the first write may change
    // what the later ones read.
    if (!to || !from || (exactIsFine && isSamePlace(*to, *from, *call.chip)))
      continue;
    std::string found = overlapFound(dst, *to, name, *from, *call.chip);
    if (!found.empty())
      return found;
  }
  return {};
}

Rule catalog::noPartialOverlap(std::string_view dst, Names sources) {
  return {str(dst) + " must be exactly a source or lie apart from it",
          [dst, sources](const Call &call) {
            return overlapOf(call, dst, sources, true);
          }};
}

Rule catalog::apart(std::string_view dst, Names others) {
  return {str(dst) + " must lie apart from " + quoted(others),
          [dst, others](const Call &call) {
            return overlapOf(call, dst, others, false);
          }};
}

Rule catalog::shortWStride(Names names) {
  return {"the w stride in bytes must be 1 to the chip's limit",
          [names](const Call &call) {
            for (std::string_view name : names) {
              const Tensor *tensor = call.tensor(name);
              if (!tensor)
                continue;
              uint64_t bytes =
                  uint64_t(tensor->strides[3]) * bytesOf(tensor->type);
              if (bytes == 0 || bytes > call.chip->maxDmaStepBytes)
                return "w stride of " + str(name) + " is " +
                       std::to_string(tensor->strides[3]) + " elements, " +
                       std::to_string(bytes) + " bytes, the limit is " +
                       std::to_string(call.chip->maxDmaStepBytes);
            }
            return std::string();
          }};
}

Rule catalog::planeLimit(Names names) {
  return {"h * w must be at most 65535", [names](const Call &call) {
            for (std::string_view name : names) {
              const Tensor *tensor = call.tensor(name);
              if (tensor && tensor->shape[2] * tensor->shape[3] > 65535)
                return "h * w of " + str(name) + " is " +
                       std::to_string(tensor->shape[2] * tensor->shape[3]);
            }
            return std::string();
          }};
}

Rule catalog::rule(std::string text,
                   std::function<std::string(const Call &)> check) {
  return {std::move(text), std::move(check)};
}

Rule catalog::onlyIf(std::string when,
                     std::function<bool(const Call &)> applies, Rule rule) {
  return {when + " " + rule.text,
          [applies = std::move(applies),
           check = std::move(rule.check)](const Call &call) {
            return applies(call) ? check(call) : std::string();
          }};
}

Rule catalog::scalarFits(std::string_view scalar, std::string_view like) {
  return {str(scalar) + " must be in the range of the element type of " +
              str(like),
          [scalar, like](const Call &call) {
            const Argument &argument = call[scalar];
            const Tensor *tensor = call.tensor(like);
            if (!tensor || isFloat(tensor->type) || argument.isTensor() ||
                argument.kind == Argument::Kind::None)
              return std::string();
            double value = argument.number();
            double high = std::ldexp(1.0, int(bitsOf(tensor->type)));
            if (value > -high / 2 - 1 && value < high)
              return std::string();
            return str(scalar) + " is " + std::to_string(value) + ", " +
                   str(like) + " is " + str(spelling(tensor->type));
          }};
}

Rule catalog::startsOnEu(std::string_view name) {
  return {str(name) + " must start at a multiple of the bytes of an EU row",
          [name](const Call &call) {
            const Tensor *tensor = call.tensor(name);
            if (!tensor || !tensor->address ||
                *tensor->address % call.chip->euBytes == 0)
              return std::string();
            return str(name) + " starts at byte " +
                   std::to_string(*tensor->address) + " of its lane, not at " +
                   "a multiple of " + std::to_string(call.chip->euBytes);
          }};
}

Rule catalog::shortStrides(Names names) {
  return {"strides must be at most " + std::to_string(kMostStride) +
              " elements",
          [names](const Call &call) {
            for (std::string_view name : names) {
              const Tensor *tensor = call.tensor(name);
              if (!tensor || tensor->layout != AlignMode::Free)
                continue;
              auto isUsed = [&](int axis) { // a step from element to element
                return axis == 1 ? tensor->lane + tensor->shape[1] >
                                       int64_t(call.chip->lanes)
                                 : tensor->shape[axis] > 1;
              };
              for (int axis = 0; axis < 4; ++axis)
                if (isUsed(axis) && tensor->strides[axis] > kMostStride)
                  return str(name) + " has stride " +
                         std::to_string(tensor->strides[axis]) + " on axis " +
                         kAxes[axis];
            }
            return std::string();
          }};
}

Rule catalog::typesOnChip(std::string_view chip, std::string_view name,
                          TypeSet types) {
  return {"on " + str(chip) + " " + str(name) + " must be " + types.text(),
          [chip, name, types](const Call &call) {
            const Tensor *tensor = call.tensor(name);
            if (call.chip->kernelName() != chip || !tensor ||
                types.contains(tensor->type))
              return std::string();
            return str(name) + " is " + str(spelling(tensor->type));
          }};
}

Rule catalog::typeNumberOf(std::string_view slot, std::string_view tensor) {
  return {str(slot) + " must be DT_NONE or the type of " + str(tensor),
          [slot, tensor](const Call &call) {
            const Tensor *named = call.tensor(tensor);
            int64_t number = call.integer(slot);
            if (number == 0 || !named || number == int64_t(named->type))
              return std::string();
            std::optional<DataType> type = dataTypeOf(number);
            return str(slot) + " is " +
                   (type ? str(spelling(*type)) : std::to_string(number)) +
                   ", " + str(tensor) + " is " + str(spelling(named->type));
          }};
}

Rule catalog::onlyOnChips(ChipNames chips, std::string_view slot,
                          std::string text) {
  return {std::move(text), [chips, slot](const Call &call) {
            bool isGiven = call.tensor(slot) || call.real(slot) != 0;
            bool isThere = std::find(chips.begin(), chips.end(),
                                     call.chip->kernelName()) != chips.end();
            return isGiven && !isThere ? str(slot) + " is given on " +
                                             str(call.chip->targetName)
                                       : std::string();
          }};
}

std::function<std::optional<Tensor>(const Call &)>
catalog::accumulatesAs(std::string_view dst, DataType type) {
  return [dst, type](const Call &call) -> std::optional<Tensor> {
    const Tensor *result = call.tensor(dst);
    if (!result || !call.integer("result_add") || result->type == type)
      return std::nullopt;
    Tensor tensor = *result;
    tensor.type = type;
    tensor.layout = AlignMode::Aligned;
    tensor.strides =
        stridesOf(tensor.layout, type, tensor.shape, tensor.lane, *call.chip);
    return tensor;
  };
}
