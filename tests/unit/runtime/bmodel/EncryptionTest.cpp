#include "runtime/bmodel/Encryption.h"
#include "tests/unit/runtime/bmodel/SmallModel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace weft::rt;
using testing::HasSubstr;

namespace {

/// Adds a byte in front and turns the bits of the rest.
Result<std::vector<uint8_t>> hide(ByteSpan bytes) {
  std::vector<uint8_t> hidden = {7};
  for (size_t i = 0; i < bytes.size; ++i)
    hidden.push_back(uint8_t(~bytes.data[i]));
  return hidden;
}

Result<std::vector<uint8_t>> show(ByteSpan bytes) {
  if (bytes.size == 0 || bytes.data[0] != 7)
    return fail(Code::BadFile, "no 7");
  std::vector<uint8_t> shown;
  for (size_t i = 1; i < bytes.size; ++i)
    shown.push_back(uint8_t(~bytes.data[i]));
  return shown;
}

std::vector<uint8_t> plainBytes() {
  Result<Bmodel> model = Bmodel::load(packModel(makeSmallModel()), "small");
  Result<FileParts> parts = takeApart(*model);
  return pack(*parts).bytes();
}

std::vector<uint8_t> hiddenBytes(const std::vector<size_t> &nets) {
  Result<Bmodel> model = Bmodel::load(plainBytes(), "small");
  Result<FileParts> parts = takeApart(*model);
  Result<std::vector<uint8_t>> hidden = encryptFile(*parts, nets, hide);
  EXPECT_TRUE(hidden.isOk()) << hidden.status().message();
  return *hidden;
}

Result<std::vector<uint8_t>> decrypt(const std::vector<uint8_t> &bytes) {
  return decryptFile({bytes.data(), bytes.size()}, show);
}

TEST(Encryption, IsUndone) {
  for (const std::vector<size_t> &nets : {std::vector<size_t>{0}, {}}) {
    std::vector<uint8_t> hidden = hiddenBytes(nets);
    EXPECT_EQ(hidden[4], 8 + 57);
    EXPECT_FALSE(Bmodel::load(hidden, "hidden").isOk());
    Result<std::vector<uint8_t>> shown = decrypt(hidden);
    ASSERT_TRUE(shown.isOk()) << shown.status().message();
    EXPECT_EQ(*shown, plainBytes());
  }
}

TEST(Encryption, TellsAWrongKey) {
  std::vector<uint8_t> hidden = hiddenBytes({0});
  auto refusal = [&](size_t place) {
    std::vector<uint8_t> changed = hidden;
    changed[place] ^= 1;
    Result<std::vector<uint8_t>> shown = decrypt(changed);
    return shown ? std::string() : shown.status().message();
  };
  EXPECT_THAT(refusal(0), HasSubstr("begins neither as a bmodel"));
  EXPECT_THAT(refusal(8), HasSubstr("no 7"));
  EXPECT_THAT(refusal(60), HasSubstr("the header: the library's decrypt()"));
  EXPECT_THAT(refusal(20), HasSubstr("lead out of the file"));
  EXPECT_THAT(refusal(65 + 1), HasSubstr("the flatbuffer: "));
  size_t weights = hidden.size();
  std::vector<uint8_t> plain = makeSmallModel().binary;
  for (size_t i = 0; i + 64 < hidden.size(); ++i)
    if (std::equal(plain.begin(), plain.begin() + 64, hidden.begin() + i,
                   [](uint8_t a, uint8_t b) { return a == uint8_t(~b); }))
      weights = i;
  ASSERT_LT(weights, hidden.size());
  EXPECT_THAT(refusal(weights), HasSubstr("the weights have another digest"));
}

TEST(Encryption, SurvivesEveryCut) {
  std::vector<uint8_t> hidden = hiddenBytes({0});
  for (size_t size = 0; size < hidden.size(); size += 7)
    EXPECT_FALSE(decrypt({hidden.begin(), hidden.begin() + size}).isOk());
}

} // namespace
