//===- HostListing.h - what the host computes, as text and JSON -*- C++ -*-===//

#ifndef WEFT_TOOLS_WEFT_HOSTLISTING_H
#define WEFT_TOOLS_WEFT_HOSTLISTING_H

#include "runtime/bmodel/Bmodel.h"

#include <nlohmann/json.hpp>
#include <string>

namespace weft::cli {

/// What the host computes in a stage: its operations in order with the bytes
/// that cross because of each, and the bytes that its programs take from the
/// chip's memory and put there. The fields that docs/cli.md lists.
nlohmann::ordered_json describeHost(const rt::StageSpec &stage);

/// Adds the graphs that an operation runs as data decide, if it does, as
/// `graphs` to what describes it.
void addGraphs(const host::CallStep &call, nlohmann::ordered_json &json);

/// What describeHost() gives as lines that begin with `indent`.
std::string hostText(const nlohmann::ordered_json &host,
                     const std::string &indent);

} // namespace weft::cli

#endif // WEFT_TOOLS_WEFT_HOSTLISTING_H
