//===- Recurrent.h - RNN, GRU and LSTM as chains of top ops -----*- C++ -*-===//
//
// A recurrent op is unrolled: the products of the input with W for all steps
// are one matrix product, each step multiplies the hidden state by R and
// applies the activations. What differs between RNN, GRU and LSTM is the step.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_FRONTEND_ONNX_RECURRENT_H
#define WEFT_FRONTEND_ONNX_RECURRENT_H

#include "frontend/onnx/Compose.h"

namespace weft::onnx {

/// The cells; the value is the number of gates (ONNX RNN-14, GRU-14, LSTM-14).
enum class CellKind { Rnn = 1, Gru = 3, Lstm = 4 };

/// An activation function with its parameters.
struct Activation {
  std::string name = "Tanh";
  double alpha = 0, beta = 0;
};

/// Operands of a recurrent op; null where they are left out. Shapes with T
/// steps, N sequences, D directions, I inputs, H hidden units, G gates.
struct RecurrentOperands {
  mlir::Value input;        ///< TxNxI
  mlir::Value weights;      ///< Dx(G*H)xI
  mlir::Value recurrence;   ///< Dx(G*H)xH
  mlir::Value bias;         ///< Dx(2*G*H): of W, then of R
  mlir::Value lengths;      ///< N
  mlir::Value hidden, cell; ///< DxNxH: states before the first step
  mlir::Value peephole;     ///< Dx(3*H): of gates i, o, f (LSTM)
};

struct RecurrentAttributes {
  std::vector<Activation> activations; ///< those of the second direction follow
  std::optional<double> clip; ///< bound of what the gates' activations get
  bool reverse = false;       ///< the one direction runs backwards
  bool batchFirst = false;    ///< layout 1: N is the first axis of everything
  bool inputForget = false;   ///< LSTM: the forget gate is 1 - i
  bool linearBeforeReset = false; ///< GRU
};

/// Reads the attributes that RNN, GRU and LSTM share with their own ones;
/// `directions` is what W has. Reports and fails if they do not fit.
mlir::FailureOr<RecurrentAttributes>
readRecurrentAttributes(NodeImporter &n, CellKind kind, int64_t directions);

/// Builds the op and sets outputs Y, Y_h and, for an LSTM, Y_c.
mlir::LogicalResult buildRecurrent(NodeImporter &n, CellKind kind,
                                   const RecurrentOperands &operands,
                                   const RecurrentAttributes &attributes);

} // namespace weft::onnx

#endif // WEFT_FRONTEND_ONNX_RECURRENT_H
