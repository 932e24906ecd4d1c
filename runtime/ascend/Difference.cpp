//===- Difference.cpp - does a plan move what it should? ------------------===//

#include "runtime/ascend/InputPlan.h"

#include <algorithm>
#include <cstring>

using namespace weft;
using namespace weft::ascend;

static constexpr uint8_t kOld = 0xA5; ///< L1 before a tile

using Bytes = std::vector<uint8_t>;

/// Element e holds digit `round` of e, in base 256^elementBytes.
static void fillDistinct(Bytes &source, int64_t elementBytes, int round) {
  for (size_t at = 0; at < source.size(); ++at) {
    int64_t element = int64_t(at) / elementBytes;
    int64_t byte = round * elementBytes + int64_t(at) % elementBytes;
    source[at] = byte < 8 ? uint8_t(element >> 8 * byte) : 0;
  }
}

/// What the tile's part of L1 must hold.
static Bytes wantedOf(const Tile &tile, const Bytes &source) {
  Bytes wanted(size_t(tile.bytes), tile.clears ? 0 : kOld);
  for (const BlockedCopy &copy : tile.copies)
    forEachBlock(copy, [&](int64_t from, int64_t to, int64_t bytes) {
      uint8_t *block = wanted.data() + (to - tile.address);
      std::memset(block, 0, kBlockBytes);
      std::memcpy(block, source.data() + from, size_t(bytes));
    });
  return wanted;
}

static std::string place(size_t index, const Tile &tile) {
  std::string text = "tile " + std::to_string(index) + " at (";
  for (size_t a = 0; a < tile.origin.size(); ++a)
    text += (a ? ", " : "") + std::to_string(tile.origin[a]);
  return text + ")";
}

/// Runs a tile and its inverse.
static std::string tileDifference(const Tile &tile, Bytes &l1, Bytes &source,
                                  Bytes &back) {
  // What the moves do behind the tile's part of L1 is out of their room.
  Memory room = {l1.data(), tile.address + tile.bytes};
  if (room.size > int64_t(l1.size()))
    return "leaves L1";
  uint8_t *start = l1.data() + tile.address;
  std::memset(start, tile.clears ? 0 : kOld, size_t(tile.bytes));
  for (const Nd2Nz &move : tile.moves) {
    if (move.dst < tile.address)
      return "a move writes before its part of L1";
    if (rt::Status status =
            run(move, room, {source.data(), int64_t(source.size())});
        !status)
      return status.message();
  }
  Bytes wanted = wantedOf(tile, source);
  for (int64_t at = 0; at < tile.bytes; ++at)
    if (start[at] != wanted[size_t(at)])
      return "byte " + std::to_string(at) + " is " + std::to_string(start[at]) +
             ", the layout has " + std::to_string(wanted[size_t(at)]);
  for (const Nd2Nz &move : tile.moves)
    if (rt::Status status =
            inverse(move, room, {back.data(), int64_t(back.size())});
        !status)
      return status.message();
  return {};
}

/// One byte an element: whether some tile moves it.
static Bytes movedOf(const InputPlan &plan) {
  Bytes moved(size_t(plan.sourceBytes / plan.elementBytes));
  for (const Tile &tile : plan.tiles)
    for (const BlockedCopy &copy : tile.copies)
      forEachBlock(copy, [&](int64_t from, int64_t, int64_t bytes) {
        std::memset(moved.data() + from / plan.elementBytes, 1,
                    size_t(bytes / plan.elementBytes));
      });
  return moved;
}

int64_t ascend::movedElements(const InputPlan &plan) {
  Bytes moved = movedOf(plan);
  return std::count(moved.begin(), moved.end(), 1);
}

std::string ascend::differenceOf(const InputPlan &plan,
                                 const CubeMemory &memory) {
  Bytes l1(memory.l1Bytes), source(size_t(plan.sourceBytes)),
      moved = movedOf(plan);
  int64_t elements = plan.sourceBytes / plan.elementBytes;
  for (int round = 0;
       round == 0 || (elements - 1) >> (8 * plan.elementBytes * round) > 0;
       ++round) {
    fillDistinct(source, plan.elementBytes, round);
    Bytes back = source;
    for (uint8_t &byte : back)
      byte = uint8_t(~byte);
    for (size_t t = 0; t < plan.tiles.size(); ++t)
      if (std::string text = tileDifference(plan.tiles[t], l1, source, back);
          !text.empty())
        return place(t, plan.tiles[t]) + ": " + text;
    for (size_t at = 0; at < back.size(); ++at) {
      bool isMoved = moved[at / size_t(plan.elementBytes)];
      if (back[at] != (isMoved ? source[at] : uint8_t(~source[at])))
        return "element " + std::to_string(at / size_t(plan.elementBytes)) +
               (isMoved ? " does not come back" : " comes back unmoved");
    }
  }
  return {};
}
