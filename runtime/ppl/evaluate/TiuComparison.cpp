//===- TiuComparison.cpp - meaning of the comparisons --------------------===//

#include "runtime/ppl/evaluate/Elements.h"
#include "runtime/ppl/evaluate/FloatArithmetic.h"

using namespace weft;
using namespace weft::catalog;

//===----------------------------------------------------------------------===//
// Relations
//===----------------------------------------------------------------------===//

/// Two elements of one type: fp32 and bf16 subnormals count as zeros, except
/// where bits are compared.
namespace {
struct Two {
  const Dense &a;
  int64_t atA;
  const Dense &b;
  int64_t atB;

  bool areFloats() const { return isFloat(a.type); }
  float left() const { return floats::flushed(floats::load(a, atA)); }
  float right() const { return floats::flushed(floats::load(b, atB)); }
  bool greater() const {
    return areFloats() ? left() > right() : a.integer(atA) > b.integer(atB);
  }
  bool equal() const { return a.bits(atA) == b.bits(atB); }
  bool less() const {
    return areFloats() ? !(left() >= right()) && !equal()
                       : a.integer(atA) < b.integer(atB);
  }
};
enum class Relation { Greater, Less, Equal };
} // namespace

static bool holds(Relation relation, const Two &two) {
  return relation == Relation::Greater ? two.greater()
         : relation == Relation::Less  ? two.less()
                                       : two.equal();
}

/// The bits of one of the two with subnormals as zeros. fp16 keeps them.
static uint64_t settledBits(const Dense &values, int64_t index) {
  uint64_t bits = values.bits(index);
  if (values.type == DataType::Fp32)
    return bits & 0x7f800000 ? bits : bits & 0x80000000;
  if (values.type == DataType::Bf16)
    return bits & 0x7f80 ? bits : bits & 0x8000;
  return bits;
}

//===----------------------------------------------------------------------===//
// Minimum and maximum
//===----------------------------------------------------------------------===//

/// True if the minimum or maximum is the second one.
static bool takesSecond(bool isMax, const Two &two) {
  if (!two.areFloats())
    return isMax ? !two.greater() : !two.less();
  return isMax ? !two.greater() : two.right() <= two.left();
}

static void storeExtreme(bool isMax, Dense &dst, int64_t i, const Two &two) {
  dst.setBits(i, takesSecond(isMax, two) ? settledBits(two.b, two.atB)
                                         : settledBits(two.a, two.atA));
}

template <bool isMax>
static rt::Status evaluateExtreme(const Call &call, Values &values) {
  Dense &dst = values.at("dst");
  Operand a(call, values, "src0", dst.type), b(call, values, "src1", dst.type);
  eachElement(dst.shape, [&](int64_t i, int64_t n, int64_t c, int64_t h,
                             int64_t w) {
    storeExtreme(isMax, dst, i,
                 {a.dense(), a.at(n, c, h, w), b.dense(), b.at(n, c, h, w)});
  });
  return {};
}

template <bool isMax>
static rt::Status evaluateOuter(const Call &, Values &values) {
  Dense &dst = values.at("dst");
  const Dense &a = values.at("src0"), &b = values.at("src1");
  int64_t columns = b.elements(), i = 0;
  // Vectors and rows of the matrix are in row-major order.
  for (int64_t m = 0; m < a.elements(); ++m)
    for (int64_t n = 0; n < columns; ++n)
      storeExtreme(isMax, dst, i++, {a, m, b, n});
  return {};
}

//===----------------------------------------------------------------------===//
// Masks and selects
//===----------------------------------------------------------------------===//

template <Relation relation>
static rt::Status evaluateMask(const Call &call, Values &values) {
  Dense &dst = values.at("dst");
  DataType type = typeOfTensor(call, {"src0", "src1"});
  Operand a(call, values, "src0", type), b(call, values, "src1", type),
      value(call, values, "true_val", dst.type);
  eachElement(
      dst.shape, [&](int64_t i, int64_t n, int64_t c, int64_t h, int64_t w) {
        Two two{a.dense(), a.at(n, c, h, w), b.dense(), b.at(n, c, h, w)};
        dst.setBits(i, holds(relation, two) ? value.bits(0) : 0);
      });
  return {};
}

/// `extreme`: the result that gets src0 or src1 as well; null for the plain
/// selects.
static rt::Status selectInto(const Call &call, Values &values,
                             Relation relation, std::string_view chosen,
                             Dense *extreme) {
  Dense &dst = values.at(chosen);
  DataType type = typeOfTensor(call, {"src0", "src1"});
  Operand a(call, values, "src0", type), b(call, values, "src1", type),
      x(call, values, "src2", dst.type), y(call, values, "src3", dst.type);
  int64_t lanes = call.chip->lanes;
  eachElement(dst.shape,
              [&](int64_t i, int64_t n, int64_t c, int64_t h, int64_t w) {
                // A vector of one element a channel comes round after the last
                // lane.
                auto at = [&](const Operand &operand) {
                  bool isVector = operand.dense().shape != dst.shape;
                  return operand.at(n, isVector ? c % lanes : c, h, w);
                };
                Two two{a.dense(), at(a), b.dense(), at(b)};
                bool first = holds(relation, two);
                if (extreme)
                  extreme->setBits(i, first ? settledBits(two.a, two.atA)
                                            : settledBits(two.b, two.atB));
                const Operand &from = first ? x : y;
                dst.setBits(i, from.bits(from.at(n, c, h, w)));
              });
  return {};
}

template <Relation relation>
static rt::Status evaluateSelect(const Call &call, Values &values) {
  return selectInto(call, values, relation, "dst", nullptr);
}

template <Relation relation>
static rt::Status evaluateExtremeSelect(const Call &call, Values &values) {
  return selectInto(call, values, relation, "dst1", &values.at("dst0"));
}

std::vector<EvaluatorRow> catalog::tiuComparisonEvaluators() {
  return {
      {"tiu.min", evaluateExtreme<false>},
      {"tiu.fmin", evaluateExtreme<false>},
      {"tiu.max", evaluateExtreme<true>},
      {"tiu.fmax", evaluateExtreme<true>},
      {"tiu.vc_min", evaluateOuter<false>},
      {"tiu.fvc_min", evaluateOuter<false>},
      {"tiu.vc_max", evaluateOuter<true>},
      {"tiu.fvc_max", evaluateOuter<true>},
      {"tiu.gt", evaluateMask<Relation::Greater>},
      {"tiu.lt", evaluateMask<Relation::Less>},
      {"tiu.eq", evaluateMask<Relation::Equal>},
      {"tiu.gt_select", evaluateSelect<Relation::Greater>},
      {"tiu.lt_select", evaluateSelect<Relation::Less>},
      {"tiu.eq_select", evaluateSelect<Relation::Equal>},
      {"tiu.max_gt_select", evaluateExtremeSelect<Relation::Greater>},
      {"tiu.min_lt_select", evaluateExtremeSelect<Relation::Less>},
  };
}
