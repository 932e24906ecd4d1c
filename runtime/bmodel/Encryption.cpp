#include "runtime/bmodel/Encryption.h"
#include "runtime/bmodel/Verifier.h"

#include <algorithm>
#include <deque>

namespace weft::rt {

/// Magic number and header size, which stay readable.
static constexpr size_t kPlainHeadBytes = 8;

/// Weights that are encrypted or not yet, by where they lie: stages that share
/// theirs go on doing so.
using Ciphered = std::map<std::pair<const uint8_t *, size_t>, ByteSpan>;

/// Passes weights through `cipher`; `owner` keeps what comes out.
static Result<ByteSpan> cipherOnce(ByteSpan bytes, const Cipher &cipher,
                                   Ciphered &known,
                                   std::deque<std::vector<uint8_t>> &owner) {
  if (auto found = known.find({bytes.data, bytes.size}); found != known.end())
    return found->second;
  Result<std::vector<uint8_t>> result = cipher(bytes);
  if (!result)
    return result.status();
  owner.push_back(*std::move(result));
  ByteSpan made{owner.back().data(), owner.back().size()};
  known[{bytes.data, bytes.size}] = made;
  return made;
}

Result<std::vector<uint8_t>> encryptFile(FileParts &parts,
                                         const std::vector<size_t> &nets,
                                         const Cipher &encrypt) {
  Ciphered known;
  std::deque<std::vector<uint8_t>> owner;
  for (size_t net : nets)
    for (const std::unique_ptr<wire::NetParameterT> &stage :
         parts.tables.nets[net]->stages) {
      wire::WeightsT *weights = stage->weights.get();
      if (!weights || parts.bytesOf.at(weights->blob.get()).size == 0)
        continue;
      ByteSpan &bytes = parts.bytesOf.at(weights->blob.get());
      weights->encrypt_mode = 1;
      weights->decrypted_bytes = bytes.size;
      Result<ByteSpan> made = cipherOnce(bytes, encrypt, known, owner);
      if (!made)
        return made.status();
      bytes = *made;
    }
  std::vector<uint8_t> plain = pack(parts).bytes();
  Result<Container> container = parseContainer({plain.data(), plain.size()});
  if (!container)
    return container.status();
  Result<std::vector<uint8_t>> flatbuffer = encrypt(container->flatbuffer);
  if (!flatbuffer)
    return flatbuffer.status();
  if (flatbuffer->size() > UINT32_MAX)
    return failf(Code::OutOfRange,
                 "the encrypted flatbuffer has %zu bytes; a bmodel counts them "
                 "in 32 bits",
                 flatbuffer->size());
  std::vector<uint8_t> header =
      makeContainerHeader(uint32_t(flatbuffer->size()), container->binary.size);
  Result<std::vector<uint8_t>> hidden = encrypt(
      {header.data() + kPlainHeadBytes, header.size() - kPlainHeadBytes});
  if (!hidden)
    return hidden.status();
  uint32_t headerBytes = uint32_t(kPlainHeadBytes + hidden->size());
  for (unsigned i = 0; i < 4; ++i)
    header[4 + i] = uint8_t(headerBytes >> (8 * i));
  header.resize(kPlainHeadBytes);
  for (const std::vector<uint8_t> *part : {&*hidden, &*flatbuffer})
    header.insert(header.end(), part->begin(), part->end());
  header.insert(header.end(), container->binary.data,
                container->binary.data + container->binary.size);
  return header;
}

/// What a key that is not the right one leads to.
static Status wrongKey(const char *what) {
  return failf(Code::BadFile,
               "%s: the library's decrypt() is not the reverse of what "
               "encrypted the file, or the file has changed",
               what);
}

/// The sections of an encrypted file, the flatbuffer still encrypted.
static Result<Container> readSections(ByteSpan file, const Cipher &decrypt) {
  uint32_t magic = 0, headerBytes = 0;
  for (unsigned i = 0; file.size > kPlainHeadBytes && i < 4; ++i) {
    magic |= uint32_t(file.data[i]) << (8 * i);
    headerBytes |= uint32_t(file.data[4 + i]) << (8 * i);
  }
  if (magic != kBmodelMagic || headerBytes <= kPlainHeadBytes ||
      headerBytes > file.size)
    return fail(Code::BadFile, "it begins neither as a bmodel nor as an "
                               "encrypted one");
  Result<std::vector<uint8_t>> rest = decrypt(
      {file.data + kPlainHeadBytes, size_t(headerBytes) - kPlainHeadBytes});
  if (!rest)
    return rest.status();
  std::vector<uint8_t> header = makeContainerHeader(0, 0);
  constexpr size_t kSizesBytes = 12; // then zeros
  if (rest->size() != header.size() - kPlainHeadBytes ||
      std::any_of(rest->begin() + kSizesBytes, rest->end(),
                  [](uint8_t byte) { return byte != 0; }))
    return wrongKey("the header");
  uint64_t sizes[2] = {}; // flatbuffer, binary section
  for (unsigned i = 0; i < 4; ++i)
    sizes[0] |= uint64_t((*rest)[i]) << (8 * i);
  for (unsigned i = 0; i < 8; ++i)
    sizes[1] |= uint64_t((*rest)[4 + i]) << (8 * i);
  if (sizes[0] > file.size - headerBytes ||
      sizes[1] > file.size - headerBytes - sizes[0])
    return wrongKey("the sizes in the header lead out of the file");
  Container container;
  container.flatbuffer = {file.data + headerBytes, size_t(sizes[0])};
  container.binaryOffset = headerBytes + sizes[0];
  container.binary = {file.data + container.binaryOffset, size_t(sizes[1])};
  return container;
}

/// Replaces encrypted weights by what they stand for.
static Status decryptWeights(FileParts &parts, const Cipher &decrypt,
                             std::deque<std::vector<uint8_t>> &owner) {
  Ciphered known;
  for (const std::unique_ptr<wire::NetT> &net : parts.tables.nets)
    for (const std::unique_ptr<wire::NetParameterT> &stage : net->stages) {
      wire::WeightsT *weights = stage->weights.get();
      if (!weights || !weights->blob || weights->encrypt_mode == 0)
        continue;
      ByteSpan &bytes = parts.bytesOf.at(weights->blob.get());
      Result<ByteSpan> made = cipherOnce(bytes, decrypt, known, owner);
      if (!made)
        return made.status();
      if (made->size != weights->decrypted_bytes)
        return wrongKey("the weights have another size");
      Digest digest = sha256(made->data, made->size);
      if (!std::equal(digest.begin(), digest.end(), weights->sha256.begin(),
                      weights->sha256.end()))
        return wrongKey("the weights have another digest");
      bytes = *made;
      weights->encrypt_mode = 0;
      weights->decrypted_bytes = 0;
    }
  return Status::ok();
}

Result<std::vector<uint8_t>> decryptFile(ByteSpan file, const Cipher &decrypt) {
  Result<Container> container = readSections(file, decrypt);
  if (!container)
    return container.status();
  Result<std::vector<uint8_t>> flatbuffer = decrypt(container->flatbuffer);
  if (!flatbuffer)
    return flatbuffer.status();
  ByteSpan tables{flatbuffer->data(), flatbuffer->size()};
  Result<const wire::Model *> model = verifyFlatbuffer(tables);
  if (!model)
    return wrongKey("the flatbuffer");
  container->flatbuffer = tables;
  Result<FileParts> parts = takeApart(**model, *container);
  if (!parts)
    return parts.status();
  std::deque<std::vector<uint8_t>> owner;
  WEFT_TRY(decryptWeights(*parts, decrypt, owner));
  return pack(*parts).bytes();
}

} // namespace weft::rt
