//===- Slots.h - words for the rows of the catalog ------------*- C++ -*-===//

#ifndef WEFT_RUNTIME_CATALOG_SLOTS_H
#define WEFT_RUNTIME_CATALOG_SLOTS_H

#include "runtime/catalog/Catalog.h"

namespace weft::catalog {

/// A row of the catalog.
Operation function(std::string_view name, std::string_view section,
                   std::string_view summary, std::string_view formula,
                   std::vector<Slot> slots, std::vector<Rule> rules,
                   std::string_view example);

// Memories of a tensor slot.
inline constexpr unsigned kLocal = 1u << unsigned(Memory::Local),
                          kGlobal = 1u << unsigned(Memory::Global),
                          kStatic = 1u << unsigned(Memory::Static),
                          kL2 = 1u << unsigned(Memory::L2),
                          kSystem = kGlobal | kL2;

// Element types by their bits, signed and unsigned.
inline constexpr TypeSet k4 = TypeSet(DataType::Int4) | DataType::Uint4,
                         k8 = TypeSet(DataType::Int8) | DataType::Uint8,
                         k16 = TypeSet(DataType::Int16) | DataType::Uint16,
                         k32 = TypeSet(DataType::Int32) | DataType::Uint32;

/// One list of two, or of several.
template <class T>
std::vector<T> joined(std::vector<T> all, const std::vector<T> &more) {
  all.insert(all.end(), more.begin(), more.end());
  return all;
}
template <class T>
std::vector<T> joined(std::initializer_list<std::vector<T>> lists) {
  std::vector<T> all;
  for (const std::vector<T> &list : lists)
    all.insert(all.end(), list.begin(), list.end());
  return all;
}

// Slots. Names are those of the manual.
Slot result(std::string_view name, TypeSet types, unsigned memories = kLocal);
/// Read and written, as the accumulator of mac.
Slot updated(std::string_view name, TypeSet types, unsigned memories = kLocal);
Slot source(std::string_view name, TypeSet types, unsigned memories = kLocal);
Slot sourceOrScalar(std::string_view name, TypeSet types);
Slot optionalSource(std::string_view name, TypeSet types,
                    unsigned memories = kLocal);
Slot optionalSourceOrScalar(std::string_view name, TypeSet types,
                            double fallback);
Slot flag(std::string_view name, bool fallback = false);
Slot integer(std::string_view name, int64_t low, int64_t high);
Slot integer(std::string_view name, int64_t low, int64_t high,
             int64_t fallback);
Slot real(std::string_view name);
Slot real(std::string_view name, double fallback);
Slot integers(std::string_view name, unsigned count, int64_t low, int64_t high);
/// `rounding_mode_t`, values 0 to `modes` - 1.
Slot rounding(std::string_view name, unsigned modes, int fallback);
Slot choice(std::string_view name, std::vector<std::string_view> words,
            int fallback);
/// An integer or choice that C++ has an enumeration for.
Slot enumerated(std::string_view enumeration, Slot slot);
/// The number of the type of a result, or DT_NONE.
Slot typeNumber(std::string_view name);
/// A number that becomes an element.
Slot element(Slot number);
/// The slot of a form that other forms lack.
Slot omissible(Slot slot);

// Rules. Each ignores arguments that are left out or are numbers.
using Names = std::vector<std::string_view>;
/// All have the element type of the first.
Rule sameTypes(Names names);
/// All have the shape of the first.
Rule sameShapes(Names names);
/// Each axis of each source equals that of `dst` or is 1 (BC4 of the manual).
/// With `channelsToo` false the c axis must be equal (BC3).
Rule broadcasts(std::string_view dst, Names sources, bool channelsToo);
/// All start in one lane.
Rule sameLanes(Names names);
/// `name` starts in lane 0.
Rule startsInLaneZero(std::string_view name);
/// One of the layouts.
Rule layoutIs(std::string_view name, std::vector<AlignMode> modes);
/// The shape is this; -1: any.
Rule shapeIs(std::string_view name, Dims shape);
/// An axis ('n', 'c', 'h', 'w') of one equals an axis of another:
/// sameAxis("index", 'w', "dst", 'w').
Rule sameAxis(std::string_view a, char axisA, std::string_view b, char axisB);
/// At least one of the arguments is a tensor.
Rule someTensor(Names names);
/// "dst at 64 overlaps src at 0"; empty if they lie apart or have no address.
std::string overlapFound(std::string_view dst, const Tensor &to,
                         std::string_view src, const Tensor &from,
                         const Chip &chip);
/// `dst` may be exactly a source (same start, strides and element size) or lie
/// apart from it, not overlap in part. By elements: columns of one matrix are
/// apart.
Rule noPartialOverlap(std::string_view dst, Names sources);
/// Lies apart from the others wholly, by elements.
Rule apart(std::string_view dst, Names others);
/// The w stride in bytes is 1 to the chip's limit.
Rule shortWStride(Names names);
/// Every axis is 1 to 65535, h*w too if `planes`.
Rule planeLimit(Names names);
/// A rule in words with its own check.
Rule rule(std::string text, std::function<std::string(const Call &)> check);
/// `rule` holds for the calls that `applies` picks; `when` is put before its
/// text: "without a table per channel".
Rule onlyIf(std::string when, std::function<bool(const Call &)> applies,
            Rule rule);
/// The number of `scalar` can be converted to the element type of `like`: for
/// integers it lies in [-2^(bits-1), 2^bits - 1], so that a bit pattern may be
/// given for a signed type.
Rule scalarFits(std::string_view scalar, std::string_view like);
/// The start address is a multiple of the chip's `euBytes` whatever the layout.
/// Not checked before there is an address.
Rule startsOnEu(std::string_view name);
/// Each stride of a tensor with explicit strides is at most 65535 elements,
/// unless no two elements are apart on its axis.
Rule shortStrides(Names names);
/// On these chips `name` must have one of `types`.
Rule typesOnChip(std::string_view chip, std::string_view name, TypeSet types);
/// The integer `slot` is DT_NONE or the number of the type of `tensor`.
Rule typeNumberOf(std::string_view slot, std::string_view tensor);
/// Tensors, numbers and flags other than 0 in `slot` are for these chips.
Rule onlyOnChips(ChipNames chips, std::string_view slot, std::string text);

/// For Operation::accumulator: with the flag result_add `dst` is read as an
/// aligned tensor of `type`, where its own type is another.
std::function<std::optional<Tensor>(const Call &)>
accumulatesAs(std::string_view dst, DataType type);

} // namespace weft::catalog

#endif // WEFT_RUNTIME_CATALOG_SLOTS_H
