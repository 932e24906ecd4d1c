/// What the generators of DMA commands share: places in all memories, shapes
/// and strides that fit them.
#ifndef WEFT_TESTS_ORACLE_EMULATOR_GDMAKINDS_H
#define WEFT_TESTS_ORACLE_EMULATOR_GDMAKINDS_H

#include "tests/oracle/emulator/CommandKinds.h"

namespace weft::oracle {

/// Where one side of a transfer lies. Sources lie in the first half of each
/// memory (of each lane), targets in the second.
struct Side {
  Area area = Area::Global;
  uint64_t address = 0;
  uint64_t room = 0; ///< bytes from `address` on, in one lane of local memory
  bool isLocal() const;
  unsigned lane() const;
};
Side drawSide(Random &random, bool source, std::initializer_list<Area> areas);

struct Box {
  unsigned n, c, h, w;
};
/// Strides in elements.
struct Steps {
  uint64_t n, c, h, w;
};

/// A shape of which `room` bytes hold the elements with gaps.
Box drawBox(Random &random, unsigned bytes, uint64_t room);
/// The strides that the engine takes by itself.
Steps continuousSteps(const Side &side, const Box &box, unsigned bytes);
/// Strides under which no two elements meet, unless some may repeat.
Steps drawSteps(Random &random, const Side &side, const Box &box,
                unsigned bytes, bool mayRepeat);
bool fits(const Side &side, const Box &box, const Steps &steps, unsigned bytes);

void setAddress(Command &command, bool source, uint64_t address);
void setSource(Command &command, const Side &side, const Box &box,
               const Steps &steps);
void setTarget(Command &command, const Side &side, const Box &box,
               const Steps &steps, bool withSizes);
/// Sets a data format and returns the bytes of its elements.
unsigned drawFormat(Command &command, Random &random, Field field);
/// Sometimes leaves lanes out.
void drawMask(Command &command, Random &random);

/// Masked select, nonzero, gather and scatter.
void addGdmaIndexKinds(std::vector<Kind> &kinds);

} // namespace weft::oracle

#endif
