//===- ProfilePage.h - a profile as one HTML file ---------------*- C++ -*-===//

#ifndef WEFT_TOOLS_WEFT_PROFILEPAGE_H
#define WEFT_TOOLS_WEFT_PROFILEPAGE_H

#include "tools/weft/ProfileReport.h"

#include <string>

namespace weft::cli {

/// A page that needs no other file and no network: the template of
/// profile_page/ with the numbers of this profile inside.
std::string profilePage(const NamedStage &subject,
                        const profile::Profile &profile);

} // namespace weft::cli

#endif // WEFT_TOOLS_WEFT_PROFILEPAGE_H
