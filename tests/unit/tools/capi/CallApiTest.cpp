// Single calls of zhouyi and ascend, layouts and programs through the C
// interface: what is right works, what is wrong has a message and reads nothing
// beyond its bounds.
#include "weft-compiler.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <memory>
#include <string>
#include <vector>

using testing::ElementsAre;
using testing::HasSubstr;

namespace {
constexpr int32_t kFp32 = 1, kInt32 = 8, kInt16 = 10;

/// A call with its result, which is freed.
struct Made {
  weft_call_result result = {};
  std::string message;

  Made() { result.struct_bytes = sizeof result; }
  ~Made() { weft_catalog_result_free(&result); }
  Made(const Made &) = delete;
};

void run(Made &made, const char *set, const char *function,
         const std::vector<weft_argument> &arguments,
         weft_call_mode mode = WEFT_CALL_RUN) {
  weft_call call = {sizeof(weft_call),
                    set,
                    function,
                    arguments.data(),
                    arguments.size(),
                    sizeof(weft_argument),
                    static_cast<int32_t>(mode)};
  weft_compiler_status *status = weft_catalog_call(&call, &made.result);
  made.message = weft_compiler_status_message(status);
  weft_compiler_status_free(status);
}

weft_argument vector(std::vector<int32_t> &values) {
  weft_argument argument = {};
  argument.kind = WEFT_ARGUMENT_VECTOR;
  argument.type = kInt32;
  argument.lanes = values.size();
  argument.bytes = values.data();
  argument.size = values.size() * 4;
  return argument;
}

weft_argument integer(int64_t value) {
  weft_argument argument = {};
  argument.kind = WEFT_ARGUMENT_INTEGER;
  argument.integer = value;
  return argument;
}

weft_argument mask(const char *text) {
  weft_argument argument = {};
  argument.kind = WEFT_ARGUMENT_MASK;
  argument.text = text;
  return argument;
}

template <class T>
weft_argument memory(std::vector<T> &values, int32_t type,
                     uint64_t offset = 0) {
  weft_argument argument = {};
  argument.kind = WEFT_ARGUMENT_MEMORY;
  argument.type = type;
  argument.bytes = values.data();
  argument.size = values.size() * sizeof(T);
  argument.offset = offset;
  return argument;
}

std::vector<weft_argument> moveOf(std::vector<int16_t> &l1,
                                  std::vector<int16_t> &gm) {
  std::vector<weft_argument> arguments = {memory(l1, kInt16),
                                          memory(gm, kInt16)};
  for (int64_t value : {0, 1, 2, 20, 0, 20, 2, 1, 0})
    arguments.push_back(integer(value));
  return arguments;
}
} // namespace

TEST(CallApi, CatalogsOfAllSets) {
  EXPECT_THAT(weft_catalog("zhouyi"), HasSubstr("{\"name\":\"vadd\""));
  EXPECT_THAT(weft_catalog("zhouyi"),
              HasSubstr("{\"operands\":[\"uint8x32\",\"int8x32\"],\"out_sign\":"
                        "\"\",\"result\":\"int16x16\"}")); // of vdot
  EXPECT_THAT(weft_catalog("ascend"),
              HasSubstr("{\"name\":\"copy_gm_to_cbuf_multi_nd2nz_b8\""));
  EXPECT_STREQ(weft_catalog("ppl"), weft_ppl_catalog());
  EXPECT_EQ(weft_catalog("other"), nullptr);
  EXPECT_EQ(weft_catalog(nullptr), nullptr);
}

TEST(CallApi, VectorsWithUndefinedLanes) {
  std::vector<int32_t> x = {1, 2, 3, 4, 5, 6, 7, 8};
  std::vector<uint8_t> defined = {1, 1, 0, 1, 1, 1, 1, 1};
  weft_argument first = vector(x);
  first.defined = defined.data();
  Made made;
  run(made, "zhouyi", "vadd", {first, integer(10), mask("4T")});
  ASSERT_EQ(made.message, "");
  EXPECT_EQ(made.result.type, kInt32);
  ASSERT_EQ(made.result.lanes, 8u);
  ASSERT_EQ(made.result.size, 32u);
  const auto *out = static_cast<const int32_t *>(made.result.bytes);
  EXPECT_THAT(std::vector<int32_t>(out, out + 8),
              ElementsAre(11, 12, 0, 14, 0, 0, 0, 0));
  EXPECT_THAT(
      std::vector<uint8_t>(made.result.defined, made.result.defined + 8),
      ElementsAre(1, 1, 0, 1, 0, 0, 0, 0));
}

TEST(CallApi, CheckSaysTheTypeAndReadsNothing) {
  std::vector<int32_t> none;
  weft_argument x = vector(none);
  x.lanes = 8;
  weft_argument unknown = {};
  unknown.kind = WEFT_ARGUMENT_MASK;
  unknown.lanes = 8;
  Made checked;
  run(checked, "zhouyi", "vadd", {x, x, unknown}, WEFT_CALL_CHECK);
  EXPECT_EQ(checked.message, "");
  EXPECT_EQ(checked.result.lanes, 8u);
  EXPECT_EQ(checked.result.bytes, nullptr);
  Made run1, run2;
  run(run1, "zhouyi", "vadd", {x, x});
  EXPECT_EQ(run1.message, "vadd: x points at 0 bytes, must be at least 32");
  std::vector<int32_t> values(8);
  run(run2, "zhouyi", "vadd", {vector(values), integer(1), unknown});
  EXPECT_EQ(run2.message, "vadd: mask has no lanes; give `bytes` or `text`");
}

TEST(CallApi, WrongCallsHaveMessages) {
  std::vector<int32_t> x(8);
  auto refused = [&](const char *text, const char *set, const char *function,
                     const std::vector<weft_argument> &arguments) {
    Made made;
    run(made, set, function, arguments);
    EXPECT_THAT(made.message, HasSubstr(text));
    EXPECT_EQ(made.result.bytes, nullptr);
  };
  weft_argument odd = vector(x), wide = vector(x), lanes = vector(x);
  odd.kind = 77;
  wide.type = 99;
  lanes.lanes = uint64_t(1) << 40;
  refused("single calls are of zhouyi or ascend", "ppl", "tiu.fadd", {});
  refused("the set is NULL", nullptr, "vadd", {});
  refused("zhouyi has no function 'vfoo'", "zhouyi", "vfoo", {});
  refused("zhouyi has no function ''", "zhouyi", nullptr, {});
  refused("vaddh: there must be at most 2 arguments", "zhouyi", "vaddh",
          std::vector<weft_argument>(3, vector(x)));
  refused("vadd: x has the kind 77", "zhouyi", "vadd", {odd, odd});
  refused("vadd: x has the type number 99", "zhouyi", "vadd", {wide, wide});
  refused("vadd: x has 1099511627776 lanes", "zhouyi", "vadd", {lanes, lanes});
  refused("vadd: y is missing", "zhouyi", "vadd", {vector(x)});
  std::vector<uint8_t> active(7, 1);
  weft_argument cut = {};
  cut.kind = WEFT_ARGUMENT_MASK;
  cut.lanes = 8;
  cut.bytes = active.data();
  cut.size = active.size();
  refused("vadd: mask points at 7 bytes, must be at least 8", "zhouyi", "vadd",
          {vector(x), vector(x), cut});
  refused("vadd: mask is an empty string", "zhouyi", "vadd",
          {vector(x), vector(x), mask("")});
  weft_argument bare = {};
  bare.kind = WEFT_ARGUMENT_MASK;
  refused("vadd: mask has no lanes; give `bytes` or `text`", "zhouyi", "vadd",
          {vector(x), vector(x), bare});
  std::vector<float> few(15);
  weft_argument outside = memory(few, kFp32, 64);
  refused("vmml: ptr points at byte 64 of 60", "zhouyi", "vmml", {outside});
  weft_call_result result = {};
  result.struct_bytes = sizeof result;
  weft_compiler_status *status = weft_catalog_call(nullptr, &result);
  EXPECT_NE(status, nullptr);
  weft_compiler_status_free(status);
  weft_catalog_result_free(nullptr);
}

TEST(CallApi, MovesAndTheirInverse) {
  std::vector<int16_t> gm(40), l1(64, -1), back(40);
  for (int i = 0; i < 40; ++i)
    gm[i] = int16_t(i + 1);
  const char *function = "copy_gm_to_cbuf_multi_nd2nz_b16";
  Made moved, inverse, empty, small;
  run(moved, "ascend", function, moveOf(l1, gm));
  ASSERT_EQ(moved.message, "");
  EXPECT_EQ(moved.result.lanes, 0u);
  EXPECT_EQ(l1[16], 21); // row 1
  EXPECT_EQ(l1[32], 17); // block 1 of row 0
  EXPECT_EQ(l1[36], 0);
  run(inverse, "ascend", function, moveOf(l1, back), WEFT_CALL_INVERSE);
  EXPECT_EQ(inverse.message, "");
  EXPECT_EQ(back, gm);
  std::vector<weft_argument> nothing = moveOf(l1, gm);
  nothing[3].integer = 0;
  run(empty, "ascend", function, nothing);
  EXPECT_EQ(empty.message, "");
  ASSERT_NE(empty.result.warning, nullptr);
  EXPECT_STREQ(empty.result.warning, "ndNum is 0: nothing is moved");
  std::vector<int16_t> room(63);
  run(small, "ascend", function, moveOf(room, gm));
  EXPECT_THAT(small.message, HasSubstr("the blocks end at byte 128"));
  Made backwards;
  std::vector<int32_t> x(8);
  run(backwards, "zhouyi", "vabs", {vector(x)}, WEFT_CALL_INVERSE);
  EXPECT_THAT(backwards.message, HasSubstr("has no inverse"));
}

TEST(CallApi, Layouts) {
  auto moves = [](weft_ascend_layout layout) {
    layout.struct_bytes = sizeof layout;
    void *text = nullptr;
    weft_compiler_status *status = weft_ascend_moves(&layout, &text);
    std::string made = status ? weft_compiler_status_message(status)
                              : static_cast<const char *>(text);
    weft_compiler_status_free(status);
    weft_compiler_free(text);
    return made;
  };
  weft_ascend_layout layout = {};
  layout.kind = WEFT_ND_TO_NZ;
  layout.element_bytes = 2;
  layout.count = 1;
  layout.rows = 40;
  layout.columns = 56;
  EXPECT_EQ(moves(layout),
            "[{\"function\":\"copy_gm_to_cbuf_multi_nd2nz_b16\",\"dst\":0,"
            "\"src\":0,\"sid\":0,\"ndNum\":1,\"nValue\":40,\"dValue\":56,"
            "\"srcNdMatrixStride\":0,\"srcDValue\":56,\"dstNzC0Stride\":48,"
            "\"dstNzNStride\":1,\"dstNzMatrixStride\":0}]");
  layout.element_bytes = 3;
  EXPECT_THAT(moves(layout), HasSubstr("an element has 3 bytes"));
  layout.element_bytes = 2;
  layout.rows = -1;
  EXPECT_THAT(moves(layout), HasSubstr("must be 0 to"));
  layout.rows = 1;
  layout.kind = 9;
  EXPECT_THAT(moves(layout), HasSubstr("no weft_ascend_layout_kind"));
  layout.kind = WEFT_NHWC_TO_NC1HWC0;
  layout.size[1] = 1;
  EXPECT_THAT(moves(layout), HasSubstr("on axis h the box ends at 1"));
}

TEST(CallApi, ProgramsFromText) {
  auto assemble = [](const char *text) {
    void *bytes = nullptr;
    size_t size = 0;
    weft_compiler_status *status = weft_zhouyi_assemble(text, &bytes, &size);
    std::string made =
        status ? weft_compiler_status_message(status)
               : std::string(static_cast<const char *>(bytes), size);
    weft_compiler_status_free(status);
    weft_compiler_free(bytes);
    return made;
  };
  const std::string head =
      "zhouyi.program @p on \"zhouyi\" {\n"
      "%y = zhouyi.buffer output \"y\" bytes 32 onnx tensor<8xi32> stored "
      "tensor<8xsi32> : !zhouyi.ptr<si32>\n"
      "%v = zhouyi.constant dense<1> : vector<8xsi32>\n";
  std::string file = assemble(
      (head + "zhouyi.store %v, %y : vector<8xsi32>, !zhouyi.ptr<si32>\n}\n")
          .c_str());
  ASSERT_GT(file.size(), 8u);
  EXPECT_EQ(file.substr(4, 4), "WZYP");
  EXPECT_EQ(assemble((head + "%s = zhouyi.vmul x = %v, y = 1.5 : "
                             "vector<8xsi32> -> vector<8xsi32> "
                             "loc(\"k.py\":7:1)\n}\n")
                         .c_str())
                .substr(0, 8),
            "k.py:7: ");
  EXPECT_THAT(assemble("module {}"), HasSubstr("0 zhouyi.program"));
  EXPECT_THAT(assemble("zhouyi."), HasSubstr("program:1: "));
  EXPECT_THAT(assemble(nullptr), HasSubstr("must not be NULL"));
}
