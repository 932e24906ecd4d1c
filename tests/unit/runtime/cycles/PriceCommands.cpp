//===- PriceCommands.cpp - costs of commands given as fields --------------===//
//
// Reads one command a line, `tiu|dma field=value ..`, with the field names of
// runtime/isa/bm1684x.def, or a buffer of commands, `tiu|dma 0x<bytes>`, and
// prints a line for each command:
//   type.func cycles measured|probed|kin direction bytes kin
// Exit code 1 at the first line that is not a command.
//
//===----------------------------------------------------------------------===//

#include "runtime/chips/bm1684x.h"
#include "runtime/cycles/Cycles.h"

#include <array>
#include <cstdio>
#include <iostream>
#include <sstream>

using namespace weft;

using Fields = std::vector<std::pair<std::string, uint64_t>>;

static uint64_t valueOf(const Fields &fields, std::string_view name) {
  for (const auto &[field, value] : fields)
    if (field == name)
      return value;
  return 0;
}

static void print(const isa::Decoded &command) {
  cycles::CommandCost cost = cycles::estimate(command, chips::bm1684x);
  static constexpr const char *evidence[] = {"measured", "probed", "kin"};
  std::printf("%u.%u %llu %s %d %llu %s\n", command.type, command.func,
              static_cast<unsigned long long>(cost.cycles),
              evidence[static_cast<unsigned>(cost.evidence)],
              static_cast<int>(cost.direction) - 1,
              static_cast<unsigned long long>(cost.bytes),
              std::string(cost.kin).c_str());
}

/// Prices a buffer of hexadecimal bytes. False if they are not commands.
static bool priceBuffer(isa::Engine engine, const std::string &digits) {
  std::vector<uint8_t> bytes(digits.size() / 2);
  for (size_t i = 0; i < bytes.size(); ++i)
    bytes[i] =
        static_cast<uint8_t>(std::stoul(digits.substr(i * 2, 2), nullptr, 16));
  isa::DecodedStream stream =
      isa::decodeStream(engine, bytes.data(), bytes.size());
  if (stream.error != isa::DecodeError::None)
    return false;
  for (const isa::Decoded &command : stream.commands)
    print(command);
  return true;
}

/// Packs the fields into the form that their short, type and function bits
/// name, and decodes that. False if there is no such instruction or field.
static bool priceLine(const std::string &line) {
  std::istringstream words(line);
  std::string engineName, word;
  words >> engineName;
  bool isTiu = engineName == "tiu";
  isa::Engine engine = isTiu ? isa::Engine::Tiu : isa::Engine::Gdma;
  Fields fields;
  while (words >> word) {
    if (word.rfind("0x", 0) == 0)
      return priceBuffer(engine, word.substr(2));
    size_t equals = word.find('=');
    if (equals == std::string::npos)
      return false;
    fields.emplace_back(word.substr(0, equals),
                        std::stoull(word.substr(equals + 1)));
  }
  const isa::Opcode *opcode = isa::findOpcode(
      engine, valueOf(fields, isTiu ? "tsk_typ" : "cmd_type"),
      valueOf(fields, isTiu ? "tsk_eu_typ" : "cmd_special_function"));
  if (!opcode)
    return false;
  isa::Form form =
      valueOf(fields, "cmd_short") ? opcode->shortForm : opcode->longForm;
  std::array<uint8_t, 256> bytes{};
  for (const auto &[name, value] : fields) {
    std::optional<isa::Field> field = isa::fieldByName(name);
    // Reserved bits have no name here; theirs begin with r, R.
    bool isReserved = name.rfind("rsvd", 0) == 0 || name == "reserved" ||
                      name == "Reserved" || name == "reserve";
    if (!isReserved && (!field || !isa::set(form, *field, bytes.data(), value)))
      return false;
  }
  isa::DecodeResult decoded =
      isa::decodeOne(engine, bytes.data(), isa::formSpec(form).bytes);
  if (!decoded)
    return false;
  print(decoded.command);
  return true;
}

int main() {
  std::string line;
  for (unsigned number = 1; std::getline(std::cin, line); ++number) {
    if (!priceLine(line)) {
      std::fprintf(stderr, "line %u is not a command: %s\n", number,
                   line.c_str());
      return 1;
    }
  }
  return 0;
}
