//===- Recorder.h - a running kernel becomes ppl ops ------------*- C++ -*-===//

#ifndef WEFT_FRONTEND_PPL_RECORDER_H
#define WEFT_FRONTEND_PPL_RECORDER_H

#include "dialects/ppl/Function.h"
#include "dialects/ppl/Net.h"
#include "frontend/ppl/DeviceMemory.h"
#include "frontend/ppl/LiveValues.h"
#include "frontend/ppl/include/ppl/recorder.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <functional>
#include <map>
#include <set>
#include <vector>

namespace weft::frontend {

/// What a program's memory must hold afterwards (`expect` of the kernel
/// language).
struct Expectation {
  uint64_t address; ///< on the device
  catalog::DataType type;
  std::vector<double> values;
  double rtol, atol;
  mlir::Location location;
};

/// Records one program: everything that the functions of `table()` are called
/// for becomes a `ppl.net` of functions, tensors without address and rounds of
/// loops. Errors are reported to the context's diagnostics at the kernel's
/// line, and leave the program failed().
class Recorder {
public:
  struct Options {
    std::string name = "kernel";
    unsigned blockIndex = 0;
    /// Most bytes of global memory.
    uint64_t globalBytes = uint64_t(4) << 30;
    /// False: the net has outputs only; inputs and the memory map are those of
    /// another block.
    bool describesInterface = true;
    /// Whether the net as recorded so far fits into the memories: 0, 0x11 or
    /// 0x1A. Asked at the end of an attempt; reports nothing.
    std::function<int(ppl::NetOp)> fits;
    /// Calls run as they are recorded, so that values() can be asked.
    bool keepsValues = false;
    /// One more call, not counting attempts that did not fit, is an error.
    size_t mostCalls = SIZE_MAX;
  };
  Recorder(mlir::MLIRContext &context, const Chip &chip, Options options);
  ~Recorder();

  /// To be handed to kernels; valid as long as the recorder.
  const weft_ppl_recorder &table() const { return functions; }
  bool failed() const { return hasFailed; }
  /// Where the kernel made its last call or tensor; line 0 if there was none.
  weft_ppl_line lastLine() const { return {lastFile, lastNumber}; }
  /// Of the recorder that was made last; may be asked in a signal handler.
  static weft_ppl_line lastLineOfNewest();
  /// Whether its device memory is at a place of this process; as above.
  static bool newestHasMemoryAt(const void *pointer);
  /// The line; of what has none the program, or the last call of a program
  /// whose caller has not said which kernel it runs (WEFT_PPL_SCOPE_KERNEL).
  mlir::Location lineOf(weft_ppl_line at) const;

  /// Ends the recording: the module with its net, whose inputs are the pieces
  /// of global memory that are read before they are written and whose outputs
  /// those that are written. Null if there was an error.
  mlir::OwningOpRef<mlir::ModuleOp> finish();

  /// What a tensor holds after the calls so far, of a recorder that keeps
  /// values.
  rt::Result<catalog::Dense> values(int64_t tensor);
  /// 0x11 or 0x1A if a call could not run at once because a memory is too
  /// small.
  int memoryCode() const { return live ? live->memoryCode() : 0; }

  const Chip &chip;
  DeviceMemory memory;
  std::vector<Expectation> expectations;
  /// Of the inputs after finish(): where their bytes are taken from; an input
  /// that is also written has a place of its own.
  std::map<std::string, uint64_t> inputSources;
  unsigned allocationMethod = 0; ///< memory_alloc_method_t
  unsigned blocks = 1;           ///< set_block_num, clamped to the chip

private:
  struct Tensor {
    mlir::Value value;
    catalog::Tensor description; ///< address: within its root, see `place`
    mlir::Value root;
    uint64_t rootBytes = 0; ///< local: in a lane
    uint64_t start = 0;     ///< of the root, as in description.address
    // How it came to be, so that its root can get another layout.
    int64_t source = 0; ///< what it is a view or part of; 0: a root
    std::optional<catalog::Dims> offset; ///< of a part
    bool mayRelayout = false; ///< a root without a layout of its own, or a view
                              ///< that follows its source
    /// Of what an unshaped tensor stood for: its number, and which one it was.
    int64_t unshaped = 0;
    unsigned shaping = 0;
    // Of an unshaped tensor, which has no value of its own.
    bool isUnshaped = false, isSingle = false;
    bool isPoisoned = false; ///< what should have shaped it has been refused
    int32_t layout = 0;      ///< as asked for
    int64_t standsFor = 0;   ///< 0: nothing has been written to it
    mlir::Operation *writtenIn = nullptr; ///< the round of a pipelined loop
  };
  struct Scope {
    Scope(int32_t kind, std::string name, mlir::Location location)
        : kind(kind), name(std::move(name)), location(location) {}
    int32_t kind;
    std::string name;
    mlir::Location location;
    // What an attempt that does not fit goes back to.
    mlir::Operation *lastBefore = nullptr;
    size_t callsBefore = 0;
    size_t tensorsBefore = 0;
    std::optional<bool> addressesBefore;
    unsigned methodBefore = 0;
    std::vector<std::pair<int64_t, Tensor>> unshapedBefore; ///< by number
  };

  // What the table's functions do.
  int64_t makeTensor(int32_t memory, int32_t type, const int64_t *shape,
                     int32_t layout, const int64_t *strides, uint64_t address,
                     weft_ppl_line at);
  int64_t view(int64_t source, int32_t type, const int64_t *shape,
               int32_t layout, const int64_t *strides, weft_ppl_line at);
  int64_t subView(int64_t source, const int64_t *shape, const int64_t *offset,
                  weft_ppl_line at);
  int32_t describe(int64_t tensor, weft_ppl_tensor *out) const;
  void call(const char *name, const weft_ppl_argument *arguments, size_t count,
            weft_ppl_line at);
  void enter(int32_t scope, const char *name, weft_ppl_line at);
  int32_t leave(int32_t scope);
  void set(int32_t setting, int64_t subject, int64_t value);
  int64_t get(int32_t number, int64_t subject) const;
  void fail(const char *message, weft_ppl_line at);
  void *allocate(int32_t type, const int64_t *shape, const char *name,
                 weft_ppl_line at);
  void fillRandom(void *pointer, int32_t type, int64_t count, double low,
                  double high);
  void expect(const void *pointer, int32_t type, int64_t count,
              const double *expected, double rtol, double atol,
              weft_ppl_line at);
  int64_t makeUnshaped(int32_t type, int32_t layout, uint64_t address,
                       weft_ppl_line at);
  void warn(const char *message, weft_ppl_line at);
  template <auto method, class... Args>
  static auto forward(void *self, Args... args) {
    return (static_cast<Recorder *>(self)->*method)(args...);
  }
  void bindTable();

  /// The line that a message about `at` names.
  mlir::Location locate(weft_ppl_line at);
  void noteLine(weft_ppl_line at);
  mlir::InFlightDiagnostic error(weft_ppl_line at);
  const Tensor *find(int64_t id) const;
  /// False, with an error, for a null pointer: the table is C.
  bool isGivenPointer(const void *pointer, const char *what, weft_ppl_line at);
  /// Whether so many values lie in one piece of the program's memory.
  bool isInMemory(const void *pointer, catalog::DataType type,
                  int64_t count) const;
  std::optional<catalog::DataType> typeOf(int32_t code, weft_ppl_line at);
  /// False, with an error, for an unshaped tensor that nothing has written to,
  /// and for a view of an unshaped one that has been shaped anew since.
  bool isShaped(const Tensor &tensor, const char *what, weft_ppl_line at);
  // Parts of makeTensor; false after an error.
  /// Whether a tensor cannot have these sizes. Says so, unless they are too
  /// large in an attempt, which may be made again with smaller ones.
  bool refusesShape(const int64_t *shape, catalog::Memory memory,
                    const char *what, weft_ppl_line at);
  bool describeNew(int32_t mode, int32_t type, const int64_t *shape,
                   int32_t layout, const int64_t *strides,
                   catalog::Tensor &description, weft_ppl_line at);
  bool splitLocalAddress(bool isGiven, uint64_t address, Tensor &tensor,
                         weft_ppl_line at);
  bool locateGlobal(Tensor &tensor, uint64_t pointer, weft_ppl_line at);
  bool checkGivenAddress(const Tensor &tensor, weft_ppl_line at);
  int64_t add(Tensor tensor);
  mlir::Value makeValue(Tensor &tensor, uint64_t address, bool isAutomatic,
                        mlir::Location loc);
  bool fillArgument(const weft_ppl_argument &given, const catalog::Slot &slot,
                    catalog::Argument &argument,
                    ppl::FunctionArgument &irArgument, bool &isPoisoned);
  /// Runs a recorded call; `ids` are its tensors by slot.
  void runNow(catalog::Call call, const std::vector<int64_t> &ids,
              const std::string &name, weft_ppl_line at);
  bool isInAttempt() const;
  /// Nothing is recorded any more, and the error has been reported.
  bool hasTooManyCalls() const { return calls > options.mostCalls; }
  int32_t leaveAttempt(const Scope &scope);
  void emitScopeError();

  // Unshaped tensors and free layouts (Unshaped.cpp).
  /// A call of which not everything is settled.
  struct OpenCall {
    catalog::Call &call;
    llvm::SmallVectorImpl<ppl::FunctionArgument> &irArguments;
    std::vector<int64_t> tensors; ///< numbers by slot; 0: no tensor
    weft_ppl_line at;
    std::vector<bool> isNew = {}; ///< by slot: a result that is a new tensor
  };
  /// A result that gets a shape.
  struct OpenResult {
    size_t slot;
    std::vector<catalog::Dims> shapes; ///< that it may get
    bool keepsPlace;                   ///< where it has that shape already
  };
  /// Gives shapes to unshaped results and layouts to tensors that have none of
  /// their own, so that the call is legal. False if that cannot be;  `problem`
  /// says why, or is empty if it has been reported.
  bool settle(OpenCall open, std::string &problem);
  /// Unshaped tensors of a refused call: what follows from that is not
  /// reported.
  void poison(const weft_ppl_argument *arguments, size_t count);
  std::string findResults(OpenCall &open, std::vector<OpenResult> &results);
  bool tryShapes(OpenCall &open, const std::vector<OpenResult> &results,
                 size_t next, bool layoutsToo, std::string &problem);
  bool tryLayouts(OpenCall &open, const std::vector<OpenResult> &results,
                  std::string &problem);
  bool tryRootLayouts(OpenCall &open, llvm::ArrayRef<int64_t> roots,
                      std::string &problem);
  void describeResult(OpenCall &open, const OpenResult &result,
                      const catalog::Dims &shape, catalog::AlignMode layout);
  bool shapeResults(OpenCall &open, const std::vector<OpenResult> &results);
  /// Of a root and all that follows it; false, and nothing done, if it cannot.
  bool setLayout(int64_t root, catalog::AlignMode layout);
  bool followRoot(Tensor &tensor);
  /// Of what keeps values: those of roots with other layouts than before this
  /// call go to their new places.
  rt::Status relayValues();
  bool areUsersLegal(int64_t root) const;
  /// Fills in description and layout of a part of `whole`.
  void takePart(catalog::Tensor &part, const catalog::Tensor &whole,
                const int64_t *offset) const;
  mlir::Operation *currentRound() const;
  mlir::OpBuilder tensorBuilder();

  mlir::MLIRContext &context;
  Options options;
  mlir::OwningOpRef<mlir::ModuleOp> theModule;
  ppl::NetOp net;
  mlir::OpBuilder builder;
  weft_ppl_recorder functions = {};
  std::vector<Tensor> tensors; ///< by number - 1
  std::unique_ptr<LiveValues> live;
  std::vector<Scope> scopes;
  /// Where the attempt that goes on made a tensor with too large a size.
  std::optional<catalog::Memory> tooLarge;
  char lastFile[512] = {}; ///< of lastLine()
  int lastNumber = 0;
  bool isKernelGiven = false;
  std::set<const void *> linesWithErrors;
  std::set<std::string> problemsOfShapes; ///< that have been said
  bool hasFailed = false;
  size_t calls = 0;                      ///< of functions, see mostCalls
  std::optional<bool> addressesAreGiven; ///< of local tensors, all or none
  uint64_t nextRoot = 1;
  int64_t parallelRegions = 0, parallelRegion = 0; ///< 0: in none
  uint64_t seed = 0, fills = 0;
  /// By root: it and the tensors in it, by number - 1, as they were before this
  /// call.
  std::map<int64_t, std::vector<std::pair<size_t, Tensor>>> laidBefore;
};

} // namespace weft::frontend

#endif // WEFT_FRONTEND_PPL_RECORDER_H
