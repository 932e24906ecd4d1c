//===- Bmodel.h - a verified bmodel -----------------------------*- C++ -*-===//
//
// Loading verifies everything before it trusts anything: container, flatbuffer,
// then the meaning of every offset, size, count and address, the command
// streams, the weight digest, the debug map and the form of a certificate (not
// whether it is of these bytes: Certificate.h). Whoever holds a Bmodel need not
// check again.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_RUNTIME_BMODEL_BMODEL_H
#define WEFT_RUNTIME_BMODEL_BMODEL_H

#include "runtime/bmodel/Container.h"
#include "runtime/bmodel/bmodel_generated.h"
#include "runtime/bmodel/certificate_generated.h"
#include "runtime/chips/Chip.h"
#include "runtime/host/Program.h"
#include "runtime/numeric/HostTensor.h"
#include "runtime/status/Status.h"

#include <memory>
#include <string>
#include <vector>

namespace weft::rt {

/// A contiguous piece of DRAM, in command addresses.
struct Region {
  uint64_t address = 0;
  uint64_t bytes = 0;

  uint64_t end() const { return address + bytes; }
  /// Whole of [at, at + size) inside. No overflow for any argument.
  bool contains(uint64_t at, uint64_t size) const {
    return at >= address && at - address <= bytes &&
           size <= bytes - (at - address);
  }
};

/// Of a tensor of strings in OnnxView.element_type.
inline constexpr int32_t kOnnxString = 8;

/// An input or output. `stored*` is what lies in DRAM; `type` and `shape` are
/// what the user sees: ONNX's if the file keeps them, else the stored ones.
struct TensorSpec {
  std::string name;
  numeric::ElementType storedType = numeric::ElementType::F32;
  std::vector<int64_t> storedShape;
  numeric::ElementType type = numeric::ElementType::F32;
  std::vector<int64_t> shape;
  /// One an axis: the size depends on data, and `shape` has its largest. Empty
  /// if no size does.
  std::vector<bool> dataDependent;
  /// Strings: `type` is U8, and the last axis has the bytes of one, in UTF-8
  /// with zeros behind.
  bool isText = false;
  /// An output that a program of the host gives; DRAM does not hold it.
  bool fromHost = false;
  /// True if `type` and `shape` were written by Weft.
  bool hasOnnxView = false;
  /// Names of the dimensions in the ONNX model, "" for those without; empty if
  /// none has one.
  std::vector<std::string> symbols;
  /// Axis along which fewer entries may be run, exactly; -1: none.
  int batchAxis = -1;
  uint64_t address = 0;
  uint64_t storedBytes = 0;
  int64_t elements = 0; ///< of `shape`; DRAM has one for an empty tensor
  /// Input: stored = round(real * scale + zeroPoint). Output:
  /// real = (stored - zeroPoint) * scale. 1 and 0 if not quantized.
  float scale = 1;
  int32_t zeroPoint = 0;

  /// Stored as integers that stand for reals.
  bool isQuantized() const { return scale != 1 || zeroPoint != 0; }
  /// Bytes of the user's view.
  size_t bytes() const {
    return size_t(elements) * numeric::elementBytes(type);
  }
};

/// Commands of the two engines that run together.
struct GroupSpec {
  uint32_t tiuCount = 0; ///< commands, the end command included
  uint32_t gdmaCount = 0;
  ByteSpan tiu;
  ByteSpan gdma;
  /// io_reloc mode only.
  std::vector<wire::AddressPatch> patches;
};

/// Groups that run one after the other, or a program of the host.
struct SubNetSpec {
  size_t firstGroup = 0, groupCount = 0; ///< of StageSpec.groups
  std::optional<host::Program> program;  ///< then there are no groups
};

/// A net compiled for one set of input shapes.
struct StageSpec {
  std::vector<TensorSpec> inputs;
  std::vector<TensorSpec> outputs;
  std::vector<GroupSpec> groups;
  std::vector<SubNetSpec> subNets; ///< in the order in which they run
  Region weights;
  ByteSpan weightBytes; ///< size = weights.bytes
  Region activations;
  Region io; ///< empty unless io_alone
  /// Null in files of other compilers and in stripped ones.
  const wire::DebugMap *debugMap = nullptr;
  const wire::NetParameter *table = nullptr;

  bool usesHost() const;
};

struct NetSpec {
  std::string name;
  wire::AddressMode addressMode = wire::AddressMode::Basic;
  std::vector<StageSpec> stages;
};

/// An immutable verified model; copying is cheap, copies share the bytes.
class Bmodel {
public:
  /// Errors: NotFound, IoError, BadFile, BadCommand, Unsupported; the message
  /// begins with the path and says where in the file the fault is.
  static Result<Bmodel> load(const std::string &path);
  /// The same for bytes in memory; `name` stands for the path in messages.
  static Result<Bmodel> load(std::vector<uint8_t> bytes,
                             const std::string &name);
  /// For who writes another certificate: a damaged one is no error.
  static Result<Bmodel> loadToCertify(const std::string &path);

  const std::vector<NetSpec> &nets() const { return theContent->nets; }
  /// nullptr if there is no net of that name.
  const NetSpec *findNet(const std::string &name) const;
  const Chip &chip() const { return *theContent->chip; }
  /// As given to load().
  const std::string &path() const { return theContent->path; }
  ByteSpan fileBytes() const { return theContent->bytes.span(); }
  const wire::Model &table() const { return *theContent->table; }
  /// What a comparison said of the file (Certificate.h), be it that the bytes
  /// have changed since; nullptr without one.
  const wire::CertificateT *certificate() const {
    return theContent->certificate.get();
  }
  /// What is wrong with the certificate; "" if nothing is or there is none.
  const std::string &certificateDamage() const {
    return theContent->certificateDamage;
  }

private:
  struct Content {
    explicit Content(FileBytes file) : bytes(std::move(file)) {}
    FileBytes bytes;
    std::string path;
    const wire::Model *table = nullptr;
    const Chip *chip = nullptr;
    std::vector<NetSpec> nets;
    std::shared_ptr<const wire::CertificateT> certificate;
    std::string certificateDamage;
  };
  static Result<Bmodel> verify(FileBytes bytes, const std::string &path);
  std::shared_ptr<const Content> theContent;
};

/// The numeric type for a wire code; std::nullopt if unknown.
std::optional<numeric::ElementType> fromWire(wire::DataType type);
/// The wire code that a type is stored under: i64 as i32, u64 as u32, bool as
/// u8, f64 as f32, the others as they are. std::nullopt if a bmodel cannot
/// store it.
std::optional<wire::DataType> storedAs(numeric::ElementType type);

/// The type of a tensor as its user sees it.
host::ResultType userType(const TensorSpec &tensor);

/// Number of elements if every dimension is at least 1 and the product is at
/// most 2^40; std::nullopt otherwise.
std::optional<int64_t> countElements(const std::vector<int64_t> &shape);

} // namespace weft::rt

#endif // WEFT_RUNTIME_BMODEL_BMODEL_H
