//===- DeviceMemory.h - global memory that tests can touch ------*- C++ -*-===//

#ifndef WEFT_FRONTEND_PPL_DEVICEMEMORY_H
#define WEFT_FRONTEND_PPL_DEVICEMEMORY_H

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace weft::frontend {

/// The global memory of a kernel's test. A byte has an address on the device
/// and one in this process, so that a test fills and reads what it hands to
/// kernels. Pages are taken from the system when they are touched.
class DeviceMemory {
public:
  /// `base`: device address of the first byte; `bytes`: most that can be taken.
  DeviceMemory(uint64_t base, uint64_t bytes);
  ~DeviceMemory();
  DeviceMemory(const DeviceMemory &) = delete;
  DeviceMemory &operator=(const DeviceMemory &) = delete;

  /// A piece, on a boundary of 4096 bytes so that no two share a page.
  struct Piece {
    std::string name;
    int64_t shape[4];
    int32_t type; ///< data_type_t
    uint64_t address;
    uint64_t bytes;
    bool isTest; ///< the test's, not scratch of the recorder
  };

  /// Takes a piece of zeroed bytes; nullptr if there is no room.
  const Piece *take(uint64_t bytes);
  std::vector<Piece> pieces; ///< in the order of their addresses

  /// Whether this process may touch what has been taken so far.
  void allowAccess(bool isAllowed);
  /// Whether a pointer lies in it. May be asked in a signal handler.
  bool contains(const void *pointer) const {
    auto *byte = static_cast<const uint8_t *>(pointer);
    return memory && byte >= memory && byte < memory + end;
  }

  uint8_t *at(uint64_t address) const { return memory + (address - base); }
  /// The device address of a pointer into this memory.
  std::optional<uint64_t> addressOf(uint64_t pointer) const;
  /// The piece around a device address, which may be its end.
  const Piece *pieceAt(uint64_t address) const;
  Piece *pieceAt(uint64_t address);
  /// Bytes taken so far, padding included.
  uint64_t used() const { return end; }

  const uint64_t base;

private:
  uint8_t *memory = nullptr;
  uint64_t bytes, end = 0;
};

} // namespace weft::frontend

#endif // WEFT_FRONTEND_PPL_DEVICEMEMORY_H
