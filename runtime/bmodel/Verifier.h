//===- Verifier.h - meaning checks of a bmodel ------------------*- C++ -*-===//
//
// Internal to runtime/bmodel. Every function checks one part of the file and
// fills the matching *Spec. `where` names the part in messages.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_RUNTIME_BMODEL_VERIFIER_H
#define WEFT_RUNTIME_BMODEL_VERIFIER_H

#include "runtime/bmodel/Bmodel.h"

namespace weft::rt {

/// What the checks of a stage need from around it.
struct FileContext {
  Container container;
  const Chip *chip = nullptr;
};

/// Flatbuffers' own verifier: offsets, strings, vectors, required fields.
Result<const wire::Model *> verifyFlatbuffer(ByteSpan bytes);

/// A net with all its stages.
Status verifyNet(const FileContext &file, const wire::Net &table, NetSpec &net);

/// Shapes, types, sizes and addresses of one input or output. `home` is the
/// region it must lie in.
Status verifyTensor(const wire::Tensor *table, const Region &home,
                    const char *homeName, TensorSpec &tensor);

class WorkBudget;

/// One command group: decodes both streams, counts them, checks ids,
/// dependencies, addresses, patches and, against what is left of `budget`, how
/// much work the commands are.
Status verifyGroup(const FileContext &file, const StageSpec &stage,
                   wire::AddressMode mode, const wire::CommandGroup *table,
                   WorkBudget &budget, GroupSpec &group);

/// Indices, lengths and boxes of the debug map of `stage`.
Status verifyDebugMap(const Chip &chip, const StageSpec &stage);

/// Kinds and indices of the decisions of `stage`, which has a debug map that is
/// verified.
Status verifyDecisions(const Container &container, const StageSpec &stage);

/// What flatbuffers hold of a digest: 32 bytes, or none if it `mayBeMissing`.
Status verifyDigest(const flatbuffers::Vector<uint8_t> *digest,
                    const char *name, bool mayBeMissing);

/// The certificate that `bytes`, all behind the binary section, are; null if
/// they are something else or none.
Result<std::shared_ptr<const wire::CertificateT>>
readCertificate(ByteSpan bytes);

/// The bytes of `blob`; `what` names it in the message.
Result<ByteSpan> findBlob(const Container &container, const wire::Blob *blob,
                          const char *what);

} // namespace weft::rt

#endif // WEFT_RUNTIME_BMODEL_VERIFIER_H
