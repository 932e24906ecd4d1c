// Operators for plugin_test.py.

#include "ppl/ppl.h"

#include "ppl/plugin.h"

using namespace ppl;

/// y = alpha * x in tiles of 64 lanes, x of rank 2 or more.
static void inferScaled(Node &node) {
  if (node.input(0).rank() < 2)
    node.fail("x has rank " + std::to_string(node.input(0).rank()) +
              ", must be 2 or more");
  node.output(0).like(node.input(0));
}

static void scaleReference(Node &node) {
  NodeTensor x = node.input(0), y = node.output(0);
  for (int64_t i = 0; i < x.elements(); ++i)
    y.data<float>()[i] =
        float(node.real("alpha", 2) * double(x.data<float>()[i]));
}

template <class T>
static void scaleKernel(Node &node) {
  int rows = int(node.input(0).product(0, -1 + node.input(0).rank()));
  int width = int(node.input(0).size(-1));
  gtensor<T> x = node.input(0).global<T>({1, rows, 1, width}),
             y = node.output(0).global<T>({1, rows, 1, width});
  constexpr int block = 64;
  for (int row = 0; row < rows; row += block) {
    dim4 shape{1, std::min(block, rows - row), 1, width};
    dim4 offset{0, row, 0, 0};
    auto from = make_tensor<T>({1, block, 1, width}, shape);
    auto to = make_tensor<T>({1, block, 1, width}, shape);
    dma::load(from, x.sub_view(shape, offset));
    tiu::fmul(to, from, float(node.real("alpha", 2)));
    dma::store(y.sub_view(shape, offset), to);
  }
}

PPL_OPERATOR("com.example", "Scaled", inferScaled, scaleReference,
             PPL_KERNEL(float, scaleKernel<float>),
             PPL_KERNEL(fp16, scaleKernel<fp16>))

/// Two results, an input that may be left out and one of integers.
static void inferSplit(Node &node) {
  node.output(0).describe(node.input(0).type(), node.input(0).shape());
  node.output(1).describe(DT_INT32, {node.input(2).size(0), 2});
}

static void splitReference(Node &node) {
  NodeTensor x = node.input(0), sum = node.output(0), twice = node.output(1);
  for (int64_t i = 0; i < x.elements(); ++i)
    sum.data<float>()[i] =
        x.data<float>()[i] + (node.has(1) ? node.input(1).data<float>()[i] : 1);
  for (int64_t i = 0; i < twice.elements(); ++i)
    twice.data<int32_t>()[i] = int32_t(node.input(2).data<int64_t>()[i / 2]);
}

static void splitKernel(Node &node) {
  int n = int(node.input(0).elements()), m = int(node.input(2).elements());
  dim4 shape{1, 1, 1, n};
  tensor<float> a(shape), b(shape);
  dma::load(a, node.input(0).global<float>(shape));
  if (node.has(1)) {
    dma::load(b, node.input(1).global<float>(shape));
    tiu::fadd(a, a, b);
  } else {
    tiu::fadd(a, a, 1.0f);
  }
  dma::store(node.output(0).global<float>(shape), a);
  tensor<int32> i({1, 1, m, 1});
  dma::load(i, node.input(2).global<int32>({1, 1, m, 1}));
  gtensor<int32> both = node.output(1).global<int32>({1, 1, m, 2});
  for (int column = 0; column < 2; ++column) // bytes of the output, in parts
    dma::store(both.sub_view({1, 1, m, 1}, {0, 0, 0, column}), i);
}

PPL_OPERATOR("com.example", "Split", inferSplit, splitReference,
             PPL_KERNEL(float, splitKernel))

/// Replaces Weft's own Neg, of opsets 1 to 21 only.
static void negReference(Node &node) {
  NodeTensor x = node.input(0), y = node.output(0);
  for (int64_t i = 0; i < x.elements(); ++i)
    y.data<float>()[i] = -x.data<float>()[i];
}

static void negKernel(Node &node) {
  dim4 shape{1, 1, 1, int(node.input(0).elements())};
  tensor<float> x(shape);
  dma::load(x, node.input(0).global<float>(shape));
  tiu::fmul(x, x, -1.0f);
  dma::store(node.output(0).global<float>(shape), x);
}

PPL_OPERATOR_OPSETS("", "Neg", 1, 21, inferScaled, negReference,
                    PPL_KERNEL(float, negKernel))

/// Positions of what is not zero, then zeros, and how many: the count lies in
/// memory that the compiler places.
static void inferPositions(Node &node) {
  node.output(0).describe(DT_INT32, node.input(0).shape());
  node.output(1).describe(DT_INT32, {1});
}

static void positionsReference(Node &node) {
  NodeTensor x = node.input(0);
  int32_t found = 0;
  for (int64_t i = 0; i < x.elements(); ++i)
    if (x.data<int32_t>()[i] != 0)
      node.output(0).data<int32_t>()[found++] = int32_t(i);
  node.output(1).data<int32_t>()[0] = found;
}

static void positionsKernel(Node &node) {
  dim4 shape{1, 1, 1, int(node.input(0).elements())}, one{1, 1, 1, 1};
  gtensor<int> positions = node.output(0).global<int>(shape);
  dma::fill(positions, 0);
  gtensor<uint> count =
      dma::nonzero(positions, node.input(0).global<int>(shape));
  dma::move(node.output(1).global<int>(one).view<uint>(), count);
}

PPL_OPERATOR("com.example", "Positions", inferPositions, positionsReference,
             PPL_KERNEL(float, positionsKernel))

/// A kernel with mistakes that only running it shows.
static void wrongKernel(Node &node) {
  std::string what = node.text("mistake", "");
  if (what == "refuses")
    node.fail("only even sizes; pad x");
  if (what == "index")
    node.input(-1);
  if (what == "pointer")
    node.input(0).global<float>({1, 1, 1, 7});
  tensor<float> x({1, 64, 1, 16});
  tensor<float> y({1, 64, 1, 8});
  if (what == "shapes")
    tiu::fadd(x, x, y);
  if (what == "stores") {
    dim4 shape{1, 2, 1, 8};
    tensor<float> t(shape);
    dma::load(t, node.input(0).global<float>(shape));
    dma::store(node.output(0).global<float>(shape), t);
    auto input = node.input(0).global<float>(shape);
    dma::store(input.sub_view({1, 1, 1, 8}, {0, 1, 0, 0}),
               t.sub_view({1, 1, 1, 8}, {0, 0, 0, 0}));
  }
  if (what == "memory") {
    tensor<float> a({1, 64, 1, 40000}), b({1, 64, 1, 40000});
    tiu::fadd(a, b, 1.0f);
    tiu::fadd(b, a, 1.0f);
    tiu::fadd(a, a, b);
  }
}

PPL_OPERATOR("com.example", "Wrong", inferScaled, scaleReference,
             PPL_KERNEL(float, wrongKernel))

/// Another number than its reference gives.
static void imprecise(Node &node) {
  dim4 shape{1, 1, 1, int(node.input(0).elements())};
  tensor<float> x(shape);
  dma::load(x, node.input(0).global<float>(shape));
  tiu::fmul(x, x, float(node.real("alpha", 2)) + 0.001f);
  dma::store(node.output(0).global<float>(shape), x);
}

PPL_OPERATOR("com.example", "Imprecise", inferScaled, scaleReference,
             PPL_KERNEL(float, imprecise))
