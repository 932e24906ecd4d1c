//===- Recurrent.cpp - RNN, GRU and LSTM as chains of top ops -------------===//

#include "frontend/onnx/Recurrent.h"

#include "dialects/top/Unary.h"
#include "frontend/onnx/OpRows.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace weft;
using namespace weft::onnx;
using top::UnaryKind;

/// Unrolled steps times directions; beyond it a program takes too long to make.
static constexpr int64_t kMostSteps = 4096;

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

namespace {
/// What an activation function takes of activation_alpha and activation_beta.
struct ActivationRow {
  const char *name;
  std::optional<double> alpha, beta; ///< defaults; empty: it has none
};
} // namespace

// The defaults are ONNX Runtime's: those of the ONNX operators, but 0 for
// Affine, ScaledTanh, which are none, and ThresholdedRelu.
static const ActivationRow kActivations[] = {
    {"Relu", {}, {}},
    {"Tanh", {}, {}},
    {"Sigmoid", {}, {}},
    {"Affine", 0.0, 0.0},
    {"LeakyRelu", double(0.01f), {}},
    {"ThresholdedRelu", 0.0, {}},
    {"ScaledTanh", 0.0, 0.0},
    {"HardSigmoid", double(0.2f), 0.5},
    {"Elu", 1.0, {}},
    {"Softsign", {}, {}},
    {"Softplus", {}, {}},
};

static std::vector<std::string> defaultActivations(CellKind kind) {
  switch (kind) {
  case CellKind::Rnn:
    return {"Tanh"};
  case CellKind::Gru:
    return {"Sigmoid", "Tanh"};
  case CellKind::Lstm:
    return {"Sigmoid", "Tanh", "Tanh"};
  }
  llvm_unreachable("covered switch");
}

/// Names in any case. The parameters are dealt out to the functions that have
/// some, in order, as ONNX Runtime does.
static FailureOr<std::vector<Activation>>
readActivations(NodeImporter &n, CellKind kind, int64_t directions) {
  std::vector<std::string> names, defaults = defaultActivations(kind);
  for (int64_t d = 0; d < directions; ++d)
    names.insert(names.end(), defaults.begin(), defaults.end());
  if (const NodeAttribute *given = n.node.find("activations")) {
    if (given->strings.size() != names.size())
      return n.error() << "activations has " << given->strings.size()
                       << " names, must have " << names.size() << ", "
                       << defaults.size() << " for each direction";
    names = given->strings;
  }
  auto listOf = [&](StringRef name) {
    const NodeAttribute *list = n.node.find(name);
    return list ? list->floats : std::vector<float>();
  };
  std::vector<float> alphas = listOf("activation_alpha"),
                     betas = listOf("activation_beta");
  size_t alpha = 0, beta = 0;
  std::vector<Activation> result;
  for (const std::string &name : names) {
    auto row = llvm::find_if(kActivations, [&](const ActivationRow &row) {
      return StringRef(row.name).equals_insensitive(name);
    });
    if (row == std::end(kActivations))
      return n.unsupported()
             << "activation '" << name
             << "'; use Relu, Tanh, Sigmoid, Affine, LeakyRelu, "
                "ThresholdedRelu, ScaledTanh, HardSigmoid, Elu, Softsign or "
                "Softplus";
    Activation activation{row->name, row->alpha.value_or(0),
                          row->beta.value_or(0)};
    if (row->alpha && alpha < alphas.size())
      activation.alpha = alphas[alpha++];
    if (row->beta && beta < betas.size())
      activation.beta = betas[beta++];
    result.push_back(activation);
  }
  return result;
}

FailureOr<RecurrentAttributes>
weft::onnx::readRecurrentAttributes(NodeImporter &n, CellKind kind,
                                    int64_t directions) {
  RecurrentAttributes result;
  FailureOr<std::string> direction = n.wordAttribute(
      "direction", "forward", {"forward", "reverse", "bidirectional"});
  FailureOr<bool> layout = n.flagAttribute("layout", false);
  FailureOr<bool> inputForget = n.flagAttribute("input_forget", false);
  FailureOr<bool> linear = n.flagAttribute("linear_before_reset", false);
  FailureOr<double> clip = n.floatAttribute("clip", 0);
  if (failed(direction) || failed(layout) || failed(inputForget) ||
      failed(linear) || failed(clip))
    return failure();
  if ((*direction == "bidirectional") != (directions == 2))
    return n.error() << "direction is " << *direction << ", but W has "
                     << directions << " directions; they must agree";
  FailureOr<std::vector<Activation>> activations =
      readActivations(n, kind, directions);
  if (failed(activations))
    return failure();
  result.activations = *activations;
  if (n.hasAttribute("clip"))
    result.clip = *clip;
  result.reverse = *direction == "reverse";
  result.batchFirst = *layout;
  result.inputForget = *inputForget;
  result.linearBeforeReset = *linear;
  return result;
}

//===----------------------------------------------------------------------===//
// The steps
//===----------------------------------------------------------------------===//

namespace {
/// One direction of a recurrent op, unrolled.
class Unrolling {
public:
  Unrolling(Compose &compose, CellKind kind,
            const RecurrentAttributes &attributes, int64_t sequences,
            int64_t hidden)
      : c(compose), kind(kind), attributes(attributes), sequences(sequences),
        units(hidden), gates(int64_t(kind)) {}

  /// Takes the part of direction `direction` out of all operands. `steps` is
  /// the length T.
  void start(const RecurrentOperands &operands, unsigned direction,
             int64_t steps);
  /// Computes step `t`; `mask` (Nx1 of 0 and 1, or null) says which sequences
  /// still run.
  void step(int64_t t, Value mask);

  /// The state, or the output of a step, as NxH.
  Value matrix(Value state) {
    return state ? c.reshape(state, {sequences, units}) : Value();
  }

  Value hidden, cell;         ///< states, of `rowsOf` units
  std::vector<Value> outputs; ///< by step, the same

private:
  Value part(Value all, int64_t size);
  /// A row of `columns` for each sequence. They are those of an image, which
  /// have a lane each; of a matrix, every number has.
  SmallVector<int64_t> rowsOf(int64_t columns) const {
    return {1, sequences, columns};
  }
  Value gate(Value all, int64_t first, int64_t count = 1) {
    int64_t last = all ? Compose::shapeOf(all).size() - 1 : 0;
    return c.sliceAxis(all, last, first * units, count * units);
  }
  /// Activation function `number` of this direction.
  const Activation &function(unsigned number) const;
  Value activate(unsigned number, Value value);
  Value bounded(Value value) {
    return attributes.clip ? c.clamp(value, -*attributes.clip, *attributes.clip)
                           : value;
  }
  Value oneMinus(Value value) {
    return value ? c.sub(c.number(1, value), value) : Value();
  }
  Value peep(Value gate, Value state, unsigned which) {
    return peephole
               ? c.add(gate, c.mul(state, c.sliceAxis(peephole, 0,
                                                      which * units, units)))
               : gate;
  }
  Value rnn(Value projected);
  Value gru(Value projected);
  Value lstm(Value projected, Value &newCell);

  Compose &c;
  CellKind kind;
  const RecurrentAttributes &attributes;
  int64_t sequences, units, gates;
  unsigned direction = 0;
  Value projected;  ///< TxNxG*H: x W^T and the biases
  Value recurrence; ///< Hx(G*H)
  Value hiddenBias; ///< G*H, null unless it is added to h R^T
  Value peephole;   ///< 3*H or null
};
} // namespace

/// The numbers of this direction as one axis; null stays null.
Value Unrolling::part(Value all, int64_t size) {
  return all ? c.reshape(c.sliceAxis(all, 0, direction, 1), {size}) : Value();
}

void Unrolling::start(const RecurrentOperands &operands, unsigned direction,
                      int64_t steps) {
  this->direction = direction;
  int64_t columns = gates * units;
  int64_t inputs = Compose::shapeOf(operands.input)[2];
  auto matrix = [&](Value all, int64_t inner) {
    Value one = c.reshape(c.sliceAxis(all, 0, direction, 1), {columns, inner});
    return c.transpose(one, {1, 0});
  };
  Value rows = c.reshape(operands.input, {steps * sequences, inputs});
  projected = c.matmul(rows, matrix(operands.weights, inputs));
  recurrence = matrix(operands.recurrence, units);
  if (operands.bias) {
    Value both = part(operands.bias, 2 * columns);
    Value ofInput = c.sliceAxis(both, 0, 0, columns),
          ofHidden = c.sliceAxis(both, 0, columns, columns);
    // A linear GRU multiplies the reset gate by a product that has its bias.
    if (kind == CellKind::Gru && attributes.linearBeforeReset)
      hiddenBias = ofHidden;
    else
      ofInput = c.add(ofInput, ofHidden);
    projected = c.add(projected, ofInput);
  }
  projected = c.reshape(projected, {steps, sequences, columns});
  peephole = part(operands.peephole, 3 * units);
  auto state = [&](Value all) {
    return all ? c.reshape(c.sliceAxis(all, 0, direction, 1), rowsOf(units))
               : c.numbers(0.0, rowsOf(units),
                           Compose::elementOf(operands.input));
  };
  hidden = state(operands.hidden);
  if (kind == CellKind::Lstm)
    cell = state(operands.cell);
  outputs.resize(steps);
}

const Activation &Unrolling::function(unsigned number) const {
  size_t first =
      direction ? attributes.activations.size() / 2 : 0; // of two directions
  return attributes.activations[first + number];
}

Value Unrolling::activate(unsigned number, Value value) {
  if (!value)
    return {};
  const Activation &f = function(number);
  if (f.name == "Affine")
    return c.add(c.mul(value, f.alpha), f.beta);
  if (f.name == "ScaledTanh")
    return c.mul(c.unary(UnaryKind::Tanh, c.mul(value, f.beta)), f.alpha);
  auto kind = llvm::StringSwitch<UnaryKind>(f.name)
                  .Case("Relu", UnaryKind::Relu)
                  .Case("Sigmoid", UnaryKind::Sigmoid)
                  .Case("LeakyRelu", UnaryKind::LeakyRelu)
                  .Case("ThresholdedRelu", UnaryKind::ThresholdedRelu)
                  .Case("HardSigmoid", UnaryKind::HardSigmoid)
                  .Case("Elu", UnaryKind::Elu)
                  .Case("Softsign", UnaryKind::Softsign)
                  .Case("Softplus", UnaryKind::Softplus)
                  .Default(UnaryKind::Tanh);
  const top::UnaryKindRow &row = top::unaryKindRow(kind);
  auto parameter = [&](bool has, double number) {
    return has ? c.n.builder.getF64FloatAttr(number) : FloatAttr();
  };
  return Compose::orNull(c.n.create<top::UnaryOp>(
      kind, value, parameter(row.alpha.has_value(), f.alpha),
      parameter(row.beta.has_value(), f.beta)));
}

Value Unrolling::rnn(Value projected) {
  return activate(0, bounded(c.add(projected, c.matmul(hidden, recurrence))));
}

// Gates z, r, h.
Value Unrolling::gru(Value projected) {
  bool linear = attributes.linearBeforeReset;
  Value product =
      c.matmul(hidden, linear ? recurrence : gate(recurrence, 0, 2));
  if (hiddenBias)
    product = c.add(product, hiddenBias);
  Value sums = bounded(
      c.add(gate(projected, 0, 2), linear ? gate(product, 0, 2) : product));
  Value both = activate(0, sums);
  Value update = gate(both, 0), reset = gate(both, 1);
  // Where z is close to 1, the difference 1 - z would be all rounding error.
  Value rest = function(0).name == "Sigmoid"
                   ? activate(0, c.mul(gate(sums, 0), -1))
                   : oneMinus(update);
  Value inner = linear ? c.mul(reset, gate(product, 2))
                       : c.matmul(c.mul(reset, hidden), gate(recurrence, 2));
  Value candidate = activate(1, bounded(c.add(gate(projected, 2), inner)));
  return c.add(c.mul(rest, candidate), c.mul(update, hidden));
}

// Gates i, o, f, c; functions f, g, h; peepholes of i, o, f.
Value Unrolling::lstm(Value projected, Value &newCell) {
  Value sum = c.add(projected, c.matmul(hidden, recurrence));
  Value input, output, forget;
  if (peephole) {
    input = activate(0, bounded(peep(gate(sum, 0), cell, 0)));
    forget = activate(0, bounded(peep(gate(sum, 2), cell, 2)));
  } else { // one function of three gates at once
    Value three = activate(0, bounded(gate(sum, 0, 3)));
    input = gate(three, 0);
    output = gate(three, 1);
    forget = gate(three, 2);
  }
  if (attributes.inputForget)
    forget = oneMinus(input);
  Value candidate = activate(1, bounded(gate(sum, 3)));
  newCell = c.add(c.mul(forget, cell), c.mul(input, candidate));
  if (peephole)
    output = activate(0, bounded(peep(gate(sum, 1), newCell, 1)));
  return c.mul(output, activate(2, newCell));
}

void Unrolling::step(int64_t t, Value mask) {
  Value now = c.reshape(c.sliceAxis(projected, 0, t, 1), rowsOf(gates * units));
  Value newCell;
  Value newHidden = kind == CellKind::Rnn   ? rnn(now)
                    : kind == CellKind::Gru ? gru(now)
                                            : lstm(now, newCell);
  if (!mask) {
    hidden = outputs[t] = newHidden;
    cell = newCell;
    return;
  }
  // A sequence that has ended keeps its state and gives zeros.
  Value kept = oneMinus(mask);
  outputs[t] = c.mul(newHidden, mask);
  hidden = c.add(outputs[t], c.mul(hidden, kept));
  if (newCell)
    cell = c.add(c.mul(newCell, mask), c.mul(cell, kept));
}

//===----------------------------------------------------------------------===//
// The op
//===----------------------------------------------------------------------===//

namespace {
/// Which sequences still run at a step.
class Lengths {
public:
  /// False if the lengths do not fit; that has been reported.
  bool read(Compose &c, Value lengths, int64_t sequences, int64_t steps,
            Type element);
  /// Nx1 of 0 and 1 for step `t`; null if all sequences run.
  Value mask(Compose &c, int64_t t) const;

private:
  std::optional<SmallVector<int64_t>> known;
  Value computed; ///< Nx1 floats
  Type element;
};
} // namespace

bool Lengths::read(Compose &c, Value lengths, int64_t sequences, int64_t steps,
                   Type element) {
  this->element = element;
  if (!lengths)
    return true;
  if (NodeImporter::typeOf(lengths).getNumElements() != sequences) {
    c.n.error() << "sequence_lens has shape "
                << top::shapeText(Compose::shapeOf(lengths)) << ", must have "
                << sequences << " values, one a sequence";
    return false;
  }
  known = constantIntsOf(lengths);
  if (!known) {
    computed = c.reshape(c.cast(lengths, element), {sequences, 1});
    return computed != nullptr;
  }
  for (int64_t length : *known)
    if (length < 0 || length > steps) {
      c.n.error() << "sequence_lens holds " << length << ", must be 0 to "
                  << steps << ", the steps of the input";
      return false;
    }
  return true;
}

Value Lengths::mask(Compose &c, int64_t t) const {
  if (computed)
    return c.clamp(c.sub(computed, double(t)), 0, 1);
  if (!known || llvm::all_of(*known, [&](int64_t n) { return t < n; }))
    return {};
  SmallVector<double> running;
  for (int64_t length : *known)
    running.push_back(t < length);
  return c.numbers(running, {int64_t(running.size()), 1}, element);
}

static bool expectShape(NodeImporter &n, StringRef what, Value value,
                        ArrayRef<int64_t> shape) {
  if (!value || Compose::shapeOf(value) == shape)
    return true;
  n.error() << what << " has shape " << top::shapeText(Compose::shapeOf(value))
            << ", must be " << top::shapeText(shape);
  return false;
}

/// The parts of all directions along a new axis `axis` of rank+1.
static Value stack(Compose &c, ArrayRef<Value> parts, int64_t axis) {
  SmallVector<Value> raised;
  for (Value part : parts) {
    if (!part)
      return {};
    SmallVector<int64_t> shape(Compose::shapeOf(part));
    shape.insert(shape.begin() + axis, 1);
    raised.push_back(c.reshape(part, shape));
  }
  return c.concat(raised, axis);
}

LogicalResult
weft::onnx::buildRecurrent(NodeImporter &n, CellKind kind,
                           const RecurrentOperands &given,
                           const RecurrentAttributes &attributes) {
  Compose c(n);
  RecurrentOperands o = given;
  if (attributes.batchFirst) {
    o.input = c.transpose(o.input, {1, 0, 2});
    o.hidden = c.transpose(o.hidden, {1, 0, 2});
    o.cell = c.transpose(o.cell, {1, 0, 2});
  }
  if (!o.input)
    return failure();
  ArrayRef<int64_t> shape = Compose::shapeOf(o.input);
  int64_t steps = shape[0], sequences = shape[1], inputs = shape[2];
  int64_t directions = Compose::shapeOf(o.weights)[0];
  int64_t hidden = Compose::shapeOf(o.recurrence)[2];
  int64_t columns = int64_t(kind) * hidden;
  if (!expectShape(n, "W", o.weights, {directions, columns, inputs}) ||
      !expectShape(n, "R", o.recurrence, {directions, columns, hidden}) ||
      !expectShape(n, "B", o.bias, {directions, 2 * columns}) ||
      !expectShape(n, "P", o.peephole, {directions, 3 * hidden}) ||
      !expectShape(n, "initial_h", o.hidden, {directions, sequences, hidden}) ||
      !expectShape(n, "initial_c", o.cell, {directions, sequences, hidden}))
    return failure();
  if (steps * directions > kMostSteps || steps == 0)
    return n.unsupported() << steps << " steps in " << directions
                           << " directions, which are unrolled; give the model "
                              "1 to "
                           << kMostSteps / directions
                           << " steps and carry the state from call to call";
  Lengths lengths;
  if (!lengths.read(c, o.lengths, sequences, steps,
                    Compose::elementOf(o.input)))
    return failure();
  SmallVector<Value> all, lastHidden, lastCell;
  for (int64_t d = 0; d < directions; ++d) {
    Unrolling unrolling(c, kind, attributes, sequences, hidden);
    unrolling.start(o, d, steps);
    bool backwards = d == 1 || attributes.reverse;
    for (int64_t s = 0; s < steps; ++s) {
      int64_t t = backwards ? steps - 1 - s : s;
      unrolling.step(t, lengths.mask(c, t));
    }
    for (Value &output : unrolling.outputs)
      output = unrolling.matrix(output);
    if (n.wantsOutput(0))
      all.push_back(stack(c, unrolling.outputs, 0));
    lastHidden.push_back(unrolling.matrix(unrolling.hidden));
    lastCell.push_back(unrolling.matrix(unrolling.cell));
  }
  auto set = [&](unsigned i, Value value, ArrayRef<int64_t> batchFirst) {
    return c.finish(
        attributes.batchFirst ? c.transpose(value, batchFirst) : value, i);
  };
  auto setState = [&](unsigned i, ArrayRef<Value> parts) -> LogicalResult {
    if (!n.wantsOutput(i))
      return success();
    n.selectOutput(i);
    return set(i, stack(c, parts, 0), {1, 0, 2});
  };
  if (n.wantsOutput(0) && failed(set(0, stack(c, all, 1), {2, 0, 1, 3})))
    return failure();
  if (failed(setState(1, lastHidden)))
    return failure();
  return kind == CellKind::Lstm ? setState(2, lastCell) : success();
}

/// RNN, GRU, LSTM-7..22.
template <CellKind Kind>
static LogicalResult importRecurrent(NodeImporter &n) {
  FailureOr<Value> x = n.operand(0), w = n.operand(1), r = n.operand(2);
  if (failed(x) || failed(w) || failed(r))
    return failure();
  for (auto [name, value] :
       {std::pair("X", *x), std::pair("W", *w), std::pair("R", *r)})
    if (int64_t rank = n.typeOf(value).getRank(); rank != 3)
      return n.error() << name << " has rank " << rank << ", must be 3";
  int64_t hidden = n.typeOf(*r).getShape()[2];
  FailureOr<int64_t> size = n.intAttribute("hidden_size", hidden, 1);
  if (failed(size))
    return failure();
  if (*size != hidden)
    return n.error() << "hidden_size is " << *size << ", but R has " << hidden
                     << " columns; they must agree";
  auto attributes =
      readRecurrentAttributes(n, Kind, n.typeOf(*w).getShape()[0]);
  if (failed(attributes))
    return failure();
  RecurrentOperands operands{*x,
                             *w,
                             *r,
                             n.optionalOperand(3),
                             n.optionalOperand(4),
                             n.optionalOperand(5),
                             n.optionalOperand(6),
                             n.optionalOperand(7)};
  return buildRecurrent(n, Kind, operands, *attributes);
}

void weft::onnx::registerRecurrentRows(OpRegistry &registry) {
  StringRef limits = "unrolled, at most 4096 steps";
  registry.add(
      "MatMul",
      {{"RNN", 7, kLastOpset, importRecurrent<CellKind::Rnn>, limits},
       {"GRU", 7, kLastOpset, importRecurrent<CellKind::Gru>, limits},
       {"LSTM", 7, kLastOpset, importRecurrent<CellKind::Lstm>, limits}});
}
