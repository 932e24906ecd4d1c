#include "runtime/bmodel/CommandAddresses.h"

#include "runtime/isa/Accesses.h"

namespace weft::rt {

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
  addresses.source = isa::sourceAddress(command);
  addresses.destination = isa::targetAddress(command);
  addresses.third = isa::thirdAddress(command);
  return addresses;
}

} // namespace weft::rt
