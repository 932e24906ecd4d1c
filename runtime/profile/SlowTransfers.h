//===- SlowTransfers.h - transfers that wait for more than bytes -*- C++
//-*-===//

#ifndef WEFT_RUNTIME_PROFILE_SLOWTRANSFERS_H
#define WEFT_RUNTIME_PROFILE_SLOWTRANSFERS_H

#include "runtime/profile/Profile.h"

namespace weft::profile {

/// The transfers among `commands` that take more than twice the time of their
/// bytes, by node, direction and reason.
std::vector<SlowTransfers>
slowTransfersOf(const std::vector<CommandProfile> &commands, const Chip &chip);

} // namespace weft::profile

#endif // WEFT_RUNTIME_PROFILE_SLOWTRANSFERS_H
