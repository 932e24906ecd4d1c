//===- NearNames.h - what a mistyped name may mean --------------*- C++ -*-===//

#ifndef WEFT_TOOLS_WEFT_NEARNAMES_H
#define WEFT_TOOLS_WEFT_NEARNAMES_H

#include <string>
#include <vector>

namespace weft::cli {

/// The one of `names` that takes the fewest changes (a letter more, less or
/// another one, or two neighbours swapped), or the first that begins with five
/// or more letters given; "" if the changes are more than a third of these.
std::string nearestName(const std::string &given,
                        const std::vector<std::string> &names);

} // namespace weft::cli

#endif // WEFT_TOOLS_WEFT_NEARNAMES_H
