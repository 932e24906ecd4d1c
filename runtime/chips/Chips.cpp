//===- Chips.cpp - look up a chip by name ---------------------------------===//

#include "runtime/chips/Chips.h"

#include <algorithm>

using namespace weft;

template <typename List>
static const Chip *findIn(const List &list, std::string_view name) {
  for (const Chip *chip : list)
    if (chip->name == name || chip->targetName == name)
      return chip;
  return nullptr;
}

unsigned chips::largestShape() {
  unsigned largest = 0;
  for (const Chip *chip : all)
    largest = std::max(largest, chip->maxShape);
  return largest;
}

const Chip *chips::find(std::string_view name) { return findIn(all, name); }

const Chip *chips::findKernelTarget(std::string_view name) {
  return findIn(kernelTargets, name);
}

const Chip *chips::findVectorTarget(std::string_view name) {
  return findIn(vectorTargets, name);
}

const Chip *chips::findCubeTarget(std::string_view name) {
  return findIn(cubeTargets, name);
}
