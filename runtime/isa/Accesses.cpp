#include "runtime/isa/Accesses.h"

#include <algorithm>

using namespace weft;
using namespace weft::isa;

namespace {

struct Shape {
  uint64_t n = 1, c = 1, h = 1, w = 1;
  uint64_t count() const { return n * c * h * w; }
};
/// In elements.
struct Strides {
  uint64_t n = 0, c = 0, h = 0, w = 0;
};

/// Bits of an element. The code 7 means nothing; it counts as a byte.
unsigned bitsOf(Precision precision) {
  if (precision == Precision::Int4)
    return 4;
  unsigned bytes = elementBytes(precision);
  return bytes == 0 ? 8 : bytes * 8;
}

/// a * b, at most 2^48: far beyond every memory, and sums of a few stay exact.
uint64_t cappedProduct(uint64_t a, uint64_t b) {
  constexpr uint64_t kCap = uint64_t(1) << 48;
  uint64_t product;
  return __builtin_mul_overflow(a, b, &product) || product > kCap ? kCap
                                                                  : product;
}

uint64_t roundUp(uint64_t value, uint64_t unit) {
  return (value + unit - 1) / unit * unit;
}

uint64_t less1(uint64_t count) { return count == 0 ? 0 : count - 1; }

class Collector {
public:
  Collector(const Decoded &command, const Chip &chip)
      : command(command), chip(chip) {}

  std::vector<Access> collect() {
    if (command.engine == Engine::Gdma)
      gdma();
    else
      tiu();
    return std::move(accesses);
  }

private:
  const Decoded &command;
  const Chip &chip;
  std::vector<Access> accesses;

  uint64_t get(Field field) const { return command.get(field); }
  Precision precision(Field field) const { return Precision(get(field)); }

  Shape resultShape() const {
    return {get(Field::res0_n), get(Field::res0_c), get(Field::res0_h),
            get(Field::res0_w)};
  }

  //===-- local memory ----------------------------------------------------===//

  /// Strides of a tensor that starts in `lane`.
  Strides layoutStrides(Layout layout, const Shape &shape, unsigned bits,
                        uint32_t lane) const {
    if (layout == Layout::Channel)
      return {0, 1, 0, 0};
    uint64_t plane = cappedProduct(shape.h, shape.w);
    if (layout != Layout::Compact)
      plane = roundUp(plane, chip.euBytes * 8 / bits);
    return {cappedProduct(rowsFrom(lane, shape.c), plane), plane, shape.w, 1};
  }
  /// Image rows start on an EU row.
  Strides lineStrides(const Shape &shape, unsigned bits, uint32_t lane) const {
    uint64_t line = roundUp(shape.w, chip.euBytes * 8 / bits);
    uint64_t plane = cappedProduct(shape.h, line);
    return {cappedProduct(rowsFrom(lane, shape.c), plane), plane, line, 1};
  }
  uint64_t rowsFrom(uint32_t lane, uint64_t channels) const {
    return (lane + channels + chip.lanes - 1) / chip.lanes;
  }
  uint32_t laneOf(uint64_t tiuAddress) const {
    return uint32_t(tiuAddress / chip.laneBytes % chip.lanes);
  }

  void addLocal(std::string_view operand, bool isWrite, uint64_t offset,
                uint32_t lane, unsigned bits, const Shape &shape,
                const Strides &strides, uint64_t movedBytes = 0) {
    if (shape.n == 0 || shape.c == 0 || shape.h == 0 || shape.w == 0)
      return;
    uint64_t last = cappedProduct(shape.n - 1, strides.n) +
                    cappedProduct(rowsFrom(lane, shape.c) - 1, strides.c) +
                    cappedProduct(shape.h - 1, strides.h) +
                    cappedProduct(shape.w - 1, strides.w);
    uint64_t bytes = ((last + 1) * bits + 7) / 8;
    Access access;
    access.operand = operand;
    access.isWrite = isWrite;
    access.begin = std::min<uint64_t>(offset, chip.laneBytes);
    access.end = std::min<uint64_t>(offset + bytes, chip.laneBytes);
    access.firstLane = lane;
    access.lanes = uint32_t(std::min<uint64_t>(shape.c, chip.lanes));
    access.leavesMemory = offset + bytes > chip.laneBytes;
    access.movedBytes = movedBytes;
    accesses.push_back(access);
  }

  /// A TIU operand at the address field `address`.
  void add(std::string_view operand, bool isWrite, Field address,
           Precision precision, const Shape &shape, const Strides &strides) {
    addLocal(operand, isWrite, get(address) % chip.laneBytes,
             laneOf(get(address)), bitsOf(precision), shape, strides);
  }
  void add(std::string_view operand, bool isWrite, Field address,
           Precision precision, const Shape &shape,
           Layout layout = Layout::Aligned) {
    add(operand, isWrite, address, precision, shape,
        layoutStrides(layout, shape, bitsOf(precision), laneOf(get(address))));
  }
  void addLines(std::string_view operand, bool isWrite, Field address,
                Precision precision, const Shape &shape) {
    add(operand, isWrite, address, precision, shape,
        lineStrides(shape, bitsOf(precision), laneOf(get(address))));
  }
  /// The result; `alsoRead` if the command adds to what is there.
  void addResult(const Shape &shape, bool alsoRead = false) {
    if (alsoRead)
      add("res0", false, Field::res0_addr, precision(Field::res0_prec), shape);
    add("res0", true, Field::res0_addr, precision(Field::res0_prec), shape);
  }

  //===-- TIU -------------------------------------------------------------===//

  void tiu() {
    switch (TiuType(command.type)) {
    case TiuType::Conv:
      return conv();
    case TiuType::PoolOrDepthwise:
      return poolOrDepthwise();
    case TiuType::MatMul:
      return command.func >= mm::NN ? matMul2() : matMul();
    case TiuType::Arith:
      return arith();
    case TiuType::Quant:
      return quant();
    case TiuType::TransposeBroadcast:
      return transposeBroadcast();
    case TiuType::Gather:
      return gather();
    case TiuType::Special:
      return special();
    case TiuType::Linear:
      return linear();
    case TiuType::Compare:
      return compare();
    case TiuType::OuterProduct:
      return outerProduct();
    case TiuType::LinearArith:
    case TiuType::System:
      return;
    }
  }

  Strides freeStrides(Field n, Field c, Field h, Field w) const {
    return {get(n), get(c), get(h), get(w)};
  }

  void conv() {
    Shape out = resultShape();
    Shape in = {out.n, get(Field::opd0_c), get(Field::opd0_h),
                get(Field::opd0_w)};
    Precision input = precision(Field::opd0_prec);
    if (Layout(get(Field::opd0_str)) == Layout::Free)
      add("opd0", false, Field::opd0_addr, input, in,
          freeStrides(Field::opd0_n_str, Field::opd0_c_str, Field::opd0_h_str,
                      Field::opd0_w_str));
    else
      add("opd0", false, Field::opd0_addr, input, in);
    uint64_t pack =
        input == Precision::Fp32 ? 1 : chip.euBytes * 8 / bitsOf(input);
    uint64_t weights = cappedProduct(roundUp(in.c, pack),
                                     get(Field::opd1_h) * get(Field::opd1_w));
    if (!get(Field::opd1_const)) // the kernels of a lane one after the other
      add("opd1", false, Field::opd1_addr, input, {1, out.c, 1, weights},
          Strides{0, weights, 0, 1});
    bool requantised = command.func != conv::Normal;
    if (!get(Field::opd2_const))
      add("opd2", false, Field::opd2_addr,
          isFloat(input) ? Precision::Fp32
          : requantised  ? Precision::Int16
                         : Precision::Int8,
          {1, out.c, 1, 1}, Layout::Compact);
    if (!get(Field::opd3_const) && !requantised)
      add("opd3", false, Field::opd3_addr, input, {1, in.c, 1, 2},
          Layout::Compact);
    addResult(out, get(Field::res_add));
  }

  void poolOrDepthwise() {
    Shape out = resultShape();
    Precision input = precision(Field::opd0_prec);
    add("opd0", false, Field::opd0_addr, input,
        {out.n, out.c, get(Field::opd0_h), get(Field::opd0_w)});
    bool overRegions = command.func >= pord::RoiDepthwise;
    bool depthwise = command.func == pord::Depthwise ||
                     command.func == pord::DepthwiseRelu ||
                     command.func == pord::RoiDepthwise;
    if (depthwise && !get(Field::opd1_const))
      add("opd1", false, Field::opd1_addr, input,
          {1, out.c, get(Field::opd1_h), get(Field::opd1_w)}, Layout::Compact);
    if (depthwise && !get(Field::opd2_const))
      add("opd2", false, Field::opd2_addr,
          isFloat(input) ? input : Precision::Int32, {1, out.c, 1, 1},
          Layout::Compact);
    // Boxes of four int16 per output column, or pad and insert values.
    if (overRegions && !get(Field::opd3_const))
      add("opd3", false, Field::opd3_addr, Precision::Int16, {1, out.w, 1, 4},
          Layout::Compact);
    else if (!get(Field::opd3_const))
      add("opd3", false, Field::opd3_addr, input, {1, out.c, 1, 2},
          Layout::Compact);
    addResult(out);
  }

  void matMul() {
    Precision input = precision(Field::opd0_prec);
    uint64_t rows = get(Field::opd0_n);
    Shape left = {rows, get(Field::opd0_c), 1, get(Field::opd0_w)};
    uint64_t columns =
        less1(left.c) * left.w + std::min(get(Field::opd1_w), left.w);
    bool transposed = get(Field::left_tran);
    Shape right = {transposed ? rows : columns, get(Field::res0_c), 1,
                   get(Field::res0_w)};
    Shape out = right;
    out.n = transposed ? columns : rows;
    if (!get(Field::opd0_const))
      add("opd0", false, Field::opd0_addr, input, left);
    add("opd1", false, Field::opd1_addr, input, right);
    bool requantised = command.func != mm::Normal;
    if (!get(Field::opd2_const) && (input == Precision::Fp32 || requantised))
      add("opd2", false, Field::opd2_addr,
          requantised ? Precision::Int16 : Precision::Fp32,
          {1, right.c, 1, right.w});
    addResult(out, get(Field::res_add));
  }

  void matMul2() {
    Precision input = precision(Field::opd0_prec);
    uint64_t rows = get(Field::res0_c), columns = get(Field::res0_w);
    uint64_t c1 = get(Field::opd1_c), w1 = get(Field::opd1_w);
    Shape left = {1, rows, 1, c1}, right = {1, c1, 1, w1};
    if (command.func == mm::NN) {
      columns = w1;
    } else if (command.func == mm::NT) {
      left.w = w1;
      columns = c1;
    } else {
      left = {1, w1, 1, columns};
      right = {1, rows, 1, w1};
    }
    if (!get(Field::opd0_const))
      add("opd0", false, Field::opd0_addr, input, left);
    if (!get(Field::opd1_const))
      add("opd1", false, Field::opd1_addr, input, right);
    if (!isFloat(input) && !get(Field::opd2_const)) {
      if (command.func == mm::TT)
        add("opd2", false, Field::opd2_addr, input, {1, rows, 1, 1},
            Layout::Compact);
      else // the same row in every lane
        add("opd2", false, Field::opd2_addr, input, {1, chip.lanes, 1, columns},
            Strides{0, 0, 0, 1});
    }
    addResult({1, rows, 1, columns}, get(Field::res_add));
  }

  void addArith(std::string_view operand, bool isWrite, Field address,
                Field layout, Precision precision, const Shape &shape,
                const Strides &strides) {
    if (Layout(get(layout)) == Layout::Free)
      add(operand, isWrite, address, precision, shape, strides);
    else
      add(operand, isWrite, address, precision, shape, Layout(get(layout)));
  }

  void arith() {
    Shape shape = resultShape(), source = shape;
    if (command.func == arith::CopyOverN)
      source.n = 1;
    uint64_t operands = get(Field::tsk_opd_num);
    // Index makers write one aligned row a channel, whatever n, h and the
    // layout say.
    if (command.func == arith::EuIndex || command.func == arith::LaneIndex)
      return add("res0", true, Field::res0_addr, precision(Field::res0_prec),
                 {1, shape.c, 1, shape.w});
    if (!get(Field::opd0_const))
      addArith("opd0", false, Field::opd0_addr, Field::opd0_str,
               precision(Field::opd0_prec), source,
               freeStrides(Field::opd0_n_str, Field::opd0_c_str,
                           Field::opd0_h_str, Field::opd0_w_str));
    if (operands >= 2 && !get(Field::opd1_const))
      addArith("opd1", false, Field::opd1_addr, Field::opd1_str,
               precision(Field::opd1_prec), shape,
               freeStrides(Field::opd1_n_str, Field::opd1_c_str,
                           Field::opd1_h_str, Field::opd1_w_str));
    if (operands >= 3 && !get(Field::opd2_const))
      arithThird(shape);
    Strides strides = freeStrides(Field::res0_n_str, Field::res0_c_str,
                                  Field::res0_h_str, Field::res0_w_str);
    Precision result = precision(Field::res0_prec);
    if (command.func == arith::Mac) // adds to the result
      addArith("res0", false, Field::res0_addr, Field::res0_str, result, shape,
               strides);
    addArith("res0", true, Field::res0_addr, Field::res0_str, result, shape,
             strides);
  }

  /// One value a channel, compact: selected, or the amount of a shift.
  void arithThird(const Shape &shape) {
    Precision third = Precision::Int8;
    switch (command.func) {
    case arith::SelectGreater:
    case arith::SelectEqual:
    case arith::SelectLess:
      third = precision(Field::opd2_prec);
      break;
    case arith::Mac:
      third = Precision::Int16;
      break;
    default:
      break;
    }
    add("opd2", false, Field::opd2_addr, third, {1, shape.c, 1, 1},
        Layout::Compact);
  }

  void quant() {
    Shape shape = resultShape();
    add("opd0", false, Field::opd0_addr, precision(Field::opd0_prec), shape);
    bool threeWords = command.func == quant::Rq1 || command.func == quant::Dq1;
    if (!get(Field::opd1_const)) // an EU row a channel
      add("opd1", false, Field::opd1_addr, Precision::Int32,
          {1, shape.c, 1, threeWords ? 3u : 2u});
    addResult(shape);
  }

  void transposeBroadcast() {
    Shape shape = resultShape();
    Precision kind = precision(Field::res0_prec);
    switch (command.func) {
    case tsbc::CwTranspose:
    case tsbc::WcTranspose:
      add("opd0", false, Field::opd0_addr, kind,
          {shape.n, shape.w, shape.h, shape.c});
      if (command.func == tsbc::CwTranspose)
        return addLines("res0", true, Field::res0_addr, kind, shape);
      return addResult(shape);
    case tsbc::LaneCopy:
    case tsbc::LaneBroadcast: {
      Shape source = shape;
      if (command.func == tsbc::LaneBroadcast)
        source.c = 1;
      add("opd0", false, Field::opd0_addr, kind, source);
      return addResult(shape);
    }
    default: {
      uint64_t length = command.func == tsbc::StaticBroadcast
                            ? shape.n * shape.h * shape.w
                            : shape.c;
      uint64_t offset = get(Field::opd0_addr);
      if (offset >= chip.staticMemoryBase)
        offset -= chip.staticMemoryBase;
      addFlat("opd0", false, chip.staticMemoryBase + offset,
              (length * bitsOf(kind) + 7) / 8, 0);
      add("res0", true, Field::res0_addr, kind, shape, Layout::Compact);
    }
    }
  }

  /// The table of the forms with an index list per channel: a table a channel,
  /// or one a lane. `lines`: rows of it start on an EU row.
  void addTable(Shape shape, bool lines) {
    Precision kind = precision(Field::res0_prec);
    uint64_t code = get(Field::opd0_str);
    bool perLane = lines                                ? code != 3
                   : command.func == sg::GatherFourBank ? code == 4
                                                        : code != 0;
    uint32_t lane = laneOf(get(Field::opd0_addr));
    if (perLane)
      shape.c = std::min<uint64_t>(shape.c, chip.lanes);
    Strides strides =
        lines ? lineStrides(shape, bitsOf(kind), lane)
              : layoutStrides(Layout::Aligned, shape, bitsOf(kind), lane);
    if (perLane)
      strides.c = 0;
    add("opd0", false, Field::opd0_addr, kind, shape, strides);
  }

  void gather() {
    Shape shape = resultShape();
    Precision kind = precision(Field::res0_prec);
    Precision index = precision(Field::opd1_prec);
    uint64_t tableH = get(Field::opd0_h), tableW = get(Field::opd0_w);
    switch (command.func) {
    case sg::GatherRecord: // these change no memory in the vendor's emulator
    case sg::ScatterPingPong:
      return;
    case sg::NonZero:
    case sg::NonZeroHzd:
      add("opd0", false, Field::opd0_addr, precision(Field::opd0_prec),
          {shape.n, shape.c, 1, shape.w});
      addCounts(shape);
      return addResult({shape.n, shape.c, 1, shape.w});
    case sg::GatherHw:
    case sg::ScatterHw:
      index = Precision::Int32;
      [[fallthrough]];
    case sg::GatherW:
    case sg::ScatterW: // one list for all channels
      add("opd0", false, Field::opd0_addr, kind,
          {shape.n, shape.c, tableH, tableW});
      add("opd1", false, Field::opd1_addr, index, {1, get(Field::opd1_c), 1, 1},
          Layout::Compact);
      return addResult(shape);
    case sg::GatherLine:
    case sg::ScatterLine: {
      addTable({1, shape.c, tableH, shape.w}, true);
      uint64_t listed = command.func == sg::ScatterLine ? tableH : shape.h;
      add("opd1", false, Field::opd1_addr, index,
          {shape.n, shape.c, listed, 1});
      return addLines("res0", true, Field::res0_addr, kind, shape);
    }
    default:
      return gatherPerChannel(shape, kind, index, tableW);
    }
  }

  void gatherPerChannel(const Shape &shape, Precision kind, Precision index,
                        uint64_t tableW) {
    bool packs =
        command.func == sg::MaskSelect || command.func == sg::MaskSelectHzd;
    bool scatters =
        command.func == sg::ScatterPerChannel || command.func == sg::ScatterHzd;
    addTable({1, shape.c, 1, tableW}, false);
    uint64_t listed = packs || scatters ? tableW : shape.h * shape.w;
    add("opd1", false, Field::opd1_addr, index, {shape.n, shape.c, 1, listed});
    Shape out = shape;
    if (packs) {
      out = {shape.n, shape.c, 1, tableW};
      addCounts(shape);
    }
    add("res0", true, Field::res0_addr, kind, out);
  }

  /// How many elements each channel has packed.
  void addCounts(const Shape &shape) {
    add("res1", true, Field::res1_addr, Precision::Int16,
        {shape.n, shape.c, 1, 1}, Layout::Compact);
  }

  void special() {
    Shape shape = resultShape();
    Precision input = precision(Field::opd0_prec);
    add("opd0", false, Field::opd0_addr, input, shape);
    if (command.func == sfu::Taylor || command.func == sfu::Taylor4x)
      // Every lane that computes has its own copy of the coefficients.
      add("opd1", false, Field::opd1_addr, input,
          {1, std::min<uint64_t>(shape.c, chip.lanes), 1, get(Field::opd1_n)},
          Strides{0, 0, 0, 1});
    addResult(shape);
  }

  void linear() {
    Shape shape = resultShape();
    Precision kind = precision(Field::res0_prec);
    add("opd0", false, Field::opd0_addr, kind, shape);
    if (!get(Field::opd1_const))
      add("opd1", false, Field::opd1_addr, kind, {1, shape.c, 1, 1},
          Layout::Compact);
    if (command.func == lin::Mac && !get(Field::opd2_const))
      add("opd2", false, Field::opd2_addr, kind, {1, shape.c, 1, 1},
          Layout::Compact);
    addResult(shape);
  }

  void compare() {
    Shape shape = resultShape();
    Precision compared = precision(Field::opd0_prec),
              selected = precision(Field::opd2_prec);
    auto source = [&](std::string_view name, Field address, Field isConstant,
                      Precision kind, uint64_t layout) {
      if (!get(isConstant))
        add(name, false, address, kind, shape, Layout(layout));
    };
    source("opd0", Field::opd0_addr, Field::opd0_const, compared,
           get(Field::opd0_str));
    source("opd1", Field::opd1_addr, Field::opd1_const, compared,
           get(Field::opd1_str));
    source("opd2", Field::opd2_addr, Field::opd2_const, selected, 0);
    source("opd3", Field::opd3_addr, Field::opd3_const, selected, 0);
    bool both =
        command.func == cmp::MaxAndSelect || command.func == cmp::MinAndSelect;
    add("res0", true, Field::res0_addr, both ? compared : selected, shape);
    if (both)
      add("res1", true, Field::res1_addr, selected, shape);
  }

  void outerProduct() {
    uint64_t channels = get(Field::opd0_c), width = get(Field::opd0_w);
    uint64_t rows = less1(channels) * width + get(Field::opd1_w);
    uint64_t columns = get(Field::res0_c), perChannel = get(Field::res0_w);
    add("opd0", false, Field::opd0_addr, precision(Field::opd0_prec),
        {1, channels, 1, width});
    add("opd1", false, Field::opd1_addr, precision(Field::opd1_prec),
        {1, columns, 1, perChannel});
    addResult({rows, columns, 1, perChannel});
  }

  //===-- GDMA ------------------------------------------------------------===//

  /// 40 bits each. In DMA_matrix the field named h32 is the low part.
  uint64_t address(Field l32, Field h8, Field h32, Field l8) const {
    bool swapped = command.has(h32);
    uint64_t low = get(swapped ? h32 : l32), high = get(swapped ? l8 : h8);
    return (high & 0xff) << 32 | (low & 0xffffffff);
  }
  uint64_t sourceAddress() const {
    return address(Field::src_start_addr_l32, Field::src_start_addr_h8,
                   Field::src_start_addr_h32, Field::src_start_addr_l8);
  }
  uint64_t targetAddress() const {
    return address(Field::dst_start_addr_l32, Field::dst_start_addr_h8,
                   Field::dst_start_addr_h32, Field::dst_start_addr_l8);
  }

  void addFlat(std::string_view operand, bool isWrite, uint64_t address,
               uint64_t bytes, uint64_t movedBytes) {
    if (bytes == 0)
      return;
    Access access;
    access.operand = operand;
    access.memory = memoryOf(address, chip);
    access.isWrite = isWrite;
    access.movedBytes = movedBytes;
    if (access.memory != Memory::Local) {
      access.begin = address;
      access.end = address + bytes;
      access.leavesMemory = memoryOf(access.end - 1, chip) != access.memory ||
                            access.end > chip.addressEnd;
    } else { // linear over the lanes
      uint64_t at = address - chip.localMemoryBase;
      uint64_t offset = at % chip.laneBytes;
      bool inOneLane = bytes <= chip.laneBytes - offset;
      access.begin = inOneLane ? offset : 0;
      access.end = inOneLane ? offset + bytes : chip.laneBytes;
      access.firstLane = uint32_t(at / chip.laneBytes);
      access.lanes = uint32_t(std::min<uint64_t>(
          (offset + bytes + chip.laneBytes - 1) / chip.laneBytes, chip.lanes));
      access.leavesMemory = bytes > chip.localMemoryBytes() - at;
    }
    accesses.push_back(access);
  }

  /// One side of a transfer. Without strides: continuous in flat memory,
  /// aligned in local memory.
  void addSide(std::string_view operand, bool isWrite, uint64_t address,
               Precision kind, const Shape &shape, const Strides *strides,
               uint64_t movedElements) {
    unsigned bits = bitsOf(kind);
    uint64_t moved = cappedProduct(movedElements, bits) / 8;
    if (memoryOf(address, chip) == Memory::Local) {
      uint64_t at = address - chip.localMemoryBase;
      uint32_t lane = uint32_t(at / chip.laneBytes);
      return addLocal(operand, isWrite, at % chip.laneBytes, lane, bits, shape,
                      strides
                          ? *strides
                          : layoutStrides(Layout::Aligned, shape, bits, lane),
                      moved);
    }
    uint64_t elements = shape.count();
    if (strides && elements != 0)
      elements = 1 + cappedProduct(shape.n - 1, strides->n) +
                 cappedProduct(shape.c - 1, strides->c) +
                 cappedProduct(shape.h - 1, strides->h) +
                 cappedProduct(shape.w - 1, strides->w);
    addFlat(operand, isWrite, address, cappedProduct(elements, bits) / 8,
            moved);
  }

  Shape sourceShape() const {
    return {get(Field::src_nsize), get(Field::src_csize), get(Field::src_hsize),
            get(Field::src_wsize)};
  }
  Strides sourceStrides() const {
    return freeStrides(Field::src_nstride, Field::src_cstride,
                       Field::src_hstride, Field::src_wstride);
  }
  Strides targetStrides() const {
    return freeStrides(Field::dst_nstride, Field::dst_cstride,
                       Field::dst_hstride, Field::dst_wstride);
  }
  Precision format() const { return precision(Field::src_data_format); }
  bool fills() const { return get(Field::fill_constant_en); }

  void gdma() {
    switch (GdmaType(command.type)) {
    case GdmaType::Tensor:
      return tensor();
    case GdmaType::Matrix:
      return matrix();
    case GdmaType::MaskedSelect:
    case GdmaType::NonZero:
      return packed();
    case GdmaType::General:
      return general();
    case GdmaType::CwTranspose:
      return transposeCw();
    case GdmaType::Gather:
    case GdmaType::Scatter:
      return rows();
    case GdmaType::System:
      return;
    }
  }

  void transfer(const Shape &from, const Shape &to, const Strides &fromStrides,
                const Strides &toStrides) {
    bool strided = get(Field::stride_enable);
    if (!fills())
      addSide("src", false, sourceAddress(), format(), from,
              strided ? &fromStrides : nullptr, from.count());
    addSide("dst", true, targetAddress(), format(), to,
            strided ? &toStrides : nullptr, to.count());
  }

  void transposeCw() {
    Shape from = sourceShape();
    Strides fromStrides = sourceStrides(), toStrides = targetStrides();
    fromStrides.w = toStrides.w = 1;
    transfer(from, {from.n, from.w, from.h, from.c}, fromStrides, toStrides);
  }

  void tensor() {
    Shape from = sourceShape(), to = from;
    Shape given = {get(Field::dst_nsize), get(Field::dst_csize),
                   get(Field::dst_hsize), get(Field::dst_wsize)};
    Strides fromStrides = sourceStrides(), toStrides = targetStrides();
    bool banks = command.func == gdma::TensorFourBankCopy ||
                 command.func == gdma::TensorFourBankBroadcast;
    switch (command.func) {
    case gdma::TensorCopy:
    case gdma::TensorFourBankCopy:
      if (!get(Field::nchw_copy))
        to = given;
      break;
    case gdma::TensorNcTranspose:
      std::swap(to.n, to.c);
      break;
    case gdma::TensorCollect:
    case gdma::TensorDistribute:
      return transposeCw();
    case gdma::TensorBroadcast:
    case gdma::TensorFourBankBroadcast:
      to.c = given.c;
      from.c = 1;
      break;
    default:
      return;
    }
    if (command.func != gdma::TensorCopy) // only the plain copy has w strides
      fromStrides.w = toStrides.w = 1;
    transfer(from, to, fromStrides, toStrides);
    if (!banks || accesses.empty())
      return;
    // Three more copies, 32 KiB apart.
    for (uint64_t bank = 1; bank < 4; ++bank) {
      Access copy = accesses.back();
      copy.begin = std::min<uint64_t>(copy.begin + 0x8000, chip.laneBytes);
      copy.end = std::min<uint64_t>(copy.end + 0x8000, chip.laneBytes);
      accesses.push_back(copy);
    }
  }

  /// h x w with a row stride in flat memory; n rows of c channels of w columns
  /// in local memory.
  void matrix() {
    bool load = memoryOf(targetAddress(), chip) == Memory::Local &&
                memoryOf(sourceAddress(), chip) != Memory::Local;
    // The short form has one field for both directions.
    auto pick = [&](Field both, Field toLocal, Field fromLocal) {
      return command.has(both) ? get(both) : get(load ? toLocal : fromLocal);
    };
    uint64_t h =
        pick(Field::src_hsize_or_dst_hsize, Field::src_hsize, Field::dst_hsize);
    uint64_t w =
        pick(Field::src_wsize_or_dst_wsize, Field::src_wsize, Field::dst_wsize);
    uint64_t n =
        pick(Field::dst_nsize_or_src_nsize, Field::dst_nsize, Field::src_nsize);
    bool transposed = command.func == gdma::MatrixTranspose;
    Shape local = {
        n != 0       ? n
        : transposed ? w
                     : h,
        pick(Field::dst_csize_or_src_csize, Field::dst_csize, Field::src_csize),
        1,
        pick(Field::dst_wsize_or_src_wsize, Field::dst_wsize,
             Field::src_wsize)};
    Strides localStrides = {pick(Field::dst_nstride_or_src_nstride,
                                 Field::dst_nstride, Field::src_nstride),
                            pick(Field::dst_cstride_or_src_cstride,
                                 Field::dst_cstride, Field::src_cstride),
                            0, 1};
    Strides flat = {0, 0,
                    pick(Field::src_hstride_or_dst_hstride, Field::src_hstride,
                         Field::dst_hstride),
                    1};
    const Strides *localPlace =
        get(Field::stride_enable) ? &localStrides : nullptr;
    const Strides *flatPlace = get(Field::stride_enable) ? &flat : nullptr;
    uint64_t elements = h * w;
    Shape flatShape = {1, 1, h, w};
    addSide("src", false, sourceAddress(), format(), load ? flatShape : local,
            load ? flatPlace : localPlace, elements);
    addSide("dst", true, targetAddress(), format(), load ? local : flatShape,
            load ? localPlace : flatPlace, elements);
  }

  /// Masked select and nonzero: as many results as the data say.
  void packed() {
    Shape shape = sourceShape();
    uint64_t elements = shape.count();
    addSide("src", false, sourceAddress(), format(), shape, nullptr, elements);
    Precision result = precision(Field::index_data_format);
    if (GdmaType(command.type) == GdmaType::MaskedSelect) {
      addSide("mask", false,
              address(Field::mask_start_addr_l32, Field::mask_start_addr_h8,
                      Field::mask_start_addr_l32, Field::mask_start_addr_h8),
              precision(Field::mask_data_format), shape, nullptr, elements);
      result = format();
    }
    addFlat("dst", true, targetAddress(),
            cappedProduct(elements, bitsOf(result)) / 8, 0);
  }

  void general() {
    uint64_t length = get(Field::move_length);
    uint64_t bytes = length * bitsOf(format()) / 8;
    if (!fills())
      addFlat("src", false, sourceAddress(), bytes, bytes);
    if (command.func == gdma::GeneralCopy)
      return addFlat("dst", true, targetAddress(), bytes, bytes);
    uint64_t lanes = get(Field::dst_csize);
    Strides strides = {0, 0, 0, 1};
    addSide("dst", true, targetAddress(), format(), {1, lanes, 1, length},
            &strides, cappedProduct(lanes, length));
  }

  /// Gather and scatter of rows by a list of uint32. One of the rows and the
  /// list may have a single channel for all; the fields dst_csize, dst_wsize
  /// and index_hsize are not read.
  void rows() {
    bool scatters = GdmaType(command.type) == GdmaType::Scatter;
    Shape from = {1, get(Field::src_csize), get(Field::src_hsize),
                  get(Field::src_wsize)};
    uint64_t channels = std::max(from.c, get(Field::index_csize));
    Shape to = {1, channels, get(Field::dst_hsize), from.w};
    Shape list = {1, get(Field::index_csize), scatters ? from.h : to.h, 1};
    Strides fromStrides = sourceStrides(), toStrides = targetStrides();
    fromStrides = {0, fromStrides.c, fromStrides.h, 1};
    toStrides = {0, toStrides.c, toStrides.h, 1};
    Strides listStrides = {0, get(Field::index_cstride),
                           get(Field::index_hstride), 1};
    bool strided = get(Field::stride_enable);
    uint64_t moved = cappedProduct(channels, list.h * from.w);
    addSide("src", false, sourceAddress(), format(), from,
            strided ? &fromStrides : nullptr, moved);
    addSide("index", false,
            address(Field::index_start_addr_l32, Field::index_start_addr_h8,
                    Field::index_start_addr_l32, Field::index_start_addr_h8),
            Precision::Int32, list, strided ? &listStrides : nullptr,
            list.c * list.h);
    addSide("dst", true, targetAddress(), format(), to,
            strided ? &toStrides : nullptr, moved);
  }
};

} // namespace

Memory isa::memoryOf(uint64_t address, const Chip &chip) {
  auto isIn = [address](uint64_t base, uint64_t bytes) {
    return address >= base && address - base < bytes;
  };
  if (address >= chip.globalMemoryBase)
    return Memory::Global;
  if (isIn(chip.localMemoryBase, chip.localMemoryBytes()))
    return Memory::Local;
  if (isIn(chip.staticMemoryBase, chip.staticMemoryBytes))
    return Memory::Static;
  return isIn(chip.l2MemoryBase, chip.l2MemoryBytes) ? Memory::L2
                                                     : Memory::None;
}

std::vector<Access> isa::accessesOf(const Decoded &command, const Chip &chip) {
  return Collector(command, chip).collect();
}
