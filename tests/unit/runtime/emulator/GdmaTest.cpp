/// DMA copies that are large enough to be shared by threads, against plain
/// loops. (Small ones are compared with the vendor's emulator,
/// tests/oracle/emulator.)
#include "runtime/chips/Chips.h"
#include "runtime/emulator/Emulator.h"
#include "runtime/isa/Isa.h"
#include "tests/unit/runtime/isa/FirstTable.h"

#include <algorithm>
#include <cstring>
#include <gtest/gtest.h>
#include <numeric>

using namespace weft;
using namespace weft::emulator;
using isa::Field;
using isa::Form;

namespace {

constexpr uint64_t kGlobal = 0x100000000, kLocal = 0x08000000;
constexpr size_t kWords = 1 << 20;

class Dma : public testing::TestWithParam<unsigned> {
protected:
  Dma() : global(kWords) {
    std::iota(global.begin(), global.end(), 1u);
    EXPECT_TRUE(emulator->mapGlobal(
        kGlobal, reinterpret_cast<uint8_t *>(global.data()), kWords * 4));
  }

  /// Runs a command on 32-bit elements; a source or target below kGlobal is
  /// local.
  void run(Form form, unsigned type, uint64_t source, uint64_t target,
           std::initializer_list<std::pair<Field, uint64_t>> fields) {
    std::vector<uint8_t> word(isa::formSpec(form).bytes);
    auto set = [&](Field field, uint64_t value) {
      EXPECT_TRUE(isa::set(form, field, word.data(), value));
    };
    bool matrix = form == Form::DMA_matrix;
    set(Field::cmd_id, 1);
    set(Field::cmd_type, type);
    set(Field::src_data_format, 4);
    set(matrix ? Field::src_start_addr_h32 : Field::src_start_addr_l32,
        source & 0xffffffff);
    set(matrix ? Field::src_start_addr_l8 : Field::src_start_addr_h8,
        source >> 32);
    set(matrix ? Field::dst_start_addr_h32 : Field::dst_start_addr_l32,
        target & 0xffffffff);
    set(matrix ? Field::dst_start_addr_l8 : Field::dst_start_addr_h8,
        target >> 32);
    set(Field::localmem_mask_l32, 0xffffffff);
    set(Field::localmem_mask_h32, 0xffffffff);
    for (auto [field, value] : fields)
      set(field, value);
    auto status =
        emulator->execute(isa::Engine::Gdma, word.data(), word.size());
    EXPECT_TRUE(status) << status.message();
  }

  uint32_t local(unsigned lane, size_t word) const {
    uint32_t value;
    std::memcpy(&value, emulator->localMemory() + lane * 0x40000 + word * 4, 4);
    return value;
  }

  std::unique_ptr<Emulator> emulator =
      *Emulator::create(chips::bm1684x, GetParam());
  std::vector<uint32_t> global;
};

TEST_P(Dma, aTensorGoesToTheLanesAndBack) {
  // (2, 100, 30, 70): lanes 60.. wrap; plane 2100, padded to 2112.
  const unsigned n = 2, c = 100, plane = 2100, padded = 2112, lane0 = 60;
  const uint64_t at = kLocal + lane0 * 0x40000;
  const std::initializer_list<std::pair<Field, uint64_t>> sizes = {
      {Field::nchw_copy, 1},
      {Field::src_nsize, n},
      {Field::src_csize, c},
      {Field::src_hsize, 30},
      {Field::src_wsize, 70}};
  run(Form::DMA_tensor, 0, kGlobal, at, sizes);
  for (unsigned i = 0; i < n; ++i)
    for (unsigned ch = 0; ch < c; ++ch)
      for (unsigned k = 0; k < plane; k += 7)
        ASSERT_EQ(
            local((lane0 + ch) % 64, ((lane0 + ch) / 64 + i * 3) * padded + k),
            global[(i * c + ch) * plane + k])
            << i << " " << ch << " " << k;
  run(Form::DMA_tensor, 0, at, kGlobal + 0x200000, sizes);
  EXPECT_TRUE(std::equal(global.begin(), global.begin() + n * c * plane,
                         global.begin() + 0x80000));
}

TEST_P(Dma, aReshapeOnTheWayKeepsTheOrder) {
  // (1, 64, 50, 80) in memory becomes (1, 50, 64, 80) in lanes.
  run(Form::DMA_tensor, 0, kGlobal, kLocal,
      {{Field::src_nsize, 1},
       {Field::src_csize, 64},
       {Field::src_hsize, 50},
       {Field::src_wsize, 80},
       {Field::dst_nsize, 1},
       {Field::dst_csize, 50},
       {Field::dst_hsize, 64},
       {Field::dst_wsize, 80}});
  for (unsigned ch = 0; ch < 50; ++ch)
    for (unsigned k = 0; k < 64 * 80; k += 3)
      ASSERT_EQ(local(ch, k), global[ch * 64 * 80 + k]) << ch << " " << k;
}

TEST_P(Dma, rowsThatMeetAreWrittenInOrder) {
  // Every image goes to the same place: the last one stays.
  run(Form::DMA_tensor, 0, kGlobal, kLocal,
      {{Field::nchw_copy, 1},
       {Field::stride_enable, 1},
       {Field::src_nsize, 16},
       {Field::src_csize, 64},
       {Field::src_hsize, 1},
       {Field::src_wsize, 500},
       {Field::src_nstride, 64 * 500},
       {Field::src_cstride, 500},
       {Field::src_hstride, 500},
       {Field::src_wstride, 1},
       {Field::dst_cstride, 512},
       {Field::dst_wstride, 1}});
  for (unsigned ch = 0; ch < 64; ++ch)
    for (unsigned k = 0; k < 500; ++k)
      ASSERT_EQ(local(ch, k), global[(15 * 64 + ch) * 500 + k]);
}

TEST_P(Dma, matricesGoToTheLanes) {
  // 300 rows of 900 columns, 20 columns in each of 45 channels.
  const std::initializer_list<std::pair<Field, uint64_t>> load = {
      {Field::stride_enable, 1}, {Field::src_hsize, 300},
      {Field::src_wsize, 900},   {Field::src_hstride, 901},
      {Field::dst_nsize, 300},   {Field::dst_csize, 45},
      {Field::dst_wsize, 20},    {Field::dst_nstride, 32},
      {Field::dst_cstride, 32}};
  run(Form::DMA_matrix, 1, kGlobal, kLocal, load);
  for (unsigned row = 0; row < 300; ++row)
    for (unsigned column = 0; column < 900; ++column)
      ASSERT_EQ(local(column / 20, row * 32 + column % 20),
                global[row * 901 + column]);
}

TEST_P(Dma, selectionsMayLieOverTheirSourceAndMask) {
  // The last elements of global memory are source and mask. Writing the first
  // hits makes more of the mask non-zero; what is written is what was found
  // before, and does not leave memory.
  const unsigned count = 64, hits = 8;
  const uint64_t at = kGlobal + (kWords - count) * 4;
  const uint32_t high = uint32_t(at >> 32), low = uint32_t(at);
  uint32_t *mask = global.data() + kWords - count;
  auto fill = [&] {
    for (unsigned i = 0; i < count; ++i)
      mask[i] = i % (count / hits) == 0 ? 1000 + i : 0;
  };
  fill();
  run(Form::DMA_masked_select, 2, at, at + (count - hits) * 4,
      {{Field::mask_data_format, 4},
       {Field::mask_start_addr_l32, low},
       {Field::mask_start_addr_h8, high},
       {Field::src_nsize, 1},
       {Field::src_csize, 1},
       {Field::src_hsize, 1},
       {Field::src_wsize, count}});
  for (unsigned i = 0; i < hits; ++i)
    EXPECT_EQ(mask[count - hits + i], 1000 + i * (count / hits));
  fill();
  run(Form::DMA_nonzero, 5, at, at + (count - hits) * 4,
      {{Field::index_data_format, 4},
       {Field::src_nsize, 1},
       {Field::src_csize, 1},
       {Field::src_hsize, 1},
       {Field::src_wsize, count},
       {Field::dst_nstride_base_i, 5}});
  for (unsigned i = 0; i < hits; ++i)
    EXPECT_EQ(mask[count - hits + i], 5 + i * (count / hits));
}

INSTANTIATE_TEST_SUITE_P(Threads, Dma, testing::Values(1u, 3u));

} // namespace
