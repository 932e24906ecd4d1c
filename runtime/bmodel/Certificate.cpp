#include "runtime/bmodel/Certificate.h"
#include "runtime/bmodel/Verifier.h"
#include "runtime/status/Quote.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstring>

namespace weft::rt {

static constexpr char kMagic[] = "WEFTCERT";
static constexpr size_t kMagicBytes = 8, kSizeBytes = 8,
                        kDigestAt = kMagicBytes + kSizeBytes,
                        kHeadBytes = kDigestAt + sizeof(Digest);

static bool beginsAsCertificate(ByteSpan bytes) {
  return bytes.size >= kMagicBytes &&
         std::memcmp(bytes.data, kMagic, kMagicBytes) == 0;
}

/// Whether `bytes` are all that is left of one, up to its first few.
static bool isCutInMagic(ByteSpan bytes) {
  return bytes.size < kMagicBytes &&
         std::equal(bytes.data, bytes.data + bytes.size, kMagic);
}

Status verifyDigest(const flatbuffers::Vector<uint8_t> *digest,
                    const char *name, bool mayBeMissing) {
  size_t size = digest ? digest->size() : 0;
  return size == sizeof(Digest) || (mayBeMissing && size == 0)
             ? Status::ok()
             : failf(Code::BadFile, "%s has %zu bytes, must have %s32", name,
                     size, mayBeMissing ? "none or " : "");
}

/// A figure may be infinite, but not NaN: nobody could say what held.
static Status verifyFigure(double figure, const char *name,
                           const flatbuffers::String *of) {
  return std::isnan(figure)
             ? fail(Code::BadFile,
                    std::string(name) +
                        (of ? " of " + quoteName(of->string_view()) : "") +
                        " is not a number")
             : Status::ok();
}

static Status verifyFigures(const wire::CertifiedOutput &output) {
  WEFT_TRY(verifyFigure(output.cosine(), "cosine", output.name()));
  WEFT_TRY(verifyFigure(output.sqnr_db(), "sqnr_db", output.name()));
  return verifyFigure(output.max_error(), "max_error", output.name());
}

static Status verifyFigures(const wire::CertifiedLimit &limit) {
  WEFT_TRY(verifyFigure(limit.value(), "the limit", limit.key()));
  return verifyFigure(limit.usual(), "the default", limit.key());
}

static Status verifyFigures(const wire::CertifiedMeasure &measure) {
  WEFT_TRY(verifyFigure(measure.program(), "program", measure.name()));
  WEFT_TRY(verifyFigure(measure.reference(), "reference", measure.name()));
  return verifyFigure(measure.least(), "least", measure.name());
}

template <typename Table>
static Status
verifyFigures(const flatbuffers::Vector<flatbuffers::Offset<Table>> *tables) {
  for (unsigned i = 0; tables && i < tables->size(); ++i)
    WEFT_TRY(verifyFigures(*tables->Get(i)));
  return Status::ok();
}

static Status verifyMeaning(const wire::Certificate &table) {
  WEFT_TRY(verifyDigest(table.content_sha256(), "content_sha256", false));
  WEFT_TRY(verifyDigest(table.data_sha256(), "data_sha256", false));
  WEFT_TRY(verifyDigest(table.model_sha256(), "model_sha256", true));
  WEFT_TRY(verifyDigest(table.reference_sha256(), "reference_sha256", true));
  if (table.reference() > wire::CertifiedReference::MAX)
    return failf(Code::BadFile, "reference is %d, must be 0 to %d",
                 int(table.reference()), int(wire::CertifiedReference::MAX));
  WEFT_TRY(verifyFigures(table.outputs()));
  WEFT_TRY(verifyFigures(table.limits()));
  WEFT_TRY(verifyFigures(table.layer_limits()));
  WEFT_TRY(verifyFigures(table.measures()));
  return verifyFigure(table.worst_layer_sqnr_db(), "worst_layer_sqnr_db",
                      table.worst_layer());
}

Result<std::shared_ptr<const wire::CertificateT>>
readCertificate(ByteSpan bytes) {
  if (!beginsAsCertificate(bytes))
    return std::shared_ptr<const wire::CertificateT>();
  uint64_t size = 0;
  for (size_t i = 0; bytes.size >= kHeadBytes && i < kSizeBytes; ++i)
    size |= uint64_t(bytes.data[kMagicBytes + i]) << (8 * i);
  if (bytes.size < kHeadBytes || size != bytes.size - kHeadBytes)
    return failf(Code::BadFile,
                 "its head says that it has %llu bytes, %zu follow",
                 static_cast<unsigned long long>(size),
                 bytes.size - std::min(bytes.size, kHeadBytes));
  if (Digest digest = sha256(bytes.data + kHeadBytes, bytes.size - kHeadBytes);
      !std::equal(digest.begin(), digest.end(), bytes.data + kDigestAt))
    return fail(Code::BadFile,
                "its digest is not that of its bytes, which were changed");
  // Copied: behind any number of bytes it would not be aligned.
  std::vector<uint8_t> aligned(bytes.data + kHeadBytes,
                               bytes.data + bytes.size);
  constexpr unsigned kMaxDepth = 8;
  flatbuffers::Verifier verifier(aligned.data(), aligned.size(), kMaxDepth,
                                 flatbuffers::uoffset_t(size / 4 + 64));
  if (size < 8 || size >= FLATBUFFERS_MAX_BUFFER_SIZE ||
      !wire::VerifyCertificateBuffer(verifier))
    return fail(Code::BadFile, "the flatbuffer is broken: an offset, a length "
                               "or a required field is wrong");
  const wire::Certificate *table = wire::GetCertificate(aligned.data());
  WEFT_TRY(verifyMeaning(*table));
  auto certificate = std::make_shared<wire::CertificateT>();
  table->UnPackTo(certificate.get());
  return std::shared_ptr<const wire::CertificateT>(std::move(certificate));
}

ByteSpan contentOf(ByteSpan file) {
  Result<Container> container = parseContainer(file);
  assert(container && "it was loaded");
  return {file.data, size_t(container->binaryOffset) + container->binary.size};
}

Digest contentDigest(const Bmodel &model) {
  ByteSpan content = contentOf(model.fileBytes());
  return sha256(content.data, content.size);
}

CertificateState certificateState(const Bmodel &model) {
  if (!model.certificateDamage().empty())
    return CertificateState::Damaged;
  if (!model.certificate())
    return CertificateState::None;
  Digest digest = contentDigest(model);
  const std::vector<uint8_t> &told = model.certificate()->content_sha256;
  return std::equal(told.begin(), told.end(), digest.begin(), digest.end())
             ? CertificateState::Fits
             : CertificateState::OfOtherBytes;
}

const char *textOf(CertificateState state) {
  switch (state) {
  case CertificateState::None:
    return "has no certificate";
  case CertificateState::Damaged:
    return "has a certificate that is damaged";
  case CertificateState::OfOtherBytes:
    return "was changed after it was certified";
  case CertificateState::Fits:
    break;
  }
  return "";
}

Status checkCertificate(const Bmodel &model, const NetSpec &net, size_t stage) {
  const CertificateState state = certificateState(model);
  if (state == CertificateState::None)
    return fail(Code::NotFound, model.path() + ": " + textOf(state) +
                                    "; weft compare --certify gives one to a "
                                    "program that passes");
  if (state != CertificateState::Fits)
    return fail(Code::BadFile, model.path() + ": " + textOf(state) +
                                   "; compare it again with --certify");
  const wire::CertificateT *certificate = model.certificate();
  const std::vector<uint32_t> &stages = certificate->stages;
  if (certificate->net == net.name &&
      std::find(stages.begin(), stages.end(), stage) != stages.end())
    return Status::ok();
  return fail(Code::BadFile,
              model.path() + ": its certificate is not of stage " +
                  std::to_string(stage) + " of net " + quoteName(net.name) +
                  ", which is to run; compare it on samples of that size");
}

Result<std::vector<uint8_t>> certificateBytes(const Bmodel &model,
                                              wire::CertificateT certificate) {
  ByteSpan file = model.fileBytes(), content = contentOf(file);
  const ByteSpan behind{file.data + content.size, file.size - content.size};
  if (!beginsAsCertificate(behind) && !isCutInMagic(behind))
    return failf(Code::Unsupported,
                 "unsupported: %s: behind its end lie %zu bytes of another "
                 "program, where the certificate would; if nobody needs them, "
                 "cut them off (truncate -s %zu FILE)",
                 model.path().c_str(), behind.size, content.size);
  Digest digest = sha256(content.data, content.size);
  certificate.content_sha256.assign(digest.begin(), digest.end());
  flatbuffers::FlatBufferBuilder builder;
  builder.Finish(wire::Certificate::Pack(builder, &certificate));
  // The loader would refuse the whole file.
  WEFT_TRY(verifyMeaning(*wire::GetCertificate(builder.GetBufferPointer()))
               .withContext(model.path() + ": cannot be certified"));
  std::vector<uint8_t> bytes(kMagic, kMagic + kMagicBytes);
  for (size_t i = 0; i < kSizeBytes; ++i)
    bytes.push_back(uint8_t(uint64_t(builder.GetSize()) >> (8 * i)));
  digest = sha256(builder.GetBufferPointer(), builder.GetSize());
  bytes.insert(bytes.end(), digest.begin(), digest.end());
  bytes.insert(bytes.end(), builder.GetBufferPointer(),
               builder.GetBufferPointer() + builder.GetSize());
  return bytes;
}

} // namespace weft::rt
