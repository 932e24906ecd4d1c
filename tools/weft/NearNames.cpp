#include "tools/weft/NearNames.h"

#include <algorithm>

/// How many changes make `to` of `from` (optimal string alignment).
static size_t changesBetween(const std::string &from, const std::string &to) {
  const size_t width = to.size() + 1;
  std::vector<size_t> table((from.size() + 1) * width);
  auto at = [&](size_t i, size_t j) -> size_t & {
    return table[i * width + j];
  };
  for (size_t i = 0; i <= from.size(); ++i)
    for (size_t j = 0; j <= to.size(); ++j) {
      if (i == 0 || j == 0) {
        at(i, j) = i + j;
        continue;
      }
      size_t other = from[i - 1] != to[j - 1];
      at(i, j) = std::min(
          {at(i - 1, j) + 1, at(i, j - 1) + 1, at(i - 1, j - 1) + other});
      if (i > 1 && j > 1 && from[i - 1] == to[j - 2] &&
          from[i - 2] == to[j - 1])
        at(i, j) = std::min(at(i, j), at(i - 2, j - 2) + 1);
    }
  return table.back();
}

std::string weft::cli::nearestName(const std::string &given,
                                   const std::vector<std::string> &names) {
  constexpr size_t kLongest = 64; // no name is longer
  std::string nearest;
  size_t fewest = given.size() / 3 + 1;
  if (given.size() > kLongest)
    return nearest;
  constexpr size_t kFewestGiven = 5;
  for (const std::string &name : names)
    if (given.size() >= kFewestGiven && name.rfind(given, 0) == 0)
      return name;
  for (const std::string &name : names)
    if (size_t changes = changesBetween(given, name); changes < fewest) {
      fewest = changes;
      nearest = name;
    }
  return nearest;
}
