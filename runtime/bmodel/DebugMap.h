//===- DebugMap.h - from commands back to ONNX ------------------*- C++ -*-===//

#ifndef WEFT_RUNTIME_BMODEL_DEBUGMAP_H
#define WEFT_RUNTIME_BMODEL_DEBUGMAP_H

#include "runtime/bmodel/Bmodel.h"
#include "runtime/isa/Codes.h"

#include <string>
#include <string_view>
#include <vector>

namespace weft::rt {

/// "none" in the index fields of the debug map.
constexpr uint32_t kNoIndex = 0xFFFFFFFF;

/// Nodes that command `index` (from 0) of `engine` in group `group` came from;
/// empty without a debug map and for commands without origin.
std::vector<const wire::DebugNode *> originNodes(const StageSpec &stage,
                                                 size_t group,
                                                 isa::Engine engine,
                                                 size_t index);

/// Whether the origins are lines of a kernel's source, not ONNX nodes.
bool hasLines(const StageSpec &stage);

/// What tells a reader more of a node than its name: the operator, or the text
/// of a line of source; empty if the file does not say.
std::string_view captionOf(const wire::DebugNode &node);

/// "node 'Conv_84' (Conv)", several joined by " + "; "line 'silu.cpp:12' (its
/// text)"; empty if there is no origin.
std::string originText(const StageSpec &stage, size_t group, isa::Engine engine,
                       size_t index);

} // namespace weft::rt

#endif // WEFT_RUNTIME_BMODEL_DEBUGMAP_H
