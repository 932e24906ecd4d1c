//===- Gather.cpp - host kernels that name rows by lists ------------------===//

#include "runtime/host/Kernels.h"
#include "runtime/numeric/TensorValues.h"

#include <algorithm>
#include <cstring>

using namespace weft;
using namespace weft::host;
using rt::Status;

namespace {
/// B tables of R rows of W values, and K numbers for each table or for all.
struct Lists {
  int64_t batches, rows, width, count;
  std::vector<int64_t> numbers;
  bool shared;

  int64_t at(int64_t batch, int64_t k) const {
    return numbers[(shared ? 0 : batch * count) + k];
  }
};
} // namespace

static Status readLists(const Call &call, Lists &lists) {
  const Shape &table = call.operand(0).shape();
  const HostTensor &indices = call.operand(1);
  if (table.size() != 3 || indices.shape().size() != 2 ||
      (indices.shape()[0] != table[0] && indices.shape()[0] != 1) ||
      !numeric::isIntegerType(indices.type()))
    return call.fail("tables of shape %s and lists %s of %s; tables are B x R "
                     "x W, lists B x K or 1 x K of integers",
                     numeric::shapeText(table).c_str(),
                     numeric::shapeText(indices.shape()).c_str(),
                     numeric::elementTypeName(indices.type()));
  lists = {table[0],
           table[1],
           table[2],
           indices.shape()[1],
           loadIntegers(indices),
           indices.shape()[0] == 1};
  return Status::ok();
}

Status host::kernels::gather(const Call &call,
                             std::vector<HostTensor> &results) {
  Lists lists;
  WEFT_TRY(readLists(call, lists));
  if (call.results[0].type != call.operand(0).type())
    return call.fail("changes the element type");
  WEFT_TRY(call.addResult({lists.batches, lists.count, lists.width}, results));
  size_t row =
      size_t(lists.width) * numeric::elementBytes(call.results[0].type);
  uint8_t *to = results.back().bytes();
  for (int64_t b = 0; row && b < lists.batches; ++b)
    for (int64_t k = 0; k < lists.count; ++k, to += row) {
      int64_t from = lists.at(b, k);
      if (from >= 0 && from < lists.rows)
        std::memcpy(to, call.operand(0).bytes() + (b * lists.rows + from) * row,
                    row);
    }
  return Status::ok();
}

namespace {
/// Calls fold(place, update) with element numbers of result and updates, in
/// order.
template <class Fold>
void eachUpdate(const Lists &lists, Fold fold) {
  for (int64_t b = 0; b < lists.batches; ++b)
    for (int64_t k = 0; k < lists.count; ++k) {
      int64_t to = lists.at(b, k);
      if (to < 0 || to >= lists.rows)
        continue;
      for (int64_t w = 0; w < lists.width; ++w)
        fold((b * lists.rows + to) * lists.width + w,
             (b * lists.count + k) * lists.width + w);
    }
}

enum class Fold { Replace, Add, Mul, Min, Max };
} // namespace

/// Floats are combined as doubles and rounded at once, as one step of the type
/// would be.
static void foldFloats(const Lists &lists, Fold kind, const HostTensor &updates,
                       HostTensor &result) {
  eachUpdate(lists, [&](int64_t place, int64_t update) {
    double x = result.toDouble(place), u = updates.toDouble(update);
    double y = kind == Fold::Add   ? x + u
               : kind == Fold::Mul ? x * u
               : x != x || u != u  ? x + u
               : kind == Fold::Min ? std::min(x, u)
                                   : std::max(x, u);
    result.setFromDouble(place, y);
  });
}

static void foldIntegers(const Lists &lists, Fold kind,
                         const HostTensor &updates, HostTensor &result) {
  std::vector<int64_t> values = loadIntegers(result),
                       news = loadIntegers(updates);
  bool isUnsigned = !numeric::isSignedType(result.type());
  eachUpdate(lists, [&](int64_t place, int64_t update) {
    uint64_t x = uint64_t(values[place]), u = uint64_t(news[update]);
    bool smaller = isUnsigned ? u < x : int64_t(u) < int64_t(x);
    uint64_t y = kind == Fold::Add                ? x + u
                 : kind == Fold::Mul              ? x * u
                 : (kind == Fold::Min) == smaller ? u
                                                  : x;
    values[place] = int64_t(y);
  });
  storeIntegers(values, result);
}

Status host::kernels::scatter(const Call &call,
                              std::vector<HostTensor> &results) {
  Lists lists;
  WEFT_TRY(readLists(call, lists));
  const HostTensor &base = call.operand(0), &updates = call.operand(2);
  if (updates.shape() != Shape{lists.batches, lists.count, lists.width} ||
      updates.type() != base.type() || call.results[0].type != base.type())
    return call.fail("updates %s of %s for tables %s of %s; they must be B x K "
                     "x W of one element type",
                     numeric::shapeText(updates.shape()).c_str(),
                     numeric::elementTypeName(updates.type()),
                     numeric::shapeText(base.shape()).c_str(),
                     numeric::elementTypeName(base.type()));
  static const char *const kNames[] = {"none", "add", "mul", "min", "max"};
  const std::string &reduction = call.attributes.text("reduction");
  auto name = std::find(std::begin(kNames), std::end(kNames), reduction);
  if (name == std::end(kNames))
    return call.fail("reduction is '%s', must be none, add, mul, min or max",
                     reduction.c_str());
  auto kind = Fold(name - std::begin(kNames));
  WEFT_TRY(call.addResult(base.shape(), results));
  HostTensor &result = results.back();
  result = base;
  size_t unit = numeric::elementBytes(base.type());
  if (kind == Fold::Replace)
    eachUpdate(lists, [&](int64_t place, int64_t update) {
      std::memcpy(result.bytes() + place * unit,
                  updates.bytes() + update * unit, unit);
    });
  else if (numeric::isFloatType(base.type()))
    foldFloats(lists, kind, updates, result);
  else
    foldIntegers(lists, kind, updates, result);
  return Status::ok();
}
