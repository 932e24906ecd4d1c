#include "tools/weft/BmodelPrint.h"

#include "runtime/bmodel/TableTree.h"
#include "runtime/digest/Sha256.h"
#include "runtime/status/Quote.h"

#include <cmath>

using namespace weft;
using namespace weft::cli;
using Json = nlohmann::ordered_json;
using rt::Result;

namespace {

/// Makes JSON of the tables.
class JsonMaker final : public rt::TableVisitor {
public:
  explicit JsonMaker(uint64_t binaryOffset) : binaryOffset(binaryOffset) {}
  Json take() { return std::move(root); }

  void field(const char *name) override { key = name; }
  void beginTable() override { open.push_back(put(Json::object())); }
  void endTable() override { open.pop_back(); }
  bool beginList(size_t) override {
    open.push_back(put(Json::array()));
    return true;
  }
  void endList() override { open.pop_back(); }
  void number(int64_t value) override { put(value); }
  void number(uint64_t value) override { put(value); }
  void number(double value) override {
    // JSON has no number for these.
    put(std::isfinite(value) ? Json(value) : Json(std::to_string(value)));
  }
  void flag(bool value) override { put(value); }
  void enumerator(int64_t value, const char *name) override {
    put(name ? Json(name) : Json(value));
  }
  void text(std::string_view value) override { put(std::string(value)); }
  void bytes(rt::ByteSpan value) override {
    put(rt::hexText(value.data, value.size));
  }
  void blob(const rt::wire::Blob &value) override {
    put({{"start", value.start()},
         {"size", value.size()},
         {"file_offset", binaryOffset + value.start()}});
  }

private:
  Json *put(Json value) {
    if (open.empty()) {
      root = std::move(value);
      return &root;
    }
    // The value that is open gets no other one before this one is closed, so
    // the pointer stays good.
    Json &parent = *open.back();
    if (parent.is_array())
      return &parent.emplace_back(std::move(value));
    return &(parent[key] = std::move(value));
  }

  uint64_t binaryOffset;
  const char *key = "";
  Json root;
  std::vector<Json *> open;
};

} // namespace

Result<Json> cli::describeTables(const rt::Bmodel &model) {
  Result<rt::Container> container = rt::parseContainer(model.fileBytes());
  if (!container)
    return container.status();
  WEFT_TRY(rt::checkCopyable(model.table(), container->flatbuffer.size)
               .withContext(model.path()));
  const rt::ByteSpan file = model.fileBytes();
  uint64_t end = container->binaryOffset + container->binary.size;
  Json json = {{"file", model.path()},
               {"file_bytes", file.size},
               {"flatbuffer_offset", rt::kBmodelHeaderBytes},
               {"flatbuffer_bytes", container->flatbuffer.size},
               {"binary_offset", container->binaryOffset},
               {"binary_bytes", container->binary.size},
               {"behind_bytes", file.size - end}};
  JsonMaker maker(container->binaryOffset);
  rt::walkTables(model.table(), maker);
  json["model"] = maker.take();
  return json;
}

static std::string scalarText(const Json &value) {
  return value.is_string() ? rt::quoteName(value.get<std::string>())
                           : value.dump();
}

static bool isScalarList(const Json &value) {
  return value.is_array() && (value.empty() || value[0].is_primitive());
}

static std::string listText(const Json &list) {
  constexpr size_t kMostShown = 16;
  std::string text;
  for (size_t i = 0; i < list.size() && i < kMostShown; ++i)
    text += (i ? ", " : "") + scalarText(list[i]);
  if (list.size() > kMostShown)
    text += ", .. (" + std::to_string(list.size()) + " values)";
  return "[" + text + "]";
}

static bool isBlob(const Json &value) {
  return value.is_object() && value.contains("file_offset");
}

static std::string blobText(const Json &blob) {
  return blob["size"].dump() + " bytes at " + blob["start"].dump() +
         ", in the file at " + blob["file_offset"].dump();
}

/// `value` behind `name`, which stands after `indent`.
static void appendLines(const std::string &indent, const std::string &name,
                        const Json &value, std::string &text) {
  text += indent + name;
  if (isBlob(value)) {
    text += ": " + blobText(value) + "\n";
  } else if (isScalarList(value)) {
    text += ": " + listText(value) + "\n";
  } else if (value.is_primitive()) {
    text += ": " + scalarText(value) + "\n";
  } else if (value.is_array()) {
    text += "\n";
    for (size_t i = 0; i < value.size(); ++i)
      appendLines(indent + "  ", "[" + std::to_string(i) + "]", value[i], text);
  } else {
    text += "\n";
    for (const auto &[key, field] : value.items())
      appendLines(indent + "  ", key, field, text);
  }
}

std::string cli::tablesText(const Json &json) {
  std::string text = rt::printable(json["file"].get<std::string>()) + ": " +
                     json["file_bytes"].dump() + " bytes, flatbuffer of " +
                     json["flatbuffer_bytes"].dump() + " at " +
                     json["flatbuffer_offset"].dump() + ", binary section of " +
                     json["binary_bytes"].dump() + " at " +
                     json["binary_offset"].dump() + ", " +
                     json["behind_bytes"].dump() + " behind it\n";
  for (const auto &[key, field] : json["model"].items())
    appendLines("", key, field, text);
  return text;
}
