//===- OnnxModelTest.cpp - what is refused before there is a graph --------===//

#include "frontend/onnx/OnnxModel.h"
#include "tests/unit/frontend/OnnxText.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>

using namespace weft::test;
using testing::HasSubstr;

static std::string tiny() {
  return onnxGraph(13, "(float[4] x) => (float[4] y) { y = Relu(x) }");
}
static std::string tinyWithWeight() {
  return onnxGraph(13, "(float[4] x) => (float[4] y) { y = Add(x, w) }");
}

TEST(OnnxModel, EmptyFile) {
  EXPECT_EQ(failure(""), "weft: error: m.onnx: is empty\n");
}

TEST(OnnxModel, NotOnnx) {
  EXPECT_EQ(failure("PK\x03\x04 this is a zip file"),
            "weft: error: m.onnx: is not an ONNX model (no protobuf message "
            "ModelProto)\n");
}

TEST(OnnxModel, TruncatedFileNamesTheFieldAndBytes) {
  std::string bytes = tiny();
  EXPECT_THAT(failure(bytes.substr(0, bytes.size() / 2)),
              HasSubstr("weft: error: m.onnx: is truncated: field 'graph' at "
                        "byte "));
}

TEST(OnnxModel, EveryTruncationFailsWithOneLineOrIsAModel) {
  std::string bytes = tinyWithWeight();
  for (size_t size = 0; size < bytes.size(); ++size) {
    std::string messages = failure(bytes.substr(0, size));
    EXPECT_THAT(messages, HasSubstr("weft: error: m.onnx: ")) << size;
  }
}

TEST(OnnxModel, BrokenInside) {
  // Field 7 (graph) with a length-delimited field 1 that is longer than graph.
  EXPECT_EQ(failure(std::string("\x08\x08\x3a\x03\x0a\x7f\x00", 7)),
            "weft: error: m.onnx: is broken inside: its parts are no valid "
            "protobuf messages\n");
}

TEST(OnnxModel, NestedTooDeeply) {
  EXPECT_EQ(failure(nestedModel(60)),
            "weft: error: m.onnx: nests graphs too deeply: more than 100 "
            "messages within each other\n");
}

TEST(OnnxModel, OpsetTooOldAndTooNew) {
  EXPECT_EQ(failure(onnxGraph(0, "(float[4] x) => (float[4] y) "
                                 "{ y = Relu(x) }")),
            "weft: error: m.onnx: unsupported: the model uses opset 0; Weft "
            "reads 1 to 28, convert it with onnx.version_converter\n");
  EXPECT_THAT(failure(onnxGraph(29, "(float[4] x) => (float[4] y) "
                                    "{ y = Relu(x) }")),
              HasSubstr("the model uses opset 29; Weft reads 1 to 28"));
}

TEST(OnnxModel, NoOpset) {
  EXPECT_EQ(failure(onnxBytes("<ir_version: 8, opset_import: [\"a\" : 1]> g "
                              "(float[4] x) => (float[4] y) "
                              "{ y = Relu(x) }")),
            "weft: error: m.onnx: the model imports no opset of ONNX's own "
            "domain (opset_import)\n");
}

TEST(OnnxModel, NanWeight) {
  float values[4] = {1, 2, std::numeric_limits<float>::quiet_NaN(), 4};
  std::string raw(reinterpret_cast<char *>(values), sizeof values);
  EXPECT_EQ(failure(withInitializer(tinyWithWeight(), 1, {4}, raw)),
            "weft: error: m.onnx: initializer 'w' is NaN at element 2 of 4; a "
            "NaN weight makes every result NaN, export the model again\n");
}

TEST(OnnxModel, NanHalfWeight) {
  uint16_t values[2] = {0x3c00, 0x7e00};
  std::string raw(reinterpret_cast<char *>(values), sizeof values);
  EXPECT_THAT(failure(withInitializer(tinyWithWeight(), 10, {2}, raw)),
              HasSubstr("initializer 'w' is NaN at element 1 of 2"));
}

TEST(OnnxModel, WeightDataOfWrongSize) {
  EXPECT_EQ(failure(withInitializer(tinyWithWeight(), 1, {4}, "123456")),
            "weft: error: m.onnx: initializer 'w' has 6 bytes of values, its "
            "shape 4 needs 16\n");
}

TEST(OnnxModel, HugeAndNegativeWeightDims) {
  EXPECT_EQ(failure(withInitializer(tinyWithWeight(), 1,
                                    {int64_t(1) << 40, int64_t(1) << 40}, "")),
            "weft: error: m.onnx: initializer 'w' has the shape "
            "1099511627776x1099511627776; each dimension must be >= 0 and "
            "there may be at most 2147483647 elements\n");
  EXPECT_THAT(failure(withInitializer(tinyWithWeight(), 1, {-4}, "")),
              HasSubstr("initializer 'w' has the shape -4; each dimension must "
                        "be >= 0"));
}

TEST(OnnxModel, UnknownAndUnsupportedElementTypes) {
  EXPECT_EQ(failure(withInitializer(tinyWithWeight(), 99, {4}, "")),
            "weft: error: m.onnx: initializer 'w' has element type 99, which "
            "ONNX does not define\n");
  EXPECT_EQ(failure(withInitializer(tinyWithWeight(), 14, {4}, "abcd")),
            "weft: error: m.onnx: unsupported: initializer 'w' has element "
            "type complex64; use a float type, an integer type, bool or "
            "string\n");
}

TEST(OnnxModel, SparseInitializer) {
  EXPECT_THAT(failure(withSparseInitializer(tiny(), "s")),
              HasSubstr("unsupported: initializer 's' is sparse; store it as a "
                        "dense tensor"));
}

TEST(OnnxModel, MissingFileAndFolder) {
  EXPECT_EQ(importFile("/nonexistent/a.onnx").messages,
            "weft: error: /nonexistent/a.onnx: cannot be read: no such file or "
            "directory\n");
  EXPECT_EQ(importFile("/").messages,
            "weft: error: /: is a folder, not a file\n");
}

namespace {
/// A folder of its own with a model, a data file beside it and one above.
class ExternalData : public testing::Test {
protected:
  void SetUp() override {
    auto *test = testing::UnitTest::GetInstance()->current_test_info();
    root = std::filesystem::path(testing::TempDir()) /
           (std::string("weft_external_") + test->name() + "_" +
            std::to_string(::getpid()));
    folder = root / "model";
    std::filesystem::create_directories(folder);
    float values[6] = {9, 1, 2, 3, 4, 9};
    write(folder / "w.bin", {reinterpret_cast<char *>(values), sizeof values});
    write(root / "secret.bin",
          {reinterpret_cast<char *>(values), sizeof values});
  }
  void TearDown() override { std::filesystem::remove_all(root); }

  static void write(const std::filesystem::path &path,
                    const std::string &bytes) {
    std::ofstream(path, std::ios::binary) << bytes;
  }
  Imported import(const ExternalTensor &tensor) {
    write(folder / "m.onnx", withExternalTensor(tinyWithWeight(), tensor));
    return importFile((folder / "m.onnx").string());
  }
  std::string message(const ExternalTensor &tensor) {
    Imported result = import(tensor);
    EXPECT_FALSE(result.module);
    std::string prefix = "weft: error: " + (folder / "m.onnx").string() + ": ";
    EXPECT_THAT(result.messages, testing::StartsWith(prefix));
    return result.messages.substr(
        std::min(prefix.size(), result.messages.size()));
  }
  std::filesystem::path root, folder;
};
} // namespace

TEST_F(ExternalData, IsRead) {
  Imported result = import({"w.bin", "4", "16"});
  ASSERT_TRUE(result.module) << result.messages;
  EXPECT_THAT(result.text, HasSubstr("top.constant dense<[1.000000e+00, "
                                     "2.000000e+00, 3.000000e+00, "
                                     "4.000000e+00]> : tensor<4xf32>"));
}
TEST_F(ExternalData, Missing) {
  EXPECT_EQ(message({"v.bin", "", ""}),
            "initializer 'w' has its data in 'v.bin', which does not exist "
            "beside the model\n");
}
TEST_F(ExternalData, EscapesByDots) {
  EXPECT_EQ(message({"../secret.bin", "0", "16"}),
            "initializer 'w' has its data in '../secret.bin', which is outside "
            "of the model's folder; keep the file beside the model\n");
}
TEST_F(ExternalData, EscapesByAbsolutePath) {
  EXPECT_THAT(message({(root / "secret.bin").string(), "0", "16"}),
              HasSubstr("which is outside of the model's folder"));
}
TEST_F(ExternalData, EscapesByLink) {
  std::filesystem::create_symlink(root / "secret.bin", folder / "link.bin");
  EXPECT_EQ(message({"link.bin", "0", "16"}),
            "initializer 'w' has its data in 'link.bin', which is a link out "
            "of the model's folder\n");
}
TEST_F(ExternalData, NotARegularFile) {
  std::filesystem::create_directory(folder / "dir.bin");
  EXPECT_THAT(message({"dir.bin", "0", "16"}),
              HasSubstr("which is not a regular file"));
}
TEST_F(ExternalData, TooShort) {
  EXPECT_EQ(message({"w.bin", "12", "16"}),
            "initializer 'w' needs bytes 12 to 28 of 'w.bin', which has 24\n");
}
TEST_F(ExternalData, OffsetOverflows) {
  EXPECT_THAT(message({"w.bin", "18446744073709551615", "16"}),
              HasSubstr("needs bytes 18446744073709551615 to"));
}
TEST_F(ExternalData, OffsetIsNoNumber) {
  EXPECT_EQ(
      message({"w.bin", "-4", "16"}),
      "initializer 'w' has external offset '-4', which is not a number\n");
}
TEST_F(ExternalData, LengthDiffersFromShape) {
  EXPECT_EQ(message({"w.bin", "0", "12"}),
            "initializer 'w' has 12 bytes of external data, its shape 4 needs "
            "16\n");
}
TEST(OnnxModel, ExternalDataOfAModelInMemory) {
  EXPECT_EQ(failure(withExternalTensor(tinyWithWeight(), {"w.bin", "", ""})),
            "weft: error: m.onnx: initializer 'w' has external data, which a "
            "model in memory cannot have; give the model as a file\n");
}
