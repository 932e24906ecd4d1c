//===- Import.h - ONNX to the top dialect -----------------------*- C++ -*-===//

#ifndef WEFT_FRONTEND_ONNX_IMPORT_H
#define WEFT_FRONTEND_ONNX_IMPORT_H

#include "frontend/onnx/GraphCut.h"
#include "runtime/digest/Sha256.h"
#include "runtime/numeric/HostTensor.h"
#include "runtime/status/Status.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace weft::onnx {

/// What a message about a node says beside its name: operator and opset, by the
/// node's position in the main graph of the file.
struct NodeTitle {
  std::string opType;
  int64_t opset = 0;
  /// Its operands and attributes: "inputs 'x' float32 1x3x8x8; attributes
  /// group=1, pads=0,0,1,1"; empty until it is imported.
  std::string details;
};
using NodeTitles = std::vector<NodeTitle>;

/// An operator that a plugin brings.
struct PluginOperator {
  std::string domain, name;                      ///< domain "" is ONNX's own
  int64_t firstOpset = 1, lastOpset = INT64_MAX; ///< of the domain
  /// Float element types that the kernel computes in: "f32", "f16", "bf16".
  std::vector<std::string> floats;

  /// An input of a node.
  struct Input {
    mlir::RankedTensorType type; ///< null: left out
    mlir::ElementsAttr constant; ///< null unless its values are known
  };
  /// The shape function: types of the first `outputs` results. A failure says
  /// what is wrong with the node.
  std::function<rt::Result<std::vector<mlir::RankedTensorType>>(
      int64_t opset, mlir::DictionaryAttr parameters,
      llvm::ArrayRef<Input> inputs, size_t outputs)>
      infer;
};

/// The key in ImportOptions::shapes of the first axis of every input that the
/// model leaves open or fixes to 1 (`--batch`).
inline constexpr const char *kBatchKey = "[0]";

/// In ImportOptions::shapes the only size of an optional without a value
/// (`--shape x=none`).
inline constexpr int64_t kAbsentInput = -1;

struct ImportOptions {
  /// What is imported (`--inputs`, `--outputs`).
  GraphCut cut;
  /// Sizes of inputs by name (`--shape x=1x3x48x192`); or one size by the name
  /// of a dimension ("batch"), by an input's axis ("x[0]"), or by kBatchKey, in
  /// this order where a name could be several. They replace symbolic and
  /// unknown dimensions and must agree with fixed ones; but a first axis of 1
  /// is often what a model was exported with and may be changed, and of inputs
  /// that the cut makes they go before what was inferred. A sequence S is as
  /// many inputs as it has tensors, "S[0]", "S[1]" ..; by its own name it takes
  /// their number. An optional has a value, unless that is kAbsentInput.
  std::map<std::string, std::vector<int64_t>> shapes;
  /// Constants in place of inputs, by name (`--bind`); they must agree with the
  /// declared type (or travel for it, numeric/CarrierTypes.h) and shape.
  std::map<std::string, numeric::HostTensor> bindings;
  /// They go before the importer's own rows and functions.
  std::vector<PluginOperator> plugins;
  /// Where data choose a branch or end a loop: all that could be taken is
  /// computed and the right values selected, if they are of one type and the
  /// number of iterations is limited. Else the host computes what is taken.
  bool selectsBranches = false;
  /// Problems printed before the rest is only counted.
  unsigned maxProblems = 20;
  /// If set, gets `cut` with one name an entry.
  GraphCut *namedCut = nullptr;
  /// If set, gets the names of the inputs, also where the import then fails.
  std::vector<std::string> *inputs = nullptr;
  /// If set, gets those of `shapes` that no input of the program tells: of
  /// empty sequences and of optionals without a value.
  std::map<std::string, std::vector<int64_t>> *emptyInputs = nullptr;
  /// If set, gets the names of all values of the file, those of graphs within
  /// nodes and of functions as they are in the file and, where they were
  /// imported, behind the names of their callers (`call/value`).
  std::set<std::string> *values = nullptr;
  /// If set, gets the digest of the model (readModelFile), unless the bytes are
  /// none.
  std::optional<rt::Digest> *digest = nullptr;
  /// If set, filled before the first message about a node; see Diagnostics.h.
  NodeTitles *titles = nullptr;
};

/// Imports a model file into a module with one `func.func @main` of the top
/// dialect (docs/architecture.md). The context gets the dialects it needs.
/// Every problem is an error diagnostic: about a node at
/// `NameLoc(node name, FileLineColLoc(file, node index, output index))`, about
/// an input, an initializer or an output at `NameLoc(its name, NameLoc(file))`,
/// about the whole file at `NameLoc(file)`. Null if there was one.
mlir::OwningOpRef<mlir::ModuleOp> importOnnxFile(llvm::StringRef path,
                                                 const ImportOptions &options,
                                                 mlir::MLIRContext &context);

/// The same for a model in memory; `name` stands for the file in locations.
mlir::OwningOpRef<mlir::ModuleOp> importOnnxBytes(llvm::ArrayRef<char> bytes,
                                                  llvm::StringRef name,
                                                  const ImportOptions &options,
                                                  mlir::MLIRContext &context);

/// Why an array of `shape` cannot be bound to the input `name` of a model file,
/// to be asked before a large one is read; "" if it can, and if the file is no
/// model, which its import tells better.
std::string bindingProblem(llvm::StringRef path, const std::string &name,
                           llvm::ArrayRef<int64_t> shape,
                           const GraphCut &cut = {});

/// A line of the table of supported operators (`weft ops`).
struct SupportedOp {
  std::string domain; // "" is ONNX's own
  std::string name;
  /// Opsets (of the domain) whose form of the operator is understood.
  int64_t firstOpset = 0, lastOpset = 0;
  std::string family;
  /// What is left out, in a few words; may be empty.
  std::string limits;
  /// The kind of `top.unary` or `top.binary` that it becomes, as the text form
  /// spells it; empty for other ops and if the value is only passed on.
  std::string kind;
};

/// All rows of the registry, sorted by domain, name and opset.
std::vector<SupportedOp> supportedOps();

} // namespace weft::onnx

#endif // WEFT_FRONTEND_ONNX_IMPORT_H
