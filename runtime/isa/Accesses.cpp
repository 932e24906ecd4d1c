#include "runtime/isa/AccessCollector.h"

using namespace weft;
using namespace weft::isa;
using namespace weft::isa::accesses;

namespace {

class TiuCollector : public Collector {
public:
  TiuCollector(const Decoded &command, const Chip &chip)
      : Collector(command, chip) {}

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
      add("opd0", false, Field::opd0_addr, input, in,
          Layout(get(Field::opd0_str)));
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
    addResult(out, oldSum(input));
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
    if (depthwise && !overRegions && !get(Field::opd2_const))
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
    // A bias, or for int32 a shift; other products of integers have neither.
    bool requantised = command.func != mm::Normal;
    if (!get(Field::opd2_const) &&
        (requantised || input == Precision::Fp32 || input == Precision::Int32))
      add("opd2", false, Field::opd2_addr,
          input == Precision::Fp32    ? Precision::Fp32
          : input == Precision::Int32 ? Precision::Int8
                                      : Precision::Int16,
          {1, right.c, 1, right.w});
    addResult(out, requantised ? Precision::Int16 : oldSum(input));
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
    addResult({1, rows, 1, columns}, oldSum(input));
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
    // The amounts of shifts, one a channel; selects and mac take the field
    // itself whatever opd2_const says.
    if (operands >= 3 && !get(Field::opd2_const) &&
        arith::takesShift(command.func) &&
        !isFloat(precision(Field::opd0_prec)))
      add("opd2", false, Field::opd2_addr, Precision::Int8, {1, shape.c, 1, 1},
          Layout::Compact);
    Strides strides = freeStrides(Field::res0_n_str, Field::res0_c_str,
                                  Field::res0_h_str, Field::res0_w_str);
    Precision result = precision(Field::res0_prec);
    if (command.func == arith::Mac) // adds to the result
      addArith("res0", false, Field::res0_addr, Field::res0_str, result, shape,
               strides);
    addArith("res0", true, Field::res0_addr, Field::res0_str, result, shape,
             strides);
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
  if (command.engine == Engine::Gdma)
    return gdmaAccesses(command, chip);
  TiuCollector collector(command, chip);
  collector.tiu();
  return collector.take();
}
