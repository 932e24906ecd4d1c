//===- Importer.h - the walk over an ONNX graph -----------------*- C++ -*-===//
//
// Private to frontend/onnx. Import.cpp has inputs (StructuredInputs.cpp those
// that are no tensors), initializers, outputs and the entry points;
// ImportNodes.cpp nodes and functions; ControlFlow.cpp and Sequences.cpp the
// operators that work on graphs and lists of values instead of tensors. Those
// vanish here: branches are chosen or merged, loops unrolled, sequences and
// optionals followed.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_FRONTEND_ONNX_IMPORTER_H
#define WEFT_FRONTEND_ONNX_IMPORTER_H

#include "frontend/onnx/Import.h"
#include "frontend/onnx/NodeImporter.h"
#include "frontend/onnx/StructuredInputs.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

namespace weft::onnx {

struct OpRow;

/// What an ONNX name stands for.
struct Entity {
  enum class Kind {
    Unknown,  ///< could not be imported; users are skipped without a message
    Tensor,   ///< `value`
    Strings,  ///< `bytes`
    Sequence, ///< the tensors in `items`
    Nothing,  ///< an optional without a value
  };
  Entity() = default;
  Entity(mlir::Value value)
      : kind(value ? Kind::Tensor : Kind::Unknown), value(value) {}
  static Entity sequence(std::vector<mlir::Value> items) {
    Entity entity;
    entity.kind = Kind::Sequence;
    entity.items = std::move(items);
    return entity;
  }
  /// A tensor of strings by its bytes: ui8, the last axis those of a string
  /// (runtime/host/Texts.h). No `value`, so that who knows numbers alone does
  /// not take the bytes for some.
  static Entity strings(mlir::Value bytes) {
    Entity entity;
    entity.kind = bytes ? Kind::Strings : Kind::Unknown;
    entity.bytes = bytes;
    return entity;
  }
  static Entity nothing() {
    Entity entity;
    entity.kind = Kind::Nothing;
    return entity;
  }
  bool isTensor() const { return kind == Kind::Tensor; }
  bool isStrings() const { return kind == Kind::Strings; }
  bool isSequence() const { return kind == Kind::Sequence; }
  bool isNothing() const { return kind == Kind::Nothing; }
  bool isUnknown() const { return kind == Kind::Unknown; }

  Kind kind = Kind::Unknown;
  mlir::Value value;
  mlir::Value bytes;
  std::vector<mlir::Value> items;
};

/// "a sequence of 3 tensors", "a 2x3 tensor of float32": for messages.
std::string describe(const Entity &entity);

using Scope = llvm::StringMap<Entity>;

/// Where a list of nodes stands.
struct Body {
  Scope &scope;
  const OpsetMap &opsets;
  /// Call that expands this body; empty in the main graph.
  std::string caller;
  /// Location of that call; null in the main graph.
  mlir::FileLineColLoc callSite;
  unsigned depth = 0;
  /// The function this is the body of; null in the main graph and in graphs
  /// within nodes.
  const Function *function = nullptr;
  const Body *parent = nullptr;
  /// Whether names that `scope` lacks are those of `parent`.
  bool seesParent = false;

  Entity lookup(llvm::StringRef name) const;
};

class Importer {
public:
  Importer(Model model, llvm::StringRef file, const ImportOptions &options,
           mlir::MLIRContext &context)
      : model(std::move(model)), options(options), context(context),
        builder(&context), file(mlir::StringAttr::get(&context, file)),
        budget(constantBytes(this->model, options), this->model.nodes.size()) {}

  mlir::OwningOpRef<mlir::ModuleOp> run();

  /// An output that could not be imported, "" if there is none. Its reason has
  /// been reported, unless the importer has a bug.
  const std::string &lostOutput() const { return lost; }

  bool selectsBranches() const { return options.selectsBranches; }

  /// Imports a graph of a node with one entity an input; `place` distinguishes
  /// it from others of that node ("then_branch", "body/3"). One entity an
  /// output; fails, with a message, if one could not be imported.
  mlir::FailureOr<std::vector<Entity>>
  importGraph(const Graph &graph, llvm::ArrayRef<Entity> inputs,
              llvm::StringRef place, mlir::Location location,
              const Body &outer);

  /// Imports one operator of ONNX's newest opset on tensors, as if a node of
  /// the model stood there; it has one output.
  mlir::FailureOr<Entity>
  importOperator(llvm::StringRef opType, llvm::ArrayRef<mlir::Value> operands,
                 mlir::Location location, const Body &outer,
                 std::vector<NodeAttribute> attributes = {});

private:
  /// A constant of the file.
  Entity constantEntity(const Tensor &tensor, mlir::Location location);
  /// Of the constants that the file and `--bind` bring.
  static uint64_t constantBytes(const Model &model,
                                const ImportOptions &options);
  mlir::Location fileLocation() { return mlir::NameLoc::get(file); }
  mlir::Location namedLocation(llvm::StringRef name) {
    return mlir::NameLoc::get(builder.getStringAttr(name),
                              mlir::NameLoc::get(file));
  }
  mlir::Location nodeLocation(const Node &node, const Body &body);
  void report(mlir::Location location, llvm::StringRef message) {
    mlir::emitError(location) << message;
  }

  //===--- Import.cpp -----------------------------------------------------===//
  void startModule();
  void importInitializers(Scope &scope);
  void importInputs(Scope &scope);
  void importStructuredInputs(Scope &scope);
  mlir::LogicalResult cutModel();
  mlir::LogicalResult takeInputsApart();
  mlir::LogicalResult checkGivenSizes(const ValueInfo &input);
  std::optional<llvm::SmallVector<int64_t>> inputShape(const ValueInfo &input);
  void addInterface(const ValueInfo &info, const Entity &entity,
                    llvm::SmallVectorImpl<mlir::DictionaryAttr> &attributes);
  mlir::LogicalResult checkNamesInOptions();
  mlir::LogicalResult checkNamedInput(llvm::StringRef option,
                                      const std::string &name);
  mlir::LogicalResult checkAxisSize(const std::string &name,
                                    llvm::ArrayRef<int64_t> shape);
  void bindInput(const ValueInfo &input, mlir::Type element, Scope &scope);
  struct NamedValue {
    ValueInfo info;
    mlir::Value value;
  };
  /// Whether what an output's node makes is what the model declares.
  mlir::LogicalResult checkOutputType(const ValueInfo &output,
                                      const Entity &entity);
  /// The outputs of the program for one of the model; none, with a report, if
  /// their names are taken.
  std::vector<NamedValue> tensorsOf(const ValueInfo &output,
                                    const Entity &entity, const Scope &scope);
  void importOutputs(Scope &scope);
  void removeUnusedConstants();

  //===--- ImportNodes.cpp ------------------------------------------------===//
  void importMainGraph(Scope &scope);
  void importNode(const Node &node, Body &body);
  /// One entity an output; none if it fails.
  std::vector<Entity> importByRow(const Node &node, int64_t opset,
                                  const OpRow &row,
                                  llvm::ArrayRef<Entity> operands, Body &body,
                                  mlir::Location location);
  mlir::LogicalResult importCall(const Node &node, const Function &function,
                                 llvm::ArrayRef<Entity> operands,
                                 const Body &body, mlir::Location location);
  /// The operator of a plugin for a node; null if there is none.
  const PluginOperator *findPlugin(const Node &node, int64_t opset) const;
  /// One entity an output; none if it fails. (Custom.cpp)
  std::vector<Entity> importByPlugin(const Node &node, int64_t opset,
                                     const PluginOperator &plugin,
                                     llvm::ArrayRef<Entity> operands,
                                     Body &body, mlir::Location location);
  /// `lengths`, of i64, in 0 .. `longest`.
  mlir::Value clampedLengths(mlir::Value lengths, int64_t longest,
                             mlir::Location location);
  /// False if no function defines the node's operator. Without all operands
  /// (`complete`) nothing is imported.
  bool importByFunction(const Node &node, int64_t opset,
                        llvm::ArrayRef<Entity> operands, bool complete,
                        Body &body, mlir::Location location);
  /// Fails, with a message, if there is no room for `nodes` more.
  mlir::LogicalResult countExpansion(size_t nodes, llvm::StringRef what,
                                     unsigned depth, mlir::Location location);
  void reportUnknownOp(const Node &node, int64_t opset,
                       mlir::Location location);
  void nameResults(const Node &node, mlir::Operation *before, const Body &body,
                   llvm::ArrayRef<Entity> results);
  const Function *findFunction(const Node &node) const;

  Model model;
  const ImportOptions &options;
  mlir::MLIRContext &context;
  mlir::OpBuilder builder;
  mlir::StringAttr file;
  mlir::ModuleOp module;
  mlir::func::FuncOp main;
  llvm::StringSet<> initializerNames;
  std::vector<StructuredInput> structuredInputs;
  /// Nodes of an operator that was reported once already, by domain and name.
  llvm::StringMap<unsigned> unknownOps;
  uint64_t expandedNodes = 0;
  std::string lost;
  top::FoldBudget budget;
};

/// What the import function of an operator on graphs, sequences or optionals
/// works with.
struct StructureNode {
  Importer &importer;
  const Body &body;
  /// Attributes, messages and top ops; its operands are the tensors, null for
  /// other entities.
  NodeImporter &n;
  llvm::ArrayRef<Entity> operands;
  std::vector<Entity> outputs;

  /// Operand `i`, Unknown if it is left out.
  Entity operand(unsigned i) const {
    return i < operands.size() ? operands[i] : Entity();
  }
  /// Operand `i`, which must be a tensor (a sequence).
  mlir::FailureOr<mlir::Value> tensor(unsigned i);
  mlir::FailureOr<std::vector<mlir::Value>> sequence(unsigned i);
  /// The graph of that attribute.
  mlir::FailureOr<const Graph *> graph(llvm::StringRef attribute);
  mlir::FailureOr<std::vector<Entity>> importGraph(const Graph &graph,
                                                   llvm::ArrayRef<Entity> in,
                                                   llvm::StringRef place) {
    return importer.importGraph(graph, in, place, n.location, body);
  }
  mlir::LogicalResult setOutput(Entity entity) {
    outputs.push_back(std::move(entity));
    return mlir::success();
  }
};

} // namespace weft::onnx

#endif // WEFT_FRONTEND_ONNX_IMPORTER_H
