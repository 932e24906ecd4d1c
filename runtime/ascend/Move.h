//===- Move.h - ND to NZ moves of Ascend ----------------------*- C++ -*-===//

#ifndef WEFT_RUNTIME_ASCEND_MOVE_H
#define WEFT_RUNTIME_ASCEND_MOVE_H

#include "runtime/status/Status.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// What copy_gm_to_cbuf_multi_nd2nz does, byte for byte: it moves matrices from
/// global memory (GM) to the L1 buffer of a core and cuts every row into blocks
/// of 32 bytes (C0 elements) on the way. Names and units are the document's.
namespace weft::ascend {

/// Bytes of a block, the document's C0_Size (choice BlockIs32Bytes).
inline constexpr int64_t kBlockBytes = 32;

/// One move. Numbers are wide so that a wish beyond the instruction's ranges
/// can be told (`problemOf`) and cut into legal moves (`split`).
struct Nd2Nz {
  int64_t elementBytes = 2;      ///< 1 (b8), 2 (b16) or 4 (b32s)
  int64_t dst = 0;               ///< byte address in L1 of the first block
  int64_t src = 0;               ///< byte address in GM of the first element
  int64_t sid = 0;               ///< without effect (choice SidHasNoEffect)
  int64_t ndNum = 1;             ///< matrices
  int64_t nValue = 0;            ///< rows of a matrix
  int64_t dValue = 0;            ///< elements of a row
  int64_t srcNdMatrixStride = 0; ///< elements from matrix to matrix
  int64_t srcDValue = 1;         ///< elements from row to row
  int64_t dstNzC0Stride = 1;     ///< blocks from block to block of a row
  int64_t dstNzNStride = 1;      ///< blocks from row to row
  int64_t dstNzMatrixStride = 0; ///< elements from matrix to matrix

  /// C0, elements of a block.
  int64_t blockElements() const { return kBlockBytes / elementBytes; }
  /// Blocks of a row, the last one filled up with zeros.
  int64_t rowBlocks() const {
    return (dValue * elementBytes + kBlockBytes - 1) / kBlockBytes;
  }
  /// Nothing is moved: the document's NOP.
  bool isEmpty() const { return ndNum == 0 || nValue == 0 || dValue == 0; }

  // Footprints. 0 for an empty move.
  /// Elements from src to behind the last one that is read.
  int64_t sourceElements() const;
  /// Bytes from dst to behind the last block that is written.
  int64_t spanBytes() const;
  int64_t readBytes() const;    ///< each source element as often as it is read
  int64_t writtenBytes() const; ///< whole blocks

  /// Byte address of element 0 of block (i, j, k) in GM and of the block in L1.
  int64_t sourceOf(int64_t i, int64_t j, int64_t k) const {
    return src + (i * srcNdMatrixStride + j * srcDValue) * elementBytes +
           k * kBlockBytes;
  }
  int64_t placeOf(int64_t i, int64_t j, int64_t k) const {
    return dst + i * dstNzMatrixStride * elementBytes +
           kBlockBytes * (j * dstNzNStride + k * dstNzC0Stride);
  }

  bool operator==(const Nd2Nz &other) const;
  bool operator!=(const Nd2Nz &other) const { return !(*this == other); }
};

/// A parameter of the instruction by its name in the document.
struct Parameter {
  std::string_view name;
  int64_t Nd2Nz::*value;
  int64_t low, high;     ///< the document's range
  std::string_view unit; ///< what it counts
};
/// sid to dstNzMatrixStride, in the document's order.
const std::array<Parameter, 9> &parameters();

/// "copy_gm_to_cbuf_multi_nd2nz_b16" for 2 bytes; empty for other sizes than 1,
/// 2 and 4.
std::string_view functionOf(int64_t elementBytes);

/// The memories that a move works on, in bytes from address 0. nullopt: the
/// size is not known and not checked.
struct Room {
  std::optional<int64_t> globalBytes, l1Bytes;
};

/// A rule of the instruction: `text` is what must hold, `found` says what was
/// found instead or is empty. Never asked about an empty move.
struct MoveRule {
  std::string_view text;
  std::string (*found)(const Nd2Nz &move, const Room &room);
};
/// In the order in which they are told: ranges (always the first), matrix
/// strides, alignment of dst and of src, the end of L1, the end of GM, overlap
/// (always the last). Each relies on those before it.
const std::vector<MoveRule> &moveRules();
/// The first rule that is broken, as "<found>; <rule>"; empty for a legal move
/// and for an empty one, of which nothing is checked (choice EmptyMoveWarns).
std::string problemOf(const Nd2Nz &move, const Room &room = {});
/// The warning for an empty move: "nValue is 0: nothing is moved". Else empty.
std::string warningOf(const Nd2Nz &move);

/// True if no two blocks of the move have a byte in common. Exact.
bool blocksAreApart(const Nd2Nz &move);

/// A memory of the emulator.
struct Memory {
  uint8_t *bytes = nullptr;
  int64_t size = 0;
};

/// How `run` treats blocks that overlap. The instruction gives neither error
/// nor warning then, and the order of writes is not determined.
enum class Overlap : uint8_t {
  Refuse, ///< fails
  /// Goes on as a machine does that writes in ascending order, and says which
  /// bytes another machine may leave otherwise.
  Report,
};

/// Runs a move. Fails, with nothing written, if the move is not legal. With
/// Overlap::Report the addresses of the blocks that were written more than once
/// are appended to `undetermined`, ascending.
rt::Status run(const Nd2Nz &move, Memory l1, Memory global,
               Overlap overlap = Overlap::Refuse,
               std::vector<int64_t> *undetermined = nullptr);

/// Copies every element that the move has written from L1 back to its source.
/// Fails as `run` does. run, then inverse, leaves GM as it was.
rt::Status inverse(const Nd2Nz &move, Memory l1, Memory global);

/// A copy or a fill with zeros of up to four axes, for machines whose DMA has
/// no layout conversion. Offsets from src and dst, strides, all in elements.
struct StridedCopy {
  bool isFill = false; ///< writes zeros; source fields are 0
  int64_t elementBytes = 2;
  int64_t srcOffset = 0, dstOffset = 0;
  std::array<int64_t, 4> shape{}, srcStrides{}, dstStrides{};
};
/// A legal move as at most three of them: whole blocks, the tails of the rows,
/// the zeros behind the tails.
std::vector<StridedCopy> stridedCopies(const Nd2Nz &move);
/// Runs one; `dst` and `src` are those of the move. False, with nothing
/// written, if it leaves a memory.
bool run(const StridedCopy &copy, int64_t dst, int64_t src, Memory l1,
         Memory global);

/// The same move with the parameters that mean nothing set to one value: the
/// matrix strides of one matrix are 0.
Nd2Nz normalized(Nd2Nz move);
/// One legal move that does what `first` and then `second` do, if there is one:
/// `second` is more matrices, more rows or more blocks of `first`.
std::optional<Nd2Nz> merged(const Nd2Nz &first, const Nd2Nz &second);
/// The moves with every run of neighbours that can be merged as one.
std::vector<Nd2Nz> merged(const std::vector<Nd2Nz> &moves);

/// More moves than a sane plan has.
inline constexpr int64_t kMostMoves = int64_t(1) << 20;

/// A move with numbers of any size as legal moves, in ascending order of source
/// rows. Splits matrices, rows or blocks only as far as the ranges ask. Fails
/// if an address is out of alignment, a number is negative, or there would be
/// more than kMostMoves. Memory ends and overlap are not looked at.
rt::Result<std::vector<Nd2Nz>> split(const Nd2Nz &wish);

/// "copy_gm_to_cbuf_multi_nd2nz_b16 dst=0x0 src=0x0 sid=0 ndNum=2 ..".
std::string text(const Nd2Nz &move);

} // namespace weft::ascend

#endif // WEFT_RUNTIME_ASCEND_MOVE_H
