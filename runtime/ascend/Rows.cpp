//===- Rows.cpp - the moves of Ascend in the catalog ---------------------===//

#include "runtime/ascend/Call.h"
#include "runtime/catalog/Sets.h"
#include "runtime/catalog/Slots.h"

#include <algorithm>

using namespace weft;
using namespace weft::catalog;

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

static int64_t startOf(const Tensor *tensor) {
  return tensor ? int64_t(tensor->address.value_or(0)) : 0;
}

/// The byte behind the last element.
static int64_t endOf(const Tensor &tensor) {
  int64_t last = 0;
  for (int axis = 0; axis < 4; ++axis)
    last += (tensor.shape[axis] - 1) * tensor.strides[axis];
  return startOf(&tensor) + (last + 1) * int64_t(bytesOf(tensor.type));
}

ascend::Nd2Nz ascend::moveOf(const Call &call) {
  Nd2Nz move;
  for (int64_t bytes : {1, 2, 4})
    if (functionOf(bytes) == call.operation->name)
      move.elementBytes = bytes;
  move.dst = startOf(call.tensor("dst"));
  move.src = startOf(call.tensor("src"));
  for (const Parameter &parameter : parameters())
    move.*parameter.value = call.integer(parameter.name);
  return move;
}

ascend::Room ascend::roomOf(const Call &call) {
  Room room;
  if (const Tensor *src = call.tensor("src"))
    room.globalBytes = endOf(*src);
  if (const Tensor *dst = call.tensor("dst"))
    room.l1Bytes = std::min(endOf(*dst), int64_t(call.chip->cube.l1Bytes));
  return room;
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

/// Both tensors are rows of elements; what lies where is said by the numbers.
static Rule isContiguous(std::string_view name) {
  return rule(std::string(name) + " must be contiguous", [=](const Call &call) {
    const Tensor *tensor = call.tensor(name);
    int64_t step = 1;
    for (int axis = 3; tensor && axis >= 0; --axis) {
      if (tensor->shape[axis] > 1 && tensor->strides[axis] != step)
        return std::string(name) + " has stride " +
               std::to_string(tensor->strides[axis]) + " on axis " +
               "nchw"[axis];
      step *= tensor->shape[axis];
    }
    return std::string();
  });
}

static constexpr std::string_view kFormula =
    "C0 = 32 / bytes of T, K = ceil(dValue / C0), d = k * C0 + c; for i < "
    "ndNum, j < nValue, k < K, c < C0: dst[i * dstNzMatrixStride + (j * "
    "dstNzNStride + k * dstNzC0Stride) * C0 + c] = d < dValue ? src[i * "
    "srcNdMatrixStride + j * srcDValue + d] : 0";

static Operation moveRow(int64_t elementBytes, TypeSet types,
                         std::string_view summary, std::string_view example) {
  std::vector<Slot> slots = {result("dst", types, 1u << unsigned(Memory::L1)),
                             source("src", types, kGlobal)};
  for (const ascend::Parameter &parameter : ascend::parameters())
    slots.push_back(integer(parameter.name, parameter.low, parameter.high));
  std::vector<Rule> rules = {sameTypes({"dst", "src"}), isContiguous("dst"),
                             isContiguous("src")};
  // The first rule of moves, ranges, is that of the slots.
  const std::vector<ascend::MoveRule> &own = ascend::moveRules();
  for (size_t r = 1; r < own.size(); ++r)
    rules.push_back(rule(std::string(own[r].text), [r](const Call &call) {
      return ascend::moveRules()[r].found(ascend::moveOf(call),
                                          ascend::roomOf(call));
    }));
  Operation row =
      function(ascend::functionOf(elementBytes), "copy_gm_to_cbuf_multi_nd2nz",
               summary, kFormula, std::move(slots), std::move(rules), example);
  row.unit = Unit::Mte2;
  row.chips = {"ascend-a2"};
  row.warning = [](const Call &call) {
    return ascend::warningOf(ascend::moveOf(call));
  };
  row.isIdle = [](const Call &call) { return ascend::moveOf(call).isEmpty(); };
  return row;
}

// The test vectors: weights N,H,W,C to C1HWNC0, two matrices with tails and a
// row that is not written, a feature map to NC1HWC0.
static constexpr std::string_view kWeights =
    "src = np.arange(160, dtype=np.uint8).reshape(2, 2, 40)\n"
    "l1 = np.full(256, 255, np.uint8)\n"
    "A.copy_gm_to_cbuf_multi_nd2nz_b8(l1, src, sid=0, ndNum=2, nValue=2, "
    "dValue=40, srcNdMatrixStride=80, srcDValue=40, dstNzC0Stride=4, "
    "dstNzNStride=2, dstNzMatrixStride=32)\n"
    "out = l1.reshape(8, 32)";
static constexpr std::string_view kMatrices =
    "src = np.arange(200, dtype=np.int16)\n"
    "l1 = np.full(240, -1, np.int16)\n"
    "A.copy_gm_to_cbuf_multi_nd2nz_b16(l1, src, sid=0, ndNum=2, nValue=3, "
    "dValue=20, srcNdMatrixStride=80, srcDValue=24, dstNzC0Stride=4, "
    "dstNzNStride=1, dstNzMatrixStride=128)\n"
    "out = l1.reshape(15, 16)";
static constexpr std::string_view kFeatureMap =
    "src = np.arange(44, dtype=np.float32).reshape(2, 2, 1, 11)\n"
    "l1 = np.full(64, -1, np.float32)\n"
    "A.copy_gm_to_cbuf_multi_nd2nz_b32s(l1, src, sid=0, ndNum=2, nValue=2, "
    "dValue=11, srcNdMatrixStride=22, srcDValue=11, dstNzC0Stride=2, "
    "dstNzNStride=1, dstNzMatrixStride=32)\n"
    "out = l1.reshape(8, 8)";

std::vector<Operation> catalog::ascendRows() {
  return {
      moveRow(1, TypeSet(DataType::Int8) | DataType::Uint8,
              "Move matrices of 8-bit elements from global memory to L1 in "
              "blocks of 32 elements",
              kWeights),
      moveRow(2,
              TypeSet(DataType::Int16) | DataType::Uint16 | DataType::Fp16 |
                  DataType::Bf16,
              "Move matrices of 16-bit elements from global memory to L1 in "
              "blocks of 16 elements",
              kMatrices),
      moveRow(4, TypeSet(DataType::Int32) | DataType::Uint32 | DataType::Fp32,
              "Move matrices of 32-bit elements from global memory to L1 in "
              "blocks of 8 elements",
              kFeatureMap),
  };
}

//===----------------------------------------------------------------------===//
// Evaluation
//===----------------------------------------------------------------------===//

/// The emulation of the machine, on the tensors as its two memories.
static rt::Status evaluateMove(const Call &call, Values &values) {
  auto dst = values.find("dst"), src = values.find("src");
  if (dst == values.end() || src == values.end())
    return rt::fail(rt::Code::InvalidArgument,
                    "the values of dst and src are needed");
  ascend::Nd2Nz move = ascend::moveOf(call);
  move.dst = move.src = 0;
  std::vector<uint8_t> &to = dst->second.bytes, &from = src->second.bytes;
  return ascend::run(move, {to.data(), int64_t(to.size())},
                     {from.data(), int64_t(from.size())});
}

std::vector<EvaluatorRow> catalog::ascendEvaluators() {
  std::vector<EvaluatorRow> rows;
  for (int64_t bytes : {1, 2, 4})
    rows.push_back({ascend::functionOf(bytes), evaluateMove});
  return rows;
}
