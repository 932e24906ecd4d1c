//===- HostKernels.cpp - how long kernels of the host work ----------------===//
//
// usage: HostBench
//
// Prints for each row of runtime/host/Work.def the picoseconds a unit that this
// machine takes, beside those of the row. The figures mean something on an idle
// machine only.
//
//===----------------------------------------------------------------------===//

#include "runtime/host/Work.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <map>
#include <random>

using namespace weft;
using namespace weft::host;

namespace {

/// A call of one kernel, with its operands.
struct Example {
  Call call;
  std::vector<HostTensor> operands;
};

HostTensor randomTensor(Shape shape, ElementType type = ElementType::F32,
                        double low = -1, double high = 1) {
  HostTensor tensor(type, std::move(shape));
  std::mt19937 generator(1);
  std::uniform_real_distribution<double> values(low, high);
  for (int64_t i = 0; i < tensor.elements(); ++i)
    tensor.setFromDouble(i, values(generator));
  return tensor;
}

ResultType result(Shape shape, ElementType type = ElementType::F32) {
  return staticResult(type, std::move(shape));
}

using Texts = std::map<std::string, Attribute>;

Example example(const char *kernel, std::vector<HostTensor> operands,
                std::vector<ResultType> results, const Texts &attributes = {}) {
  Example made;
  made.call.kernel = kernel;
  made.call.results = std::move(results);
  for (const auto &[name, value] : attributes)
    made.call.attributes.set(name, value);
  made.operands = std::move(operands);
  return made;
}

using Integers = std::vector<int64_t>;

std::vector<Example> examples() {
  const Shape many{512, 512};
  const HostTensor reals = randomTensor(many);
  std::vector<Example> list;
  auto add = [&](const char *kernel, std::vector<HostTensor> operands,
                 std::vector<ResultType> results,
                 const Texts &attributes = {}) {
    list.push_back(
        example(kernel, std::move(operands), std::move(results), attributes));
  };
  add("unary", {reals}, {result(many)}, {{"kind", std::string("exp")}});
  add("binary", {reals, reals}, {result(many)}, {{"kind", std::string("add")}});
  const HostTensor integers = randomTensor(many, ElementType::I64, -1000, 1000);
  add("binary", {integers, integers}, {result(many, ElementType::I64)},
      {{"kind", std::string("add")}});
  add("cast", {reals}, {result(many, ElementType::I64)});
  add("transpose", {reals}, {result(many)}, {{"perm", Integers{1, 0}}});
  add("reshape", {reals}, {result({512 * 512})});
  add("concat", {reals, reals}, {result({512, 1024})}, {{"axis", int64_t(1)}});
  add("slice", {reals}, {result({512, 256})},
      {{"starts", Integers{0, 0}}, {"steps", Integers{1, 2}}});
  add("expand", {randomTensor({512, 1})}, {result(many)});
  add("reduce", {reals}, {result({512, 1})},
      {{"kind", std::string("sum")},
       {"axes", Integers{1}},
       {"keepdims", int64_t(1)}});
  add("arg_reduce", {reals}, {result({512, 1}, ElementType::I64)},
      {{"kind", std::string("max")},
       {"axis", int64_t(1)},
       {"keepdims", int64_t(1)}});
  add("cumulative", {reals}, {result(many)},
      {{"kind", std::string("sum")}, {"axis", int64_t(1)}});
  add("softmax", {reals}, {result(many)}, {{"axis", int64_t(1)}});
  add("matmul", {randomTensor({128, 128}), randomTensor({128, 128})},
      {result({128, 128})});
  add("conv", {randomTensor({1, 16, 32, 32}), randomTensor({16, 16, 3, 3})},
      {result({1, 16, 32, 32})},
      {{"strides", Integers{1, 1}},
       {"pads", Integers{1, 1, 1, 1}},
       {"group", int64_t(1)}});
  add("top_k", {reals},
      {result({512, 500}), result({512, 500}, ElementType::I64)},
      {{"axis", int64_t(1)},
       {"k", int64_t(500)},
       {"largest", int64_t(1)},
       {"sorted", int64_t(1)}});
  ResultType found{ElementType::I64, {2, kUnknownSize}, {2, 512 * 512}};
  add("non_zero", {reals}, {found});
  const HostTensor table = randomTensor({1, 512, 512});
  auto places = [](int64_t count) {
    return randomTensor({1, count}, ElementType::I64, 0, 511);
  };
  add("gather", {table, places(4096)}, {result({1, 4096, 512})});
  add("scatter", {table, places(512), table}, {result({1, 512, 512})},
      {{"reduction", std::string("none")}});
  add("batch_norm",
      {randomTensor({1, 64, 64, 64}), randomTensor({64}), randomTensor({64}),
       randomTensor({64}), randomTensor({64}, ElementType::F32, 0.5, 1)},
      {result({1, 64, 64, 64})}, {{"epsilon", 1e-5}});
  add("pool", {randomTensor({1, 64, 64, 64})}, {result({1, 64, 32, 32})},
      {{"kind", std::string("max")},
       {"kernel", Integers{2, 2}},
       {"strides", Integers{2, 2}},
       {"pads", Integers{0, 0, 0, 0}}});
  add("unique", {randomTensor({65536})},
      {{ElementType::F32, {kUnknownSize}, {65536}},
       {ElementType::I64, {kUnknownSize}, {65536}},
       {ElementType::I64, {65536}, {65536}},
       {ElementType::I64, {kUnknownSize}, {65536}}},
      {{"sorted", int64_t(1)}});
  return list;
}

/// Seconds of one call, the fastest of several; a negative number if it fails.
double secondsOf(Example &one) {
  one.call.operands.clear();
  for (const HostTensor &operand : one.operands)
    one.call.operands.push_back(&operand);
  double fastest = 1e9;
  for (int i = 0; i < 7; ++i) {
    std::vector<HostTensor> results;
    auto start = std::chrono::steady_clock::now();
    rt::Status status = run(one.call, results);
    std::chrono::duration<double> took =
        std::chrono::steady_clock::now() - start;
    if (!status) {
      std::printf("%s\n", status.message().c_str());
      return -1;
    }
    fastest = std::min(fastest, took.count());
  }
  return fastest;
}

} // namespace

int main() {
  std::printf("%-20s %14s %14s\n", "kernel", "ps a unit", "Work.def");
  int failures = 0;
  for (Example &one : examples()) {
    double seconds = secondsOf(one);
    failures += seconds < 0;
    std::vector<ResultType> types;
    std::vector<const ResultType *> operands;
    for (const HostTensor &operand : one.operands)
      types.push_back(staticResult(operand.type(), operand.shape()));
    for (const ResultType &type : types)
      operands.push_back(&type);
    WorkRow row = workRow(one.call.kernel, one.call.results.front().type);
    double units =
        workUnits(row.unit, one.call.attributes, operands, one.call.results);
    std::printf("%-20s %14.0f %14.0f\n", one.call.kernel.c_str(),
                seconds / units * 1e12, row.picoseconds);
  }
  return failures != 0;
}
