//===- WindowsTest.cpp - windows cut and joined by transfers --------------===//
//
// Images are rolled, cut into windows, computed on, joined and rolled again: by
// moves in DRAM as they stand, and by the load and the store of the one group
// that --tpu-join-moves and --tpu-fold-turns make of them, in several tilings.
//
//===----------------------------------------------------------------------===//

#include "tests/unit/codegen/emit/ProgramRunner.h"

#include "passes/tpu/Passes.h"

#include "gtest/gtest.h"

#include <random>

using namespace mlir;
using namespace weft;
using namespace weft::test;

namespace {
class RandomWindows {
public:
  RandomWindows(uint32_t seed, std::string element, int64_t bytes)
      : generator(seed), element(std::move(element)), bytes(bytes),
        high(2 + pick(6)), wide(4 + pick(5)), down(2 + pick(3)),
        across(2 + pick(3)), channels(50 + pick(80)) {
    std::string flat = type({1, rows(), 1, channels}),
                cut = type({down * across, high * wide, 1, channels});
    now = flat;
    roll();
    turn(/*cuts=*/true);
    reshape(cut);
    line("tpu.binary max " + value + ", " + value + " : " + cut + ", " + cut +
         " -> " + cut);
    turn(/*cuts=*/false);
    roll();
    reshape(flat);
  }

  std::string text() const {
    std::string flat = type({1, rows(), 1, channels}), io = flat;
    if (size_t code = io.find("!"); code != std::string::npos)
      io = io.substr(0, code) + "f32>";
    return "module attributes {tpu.chip = \"bm1684x\", tpu.precision = "
           "\"f32\"} {\nfunc.func @main(%x: " +
           flat + " {tpu.io = {name = \"x\", type = " + io + "}}) -> (" + flat +
           " {tpu.io = {name = \"y\", type = " + io + "}}) {\n" + body +
           "return " + value + " : " + flat + "\n}\n}\n";
  }

  std::vector<uint8_t> input() {
    std::vector<uint8_t> numbers;
    for (int64_t i = 0; i < rows() * channels * bytes; ++i)
      numbers.push_back(uint8_t(generator() % 0x78)); // no f16 or f32 is a NaN
    return numbers;
  }
  int64_t windows() const { return down * across; }

private:
  int64_t pick(int64_t most) { return int64_t(1 + generator() % most); }
  int64_t rows() const { return high * wide * down * across; }
  static std::string number(int64_t n) { return std::to_string(n); }
  std::string type(const std::vector<int64_t> &shape) const {
    std::string sizes;
    for (int64_t size : shape)
      sizes += number(size) + "x";
    return "tensor<" + sizes + element + ">";
  }
  void line(const std::string &text) {
    value = "%v" + number(++count);
    body += value + " = " + text + "\n";
  }
  void reshape(const std::string &to) {
    line("tpu.reshape " + value + " : " + now + " -> " + to);
    now = to;
  }

  /// Both axes of the image, by some pixels each.
  void roll() {
    std::vector<int64_t> image{1, high * down, wide * across, channels};
    reshape(type(image));
    for (size_t axis : {1, 2}) {
      int64_t by = pick(image[axis] - 1);
      std::string whole = value, parts, types;
      for (bool isEnd : {true, false}) {
        std::vector<int64_t> shape = image, offsets{0, 0, 0, 0};
        shape[axis] = isEnd ? image[axis] - by : by;
        offsets[axis] = isEnd ? by : 0;
        line("tpu.slice " + whole + " [0, " + number(offsets[1]) + ", " +
             number(offsets[2]) + ", 0] steps [1, 1, 1, 1] : " + now + " -> " +
             type(shape));
        parts += (isEnd ? "" : ", ") + value;
        types += (isEnd ? "" : ", ") + type(shape);
      }
      line("tpu.concat " + parts + " axis " + number(int64_t(axis)) + " : (" +
           types + ") -> " + now);
    }
  }

  /// Between an image and its windows.
  void turn(bool cuts) {
    int64_t row = wide * channels, line1 = across * row, window = high * row;
    reshape(type({1, down, across * high, row}));
    std::string inImage = number(high * line1) + ", " + number(row) + ", " +
                          number(line1) + ", 1",
                inWindows = number(across * window) + ", " + number(window) +
                            ", " + number(row) + ", 1";
    line("tpu.arrange " + value + " pieces [#tpu.piece<0, 0, 0, [" +
         number(down) + ", " + number(across) + ", " + number(high) + ", " +
         number(row) + "], [" + (cuts ? inImage : inWindows) + "], [" +
         (cuts ? inWindows : inImage) + "]>] : (" + now + ") -> " + now);
  }

  std::mt19937 generator;
  std::string element;
  int64_t bytes, high, wide, down, across, channels, count = 0;
  std::string body, value = "%x", now;
};
} // namespace

/// In one group that loads and stores; empty with a test failure if it is not.
static std::string inOneGroup(const std::string &text) {
  std::string joined =
      afterPass(text, tpu::createTpuJoinMoves(), "tpu.arrange");
  EXPECT_EQ(joined.find("tpu.concat"), std::string::npos) << joined;
  std::string folded =
      afterPass(afterPass(joined, tpu::createTpuGroupLayers(), "tpu.group"),
                tpu::createTpuFoldTurns(), "tpu.arrange");
  EXPECT_NE(folded.find("tpu.group(%arg0)"), std::string::npos) << folded;
  return folded;
}

static void expectSame(RandomWindows &windows) {
  std::string text = windows.text(), grouped = inOneGroup(text);
  std::vector<uint8_t> input = windows.input();
  ProgramRunner plain(text);
  ASSERT_TRUE(plain.ok()) << text;
  auto wanted = plain.run({input});
  int64_t all = windows.windows();
  for (const tpu::Tiling &tiling :
       {tpu::Tiling{{1, 1, 1, 1}}, tpu::Tiling{{(all + 2) / 3, 1, 1, 1}},
        tpu::Tiling{{all, 1, 1, 1}, /*isStreamed=*/true},
        tpu::Tiling{{2, 1, 1, 2}}}) {
    SCOPED_TRACE(std::to_string(tiling.counts[0]) + " slices of images, " +
                 std::to_string(tiling.counts[3]) + " of rows");
    ProgramRunner program(grouped, &tiling);
    ASSERT_TRUE(program.ok()) << grouped;
    EXPECT_EQ(program.run({input}), wanted) << grouped;
  }
}

TEST(Windows, AreTheSameByTransfers) {
  for (uint32_t seed = 0; seed < 6; ++seed)
    for (auto [element, bytes] :
         {std::pair("f32", 4), std::pair("f16", 2),
          std::pair("!quant.uniform<i8:f32, 0.05>", 1)}) {
      RandomWindows windows(seed, element, bytes);
      SCOPED_TRACE(std::string(element) + ", seed " + std::to_string(seed));
      expectSame(windows);
    }
}
