//===- RawDataTest.cpp ----------------------------------------------------===//

#include "frontend/onnx/RawData.h"
#include "frontend/onnx/OnnxModel.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include <filesystem>
#include <fstream>

using namespace weft::onnx;
using testing::HasSubstr;

static std::string varint(uint64_t value) {
  std::string out;
  for (; value >= 0x80; value >>= 7)
    out += char(value | 0x80);
  return out + char(value);
}
static std::string field(unsigned number, const std::string &content) {
  return varint(number << 3 | 2) + varint(content.size()) + content;
}
static std::string number(unsigned number, uint64_t value) {
  return varint(number << 3) + varint(value);
}

/// A model with one u8 initializer of `count` values and a byte before it that
/// puts it at an odd place.
static std::string model(const std::string &values, uint64_t count) {
  std::string tensor =
      number(1, count) + number(2, kUint8) + field(8, "w") + field(9, values);
  return number(1, 8) + field(7, field(2, "g") + field(5, tensor)) +
         field(8, number(2, 13));
}

static llvm::ArrayRef<char> bytesOf(const std::string &text) {
  return {text.data(), text.size()};
}

TEST(RawData, LeavesLargeValuesInTheFile) {
  std::string values(9000, 'v'), file = model(values, values.size());
  auto rest = leaveOutRawData(bytesOf(file));
  ASSERT_TRUE(rest);
  EXPECT_LT(rest->size(), 100u);
  std::string place = std::to_string(file.find(values)) + " 9000";
  EXPECT_THAT(*rest, HasSubstr(field(1, kRawDataKey.str()) + field(2, place)));
}

TEST(RawData, LeavesSmallModelsAlone) {
  EXPECT_FALSE(leaveOutRawData(bytesOf(model("1234", 4))));
  EXPECT_FALSE(leaveOutRawData({}));
}

TEST(RawData, LeavesBrokenModelsToProtobuf) {
  std::string file = model(std::string(9000, 'v'), 9000);
  for (size_t size : {size_t(1), size_t(20), file.size() - 1})
    EXPECT_FALSE(leaveOutRawData(bytesOf(file.substr(0, size)))) << size;
  // A length that leaves 64 bits, and a group.
  EXPECT_FALSE(leaveOutRawData(
      bytesOf("\x3a" + std::string(9, '\xff') + "\x01" + file)));
  EXPECT_FALSE(leaveOutRawData(bytesOf("\x0b" + file)));
}

static llvm::Expected<Model> read(const std::string &bytes) {
  auto path = std::filesystem::temp_directory_path() /
              (std::string("weft_raw_data_") +
               testing::UnitTest::GetInstance()->current_test_info()->name());
  std::ofstream(path, std::ios::binary) << bytes;
  auto model = readModelFile(path.string());
  std::filesystem::remove(path); // the mapping stays
  return model;
}

TEST(RawData, AModelReadsItsFile) {
  std::string values(20001, 'v');
  values[7] = 'x';
  auto file = read(model(values, values.size()));
  ASSERT_TRUE(bool(file));
  ASSERT_EQ(file->initializers.size(), 1u);
  llvm::ArrayRef<char> bytes = file->initializers[0].bytes;
  EXPECT_EQ(std::string(bytes.begin(), bytes.end()), values);
}

TEST(RawData, ChecksSizes) {
  auto file = read(model(std::string(20000, 'v'), 20001));
  ASSERT_TRUE(bool(file));
  EXPECT_THAT(file->problems,
              testing::ElementsAre(HasSubstr(
                  "has 20000 bytes of values, its shape 20001 needs 20001")));
}

/// A file may bring an entry that looks like ours.
TEST(RawData, ChecksPlaces) {
  for (const char *place : {"90000 8", "18446744073709551615 8", "x 8", "8"}) {
    std::string large = number(1, 20000) + number(2, kUint8) + field(8, "w") +
                        field(9, std::string(20000, 'v'));
    std::string forged =
        number(1, 8) + number(2, kUint8) + field(8, "f") +
        field(13, field(1, kRawDataKey.str()) + field(2, place));
    auto file =
        read(number(1, 8) + field(7, field(5, large) + field(5, forged)) +
             field(8, number(2, 13)));
    ASSERT_TRUE(bool(file));
    EXPECT_THAT(file->problems,
                testing::ElementsAre(HasSubstr(
                    "initializer 'f' has raw data outside of the file")));
  }
}
