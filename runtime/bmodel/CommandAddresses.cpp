#include "runtime/bmodel/CommandAddresses.h"

namespace weft::rt {

static uint64_t readAddress(const uint8_t *p) {
  uint64_t address = 0;
  for (int i = 0; i < 5; ++i)
    address |= uint64_t(p[i]) << (8 * i);
  return address;
}

GdmaAddresses gdmaAddresses(const isa::Decoded &command) {
  GdmaAddresses addresses;
  addresses.hasSource = command.get(isa::Field::fill_constant_en) == 0;
  switch (isa::GdmaType(command.type)) {
  case isa::GdmaType::MaskedSelect:
  case isa::GdmaType::Gather:
  case isa::GdmaType::Scatter:
    addresses.hasThird = true;
    break;
  default:
    break;
  }
  addresses.source = readAddress(command.bytes + kGdmaSourceByte);
  addresses.destination = readAddress(command.bytes + kGdmaDestinationByte);
  addresses.third = readAddress(command.bytes + kGdmaThirdByte);
  return addresses;
}

} // namespace weft::rt
