//===- NodeImporter.h - what an import function works with ------*- C++ -*-===//
//
// Binds operands and attributes of one node and builds top ops for it. Nothing
// here fails silently: a function that returns failure has reported the reason
// at the node.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_FRONTEND_ONNX_NODEIMPORTER_H
#define WEFT_FRONTEND_ONNX_NODEIMPORTER_H

#include "dialects/top/FoldBudget.h"
#include "dialects/top/Top.h"
#include "frontend/onnx/OnnxModel.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"

namespace weft::onnx {

/// MLIR's type for an ONNX element type; null for those Weft does not hold.
mlir::Type elementTypeOf(int32_t onnxType, mlir::MLIRContext *context);
/// ONNX's number for an element type of the top dialect; kUndefined if none.
int32_t onnxTypeOf(mlir::Type type);
/// The attribute of a constant, ui8 for strings: memory is shared with
/// `tensor.owner` except for bools and tensors of a few elements.
mlir::ElementsAttr constantAttribute(const Tensor &tensor,
                                     mlir::MLIRContext *context);
/// The integers of a constant value of any integer type; nullopt if `value` is
/// no integer constant.
std::optional<llvm::SmallVector<int64_t>> constantIntsOf(mlir::Value value);
/// The numbers of a constant value of a float or integer type as f64.
std::optional<llvm::SmallVector<double>> constantNumbersOf(mlir::Value value);
/// The bytes of a constant value as ONNX stores them, one byte for a bool.
std::optional<std::vector<char>> constantBytesOf(mlir::Value value);

class NodeImporter {
public:
  /// `operands` has one value an input, null where the input is left out.
  NodeImporter(const Node &node, int64_t opset, mlir::OpBuilder &builder,
               mlir::Location location, llvm::ArrayRef<mlir::Value> operands,
               top::FoldBudget &budget)
      : node(node), opset(opset), builder(builder), location(location),
        budget(budget), operands(operands.begin(), operands.end()),
        outputs(node.outputs.size()) {}

  const Node &node;
  /// Opset of the node's domain.
  const int64_t opset;
  mlir::OpBuilder &builder;
  /// Of what is built next; see selectOutput.
  mlir::Location location;
  /// Of the whole import: what may still be folded.
  top::FoldBudget &budget;

  /// What is built from now on belongs to output `i` (0 at the start).
  void selectOutput(unsigned i);

  /// Reports at the node; the text has the form of docs/architecture.md.
  mlir::InFlightDiagnostic error();
  /// Reports something that is right but not done yet; the text that follows
  /// names the alternative.
  mlir::InFlightDiagnostic unsupported();
  /// Refuses a list or matrix of `sizes` numbers that follow from shapes alone,
  /// as positions and masks do, before it is made: 100 bytes of a model can ask
  /// for any size. At most 2^25 numbers, 256 MiB of doubles.
  llvm::LogicalResult checkTable(llvm::ArrayRef<int64_t> sizes);
  /// The same of the `count` operations of one node, each for one of `what`.
  llvm::LogicalResult checkParts(int64_t count, llvm::StringRef what,
                                 int64_t most = 4096);

  //===--- operands -------------------------------------------------------===//
  unsigned numOperands() const { return operands.size(); }
  /// Operand `i`, which must be there.
  mlir::FailureOr<mlir::Value> operand(unsigned i);
  /// Operand `i`, null if it is left out.
  mlir::Value optionalOperand(unsigned i) const;
  /// The values of integer operand `i`, which must be constant; `what` names
  /// the operand in messages. At most one axis.
  mlir::FailureOr<llvm::SmallVector<int64_t>>
  constantInts(unsigned i, llvm::StringRef what);
  /// The number in operand `i`, a constant of one element.
  mlir::FailureOr<double> constantNumber(unsigned i, llvm::StringRef what);

  static mlir::RankedTensorType typeOf(mlir::Value value) {
    return mlir::cast<mlir::RankedTensorType>(value.getType());
  }

  //===--- attributes -----------------------------------------------------===//
  bool hasAttribute(llvm::StringRef name) const { return node.find(name); }
  /// An integer in [min, max], `fallback` if the node does not have it.
  mlir::FailureOr<int64_t> intAttribute(llvm::StringRef name, int64_t fallback,
                                        int64_t min = INT64_MIN,
                                        int64_t max = INT64_MAX);
  mlir::FailureOr<bool> flagAttribute(llvm::StringRef name, bool fallback);
  /// A finite number, widened from float32.
  mlir::FailureOr<double> floatAttribute(llvm::StringRef name, double fallback);
  /// A list of integers >= `min`; of `size` values unless that is negative. If
  /// absent, `size` times `fallback`.
  mlir::FailureOr<llvm::SmallVector<int64_t>>
  intsAttribute(llvm::StringRef name, int64_t size, int64_t fallback,
                int64_t min = INT64_MIN);
  /// One of the words `allowed`; `fallback` if absent.
  mlir::FailureOr<std::string>
  wordAttribute(llvm::StringRef name, llvm::StringRef fallback,
                llvm::ArrayRef<llvm::StringRef> allowed);

  /// `axis` counted from the front. It must be in [-rank, rank), or in
  /// [-rank, rank] with `endAllowed`.
  mlir::FailureOr<int64_t> normalizeAxis(int64_t axis, int64_t rank,
                                         bool endAllowed = false);
  /// Attribute `axis` (default `fallback`), counted from the front of a tensor
  /// of `rank`.
  mlir::FailureOr<int64_t> axisAttribute(int64_t fallback, int64_t rank);
  /// Attribute `axes`, in its order; without it all axes of a tensor of `rank`.
  mlir::FailureOr<llvm::SmallVector<int64_t>> axesAttribute(int64_t rank);
  /// Normalized, in ascending order, without repetition.
  mlir::FailureOr<llvm::SmallVector<int64_t>>
  normalizeAxes(llvm::ArrayRef<int64_t> axes, int64_t rank);

  //===--- results --------------------------------------------------------===//
  /// Builds an op whose result type is inferred; if its operands are constant
  /// and it folds, the result is a constant.
  template <typename Op, typename... Args>
  mlir::FailureOr<mlir::Value> create(Args &&...args) {
    auto op =
        top::createChecked<Op>(builder, location, std::forward<Args>(args)...);
    if (mlir::failed(op))
      return mlir::failure();
    return finish(op->getOperation());
  }
  /// The same for ops whose result type is given.
  template <typename Op, typename... Args>
  mlir::FailureOr<mlir::Value> createTyped(mlir::RankedTensorType type,
                                           Args &&...args) {
    if (mlir::failed(checkSize(type)))
      return mlir::failure();
    Op op = builder.create<Op>(location, type, std::forward<Args>(args)...);
    return finish(op.getOperation());
  }
  /// Builds a `top.host`: results of `types` (boundedType for sizes that depend
  /// on data) by `kernel`; null stands for an operand that is left out. One
  /// result of constants is folded, its sizes are known then.
  mlir::FailureOr<llvm::SmallVector<mlir::Value>>
  createHost(llvm::StringRef kernel, llvm::ArrayRef<mlir::Value> hostOperands,
             llvm::ArrayRef<mlir::Type> types,
             llvm::ArrayRef<mlir::NamedAttribute> parameters);
  mlir::FailureOr<mlir::Value> reshape(mlir::Value value,
                                       llvm::ArrayRef<int64_t> shape);
  mlir::Value constant(mlir::ElementsAttr value);
  /// A constant with the bytes of `values`.
  mlir::Value intConstant(llvm::ArrayRef<int64_t> values,
                          llvm::ArrayRef<int64_t> shape);
  /// A constant of one element, rounded to `elementType`.
  mlir::Value scalar(double value, mlir::Type elementType);

  /// True if output `i` exists and has a name.
  bool wantsOutput(unsigned i) const;
  mlir::LogicalResult setOutput(unsigned i, mlir::Value value);
  mlir::LogicalResult setOutput(mlir::FailureOr<mlir::Value> value) {
    return mlir::failed(value) ? mlir::failure() : setOutput(0, *value);
  }
  mlir::Value output(unsigned i) const { return outputs[i]; }

private:
  mlir::FailureOr<mlir::Value> finish(mlir::Operation *op);
  mlir::ElementsAttr fold(mlir::Operation *op,
                          llvm::ArrayRef<mlir::Attribute> constants);
  mlir::LogicalResult checkSize(mlir::RankedTensorType type);
  const NodeAttribute *checkedAttribute(llvm::StringRef name,
                                        NodeAttribute::Kind kind,
                                        llvm::StringRef kindName, bool &wrong);

  llvm::SmallVector<mlir::Value> operands;
  llvm::SmallVector<mlir::Value> outputs;
};

} // namespace weft::onnx

#endif // WEFT_FRONTEND_ONNX_NODEIMPORTER_H
