//===- Multiply.cpp - vmul, vmull, vmulh ---------------------------------===//

#include "runtime/zhouyi/rows/Words.h"

using namespace weft;
using namespace weft::zhouyi;

static Operation product(std::string_view name, std::string_view section,
                         std::string_view summary, std::string_view formula,
                         TypeSet types, VectorWidth width,
                         VectorType (*result)(const Call &),
                         std::string_view example) {
  return onVectors(
      catalog::function(name, section, summary, formula,
                        {vectorOrScalar("x", types), vectorOrScalar("y", types),
                         mask(), outSign(), inactive(types)},
                        {someVector({"x", "y"}), lanesAre(width, {"x", "y"}),
                         scalarsFit(), alike(), oneSign(/*byOutSign=*/true),
                         maskFits({"x", "y"}), inactiveFits()},
                        example),
      width, kByR, result);
}

std::vector<Operation> zhouyi::multiplyRows() {
  std::vector<Operation> rows;
  rows.push_back(
      product("vmul", ZHOUYI_SECTION("vmul"),
              "products of lanes; integers keep the low bits; for 8 bits there "
              "are vmull and vmulh",
              "out[i] = mask[i] ? x[i] * y[i] : r[i]",
              kShorts | kWords | kFloats, VectorWidth::Flexible, lanewise,
              "x = S.int32x8([1, 2, 3, 4, 5, 6, 7, 8])\n"
              "z = S.int32x8([9, 8, 7, 6, 4, 3, 2, 1])\n"
              "out = S.vmul(x, x, mask=\"4T2F2T\", r=z)"));
  for (Slot &slot : rows.back().slots)
    if (slot.name == "x" || slot.name == "y")
      slot.otherTypes = "vmull and vmulh multiply 8 bits";
  rows.push_back(product(
      "vmull", ZHOUYI_SECTION("vmull"),
      "products of twice the width of the lower half of the lanes; products of "
      "32-bit lanes take two lanes each, the low word first",
      "out[i] = mask[i] ? x[i] * y[i] : r[i], i < h = lanes / 2; 32 bits: "
      "out[2i], out[2i+1] = words of x[i] * y[i]",
      kIntegers, VectorWidth::Register, widened,
      "x = S.int16x16([1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 1, 2, 3, 4, 5, 6])\n"
      "z = S.int32x8([9, 8, 7, 6, 5, 4, 3, 2])\n"
      "out = S.vmull(x, x, mask=\"4T2F6T4F\", r=z)"));
  rows.push_back(product(
      "vmulh", ZHOUYI_SECTION("vmulh"),
      "products of twice the width of the upper half of the lanes; products of "
      "32-bit lanes take two lanes each, the low word first",
      "out[i] = mask[h+i] ? x[h+i] * y[h+i] : r[i], i < h = lanes / 2; 32 "
      "bits: out[2i], out[2i+1] = words of x[h+i] * y[h+i]",
      kIntegers, VectorWidth::Register, widened,
      "x = S.int16x16([1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 1, 2, 3, 4, 5, 6])\n"
      "z = S.int32x8([9, 8, 7, 6, 5, 4, 3, 2])\n"
      "out = S.vmulh(x, x, mask=\"4T2F6T4F\", r=z)"));
  return rows;
}
