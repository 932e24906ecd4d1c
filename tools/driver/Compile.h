//===- Compile.h - from an ONNX file to a bmodel ----------------*- C++ -*-===//

#ifndef WEFT_TOOLS_DRIVER_COMPILE_H
#define WEFT_TOOLS_DRIVER_COMPILE_H

#include "codegen/pack/Pack.h"
#include "codegen/pack/WeightArea.h"
#include "dialects/zhouyi/Program.h"
#include "frontend/onnx/GraphCut.h"
#include "passes/quantize/Calibration.h"
#include "runtime/chips/Targets.h"
#include "runtime/digest/Sha256.h"
#include "runtime/numeric/HostTensor.h"
#include "runtime/status/Status.h"
#include "tools/driver/CheapestProgram.h"
#include "tools/driver/Diagnostics.h"
#include "tools/driver/FusePreprocess.h"
#include "tools/driver/Pipelines.h"
#include "tools/driver/Plugins.h"
#include "tools/driver/ProgramSearch.h"
#include "tools/driver/ShapeRanges.h"

#include "mlir/IR/BuiltinOps.h"

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace weft::driver {

/// Constants in place of inputs by name (`--bind shape=shape.npz`).
using InputBindings = std::map<std::string, numeric::HostTensor>;

/// How far a compilation goes and what it gives. Numbers is tpu with all that
/// decides what is computed, bit by bit, and nothing of where and when: every
/// level of optimization gives these numbers. Ppl stands for the functions of
/// the machine: of a vector machine they are `zhouyi`.
enum class Stage { Top, Numbers, Tpu, Ppl, Bmodel };

struct CompileOptions {
  InputShapes shapes;
  std::string precision = "f32"; ///< f32, f16, bf16, int8, w8f16, w4f16
  /// A chip of chips::all or a machine of chips::vectorTargets.
  std::string chip = chips::defaultTarget();
  /// A calibration table, its path or its text; int8 needs one, f16 may have.
  std::string calibration;
  /// Precisions of single ops, the path of a table or its text; or empty.
  std::string precisionTable;
  bool noFloat = false; ///< int8: every product with constant weights is 8 bits
  /// int8: no op becomes a float because that takes fewer cycles. Neither with
  /// `noFloat`, a precision table or quantized inputs and outputs.
  bool keepInt8 = false;
  std::string asymmetric = "auto"; ///< zero points in int8; or "off"
  int64_t groupSize = 64; ///< w8f16, w4f16: weights of a scale; 0: of a channel
  OptLevel optLevel = OptLevel::O2;
  ProgramSearchOptions search; ///< O3
  bool quantizedIo = false;
  bool noHost = false; ///< what the chip does not compute is an error
  bool strip = false;  ///< no debug map
  /// Programs for other shapes lie in the same file: constants stay as the
  /// model has them where another order would pay for one shape alone.
  bool sharesConstants = false;
};

/// What int8 programs compute as floats because that takes fewer cycles
/// (CheapestProgram.h).
struct CheaperFloats {
  std::vector<std::string> products; ///< names
  /// Any op, as functions of floats stay such.
  bool hasAny = false;
};

/// One model on its way through the compiler. Every problem is printed as one
/// `weft: error:` line by `diagnostics`; functions then return failure.
/// Single-threaded, so the output does not depend on the machine.
class Compilation {
public:
  /// Problems are printed to `errors`.
  explicit Compilation(llvm::raw_ostream &errors = llvm::errs());
  ~Compilation();

  /// Makes the operators of `plugins` known, which must outlive this; before
  /// the import.
  void use(const Plugins &plugins);

  /// Imports a model, or the part of it that is cut out; `module()` is its
  /// float graph, constants folded and rewritten. With `fused`,
  /// fusePreprocessing() comes before the rewriting.
  mlir::LogicalResult import(const std::string &path, const InputShapes &shapes,
                             const InputBindings &bindings = {},
                             const onnx::GraphCut &cut = {},
                             const preprocess::Options *fused = nullptr);
  /// The same for a model in memory; `name` stands for the file in messages.
  mlir::LogicalResult importBytes(llvm::ArrayRef<char> bytes,
                                  const std::string &name);
  /// Runs the passes up to `stage`; from Stage::Tpu on the graph is bound.
  mlir::LogicalResult lower(const CompileOptions &options, Stage stage);
  /// Before `lower`: what that computes as floats to save cycles.
  mlir::FailureOr<CheaperFloats> cheaperAsFloats(const CompileOptions &options);
  /// The net, after `lower(.., Stage::Ppl)`; null if the passes made none.
  ppl::NetOp net();

  /// The program of vectors, after `lower(.., Stage::Ppl)` for a vector
  /// machine; null if the passes made none.
  zhouyi::ProgramOp vectorProgram();
  /// The bytes of its file; reports and fails as codegen::encodeVectorProgram
  /// does.
  mlir::FailureOr<std::vector<uint8_t>>
  packVectorProgram(const std::string &name);

  /// Why the step that has just failed did: the model or an option
  /// (Code::InvalidArgument, already printed), or Weft itself (Code::Internal):
  /// nothing was printed, or an error that names no place in the model.
  rt::Status failureCause() const;

  mlir::ModuleOp module() { return *theModule; }
  /// Of a graph that is lowered: the part of its products' multiplications that
  /// are of floats.
  double floatShare();
  /// What the importer learnt about inputs, outputs and nodes.
  codegen::InterfaceNotes notes;
  /// Set before the import: whether programs are to tell which model they are
  /// of. A second of time for 200 MB.
  bool takesDigest = false;
  /// Set before the import: onnx::ImportOptions::selectsBranches.
  bool selectsBranches = false;
  /// Of the model (onnx::ImportOptions::digest), if `takesDigest`.
  std::optional<rt::Digest> modelDigest;
  /// The shapes of the model's inputs, by their names.
  InputShapes inputShapes;
  /// What of the import's shapes no input of the program tells
  /// (onnx::ImportOptions::emptyInputs).
  InputShapes emptyInputs;
  /// Both: shapes that make the same graph again.
  InputShapes importShapes() const {
    InputShapes all = inputShapes;
    all.insert(emptyInputs.begin(), emptyInputs.end());
    return all;
  }
  const onnx::NodeTitles &titles() const { return diagnostics->titles; }
  /// Names in `table` that no value of the ONNX file has, whatever became of
  /// it here.
  std::vector<std::string>
  unknownIn(const quantize::CalibrationTable &table) const;
  /// The module as text.
  std::string text();
  /// The settings of fused preprocessing, "" without; see fusedSettings().
  const std::string &fusedPreprocessing() const { return fused; }
  /// The part of the model that was imported.
  const onnx::GraphCut &graphCut() const { return cut; }

private:
  void useLibrary();
  mlir::LogicalResult canonicalize(const preprocess::Options *fused = nullptr);
  mlir::LogicalResult lowerGraph(mlir::ModuleOp module,
                                 const CompileOptions &options, Stage stage,
                                 bool verifies = true);
  /// The same for O3, to ppl.
  mlir::LogicalResult lowerSearched(mlir::ModuleOp module,
                                    const CompileOptions &options,
                                    const LoweringOptions &lowering);
  mlir::LogicalResult takeWholeTable(CompileOptions &options);
  mlir::FailureOr<CheapestProgram> findCheapest(const CompileOptions &options);
  mlir::LogicalResult lowerCheapest(const CompileOptions &options, Stage stage);

  const Plugins *plugins = nullptr;
  std::set<std::string> valueNames;
  std::string fused; ///< fusedSettings() of what is; or ""
  onnx::GraphCut cut;
  mlir::MLIRContext context;
  std::unique_ptr<DiagnosticPrinter> diagnostics;
  mlir::OwningOpRef<mlir::ModuleOp> theModule;
};

/// The compilations of one model for several sets of shapes, and how they
/// become the stages of one bmodel.
class StageSet {
public:
  /// Takes a compilation that is lowered to ppl. Its weights are moved into the
  /// common area at once, so that equal ones are in memory only once. Reports
  /// and fails as codegen::WeightArea does.
  mlir::LogicalResult add(std::unique_ptr<Compilation> compilation);

  /// Encodes the stages and describes the file; it refers to the weights, which
  /// this object holds. The model's digest is that of the first stage. With a
  /// failure `culprit` is the compilation to ask why.
  mlir::FailureOr<codegen::PackedFile> pack(const CompileOptions &options);

  Compilation &culprit() { return *compilations[failing]; }
  llvm::ArrayRef<std::unique_ptr<Compilation>> all() const {
    return compilations;
  }

private:
  std::vector<std::unique_ptr<Compilation>> compilations;
  codegen::WeightArea area;
  size_t failing = 0;
};

/// What a compilation starts from.
struct CompilationSource {
  const std::string &model; ///< path of an ONNX file
  const InputShapes &shapes;
  const InputBindings &bindings;
  const Plugins &plugins;
  onnx::GraphCut cut = {};
  /// What becomes part of the graph (FusePreprocess.h); null: nothing.
  const preprocess::Options *fused = nullptr;
};

/// Compilation::cheaperAsFloats() of a model; prints nothing.
rt::Result<CheaperFloats>
productsCheaperAsFloats(const CompilationSource &source,
                        const CompileOptions &options);

/// A bmodel, and which part of its products' multiplications are of floats.
struct CompiledModel {
  std::vector<uint8_t> bytes;
  double floatShare = 0;
};

/// What programs of this version call it in their debug maps, "weft 0.1.0".
extern const std::string_view kProducer;

/// The bmodel of `sources`, one model with several sets of shapes; prints
/// nothing: a failure has the text of what went wrong.
rt::Result<std::vector<uint8_t>>
compileStages(llvm::ArrayRef<CompilationSource> sources,
              const CompileOptions &options);

/// The whole way of a model with one set of shapes to a bmodel, which prints
/// nothing: a failure has the text of what went wrong. May be called by several
/// threads at once.
rt::Result<CompiledModel> compileModel(const CompilationSource &source,
                                       const CompileOptions &options);

} // namespace weft::driver

#endif // WEFT_TOOLS_DRIVER_COMPILE_H
