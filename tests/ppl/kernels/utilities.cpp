//===- utilities.cpp - kernel and test utilities --------------------------===//

#include "tiles.h"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <unistd.h>

using namespace ppl;

// PPL 4.8. A wrong answer is an error at its line; the program of each test is
// a copy, so that there is something to run.
__KERNEL__ void copy(float *out, float *in, int n) {
  dim4 shape = {1, 1, 1, n};
  dma::move(gtensor<float>(shape, GLOBAL, out),
            gtensor<float>(shape, GLOBAL, in));
}
static void copyAndExpect() {
  dim4 shape = {1, 1, 1, 100};
  float *out = ppl::malloc<float>(&shape),
        *in = ppl::rand<float>(&shape, -1.0, 1.0);
  copy(out, in, 100);
  expect(out, &shape, [&](int64_t i) { return in[i]; });
}

static bool same(const dim4 &a, const dim4 &b) {
  return a.n == b.n && a.c == b.c && a.h == b.h && a.w == b.w;
}

__TEST__ void integers_and_scalars() {
  static_assert(div_up(7, 2) == 4 && div_up(8, 2) == 4, "rounds up");
  static_assert(align(7, 4) == 8 && align(8, 4) == 8, "rounds up");
  static_assert(min(3, -2) == -2 && max(3, -2) == 3 && MAX(1.5, 2) == 2, "");
  static_assert(convert_dtype<bf16>() == DT_BF16, "");
  static_assert(bitwidth_v<int4> == 4 && get_data_size<fp16>() == 2, "");
  int a = 1, b = 2;
  swap(a, b);
  assert(a == 2 && b == 1);
  assert(abs(-3) == 3 && floor(-1.5f) == -2 && ceiling(1.2f) == 2);
  assert(trunc(-1.5f) == -1 && round(2.5f) == 3 && exp2(3.0f) == 8);
  assert(sqrt(16.0f) == 4 && pow(2.0f, 10.0f) == 1024 && log2(8.0f) == 3);
  assert(abs(log(exp(1.0f)) - 1) < 1e-6f);
  assert(abs(log_approximation(7.0f) - 1.9459101f) < 1e-6f);
  assert(log_approximation_range_poly(1000.0f) == log(1000.0f));
  assert(log_approximation(0.0f) == -1);
  static_assert(getSignMask<fp16>() == 0x8000, "");
  dim4 d = {2, 3, 4, 5};
  assert(dim4_index(d, 1) == 3 && dim4_index(&d, 3) == 5);
  assert(dim4_index(d, -1) == 5 && dim4_index(d, 4) == -1);
  copyAndExpect();
}

// The strides of the utility are those that tensors have, on every chip.
template <class T>
static void checkStrides(const dim4 &shape) {
  for (align_mode_t mode : {TPU_ALIGN, TPU_COMPACT, TPU_ROW_ALIGN})
    assert(
        same(get_stride<T>(shape, mode), tensor<T>(shape, mode).getStride()));
  assert(
      same(get_stride<T>(shape, CONTINUOUS),
           dim4{shape.c * shape.h * shape.w, shape.h * shape.w, shape.w, 1}));
  tensor<T> allocated({shape.n, shape.c + 1, shape.h, shape.w});
  dim4 block =
      allocated.view(shape).template view<uint8>(shape).getBlockShape();
  assert(block.c == shape.c + 1 && block.w == shape.w);
  dim4 deprecated, aligned = get_stride<T>(shape, TPU_ALIGN, 3);
  get_stride(&deprecated, &shape, TPU_ALIGN, get_eu_num<T>(), 3);
  assert(same(deprecated, aligned));
  aligned_stride_4d(&deprecated, &shape, 3, int(sizeof(T)));
  assert(same(deprecated, aligned));
}
__TEST__ void strides_of_layouts() {
  for (dim4 shape : {dim4{2, 70, 3, 5}, dim4{1, 64, 1, 16}, dim4{3, 1, 7, 9}}) {
    checkStrides<float>(shape);
    checkStrides<fp16>(shape);
    checkStrides<int8>(shape);
  }
  copyAndExpect();
}
// The manual's numbers for BM1684X.
__TEST__ void numbers_of_bm1684x() {
  if (lane_num() == 64 && eu_bytes() == 64) {
    dim4 shape = {2, 70, 3, 5};
    assert(same(get_stride<fp16>(shape, TPU_ALIGN), dim4{64, 32, 5, 1}));
    assert(same(get_stride<fp16>(shape, TPU_COMPACT), dim4{30, 15, 5, 1}));
    assert(same(get_stride<fp16>(shape, TPU_ROW_ALIGN), dim4{192, 96, 32, 1}));
    assert(same(get_stride<float>(shape, TPU_ALIGN), dim4{32, 16, 5, 1}));
    assert(same(get_stride<int8>(shape, TPU_ALIGN), dim4{128, 64, 5, 1}));
    assert(get_nic<int8>() == 64 && get_nic<fp16>() == 32);
    assert(get_nic<float>() == 1 && get_nic<int4>() == 128);
    assert(get_eu_num<float>() == 16 && get_eu_num<int8>() == 64);
    assert(lane_bytes() == 256 * 1024 && tile_bytes(65, 33, 2) == 2 * 128);
  }
  // Of the chips, that one has a cost model.
  if (shortest_dma_run() > 0) {
    assert(dma_load_bytes() == 58 && dma_store_bytes() == 44);
    assert(shortest_dma_run() == 256);
  }
  assert(LANE_NUM == lane_num() && NPU_NUM == lane_num());
  assert(EU_BYTES == eu_bytes());
  copyAndExpect();
}

__TEST__ void texts_and_messages() {
  tensor<fp16> t({1, 2, 3, 4});
  std::string text = to_string(t);
  assert(text.find("fp16 shape (1, 2, 3, 4)") == 0);
  assert(text.find("LOCAL TPU_ALIGN lane 0") != std::string::npos);
  assert(std::string(str("%d of %s", 3, "x")) == "3 of x");
  assert(get_local_msg_id() != get_local_msg_id());
  assert(get_msg_id(MSG_GLOBAL) != get_ccl_msg_id());
  assert(chip_num() == 1 && chip_id() == 0 && rank() == 0 &&
         chip_map()[0] == 0);
  assert(get_used_port_num() == 0 && get_block_index() < get_block_num());
  // What waits or only declares changes nothing.
  cancel_tpu_init();
  cancel_tpu_poll();
  rvt_kernel_start();
  sccl_init(1);
  set_config_auto_sync(true);
  set_memory_alloc_method(MEMORY_UTILIZATION_FIRST);
  autotune("tile", 8, 16);
  copyAndExpect();
  ppl::sync(); // <unistd.h> has one, too
  sync_core();
  sync_engine(DMA | TIU, false);
  hau_poll();
  tpu_poll();
  fence();
  flush_cache(int64(0));
  invalid_cache(int64(0));
}

// PPL 4.8.2: addresses, and L2 where there is some.
__KERNEL__ void by_address(float *out, float *in, int n) {
  dim4 shape = {1, 2, 1, n}, half = {1, 1, 1, n};
  gtensor<float> from(shape, GLOBAL, in);
  gtensor<float> second = from.sub_view(half, {0, 1, 0, 0});
  int64 address = get_gmem_addr(second);
  assert(address == get_gmem_addr(in) + 4 * n);
  // Two elements a byte.
  gtensor<int4> nibbles({1, 8, 1, 16}, GLOBAL, static_cast<void *>(in));
  assert(get_gmem_addr(nibbles.sub_view({1, 1, 1, 16}, {0, 4, 0, 0})) ==
         get_gmem_addr(in) + 32);
  dma::move(gtensor<float>(half, GLOBAL, out),
            gtensor<float>(half, GLOBAL, reinterpret_cast<float *>(address)));
}
__TEST__ void tensor_by_address() {
  dim4 shape = {1, 2, 1, 50}, half = {1, 1, 1, 50};
  float *out = ppl::malloc<float>(&half),
        *in = ppl::rand<float>(&shape, -1.0, 1.0);
  by_address(out, in, 50);
  expect(out, &half, [&](int64_t i) { return in[50 + i]; });
}

// PPL 4.9.2: strided filling leaves the rest alone; numbers lie in their range
// and are not all the same.
__TEST__ void random_numbers() {
  dim4 shape = {1, 1, 4, 8}, part = {1, 1, 2, 3}, strides = {32, 32, 8, 2},
       offset = {0, 0, 1, 1};
  int32 *numbers = ppl::malloc<int32>(&shape);
  ppl::rand(numbers, &part, &strides, &offset, 5, 9);
  int filled = 0;
  for (int i = 0; i < 32; ++i) {
    filled += numbers[i] != 0;
    assert(numbers[i] == 0 || (numbers[i] >= 5 && numbers[i] <= 9));
  }
  assert(filled == 6 && numbers[10] != 0 && numbers[22] != 0);
  dim4 many = {1, 1, 1, 1000};
  float *values = ppl::rand<float>(&many, -2.0, 3.0), low = 9, high = -9;
  for (int i = 0; i < 1000; ++i) {
    low = std::fmin(low, values[i]);
    high = std::fmax(high, values[i]);
  }
  assert(low >= -2 && low < -1.9f && high < 3 && high > 2.9f);
  copyAndExpect();
}

/// An npy file of these elements, as text.
template <class T>
static std::string npy(const char *type, const std::vector<T> &values) {
  std::string header = "{'descr': '" + std::string(type) +
                       "', 'fortran_order': False, 'shape': (" +
                       std::to_string(values.size()) + ",), }";
  header.resize(117, ' ');
  header += '\n';
  std::string file = "\x93NUMPY\x01";
  file += '\0';
  file += char(header.size());
  file += '\0';
  file += header;
  file.append(reinterpret_cast<const char *>(values.data()),
              values.size() * sizeof(T));
  return file;
}
/// A zip file with one stored entry.
static std::string npz(const std::string &name, const std::string &entry) {
  auto number = [](size_t value, int bytes) {
    std::string text;
    for (int i = 0; i < bytes; ++i)
      text += char(value >> (8 * i));
    return text;
  };
  std::string sizes = number(0, 4) + number(entry.size(), 4) +
                      number(entry.size(), 4) + number(name.size(), 2);
  std::string local = std::string("PK\3\4") + number(20, 2) + number(0, 8) +
                      sizes + number(0, 2) + name + entry;
  std::string central = std::string("PK\1\2") + number(20, 2) + number(20, 2) +
                        number(0, 8) + sizes + number(0, 16) + name;
  return local + central + "PK\5\6" + number(0, 4) + number(1, 2) +
         number(1, 2) + number(central.size(), 4) + number(local.size(), 4) +
         number(0, 2);
}
namespace {
/// A file that lasts as long as this.
class File {
public:
  explicit File(const std::string &contents) {
    std::string name =
        (std::filesystem::temp_directory_path() / "weft-ppl-XXXXXX").string();
    int descriptor = mkstemp(name.data());
    assert(descriptor >= 0);
    close(descriptor);
    path = name;
    std::ofstream(path, std::ios::binary) << contents;
  }
  ~File() { std::remove(path.c_str()); }
  std::string path;
};
} // namespace

// PPL 4.9.3
__TEST__ void files_become_memory() {
  std::vector<float> floats = {1.5f, -2.25f, 3.0f, 1e30f};
  std::vector<int16> shorts = {-7, 300, 12, 0};
  dim4 shape = {1, 1, 1, 4};
  float *a = ppl::malloc<float>(&shape), *b = ppl::malloc<float>(&shape),
        *d = ppl::malloc<float>(&shape);
  fp16 *c = ppl::malloc<fp16>(&shape);
  File one(npy("<f4", floats)), two(npz("x.npy", npy("<i2", shorts))),
      raw(std::string(reinterpret_cast<const char *>(shorts.data()), 8));
  read_npy(a, one.path.c_str());
  read_npz(b, two.path.c_str(), "x");
  read_bin<int16>(c, raw.path.c_str());
  read_file(d, raw.path.c_str(), 0, DT_INT16);
  for (int i = 0; i < 4; ++i) {
    assert(a[i] == floats[i] && b[i] == shorts[i]);
    assert(float(c[i]) == shorts[i] && d[i] == shorts[i]);
  }
  copyAndExpect();
}

// What the host's element types hold and round to.
__TEST__ void element_types_of_the_host() {
  for (uint32_t bits = 0; bits < 65536; ++bits) {
    fp16 half;
    bf16 brain;
    half.bits = brain.bits = uint16_t(bits);
    float h = half, b = brain;
    assert(h != h || fp16(h).bits == bits);
    assert(b != b || bf16(b).bits == bits);
  }
  assert(fp16(65520.0f).bits == 0x7c00 && fp16(65519.0f).bits == 0x7bff);
  assert(fp16(1.00048828125f).bits == 0x3c00); // a tie, to even
  assert(fp16(0x1p-25f).bits == 0 && fp16(0x1.8p-24f).bits == 2);
  assert(detail::fp8Bits(1.0625, 4) == 0x38 && detail::fp8Bits(500, 4) == 0x7e);
  assert(detail::fp8Bits(1e-9, 5) == 0 && detail::fp8Value(0x7b, 5) == 57344);
  copyAndExpect();
}

/// Pieces of a vector as long as a size of a tensor may be.
__KERNEL__ void scale_pieces(float *out, float *in, int count, int piece) {
  dim4 all = {1, 1, 1, count};
  gtensor<float> to(all, GLOBAL, out), from(all, GLOBAL, in);
  for (int i = 0; i < count; i += piece) {
    dim4 part = {1, 1, 1, min(piece, count - i)}, at = {0, 0, 0, i};
    tensor<float> x(part), y(part);
    dma::load(x, from.sub_view(part, at));
    tiu::fmul(y, x, 2.0f);
    dma::store(to.sub_view(part, at), y);
  }
}
__TEST__ void attempt_at_sizes_of_no_tensor() {
  dim4 all = {1, 1, 1, 70000};
  float *out = ppl::malloc<float>(&all), *in = ppl::rand<float>(&all, -1, 1);
  int piece = all.w, code = 0, tries = 0;
  while ((code = attempt([&] { scale_pieces(out, in, all.w, piece); }))) {
    assert(code == 0x11);
    piece /= 2;
    ++tries;
  }
  assert(tries > 0); // 70000 is no size of a tensor
  expect(out, &all, [&](int, int, int, int w) { return 2 * in[w]; }, 0, 0);
}
