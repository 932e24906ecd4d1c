#include "runtime/bmodel/Conversion.h"

namespace weft::rt {

static std::string_view textOf(const flatbuffers::String *text) {
  return text ? text->string_view() : std::string_view();
}

static ByteSpan bytesOf(const flatbuffers::Vector<uint8_t> *bytes) {
  return bytes ? ByteSpan{bytes->data(), bytes->size()} : ByteSpan();
}

std::optional<std::string_view> Conversion::find(std::string_view key) const {
  for (const ConversionOption &option : options)
    if (option.key == key)
      return option.value;
  return std::nullopt;
}

bool hasOwnConversion(const StageSpec &stage) {
  return stage.debugMap && stage.debugMap->conversion();
}

std::optional<Conversion> readConversion(const NetSpec &net, size_t stage) {
  while (stage != 0 && !hasOwnConversion(net.stages[stage]))
    --stage;
  if (!hasOwnConversion(net.stages[stage]))
    return std::nullopt;
  const wire::DebugMap *map = net.stages[stage].debugMap;
  const wire::Conversion *record = map->conversion();
  Conversion conversion;
  conversion.compiler = textOf(map->producer());
  for (unsigned i = 0; record->options() && i < record->options()->size();
       ++i) {
    std::string_view option = record->options()->Get(i)->string_view();
    size_t equals = option.find('=');
    conversion.options.push_back(
        {option.substr(0, equals), equals == option.npos
                                       ? std::string_view()
                                       : option.substr(equals + 1)});
  }
  conversion.calibration = textOf(record->calibration());
  conversion.precisionTable = textOf(record->precision_table());
  conversion.calibrationDigest = bytesOf(record->calibration_sha256());
  conversion.modelDigest = bytesOf(record->model_sha256());
  return conversion;
}

} // namespace weft::rt
