#include "runtime/zhouyi/Mask.h"

#include <gtest/gtest.h>

using namespace weft;
using namespace weft::zhouyi;

/// "TTF" of the lanes; the message if there are none.
static std::string lanesOf(const rt::Result<MaskLanes> &mask) {
  if (!mask)
    return mask.status().message();
  std::string text;
  for (uint8_t lane : *mask)
    text += lane ? 'T' : 'F';
  return text;
}

TEST(ZhouyiMask, strings) {
  struct {
    const char *text, *lanes;
  } rows[] = {
      {"3T5F", "TTTFFFFF"},
      {"T7F", "TFFFFFFF"},
      {"4FT", "FTFTFTFT"},
      {"4F1T", "FFFFT"},
      {"2FTT1FT", "FTTFTTFT"},
      {"2FFFT3T", "FFFTFFFTTTT"},
      {"4TF8F", "TFTFTFTFFFFFFFFF"},
      {"FF28T2F", "FFTTTTTTTTTTTTTTTTTTTTTTTTTTTTFF"},
      {"8TFFF", "TFFFTFFFTFFFTFFFTFFFTFFFTFFFTFFF"},
      {"4T_FT3F_TT", "TTTTFTFFFTT"},
      {"3T_F", "TTTF"},
      {"3T_5F", "TTTFFFFF"},
      {"T_F", "TF"},
      {"03T", "TTT"},
      {"TF", "TF"},
  };
  for (auto &row : rows)
    EXPECT_EQ(
        lanesOf(parseMask(row.text, unsigned(std::string(row.lanes).size()))),
        row.lanes)
        << row.text;
  EXPECT_EQ(lanesOf(parseMask("3T", 8)), "TTTFFFFF");
}

TEST(ZhouyiMask, stringsThatAreTooLong) {
  EXPECT_EQ(lanesOf(parseMask("3T5F", 7)),
            "mask has 8 lanes, the vector has 7");
  EXPECT_EQ(lanesOf(parseMask(std::string(4000, 'T'), 32)),
            "mask string has 4000 characters, the vector has 32 lanes");
  EXPECT_EQ(lanesOf(parseMask("99999999999999999999999T", 32)),
            "mask has more than 4096 lanes, the vector has 32");
  EXPECT_EQ(lanesOf(parseMask("", 32)),
            "mask is an empty string; write groups of a count and letters T "
            "or F, as in 3T5F");
  EXPECT_EQ(lanesOf(parseMask("T", 32)),
            "mask 'T' has fewer than two characters; write groups of a count "
            "and letters T or F, as in 3T5F");
}

TEST(ZhouyiMask, lists) {
  EXPECT_EQ(lanesOf(listMask({1, 0, 7}, 5)), "TFTFF");
  EXPECT_EQ(lanesOf(listMask({}, 2)), "FF");
  EXPECT_EQ(lanesOf(listMask({1, 1, 1}, 2)),
            "mask has 3 lanes, the vector has 2");
}

TEST(ZhouyiMask, tails) {
  EXPECT_EQ(lanesOf(tailMask(2, 8)), "TTFFFFFF");
  EXPECT_EQ(lanesOf(tailMask(0, 2)), "FF");
  EXPECT_EQ(lanesOf(tailMask(2, 2)), "TT");
}

/// What is printed is read again as the same lanes.
TEST(ZhouyiMask, textOfEveryMaskOfEightLanes) {
  for (unsigned bits = 0; bits < 256; ++bits) {
    MaskLanes mask;
    for (unsigned i = 0; i < 8; ++i)
      mask.push_back(bits >> i & 1);
    rt::Result<MaskLanes> again = parseMask(maskText(mask), 8);
    ASSERT_TRUE(again.isOk()) << maskText(mask);
    EXPECT_EQ(*again, mask) << maskText(mask);
  }
  EXPECT_EQ(maskText({1, 1, 1, 0, 0, 0, 0, 0}), "3T5F");
}
