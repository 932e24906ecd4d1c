#include "tools/files/JsonText.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

using weft::tools::jsonText;
using Json = nlohmann::ordered_json;

TEST(JsonText, GivesEveryNameBackThatIsUtf8) {
  for (std::string name : {"plain", "caf\xc3\xa9", "a\n\x1b[31m",
                           "right\xe2\x80\xae"
                           "left",
                           "\xc2\x85", "tag\xf3\xa0\x80\xa1", "\"\\"}) {
    std::string text = jsonText({{"name", name}, {name, 1}});
    Json read = Json::parse(text);
    EXPECT_EQ(read["name"], name);
    EXPECT_EQ(read[name], 1);
  }
}

TEST(JsonText, ShowsWhatMovesTheTextAsEscapes) {
  EXPECT_EQ(jsonText("\xe2\x80\xae"), "\"\\u202e\"");
  EXPECT_EQ(jsonText("\xc2\x85"), "\"\\u0085\"");
  EXPECT_EQ(jsonText("\xf3\xa0\x80\xa1"), "\"\\udb40\\udc21\"");
  EXPECT_EQ(jsonText("\x1b"), "\"\\u001b\"");
  EXPECT_EQ(jsonText("\x7f"), "\"\\u007f\"");
}

TEST(JsonText, KeepsApartWhatIsNoUtf8) {
  Json json = {{"a\xff", "b\xfe"}, {"a\xfe", 2}};
  EXPECT_EQ(jsonText(json), R"({"a\\xff":"b\\xfe","a\\xfe":2})");
}

TEST(JsonText, IsPrintableForPages) {
  Json shown = weft::tools::printableJson(
      {{"x\x1b", {"a\nb", "\xe2\x80\xae", "\xff", 1.5}}});
  EXPECT_EQ(jsonText(shown),
            R"({"x\\x1b":["a\nb","\\xe2\\x80\\xae","\\xff",1.5]})");
}
