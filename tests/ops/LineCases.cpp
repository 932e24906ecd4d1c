//===- LineCases.cpp - cases of ops that combine whole lines --------------===//

#include "tests/ops/Ladder.h"

#include <tuple>

using namespace weft::test;
using Case = LadderCase;

static void addSoftmaxes(std::vector<Case> &cases) {
  // The exponential, the sum and the quotient err by 16 ulp together; the short
  // exponential by 2^-18, and each f16 command of some ten that follow each
  // other by 2^-12.
  const std::tuple<std::string, std::string, double> softmaxes[] = {
      {"f32", "", 16 * 0x1p-23},
      {"f32", ", short_steps", 0x1p-17},
      {"f16", ", narrow_steps", 0x1p-8}};
  for (const auto &[type, steps, tolerance] : softmaxes)
    for (int axis : {0, 2, 3}) {
      std::string x = tensor("2x3x5x7", type);
      cases.push_back({"SoftmaxAxis" + std::to_string(axis) +
                           (steps.empty() ? "" : "_" + steps.substr(2)),
                       x, x,
                       "  %y = tpu.softmax %x {axis = " + std::to_string(axis) +
                           " : i64" + steps + "} : " + x + "\n",
                       0, tolerance});
    }
  // Lines in pieces over the lanes, three images of them.
  for (const auto &[type, steps, tolerance] : softmaxes)
    for (const char *shape : {"3x64x1x37", "2x67x1x5", "1x23x1x1"}) {
      std::string x = tensor(shape, type);
      cases.push_back({"SoftmaxOverLanes" + std::string(shape) +
                           (steps.empty() ? "" : "_" + steps.substr(2)),
                       x, x,
                       "  %y = tpu.softmax %x {axis = 3 : i64, over_lanes" +
                           steps + "} : " + x + "\n",
                       0, tolerance});
    }
}

/// Reductions, indices of extremes and running sums along n, h and w; odd sizes
/// and a large one that is cut. A tree over n values rounds log2(n) times: n *
/// 2^-24 * max|x| * log2(n) bounds a sum.
static void addReductions(std::vector<Case> &cases) {
  for (const auto &[axis, shape, result, size] :
       {std::tuple(0, "7x3x5x2", "1x3x5x2", 7),
        {2, "2x3x11x7", "2x3x1x7", 11},
        {3, "2x3x5x13", "2x3x5x1", 13},
        {3, "2x300x9x64", "2x300x9x1", 64},
        {2, "1x70x4x3000", "1x70x1x3000", 4},
        {2, "1x3x2000x40", "1x3x1x40", 2000}}) {
    double sums = size * 2 * 0x1p-24 * 12; // log2(2000) < 12
    std::string tag = std::to_string(axis) + "_" + shape;
    auto add = [&](const std::string &op, const std::string &kind,
                   const std::string &type, const std::string &to,
                   const std::string &more, double absolute) {
      std::string x = tensor(shape, type),
                  y = tensor(op == "cumulative" ? shape : result, to);
      cases.push_back({op + "_" + kind + type + tag + (more.empty() ? "" : "M"),
                       x, y,
                       "  %y = tpu." + op + " " + kind + " %x axis " +
                           std::to_string(axis) + more + " : " + x +
                           (op == "cumulative" ? "" : " -> " + y) + "\n",
                       absolute});
    };
    for (std::string type : {"f32", "f16", "i32", "ui32", "i8", "ui8"}) {
      // Every long line of bytes has the same extremes.
      if (size > 1000 && type.back() == '8')
        continue;
      add("reduce", "max", type, type, "", 0);
      add("reduce", "min", type, type, "", 0);
    }
    add("reduce", "sum", "f32", "f32", "", sums);
    add("reduce", "sum", "i32", "i32", "", 0);
    if (size < 1000) // a long product wraps to 0
      add("reduce", "prod", "i32", "i32", "", 0);
    add("cumulative", "sum", "f32", "f32", "", sums);
    add("cumulative", "sum", "i32", "i32", " {exclusive}", 0);
    add("cumulative", "prod", "ui32", "ui32", " {reverse}", 0);
    add("cumulative", "prod", "i32", "i32", " {exclusive, reverse}", 0);
  }
}

/// The index of the extreme along w of coarse values, many of which are equal.
static void addIndices(std::vector<Case> &cases) {
  std::string x = tensor("2x70x5x9", "f32"), y = tensor("2x70x5x1", "i32"),
              row = tensor("1x1x1x9", "f32");
  for (std::string kind : {"max", "min"})
    for (bool last : {false, true}) {
      std::string codes = last ? "1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0"
                               : "9.0, 8.0, 7.0, 6.0, 5.0, 4.0, 3.0, 2.0, 1.0";
      cases.push_back({"ArgReduce_" + kind + (last ? "Last" : "First"), x, y,
                       "  %c = tpu.weight dense<[[[[" + codes + "]]]]> : " +
                           row + "\n  %r = tpu.unary floor %x : " + x +
                           "\n  %y = tpu.arg_reduce " + kind +
                           " %r, %c axis 3" + (last ? " {last}" : "") + " : " +
                           x + ", " + row + " -> " + y + "\n"});
      // The same codes of a piece, with lines over the lanes.
      for (std::string type : {"f32", "i32"}) {
        std::string lines = tensor("2x61x1x9", type),
                    places = tensor("2x1x1x1", "i32"),
                    piece = tensor("1x1x1x9", type);
        std::string numbers = codes;
        if (type == "i32")
          for (size_t dot; (dot = numbers.find(".0")) != std::string::npos;)
            numbers.erase(dot, 2);
        std::string coarse =
            type == "f32" ? "  %r = tpu.unary round %x : " + lines + "\n" : "";
        cases.push_back(
            {"ArgReduceOverLanes_" + type + kind + (last ? "Last" : "First"),
             lines, places,
             "  %c = tpu.weight dense<[[[[" + numbers + "]]]]> : " + piece +
                 "\n" + coarse + "  %y = tpu.arg_reduce " + kind + " " +
                 (coarse.empty() ? "%x" : "%r") + ", %c axis 3 {" +
                 (last ? "last, " : "") + "over_lanes} : " + lines + ", " +
                 piece + " -> " + places + "\n"});
      }
    }
}

void weft::test::addLines(std::vector<Case> &cases) {
  addSoftmaxes(cases);
  addReductions(cases);
  addIndices(cases);
}
