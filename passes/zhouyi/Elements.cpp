//===- Elements.cpp - loops over the elements of tensors ------------------===//

#include "dialects/tpu/evaluate/Numbers.h"
#include "passes/zhouyi/Emitter.h"

using namespace mlir;
using namespace weft;
using namespace weft::zhouyi;

namespace {
/// The axes of a loop nest: sizes, and the steps of every stream on each axis.
struct Axes {
  SmallVector<int64_t, 6> sizes;
  std::vector<SmallVector<int64_t, 6>> steps; ///< [axis][stream]

  Axes(ArrayRef<int64_t> shape, ArrayRef<Stream> operands,
       const Stream &result) {
    for (auto [axis, size] : llvm::enumerate(shape)) {
      if (size == 1)
        continue;
      SmallVector<int64_t, 6> own;
      for (const Stream &stream : operands)
        own.push_back(stream.strides[axis]);
      own.push_back(result.strides[axis]);
      if (!sizes.empty() && continues(steps.back(), own, size)) {
        sizes.back() *= size;
        steps.back() = own;
        continue;
      }
      sizes.push_back(size);
      steps.push_back(own);
    }
    if (sizes.empty()) {
      sizes.push_back(1);
      steps.push_back(SmallVector<int64_t, 6>(operands.size() + 1, 1));
    }
  }

  /// True if the axis outside is the one inside, continued.
  static bool continues(ArrayRef<int64_t> outer, ArrayRef<int64_t> inner,
                        int64_t size) {
    for (auto [far, near] : llvm::zip(outer, inner))
      if (far != near * size)
        return false;
    return true;
  }

  /// The axis along which vectors lie: least passes, then most steps of one.
  size_t vectorAxis(int64_t lanes) const {
    int64_t total = 1;
    for (int64_t size : sizes)
      total *= size;
    size_t best = sizes.size() - 1;
    int64_t bestPasses = INT64_MAX, bestSteps = -1;
    for (size_t axis = sizes.size(); axis-- > 0;) {
      int64_t passes =
          total / sizes[axis] * llvm::divideCeil(sizes[axis], lanes);
      int64_t near = llvm::count(steps[axis], 1);
      if (passes > bestPasses || (passes == bestPasses && near <= bestSteps))
        continue;
      best = axis;
      bestPasses = passes;
      bestSteps = near;
    }
    return best;
  }
};

/// The loops and the block of vectors inside.
class Nest {
public:
  Nest(Code &code, const Axes &axes, ArrayRef<Stream> operands,
       const Stream &result, int64_t mostLanes, bool readsStillOnce,
       llvm::function_ref<Value(Read, int64_t)> body)
      : code(code), axes(axes), operands(operands), result(result),
        readsStillOnce(readsStillOnce), body(body),
        vectorAxis(axes.vectorAxis(mostLanes)), size(axes.sizes[vectorAxis]),
        lanes(std::min<int64_t>(mostLanes, llvm::PowerOf2Ceil(std::max<int64_t>(
                                               size, kWordLanes)))),
        at(operands.size() + 1) {}

  void emit(size_t axis = 0) {
    if (axis == axes.sizes.size())
      return emitVectors();
    if (axis == vectorAxis)
      return emit(axis + 1);
    code.loop(axes.sizes[axis], [&](Value index) {
      for (size_t i = 0; i < at.size(); ++i)
        at[i].push_back({index, axes.steps[axis][i]});
      emit(axis + 1);
      for (Strides &strides : at)
        strides.pop_back();
    });
  }

private:
  void emitVectors() {
    ArrayRef<int64_t> steps = axes.steps[vectorAxis];
    // What does not move with the vector is read in front of it.
    SmallVector<Value> still(operands.size());
    for (size_t i = 0; readsStillOnce && i < operands.size(); ++i)
      if (steps[i] == 0)
        still[i] = code.load(pointer(i), lanes, 0);
    code.loop(llvm::divideCeil(size, lanes), [&](Value block) {
      Value mask =
          size % lanes ? code.tail({{block, lanes}}, size, lanes) : Value();
      for (size_t i = 0; i < at.size(); ++i)
        at[i].push_back({block, steps[i] * lanes});
      auto read = [&](size_t i, ArrayRef<Stride> extra, int64_t add) {
        return still[i] ? still[i]
                        : code.load(pointer(i, extra, add), lanes, steps[i],
                                    steps[i] ? mask : Value());
      };
      code.store(body(read, lanes), pointer(operands.size()), steps.back(),
                 mask);
      for (Strides &strides : at)
        strides.pop_back();
    });
  }

  Value pointer(size_t i, ArrayRef<Stride> extra = {}, int64_t add = 0) {
    const Stream &stream = i < operands.size() ? operands[i] : result;
    Strides all(at[i]);
    all.append(extra.begin(), extra.end());
    return code.offset(stream.pointer, all, stream.offset + add);
  }

  Code &code;
  const Axes &axes;
  ArrayRef<Stream> operands;
  const Stream &result;
  bool readsStillOnce;
  llvm::function_ref<Value(Read, int64_t)> body;
  size_t vectorAxis;
  int64_t size, lanes;
  std::vector<Strides> at; ///< of every operand and the result
};
} // namespace

void zhouyi::overPlaces(Code &code, ArrayRef<int64_t> shape,
                        ArrayRef<Stream> operands, const Stream &result,
                        int64_t lanes,
                        llvm::function_ref<Value(Read, int64_t)> body) {
  Axes axes(shape, operands, result);
  Nest(code, axes, operands, result, lanes, false, body).emit();
}

void zhouyi::overElements(Code &code, ArrayRef<int64_t> shape,
                          ArrayRef<Stream> operands, const Stream &result,
                          int64_t lanes,
                          llvm::function_ref<Value(ArrayRef<Value>)> body) {
  Axes axes(shape, operands, result);
  auto readAll = [&](Read read, int64_t) {
    SmallVector<Value> vectors;
    for (size_t i = 0; i < operands.size(); ++i)
      vectors.push_back(read(i, {}, 0));
    return body(vectors);
  };
  Nest(code, axes, operands, result, lanes, true, readAll).emit();
}

Stream zhouyi::broadcast(Emitter &emitter, Value operand, Value result) {
  auto shape = cast<RankedTensorType>(result.getType()).getShape();
  SmallVector<int64_t, 4> strides = tpu::broadcastStrides(operand, shape);
  return {emitter.pointer(operand), {strides.begin(), strides.end()}};
}

Stream zhouyi::dense(Value pointer, ArrayRef<int64_t> shape) {
  Stream stream{pointer, SmallVector<int64_t, 6>(shape.size())};
  int64_t step = 1;
  for (size_t axis = shape.size(); axis-- > 0;) {
    stream.strides[axis] = step;
    step *= shape[axis];
  }
  return stream;
}

void zhouyi::copyDense(Code &code, Value from, Value to, int64_t count) {
  overElements(code, {count}, {dense(from, {count})}, dense(to, {count}),
               kByteLanes, [](ArrayRef<Value> values) { return values[0]; });
}

void zhouyi::fillDense(Code &code, Value pointer, int64_t count,
                       int64_t value) {
  Value filler = code.integerNumber(elementOf(pointer), kByteLanes, value);
  if (count < kByteLanes)
    filler = code.integerNumber(
        elementOf(pointer),
        llvm::PowerOf2Ceil(std::max<int64_t>(count, kWordLanes)), value);
  overElements(code, {count}, {}, dense(pointer, {count}), lanesOf(filler),
               [&](ArrayRef<Value>) { return filler; });
}
