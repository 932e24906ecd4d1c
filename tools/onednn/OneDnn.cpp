//===- OneDnn.cpp - float products by oneDNN ------------------------------===//

#include "tools/onednn/OneDnn.h"

#include "dialects/top/Constant.h"
#include "dialects/top/Conv.h"
#include "dialects/top/MatMul.h"
#include "tools/onednn/Primitives.h"

#include <mutex>
#include <omp.h>

using namespace mlir;
using namespace weft;
using namespace weft::tools;
using namespace weft::tools::onednn;
using numeric::ElementType;
using numeric::HostTensor;

/// Offsets in some of oneDNN's kernels are 32-bit numbers of bytes.
static constexpr int64_t kLargestElements = int64_t(1) << 28;

struct OneDnn::State {
  /// Convolutions that were met, null for those that oneDNN cannot compute.
  llvm::DenseMap<Operation *, std::unique_ptr<Convolution>> convolutions;
  std::mutex mutex; ///< of `convolutions`

  const Convolution *find(top::ConvOp op, const HostTensor &filter);
};

/// The processor, for all threads and objects: a stream works with the
/// primitives of its own engine only. Null if oneDNN has none.
static dnnl_engine_t engineOfProcess() {
  static const Engine engine = [] {
    // Only before the first use; later it changes nothing.
    dnnl_set_max_cpu_isa(dnnl_cpu_isa_avx2);
    dnnl_engine_t made = nullptr;
    if (dnnl_engine_create(&made, dnnl_cpu, 0) != dnnl_success)
      return Engine();
    return Engine(made);
  }();
  return engine.get();
}

OneDnn::OneDnn() : state(std::make_unique<State>()) {}

OneDnn::~OneDnn() = default;

/// The buffers and the stream of this thread; null if there is no stream.
static Workspace *workspaceOfThread() {
  static thread_local Workspace workspace;
  dnnl_engine_t engine = engineOfProcess();
  if (!workspace.stream) {
    dnnl_stream_t stream = nullptr;
    if (!engine ||
        dnnl_stream_create(&stream, engine, dnnl_stream_default_flags) !=
            dnnl_success)
      return nullptr;
    workspace.stream.reset(stream);
    // Samples are what threads share out. A product cut among threads could
    // also be summed in another order.
    omp_set_num_threads(1);
  }
  return &workspace;
}

/// The batch, channels and sizes of a convolution as oneDNN wants them.
static Convolution::Shape shapeOf(top::ConvOp op) {
  auto sizes = [](Value value) {
    ArrayRef<int64_t> shape =
        cast<RankedTensorType>(value.getType()).getShape();
    return std::vector<dnnl_dim_t>(shape.begin(), shape.end());
  };
  Convolution::Shape shape;
  shape.input = sizes(op.getInput());
  shape.output = sizes(op.getOutput());
  shape.filter = sizes(op.getFilter());
  if (auto group = int64_t(op.getGroup()); group > 1) {
    shape.filter[0] /= group;
    shape.filter.insert(shape.filter.begin(), group);
  }
  ArrayRef<int64_t> pads = op.getPads();
  size_t spatial = pads.size() / 2;
  shape.strides = op.getStrides().vec();
  for (int64_t dilation : op.getDilations())
    shape.dilations.push_back(dilation - 1); // oneDNN counts the gaps
  shape.padsBefore = pads.take_front(spatial).vec();
  shape.padsAfter = pads.drop_front(spatial).vec();
  return shape;
}

const Convolution *OneDnn::State::find(top::ConvOp op,
                                       const HostTensor &filter) {
  std::lock_guard<std::mutex> lock(mutex);
  auto [found, isNew] = convolutions.try_emplace(op);
  if (isNew && op.getFilter().getDefiningOp<top::ConstantOp>()) {
    auto made = std::make_unique<Convolution>();
    Workspace *workspace = workspaceOfThread();
    if (workspace &&
        made->prepare(engineOfProcess(), workspace->stream.get(), shapeOf(op),
                      filter.as<float>(), bool(op.getBias())))
      found->second = std::move(made);
  }
  return found->second.get();
}

bool tools::multiply(bool turnsLhs, bool turnsRhs, int64_t rows,
                     int64_t columns, int64_t inner, const float *lhs,
                     const float *rhs, float *result) {
  return workspaceOfThread() && // one thread
         dnnl_sgemm(turnsLhs ? 'T' : 'N', turnsRhs ? 'T' : 'N', rows, columns,
                    inner, 1, lhs, turnsLhs ? rows : inner, rhs,
                    turnsRhs ? inner : columns, 0, result,
                    columns) == dnnl_success;
}

/// Rows times one matrix, or as many matrices as the other operand has.
static bool evaluateMatMul(const HostTensor &lhs, const HostTensor &rhs,
                           HostTensor &output) {
  ArrayRef<int64_t> left = lhs.shape(), right = rhs.shape();
  if (left.size() < 2 || right.size() < 2)
    return false;
  int64_t inner = left.back(), columns = right.back();
  if (right.size() == 2)
    return multiply(false, false, lhs.elements() / inner, columns, inner,
                    lhs.as<float>(), rhs.as<float>(), output.as<float>());
  if (left.drop_back(2) != right.drop_back(2))
    return false;
  int64_t rows = left[left.size() - 2];
  int64_t matrices = lhs.elements() / (rows * inner);
  for (int64_t i = 0; i < matrices; ++i)
    if (!multiply(false, false, rows, columns, inner,
                  lhs.as<float>() + i * rows * inner,
                  rhs.as<float>() + i * inner * columns,
                  output.as<float>() + i * rows * columns))
      return false;
  return true;
}

/// f32, neither empty nor huge.
static bool isOrdinary(const HostTensor &tensor) {
  return tensor.type() == ElementType::F32 && tensor.elements() > 0 &&
         tensor.elements() <= kLargestElements;
}

bool OneDnn::evaluate(Operation *op, ArrayRef<const HostTensor *> operands,
                      SmallVectorImpl<HostTensor> &results) {
  if (!isa<top::ConvOp, top::MatMulOp>(op))
    return false;
  FailureOr<HostTensor> output = makeHostTensor(op->getResult(0).getType());
  if (failed(output) || !isOrdinary(*output) ||
      !llvm::all_of(operands, [](const HostTensor *operand) {
        return isOrdinary(*operand);
      }))
    return false;
  Workspace *workspace = workspaceOfThread();
  if (!workspace)
    return false;
  if (auto conv = dyn_cast<top::ConvOp>(op)) {
    const Convolution *prepared = state->find(conv, *operands[1]);
    if (!prepared ||
        !prepared->run(engineOfProcess(), *workspace, operands[0]->as<float>(),
                       operands.size() > 2 ? operands[2]->as<float>() : nullptr,
                       output->as<float>()))
      return false;
  } else if (!evaluateMatMul(*operands[0], *operands[1], *output)) {
    return false;
  }
  results.push_back(std::move(*output));
  return true;
}
