#include "tools/weft/Listing.h"

#include "runtime/bmodel/DebugMap.h"
#include "runtime/status/Quote.h"

using namespace weft;
using namespace weft::cli;

static rt::Status visitStream(const Chip &chip, CommandPlace place,
                              const rt::GroupSpec &group,
                              const CommandVisitor &visit) {
  bool tiu = place.engine == isa::Engine::Tiu;
  rt::ByteSpan bytes = tiu ? group.tiu : group.gdma;
  uint32_t count = tiu ? group.tiuCount : group.gdmaCount;
  size_t offset = 0;
  for (place.index = 0; place.index < count; ++place.index) {
    isa::DecodeResult result =
        isa::decodeOne(*chip.instructions, place.engine, bytes.data + offset,
                       bytes.size - offset);
    // The loader has decoded every command before.
    if (!result)
      return rt::fail(rt::Code::Internal, "undecodable command");
    WEFT_TRY(visit(place, result.command));
    offset += result.command.sizeBytes;
  }
  return rt::Status::ok();
}

rt::Status cli::visitCommands(const Chip &chip, const rt::NetSpec &net,
                              const std::string &engine,
                              const CommandVisitor &visit) {
  for (size_t stage = 0; stage < net.stages.size(); ++stage)
    for (size_t group = 0; group < net.stages[stage].groups.size(); ++group)
      for (isa::Engine which : {isa::Engine::Tiu, isa::Engine::Gdma}) {
        if (!engine.empty() && engine != isa::engineName(which))
          continue;
        WEFT_TRY(visitStream(chip, {&net, stage, group, which, 0},
                             net.stages[stage].groups[group], visit));
      }
  return rt::Status::ok();
}

std::string cli::headingOf(const CommandPlace &place) {
  static const char digits[] = "0123456789abcdef";
  std::string text = "net '";
  for (char c : place.net->name) {
    auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte != 0x7f && c != '\'' && c != '\\' && c != ';')
      text += c;
    else
      text += std::string("\\x") + digits[byte >> 4] + digits[byte & 15];
  }
  return text + "' stage " + std::to_string(place.stage) + " group " +
         std::to_string(place.group) + " " +
         std::string(isa::engineName(place.engine));
}

rt::Status
cli::listCommands(const Chip &chip, const rt::NetSpec &net,
                  const std::string &engine,
                  const std::function<rt::Status(const std::string &)> &sink) {
  // Long listings go out in pieces, not as one string of gigabytes.
  constexpr size_t kPieceBytes = 1 << 20;
  std::string text;
  auto addLine = [&](const CommandPlace &place, const isa::Decoded &command) {
    if (place.index == 0)
      text += headingOf(place) + (net.stages[place.stage].debugMap
                                      ? "\n"
                                      : "  ; no debug map: commands "
                                        "cannot be traced to ONNX "
                                        "nodes\n");
    text += "  " + isa::disassemble(command);
    std::string origin = rt::originText(net.stages[place.stage], place.group,
                                        place.engine, place.index);
    text += origin.empty() ? "\n" : "  ; " + origin + "\n";
    if (text.size() < kPieceBytes)
      return rt::Status::ok();
    rt::Status status = sink(text);
    text.clear();
    return status;
  };
  WEFT_TRY(visitCommands(chip, net, engine, addLine));
  return sink(text);
}
