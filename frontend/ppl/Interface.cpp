//===- Interface.cpp - inputs and outputs of a recorded program ----------===//

#include "frontend/ppl/Interface.h"
#include "dialects/ppl/Function.h"
#include "dialects/ppl/Memory.h"

#include <algorithm>
#include <map>

using namespace mlir;
using namespace weft;
using namespace weft::frontend;

namespace {
struct Span {
  uint64_t begin, end;
};

/// Bytes that have been written, as spans apart from each other.
class Written {
public:
  void add(Span span) {
    auto next = spans.upper_bound(span.begin);
    if (next != spans.begin() && std::prev(next)->second >= span.begin)
      --next;
    while (next != spans.end() && next->first <= span.end) {
      span.begin = std::min(span.begin, next->first);
      span.end = std::max(span.end, next->second);
      next = spans.erase(next);
    }
    spans.emplace(span.begin, span.end);
  }
  bool covers(Span span) const {
    auto next = spans.upper_bound(span.begin);
    return next != spans.begin() && std::prev(next)->second >= span.end;
  }
  /// The elements of a tensor, in runs without gaps; nothing if there are too
  /// many to keep (then the bytes count as not written, which costs a copy).
  void add(const catalog::Tensor &tensor);

private:
  std::map<uint64_t, uint64_t> spans; ///< begin to end
};

/// What the program does with a piece.
struct PieceUse {
  bool isNeeded = false; ///< bytes are read before they are written
  bool isWritten = false;
};
} // namespace

void Written::add(const catalog::Tensor &tensor) {
  constexpr int64_t kMostRuns = 1 << 16;
  uint64_t bits = catalog::bitsOf(tensor.type);
  // Axes from w on that lie without a gap are one run.
  int64_t run = 1, runs = tensor.elements();
  int axis = 3;
  for (; axis >= 0 && (tensor.shape[axis] == 1 || tensor.strides[axis] == run);
       --axis)
    run *= tensor.shape[axis];
  runs /= run;
  if (runs > kMostRuns || uint64_t(run) * bits % 8)
    return;
  for (int64_t number = 0; number < runs; ++number) {
    int64_t rest = number, offset = 0;
    for (int outer = axis; outer >= 0; --outer) {
      offset += rest % tensor.shape[outer] * tensor.strides[outer];
      rest /= tensor.shape[outer];
    }
    uint64_t begin = *tensor.address + uint64_t(offset) * bits / 8;
    add({begin, begin + uint64_t(run) * bits / 8});
  }
}

static std::vector<PieceUse> usesOf(ppl::NetOp net, DeviceMemory &memory,
                                    const Chip &chip) {
  std::vector<PieceUse> uses(memory.pieces.size());
  Written written;
  net.getBody().walk([&](Operation *op) {
    ppl::FunctionOp function(op);
    if (!function)
      return;
    catalog::Call call = function.call(chip);
    for (bool writes : {false, true}) // a function reads before it writes
      for (const catalog::Slot &slot : function.function().slots) {
        const catalog::Tensor *tensor = call.tensor(slot.name);
        if (!tensor || tensor->memory != catalog::Memory::Global ||
            !tensor->address)
          continue;
        const DeviceMemory::Piece *piece = memory.pieceAt(*tensor->address);
        if (!piece)
          continue;
        PieceUse &use = uses[piece - memory.pieces.data()];
        uint64_t bytes = catalog::extentBytes(*tensor, chip);
        Span span{*tensor->address, *tensor->address + bytes};
        bool reads = slot.access != catalog::Access::Write;
        if (!writes && reads && !written.covers(span))
          use.isNeeded = true;
        if (writes && slot.access != catalog::Access::Read) {
          use.isWritten = true;
          // A scatter leaves bytes as they were.
          if (slot.access == catalog::Access::Write)
            written.add(*tensor);
        }
      }
  });
  for (size_t i = 0; i < uses.size(); ++i) {
    const DeviceMemory::Piece &piece = memory.pieces[i];
    if (uses[i].isWritten && piece.isTest &&
        !written.covers({piece.address, piece.address + piece.bytes}))
      uses[i].isNeeded = true; // its other bytes are outputs, too
  }
  return uses;
}

/// Types that a bmodel's interface has; others travel as bytes.
static Type interfaceType(const DeviceMemory::Piece &piece,
                          MLIRContext *context) {
  std::optional<catalog::DataType> type = catalog::dataTypeOf(piece.type);
  Type element = type ? ppl::elementTypeOf(*type, context) : Type();
  if (element && ppl::precisionOf(element))
    return element;
  return IntegerType::get(context, 8, IntegerType::Unsigned);
}

static ppl::IoAttr ioOf(const DeviceMemory::Piece &piece, StringRef name,
                        uint64_t address, MLIRContext *context) {
  Type element = interfaceType(piece, context);
  SmallVector<int64_t> shape(piece.shape, piece.shape + 4);
  uint64_t bytes = 8 * piece.bytes / element.getIntOrFloatBitWidth();
  uint64_t elements = 1;
  for (int64_t size : shape)
    elements *= uint64_t(size);
  if (elements != bytes) // another type than the piece's
    shape = {1, 1, 1, int64_t(bytes)};
  auto tensor = RankedTensorType::get(shape, element);
  return ppl::IoAttr::get(context, StringAttr::get(context, name), tensor,
                          tensor, address, FloatAttr(), 0);
}

/// dma.move of the bytes of a piece, in parts that commands can take.
static void copyPiece(OpBuilder &builder, Location loc, uint64_t to,
                      uint64_t from, const DeviceMemory::Piece &piece) {
  Type element = interfaceType(piece, builder.getContext());
  uint64_t size = element.getIntOrFloatBitWidth() / 8;
  constexpr uint64_t kRow = 4096, kRows = 32768;
  const catalog::Operation *move = catalog::find("dma.move");
  for (uint64_t done = 0; done < piece.bytes / size;) {
    uint64_t left = piece.bytes / size - done;
    uint64_t rows = std::min(left / kRow, kRows);
    SmallVector<int64_t> shape{1, 1, int64_t(std::max<uint64_t>(rows, 1)),
                               int64_t(rows ? kRow : left)};
    auto type = ppl::TensorViewType::get(shape, element, ppl::Memory::Global,
                                         ppl::Layout::Continuous);
    Value dst =
        builder.create<ppl::GlobalOp>(loc, type, int64_t(to + done * size));
    Value src =
        builder.create<ppl::GlobalOp>(loc, type, int64_t(from + done * size));
    ppl::createFunction(builder, loc, *move, {{dst, {}}, {src, {}}});
    done += uint64_t(shape[2] * shape[3]);
  }
}

static std::string nameOf(const DeviceMemory::Piece &piece, size_t number) {
  return piece.name.empty() ? "tensor" + std::to_string(number) : piece.name;
}

/// An input that the program does not read. The vendor's runtime does not
/// survive a net without inputs.
static std::optional<DeviceMemory::Piece> unreadInput(DeviceMemory &memory) {
  constexpr int64_t kBytes = 64;
  const DeviceMemory::Piece *taken = memory.take(kBytes);
  if (!taken)
    return std::nullopt;
  DeviceMemory::Piece piece = *taken;
  piece.name = "no_input";
  piece.type = int32_t(catalog::DataType::Uint8);
  piece.shape[0] = piece.shape[1] = piece.shape[2] = 1;
  piece.shape[3] = kBytes;
  return piece;
}

std::map<std::string, uint64_t>
weft::frontend::describeInterface(ppl::NetOp net, DeviceMemory &memory,
                                  const Chip &chip) {
  MLIRContext *context = net.getContext();
  std::vector<PieceUse> uses = usesOf(net, memory, chip);
  std::map<std::string, uint64_t> sources;
  SmallVector<Attribute> inputs, outputs;
  OpBuilder builder(net.getBody());
  builder.setInsertionPointToStart(&net.getBody().front());
  std::vector<DeviceMemory::Piece> pieces = memory.pieces; // take() adds some
  for (size_t i = 0; i < uses.size(); ++i) {
    const DeviceMemory::Piece &piece = pieces[i];
    std::string name = nameOf(piece, i);
    uint64_t from = piece.address;
    if (uses[i].isNeeded && uses[i].isWritten && piece.isTest) {
      if (const DeviceMemory::Piece *own = memory.take(piece.bytes)) {
        from = own->address;
        copyPiece(builder, net.getLoc(), piece.address, from, piece);
      }
    }
    if (uses[i].isNeeded && piece.isTest) {
      std::string inputName = uses[i].isWritten ? name + "_before" : name;
      inputs.push_back(ioOf(piece, inputName, from, context));
      sources[inputName] = piece.address;
    }
    if (uses[i].isWritten && piece.isTest)
      outputs.push_back(ioOf(piece, name, piece.address, context));
  }
  if (inputs.empty() && !outputs.empty())
    if (auto piece = unreadInput(memory)) {
      inputs.push_back(ioOf(*piece, piece->name, piece->address, context));
      sources[piece->name] = piece->address;
    }
  net.setInputsAttr(builder.getArrayAttr(inputs));
  net.setOutputsAttr(builder.getArrayAttr(outputs));
  net.setContextBytes(memory.used());
  return sources;
}

void weft::frontend::describeOutputs(ppl::NetOp net, DeviceMemory &memory,
                                     const Chip &chip) {
  std::vector<PieceUse> uses = usesOf(net, memory, chip);
  SmallVector<Attribute> outputs;
  for (size_t i = 0; i < uses.size(); ++i) {
    const DeviceMemory::Piece &piece = memory.pieces[i];
    if (uses[i].isWritten && piece.isTest)
      outputs.push_back(
          ioOf(piece, nameOf(piece, i), piece.address, net.getContext()));
  }
  net.setOutputsAttr(Builder(net.getContext()).getArrayAttr(outputs));
  net.setContextBytes(memory.used());
}
