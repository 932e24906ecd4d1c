//===- Batch.h - many ops on one input, rung by rung -----------*- C++ -*-===//

#ifndef WEFT_TESTS_OPS_BATCH_H
#define WEFT_TESTS_OPS_BATCH_H

#include <cstdint>
#include <string>
#include <vector>

namespace weft::test {

/// Ops on one input; each gives a result of its own.
class Batch {
public:
  /// `input`: the type of %x; `stored`: its bytes.
  Batch(std::string input, std::vector<uint8_t> stored)
      : input(std::move(input)), stored(std::move(stored)) {}

  /// `op` on %x without its types, which follow; `operands` are those beside
  /// %x.
  void add(const std::string &op, const std::string &output,
           const std::string &operands = "");
  /// `op` with the types of its operands as they are written.
  void addTyped(const std::string &op, const std::string &operands,
                const std::string &output);
  /// The same with the bytes of %x as codes of `type`.
  void addOnCodes(const std::string &type, std::string op,
                  const std::string &output, const std::string &operands = "");
  /// Lines that several ops use: constants and parts of the input.
  void define(const std::string &lines) { definitions += lines; }
  /// Lines that only the next op uses.
  void defineNext(const std::string &lines) { next += lines; }

  size_t size() const { return ops.size(); }

  /// Whether commands on the emulator give the bytes of the evaluator for
  /// everything that was added; a NaN may be another one. If not, that is
  /// reported as a failure of the test.
  bool agrees() const;

private:
  struct Op {
    std::string before, line, output; ///< the line without its result's name
  };

  std::string text(size_t begin, size_t end) const;
  bool agrees(size_t begin, size_t end) const;

  std::string input, definitions, next;
  std::vector<uint8_t> stored;
  std::vector<Op> ops;
};

/// A type of 8-bit codes; `scale` is written as in IR.
std::string codes(bool isSigned, int zeroPoint = 0,
                  const std::string &scale = "0.02");

/// The same with the zero point number `number` of its range, from 0 to 255.
std::string codesFrom(bool isSigned, int number,
                      const std::string &scale = "0.02");

/// A tensor that holds every byte once, in order.
inline const char *const kShape = "1x1x16x16";
std::vector<uint8_t> everyByte();

/// A tensor that holds every word of 16 bits once, in order.
inline const char *const kWordShape = "1x16x64x64";
std::vector<uint8_t> everyWord();

/// Ends, what is near 0 and 1, and multipliers as lowering makes them.
inline constexpr int64_t kMultipliers[] = {
    -2147483648, -1073741825, -1, 0, 1, 3, 1073741824, 1717986918, 2147483647};

} // namespace weft::test

#endif // WEFT_TESTS_OPS_BATCH_H
