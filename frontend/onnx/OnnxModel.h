//===- OnnxModel.h - an ONNX file as plain structs --------------*- C++ -*-===//
//
// The border to protobuf and to ONNX's own library. OnnxModel.cpp and the files
// of its library are the only ones of Weft that include their headers (they
// need exceptions and RTTI); everything that passes this border has been
// checked: sizes, offsets, counts, enumerators, names of external files.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_FRONTEND_ONNX_ONNXMODEL_H
#define WEFT_FRONTEND_ONNX_ONNXMODEL_H

#include "runtime/digest/Sha256.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace weft::onnx {

/// First and last opset of the default domain that Weft reads.
constexpr int64_t kFirstOpset = 1;
constexpr int64_t kLastOpset = 28;
/// Most elements a tensor may have; shapes beyond it are taken for mistakes.
constexpr int64_t kMaxElements = INT32_MAX;

/// Numbers of TensorProto.DataType (onnx.proto). Only those Weft names in code.
enum DataType : int32_t {
  kUndefined = 0,
  kFloat = 1,
  kUint8 = 2,
  kInt8 = 3,
  kUint16 = 4,
  kInt16 = 5,
  kInt32 = 6,
  kInt64 = 7,
  kString = 8,
  kBool = 9,
  kFloat16 = 10,
  kDouble = 11,
  kUint32 = 12,
  kUint64 = 13,
  kBfloat16 = 16,
  kFloat8E4M3FN = 17,
  kFloat8E4M3FNUZ = 18,
  kFloat8E5M2 = 19,
  kFloat8E5M2FNUZ = 20,
  kUint4 = 21,
  kInt4 = 22,
  kFloat4E2M1 = 23,
  kFloat8E8M0 = 24,
  kUint2 = 25,
  kInt2 = 26,
  kFloat6E2M3 = 27,
  kFloat6E3M2 = 28,
};

/// "float32", "int64" ...; "element type 99" for a number ONNX does not have.
std::string dataTypeName(int32_t type);
/// Bytes of one element as Tensor::bytes holds it (types below 8 bits take one
/// byte), 0 for strings and for complex numbers, which Weft does not hold.
unsigned dataTypeBytes(int32_t type);

/// Product of `dims`; nullopt if one is negative or it exceeds kMaxElements.
std::optional<int64_t> countElements(llvm::ArrayRef<int64_t> dims);
/// "1x3x48x192"; "scalar" for rank 0.
std::string formatShape(llvm::ArrayRef<int64_t> dims);

/// A constant tensor. `bytes` are little endian, dense, row major, one byte for
/// a bool and for types below 8 bits (integers sign- or zero-extended); strings
/// have one of `dims` more (runtime/host/Texts.h). They live as long as `owner`
/// and may lie in a mapped file, which aligns nothing: memcpy reads them.
struct Tensor {
  std::string name;
  int32_t type = kUndefined;
  std::vector<int64_t> dims;
  llvm::ArrayRef<char> bytes;
  std::shared_ptr<const void> owner;
};

struct Graph;

/// An attribute of a node; only the member that `kind` names is meaningful.
struct NodeAttribute {
  enum class Kind {
    Float,
    Int,
    String,
    Tensor,
    Graph,
    Floats,
    Ints,
    Strings,
    Other
  };
  std::string name;
  Kind kind = Kind::Other;
  /// ONNX's word for the kind, e.g. "GRAPH"; for messages.
  std::string kindName;
  /// In a function body: name of the function's attribute that gives the value.
  std::string reference;
  float floatValue = 0;
  int64_t intValue = 0;
  std::string stringValue;
  std::shared_ptr<Tensor> tensor;
  std::shared_ptr<const Graph> graph;
  std::vector<float> floats;
  std::vector<int64_t> ints;
  std::vector<std::string> strings;
};

struct Node {
  std::string name;
  std::string domain; // "" for ai.onnx
  std::string opType;
  std::string overload;
  std::vector<std::string> inputs; // "" where an optional input is left out
  std::vector<std::string> outputs;
  std::vector<NodeAttribute> attributes;
  /// Names of the surrounding graph that the node's graphs use.
  std::vector<std::string> captured;
  /// Position in the main graph of the file; nodes of a function body carry
  /// their position in the body.
  unsigned index = 0;
  /// What ONNX's own rules say is wrong with this node; empty if nothing.
  std::string problem;

  const NodeAttribute *find(llvm::StringRef attribute) const;
};

/// One dimension of a graph input: a number or a name ("?" if it has neither).
struct Dimension {
  std::optional<int64_t> value;
  std::string symbol;
};

struct ValueInfo {
  std::string name;
  /// Of the tensor, or of each tensor of a sequence; kUndefined if the value is
  /// neither (nor one of them as an optional): then `kindName` says what it is.
  int32_t type = kUndefined;
  std::string kindName;
  /// nullopt if even the rank is unknown.
  std::optional<std::vector<Dimension>> dims;
  bool isSequence = false, isOptional = false;
};

/// A graph within a node: a branch of If, the body of Loop or Scan.
struct Graph {
  std::string name;
  std::vector<ValueInfo> inputs, outputs;
  std::vector<Tensor> initializers;
  std::vector<Node> nodes;
  /// Names that it takes from the graph around it.
  std::vector<std::string> captured;
};

using OpsetMap = std::map<std::string, int64_t>;

/// A function: of the model, or the body that ONNX gives for one of its ops.
struct Function {
  std::string domain, name, overload;
  std::vector<std::string> inputs, outputs;
  std::vector<NodeAttribute> attributeDefaults;
  std::vector<Node> nodes;
  OpsetMap opsets;
};

struct Model {
  /// By name what the file declares, or ONNX's rules infer, of values of the
  /// main graph; only if asked for.
  std::map<std::string, ValueInfo> values;
  std::string graphName;
  std::string producer;
  OpsetMap opsets;
  std::vector<ValueInfo> inputs, outputs;
  std::vector<Tensor> initializers;
  std::vector<Node> nodes;
  std::vector<Function> functions;
  /// What is wrong with the graph as a whole or with one of its tensors (one
  /// line each). Problems of nodes are in the nodes.
  std::vector<std::string> problems;
};

/// Reads a model file. Fails only if the bytes are no ONNX model at all; what
/// is wrong inside goes to Model::problems and Node::problem. `path` may be
/// relative; external data is looked for in its folder and nowhere else.
/// `digest`, if set, gets the SHA-256 of the file with the files of its
/// external data behind it, whole, in the order of their names: what `cat
/// model.onnx weights.bin | sha256sum` prints. With `infersTypes` Model::values
/// is filled.
llvm::Expected<Model> readModelFile(llvm::StringRef path,
                                    rt::Digest *digest = nullptr,
                                    bool infersTypes = false);

/// The same for bytes in memory (at most 2 GiB), which cannot have external
/// data unless `folder` is given.
llvm::Expected<Model> readModelBytes(llvm::ArrayRef<char> bytes,
                                     llvm::StringRef folder = "",
                                     rt::Digest *digest = nullptr);

/// Type of a node's input for functionOfSchema; kUndefined where left out.
struct ValueType {
  int32_t type = kUndefined;
  std::vector<int64_t> dims;
};

/// What ONNX's schemas say about an operator.
struct SchemaFacts {
  /// Opset that gave the operator its present meaning; 0: there is none.
  int64_t since = 0;
  bool deprecated = false;
  /// Whether the schema defines it by a function.
  bool hasFunction = false;
};
SchemaFacts lookUpSchema(llvm::StringRef domain, llvm::StringRef opType,
                         int64_t opset);

/// Whether ONNX's schema lets input `number` of the operator be a tensor of
/// `type`; true where there is no schema.
bool takesType(llvm::StringRef domain, llvm::StringRef opType, int64_t opset,
               size_t number, int32_t type);

/// The body that ONNX's schema gives for `node` at `opset`; nullopt if the
/// operator is not defined by a function. Its nodes of the default domain have
/// the opset that the body says, else `defaultOpset`.
llvm::Expected<std::optional<Function>>
functionOfSchema(const Node &node, int64_t opset,
                 llvm::ArrayRef<ValueType> inputTypes, int64_t defaultOpset);

/// Version of the ONNX library built in, that of scripts/requirements.txt.
llvm::StringRef libraryVersion();

} // namespace weft::onnx

#endif // WEFT_FRONTEND_ONNX_ONNXMODEL_H
