//===- Patches.cpp - products of patches and weights ----------------------===//

#include "passes/zhouyi/Patches.h"

using namespace mlir;
using namespace weft;
using namespace weft::zhouyi;

/// One register of the elements of a side.
static Value readWord(Code &code, const Side &side, Value index) {
  Type element = elementOf(side.pointer);
  int64_t perWord = elementsOfWord(element);
  Value pointer = code.offset(side.pointer, {{index, side.wordStep}});
  if (side.isRegister)
    return code.load(pointer, kWordLanes * perWord);
  if (perWord == 1)
    return code.load(pointer, kWordLanes, 0);
  Value words = code.load(code.pointerTo(pointer, code.s32()), kWordLanes, 0);
  return code.bits(words, element);
}

/// acc + the products of the lanes' elements.
static Value accumulate(Code &code, Value acc, Value x, Value y) {
  Type element = elementOf(x);
  if (llvm::isa<IntegerType>(element))
    return code.vqdpa(acc, x, y);
  if (element.isF16())
    return code.vfmao(code.vfmae(acc, x, y), x, y);
  return code.fma(acc, x, y);
}

SmallVector<Value> zhouyi::sumOfProducts(Code &code, int64_t words,
                                         const Side &left,
                                         ArrayRef<Side> rights) {
  Type x = elementOf(left.pointer), y = elementOf(rights[0].pointer);
  bool isUnsigned = x.isUnsignedInteger() && y.isUnsignedInteger();
  Type sum = !llvm::isa<IntegerType>(x) ? code.f32()
             : isUnsigned               ? code.u32()
                                        : code.s32();
  SmallVector<Value> start(rights.size(), code.number(sum, kWordLanes, 0));
  SmallVector<Value> sums =
      code.loop(words, start, [&](Value index, ArrayRef<Value> carried) {
        Value common = readWord(code, left, index);
        SmallVector<Value> next;
        for (auto [side, acc] : llvm::zip(rights, carried))
          next.push_back(
              accumulate(code, acc, common, readWord(code, side, index)));
        return next;
      });
  if (isUnsigned)
    for (Value &value : sums)
      value = code.bits(value, code.s32());
  return sums;
}
