//===- EncodedNet.h - the commands of a net, before packing -----*- C++ -*-===//

#ifndef WEFT_CODEGEN_ENCODE_ENCODEDNET_H
#define WEFT_CODEGEN_ENCODE_ENCODEDNET_H

#include "runtime/bmodel/bmodel_generated.h"

#include <cstdint>
#include <vector>

namespace weft::codegen {

/// The commands of both engines that are launched together; ids start at 1 in
/// each group.
struct EncodedGroup {
  std::vector<uint8_t> tiu;
  std::vector<uint8_t> gdma;
  uint32_t tiuCount = 0;  ///< the end command included
  uint32_t gdmaCount = 0; ///< the end command included
};

/// What codegen/encode makes of a `ppl.net`.
struct EncodedNet {
  std::vector<EncodedGroup> groups;
  /// Origins of the commands and places of the ONNX values; packed unless
  /// stripped. One entry of `debugMap.groups` for each of `groups`.
  rt::wire::DebugMapT debugMap;
  /// Bytes of global memory that the GDMA commands move.
  uint64_t dramReadBytes = 0;
  uint64_t dramWriteBytes = 0;
};

} // namespace weft::codegen

#endif // WEFT_CODEGEN_ENCODE_ENCODEDNET_H
