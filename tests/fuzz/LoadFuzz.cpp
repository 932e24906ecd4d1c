//===- LoadFuzz.cpp - any bytes as a bmodel, loaded only ------------------===//
//
// What the loader accepts can be read to the last byte, traced to its nodes and
// explained, and what is taken apart and packed again is accepted as well, also
// of tables that only flatbuffers has verified (as of encrypted files).
// BmodelFuzz also runs it.
//
//===----------------------------------------------------------------------===//

#include "runtime/bmodel/Certificate.h"
#include "runtime/bmodel/DebugMap.h"
#include "runtime/bmodel/Decisions.h"
#include "runtime/bmodel/Encryption.h"
#include "runtime/bmodel/Strip.h"
#include "runtime/digest/Sha256.h"
#include "runtime/isa/Decode.h"
#include "tests/fuzz/EachStage.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string_view>

using namespace weft;

/// The sum of all bytes: reading them is the point, the sum keeps the compiler
/// from leaving it out.
static uint64_t touch(rt::ByteSpan span) {
  uint64_t sum = 0;
  for (size_t i = 0; i < span.size; ++i)
    sum += span.data[i];
  return sum;
}

static volatile uint64_t sink;

/// Every word of the decisions.
static uint64_t readDecisionsOf(const rt::StageSpec &stage) {
  uint64_t sum = 0;
  std::optional<rt::Decisions> decisions = rt::readDecisions(stage);
  if (!decisions)
    return sum;
  for (const rt::DecidedStep &step : decisions->steps)
    sum +=
        step.first.name.size() + (step.border ? step.border->text().size() : 0);
  for (const rt::DramValue &value : decisions->values)
    sum += value.name.size() + (value.cause ? value.cause->text().size() : 0);
  for (const rt::DecidedChoice &choice : decisions->choices)
    sum += choice.ways[choice.taken].name.size();
  return sum;
}

static void readStage(const rt::StageSpec &stage) {
  uint64_t sum = touch(stage.weightBytes) + readDecisionsOf(stage);
  for (size_t g = 0; g < stage.groups.size(); ++g) {
    const rt::GroupSpec &group = stage.groups[g];
    sum += touch(group.tiu) + touch(group.gdma);
    for (uint32_t i = 0; i < group.tiuCount; ++i)
      sum += rt::originText(stage, g, isa::Engine::Tiu, i).size();
    for (uint32_t i = 0; i < group.gdmaCount; ++i)
      sum += rt::originText(stage, g, isa::Engine::Gdma, i).size();
  }
  sink = sum;
}

/// Packs `parts`, and once more without what is optional.
static void repack(rt::FileParts &parts) {
  for (bool isStripped : {false, true}) {
    if (isStripped)
      (void)rt::strip(parts);
    rt::Result<rt::Bmodel> packed =
        rt::Bmodel::load(rt::pack(parts).bytes(), "packed");
    if (!packed) {
      std::fprintf(stderr, "%s\n", packed.status().message().c_str());
      std::abort();
    }
  }
}

/// The bytes as an encrypted file whose cipher leaves them as they are.
static void decrypt(const uint8_t *bytes, size_t size) {
  rt::Result<std::vector<uint8_t>> plain =
      rt::decryptFile({bytes, size}, [](rt::ByteSpan span) {
        return rt::Result<std::vector<uint8_t>>(
            std::vector<uint8_t>(span.data, span.data + span.size));
      });
  if (plain)
    sink = plain->size();
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  eachStage(bytes, size,
            [](const rt::Bmodel &model, const rt::NetSpec &net, size_t index) {
              readStage(net.stages[index]);
              sink = rt::checkCertificate(model, net, index).message().size();
              if (&net != &model.nets().front() || index != 0)
                return;
              rt::Result<rt::FileParts> parts = rt::takeApart(model);
              if (parts)
                repack(*parts);
            });
  decrypt(bytes, size);
  return 0;
}

#ifdef WEFT_LIBFUZZER
extern "C" size_t LLVMFuzzerMutate(uint8_t *bytes, size_t size, size_t maximum);

/// Makes the digest of the weights right again where the file still has both.
static void repairDigests(uint8_t *bytes, const rt::Container &container) {
  flatbuffers::Verifier verifier(container.flatbuffer.data,
                                 container.flatbuffer.size);
  if (!rt::wire::VerifyModelBuffer(verifier))
    return;
  auto *table = rt::wire::GetMutableModel(bytes + rt::kBmodelHeaderBytes);
  auto *nets = table->mutable_nets();
  for (unsigned n = 0; nets && n < nets->size(); ++n) {
    auto *stages = nets->GetMutableObject(n)->mutable_stages();
    for (unsigned s = 0; stages && s < stages->size(); ++s) {
      auto *weights = stages->GetMutableObject(s)->mutable_weights();
      if (!weights || !weights->blob() || !weights->mutable_sha256() ||
          weights->sha256()->size() != 32)
        continue;
      uint64_t start = weights->blob()->start(), size = weights->blob()->size();
      if (start > container.binary.size || size > container.binary.size - start)
        continue;
      auto digest = rt::sha256(container.binary.data + start, size);
      for (unsigned i = 0; i < 32; ++i)
        weights->mutable_sha256()->Mutate(i, digest[i]);
    }
  }
}

/// Bytes of the certificate at the end of `bytes`, whose own size and digest
/// are made right; 0 if there is none.
static size_t repairCertificate(uint8_t *bytes, size_t size) {
  constexpr std::string_view kMagic = "WEFTCERT";
  constexpr size_t kDigestAt = 16, kHeadBytes = kDigestAt + 32;
  std::string_view text(reinterpret_cast<const char *>(bytes), size);
  size_t at = text.rfind(kMagic);
  if (at == text.npos || size - at < kHeadBytes)
    return 0;
  uint64_t rest = size - at - kHeadBytes;
  std::memcpy(bytes + at + kMagic.size(), &rest, sizeof rest);
  rt::Digest digest = rt::sha256(bytes + at + kHeadBytes, rest);
  std::memcpy(bytes + at + kDigestAt, digest.data(), digest.size());
  return size - at;
}

/// Three mutations of four are repaired, else nearly all would end at the
/// header or at the digest.
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t size,
                                          size_t maximum, unsigned seed) {
  size = LLVMFuzzerMutate(bytes, size, maximum);
  std::minstd_rand random(seed);
  if (size < rt::kBmodelHeaderBytes || random() % 4 == 0)
    return size;
  uint32_t flatbufferBytes;
  std::memcpy(&flatbufferBytes, bytes + 8, sizeof flatbufferBytes);
  size_t rest = size - rt::kBmodelHeaderBytes;
  rest -= repairCertificate(bytes + rt::kBmodelHeaderBytes, rest);
  if (flatbufferBytes > rest)
    flatbufferBytes = uint32_t(rest / 2);
  std::vector<uint8_t> header =
      rt::makeContainerHeader(flatbufferBytes, rest - flatbufferBytes);
  std::memcpy(bytes, header.data(), header.size());
  rt::Result<rt::Container> container = rt::parseContainer({bytes, size});
  if (container)
    repairDigests(bytes, *container);
  return size;
}
#endif
