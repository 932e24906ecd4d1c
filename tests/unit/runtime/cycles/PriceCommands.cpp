//===- PriceCommands.cpp - costs of commands given as fields --------------===//
//
// Reads one command a line, `tiu|dma field=value ..`, with the field names of
// runtime/isa/Names.def, or a buffer of commands, `tiu|dma 0x<bytes>`, and
// prints a line for each command:
//   type.func[.fill] cycles measured|probed|kin direction bytes precision kin
// and an empty line after each line read. Exit code 1 at the first line that
// is not a command. With --claims or --measured, reads nothing and prints what
// CostRows.def says was probed or measured, a line for each type and way:
//   tiu|dma type.func[.fill] precision direction
//
//===----------------------------------------------------------------------===//

#include "runtime/chips/bm1684x.h"
#include "runtime/cycles/CostRows.h"
#include "tests/unit/runtime/isa/FirstTable.h"

#include <array>
#include <cstdio>
#include <iostream>
#include <sstream>
#include <string_view>

using namespace weft;

using Fields = std::vector<std::pair<std::string, uint64_t>>;

static uint64_t valueOf(const Fields &fields, std::string_view name) {
  for (const auto &[field, value] : fields)
    if (field == name)
      return value;
  return 0;
}

static constexpr const char *precisionNames[] = {
    "int8", "fp16", "fp32", "int16", "int32", "bf16", "int4"};

/// Directions as the vendor's profiles number them; -1: none.
static int number(cycles::Direction direction) {
  return static_cast<int>(direction) - 1;
}

static void printClaim(const cycles::detail::CostRow &row, const char *suffix,
                       unsigned precision, int direction) {
  std::printf("%s %u.%u%s %s %d\n",
              row.engine == isa::Engine::Tiu ? "tiu" : "dma", row.type,
              row.func, suffix, precisionNames[precision], direction);
}

static void printFurtherClaims() {
  const cycles::CostTable &table = *chips::bm1684x.costs;
  for (size_t i = 0; i < table.claimCount; ++i)
    for (unsigned precision = 0; precision < std::size(precisionNames);
         ++precision)
      for (unsigned direction = 1; direction <= 4; ++direction) {
        const cycles::detail::FurtherClaim &further = table.furtherClaims[i];
        auto way = static_cast<cycles::Direction>(direction);
        bool claimed = (further.measured.precisions >> precision & 1) &&
                       (further.measured.directions & cycles::detail::bit(way));
        if (claimed)
          std::printf("dma %u.%u %s %d\n", further.type, further.func,
                      precisionNames[precision], number(way));
      }
}

/// Whether the claim holds for constant fills, too.
static bool claimsFill(const cycles::detail::CostRow &row, bool measured,
                       cycles::Direction direction) {
  // A constant comes from nowhere: only the memory written to counts.
  bool fills = row.formula == cycles::detail::Formula::Tensor &&
               row.func == isa::gdma::TensorCopy;
  return fills &&
         (direction == cycles::Direction::GlobalToGlobal ||
          (!measured && direction == cycles::Direction::GlobalToLocal));
}

static void printClaims(bool measured) {
  using cycles::Direction;
  for (const cycles::detail::CostRow &row : *chips::bm1684x.costs)
    for (unsigned precision = 0; precision < std::size(precisionNames);
         ++precision) {
      const cycles::detail::Claim &claim = measured ? row.measured : row.probed;
      if (!(claim.precisions >> precision & 1))
        continue;
      if (row.engine == isa::Engine::Tiu) {
        printClaim(row, "", precision, number(Direction::None));
        continue;
      }
      for (Direction direction :
           {Direction::GlobalToLocal, Direction::LocalToGlobal,
            Direction::GlobalToGlobal, Direction::LocalToLocal}) {
        if (!(claim.directions & cycles::detail::bit(direction)))
          continue;
        printClaim(row, "", precision, number(direction));
        if (claimsFill(row, measured, direction))
          printClaim(row, ".fill", precision, number(direction));
      }
    }
}

static void print(const isa::Decoded &command) {
  cycles::CommandCost cost = cycles::estimate(command, chips::bm1684x);
  static constexpr const char *evidence[] = {"measured", "probed", "kin"};
  bool isFill = command.get(isa::Field::fill_constant_en) != 0;
  std::printf(
      "%u.%u%s %llu %s %d %llu %s %s\n", command.type, command.func,
      isFill ? ".fill" : "", static_cast<unsigned long long>(cost.cycles),
      evidence[static_cast<unsigned>(cost.evidence)], number(cost.direction),
      static_cast<unsigned long long>(cost.bytes),
      precisionNames[static_cast<unsigned>(cost.precision)],
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

int main(int count, char **arguments) {
  std::string_view option = count == 2 ? arguments[1] : "";
  if (option == "--claims" || option == "--measured") {
    printClaims(option == "--measured");
    if (option == "--measured")
      printFurtherClaims();
    return 0;
  }
  std::string line;
  for (unsigned number = 1; std::getline(std::cin, line); ++number) {
    if (!priceLine(line)) {
      std::fprintf(stderr, "line %u is not a command: %s\n", number,
                   line.c_str());
      return 1;
    }
    std::printf("\n");
  }
  return 0;
}
