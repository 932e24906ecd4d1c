#include "runtime/bmodel/Bmodel.h"
#include "runtime/bmodel/Verifier.h"
#include "runtime/bmodel/WorkBudget.h"
#include "runtime/chips/Chips.h"
#include "runtime/numeric/SmallFloats.h"
#include "runtime/status/Quote.h"

#include <set>

namespace weft::rt {

using numeric::ElementType;

std::optional<ElementType> fromWire(wire::DataType type) {
  switch (type) {
  case wire::DataType::F32:
    return ElementType::F32;
  case wire::DataType::F16:
    return ElementType::F16;
  case wire::DataType::I8:
    return ElementType::I8;
  case wire::DataType::U8:
    return ElementType::U8;
  case wire::DataType::I16:
    return ElementType::I16;
  case wire::DataType::U16:
    return ElementType::U16;
  case wire::DataType::I32:
    return ElementType::I32;
  case wire::DataType::U32:
    return ElementType::U32;
  case wire::DataType::BF16:
    return ElementType::BF16;
  case wire::DataType::I4:
    return ElementType::I4;
  case wire::DataType::U4:
    return ElementType::U4;
  }
  return std::nullopt;
}

std::optional<wire::DataType> storedAs(ElementType type) {
  switch (type) {
  case ElementType::F64:
  case ElementType::F32:
    return wire::DataType::F32;
  case ElementType::F16:
    return wire::DataType::F16;
  case ElementType::BF16:
    return wire::DataType::BF16;
  case ElementType::I8:
  case ElementType::I4:
  case ElementType::I2:
    return wire::DataType::I8;
  case ElementType::Bool:
  case ElementType::U8:
  case ElementType::U4:
  case ElementType::U2:
    return wire::DataType::U8;
  case ElementType::I16:
    return wire::DataType::I16;
  case ElementType::U16:
    return wire::DataType::U16;
  case ElementType::I64:
  case ElementType::I32:
    return wire::DataType::I32;
  case ElementType::U64:
  case ElementType::U32:
    return wire::DataType::U32;
  default: // floats of 8 bits and less as their bits
    if (numeric::isSmallFloat(type))
      return wire::DataType::U8;
    return std::nullopt;
  }
}

std::optional<int64_t> countElements(const std::vector<int64_t> &shape) {
  constexpr int64_t kLimit = int64_t(1) << 40;
  int64_t count = 1;
  for (int64_t dim : shape) {
    if (dim < 1 || dim > kLimit / count)
      return std::nullopt;
    count *= dim;
  }
  return count;
}

bool StageSpec::usesHost() const {
  for (const SubNetSpec &subNet : subNets)
    if (subNet.program)
      return true;
  return false;
}

host::ResultType userType(const TensorSpec &tensor) {
  host::ResultType type = host::staticResult(tensor.type, tensor.shape);
  for (size_t axis = 0; axis < tensor.dataDependent.size(); ++axis)
    if (tensor.dataDependent[axis])
      type.shape[axis] = host::kUnknownSize;
  return type;
}

const NetSpec *Bmodel::findNet(const std::string &name) const {
  for (const NetSpec &net : nets())
    if (net.name == name)
      return &net;
  return nullptr;
}

Result<Bmodel> Bmodel::loadToCertify(const std::string &path) {
  Result<FileBytes> bytes = FileBytes::map(path);
  if (!bytes)
    return bytes.status().withContext(path);
  return verify(*std::move(bytes), path);
}

/// Of a file that was damaged the other bytes may be, too: nothing is done with
/// it but what mends it.
static Result<Bmodel> withSoundCertificate(Result<Bmodel> loaded) {
  if (!loaded || loaded->certificateDamage().empty())
    return loaded;
  return fail(Code::BadFile,
              loaded->path() + ": " + loaded->certificateDamage());
}

Result<Bmodel> Bmodel::load(const std::string &path) {
  return withSoundCertificate(loadToCertify(path));
}

Result<Bmodel> Bmodel::load(std::vector<uint8_t> bytes,
                            const std::string &name) {
  return withSoundCertificate(verify(FileBytes::own(std::move(bytes)), name));
}

Result<const wire::Model *> verifyFlatbuffer(ByteSpan bytes) {
  constexpr unsigned kMaxDepth = 64;
  // Every table takes at least 8 bytes (offset and vtable offset), so this
  // limit bounds shared tables only, which could make a small file endless.
  auto maxTables = flatbuffers::uoffset_t(bytes.size / 4 + 64);
  flatbuffers::Verifier verifier(bytes.data, bytes.size, kMaxDepth, maxTables);
  if (bytes.size < 8 || bytes.size >= FLATBUFFERS_MAX_BUFFER_SIZE ||
      !wire::VerifyModelBuffer(verifier))
    return failf(Code::BadFile,
                 "byte %u: the flatbuffer (%zu bytes) is broken: an offset, a "
                 "length or a required field is wrong",
                 kBmodelHeaderBytes, bytes.size);
  return wire::GetModel(bytes.data);
}

static Status verifyModel(const FileContext &file, const wire::Model &model,
                          std::vector<NetSpec> &nets) {
  if (model.nets()->size() == 0)
    return fail(Code::BadFile, "model.nets: the file has no net");
  std::set<std::string> names;
  for (const wire::Net *table : *model.nets()) {
    NetSpec net;
    net.name = table->name()->str();
    std::string where = "net " + quoteName(net.name);
    if (net.name.empty())
      return fail(Code::BadFile, "model.nets: a net has no name");
    if (const char *problem = nameProblem(net.name))
      return failf(Code::BadFile, "%s: the name %s", where.c_str(), problem);
    if (!names.insert(net.name).second)
      return fail(Code::BadFile, where + ": the name occurs twice");
    WEFT_TRY(verifyNet(file, *table, net).withContext(where));
    nets.push_back(std::move(net));
  }
  return Status::ok();
}

static std::string knownChips() {
  std::string text;
  for (const Chip *chip : chips::withCommands())
    text += (text.empty() ? "" : ", ") + std::string(chip->name);
  return text;
}

/// What lies behind the program; what is wrong with it and what to do goes to
/// `damage`.
static std::shared_ptr<const wire::CertificateT>
findCertificate(const Container &container, ByteSpan file,
                std::string &damage) {
  size_t end = size_t(container.binaryOffset) + container.binary.size;
  Result<std::shared_ptr<const wire::CertificateT>> found =
      readCertificate({file.data + end, file.size - end});
  if (found)
    return *std::move(found);
  const std::string place = std::to_string(end);
  damage = "certificate at byte " + place + ": " + found.status().message() +
           "; weft compare --certify writes another one in its place, or cut "
           "it off (truncate -s " +
           place + " FILE)";
  return nullptr;
}

Result<Bmodel> Bmodel::verify(FileBytes bytes, const std::string &path) {
  auto content = std::make_shared<Content>(std::move(bytes));
  content->path = path;
  Result<Container> container = parseContainer(content->bytes.span());
  if (!container)
    return container.status().withContext(path);
  Result<const wire::Model *> model = verifyFlatbuffer(container->flatbuffer);
  if (!model)
    return model.status().withContext(path);
  content->table = *model;
  std::string chipName = content->table->chip()->str();
  content->chip = chips::find(chipName);
  // find() also knows the command line's spelling; a file has only the other.
  if (!content->chip || content->chip->name != chipName)
    return failf(Code::Unsupported,
                 "unsupported: the model is for chip %s; this program knows "
                 "%s",
                 quoteName(chipName).c_str(), knownChips().c_str())
        .withContext(path);
  WEFT_TRY(checkCommandCounts(*content->table).withContext(path));
  FileContext file{*container, content->chip};
  WEFT_TRY(verifyModel(file, *content->table, content->nets).withContext(path));
  content->certificate = findCertificate(*container, content->bytes.span(),
                                         content->certificateDamage);
  Bmodel result;
  result.theContent = std::move(content);
  return result;
}

} // namespace weft::rt
