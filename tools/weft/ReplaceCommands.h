//===- ReplaceCommands.h - a bmodel with other commands ---------*- C++ -*-===//

#ifndef WEFT_TOOLS_WEFT_REPLACECOMMANDS_H
#define WEFT_TOOLS_WEFT_REPLACECOMMANDS_H

#include "runtime/bmodel/Bmodel.h"
#include "tools/weft/ListingText.h"

namespace weft::cli {

/// The bytes of `model`'s file with the command streams that the headings of
/// `sections` name replaced; everything else stays as it is, so a listing of
/// the model itself gives the same file byte for byte. A stream of another
/// length is put behind the binary section. Errors (with `listingName` and
/// line): a heading that the model lacks or that comes twice; another number of
/// commands where a debug map or address patches number them; streams that
/// share bytes and differ; and whatever Bmodel::load says about the result.
rt::Result<std::vector<uint8_t>>
replaceCommands(const rt::Bmodel &model,
                const std::vector<ListingSection> &sections,
                const std::string &listingName);

} // namespace weft::cli

#endif // WEFT_TOOLS_WEFT_REPLACECOMMANDS_H
