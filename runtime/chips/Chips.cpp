//===- Chips.cpp - look up a chip by name ---------------------------------===//

#include "runtime/chips/Chips.h"

#include <algorithm>
#include <cassert>

using namespace weft;

/// The chips beyond Chips.def. Filled before anything runs, read only then.
static std::vector<const Chip *> &addedChips() {
  static std::vector<const Chip *> chips;
  return chips;
}

template <typename List>
static const Chip *findIn(const List &list, std::string_view name) {
  for (const Chip *chip : list)
    if (chip->name == name || chip->targetName == name)
      return chip;
  return nullptr;
}

void chips::add(const Chip &chip) {
  assert(chip.instructions && chip.rules && chip.costs &&
         "a chip with commands has a table, rules and costs");
  assert(chip.rates.dramChannels * chip.rates.dramPageBytes <=
             kMostDramWindowBytes &&
         "the cost model has room for the pages of all channels");
  if (find(chip.name) != &chip)
    addedChips().push_back(&chip);
}

std::vector<const Chip *> chips::withCommands() {
  std::vector<const Chip *> list(std::begin(all), std::end(all));
  list.insert(list.end(), addedChips().begin(), addedChips().end());
  return list;
}

std::vector<const Chip *> chips::modelTargets() {
  std::vector<const Chip *> list = withCommands();
  list.insert(list.end(), std::begin(vectorTargets), std::end(vectorTargets));
  return list;
}

unsigned chips::largestShape() {
  unsigned largest = 0;
  for (const Chip *chip : all)
    largest = std::max(largest, chip->maxShape);
  for (const Chip *chip : addedChips())
    largest = std::max(largest, chip->maxShape);
  return largest;
}

const Chip *chips::find(std::string_view name) {
  const Chip *chip = findIn(all, name);
  return chip ? chip : findIn(addedChips(), name);
}

const Chip *chips::findKernelTarget(std::string_view name) {
  const Chip *chip = findIn(kernelTargets, name);
  return chip ? chip : findIn(addedChips(), name);
}

const Chip *chips::findVectorTarget(std::string_view name) {
  return findIn(vectorTargets, name);
}

const Chip *chips::findCubeTarget(std::string_view name) {
  return findIn(cubeTargets, name);
}
