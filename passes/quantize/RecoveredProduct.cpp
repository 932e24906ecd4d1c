//===- RecoveredProduct.cpp - weights chosen with the samples -------------===//

#include "passes/quantize/RecoveredProduct.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Base64.h"
#include "llvm/Support/CRC.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>
#include <cstring>

using namespace llvm;
using namespace weft::quantize;

WeightSums WeightSums::of(ArrayRef<float> weights) {
  WeightSums sums;
  uint64_t place = 0;
  for (float weight : weights) {
    // Fibonacci hashing (Knuth, The Art of Computer Programming 3, 6.4).
    auto mixed = static_cast<int64_t>(++place * 0x9e3779b97f4a7c15);
    sums.magnitudes += std::fabs(weight);
    sums.pattern += double(mixed) * 0x1p-63 * weight;
  }
  return sums;
}

bool WeightSums::isLike(const WeightSums &other) const {
  double most = 1e-5 * magnitudes;
  return std::fabs(magnitudes - other.magnitudes) <= most &&
         std::fabs(pattern - other.pattern) <= most;
}

static constexpr StringLiteral kChecksum = " crc32:";

/// Ends a line. One changed letter of base64 is another weight, which nothing
/// else would notice.
static std::string checksumOf(StringRef line) {
  std::string text = kChecksum.str();
  raw_string_ostream(text) << format_hex_no_prefix(
      crc32(ArrayRef(line.bytes_begin(), line.size())), 8);
  return text;
}

std::string RecoveredProduct::str() const {
  std::vector<char> bytes(2 * scales.size() * sizeof(float) + codes.size());
  char *end = bytes.data();
  auto append = [&](const void *from, size_t size) {
    std::memcpy(end, from, size);
    end += size;
  };
  append(scales.data(), scales.size() * sizeof(float));
  append(shifts.data(), shifts.size() * sizeof(float));
  append(codes.data(), codes.size());
  std::string text;
  raw_string_ostream(text) << escapeName(name) << format(" %.9g ", inputScale)
                           << inputZeroPoint
                           << (inputIsSigned ? " i8 " : " u8 ") << channels()
                           << " " << terms()
                           << format(" %.9g %.9g ", weightSums.magnitudes,
                                     weightSums.pattern)
                           << encodeBase64(bytes);
  if (!inputFactors.empty()) {
    std::vector<char> factors(inputFactors.size() * sizeof(float));
    std::memcpy(factors.data(), inputFactors.data(), factors.size());
    text += " " + encodeBase64(factors);
  }
  return text + checksumOf(text);
}

static Error problem(const Twine &text) {
  return createStringError(inconvertibleErrorCode(),
                           "recovered weights: " + text +
                               "; calibrate the model again");
}

/// Scales, shifts and codes; an error if they are not those of `channels` times
/// `terms` weights.
static Error readBytes(StringRef base64, size_t channels, size_t terms,
                       RecoveredProduct &product) {
  std::vector<char> bytes;
  if (Error error = decodeBase64(base64, bytes)) {
    consumeError(std::move(error));
    return problem("no base64 text");
  }
  size_t heads = 2 * sizeof(float);
  if (terms > bytes.size() || channels > bytes.size() / heads ||
      channels * (heads + terms) != bytes.size())
    return problem(Twine(bytes.size()) + " bytes for " + Twine(channels) +
                   " channels of " + Twine(terms) + " weights");
  product.scales.resize(channels);
  product.shifts.resize(channels);
  product.codes.resize(channels * terms);
  const char *from = bytes.data();
  size_t size = channels * sizeof(float);
  std::memcpy(product.scales.data(), from, size);
  std::memcpy(product.shifts.data(), from + size, size);
  std::memcpy(product.codes.data(), from + 2 * size, product.codes.size());
  return Error::success();
}

/// The factors of input channels, of which each of `terms` weights has one.
static Error readFactors(StringRef base64, size_t terms,
                         RecoveredProduct &product) {
  std::vector<char> bytes;
  if (Error error = decodeBase64(base64, bytes)) {
    consumeError(std::move(error));
    return problem("the factors of the input are no base64 text");
  }
  size_t count = bytes.size() / sizeof(float);
  if (bytes.empty() || bytes.size() % sizeof(float) != 0 || count > terms ||
      terms % count != 0)
    return problem(Twine(bytes.size()) + " bytes of factors for " +
                   Twine(terms) + " weights of a channel");
  product.inputFactors.resize(count);
  std::memcpy(product.inputFactors.data(), bytes.data(), bytes.size());
  for (size_t i = 0; i < count; ++i)
    if (float factor = product.inputFactors[i];
        !(factor >= 0x1p-14F && factor <= 65504.0F))
      return problem("the factor of input channel " + Twine(i) +
                     " is no normal f16 number above 0");
  return Error::success();
}

Expected<RecoveredProduct> RecoveredProduct::parse(StringRef line) {
  if (size_t end = line.rfind(kChecksum); end != StringRef::npos) {
    if (line.drop_front(end) != checksumOf(line.take_front(end)))
      return problem("the line is damaged, its checksum is another one");
    line = line.take_front(end);
  }
  SmallVector<StringRef, 10> words;
  line.split(words, ' ', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  if (words.size() != 9 && words.size() != 10)
    return problem("found " + Twine(words.size()) +
                   " words, need 9 or 10: name, scale, zero point, i8 or u8, "
                   "channels, weights of a channel, two sums of the float "
                   "weights, bytes, perhaps factors");
  RecoveredProduct product;
  std::optional<std::string> name = unescapeName(words[0]);
  if (!name)
    return problem("name '" + words[0] +
                   "' has a % without two hexadecimal digits");
  product.name = *name;
  if (words[1].getAsDouble(product.inputScale) ||
      !std::isfinite(product.inputScale) || product.inputScale <= 0)
    return problem("scale is '" + words[1] + "', must be a number above 0");
  product.inputIsSigned = words[3] == "i8";
  if (!product.inputIsSigned && words[3] != "u8")
    return problem("type is '" + words[3] + "', must be i8 or u8");
  // Codes without a sign begin at 0 (CodeForm).
  if (words[2].getAsInteger(10, product.inputZeroPoint) ||
      product.inputZeroPoint < (product.inputIsSigned ? INT8_MIN : 0) ||
      product.inputZeroPoint > (product.inputIsSigned ? INT8_MAX : 0))
    return problem("zero point is '" + words[2] + "', must be a code");
  size_t channels, terms;
  if (words[4].getAsInteger(10, channels) || words[5].getAsInteger(10, terms) ||
      channels == 0 || terms == 0)
    return problem("found '" + words[4] + "' channels of '" + words[5] +
                   "' weights, both must be whole numbers above 0");
  WeightSums &sums = product.weightSums;
  if (words[6].getAsDouble(sums.magnitudes) ||
      words[7].getAsDouble(sums.pattern) || !std::isfinite(sums.magnitudes) ||
      !std::isfinite(sums.pattern) || sums.magnitudes < 0)
    return problem("the sums of the float weights are '" + words[6] +
                   "' and '" + words[7] +
                   "', must be finite numbers, the first not negative");
  if (Error error = readBytes(words[8], channels, terms, product))
    return error;
  if (words.size() == 10)
    if (Error error = readFactors(words[9], terms, product))
      return error;
  for (size_t i = 0; i < channels; ++i)
    if (!std::isfinite(product.scales[i]) || product.scales[i] <= 0 ||
        !std::isfinite(product.shifts[i]))
      return problem("the scale or shift of channel " + Twine(i) +
                     " is no finite number, or the scale is not above 0");
  for (int8_t code : product.codes)
    if (code == INT8_MIN)
      return problem("a code is -128, must be at least -127");
  return product;
}
