//===- Kinds.cpp - kinds of element-wise and pooling operations
//-------------===//

#include "dialects/top/Kinds.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <limits>

using namespace weft::top;
using llvm::ArrayRef;
using llvm::StringRef;

namespace {
constexpr std::optional<double> kNoParameter = std::nullopt;
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr bool Table = true, NoTable = false;
constexpr bool Commutes = true, Ordered = false;

const UnaryKindRow kUnaryRows[] = {
#define WEFT_UNARY(symbol, spelling, onnx, opset, types, result, alpha, beta,  \
                   domain, table, formula)                                     \
  {UnaryKind::symbol,                                                          \
   #spelling,                                                                  \
   onnx,                                                                       \
   opset,                                                                      \
   KindTypes::types,                                                           \
   KindResult::result,                                                         \
   alpha,                                                                      \
   beta,                                                                       \
   KindDomain::domain,                                                         \
   table},
#include "runtime/host/UnaryKinds.def"
};

const BinaryKindRow kBinaryRows[] = {
#define WEFT_BINARY(symbol, spelling, onnx, opset, types, result, commutes,    \
                    domain, formula)                                           \
  {BinaryKind::symbol, #spelling,          onnx,     opset,                    \
   KindTypes::types,   KindResult::result, commutes, KindDomain::domain},
#include "runtime/host/BinaryKinds.def"
};

constexpr StringRef kPoolSpellings[] = {"max", "avg"};
constexpr StringRef kReduceSpellings[] = {"sum", "prod", "max", "min"};

template <typename Kind, typename Spellings>
mlir::FailureOr<Kind> parseKind(mlir::AsmParser &parser, StringRef what,
                                Spellings spellings) {
  llvm::SMLoc location = parser.getCurrentLocation();
  StringRef keyword;
  if (parser.parseKeyword(&keyword))
    return mlir::failure();
  unsigned index = 0;
  for (StringRef spelling : spellings) {
    if (spelling == keyword)
      return Kind(index);
    ++index;
  }
  return parser.emitError(location)
         << "unknown " << what << " '" << keyword << "'; known are "
         << llvm::join(spellings.begin(), spellings.end(), ", ");
}

template <typename Row>
llvm::SmallVector<StringRef> spellingsOf(ArrayRef<Row> rows) {
  return llvm::map_to_vector(rows, [](const Row &row) { return row.spelling; });
}
} // namespace

ArrayRef<UnaryKindRow> weft::top::unaryKindRows() { return kUnaryRows; }
ArrayRef<BinaryKindRow> weft::top::binaryKindRows() { return kBinaryRows; }
const UnaryKindRow &weft::top::unaryKindRow(UnaryKind kind) {
  return kUnaryRows[unsigned(kind)];
}
const BinaryKindRow &weft::top::binaryKindRow(BinaryKind kind) {
  return kBinaryRows[unsigned(kind)];
}

StringRef weft::top::stringifyUnaryKind(UnaryKind kind) {
  return unaryKindRow(kind).spelling;
}
StringRef weft::top::stringifyBinaryKind(BinaryKind kind) {
  return binaryKindRow(kind).spelling;
}
StringRef weft::top::stringifyPoolKind(PoolKind kind) {
  return kPoolSpellings[unsigned(kind)];
}

std::optional<UnaryKind> weft::top::symbolizeUnaryKind(StringRef spelling) {
  for (const UnaryKindRow &row : kUnaryRows)
    if (row.spelling == spelling)
      return row.kind;
  return std::nullopt;
}
std::optional<BinaryKind> weft::top::symbolizeBinaryKind(StringRef spelling) {
  for (const BinaryKindRow &row : kBinaryRows)
    if (row.spelling == spelling)
      return row.kind;
  return std::nullopt;
}
std::optional<PoolKind> weft::top::symbolizePoolKind(StringRef spelling) {
  if (spelling == "max")
    return PoolKind::Max;
  if (spelling == "avg")
    return PoolKind::Avg;
  return std::nullopt;
}

llvm::raw_ostream &weft::host::operator<<(llvm::raw_ostream &os,
                                          UnaryKind kind) {
  return os << top::stringifyUnaryKind(kind);
}
llvm::raw_ostream &weft::host::operator<<(llvm::raw_ostream &os,
                                          BinaryKind kind) {
  return os << top::stringifyBinaryKind(kind);
}
llvm::raw_ostream &weft::top::operator<<(llvm::raw_ostream &os, PoolKind kind) {
  return os << stringifyPoolKind(kind);
}

mlir::FailureOr<UnaryKind>
mlir::FieldParser<UnaryKind>::parse(AsmParser &parser) {
  return parseKind<UnaryKind>(parser, "unary kind",
                              spellingsOf(unaryKindRows()));
}
mlir::FailureOr<BinaryKind>
mlir::FieldParser<BinaryKind>::parse(AsmParser &parser) {
  return parseKind<BinaryKind>(parser, "binary kind",
                               spellingsOf(binaryKindRows()));
}
mlir::FailureOr<PoolKind>
mlir::FieldParser<PoolKind>::parse(AsmParser &parser) {
  return parseKind<PoolKind>(parser, "pool kind",
                             ArrayRef<StringRef>(kPoolSpellings));
}

StringRef weft::top::stringifyReduceKind(ReduceKind kind) {
  return kReduceSpellings[static_cast<unsigned>(kind)];
}

std::optional<ReduceKind> weft::top::symbolizeReduceKind(StringRef spelling) {
  const auto *found = llvm::find(kReduceSpellings, spelling);
  if (found == std::end(kReduceSpellings))
    return std::nullopt;
  return ReduceKind(found - std::begin(kReduceSpellings));
}

llvm::raw_ostream &weft::top::operator<<(llvm::raw_ostream &os,
                                         ReduceKind kind) {
  return os << stringifyReduceKind(kind);
}

mlir::FailureOr<ReduceKind>
mlir::FieldParser<ReduceKind>::parse(AsmParser &parser) {
  return parseKind<ReduceKind>(parser, "reduction", ArrayRef(kReduceSpellings));
}
