//===- Certificate.h - what a comparison says of a bmodel -------*- C++ -*-===//
//
// A certificate lies behind the binary section, where no reader of bmodels
// looks, so that the bytes that it speaks of stay as they were:
//
//   0   8 bytes "WEFTCERT"
//   8   u64 bytes of the flatbuffer F
//   16  SHA-256 of the flatbuffer
//   48  flatbuffer (certificate.fbs), F bytes, to the end of the file
//
// It guards against mistakes: a file or a certificate that was changed, or
// another file than was compared. Neither digest is a signature: whoever can
// write the file can write a certificate, too.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_RUNTIME_BMODEL_CERTIFICATE_H
#define WEFT_RUNTIME_BMODEL_CERTIFICATE_H

#include "runtime/bmodel/Bmodel.h"
#include "runtime/digest/Sha256.h"

namespace weft::rt {

/// What a file has for a certificate.
enum class CertificateState : uint8_t { None, Damaged, OfOtherBytes, Fits };
/// Reads the whole file if there is a certificate.
CertificateState certificateState(const Bmodel &model);
/// "has no certificate", "was changed after it was certified"; "" if it fits.
const char *textOf(CertificateState state);

/// Of the bytes of a file that a certificate is of: all up to the end of the
/// binary section. Reads them.
Digest contentDigest(const Bmodel &model);

/// Fails unless `model` has a certificate that is of its content and of stage
/// `stage` of `net`, one of its nets: Code::NotFound without one, Code::BadFile
/// if it is damaged, or of other bytes or stages.
Status checkCertificate(const Bmodel &model, const NetSpec &net, size_t stage);

/// What goes behind the content of `model` in place of the certificate that it
/// may have, be it damaged; sets the digest of the content. Code::Unsupported
/// if something else lies behind the binary section, Code::BadFile if no loader
/// would take the certificate (a figure is not a number).
Result<std::vector<uint8_t>> certificateBytes(const Bmodel &model,
                                              wire::CertificateT certificate);

/// The part of `file`, a bmodel that was loaded, that a certificate is of.
ByteSpan contentOf(ByteSpan file);

} // namespace weft::rt

#endif // WEFT_RUNTIME_BMODEL_CERTIFICATE_H
