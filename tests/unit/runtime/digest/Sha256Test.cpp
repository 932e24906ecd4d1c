#include "runtime/digest/Sha256.h"

#include <gtest/gtest.h>
#include <string>

using namespace weft::rt;

namespace {

std::string hexDigest(const std::string &text) {
  static const char digits[] = "0123456789abcdef";
  std::string hex;
  for (uint8_t byte :
       sha256(reinterpret_cast<const uint8_t *>(text.data()), text.size())) {
    hex += digits[byte >> 4];
    hex += digits[byte & 15];
  }
  return hex;
}

// The examples that NIST publishes with FIPS 180-4, and the two lengths at
// which the padding changes from one block to two.
TEST(Sha256, MatchesThePublishedDigests) {
  EXPECT_EQ(hexDigest("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9"
                              "cb410ff61f20015ad");
  EXPECT_EQ(hexDigest(""),
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495"
            "991b7852b855");
  EXPECT_EQ(
      hexDigest("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(hexDigest(std::string(1000000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, PadsAtTheBlockEdge) {
  EXPECT_EQ(hexDigest(std::string(55, 'x')),
            "d5e285683cd4efc02d021a5c62014694958901005d6f71e89e0989fac77e4072");
  EXPECT_EQ(hexDigest(std::string(56, 'x')),
            "04c26261370ee7541549d16dee320c723e3fd14671e66a099afe0a377c16888e");
  EXPECT_EQ(hexDigest(std::string(64, 'x')),
            "7ce100971f64e7001e8fe5a51973ecdfe1ced42befe7ee8d5fd6219506b5393c");
}

TEST(Sha256, PiecesGiveTheDigestOfTheWhole) {
  std::string text;
  for (int i = 0; i < 1000; ++i)
    text += char(i * 7);
  for (size_t piece : {1, 3, 63, 64, 65, 200}) {
    Sha256 hash;
    for (size_t at = 0; at < text.size(); at += piece)
      hash.add(reinterpret_cast<const uint8_t *>(text.data()) + at,
               std::min(piece, text.size() - at));
    EXPECT_EQ(
        hash.finish(),
        sha256(reinterpret_cast<const uint8_t *>(text.data()), text.size()));
  }
}

} // namespace
