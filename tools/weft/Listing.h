//===- Listing.h - the commands of a net, one by one ------------*- C++ -*-===//

#ifndef WEFT_TOOLS_WEFT_LISTING_H
#define WEFT_TOOLS_WEFT_LISTING_H

#include "runtime/bmodel/Bmodel.h"
#include "runtime/isa/Decode.h"

#include <functional>
#include <string>

namespace weft::cli {

/// Where a command stands in a model.
struct CommandPlace {
  const rt::NetSpec *net;
  size_t stage;
  size_t group;
  isa::Engine engine;
  size_t index;
};

/// "net 'n' stage 0 group 0 tiu": how a listing names one command stream. Bytes
/// of the net's name that would disturb (control characters, ', \\, ;) are
/// written \xNN, so that different names stay different.
std::string headingOf(const CommandPlace &place);

/// Takes the commands one after the other; a failure stops the walk.
using CommandVisitor =
    std::function<rt::Status(const CommandPlace &, const isa::Decoded &)>;

/// Visits the commands of `net` by stage, group and engine; only those of
/// `engine` ("tiu", "gdma") unless it is empty.
rt::Status visitCommands(const Chip &chip, const rt::NetSpec &net,
                         const std::string &engine,
                         const CommandVisitor &visit);

/// Gives the same commands as text (grammar: ListingText.h), a line each with
/// the ONNX nodes it is for, to `sink` in pieces of about a megabyte.
rt::Status
listCommands(const Chip &chip, const rt::NetSpec &net,
             const std::string &engine,
             const std::function<rt::Status(const std::string &)> &sink);

} // namespace weft::cli

#endif // WEFT_TOOLS_WEFT_LISTING_H
