//===- ProfilePage.h - a profile as one HTML file ---------------*- C++ -*-===//

#ifndef WEFT_TOOLS_WEFT_PROFILEPAGE_H
#define WEFT_TOOLS_WEFT_PROFILEPAGE_H

#include "tools/weft/ProfileReport.h"

#include <string>

namespace weft::cli {

/// What the timeline and the tables of a page show.
nlohmann::ordered_json profileContent(const NamedStage &subject,
                                      const profile::Profile &profile);

/// A page that needs no other file and no network.
std::string profilePage(const NamedStage &subject,
                        const profile::Profile &profile);

} // namespace weft::cli

#endif // WEFT_TOOLS_WEFT_PROFILEPAGE_H
