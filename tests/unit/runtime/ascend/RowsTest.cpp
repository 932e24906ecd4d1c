#include "runtime/ascend/Call.h"
#include "runtime/catalog/Dense.h"
#include "runtime/chips/Chips.h"
#include "tests/unit/runtime/ascend/Loop.h"

#include <gtest/gtest.h>

using namespace weft;
using namespace weft::ascend::test;
using catalog::DataType;

namespace {

catalog::Argument tensor(DataType type, catalog::Memory memory,
                         int64_t elements) {
  catalog::Argument argument;
  argument.kind = catalog::Argument::Kind::Tensor;
  argument.tensor.type = type;
  argument.tensor.memory = memory;
  argument.tensor.shape = {1, 1, 1, elements};
  argument.tensor.strides = {elements, elements, elements, 1};
  argument.tensor.address = 0;
  return argument;
}

/// A call of the function for the width of the move, with its own tensors.
catalog::Call callOf(const ascend::Nd2Nz &m, DataType type, int64_t dstElements,
                     int64_t srcElements) {
  catalog::Call call;
  call.operation = catalog::find(ascend::functionOf(m.elementBytes),
                                 catalog::Language::Ascend);
  call.chip = &chips::ascend_a2;
  call.arguments = {tensor(type, catalog::Memory::L1, dstElements),
                    tensor(type, catalog::Memory::Global, srcElements)};
  for (const ascend::Parameter &parameter : ascend::parameters()) {
    catalog::Argument number;
    number.kind = catalog::Argument::Kind::Integer;
    number.integer = m.*parameter.value;
    call.arguments.push_back(number);
  }
  return call;
}

catalog::Call twoMatricesCall() {
  return callOf(twoMatrices(), DataType::Fp16, 240, 200);
}

} // namespace

TEST(Rows, ThreeFunctionsWithTheDocumentsParameters) {
  const auto &rows = catalog::operations(catalog::Language::Ascend);
  ASSERT_EQ(rows.size(), 3u);
  const char *names[] = {"dst",
                         "src",
                         "sid",
                         "ndNum",
                         "nValue",
                         "dValue",
                         "srcNdMatrixStride",
                         "srcDValue",
                         "dstNzC0Stride",
                         "dstNzNStride",
                         "dstNzMatrixStride"};
  for (const catalog::Operation &row : rows) {
    ASSERT_EQ(row.slots.size(), std::size(names));
    for (size_t s = 0; s < std::size(names); ++s)
      EXPECT_EQ(row.slots[s].name, names[s]);
    EXPECT_EQ(row.unit, catalog::Unit::Mte2);
    EXPECT_TRUE(catalog::evaluatorOf(row));
  }
  EXPECT_EQ(rows[0].slots[0].types.text(), "int8 or uint8");
  EXPECT_EQ(rows[1].slots[0].types.text(), "fp16, bf16, int16 or uint16");
  EXPECT_EQ(rows[2].slots[0].types.text(), "fp32, int32 or uint32");
}

TEST(Rows, RefusesWithWholeMessages) {
  EXPECT_EQ(catalog::problemOf(twoMatricesCall()), "");
  auto expectProblem = [](auto change, const char *message) {
    catalog::Call call = twoMatricesCall();
    change(call.arguments);
    EXPECT_EQ(catalog::problemOf(call), message);
  };
  expectProblem([](auto &a) { a[3].integer = 4096; },
                "ndNum is 4096, must be 0 to 4095");
  expectProblem([](auto &a) { a[7].integer = 0; },
                "srcDValue is 0, must be 1 to 65535");
  expectProblem(
      [](auto &a) { a[0].tensor.type = DataType::Bf16; },
      "dst is bf16, src is fp16; dst and src must have one element type");
  expectProblem([](auto &a) { a[1].tensor.type = DataType::Fp32; },
                "src is fp32, must be fp16, bf16, int16 or uint16");
  expectProblem([](auto &a) { a[0].tensor.memory = catalog::Memory::Global; },
                "dst lies in global memory, must be in L1");
  expectProblem([](auto &a) { a[1].tensor.memory = catalog::Memory::L1; },
                "src lies in L1 memory, must be in global");
  expectProblem([](auto &a) { a[0].tensor.address = 8; },
                "dst is at byte 8 of L1; dst must be aligned to 32 bytes");
  expectProblem([](auto &a) { a[1].tensor.address = 5; },
                "src is at byte 5 with elements of 2 bytes; src must be "
                "aligned to its element");
  expectProblem([](auto &a) { a[0].tensor.address = 512 * 1024 - 32; },
                "the blocks end at byte 524736, the buffer in L1 at byte "
                "524288; every block must lie in L1");
  expectProblem([](auto &a) { a[0].tensor.shape[3] = 239; },
                "the blocks end at byte 480, the buffer in L1 at byte 478; "
                "every block must lie in L1");
  expectProblem([](auto &a) { a[1].tensor.shape[3] = 147; },
                "the rows end at byte 296, the source at byte 294; every "
                "element that is read must lie in the source");
  expectProblem([](auto &a) { a[1].tensor.strides[3] = 2; },
                "src has stride 2 on axis w; src must be contiguous");
  expectProblem([](auto &a) { a.pop_back(); }, "dstNzMatrixStride is missing");
  catalog::Call call = twoMatricesCall();
  call.chip = &chips::bm1684x;
  EXPECT_EQ(catalog::problemOf(call),
            "exists on ascend-a2 only, not on bm1684x");
}

TEST(Rows, EvaluatorIsTheEmulator) {
  for (auto [type, bytes] : {std::pair(DataType::Uint8, 1),
                             {DataType::Bf16, 2},
                             {DataType::Fp32, 4}}) {
    ascend::Nd2Nz m = move(bytes, 2, 3, 20, 80, 24, 7, 2, 1024 / bytes);
    catalog::Call call =
        callOf(m, type, m.spanBytes() / bytes, m.sourceElements());
    ASSERT_EQ(catalog::problemOf(call), "");
    catalog::Values values;
    values["dst"] = catalog::Dense(type, {1, 1, 1, m.spanBytes() / bytes});
    values["src"] = catalog::Dense(type, {1, 1, 1, m.sourceElements()});
    values["dst"].bytes = noise(m.spanBytes(), 5);
    values["src"].bytes = noise(m.sourceElements() * bytes, 6);
    Bytes wanted = loop(m, values["dst"].bytes, values["src"].bytes);
    ASSERT_TRUE(catalog::evaluatorOf(*call.operation)(call, values));
    EXPECT_EQ(values["dst"].bytes, wanted);
  }
}
