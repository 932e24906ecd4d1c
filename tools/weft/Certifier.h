//===- Certifier.h - certificates of comparisons ----------------*- C++ -*-===//

#ifndef WEFT_TOOLS_WEFT_CERTIFIER_H
#define WEFT_TOOLS_WEFT_CERTIFIER_H

#include "runtime/bmodel/Certificate.h"
#include "tools/weft/ComparisonReport.h"

#include <nlohmann/json.hpp>
#include <optional>
#include <set>

namespace weft::cli {

/// What a program is compared with, as its certificate says it.
struct CertifiedSource {
  rt::wire::CertifiedReference reference = rt::wire::CertifiedReference::Onnx;
  std::optional<rt::Digest> model; ///< none if it was not read
  std::optional<rt::Digest> file;  ///< of values, or another program
  std::string version;             ///< of what gave the values
};

/// The facts of a comparison that its certificate has.
class Certifier {
public:
  /// Remembers what the program to certify is, before it runs.
  void begin(const rt::Bmodel &program);
  /// Takes in what was run; sample after sample.
  void add(const ModelRun &run);
  /// Writes a certificate of `report`, which has passed, behind `program`,
  /// whose file is replaced whole. `bindings` were inputs of the model. Gives
  /// the bytes of the certificate. Code::InvalidArgument if other bytes are in
  /// the file than at begin().
  rt::Result<size_t> write(const rt::Bmodel &program,
                           const ComparisonReport &report,
                           const CertifiedSource &source,
                           const NamedTensors &bindings);

private:
  void addTensors(const NamedTensors &tensors);

  rt::Digest begun = {}; ///< of the file of the program
  rt::Sha256 fed;
  std::string net, device;
  std::set<uint32_t> stages;
};

/// The certificate of a program and whether it is of the file's bytes; null
/// without one.
nlohmann::ordered_json describeCertificate(const rt::Bmodel &model);
std::string certificateText(const rt::Bmodel &model);

} // namespace weft::cli

#endif // WEFT_TOOLS_WEFT_CERTIFIER_H
