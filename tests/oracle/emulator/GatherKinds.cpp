/// Random gathers, scatters, selections, transposes between lanes, and system
/// commands of the TIU.
#include "tests/oracle/emulator/CommandKinds.h"

#include <cstring>
#include <functional>

namespace weft::oracle {
namespace {

namespace sg = isa::sg;

constexpr Precision kAll[] = {Precision::Int8,  Precision::Int16,
                              Precision::Int32, Precision::Fp16,
                              Precision::Bf16,  Precision::Fp32};

struct Indices {
  Precision precision = Precision::Int8;
  uint32_t limit = 1;   ///< indices below it are good
  bool hasNone = false; ///< all ones is "none"

  uint32_t draw(Random &random) const {
    uint32_t most = isa::elementBytes(precision) == 1 ? 0xff : 0xffff;
    return hasNone && random.coin(6)
               ? most
               : uint32_t(random.in(0, std::min<int64_t>(limit - 1, most)));
  }
};

/// Fills the tensor (n, c, 1, w) at a TIU address, laid out as the machine
/// does, with draw().
void pokeTensor(Command &command, Random &random, uint32_t address,
                unsigned bytes, unsigned n, unsigned c, unsigned w,
                bool aligned, const std::function<uint32_t(Random &)> &draw) {
  unsigned lane0 = address >> 18, row = 64 / bytes;
  unsigned plane = aligned ? (w + row - 1) / row * row : w;
  unsigned rows = (lane0 + c + 63) / 64;
  for (unsigned i = 0; i < n; ++i)
    for (unsigned ch = 0; ch < c; ++ch) {
      std::vector<uint8_t> values(size_t(w) * bytes);
      for (unsigned k = 0; k < w; ++k) {
        uint32_t value = draw(random);
        std::memcpy(&values[size_t(k) * bytes], &value, bytes);
      }
      unsigned place = lane0 + ch;
      command.pokeLocal(
          (place % 64) << 18 |
              ((address & 0x3ffff) + (i * rows + place / 64) * plane * bytes),
          values);
    }
}

struct Sizes {
  unsigned n, c, table, listed;
  explicit Sizes(Random &random)
      : n(unsigned(random.in(1, 3))), c(unsigned(random.in(1, 80))),
        table(unsigned(random.in(1, random.coin(4) ? 300 : 40))),
        listed(unsigned(random.in(1, random.coin(4) ? 300 : 40))) {
    if (random.coin(12)) { // indices of 12 bits
      n = 1;
      c = unsigned(random.in(1, 64));
      table = unsigned(random.in(1000, 4000));
    }
  }
};

Precision indexPrecision(Random &random) {
  return random.pick({Precision::Int8, Precision::Int16});
}

Precision maskPrecision(Random &random) {
  return random.pick({Precision::Int8, Precision::Int16, Precision::Int32});
}

Command sgCommand(Random &random, unsigned func, const Places &places,
                  Precision data, Precision index) {
  Command c = tiuCommand(random.coin(3) ? Form::SG : Form::sSG, 6, func);
  c.set(Field::res0_prec, unsigned(data)).set(Field::opd0_prec, unsigned(data));
  c.set(Field::opd1_prec, unsigned(index));
  c.set(Field::res0_addr, places.result())
      .set(Field::opd0_addr, places.operand(0))
      .set(Field::opd1_addr, places.operand(1));
  return c.set(Field::res1_addr, places.result(1));
}

/// Whether all ones is no index, and a constant to write for it; the answer
/// says the first. A scatter with a constant into a result without that place
/// corrupts the heap of the vendor's emulator.
bool chooseNone(Command &c, Random &random, bool scatters, Precision index,
                unsigned limit) {
  bool hasNone = random.coin(),
       safe = !scatters || (index == Precision::Int8 && limit > 255);
  c.set(Field::opd3_const, hasNone)
      .set(Field::opd2_const, safe && random.coin())
      .set(Field::opd2_addr, random.bits());
  return hasNone;
}

/// 0, 3: one list for all channels, along w. 1, 4: along h and w.
Command sharedCommand(Random &random, unsigned func) {
  bool scatters = func == sg::ScatterW || func == sg::ScatterHw,
       twoAxes = func == sg::GatherHw || func == sg::ScatterHw;
  Places places(random);
  Sizes size(random);
  Precision index = twoAxes ? Precision::Int16 : indexPrecision(random);
  Command c = sgCommand(
      random, func, places,
      random.pick({kAll[0], kAll[1], kAll[2], kAll[3], kAll[4], kAll[5]}),
      index);
  unsigned height = twoAxes ? unsigned(random.in(1, 9)) : 1,
           width = twoAxes ? unsigned(random.in(1, 30))
                           : (scatters ? size.listed : size.table);
  unsigned entries = scatters ? size.table : size.listed;
  if (scatters) {
    setResult(c, size.n, size.c, height, width);
    c.set(Field::opd0_h, 1).set(Field::opd0_w, entries);
  } else {
    setResult(c, size.n, size.c, 1, entries);
    c.set(Field::opd0_h, height).set(Field::opd0_w, width);
  }
  if (c.form == Form::SG)
    c.set(Field::opd0_n, size.n)
        .set(Field::opd0_c, size.c)
        .set(Field::opd1_n, 1)
        .set(Field::opd1_h, 1);
  c.set(Field::opd1_c, entries).set(Field::opd1_w, 1);
  bool hasNone = chooseNone(c, random, scatters, index, twoAxes ? 0 : width);
  if (!twoAxes) {
    Indices indices{index, width, hasNone};
    pokeTensor(c, random, places.operand(1), isa::elementBytes(index), 1,
               entries, 1, false, [&](Random &r) { return indices.draw(r); });
    return c;
  }
  Indices rows{Precision::Int16, height, hasNone},
      columns{Precision::Int16, width, hasNone};
  pokeTensor(c, random, places.operand(1), 4, 1, entries, 1, false,
             [&](Random &r) { return rows.draw(r) << 16 | columns.draw(r); });
  return c;
}

/// Puts the same table into the four places that a 4-bank gather reads.
void pokeFourBanks(Command &c, Random &random, uint32_t address, unsigned bytes,
                   const Sizes &size) {
  Random again = random;
  for (unsigned bank = 0; bank < 4; ++bank) {
    again = random;
    pokeTensor(c, again, address + bank * 0x8000, bytes, 1, size.c, size.table,
               true, [](Random &r) { return r.bits(); });
  }
  random = again;
}

/// 5, 6, 7, 13, 14: an index tensor per channel.
Command perChannelCommand(Random &random, unsigned func) {
  bool scatters = func == sg::ScatterPerChannel || func == sg::ScatterHzd;
  Places places(random);
  Sizes size(random);
  Precision data = random.pick(
                {kAll[0], kAll[1], kAll[2], kAll[3], kAll[4], kAll[5]}),
            index = indexPrecision(random);
  Command c = sgCommand(random, func, places, data, index);
  setResult(c, size.n, size.c, 1, size.listed);
  c.set(Field::opd0_h, 1).set(Field::opd0_w, size.table);
  unsigned entries = scatters ? size.table : size.listed;
  c.set(Field::opd1_c, size.c).set(Field::opd1_w, entries);
  c.set(Field::opd0_str, random.pick<uint64_t>({0, 0, 3, 4}));
  if (c.form == Form::SG)
    c.set(Field::opd0_n, 1)
        .set(Field::opd0_c, size.c)
        .set(Field::opd1_n, size.n)
        .set(Field::opd1_h, 1);
  if (func == sg::GatherFourBank) {
    uint32_t table = places.lane << 18 | 0x20000;
    c.set(Field::opd0_addr, table);
    pokeFourBanks(c, random, table, isa::elementBytes(data), size);
  }
  unsigned limit = scatters ? size.listed : size.table;
  Indices indices{index, limit, chooseNone(c, random, scatters, index, limit)};
  pokeTensor(c, random, places.operand(1), isa::elementBytes(index), size.n,
             size.c, entries, true, [&](Random &r) { return indices.draw(r); });
  return c;
}

/// Words that are zero, or not, in every width; minus zero is not zero to the
/// machine's integers.
uint32_t maskWord(Random &random) {
  if (random.coin())
    return random.coin(4) ? random.pick<uint32_t>({0x80000000, 0x8000, 0x80})
                          : 0;
  return random.coin() ? random.bits() : random.bits() & 0x01000100;
}

/// 8, 15 pick elements under a mask; 9, 16 list the indices of elements that
/// are not zero.
Command selectCommand(Random &random, unsigned func) {
  bool lists = func == sg::NonZero || func == sg::NonZeroHzd;
  Places places(random);
  Sizes size(random);
  Precision mask = maskPrecision(random);
  Precision data =
      lists
          ? random.pick({Precision::Int16, Precision::Int32})
          : random.pick({kAll[0], kAll[1], kAll[2], kAll[3], kAll[4], kAll[5]});
  Command c = sgCommand(random, func, places, data, mask);
  setResult(c, size.n, size.c, 1, size.table);
  c.set(Field::opd0_h, 1).set(Field::opd0_w, size.table);
  c.set(Field::opd1_c, size.c).set(Field::opd1_w, size.table);
  if (c.form == Form::SG)
    c.set(Field::opd0_n, lists ? size.n : 1)
        .set(Field::opd0_c, size.c)
        .set(Field::opd1_n, size.n)
        .set(Field::opd1_h, 1);
  if (lists)
    c.set(Field::opd0_prec, unsigned(mask));
  else
    c.set(Field::opd0_str, random.pick<uint64_t>({0, 0, 3, 4}));
  pokeTensor(c, random, lists ? places.operand(0) : places.operand(1),
             isa::elementBytes(mask), size.n, size.c, size.table, true,
             maskWord);
  return c;
}

/// 2, 10: the vendor's emulator takes them and leaves all memory as it was.
Command idleCommand(Random &random, unsigned func) {
  Places places(random);
  Precision data = func == sg::ScatterPingPong
                       ? Precision::Int16
                       : random.pick({kAll[0], kAll[1], kAll[2], kAll[5]});
  Command c = sgCommand(random, func, places, data, indexPrecision(random));
  Sizes size(random);
  setResult(c, size.n, size.c, 1, size.listed);
  c.set(Field::opd0_h, 1).set(Field::opd0_w, size.table);
  c.set(Field::opd1_c, size.listed).set(Field::opd1_w, 1);
  if (func == sg::ScatterPingPong)
    c.set(Field::opd0_addr, places.result());
  return c;
}

/// 17, 18: rows of line-aligned tables.
Command lineCommand(Random &random, unsigned func) {
  bool scatters = func == sg::ScatterLine;
  Places places(random);
  Sizes size(random);
  Precision data = random.pick(
                {kAll[0], kAll[1], kAll[2], kAll[3], kAll[4], kAll[5]}),
            index = indexPrecision(random);
  unsigned width = unsigned(random.in(1, random.coin(4) ? 150 : 20));
  unsigned listed = unsigned(random.in(1, 12)),
           tableRows = unsigned(random.in(1, 12));
  size.c = std::min(size.c, 70u);
  Command c = tiuCommand(random.coin(3) ? Form::SGL : Form::sSGL, 6, func);
  setResult(c, size.n, size.c, listed, width);
  c.set(Field::res0_prec, unsigned(data))
      .set(Field::opd1_prec, unsigned(index));
  c.set(Field::opd0_h, tableRows);
  c.set(Field::opd0_str, random.pick<uint64_t>({3, 4}));
  unsigned entries = scatters ? tableRows : listed;
  if (c.form == Form::SGL)
    c.set(Field::opd0_prec, unsigned(data))
        .set(Field::opd0_n, 1)
        .set(Field::opd0_c, size.c)
        .set(Field::opd0_w, width)
        .set(Field::opd1_n, size.n)
        .set(Field::opd1_c, size.c)
        .set(Field::opd1_h, entries)
        .set(Field::opd1_w, 1);
  c.set(Field::res0_addr, places.result())
      .set(Field::opd0_addr, places.operand(0))
      .set(Field::opd1_addr, places.lane << 18 | 0xe000);
  Indices indices{index, scatters ? listed : tableRows, false};
  pokeTensor(c, random, places.lane << 18 | 0xe000, isa::elementBytes(index),
             size.n, size.c, entries, true,
             [&](Random &r) { return indices.draw(r); });
  return c;
}

/// 0, 1 transposes; 2, 3 between lanes; 4, 5 from static memory.
Command transposeCommand(Random &random, unsigned func) {
  Command c =
      tiuCommand(random.coin(3) ? Form::TRANS_BC : Form::sTRANS_BC, 5, func);
  Precision p =
      random.pick({kAll[0], kAll[1], kAll[2], kAll[3], kAll[4], kAll[5]});
  Places places(random);
  unsigned channels = unsigned(random.in(1, 80)),
           columns = unsigned(random.in(1, 80)), n = unsigned(random.in(1, 3)),
           height = unsigned(random.in(1, 4));
  c.set(Field::res0_prec, unsigned(p)).set(Field::res0_addr, places.result());
  c.set(Field::opd0_addr, places.operand(0));
  if (c.form == Form::TRANS_BC)
    c.set(Field::opd0_prec, unsigned(p))
        .set(Field::opd0_n, func < 4 ? n : 1)
        .set(Field::opd0_h, func < 4 ? height : 1);
  if (func <= 1) {
    setResult(c, n, channels, height, columns);
    return c.set(Field::opd0_c, columns).set(Field::opd0_w, channels);
  }
  if (func <= 3) {
    if (func == 3) // the vendor: a broadcast ends at the last lane
      channels = unsigned(random.in(1, 64 - int64_t(places.lane)));
    setResult(c, n, channels, height, columns);
    c.set(Field::opd0_c, func == 3 ? 1 : channels).set(Field::opd0_w, columns);
    return c.set(Field::opd0_addr, uint64_t(random.in(0, 63)) << 18);
  }
  uint64_t offset = 0x09000000 + uint64_t(random.in(0, 600)) * 4;
  if (func == 4) {
    channels = unsigned(random.in(1, 64 - int64_t(places.lane)));
    setResult(c, 1, channels, 1, columns);
  } else {
    channels = unsigned(random.in(1, 200));
    setResult(c, 1, channels, 1, 1);
  }
  c.set(Field::opd0_c, channels);
  return c.set(Field::opd0_w, func == 4 ? columns : 1)
      .set(Field::opd0_addr, offset);
}

Command systemCommand(Random &random, unsigned func) {
  Command c = tiuCommand(Form::SYSID, 15, func);
  return c.set(Field::cmd_id_eng1, random.bits() & 0xfffff)
      .set(Field::cmd_id_eng2, random.bits() & 0xfffff)
      .set(Field::cmd_id_eng3, random.bits() & 0xfffff)
      .set(Field::cmd_id_en, func == isa::sys::End ? 0 : 1);
}

} // namespace

void addGatherKinds(std::vector<Kind> &kinds) {
  auto add = [&](const char *family, unsigned func,
                 Command (*make)(Random &, unsigned)) {
    kinds.push_back({std::string(family) + "_" + std::to_string(func),
                     Contents::Bytes,
                     [=](Random &random) { return make(random, func); }});
  };
  for (unsigned func : {0u, 1u, 3u, 4u})
    add("sg", func, sharedCommand);
  for (unsigned func : {5u, 6u, 7u, 13u, 14u})
    add("sg", func, perChannelCommand);
  for (unsigned func : {8u, 9u, 15u, 16u})
    add("sg", func, selectCommand);
  for (unsigned func : {2u, 10u})
    add("sg", func, idleCommand);
  for (unsigned func : {17u, 18u})
    add("sgl", func, lineCommand);
  for (unsigned func = 0; func < 6; ++func)
    add("transbc", func, transposeCommand);
  for (unsigned func : {0u, 1u, 2u, 3u, 4u, 5u, 30u, 31u})
    add("sys", func, systemCommand);
}

} // namespace weft::oracle
