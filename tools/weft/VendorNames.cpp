#include "tools/weft/VendorNames.h"

#include <algorithm>
#include <cctype>
#include <string_view>

using namespace weft;
using namespace weft::cli;

static constexpr std::string_view kReal = "_f32";

/// `name` without what a cast and the parts of an operation put behind it.
static std::string withoutForm(std::string name) {
  for (std::string_view type :
       {"_f32", "_f16", "_bf16", "_i8", "_si8", "_ui8", "_u8", "_i16", "_si16",
        "_ui16", "_u16", "_i32", "_si32", "_ui32", "_u32"})
    if (name.size() > type.size() &&
        std::string_view(name).substr(name.size() - type.size()) == type) {
      name.resize(name.size() - type.size());
      break;
    }
  size_t part = name.rfind("__");
  bool isPart =
      part != name.npos && part > 0 && part + 2 < name.size() &&
      std::all_of(name.begin() + part + 2, name.end(), [](unsigned char c) {
        return std::islower(c) || std::isdigit(c) || c == '_';
      });
  if (isPart)
    name.resize(part);
  return name;
}

/// Whether `longer`, without its form, is `name`, an underscore and the type of
/// an operation (`y_Relu`).
static bool isTyped(std::string_view longer, std::string_view name) {
  if (longer.size() < name.size() + 2 ||
      longer.substr(0, name.size()) != name || longer[name.size()] != '_')
    return false;
  std::string_view type = longer.substr(name.size() + 1);
  return std::isupper(static_cast<unsigned char>(type[0])) &&
         std::all_of(type.begin(), type.end(),
                     [](unsigned char c) { return std::isalnum(c); });
}

/// Of an ONNX value, the vendor's name in `reference`: of several forms of one
/// value the one of reals.
static std::string vendorNameOf(const std::string &name,
                                const NamedTensors &reference) {
  std::string best, base;
  for (const auto &[other, tensor] : reference) {
    std::string plain = withoutForm(other);
    // What ends like a form may be the type as it stands.
    if (!isTyped(plain, name) && !isTyped(other, name))
      continue;
    if (!best.empty() && plain != base)
      return name;
    base = plain;
    bool isReal =
        other.size() > kReal.size() &&
        std::string_view(other).substr(other.size() - kReal.size()) == kReal;
    if (best.empty() || isReal)
      best = other;
  }
  return best.empty() ? name : best;
}

std::string cli::referenceName(const std::string &name, bool isOnnxName,
                               const NamedTensors &reference) {
  if (reference.count(name))
    return name;
  if (isOnnxName)
    return vendorNameOf(name, reference);
  // Of two programs of the vendor, and of an ONNX value.
  std::string plain = withoutForm(name), longest;
  for (const auto &[other, tensor] : reference) {
    if (withoutForm(other) == plain)
      return other;
    if (other.size() > longest.size() &&
        (isTyped(plain, other) || isTyped(name, other)))
      longest = other;
  }
  return longest.empty() ? name : longest;
}
