//===- TextsTest.cpp - kernels of strings: results and refusals -----------===//

#include "runtime/host/Texts.h"
#include "runtime/status/Stop.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace weft;
using namespace weft::host;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

HostTensor textsOf(Shape shape, const std::vector<std::string> &texts,
                   int64_t width) {
  shape.push_back(width);
  HostTensor tensor(ElementType::U8, shape);
  for (size_t i = 0; i < texts.size(); ++i)
    EXPECT_TRUE(setText(tensor, int64_t(i), texts[i]));
  return tensor;
}

std::vector<std::string> textsIn(const HostTensor &tensor) {
  std::vector<std::string> list;
  Texts texts(tensor);
  for (int64_t i = 0; i < texts.size(); ++i)
    list.emplace_back(texts[i]);
  return list;
}

Call callOf(const char *kernel, std::vector<const HostTensor *> operands,
            ResultType result) {
  Call call;
  call.kernel = kernel;
  call.operands = std::move(operands);
  call.results = {std::move(result)};
  return call;
}

ResultType bytesOf(Shape shape) {
  return staticResult(ElementType::U8, std::move(shape));
}

HostTensor resultOf(const Call &call) {
  std::vector<HostTensor> results;
  rt::Status status = run(call, results);
  EXPECT_TRUE(status.isOk()) << status.message();
  return status.isOk() ? results[0] : HostTensor();
}

std::string refusalOf(const Call &call) {
  std::vector<HostTensor> results;
  return run(call, results).message();
}

TEST(Texts, concatAndCompareWithBroadcasting) {
  HostTensor lhs = textsOf({2, 1}, {"a", "\xE4\xB8\xAD"}, 3),
             rhs = textsOf({2}, {"", "b"}, 1);
  EXPECT_THAT(textsIn(resultOf(
                  callOf("string_concat", {&lhs, &rhs}, bytesOf({2, 2, 4})))),
              ElementsAre("a", "ab", "\xE4\xB8\xAD",
                          "\xE4\xB8\xAD"
                          "b"));
  HostTensor wide = textsOf({2}, {"a", "b"}, 9);
  HostTensor equal = resultOf(callOf("string_equal", {&lhs, &wide},
                                     staticResult(ElementType::Bool, {2, 2})));
  EXPECT_THAT(std::vector<int>(equal.bytes(), equal.bytes() + 4),
              ElementsAre(1, 0, 0, 0));
}

TEST(Texts, splitAsPython) {
  HostTensor input = textsOf({2},
                             {"  a b\t\xE3\x80\x80"
                              "c ",
                              "-x--"},
                             12);
  ResultType parts{ElementType::U8, {2, kUnknownSize, 12}, {2, 12, 12}};
  Call call = callOf("string_split", {&input}, parts);
  call.results.push_back(staticResult(ElementType::I64, {2}));
  std::vector<HostTensor> results;
  ASSERT_TRUE(run(call, results).isOk());
  EXPECT_EQ(results[0].shape(), (Shape{2, 3, 12}));
  EXPECT_THAT(textsIn(results[0]), ElementsAre("a", "b", "c", "-x--", "", ""));
  EXPECT_EQ(results[1].as<int64_t>()[0], 3);
  call.attributes.set("delimiter", std::string("-"));
  EXPECT_EQ(resultOf(call).shape(), (Shape{2, 4, 12}));
  call.attributes.set("maxsplit", int64_t(1));
  EXPECT_THAT(textsIn(resultOf(call)), ElementsAre("  a b\t\xE3\x80\x80"
                                                   "c ",
                                                   "", "", "x--"));
  call.attributes.set("delimiter", std::string());
  EXPECT_THAT(textsIn(resultOf(call)), ElementsAre("a",
                                                   "b\t\xE3\x80\x80"
                                                   "c ",
                                                   "-x--", ""));
}

// The parts of 16 MiB of delimiters are 256 MiB: they are counted first.
TEST(Texts, splitNoFurtherThanTheResultHolds) {
  HostTensor commas(ElementType::U8, {1, 1 << 24});
  std::fill_n(commas.bytes(), commas.sizeBytes(), ',');
  Call call = callOf("string_split", {&commas},
                     {ElementType::U8, {1, kUnknownSize, 1}, {1, 4, 1}});
  call.attributes.set("delimiter", std::string(","));
  EXPECT_THAT(refusalOf(call), HasSubstr("a string of more than 4 parts"));
  call.attributes.set("maxsplit", INT64_MAX);
  EXPECT_THAT(refusalOf(call), HasSubstr("a string of more than 4 parts"));
  call.attributes.set("maxsplit", int64_t(0));
  EXPECT_THAT(refusalOf(call), HasSubstr("a string of 16777216 bytes"));
}

TEST(Texts, normalize) {
  HostTensor input = textsOf({3}, {"Montag", "\xC3\x84rger", "MONTAG"}, 8);
  ResultType kept{ElementType::U8, {kUnknownSize, 8}, {3, 8}};
  Call call = callOf("string_normalize", {&input}, kept);
  call.attributes.set("stopwords", std::vector<std::string>{"montag"});
  call.attributes.set("case_change_action", std::string("LOWER"));
  EXPECT_THAT(textsIn(resultOf(call)), ElementsAre("\xC3\xA4rger"));
  call.attributes.set("is_case_sensitive", int64_t(1));
  EXPECT_EQ(textsIn(resultOf(call)).size(), 3u);
  HostTensor all = textsOf({1}, {"montag"}, 8);
  call.operands = {&all};
  EXPECT_THAT(textsIn(resultOf(call)), ElementsAre(""));
  call.attributes.set("case_change_action", std::string("TITLE"));
  EXPECT_THAT(refusalOf(call), HasSubstr("case_change_action is 'TITLE'"));
}

TEST(Texts, lookUpLabels) {
  HostTensor input = textsOf({3}, {"b", "x", "a"}, 4),
             keys = textsOf({2}, {"a", "b"}, 1);
  HostTensor rows(ElementType::F32, {3});
  for (int i = 0; i < 3; ++i)
    rows.setFromDouble(i, i + 0.5);
  Call call = callOf("label_encoder", {&input, &keys, &rows},
                     staticResult(ElementType::F32, {3}));
  call.attributes.set("strings", int64_t(1));
  HostTensor found = resultOf(call);
  EXPECT_EQ(found.toDouble(0), 1.5);
  EXPECT_EQ(found.toDouble(1), 2.5);
  EXPECT_EQ(found.toDouble(2), 0.5);
  HostTensor numbers(ElementType::F32, {3});
  numbers.setFromDouble(0, -0.0);
  numbers.setFromDouble(1, NAN);
  numbers.setFromDouble(2, 7);
  HostTensor known(ElementType::F32, {2});
  known.setFromDouble(0, 0);
  known.setFromDouble(1, NAN);
  HostTensor names = textsOf({3}, {"zero", "nan", "?"}, 4);
  EXPECT_THAT(
      textsIn(resultOf(callOf("label_encoder", {&numbers, &known, &names},
                              bytesOf({3, 4})))),
      ElementsAre("zero", "nan", "?"));
  EXPECT_THAT(refusalOf(callOf("label_encoder", {&numbers, &known, &known},
                               staticResult(ElementType::F32, {3}))),
              HasSubstr("rows K + 1"));
}

TEST(Texts, gatherFromTables) {
  HostTensor first = textsOf({2}, {"a", "b"}, 1),
             second = textsOf({1, 1}, {"cc"}, 2);
  HostTensor numbers(ElementType::I32, {5});
  for (int i = 0; i < 5; ++i)
    numbers.setFromDouble(i, 3 - i);
  EXPECT_THAT(
      textsIn(resultOf(callOf("string_gather", {&numbers, &first, &second},
                              bytesOf({5, 2})))),
      ElementsAre("", "cc", "b", "a", ""));
}

// At run time calls come out of files.
TEST(Texts, refuseWhatIsNoCall) {
  HostTensor texts = textsOf({2}, {"abc", "de"}, 3);
  HostTensor floats(ElementType::F32, {2, 3}), scalar(ElementType::U8, {});
  for (const char *kernel :
       {"string_equal", "string_concat", "string_split", "string_match",
        "string_normalize", "string_gather", "label_encoder"}) {
    for (const HostTensor *wrong : {&floats, &scalar}) {
      Call call = callOf(kernel, {wrong, wrong, wrong}, bytesOf({2, 3}));
      call.attributes.set("strings", int64_t(1));
      for (size_t operands = 0; operands <= 3; ++operands) {
        call.operands.resize(operands);
        EXPECT_NE(refusalOf(call), "") << kernel;
      }
      call.operands = {nullptr, &texts, &texts};
      EXPECT_NE(refusalOf(call), "") << kernel;
    }
    for (const ResultType &result :
         {staticResult(ElementType::F64, {2, 3}), bytesOf({}), bytesOf({7}),
          staticResult(ElementType::Bool, {7})}) {
      Call call = callOf(kernel, {&texts, &texts}, result);
      EXPECT_NE(refusalOf(call), "") << kernel;
    }
  }
  EXPECT_THAT(
      refusalOf(callOf("string_concat", {&texts, &texts}, bytesOf({2, 5}))),
      HasSubstr("a string of 6 bytes; the result holds up to 5"));
  Call match =
      callOf("string_match", {&texts}, staticResult(ElementType::Bool, {2}));
  match.attributes.set("pattern", std::string("(a"));
  EXPECT_THAT(refusalOf(match), HasSubstr("a ) is missing"));
}

TEST(Texts, keepBytesThatAreNoText) {
  HostTensor input = textsOf({2}, {"\xFF\x80 \xC3", std::string("a\0b", 3)}, 4);
  ResultType parts{ElementType::U8, {2, kUnknownSize, 4}, {2, 4, 4}};
  EXPECT_THAT(textsIn(resultOf(callOf("string_split", {&input}, parts))),
              ElementsAre("\xFF\x80", "\xC3", std::string("a\0b", 3), ""));
  Call upper = callOf("string_normalize", {&input}, bytesOf({2, 4}));
  upper.attributes.set("case_change_action", std::string("UPPER"));
  EXPECT_THAT(textsIn(resultOf(upper)),
              ElementsAre("\xFF\x80 \xC3", std::string("A\0B", 3)));
}

TEST(Texts, fitOrTellWhichIsTooLong) {
  HostTensor texts = textsOf({2}, {"abc", "de"}, 8);
  EXPECT_EQ(fitTexts(texts, 3), std::nullopt);
  EXPECT_EQ(texts.shape(), (Shape{2, 3}));
  EXPECT_EQ(fitTexts(texts, 2), std::optional<int64_t>(0));
  EXPECT_THAT(textsIn(texts), ElementsAre("abc", "de"));
}

TEST(Texts, endWhenTheyAreAskedTo) {
  rt::Stop stop;
  stop.setCancelled(true);
  rt::StopScope scope(&stop);
  constexpr int64_t kMany = 1000;
  HostTensor texts(ElementType::U8, {kMany, 1}), rows(ElementType::U8, {2, 1}),
      key(ElementType::U8, {1, 1}), numbers(ElementType::I32, {kMany});
  auto strings = bytesOf({kMany, 1}),
       flags = staticResult(ElementType::Bool, {kMany});
  Call encode = callOf("label_encoder", {&texts, &key, &rows}, strings);
  encode.attributes.set("strings", int64_t(1));
  for (const Call &call :
       {encode, callOf("string_equal", {&texts, &texts}, flags),
        callOf("string_concat", {&texts, &texts}, strings),
        callOf("string_split", {&texts}, bytesOf({kMany, 0, 1})),
        callOf("string_match", {&texts}, flags),
        callOf("string_normalize", {&texts}, strings),
        callOf("string_gather", {&numbers, &texts}, strings)}) {
    std::vector<HostTensor> results;
    EXPECT_EQ(run(call, results).code(), rt::Code::Cancelled) << call.kernel;
  }
}

// Without a limit one string takes 5 s.
TEST(Texts, endInsideOfALongMatch) {
  HostTensor text(ElementType::U8, {1, 10000});
  std::fill_n(text.bytes(), text.sizeBytes(), 'a');
  Call call =
      callOf("string_match", {&text}, staticResult(ElementType::Bool, {1}));
  call.attributes.set("pattern", std::string("((a?){1000}){30}b"));
  rt::Stop stop;
  stop.begin(0.01);
  rt::StopScope scope(&stop);
  auto begin = std::chrono::steady_clock::now();
  std::vector<HostTensor> results;
  EXPECT_EQ(run(call, results).code(), rt::Code::Timeout);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(2));
}

} // namespace
