//===- ConstantBlobs.cpp - memory of large constants ----------------------===//

#include "dialects/ConstantBlobs.h"

#include "runtime/numeric/Pages.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;
using namespace weft;
using Entry = DialectResourceBlobManager::BlobEntry;

/// Smaller ones are not worth the bookkeeping.
static constexpr size_t kSmallBytes = 4096;

static Entry *entryOf(Attribute attribute) {
  auto resource = dyn_cast_if_present<DenseResourceElementsAttr>(attribute);
  Entry *entry = resource ? resource.getRawHandle().getResource() : nullptr;
  AsmResourceBlob *blob = entry ? entry->getBlob() : nullptr;
  return blob && blob->getData().size() >= kSmallBytes ? entry : nullptr;
}

/// A thread compiles one model at a time.
static thread_local const PinnedBlobs *pinned = nullptr;

static void release(Entry *entry) {
  AsmResourceBlob *blob = entry->getBlob();
  pageOut(blob->getData());
  if (!pinned || !pinned->contains(entry))
    *blob = AsmResourceBlob();
}

std::string weft::blobName(StringRef name, ArrayRef<char> bytes) {
  uint64_t hash = llvm::xxh3_64bits(StringRef(bytes.data(), bytes.size()));
  return (name + "_" + llvm::utohexstr(hash, /*LowerCase=*/true)).str();
}

std::vector<AsmResourceBlob> weft::partsOfBlob(Entry &entry, size_t size) {
  auto owner = std::make_shared<AsmResourceBlob>(std::move(*entry.getBlob()));
  ArrayRef<char> bytes = owner->getData();
  auto share = [&](size_t begin, size_t count) {
    return AsmResourceBlob(
        bytes.slice(begin, count),
        llvm::MinAlign(owner->getDataAlignment(), begin),
        [owner](void *, size_t, size_t) {},
        /*dataIsMutable=*/false);
  };
  *entry.getBlob() = share(0, bytes.size());
  std::vector<AsmResourceBlob> parts;
  for (size_t begin = 0; begin < bytes.size(); begin += size)
    parts.push_back(share(begin, std::min(size, bytes.size() - begin)));
  return parts;
}

void weft::pageOut(ArrayRef<char> bytes) {
  numeric::pageOut(bytes.data(), bytes.size());
}

BlobReleaser::BlobReleaser(Block &block, StringRef constant) {
  llvm::DenseSet<std::pair<Operation *, Entry *>> seen;
  block.walk([&](Operation *op) {
    Entry *entry = entryOf(op->getAttr("value"));
    if (!entry)
      return;
    if (op->getName().getStringRef() != constant) {
      kept.insert(entry);
      return;
    }
    for (Operation *reader : op->getUsers())
      if (seen.insert({reader, entry}).second) {
        reads[reader].push_back(entry);
        ++readers[entry];
      }
  });
}

void BlobReleaser::done(Operation *op) {
  op->walk([&](Operation *reader) {
    auto entries = reads.find(reader);
    if (entries == reads.end())
      return;
    for (Entry *entry : entries->second)
      if (--readers[entry] == 0 && !kept.contains(entry))
        release(entry);
    reads.erase(entries);
  });
}

void BlobReleaser::keep(Operation *constant) {
  if (Entry *entry = entryOf(constant->getAttr("value")))
    kept.insert(entry);
}

static void collect(ModuleOp module, llvm::SetVector<Entry *> &entries) {
  module.walk([&](Operation *op) {
    for (NamedAttribute attribute : op->getAttrs())
      attribute.getValue().walk([&](Attribute part) {
        if (Entry *entry = entryOf(part))
          entries.insert(entry);
      });
  });
}

PinnedBlobs::PinnedBlobs(ModuleOp module) : outer(pinned) {
  collect(module, entries);
  pinned = this;
}

PinnedBlobs::~PinnedBlobs() { pinned = outer; }

LiveBlobs::LiveBlobs(ModuleOp module) { collect(module, entries); }

void LiveBlobs::releaseOthers(ModuleOp module) const {
  llvm::SetVector<Entry *> alive;
  collect(module, alive);
  for (Entry *entry : entries)
    if (!alive.contains(entry) && entry->getBlob())
      release(entry);
}
